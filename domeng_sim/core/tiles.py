"""Tiles of the double-six set: numbers, pips, masks and text.

Tile ``[hi|lo]`` has the number ``hi*(hi+1)/2 + lo``; a hand in a table or an interface is the 28-bit mask with bit
``t`` set for each tile held.
"""

from __future__ import annotations

from collections.abc import Iterable

N_VALUES = 7
N_TILES = 28

HALVES: tuple[tuple[int, int], ...] = tuple((hi, lo) for hi in range(N_VALUES) for lo in range(hi + 1))
"""``HALVES[t] == (hi, lo)``."""


def tile_number(a: int, b: int) -> int:
    """Number of the tile with the halves `a` and `b`, in either order.

    Parameters
    ----------
    a, b
        Values of the halves, 0 to 6.

    Returns
    -------
    int
        0 to 27.

    Raises
    ------
    ValueError
        If a half is not a value from 0 to 6.

    Examples
    --------
    >>> tile_number(6, 6), tile_number(1, 0), tile_number(0, 1)
    (27, 1, 1)
    """
    hi, lo = max(a, b), min(a, b)
    if lo < 0 or hi >= N_VALUES:
        raise ValueError(f"a half must be a value from 0 to 6, not {lo if lo < 0 else hi}")
    return hi * (hi + 1) // 2 + lo


def tile_text(tile: int) -> str:
    """Text of a tile, the higher half first.

    Examples
    --------
    >>> tile_text(27), tile_text(1)
    ('6|6', '1|0')
    """
    hi, lo = HALVES[tile]
    return f"{hi}|{lo}"


def tile_pips(tile: int) -> int:
    """Pips of a tile, 0 to 12."""
    hi, lo = HALVES[tile]
    return hi + lo


def is_double(tile: int) -> bool:
    """Whether the tile is a double (LEMPA)."""
    hi, lo = HALVES[tile]
    return hi == lo


def hand_mask(tiles: Iterable[int]) -> int:
    """28-bit mask of the tiles.

    Raises
    ------
    ValueError
        If a tile stands twice or is no tile number.
    """
    mask = 0
    for tile in tiles:
        if not 0 <= tile < N_TILES:
            raise ValueError(f"{tile} is not a tile number from 0 to 27")
        if mask >> tile & 1:
            raise ValueError(f"the tile {tile_text(tile)} stands twice")
        mask |= 1 << tile
    return mask


def mask_tiles(mask: int) -> list[int]:
    """Tile numbers in a 28-bit mask, ascending."""
    return [tile for tile in range(N_TILES) if mask >> tile & 1]


def hand_text(tiles: Iterable[int]) -> str:
    """Text of a hand, tiles separated by blanks."""
    return " ".join(tile_text(tile) for tile in tiles)
