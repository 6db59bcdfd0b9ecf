"""The figures of Domeng, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from domeng_sim.core.codes import Cause, Ended, Outcome
from domeng_sim.games.domeng.kernel.counts import TABLE
from domeng_sim.games.shared.measures import Figure, LeftOut, Panel, Sheet, cells
from domeng_sim.games.shared.panels import ALL_GAMES, ROUNDS, by_seat, length_panel, outcome_panel, quantile_panel
from domeng_sim.games.shared.sides import mean, share
from domeng_sim.games.types import RuleValue

SEATS = range(5)
SEAT_NAMES = tuple(f"seat {seat}" for seat in SEATS)
HOLDERS = (*((str(seat), name) for seat, name in enumerate(SEAT_NAMES)), ("table", "the table"))
"""Key and label of all who hold or give stones, in the order of the counters."""

WHOLE_GAMES = cells("games", kind=(Ended.CAMAT, Ended.TRUNCATED))
CAMAT_GAMES = cells("games", kind=Ended.CAMAT)
NO_CAMAT = LeftOut(
    cells("games", kind=(Ended.TRUNCATED, Ended.UNFINISHED)),
    ALL_GAMES,
    "games ended without a CAMAT and are left out: mostly long ones.",
)
"""For figures of games with a CAMAT."""

CAUSE_LABELS = {
    Cause.MATTIKKENG: "MATTIKKENG, one with fewer pips",
    Cause.MATTIKKENG_SHARED: "MATTIKKENG, several or equal",
}
SUFFERED_LABELS = ("one, fewer pips", "one, equal pips", "several")


_seats_row = partial(by_seat, len(SEATS))


def _round() -> Panel:
    empty = cells("stones_held", seat=TABLE, bin=0)
    return Panel(
        "round",
        "A round",
        (
            mean("round.plays", "tiles played", cells("plays", weighted=True), ROUNDS, "tiles per round"),
            mean("round.passes", "PASSes", cells("passes"), ROUNDS, "passes per round"),
            mean("round.passebunge", "of these PASSEBUNGE", cells("passebunge"), ROUNDS, "passes per round"),
            share("round.table_empty", "table empty after it", empty, ROUNDS, "share of rounds"),
        ),
        "PASSes include PASSEBUNGE and the five closing ones of a blocked round.",
        brief=True,
    )


def _game() -> Panel:
    again, reigns = cells("camat_again"), cells("incumbent_games")
    truncated, unfinished = cells("games", kind=Ended.TRUNCATED), cells("games", kind=Ended.UNFINISHED)
    return Panel(
        "game",
        "A game",
        (
            mean("game.rounds", "rounds until CAMAT", cells("finished_rounds"), CAMAT_GAMES, "rounds per game"),
            share("game.camat_again", "incumbent appointed again", again, reigns, "share of games with an incumbent"),
            share("game.truncated", "truncated", truncated, ALL_GAMES, "share of games"),
            share("game.unfinished", "unfinished", unfinished, ALL_GAMES, "share of games"),
        ),
        "Rounds until CAMAT: of games that ended with one. Games with an incumbent: truncated ones too.",
        brief=True,
        left_out=replace(NO_CAMAT, text=NO_CAMAT.text.replace("left out", "left out of the rounds until CAMAT")),
    )


def _seats() -> Panel:
    again, reigns = cells("camat_again"), cells("incumbent_games")
    held, kept = cells("stones_held", weighted=True), cells("game_stones")
    rows = (
        _seats_row("seat.camat", "share of CAMATs", cells("camat"), cells("camat"), "share of CAMATs"),
        _seats_row("seat.camat_again", "again as incumbent", again, reigns, "share of games as incumbent", own=True),
        _seats_row("seat.wins", "rounds won", cells("round_ends"), ROUNDS, "share of rounds"),
        _seats_row("seat.held", "stones held", held, ROUNDS, "stones at the end of a round"),
        _seats_row("seat.game_stones", "at game end", kept, WHOLE_GAMES, "stones at the end of a game"),
        _seats_row("seat.passes", "PASSes", cells("passes"), ROUNDS, "passes per round"),
        _seats_row("seat.passebunge", "PASSEBUNGE", cells("passebunge"), ROUNDS, "passes per round"),
    )
    return Panel(
        "seat",
        "By seat",
        tuple(figure for row in rows for figure in row),
        "Share of CAMATs: of all appointments. Again as incumbent: of the games that the seat began as CAMAT, "
        "truncated ones too. Rounds won: of all rounds. Stones: held at the ends of rounds, and of games, truncated "
        "ones too. PASSes and PASSEBUNGE: per round.",
        brief=True,
    )


def _wins() -> Panel:
    return Panel(
        "win",
        "Who wins, and how",
        tuple(
            figure
            for kind in Outcome
            for figure in _seats_row(
                f"win.{kind.label}", kind.name, cells("round_ends", kind=kind), ROUNDS, "share of rounds"
            )
        ),
    )


def _distances() -> Panel:
    labels = ("the starter", "1 after", "2 after", "3 after", "4 after")
    return Panel(
        "distance",
        "The winner, counted clockwise from the starter",
        tuple(
            share(f"distance.{other}", label, cells("round_ends", other=other), ROUNDS, "share of rounds")
            for other, label in enumerate(labels)
        ),
        layout="bars",
    )


def _suffered() -> Panel:
    return Panel(
        "suffered",
        "MATTIKKENG suffered by a MANGUNO",
        tuple(
            figure
            for kind, label in enumerate(SUFFERED_LABELS)
            for figure in _seats_row(
                f"suffered.{kind}", label, cells("mattikkeng_suffered", kind=kind), ROUNDS, "share of rounds"
            )
        ),
        "By how many others had as few pips as the MANGUNO or fewer.",
    )


def _causes() -> Panel:
    sources = (
        ("all", "moved", tuple(range(6))),
        ("table", "from the table", (TABLE,)),
        ("players", "from players", tuple(SEATS)),
    )
    return Panel(
        "cause",
        "Stones moved, by cause",
        tuple(
            Figure(
                f"cause.{cause.label}.{key}",
                CAUSE_LABELS.get(cause, cause.name),
                cells("stones_moved", kind=cause, other=givers),
                ROUNDS,
                "stones per round",
                "mean",
                column,
            )
            for cause in Cause
            for key, column, givers in sources
        ),
    )


def _flow() -> Panel:
    return Panel(
        "flow",
        "Who gives (rows) to whom",
        tuple(
            Figure(
                f"flow.{key}.{seat}",
                label,
                cells("stones_moved", other=giver, seat=seat),
                ROUNDS,
                "stones per round",
                "mean",
                name,
            )
            for giver, (key, label) in enumerate(HOLDERS)
            for seat, name in enumerate(SEAT_NAMES)
            if giver != seat
        ),
        columns=SEAT_NAMES,
    )


def _plays() -> Panel:
    return Panel(
        "plays",
        "Tiles played in a round",
        tuple(share(f"plays.{n}", str(n), cells("plays", bin=n), ROUNDS, "share of rounds") for n in range(1, 26)),
        layout="spread",
    )


def _held(stones: int) -> Panel:
    return Panel(
        "held",
        "Stones held at the end of a round",
        tuple(
            Figure(
                f"held.{key}.{n}",
                str(n),
                cells("stones_held", seat=holder, bin=n),
                ROUNDS,
                "share of rounds",
                "share",
                label,
            )
            for n in range(stones + 1)
            for holder, (key, label) in enumerate(HOLDERS)
        ),
        layout="spread",
    )


def figures(rules: Mapping[str, RuleValue]) -> Sheet:
    """All figures of Domeng.

    Parameters
    ----------
    rules
        All rules; `stones` sets the length of a distribution.
    """
    panels = (
        outcome_panel((kind, kind.label, kind.name) for kind in Outcome),
        _round(),
        _game(),
        quantile_panel("Rounds until CAMAT: quantiles", NO_CAMAT),
        _seats(),
        _wins(),
        _distances(),
        _suffered(),
        _causes(),
        _flow(),
        _plays(),
        _held(int(rules["stones"])),
        length_panel(
            "Rounds until CAMAT: distribution", "game_length", CAMAT_GAMES, "share of games with a CAMAT", NO_CAMAT
        ),
    )
    return Sheet((("rounds", ROUNDS), ("games", ALL_GAMES)), panels)
