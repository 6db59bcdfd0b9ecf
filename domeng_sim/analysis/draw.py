"""Charts drawn with matplotlib, each once: on a page, in files and in notebooks it is the same picture."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from statistics import mode
from typing import TYPE_CHECKING, Final

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator

from domeng_sim.analysis.charts import TALL, Chart, Facet, Series, ends, short, span, visible
from domeng_sim.analysis.format import error_text, percent_text, scale_of, significant, unit_of, value_text
from domeng_sim.analysis.look import LIGHT, WIDTH, printable, series_style
from domeng_sim.analysis.metrics import Row
from domeng_sim.analysis.picture_files import TIP, pdf, png, style, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE: Final = 14.0
"""Height of a line of letters, in pixels."""

FEW_POINTS: Final = 12
"""Up to so many points of a line are marked."""

_PAD: Final = 0.12
"""Margin of a file, in inches; a page has its own."""

_NAME: Final = 19
"""Letters of a name in a line, beside its bar."""


def figure_of(chart: Chart, *, titled: bool = False) -> Figure:
    """The chart on a figure of its own.

    Parameters
    ----------
    chart
        What to draw.
    titled
        Whether its title stands above.
    """
    with style():
        figure = Figure(layout=ConstrainedLayoutEngine(w_pad=_PAD, h_pad=_PAD) if titled else "constrained")
        fill(figure, chart, titled=titled)
    return figure


def files_of(chart: Chart) -> Iterator[tuple[str, bytes]]:
    """The chart, with its title, as files.

    Parameters
    ----------
    chart
        What to draw.

    Yields
    ------
    ending : str
        ``svg``, ``png`` or ``pdf``.
    content : bytes
        The file.
    """
    figure, told = figure_of(chart, titled=True), (printable(chart.title), printable(chart.caption))
    yield "svg", svg(figure, "picture", *told, own_style=True).encode()
    figure.set_layout_engine("none")  # all stands in its place now
    yield "png", png(figure, *told)
    yield "pdf", pdf(figure, *told)


def fill(figure: Figure, chart: Chart, *, titled: bool = False, width: float = WIDTH) -> list[Axes]:
    """Draw a chart on an empty figure, which gets the size that it needs.

    Parameters
    ----------
    figure
        The figure; drawn with `picture_files.style`.
    chart
        What to draw.
    titled
        Whether its title stands above.
    width
        In pixels.
    """
    n = len(chart.facets)
    across = 1 if n == 1 else 2 if width < 1.5 * WIDTH or n in (2, 4) else 3
    down = math.ceil(n / across)
    title = textwrap.wrap(printable(chart.title), int(width / 8)) if titled else []
    legend = len(chart.names) if chart.picture != "dots" and chart.picture != "matrix" else 0
    height = _height(chart, down) * (width / WIDTH if chart.picture in ("columns", "lines", "tail") else 1)
    height += (17.0 * len(title) + 14.0 if titled else 0.0) + 16.0 * math.ceil(legend / 2)
    figure.set_size_inches(width / 72, height / 72)
    grid = figure.subplots(down, across, sharex=n > 1, sharey=n > 1, squeeze=False)
    found: list[Axes] = list(grid.flat)
    for left_over in found[n:]:
        left_over.remove()
        found[found.index(left_over) - across].xaxis.set_tick_params(labelbottom=True)
    found = found[:n]
    for axes, facet in zip(found, chart.facets, strict=True):
        draw(axes, chart, facet)
        for mark in (*axes.patches, *axes.lines):  # they are within the frame: measuring them takes time
            mark.set_in_layout(False)
    if n > 1:
        figure.supxlabel(chart.axis, color=LIGHT["mute"], fontsize="medium")
        figure.supylabel(_unit(chart), color=LIGHT["mute"], fontsize="medium")
    if title:
        figure.suptitle("\n".join(title), x=0.01, ha="left")
    if legend:
        _legend(figure, chart)
    return found


def _height(chart: Chart, down: int) -> float:
    """Height in pixels."""
    if chart.picture == "dots":
        lines = _lines(chart, chart.facets[0])
        return _row_height(name for name, _, row in lines if row is not None) * len(lines) + 50.0
    if chart.picture == "matrix":
        labels = {row.label for row in chart.facets[0].rows}
        heads = max(_wrapped(one.name, _letters(chart)).count("\n") for one in chart.facets[0].series)
        return (_row_height(labels) + 5.0) * len(labels) + 44.0 + LINE * heads
    if not any(visible(chart, one.rows) for facet in chart.facets for one in facet.series):
        return 34.0
    return 215.0 if down == 1 and len(chart.facets) == 1 else 108.0 * down + 42.0


def _row_height(names: Iterable[str]) -> float:
    """Height of each row: that of the longest name and a little more."""
    return 4.0 + LINE * max((1 + _wrapped(name).count("\n") for name in names), default=1)


def _letters(chart: Chart) -> int:
    """Letters of a name above a column of a grid."""
    return max(4, 34 // len(chart.facets[0].series))


def _wrapped(name: str, letters: int = _NAME) -> str:
    """A name on two lines at most."""
    return "\n".join(textwrap.wrap(printable(name), letters, max_lines=2, placeholder="…"))


def _legend(figure: Figure, chart: Chart) -> None:
    """Names of the series with a piece of their line, in as many columns as the figure has room for."""
    handles = [Line2D([], [], label=short(name, 44), **series_style(k)) for k, name in enumerate(chart.names)]
    room = figure.get_size_inches()[0] * 72
    longest = max(len(str(handle.get_label())) for handle in handles)
    across = max(1, min(len(handles), int(room // (8.0 * longest + 36))))
    figure.legend(handles=handles, loc="outside upper left", ncols=across, columnspacing=1.2)


def draw(axes: Axes, chart: Chart, facet: Facet) -> None:
    """Draw a frame of a chart.

    Parameters
    ----------
    axes
        Where.
    chart
        The chart, whose frames have common axes.
    facet
        One of its frames.
    """
    if chart.picture == "dots":
        _dots(axes, chart, facet)
    elif chart.picture == "matrix":
        _matrix(axes, chart, facet)
    else:
        _curves(axes, chart, facet)


def _unit(chart: Chart) -> str:
    return chart.unit + (", logarithmic" if chart.picture == "tail" else "")


def _tip(name: str, row: Row) -> str:
    unit = unit_of(row.estimate.unit, row.kind)
    texts = [text for text in (name, row.label) if text]
    said = f"{', '.join(texts)}: {value_text(row.estimate, row.kind)} {error_text(row.estimate, row.kind)} {unit}"
    return TIP + printable(said)


def _plain(value: float, _: object = None) -> str:
    return f"{value:,.10g}".replace("-", "−")


def _say(axes: Axes, text: str) -> None:
    axes.axis("off")
    axes.text(0, 0.5, text, transform=axes.transAxes, color=LIGHT["mute"], va="center")


# --- Bars and points, a line each -------------------------------------------------------------------------------------


def _lines(chart: Chart, facet: Facet) -> list[tuple[str, int, Row | None]]:
    """Lines from top to bottom: a heading, or a name with its row and the number of its series."""
    there = dict.fromkeys(row.label for row in facet.rows)
    labels = [label for label in chart.labels or there if label in there]
    many = len(facet.series) > 1
    found: list[tuple[str, int, Row | None]] = []
    for label in labels:
        if many and len(labels) > 1:
            found.append((label, 0, None))
        for number, one in enumerate(facet.series):
            rows = [row for row in one.rows if row.label == label and row.estimate.value is not None]
            found += [(one.name if many else label, number, row) for row in rows]
    return found


def _dots(axes: Axes, chart: Chart, facet: Facet) -> None:
    """A bar from zero for each figure, or a point near a fair value; its number beside it."""
    lines = _lines(chart, facet)
    known = [row for _, _, row in lines if row is not None]
    if not known:
        _say(axes, "Nothing of the kind was played.")
        return
    fair = None if chart.fair is None else chart.fair * scale_of(known[0].kind)
    for y, (name, number, row) in enumerate(lines):
        if row is None:
            ground = {"facecolor": LIGHT["paper"], "edgecolor": "none", "pad": 0.5}
            axes.text(
                0,
                y,
                short(name, 44),
                transform=axes.get_yaxis_transform(),
                va="center_baseline",
                weight="bold",
                bbox=ground,
            )
        else:
            _dot(axes, y, (name, number if chart.by_run else 0, row), fair)
    _limits(axes, [ends(row) for row in known], fair)
    axes.set_ylim(len(lines) - 0.5, -0.5)
    named = [(y, name) for y, (name, _, row) in enumerate(lines) if row is not None]
    axes.set_yticks([y for y, _ in named], [_wrapped(name) for _, name in named])
    axes.tick_params(axis="y", labelcolor=LIGHT["ink"])
    axes.spines.bottom.set_visible(False)
    axes.grid(axis="x")
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(_plain))
    axes.set_xlabel(_unit(chart))


def _dot(axes: Axes, y: int, line: tuple[str, int, Row], fair: float | None) -> None:
    name, number, row = line
    value, low, high = ends(row)
    color = series_style(number)["color"]
    tip = _tip("" if name == row.label else name, row)
    if fair is None:
        axes.barh(y, value, height=0.66, color=color, alpha=0.55, linewidth=0)[0].set_gid(tip)
    if high > low:
        ink = LIGHT["ink"] if fair is None else color
        axes.plot([low, high], [y, y], color=ink, linewidth=1.6, clip_on=False, solid_capstyle="butt")
    if fair is not None:
        axes.plot([value], [y], "o", color=color, markersize=6.5, clip_on=False, markeredgewidth=0)[0].set_gid(tip)
    text = f"{percent_text(row.estimate, row.kind)} {error_text(row.estimate, row.kind)}".strip()
    axes.text(1.02, y, text, transform=axes.get_yaxis_transform(), va="center_baseline")


def _limits(axes: Axes, found: Sequence[tuple[float, float, float]], fair: float | None) -> None:
    """Limits of the axis along the bars."""
    lowest = min(0.0 if fair is None else fair, *(low for _, low, _ in found))
    highest = max(0.0 if fair is None else fair, *(high for _, _, high in found))
    if fair is not None:
        axes.axvline(fair, color=LIGHT["mute"], linewidth=1.2, linestyle=(0, (4, 3)), zorder=1).set_gid(
            f"{TIP}even share: {fair:g}"
        )
        pad = 0.06 * (highest - lowest) or 1.0
        lowest, highest = max(0.0, lowest - pad), highest + pad
    elif lowest < 0:
        axes.axvline(0, color=LIGHT["mute"], linewidth=1.0)
    axes.set_xlim(lowest, highest if highest > lowest else lowest + 1.0)


# --- Distributions, trends, tails -------------------------------------------------------------------------------------


def _curves(axes: Axes, chart: Chart, facet: Facet) -> None:
    """Columns or lines over numbers."""
    everything = [[visible(chart, one.rows) for one in part.series] for part in chart.facets]
    rows = [row for part in everything for found in part for row in found]
    if not rows:
        kind = "Nothing of the kind was played." if not chart.trend else "Too few of the kind were played to draw them."
        _say(axes, kind)
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
    axes.xaxis.set_major_formatter(FuncFormatter(_plain))
    if as_columns:
        ticks = [tick for tick in MaxNLocator(8 if len(chart.facets) == 1 else 4, integer=True, steps=[1, 2, 5, 10])
                 .tick_values(first, beyond - 1) if first <= tick < beyond]  # fmt: skip
        axes.set_xticks([tick + inset for tick in ticks], [_plain(tick) for tick in ticks])
    axes.grid(axis="y")
    _y_axis(axes, chart, rows, top)
    if len(chart.facets) == 1:
        axes.set_xlabel(chart.axis)
    axes.set_title(_unit(chart) if len(chart.facets) == 1 else short(facet.title, 24), loc="left")


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
    return 1.25 * others if is_cut else highest


def _columns(axes: Axes, name: str, rows: Sequence[Row], usual: float, top: float) -> None:
    for row in rows:
        a, b = span(row.label)
        value, low, high = _heights(row, usual)
        gap = min(0.08, 0.06 * (b - a))
        bar = Rectangle((a + gap, 0), b - a - 2 * gap, min(value, top))
        bar.set(facecolor=LIGHT["s0"], alpha=0.7, linewidth=0, clip_on=False)
        bar.set_gid(_tip(name, row))
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
            axes.plot([x], [value], "o", color=how["color"], clip_on=False, mew=0)[0].set_gid(_tip(name, row))


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
    axes.yaxis.set_major_formatter(FuncFormatter(_plain))


# --- Grids ------------------------------------------------------------------------------------------------------------


def _matrix(axes: Axes, chart: Chart, facet: Facet) -> None:
    """A grid of cells, darker where there is more."""
    labels = list(chart.labels or dict.fromkeys(row.label for row in facet.rows))
    top = max((ends(row)[0] for row in facet.rows), default=0.0) or 1.0
    for x, one in enumerate(facet.series):
        for row in one.rows:
            _cell(axes, (x, labels.index(row.label)), one, row, top)
    axes.set_xlim(0, len(facet.series))
    axes.set_ylim(len(labels), 0)
    axes.xaxis.tick_top()
    heads = [_wrapped(one.name, _letters(chart)) for one in facet.series]
    axes.set_xticks([x + 0.5 for x in range(len(facet.series))], heads)
    axes.set_yticks([y + 0.5 for y in range(len(labels))], [_wrapped(label) for label in labels])
    axes.tick_params(labelcolor=LIGHT["ink"])
    axes.spines.bottom.set_visible(False)
    axes.set_title(_unit(chart) + (f"; across: {chart.axis}" if chart.axis else ""), loc="left")


def _cell(axes: Axes, at: tuple[int, int], one: Series, row: Row, top: float) -> None:
    value, (x, y) = ends(row)[0], at
    cell = Rectangle((x + 0.02, y + 0.03), 0.96, 0.94, facecolor=LIGHT["s0"], linewidth=0, clip_on=False)
    cell.set_alpha(0.04 + 0.5 * value / top)
    cell.set_gid(_tip(one.name, row))
    axes.add_patch(cell)
    text = "–" if row.estimate.value is None else significant(value, 2 if value < 100 else 3)
    axes.text(x + 0.5, y + 0.5, text, ha="center", va="center_baseline").set_in_layout(False)
