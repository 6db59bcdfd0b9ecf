"""Scores of blocks, which say whether A is better than B: mean, sign flips.

A block replays the same deals with A in each seat in turn. Its games depend on each other, so the block is the unit:
one score each, and every interval is made from the scores. If A plays like B every block has exactly the fair score and
the interval has no width.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from domeng_sim.stats.critical import student
from domeng_sim.stats.estimate import Estimate, check_level

Array = NDArray[np.float64]

EXACT_SUMS: Final = 1 << 20
"""Largest number of sums the sign-flip test lists before it samples instead: 20 different non-zero values, or many
equal ones."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Count, sum and sum of squares of block scores; adds up over parts of a run.

    Attributes
    ----------
    count
        Number of blocks.
    total, squares
        Sum of the scores and of their squares, in units of 1/`scale`. Python ints if the scores are whole: then mean
        and variance are exact and equal scores have variance 0.
    scale
        What a score is divided by: 5 G for appointments in the 5 G games of a block, so that the mean is a share.
    """

    count: int
    total: float
    squares: float
    scale: float = 1

    @classmethod
    def of(cls, scores: ArrayLike, scale: float = 1) -> Moments:
        """Sum up scores.

        Parameters
        ----------
        scores
            Shape (blocks,), finite; whole numbers (an integer dtype) keep the sums exact.
        scale
            Divisor, above 0.

        Raises
        ------
        ValueError
            If the scores are not one-dimensional and finite or the scale is not positive.
        """
        values = np.asarray(scores)
        if values.ndim != 1 or not np.isfinite(values).all():
            raise ValueError(f"scores have shape {values.shape}; wanted finite numbers of shape (blocks,)")
        if not scale > 0:
            raise ValueError(f"scale is {scale}, must be above 0")
        if values.dtype.kind in "biu":
            whole = values.astype(np.int64)
            return cls(int(whole.size), int(whole.sum()), int(whole @ whole), scale)
        real = values.astype(np.float64)
        return cls(int(real.size), math.fsum(real), math.fsum(real * real), scale)

    def __add__(self, other: Moments) -> Moments:
        """Moments of two disjoint sets of blocks."""
        if self.scale != other.scale:
            raise ValueError(f"scores in units of 1/{self.scale} cannot be added to scores in units of 1/{other.scale}")
        return Moments(self.count + other.count, self.total + other.total, self.squares + other.squares, self.scale)

    @property
    def mean(self) -> float:
        """Mean score; NaN without blocks."""
        return self.total / (self.count * self.scale) if self.count else math.nan

    @property
    def variance(self) -> float:
        """Variance with count - 1 in the denominator; NaN for fewer than two blocks."""
        if self.count < 2:
            return math.nan
        spread = self.count * self.squares - self.total * self.total
        if not isinstance(spread, int) and spread < 1e-13 * self.count * self.squares:
            spread = 0  # nothing but rounding is left of equal scores
        return max(spread, 0) / (self.count * (self.count - 1)) / self.scale**2

    @property
    def sd(self) -> float:
        """Standard deviation of a score; NaN for fewer than two blocks."""
        return math.sqrt(self.variance) if self.count > 1 else math.nan

    @property
    def se(self) -> float:
        """Standard error of the mean; NaN for fewer than two blocks."""
        return math.sqrt(self.variance / self.count) if self.count > 1 else math.nan


def mean(
    scores: ArrayLike | Moments,
    *,
    level: float = 0.95,
    bounds: tuple[float, float] | None = None,
    unit: str = "share",
    looks: int = 1,
) -> Estimate:
    """Estimate the mean score with a Student interval, for a number of blocks fixed in advance.

    Parameters
    ----------
    scores
        Shape (blocks,), or ready `Moments`.
    level
        Two-sided confidence level in (0, 1).
    bounds
        Range of a score; the ends are kept inside. None for a score without bounds.
    unit, looks
        Passed on to the `Estimate`.

    Returns
    -------
    Estimate
        Without ends for one block, without value for none.

    Raises
    ------
    ValueError
        As `Moments.of`, or if the level is outside (0, 1).
    """
    check_level(level)
    m = scores if isinstance(scores, Moments) else Moments.of(scores)
    if m.count == 0:
        return Estimate(None, None, None, level, "not-estimable", unit, 0, looks=looks)
    value = m.mean
    if m.count == 1:
        return Estimate(value, None, None, level, "not-estimable", unit, 1, looks=looks)
    reach = student(m.count - 1, level) * m.se
    low, high = (-math.inf, math.inf) if bounds is None else bounds
    ends = min(max(value - reach, low), value), max(min(value + reach, high), value)
    return Estimate(value, *ends, level, "student", unit, m.count, looks=looks)


def student_p(scores: ArrayLike | Moments, *, null: float) -> float:
    """p-value of a mean score, for a number of blocks fixed in advance: below 1 - level where `mean` excludes the null.

    Parameters
    ----------
    scores
        As for `mean`.
    null
        Mean score under the hypothesis.

    Returns
    -------
    p
        1 with fewer than two blocks; without any spread 1 if the mean is the null, else 0.
    """
    from scipy.special import stdtr

    m = scores if isinstance(scores, Moments) else Moments.of(scores)
    if m.count < 2:
        return 1.0
    if m.sd == 0:
        return float(m.mean == null)
    return float(2 * stdtr(m.count - 1, -abs(m.mean - null) / m.se))


@dataclass(frozen=True, slots=True)
class SignFlip:
    """Result of a sign-flip test.

    Attributes
    ----------
    p
        p-value in (0, 1].
    nonzero
        Blocks that differ from zero; without any p is 1.
    blocks
        All blocks.
    exact
        Whether all sign patterns were counted; else p comes from `resamples` random ones and is never below
        1/(resamples + 1).
    resamples
        Random sign patterns drawn, 0 if exact.
    """

    p: float
    nonzero: int
    blocks: int
    exact: bool
    resamples: int


def sign_flip(contrasts: ArrayLike, *, resamples: int = 20_000, seed: int = 0) -> SignFlip:
    """Test on two sides whether contrasts are symmetric about zero, by flipping their signs.

    Blocks at zero stay in: they change neither the sum nor its distribution, but they are counted.

    Parameters
    ----------
    contrasts
        Shape (blocks,), finite; any scale (whole numerators do).
    resamples
        Sign patterns to draw where there are too many to count, at least 1.
    seed
        Seed of those patterns, so that the same data give the same p.

    Raises
    ------
    ValueError
        If `resamples` is below 1, or the contrasts are not finite and one-dimensional.

    References
    ----------
    Fisher 1935, The Design of Experiments, section 21. Monte Carlo p-value with the observed pattern counted in:
    Davison & Hinkley 1997, section 4.2.
    """
    if resamples < 1:
        raise ValueError(f"resamples is {resamples}, must be at least 1")
    d = np.asarray(contrasts, dtype=np.float64)
    if d.ndim != 1 or not np.isfinite(d).all():
        raise ValueError(f"contrasts have shape {d.shape}; wanted finite numbers of shape (blocks,)")
    sizes, counts = np.unique(np.abs(d[d != 0]), return_counts=True)
    nonzero = int(counts.sum())
    if nonzero == 0:
        return SignFlip(1.0, 0, d.size, True, 0)
    observed, slack = float(d.sum()), 1e-10 * float(np.abs(d).sum())

    def extreme(sums: Array) -> NDArray[np.bool_]:
        return np.abs(sums) >= abs(observed) - slack

    if math.prod(int(c) + 1 for c in counts) <= EXACT_SUMS:
        sums, chances = np.zeros(1), np.ones(1)
        for step, chance in _flip_steps(sizes, counts):
            sums, chances = np.add.outer(sums, step).ravel(), np.multiply.outer(chances, chance).ravel()
        return SignFlip(min(float(chances[extreme(sums)].sum()), 1.0), nonzero, d.size, True, 0)
    # Flips of equal values are exchangeable: their number of pluses is binomial, which costs the same for any number of
    # blocks.
    rng = np.random.default_rng(seed)
    drawn = np.zeros(resamples)
    for size, count in zip(sizes, counts, strict=True):
        drawn += size * (2.0 * rng.binomial(count, 0.5, resamples) - count)
    p = (1 + int(extreme(drawn).sum())) / (1 + resamples)
    return SignFlip(p, nonzero, d.size, False, resamples)


def _flip_steps(sizes: Array, counts: NDArray[np.int64]) -> Iterator[tuple[Array, Array]]:
    """Yield for each distinct size the sums that its flips can make and their chances."""
    from scipy.special import gammaln

    for size, count in zip(sizes, counts, strict=True):
        plus = np.arange(count + 1)
        log_chance = gammaln(count + 1) - gammaln(plus + 1) - gammaln(count - plus + 1) - count * math.log(2)
        yield size * (2.0 * plus - count), np.exp(log_chance)


def elo(theta: float) -> float:
    """Return a log-strength on the familiar scale of 400 points for a factor of ten: 400/ln(10) * theta."""
    return 400 / math.log(10) * theta
