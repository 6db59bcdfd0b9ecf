"""Odds of the moves of a position, as they were found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from domeng_sim.games.spec import GameSpec
from domeng_sim.stats.estimate import Estimate, level_text


@dataclass(frozen=True)
class MoveOdds:
    """A move and its odds.

    Attributes
    ----------
    text
        What it is called.
    number
        Its position among the moves in the core's order.
    figures
        By measure, the figure.
    differences
        By measure, the figure minus that of the best move; none for the best move itself.
    fractions
        By measure, the exact value; empty where it was sampled.
    is_tied
        Whether it may be the best move, as far as can be told.
    """

    text: str
    number: int
    figures: Mapping[str, Estimate]
    differences: Mapping[str, Estimate]
    fractions: Mapping[str, Fraction]
    is_tied: bool


@dataclass(frozen=True)
class OddsResult:
    """Odds of all moves of a position.

    Attributes
    ----------
    spec
        The game.
    position
        The position.
    moves
        The moves, that with the highest probability of winning first.
    method
        ``sampled`` or ``exact``.
    samples
        Samples played, of the moves that were not dropped; None for exact odds.
    deals
        Number of deals that agree with what was seen.
    level
        Confidence level.
    reason
        Why sampling ended: ``samples``, ``until`` or ``limit``; ``exact``.
    seconds
        How long it took, compiling left out.
    details
        For exact odds, by move (in the core's order) further totals by name, as fractions.
    infer
        The strategy by which the others were taken to have chosen; None where deals count alike.
    effective
        How many samples that count alike tell as much as those of unequal weights; None where they count alike.
    """

    spec: GameSpec
    position: Any
    moves: tuple[MoveOdds, ...]
    method: str
    samples: int | None
    deals: int
    level: float
    reason: str
    seconds: float
    details: tuple[Mapping[str, tuple[Fraction, ...]], ...] = ()
    infer: str | None = None
    effective: int | None = None

    def __repr__(self) -> str:
        """In a line: how often each move wins."""
        how = "exact" if self.samples is None else f"{self.samples:,} samples"
        told = ", ".join(f"{move.text} {move.figures['win'].value or 0.0:.4g}" for move in self.moves)
        return f"<Odds of winning, {how}: {told}>"

    @property
    def tied(self) -> tuple[MoveOdds, ...]:
        """The moves of which one is the best, as far as can be told."""
        return tuple(move for move in self.moves if move.is_tied)

    @property
    def dropped(self) -> tuple[MoveOdds, ...]:
        """The moves that were sampled less than the others, since they are significantly worse than the best."""
        return tuple(
            move for move in self.moves if move.figures["win"].clusters < (self.effective or self.samples or 0)
        )

    @property
    def note(self) -> str:
        """Why moves are ruled out whose interval does not show it; empty if there are none.

        The test that rules out, of the samples that one of two moves wins and the other does not, is one-sided, and
        sharper than the interval of their difference, which may reach 0 (and reads as if it did where it nearly does).
        """
        names = [move.text for move in self.moves if not move.is_tied and _reaches_zero(move.differences["win"])]
        if not names:
            return ""
        return (
            f"{', '.join(names)}: ruled out as the best by a sharper test, of the samples that one of the two moves "
            f"wins and the other does not (one-sided, {level_text(self.level)} over all moves together), though the "
            "interval reaches 0 or nearly does."
        )

    @property
    def advice(self) -> str:
        """What to play, in a sentence."""
        if len(self.moves) == 1:
            return f"There is nothing to choose: {self.moves[0].text}."
        tied, first = self.tied, self.moves[0]
        if len(tied) == 1:
            sure = "" if self.method == "exact" else f" ({level_text(self.level)} sure)"
            return f"Play {first.text}: it wins most often{sure}."
        names = ", ".join(move.text for move in tied[:-1]) + f" and {tied[-1].text}"
        if self.method == "exact":
            return f"{names} win equally often."
        if all(move.differences["win"].kind == "exact" for move in tied[1:]):
            return f"{names} win equally often, whatever the hidden tiles are."
        return f"{names} cannot be told apart with {self.samples:,} samples; more of them may."

    def to_json(self) -> dict[str, Any]:
        """The odds as plain numbers; fractions as texts."""
        return {
            "method": self.method,
            "samples": self.samples,
            "infer": self.infer,
            "effective_samples": self.effective,
            "deals": str(self.deals),
            "level": self.level,
            "ended": self.reason,
            "seconds": self.seconds,
            "advice": self.advice,
            "best": [move.text for move in self.tied],
            "moves": [
                {
                    "move": move.text,
                    "may_be_best": move.is_tied,
                    "figures": {name: figure.to_json() for name, figure in move.figures.items()},
                    "minus_best": {name: figure.to_json() for name, figure in move.differences.items()} or None,
                    "fractions": {name: str(value) for name, value in move.fractions.items()} or None,
                }
                for move in self.moves
            ],
        }


def _reaches_zero(difference: Estimate) -> bool:
    """Whether an interval below 0 reaches it, or would if its error were rounded up to two digits."""
    low, high = difference.low, difference.high
    return low is None or high is None or high > -0.1 * (high - low)
