"""Differences of two ratios: on the same clusters, on different ones, and when an interval may be given at all."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from domeng_sim.stats import clusters, critical
from domeng_sim.stats.estimate import Estimate, check_level
from domeng_sim.stats.sums import Sums


def paired(
    y_a: ArrayLike,
    n_a: ArrayLike,
    y_b: ArrayLike,
    n_b: ArrayLike,
    *,
    level: float = 0.95,
    unit: str = "per trial",
) -> Estimate:
    """Estimate the difference of two ratios, A minus B, on the same clusters.

    Parameters
    ----------
    y_a, n_a, y_b, n_b
        Amounts and trials of A and B, shape (clusters,), the same clusters in the same order.
    level
        Two-sided confidence level in (0, 1).
    unit
        Passed on to the `Estimate`.

    Returns
    -------
    Estimate
        Without ends for fewer than two clusters, or for a few in which the difference is exactly the same.

    Raises
    ------
    ValueError
        As `Sums.of`, or if A and B differ in the number of clusters.

    References
    ----------
    Cochran 1977, Sampling Techniques, chapter 6: the residuals of the two ratios, each divided by its total of trials,
    are subtracted cluster by cluster, so that what the clusters share cancels.
    """
    check_level(level)
    arrays = [np.asarray(x, dtype=np.float64) for x in (y_a, n_a, y_b, n_b)]
    if len({x.shape for x in arrays}) != 1 or arrays[0].ndim != 1:
        raise ValueError("A and B need one number per cluster, the same clusters in the same order")
    Sums.of(arrays[0], arrays[1])
    Sums.of(arrays[2], arrays[3])
    kept = (arrays[1] > 0) | (arrays[3] > 0)
    ya, na, yb, nb = (x[kept] for x in arrays)
    groups = int(kept.sum())
    if na.sum() == 0 or nb.sum() == 0:
        return Estimate(None, None, None, level, "not-estimable", unit, groups)
    ra, rb = ya.sum() / na.sum(), yb.sum() / nb.sum()
    if groups < 2:
        return Estimate(ra - rb, None, None, level, "not-estimable", unit, groups)
    residual = (ya - ra * na) / na.sum() - (yb - rb * nb) / nb.sum()
    se = float(np.sqrt(groups / (groups - 1) * (residual @ residual)))
    if se < 1e-13 * (abs(ra) + abs(rb)):
        se = 0.0  # nothing but rounding is left of clusters that differ by the same
    value = float(ra - rb)
    if clusters.no_spread(se, groups):
        return Estimate(value, None, None, level, "not-estimable", unit, groups)
    reach = critical.student(groups - 1, level) * se
    return Estimate(value, value - reach, value + reach, level, "cluster-student", unit, groups)


def independent(
    y_a: ArrayLike, n_a: ArrayLike, y_b: ArrayLike, n_b: ArrayLike, *, level: float = 0.95, unit: str = "per trial"
) -> Estimate:
    """Estimate the difference of two ratios, A minus B, on two independent sets of clusters.

    Parameters
    ----------
    y_a, n_a
        Amounts and trials of A, shape (clusters of A,).
    y_b, n_b
        The same of B, shape (clusters of B,).
    level
        Two-sided confidence level in (0, 1).
    unit
        Passed on to the `Estimate`.

    Returns
    -------
    Estimate
        `clusters` is the sum of both; without ends where one side has fewer than two clusters, or a few that agree.

    Raises
    ------
    ValueError
        As `Sums.of`, or if the level is outside (0, 1).

    References
    ----------
    Welch 1947, Biometrika 34; degrees of freedom by Satterthwaite 1946, Biometrics Bulletin 2.
    """
    check_level(level)
    a, b = (clusters.ratio(Sums.of(y, n), level=level) for y, n in ((y_a, n_a), (y_b, n_b)))
    groups = a.clusters + b.clusters
    value = float(a.ratio[0] - b.ratio[0])
    variances = float(a.se[0]) ** 2, float(b.se[0]) ** 2
    total = sum(variances)
    if not math.isfinite(total):
        found = value if math.isfinite(value) else None
        return Estimate(found, None, None, level, "not-estimable", unit, groups)
    if total == 0:
        if clusters.no_spread(0.0, min(a.clusters, b.clusters)):
            return Estimate(value, None, None, level, "not-estimable", unit, groups)
        return Estimate(value, value, value, level, "cluster-student", unit, groups)
    df = total**2 / sum(v**2 / (g - 1) for v, g in zip(variances, (a.clusters, b.clusters), strict=True))
    reach = critical.student(df, level) * math.sqrt(total)
    return Estimate(value, value - reach, value + reach, level, "cluster-student", unit, groups)
