"""Who sits where: the tables a block plays.

Seats are counted clockwise, strategies from 0. Neighbours matter in a domino game (the next seat feels your play), so
the seatings of five strategies are balanced for seats and for neighbours. Two strategies have two seatings.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

SEATS: Final = 5
PAIR: Final = 2

INFINITY: Final = -1
"""Marks, in a base block, the point that the cycle leaves in place."""

_BASE_BLOCKS: Final[dict[int, tuple[tuple[int, ...], ...]]] = {
    9: ((0, 1, 3, 5, 6), (0, 1, 2, 3, 5)),
    10: ((0, 1, 3, 5, 6), (0, 1, 2, 4, INFINITY)),
    11: ((0, 1, 2, 4, 7),),
    12: ((0, 2, 4, 6, 9), (0, 1, 2, 5, 6)),
    13: ((0, 1, 3, 5, 7), (0, 1, 3, 4, 8), (0, 1, 2, 5, 8)),
    14: ((0, 2, 4, 6, 9), (0, 1, 2, 3, 6), (0, 1, 4, 8, 9)),
    15: ((0, 1, 3, 6, 8), (0, 1, 4, 6, 8), (0, 1, 4, 5, INFINITY)),
    16: ((0, 1, 3, 5, 7), (0, 1, 5, 8, 11), (0, 1, 2, 6, 9)),
    21: ((3, 6, 7, 12, 14),),
}
# Found by going through all sets of base blocks; the tests count the pairs of every design anew. 11 and 21 are the
# classical difference sets. For 12 and 14 full balance needs at least 132 and 182 tables, so the pairs differ by one
# instead.


def neighbour_balanced() -> NDArray[np.int8]:
    """Return the 20 neighbour-balanced seatings of five strategies.

    Each strategy sits in each seat 4 times, every ordered pair sits side by side 5 times, and two seats apart 5 times:
    as 5 is prime, the circular orders k -> s k mod 5, s = 1..4, in five rotations do what takes 120 permutations else.

    Returns
    -------
    seatings
        int8, shape (20, 5): strategy (0..4) in each seat.
    """
    order, rotation, seat = np.ogrid[1:5, 0:5, 0:5]
    return np.asarray((order * seat + rotation) % SEATS, dtype=np.int8).reshape(20, SEATS)


def balanced_seatings(seats: int) -> NDArray[np.int8]:
    """Return the seatings in which as many strategies as there are seats meet fairly.

    Parameters
    ----------
    seats
        5, as `neighbour_balanced`, or 2: each strategy in each seat once.

    Returns
    -------
    seatings
        int8, shape (seatings, seats): strategy in each seat.

    Raises
    ------
    ValueError
        For another number of seats.
    """
    if seats == PAIR:
        return np.array([[0, 1], [1, 0]], dtype=np.int8)
    if seats != SEATS:
        raise ValueError(f"no balanced seatings are known for {seats} seats, only for 2 and 5")
    return neighbour_balanced()


@dataclass(frozen=True, slots=True)
class Design:
    """Which of K strategies sit at each table.

    Attributes
    ----------
    tables
        int16, shape (tables, seats): strategies of each table, rising.
    kind
        ``"all"`` (every set of that many), ``"balanced"`` (every pair meets equally often) or ``"nearly balanced"``.
    tables_each
        Tables that each strategy sits at; the same for all.
    meetings
        Smallest and largest number of tables that two strategies share.
    """

    tables: NDArray[np.int16]
    kind: str
    tables_each: int
    meetings: tuple[int, int]

    def seatings(self) -> NDArray[np.int16]:
        """Return the seatings of each table: shape (tables, seatings, seats), strategy in each seat."""
        return self.tables[:, balanced_seatings(self.tables.shape[1])]


def tables_of_five(k: int) -> Design:
    """Choose the tables for a tournament of K strategies.

    Up to 8 strategies: all sets of five. For 9, 10, 11, 13, 15, 16 and 21: a balanced incomplete block design with 18,
    18, 11, 39, 42, 48 and 21 tables. For 12 and 14, and above 16: as nearly balanced as found, each strategy equally
    often; `Design.meetings` tells how nearly.

    Parameters
    ----------
    k
        Number of strategies, 5 to 200.

    Raises
    ------
    ValueError
        If `k` is outside that range.

    References
    ----------
    Bose 1939, Ann. Eugenics 9 (designs from difference sets).
    """
    if not SEATS <= k <= 200:
        raise ValueError(f"a tournament of {k} strategies: wanted 5 to 200")
    if k <= 8:
        tables = np.array(list(combinations(range(k), SEATS)), dtype=np.int16)
        return Design(tables, "all", comb(k - 1, 4), (comb(k - 2, 3), comb(k - 2, 3)))
    tables = _develop(_BASE_BLOCKS.get(k) or _greedy_base(k), k)
    meetings = pair_counts(tables, k)[np.triu_indices(k, 1)]
    low, high = int(meetings.min()), int(meetings.max())
    kind = "balanced" if low == high else "nearly balanced"
    return Design(tables, kind, len(tables) * SEATS // k, (low, high))


def tables_of_two(k: int) -> Design:
    """All pairs of K strategies.

    Parameters
    ----------
    k
        Number of strategies, 2 to 200.

    Raises
    ------
    ValueError
        If `k` is outside that range.
    """
    if not PAIR <= k <= 200:
        raise ValueError(f"a tournament of {k} strategies: wanted 2 to 200")
    return Design(np.array(list(combinations(range(k), PAIR)), dtype=np.int16), "all", k - 1, (1, 1))


def tables_of(seats: int, k: int) -> Design:
    """Choose the tables for a tournament of K strategies at tables of so many seats.

    Parameters
    ----------
    seats
        5, as `tables_of_five`, or 2, as `tables_of_two`.
    k
        Number of strategies.

    Raises
    ------
    ValueError
        For another number of seats, or if there are too few or too many strategies.
    """
    if seats not in (PAIR, SEATS):
        raise ValueError(f"no tournaments are known for {seats} seats, only for 2 and 5")
    return tables_of_two(k) if seats == PAIR else tables_of_five(k)


def pair_counts(tables: ArrayLike, k: int) -> NDArray[np.int64]:
    """Count how often strategies share a table.

    Parameters
    ----------
    tables
        Shape (tables, seats), strategies 0..k-1.
    k
        Number of strategies.

    Returns
    -------
    counts
        int64, shape (k, k): tables shared by two strategies; on the diagonal the tables of one.
    """
    rows = np.asarray(tables)
    seated = np.zeros((rows.shape[0], k), dtype=np.int64)
    np.put_along_axis(seated, rows.astype(np.int64), 1, axis=1)
    return seated.T @ seated


def _develop(base: tuple[tuple[int, ...], ...], k: int) -> NDArray[np.int16]:
    """Move base blocks around the cycle: each gives as many tables as the cycle has points."""
    cycle = k - 1 if any(INFINITY in block for block in base) else k
    rows = [
        sorted(k - 1 if x == INFINITY else (x + shift) % cycle for x in block)
        for block in base
        for shift in range(cycle)
    ]
    return np.array(rows, dtype=np.int16)


def _greedy_base(k: int) -> tuple[tuple[int, ...], ...]:
    """Build base blocks on a cycle of k points until every pair meets, choosing points where differences are rarest."""
    used = np.zeros(k, dtype=np.int64)
    base: list[tuple[int, ...]] = []
    while len(base) < 3 or used[1:].min() == 0:
        block = [0]
        for _ in range(SEATS - 1):
            free = [x for x in range(1, k) if x not in block]
            block.append(min(free, key=lambda x: (_cost(used, block, x, k), x)))
            for x in block[:-1]:
                used[(block[-1] - x) % k] += 1
                used[(x - block[-1]) % k] += 1
        base.append(tuple(block))
    return tuple(base)


def _cost(used: NDArray[np.int64], block: list[int], x: int, k: int) -> int:
    """Rise of the sum of squares of the difference counts if `x` joins the block."""
    new = np.zeros(k, dtype=np.int64)
    for y in block:
        new[(x - y) % k] += 1
        new[(y - x) % k] += 1
    return int(((used + new) ** 2 - used**2).sum())
