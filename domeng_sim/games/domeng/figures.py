"""The figures of Domeng, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from domeng_sim.codes import Cause, Ended, Outcome
from domeng_sim.games.domeng.counts import N_LENGTH_BINS, TABLE, length_bin_start
from domeng_sim.games.figures import Cells, Figure, Panel, Quantile, Sheet, cells
from domeng_sim.games.spec import RuleValue

SEATS = range(5)
QUANTILES = (1, 5, 25, 50, 75, 95, 99)
"""Orders in percent."""

ROUNDS = cells("round_ends")
ALL_GAMES = cells("games")
WHOLE_GAMES = cells("games", kind=(Ended.CAMAT, Ended.TRUNCATED))
CAMAT_GAMES = cells("games", kind=Ended.CAMAT)

LENGTH_STARTS = tuple(length_bin_start(position) for position in range(N_LENGTH_BINS + 1))

CAUSE_LABELS = {
    Cause.MATTIKKENG: "MATTIKKENG, one with fewer pips",
    Cause.MATTIKKENG_SHARED: "MATTIKKENG, several or equal",
}
SUFFERED_LABELS = ("one, fewer pips", "one, equal pips", "several")


def _share(key: str, label: str, part: Cells, whole: Cells, of: str, column: str = "") -> Figure:
    return Figure(key, label, part, whole, f"share of {of}", "share", column)


def _mean(key: str, label: str, amount: Cells, per: Cells, unit: str, column: str = "") -> Figure:
    return Figure(key, label, amount, per, unit, "mean", column)


def _seat(seat: int) -> str:
    return f"seat {seat}"


def _outcomes() -> Panel:
    return Panel(
        "outcome",
        "How a round ends",
        tuple(
            _share(f"outcome.{kind.label}", kind.name, cells("round_ends", kind=kind), ROUNDS, "rounds")
            for kind in Outcome
        ),
        layout="bars",
        brief=True,
    )


def _round() -> Panel:
    return Panel(
        "round",
        "A round",
        (
            _mean("round.plays", "tiles played", cells("plays", weighted=True), ROUNDS, "tiles per round"),
            _mean("round.passes", "PASSes", cells("passes"), ROUNDS, "passes per round"),
            _mean("round.passebunge", "of these PASSEBUNGE", cells("passebunge"), ROUNDS, "passes per round"),
            _share("round.table_empty", "table empty after it", cells("stones_held", seat=TABLE, bin=0), ROUNDS, "rounds"),
        ),
        "PASSes include PASSEBUNGE and the five closing ones of a blocked round.",
        brief=True,
    )  # fmt: skip


def _game() -> tuple[Panel, Panel]:
    games = Panel(
        "game",
        "A game",
        (
            _mean("game.rounds", "rounds", cells("finished_rounds"), CAMAT_GAMES, "rounds per game"),
            _share("game.camat_again", "incumbent appointed again", cells("camat_again"), cells("incumbent_games"), "games with an incumbent"),
            _share("game.truncated", "truncated", cells("games", kind=Ended.TRUNCATED), ALL_GAMES, "games"),
            _share("game.unfinished", "unfinished", cells("games", kind=Ended.UNFINISHED), ALL_GAMES, "games"),
        ),
        "Rounds: of games that ended with a CAMAT. Where games are unfinished, long ones are missing among these.",
        brief=True,
    )  # fmt: skip
    quantiles = Panel(
        "game_quantiles",
        "Rounds of a game: quantiles",
        tuple(
            Quantile(
                f"game.rounds.q{order:02}",
                "rounds",
                cells("game_length"),
                order / 100,
                LENGTH_STARTS,
                "rounds",
                f"{order} %",
            )
            for order in QUANTILES
        ),
        brief=True,
    )
    return games, quantiles


def _length_groups() -> Iterable[tuple[str, range]]:
    """Groups of bins of `game_length`: one by one to 23 rounds, then two groups an octave."""
    edges = [*range(1, 25)]
    while edges[-1] < LENGTH_STARTS[-1]:
        edges.append(edges[-1] + max(1, 1 << (edges[-1].bit_length() - 2)))
    bin_of = {start: position for position, start in enumerate(LENGTH_STARTS)}
    for first, beyond in zip(edges, edges[1:]):
        yield (f"{first}" if beyond == first + 1 else f"{first}-{beyond - 1}"), range(bin_of[first], bin_of[beyond])


def _length() -> Panel:
    return Panel(
        "game_length",
        "Rounds of a game: distribution",
        tuple(
            _share(f"game.rounds.{label}", label, cells("game_length", bin=bins), CAMAT_GAMES, "games")
            for label, bins in _length_groups()
        ),
        "Share of the games that ended with a CAMAT. From 24 rounds on a row stands for several lengths.",
        layout="bars",
    )


def _by_seat() -> Panel:
    rows = (
        ("camat", "CAMAT", lambda s: _share("", "", cells("camat", seat=s), cells("camat"), "games")),
        ("camat_again", "CAMAT again", lambda s: _share("", "", cells("camat_again", seat=s), cells("incumbent_games", seat=s), "games as incumbent")),
        ("wins", "rounds won", lambda s: _share("", "", cells("round_ends", seat=s), ROUNDS, "rounds")),
        ("held", "stones held", lambda s: _mean("", "", cells("stones_held", weighted=True, seat=s), ROUNDS, "stones at the end of a round")),
        ("game_stones", "at game end", lambda s: _mean("", "", cells("game_stones", seat=s), WHOLE_GAMES, "stones at the end of a game")),
        ("passes", "PASSes", lambda s: _mean("", "", cells("passes", seat=s), ROUNDS, "passes per round")),
        ("passebunge", "PASSEBUNGE", lambda s: _mean("", "", cells("passebunge", seat=s), ROUNDS, "passes per round")),
    )  # fmt: skip
    figures = []
    for key, label, make in rows:
        for seat in SEATS:
            bare = make(seat)
            figures.append(
                Figure(f"seat.{key}.{seat}", label, bare.numerator, bare.denominator, bare.unit, bare.kind, _seat(seat))
            )
    return Panel(
        "seat",
        "By seat",
        tuple(figures),
        "CAMAT: share of all appointments. CAMAT again: of the games that the seat began as CAMAT. Rounds won: of all "
        "rounds. Stones: held at the ends of rounds, and of games. PASSes and PASSEBUNGE: per round.",
        brief=True,
    )


def _wins() -> tuple[Panel, Panel]:
    by_seat = Panel(
        "win",
        "Who wins, and how",
        tuple(
            _share(f"win.{kind.label}.{seat}", kind.name, cells("round_ends", kind=kind, seat=seat), ROUNDS, "rounds", _seat(seat))
            for kind in Outcome
            for seat in SEATS
        ),
        "Share of all rounds.",
    )  # fmt: skip
    distances = ("the starter", "1 after", "2 after", "3 after", "4 after")
    by_distance = Panel(
        "distance",
        "The winner, counted clockwise from the starter",
        tuple(
            _share(f"distance.{other}", label, cells("round_ends", other=other), ROUNDS, "rounds")
            for other, label in enumerate(distances)
        ),
        layout="bars",
    )
    return by_seat, by_distance


def _suffered() -> Panel:
    return Panel(
        "suffered",
        "MATTIKKENG suffered, by MANGUNO",
        tuple(
            _share(f"suffered.{kind}.{seat}", label, cells("mattikkeng_suffered", kind=kind, seat=seat), ROUNDS, "rounds", _seat(seat))
            for kind, label in enumerate(SUFFERED_LABELS)
            for seat in SEATS
        ),
        "Share of all rounds. The MANGUNO loses a blocked round to one other player or to several.",
    )  # fmt: skip


def _stones() -> tuple[Panel, Panel]:
    sources = (("all", "moved", tuple(range(6))), ("table", "from the table", (TABLE,)), ("players", "from players", tuple(SEATS)))
    causes = Panel(
        "cause",
        "Stones moved, by cause",
        tuple(
            _mean(f"cause.{cause.label}.{key}", CAUSE_LABELS.get(cause, cause.name), cells("stones_moved", kind=cause, other=givers), ROUNDS, "stones per round", column)
            for cause in Cause
            for key, column, givers in sources
        ),
        "Stones per round.",
    )  # fmt: skip
    givers = [*((str(seat), _seat(seat)) for seat in SEATS), ("table", "the table")]
    flow = Panel(
        "flow",
        "Who gives stones (rows) to whom (columns)",
        tuple(
            _mean(f"flow.{key}.{seat}", label, cells("stones_moved", other=other, seat=seat), ROUNDS, "stones per round", _seat(seat))
            for other, (key, label) in enumerate(givers)
            for seat in SEATS
            if other != seat
        ),
        "Stones per round.",
    )  # fmt: skip
    return causes, flow


def _distributions(stones: int) -> tuple[Panel, Panel]:
    plays = Panel(
        "plays",
        "Tiles played in a round: distribution",
        tuple(_share(f"plays.{n}", str(n), cells("plays", bin=n), ROUNDS, "rounds") for n in range(1, 26)),
        layout="spread",
    )
    holders = [*((str(seat), _seat(seat)) for seat in SEATS), ("table", "the table")]
    held = Panel(
        "held",
        "Stones held at the end of a round: distribution",
        tuple(
            _share(f"held.{key}.{n}", str(n), cells("stones_held", seat=holder, bin=n), ROUNDS, "rounds", label)
            for n in range(stones + 1)
            for holder, (key, label) in enumerate(holders)
        ),
        layout="spread",
    )
    return plays, held


def figures(rules: Mapping[str, RuleValue]) -> Sheet:
    """All figures of Domeng.

    Parameters
    ----------
    rules
        All rules; `stones` sets the length of a distribution.
    """
    causes, flow = _stones()
    plays, held = _distributions(int(rules["stones"]))
    return Sheet(
        totals=(("rounds", ROUNDS), ("games", ALL_GAMES)),
        panels=(
            _outcomes(), _round(), *_game(), _by_seat(), *_wins(), _suffered(), causes, flow, plays, held, _length(),
        ),
    )  # fmt: skip
