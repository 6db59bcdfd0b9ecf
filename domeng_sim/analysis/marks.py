"""Small parts of charts that are the same in all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from domeng_sim.analysis.charts import Chart
from domeng_sim.analysis.format import error_text, interval_text, percent_text, unit_of, value_text
from domeng_sim.analysis.look import LIGHT, printable
from domeng_sim.analysis.metrics import Row
from domeng_sim.analysis.picture_files import TIP

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def unit_text(chart: Chart) -> str:
    """Unit of an axis of figures."""
    return chart.unit + (", logarithmic" if chart.picture == "tail" else "")


def tip(name: str, row: Row) -> str:
    """Name of a mark's group: what it says when one points at it."""
    unit = unit_of(row.estimate.unit, row.kind)
    texts = [text for text in (name, row.label) if text]
    said = f"{', '.join(texts)}: {value_text(row.estimate, row.kind)} {error_text(row.estimate, row.kind)} {unit}"
    return TIP + printable(said)


def plain(value: float, _: object = None) -> str:
    """A number of an axis."""
    return f"{value:,.10g}".replace("-", "−")


def number_text(row: Row) -> str:
    """A figure with its error, or its interval where no value may be told."""
    if row.estimate.value is None and row.estimate.low is not None:
        text = interval_text(replace(row.estimate, value=row.estimate.low), row.kind)
        return f"{text} %" if row.kind == "share" else text
    is_difference = row.estimate.unit.startswith("difference")  # in percentage points, which its axis says
    value = (value_text if is_difference else percent_text)(row.estimate, row.kind).replace("-", "−")
    return f"{value} {error_text(row.estimate, row.kind)}".strip()


def nothing(axes: Axes, text: str) -> None:
    """Say why there is nothing to see."""
    axes.axis("off")
    axes.text(0, 0.5, text, transform=axes.transAxes, color=LIGHT["mute"], va="center")
