"""A move of two-player games, and where tiles can be joined."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from domeng_sim.core.bits import Word, popcount
from domeng_sim.core.jit import kernel

NONE = -1
"""No end or no direction: at a lead, and (a direction) on a table without bounds."""


class Move(NamedTuple):
    """A tile, an end and a direction.

    Attributes
    ----------
    index
        Index of the tile with the half that is joined first; see `core.hands`.
    end
        `codes.End`, or -1 at a lead.
    direction
        `codes.Direction`, or -1 at a lead and on a table without bounds.
    """

    index: np.uint64
    end: np.int64
    direction: np.int64


class Reach(NamedTuple):
    """The tiles that can be joined, in rows; a tile that fits both ends stands in both.

    Attributes
    ----------
    left, right
        Moves at either end.  On a table without bounds, where joining equal ends is one move, it stands at the left.
    """

    left: np.uint64
    right: np.uint64


@kernel
def places(tiles: Word, reach: Reach) -> Word:
    """Number of moves that the tiles have."""
    return popcount(tiles & reach.left) + popcount(tiles & reach.right)
