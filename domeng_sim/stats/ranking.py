"""Strengths of many strategies that meet at tables of several, and whether one number each does them justice."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from domeng_sim.stats import critical, intervals
from domeng_sim.stats.estimate import Estimate, check_level
from domeng_sim.stats.multiple import FEWEST_BLOCKS

Array = NDArray[np.float64]

NEWTON_STEPS: Final = 200


@dataclass(frozen=True, slots=True)
class Strengths:
    """Plackett-Luce log-strengths, mean zero over the strategies that have one.

    Attributes
    ----------
    estimates
        One for each strategy: `kind` ``"block-bootstrap"``; ``"upper-bound"`` for one that never won, where `high`
        bounds its log-strength over opponents of equal strength; ``"lower-bound"`` for one that was never beaten;
        ``"not-estimable"`` if the results do not connect the strategies, or there are too few blocks for a bootstrap.
    connected
        Whether the strategies that won and lost are connected by their results.
    """

    estimates: tuple[Estimate, ...]
    connected: bool


def _checked(tables: ArrayLike, wins: ArrayLike, k: int) -> tuple[NDArray[np.int64], Array]:
    """Return tables and wins as arrays, refusing what does not fit."""
    seats, counts = np.asarray(tables, dtype=np.int64), np.asarray(wins, dtype=np.float64)
    if seats.ndim != 2 or counts.shape != seats.shape:
        raise ValueError(f"tables have shape {seats.shape} and wins {counts.shape}; wanted (tables, seats) twice")
    if seats.size and (seats.min() < -1 or seats.max() >= k):
        raise ValueError(f"strategies must be numbered 0..{k - 1}")
    if not np.isfinite(counts).all() or (counts < 0).any() or counts[seats < 0].any():
        raise ValueError("wins must be finite, not negative, and 0 at an empty seat")
    return seats, counts


def _beats(seats: NDArray[np.int64], counts: Array, k: int) -> NDArray[np.bool_]:
    """Return who beat whom: shape (k, k), True where the first won a game at a table with the second."""
    beats = np.zeros((k, k), dtype=np.bool_)
    for i, j in permutations(range(seats.shape[1]), 2):
        both = (seats[:, i] >= 0) & (seats[:, j] >= 0) & (counts[:, i] > 0)
        beats[seats[both, i], seats[both, j]] = True
    return beats


def _connected(seats: NDArray[np.int64], counts: Array, k: int) -> bool:
    """Return whether every strategy beat every other over some chain of results."""
    from scipy.sparse.csgraph import connected_components

    return int(connected_components(_beats(seats, counts, k), directed=True, connection="strong")[0]) == 1


def _newton(seats: NDArray[np.int64], counts: Array, start: Array) -> Array:
    """Climb the log-likelihood from `start`, by Newton's method; it is concave.

    Needs 1 ms for any number of games, where a general solver takes an entry for each game and seconds: a bootstrap
    asks for hundreds of maxima.

    Parameters
    ----------
    seats
        Strategies of each table, shape (tables, seats); -1 marks an empty seat.
    counts
        Games won by each of them, of the same shape; they must connect all strategies.
    start
        First guess, shape (k,).
    """
    k = start.size
    filled = seats >= 0
    index = np.where(filled, seats, k)
    games = counts.sum(axis=1)
    won = np.bincount(index.ravel(), counts.ravel(), minlength=k + 1)[:k]

    def shares(theta: Array) -> tuple[Array, float]:
        """Return the chances at each table and the log-likelihood."""
        x = np.append(theta, -np.inf)[index]
        top = x.max(axis=1, keepdims=True)
        e = np.exp(x - top)
        total = e.sum(axis=1, keepdims=True)
        return e / total, float(won @ theta - games @ (top + np.log(total))[:, 0])

    theta = start - start.mean()
    p, value = shares(theta)
    for _ in range(NEWTON_STEPS):
        weight = games[:, np.newaxis] * p
        gradient = won - np.bincount(index.ravel(), weight.ravel(), minlength=k + 1)[:k]
        hessian = np.zeros((k + 1, k + 1))
        outer = weight[:, :, np.newaxis] * p[:, np.newaxis, :]
        np.add.at(hessian, (index[:, :, np.newaxis], index[:, np.newaxis, :]), outer)
        information = np.diag(np.bincount(index.ravel(), weight.ravel(), minlength=k + 1)[:k]) - hessian[:k, :k]
        # The likelihood does not change along (1, ..., 1); a rank-one term there leaves the step in the other
        # directions alone.
        step = np.linalg.solve(information + games.sum() / k**2, gradient)
        if float(np.abs(step).max()) < 1e-10:
            return np.asarray(theta + step - (theta + step).mean())
        size = 1.0
        while True:
            candidate = theta + size * step
            new_p, new_value = shares(candidate)
            if new_value >= value - 1e-9 * abs(value) or size < 1e-6:
                break
            size /= 2
        theta, p, value = candidate - candidate.mean(), new_p, new_value
    raise RuntimeError(f"the strengths did not converge in {NEWTON_STEPS} steps")


def plackett_luce(
    tables: ArrayLike,
    wins: ArrayLike,
    k: int,
    *,
    level: float = 0.95,
    resamples: int = 200,
    seed: int = 0,
    looks: int = 1,
) -> Strengths:
    """Estimate Plackett-Luce strengths with errors from a bootstrap of blocks.

    Parameters
    ----------
    tables
        Strategies of each table, shape (tables, seats), different within a table.
    wins
        Games won, shape (blocks, tables, seats), not negative. Games without a winner are left out.
    k
        Number of strategies.
    level
        Confidence level in (0, 1).
    resamples
        Bootstrap samples, at least 50. One whose results do not connect is left out; if that is more than 1 in 20 there
        are no ends.
    seed
        Seed of the bootstrap.
    looks
        Passed on to the estimates.

    Raises
    ------
    ValueError
        If shapes or numbers do not fit or there are too few resamples.

    References
    ----------
    Luce 1959; Plackett 1975, Appl. Statist. 24; Hunter 2004, Ann. Stat. 32 (condition for a maximum: Ford 1957): only
    the winner of a game counts. Half-widths are Student's with one degree of freedom less than there are blocks, and
    the bootstrap's variance is multiplied by B/(B-1). A strategy without a win has no finite strength; its bound comes
    from the exact one-sided bound of the chance that it wins anything in a block, which is at least its share of the
    games.
    """
    check_level(level)
    won = np.asarray(wins)
    if won.ndim != 3:
        raise ValueError(f"wins have shape {won.shape}, wanted (blocks, tables, seats)")
    if resamples < 50:
        raise ValueError(f"{resamples} resamples are too few, wanted at least 50")
    blocks = int(won.shape[0])
    seats, counts = _checked(tables, won.sum(axis=0), k)
    beats = _beats(seats, counts, k)
    rated = np.flatnonzero(beats.any(axis=1) & beats.any(axis=0))
    # Strategies without a strength leave their tables: among the others the model stays true.
    renumber = np.full(k + 1, -1)
    renumber[rated] = np.arange(rated.size)
    small = renumber[seats]
    kept = won * (small >= 0)
    estimates = [_bounded(seats, won, s, level, looks) for s in range(k)]
    connected = rated.size > 1 and _connected(small, kept.sum(axis=0), rated.size)
    if connected:
        best = _newton(small, kept.sum(axis=0).astype(np.float64), np.zeros(rated.size))
        reach = _reach(small, kept, best, level, resamples, seed)
        for s, value, half in zip(rated.tolist(), best.tolist(), reach.tolist(), strict=True):
            low, high, kind = value - half, value + half, "block-bootstrap"
            if not half:
                low, high, kind = None, None, "not-estimable"
            events = int(counts[seats == s].sum())
            estimates[s] = Estimate(value, low, high, level, kind, "log-strength", blocks, events, looks)
    return Strengths(tuple(estimates), connected)


def _reach(
    seats: NDArray[np.int64], wins: NDArray[np.int64], best: Array, level: float, resamples: int, seed: int
) -> Array:
    """Half-widths of the strengths; 0 where a bootstrap of these blocks tells nothing."""
    blocks = wins.shape[0]
    samples = _bootstrap(seats, wins, best, resamples, seed) if blocks >= FEWEST_BLOCKS else best[np.newaxis]
    if samples.shape[0] < 0.95 * resamples:
        return np.zeros(best.size)
    inflation = (blocks / (blocks - 1)) ** 0.5
    return np.asarray(critical.student(blocks - 1, level) * inflation * samples.std(axis=0, ddof=1))


def _bootstrap(seats: NDArray[np.int64], wins: NDArray[np.int64], best: Array, resamples: int, seed: int) -> Array:
    """Return strengths of bootstrap samples of the blocks, shape (connected samples, k)."""
    rng = np.random.default_rng(seed)
    blocks = wins.shape[0]
    flat = wins.reshape(blocks, -1).astype(np.float64)
    found = []
    for _ in range(resamples):
        weights = np.bincount(rng.integers(0, blocks, blocks), minlength=blocks).astype(np.float64)
        counts = (weights @ flat).reshape(seats.shape)
        if _connected(seats, counts, best.size):
            found.append(_newton(seats, counts, best))
    return np.array(found).reshape(-1, best.size)


def _bounded(seats: NDArray[np.int64], won: NDArray[np.int64], s: int, level: float, looks: int) -> Estimate:
    """Bound the log-strength of a strategy that has no finite one.

    Parameters
    ----------
    seats
        Strategies of each table, shape (tables, seats).
    won
        Games won, shape (blocks, tables, seats).
    s
        The strategy.
    level, looks
        As for `plackett_luce`; the bound is one-sided.
    """
    unit = "log-strength"
    here = (seats == s).any(axis=1)
    opponents = int((seats[here] >= 0).sum(axis=1).max(initial=1)) - 1
    games = won[:, here].sum(axis=(1, 2))
    wins = won[:, seats == s].sum(axis=1)
    played = games > 0
    blocks, total = int(played.sum()), int(wins.sum())
    if blocks == 0 or opponents == 0 or 0 < total < games.sum():
        return Estimate(None, None, None, level, "not-estimable", unit, blocks, total, looks)
    odds = intervals.upper_bound(0, blocks, level=level)
    bound = float(np.log(opponents) + np.log(odds) - np.log1p(-odds))
    if total == 0:
        return Estimate(None, None, bound, level, "upper-bound", unit, blocks, total, looks)
    return Estimate(None, 2 * float(np.log(opponents)) - bound, None, level, "lower-bound", unit, blocks, total, looks)


@dataclass(frozen=True, slots=True)
class Intransitivity:
    """Whether established differences run in a circle.

    Attributes
    ----------
    transitive
        Whether there is no circle.
    cycles
        Each (i, j, m) with i better than j, j better than m and m better than i, the smallest number first.
    """

    transitive: bool
    cycles: tuple[tuple[int, int, int], ...]


def intransitivity(difference: ArrayLike, established: ArrayLike | None = None) -> Intransitivity:
    """Look for circles in a pairwise matrix.

    Parameters
    ----------
    difference
        Shape (k, k): by how much the first does better than the second. NaN where they never met.
    established
        bool, shape (k, k): which differences count (by adjusted p-values). None counts every one.

    Raises
    ------
    ValueError
        If the matrices are not square, not of one size, or two strategies are each better than the other.

    References
    ----------
    Balduzzi, Tuyls, Perolat & Graepel 2018, NeurIPS; Omidshafiei et al. 2019, Sci. Reports 9 (strongly connected
    components).
    """
    from scipy.sparse.csgraph import connected_components

    d = np.asarray(difference, dtype=np.float64)
    if d.ndim != 2 or d.shape[0] != d.shape[1]:
        raise ValueError(f"difference has shape {d.shape}, wanted a square")
    better = d > 0
    if established is not None:
        if np.shape(established) != d.shape:
            raise ValueError(f"established has shape {np.shape(established)}, difference {d.shape}")
        better &= np.asarray(established, dtype=np.bool_)
    if (better & better.T).any():
        raise ValueError("two strategies are each better than the other: the matrix is not one of differences")
    k = d.shape[0]
    groups, _ = connected_components(better, directed=True, connection="strong")
    cycles = tuple(
        (i, j, m)
        for i, j in np.argwhere(better).tolist()
        for m in range(i + 1, k)
        if j > i and better[j, m] and better[m, i]
    )
    return Intransitivity(groups == k, cycles)
