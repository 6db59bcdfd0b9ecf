"""``domeng-sim report``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from domeng_sim.api.requests.base import optional
from domeng_sim.api.requests.kinds import DIRECTORY, FILE, SWITCH
from domeng_sim.api.requests.runs import ReportRequest
from domeng_sim.cli.options import View, request_command
from domeng_sim.errors import BadInput, FieldRef, Refused, UserError

if TYPE_CHECKING:
    from domeng_sim.analysis.report import Report


@dataclass(frozen=True, kw_only=True)
class Files(View):
    """Where a report goes."""

    html: Path | str | None = optional(FILE, "Write one page that needs nothing else.", repeats=False)
    charts: Path | str | None = optional(DIRECTORY, "Write the charts as SVG, PNG and PDF files.", repeats=False)
    overwrite: bool = optional(SWITCH, "Replace the page and pictures of an earlier report.", repeats=False)


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
    """
    html, charts = (None if path is None else Path(path) for path in (view.html, view.charts))
    _refuse_page(html, view.overwrite)
    if charts is not None and charts.exists() and not charts.is_dir():
        raise Refused(f"{charts} is a file; name a directory with ", FieldRef("charts"))
    from domeng_sim.api import carry_out
    from domeng_sim.cli.bar import make_progress

    made = carry_out.make_the_report(request, carry_out.Watch(make_progress(view.quiet)))
    files: list[Path] = []
    if charts is not None:
        files += _write_charts(made, charts, view.overwrite)
    if html is not None:
        from domeng_sim.analysis.html.page import page

        _write(html, page(made).encode())
        files.append(html)
    if view.json:
        print(json.dumps(made.to_json(), indent=1, allow_nan=False))
    elif not files:
        from domeng_sim.cli.report_text import print_report

        print_report(made, view.color)
    else:
        _say_written(files, html, charts)
    return 0


def _say_written(files: list[Path], html: Path | None, charts: Path | None) -> None:
    if html is not None:
        print(f"{html}: {html.stat().st_size / 1e6:.2f} MB, one page that needs nothing else")
    if charts is not None:
        print(f"{charts}: {len(files) - (html is not None)} files")


def _refuse_page(html: Path | None, overwrite: bool) -> None:
    """Refuse to replace what is not to be replaced, before any work is done."""
    if html is None:
        return
    if html.is_dir():
        raise Refused(f"{html} is a directory; name a file with ", FieldRef("html"))
    if not html.parent.is_dir():
        raise BadInput(f"{html.parent} is no directory, so {html.name} cannot be written there")
    if not html.exists():
        return
    if not overwrite:
        exists = f"{html} exists already; replace it by ", FieldRef("overwrite", True), ", or name another file with "
        raise Refused(*exists, FieldRef("html"))
    from domeng_sim.analysis.html.page import is_page

    if not is_page(html):
        kept = f"{html} is no page of domeng-sim and is left as it is; name another file with "
        raise Refused(kept, FieldRef("html"))


def _write_charts(made: Report, directory: Path, overwrite: bool) -> list[Path]:
    from domeng_sim.analysis.charts import charts_by_name

    charts = charts_by_name(made)
    paths = [directory / f"{name}.{ending}" for name in charts for ending in ("svg", "png", "pdf")]
    there = [path for path in paths if path.exists()]
    if there and not overwrite:
        exists = (
            f"{there[0]} exists already; replace it by ",
            FieldRef("overwrite", True),
            ", or name another directory ",
        )
        raise Refused(*exists, "with ", FieldRef("charts"))
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{directory}: {error.strerror}") from error
    from domeng_sim.analysis.draw import files_of

    for name, chart in charts.items():
        for ending, content in files_of(chart):
            _write(directory / f"{name}.{ending}", content)
    return paths


def _write(path: Path, content: bytes) -> None:
    """Write a file so that a reader, or a crash, sees the old one or the new."""
    from domeng_sim.runs.store.files import write_atomically

    try:
        write_atomically(path, content)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error
