"""Odds at the decisions of a match with people: hints beforehand, a review afterwards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from domeng_sim.games.types import LegalMove, Seat
from domeng_sim.positions.interactive_match import Sitting, is_move
from domeng_sim.positions.odds import OddsSession, odds_of, sampled_odds
from domeng_sim.positions.odds_result import MoveOdds, OddsResult
from domeng_sim.stats.estimate import Estimate
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import PERSON, seat

SAMPLES = 20_000
"""Deals drawn for a decision between few moves: some tenths of a second."""
ROUNDS = 80_000
"""Rounds played out for a decision at most, deals times moves: a second where they take longest, on a finite table."""


@dataclass(frozen=True)
class Reviewed:
    """A decision of a person, looked at afterwards.

    Attributes
    ----------
    step
        Key `step` of the move in the `events` table.
    played
        The move that was made.
    best
        The move that wins most often.
    cost
        How much more often the best one wins, with its interval; None where the best one was played.
    odds
        Of all moves.
    ends
        Values of the ends at which it was made; -1 at a lead.
    """

    step: int
    played: MoveOdds
    best: MoveOdds
    cost: Estimate | None
    odds: OddsResult
    ends: tuple[int, int]


class Adviser:
    """Finds odds at decisions of a match.

    Parameters
    ----------
    sitting
        The match.
    like
        The strategy that everybody is taken to go on with.
    session
        With what.
    as_named
        Whether the others, whom the person named, play on as they do in the match instead.

    Attributes
    ----------
    manner
        How everybody plays on, in a few words.

    Raises
    ------
    BadInput
        If the game has no odds.
    StrategySpecError
        If there is no such strategy.
    """

    def __init__(self, sitting: Sitting, like: str, session: OddsSession, as_named: bool = False) -> None:
        # a proof would compile another engine in the middle of a game
        self._sitting, self._session = sitting, replace(session, proofs=False)
        self._odds = odds_of(sitting.config.spec)
        goes_on = seat(resolve(like, sitting.config.spec))
        self._seats: tuple[Seat, ...] = tuple(
            ready if as_named and spec.kind != PERSON else goes_on
            for spec, ready in zip(sitting.config.seats, sitting.seats, strict=True)
        )
        self.manner = f"you play on as {like}, the others as they are" if as_named else f"all play on as {like}"

    def prepare(self) -> None:
        """Compile what finds odds, so that a hint comes at once."""
        standing = self._sitting.standing
        if standing.undecided is not None:
            self.hint()

    def at(self, game: int, round_: int, step: int, asking: int) -> OddsResult:
        """Odds of each move before a step.

        Parameters
        ----------
        game, round_, step
            The step.
        asking
            Whose decision it is; only what this seat may know is used.

        Raises
        ------
        Interrupted
            If the session was stopped.
        StrategyError
            If a user's function failed.
        """
        config = self._sitting.config
        position = self._odds.from_rows(self._sitting.standing.rows, config.rules, game, round_, step, asking)
        # a seed of its own for each decision, so that the same question gets the same answer
        seed = (config.seed + 0x9E3779B97F4A7C15 * (1 + step + 1000 * (round_ + 100_000 * game))) % 2**64
        samples = min(SAMPLES, ROUNDS // len(position.moves))
        return sampled_odds(config.spec, position, self._seats, seed, samples, session=self._session)

    def hint(self) -> OddsResult:
        """Odds of each move of the person who must choose."""
        standing = self._sitting.standing
        if standing.undecided is None:
            raise ValueError("nobody must choose")
        return self.at(standing.game, standing.round, standing.step, standing.undecided.seat)

    def review(self, game: int, round_: int, who: int) -> list[Reviewed]:
        """Decisions of a person in a round at which there was something to choose."""
        rows = self._sitting.standing.rows
        found = []
        for number, event in enumerate(rows["event"]):
            here = (rows["game"][number], rows["round"][number], rows["seat"][number])
            if here != (game, round_, who) or not is_move(event):
                continue
            step = int(rows["step"][number])
            odds = self.at(game, round_, step, who)
            if len(odds.moves) > 1:
                move = LegalMove(rows["tile"][number], rows["side"][number] or "", _direction(rows, number))
                played = next(one for one in odds.moves if _is_same(odds.position.moves[one.number], move))
                best = odds.moves[0]
                # the difference is that of the move to the best one
                cost = None if played is best else played.differences["win"]
                ends = rows["left_end"][number - 1], rows["right_end"][number - 1]
                found.append(Reviewed(step, played, best, cost, odds, ends))
        return found


def _direction(rows: Any, number: int) -> str:
    return (rows["direction"][number] or "") if "direction" in rows else ""


def _is_same(move: Any, other: LegalMove) -> bool:
    """Whether a move of a position is the one that was played."""
    same = move.tile == other.tile and move.end == other.end[:1]
    return same and getattr(move, "direction", "") in ("", other.direction, other.direction[:1])
