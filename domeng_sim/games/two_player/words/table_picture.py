"""How a finite table is drawn."""

from __future__ import annotations

from typing import NamedTuple

from domeng_sim.games.shared.narrative import Look
from domeng_sim.games.shared.pictures import Canvas, strokes
from domeng_sim.games.two_player.placement import Placement

_HEADINGS = {(1, 0): ("→", ">", "to the right"), (-1, 0): ("←", "<", "to the left"),
             (0, 1): ("↑", "^", "upwards"), (0, -1): ("↓", "v", "downwards")}  # fmt: skip
_CLOSED = ("×", "x")


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
    cells = placement.covered
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
