"""Charts drawn with matplotlib, each once: on a page, in files and in notebooks it is the same picture."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator

from domeng_sim.analysis.charts import Chart, Facet, Series, ends, short, visible
from domeng_sim.analysis.curves import curves
from domeng_sim.analysis.format import scale_of, significant
from domeng_sim.analysis.look import LIGHT, SIZE, WIDTH, printable, series_style
from domeng_sim.analysis.marks import nothing, number_text, plain, tip, unit_text
from domeng_sim.analysis.metrics import Row
from domeng_sim.analysis.picture_files import TIP, pdf, png, style, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE: Final = 14.0
"""Height of a line of letters, in pixels."""

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
        figure.supylabel(unit_text(chart), color=LIGHT["mute"], fontsize="medium")
    if legend:
        _legend(figure, chart, "\n".join(title))
    elif title:
        figure.suptitle("\n".join(title), x=0.01, ha="left")
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


def _legend(figure: Figure, chart: Chart, title: str) -> None:
    """Names of the series with a piece of their line, in as many columns as the figure has room for; a title above."""
    seen = {one.name for facet in chart.facets for one in facet.series if one.rows}
    numbered = [(k, name) for k, name in enumerate(chart.names) if name in seen]
    handles = [Line2D([], [], label=short(name, 44), **series_style(k)) for k, name in numbered]
    room = figure.get_size_inches()[0] * 72
    longest = max(len(str(handle.get_label())) for handle in handles)
    across = max(1, min(len(handles), int(room // (8.0 * longest + 36))))
    made = figure.legend(
        handles=handles,
        loc="outside upper left",
        ncols=across,
        columnspacing=1.2,
        title=title or None,
        alignment="left",
    )
    made.get_title().set(fontsize=SIZE + 2, fontweight="bold")


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
        curves(axes, chart, facet)


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
            known = (row for row in one.rows if row.estimate.value is not None or row.estimate.low is not None)
            rows = [row for row in known if row.label == label]
            found += [(one.name if many else label, number, row) for row in rows]
    return found


def _dots(axes: Axes, chart: Chart, facet: Facet) -> None:
    """A bar from zero for each figure, or a point near a fair value; its number beside it."""
    lines = _lines(chart, facet)
    known = [row for _, _, row in lines if row is not None]
    if not known:
        nothing(axes, "Nothing of the kind was played.")
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
    _limits(axes, [ends(row) for row in known], fair, chart.fair_name)
    axes.set_ylim(len(lines) - 0.5, -0.5)
    named = [(y, name) for y, (name, _, row) in enumerate(lines) if row is not None]
    axes.set_yticks([y for y, _ in named], [_wrapped(name) for _, name in named])
    axes.tick_params(axis="y", labelcolor=LIGHT["ink"])
    axes.spines.bottom.set_visible(False)
    axes.grid(axis="x")
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.set_xlabel(unit_text(chart))


def _dot(axes: Axes, y: int, line: tuple[str, int, Row], fair: float | None) -> None:
    name, number, row = line
    value, low, high = ends(row)
    color = series_style(number)["color"]
    said, has_value = tip("" if name == row.label else name, row), row.estimate.value is not None
    if fair is None and has_value:
        axes.barh(y, value, height=0.66, color=color, alpha=0.55, linewidth=0)[0].set_gid(said)
    if high > low:
        ink = LIGHT["ink"] if fair is None else color
        axes.plot([low, high], [y, y], color=ink, linewidth=1.6, clip_on=False, solid_capstyle="butt")
    if fair is not None and has_value:
        axes.plot([value], [y], "o", color=color, markersize=6.5, clip_on=False, markeredgewidth=0)[0].set_gid(said)
    axes.text(1.02, y, number_text(row), transform=axes.get_yaxis_transform(), va="center_baseline")


def _limits(axes: Axes, found: Sequence[tuple[float, float, float]], fair: float | None, name: str) -> None:
    """Limits of the axis along the bars."""
    lowest = min(0.0 if fair is None else fair, *(low for _, low, _ in found))
    highest = max(0.0 if fair is None else fair, *(high for _, _, high in found))
    if fair is not None:
        axes.axvline(fair, color=LIGHT["mute"], linewidth=1.2, linestyle=(0, (4, 3)), zorder=1).set_gid(
            f"{TIP}{name}: {fair:g}"
        )
        pad = 0.06 * (highest - lowest) or 1.0
        lowest, highest = max(0.0, lowest - pad) if lowest >= 0 and fair > 0 else lowest - pad, highest + pad
    elif lowest < 0:
        axes.axvline(0, color=LIGHT["mute"], linewidth=1.0)
    axes.set_xlim(lowest, highest if highest > lowest else lowest + 1.0)


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
    axes.set_title(unit_text(chart) + (f"; across: {chart.axis}" if chart.axis else ""), loc="left")


def _cell(axes: Axes, at: tuple[int, int], one: Series, row: Row, top: float) -> None:
    value, (x, y) = ends(row)[0], at
    cell = Rectangle((x + 0.02, y + 0.03), 0.96, 0.94, facecolor=LIGHT["s0"], linewidth=0, clip_on=False)
    cell.set_alpha(0.04 + 0.5 * value / top)
    cell.set_gid(tip(one.name, row))
    axes.add_patch(cell)
    text = "–" if row.estimate.value is None else significant(value, 2 if value < 100 else 3)
    axes.text(x + 0.5, y + 0.5, text, ha="center", va="center_baseline").set_in_layout(False)
