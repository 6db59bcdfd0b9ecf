"""``domeng-sim report``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from domeng_sim.api.requests.base import optional
from domeng_sim.api.requests.kinds import DIRECTORY, FILE, SWITCH
from domeng_sim.api.requests.runs import ReportRequest
from domeng_sim.cli.options import Display, request_command
from domeng_sim.errors import FieldRef, Refused, UserError
from domeng_sim.runs.whole_file import refuse_file, whole_file

if TYPE_CHECKING:
    from domeng_sim.analysis.report import RunReport


@dataclass(frozen=True, kw_only=True)
class Files(Display):
    """Where a report goes."""

    html: Path | str | None = optional(FILE, "Write one page that needs nothing else.", repeats=False)
    charts: Path | str | None = optional(DIRECTORY, "Write the charts as SVG, PNG and PDF files.", repeats=False)
    csv: Path | str | None = optional(DIRECTORY, "Write every table as a tidy CSV file, unrounded.", repeats=False)
    overwrite: bool = optional(SWITCH, "Replace the files of an earlier report.", repeats=False)


@request_command(ReportRequest, Files)
def command(request: ReportRequest, view: Files) -> int:
    """Show what came out of a run, or of several side by side.

    How rounds end, who wins and what that brings, PASSes, the effect of starting and whatever else the game has. Each
    figure stands with its interval and counts. Of several runs, the differences to the first are shown too.

    \b
    Examples:
      domeng-sim report my-run
      domeng-sim report my-run --html my-run.html
      domeng-sim report base other --html both.html --charts charts
      domeng-sim report base other --csv tables
    """
    html, charts, tables = (None if path is None else Path(path) for path in (view.html, view.charts, view.csv))
    _refuse_page(html, view.overwrite)
    for directory, field in ((charts, "charts"), (tables, "csv")):
        if directory is not None and directory.exists() and not directory.is_dir():
            raise Refused(f"{directory} is a file; name a directory with ", FieldRef(field))
    from domeng_sim.api.carry_out import runs
    from domeng_sim.api.carry_out.watch import Watch
    from domeng_sim.cli.bar import make_progress

    made = runs.make_the_report(request, Watch(make_progress(view.quiet)))
    said = []
    if charts is not None:
        said.append(f"{charts}: {len(_write_charts(made, charts, view.overwrite))} files")
    if tables is not None:
        said.append(f"{tables}: {len(_write_tables(made, tables, view.overwrite))} tables")
    if html is not None:
        from domeng_sim.analysis.html.page import page

        _write(html, page(made).encode())
        said.insert(0, f"{html}: {html.stat().st_size / 1e6:.2f} MB, one page that needs nothing else")
    if view.json:
        print(json.dumps(made.to_json(), indent=1, allow_nan=False))
    elif said:
        print("\n".join(said))
    else:
        from domeng_sim.cli.report_text import print_report

        print_report(made, view.color)
    return 0


def _refuse_page(html: Path | None, overwrite: bool) -> None:
    """Refuse to replace what is not to be replaced, before any work is done."""
    if html is None:
        return
    refuse_file(html, "html", overwrite)
    if not html.exists():
        return
    from domeng_sim.analysis.html.page import is_page

    if not is_page(html):
        kept = f"{html} is no page of domeng-sim and is left as it is; name another file with "
        raise Refused(kept, FieldRef("html"))


def _write_charts(made: RunReport, directory: Path, overwrite: bool) -> list[Path]:
    from domeng_sim.analysis.charts import charts_by_name

    charts = charts_by_name(made)
    _refuse_files(
        directory, [f"{name}.{ending}" for name in charts for ending in ("svg", "png", "pdf")], "charts", overwrite
    )
    from domeng_sim.analysis.draw import files_of

    contents = ((f"{name}.{ending}", data) for name, chart in charts.items() for ending, data in files_of(chart))
    return [_write(directory / name, content) for name, content in contents]


def _write_tables(made: RunReport, directory: Path, overwrite: bool) -> list[Path]:
    from domeng_sim.analysis.tidy import csv_of

    tables = {f"{plate.key}.csv": csv_of(made, plate) for plate in made.plates() if plate.shown}
    _refuse_files(directory, list(tables), "csv", overwrite)
    return [_write(directory / name, text.encode()) for name, text in tables.items()]


def _refuse_files(directory: Path, names: list[str], field: str, overwrite: bool) -> None:
    """Refuse to replace one of several files; else the directory is there."""
    there = [directory / name for name in names if (directory / name).exists()]
    if there and not overwrite:
        exists = (
            f"{there[0]} exists already; replace it by ",
            FieldRef("overwrite", True),
            ", or name another directory ",
        )
        raise Refused(*exists, "with ", FieldRef(field))
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{directory}: {error.strerror}") from error


def _write(path: Path, content: bytes) -> Path:
    with whole_file(path) as file:
        file.write(content)
    return path
