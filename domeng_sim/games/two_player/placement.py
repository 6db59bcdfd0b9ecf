"""Where the tiles lie on a finite table, in plain Python: a tile has a place there or not without the compiler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from domeng_sim.core.tiles import HALVES

Vector = tuple[int, int]

DIRECTIONS = ("straight", "left", "right")


def _turned(heading: Vector, direction: str) -> Vector:
    """A heading after a turn as seen from above; y grows upwards."""
    x, y = heading
    return {"straight": (x, y), "left": (-y, x), "right": (y, -x)}[direction]


def _add(at: Vector, by: Vector, times: int = 1) -> Vector:
    return at[0] + times * by[0], at[1] + times * by[1]


class Half(NamedTuple):
    """A half of a tile: 2 x 2 quarter-cells.

    Attributes
    ----------
    at
        Its lower left quarter-cell; x to the right, y upwards, (0, 0) in the lower left corner of the table.
    value
        Its pips.
    """

    at: Vector
    value: int

    @property
    def cells(self) -> frozenset[Vector]:
        """The quarter-cells that it covers."""
        x, y = self.at
        return frozenset({(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)})


class Laid(NamedTuple):
    """A tile as it lies.

    Attributes
    ----------
    first, second
        Its halves, the left or the upper one first.
    """

    first: Half
    second: Half

    @property
    def is_flat(self) -> bool:
        """Whether it lies horizontally."""
        return self.first.at[1] == self.second.at[1]

    @property
    def cells(self) -> frozenset[Vector]:
        """The quarter-cells that it covers."""
        return self.first.cells | self.second.cells


class TableEnd(NamedTuple):
    """An end of the chain.

    Attributes
    ----------
    square
        Lower left quarter-cell of the square from which it goes on: the end half, or the middle of a double.
    heading
        Away from the tile before it.
    is_double
        Whether a double lies there.
    value
        What fits.
    tile
        Position of its tile in `Placement.tiles`.
    """

    square: Vector
    heading: Vector
    is_double: bool
    value: int
    tile: int


class Placement(NamedTuple):
    """The tiles on a table, in the order in which they were laid.

    Attributes
    ----------
    width, height
        Size of the table in half-tiles.
    tiles
        As they lie.
    ends
        The ends ``left`` and ``right``; empty before the first tile.
    covered
        The quarter-cells on which tiles lie.
    """

    width: int
    height: int
    tiles: tuple[Laid, ...] = ()
    ends: Mapping[str, TableEnd] = {}
    covered: frozenset[Vector] = frozenset()

    def led(self, tile: int) -> Placement:
        """With the first tile, in the middle."""
        hi, lo = HALVES[tile]
        x, y = self.width, self.height
        if hi == lo:
            middle = (x - 1, y - 1)
            laid = Laid(Half((x - 1, y), hi), Half((x - 1, y - 2), hi))
            left = TableEnd(middle, (-1, 0), True, hi, 0)
            ends = {"left": left, "right": left._replace(heading=(1, 0))}
            return self._replace(tiles=(laid,), ends=ends, covered=laid.cells)
        laid = Laid(Half((x - 2, y - 1), lo), Half((x, y - 1), hi))
        ends = {
            "left": TableEnd(laid.first.at, (-1, 0), False, lo, 0),
            "right": TableEnd(laid.second.at, (1, 0), False, hi, 0),
        }
        return self._replace(tiles=(laid,), ends=ends, covered=laid.cells)

    def _laid(self, tile: int, end: str, direction: str) -> tuple[Laid, TableEnd] | None:
        """The tile there, and the end that it makes; None if that is no way to lay it, whether there is room or not."""
        here = self.ends[end]
        hi, lo = HALVES[tile]
        n = len(self.tiles)
        if hi == lo:
            if direction != "straight":
                return None
            middle, side = _add(here.square, here.heading, 2), _turned(here.heading, "left")
            halves = [Half(_add(middle, side), hi), Half(_add(middle, side, -1), hi)]
            made = TableEnd(middle, here.heading, True, hi, n)
        else:
            if direction != "straight" and here.is_double:
                return None
            heading = _turned(here.heading, direction)
            other = lo if here.value == hi else hi
            halves = [Half(_add(here.square, heading, 2), here.value), Half(_add(here.square, heading, 4), other)]
            made = TableEnd(halves[1].at, heading, False, other, n)
        first, second = sorted(halves, key=lambda half: (half.at[0], -half.at[1]))
        return Laid(first, second), made

    def free(self, tile: int, end: str) -> list[str]:
        """Directions in which there is room for a tile at an end, in the order in which they are taken."""
        found = []
        for direction in DIRECTIONS:
            way = self._laid(tile, end, direction)
            if way is not None and not way[0].cells & self.covered and all(map(self._is_inside, way[0].cells)):
                found.append(direction)
        return found

    def _is_inside(self, cell: Vector) -> bool:
        return 0 <= cell[0] < 2 * self.width and 0 <= cell[1] < 2 * self.height

    def joined(self, tile: int, end: str, direction: str) -> Placement:
        """With another tile.

        Raises
        ------
        ValueError
            If it cannot be laid so.
        """
        way = self._laid(tile, end, direction)
        if way is None:
            raise ValueError(f"a tile cannot be laid {direction} there")
        laid, made = way
        return self._replace(
            tiles=(*self.tiles, laid), ends={**self.ends, end: made}, covered=self.covered | laid.cells
        )

    def is_closed(self, end: str) -> bool:
        """Whether no tile can ever be joined: none that fits and does not lie on the table already has room."""
        value = self.ends[end].value
        lying = {frozenset((laid.first.value, laid.second.value)) for laid in self.tiles}
        # all singles take the same room
        of_shape = {hi == lo: n for n, (hi, lo) in enumerate(HALVES) if value in (hi, lo) and {hi, lo} not in lying}
        return not any(self.free(tile, end) for tile in of_shape.values())


def fitting(placement: Placement | None, left: int, right: int) -> int:
    """Mask of the tiles that fit an end; on a table without bounds, None, there is room everywhere."""
    mask = 0
    for tile, halves in enumerate(HALVES):
        for end, value in (("left", left), ("right", right)):
            if value in halves and (placement is None or placement.free(tile, end)):
                mask |= 1 << tile
    return mask
