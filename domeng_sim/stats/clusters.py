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

from domeng_sim.stats import critical, intervals
from domeng_sim.stats.estimate import Estimate, check_level, finite
from domeng_sim.stats.sums import Sums

Array = NDArray[np.float64]

FEW_EVENTS: Final = 10
"""Below this many events (or non-events) the error of a clustered rate is not estimated."""

MANY_EVENTS: Final = 100
"""From this many effective events and non-events on, a symmetric interval is good enough."""

FEW_CLUSTERS: Final = 20
"""So many clusters with exactly the same figure are believed to be alike; fewer may agree by chance."""


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
    reach = critical.student(groups - 1, level) * se
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


def korn_graubard(k_eff: float, n_eff: float, n: float, clusters: int, *, level: float = 0.95) -> tuple[Array, Array]:
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
        Within [0, 1].

    Raises
    ------
    ValueError
        If a count is out of range or there are fewer than two clusters.

    References
    ----------
    Korn & Graubard 1998, Survey Methodology 24: n_eff is multiplied by (t_{n-1} / t_{G-1}) squared. That the effective
    counts never exceed the true ones keeps a lucky design effect below 1 from shrinking the interval of a rare event.
    """
    if clusters < 2:
        raise ValueError("an interval over clusters needs at least two clusters")
    loss = (critical.student(max(n - 1, 1), level) / critical.student(clusters - 1, level)) ** 2
    shrink = min(loss, 1.0)
    return intervals.clopper_pearson(k_eff * shrink, n_eff * shrink, level=level)


def rate(
    y: ArrayLike | Sums, n: ArrayLike | None = None, *, level: float = 0.95, unit: str = "events per trial"
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

    Returns
    -------
    Estimate
        * every cluster one trial: exact interval of Clopper and Pearson;
        * fewer than 10 events (or non-events), all of them in one cluster, or a few clusters with exactly the same
          rate: `kind` ``"not-estimable"``, the value without ends. Print `with_event` beside it, which is exact;
        * fewer than 100 effective events or non-events: Korn and Graubard;
        * else the Student interval of the ratio.

    Raises
    ------
    ValueError
        As `Sums.of`; or if there is more than one measure, or the events are not whole numbers of at most one per trial
        (see `mean_per`).
    """
    sums = _one(Sums.get(y, n))
    if not sums.binary:
        raise ValueError("a rate needs whole numbers with 0 <= events <= trials; for amounts use mean_per")
    result = ratio(sums, level=level)
    trials, events, groups = int(sums.n), int(sums.y[0]), sums.clusters
    value = finite(result.ratio[0])
    if value is not None and sums.single:
        ends = intervals.clopper_pearson(events, trials, level=level)
        return Estimate(value, float(ends[0]), float(ends[1]), level, "clopper-pearson", unit, groups, events)
    few = min(events, trials - events) < FEW_EVENTS or min(sums.some[0], sums.all[0]) < 2
    if value is None or few or no_spread(float(result.se[0]), groups):
        return Estimate(value, None, None, level, "not-estimable", unit, groups, events)
    # A variance of exactly zero (every cluster the same rate) leaves the true counts as the effective ones.
    n_eff = finite(result.n_eff[0]) or float(trials)
    k_eff = min(value * n_eff, n_eff)
    if min(k_eff, n_eff - k_eff) < MANY_EVENTS:
        kind, (low, high) = "korn-graubard", korn_graubard(k_eff, n_eff, trials, groups, level=level)
    else:
        kind, low, high = "cluster-student", np.maximum(result.low[0], 0.0), np.minimum(result.high[0], 1.0)
    return Estimate(value, float(low), float(high), level, kind, unit, groups, events)


def no_spread(se: float, clusters: int) -> bool:
    """Whether clusters agree exactly and are so few that this may be chance: then their error is unknown, not zero."""
    return se == 0 and clusters < FEW_CLUSTERS


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
    y: ArrayLike | Sums, n: ArrayLike | None = None, *, level: float = 0.95, unit: str = "per trial"
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
    unit
        Passed on to the `Estimate`.

    Returns
    -------
    Estimate
        Student interval with one degree of freedom less than there are clusters; without ends for fewer than two
        clusters, or for a few that agree exactly.

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
    if low is None or no_spread(float(result.se[0]), sums.clusters):
        return Estimate(finite(result.ratio[0]), None, None, level, "not-estimable", unit, sums.clusters)
    return Estimate(finite(result.ratio[0]), low, high, level, "cluster-student", unit, sums.clusters)


def _one(sums: Sums) -> Sums:
    """Refuse more than one measure."""
    if len(sums.y) != 1:
        raise ValueError(f"wanted one measure, got {len(sums.y)}")
    return sums
