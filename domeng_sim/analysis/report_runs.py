"""Runs of a report, and what two of them have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from domeng_sim.analysis.counts import Counted
from domeng_sim.core.tables import LEVELS
from domeng_sim.games.shared.measures import Cells, Figure, Panel, Quantile
from domeng_sim.games.shared.outline import Outline
from domeng_sim.runs.counters import CountTable
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.stats.clusters import FEW_EVENTS
from domeng_sim.stats.differences import independent
from domeng_sim.stats.differences import paired as paired_difference
from domeng_sim.stats.estimate import Estimate
from domeng_sim.stats.sums import Sums


@dataclass(frozen=True)
class Run:
    """A run as the report tells of it.

    Attributes
    ----------
    name
        Short and unique in the report.
    dataset
        Its dataset.
    outline
        What its game reports.
    counted
        Its counters.
    """

    name: str
    dataset: Dataset
    outline: Outline
    counted: Counted

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest."""
        return self.dataset.manifest

    @cached_property
    def table(self) -> CountTable:
        """The counters by name."""
        return self.counted.table()

    @cached_property
    def totals(self) -> dict[str, int]:
        """Matches, rounds, games: of the finished parts."""
        sheet = self.dataset.spec.figures(self.dataset.rules)
        matches = sum(part.last_match - part.first_match + 1 for part in self.dataset.parts if part.table == "summary")
        return {"matches": matches} | {name: int(self.table.total(cells).sum()) for name, cells in sheet.totals}

    @property
    def state(self) -> str:
        """What is missing of it; empty if it is complete."""
        if self.dataset.complete and self.dataset.shard is not None:
            return f"{self.dataset.noun}: figures are of its {self.totals['matches']:,} matches"
        if self.dataset.complete:
            return "still being played: figures are of the rounds that are over" if self.dataset.going_on else ""
        of = f" of {len(self.dataset.span()):,}" if self.manifest.get("matches") else ""
        return f"not complete: figures are of the {self.totals['matches']:,}{of} matches in finished parts"

    def lacks(self, count_names: Iterable[str]) -> str:
        """Name of the first table that is needed for these blocks and was not read; empty if none is."""
        for name in count_names:
            if name not in self.counted.tables:
                return next(
                    (
                        tally.table
                        for tally in self.outline.tallies
                        if any(name == block.name for block in tally.counts)
                    ),
                    "summary",
                )
        return ""

    def why(self, table: str) -> str:
        """Why a table was not read, and what would change that."""
        stored = self.manifest["tables"]
        if LEVELS.index(table) > LEVELS.index(stored):
            return f"{self.name} did not store the table {table}; a run with the tables up to {table} stores it"
        return f"the table {table} was not read; it takes the tables up to {table}"


def cells_of(figure: Figure | Quantile) -> tuple[Cells, ...]:
    """The sums that a figure is made of."""
    return (figure.histogram,) if isinstance(figure, Quantile) else (figure.numerator, figure.denominator)


def pairing(one: Run, other: Run) -> tuple[bool, str]:
    """Whether batches of the two meet the same deals, and the reason."""
    a, b = one.manifest, other.manifest
    if a["seed"] != b["seed"]:
        return False, "independent: the seeds differ"
    if a["game_version"] != b["game_version"]:
        return False, "independent: the versions of the game differ"
    sizes = [(m.get("games_per_match"), m.get("rounds_per_match")) for m in (a, b)]
    if sizes[0] != sizes[1]:
        return False, "treated as independent, though the seed is the same: matches differ in length"
    small, large = sorted((one.counted.batch, other.counted.batch))
    if large % small:
        return False, "treated as independent, though the seed is the same: batches of matches do not fit together"
    return True, "paired by batch: same seed, match by match the same deals"


class Pair:
    """Two runs whose figures are subtracted.

    Parameters
    ----------
    one, other
        The first run and a later one.
    paired
        Whether their batches meet the same deals.
    """

    def __init__(self, one: Run, other: Run, paired: bool) -> None:
        self._paired = paired
        self._runs = one, other
        counted = one.counted, other.counted
        if paired:
            batch = max(item.batch for item in counted)
            merged = [item.merged(batch) for item in counted]
            # A batch that only one of them has counts in that one alone: its share of the residual is unpaired.
            first = np.union1d(merged[0].first, merged[1].first)
            self._tables = [item.table(item.placed(first)) for item in merged]
        else:
            self._tables = [one.table, other.table]

    def differences(self, one: Panel, other: Panel, level: float) -> dict[str, Estimate]:
        """Figures of `other` minus those of `one`, where both have them; quantiles have none."""
        before = {figure.key: figure for figure in one.figures if isinstance(figure, Figure)}
        found = {}
        for figure in other.figures:
            if isinstance(figure, Figure) and figure.key in before:
                pair = before[figure.key], figure
                if not any(
                    run.lacks(cells.count for cells in cells_of(f)) for run, f in zip(self._runs, pair, strict=True)
                ):
                    found[figure.key] = self._difference(*pair, level)
        return found

    def _difference(self, one: Figure, other: Figure, level: float) -> Estimate:
        ya, na, yb, nb = (
            table.total(cells)
            for table, figure in ((self._tables[1], other), (self._tables[0], one))
            for cells in (figure.numerator, figure.denominator)
        )
        unit = f"difference, {other.unit}"
        estimate = (paired_difference if self._paired else independent)(ya, na, yb, nb, level=level, unit=unit)
        sums = Sums.of(ya, na), Sums.of(yb, nb)
        if all(_enough(item, other.kind) for item in sums) or estimate.low is None:
            return estimate
        if estimate.value == 0 and np.array_equal(ya, yb) and np.array_equal(na, nb):
            return estimate  # the very same counts: nothing is unknown about this difference
        return replace(estimate, low=None, high=None, kind="not-estimable")


def _enough(sums: Sums, kind: str) -> bool:
    """Whether the error of a ratio can be seen: events (and for a share, non-events) in more than one batch."""
    events = sums.y[0]
    if events < FEW_EVENTS or sums.some[0] < 2:
        return False
    return kind == "mean" or (sums.n - events >= FEW_EVENTS and sums.all[0] >= 2)
