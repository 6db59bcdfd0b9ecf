"""Quantiles of a distribution that comes as one histogram per cluster."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from domeng_sim.stats.clusters import FEW_CLUSTERS, ratio
from domeng_sim.stats.critical import student
from domeng_sim.stats.estimate import Estimate, check_level

Array = NDArray[np.float64]


def quantile(hist: ArrayLike, values: ArrayLike, q: float, *, level: float = 0.95, unit: str = "value") -> Estimate:
    """Estimate a quantile of a distribution that is given by one histogram per cluster.

    Parameters
    ----------
    hist
        Counts, shape (clusters, bins), not negative; a cluster may be empty.
    values
        The value of each bin, shape (bins,), strictly rising.
    q
        Order of the quantile, in (0, 1); 0.5 for the median. The quantile is the smallest value with at least q of the
        mass at or below it.
    level
        Two-sided confidence level in (0, 1).
    unit
        Passed on to the `Estimate`.

    Returns
    -------
    Estimate
        `kind` ``"woodruff"``. Without ends for fewer than two clusters, and where a few of them would leave a single
        value: they agree by chance too often. An end is None too where the interval of the cumulative share reaches 0
        or 1, for then the data do not bound the quantile on that side.

    Raises
    ------
    ValueError
        If shapes do not fit, values do not rise, a count is negative, or `q` is outside (0, 1).

    References
    ----------
    Woodruff 1952, JASA 47: interval of the cumulative share at the estimate, carried back through the distribution
    function.
    """
    check_level(level)
    counts, points = np.asarray(hist), np.asarray(values, dtype=np.float64)
    if counts.ndim != 2 or points.shape != counts.shape[1:] or points.size == 0:
        raise ValueError(
            f"hist has shape {counts.shape} and values {points.shape}; wanted (clusters, bins) and (bins,)"
        )
    if (np.diff(points) <= 0).any() or (counts < 0).any():
        raise ValueError("values must rise strictly and counts must not be negative")
    if not 0 < q < 1:
        raise ValueError(f"q is {q}, must lie strictly between 0 and 1")
    sizes = counts.sum(axis=1)
    groups = int((sizes > 0).sum())
    if groups == 0:
        return Estimate(None, None, None, level, "not-estimable", unit, 0)
    share = np.cumsum(counts.sum(axis=0)) / sizes.sum()
    place = _invert(share, q)
    value = float(points[place])
    if groups < 2:
        return Estimate(value, None, None, level, "not-estimable", unit, groups)
    error = float(ratio(counts[:, : place + 1].sum(axis=1), sizes, level=level).se[0])
    if place > 0:
        # In a coarse distribution the share at the estimate may be far above q, even 1 with no error at all. The bin
        # below is as near; the larger error is the safe one.
        error = max(error, float(ratio(counts[:, :place].sum(axis=1), sizes, level=level).se[0]))
    reach = student(groups - 1, level) * error
    low = float(points[_invert(share, q - reach)]) if q - reach > 0 else None
    high = float(points[_invert(share, q + reach)]) if q + reach < 1 else None
    if low == high and groups < FEW_CLUSTERS:
        return Estimate(value, None, None, level, "not-estimable", unit, groups)
    return Estimate(value, low, high, level, "woodruff", unit, groups)


def _invert(share: Array, q: float) -> int:
    """Return the first bin whose cumulative share reaches `q`, allowing for rounding."""
    return min(int(np.searchsorted(share, q - 1e-12)), share.size - 1)
