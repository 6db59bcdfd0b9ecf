"""Many comparisons at once: adjusted p-values, intervals that hold together, tie groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from domeng_sim.stats.estimate import Estimate, check_level

Array = NDArray[np.float64]


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
    values = _checked(p)
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(values.size, 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def bonferroni(p: ArrayLike) -> Array:
    """Bonferroni's adjusted p-values; as `holm`, less sharp, but usable one by one."""
    return _adjusted(p, "bonferroni")


def benjamini_hochberg(p: ArrayLike) -> Array:
    """Adjusted p-values of Benjamini and Hochberg: keeps the expected share of false ones among the rejections.

    Parameters, result and errors as for `holm`.

    References
    ----------
    Benjamini & Hochberg 1995, JRSS-B 57; computed by statsmodels.
    """
    return _adjusted(p, "fdr_bh")


def _checked(p: ArrayLike) -> Array:
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError("p-values must be numbers in [0, 1] of shape (comparisons,)")
    return values


def _adjusted(p: ArrayLike, method: str) -> Array:
    """Check, then let statsmodels do the work."""
    values = _checked(p)
    if values.size == 0:
        return values
    from statsmodels.stats.multitest import multipletests

    return np.asarray(multipletests(values, method=method)[1], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Simultaneous:
    """Intervals of several means that hold together, and p-values of the means being zero.

    Attributes
    ----------
    estimates
        One for each measure, `kind` ``"simultaneous"``.
    p
        float64, shape (measures,): step-down adjusted p-values of a mean of zero. 1 for a measure that is zero in every
        block.
    critical
        Number of standard errors to either side.
    """

    estimates: tuple[Estimate, ...]
    p: Array
    critical: float


def max_t(
    scores: ArrayLike,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    unit: str = "share",
    looks: int = 1,
) -> Simultaneous:
    """Simultaneous intervals of means on the same blocks.

    Made from the largest studentised deviation in a bootstrap of blocks. Uses the dependence between the measures, so
    it is sharper than Bonferroni for all paired differences of a tournament.

    Parameters
    ----------
    scores
        Shape (blocks, measures), finite: shares, or paired differences.
    level
        Level at which all intervals hold together, in (0, 1).
    resamples
        Bootstrap samples, at least 100.
    seed
        Seed of the bootstrap.
    unit, looks
        Passed on to the estimates.

    Returns
    -------
    Simultaneous
        A measure that never varies has an interval without width. With fewer than two blocks there are no ends.

    Raises
    ------
    ValueError
        If the shape does not fit, a score is not finite, or there are too few resamples.

    References
    ----------
    Romano & Wolf 2005, JASA 100: single step for the intervals, step down for the p-values.
    """
    check_level(level)
    d = np.asarray(scores, dtype=np.float64)
    if d.ndim != 2 or not np.isfinite(d).all():
        raise ValueError(f"scores have shape {d.shape}; wanted finite numbers of shape (blocks, measures)")
    if resamples < 100:
        raise ValueError(f"{resamples} resamples are too few, wanted at least 100")
    blocks, measures = d.shape
    if blocks < 2:
        values = d[0].tolist() if blocks else [None] * measures
        bare = tuple(Estimate(x, None, None, level, "not-estimable", unit, blocks, looks=looks) for x in values)
        return Simultaneous(bare, np.ones(measures), float("nan"))
    mean = d.mean(axis=0)
    varies = np.ptp(d, axis=0) > 0
    se = np.where(varies, d.std(axis=0, ddof=1) / np.sqrt(blocks), 0.0)
    deviations = _bootstrap_t((d - mean)[:, varies], resamples, seed)
    largest = deviations.max(axis=1, initial=0.0)
    critical = float(np.quantile(largest, level, method="higher"))
    p = np.where(mean == 0, 1.0, 1 / (resamples + 1))  # without any variation a mean off zero is as sure as can be
    if varies.any():
        p[varies] = _step_down(np.abs(mean[varies]) / se[varies], deviations)
    estimates = tuple(
        Estimate(m, m - critical * s, m + critical * s, level, "simultaneous", unit, blocks, looks=looks)
        for m, s in zip(mean.tolist(), se.tolist(), strict=True)
    )
    return Simultaneous(estimates, p, critical)


def _bootstrap_t(centred: Array, resamples: int, seed: int) -> Array:
    """Return absolute studentised means of bootstrap samples of the blocks, shape (resamples, measures)."""
    rng = np.random.default_rng(seed)
    blocks = centred.shape[0]
    squares = centred**2
    t = np.empty((resamples, centred.shape[1]))
    for i in range(resamples):
        weights = np.bincount(rng.integers(0, blocks, blocks), minlength=blocks).astype(np.float64)
        mean = weights @ centred / blocks
        variance = (weights @ squares / blocks - mean**2) * blocks / (blocks - 1)
        # A sample of one repeated block has no deviation of its own: infinitely many standard errors, unless at zero.
        safe = variance > 1e-12 * squares.mean(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            studentised = np.abs(mean) / np.sqrt(variance / blocks)
        t[i] = np.where(safe, studentised, np.where(mean == 0, 0.0, np.finfo(np.float64).max))
    return t


def _step_down(observed: Array, deviations: Array) -> Array:
    """Adjusted p-values: each measure against the largest deviation among those not clearer than itself."""
    order = np.argsort(-observed, kind="stable")
    p, running = np.empty(observed.size), 0.0
    for i, m in enumerate(order):
        rest = deviations[:, order[i:]].max(axis=1)
        running = max(running, (1 + int((rest >= observed[m]).sum())) / (1 + rest.size))
        p[m] = running
    return p


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
