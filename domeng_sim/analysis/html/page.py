"""The report as one page that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domeng_sim.analysis.format import error_text, grouped, how_many, one_in, percent_text, seats_line
from domeng_sim.analysis.html.tables import HtmlTable, table_of, whole_of
from domeng_sim.analysis.look import DARK, LIGHT, palette_css, printable
from domeng_sim.analysis.metrics import Row
from domeng_sim.analysis.report import PlateReport, RunReport
from domeng_sim.analysis.report_runs import Run
from domeng_sim.analysis.tidy import csv_of
from domeng_sim.games.shared.outline import Answer
from domeng_sim.stats.estimate import level_text
from domeng_sim.version import __version__

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

FOLDER = Path(__file__).parent
MARKER = '<meta name="generator" content="domeng-sim">'
"""By this a page of ours is known again."""

SHORT = 6
"""Tables with more rows are folded if there is a picture."""

LONG = 16
"""Tables with more rows are folded at any rate."""

NARROW = 64
"""Tables of more letters in a line need the room of two pictures, or are folded beside a picture."""


def environment() -> jinja2.Environment:
    """What makes pages of templates."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        # texts of others stand in names, titles and summaries: nothing hidden in them reaches the page
        finalize=lambda said: printable(said) if type(said) is str else said,
    )


def style_sheet() -> Markup:
    """How pages look."""
    from markupsafe import Markup

    css = (FOLDER / "page.css").read_text(encoding="utf-8")
    return Markup(css.replace("/*light*/", palette_css(LIGHT)).replace("/*dark*/", palette_css(DARK)))


def page(report: RunReport) -> str:
    """The report as HTML.

    Parameters
    ----------
    report
        What to show.
    """
    names = [run.name for run in report.runs]
    chapters = [
        {
            "key": chapter.key,
            "title": chapter.title,
            "text": chapter.text,
            "plates": [_plate(report, plate, _pictures(plate, names)) for plate in chapter.plates],
        }
        for chapter in report.chapters
    ]
    spec = report.runs[0].dataset.spec
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            title=f"{spec.title}: {', '.join(names)}",
            lead=" ".join(f"{_totals(run)}." for run in report.runs),
            warnings=[f"{run.name} is {run.state}." for run in report.runs if run.state],
            css=style_sheet(),
            answers=_answers(report),
            runs=[_run(run) for run in report.runs],
            comparisons=comparisons(report),
            chapters=chapters,
            reading=reading(report),
            level=level_text(report.level),
            version=__version__,
        )
    )


def _pictures(plate: PlateReport, names: Sequence[str]) -> list[dict[str, Any]]:
    """Pictures of a panel, with what their titles say more than that of the panel."""
    if plate.plate.picture == "none" or not plate.shown:
        return []
    from markupsafe import Markup

    from domeng_sim.analysis.charts import charts_of
    from domeng_sim.analysis.draw import figure_of
    from domeng_sim.analysis.picture_files import svg

    made = []
    for number, chart in enumerate(charts_of(plate, names)):
        head = chart.title.removeprefix(plate.plate.panel.title).removeprefix(": ")
        drawn = svg(figure_of(chart), f"p-{plate.key}-{number}", printable(chart.title), printable(chart.caption))
        made.append({"head": head, "svg": Markup(drawn)})
    return made


def _answers(report: RunReport) -> list[dict[str, Any]]:
    """What people open a report for: few figures, of all runs side by side."""
    found: dict[str, list[Answer]] = {}
    for run in report.runs:
        for answer in run.outline.answers:
            found.setdefault(answer.title, []).append(answer)
    plates = {plate.key for plate in report.plates()}
    told = []
    for title, answers in found.items():
        labels = {key: label for answer in answers for key, label in answer.figures}
        lines = [_answer_line(report, key, label) for key, label in labels.items()]
        lines = [line for line in lines if line is not None]
        more = next((answer.plate for answer in answers if answer.plate in plates), "")
        if lines:
            told.append({"title": title, "plate": more, "lines": lines, "text": answers[0].text})
    return told


def _answer_line(report: RunReport, key: str, label: str) -> dict[str, Any] | None:
    rows = [report.row(key, number) for number in range(len(report.runs))]
    known = [row for row in rows if row is not None]
    if not known:
        return None
    width = 100 * (known[0].estimate.value or 0.0) if len(rows) == 1 and known[0].kind == "share" else 0.0
    name = label or known[0].column or known[0].label
    return {"label": name, "cells": [_answer_cell(row) for row in rows], "width": f"{width:.1f}"}


def _answer_cell(row: Row | None) -> Mapping[str, str]:
    if row is None:
        return {"value": "–", "error": "", "odds": ""}
    odds = one_in(row.estimate) if row.kind == "share" else ""
    return {
        "value": percent_text(row.estimate, row.kind),
        "error": error_text(row.estimate, row.kind),
        "odds": odds,
    }


def _totals(run: Run) -> str:
    return f"{run.name}: " + ", ".join(how_many(number, name) for name, number in run.totals.items())


def comparisons(report: RunReport) -> list[str]:
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


def reading(report: RunReport) -> list[str]:
    """How to read figures and intervals."""
    level = level_text(report.level)
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


def _plate(report: RunReport, plate: PlateReport, drawn: list[dict[str, Any]]) -> dict[str, Any]:
    several = len(report.runs) > 1
    table = table_of(report, plate)
    captions = [text for text in plate.captions if text]
    if several:
        names = [run.name for run, section in zip(report.runs, plate.sections, strict=True) if section is not None]
        captions = [f"{name}: {text}" for name, text in zip(names, plate.captions, strict=True) if text]
    whole = whole_of(plate)
    of = f" Counts are of {grouped(whole)}." if whole else ""
    folded = table is not None and _is_folded(table, bool(drawn))
    return {
        "key": plate.key,
        "title": plate.plate.panel.title,
        "note": plate.note,
        "foot": " ".join(
            part for part in (table.note if table else "", f"From {' and '.join(plate.sources)}.{of}") if part
        ),
        "missing": plate.missing,
        "pictures": drawn,
        "caption": " ".join(captions) if drawn else "",
        "table": table,
        "folded": folded,
        "broad": table is not None and table.letters > NARROW,
        "wide": table is not None and not folded and table.letters > NARROW,
        "csv": _quoted(csv_of(report, plate)) if table is not None else "",
    }


def _is_folded(table: HtmlTable, beside_picture: bool) -> bool:
    if not beside_picture:
        return len(table.rows) > LONG
    return len(table.rows) > SHORT or table.letters > NARROW


def _quoted(text: str) -> Markup:
    """Several lines as they are, all else that is hidden escaped."""
    from markupsafe import Markup, escape

    return Markup("\n").join(escape(printable(line)) for line in text.splitlines())


def is_page(path: Path) -> bool:
    """Whether a file is a page of ours, which may be replaced."""
    with path.open("rb") as file:
        return MARKER.encode() in file.read(4096)
