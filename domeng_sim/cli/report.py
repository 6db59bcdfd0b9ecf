"""``domeng-sim report``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from domeng_sim.cli.options import WholeNumber, available_cores
from domeng_sim.core.tables import LEVELS
from domeng_sim.errors import BadInput, Refused, UserError

if TYPE_CHECKING:
    from domeng_sim.analysis.report import Report


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write one page that needs nothing else.")
@click.option(
    "--figures", type=click.Path(path_type=Path), metavar="DIR", help="Write the pictures as PNG and SVG files."
)
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
@click.option(
    "--tables",
    type=click.Choice(LEVELS),
    default="events",
    help="Read tables up to this level; `summary` takes a moment for any size.  [default: all that are stored]",
)
@click.option(
    "--level", type=click.FloatRange(0.5, 0.9999), default=0.95, help="Confidence of the intervals.  [default: 0.95]"
)
@click.option("--overwrite", is_flag=True, help="Replace the page and pictures of an earlier report.")
@click.option("--threads", type=WholeNumber(1, 1024), help="Threads that read.  [default: all cores]")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing but the result and errors.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour on the terminal.")
def command(
    runs: tuple[Path, ...],
    html: Path | None,
    figures: Path | None,
    as_json: bool,
    tables: str,
    level: float,
    overwrite: bool,
    threads: int | None,
    quiet: bool,
    color: str,
) -> int:
    """Show what came out of a run, or of several side by side.

    In Domeng outcomes, stones, CAMAT, CEKI and POLLO, blocked rounds, PASSes and the effect of starting; in Draw
    outcomes, who wins, points and scores, draws and PASSes, starting and closed ends. Each figure stands with its
    interval and counts. Of several runs, the differences to the first are shown too.

    \b
    Examples:
      domeng-sim report my-run
      domeng-sim report my-run --html my-run.html
      domeng-sim report base other --html both.html --figures pictures
    """
    _refuse_page(html, overwrite)
    if figures is not None and figures.exists() and not figures.is_dir():
        raise Refused(f"{figures} is a file; name a directory with --figures")
    from domeng_sim.analysis.report import report
    from domeng_sim.cli.bar import make_progress

    made = report(runs, tables=tables, level=level, threads=threads or available_cores(), progress=make_progress(quiet))
    files: list[Path] = []
    if figures is not None:
        files += _write_figures(made, figures, overwrite)
    if html is not None:
        from domeng_sim.analysis.html.page import page

        _write(html, page(made).encode())
        files.append(html)
    if as_json:
        print(json.dumps(made.to_json(), indent=1, allow_nan=False))
    elif not files:
        from domeng_sim.cli.report_text import print_report

        print_report(made, color)
    else:
        _say_written(files, html, figures)
    return 0


def _say_written(files: list[Path], html: Path | None, figures: Path | None) -> None:
    if html is not None:
        print(f"{html}: {html.stat().st_size / 1e6:.2f} MB, one page that needs nothing else")
    if figures is not None:
        print(f"{figures}: {len(files) - (html is not None)} files")


def _refuse_page(html: Path | None, overwrite: bool) -> None:
    """Refuse to replace what is not to be replaced, before any work is done."""
    if html is None:
        return
    if html.is_dir():
        raise Refused(f"{html} is a directory; name a file with --html")
    if not html.parent.is_dir():
        raise BadInput(f"{html.parent} is no directory, so {html.name} cannot be written there")
    if not html.exists():
        return
    if not overwrite:
        raise Refused(f"{html} exists already; replace it by --overwrite, or name another file with --html")
    from domeng_sim.analysis.html.page import is_page

    if not is_page(html):
        raise Refused(f"{html} is no page of domeng-sim and is left as it is; name another file with --html")


def _write_figures(made: Report, directory: Path, overwrite: bool) -> list[Path]:
    from domeng_sim.analysis.html.page import figure_files
    from domeng_sim.analysis.png import png
    from domeng_sim.analysis.scene import svg

    scenes = figure_files(made)
    paths = [directory / f"{name}.{ending}" for name in scenes for ending in ("svg", "png")]
    there = [path for path in paths if path.exists()]
    if there and not overwrite:
        raise Refused(f"{there[0]} exists already; replace it by --overwrite, or name another directory with --figures")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{directory}: {error.strerror}") from error
    for name, scene in scenes.items():
        _write(directory / f"{name}.svg", svg(scene, "picture", own_style=True).encode())
        _write(directory / f"{name}.png", png(scene))
    return paths


def _write(path: Path, content: bytes) -> None:
    """Write a file so that a reader, or a crash, sees the old one or the new."""
    from domeng_sim.runs.store.files import write_atomically

    try:
        write_atomically(path, content)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error
