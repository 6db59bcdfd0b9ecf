"""Where hidden tiles of Domeng may be; `games.hidden` counts and deals them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from domeng_sim.core.tiles import HALVES

UNUSED = 5
"""The place of the unused tiles, after the five seats."""
N_PLACES = 6


def may_hold(tiles: Iterable[int], sizes: Sequence[int], voids: Sequence[int]) -> list[int]:
    """For each tile, the places that may have it: those that lack tiles, but no seat that is void in one of its values.

    Parameters
    ----------
    tiles
        Numbers of the hidden tiles.
    sizes
        By place, how many of them are there.
    voids
        By seat, bit v is set where a PASS showed that it has no tile with the value v.
    """
    masks = []
    for tile in tiles:
        hi, lo = HALVES[tile]
        values = 1 << hi | 1 << lo
        mask = sum(1 << seat for seat, void in enumerate(voids) if sizes[seat] and not void & values)
        masks.append(mask | (1 << UNUSED if sizes[UNUSED] else 0))
    return masks
