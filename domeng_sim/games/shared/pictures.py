"""Tiles drawn with characters: chains in rows, and whatever a game lays on a `Canvas`."""

from __future__ import annotations

from typing import NamedTuple

from domeng_sim.core.tiles import HALVES
from domeng_sim.games.shared.narrative import Look

_ACROSS_FROM = 60
"""Columns from which doubles lie across; in fewer, chains take more rows and each is to be low."""


_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_ARMS = {
    "─": _LEFT | _RIGHT, "│": _UP | _DOWN,
    "┌": _DOWN | _RIGHT, "┐": _DOWN | _LEFT, "└": _UP | _RIGHT, "┘": _UP | _LEFT,
    "├": _UP | _DOWN | _RIGHT, "┤": _UP | _DOWN | _LEFT, "┬": _DOWN | _LEFT | _RIGHT, "┴": _UP | _LEFT | _RIGHT,
    "┼": _UP | _DOWN | _LEFT | _RIGHT,
}  # fmt: skip
_OF_ARMS = {arms: character for character, arms in _ARMS.items()}


class Strokes(NamedTuple):
    """Characters of which a tile's outline is made.

    Attributes
    ----------
    h, v
        Horizontal and vertical line.
    corners
        Upper left and right, lower left and right.
    ends_h
        Where the line across an upright tile begins and ends.
    ends_v
        Where the line down a flat tile begins and ends.
    inner_h, inner_v
        Those lines.
    """

    h: str
    v: str
    corners: str
    ends_h: str
    ends_v: str
    inner_h: str
    inner_v: str


def strokes(look: Look, is_newest: bool, touching: bool = False) -> Strokes:
    """How a tile is outlined: the newest one heavily.

    Parameters
    ----------
    look
        How tiles are drawn.
    is_newest
        Whether it is the newest.
    touching
        Whether tiles share their outlines; then the line between halves is another than that between tiles.
    """
    marks = _strokes(look, is_newest)
    if not touching:
        return marks
    inner = (".", ":") if look.ascii else ("╌", "┊")
    return marks._replace(ends_h=marks.v * 2, ends_v=marks.h * 2, inner_h=inner[0], inner_v=inner[1])


def _strokes(look: Look, is_newest: bool) -> Strokes:
    if look.ascii:
        return (
            Strokes("=", "#", "####", "##", "##", "-", "|")
            if is_newest
            else Strokes("-", "|", "++++", "++", "++", "-", "|")
        )
    if is_newest:
        return Strokes("━", "┃", "┏┓┗┛", "┠┨", "┯┷", "─", "│")
    return Strokes("─", "│", "┌┐└┘", "├┤", "┬┴", "─", "│")


class Canvas:
    """Characters at columns and rows; outlines that meet are joined, else what is drawn later covers what was there."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], str] = {}

    def put(self, column: int, row: int, text: str) -> None:
        """Write a text from left to right."""
        for k, character in enumerate(text):
            at = column + k, row
            self._cells[at] = _met(self._cells.get(at, " "), character)

    def flat_tile(self, column: int, row: int, halves: tuple[str, str], marks: Strokes) -> None:
        """Draw a tile that lies horizontally, three rows high; each half is as wide as its text."""
        a, b = halves
        top, bottom = marks.corners[:2], marks.corners[2:]
        for at, corners, middle in ((row, top, marks.ends_v[0]), (row + 2, bottom, marks.ends_v[1])):
            self.put(column, at, f"{corners[0]}{marks.h * len(a)}{middle}{marks.h * len(b)}{corners[1]}")
        self.put(column, row + 1, f"{marks.v}{a}{marks.inner_v}{b}{marks.v}")

    def upright_tile(self, column: int, row: int, halves: tuple[str, str], marks: Strokes) -> None:
        """Draw a tile that lies vertically, five rows high, the first half on top."""
        a, b = halves
        size = len(a)
        for at, sides, line in (
            (row, marks.corners[:2], marks.h),
            (row + 2, marks.ends_h, marks.inner_h),
            (row + 4, marks.corners[2:], marks.h),
        ):
            self.put(column, at, f"{sides[0]}{line * size}{sides[1]}")
        self.put(column, row + 1, f"{marks.v}{a}{marks.v}")
        self.put(column, row + 3, f"{marks.v}{b}{marks.v}")

    def lines(self, columns: tuple[int, int] | None = None, rows: tuple[int, int] | None = None) -> list[str]:
        """The lines of a part of the canvas, or of all that was drawn; first and last are included.

        Parameters
        ----------
        columns, rows
            First and last; None for those that something was drawn in.
        """
        if not self._cells:
            return []
        left, right = columns or (min(x for x, _ in self._cells), max(x for x, _ in self._cells))
        top, bottom = rows or (min(y for _, y in self._cells), max(y for _, y in self._cells))
        return [
            "".join(self._cells.get((x, y), " ") for x in range(left, right + 1)).rstrip()
            for y in range(top, bottom + 1)
        ]


def _met(there: str, new: str) -> str:
    """The character of two outlines in one place."""
    if there in _ARMS and new in _ARMS:
        return _OF_ARMS[_ARMS[there] | _ARMS[new]]
    if there in "-|+" and new in "-|+":
        return new if there == new else "+"
    return new


class Chain(NamedTuple):
    """A chain of tiles from its left end to its right end.

    Attributes
    ----------
    halves
        The halves of each tile as they lie, from left to right.
    newest
        Position of the tile played last; -1 where none is.
    """

    halves: tuple[tuple[int, int], ...] = ()
    newest: int = -1

    @property
    def ends(self) -> tuple[int, int]:
        """Values of the left and the right end; -1 before the first tile."""
        return (self.halves[0][0], self.halves[-1][1]) if self.halves else (-1, -1)

    def led(self, tile: int) -> Chain:
        """With the first tile."""
        hi, lo = HALVES[tile]
        return Chain(((lo, hi),), 0)

    def joined(self, tile: int, end: str) -> Chain:
        """With another tile at the end ``left`` or ``right``.

        Raises
        ------
        ValueError
            If it does not fit.
        """
        hi, lo = HALVES[tile]
        value = self.ends[end == "right"]
        if value not in (hi, lo):
            raise ValueError(f"[{hi}|{lo}] does not fit {value}")
        other = lo if value == hi else hi
        if end == "right":
            return Chain((*self.halves, (value, other)), len(self.halves))
        return Chain(((other, value), *self.halves), 0)


def chain_lines(chain: Chain, look: Look) -> list[str]:
    """Lines that show a chain, in as many rows as it takes; arrows lead from each row to the next.

    Doubles lie across where there is room. The newest tile has a heavy outline.

    Parameters
    ----------
    chain
        The chain.
    look
        How it is drawn.
    """
    rows, newest = _chain_rows(chain, look, across=look.width >= _ACROSS_FROM)
    if look.height and sum(map(len, rows)) > look.height:
        rows, newest = _chain_rows(chain, look, across=False)
        # the rows before or after those that fit are left out; their arrows tell of them
        while len(rows) > 1 and sum(map(len, rows)) > look.height:
            if newest > len(rows) // 2:
                rows, newest = rows[1:], newest - 1
            else:
                rows = rows[:-1]
    return [line for row in rows for line in row]


def _chain_rows(chain: Chain, look: Look, across: bool) -> tuple[list[list[str]], int]:
    """Lines of each row of a chain, and the row with the newest tile."""
    sizes = [3 if across and a == b else 5 for a, b in chain.halves]
    room = look.width - 4
    rows: list[list[int]] = []
    used = room
    for k, size in enumerate(sizes):
        if used + size > room:
            rows.append([])
            used = 0
        rows[-1].append(k)
        used += size
    arrow = ">" if look.ascii else "→"
    drawn = []
    for number, row in enumerate(rows):
        canvas, column = Canvas(), 2
        is_high = any(sizes[k] == 3 for k in row)
        for k in row:
            a, b = (str(half) for half in chain.halves[k])
            marks = strokes(look, k == chain.newest)
            if sizes[k] == 3:
                canvas.upright_tile(column, 0, (a, b), marks)
            else:
                canvas.flat_tile(column, int(is_high), (a, b), marks)
            column += sizes[k]
        middle = 2 if is_high else 1
        if number:
            canvas.put(0, middle, arrow)
        if number < len(rows) - 1:
            canvas.put(column + 1, middle, arrow)
        drawn.append(canvas.lines(columns=(0, column + 1)))
    return drawn, next((number for number, row in enumerate(rows) if chain.newest in row), 0)
