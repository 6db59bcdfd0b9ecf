"""Many comparisons at once: adjusted p-values, intervals that hold together, tie groups."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from domeng_sim.stats.estimate import Estimate, check_level

Array = NDArray[np.float64]

FEWEST_BLOCKS: Final = 6
"""A bootstrap of fewer blocks says nothing: too many of its samples repeat one or two of them. It is also the least
number that a two-sided sign-flip test can call at 5 %."""

FEWEST_RESAMPLES: Final = 2_000
MOST_RESAMPLES: Final = 20_000

_AT_ONCE: Final = 1 << 20
"""Weights of a bootstrap that are drawn at a time, 8 MB."""


def holm(p: ArrayLike) -> Array:
    """Holm's adjusted p-values; the chance of any false rejection is kept, whatever the dependence.

    Parameters
    ----------
    p
        p-values in [0, 1], shape (comparisons,); may be empty.

    Returns
    -------
    adjusted
        float64, the same shape and order, at most 1.

    Raises
    ------
    ValueError
        If a p-value is not in [0, 1].

    References
    ----------
    Holm 1979, Scand. J. Statist. 6. Not left to statsmodels, which collects garbage at every call, a tenth of a second:
    too long for every look of a study.
    """
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError("p-values must be numbers in [0, 1] of shape (comparisons,)")
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(values.size, 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def max_t(
    scores: ArrayLike,
    *,
    level: float = 0.95,
    seed: int = 0,
    unit: str = "share",
    bounds: tuple[float, float] | None = None,
) -> tuple[Estimate, ...]:
    """Simultaneous intervals of means on the same blocks.

    Made from the largest studentised deviation in a bootstrap of blocks. Uses the dependence between the measures, so
    it is sharper than Bonferroni for all paired differences of a tournament.

    Parameters
    ----------
    scores
        Shape (blocks, measures), finite: shares, or paired differences.
    level
        Level at which all intervals hold together, in (0, 1).
    seed
        Seed of the bootstrap.
    unit
        Passed on to the estimates.
    bounds
        Range of a score; the ends are kept inside. None for a score without bounds.

    Returns
    -------
    estimates
        One for each measure, `kind` ``"simultaneous"``. ``"not-estimable"``, and without part in the others' intervals,
        where a bootstrap says nothing: for fewer than `FEWEST_BLOCKS` blocks, for a level beyond what `MOST_RESAMPLES`
        can tell, and for a measure of which too many resamples see no variation, since hardly any block differs.

    Raises
    ------
    ValueError
        If the shape does not fit or a score is not finite.

    References
    ----------
    Romano & Wolf 2005, JASA 100, the single step.
    """
    check_level(level)
    d = np.asarray(scores, dtype=np.float64)
    if d.ndim != 2 or not np.isfinite(d).all():
        raise ValueError(f"scores have shape {d.shape}; wanted finite numbers of shape (blocks, measures)")
    blocks, measures = d.shape
    mean = d.mean(axis=0) if blocks else np.zeros(measures)
    resamples = enough_resamples(level) if blocks >= FEWEST_BLOCKS else 0
    deviations = _bootstrap_t(d - mean, resamples, seed)
    told = np.zeros(measures, dtype=np.bool_)
    reach = np.zeros(measures)
    if resamples:
        blind = np.isinf(deviations).mean(axis=0)
        told = blind <= (1 - level) / 2
        while math.isinf(most := _quantile(deviations[:, told], level)):
            told &= blind < blind[told].max()
        reach = most * d.std(axis=0, ddof=1) / np.sqrt(blocks)
    low, high = (-np.inf, np.inf) if bounds is None else bounds
    return tuple(
        Estimate(m, max(m - r, low), min(m + r, high), level, "simultaneous", unit, blocks)
        if known
        else Estimate(m if blocks else None, None, None, level, "not-estimable", unit, blocks)
        for m, r, known in zip(mean.tolist(), reach.tolist(), told.tolist(), strict=True)
    )


def enough_resamples(level: float) -> int:
    """Resamples for a quantile of that order: ten lie beyond it; 0 where that would be more than `MOST_RESAMPLES`."""
    wanted = math.ceil(10 / (1 - level))
    return max(wanted, FEWEST_RESAMPLES) if wanted <= MOST_RESAMPLES else 0


def _quantile(deviations: Array, level: float) -> float:
    """Quantile of the largest deviation."""
    return float(np.quantile(deviations.max(axis=1, initial=0.0), level, method="higher"))


def _bootstrap_t(centred: Array, resamples: int, seed: int) -> Array:
    """Return absolute studentised means of bootstrap samples of the blocks, shape (resamples, measures).

    Infinite where the sample shows no variation: it cannot be said how many standard errors that is off.
    """
    rng = np.random.default_rng(seed)
    blocks = centred.shape[0]
    squares = centred**2
    t = np.empty((resamples, centred.shape[1]))
    for first in range(0, resamples, step := max(_AT_ONCE // max(blocks, 1), 1)):
        weights = rng.multinomial(blocks, np.full(blocks, 1 / blocks), min(step, resamples - first)) / blocks
        mean = weights @ centred
        variance = (weights @ squares - mean**2) * blocks / (blocks - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            studentised = np.abs(mean) / np.sqrt(variance / blocks)
        t[first : first + step] = np.where(variance > 1e-12 * squares.mean(axis=0), studentised, np.inf)
    return t


def tie_groups(separated: ArrayLike, scores: ArrayLike) -> list[str]:
    """Compact letter display: two strategies share a letter exactly if they cannot be separated.

    Parameters
    ----------
    separated
        bool, shape (k, k), symmetric: True where a difference is established. The diagonal is not looked at.
    scores
        Shape (k,): ``a`` goes to the group of the highest score.

    Returns
    -------
    letters
        k strings in the order of the strategies, such as ``["a", "ab", "b"]``. After ``z`` come ``A`` to ``Z``, then
        numbers in brackets.

    Raises
    ------
    ValueError
        If the matrix is not square and symmetric, or the scores are not as many.

    References
    ----------
    Piepho 2004, J. Comput. Graph. Statist. 13 (insert and absorb).
    """
    apart, values = np.array(separated, dtype=np.bool_), np.asarray(scores, dtype=np.float64)
    k = values.size
    np.fill_diagonal(apart, False)
    if apart.shape != (k, k) or (apart != apart.T).any():
        raise ValueError(f"separated has shape {apart.shape}; wanted a symmetric matrix for {k} scores")
    order = [int(i) for i in np.argsort(-values, kind="stable")]
    rank = {s: r for r, s in enumerate(order)}
    groups: list[frozenset[int]] = [frozenset(range(k))] if k else []
    for a, b in np.argwhere(np.triu(apart)).tolist():
        split = [g - {x} for g in groups if a in g and b in g for x in (a, b)]
        kept = [g for g in groups if not (a in g and b in g)]
        for group in split:
            if not any(group <= other for other in kept):
                kept = [other for other in kept if not other < group] + [group]
        groups = kept
    groups.sort(key=lambda g: sorted(rank[s] for s in g))
    names = [_letter(i) for i in range(len(groups))]
    return ["".join(name for name, g in zip(names, groups, strict=True) if s in g) for s in range(k)]


def _letter(i: int) -> str:
    """Name of the i-th tie group."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return letters[i] if i < len(letters) else f"({i})"
