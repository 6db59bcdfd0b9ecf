"""Bets on scores: intervals of a mean for any number of blocks and any distribution on [0, 1], at every look.

They need no spread, but the scores in the order of the block numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from domeng_sim.stats.estimate import Estimate, check_level

Array = NDArray[np.float64]


def interval(
    scores: ArrayLike, *, level: float = 0.95, truncation: float = 0.5, unit: str = "share", looks: int = 1
) -> Estimate:
    """Hedged betting interval for the mean of scores in [0, 1], at the present number of blocks.

    Depends on the order: feed the blocks by number. Two gamblers bet that the mean lies above and below m; their wealth
    is monotone in m, so each end is found by bisection, in memory proportional to the number of blocks and without a
    grid.

    Parameters
    ----------
    scores
        Shape (blocks,), each in [0, 1].
    level
        Level at which the intervals of all looks hold together, in (0, 1).
    truncation
        Largest part of the wealth put at risk, in (0, 1).
    unit, looks
        Passed on to the `Estimate`.

    Returns
    -------
    Estimate
        `kind` ``"anytime-betting"``, ends within [0, 1]. Should the order of the scores be so odd that no mean
        survives, both ends meet in the least suspicious one.

    Raises
    ------
    ValueError
        If a score is outside [0, 1] or an argument is out of range.

    References
    ----------
    Waudby-Smith & Ramdas 2024, JRSS-B 86 (arXiv:2010.09686), section 4: bets by predictable plug-in (equation 26),
    hedged by the maximum of the two capitals, half the wealth each.
    """
    check_level(level)
    y = np.asarray(scores, dtype=np.float64)
    if y.ndim != 1 or not ((y >= 0) & (y <= 1)).all():
        raise ValueError("scores must be numbers in [0, 1] of shape (blocks,)")
    if not 0 < truncation < 1:
        raise ValueError(f"truncation is {truncation}, must lie strictly between 0 and 1")
    if y.size == 0:
        return Estimate(None, None, None, level, "anytime-betting", unit, 0, looks=looks)
    goal = math.log(2 / (1 - level))
    bets = _bets(y, 1 - level)

    def above(m: float) -> float:
        """Return by how much the log-wealth of the bet on a mean above m passes the goal; falls with m."""
        return _wealths(y, bets, m, truncation)[0] - goal

    def below(m: float) -> float:
        """Return the same for the bet on a mean below m; rises with m."""
        return _wealths(y, bets, m, truncation)[1] - goal

    low, high = _root(above, 0.0), _root(below, 1.0)
    if low > high:
        low = high = (low + high) / 2
    return Estimate(float(y.mean()), low, high, level, "anytime-betting", unit, y.size, looks=looks)


def p_value(scores: ArrayLike, *, null: float, level: float = 0.95, truncation: float = 0.5) -> float:
    """p-value of a mean score, good at every look: below 1 - level exactly where `interval` excludes the null.

    Parameters
    ----------
    scores
        As for `interval`.
    null
        Mean score under the hypothesis, strictly between 0 and 1.
    level
        As for `interval`; it only tunes the bets.
    truncation
        As for `interval`.

    Returns
    -------
    p
        In (0, 1]: two over the wealth of the luckier gambler (Ville 1939).

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    check_level(level)
    y = np.asarray(scores, dtype=np.float64)
    if y.ndim != 1 or not ((y >= 0) & (y <= 1)).all():
        raise ValueError("scores must be numbers in [0, 1] of shape (blocks,)")
    if not 0 < null < 1:
        raise ValueError(f"the null is {null}, must lie strictly between 0 and 1")
    if not 0 < truncation < 1:
        raise ValueError(f"truncation is {truncation}, must lie strictly between 0 and 1")
    wealth = max(_wealths(y, _bets(y, 1 - level), null, truncation))
    return max(min(2 * math.exp(-wealth), 1.0), float(np.finfo(np.float64).tiny))


def _wealths(y: Array, bets: Array, m: float, truncation: float) -> tuple[float, float]:
    """Return the log-wealth of the bet on a mean above m and of that on a mean below m."""
    above = np.log1p(np.minimum(bets, truncation / m) * (y - m)).sum()
    below = np.log1p(-np.minimum(bets, truncation / (1 - m)) * (y - m)).sum()
    return float(above), float(below)


def _bets(y: Array, alpha: float) -> Array:
    """Return the stake on each score, from the mean and variance of those before it and a prior worth one score.

    Parameters
    ----------
    y
        Shape (blocks,), in [0, 1].
    alpha
        Error of the interval, in (0, 1).
    """
    t = np.arange(1, y.size + 1)
    running = (0.5 + np.cumsum(y)) / (t + 1)
    variance = (0.25 + np.cumsum((y - running) ** 2)) / (t + 1)
    before = np.concatenate(([0.25], variance[:-1]))
    return np.asarray(np.sqrt(2 * math.log(2 / alpha) / (t * np.log1p(t) * before)))


def _root(excess: Callable[[float], float], end: float) -> float:
    """Return where `excess` changes sign, sought from `end` (0 or 1); `end` itself if even that mean is not refuted."""
    from scipy.optimize import brentq

    tiny = 1e-12
    near, far = (tiny, 1 - tiny) if end == 0 else (1 - tiny, tiny)
    if excess(near) <= 0:
        return end
    if excess(far) > 0:
        return 1 - end
    return float(brentq(excess, near, far, xtol=1e-13))
