"""Differences of two ratios: on the same clusters, on different ones, and when an interval may be given at all."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from domeng_sim.stats import clusters
from domeng_sim.stats.estimate import Estimate, check_level
from domeng_sim.stats.sums import Sums


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
        `clusters` is the sum of both; without ends where one side has fewer than two clusters.

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
        return Estimate(value, value, value, level, "cluster-student", unit, groups)
    df = total**2 / sum(v**2 / (g - 1) for v, g in zip(variances, (a.clusters, b.clusters), strict=True))
    from scipy.special import stdtrit

    reach = float(stdtrit(df, (1 + level) / 2)) * math.sqrt(total)
    return Estimate(value, value - reach, value + reach, level, "cluster-student", unit, groups)
