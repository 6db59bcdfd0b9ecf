"""Rates, means and differences when the observations come in clusters.

Rounds of one game share players and stones, games of one block share deals. The independent unit is the cluster: the
block if blocks were used, else the game. Two questions that sound alike have different answers: *per round* is the
ratio of the totals (`rate`, `mean_per`; long games weigh more), *per game* is the mean over games (`mean_per` with
``n`` = 1 for every game).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from domeng_sim.stats import intervals
from domeng_sim.stats.estimate import Estimate, check_level, finite
from domeng_sim.stats.sums import Sums

Array = NDArray[np.float64]

FEW_EVENTS: Final = 10
"""Below this many events (or non-events) the error of a clustered rate is not estimated."""

MANY_EVENTS: Final = 100
"""From this many effective events and non-events on, a symmetric interval is good enough."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Ratios of totals over clusters. Every array is float64 of shape (measures,), NaN where not estimable.

    Attributes
    ----------
    ratio
        Sum of y over sum of n.
    se
        Standard error with the factor G/(G-1); NaN for fewer than two clusters.
    low, high
        Student interval with G-1 degrees of freedom.
    deff
        Design effect against independent trials; NaN where the measure is not a proportion strictly between 0 and 1.
    n_eff, k_eff
        Effective trials and events, n/deff and ratio * n_eff, never above the true counts.
    clusters
        Number of clusters G.
    """

    ratio: Array
    se: Array
    low: Array
    high: Array
    deff: Array
    n_eff: Array
    k_eff: Array
    clusters: int


def ratio(y: ArrayLike | Sums, n: ArrayLike | None = None, *, level: float = 0.95) -> Ratio:
    """Ratio estimator over clusters, for one measure or many at once.

    Parameters
    ----------
    y
        Events or amounts, shape (clusters,) or (clusters, measures); or ready `Sums`, then without `n`.
    n
        Trials per cluster, shape (clusters,); sizes may differ.
    level
        Two-sided confidence level in (0, 1).

    Raises
    ------
    ValueError
        As `Sums.of`, or if the level is outside (0, 1).

    References
    ----------
    Cochran 1977, Sampling Techniques, chapter 6; Liang & Zeger 1986, Biometrika 73; Cameron & Miller 2015, J. Human
    Resources 50.
    """
    check_level(level)
    sums = Sums.get(y, n)
    groups, total = sums.clusters, sums.n
    rows = [_ratio_and_error(sums, m) for m in range(len(sums.y))]
    value, se = (
        (np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))
        if rows
        else (np.empty(0), np.empty(0))
    )
    reach = student(groups - 1, level) * se
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = sums.binary & (value > 0) & (value < 1)
        deff = np.where(inside, se**2 * total / (value * (1 - value)), np.nan)
        n_eff = np.minimum(total / deff, total)
    return Ratio(value, se, value - reach, value + reach, deff, n_eff, value * n_eff, groups)


def _ratio_and_error(sums: Sums, m: int) -> tuple[float, float]:
    """Return ratio and standard error of measure m, NaN where not estimable.

    The sum of squared residuals is expanded, (N^2 yy - 2 N Y yn + Y^2 nn) / N^2. In whole numbers of any size that is
    exact.
    """
    groups, n, y = sums.clusters, sums.n, sums.y[m]
    if groups == 0:
        return np.nan, np.nan
    if groups == 1:
        return y / n, np.nan
    squares = max(n * n * sums.yy[m] - 2 * n * y * sums.yn[m] + y * y * sums.nn, 0) / (n * n)
    return y / n, (groups / (groups - 1) * squares) ** 0.5 / n


def student(df: int, level: float) -> float:
    """Two-sided Student quantile; NaN for no degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2)) if df > 0 else float("nan")


def korn_graubard(
    k_eff: ArrayLike, n_eff: ArrayLike, n: ArrayLike, clusters: int, *, level: float = 0.95
) -> tuple[Array, Array]:
    """Exact interval at the effective sample size, with the loss for few clusters.

    Parameters
    ----------
    k_eff, n_eff
        Effective events and trials (`Ratio`), at most the true counts.
    n
        True number of trials.
    clusters
        Number of clusters, at least 2.
    level
        Two-sided confidence level in (0, 1).

    Returns
    -------
    low, high
        float64 arrays within [0, 1].

    Raises
    ------
    ValueError
        If a count is out of range or there are fewer than two clusters.

    References
    ----------
    Korn & Graubard 1998, Survey Methodology 24: n_eff is multiplied by (t_{n-1} / t_{G-1}) squared. That the effective
    counts never exceed the true ones keeps a lucky design effect below 1 from shrinking the interval of a rare event.
    """
    from scipy.special import stdtrit

    if clusters < 2:
        raise ValueError("an interval over clusters needs at least two clusters")
    trials = np.asarray(n, dtype=np.float64)
    loss = (stdtrit(np.maximum(trials - 1, 1), (1 + level) / 2) / student(clusters - 1, level)) ** 2
    shrink = np.minimum(loss, 1.0)
    return intervals.clopper_pearson(np.asarray(k_eff) * shrink, np.asarray(n_eff) * shrink, level=level)


def rate(
    y: ArrayLike | Sums,
    n: ArrayLike | None = None,
    *,
    level: float = 0.95,
    unit: str = "events per trial",
    method: str = "auto",
    looks: int = 1,
) -> Estimate:
    """Estimate a rate of events, at most one per trial, and choose the interval that suits the counts.

    Parameters
    ----------
    y
        Events per cluster, whole, shape (clusters,), 0 <= y <= n; or ready `Sums` of one measure.
    n
        Trials per cluster, whole, shape (clusters,).
    level
        Two-sided confidence level in (0, 1).
    unit
        What one unit of the rate is, in words.
    method
        ``"auto"``, or one of ``"cluster-student"``, ``"cluster-wilson"``, ``"korn-graubard"`` for clusters where the
        error is estimable.
    looks
        Passed on to the `Estimate`.

    Returns
    -------
    Estimate
        * every cluster one trial: exact interval of Clopper and Pearson;
        * fewer than 10 events (or non-events), or all of them in one cluster: `kind` ``"not-estimable"``, the value
          without ends. Print `with_event` beside it, which is exact;
        * fewer than 100 effective events or non-events: Korn and Graubard;
        * else the Student interval of the ratio.

    Raises
    ------
    ValueError
        As `Sums.of`; if there is more than one measure (see `rates`), the events are not whole numbers of at most one
        per trial (see `mean_per`), or the method is unknown.
    """
    return rates(_one(Sums.get(y, n)), level=level, unit=unit, method=method, looks=looks)[0]


def rates(
    y: ArrayLike | Sums,
    n: ArrayLike | None = None,
    *,
    level: float = 0.95,
    unit: str = "events per trial",
    method: str = "auto",
    looks: int = 1,
) -> list[Estimate]:
    """Estimate several rates on the same clusters, y of shape (clusters, measures); else as `rate`."""
    if method not in ("auto", "cluster-student", "cluster-wilson", "korn-graubard"):
        raise ValueError(f"unknown method {method!r}")
    sums = Sums.get(y, n)
    if not sums.binary:
        raise ValueError("a rate needs whole numbers with 0 <= events <= trials; for amounts use mean_per")
    result = ratio(sums, level=level)
    return [_rate(sums, result, m, level, unit, method, looks) for m in range(len(sums.y))]


def _rate(sums: Sums, result: Ratio, m: int, level: float, unit: str, method: str, looks: int) -> Estimate:
    """Estimate the rate of measure m."""
    n, events, groups = int(sums.n), int(sums.y[m]), sums.clusters
    value = finite(result.ratio[m])
    if value is not None and sums.single:
        low, high = intervals.clopper_pearson(events, n, level=level)
        return Estimate(value, float(low), float(high), level, "clopper-pearson", unit, groups, events, looks)
    if value is None or min(events, n - events) < FEW_EVENTS or min(sums.some[m], sums.all[m]) < 2:
        return Estimate(value, None, None, level, "not-estimable", unit, groups, events, looks)
    # A variance of exactly zero (every cluster the same rate) leaves the true counts as the effective ones.
    n_eff = finite(result.n_eff[m]) or float(n)
    k_eff = min(value * n_eff, n_eff)
    kind = method
    if method == "auto":
        kind = "korn-graubard" if min(k_eff, n_eff - k_eff) < MANY_EVENTS else "cluster-student"
    if kind == "korn-graubard":
        low, high = korn_graubard(k_eff, n_eff, n, groups, level=level)
    elif kind == "cluster-wilson":
        low, high = intervals.wilson(k_eff, n_eff, level=level, z=student(groups - 1, level))
    else:
        low, high = np.maximum(result.low[m], 0.0), np.minimum(result.high[m], 1.0)
    return Estimate(value, float(low), float(high), level, kind, unit, groups, events, looks)


def with_event(
    y: ArrayLike | Sums, n: ArrayLike | None = None, *, level: float = 0.95, unit: str = "share of clusters"
) -> Estimate:
    """Estimate the share of clusters with at least one event, with an exact interval.

    Clusters are independent, so this holds however rare the event and however the events crowd together. Parameters and
    errors as for `rate`; `events` of the result counts clusters with an event.
    """
    sums = _one(Sums.get(y, n))
    return intervals.proportion(sums.some[0], sums.clusters, level=level, kind="clopper-pearson", unit=unit)


def mean_per(
    y: ArrayLike | Sums, n: ArrayLike | None = None, *, level: float = 0.95, unit: str = "per trial", looks: int = 1
) -> Estimate:
    """Estimate a mean amount per trial (stones per round), or per cluster if `n` is left out (stones per game).

    Parameters
    ----------
    y
        Amount per cluster, shape (clusters,), any sign; or ready `Sums` of one measure.
    n
        Trials per cluster, shape (clusters,). None counts every cluster once.
    level
        Two-sided confidence level in (0, 1).
    unit, looks
        Passed on to the `Estimate`.

    Returns
    -------
    Estimate
        Student interval with one degree of freedom less than there are clusters; without ends for fewer than two
        clusters.

    Raises
    ------
    ValueError
        As `Sums.of`, or if there is more than one measure.
    """
    if n is None and not isinstance(y, Sums):
        n = np.ones(np.shape(y)[0], dtype=np.int64)
    sums = _one(Sums.get(y, n))
    result = ratio(sums, level=level)
    low, high = finite(result.low[0]), finite(result.high[0])
    kind = "not-estimable" if low is None else "cluster-student"
    return Estimate(finite(result.ratio[0]), low, high, level, kind, unit, sums.clusters, looks=looks)


def difference(
    y_a: ArrayLike,
    n_a: ArrayLike,
    y_b: ArrayLike,
    n_b: ArrayLike,
    *,
    level: float = 0.95,
    unit: str = "per trial",
    looks: int = 1,
) -> Estimate:
    """Estimate the difference of two ratios, A minus B, on the same clusters.

    Parameters
    ----------
    y_a, n_a, y_b, n_b
        Amounts and trials of A and B, shape (clusters,), the same clusters in the same order.
    level
        Two-sided confidence level in (0, 1).
    unit, looks
        Passed on to the `Estimate`.

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
        return Estimate(None, None, None, level, "not-estimable", unit, groups, looks=looks)
    ra, rb = ya.sum() / na.sum(), yb.sum() / nb.sum()
    if groups < 2:
        return Estimate(ra - rb, None, None, level, "not-estimable", unit, groups, looks=looks)
    residual = (ya - ra * na) / na.sum() - (yb - rb * nb) / nb.sum()
    reach = student(groups - 1, level) * float(np.sqrt(groups / (groups - 1) * (residual @ residual)))
    value = float(ra - rb)
    return Estimate(value, value - reach, value + reach, level, "cluster-student", unit, groups, looks=looks)


def _one(sums: Sums) -> Sums:
    """Refuse more than one measure."""
    if len(sums.y) != 1:
        raise ValueError(f"wanted one measure, got {len(sums.y)}")
    return sums
