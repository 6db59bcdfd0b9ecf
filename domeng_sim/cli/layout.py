"""Sections of figures as lines of text that fit a width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from domeng_sim.analysis.metrics import Row, Section
from domeng_sim.cli.numbers import Glyphs, cell, decimals, largest_error, one_in, rounded

GAP: Final = 3
"""Columns between two sections that stand side by side."""

LEAST_BAR: Final = 8
"""Where there is no room for a bar of this length it is left out."""

LONGEST_BAR: Final = 20
"""In columns; with eighths of a column that shows differences of 0.6 % of the longest."""

TITLE, NOTE, ERROR, BAR, ODDS = "bold", "dim", "dim", "cyan", "yellow"


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
        lines.append(Text(""))
        for number in range(max(len(block.lines) for block in row)):
            line = Text("")
            for block in row:
                part = block.lines[number].copy() if number < len(block.lines) else Text("")
                part.pad_right(block.width + GAP - part.cell_len)
                line.append_text(part)
            lines.append(line)
    return lines


def section_block(section: Section, width: int, glyphs: Glyphs, *, notes: bool = True) -> Block:
    """A section as lines of at most `width` columns."""
    draw = {"bars": _bars, "histogram": _bars, "spread": _spread, "table": _table}[section.layout]
    lines = draw(section, width, glyphs)
    if notes and section.note:
        room = min(width, max(60, *(line.cell_len for line in lines)))
        lines += [Text(part, NOTE) for part in textwrap.wrap(section.note, room)]
    return Block(tuple(lines))


def _unit(row: Row) -> str:
    """Unit beside a number: ``% of rounds`` for a share."""
    return row.estimate.unit.replace("share of", "% of", 1) if row.kind == "share" else row.estimate.unit


def _title(section: Section, width: int) -> Text:
    """Title of a section, with the unit if all its figures have the same, no label says it, and there is room."""
    units = {_unit(row) for row in section.rows}
    title = Text(section.title, TITLE)
    if len(units) == 1 and not units & set(section.labels):
        unit = f"  {units.pop()}"
        if title.cell_len + len(unit) <= width:
            title.append(unit, NOTE)
    return title


def _short(text: str, width: int, glyphs: Glyphs) -> str:
    return text if len(text) <= width else text[: max(width - len(glyphs.more), 0)] + glyphs.more


def _seen(section: Section) -> list[Row]:
    """Rows of a distribution without those before the first and behind the last that was seen."""
    rows = list(section.rows)
    seen = [number for number, row in enumerate(rows) if row.estimate.value]
    return rows[seen[0] : seen[-1] + 1] if seen else rows[:1]


def _bars(section: Section, width: int, glyphs: Glyphs) -> list[Text]:
    """A line for each row: label, figure, odds if it is rare, bar."""
    rows = _seen(section) if section.layout == "histogram" else list(section.rows)
    texts = glyphs.aligned([cell(row.estimate, row.kind, glyphs) for row in rows])
    odds = [one_in(row.estimate) for row in rows]
    label_width = min(max(len(row.label) for row in rows), max(width // 2, 8))
    used = label_width + 2 + max(map(len, texts))
    odds_width = max(map(len, odds))
    if odds_width and used + 2 + odds_width <= width:
        used += 2 + odds_width
    else:
        odds_width = 0
    bar_width = min(width - used - 2, LONGEST_BAR)
    top = max((row.estimate.value or 0.0) for row in rows)
    lines = [_title(section, width)]
    for row, text, rare in zip(rows, texts, odds, strict=True):
        line = Text(_short(row.label, label_width, glyphs).ljust(label_width + 2))
        line.append_text(_figure(text))
        if odds_width:
            line.append(" " * (used - odds_width - line.cell_len) + rare.ljust(odds_width), ODDS)
        if bar_width >= LEAST_BAR and top:
            line.append("  " + glyphs.bar((row.estimate.value or 0.0) / top, bar_width), BAR)
        lines.append(line)
    return lines


def _figure(text: str) -> Text:
    """A figure with its error in another style."""
    value, error = Glyphs.split(text)
    return Text(value).append(error, ERROR)


def _spread(section: Section, width: int, glyphs: Glyphs) -> list[Text]:
    """A picture of a distribution for each column, with the place and height of its top."""
    columns = section.columns
    bins = list(dict.fromkeys(row.label for row in _seen(section)))
    label_width = max(map(len, columns)) + 2 if any(columns) else 0
    tops = {}
    for column in columns:
        best = max((section.cells[label, column] for label in bins), key=lambda row: row.estimate.value or 0.0)
        tops[column] = f"  top {cell(best.estimate, best.kind, glyphs)} at {best.label}"
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
            line = Text(column.ljust(label_width) if number == height - 1 else " " * label_width)
            line.append(part, BAR)
            if number == height - 1:
                line.append(tops[column], NOTE)
            lines.append(line)
    axis, reach = "", wide * len(groups)
    for number, group in enumerate(groups):
        at = wide * number + (wide - 1) // 2
        mark = group[0]
        if int(mark) % (5 * together) == 0 and at >= len(axis) + bool(axis) and at + len(mark) <= max(reach, len(mark)):
            axis = axis.ljust(at) + mark
    lines.append(Text(" " * label_width + axis, NOTE))
    return lines


def _table(section: Section, width: int, glyphs: Glyphs) -> list[Text]:
    """Rows and columns; if there is only one column, the unit stands beside the figure."""
    if section.columns == ("",):
        return _list(section, width, glyphs)
    title = _title(section, width)
    for together in (False, True):
        lines = _grid(section, title, section.columns, width, glyphs, together=together)
        if lines is not None:
            return lines
    # Too many columns for this terminal: as many at a time as there is room for.
    found, rest = [], list(section.columns)
    while rest:
        n = len(rest)
        while (part := _grid(section, title, rest[:n], width, glyphs, together=True, forced=n == 1)) is None:
            n -= 1
        found += part
        title, rest = Text(""), rest[n:]
    return found


def _list(section: Section, width: int, glyphs: Glyphs) -> list[Text]:
    rows = section.rows
    texts = glyphs.aligned([cell(row.estimate, row.kind, glyphs) for row in rows])
    label_width = min(max(len(row.label) for row in rows), max(width // 2, 8))
    used = label_width + 2 + max(map(len, texts)) + 2
    lines = [Text(section.title, TITLE)]
    for row, text in zip(rows, texts, strict=True):
        line = Text(_short(row.label, label_width, glyphs).ljust(label_width + 2)).append_text(_figure(text))
        unit = _unit(row)
        if used + len(unit) <= width:
            line.append(" " * (used - line.cell_len) + unit, NOTE)
        lines.append(line)
    return lines


def _grid(
    section: Section,
    title: Text,
    columns: Sequence[str],
    width: int,
    glyphs: Glyphs,
    *,
    together: bool,
    forced: bool = False,
) -> list[Text] | None:
    """Lines of a table of some columns, or None if it is too wide and not `forced`.

    With `together`, a last column tells the largest error of each row instead of every cell its own.
    """
    one_unit = len({_unit(row) for row in section.rows}) == 1
    heads = [*columns, glyphs.plus_minus] if together else list(columns)
    body = [_cells(section, label, columns, glyphs, together) for label in section.labels]
    if together and not any(texts[-1] for texts in body):
        # quantiles tell their intervals themselves
        heads, body = heads[:-1], [texts[:-1] for texts in body]
    names = [label + ("" if one_unit else _percent(section, label)) for label in section.labels]
    for position in range(len(heads)):
        aligned = glyphs.aligned([texts[position] for texts in body], by_point=one_unit)
        for texts, text in zip(body, aligned, strict=True):
            texts[position] = text
    sizes = [max(len(head), *(len(texts[k]) for texts in body)) for k, head in enumerate(heads)]
    label_width = max(map(len, names))
    room = width - sum(size + 2 for size in sizes)
    if label_width > room:
        if not (forced or (together and room >= 16)):
            return None
        label_width = max(room, 4)
    head = "".join("  " + head.rjust(size) for head, size in zip(heads, sizes, strict=True))
    if title.cell_len <= max(label_width, room):
        label_width = max(label_width, title.cell_len)
        lines = [title + Text(" " * (label_width - title.cell_len) + head, NOTE)]
    else:
        lines = [title, Text(" " * label_width + head, NOTE)]
    for name, texts in zip(names, body, strict=True):
        line = Text(_short(name, label_width, glyphs).ljust(label_width))
        for text, size in zip(texts, sizes, strict=True):
            line.append_text(Text("  ") + _figure(text.rjust(size)))
        lines.append(line)
    return lines


def _cells(section: Section, label: str, columns: Sequence[str], glyphs: Glyphs, together: bool) -> list[str]:
    """Cells of a row of a table; see `_grid`."""
    row = [section.cells.get((label, column)) for column in columns]
    reach = largest_error((item.estimate, item.kind) for item in row if item is not None)
    if not together:
        return ["" if item is None else cell(item.estimate, item.kind, glyphs, bare=True) for item in row]
    if all(item is None or item.estimate.kind == "not-estimable" for item in row):
        texts = ["" if item is None else cell(item.estimate, item.kind, glyphs, bare=True) for item in row]
        return [*(Glyphs.split(text)[0].rstrip() for text in texts), "?"]
    places = decimals(reach) if reach else None
    texts = ["" if item is None else cell(item.estimate, item.kind, glyphs, bare=True, places=places) for item in row]
    return [*texts, "" if places is None else rounded(reach, places)]


def _percent(section: Section, label: str) -> str:
    return " %" if all(row.kind == "share" for row in section.rows if row.label == label) else ""
