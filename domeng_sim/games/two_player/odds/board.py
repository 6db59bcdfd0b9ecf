"""The tiles on a finite table, in plain Python: whether a tile can lie somewhere is told without the compiler.

The numbers are those of `geometry`: quarter-cells, and for each end a point, the middle of its front edge, with a
heading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from domeng_sim.core.tiles import HALVES, is_double

DIRECTIONS = "slr"
"""Straight on, to the left, to the right: their letters, in the order of `codes.Direction`."""

Cells = frozenset[tuple[int, int]]

_FORWARD = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""By heading, a step of a quarter-cell."""
_RIGHTWARDS, _LEFTWARDS = 0, 2


class Spot(NamedTuple):
    """A point on the table, and where one looks from there; of an end also whether it is a double."""

    x: int
    y: int
    heading: int
    is_double: bool = False

    def ahead(self, n: int) -> Spot:
        """So many quarter-cells further on."""
        x, y = _FORWARD[self.heading]
        return self._replace(x=self.x + n * x, y=self.y + n * y)

    def turned(self, direction: str) -> Spot:
        """Where a tile begins that goes on from this end in a direction."""
        if direction == "s":
            return self
        after = (self.heading + (1 if direction == "l" else 3)) % 4
        return self.ahead(-1)._replace(heading=after).ahead(1)

    def covered(self, across: bool) -> Cells:
        """Quarter-cells of a tile that begins here, along the heading or across it."""
        (x, y), (side_x, side_y) = _FORWARD[self.heading], _FORWARD[(self.heading + 1) % 4]
        depth, half_width = (2, 2) if across else (4, 1)
        # the middle of a cell, doubled; then its lower corner
        return frozenset(
            (
                self.x + ((2 * ahead + 1) * x + (2 * aside + 1) * side_x - 1) // 2,
                self.y + ((2 * ahead + 1) * y + (2 * aside + 1) * side_y - 1) // 2,
            )
            for ahead in range(depth)
            for aside in range(-half_width, half_width)
        )


@dataclass(frozen=True)
class Board:
    """A finite table with tiles on it; laying one makes another board.

    Attributes
    ----------
    width, height
        In half-tiles.
    covered
        Quarter-cells on which tiles lie.
    ends
        By ``l`` and ``r``, where the ends are; empty before the first tile.
    """

    width: int
    height: int
    covered: Cells
    ends: dict[str, Spot]

    def directions(self, tile: int, end: str) -> str:
        """Letters of the directions that are free for a tile at an end, whatever its value."""
        spot, double = self.ends[end], is_double(tile)
        letters = DIRECTIONS[:1] if double or spot.is_double else DIRECTIONS
        if double and spot.is_double:
            return ""
        return "".join(letter for letter in letters if self._has_room(spot.turned(letter).covered(double)))

    def lay(self, tile: int, end: str, direction: str) -> Board:
        """The board with a tile more; the first one has no end."""
        double = is_double(tile)
        if not end:
            middle = Spot(self.width, self.height, _RIGHTWARDS)
            depth = 1 if double else 2
            cells = middle.ahead(-depth).covered(double)
            ends = {
                "l": middle.ahead(-depth)._replace(heading=_LEFTWARDS, is_double=double),
                "r": middle.ahead(depth)._replace(is_double=double),
            }
            return Board(self.width, self.height, cells, ends)
        spot = self.ends[end].turned(direction)
        ends = {**self.ends, end: spot.ahead(2 if double else 4)._replace(is_double=double)}
        return Board(self.width, self.height, self.covered | spot.covered(double), ends)

    def _has_room(self, cells: Cells) -> bool:
        inside = all(0 <= x < 2 * self.width and 0 <= y < 2 * self.height for x, y in cells)
        return inside and not cells & self.covered


def empty_board(size: tuple[int, int] | None) -> Board | None:
    """An empty table of so many half-tiles; None for one without bounds."""
    return None if size is None else Board(*size, frozenset(), {})


def fitting(board: Board | None, left: int, right: int) -> int:
    """Mask of the tiles that fit an end."""
    mask = 0
    for tile, halves in enumerate(HALVES):
        for end, value in (("l", left), ("r", right)):
            if value in halves and (board is None or board.directions(tile, end)):
                mask |= 1 << tile
    return mask
