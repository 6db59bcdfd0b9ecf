"""The report as one page that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from domeng_sim.analysis.charts import scenes
from domeng_sim.analysis.format import (
    error_text,
    grouped,
    how_many,
    interval_text,
    seats_line,
    seen_text,
    unit_of,
    value_text,
)
from domeng_sim.analysis.metrics import Row, Section
from domeng_sim.analysis.report import PlateReport, Report
from domeng_sim.analysis.report_runs import Run
from domeng_sim.analysis.scene import DARK, LIGHT, Scene, classes_css, palette_css, svg
from domeng_sim.stats.estimate import Estimate
from domeng_sim.version import __version__

FOLDER = Path(__file__).parent
MARKER = '<meta name="generator" content="domeng-sim">'
"""By this a page of ours is known again."""

SHORT = 12
"""Tables with more rows are folded if there is a picture."""


LONG = 30
"""Tables with more rows are folded at any rate."""


@dataclass(frozen=True)
class Cell:
    """A cell of a table: figure, its error or interval, its counts, and how it is marked."""

    value: str
    error: str = ""
    count: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Line:
    """A row of a table, with the trials of all its cells if they are the same."""

    label: str
    cells: tuple[Cell, ...]
    of: str = ""


@dataclass(frozen=True)
class Table:
    """A table: heads of the columns, and the rows; a grid has counts below its figures; what is left out."""

    head: tuple[str, ...]
    rows: tuple[Line, ...]
    grid: bool
    note: str = ""


def page(report: Report) -> str:
    """The report as HTML.

    Parameters
    ----------
    report
        What to show.
    """
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    css = (FOLDER / "page.css").read_text(encoding="utf-8")
    css = css.replace("/*light*/", palette_css(LIGHT)).replace("/*dark*/", palette_css(DARK)) + classes_css()
    names = [run.name for run in report.runs]

    def picture(scene: Scene, name: str, title: str) -> dict[str, Any]:
        head = scene.title.removeprefix(title).removeprefix(": ")
        return {"head": head, "svg": Markup(svg(scene, name))}

    chapters = []
    for chapter in report.chapters:
        plates = []
        for plate in chapter.plates:
            title = plate.plate.panel.title
            drawn = [picture(scene, f"p-{plate.key}-{k}", title) for k, scene in enumerate(scenes(plate, names))]
            plates.append(_plate(report, plate, drawn))
        chapters.append({"key": chapter.key, "title": chapter.title, "text": chapter.text, "plates": plates})
    spec = report.runs[0].dataset.spec
    return environment.get_template("page.html.j2").render(
        title=f"{spec.title}: {', '.join(names)}",
        lead=" ".join(f"{_totals(run)}." for run in report.runs),
        warnings=[f"{run.name} is {run.state}." for run in report.runs if run.state],
        css=Markup(css),
        runs=[_run(run) for run in report.runs],
        comparisons=comparisons(report),
        chapters=chapters,
        reading=reading(report),
        level=f"{100 * report.level:g} %",
        version=__version__,
    )


def _totals(run: Run) -> str:
    return f"{run.name}: " + ", ".join(how_many(number, name) for name, number in run.totals.items())


def comparisons(report: Report) -> list[str]:
    """How the differences between runs were made, a sentence each."""
    first = report.runs[0].name
    return [f"{run.name} minus {first}: {why}." for run, why in zip(report.runs[1:], report.because, strict=True)]


def facts(run: Run) -> list[tuple[str, str]]:
    """What the run was, by name."""
    manifest, spec = run.manifest, run.dataset.spec
    texts = [seat["text"] for seat in manifest["seats"]]
    defaults = {rule.name: rule.default for rule in spec.rules}
    other = [f"{name} = {value}" for name, value in manifest["rules"].items() if value != defaults.get(name)]
    per = "games" if "games_per_match" in manifest else "rounds"
    made = manifest.get("run", {})
    found = {
        "played": ", ".join(how_many(number, name) for name, number in run.totals.items()),
        "state": "complete" if not run.state else run.state,
        "match": how_many(int(manifest.get(f"{per}_per_match", 0)), per),
        "seats": seats_line(texts),
        "rules": "default" + (f", but {', '.join(other)}" if other else ""),
        "seed": manifest["seed"],
        "directory": str(run.dataset.directory),
        "tables": stored(run),
        "software": ", ".join(f"{name} {version}" for name, version in manifest.get("software", {}).items()),
        "finished": " ".join(str(made[key]) for key in ("finished", "host") if key in made),
        "identity": str(manifest.get("identity", "")),
    }
    return [(name, text) for name, text in found.items() if text]


def stored(run: Run) -> str:
    """Which tables were read, and how."""
    read = [f"{table} ({grouped(rows)} rows)" for table, rows in run.counted.read.items()]
    return f"stored up to {run.manifest['tables']}; read: {', '.join(['summary', *read])}"


def _run(run: Run) -> dict[str, Any]:
    spec = run.dataset.spec
    return {
        "name": run.name,
        "facts": facts(run),
        "command": run.manifest.get("command", ""),
        "seats": [
            {"text": seat["text"], "summary": seat.get("summary", ""), "hash": str(seat.get("content_hash", ""))[:16]}
            for seat in run.manifest["seats"]
        ],
        "rules": [
            {
                "name": rule.name,
                "value": run.manifest["rules"].get(rule.name, rule.default),
                "default": rule.default,
                "sentence": rule.sentence,
                "other": run.manifest["rules"].get(rule.name, rule.default) != rule.default,
            }
            for rule in spec.rules
        ],
    }


def reading(report: Report) -> list[str]:
    """How to read figures and intervals."""
    level = f"{100 * report.level:g} %"
    missed = f"{100 - 100 * report.level:.3g}"
    lines = [
        f"Intervals hold with {level} confidence, each by itself: of a hundred, about {missed} miss.",
        *(
            f"{run.name}: errors come from the spread between {grouped(len(run.counted.first))} batches of "
            f"{grouped(run.counted.batch)} whole matches, since rounds of one match "
            "are not independent; figures from all tables use the same batches."
            for run in report.runs
        ),
        "“±?” or “not estimable”: fewer than ten events, or all of them in one batch; the count stands beside it.",
        "“In 5 of 100 batches”: the same; the share of batches with at least one event has an exact interval, which is "
        "none of the figure itself.",
        "“<” and “>”: only this end is known.",
        "Counts: events or amounts, then trials (“of”).",
    ]
    if len(report.runs) > 1:
        lines += comparisons(report)
        lines.append(
            "Differences whose interval excludes 0 are shaded. With many differences some will do so by chance: of a "
            f"hundred without any effect about {missed}."
        )
    return lines


def _plate(report: Report, plate: PlateReport, drawn: list[dict[str, Any]]) -> dict[str, Any]:
    several = len(report.runs) > 1
    table = None
    if plate.shown:
        table = _compared(report, plate) if several else _table(plate)
    captions = [text for text in plate.captions if text]
    if several:
        names = [run.name for run, section in zip(report.runs, plate.sections, strict=True) if section is not None]
        captions = [f"{name}: {text}" for name, text in zip(names, plate.captions, strict=True) if text]
    whole = _whole(plate)
    of = f" Counts are of {grouped(whole)}." if whole else ""
    return {
        "key": plate.key,
        "title": plate.plate.panel.title,
        "note": plate.note,
        "foot": " ".join(
            part for part in (table.note if table else "", f"From {' and '.join(plate.sources)}.{of}") if part
        ),
        "missing": plate.missing,
        "pictures": drawn if plate.shown else [],
        "caption": " ".join(captions) if drawn else "",
        "table": table,
        "folded": table is not None and len(table.rows) > (SHORT if drawn else LONG),
        "pair": table is not None and len(drawn) == 1,
    }


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


def _table(plate: PlateReport) -> Table:
    """Figures of one run: a row each with interval and counts, or rows and columns with counts below."""
    section = plate.shown[0]
    counts = next(c for c, s in zip(plate.counts, plate.sections, strict=True) if s is not None)
    labels = _labels([section], plate.distribution)
    units = list(dict.fromkeys(unit_of(row.estimate.unit, row.kind) for row in section.rows))
    whole = _whole(plate)
    if section.columns == ("",):
        rows = []
        for label in labels:
            row = section.cells[label, ""]
            numbers = counts.get(row.key, (None, None))[: 1 if whole else 2]
            interval = seen_text(row.seen_in) if row.seen_in else interval_text(row.estimate, row.kind)
            cells = [Cell(value_text(row.estimate, row.kind)), Cell(interval)]
            cells += [Cell("" if n is None else grouped(n)) for n in numbers]
            rows.append(Line(_with_unit(section, label, units), tuple(cells)))
        head = (plate.plate.axis, "figure" if len(units) > 1 else units[0], "interval", "count", "of")
        return Table(head[: 4 if whole else 5], tuple(rows), grid=False)
    rows = []
    for label in labels:
        found = [section.cells.get((label, column)) for column in section.columns]
        trials = {counts[row.key][1] for row in found if row is not None and row.key in counts}
        same = trials.pop() if len(trials) == 1 else None
        cells = [Cell("") if row is None else _cell(row, counts, same) for row in found]
        of = f"of {grouped(same)}" if same and not whole else ""
        rows.append(Line(_with_unit(section, label, units), tuple(cells), of))
    corner = units[0] if len(units) == 1 else ""
    return Table((corner, *section.columns), tuple(rows), grid=True)


def _cell(row: Row, counts: dict[str, tuple[int, int]], whole: int | None = None) -> Cell:
    return Cell(value_text(row.estimate, row.kind), error_text(row.estimate, row.kind), _count(row, counts, whole))


def _whole(plate: PlateReport) -> int | None:
    """The trials of all figures of a panel of one run, if they are the same."""
    trials = {denominator for counts in plate.counts for _, denominator in counts.values()}
    return trials.pop() if len(trials) == 1 and len(plate.sections) == 1 else None


def _with_unit(section: Section, label: str, units: Sequence[str]) -> str:
    if len(units) == 1:
        return label
    row = next(row for row in section.rows if row.label == label)
    return f"{label} ({unit_of(row.estimate.unit, row.kind)})"


def _compared(report: Report, plate: PlateReport) -> Table:
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
        rows.append(Line(text + unit, tuple(_compared_cells(plate, found))))
    return Table(tuple(head), tuple(rows), grid=True, note=note)


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


def figure_files(report: Report) -> dict[str, Scene]:
    """Pictures with their titles, by file name without its ending."""
    names = [run.name for run in report.runs]
    files = {}
    for chapter in report.chapters:
        for plate in chapter.plates:
            drawn = scenes(plate, names)
            for number, scene in enumerate(drawn):
                ending = f"-{number + 1}" if len(drawn) > 1 else ""
                files[f"{chapter.key}-{plate.key}{ending}"] = _titled(scene)
    return files


def _titled(scene: Scene) -> Scene:
    """The picture with its title above and a margin around."""
    margin, head = 12.0, 30.0
    made = Scene(scene.width + 2 * margin, scene.height + head + 2 * margin, scene.title, scene.caption)
    made.text((margin, margin + 12), scene.title, "ink", size=13, bold=True)
    for mark in scene.marks:
        moved = tuple((x + margin, y + margin + head) for x, y in mark.points)
        made.marks.append(replace(mark, points=moved))
    return made


def is_page(path: Path) -> bool:
    """Whether a file is a page of ours, which may be replaced."""
    with path.open("rb") as file:
        return MARKER.encode() in file.read(4096)
