"""What the pictures of a report show: which rows in which chart, side by side or over one another.

Data only: `analysis.draw` draws a chart, with matplotlib, once for pages, files and notebooks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from domeng_sim.analysis.format import scale_of, unit_of, well_known
from domeng_sim.analysis.look import printable
from domeng_sim.analysis.metrics import Row, Section
from domeng_sim.analysis.report import PlateReport, RunReport
from domeng_sim.games.shared.outline import Picture

ENOUGH: Final = 0.999
"""Part of a distribution that a picture shows; the table has all."""

TALL: Final = 2.5
"""A column so many times as high as all others is cut, and its number written on it: else nobody saw the others."""


@dataclass(frozen=True)
class Series:
    """Rows that belong together in a chart: a column of a panel, or a run."""

    name: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Facet:
    """Series over one another in one frame; the title is empty where the chart has one frame only."""

    title: str
    series: tuple[Series, ...]

    @property
    def rows(self) -> Iterator[Row]:
        """Rows of all series."""
        return (row for one in self.series for row in one.rows)


@dataclass(frozen=True)
class Chart:
    """What a picture shows.

    Attributes
    ----------
    title, caption
        In words; the caption may be empty.
    picture
        How it is drawn.
    facets
        Frames with common axes.
    axis
        What the rows are: ``tiles played``; of a matrix, what the columns are.
    fair
        Value to compare with, unscaled; None for none.
    fair_name
        What that is.
    trend
        Whether lines show a trend, not the parts of a whole.
    labels
        Rows in order; empty for that in which they come.
    by_run
        Whether the series are runs, which have a colour each in all charts.
    """

    title: str
    picture: Picture
    facets: tuple[Facet, ...]
    axis: str = ""
    fair: float | None = None
    fair_name: str = "even share"
    trend: bool = False
    caption: str = ""
    labels: tuple[str, ...] = ()
    by_run: bool = False

    @property
    def names(self) -> list[str]:
        """Names of the series over one another; empty where there is one a frame."""
        if all(len(facet.series) < 2 for facet in self.facets):
            return []
        return list(dict.fromkeys(one.name for facet in self.facets for one in facet.series))

    @property
    def unit(self) -> str:
        """Unit of its figures as shown."""
        row = next((row for facet in self.facets for row in facet.rows), None)
        return "" if row is None else unit_of(row.estimate.unit, row.kind)


def charts_of(plate: PlateReport, names: Sequence[str]) -> list[Chart]:
    """Charts of a panel; none where reading beats looking.

    Parameters
    ----------
    plate
        The panel.
    names
        Names of the runs.
    """
    kind = plate.plate.picture
    if kind == "none" or not plate.shown:
        return []
    runs = [(name, section) for name, section in zip(names, plate.sections, strict=True) if section is not None]
    made = _charts(plate, runs, kind, several=len(names) > 1)
    captions = [text for text in plate.captions if text]
    if len(names) > 1:
        captions = [f"{name}: {text}" for (name, _), text in zip(runs, plate.captions, strict=True) if text]
    return [replace(_with_all(chart, names), caption=" ".join(captions)) for chart in made]


def _with_all(chart: Chart, names: Sequence[str]) -> Chart:
    """A chart of runs with a series for each of them, so that a run has its colour also where others have no rows."""
    if not chart.by_run:
        return chart
    facets = []
    for facet in chart.facets:
        there = {one.name: one for one in facet.series}
        facets.append(Facet(facet.title, tuple(there.get(name, Series(name, ())) for name in names)))
    return replace(chart, facets=tuple(facets))


def _charts(
    plate: PlateReport, runs: Sequence[tuple[str, Section]], kind: Picture, *, several: bool
) -> Iterator[Chart]:
    title, axis = plate.plate.panel.title, plate.plate.axis
    if kind == "matrix":
        if several and all(len(section.columns) == 1 for _, section in runs):
            order = _order(section for _, section in runs)
            yield Chart(title, kind, (Facet("", _runs(runs)),), axis, labels=order)
            return
        for name, section in runs:
            named = f"{title}: {name}" if several else title
            yield Chart(named, kind, (Facet("", by_column(section)),), axis, labels=tuple(section.labels))
        return
    if kind == "dots":
        series = _runs(runs) if several else by_column(runs[0][1])
        order = _order(section for _, section in runs) if several else ()
        for chart in dot_charts(title, series, plate.plate.fair):
            yield replace(chart, by_run=several, labels=order)
        return
    trend = kind == "lines" and not plate.distribution
    yield Chart(title, kind, _facets(runs, trend, several=several), axis, trend=trend, by_run=several)


def _facets(runs: Sequence[tuple[str, Section]], trend: bool, *, several: bool) -> tuple[Facet, ...]:
    """Frames: columns that are parts of a whole, or that several runs have, would hide each other in one."""
    columns = list(dict.fromkeys(column for _, section in runs for column in section.columns))
    if len(columns) > 1 and (several or not trend):
        found = []
        for column in columns:
            series = ((name, tuple(row for row in s.rows if row.column == column)) for name, s in runs)
            found.append(Facet(column, tuple(Series(name if several else "", rows) for name, rows in series if rows)))
        return tuple(found)
    return (Facet("", _runs(runs) if several else by_column(runs[0][1])),)


def _runs(runs: Sequence[tuple[str, Section]]) -> tuple[Series, ...]:
    """A series for each run, whose rows are named by label and column."""
    return tuple(
        Series(name, tuple(replace(row, label=joined(section, row), column="") for row in section.rows))
        for name, section in runs
    )


def _order(sections: Iterable[Section]) -> tuple[str, ...]:
    """Labels of the rows that several runs have, as `_runs` names them: those of a label together."""
    found: dict[str, dict[str, None]] = {}
    for section in sections:
        for row in section.rows:
            found.setdefault(row.label, {})[joined(section, row)] = None
    return tuple(name for names in found.values() for name in names)


def joined(section: Section, row: Row) -> str:
    """Name of a row among those of all columns."""
    parts = (row.label, row.column) if len(section.labels) > 1 else (row.column or row.label,)
    return ", ".join(part for part in parts if part)


def by_column(section: Section) -> tuple[Series, ...]:
    """A series for each column that has rows."""
    found = (Series(name, tuple(row for row in section.rows if row.column == name)) for name in section.columns)
    return tuple(one for one in found if one.rows)


def dot_charts(title: str, series: Sequence[Series], fair: float | None = None) -> Iterator[Chart]:
    """A chart for each unit among the rows, since bars of two units cannot be compared.

    Parameters
    ----------
    title
        In words.
    series
        The rows.
    fair
        As in `Chart`.
    """
    for unit, kind in dict.fromkeys((row.estimate.unit, row.kind) for one in series for row in one.rows):
        part = tuple(
            Series(one.name, tuple(row for row in one.rows if (row.estimate.unit, row.kind) == (unit, kind)))
            for one in series
        )
        yield Chart(title, "dots", (Facet("", part),), fair=fair)


def chart_of(section: Section, distribution: bool = True) -> list[Chart]:
    """Charts of a section by itself, as its layout says.

    Parameters
    ----------
    section
        The figures.
    distribution
        Whether the rows of a column are the parts of one whole, where the layout is that of one.
    """
    if section.layout in ("histogram", "spread"):
        facets = _facets([("", section)], not distribution, several=False)
        return [Chart(section.title, "columns" if distribution else "lines", facets, trend=not distribution)]
    return list(dot_charts(section.title, by_column(section)))


def ends(row: Row) -> tuple[float, float, float]:
    """Value and ends of the interval as shown, the value itself for an end that is not known."""
    scale, estimate = scale_of(row.kind), row.estimate
    value = (estimate.value or 0.0) * scale
    low = value if estimate.low is None else estimate.low * scale
    high = value if estimate.high is None or estimate.low is None else estimate.high * scale
    return value, low, high


def span(label: str) -> tuple[float, float]:
    """Smallest value of a row and the smallest beyond it.

    Examples
    --------
    >>> span("7"), span("24-31"), span("31+")
    ((7.0, 8.0), (24.0, 32.0), (31.0, 32.0))
    """
    first, _, last = label.rstrip("+").partition("-")
    return float(first), float(last or first) + 1


def main_part(rows: Sequence[Row]) -> list[Row]:
    """Rows of a distribution from the first that was seen to where nearly all of it is shown."""
    values = [row.estimate.value or 0.0 for row in rows]
    seen = [number for number, value in enumerate(values) if value]
    if not seen:
        return []
    total, so_far = sum(values), 0.0
    for number in range(seen[0], seen[-1] + 1):
        so_far += values[number]
        if so_far >= ENOUGH * total:
            return list(rows[seen[0] : number + 1])
    return list(rows[seen[0] : seen[-1] + 1])


def visible(chart: Chart, rows: Sequence[Row]) -> list[Row]:
    """Rows that are drawn: of a trend, those that its caption speaks of; of a distribution, nearly all of it."""
    if chart.picture == "tail":
        return [row for row in rows if row.estimate.value and row.estimate.low]
    return [row for row in rows if well_known(row.estimate)] if chart.trend else main_part(rows)


def short(text: str, most: int) -> str:
    """A text with so many letters at most, its hidden characters escaped."""
    text = printable(text)
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def charts_by_name(report: RunReport) -> dict[str, Chart]:
    """All charts of a report by the name of their file, without its ending."""
    names = [run.name for run in report.runs]
    found = {}
    for chapter in report.chapters:
        for plate in chapter.plates:
            charts = charts_of(plate, names)
            for number, chart in enumerate(charts):
                ending = f"-{number + 1}" if len(charts) > 1 else ""
                found[f"{chapter.key}-{plate.key}{ending}"] = chart
    return found
