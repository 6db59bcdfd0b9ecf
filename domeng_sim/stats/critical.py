"""Two-sided critical values, and the level that is left for each of several intervals.

Quantiles are asked for by their upper tail: ``(1 + level) / 2`` rounds to 1 for the highest levels, ``(1 - level) / 2``
keeps all its digits.
"""

from __future__ import annotations

import math
from typing import Final

from domeng_sim.stats.estimate import check_level

HIGHEST: Final = math.nextafter(1.0, 0.0)
"""The largest level below 1."""
LOWEST: Final = 1e-9


def normal(level: float) -> float:
    """Two-sided normal quantile.

    Parameters
    ----------
    level
        In (0, 1).
    """
    from scipy.special import ndtri

    check_level(level)
    return -float(ndtri((1 - level) / 2))


def student(df: float, level: float) -> float:
    """Two-sided Student quantile; NaN for no degrees of freedom.

    Parameters
    ----------
    df
        Degrees of freedom, not necessarily whole.
    level
        In (0, 1).
    """
    from scipy.special import stdtrit

    check_level(level)
    return -float(stdtrit(df, (1 - level) / 2)) if df > 0 else math.nan


def shared(level: float, n: float) -> float:
    """Level of each of `n` intervals that hold together at `level` (Bonferroni); always below 1.

    Parameters
    ----------
    level
        In (0, 1).
    n
        How many share the error, at least 1; one half for an interval of which only one side counts.
    """
    check_level(level)
    return min(max(1 - (1 - level) / n, LOWEST), HIGHEST)
