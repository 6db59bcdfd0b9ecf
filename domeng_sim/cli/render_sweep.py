"""A sweep on a terminal: a table for each measure, with a small plot of the differences."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.console import Console

from domeng_sim.analysis.format import Shown, grouped, shown
from domeng_sim.cli.grid import NOTE, TITLE, GridColumn, aligned
from domeng_sim.cli.numbers import Glyphs
from domeng_sim.cli.render_studies import print_setting
from domeng_sim.cli.terminal import Printer
from domeng_sim.comparisons.design import in_words, short_names
from domeng_sim.comparisons.sweep_result import SHARE, SweepResult
from domeng_sim.stats.estimate import Estimate

_PLOT = 21
"""Columns of a small plot; odd, so that there is a middle."""


def print_sweep(console: Console, result: SweepResult, words: Sequence[str], full: bool) -> None:
    """Print what a sweep found.

    Parameters
    ----------
    console
        From `render.terminal`.
    result
        What was found.
    words
        The command that gives it again.
    full
        Whether figures that do not surely change are printed too.
    """
    printer, grid = Printer(console), result.grid
    names = short_names([grid.base, *grid.company])
    others = names[1:] if len(set(names[1:])) > 1 else names[1:2]
    alone = in_words(grid.setting.seats, names[0])
    title = f"Sweep of {names[0]} against {', '.join(others)}" if grid.company else f"Sweep of rules, {alone}"
    print_setting(printer, title, grid.setting, result.blocks, result.games, sum(result.rounds))
    over = "; ".join(f"{axis.name} at {len(axis.values)} value{'s' * (len(axis.values) > 1)}" for axis in grid.axes)
    printer.wrapped(f"{over}; reference: {grid.points[grid.reference].label}", NOTE)
    changing = result.changing()
    told = [k for k, one in enumerate(result.measures) if full or one.key == SHARE or k in changing]
    for k in told if result.cells else ():
        printer.line()
        _measure(printer, result, k)
    rest = len(result.measures) - len(told)
    if rest and result.cells:
        printer.line()
        printer.wrapped(f"{'The other ' if told else ''}{rest} figures: no difference is established.", NOTE)
    printer.line()
    printer.wrapped(f"Answer: {result.sentence}.", TITLE)
    printer.line()
    level = f"{100 * grid.level:.6g} %"
    printer.wrapped(
        f"Each point: {level} intervals, each by itself, for a number of blocks fixed beforehand. Differences to the "
        f"reference: on the same deals, with {level} intervals that hold together over the grid (max-t, bootstrap of "
        "blocks); * where 0 lies outside. Plot: the differences; the unit is the block, "
        f"{grouped(result.blocks)} of them.",
        NOTE,
    )
    printer.again(shlex.join(words))


def _measure(printer: Printer, result: SweepResult, k: int) -> None:
    measure, glyphs = result.measures[k], printer.glyphs
    unit = {"share": "in %, differences in pp"}.get(measure.kind, measure.unit)
    printer.wrapped(f"{measure.label}, {unit}", TITLE)
    cells = [row[k] for row in result.cells]
    is_reference = [number == result.grid.reference for number in range(len(cells))]
    differences = [
        Shown("") if here else shown(cell.difference, measure.kind, unit="", signed=True)
        for cell, here in zip(cells, is_reference, strict=True)
    ]
    ends = [x for cell in cells for x in (cell.difference.value, cell.difference.low, cell.difference.high)]
    reach = max((abs(x) for x in ends if x is not None), default=0.0)
    plots = [plot(cell.difference, reach, glyphs) for cell in cells]
    heads = [axis.short for axis in result.grid.axes]
    columns = [[point.values[number] for point in result.grid.points] for number in range(len(heads))]
    widths = [max(map(len, [head, *column])) for head, column in zip(heads, columns, strict=True)]

    def joined(texts: Sequence[str]) -> str:
        return "  ".join(text.rjust(width) for text, width in zip(texts, widths, strict=True))

    printer.grid(
        [
            GridColumn([joined(point.values) for point in result.grid.points], joined(heads), True),
            GridColumn(
                aligned([shown(cell.estimate, measure.kind, unit="") for cell in cells], glyphs), "at the point"
            ),
            GridColumn(aligned(differences, glyphs), "difference"),
            GridColumn(["*" if cell.is_established else " " for cell in cells], left=True),
            GridColumn(plots, left=True),
        ],
        "  ",
        gap=1 if printer.width < 72 else 2,
    )


def plot(estimate: Estimate, reach: float, glyphs: Glyphs) -> str:
    """An interval as a line with its value, 0 in the middle.

    Parameters
    ----------
    estimate
        A difference.
    reach
        What lies at the ends.
    glyphs
        What it is drawn with.
    """
    line, middle = [" "] * _PLOT, _PLOT // 2

    def place(x: float) -> int:
        return middle + round(middle * x / reach) if reach else middle

    line[middle] = "|" if glyphs.plain else "┊"
    if estimate.low is not None and estimate.high is not None:
        for at in range(place(estimate.low), place(estimate.high) + 1):
            line[at] = "-" if glyphs.plain else "─"
    if estimate.value is not None:
        line[place(estimate.value)] = "o" if glyphs.plain else "●"
    return "".join(line)
