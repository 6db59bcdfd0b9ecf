"""The tables of Draw, naively: a set of quarter-cells that are covered.

A cell is a pair (x, y), x to the right and y upwards, (0, 0) in the lower left corner of the table. Tables are never
changed: laying a tile makes a new one.
"""

from __future__ import annotations

from typing import NamedTuple

Tile = tuple[int, int]
Cell = tuple[int, int]
Vector = tuple[int, int]

LEFT_OF_TABLE: Vector = (-1, 0)
RIGHT_OF_TABLE: Vector = (1, 0)


def times(n: int, vector: Vector) -> Vector:
    return (n * vector[0], n * vector[1])


def moved(cells: set[Cell], by: Vector) -> set[Cell]:
    return {(x + by[0], y + by[1]) for x, y in cells}


def left_of(heading: Vector) -> Vector:
    """The direction to the left of a heading, seen from above: left of rightwards is upwards."""
    x, y = heading
    return (-y, x)


def right_of(heading: Vector) -> Vector:
    x, y = heading
    return (y, -x)


def widened(half: set[Cell], heading: Vector) -> set[Cell]:
    """A tile across the heading whose middle is this square of 2 x 2: "2 deep, 4 wide"."""
    return moved(half, left_of(heading)) | half | moved(half, right_of(heading))


class TableEnd(NamedTuple):
    """An end: its square of 2 x 2 (the end half; of a double, the middle), its heading, whether it is a double."""

    half: frozenset[Cell]
    heading: Vector
    is_double: bool


class Anywhere:
    """A table without bounds: "no geometry at all"."""

    is_finite = False

    def directions(self, tile: Tile, end: str) -> list[str | None]:
        return [None]

    def lay_first(self, tile: Tile) -> Anywhere:
        return self

    def lay(self, tile: Tile, end: str, direction: str | None) -> Anywhere:
        return self

    def is_closed(self, end: str) -> bool:
        return False


class Board:
    """A table of so many half-tiles by so many."""

    is_finite = True

    def __init__(
        self, width: int, height: int, covered: frozenset[Cell] = frozenset(), ends: dict[str, TableEnd] | None = None
    ) -> None:
        # "the table is a grid of 2W x 2H quarter-cells, a tile covers 4 x 2 of them, each half 2 x 2."
        self.width, self.height = width, height
        self.covered = covered
        self.ends = ends or {}
        self.free: dict[tuple[bool, str], list[str | None]] = {}

    def has_room(self, cells: set[Cell]) -> bool:
        # "No tile may overlap another or leave the table; touching is no harm."
        on_table = all(0 <= x < 2 * self.width and 0 <= y < 2 * self.height for x, y in cells)
        return on_table and not cells & self.covered

    def lay_first(self, tile: Tile) -> Board:
        # "The first tile lies in the middle, horizontally, `left` to the left; a double lies across, vertically."
        assert not self.covered
        x, y = self.width, self.height
        if tile[0] == tile[1]:
            middle = {(x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y)}
            cells = widened(middle, RIGHT_OF_TABLE)
            left_half = right_half = frozenset(middle)
        else:
            right_half = frozenset({(x, y - 1), (x + 1, y - 1), (x, y), (x + 1, y)})
            left_half = frozenset(moved(set(right_half), times(2, LEFT_OF_TABLE)))
            cells = set(left_half | right_half)
        assert self.has_room(cells)
        # "Each end has an end half (for a double, the whole tile) and a heading, away from the tile before it"
        ends = {
            "left": TableEnd(left_half, LEFT_OF_TABLE, tile[0] == tile[1]),
            "right": TableEnd(right_half, RIGHT_OF_TABLE, tile[0] == tile[1]),
        }
        return Board(self.width, self.height, frozenset(cells), ends)

    def place(self, tile: Tile, end: str, direction: str) -> tuple[set[Cell], TableEnd] | None:
        """The cells of the tile there, and the end that it makes; None where that is no way to lay it."""
        half, heading, after_double = self.ends[end]
        if tile[0] == tile[1]:
            # "A double joined to an end lies across the heading, in front and centred on it (2 deep, 4 wide), and keeps
            # the heading;"
            if direction != "straight":
                return None
            middle = moved(set(half), times(2, heading))
            return widened(middle, heading), TableEnd(frozenset(middle), heading, True)
        if direction == "straight":
            # "goes straight on (its long side along the heading, its matching half in front of the end half)"; "a tile
            # joined to a double goes straight on from the middle of the double's far side."
            towards = heading
        elif after_double:
            return None
        else:
            # "or turns left or right (its matching half beside the end half, on that side, its long side across the
            # heading, which becomes its own heading)."
            towards = left_of(heading) if direction == "left" else right_of(heading)
        matching = moved(set(half), times(2, towards))
        other = moved(set(half), times(4, towards))
        return matching | other, TableEnd(frozenset(other), towards, False)

    def directions(self, tile: Tile, end: str) -> list[str | None]:
        """The free directions, in the order in which a strategy that does not choose takes them."""
        # `place` asks of a tile only whether it is a double, and strategies ask for many tiles
        kind = tile[0] == tile[1], end
        if kind not in self.free:
            self.free[kind] = self.look_for_directions(tile, end)
        return self.free[kind]

    def look_for_directions(self, tile: Tile, end: str) -> list[str | None]:
        free: list[str | None] = []
        # "gets straight on if free, else left, else right"
        for direction in ("straight", "left", "right"):
            placed = self.place(tile, end, direction)
            if placed is not None and self.has_room(placed[0]):
                free.append(direction)
        return free

    def lay(self, tile: Tile, end: str, direction: str | None) -> Board:
        assert direction in self.directions(tile, end)
        placed = self.place(tile, end, str(direction))
        assert placed is not None
        cells, new_end = placed
        assert len(cells) == 8
        return Board(self.width, self.height, self.covered | cells, {**self.ends, end: new_end})

    def is_closed(self, end: str) -> bool:
        """Whether no tile at all could be laid there: no other, and no double (two doubles never meet)."""
        double, other = (0, 0), (1, 0)
        no_double = self.ends[end].is_double or not self.directions(double, end)
        return no_double and not self.directions(other, end)


def new_table(size: str) -> Anywhere | Board:
    # "Option `table = WxH` (default unbounded: no geometry at all), W and H in half-tiles, each at least 2"
    if size == "unbounded":
        return Anywhere()
    width, height = (int(part) for part in size.split("x"))
    assert width >= 2 and height >= 2
    return Board(width, height)
