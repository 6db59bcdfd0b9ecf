"""The figures of two-player games, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from domeng_sim.core.codes import DrawEnded, DrawOutcome
from domeng_sim.games.shared.length_bins import LENGTH_STARTS, SINGLE_LENGTHS, length_groups
from domeng_sim.games.shared.measures import Cells, Figure, LeftOut, Panel, Quantile, Sheet, cells
from domeng_sim.games.two_player.kernel.counts import MAX_POINTS, counts
from domeng_sim.games.types import RuleValue

SEATS = range(2)
QUANTILES = (1, 5, 25, 50, 75, 95, 99)
"""Orders in percent."""

ROUNDS = cells("round_ends")
WON_ROUNDS = cells("round_ends", kind=(DrawOutcome.OUT, DrawOutcome.BLOCKED))
GAMES = cells("games")
WON_GAMES = cells("games", kind=DrawEnded.FINISHED)
NOT_WON = LeftOut(
    cells("games", kind=(DrawEnded.TRUNCATED, DrawEnded.UNFINISHED)),
    GAMES,
    "games were won by nobody and are left out: mostly long ones.",
)
"""For figures of games that were won."""
ENDED_GAMES = cells("games", kind=(DrawEnded.FINISHED, DrawEnded.TRUNCATED))


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
            _share(f"outcome.{kind.label}", kind.label, cells("round_ends", kind=kind), ROUNDS, "rounds")
            for kind in DrawOutcome
        ),
        layout="bars",
        brief=True,
    )


def _round(rules: Mapping[str, RuleValue]) -> Panel:
    figures = (
        _mean("round.plays", "tiles played", cells("plays", weighted=True), ROUNDS, "tiles per round"),
        _mean("round.draws", "tiles drawn", cells("draws"), ROUNDS, "tiles per round"),
        _mean("round.passes", "PASSes", cells("passes"), ROUNDS, "passes per round"),
        _mean("round.points", "points scored", cells("scored"), ROUNDS, "points per round"),
        _mean("round.stock", "tiles left in the stock", cells("stock", weighted=True), ROUNDS, "tiles per round"),
        _share("round.stock_used", "stock drawn down to two", cells("stock", bin=2), ROUNDS, "rounds"),
    )
    closed = (
        ()
        if rules["table"] == "unbounded"
        else (_mean("round.closed", "closed ends", cells("closed_ends", weighted=True), ROUNDS, "ends per round"),)
    )
    note = "A closed end is one where no tile can be laid, whatever its values, when the round ends." if closed else ""
    return Panel("round", "A round", figures + closed, note, brief=True)


def _starter() -> Panel:
    winners = ("the starter", "the other", "nobody")
    return Panel(
        "starter",
        "The winner, seen from the starter",
        tuple(
            _share(f"starter.{other}", label, cells("round_ends", other=other), ROUNDS, "rounds")
            for other, label in enumerate(winners)
        ),
        layout="bars",
        brief=True,
    )


def _game() -> tuple[Panel, Panel, Panel]:
    games = Panel(
        "game",
        "A game",
        (
            _mean("game.rounds", "rounds until it is won", cells("finished_rounds"), WON_GAMES, "rounds per game"),
            _share("game.truncated", "truncated", cells("games", kind=DrawEnded.TRUNCATED), GAMES, "games"),
            _share("game.unfinished", "unfinished", cells("games", kind=DrawEnded.UNFINISHED), GAMES, "games"),
        ),
        brief=True,
        left_out=replace(NOT_WON, text=NOT_WON.text.replace("left out", "left out of the rounds until it is won")),
    )
    quantiles = Panel(
        "game_quantiles",
        "Rounds until a game is won: quantiles",
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
        left_out=NOT_WON,
    )
    lengths = Panel(
        "game_length",
        "Rounds until a game is won: distribution",
        tuple(
            _share(f"game.rounds.{label}", label, cells("game_length", bin=bins), WON_GAMES, "games won")
            for label, bins in length_groups()
        ),
        f"From {SINGLE_LENGTHS} rounds on a row stands for several lengths.",
        layout="histogram",
        left_out=NOT_WON,
    )
    return games, quantiles, lengths


def _by_seat() -> Panel:
    figures = []
    for seat in SEATS:
        column = _seat(seat)
        figures += [
            _share(f"seat.games.{seat}", "games won", cells("game_wins", seat=seat), WON_GAMES, "games won", column),
            _share(f"seat.starts.{seat}", "rounds started", cells("starts", seat=seat), ROUNDS, "rounds", column),
            _share(f"seat.rounds.{seat}", "rounds won", cells("round_ends", seat=seat), ROUNDS, "rounds", column),
            *(
                _share(
                    f"seat.{kind.label}.{seat}",
                    f"rounds won: {kind.label}",
                    cells("round_ends", kind=kind, seat=seat),
                    ROUNDS,
                    "rounds",
                    column,
                )
                for kind in (DrawOutcome.OUT, DrawOutcome.BLOCKED)
            ),
            _mean(f"seat.points.{seat}", "points", cells("scored", seat=seat), ROUNDS, "points per round", column),
            _mean(
                f"seat.score.{seat}",
                "score at game end",
                cells("game_scores", seat=seat),
                ENDED_GAMES,
                "points per game",
                column,
            ),
            _mean(f"seat.draws.{seat}", "tiles drawn", cells("draws", seat=seat), ROUNDS, "tiles per round", column),
            _mean(f"seat.passes.{seat}", "PASSes", cells("passes", seat=seat), ROUNDS, "passes per round", column),
            _mean(f"seat.pips.{seat}", "pips left", cells("pips", seat=seat), ROUNDS, "pips per round", column),
        ]  # fmt: skip
    by_row = sorted(figures, key=lambda figure: [other.label for other in figures].index(figure.label))
    return Panel(
        "seat",
        "By seat",
        tuple(by_row),
        "Games won: of the games that were won. Score at game end: truncated games too.",
        brief=True,
    )


def _distributions() -> tuple[Panel, Panel, Panel]:
    plays = Panel(
        "plays",
        "Tiles played in a round: distribution",
        tuple(_share(f"plays.{n}", str(n), cells("plays", bin=n), ROUNDS, "rounds") for n in range(1, 27)),
        layout="histogram",
    )
    stock = Panel(
        "stock",
        "Tiles left in the stock: distribution",
        tuple(_share(f"stock.{n}", str(n), cells("stock", bin=n), ROUNDS, "rounds") for n in range(2, 15)),
        layout="histogram",
    )
    points = Panel(
        "points",
        "Points of a round: distribution",
        tuple(
            _share(f"points.{bins[0]}", f"{bins[0]}-{bins[-1]}", cells("points", bin=bins), WON_ROUNDS, "rounds won")
            for bins in (range(first, min(first + 10, MAX_POINTS + 1)) for first in range(0, MAX_POINTS + 1, 10))
        ),
        "Share of the rounds that somebody won.",
        layout="histogram",
    )  # fmt: skip
    return plays, stock, points


def figures(rules: Mapping[str, RuleValue]) -> Sheet:
    """All figures of a game.

    Parameters
    ----------
    rules
        All rules of the game; closed ends are told of finite tables only, the stock only where there is one.
    """
    panels = (_outcomes(), _round(rules), _starter(), *_game(), _by_seat(), *_distributions())
    return Sheet((("rounds", ROUNDS), ("games", GAMES)), panels).of(counts(rules))
