"""How strategies of Domeng are compared: appointments to CAMAT, and what seats give, receive, make and suffer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from domeng_sim.core.codes import Cause, Ended, Outcome
from domeng_sim.games.domeng.rules import cucuq_of
from domeng_sim.games.shared.measures import Cells, cells
from domeng_sim.games.shared.scoring import Scoring, SeatMeasure
from domeng_sim.games.types import RuleValue

SEATS = range(5)
CAUSES = {
    "pass": ("PASS", (Cause.PASS,)),
    "passebunge": ("PASSEBUNGE", (Cause.PASSEBUNGE,)),
    "cappu": ("CAPPU", (Cause.CAPPU,)),
    "ceki": ("CEKI", (Cause.CEKI,)),
    "pollo": ("POLLO", (Cause.POLLO,)),
    "manguno": ("MANGUNO", (Cause.MANGUNO,)),
    "mattikkeng": ("MATTIKKENG", (Cause.MATTIKKENG, Cause.MATTIKKENG_SHARED)),
}


def _by_seat(of: Callable[[int], Cells]) -> tuple[Cells, ...]:
    return tuple(of(seat) for seat in SEATS)


def _rounds(key: str, label: str, of: Callable[[int], Cells]) -> SeatMeasure:
    return SeatMeasure(key, label, _by_seat(of), "rounds", "share of rounds", "share")


def _made_and_suffered(outcome: Outcome, rules: Mapping[str, RuleValue]) -> tuple[SeatMeasure, SeatMeasure]:
    """Rounds that a seat ended so, and those that made it CUCUQ."""
    winners = {cucuq_of(winner, rules): winner for winner in SEATS}
    return (
        _rounds(f"{outcome.label}_made", f"{outcome.name} made", lambda s: cells("round_ends", kind=outcome, seat=s)),
        _rounds(
            f"{outcome.label}_suffered",
            f"{outcome.name} suffered",
            lambda s: cells("round_ends", kind=outcome, seat=winners[s]),
        ),
    )


def _stones() -> tuple[SeatMeasure, ...]:
    measures = []
    for verb, at in (("received", "seat"), ("given", "other")):
        for key, (label, causes) in CAUSES.items():
            amounts = tuple(cells("stones_moved", kind=causes, **{at: seat}) for seat in SEATS)
            measures.append(
                SeatMeasure(f"stones_{verb}_{key}", f"{verb}: {label}", amounts, "rounds", "stones per round")
            )
    return tuple(measures)


def scoring(rules: Mapping[str, RuleValue]) -> Scoring:
    """How strategies are compared under these rules."""
    return Scoring(
        share="CAMAT share",
        won=_by_seat(lambda seat: cells("camat", seat=seat)),
        totals=(
            ("finished", cells("games", kind=Ended.CAMAT)),
            ("ended", cells("games", kind=(Ended.CAMAT, Ended.TRUNCATED))),
            ("rounds", cells("round_ends")),
        ),
        measures=(
            _rounds("rounds_won", "rounds won", lambda seat: cells("round_ends", seat=seat)),
            SeatMeasure(
                "game_stones",
                "stones at game end",
                _by_seat(lambda seat: cells("game_stones", seat=seat)),
                "ended",
                "stones per game",
            ),
            SeatMeasure("passes", "PASSes", _by_seat(lambda seat: cells("passes", seat=seat)), "rounds", "per round"),
            *_made_and_suffered(Outcome.CEKI, rules),
            *_made_and_suffered(Outcome.POLLO, rules),
            _rounds("manguno_made", "MANGUNO made", lambda seat: cells("round_ends", kind=Outcome.MANGUNO, seat=seat)),
            _rounds("mattikkeng_suffered", "MATTIKKENG suffered", lambda seat: cells("mattikkeng_suffered", seat=seat)),
            *_stones(),
        ),
        sensitivity=(
            "game.rounds",
            "game.truncated",
            "game.camat_again",
            *(f"outcome.{outcome.label}" for outcome in Outcome),
            "round.plays",
            "round.passes",
            "round.passebunge",
            "round.table_empty",
            *(f"cause.{cause.label}.all" for cause in Cause),
        ),
    )
