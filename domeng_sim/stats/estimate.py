"""The one object that carries a figure, its interval, and how both were made."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

KINDS: Final[dict[str, str]] = {
    "wilson": "score interval of a proportion, independent trials",
    "clopper-pearson": "exact interval of a proportion, independent trials",
    "student": "Student interval of a mean, n fixed in advance",
    "normal": "normal interval of a transformed mean, n fixed in advance",
    "cluster-student": "ratio estimator over clusters with a Student interval, n fixed in advance",
    "korn-graubard": "exact interval at the effective sample size of the clusters",
    "woodruff": "quantile with a Woodruff interval over clusters",
    "simultaneous": "one of several intervals that hold together (max-t, bootstrap of blocks)",
    "block-bootstrap": "Student interval with an error from a bootstrap of blocks",
    "upper-bound": "one-sided: only `high` is known",
    "lower-bound": "one-sided: only `low` is known",
    "anytime": "confidence sequence (normal mixture, estimated variance), holds at every look",
    "anytime-betting": "confidence sequence by betting, holds at every look, not asymptotic",
    "anytime-bernoulli": "confidence sequence of a proportion (beta mixture), holds at every look",
    "exact": "no error: all possibilities were gone through, or it is so by construction",
    "not-estimable": "the error cannot be estimated from these data",
}
"""Every kind of interval, with its sentence."""


def finite(x: float) -> float | None:
    """Return `x` as a plain float, or None if it is NaN or infinite.

    Parameters
    ----------
    x
        Any real number, numpy scalars included.
    """
    x = float(x)
    return x if math.isfinite(x) else None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval.

    Attributes
    ----------
    value
        Point estimate, in `unit`; None if it cannot be estimated.
    low, high
        Ends of the interval; None if that end is not estimable or does not exist (one-sided bounds). Never NaN or
        infinite.
    level
        Confidence level, strictly between 0 and 1.
    kind
        How the interval was made: a key of `KINDS`.
    unit
        What one unit of `value` is, in words: ``"share of games"``, ``"stones per round"``.
    clusters
        Number of independent units behind the figure (blocks, games, trials), at least 0.
    events
        Number of events counted; None where the figure is not a count of events.
    looks
        How often the data were looked at so far. 1 for an interval at a size fixed in advance.

    Raises
    ------
    ValueError
        If a number is NaN or infinite, the ends are in the wrong order, the level is outside (0, 1) or the kind is
        unknown.
    """

    value: float | None
    low: float | None
    high: float | None
    level: float
    kind: str
    unit: str
    clusters: int
    events: int | None = None
    looks: int = 1

    def __post_init__(self) -> None:
        """Turn numpy scalars into plain numbers and refuse what no reader could use."""
        for name in ("value", "low", "high"):
            x = getattr(self, name)
            if x is None:
                continue
            if not math.isfinite(x):
                raise ValueError(f"{name} is {x}: an estimate holds finite numbers, or None where nothing can be said")
            object.__setattr__(self, name, float(x))
        check_level(self.level)
        object.__setattr__(self, "level", float(self.level))
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"low {self.low} is above high {self.high}")
        if self.kind not in KINDS:
            raise ValueError(f"unknown kind {self.kind!r}; known: {', '.join(KINDS)}")
        for name in ("clusters", "events", "looks"):
            n = getattr(self, name)
            if n is None and name == "events":
                continue
            if n < 0:
                raise ValueError(f"{name} is {n}, must be at least 0")
            object.__setattr__(self, name, int(n))

    @property
    def anytime(self) -> bool:
        """Whether the interval holds at every look, so that one may stop when one likes."""
        return self.kind.startswith("anytime")

    @property
    def half_width(self) -> float | None:
        """Half the length of the interval, in `unit`; None if an end is missing."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def excludes(self, x: float) -> bool:
        """Return whether `x` lies outside the interval. A missing end excludes nothing."""
        return (self.low is not None and x < self.low) or (self.high is not None and x > self.high)

    def shifted(self, by: float, unit: str) -> Estimate:
        """Return the same estimate with `by` added to value and ends.

        Adding -0.2 makes a share the excess over the fair share.
        """
        value, low, high = (None if x is None else x + by for x in (self.value, self.low, self.high))
        return replace(self, value=value, low=low, high=high, unit=unit)

    def to_json(self) -> dict[str, float | int | str | None]:
        """Return the nine fields as plain numbers, unrounded, with None for what is not estimable."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "kind": self.kind,
            "unit": self.unit,
            "clusters": self.clusters,
            "events": self.events,
            "looks": self.looks,
        }


def check_level(level: float) -> None:
    """Refuse a confidence level that is not strictly between 0 and 1.

    Raises
    ------
    ValueError
        If `level` is outside (0, 1), which includes a percentage such as 95.
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level is {level}, must lie strictly between 0 and 1 (0.95 for 95 %)")


def level_text(level: float) -> str:
    """A confidence level in percent, with all the digits it was given with: no level below 1 reads 100 %.

    Examples
    --------
    >>> level_text(0.95), level_text(0.9999999), level_text(0.9999999999999999)
    ('95 %', '99.99999 %', '99.99999999999999 %')
    """
    digits = f"{100 * Decimal(repr(float(level))):f}"
    return f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits} %"
