"""Tables of the page: figures with intervals and counts, side by side with differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from domeng_sim.analysis.format import error_text, grouped, interval_text, seen_text, unit_of, value_text
from domeng_sim.analysis.metrics import Row, Section
from domeng_sim.analysis.report import PlateReport, RunReport
from domeng_sim.stats.estimate import Estimate


@dataclass(frozen=True)
class Cell:
    """A cell of a table: figure, its error or interval, its counts, and how it is marked."""

    value: str
    error: str = ""
    count: str = ""
    mark: str = ""


@dataclass(frozen=True)
class HtmlRow:
    """A row of a table, with the trials of all its cells if they are the same."""

    label: str
    cells: tuple[Cell, ...]
    of: str = ""


@dataclass(frozen=True)
class HtmlTable:
    """A table: heads of the columns, and the rows; a grid has counts below its figures; what is left out."""

    head: tuple[str, ...]
    rows: tuple[HtmlRow, ...]
    grid: bool
    note: str = ""

    @property
    def letters(self) -> int:
        """Letters of a line, about: labels are wrapped, figures are not."""
        widest = [max(len(word) for word in head.split() or [""]) for head in self.head[1:]]
        for line in self.rows:
            sizes = [max(len(f"{cell.value} {cell.error}"), len(cell.count)) for cell in line.cells]
            widest = [max(pair) for pair in zip(widest, sizes, strict=True)]
        return sum(widest) + 2 * len(widest) + 16


def table_of(report: RunReport, plate: PlateReport) -> HtmlTable | None:
    """The table of a panel; None where no run has it.

    Parameters
    ----------
    report, plate
        The panel and the report that it stands in.
    """
    if not plate.shown:
        return None
    return _compared(report, plate) if len(report.runs) > 1 else _table(plate)


def _labels(sections: Sequence[Section], distribution: bool) -> list[str]:
    """Labels of the rows with anything in them: a distribution ends where nothing was seen."""
    labels = list(dict.fromkeys(row.label for section in sections for row in section.rows))
    if sections[0].layout != "table":
        seen = {row.label for section in sections for row in section.rows if row.estimate.value}
        places = [k for k, label in enumerate(labels) if label in seen]
        labels = labels[places[0] : places[-1] + 1] if places else labels[:1]
    return labels


def _count(row: Row, counts: dict[str, tuple[int, int]], whole: int | None) -> str:
    if row.key not in counts:
        return ""
    numerator, denominator = counts[row.key]
    if denominator == whole:
        return grouped(numerator)
    return f"{grouped(numerator)} of {grouped(denominator)}"


def _table(plate: PlateReport) -> HtmlTable:
    """Figures of one run: a row each with interval and counts, or rows and columns with counts below."""
    section = plate.shown[0]
    counts = next(c for c, s in zip(plate.counts, plate.sections, strict=True) if s is not None)
    labels = _labels([section], plate.distribution)
    units = list(dict.fromkeys(unit_of(row.estimate.unit, row.kind) for row in section.rows))
    whole = whole_of(plate)
    if section.columns == ("",):
        rows = []
        for label in labels:
            row = section.cells[label, ""]
            numbers = counts.get(row.key, (None, None))[: 1 if whole else 2]
            interval = seen_text(row.seen_in) if row.seen_in else interval_text(row.estimate, row.kind)
            cells = [Cell(value_text(row.estimate, row.kind)), Cell(interval)]
            cells += [Cell("" if n is None else grouped(n)) for n in numbers]
            rows.append(HtmlRow(_with_unit(section, label, units), tuple(cells)))
        head = (plate.plate.axis, "figure" if len(units) > 1 else units[0], "interval", "count", "of")
        return HtmlTable(head[: 4 if whole else 5], tuple(rows), grid=False)
    rows = []
    for label in labels:
        found = [section.cells.get((label, column)) for column in section.columns]
        trials = {counts[row.key][1] for row in found if row is not None and row.key in counts}
        same = trials.pop() if len(trials) == 1 else None
        cells = [Cell("") if row is None else _cell(row, counts, same) for row in found]
        of = f"of {grouped(same)}" if same and not whole else ""
        rows.append(HtmlRow(_with_unit(section, label, units), tuple(cells), of))
    corner = units[0] if len(units) == 1 else ""
    return HtmlTable((corner, *section.columns), tuple(rows), grid=True)


def _cell(row: Row, counts: dict[str, tuple[int, int]], whole: int | None = None) -> Cell:
    return Cell(value_text(row.estimate, row.kind), error_text(row.estimate, row.kind), _count(row, counts, whole))


def whole_of(plate: PlateReport) -> int | None:
    """The trials of all figures of a panel of one run, if they are the same."""
    trials = {denominator for counts in plate.counts for _, denominator in counts.values()}
    return trials.pop() if len(trials) == 1 and len(plate.sections) == 1 else None


def _with_unit(section: Section, label: str, units: Sequence[str]) -> str:
    if len(units) == 1:
        return label
    row = next(row for row in section.rows if row.label == label)
    return f"{label} ({unit_of(row.estimate.unit, row.kind)})"


def _compared(report: RunReport, plate: PlateReport) -> HtmlTable:
    """Figures of several runs side by side, and the differences to the first."""
    names = [run.name for run in report.runs]
    labels = _labels(plate.shown, plate.distribution)
    columns = list(dict.fromkeys(column for section in plate.shown for column in section.columns))
    units = list(dict.fromkeys(unit_of(row.estimate.unit, row.kind) for row in plate.shown[0].rows))
    head = [units[0] if len(units) == 1 else "", names[0]]
    for name in names[1:]:
        head += [name, f"{name} − {names[0]}"]
    known = {place for section in plate.shown for place in section.cells}
    places = [(label, column) for label in labels for column in columns if (label, column) in known]
    told, note = plate.compared(places)
    rows = []
    for label, column in told:
        found = [None if s is None else s.cells.get((label, column)) for s in plate.sections]
        text = ", ".join(part for part in (label, column) if part)
        first = next(row for row in found if row is not None)
        unit = f" ({unit_of(first.estimate.unit, first.kind)})" if len(units) > 1 else ""
        rows.append(HtmlRow(text + unit, tuple(_compared_cells(plate, found))))
    return HtmlTable(tuple(head), tuple(rows), grid=True, note=note)


def _compared_cells(plate: PlateReport, found: Sequence[Row | None]) -> list[Cell]:
    cells = []
    for number, (row, counts) in enumerate(zip(found, plate.counts, strict=True)):
        cells.append(Cell("–") if row is None else _cell(row, counts))
        if number:
            estimate = None if row is None else plate.differences[number - 1].get(row.key)
            cells.append(Cell("") if estimate is None or row is None else _difference(estimate, row.kind))
    return cells


def _difference(estimate: Estimate, kind: str) -> Cell:
    mark = ""
    if estimate.value is not None and estimate.excludes(0.0):
        mark = "up" if estimate.value > 0 else "down"
    sign = "+" if estimate.value is not None and estimate.value > 0 else ""
    return Cell(sign + value_text(estimate, kind).replace("-", "−"), error_text(estimate, kind), "", mark)
