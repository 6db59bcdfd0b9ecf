"""Sections of figures as lines of text that fit a width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rich.text import Text

from domeng_sim.analysis.format import Shown, one_in, shared_error, shown, unit_of
from domeng_sim.analysis.metrics import Row, Section
from domeng_sim.cli.grid import (
    BAR,
    ERROR,
    LEAST_NAME,
    LEAST_TEXT,
    NOTE,
    ODDS,
    TITLE,
    GridColumn,
    aligned,
    blank,
    grid,
    lines_of,
    width_of,
)
from domeng_sim.cli.numbers import Glyphs, folded

GAP: Final = 3
"""Columns between two sections that stand side by side."""

LEAST_BAR: Final = 8
"""Where there is no room for a bar of this length it is left out."""

LONGEST_BAR: Final = 20
"""In columns; with eighths of a column that shows differences of 0.6 % of the longest."""


@dataclass(frozen=True)
class Block:
    """Lines that stay together."""

    lines: tuple[Text, ...]

    @property
    def width(self) -> int:
        """Columns of the longest line."""
        return max((line.cell_len for line in self.lines), default=0)


def side_by_side(blocks: Iterable[Block], width: int) -> list[Text]:
    """Lines of all blocks, as many in a row as there is room for, an empty line between the rows."""
    rows: list[list[Block]] = []
    for block in blocks:
        if rows and sum(other.width + GAP for other in rows[-1]) + block.width <= width:
            rows[-1].append(block)
        else:
            rows.append([block])
    lines: list[Text] = []
    for row in rows:
        table = blank(GAP)
        for block in row:
            table.add_column(width=block.width, no_wrap=True)
        table.add_row(*(Text("\n").join(block.lines) for block in row))
        lines += [Text(""), *lines_of(table, 1 << 14)]
    return lines


def section_block(section: Section, width: int, glyphs: Glyphs, *, notes: bool = True) -> Block:
    """A section as lines of at most `width` columns."""
    draw = {"bars": _bars, "histogram": _bars, "spread": _spread, "table": _table}[section.layout]
    lines = draw(section, width, glyphs)
    if note := section.note if notes else section.left_out:
        room = min(width, max(60, *(line.cell_len for line in lines)))
        lines += [Text(part, NOTE) for part in folded(note, room)]
    return Block(tuple(lines))


def _unit(row: Row) -> str:
    """Unit beside a number: ``% of rounds`` for a share."""
    return unit_of(row.estimate.unit, row.kind)


def _title(section: Section, width: int) -> Text:
    """Title of a section, with the unit if all its figures have the same, no label says it, and there is room."""
    units = {_unit(row) for row in section.rows}
    title = Text.assemble((section.title, TITLE))
    if len(units) == 1 and not units & set(section.labels):
        unit = f"  {units.pop()}"
        if title.cell_len + len(unit) <= width:
            title.append(unit, NOTE)
    return title


def _seen(section: Section) -> list[Row]:
    """Rows of a distribution without those before the first and behind the last that was seen."""
    rows = list(section.rows)
    seen = [number for number, row in enumerate(rows) if row.estimate.value]
    return rows[seen[0] : seen[-1] + 1] if seen else rows[:1]


def _figures(rows: Sequence[Row], glyphs: Glyphs) -> GridColumn:
    return GridColumn(aligned([shown(row.estimate, row.kind) for row in rows], glyphs), left=True)


def _bars(section: Section, width: int, glyphs: Glyphs) -> list[Text]:
    """A line for each row: label, figure, odds if it is rare, bar."""
    rows = _seen(section) if section.layout == "histogram" else list(section.rows)
    columns = [GridColumn([row.label for row in rows], left=True), _figures(rows, glyphs)]
    odds = GridColumn([one_in(row.estimate) for row in rows], left=True, style=ODDS)
    if odds.size and width_of([*columns, odds]) <= width:
        columns.append(odds)
    room = min(width - width_of([*columns, GridColumn([""])]), LONGEST_BAR)
    parts = [row.estimate.value or 0.0 for row in rows]
    if room >= LEAST_BAR and any(parts):
        columns.append(GridColumn([glyphs.bar(part / max(parts), room) for part in parts], left=True, style=BAR))
    return [_title(section, width), *grid(columns, width, glyphs)]


def _spread(section: Section, width: int, glyphs: Glyphs) -> list[Text]:
    """A picture of a distribution for each column, with the place and height of its top."""
    columns = section.columns
    bins = list(dict.fromkeys(row.label for row in _seen(section)))
    label_width = max(map(len, columns)) + 2 if any(columns) else 0
    tops = {}
    for column in columns:
        best = max((section.cells[label, column] for label in bins), key=lambda row: row.estimate.value or 0.0)
        tops[column] = glyphs.text(f"  top {shown(best.estimate, best.kind)} at {best.label}")
    room = width - label_width - max(map(len, tops.values()))
    if room < len(bins):
        tops = dict.fromkeys(columns, "")
        room = width - label_width
    together = -(-len(bins) // max(room, 1))
    groups = [bins[start : start + together] for start in range(0, len(bins), together)]
    wide = max(1, min(3 if len(columns) == 1 else 2, room // len(groups)))
    height = 4 if len(columns) == 1 else 1
    lines = [_title(section, width)]
    for column in columns:
        values = [sum(section.cells[label, column].estimate.value or 0.0 for label in group) for group in groups]
        picture = glyphs.chart(values, wide, height)
        for number, part in enumerate(picture):
            is_last = number == height - 1
            name = column if is_last else ""
            lines.append(Text.assemble(name.ljust(label_width), (part, BAR), (tops[column] if is_last else "", NOTE)))
    axis, reach = "", wide * len(groups)
    for number, group in enumerate(groups):
        at = wide * number + (wide - 1) // 2
        mark = group[0]
        if int(mark) % (5 * together) == 0 and at >= len(axis) + bool(axis) and at + len(mark) <= max(reach, len(mark)):
            axis = axis.ljust(at) + mark
    return [*lines, Text(" " * label_width + axis, NOTE)]


def _table(section: Section, width: int, glyphs: Glyphs) -> list[Text]:
    """Rows and columns; if there is only one column, the unit stands beside the figure."""
    if section.columns == ("",):
        labels, units = [row.label for row in section.rows], [_unit(row) for row in section.rows]
        columns = [GridColumn(labels, left=True), _figures(section.rows, glyphs)]
        if width_of([*columns, GridColumn([" " * LEAST_TEXT])]) <= width:
            columns.append(GridColumn(units, left=True, style=NOTE, wraps=True))
        return [Text(section.title, TITLE), *grid(columns, width, glyphs)]
    columns = _columns(section, section.columns, glyphs, together=False)
    if _least_width(columns, columns[0].size) <= width:
        return grid([_titled(columns[0], section, width), *columns[1:]], width, glyphs)
    # one error for all columns of a row; if that is still too wide, as many columns at a time as there is room for
    found: list[Text] = []
    rest = section.columns
    while rest:
        n = len(rest)
        columns = _columns(section, rest, glyphs, together=True)
        while n > 1 and _least_width(columns, LEAST_NAME) > width:
            n -= 1
            columns = _columns(section, rest[:n], glyphs, together=True)
        room = width - _least_width(columns, 0)
        names = replace(columns[0], width=max(room, 4)) if columns[0].size > room else columns[0]
        columns[0] = names if found else _titled(names, section, width)
        found += grid(columns, width, glyphs)
        rest = rest[n:]
    return found


def _least_width(columns: Sequence[GridColumn], name: int) -> int:
    """How wide a table is whose names are cut to so many columns."""
    return width_of(columns) - columns[0].size + min(columns[0].size, name)


def _titled(names: GridColumn, section: Section, width: int) -> GridColumn:
    """The names of the rows below the title of their section."""
    return replace(names, head=_title(section, width))


def _columns(section: Section, heads: Sequence[str], glyphs: Glyphs, *, together: bool) -> list[GridColumn]:
    """Columns of a table, the names of its rows first.

    With `together`, a last column tells the largest error of each row instead of every cell its own.
    """
    labels, one_unit = section.labels, len({_unit(row) for row in section.rows}) == 1
    rows = [[section.cells.get((label, head)) for head in heads] for label in labels]
    shared: list[tuple[int | None, str]] = [(None, "")] * len(rows)
    if together:
        shared = [shared_error((row.estimate, row.kind) for row in found if row) for found in rows]
    columns = [GridColumn([label + ("" if one_unit else _percent(section, label)) for label in labels], left=True)]
    for number, head in enumerate(heads):
        cells = []
        for found, (places, error) in zip(rows, shared, strict=True):
            row = found[number]
            cell = shown(row.estimate, row.kind, unit="", places=places) if row else Shown("")
            cells.append(replace(cell, error="") if error == "?" else cell)
        columns.append(GridColumn(aligned(cells, glyphs, by_point=one_unit), head))
    errors = [error for _, error in shared]
    # quantiles tell their intervals themselves
    return [*columns, GridColumn(errors, glyphs.text("±"), style=ERROR)] if any(errors) else columns


def _percent(section: Section, label: str) -> str:
    return " %" if all(row.kind == "share" for row in section.rows if row.label == label) else ""
