"""A report on a terminal: chapter by chapter, as sections that fit its width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.text import Text

from domeng_sim.analysis.captions import rare_line
from domeng_sim.analysis.format import grouped, unit_of
from domeng_sim.analysis.html.page import comparisons, facts
from domeng_sim.analysis.metrics import Row, Section
from domeng_sim.analysis.report import PlateReport, RunReport
from domeng_sim.cli.grid import NOTE, TITLE
from domeng_sim.cli.layout import Block, section_block, side_by_side
from domeng_sim.cli.numbers import Glyphs, folded
from domeng_sim.cli.render import print_header, signs, totals_line
from domeng_sim.cli.terminal import Printer, terminal

CHAPTER = "bold reverse"
MINUS = "−"


def print_report(report: RunReport, color: str = "auto") -> None:
    """Print a report.

    Parameters
    ----------
    report
        What to print.
    color
        ``auto``, ``always`` or ``never``.
    """
    printer = Printer(terminal(color))
    glyphs, width = printer.glyphs, printer.width
    letters = _letters(len(report.runs)) if len(report.runs) > 1 else [""]
    for letter, run in zip(letters, report.runs, strict=True):
        told = dict(facts(run))
        names = ("state", "match", "seats", "rules", "seed", "tables", "directory")
        title = f"{letter + ' is ' if letter else ''}{run.dataset.spec.title}, {run.name}"
        print_header(printer, totals_line(title, run.totals), {name: told[name] for name in names if name in told})
        printer.line()
    shown_text = []
    for chapter in report.chapters:
        printer.line(f" {chapter.title} ", CHAPTER)
        printer.wrapped(chapter.text, NOTE)
        lines = side_by_side([_block(report, plate, width, glyphs) for plate in chapter.plates], width)
        shown_text += [line.plain for line in lines]
        printer.lines(lines)
        printer.line()
    for text in _legend(report, "\n".join(shown_text), glyphs):
        printer.wrapped(text, NOTE)
    printer.again(report.runs[0].manifest.get("command", ""))
    for run in report.runs[1:]:
        printer.command(run.manifest.get("command", ""))


def _block(report: RunReport, plate: PlateReport, width: int, glyphs: Glyphs) -> Block:
    """Lines of one panel."""
    title = Text(plate.plate.panel.title, TITLE)
    missing = [Text(part, NOTE) for text in plate.missing for part in folded(f"Not here: {text}.", width)]
    if not plate.shown:
        title.truncate(width)
        return Block((title, *missing))
    section = _shown(plate, plate.shown[0]) if len(report.runs) == 1 else _compared(report, plate, glyphs)
    block = section_block(section, width, glyphs)
    source = Text(f"From {' and '.join(plate.sources)}{_out_of(report, plate)}.", NOTE)
    room = min(width, max(60, block.width))
    captions = plate.captions if len(report.runs) == 1 else ()
    texts = [Text(part, NOTE) for text in captions for part in folded(text, room)]
    return Block((*block.lines, *texts, *missing, source))


def _out_of(report: RunReport, plate: PlateReport) -> str:
    """How many rounds, games or whatever the figures are shares or means of."""
    trials = {denominator for counts in plate.counts for _, denominator in counts.values()}
    if len(report.runs) > 1 or not trials:
        return ""
    least, most = min(trials), max(trials)
    return f", out of {grouped(least)}" + (f" to {grouped(most)}" if most > least else "")


def _shown(plate: PlateReport, section: Section) -> Section:
    """The section as far as anything was seen."""
    if section.layout not in ("histogram", "spread"):
        return section
    seen = {row.label for row in section.rows if row.estimate.value}
    labels = section.labels
    places = [k for k, label in enumerate(labels) if label in seen]
    kept = set(labels[places[0] : places[-1] + 1] if places else labels[:1])
    rows = tuple(row for row in section.rows if row.label in kept)
    # blocks are for the parts of one whole, with whole numbers at their foot
    blocks = plate.distribution and all(label.isdigit() for label in kept)
    layout = "table" if section.layout == "spread" and not blocks else section.layout
    return replace(section, rows=rows, layout=layout)


def _compared(report: RunReport, plate: PlateReport, glyphs: Glyphs) -> Section:
    """The runs as columns, each but the first followed by its difference to the first."""
    names = _letters(len(report.runs))
    minus = glyphs.text(MINUS)
    columns = [names[0]]
    for name in names[1:]:
        columns += [name, f"{name} {minus} {names[0]}"]
    places: dict[tuple[str, str], None] = {}
    for section in plate.shown:
        places |= dict.fromkeys((row.label, row.column) for row in _shown(plate, section).rows)
    first = plate.shown[0]
    told, without = plate.compared(list(places))
    note = f"{plate.note} {without}".strip()
    rows: list[Row] = []
    for label, column in told:
        text = ", ".join(part for part in (label, column) if part)
        for number, (name, found) in enumerate(zip(names, plate.sections, strict=True)):
            row = None if found is None else found.cells.get((label, column))
            if row is None:
                continue
            rows.append(replace(row, label=text, column=name, key=f"{row.key}.{name}"))
            difference = plate.differences[number - 1].get(row.key) if number else None
            if difference is not None and (difference.low is not None or difference.high is not None):
                rows.append(
                    Row(f"{row.key}.difference.{name}", text, f"{name} {minus} {names[0]}", row.kind, difference)
                )
    units = {(row.kind, row.estimate.unit) for row in first.rows}
    title = first.title
    if len(units) == 1:
        kind, unit = units.pop()
        title += f"  {unit_of(unit, kind)}"
    return Section(first.key, title, note, "table", tuple(columns), first.brief, tuple(rows))


def _letters(n: int) -> list[str]:
    return [chr(ord("A") + k) if k < 26 else f"run {k + 1}" for k in range(n)]


def _legend(report: RunReport, shown: str, glyphs: Glyphs) -> Sequence[str]:
    """What the signs mean."""
    lines = []
    if len(report.runs) > 1:
        named = zip(_letters(len(report.runs)), report.runs, strict=True)
        lines.append("; ".join(f"{letter} is {run.name}" for letter, run in named) + ".")
        lines += comparisons(report)
        lines.append(
            f"Of many differences some exclude 0 by chance alone, each with a risk of {100 - 100 * report.level:.3g} %."
        )
    batches = " and ".join(f"{len(run.counted.first):,}" for run in report.runs)
    found = signs(report.level, f"{batches} batches of whole matches; all tables use the same batches", shown, glyphs)
    if len(report.runs) == 1:
        found.append(rare_line([plate.shown[0] for plate in report.plates() if plate.shown]))
    return [text for text in [*lines, *found] if text]
