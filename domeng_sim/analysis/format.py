"""Numbers as text, rounded as their intervals allow: for terminals, pages, captions and notebooks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from domeng_sim.stats.clusters import FEW_EVENTS
from domeng_sim.stats.estimate import Estimate

MOST_DECIMALS = 8

RARE = 0.1
"""Shares below this are told as one in so many too."""

DASH = "–"
"""What stands where there is no number."""

_FUZZ = 1e-6
"""Of a last digit: what a binary fraction may be off by without being rounded away from its decimal one."""


# --- Plain numbers ----------------------------------------------------------------------------------------------------


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
    """Decimals at which an error, rounded up, shows two digits; negative where digits before the point are rounded.

    Examples
    --------
    >>> [decimals(error) for error in (0.094, 0.13, 4.0, 17.0, 99.9, 230.0)]
    [3, 2, 1, 0, -1, -1]
    """
    places = 1 - math.floor(math.log10(error))
    return min(places - (math.ceil(error * 10.0**places - _FUZZ) >= 100), MOST_DECIMALS)


def rounded(x: float, places: int, up: bool | None = None) -> str:
    """A number with so many decimals; zeros in place of digits where `places` is negative.

    Parameters
    ----------
    x
        The number.
    places
        Decimals.
    up
        Whether it is rounded up, or down; to the nearest if None.
    """
    if up is not None:
        x = (math.ceil if up else math.floor)(x * 10.0**places + (-_FUZZ if up else _FUZZ)) / 10.0**places
    return f"{round(x, places) + 0.0:,.{max(places, 0)}f}"


def significant(x: float, digits: int = 3) -> str:
    """A number with so many significant digits."""
    return rounded(x, min(digits - 1 - _exponent(x), MOST_DECIMALS)) if x else "0"


def outward(x: float, up: bool = True) -> str:
    """A bound with two significant digits, rounded away from what it bounds."""
    return rounded(x, min(1 - _exponent(x), MOST_DECIMALS), up) if x else "0"


def _exponent(x: float) -> int:
    return math.floor(math.log10(abs(x)))


# --- Figures with their intervals -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shown:
    """A figure as text.

    Attributes
    ----------
    value
        ``77.139``, or a dash where there is none.
    unit
        What stands behind it: ``%``, ``pp`` or nothing.
    error
        ``±0.090``; ``(from, to)`` where the interval is not symmetric; ``(< to)`` where only that is known; ``±?``
        where nothing is; empty where there is no error.
    """

    value: str
    unit: str = ""
    error: str = ""

    @property
    def figure(self) -> str:
        """Value and unit."""
        return f"{self.value} {self.unit}".rstrip()

    def __str__(self) -> str:
        return f"{self.figure} {self.error}".rstrip()


def scale_of(kind: str) -> float:
    """Factor with which a figure is shown: shares in percent."""
    return 100.0 if kind == "share" else 1.0


def _scaled(estimate: Estimate, kind: str) -> tuple[float | None, float | None, float | None]:
    """Value, low and high as shown."""
    value, low, high = (
        None if x is None else x * scale_of(kind) for x in (estimate.value, estimate.low, estimate.high)
    )
    return value, low, high


def shown(
    estimate: Estimate,
    kind: str = "mean",
    *,
    unit: str | None = None,
    signed: bool = False,
    places: int | None = None,
    most: int = MOST_DECIMALS,
) -> Shown:
    """A figure and its interval as text.

    Two digits of the error are shown, and the value to the same place. The error is rounded up and ends outward, so
    that what is printed claims no more than the interval does.

    Parameters
    ----------
    estimate
        The figure.
    kind
        ``share`` is printed in percent, ``mean`` as it is, ``quantile`` as a whole number.
    unit
        What stands behind the value; None for ``%`` behind a share and nothing behind the others.
    signed
        Whether positive numbers have a plus: for differences.
    places
        Decimals of the value, where its interval stands elsewhere; None for both together.
    most
        Decimals at most, where there is no room for more.

    Examples
    --------
    >>> share = Estimate(0.77139, 0.77049, 0.77229, 0.95, "cluster-student", "share of rounds", 100)
    >>> print(shown(share, "share"))
    77.139 % ±0.090
    """
    value, low, high = _scaled(estimate, kind)
    unit = ("%" if kind == "share" else "") if unit is None else unit
    if value is None:
        return Shown(DASH)
    if kind == "quantile":
        return Shown(f"{value:,.0f}", unit, _whole_ends(low, high))
    if low is None or high is None:
        # a share near 100 % says it with the digits of what is missing
        digits = rounded(value, 0) if estimate.kind == "lower-bound" else significant(value)
        return Shown(_signed(digits, signed), unit, _one_end(low, high, scale_of(kind), estimate.kind))
    if places is not None:
        return Shown(_signed(rounded(value, places), signed), unit)
    if low == high:
        digits = rounded(value, min(max(5 - _exponent(value), 0), MOST_DECIMALS)) if value else "0"
        return Shown(_signed(digits.rstrip("0").rstrip(".") if "." in digits else digits, signed), unit)
    if value == low == 0 and not signed:
        return Shown("0", unit, f"(< {rounded(high, min(1 - _exponent(high), most), up=True)})")
    places = min(_places(value, low, high), most)
    text = _signed(rounded(value, places), signed)
    error = _reach(value, low, high, places)
    whole = 100.0 if kind == "share" else math.inf
    if is_even(value, low, high, error) and (signed or _is_within(round(value, places), error, low, high, whole)):
        return Shown(text, unit, f"±{rounded(error, places)}")
    ends = (_signed(rounded(end, places, up), signed) for end, up in ((low, False), (high, True)))
    return Shown(text, unit, f"({', '.join(ends)})")


def _signed(text: str, signed: bool) -> str:
    return f"+{text}" if signed and text[0] != "-" and text.strip("0.,") else text


def _whole_ends(low: float | None, high: float | None) -> str:
    """Ends of the interval of a whole number; one that the data do not bound is left out."""
    if low is None and high is None:
        return "±?"
    if low is None:
        return f"(< {high + 1:,.0f})" if high is not None else ""
    if high is None:
        return f"(> {low - 1:,.0f})"
    return "" if low == high else f"({low:,.0f}, {high:,.0f})"


def _one_end(low: float | None, high: float | None, scale: float, kind: str) -> str:
    """The only end of an interval."""
    if high is not None:
        return f"(< {outward(high)})"
    if low is None:
        return "±?"
    if kind == "lower-bound" and low < scale:
        return f"(> {rounded(low, max(1 - _exponent(scale - low), 0), up=False)})"
    return f"(> {outward(low, up=False)})"


def _places(value: float, low: float, high: float) -> int:
    """Decimals that an interval allows; a value of which it leaves no digit keeps those before the point."""
    places = decimals((high - low) / 2)
    return places if places >= 0 else max(places, min(2 - _exponent(value), 0) if value else 0)


def _reach(value: float, low: float, high: float, places: int) -> float:
    """The longer side of an interval, rounded up."""
    return math.ceil(max(high - value, value - low) * 10.0**places - _FUZZ) / 10.0**places


def is_even(value: float, low: float, high: float, error: float) -> bool:
    """Whether ± tells an interval: the sides differ by less than a tenth of its error.

    Examples
    --------
    >>> is_even(0.5, 0.47, 0.53, 0.03), is_even(0.5, 0.47, 0.59, 0.09)
    (True, False)
    """
    return abs((high - value) - (value - low)) <= 0.1 * error


def _is_within(value: float, error: float, low: float, high: float, most: float) -> bool:
    """Whether ± does not reach below 0 or beyond the most, where the interval does not."""
    return (low < 0 or value >= error - 1e-9) and (high > most or value + error <= most + 1e-9)


def shared_error(estimates: Iterable[tuple[Estimate, str]]) -> tuple[int | None, str]:
    """Decimals and text of the largest error of some figures (estimate and kind), for a column of its own.

    Returns
    -------
    int or None
        Decimals for all of them; None if no two-sided interval has any length.
    str
        The error; empty if there is none, ``?`` if none can be estimated.
    """
    all_scaled = [(*_scaled(estimate, kind), estimate.kind) for estimate, kind in estimates if kind != "quantile"]
    ends = [
        (value, low, high)
        for value, low, high, _ in all_scaled
        if value is not None and low is not None and high is not None and low < high
    ]
    if not ends:
        unknown = bool(all_scaled) and all(kind == "not-estimable" for *_, kind in all_scaled)
        return None, "?" if unknown else ""
    places = min(_places(*max(ends, key=lambda found: found[2] - found[1])), MOST_DECIMALS)
    return places, rounded(max(_reach(*found, places) for found in ends), places)


def unit_of(unit: str, kind: str) -> str:
    """Unit of a figure as shown: ``% of rounds``; percentage points for a difference of shares."""
    if kind != "share":
        return unit
    if unit.startswith("difference, "):
        return unit.replace("difference, share of", "percentage points of", 1)
    return unit.replace("share of", "% of", 1)


def value_text(estimate: Estimate, kind: str) -> str:
    """The figure alone, without its unit."""
    return shown(estimate, kind).value


def percent_text(estimate: Estimate, kind: str) -> str:
    """The figure with a sign of percent if it is a share."""
    return shown(estimate, kind).figure


def error_text(estimate: Estimate, kind: str) -> str:
    """The error alone: ``±0.080``, ``(from, to)``, ``(< to)``, or ``±?`` where none can be estimated."""
    return shown(estimate, kind).error


def interval_text(estimate: Estimate, kind: str = "mean", *, signed: bool = False) -> str:
    """The interval: ``77.06 to 77.22``, ``< 0.0011``, or that there is none.

    Parameters
    ----------
    estimate, kind, signed
        As for `shown`. The estimate may lack a value.
    """
    value, low, high = _scaled(estimate, kind)
    if low is None and high is None:
        return "nothing of the kind was played" if value is None else "not estimable"
    if low is None or high is None:
        ends = _whole_ends(low, high) if kind == "quantile" else _one_end(low, high, scale_of(kind), estimate.kind)
        return ends.strip("()")
    if kind == "quantile":
        return f"{low:,.0f} to {high:,.0f}"
    if low == high:
        return "exact"
    places = _places((low + high) / 2, low, high)
    return " to ".join(_signed(rounded(end, places, up), signed) for end, up in ((low, False), (high, True)))


def span_text(least: Estimate, most: Estimate, kind: str) -> str:
    """Two figures of one kind as the ends of what lies between, with more digits where they would read alike.

    Examples
    --------
    >>> low, high = (Estimate(x, x - 0.02, x + 0.02, 0.95, "student", "share", 9) for x in (0.1381, 0.1384))
    >>> span_text(low, high, "share"), span_text(low, low, "share")
    ('13.81 to 13.84 %', '13.8 %')
    """
    first, last = shown(least, kind), shown(most, kind)
    places = len(first.value.partition(".")[2])
    low, high = first.value, last.value
    for more in (1, 2):
        if low == high:
            low, high = (rounded((one.value or 0.0) * scale_of(kind), places + more) for one in (least, most))
    return last.figure if low == high else f"{low} to {high} {last.unit}".rstrip()


# --- What is told beside figures --------------------------------------------------------------------------------------


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


def seen_text(estimate: Estimate) -> str:
    """In how many batches something rare was: ``in 5 of 100 batches (1.6 to 11.3 %)``, with the exact interval."""
    ends = f"{interval_text(estimate, 'share')} %"
    return f"in {grouped(estimate.events or 0)} of {grouped(estimate.clusters)} batches ({ends})"
