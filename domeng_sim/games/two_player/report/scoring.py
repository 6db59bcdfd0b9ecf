"""How strategies of two-player games are compared: games and rounds won, points scored, draws and PASSes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from domeng_sim.core.codes import DrawEnded, DrawOutcome
from domeng_sim.games.shared.measures import Cells, cells
from domeng_sim.games.shared.scoring import Scoring, SeatMeasure
from domeng_sim.games.types import RuleValue

SEATS = range(2)


def _by_seat(of: Callable[[int], Cells]) -> tuple[Cells, ...]:
    return tuple(of(seat) for seat in SEATS)


def _per_round(key: str, label: str, of: Callable[[int], Cells], unit: str) -> SeatMeasure:
    return SeatMeasure(key, label, _by_seat(of), "rounds", unit)


def _rounds(key: str, label: str, of: Callable[[int], Cells]) -> SeatMeasure:
    return SeatMeasure(key, label, _by_seat(of), "rounds", "share of rounds", "share")


def scoring(rules: Mapping[str, RuleValue]) -> Scoring:
    """How strategies are compared under these rules."""
    draws = _per_round("draws", "tiles drawn", lambda s: cells("draws", seat=s), "tiles per round")
    drawn = (draws,) if "draw" in rules else ()
    return Scoring(
        share="share of games won",
        won=_by_seat(lambda seat: cells("game_wins", seat=seat)),
        totals=(
            ("finished", cells("games", kind=DrawEnded.FINISHED)),
            ("ended", cells("games", kind=(DrawEnded.FINISHED, DrawEnded.TRUNCATED))),
            ("rounds", cells("round_ends")),
        ),
        measures=(
            _rounds("rounds_won", "rounds won", lambda s: cells("round_ends", seat=s)),
            _rounds("rounds_out", "rounds won: out", lambda s: cells("round_ends", kind=DrawOutcome.OUT, seat=s)),
            _rounds(
                "rounds_blocked", "rounds won: blocked", lambda s: cells("round_ends", kind=DrawOutcome.BLOCKED, seat=s)
            ),
            _per_round("points", "points scored", lambda s: cells("scored", seat=s), "points per round"),
            SeatMeasure(
                "game_score",
                "score at game end",
                _by_seat(lambda s: cells("game_scores", seat=s)),
                "ended",
                "points per game",
            ),
            *drawn,
            _per_round("passes", "PASSes", lambda s: cells("passes", seat=s), "passes per round"),
            _per_round("pips", "pips left", lambda s: cells("pips", seat=s), "pips per round"),
        ),
        sensitivity=(
            "game.rounds",
            "game.truncated",
            *(f"outcome.{outcome.label}" for outcome in DrawOutcome),
            "round.plays",
            *(("round.draws",) if drawn else ()),
            "round.passes",
            "round.points",
            "starter.0",
        ),
    )
