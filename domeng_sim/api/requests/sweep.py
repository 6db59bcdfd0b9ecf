"""The request to sweep over a grid of weights, options and rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from domeng_sim.api.requests.base import LEVEL, find_strategies, one_for_each, optional
from domeng_sim.api.requests.kinds import STRATEGIES, STRATEGY, Kind, several, whole, written
from domeng_sim.api.requests.studies import KeptRequest, StudyRequest
from domeng_sim.comparisons.stopping import DEFAULT_LEVEL
from domeng_sim.errors import BadField, FieldRef
from domeng_sim.runs.config import DEFAULT_STRATEGY

if TYPE_CHECKING:
    from domeng_sim.comparisons.sweep_grid import SweepGrid

SWEEP_BLOCKS = 2_000


def _over(value: object) -> tuple[str, ...]:
    if isinstance(value, Mapping):
        value = [f"{name}={written(_listed(values))}" for name, values in value.items()]
    texts: tuple[Any, ...] = (value,) if isinstance(value, str) else tuple(value)  # type: ignore[arg-type]
    if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        raise ValueError
    return texts


def _listed(values: Any) -> Any:
    """Values of a list, an array or a range, as a tuple of plain ones."""
    if isinstance(values, str | int | float):
        return str(values)
    return tuple(one.item() if hasattr(one, "item") else one for one in values)


OVER = Kind(
    "NAME=VALUES",
    "names with values, such as weights.unseen=-2..0/0.25, rule.stones=10..40/5 or n=10,30,100",
    _over,
    is_several=True,
)


@dataclass(frozen=True, kw_only=True)
class SweepRequest(KeptRequest, StudyRequest):
    """How shares and figures go over a grid.

    Attributes
    ----------
    grid
        What is asked.
    """

    command: ClassVar[str] = "sweep"

    over: Mapping[str, Any] | Sequence[str] | None = optional(
        OVER,
        "What is changed, and its values: a weight of the base, a rule, or an option of a search; a list, or first and "
        "last with a step; repeatable for a grid.",
    )
    base: str | None = optional(STRATEGY, "The strategy that is changed.", usual_text=f"{DEFAULT_STRATEGY} over rules")
    against: str | Sequence[str] | None = optional(
        STRATEGIES,
        "Who sits in the other seats: one strategy, or one for each of them.",
        usual_text="the base itself, where it is changed; over rules the base sits in all seats",
    )
    reference: Sequence[str] | None = optional(
        several("NAME=VALUE", "names of the grid, each with one of its values, such as unseen=-1"),
        "The point that the others are compared with; repeatable.",
        usual_text="where nothing is changed, else the first",
    )
    blocks: int = optional(whole(1, 10**6), "Matches at every point, each in all its seatings.", usual=SWEEP_BLOCKS)
    level: float = optional(LEVEL, "Confidence level.", usual=DEFAULT_LEVEL)
    grid: SweepGrid = dataclasses.field(init=False, repr=False, compare=False)

    def _resolve(self) -> None:
        super()._resolve()
        if not self.over:
            raise BadField("over", None, message=(FieldRef("over"), f" must say what is changed: {OVER.allowed}"))
        from domeng_sim.comparisons.sweep_grid import RULE, SweepGrid, axes_of, points_of, reference_of

        is_changed = any(not str(text).strip().startswith(RULE) for text in self.over)
        if is_changed and self.base is None:
            raise BadField("base", None, message=(FieldRef("base"), " must name the strategy that is changed"))
        spec, setting = self.spec, self.setting
        (base,) = find_strategies("base", [self.base or DEFAULT_STRATEGY], spec)
        axes = axes_of(tuple(self.over), base, spec)
        against = self.against or ((base,) if is_changed else ())
        company = (
            find_strategies("against", one_for_each("against", tuple(against), spec.seats - 1), spec) if against else ()
        )
        if any(axis.is_rule for axis in axes):
            setting = dataclasses.replace(setting, figures=spec.scoring(setting.rules).sensitivity)
        points, reference = (
            points_of(axes, base, setting),
            reference_of(self.reference or (), axes, base, setting.rules),
        )
        self._set("setting", setting)
        self._set("grid", SweepGrid(setting, axes, points, base, company, reference, self.blocks, self.level))

    def reached(self, blocks: int, reason: str) -> SweepRequest:
        """What gives the same again: after a stop what was played."""
        return self.with_values(blocks=blocks) if reason == "stopped" and blocks else self
