"""Which differences are called, where several intervals stand behind one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from domeng_sim.comparisons.block_estimates import Running
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.stats import multiple


@dataclass(frozen=True)
class Call:
    """Whether a difference is called.

    Attributes
    ----------
    p
        p-value of no difference, for this one alone.
    adjusted
        By Holm, over all that stand behind the same answer.
    sign
        1 if the subject is called better, -1 if worse, 0 if it is undecided.
    few
        Whether the sign-flip test had to agree, because there are few blocks or few differ.
    """

    p: float
    adjusted: float
    sign: int
    few: bool = False

    @property
    def opposite(self) -> Call:
        """The same seen from the other side."""
        return replace(self, sign=-self.sign)


def decide(runnings: Sequence[Running], stopping: Stopping) -> tuple[Call, ...]:
    """Call the differences that are established together.

    If there is no difference at all, one is called in at most one run of twenty (at a level of 95 %), however many
    figures are looked at; for a study without a fixed number of blocks, at however many looks.

    Parameters
    ----------
    runnings
        The scores that stand behind one answer.
    stopping
        Says the level, and whether the number of blocks was fixed.
    """
    ps = [running.p_value(stopping) for running in runnings]
    found = []
    for running, p, adjusted in zip(runnings, ps, multiple.holm(ps).tolist(), strict=True):
        total = running.moments.total - running.null * running.count
        called = adjusted < 1 - stopping.level
        sign = (total > 0) - (total < 0) if called else 0
        found.append(Call(p, adjusted, sign, stopping.fixed and running.few and not running.same))
    return tuple(found)
