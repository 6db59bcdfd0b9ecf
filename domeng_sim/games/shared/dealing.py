"""The hidden tiles of a number, dealt by the core; `games.hidden` explains the tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, high_product
from domeng_sim.core.codes import Purpose
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.streams import philox
from domeng_sim.core.tiles import HALVES, mask_tiles
from domeng_sim.games.shared.hidden import Hidden

_HIDDEN, _FIRST = U(Purpose.HIDDEN), U(0)


class HiddenTables(NamedTuple):
    """`hidden.Hidden` as arrays.

    Attributes
    ----------
    tiles
        uint64, shape (hidden,): the bits of each tile, in rows.
    sizes, strides
        int64, shape (places,).
    may
        uint64, shape (cases, hidden).
    ways
        uint64, shape (cases, table).
    """

    tiles: npt.NDArray[np.uint64]
    sizes: npt.NDArray[np.int64]
    strides: npt.NDArray[np.int64]
    may: npt.NDArray[np.uint64]
    ways: npt.NDArray[np.uint64]


def rows_of_mask(mask: int) -> np.uint64:
    """Tiles in rows (see `core.hands`) from their 28-bit mask."""
    bits = 0
    for tile in mask_tiles(mask):
        hi, lo = HALVES[tile]
        bits |= 1 << (8 * hi + lo) | 1 << (8 * lo + hi)
    return U(bits)


def packed(values: Sequence[int]) -> np.uint64:
    """A byte for each value, the first one lowest."""
    return U(int.from_bytes(bytes(values), "little"))


def hidden_tables(hidden: Hidden, bits: Sequence[np.uint64]) -> HiddenTables:
    """The hidden tiles as arrays.

    Parameters
    ----------
    hidden
        What is hidden.
    bits
        By tile of `hidden.tiles`, what stands for it where it is.
    """
    return HiddenTables(
        np.array(bits, np.uint64),
        np.array(hidden.sizes, np.int64),
        np.array(hidden.strides, np.int64),
        np.array(hidden.cases, np.uint64).reshape(len(hidden.cases), len(hidden.tiles)),
        np.array(hidden.ways, np.uint64),
    )


@kernel
def n_deals_of(hidden: HiddenTables) -> Word:
    """Number of all deals."""
    top, total = hidden.ways.shape[1] - 1, U(0)
    for case in range(hidden.ways.shape[0]):
        total += hidden.ways[case, top]
    return total


@shared
def deal_of(number: Word, hidden: HiddenTables, lacking: npt.NDArray[np.int64], places: npt.NDArray[np.uint64]) -> None:
    """Add the hidden tiles of the deal of a number to the places; see `hidden.Hidden.deal`.

    Parameters
    ----------
    number
        Below `n_deals_of`.
    hidden
        What is hidden.
    lacking
        int64, shape (places,): room.
    places
        uint64: the bits of the tiles at each place are added; what is at places beyond its length is left out.
    """
    n_places, top = hidden.sizes.shape[0], hidden.ways.shape[1] - 1
    case = 0
    while number >= hidden.ways[case, top]:
        number -= hidden.ways[case, top]
        case += 1
    for place in range(n_places):
        lacking[place] = hidden.sizes[place]
    at = top
    for position in range(hidden.tiles.shape[0]):
        may = hidden.may[case, position]
        for place in range(n_places):
            if lacking[place] and (may >> U(place)) & U(1):
                here = hidden.ways[case, at - hidden.strides[place]]
                if number < here:
                    if place < places.shape[0]:
                        places[place] |= hidden.tiles[position]
                    lacking[place] -= 1
                    at -= hidden.strides[place]
                    break
                number -= here


@kernel
def numbers_below(seed: Word, sample: Word, n: Word, orders: Word, try_: Word = _FIRST) -> tuple[Word, Word]:
    """A uniform number below `n`, and a word whose digits give each of so many orders equally often.

    There are other ones for each try of a sample. As in deals of rounds, words that would favour some are drawn again.
    """
    least, least_order = (U(0) - n) % n, (U(0) - orders) % orders
    purpose = _HIDDEN
    word, order = philox(seed, sample, try_, purpose)
    while word * n < least or order * orders < least_order:
        purpose += U(256)
        word, order = philox(seed, sample, try_, purpose)
    return high_product(word, n), order
