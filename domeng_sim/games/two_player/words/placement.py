"""Where the tiles lie on a finite table, and how that is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from domeng_sim.core.tiles import HALVES
from domeng_sim.games.shared.narrative import Look
from domeng_sim.games.shared.pictures import Canvas, strokes

Vector = tuple[int, int]

DIRECTIONS = ("straight", "left", "right")
_HEADINGS = {(1, 0): ("→", ">", "to the right"), (-1, 0): ("←", "<", "to the left"),
             (0, 1): ("↑", "^", "upwards"), (0, -1): ("↓", "v", "downwards")}  # fmt: skip
_CLOSED = ("×", "x")


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
    """

    width: int
    height: int
    tiles: tuple[Laid, ...] = ()
    ends: Mapping[str, TableEnd] = {}

    def led(self, tile: int) -> Placement:
        """With the first tile, in the middle."""
        hi, lo = HALVES[tile]
        x, y = self.width, self.height
        if hi == lo:
            middle = (x - 1, y - 1)
            laid = Laid(Half((x - 1, y), hi), Half((x - 1, y - 2), hi))
            left = TableEnd(middle, (-1, 0), True, hi, 0)
            return self._replace(tiles=(laid,), ends={"left": left, "right": left._replace(heading=(1, 0))})
        laid = Laid(Half((x - 2, y - 1), lo), Half((x, y - 1), hi))
        ends = {
            "left": TableEnd(laid.first.at, (-1, 0), False, lo, 0),
            "right": TableEnd(laid.second.at, (1, 0), False, hi, 0),
        }
        return self._replace(tiles=(laid,), ends=ends)

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
        covered = frozenset[Vector]().union(*(laid.cells for laid in self.tiles))
        found = []
        for direction in DIRECTIONS:
            way = self._laid(tile, end, direction)
            if way is not None and not way[0].cells & covered and all(map(self._is_inside, way[0].cells)):
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
        return self._replace(tiles=(*self.tiles, way[0]), ends={**self.ends, end: way[1]})

    def is_closed(self, end: str) -> bool:
        """Whether no tile can ever be joined: none that fits and does not lie on the table already has room."""
        value = self.ends[end].value
        lying = {frozenset(half.value for half in laid) for laid in self.tiles}
        # all singles take the same room
        of_shape = {hi == lo: n for n, (hi, lo) in enumerate(HALVES) if value in (hi, lo) and {hi, lo} not in lying}
        return not any(self.free(tile, end) for tile in of_shape.values())


def ends_line(placement: Placement) -> str:
    """Where the ends are and where they head."""
    texts = []
    for name, end in placement.ends.items():
        closed = ", closed" if placement.is_closed(name) else ""
        texts.append(f"{name} end {end.value} {_HEADINGS[end.heading][2]}{closed}")
    return "; ".join(texts)


class _Scale(NamedTuple):
    """Characters of a quarter-cell, and of a half between its outlines."""

    pitch: int
    inner: int


_WIDE, _NARROW = _Scale(2, 3), _Scale(1, 1)


def table_lines(placement: Placement, look: Look) -> list[str]:
    """The table as it lies, cropped to what is used, its edges where they are near.

    A half is four characters wide and two lines high where that fits, else two wide; tiles that touch share an outline.
    The newest tile has a heavy outline. Where there is room, an end shows L or R, its value and where it heads, or a
    cross if it is closed.

    Parameters
    ----------
    placement
        The tiles.
    look
        How it is drawn; what is wider or higher is cut around the newest tile.
    """
    if not placement.tiles:
        return []
    cells = frozenset[Vector]().union(*(laid.cells for laid in placement.tiles))
    low_x, high_x = min(x for x, _ in cells), max(x for x, _ in cells) + 1
    low_y, high_y = min(y for _, y in cells), max(y for _, y in cells) + 1
    # an edge is shown where less than a tile's length is free before it
    low_x, low_y = (0 if low_x < 4 else low_x), (0 if low_y < 4 else low_y)
    high_x = 2 * placement.width if high_x > 2 * placement.width - 4 else high_x
    high_y = 2 * placement.height if high_y > 2 * placement.height - 4 else high_y
    scale = _WIDE if _WIDE.pitch * (high_x - low_x) + 3 <= look.width else _NARROW
    canvas = _drawn(placement, look, scale)
    # one more on each side for the edge
    columns = [scale.pitch * low_x - 1, scale.pitch * high_x + 1]
    rows = [-high_y - 1, -low_y + 1]
    newest = placement.tiles[-1]
    middle = (
        scale.pitch * (newest.first.at[0] + newest.second.at[0] + 2) // 2,
        -(newest.first.at[1] + newest.second.at[1] + 2) // 2,
    )
    shown_columns = _window(columns, middle[0], look.width)
    shown_rows = _window(rows, middle[1], look.height)
    lines = canvas.lines((shown_columns[0], shown_columns[1]), (shown_rows[0], shown_rows[1]))
    lines = _marked(lines, columns, shown_columns, look)
    above, below = shown_rows[0] > rows[0], shown_rows[1] < rows[1]
    while lines and not lines[0] and not above:
        lines.pop(0)
    while lines and not lines[-1] and not below:
        lines.pop()
    more = "..." if look.ascii else "…"
    if above:
        lines[0] = f"{more} more above"
    if below:
        lines[-1] = f"{more} more below"
    return lines


def _marked(lines: list[str], span: list[int], shown: list[int], look: Look) -> list[str]:
    """Lines with a mark where they go on outside what is shown."""
    left, right = ("<", ">") if look.ascii else ("‹", "›")
    width = shown[1] - shown[0] + 1
    if shown[0] > span[0]:
        lines = [left + line[1:] if line else line for line in lines]
    if shown[1] < span[1]:
        lines = [line[: width - 1] + right if len(line) >= width else line for line in lines]
    return lines


def _window(span: list[int], middle: int, room: int) -> list[int]:
    """The part of a span that is shown."""
    if room <= 0 or span[1] - span[0] < room:
        return span
    first = min(max(middle - room // 2, span[0]), span[1] - room + 1)
    return [first, first + room - 1]


def _drawn(placement: Placement, look: Look, scale: _Scale) -> Canvas:
    """The whole table; row -y holds the line above quarter-cells y - 1."""
    canvas = Canvas()
    right, top = scale.pitch * 2 * placement.width, -2 * placement.height
    line, side, corners = ("=", "!", "####") if look.ascii else ("═", "║", "╔╗╚╝")
    for row, ends in ((top - 1, corners[:2]), (1, corners[2:])):
        canvas.put(-1, row, ends[0] + line * (right + 1) + ends[1])
    for row in range(top, 1):
        canvas.put(-1, row, side)
        canvas.put(right + 1, row, side)
    texts = _half_texts(placement, look, scale)
    for number, laid in enumerate(placement.tiles):
        marks = strokes(look, number == len(placement.tiles) - 1, touching=True)
        column, row = scale.pitch * laid.first.at[0], -laid.first.at[1] - 2
        draw = canvas.flat_tile if laid.is_flat else canvas.upright_tile
        draw(column, row, (texts[number, 0], texts[number, 1]), marks)
    return canvas


def _half_texts(placement: Placement, look: Look, scale: _Scale) -> dict[tuple[int, int], str]:
    """What stands in each half, by number of the tile and of the half."""
    texts = {
        (number, k): str(half.value).center(scale.inner)
        for number, laid in enumerate(placement.tiles)
        for k, half in enumerate(laid)
    }
    if scale.inner < 3:
        return texts
    for name, end in placement.ends.items():
        halves = placement.tiles[end.tile]
        k = next((k for k, half in enumerate(halves) if half.at == end.square), int(name == "right"))
        arrow = _CLOSED[look.ascii] if placement.is_closed(name) else _HEADINGS[end.heading][look.ascii]
        texts[end.tile, k] = f"{name[0].upper()}{end.value}{arrow}"
    return texts
