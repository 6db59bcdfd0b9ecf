"""Numbers as text, rounded as their intervals allow: for pages, and for what terminals show in the same way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from domeng_sim.stats.clusters import FEW_EVENTS
from domeng_sim.stats.estimate import Estimate

if TYPE_CHECKING:
    from domeng_sim.analysis.metrics import Section

MOST_DECIMALS = 8

RARE = 0.1
"""Shares below this are told as one in so many too."""


def grouped(number: int) -> str:
    """A whole number with a comma before each three digits."""
    return f"{number:,}"


def how_many(number: int, names: str) -> str:
    """A number of things.

    Examples
    --------
    >>> how_many(1, "matches"), how_many(1, "rounds"), how_many(2000, "games")
    ('1 match', '1 round', '2,000 games')
    """
    name = names.removesuffix("es" if names.endswith("ches") else "s") if number == 1 else names
    return f"{grouped(number)} {name}"


def seats_line(texts: Sequence[str]) -> str:
    """Who sits where, in a line.

    Examples
    --------
    >>> seats_line(["random"] * 5), seats_line(["random"] * 2), seats_line(["starver", "random"])
    ('random in all 5', 'random in both', '0 starver, 1 random')
    """
    if len(set(texts)) > 1:
        return ", ".join(f"{seat} {text}" for seat, text in enumerate(texts))
    return f"{texts[0]} in {'both' if len(texts) == 2 else f'all {len(texts)}'}"


def decimals(error: float) -> int:
    """Decimals at which an error shows one digit, or two if the first is a 1 or there are two before the point.

    Negative where digits before the point are rounded away.

    Examples
    --------
    >>> [decimals(error) for error in (0.094, 0.13, 4.0, 17.0, 40.0, 230.0)]
    [2, 2, 0, 0, 0, -1]
    """
    exponent = math.floor(math.log10(error))
    if exponent > 0:
        return 1 - exponent
    first = round(error / 10.0**exponent, 1)
    return min(-exponent + (first < 2), MOST_DECIMALS)


def rounded(x: float, places: int) -> str:
    """A number with so many decimals; zeros in place of digits where `places` is negative."""
    return f"{round(x, places) + 0.0:,.{max(places, 0)}f}"


def significant(x: float, digits: int = 3) -> str:
    """A number with so many significant digits."""
    return rounded(x, min(digits - 1 - math.floor(math.log10(abs(x))), MOST_DECIMALS)) if x else "0"


def well_known(estimate: Estimate) -> bool:
    """Whether a figure is known well enough for a trend: to a quarter of itself, or to 0.01.

    Of a share that nothing was seen of, or nothing else, the other end of the interval is the figure itself. A few
    events have an interval where they are independent, but tell no trend.
    """
    if estimate.value is None or (estimate.value and estimate.events is not None and estimate.events < FEW_EVENTS):
        return False
    low = estimate.value if estimate.kind == "upper-bound" else estimate.low
    high = estimate.value if estimate.kind == "lower-bound" else estimate.high
    return low is not None and high is not None and high - low <= max(0.5 * estimate.value, 0.02)


def one_in(estimate: Estimate) -> str:
    """A rare share as odds: ``1 in 73``; empty for shares that are not rare."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if estimate.kind == "upper-bound" and high and high < RARE:
        step = 10.0 ** (math.floor(math.log10(1 / high)) - 1)
        return f"below 1 in {math.floor(1 / high / step + 1e-9) * step:,.0f}"
    if not value or value >= RARE:
        return ""
    if not low or not high or high == low:
        return f"about 1 in {significant(1 / value, 2)}"
    # the error is not told beside it, so no digit below its first
    places = min(-math.floor(math.log10((1 / low - 1 / high) / 2)), 1)
    first = -math.floor(math.log10(1 / value))
    return f"1 in {rounded(1 / value, places)}" if places >= first else f"about 1 in {rounded(1 / value, first)}"


def outward(x: float, up: bool = True) -> str:
    """A bound, not below 0, with two significant digits, rounded away from what it bounds."""
    if x <= 0:
        return "0"
    places = min(1 - math.floor(math.log10(x)), MOST_DECIMALS)
    step = 10.0**-places
    return rounded((math.ceil(x / step - 1e-9) if up else math.floor(x / step + 1e-9)) * step, places)


def scale_of(kind: str) -> float:
    """Factor with which a figure is shown: shares in percent."""
    return 100.0 if kind == "share" else 1.0


def is_even(value: float, low: float, high: float, places: int, most: float = math.inf) -> bool:
    """Whether ± tells an interval: to one in the last decimal, and not beyond 0 or the most where it ends there.

    Examples
    --------
    >>> is_even(0.5, 0.47, 0.53, 2), is_even(0.5, 0.47, 0.59, 2), is_even(0.0033, 0.0, 0.0075, 3)
    (True, False, False)
    """
    half = round((high - low) / 2, places)
    if (low >= 0 and round(value, places) < half) or (high <= most < round(value, places) + half - 1e-9):
        return False
    return abs((high - value) - (value - low)) <= 10.0**-places


def unit_of(unit: str, kind: str) -> str:
    """Unit of a figure as shown: ``% of rounds``; percentage points for a difference of shares."""
    if kind != "share":
        return unit
    if unit.startswith("difference, "):
        return unit.replace("difference, share of", "percentage points of", 1)
    return unit.replace("share of", "% of", 1)


def places_of(estimate: Estimate, kind: str) -> int | None:
    """Decimals that the interval allows; None where there is no interval of any length."""
    if estimate.low is None or estimate.high is None or estimate.low == estimate.high:
        return None
    return decimals((estimate.high - estimate.low) / 2 * scale_of(kind))


def value_text(estimate: Estimate, kind: str) -> str:
    """The figure alone, without its unit."""
    if estimate.value is None:
        return "–"
    value = estimate.value * scale_of(kind)
    if kind == "quantile":
        return f"{value:,.0f}"
    places = places_of(estimate, kind)
    if places is not None:
        return rounded(value, places)
    return f"{value:,.6g}" if estimate.low is not None and estimate.low == estimate.high else significant(value)


def percent_text(estimate: Estimate, kind: str) -> str:
    """The figure with a sign of percent if it is a share."""
    return value_text(estimate, kind) + (" %" if kind == "share" and estimate.value is not None else "")


def interval_text(estimate: Estimate, kind: str) -> str:
    """The interval: ``77.06 – 77.22``, ``< 0.0011``, or that there is none."""
    if estimate.value is None:
        return "nothing of the kind was played"
    scale = scale_of(kind)
    low, high = (None if end is None else end * scale for end in (estimate.low, estimate.high))
    if low is None and high is None:
        return "not estimable"
    if kind == "quantile":
        ends = [f"{end:,.0f}" if end is not None else "…" for end in (low, high)]
        return f"{ends[0]} – {ends[1]}"
    if low is None:
        return f"< {outward(high)}" if high is not None else ""
    if high is None:
        # a share near 100 %: the digits that count are those of what is missing
        digits = max(1 - math.floor(math.log10(max(scale - low, 1e-9))), 0)
        return f"> {rounded(math.floor(low * 10**digits) / 10**digits, digits)}"
    places = places_of(estimate, kind)
    if places is None:
        return "exact"
    return f"{rounded(low, places)} – {rounded(high, places)}"


def error_text(estimate: Estimate, kind: str) -> str:
    """Half the interval: ``±0.08``; ``(from, to)`` where it is not symmetric, the bound where only that is known."""
    if estimate.value is None:
        return ""
    if estimate.low is None or estimate.high is None:
        text = interval_text(estimate, kind)
        return "±?" if text == "not estimable" else text
    if kind == "quantile":
        return "" if estimate.low == estimate.high else interval_text(estimate, kind)
    places = places_of(estimate, kind)
    if places is None:
        return "±0"
    value, low, high = (end * scale_of(kind) for end in (estimate.value, estimate.low, estimate.high))
    if is_even(value, low, high, places, 100.0 if kind == "share" else math.inf):
        return f"±{rounded((high - low) / 2, places)}"
    return f"({rounded(low, places)}, {rounded(high, places)})"


def seen_text(estimate: Estimate) -> str:
    """In how many batches something rare was: ``in 5 of 100 batches (1.6 to 11.3 %)``, with the exact interval."""
    low, high = (0.0 if end is None else 100 * end for end in (estimate.low, estimate.high))
    places = decimals((high - low) / 2) + 1
    ends = f"{rounded(low, places)} to {rounded(high, places)} %"
    return f"in {grouped(estimate.events or 0)} of {grouped(estimate.clusters)} batches ({ends})"


def rare_line(sections: Sequence[Section], most: int = 4) -> str:
    """Of figures whose events are too few for an interval, in how many batches they were; empty if there are none.

    Parameters
    ----------
    sections
        Where to look.
    most
        Of how many to tell.
    """
    rows = [(section, row) for section in sections for row in section.rows if row.seen_in is not None]
    told = []
    for section, row in rows[:most]:
        name = ", ".join(part for part in (row.label, row.column) if part)
        told.append(f"{section.title}: {name} {seen_text(row.seen_in)}" if row.seen_in else "")
    if not told:
        return ""
    level = f"{100 * rows[0][1].estimate.level:.6g} %"
    more = f"; {len(rows) - most} more in the JSON output" if len(rows) > most else ""
    return f"Seen at least once, with the exact {level} interval of the share of such batches: {'; '.join(told)}{more}."
