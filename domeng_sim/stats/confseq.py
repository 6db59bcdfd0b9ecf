"""Intervals that hold at every look, so that a run may be watched and stopped when one likes.

The default is the normal mixture in closed form, with the variance estimated from the blocks: asymptotic, and its state
is a count, a sum and a sum of squares. `bernoulli` is for independent trials with two outcomes. Where neither will do
there are the bets of `betting`.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from domeng_sim.stats.blocks import Moments
from domeng_sim.stats.estimate import Estimate, check_level

Array = NDArray[np.float64]

FIRST_LOOK: Final = 100
"""No interval from an estimated variance before this many blocks."""

FEW_DIFFERING: Final = 20
"""With fewer blocks than this off the fair score the estimated variance is not to be trusted: use `betting` or the
sign-flip test."""


def mixture_rho(v_best: float, alpha: float) -> float:
    """Tuning constant that makes the normal-mixture boundary tightest at one intrinsic time.

    Parameters
    ----------
    v_best
        Intrinsic time V (variance of the sum) at which the boundary should be tightest, above 0. Given in blocks it
        yields kappa.
    alpha
        Error in (0, 1), both sides together.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Howard, Ramdas, McAuliffe & Sekhon 2021, Ann. Stat. 49 (arXiv:1810.08240), section 3; the first terms of their
    Lambert function.
    """
    check_level(1 - alpha)
    if not v_best > 0:
        raise ValueError(f"the time of the tightest boundary is {v_best}, must be above 0")
    log = 2 * math.log(1 / alpha)
    return v_best / (log + math.log1p(log))


def boundary(v: ArrayLike, rho: float, alpha: float) -> Array:
    """Two-sided normal-mixture boundary sqrt((V + rho) ln((V + rho)/(rho alpha^2))).

    A martingale whose variance process is `v` leaves ``[-boundary, boundary]`` at any time with probability at most
    `alpha`.

    Parameters
    ----------
    v
        Intrinsic time, at least 0, any shape.
    rho
        Tuning constant above 0 (`mixture_rho`).
    alpha
        Error in (0, 1).

    Returns
    -------
    boundary
        float64, the shape of `v`.
    """
    time = np.asarray(v, dtype=np.float64)
    return np.asarray(np.sqrt((time + rho) * np.log((time + rho) / (rho * alpha**2))))


def normal_mixture(
    scores: ArrayLike | Moments,
    *,
    n_best: float,
    level: float = 0.95,
    bounds: tuple[float, float] | None = (0.0, 1.0),
    unit: str = "share",
    looks: int = 1,
) -> Estimate:
    """Confidence sequence for the mean block score, at the present number of blocks.

    Parameters
    ----------
    scores
        Shape (blocks,), or ready `Moments`: the contiguous blocks 0 ... N-1.
    n_best
        Number of blocks at which the interval should be tightest, above 0. Fix it, and the level, before the run.
    level
        Level at which the intervals of all looks hold together, in (0, 1).
    bounds
        Range of a score; the ends are kept inside. None for a score without bounds.
    unit, looks
        Passed on to the `Estimate`.

    Returns
    -------
    Estimate
        `kind` ``"anytime"``; ends None before `FIRST_LOOK`. If all scores are equal the interval has no width, which is
        right for A against itself and to be distrusted else (`FEW_DIFFERING`).

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Howard et al. 2021; with the estimated variance Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024, Ann. Stat. 52.
    """
    check_level(level)
    m = scores if isinstance(scores, Moments) else Moments.of(scores)
    if m.count == 0:
        return Estimate(None, None, None, level, "anytime", unit, 0, looks=looks)
    if m.count < FIRST_LOOK:
        return Estimate(m.mean, None, None, level, "anytime", unit, m.count, looks=looks)
    reach = m.sd * unit_radius(m.count, n_best, level=level)
    low, high = m.mean - reach, m.mean + reach
    if bounds is not None:
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return Estimate(m.mean, min(low, m.mean), max(high, m.mean), level, "anytime", unit, m.count, looks=looks)


def normal_mixture_p(
    scores: ArrayLike | Moments,
    *,
    null: float,
    n_best: float,
    level: float = 0.95,
) -> float:
    """p-value of a mean score, good at every look: below 1 - level exactly where `normal_mixture` excludes the null.

    Parameters
    ----------
    scores
        As for `normal_mixture`.
    null
        Mean score under the hypothesis.
    n_best, level
        As for `normal_mixture`; the level only tunes the mixture.

    Returns
    -------
    p
        In (0, 1]; 1 before `FIRST_LOOK`. Without any spread 1 if the mean is the null, else the smallest number above
        0.

    References
    ----------
    Howard et al. 2021, section 3: one over the mixture martingale, sqrt((V+rho)/rho) exp(-S^2/(2 (V+rho))).
    """
    check_level(level)
    m = scores if isinstance(scores, Moments) else Moments.of(scores)
    if m.count < FIRST_LOOK:
        return 1.0
    tiny = float(np.finfo(np.float64).tiny)
    if m.sd == 0:
        return 1.0 if m.mean == null else tiny
    rho = mixture_rho(n_best, 1 - level)
    total = m.count * (m.mean - null) / m.sd
    log = 0.5 * math.log((m.count + rho) / rho) - total**2 / (2 * (m.count + rho))
    return max(math.exp(min(log, 0.0)), tiny)


def unit_radius(n: float, n_best: float, *, level: float = 0.95) -> float:
    """Half-width of `normal_mixture` after `n` blocks for a score with standard deviation 1; arguments as there."""
    alpha = 1 - level
    return float(boundary(n, mixture_rho(n_best, alpha), alpha)) / n


def level_at_once(clusters: int, n_best: float, *, level: float = 0.95) -> float | None:
    """Level at which Student's interval for a fixed number of clusters is as wide as `normal_mixture`.

    So any interval from an estimated variance that has a level can be made to hold at every look.

    Parameters
    ----------
    clusters
        Number of clusters now.
    n_best, level
        As for `normal_mixture`.

    Returns
    -------
    level
        Above the given one; None before `FIRST_LOOK`.
    """
    from scipy.special import stdtr

    if clusters < FIRST_LOOK:
        return None
    reach = math.sqrt(clusters) * unit_radius(clusters, n_best, level=level)
    # beyond this the difference to 1 is lost to rounding
    return min(1 - 2 * float(stdtr(clusters - 1, -reach)), 1 - 1e-14)


def blocks_for_radius(radius: float, sd: float, *, level: float = 0.95) -> float:
    """Blocks after which `normal_mixture` has a half-width, if tuned to be tightest just there.

    Parameters
    ----------
    radius
        Wanted half-width, above 0, in units of the score.
    sd
        Standard deviation of a block score, at least 0.
    level
        Level in (0, 1).

    Returns
    -------
    blocks
        At least `FIRST_LOOK`; round up.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    check_level(level)
    if not radius > 0 or not sd >= 0:
        raise ValueError(f"radius {radius} must be above 0 and sd {sd} not negative")
    # With kappa proportional to n the half-width is a constant over the square root of n.
    return max((unit_radius(1.0, 1.0, level=level) * sd / radius) ** 2, float(FIRST_LOOK))


def blocks_until_radius(radius: float, sd: float, *, n_best: float, level: float = 0.95) -> int:
    """Blocks after which `normal_mixture`, tuned to be tightest at `n_best`, has a half-width.

    Parameters
    ----------
    radius, sd
        As for `blocks_for_radius`.
    n_best
        As for `normal_mixture`.
    level
        As for `blocks_for_radius`.

    Returns
    -------
    blocks
        The smallest number that is enough, at least `FIRST_LOOK`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    high = low = math.ceil(blocks_for_radius(radius, sd, level=level))  # no tuning needs fewer

    def enough(n: int) -> bool:
        return unit_radius(n, n_best, level=level) * sd <= radius

    while not enough(high):
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return high


def bernoulli(k: int, n: int, *, n_best: float, level: float = 0.95, unit: str = "share", looks: int = 1) -> Estimate:
    """Confidence sequence for a proportion of independent trials, by a beta mixture; not asymptotic.

    Parameters
    ----------
    k, n
        Events and trials so far, 0 <= `k` <= `n`.
    n_best
        Number of trials at which the interval should be tightest, above 0.
    level
        Level at which the intervals of all looks hold together, in (0, 1).
    unit, looks
        Passed on to the `Estimate`.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Howard et al. 2021, section 3.4 (beta-binomial mixture), as in the package confseq 0.0.11: for each p the prior is a
    beta with mean p.
    """
    from scipy.optimize import brentq
    from scipy.special import betaln

    check_level(level)
    if not 0 <= k <= n:
        raise ValueError(f"k is {k} and n is {n}, wanted 0 <= k <= n")
    kind = "anytime-bernoulli"
    if n == 0:
        return Estimate(None, None, None, level, kind, unit, 0, 0, looks)
    # Prior size tuned at 5 % whatever the level, so that intervals of several levels are nested.
    size = max(mixture_rho(n_best, 0.05) - 1, 1e-3)
    goal = math.log(1 / (1 - level))

    def excess(p: float) -> float:
        a, b = p * size, (1 - p) * size
        return float(betaln(a + k, b + n - k) - betaln(a, b)) - k * math.log(p) - (n - k) * math.log1p(-p) - goal

    tiny = 1e-12
    middle = min(max(k / n, tiny), 1 - tiny)
    low = float(brentq(excess, tiny, middle, xtol=1e-15)) if k > 0 and excess(tiny) > 0 else 0.0
    high = float(brentq(excess, middle, 1 - tiny, xtol=1e-15)) if k < n and excess(1 - tiny) > 0 else 1.0
    return Estimate(k / n, low, high, level, kind, unit, n, k, looks)
