"""Figures as people look at them: a small table in a notebook, a data frame, a chart of matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from domeng_sim.analysis.format import error_text, interval_text, percent_text, unit_of
from domeng_sim.analysis.look import printable
from domeng_sim.analysis.metrics import Row, Section
from domeng_sim.errors import BadInput, Unknown

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from matplotlib.axes import Axes

    from domeng_sim.analysis.charts import Chart

MOST_ROWS = 12
"""A small table shows so many rows; the data frame has all."""

WIDE = 540.0
"""Width of a chart in a notebook, in pixels."""


class Viewable:
    """A result made of sections of figures: shown as a small table, turned into a data frame, drawn."""

    fair: float | None = None
    """Value of the first section to compare with, such as the even share."""

    def sections_shown(self) -> Sequence[Section]:
        """What the small table shows."""
        raise NotImplementedError

    def sections_known(self) -> Sequence[Section]:
        """What there is."""
        return self.sections_shown()

    @property
    def heading(self) -> str:
        """What stands above the small table."""
        raise NotImplementedError

    def frame(self, section: str | None = None) -> pd.DataFrame:
        """Figures as a data frame.

        Parameters
        ----------
        section
            Key of a section; None for all of them.

        Returns
        -------
        DataFrame
            A row a figure, with the columns ``section``, ``key``, ``label``, ``column``, ``value``, ``low``, ``high``,
            ``unit``, ``events``.

        Raises
        ------
        Unknown
            If there is no such section; a `KeyError`.
        """
        chosen = [part for part in self.sections_known() if section in (None, part.key)]
        if not chosen:
            raise Unknown("section", section, [part.key for part in self.sections_known()])
        return frame_of(chosen)

    def to_arrow(self) -> pa.Table:
        """All figures as a table of Arrow."""
        import pyarrow as pa

        return pa.Table.from_pandas(self.frame(), preserve_index=False)

    def to_polars(self) -> pl.DataFrame:
        """All figures as a data frame of Polars; BadInput where that is not installed."""
        return as_polars(self.to_arrow())

    def plot(self, key: str | None = None, *, column: str | None = None, ax: Axes | None = None) -> Any:
        """Draw figures with their intervals.

        Parameters
        ----------
        key
            A section such as ``outcome``, a row of one such as ``seat.held``, or a figure such as ``outcome.ceki``;
            None for the first section.
        column
            The only column to draw, such as ``seat 0``; None for all.
        ax
            Axes of matplotlib to draw on; None for a new figure.

        Returns
        -------
        Axes
            Those drawn on; an array of them where columns stand side by side.

        Raises
        ------
        Unknown
            If there is no such key or column; a `KeyError`.
        BadInput
            If it cannot be drawn on one pair of axes; the message says what can.
        """
        sections = self.sections_known()
        key = sections[0].key if key is None else key
        section = chosen_section(sections, key, column)
        from domeng_sim.analysis.charts import chart_of

        charts = chart_of(section)
        if len(charts) > 1:
            rows = dict.fromkeys(row.key.rpartition(".")[0] for row in section.rows)
            names = rows if section.columns != ("",) else [row.key for row in section.rows]
            raise BadInput(f"{key} has figures of several units; name one of them: {', '.join(names)}")
        chart = charts[0]
        return drawn(self.compared(chart, key), ax)

    def compared(self, chart: Chart, key: str) -> Chart:
        """A chart with the value to compare with, where there is one."""
        return (
            replace(chart, fair=self.fair) if key == self.sections_known()[0].key and self.fair is not None else chart
        )

    def _repr_html_(self) -> str:
        return f"<p><b>{escape(printable(self.heading))}</b></p>{''.join(map(small_table, self.sections_shown()))}"


def frame_of(sections: Sequence[Section]) -> pd.DataFrame:
    """Figures of some sections as a data frame; see `Viewable.frame`."""
    import pandas as pd

    names = ("value", "low", "high", "unit", "events")
    rows = [
        (part.key, row.key, row.label, row.column, *(getattr(row.estimate, name) for name in names))
        for part in sections
        for row in part.rows
    ]
    found = pd.DataFrame(rows, columns=["section", "key", "label", "column", *names])
    return found.astype(dict.fromkeys(("value", "low", "high"), "float64"))


def chosen_section(sections: Sequence[Section], key: str, column: str | None) -> Section:
    """A section, or a part of one, by key and column; see `Viewable.plot`."""
    found = next((part for part in sections if part.key == key), None)
    for part in sections if found is None else ():
        rows = tuple(row for row in part.rows if row.key == key or row.key.startswith(f"{key}."))
        if rows:
            labels = list(dict.fromkeys(row.label for row in rows))
            title = f"{part.title}: {labels[0]}" if len(labels) == 1 and len(part.rows) > 1 else part.title
            columns = tuple(dict.fromkeys(row.column for row in rows))
            found = replace(part, key=key, title=title, rows=rows, columns=columns)
            break
    if found is None:
        keys = dict.fromkeys(part.key for part in sections)
        for row in (row for part in sections for row in part.rows):
            keys |= {row.key.rpartition(".")[0]: None, row.key: None}
        raise Unknown("figure", key, [name for name in keys if name])
    if column is None:
        return found
    if column not in found.columns:
        raise Unknown("column", column, found.columns)
    return replace(found, columns=(column,), rows=tuple(row for row in found.rows if row.column == column))


def drawn(chart: Chart, ax: Axes | None = None) -> Any:
    """Draw a chart on axes, or on a new figure of pyplot so that a notebook shows it; returns the axes."""
    from domeng_sim.analysis.draw import draw, fill
    from domeng_sim.analysis.picture_files import style

    if ax is not None:
        if len(chart.facets) > 1:
            names = ", ".join(facet.title for facet in chart.facets)
            raise BadInput(f"one pair of axes has room for one column; name it by column: {names}")
        with style():
            draw(ax, chart, chart.facets[0])
        return ax
    import matplotlib.pyplot as plt

    figure = plt.figure(layout="constrained")  # before the style: a backend that is chosen now stays chosen after it
    with style():
        axes = fill(figure, chart, titled=True, width=WIDE)
        return axes[0] if len(axes) == 1 else np.array(axes, dtype=object)


def as_polars(table: pa.Table) -> pl.DataFrame:
    """A table as a data frame of Polars.

    Raises
    ------
    BadInput
        If Polars is not installed.
    """
    try:
        import polars
    except ImportError as error:
        raise BadInput("polars is not installed; install it by: pip install polars") from error
    return polars.DataFrame(table)


def small_table(section: Section) -> str:
    """Figures with their intervals as a small table of HTML."""
    columns = section.columns
    units = list(dict.fromkeys(unit_of(row.estimate.unit, row.kind) for row in section.rows))
    heads = [units[0] if len(units) == 1 and columns != ("",) else "", *(columns if columns != ("",) else ("", "unit"))]
    lines = ["".join(f"<th>{_text(head)}</th>" for head in heads)]
    for label in section.labels[:MOST_ROWS]:
        cells = [section.cells.get((label, column)) for column in columns]
        told = [_text(label), *("" if row is None else _cell(row) for row in cells)]
        if columns == ("",) and cells[0] is not None:
            told.append(_text(unit_of(cells[0].estimate.unit, cells[0].kind)))
        lines.append("".join(f"<td>{text}</td>" for text in told))
    more = len(section.labels) - MOST_ROWS
    rest = f"<p>{more} more rows in <code>.frame()</code></p>" if more > 0 else ""
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><caption>{_text(section.title)}</caption>{body}</table>{rest}"


def _text(text: str) -> str:
    return escape(printable(text))


def _cell(row: Row) -> str:
    if row.estimate.value is None and row.estimate.low is not None:  # of a sequential test
        return _text(interval_text(replace(row.estimate, value=row.estimate.low), row.kind))
    return f"{_text(percent_text(row.estimate, row.kind))} <small>{_text(error_text(row.estimate, row.kind))}</small>"
