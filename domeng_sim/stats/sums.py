"""Sums over clusters: all that a ratio estimator has to remember of a data set of any size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike


def _fits(events: npt.NDArray[Any], trials: npt.NDArray[Any]) -> bool:
    """Whether sums of squares over all clusters are sure to be below 2^63."""
    largest = max(int(np.abs(events).max(initial=0)), int(trials.max(initial=0)))
    return largest**2 * max(trials.size, 1) < 2**63


def _unbounded(events: npt.NDArray[Any], trials: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The same numbers as Python's, which have no largest one; slower, and needed for billions of rounds only."""
    return events.astype(object), trials.astype(object)


@dataclass(frozen=True, slots=True)
class Sums:
    """All that the ratio estimator needs of the clusters, for several measures; adds up over parts of a data set.

    Attributes
    ----------
    clusters
        Number of clusters with at least one trial.
    n, nn
        Sum of the trials and of their squares.
    y, yy, yn
        Shape (measures,): sums over clusters of the events y, of y squared and of y times trials. Whole where the data
        are whole: then Python ints, so that a variance of zero comes out as zero.
    some, all
        int64, shape (measures,): clusters with at least one event, and clusters with at least one non-event (y < n).
    binary
        Whether every measure of every cluster has 0 <= y <= n in whole numbers, so that a ratio is a proportion.
    single
        Whether, besides, every cluster has exactly one trial: then the trials themselves are independent.
    """

    clusters: int
    n: float
    nn: float
    y: tuple[float, ...]
    yy: tuple[float, ...]
    yn: tuple[float, ...]
    some: tuple[int, ...]
    all: tuple[int, ...]
    binary: bool
    single: bool

    @classmethod
    def of(cls, y: ArrayLike, n: ArrayLike) -> Sums:
        """Sum up clusters.

        Parameters
        ----------
        y
            Events or amounts per cluster, shape (clusters,) or (clusters, measures), finite.
        n
            Trials per cluster, shape (clusters,), finite, at least 0. A cluster without trials is left out; it may have
            no events.

        Raises
        ------
        ValueError
            If the shapes do not fit, a number is not finite, a count of trials is negative, or a cluster has events but
            no trials.
        """
        trials = np.asarray(n)
        events = np.asarray(y)
        if events.ndim == 1:
            events = events[:, np.newaxis]
        if trials.ndim != 1 or events.ndim != 2 or events.shape[0] != trials.shape[0]:
            raise ValueError(
                f"y has shape {np.shape(y)} and n {np.shape(n)}; wanted (clusters, measures) and (clusters,)"
            )
        if not (np.isfinite(events).all() and np.isfinite(trials).all()) or (trials < 0).any():
            raise ValueError("events and trials must be finite, trials not negative")
        kept = trials > 0
        if events[~kept].any():
            raise ValueError("a cluster has events but no trials")
        trials, events = trials[kept], events[kept]
        whole = (events.dtype.kind in "biu" and trials.dtype.kind in "biu") or trials.size == 0
        trials = trials.astype(np.int64 if whole else np.float64)
        events = events.astype(np.int64 if whole else np.float64)
        number = int if whole else float
        # einsum makes no temporary array of the size of the data
        left, right = (events, trials) if not whole or _fits(events, trials) else _unbounded(events, trials)
        yy = np.einsum("gm,gm->m", left, left)
        yn = np.einsum("gm,g->m", left, right)
        binary = whole and bool((events >= 0).all() and (events <= trials[:, np.newaxis]).all())
        return cls(
            clusters=int(trials.size),
            n=number(trials.sum()),
            nn=number(right @ right),
            y=tuple(number(x) for x in events.sum(axis=0)),
            yy=tuple(number(x) for x in yy),
            yn=tuple(number(x) for x in yn),
            some=tuple(int(x) for x in (events != 0).sum(axis=0)),
            all=tuple(int(x) for x in (events != trials[:, np.newaxis]).sum(axis=0)),
            binary=binary,
            single=binary and bool((trials == 1).all()),
        )

    @classmethod
    def get(cls, y: ArrayLike | Sums, n: ArrayLike | None) -> Sums:
        """Return `y` if it is sums already, else sum up.

        Raises
        ------
        ValueError
            As `of`, or if `y` is an array and `n` is missing.
        """
        if isinstance(y, Sums):
            return y
        if n is None:
            raise ValueError("the trials n are missing")
        return cls.of(y, n)

    def __add__(self, other: Sums) -> Sums:
        """Sums of two disjoint sets of clusters."""
        if len(self.y) != len(other.y):
            raise ValueError(f"{len(self.y)} measures cannot be added to {len(other.y)}")

        def add(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, ...]:
            return tuple(p + q for p, q in zip(a, b, strict=True))

        return Sums(
            self.clusters + other.clusters,
            self.n + other.n,
            self.nn + other.nn,
            add(self.y, other.y),
            add(self.yy, other.yy),
            add(self.yn, other.yn),
            tuple(p + q for p, q in zip(self.some, other.some, strict=True)),
            tuple(p + q for p, q in zip(self.all, other.all, strict=True)),
            self.binary and other.binary,
            self.single and other.single,
        )
