"""The figures of two-player games, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from domeng_sim.core.codes import DrawEnded, DrawOutcome
from domeng_sim.games.shared.measures import LeftOut, Panel, Sheet, cells
from domeng_sim.games.shared.panels import ALL_GAMES, ROUNDS, by_seat, length_panel, outcome_panel, quantile_panel
from domeng_sim.games.shared.sides import mean, share
from domeng_sim.games.two_player.kernel.counts import MAX_POINTS, counts
from domeng_sim.games.types import RuleValue

SEATS = range(2)
WON_ROUNDS = cells("round_ends", kind=(DrawOutcome.OUT, DrawOutcome.BLOCKED))
WON_GAMES = cells("games", kind=DrawEnded.FINISHED)
NOT_WON = LeftOut(
    cells("games", kind=(DrawEnded.TRUNCATED, DrawEnded.UNFINISHED)),
    ALL_GAMES,
    "games were won by nobody and are left out: mostly long ones.",
)
"""For figures of games that were won."""
ENDED_GAMES = cells("games", kind=(DrawEnded.FINISHED, DrawEnded.TRUNCATED))


_seats_row = partial(by_seat, len(SEATS))


def _round(rules: Mapping[str, RuleValue]) -> Panel:
    figures = (
        mean("round.plays", "tiles played", cells("plays", weighted=True), ROUNDS, "tiles per round"),
        mean("round.draws", "tiles drawn", cells("draws"), ROUNDS, "tiles per round"),
        mean("round.passes", "PASSes", cells("passes"), ROUNDS, "passes per round"),
        mean("round.points", "points scored", cells("scored"), ROUNDS, "points per round"),
        mean("round.stock", "tiles left in the stock", cells("stock", weighted=True), ROUNDS, "tiles per round"),
        share("round.stock_used", "stock drawn down to two", cells("stock", bin=2), ROUNDS, "share of rounds"),
    )
    closed = (
        ()
        if rules["table"] == "unbounded"
        else (mean("round.closed", "closed ends", cells("closed_ends", weighted=True), ROUNDS, "ends per round"),)
    )
    note = "A closed end is one where no tile can be laid, whatever its values, when the round ends." if closed else ""
    return Panel("round", "A round", figures + closed, note, brief=True)


def _starter() -> Panel:
    winners = ("the starter", "the other", "nobody")
    return Panel(
        "starter",
        "The winner, seen from the starter",
        tuple(
            share(f"starter.{other}", label, cells("round_ends", other=other), ROUNDS, "share of rounds")
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
            mean("game.rounds", "rounds until it is won", cells("finished_rounds"), WON_GAMES, "rounds per game"),
            share("game.truncated", "truncated", cells("games", kind=DrawEnded.TRUNCATED), ALL_GAMES, "share of games"),
            share(
                "game.unfinished", "unfinished", cells("games", kind=DrawEnded.UNFINISHED), ALL_GAMES, "share of games"
            ),
        ),
        brief=True,
        left_out=replace(NOT_WON, text=NOT_WON.text.replace("left out", "left out of the rounds until it is won")),
    )
    quantiles = quantile_panel("Rounds until a game is won: quantiles", NOT_WON)
    title = "Rounds until a game is won: distribution"
    lengths = length_panel(title, "game.rounds", WON_GAMES, "share of games won", NOT_WON)
    return games, quantiles, lengths


def _by_seat() -> Panel:
    rows = (
        _seats_row("seat.games", "games won", cells("game_wins"), WON_GAMES, "share of games won"),
        _seats_row("seat.starts", "rounds started", cells("starts"), ROUNDS, "share of rounds"),
        _seats_row("seat.rounds", "rounds won", cells("round_ends"), ROUNDS, "share of rounds"),
        *(
            _seats_row(
                f"seat.{kind.label}",
                f"rounds won: {kind.label}",
                cells("round_ends", kind=kind),
                ROUNDS,
                "share of rounds",
            )
            for kind in (DrawOutcome.OUT, DrawOutcome.BLOCKED)
        ),
        _seats_row("seat.points", "points", cells("scored"), ROUNDS, "points per round"),
        _seats_row("seat.score", "score at game end", cells("game_scores"), ENDED_GAMES, "points per game"),
        _seats_row("seat.draws", "tiles drawn", cells("draws"), ROUNDS, "tiles per round"),
        _seats_row("seat.passes", "PASSes", cells("passes"), ROUNDS, "passes per round"),
        _seats_row("seat.pips", "pips left", cells("pips"), ROUNDS, "pips per round"),
    )
    return Panel(
        "seat",
        "By seat",
        tuple(figure for row in rows for figure in row),
        "Games won: of the games that were won. Score at game end: truncated games too.",
        brief=True,
    )


def _distributions() -> tuple[Panel, Panel, Panel]:
    plays = Panel(
        "plays",
        "Tiles played in a round: distribution",
        tuple(share(f"plays.{n}", str(n), cells("plays", bin=n), ROUNDS, "share of rounds") for n in range(1, 27)),
        layout="histogram",
    )
    stock = Panel(
        "stock",
        "Tiles left in the stock: distribution",
        tuple(share(f"stock.{n}", str(n), cells("stock", bin=n), ROUNDS, "share of rounds") for n in range(2, 15)),
        layout="histogram",
    )
    points = Panel(
        "points",
        "Points of a round: distribution",
        tuple(
            share(
                f"points.{first}", f"{first}-{last}", cells("points", bin=range(first, last + 1)), WON_ROUNDS,
                "share of rounds won",
            )
            for first, last in ((first, min(first + 9, MAX_POINTS)) for first in range(0, MAX_POINTS + 1, 10))
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
    panels = (
        outcome_panel((kind, kind.label, kind.label) for kind in DrawOutcome),
        _round(rules),
        _starter(),
        *_game(),
        _by_seat(),
        *_distributions(),
    )
    return Sheet((("rounds", ROUNDS), ("games", ALL_GAMES)), panels).of(counts(rules))
