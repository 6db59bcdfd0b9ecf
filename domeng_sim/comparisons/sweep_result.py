"""What a sweep found: as objects, as JSON and in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from domeng_sim.comparisons.stopping import REASONS
from domeng_sim.comparisons.sweep_grid import SweepGrid
from domeng_sim.stats.estimate import KINDS, Estimate

SCHEMA_VERSION = 1
"""Of `SweepResult.to_json`; rises when a reader of the old form would be misled."""
SHARE = "share"
"""Key of the share of games that the changed strategy wins."""


@dataclass(frozen=True)
class SweptFigure:
    """What is told of every point."""

    key: str
    label: str
    kind: str
    unit: str


@dataclass(frozen=True)
class SweepCell:
    """A measure at a point.

    Attributes
    ----------
    estimate
        At the point, by itself.
    difference
        Less that at the reference; those of the whole grid hold together.
    differing
        Blocks in which it is not that of the reference.
    """

    estimate: Estimate
    difference: Estimate
    differing: int

    @property
    def is_established(self) -> bool:
        """Whether the difference is not 0, by an interval that holds with all others."""
        low, high = self.difference.low, self.difference.high
        return low is not None and high is not None and (low > 0 or high < 0)


@dataclass(frozen=True, repr=False)
class SweepResult:
    """The answer.

    Attributes
    ----------
    grid
        What was asked.
    measures
        What is told of every point.
    cells
        For each point, every measure; empty if no block was complete.
    blocks, games
        Blocks at each point, and games at all of them.
    rounds
        At each point.
    reason, seconds
        Why it ended, and after how long.
    """

    grid: SweepGrid
    measures: tuple[SweptFigure, ...]
    cells: tuple[tuple[SweepCell, ...], ...]
    blocks: int
    games: int
    rounds: tuple[int, ...]
    reason: str
    seconds: float

    def __repr__(self) -> str:
        return f"<Sweep: {self.sentence} ({self.blocks} blocks)>"

    def changing(self) -> list[int]:
        """Positions of the measures that surely change somewhere on the grid."""
        return [k for k in range(len(self.measures)) if any(row[k].is_established for row in self.cells)]

    @property
    def sentence(self) -> str:
        """The answer in words."""
        if not self.cells:
            return "no block was complete, so nothing can be said"
        reference = self.grid.points[self.grid.reference].label
        if self.measures[0].key != SHARE:
            names, n = [self.measures[k].label for k in self.changing()], len(self.measures)
            told = f", among them {names[0]}" if len(names) > 1 else f": {names[0]}" if names else ""
            return f"{len(names)} of {n} figures surely differ somewhere on the grid from those at {reference}{told}"
        shares = [row[0].estimate.value or 0.0 for row in self.cells]
        best = max(range(len(shares)), key=lambda k: shares[k])
        apart = [k for k, row in enumerate(self.cells) if row[0].is_established]
        if not apart:
            return f"no point can be told from {reference}"
        better = [k for k in apart if (self.cells[k][0].difference.value or 0.0) > 0]
        if not better:
            return f"no point is surely better than {reference}, and {len(apart)} surely worse"
        largest = f"the largest share is at {self.grid.points[best].label}"
        return f"{largest}; {len(better)} of {len(shares)} points are surely better than {reference}"

    def to_json(self) -> dict[str, Any]:
        """Everything as plain numbers, unrounded, with None (null) for what is not estimable."""
        grid = self.grid
        kinds = {e.kind for row in self.cells for cell in row for e in (cell.estimate, cell.difference)}
        points = []
        for number, point in enumerate(grid.points):
            row = self.cells[number] if self.cells else ()
            points.append(
                {
                    "label": point.label,
                    "values": {axis.name: value for axis, value in zip(grid.axes, point.values, strict=True)},
                    "strategy": point.strategy.text,
                    "rules": dict(point.rules),
                    "rounds": self.rounds[number],
                    "figures": [
                        {
                            "key": measure.key,
                            "label": measure.label,
                            "kind": measure.kind,
                            "estimate": cell.estimate.to_json(),
                            "difference": cell.difference.to_json(),
                            "established": cell.is_established,
                            "blocks_that_differ": cell.differing,
                        }
                        for measure, cell in zip(self.measures, row, strict=False)
                    ],
                }
            )
        return {
            "schema_version": SCHEMA_VERSION,
            "study": "sweep",
            **grid.setting.to_json(),
            "base": grid.base.to_json(),
            "against": [spec.to_json() for spec in grid.company] or None,
            "axes": [{"name": axis.name, "values": list(axis.values)} for axis in grid.axes],
            "reference": grid.points[grid.reference].label,
            "level": grid.level,
            "interval": "fixed",
            "kinds": {kind: KINDS[kind] for kind in sorted(kinds)},
            "unit_of_analysis": "block",
            "blocks": self.blocks,
            "looks": 1,
            "games": self.games,
            "rounds": sum(self.rounds),
            "points": points,
            "reason": self.reason,
            "reason_in_words": REASONS[self.reason],
            "sentence": self.sentence,
            "seconds": self.seconds,
        }
