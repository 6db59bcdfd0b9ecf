"""Several tables on the same deals: figures of each, added up block by block, and their differences to one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from domeng_sim.comparisons.blocks import Scores
from domeng_sim.comparisons.design import Lineup, Setting
from domeng_sim.comparisons.sequential import Chunk, StudySession, drive
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.runs.counters import Ints
from domeng_sim.stats import clusters, differences, multiple
from domeng_sim.stats.estimate import Estimate

Floats = npt.NDArray[np.float64]
Reader = Callable[[Scores, Lineup], Ints]
"""Numerators and denominators of the figures of some blocks, shape (blocks, figures, 2)."""


@dataclass
class PointSums:
    """Numerators and denominators of figures at several tables of the same deals.

    Attributes
    ----------
    lineups
        Who sits at each table.
    read
        What is counted of them.
    reference
        Position of the table that the others are compared with.
    most
        Groups of blocks at most: where there would be more, groups that follow each other become one, so that memory
        stays flat.  What comes of it depends on the number of blocks alone.
    sums
        Shape (groups, tables, figures, 2).
    size
        Blocks of a group.
    rounds
        Rounds at each table.
    differing
        Blocks in which a figure is not that of the reference, shape (tables, figures).
    """

    lineups: Sequence[Lineup]
    read: Reader
    reference: int = 0
    most: int = 0
    sums: Ints = field(init=False)
    size: int = 1
    blocks: int = 0
    rounds: list[int] = field(init=False)
    differing: Ints = field(init=False)

    def __post_init__(self) -> None:
        self.rounds = [0] * len(self.lineups)
        self._parts: list[Ints] = []
        self._waiting: Ints | None = None

    def add(self, chunk: Chunk) -> None:
        """Take in a chunk."""
        found = [self.read(scores, lineup) for scores, lineup in zip(chunk.scores, self.lineups, strict=True)]
        values = np.stack(found, axis=1)
        changed = (values != values[:, [self.reference]]).any(axis=3).sum(axis=0)
        self.differing = self.differing + changed if self.blocks else changed
        for number, scores in enumerate(chunk.scores):
            self.rounds[number] += int(scores.totals[:, 2].sum())
        self._gather(values)
        self.blocks += len(chunk.blocks)

    def _gather(self, values: Ints) -> None:
        number = (self.blocks % self.size + np.arange(len(values))) // self.size
        groups = np.zeros((int(number[-1]) + 1, *values.shape[1:]), np.int64)
        np.add.at(groups, number, values)
        if self.blocks % self.size:
            self._parts[-1][-1] += groups[0]
            groups = groups[1:]
        if len(groups):
            self._parts.append(groups)
        while self.most and sum(map(len, self._parts)) > self.most:
            merged = np.concatenate(self._parts)
            merged = np.concatenate([merged, np.zeros((len(merged) % 2, *merged.shape[1:]), np.int64)])
            self._parts, self.size = [merged[::2] + merged[1::2]], 2 * self.size

    def finish(self) -> None:
        """Put the groups together."""
        self.sums = np.concatenate(self._parts) if self._parts else np.zeros((0, len(self.lineups), 0, 2), np.int64)
        self._parts = [self.sums]


def play(
    setting: Setting,
    points: PointSums,
    blocks: int,
    session: StudySession,
    also: Callable[[Chunk], None] = lambda chunk: None,
) -> str:
    """Play so many blocks at every table; after an interruption the blocks that all tables have are there.

    Parameters
    ----------
    setting
        What all games have in common.
    points
        What is played, and takes in what comes of it.
    blocks
        How many.
    session
        With what.
    also
        Takes in every chunk too.

    Returns
    -------
    reason
        Why it ended, a key of `stopping.REASONS`.
    """

    def add(chunk: Chunk) -> None:
        points.add(chunk)
        also(chunk)

    reason, _ = drive(setting, points.lineups, Stopping(blocks=blocks), session, add, lambda: "")
    points.finish()
    return reason


def figure(sums: Ints, kind: str, unit: str, level: float) -> Estimate:
    """A figure by itself; the array holds numerators and denominators, shape (groups, 2)."""
    estimate = clusters.rate if kind == "share" else clusters.mean_per
    return estimate(sums[:, 0], sums[:, 1], level=level, unit=unit)


def too_few(before: Ints, after: Ints, differing: int) -> bool:
    """Whether so few blocks or events differ that the spread of a difference says little."""
    return differing > 0 and min(differing, int(after[:, 0].sum() + before[:, 0].sum())) < clusters.FEW_EVENTS


def paired(before: Ints, after: Ints, differing: int, unit: str, level: float) -> Estimate:
    """Difference of a figure, after less before, on the same blocks; the arrays are those of `figure`."""
    found = differences.paired(after[:, 0], after[:, 1], before[:, 0], before[:, 1], level=level, unit=unit)
    if too_few(before, after, differing):
        return replace(found, low=None, high=None, kind="not-estimable")
    return found


def linear_scores(before: Ints, after: Ints) -> Floats:
    """Scores of groups whose mean is the difference of two ratios, and whose spread is that of its linear part.

    References
    ----------
    Cochran 1977, Sampling Techniques, chapter 6, as in `stats.differences.paired`.
    """
    parts = []
    for sums in (after, before):
        total = sums.sum(axis=0)
        ratio = total[0] / total[1]
        parts.append(ratio + len(sums) * (sums[:, 0] - ratio * sums[:, 1]) / total[1])
    return np.asarray(parts[0] - parts[1], dtype=np.float64)


def together(pairs: Sequence[tuple[Ints, Ints, int, str]], level: float) -> list[Estimate]:
    """Differences with intervals that hold together.

    Parameters
    ----------
    pairs
        For each figure before and after, the blocks that differ, and the unit.
    level
        At which all of them hold together.

    Returns
    -------
    estimates
        Where nothing differs, and where too little does, as from `paired`: those have no part in the others' error.
    """
    found = [paired(*pair, level=level) for pair in pairs]
    told = [
        number
        for number, (before, after, differing, _) in enumerate(pairs)
        if differing and found[number].low is not None and not too_few(before, after, differing)
    ]
    if told:
        scores = np.stack([linear_scores(pairs[number][0], pairs[number][1]) for number in told], axis=1)
        for number, estimate in zip(told, multiple.max_t(scores, level=level), strict=True):
            one = found[number]
            found[number] = replace(one, low=estimate.low, high=estimate.high, kind=estimate.kind)
    return found
