"""Numbers as text, rounded as their intervals allow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from domeng_sim.analysis.format import (
    decimals,
    grouped,
    is_even,
    one_in,
    outward,
    rounded,
    scale_of,
    seats_line,
    significant,
)
from domeng_sim.stats.estimate import Estimate

__all__ = ["Glyphs", "cell", "decimals", "grouped", "largest_error", "one_in", "rounded", "seats_line", "significant"]

SHADES: Final = " .:-=+*#@"
"""Heights of a distribution where there are no block characters."""

BLOCKS: Final = " ▁▂▃▄▅▆▇█"
LEFT_BLOCKS: Final = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True)
class Glyphs:
    """The characters to draw with.

    Attributes
    ----------
    plain
        ASCII only.
    """

    plain: bool = False

    @property
    def plus_minus(self) -> str:
        """Sign before an error."""
        return "+-" if self.plain else "±"

    @property
    def dash(self) -> str:
        """What stands where there is no number."""
        return "-" if self.plain else "–"

    @property
    def more(self) -> str:
        """What stands at the end of a shortened text."""
        return "." if self.plain else "…"

    def bar(self, part: float, width: int) -> str:
        """A bar of `part` (0 to 1) of `width` columns; anything above 0 can be seen."""
        eighths = round(8 * part * width)
        if self.plain:
            return "#" * max(round(part * width), part > 0)
        full, rest = divmod(max(eighths, int(part > 0)), 8)
        return LEFT_BLOCKS[8] * full + (LEFT_BLOCKS[rest] if rest else "")

    def chart(self, values: Sequence[float], wide: int, height: int) -> list[str]:
        """Columns side by side, as lines from the top; the highest fills them, anything above 0 can be seen."""
        top = max(values) or 1.0
        if self.plain and height == 1:
            steps = len(SHADES) - 1
            return ["".join(SHADES[max(round(v / top * steps), int(v > 0))] * wide for v in values)]
        lines = []
        for level in reversed(range(height)):
            line = ""
            for v in values:
                eighths = max(round(8 * height * v / top), int(v > 0)) - 8 * level
                if self.plain:
                    line += ("#" if eighths >= 4 or (level == 0 and v > 0) else " ") * wide
                else:
                    line += BLOCKS[min(max(eighths, 0), 8)] * wide
            lines.append(line)
        return lines

    @staticmethod
    def split(text: str) -> tuple[str, str]:
        """Value and error of a cell."""
        for sign in ("±", "+-", "("):
            at = text.find(sign)
            if at > 0:
                return text[:at], text[at:]
        return text, ""

    def aligned(self, texts: Sequence[str], *, by_point: bool = True) -> list[str]:
        """Texts padded so that decimal points and errors stand below each other."""
        parts = [self.split(text) for text in texts]
        if not by_point:
            left = max((len(value) for value, _ in parts), default=0)
            right = max((len(error) for _, error in parts), default=0)
            return [value.rjust(left) + error.ljust(right) for value, error in parts]
        places = [_point(value) for value, _ in parts]
        before = max(places, default=0)
        after = max((len(value) - place for (value, _), place in zip(parts, places, strict=True)), default=0)
        right = max((len(error) for _, error in parts), default=0)
        return [
            " " * (before - place) + value + " " * (after - len(value) + place) + error.ljust(right)
            for (value, error), place in zip(parts, places, strict=True)
        ]


def _point(value: str) -> int:
    """Place of the decimal point, or where it would be: behind the last digit."""
    if "." in value:
        return value.index(".")
    return len(value.rstrip().removesuffix("%").rstrip())


def largest_error(figures: Iterable[tuple[Estimate, str]]) -> float:
    """Largest reach of the two-sided intervals of shares and means (estimate and kind); 0 if there are none."""
    reach = 0.0
    for estimate, kind in figures:
        value, low, high = estimate.value, estimate.low, estimate.high
        if kind != "quantile" and value is not None and low is not None and high is not None:
            reach = max(reach, (value - low) * scale_of(kind), (high - value) * scale_of(kind))
    return reach


def cell(estimate: Estimate, kind: str, glyphs: Glyphs, *, bare: bool = False, places: int | None = None) -> str:
    """A figure with its interval.

    Parameters
    ----------
    estimate
        The figure.
    kind
        ``share`` is printed in percent, a ``quantile`` as a whole number, without an interval if that is one number.
    glyphs
        The characters to use.
    bare
        Without the sign ``%``.
    places
        Decimals of the figure, where its interval stands elsewhere; None for both together.

    Returns
    -------
    str
        ``77.14 % ±0.08``; ``(from, to)`` where the interval is not symmetric; ``±?`` where there is none.
    """
    if estimate.value is None:
        return glyphs.dash
    scale = scale_of(kind)
    value = estimate.value * scale
    sign = " %" if kind == "share" and not bare else ""
    low, high = (None if end is None else end * scale for end in (estimate.low, estimate.high))
    if kind == "quantile":
        return _whole(value, low, high, glyphs)
    if low is None or high is None:
        return _half_open(value, low, high, estimate.kind, sign, glyphs)
    if places is not None:
        return f"{rounded(value, places)}{sign}"
    if high == low:
        return f"{value:,.6g}{sign}"
    half = (high - low) / 2
    places = decimals(half)
    text = f"{rounded(value, places)}{sign}"
    if is_even(value, low, high, places, 100.0 if kind == "share" else math.inf):
        return f"{text} {glyphs.plus_minus}{rounded(half, places)}"
    return f"{text} ({rounded(low, places)}, {rounded(high, places)})"


def _whole(value: float, low: float | None, high: float | None, glyphs: Glyphs) -> str:
    """A quantile of whole numbers with its interval; an end that the data do not bound is left out."""
    text = f"{value:,.0f}"
    if low is None and high is None:
        return f"{text} {glyphs.plus_minus}?"
    if low is None:
        return f"{text} (< {high + 1:,.0f})" if high is not None else text
    if high is None:
        return f"{text} (> {low - 1:,.0f})"
    return text if low == high else f"{text} ({low:,.0f}, {high:,.0f})"


def _half_open(value: float, low: float | None, high: float | None, kind: str, sign: str, glyphs: Glyphs) -> str:
    """A figure whose interval lacks an end or both."""
    if high is not None:
        return f"{significant(value, 3)}{sign} (< {outward(high, up=True)})"
    if low is not None and kind == "lower-bound":
        # a share near 100 %: the digits that count are those of what is missing
        below = 100.0 - low
        places = max(1 - math.floor(math.log10(below)), 0) if below > 0 else 0
        return f"{rounded(value, 0)}{sign} (> {rounded(math.floor(low * 10**places) / 10**places, places)})"
    if low is not None:
        return f"{significant(value, 3)}{sign} (> {outward(low, up=False)})"
    return f"{significant(value, 3)}{sign} {glyphs.plus_minus}?"
