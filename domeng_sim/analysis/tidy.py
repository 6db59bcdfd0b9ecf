"""Tables of a report as tidy CSV: a line for each figure of each run, and for each difference."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO

from domeng_sim.analysis.report import PlateReport, RunReport
from domeng_sim.stats.estimate import Estimate

HEAD = ("run", "key", "label", "column", "value", "low", "high", "unit", "count", "of", "level", "interval", "clusters")


def csv_of(report: RunReport, plate: PlateReport) -> str:
    """All figures of a panel, unrounded and unscaled, with those that its table leaves out.

    Parameters
    ----------
    report, plate
        The panel and the report that it stands in.
    """
    text = StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(HEAD)
    lines.writerows(_rows(report, plate))
    return text.getvalue()


def _rows(report: RunReport, plate: PlateReport) -> Iterator[tuple[object, ...]]:
    first = report.runs[0].name
    for run, section, counts in zip(report.runs, plate.sections, plate.counts, strict=True):
        for row in section.rows if section is not None else ():
            yield _row((run.name, row.key, row.label, row.column), row.estimate, counts.get(row.key, ("", "")))
    for run, section, differences in zip(report.runs[1:], plate.sections[1:], plate.differences, strict=True):
        for row in section.rows if section is not None else ():
            if difference := differences.get(row.key):
                yield _row((f"{run.name} - {first}", row.key, row.label, row.column), difference, ("", ""))


def _row(place: tuple[str, ...], one: Estimate, counts: tuple[object, object]) -> tuple[object, ...]:
    return (*place, one.value, one.low, one.high, one.unit, *counts, one.level, one.kind, one.clusters)
