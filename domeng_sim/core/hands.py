"""Hands and moves as bits.

Inside the core a hand is 7 rows of 8 bits: bit ``8*v + w`` is set if the tile with the halves v and w is held, so that
a tile other than a double stands twice, in the row of either half.  With ends a and b the legal moves are then the bits
of ``hand & (row(a) | row(b))``, each exactly once: a bit's row is the value joined, its column the new end.  A tile
that fits two different ends stands in both rows; with equal ends there is one row.  A bit's position, the `index` of a
move, is the order in which moves are counted.

>>> [index for index in range(64) if int(TILE_OF[index]) == 1]  # the tile 1|0
[1, 8]
"""

from __future__ import annotations

import numpy as np

from domeng_sim.core.bits import U, Word, lowest_bit, nth_bit, popcount
from domeng_sim.core.jit import kernel
from domeng_sim.core.tiles import HALVES, N_VALUES

ROW = U(0x7F)
LOWER = U(sum(1 << (8 * hi + lo) for hi, lo in HALVES))
"""Bits with column <= row: each tile once, in the order of tile numbers."""
DOUBLES = U(sum(1 << (9 * v) for v in range(N_VALUES)))
ROWS = U(sum(0x7F << (8 * v) for v in range(N_VALUES)))
"""All bits of all tiles."""
COLUMN0 = U(sum(1 << (8 * v) for v in range(N_VALUES)))
"""The first bit of each row."""
_MARKS = COLUMN0 << U(7)


def _keep() -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    keep = np.full(64, ~U(0))
    for v in range(N_VALUES):
        for w in range(N_VALUES):
            keep[8 * v + w] = ~U(1 << (8 * v + w) | 1 << (8 * w + v))
    return keep


def _tile_of() -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    tile_of = np.full(64, -1, np.int64)
    for tile, (hi, lo) in enumerate(HALVES):
        tile_of[8 * hi + lo] = tile_of[8 * lo + hi] = tile
    return tile_of


KEEP = _keep()
"""By index: all bits but those of the tile."""
TILE_OF = _tile_of()
"""By index: the number of the tile; -1 where no tile stands."""

INDEX_OF = np.array([8 * hi + lo for hi, lo in HALVES], np.uint64)
"""By the number of a tile: its index in the row of its higher half."""

NO_TILE = U(63)
"""An index at which no tile stands."""

TILE_PIPS = np.array([sum(HALVES[tile]) if tile >= 0 else 0 for tile in TILE_OF], np.int64)
"""By index of a move: pips of its tile."""

_PIP_ROWS = [U(sum(0x7F << (8 * v) for v in range(N_VALUES) if v >> bit & 1)) for bit in range(3)]
_PIPS1, _PIPS2, _PIPS4 = _PIP_ROWS


@kernel
def joined(index: Word) -> Word:
    """Eight times the value joined by a move: the shift of its row."""
    return index & U(56)


@kernel
def opened(index: Word) -> Word:
    """Eight times the value of the end that a move makes."""
    return (index & U(7)) << U(3)


@kernel
def fitting(end8: Word, other8: Word) -> Word:
    """All moves at two ends, given as eight times their values."""
    return (ROW << end8) | (ROW << other8)


@kernel
def kth_move(moves: Word, k: Word) -> Word:
    """Index of the k-th move of a set, counted from 0."""
    return nth_bit(moves, k)


@kernel
def pips(hand: Word) -> Word:
    """Pips of a hand in rows: every bit of row v counts v, a double's twice."""
    doubles = hand & DOUBLES
    ones = popcount(hand & _PIPS1) + popcount(doubles & _PIPS1)
    twos = popcount(hand & _PIPS2) + popcount(doubles & _PIPS2)
    fours = popcount(hand & _PIPS4) + popcount(doubles & _PIPS4)
    return ones + (twos << U(1)) + (fours << U(2))


@kernel
def values_of(hand: Word) -> Word:
    """Values of a hand in rows: the highest bit of a row, which is no tile's, is set where the row has tiles."""
    return (hand + ROWS) & _MARKS


@kernel
def values_once(hand: Word, values: Word) -> Word:
    """Of the `values_of` a hand, those that one tile alone has."""
    return values & ~values_of(hand & (hand - (values >> U(7))))


@kernel
def marks(end8: Word, other8: Word) -> Word:
    """Two values as `values_of` has them, from eight times each."""
    return (U(0x80) << end8) | (U(0x80) << other8)


@kernel
def both_ways(lower: Word) -> Word:
    """Rows of a hand from its bits in `LOWER`: an 8x8 bit transpose, or-ed.

    The transpose is that of Warren, *Hacker's Delight*, 2nd ed. 2012, section 7-3.
    """
    t = lower
    swap = (t ^ (t >> U(7))) & U(0x00AA00AA00AA00AA)
    t ^= swap ^ (swap << U(7))
    swap = (t ^ (t >> U(14))) & U(0x0000CCCC0000CCCC)
    t ^= swap ^ (swap << U(14))
    swap = (t ^ (t >> U(28))) & U(0x00000000F0F0F0F0)
    t ^= swap ^ (swap << U(28))
    return lower | t


@kernel
def mask_of(hand: Word) -> Word:
    """28-bit mask of a hand in rows."""
    mask = U(0)
    rest = hand & LOWER
    while rest:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        mask |= U(1) << U(TILE_OF[index])
    return mask
