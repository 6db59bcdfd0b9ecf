"""Intervals of a proportion from independent trials, and of several proportions at once.

The limits need only `scipy.special`, which loads in a tenth of a second and takes counts that are not whole numbers
(the effective counts of `clusters`); `scipy.stats.binomtest` and statsmodels do not take both. The tests hold the
results against those two. The Wald interval is left out on purpose: for rare events it reaches below zero and covers
far too little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from domeng_sim.stats.estimate import Estimate, check_level

Array = NDArray[np.float64]


def _counts(k: ArrayLike, n: ArrayLike) -> tuple[Array, Array]:
    """Return `k` and `n` as broadcast float arrays, refusing what is not 0 <= k <= n, n > 0."""
    events, trials = np.broadcast_arrays(np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64))
    if not (np.isfinite(trials).all() and np.isfinite(events).all() and (trials > 0).all()):
        raise ValueError("the number of trials must be positive and finite")
    if not ((events >= 0).all() and (events <= trials).all()):
        raise ValueError("the number of events must lie between 0 and the number of trials")
    return events, trials


def wilson(k: ArrayLike, n: ArrayLike, *, level: float = 0.95, z: ArrayLike | None = None) -> tuple[Array, Array]:
    """Wilson's score interval.

    Parameters
    ----------
    k
        Events, 0 to `n`, any shape; need not be whole.
    n
        Trials, above 0, broadcast against `k`.
    level
        Two-sided confidence level in (0, 1).
    z
        Quantile to use in place of the normal one, for example a Student quantile; broadcast against `k`.

    Returns
    -------
    low, high
        float64 arrays of the broadcast shape, within [0, 1]; exactly 0 for no event and exactly 1 for nothing but
        events.

    Raises
    ------
    ValueError
        If a count is out of range or the level is outside (0, 1).

    References
    ----------
    Wilson 1927, JASA 22; Brown, Cai & DasGupta 2001, Stat. Sci. 16.
    """
    from scipy.special import ndtri

    check_level(level)
    events, trials = _counts(k, n)
    quantile = -ndtri((1 - level) / 2) if z is None else np.asarray(z, dtype=np.float64)
    z2 = quantile * quantile
    # Both ends by the product of the roots, so that the small one keeps all its digits.
    root = quantile * np.sqrt(events * (trials - events) / trials + z2 / 4)
    high = (events + z2 / 2 + root) / (trials + z2)
    failures_high = (trials - events + z2 / 2 + root) / (trials + z2)
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(events > 0, events * events / (trials * (trials + z2) * high), 0.0)
    low = np.where(events == trials, 1 - failures_high, low)
    high = np.where(events == trials, 1.0, high)
    return np.asarray(low), np.asarray(np.minimum(high, 1.0))


def clopper_pearson(k: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> tuple[Array, Array]:
    """Exact interval of Clopper and Pearson.

    Parameters
    ----------
    k
        Events, 0 to `n`, any shape; need not be whole (see `clusters.korn_graubard`).
    n
        Trials, above 0, broadcast against `k`.
    level
        Two-sided confidence level in (0, 1).

    Returns
    -------
    low, high
        float64 arrays of the broadcast shape, within [0, 1]; exactly 0 for no event and exactly 1 for nothing but
        events.

    Raises
    ------
    ValueError
        If a count is out of range or the level is outside (0, 1).

    References
    ----------
    Clopper & Pearson 1934, Biometrika 26.
    """
    check_level(level)
    tail = (1 - level) / 2
    return lower_bound(k, n, level=1 - tail), upper_bound(k, n, level=1 - tail)


def jeffreys(k: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> tuple[Array, Array]:
    """Equal-tailed interval of the Beta(1/2, 1/2) posterior; parameters and errors as for `wilson`.

    The lower end is 0 for no event and the upper end 1 for nothing but events (Brown, Cai & DasGupta 2001, section 4).
    """
    from scipy.special import betainccinv, betaincinv

    check_level(level)
    events, trials = _counts(k, n)
    tail = (1 - level) / 2
    low = np.where(events == 0, 0.0, betaincinv(events + 0.5, trials - events + 0.5, tail))
    high = np.where(events == trials, 1.0, betainccinv(events + 0.5, trials - events + 0.5, tail))
    return low, high


def upper_bound(k: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> Array:
    """One-sided exact upper bound of a proportion; ``1 - (1 - level)**(1/n)`` for no event.

    Parameters and errors as for `clopper_pearson`; `level` is one-sided. Returns a float64 array of the broadcast
    shape.
    """
    from scipy.special import betainccinv

    check_level(level)
    events, trials = _counts(k, n)
    # By the upper tail: asking for the quantile at `level` would lose digits at levels such as 1 - 1e-7. No event has a
    # closed form, exact at any level (old releases of statsmodels returned nearly 1 there).
    inner = np.where(events == trials, 0.5 * events, events)
    exact = betainccinv(inner + 1, trials - inner, 1 - level)
    none = -np.expm1(np.log1p(-level) / trials)
    return np.where(events == 0, none, np.where(events == trials, 1.0, exact))


def lower_bound(k: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> Array:
    """One-sided exact lower bound of a proportion; 0 for no event.

    Parameters and errors as for `clopper_pearson`; `level` is one-sided. Returns a float64 array of the broadcast
    shape.
    """
    from scipy.special import betaincinv

    check_level(level)
    events, trials = _counts(k, n)
    inner = np.where(events == 0, 0.5 * trials, events)
    exact = betaincinv(inner, trials - inner + 1, 1 - level)
    return np.where(events == 0, 0.0, np.where(events == trials, np.exp(np.log1p(-level) / trials), exact))


def proportion(
    k: int, n: int, *, level: float = 0.95, kind: str = "wilson", unit: str = "share", looks: int = 1
) -> Estimate:
    """Estimate a proportion from independent trials.

    Parameters
    ----------
    k, n
        Events and trials, 0 <= `k` <= `n`. With no trial nothing is estimable and all three numbers are None.
    level
        Two-sided confidence level in (0, 1).
    kind
        ``"wilson"`` or ``"clopper-pearson"``.
    unit, looks
        Passed on to the `Estimate`.

    Raises
    ------
    ValueError
        If the counts are out of range or `kind` is neither of the two.
    """
    if kind not in ("wilson", "clopper-pearson"):
        raise ValueError(f"kind is {kind!r}, must be 'wilson' or 'clopper-pearson'")
    if n == 0 and k == 0:
        return Estimate(None, None, None, level, "not-estimable", unit, 0, 0, looks)
    low, high = (wilson if kind == "wilson" else clopper_pearson)(k, n, level=level)
    return Estimate(k / n, float(low), float(high), level, kind, unit, n, k, looks)


def goodman(counts: ArrayLike, *, level: float = 0.95) -> Array:
    """Goodman's simultaneous intervals of all cells of a multinomial.

    Parameters
    ----------
    counts
        Whole counts, shape (cells,), at least two cells, total above 0.
    level
        Level at which all intervals hold together, in (0, 1).

    Returns
    -------
    limits
        float64, shape (cells, 2): low and high of each cell, within [0, 1].

    Raises
    ------
    ValueError
        If a count is negative, the total is 0 or there are fewer than two cells.

    References
    ----------
    Goodman 1965, Technometrics 7; computed by statsmodels.
    """
    return _multinomial(counts, level, "goodman")


def sison_glaz(counts: ArrayLike, *, level: float = 0.95) -> Array:
    """Sison and Glaz's simultaneous intervals of all cells of a multinomial.

    Shorter than `goodman` where the cells are many; parameters, result and errors are the same.

    References
    ----------
    Sison & Glaz 1995, JASA 90; computed by statsmodels.
    """
    return _multinomial(counts, level, "sison-glaz")


def _multinomial(counts: ArrayLike, level: float, method: str) -> Array:
    """Check, then let statsmodels do the work."""
    from statsmodels.stats.proportion import multinomial_proportions_confint

    check_level(level)
    cells = np.asarray(counts, dtype=np.int64)
    if cells.ndim != 1 or cells.size < 2 or (cells < 0).any() or cells.sum() == 0:
        raise ValueError("counts must be at least two numbers, none negative, not all zero")
    limits = np.asarray(multinomial_proportions_confint(cells, alpha=1 - level, method=method), dtype=np.float64)
    return np.clip(limits, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class InverseSample:
    """Result of sampling until the k-th event.

    Attributes
    ----------
    value
        Haldane's unbiased estimate (k - 1) / (n - 1), in [0, 1].
    low, high
        Exact interval of Clopper and Pearson from k of n. The lower end is also the exact one for inverse sampling, the
        upper end lies a little above it (k + 1 in place of k), so the interval is safe under both ways of sampling.
    relative_error
        Rough relative standard error, 1 / sqrt(k).
    """

    value: float
    low: float
    high: float
    relative_error: float


def haldane(k: int, n: int, *, level: float = 0.95) -> InverseSample:
    """Estimate a probability when sampling stopped at the k-th event, which was trial n.

    Parameters
    ----------
    k
        Events, at least 2.
    n
        Trials up to and with the k-th event, at least `k`.
    level
        Two-sided confidence level in (0, 1).

    Raises
    ------
    ValueError
        If `k` is below 2 (the estimate would be 0 whatever `n`) or `n` is below `k`.

    References
    ----------
    Haldane 1945, Biometrika 33.
    """
    if k < 2 or n < k:
        raise ValueError(f"k is {k} and n is {n}: Haldane's estimate needs 2 <= k <= n")
    low, high = clopper_pearson(k, n, level=level)
    return InverseSample((k - 1) / (n - 1), float(low), float(high), k**-0.5)
