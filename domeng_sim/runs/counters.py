"""Sums of counters: rows of counts, a cluster each, added up over chosen places of their axes.

Whatever a figure is made of, a report or a comparison, is such a sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from domeng_sim.games.shared.measures import Cells
from domeng_sim.games.types import Count

Ints = npt.NDArray[np.int64]


class Counters:
    """Where each counter stands in a row of counts.

    Parameters
    ----------
    blocks
        What is counted, in order.

    Attributes
    ----------
    width
        Counters in a row.
    """

    def __init__(self, blocks: Iterable[Count]) -> None:
        self._blocks: dict[str, tuple[Ints, list[str]]] = {}
        self.width = 0
        for block in blocks:
            places = np.arange(self.width, self.width + block.size).reshape(block.shape)
            self._blocks[block.name] = places, [axis for axis, _ in block.axes]
            self.width += block.size

    def places(self, cells: Cells) -> Ints:
        """Places of the counters meant, by bin in the last axis if they have bins."""
        places, axes = self._blocks[cells.count]
        for axis, chosen in cells.at:
            places = places.take(chosen, axis=axes.index(axis))
        return np.moveaxis(places, axes.index("bin"), -1) if "bin" in axes else places

    def weights(self, cells: Cells) -> Ints:
        """What the counters at these places are multiplied with, flat."""
        places = self.places(cells)
        if not cells.weighted:
            return np.ones(places.size, np.int64)
        bins = dict(cells.at).get("bin", range(places.shape[-1]))
        return np.tile(np.asarray(bins, np.int64), places.size // len(bins))


class Summer:
    """Adds up counters, many sums at once.

    Parameters
    ----------
    counters
        Where they stand.
    wanted
        The sums.
    """

    def __init__(self, counters: Counters, wanted: Sequence[Cells]) -> None:
        lists = [counters.places(cells).ravel() for cells in wanted]
        self._places, self._weights = np.concatenate(lists), np.concatenate([counters.weights(c) for c in wanted])
        self._plain = bool((self._weights == 1).all())
        self._starts = np.cumsum([0, *(len(found) for found in lists[:-1])])

    def __call__(self, counts: Ints) -> Ints:
        """The sums, shape (rows, sums), of counts of shape (rows, counters)."""
        chosen = counts[:, self._places]
        if not self._plain:
            chosen *= self._weights
        return np.add.reduceat(chosen, self._starts, axis=1)


class CountTable:
    """Counts by cluster, and the sums that were asked of them.

    Parameters
    ----------
    blocks
        What is counted, in order.
    counts
        int64, shape (clusters, counters).

    Raises
    ------
    ValueError
        If the counts do not fit the blocks.
    """

    def __init__(self, blocks: Iterable[Count], counts: Ints) -> None:
        self._counters, self._counts = Counters(blocks), counts
        self._sums: dict[Cells, Ints] = {}
        if counts.ndim != 2 or counts.shape[1] != self._counters.width:
            raise ValueError(f"counts have shape {counts.shape}; this game has (clusters, {self._counters.width})")

    def total(self, cells: Cells) -> Ints:
        """Sum of the counters in each cluster, shape (clusters,)."""
        if cells not in self._sums:
            self._sums[cells] = Summer(self._counters, [cells])(self._counts)[:, 0]
        return self._sums[cells]

    def histogram(self, cells: Cells) -> Ints:
        """Counters by bin in each cluster, shape (clusters, bins)."""
        found = self._counts[:, self._counters.places(cells)]
        bins: Ints = found.sum(axis=tuple(range(1, found.ndim - 1)), dtype=np.int64)
        return bins
