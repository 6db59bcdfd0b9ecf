"""The odds of a run under way, with intervals that hold although somebody watches them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from domeng_sim.analysis.goals import LEVEL, RunGoals, estimate
from domeng_sim.analysis.metrics import Row
from domeng_sim.games.shared.measures import Figure
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.counters import CountTable
from domeng_sim.runs.plan import Plan
from domeng_sim.stats import confseq


class Live:
    """Takes in the counts of a run as they come, beside what the run goes on for.

    Parameters
    ----------
    config
        The run.
    aim
        What is to be known at its end; None if it has a fixed end.
    changed
        Told when there is more.
    """

    def __init__(self, config: RunConfig, aim: RunGoals | None, changed: Callable[[Live], None]) -> None:
        self._config, self._aim, self._changed = config, aim, changed
        self.expected = 0 if aim is None else aim.expected
        self._blocks = config.spec.counts(config.rules)
        self._figures = {} if aim is None else {goal.figure.key: goal.figure for goal in aim.goals}
        for panel in config.spec.figures(config.rules).panels:
            if not panel.brief:
                continue
            first = {one.label for one in panel.figures[:1]}  # of a panel with columns, the row that matters most
            has_columns = any(one.column for one in panel.figures)
            for one in panel.figures:
                if isinstance(one, Figure) and (not has_columns or one.label in first):
                    self._figures.setdefault(one.key, one)
        self._pieces: list[npt.NDArray[np.int64]] = []
        self._best_at = 1.0

    def begin(self, plan: Plan) -> None:
        """Begin, with the plan of the run."""
        if self._aim is not None:
            self._aim.begin(plan)
        config = self._config
        matches = plan.expected or config.n_matches or config.rounds / config.nominal_rounds_per_match
        self._pieces, self._best_at = [], max(matches / plan.batch, confseq.FIRST_LOOK)

    def add(self, counts: npt.NDArray[np.int64]) -> None:
        """Take in counts of further batches, in order."""
        self._pieces.append(counts)
        if self._aim is not None:
            self._aim.add(counts)
        self._changed(self)

    def is_reached(self) -> bool:
        """Whether there is enough."""
        return self._aim is not None and self._aim.is_reached()

    def rows(self) -> list[Row]:
        """The odds so far, those that the run goes on for first; each interval holds at every look."""
        counts = np.concatenate(self._pieces)
        self._pieces = [counts]
        table = CountTable(self._blocks, counts)
        return [
            Row(
                one.key,
                ", ".join(text for text in (getattr(one, "column", ""), one.label) if text),
                "",
                getattr(one, "kind", "quantile"),
                estimate(table, one, len(counts), self._best_at, LEVEL),
            )
            for one in self._figures.values()
        ]
