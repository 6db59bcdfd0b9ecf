"""Distributions, trends and tails, drawn over numbers: columns, lines with their bands, what was cut off."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import mode
from typing import TYPE_CHECKING, Final

from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator

from domeng_sim.analysis.charts import TALL, Chart, Facet, ends, short, span, visible
from domeng_sim.analysis.format import significant
from domeng_sim.analysis.look import LIGHT, series_style
from domeng_sim.analysis.marks import nothing, plain, tip, unit_text
from domeng_sim.analysis.metrics import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW_POINTS: Final = 12
"""Up to so many points of a line are marked."""


def curves(axes: Axes, chart: Chart, facet: Facet) -> None:
    """Columns or lines over numbers."""
    everything = [[visible(chart, one.rows) for one in part.series] for part in chart.facets]
    rows = [row for part in everything for found in part for row in found]
    if not rows:
        kind = "Nothing of the kind was played." if not chart.trend else "Too few of the kind were played to draw them."
        nothing(axes, kind)
        return
    first, beyond = min(span(row.label)[0] for row in rows), max(span(row.label)[1] for row in rows)
    as_columns = chart.picture != "tail" and not chart.trend and len(facet.series) == 1
    usual = mode(b - a for a, b in (span(row.label) for row in rows))
    top = _top(chart, everything, usual)
    for number, one in enumerate(facet.series):
        shown = visible(chart, one.rows)
        if as_columns:
            _columns(axes, one.name, shown, usual, top)
        else:
            _curve(axes, (number, one.name), shown, usual if not chart.trend else 0.0, top)
    inset = 0.5 if as_columns else 0.0
    _cut(axes, facet, chart, usual, top, inset)
    axes.set_xlim(first - 0.2, beyond + 0.2) if as_columns else axes.set_xlim(first - 0.3, beyond - 0.7)
    axes.xaxis.set_major_locator(MaxNLocator(8 if len(chart.facets) == 1 else 5, integer=True, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    if as_columns:
        ticks = [tick for tick in MaxNLocator(8 if len(chart.facets) == 1 else 4, integer=True, steps=[1, 2, 5, 10])
                 .tick_values(first, beyond - 1) if first <= tick < beyond]  # fmt: skip
        axes.set_xticks([tick + inset for tick in ticks], [plain(tick) for tick in ticks])
    axes.grid(axis="y")
    _y_axis(axes, chart, rows, top)
    if len(chart.facets) == 1:
        axes.set_xlabel(chart.axis)
    axes.set_title(unit_text(chart) if len(chart.facets) == 1 else short(facet.title, 24), loc="left")


def _heights(row: Row, usual: float) -> tuple[float, float, float]:
    """Value and ends; a row of more values than most is spread over them."""
    a, b = span(row.label)
    factor = usual / (b - a) if usual else 1.0
    value, low, high = ends(row)
    return value * factor, low * factor, high * factor


def _top(chart: Chart, everything: Sequence[Sequence[Sequence[Row]]], usual: float) -> float:
    """Largest value that is drawn: below the highest column of each series where that would hide the others."""
    heights = [
        sorted(_heights(row, 0.0 if chart.trend else usual)[2] for row in rows)
        for part in everything for rows in part if rows
    ]  # fmt: skip
    highest = max(found[-1] for found in heights) or 1.0  # nothing but zeros
    others = max((found[-2] for found in heights if len(found) > 3), default=0.0)
    is_cut = chart.picture != "tail" and not chart.trend and 0 < TALL * others < highest
    drawn = [height for found in heights for height in found if height <= TALL * others]
    return max(1.25 * others, *drawn) if is_cut else highest


def _columns(axes: Axes, name: str, rows: Sequence[Row], usual: float, top: float) -> None:
    for row in rows:
        a, b = span(row.label)
        value, low, high = _heights(row, usual)
        gap = min(0.08, 0.06 * (b - a))
        bar = Rectangle((a + gap, 0), b - a - 2 * gap, min(value, top))
        bar.set(facecolor=LIGHT["s0"], alpha=0.7, linewidth=0, clip_on=False)
        bar.set_gid(tip(name, row))
        axes.add_patch(bar)
        if top >= high > low:
            axes.plot([(a + b) / 2] * 2, [low, high], color=LIGHT["ink"], linewidth=1.2, clip_on=False)


def _cut(axes: Axes, facet: Facet, chart: Chart, usual: float, top: float, inset: float) -> None:
    """Write on each column that was cut how high it is."""
    cut: dict[str, list[Row]] = {}
    if chart.picture == "tail" or chart.trend:
        return
    for one in facet.series:
        for row in visible(chart, one.rows):
            if _heights(row, usual)[0] > top:
                cut.setdefault(row.label, []).append(row)
    for label, rows in cut.items():
        a, b = span(label)
        said = ", ".join(significant(ends(row)[0]) for row in rows)
        place = a + 0.9 if inset else a
        axes.annotate(
            f"{said} %" if rows[0].kind == "share" else said, (place, top), (4, -1), textcoords="offset points",
            va="top", color=LIGHT["ink"],
        )  # fmt: skip
        for height in (0.84, 0.9) if inset else ():
            axes.plot([a, b], [top * height, top * (height + 0.04)], color=LIGHT["paper"], linewidth=2, clip_on=False)


def _curve(axes: Axes, series: tuple[int, str], rows: Sequence[Row], usual: float, top: float) -> None:
    """A line with its band; what was cut is not on it."""
    number, name = series
    found = [(span(row.label)[0], _heights(row, usual), row) for row in rows]
    found = [one for one in found if one[1][0] <= top]
    if not found:
        return
    how = series_style(number)
    xs, low, high = [x for x, _, _ in found], [e[1] for _, e, _ in found], [min(e[2], top) for _, e, _ in found]
    if len(found) > 1:
        axes.fill([*xs, *reversed(xs)], [*high, *reversed(low)], color=how["color"], alpha=0.22, lw=0, clip_on=False)
        axes.plot(xs, [e[0] for _, e, _ in found], **how, clip_on=False)
    if len(found) <= FEW_POINTS:
        for x, (value, below, above), row in found:
            axes.plot([x, x], [below, min(above, top)], color=how["color"], linewidth=1.2, clip_on=False)
            axes.plot([x], [value], "o", color=how["color"], clip_on=False, mew=0)[0].set_gid(tip(name, row))


def _y_axis(axes: Axes, chart: Chart, rows: Sequence[Row], top: float) -> None:
    if chart.picture == "tail":
        lowest = min(ends(row)[1] for row in rows)
        low, high = math.floor(math.log10(max(lowest, 1e-12))), math.ceil(math.log10(top))
        axes.set_yscale("log")
        axes.set_ylim(10.0**low, 10.0 ** max(high, low + 1))
        axes.set_yticks([10.0**n for n in range(low, max(high, low + 1) + 1)])
    else:
        axes.set_ylim(0, top)
        axes.yaxis.set_major_locator(MaxNLocator(5 if len(chart.facets) == 1 else 3, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(plain))
