"""Pictures of panels: which marks stand where.

Pictures are as wide as a phone, so that their letters are never shrunk; a wide page puts several side by side.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mode
from typing import Final

from domeng_sim.analysis.format import error_text, percent_text, scale_of, significant, unit_of, value_text, well_known
from domeng_sim.analysis.metrics import Row
from domeng_sim.analysis.report import PlateReport
from domeng_sim.analysis.scene import DASHES, SERIES, Scene, text_width

WIDTH: Final = 420.0
STEP: Final = 17.0
"""Height of a line of letters with its bar."""

ENOUGH: Final = 0.999
"""Part of a distribution that a picture shows; the table has all."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Series:
    """Rows that belong together in a picture: a column of a panel, or a run."""

    name: str
    rows: tuple[Row, ...]


def scenes(plate: PlateReport, names: Sequence[str]) -> list[Scene]:
    """Pictures of a panel; none where reading beats looking.

    Parameters
    ----------
    plate
        The panel.
    names
        Names of the runs.
    """
    panel, kind = plate.plate.panel, plate.plate.picture
    if kind == "none" or not plate.shown:
        return []
    present = [(name, section) for name, section in zip(names, plate.sections, strict=True) if section is not None]
    several = len(names) > 1
    made: list[Scene] = []
    if len(plate.shown[0].columns) == 1 and several and kind != "matrix":
        series = [Series(name, section.rows) for name, section in present]
        made += _drawn(plate, series, panel.title, "", kind)
    else:
        for (name, section), caption in zip(present, plate.captions, strict=True):
            series = [
                Series(column, tuple(row for row in section.rows if row.column == column)) for column in section.columns
            ]
            title = f"{panel.title}: {name}" if several else panel.title
            made += _drawn(plate, [one for one in series if one.rows], title, caption, kind)
    if len(made) > 0 and not made[0].caption:
        for scene in made:
            scene.caption = " ".join(f"{name}: {text}" for (name, _), text in zip(present, plate.captions, strict=True))
    return made


def _drawn(plate: PlateReport, series: Sequence[Series], title: str, caption: str, kind: str) -> Iterator[Scene]:
    if kind == "dots":
        units = dict.fromkeys((row.estimate.unit, row.kind) for one in series for row in one.rows)
        for unit, of_kind in units:
            part = [
                Series(one.name, tuple(row for row in one.rows if (row.estimate.unit, row.kind) == (unit, of_kind)))
                for one in series
            ]
            scene = _dots(part, title, plate.plate.fair, unit_of(unit, of_kind))
            scene.caption = caption
            yield scene
        return
    if kind == "matrix":
        scene = _matrix(series, title, plate.shown[0].labels)
    elif kind == "columns" and len(series) == 1:
        scene = _columns(series[0], title, plate.plate.axis)
    else:
        scene = _lines(
            series, title, plate.plate.axis, log=kind == "tail", trend=not plate.distribution and kind == "lines"
        )
    scene.caption = caption
    yield scene


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers within a range."""
    span = high - low
    if span <= 0:
        return [low]
    step = 10.0 ** math.floor(math.log10(span / most))
    step *= next(m for m in (1, 2, 5, 10) if span / (step * m) <= most)
    first = math.ceil(low / step - 1e-9)
    return [n * step for n in range(first, math.floor(high / step + 1e-9) + 1)]


def _label(value: float) -> str:
    return f"{value:,.10g}"


def _tip(name: str, row: Row) -> str:
    unit = unit_of(row.estimate.unit, row.kind)
    texts = [text for text in (name, row.label) if text]
    return f"{', '.join(texts)}: {value_text(row.estimate, row.kind)} {error_text(row.estimate, row.kind)} {unit}"


def _ends(row: Row) -> tuple[float, float, float]:
    """Value and ends as shown."""
    scale, estimate = scale_of(row.kind), row.estimate
    value = (estimate.value or 0.0) * scale
    low = value if estimate.low is None else estimate.low * scale
    high = value if estimate.high is None or estimate.low is None else estimate.high * scale
    return value, low, high


def _dots(series: Sequence[Series], title: str, fair: float | None, unit: str) -> Scene:
    """A bar from zero for each figure, or a point near a fair value; its number beside it."""
    labels = list(dict.fromkeys(row.label for one in series for row in one.rows))
    many = len(series) > 1
    rows = [
        (number, one.name, row)
        for label in labels
        for number, one in enumerate(series)
        for row in one.rows
        if row.label == label and row.estimate.value is not None
    ]
    heads = many and len(labels) > 1
    left = 8 + max((text_width(name if many else row.label) for _, name, row in rows), default=40)
    right = 12 + max((text_width(_number(row)) for _, _, row in rows), default=40)
    left = min(left, WIDTH * 0.45)
    scene = Scene(WIDTH, 0, title)
    ends = [_ends(row) for _, _, row in rows]
    scale = scale_of(rows[0][2].kind) if rows else 1.0
    line = None if fair is None else fair * scale
    lowest = 0.0 if line is None else min([line, *(low for _, low, _ in ends)])
    highest = max([1e-9 if line is None else line, *(high for _, _, high in ends)])
    if line is not None:
        pad = 0.06 * (highest - lowest) or 1.0
        lowest, highest = max(0.0, lowest - pad), highest + pad

    def x_of(value: float) -> float:
        return left + (value - lowest) / (highest - lowest) * (WIDTH - left - right)

    y = 8.0
    bottom = y + STEP * (len(rows) + (len(labels) if heads else 0)) + (4 * len(labels) if heads else 0)
    for tick in ticks(lowest, highest, 4):
        scene.line([(x_of(tick), y), (x_of(tick), bottom)], "grid")
        scene.text((x_of(tick), bottom + 13), _label(tick), anchor="middle")
    if line is not None:
        scene.line([(x_of(line), y - 4), (x_of(line), bottom)], "mute", 1.2, "4 3", f"even share: {line:g}")
    previous = None
    for (number, name, row), (value, low, high) in zip(rows, ends, strict=True):
        if heads and row.label != previous:
            y += STEP + (4 if previous is not None else 0)
            scene.text((0, y - 5), row.label, "ink", bold=True)
        previous = row.label
        role = f"s{number % SERIES}" if many else "s0"
        middle, tip = y + STEP / 2, _tip(name, row)
        if line is None:
            scene.rect((x_of(0), y + 3), (max(x_of(value), x_of(0) + 0.5), y + STEP - 3), role, 0.55, tip)
        if high > low:
            scene.line([(x_of(low), middle), (x_of(high), middle)], "ink" if line is None else role, 1.6)
        if line is not None:
            scene.dot((x_of(value), middle), role, 3.6, tip)
        scene.text((left - 6, middle + 4), _short(name if many else row.label, left - 6), "ink", "end")
        scene.text((WIDTH, middle + 4), _number(row), "ink", "end")
        y += STEP
    scene.text(((left + WIDTH - right) / 2, bottom + 28), unit, anchor="middle")
    scene.height = bottom + 34
    return scene


def _number(row: Row) -> str:
    return f"{percent_text(row.estimate, row.kind)} {error_text(row.estimate, row.kind)}".strip()


def _short(text: str, room: float) -> str:
    while text and text_width(text) > room:
        text = text[:-2] + "…" if text.endswith("…") else text[:-1] + "…"
    return text


def _span(label: str) -> tuple[float, float]:
    """Smallest value of a row and the smallest beyond it."""
    first, _, last = label.rstrip("+").partition("-")
    return float(first), float(last or first) + 1


def _frame(scene: Scene, left: float, top: float, bottom: float, unit: str, axis: str) -> None:
    scene.line([(left, bottom), (WIDTH - 4, bottom)], "mute")
    scene.text((0, top - 8), unit)
    scene.text(((left + WIDTH) / 2, bottom + 29), axis, anchor="middle")
    scene.height = bottom + 35


def _columns(series: Series, title: str, axis: str) -> Scene:
    """Columns of a distribution; a row of more values than most is spread over them."""
    rows = _main_part(series.rows)
    scene = Scene(WIDTH, 0, title)
    if not rows:
        return _empty(scene)
    spans = [_span(row.label) for row in rows]
    first, beyond = spans[0][0], spans[-1][1]
    usual = mode(b - a for a, b in spans)
    heights = [tuple(usual * part / (b - a) for part in _ends(row)) for row, (a, b) in zip(rows, spans, strict=True)]
    top_value = max(high for _, _, high in heights) or 1.0
    marks = ticks(0, top_value, 5)
    left, top, bottom = 10 + max(text_width(_label(mark)) for mark in marks), 24.0, 190.0

    def x_of(value: float) -> float:
        return left + (value - first) / (beyond - first) * (WIDTH - 6 - left)

    def y_of(value: float) -> float:
        return bottom - value / top_value * (bottom - top)

    for mark in marks:
        scene.line([(left, y_of(mark)), (WIDTH - 4, y_of(mark))], "grid")
        scene.text((left - 5, y_of(mark) + 4), _label(mark), anchor="end")
    for row, (a, b), (value, low, high) in zip(rows, spans, heights, strict=True):
        gap = min(1.5, (x_of(b) - x_of(a)) * 0.12)
        scene.rect((x_of(a) + gap, y_of(value)), (x_of(b) - gap, bottom), "s0", 0.7, _tip("", row))
        if high > low:
            middle = x_of((a + b) / 2)
            scene.line([(middle, y_of(low)), (middle, y_of(high))], "ink", 1.3)
    for tick in ticks(first, beyond - 1, 9):
        if tick == int(tick):
            scene.text((x_of(tick + 0.5), bottom + 14), _label(tick), anchor="middle")
    _frame(scene, left, top, bottom, unit_of(rows[0].estimate.unit, rows[0].kind), axis)
    return scene


def _main_part(rows: Sequence[Row]) -> list[Row]:
    """Rows of a distribution from the first that was seen to where nearly all of it is shown."""
    values = [row.estimate.value or 0.0 for row in rows]
    seen = [number for number, value in enumerate(values) if value]
    if not seen:
        return []
    total, so_far = sum(values), 0.0
    for number in range(seen[0], seen[-1] + 1):
        so_far += values[number]
        if so_far >= ENOUGH * total:
            return list(rows[seen[0] : number + 1])
    return list(rows[seen[0] : seen[-1] + 1])


def _empty(scene: Scene) -> Scene:
    scene.height = 30
    scene.text((0, 18), "Nothing of the kind was played.")
    return scene


def _visible(rows: Sequence[Row], trend: bool, log: bool) -> list[Row]:
    """Rows that a line is drawn through: of a trend, those that its caption speaks of."""
    if log:
        return [row for row in rows if row.estimate.value and row.estimate.low]
    if not trend:
        return _main_part(rows)
    return [row for row in rows if well_known(row.estimate)]


def _lines(series: Sequence[Series], title: str, axis: str, *, log: bool, trend: bool) -> Scene:
    """A line with its band for each series."""
    scene = Scene(WIDTH, 0, title)
    shown = [(number, one.name, _visible(one.rows, trend, log)) for number, one in enumerate(series)]
    points = [(row, _span(row.label)[0], _ends(row)) for _, _, rows in shown for row in rows]
    if not points:
        scene.height = 30
        scene.text((0, 18), "Too few of the kind were played to draw them.")
        return scene
    first, last = min(x for _, x, _ in points), max(x for _, x, _ in points)
    highest = max(high for _, _, (_, _, high) in points) or 1.0  # nothing but zeros
    lowest = min(low for _, _, (_, low, _) in points) if log else 0.0
    y = _legend(scene, [(number, name) for number, name, rows in shown if rows]) if len(series) > 1 else 0.0
    top, bottom = y + 26, y + 196
    marks = _decades(lowest, highest) if log else ticks(0, highest, 5)
    if log:
        lowest, highest = min(lowest, marks[0]), max(highest, marks[-1])
    left = 10 + max(text_width(_label(mark)) for mark in marks)

    def x_of(value: float) -> float:
        return left + 4 + (value - first) / max(last - first, 1) * (WIDTH - 14 - left)

    def y_of(value: float) -> float:
        part = math.log(value / lowest) / math.log(highest / lowest) if log else value / highest
        return bottom - part * (bottom - top)

    for mark in marks:
        scene.line([(left, y_of(mark)), (WIDTH - 4, y_of(mark))], "grid")
        scene.text((left - 5, y_of(mark) + 4), _label(mark), anchor="end")
    for number, name, rows in shown:
        role = f"s{number % SERIES}"
        ends = [(x_of(_span(row.label)[0]), _ends(row)) for row in rows]
        if len(ends) > 1:
            band = [(x, y_of(high)) for x, (_, _, high) in ends] + [(x, y_of(low)) for x, (_, low, _) in reversed(ends)]
            scene.area(band, role, 0.22)
            scene.line([(x, y_of(value)) for x, (value, _, _) in ends], role, 1.8, DASHES[number % len(DASHES)])
        for row, (x, (value, _, _)) in zip(rows, ends, strict=True):
            scene.dot((x, y_of(value)), role, 2.4, _tip(name, row))
    for tick in ticks(first, last, 9):
        if tick == int(tick):
            scene.text((x_of(tick), bottom + 14), _label(tick), anchor="middle")
    row = points[0][0]
    scale = ", logarithmic" if log else ""
    scene.line([(left, bottom), (WIDTH - 4, bottom)], "mute")
    scene.text((0, top - 10), unit_of(row.estimate.unit, row.kind) + scale)
    scene.text(((left + WIDTH) / 2, bottom + 29), axis, anchor="middle")
    scene.height = bottom + 35
    return scene


def _decades(lowest: float, highest: float) -> list[float]:
    low, high = math.floor(math.log10(max(lowest, 1e-12))), math.ceil(math.log10(highest))
    return [10.0**n for n in range(low, max(high, low + 1) + 1)]


def _legend(scene: Scene, names: Sequence[tuple[int, str]]) -> float:
    """Names of the series with a piece of their line; returns the height used."""
    x, y = 0.0, 12.0
    for number, name in names:
        name = _short(name, WIDTH - 30)
        wide = 30 + text_width(name)
        if x and x + wide > WIDTH:
            x, y = 0.0, y + 16
        scene.line([(x, y - 4), (x + 20, y - 4)], f"s{number % SERIES}", 2.2, DASHES[number % len(DASHES)])
        scene.text((x + 25, y), name, "ink")
        x += wide + 8
    return y


def _matrix(series: Sequence[Series], title: str, labels: Sequence[str]) -> Scene:
    """A grid of cells, darker where there is more."""
    scene = Scene(WIDTH, 0, title)
    left = min(8 + max(text_width(label) for label in labels), WIDTH * 0.42)
    wide, high = (WIDTH - left) / len(series), 24.0
    top_value = max((_ends(row)[0] for one in series for row in one.rows), default=0.0) or 1.0
    sample = series[0].rows[0]
    scene.text((0, 12), unit_of(sample.estimate.unit, sample.kind))
    for number, one in enumerate(series):
        scene.text((left + (number + 0.5) * wide, 30), _short(one.name, wide), "ink", "middle")
    y = 36.0
    for place, label in enumerate(labels):
        scene.text((left - 6, y + place * high + 16), _short(label, left - 6), "ink", "end")
    for number, one in enumerate(series):
        for row in one.rows:
            value = _ends(row)[0]
            a = left + number * wide, y + labels.index(row.label) * high
            b = a[0] + wide - 1.5, a[1] + high - 1.5
            scene.rect(a, b, "s0", 0.04 + 0.5 * value / top_value, _tip(one.name, row))
            text = "–" if row.estimate.value is None else significant(value, 2 if value < 100 else 3)
            scene.text(((a[0] + b[0]) / 2, a[1] + 16), text, "ink", "middle")
    scene.height = y + high * len(labels) + 2
    return scene
