"""How much to simulate for a wanted precision: in closed form, or tried out on scores like those of a pilot."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domeng_sim.stats import critical
from domeng_sim.stats.estimate import check_level
from domeng_sim.stats.sprt import Sprt, tilted

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

LONG_TEST: Final = 20_000
"""From this expected length on, in blocks, that of a sequential test is given by a formula and not tried out."""


def blocks_for_difference(delta: float, sd: float, *, power: float = 0.8, level: float = 0.95) -> float:
    """Blocks needed to find a difference, for a two-sided test at a size fixed in advance; for many blocks.

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

    Returns
    -------
    blocks
        A real number; round up.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    from scipy.special import ndtri

    check_level(power)
    if delta == 0 or not math.isfinite(delta) or sd < 0:
        raise ValueError(f"delta {delta} must not be 0, sd {sd} not negative")
    return (critical.normal(level) + float(ndtri(power))) ** 2 * (sd / delta) ** 2


def moved(values: Ints, counts: Ints, mean: float, *, step: int, low: int, high: int) -> tuple[Ints, Array]:
    """Scores like those of a pilot, but with another mean.

    All are moved by the same whole number of steps, to where their mean is as near as can be; the rest of the way the
    distribution is tilted, the least that the likelihood allows. So the spread remains that of the pilot.

    Parameters
    ----------
    values
        Whole scores of the pilot, each once, shape (values,).
    counts
        How often each occurred, above 0, shape (values,).
    mean
        The mean that is wanted, strictly between `low` and `high`.
    step
        What scores are multiples of, at least 1.
    low, high
        Smallest and largest score that there can be.

    Returns
    -------
    values
        int64, rising.
    chances
        float64, of the same shape, sum 1.
    """
    q = counts / counts.sum()
    steps = (mean - float(q @ values)) / step

    def shifted(by: int) -> tuple[Ints, Array]:
        at, place = np.unique(np.clip(values + by * step, low, high), return_inverse=True)
        return at, np.bincount(place, q).astype(np.float64)

    at, chances = shifted(round(steps))
    if at[0] < mean < at[-1]:
        return at, tilted(chances, at.astype(np.float64), mean)
    # hardly any spread: so many blocks a step lower, so many a step higher
    (below, p), (above, r), part = shifted(math.floor(steps)), shifted(math.ceil(steps)), steps % 1
    at, place = np.unique(np.concatenate([below, above]), return_inverse=True)
    return at, np.bincount(place, np.concatenate([(1 - part) * p, part * r])).astype(np.float64)


def sprt_blocks(
    test: Sprt,
    support: Array,
    chances: Array,
    looks: Iterable[int],
    *,
    runs: int = 500,
    seed: int = 0,
) -> float:
    """Blocks until a sequential test decides, on average.

    Tried out with the test itself, at its own looks: Wald's formula leaves out by how much the ratio jumps past a bound
    between two looks, and is too low by up to a factor of three. Of a test so long that its looks come close together
    beside it, the formula is taken with that jump allowed for.

    Parameters
    ----------
    test
        The test.
    support
        The values that a score can take, rising.
    chances
        The chance of each, shape as `support`, sum 1.
    looks
        Numbers of blocks at which the test is looked at, rising, without end.
    runs
        How often to try.
    seed
        Of the trials.

    References
    ----------
    Wald 1945, Ann. Math. Stat. 16; Siegmund 1985, Sequential Analysis, chapter X: a bound is passed by 0.583 standard
    deviations of a step on average.
    """
    mean = float(chances @ support)
    sd = math.sqrt(float(chances @ (support - mean) ** 2))
    signal = (test.s1 - test.s0) / sd
    drift = signal * (mean - (test.s0 + test.s1) / 2) / sd
    lower, upper = test.bounds
    wald = ((1 - test.beta) * upper + test.beta * lower) / drift if drift > 0 else math.inf
    ends = iter(looks)
    if wald > LONG_TEST:
        before = 0
        for end in ends:
            if end >= wald:
                jump = 0.583 * math.sqrt(end - before) * signal
                return wald + (1 - 2 * test.beta) * jump / drift
            before = end
    rng = np.random.default_rng(seed)
    counts, before, lengths = np.zeros((runs, support.size)), 0, 0.0
    for end in ends:
        counts += rng.multinomial(end - before, chances, len(counts))
        going = test.goes_on(counts, support)
        lengths += end * (len(counts) - int(going.sum()))
        counts, before = counts[going], end
        if not len(counts):
            break
    return lengths / runs
