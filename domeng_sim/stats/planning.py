"""How much to simulate for a wanted precision. All answers are real numbers; round up."""

from __future__ import annotations

import math

from domeng_sim.stats.estimate import check_level


def _z(p: float) -> float:
    """Return the normal quantile of order `p`."""
    from scipy.special import ndtri

    return float(ndtri(p))


def blocks_for_difference(delta: float, sd: float, *, power: float = 0.8, level: float = 0.95, sides: int = 2) -> float:
    """Blocks needed to find a difference, for a test at a size fixed in advance.

    Parameters
    ----------
    delta
        Difference of the mean score to be found, not 0, in units of the score.
    sd
        Standard deviation of a block score, from a pilot, at least 0, in the same units.
    power
        Chance of finding it, in (0, 1).
    level
        Confidence level in (0, 1).
    sides
        1 or 2.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    check_level(level)
    check_level(power)
    if delta == 0 or not math.isfinite(delta) or sd < 0 or sides not in (1, 2):
        raise ValueError(f"delta {delta} must not be 0, sd {sd} not negative, sides {sides} 1 or 2")
    return (_z(1 - (1 - level) / sides) + _z(power)) ** 2 * (sd / delta) ** 2


def trials_for_relative_error(p: float, relative: float, *, level: float = 0.95, deff: float = 1.0) -> float:
    """Trials needed to know a rare event's rate to a relative half-width.

    Parameters
    ----------
    p
        Rough rate, in (0, 1).
    relative
        Wanted half-width as a fraction of the rate, above 0.
    level
        Two-sided confidence level in (0, 1).
    deff
        Design effect (`clusters.ratio`, `design_effect`), above 0.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    check_level(level)
    if not 0 < p < 1 or not relative > 0 or not deff > 0:
        raise ValueError(f"p {p} must lie in (0, 1), relative {relative} and deff {deff} above 0")
    return (_z((1 + level) / 2) / relative) ** 2 * (1 - p) / p * deff


def design_effect(size: float, icc: float) -> float:
    """Design effect of clusters of one size with a correlation inside, 1 + (size - 1) icc.

    Parameters
    ----------
    size
        Trials per cluster, at least 1.
    icc
        Correlation of two trials of a cluster, in [-1, 1].

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if size < 1 or not -1 <= icc <= 1:
        raise ValueError(f"size {size} must be at least 1 and icc {icc} lie in [-1, 1]")
    return 1 + (size - 1) * icc
