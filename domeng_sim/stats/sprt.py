"""Sequential test of two hypotheses about a mean score, for gates in scripts.

The generalised log-likelihood ratio of a multinomial on the values a block score can take, any finite number of them.
After the test the plain mean is biased: show a confidence sequence (`confseq`) in its place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

EMPTY_CELL: Final = 1e-3
"""Count given to a value that has not occurred, so that the ratio is always finite (as in fishtest)."""

_STEPS: Final = 200
"""Steps of Newton's method at most; about ten are taken."""


def _frequencies(counts: ArrayLike, support: ArrayLike) -> tuple[Array, Array, Array]:
    """Return totals, frequencies with the empty cells filled, and values; refuse what does not fit."""
    n, a = np.asarray(counts, dtype=np.float64), np.asarray(support, dtype=np.float64)
    if a.ndim != 1 or n.shape[-1:] != a.shape or a.size < 2:
        raise ValueError(f"counts have shape {n.shape} and support {a.shape}; wanted the same, at least two values")
    if not (np.isfinite(n).all() and np.isfinite(a).all()) or (n < 0).any() or (np.diff(a) <= 0).any():
        raise ValueError("counts must be finite and not negative, the support must rise strictly")
    filled = np.where(n == 0, EMPTY_CELL, n)
    total = filled.sum(axis=-1, keepdims=True)
    return total[..., 0], filled / total, a


def tilted(frequencies: Array, values: Array, mean: float) -> Array:
    """Most likely distribution with a given mean: p_k proportional to q_k / (1 + x (a_k - mean)).

    Parameters
    ----------
    frequencies
        Observed frequencies q, shape (..., values), all above 0, sum 1.
    values
        Values a, shape (values,).
    mean
        Wanted mean, strictly between the smallest and the largest value.

    Returns
    -------
    p
        float64, shape (..., values), sum 1.

    References
    ----------
    Van den Bergh, Comparing the approximations for the GLLR of a multinomial distribution; Owen 2001, Empirical
    Likelihood, section 2.9.
    """
    offset = values - mean
    # No p_k exceeds 1, hence 1 + x (a_k - mean) >= q_k: this brackets x away from the poles.
    top, bottom = int(np.argmax(offset)), int(np.argmin(offset))
    left = (frequencies[..., top, np.newaxis] - 1) / offset[top]
    right = (frequencies[..., bottom, np.newaxis] - 1) / offset[bottom]
    x = np.zeros_like(left)
    for _ in range(_STEPS):
        # Newton's step on a falling function; the middle of the bracket where it leads out of it.
        part = frequencies * offset / (1 + x * offset)
        value = part.sum(axis=-1, keepdims=True)
        left, right = np.where(value > 0, x, left), np.where(value > 0, right, x)
        new = x + value / (part * offset / (1 + x * offset)).sum(axis=-1, keepdims=True)
        new = np.where((new > left) & (new < right), new, (left + right) / 2)
        moved = np.abs(new - x).max()
        x = new
        if moved <= 1e-15 * np.abs(x).max():
            break
    p = frequencies / (1 + x * offset)
    return np.asarray(p / p.sum(axis=-1, keepdims=True))


def gllr(counts: ArrayLike, support: ArrayLike, s0: float, s1: float) -> Array:
    """Generalised log-likelihood ratio of mean `s1` against mean `s0`; always finite.

    Parameters
    ----------
    counts
        How often each value occurred, shape (..., values), not negative; empty cells count 0.001.
    support
        The values, rising, shape (values,): 0, 1/5, ..., 1 for one game a rotation, 0, 1/(5 G), ..., 1 for G games.
    s0, s1
        The two means, strictly between the smallest and the largest value.

    Returns
    -------
    ratio
        float64, shape (...).

    Raises
    ------
    ValueError
        If shapes or numbers do not fit.

    References
    ----------
    Van den Bergh, as in fishtest `stat_util.py`, there on five values.
    """
    total, q, a = _frequencies(counts, support)
    for s in (s0, s1):
        if not a[0] < s < a[-1]:
            raise ValueError(f"a mean of {s} is impossible or certain; wanted strictly between {a[0]} and {a[-1]}")
    return np.asarray(total * np.sum(q * (np.log(tilted(q, a, s1)) - np.log(tilted(q, a, s0))), axis=-1))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where a sequential test stands.

    Attributes
    ----------
    verdict
        ``"H0"``, ``"H1"`` or ``"undecided"``.
    llr
        Generalised log-likelihood ratio, finite.
    lower, upper
        Bounds at which H0 and H1 are accepted.
    blocks
        Blocks counted.
    """

    verdict: str
    llr: float
    lower: float
    upper: float
    blocks: int


@dataclass(frozen=True, slots=True)
class Sprt:
    """Sequential test of mean `s0` against mean `s1`.

    Attributes
    ----------
    s0, s1
        Mean scores under H0 and H1, s0 < s1.
    alpha, beta
        Chance of accepting H1 under H0, and H0 under H1; above 0, together below 1.

    Raises
    ------
    ValueError
        If the hypotheses are not in order or the errors leave no room for a decision.

    References
    ----------
    Wald 1945, Ann. Math. Stat. 16.
    """

    s0: float
    s1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Refuse hypotheses and errors that make no test."""
        if not (math.isfinite(self.s0) and math.isfinite(self.s1)) or self.s0 >= self.s1:
            raise ValueError(f"s0 is {self.s0} and s1 is {self.s1}: s0 must be the smaller, as in 0.20,0.21")
        if not (self.alpha > 0 and self.beta > 0):
            raise ValueError(f"alpha is {self.alpha} and beta is {self.beta}: both must be above 0, as in 0.05")
        if not self.alpha + self.beta < 1:
            raise ValueError(
                f"alpha + beta is {self.alpha + self.beta}: the two must add up to less than 1, as 0.05 and 0.05 do"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The ratios at which H0 and H1 are accepted, ln(beta/(1-alpha)) and ln((1-beta)/alpha)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def decide(self, counts: ArrayLike, support: ArrayLike) -> Verdict:
        """Decide by the blocks so far; arguments and errors as for `gllr`. Without any block: undecided, ratio 0."""
        lower, upper = self.bounds
        blocks = int(np.sum(np.asarray(counts)))
        llr = float(gllr(counts, support, self.s0, self.s1)) if blocks else 0.0
        verdict = "H1" if llr >= upper else "H0" if llr <= lower else "undecided"
        return Verdict(verdict, llr, lower, upper, blocks)

    def goes_on(self, counts: ArrayLike, support: ArrayLike) -> NDArray[np.bool_]:
        """Whether tests are undecided, many at once: counts of shape (tests, values); else as `decide`."""
        lower, upper = self.bounds
        llr = gllr(counts, support, self.s0, self.s1)
        return np.asarray((llr > lower) & (llr < upper))
