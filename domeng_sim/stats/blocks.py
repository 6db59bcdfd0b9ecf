"""Scores of blocks, which say whether A is better than B.

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

from domeng_sim.stats.clusters import student
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


def mean(scores: ArrayLike | Moments, *, level: float = 0.95, unit: str = "share", looks: int = 1) -> Estimate:
    """Estimate the mean score with a Student interval, for a number of blocks fixed in advance.

    Parameters
    ----------
    scores
        Shape (blocks,), or ready `Moments`.
    level
        Two-sided confidence level in (0, 1).
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
    return Estimate(value, value - reach, value + reach, level, "student", unit, m.count, looks=looks)


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


def contrast_numerators(appointments: ArrayLike, finished: ArrayLike, seats: int = 5) -> NDArray[np.int64]:
    """Contrast of one A against the others of its table, as whole numbers, true also if some games did not finish.

    Every finished game gives A its own appointment less the mean of the others: X - (W - X)/(seats - 1).

    Parameters
    ----------
    appointments
        Games of the block in which A was appointed CAMAT, whole, shape (blocks,).
    finished
        Finished games of the block, whole, shape (blocks,), at least `appointments`.
    seats
        Seats at the table, at least 2.

    Returns
    -------
    numerators
        int64, shape (blocks,). Divided by (seats - 1) * games of a block (``Moments.of(numerators, scale)``) it is the
        contrast, which is 0 on average if A plays like the others, and seats/(seats - 1) times the excess share if
        every game finished.

    Raises
    ------
    ValueError
        If A was appointed more often than games finished, or the shapes differ.
    """
    won, ended = np.asarray(appointments, dtype=np.int64), np.asarray(finished, dtype=np.int64)
    if won.shape != ended.shape:
        raise ValueError(f"appointments have shape {won.shape}, finished games {ended.shape}")
    if (won < 0).any() or (won > ended).any():
        raise ValueError("A cannot be appointed less than never or more often than games finished")
    return seats * won - ended


def contrast(measure: ArrayLike) -> Array:
    """Contrast of any measure: that of A less the mean of the others, averaged over the rotations of a block.

    Parameters
    ----------
    measure
        Shape (blocks, seats, seats): block, seat of A, seat. Stones held at the end, PASSes, CEKI made.

    Returns
    -------
    contrast
        float64, shape (blocks,).

    Raises
    ------
    ValueError
        If the last two dimensions differ or there are fewer than two seats.
    """
    y = np.asarray(measure, dtype=np.float64)
    if y.ndim != 3 or y.shape[1] != y.shape[2] or y.shape[1] < 2:
        raise ValueError(f"the measure has shape {y.shape}; wanted (blocks, seats, seats)")
    own = np.diagonal(y, axis1=1, axis2=2)
    others = (y.sum(axis=2) - own) / (y.shape[1] - 1)
    return np.asarray((own - others).mean(axis=1))


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


def sign_flip(
    contrasts: ArrayLike, *, alternative: str = "two-sided", resamples: int = 20_000, seed: int = 0
) -> SignFlip:
    """Test whether contrasts are symmetric about zero, by flipping their signs.

    Blocks at zero stay in: they change neither the sum nor its distribution, but they are counted.

    Parameters
    ----------
    contrasts
        Shape (blocks,), finite; any scale (whole numerators do).
    alternative
        ``"two-sided"``, ``"greater"`` (mean above 0) or ``"less"``.
    resamples
        Sign patterns to draw where there are too many to count, at least 1.
    seed
        Seed of those patterns, so that the same data give the same p.

    Raises
    ------
    ValueError
        If the alternative is unknown, `resamples` is below 1, or the contrasts are not finite and one-dimensional.

    References
    ----------
    Fisher 1935, The Design of Experiments, section 21. Monte Carlo p-value with the observed pattern counted in:
    Davison & Hinkley 1997, section 4.2.
    """
    if alternative not in ("two-sided", "greater", "less"):
        raise ValueError(f"alternative is {alternative!r}, must be 'two-sided', 'greater' or 'less'")
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
        if alternative == "two-sided":
            return np.abs(sums) >= abs(observed) - slack
        return sums >= observed - slack if alternative == "greater" else sums <= observed + slack

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


def log_strength(
    share: float, se: float | None, *, clusters: int, level: float = 0.95, seats: int = 5, looks: int = 1
) -> Estimate:
    """Log-strength of one A against equal others, ln((seats - 1) p / (1 - p)), with the error carried over.

    Parameters
    ----------
    share
        Share p of the games that A won, in [0, 1]; fair value 1/seats.
    se
        Its standard error; None if not estimable.
    clusters
        Number of blocks behind the share.
    level
        Two-sided confidence level in (0, 1).
    seats
        Seats at the table, at least 2.
    looks
        Passed on to the `Estimate`.

    Returns
    -------
    Estimate
        Normal interval with se(theta) = se(p)/(p (1 - p)). A share of 0 or 1 has no finite strength: all None,
        ``"not-estimable"``.

    Raises
    ------
    ValueError
        If the share is outside [0, 1].

    References
    ----------
    Luce 1959, Individual Choice Behavior; Plackett 1975, Appl. Statist. 24 (the one-versus-the-rest case).
    """
    from scipy.special import ndtri

    unit = "log-strength"
    check_level(level)
    if not 0 <= share <= 1:
        raise ValueError(f"share is {share}, must lie in [0, 1]")
    if share in (0, 1):
        return Estimate(None, None, None, level, "not-estimable", unit, clusters, looks=looks)
    theta = math.log((seats - 1) * share / (1 - share))
    if se is None or not math.isfinite(se):
        return Estimate(theta, None, None, level, "not-estimable", unit, clusters, looks=looks)
    reach = float(ndtri((1 + level) / 2)) * se / (share * (1 - share))
    return Estimate(theta, theta - reach, theta + reach, level, "normal", unit, clusters, looks=looks)
