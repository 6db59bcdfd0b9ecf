"""Intervals of a proportion from independent trials.

The limits need only `scipy.special`, which loads in a tenth of a second and takes counts that are not whole numbers
(the effective counts of `clusters`); `scipy.stats.binomtest` and statsmodels do not take both. The tests hold the
results against those two. The Wald interval is left out on purpose: for rare events it reaches below zero and covers
far too little.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from domeng_sim.stats import critical
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


def wilson(k: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> tuple[Array, Array]:
    """Wilson's score interval.

    Parameters
    ----------
    k
        Events, 0 to `n`, any shape; need not be whole.
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
    Wilson 1927, JASA 22; Brown, Cai & DasGupta 2001, Stat. Sci. 16.
    """
    events, trials = _counts(k, n)
    quantile = critical.normal(level)
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
    return _lower_bound(k, n, tail), _upper_bound(k, n, tail)


def upper_bound(k: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> Array:
    """One-sided exact upper bound of a proportion; ``1 - (1 - level)**(1/n)`` for no event.

    Parameters and errors as for `clopper_pearson`; `level` is one-sided. Returns a float64 array of the broadcast
    shape.
    """
    check_level(level)
    return _upper_bound(k, n, 1 - level)


def _upper_bound(k: ArrayLike, n: ArrayLike, tail: float) -> Array:
    """Upper bound by the error, which keeps its digits where the level would round to 1."""
    from scipy.special import betainccinv

    events, trials = _counts(k, n)
    # No event has a closed form, exact at any level (old releases of statsmodels returned nearly 1 there).
    inner = np.where(events == trials, 0.5 * events, events)
    exact = betainccinv(inner + 1, trials - inner, tail)
    none = -np.expm1(np.log(tail) / trials)
    return np.where(events == 0, none, np.where(events == trials, 1.0, exact))


def lower_bound(k: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> Array:
    """One-sided exact lower bound of a proportion; 0 for no event.

    Parameters and errors as for `clopper_pearson`; `level` is one-sided. Returns a float64 array of the broadcast
    shape.
    """
    check_level(level)
    return _lower_bound(k, n, 1 - level)


def _lower_bound(k: ArrayLike, n: ArrayLike, tail: float) -> Array:
    """Lower bound by the error, as `_upper_bound`."""
    from scipy.special import betaincinv

    events, trials = _counts(k, n)
    inner = np.where(events == 0, 0.5 * trials, events)
    exact = betaincinv(inner, trials - inner + 1, tail)
    return np.where(events == 0, 0.0, np.where(events == trials, np.exp(np.log(tail) / trials), exact))


def proportion(k: int, n: int, *, level: float = 0.95, kind: str = "wilson", unit: str = "share") -> Estimate:
    """Estimate a proportion from independent trials.

    Parameters
    ----------
    k, n
        Events and trials, 0 <= `k` <= `n`. With no trial nothing is estimable and all three numbers are None.
    level
        Two-sided confidence level in (0, 1).
    kind
        ``"wilson"`` or ``"clopper-pearson"``.
    unit
        Passed on to the `Estimate`.

    Raises
    ------
    ValueError
        If the counts are out of range or `kind` is neither of the two.
    """
    if kind not in ("wilson", "clopper-pearson"):
        raise ValueError(f"kind is {kind!r}, must be 'wilson' or 'clopper-pearson'")
    if n == 0 and k == 0:
        return Estimate(None, None, None, level, "not-estimable", unit, 0, 0)
    low, high = (wilson if kind == "wilson" else clopper_pearson)(k, n, level=level)
    return Estimate(k / n, float(low), float(high), level, kind, unit, n, k)
