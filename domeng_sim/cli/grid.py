"""Tables on a terminal, by rich: columns that never break inside a number, whatever the width."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from domeng_sim.analysis.format import Shown
from domeng_sim.cli.numbers import Glyphs

TITLE, NOTE, ERROR, BAR, ODDS = "bold", "dim", "dim", "cyan", "yellow"

GAP = 2
"""Columns between two columns of a table."""

LEAST_NAME = 16
"""To so many columns the names of the rows are wrapped before columns of figures give way."""

LEAST_TEXT = 16
"""To so many columns sentences are wrapped."""


@dataclass(frozen=True)
class GridColumn:
    """A column of a table.

    Attributes
    ----------
    cells
        One for each row.
    head
        What stands above; a table without heads has none of its own.
    left
        Whether the cells stand to the left.
    style
        Of the cells.
    wraps
        Whether the cells are sentences, which take the room that is left.
    width
        At how many columns names are wrapped; 0 for as many as they need.
    """

    cells: Sequence[str | Text]
    head: str | Text = ""
    left: bool = False
    style: str = ""
    wraps: bool = False
    width: int = 0

    @property
    def size(self) -> int:
        """How wide it is; of sentences, unwrapped."""
        return self.width or max(_size(text) for text in (self.head, *self.cells))


def _size(text: str | Text) -> int:
    return (text if isinstance(text, Text) else Text(text)).cell_len


@cache
def _ruler() -> Console:
    """A console that is printed on by nobody: it lays out."""
    return Console(file=io.StringIO(), width=1 << 14, color_system=None, legacy_windows=False)


def lines_of(table: RenderableType, width: int) -> list[Text]:
    """What rich makes of a table, line by line, without blanks at the ends."""
    options = _ruler().options.update_width(width)
    found = []
    for segments in _ruler().render_lines(table, options, pad=False):
        line = Text.assemble(*((segment.text, segment.style or "") for segment in segments))
        line.rstrip()
        found.append(line)
    return found


def blank(gap: int = GAP) -> Table:
    """A table without lines around it."""
    return Table(box=None, show_header=False, pad_edge=False, padding=(0, gap, 0, 0), header_style="")


def width_of(columns: Sequence[GridColumn], gap: int = GAP) -> int:
    """How wide a table is."""
    return sum(column.size for column in columns) + gap * (len(columns) - 1)


def grid(
    columns: Sequence[GridColumn],
    width: int,
    glyphs: Glyphs,
    *,
    head_style: str = NOTE,
    gap: int = GAP,
    above: Mapping[int, str] | None = None,
) -> list[Text]:
    """Lines of a table.  Columns for which there is no room stand below the others, with the names again.

    Parameters
    ----------
    columns
        The names of the rows, and what is told of each.
    width
        Columns of the terminal.
    glyphs
        What it is made of.
    head_style
        Style of the heads.
    gap
        Between two columns.
    above
        Lines that stand above a row, by its number: what the next rows have in common.
    """
    names, *rest = columns
    widest = max((column.size + gap for column in rest if not column.wraps), default=0)
    room = max(width - widest, min(LEAST_NAME, width))
    if above:
        names = replace(names, cells=[glyphs.short(str(cell), room) for cell in names.cells])
    elif max(map(_size, names.cells)) > room and not names.width:
        names = replace(names, width=room)
    groups: list[list[GridColumn]] = [[]]
    for column in rest:
        size = min(column.size, LEAST_TEXT) if column.wraps else column.size
        if groups[-1] and width_of([replace(names, head=""), *groups[-1]], gap) + gap + size > width:
            groups.append([])
        groups[-1].append(column)
    lines: list[Text] = []
    for group in groups:
        lines += _part([names, *group], width, head_style, gap, above or {})
        names = replace(names, head="")
    return lines


def _part(columns: list[GridColumn], width: int, head_style: str, gap: int, above: Mapping[int, str]) -> list[Text]:
    """Lines of some columns of a table; a head above the names for which there is no room has a line of its own."""
    fixed = [column for column in columns if not column.wraps]
    lines = []
    has_room = columns[0].width == 0 or _size(columns[0].head) <= columns[0].width
    if columns[0].head and (width_of(fixed, gap) > width or not has_room):
        lines.append(_styled(columns[0].head, head_style))
        columns[0] = fixed[0] = replace(columns[0], head="")
    used, table = width_of(fixed, gap), blank(gap)
    for column in columns:
        size = min(column.size, max(width - used - gap, LEAST_TEXT)) if column.wraps else column.size
        table.add_column(no_wrap=not (column.wraps or column.width), width=size, overflow="fold")
    has_heads = any(_size(column.head) for column in columns)
    if has_heads:
        table.add_row(*(_placed(column.head, column, head_style) for column in columns))
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*(_placed(cell, column, column.style) for cell, column in zip(row, columns, strict=True)))
    made = lines_of(table, 1 << 14)
    for number in sorted(above, reverse=True):
        made.insert(number + has_heads, Text(above[number], NOTE))
    return lines + made


def _styled(text: str | Text, style: str) -> Text:
    return text.copy() if isinstance(text, Text) else Text(text, style)


def _placed(text: str | Text, column: GridColumn, style: str) -> Text:
    """A cell, to the right by blanks of ours: rich drops those behind it that keep decimal points in line."""
    cell = _styled(text, style)
    if not column.left:
        cell.pad_left(column.size - cell.cell_len)
    return cell


def aligned(figures: Sequence[Shown], glyphs: Glyphs, *, by_point: bool = True) -> list[Text]:
    """Figures padded so that decimal points and errors stand below each other.

    Parameters
    ----------
    figures
        Of one column.
    glyphs
        What they are made of.
    by_point
        False where the figures have different units: then the last digits stand below each other.
    """
    values = [glyphs.text(one.figure) for one in figures]
    errors = [glyphs.text(one.error) for one in figures]
    places = [
        _point(glyphs.text(one.value)) if by_point else len(text) for one, text in zip(figures, values, strict=True)
    ]
    before = max(places, default=0)
    after = max((len(value) - place for value, place in zip(values, places, strict=True)), default=0)
    right = max(map(len, errors), default=0)
    found = []
    for value, place, error in zip(values, places, errors, strict=True):
        text = Text(" " * (before - place) + value + " " * (after - len(value) + place))
        found.append(text.append(" " + error.ljust(right) if right else "", ERROR))
    return found


def _point(value: str) -> int:
    """Place of the decimal point, or where it would be: behind the last digit."""
    return value.index(".") if "." in value else len(value)
