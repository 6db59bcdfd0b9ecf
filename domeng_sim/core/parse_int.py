"""Whole numbers as people write them."""

from __future__ import annotations

import operator
import re

_NUMBER = re.compile(r"([0-9]{1,3}(?:[_,][0-9]{3})+|[0-9]{1,40})(?:\.([0-9]{1,20}))?(?:[eE]\+?([0-9]{1,2}))?")
_SHOWN = 40


def whole_number(value: object, low: int, high: int) -> int:
    """A whole number as people write it: ``1000000``, ``1_000_000``, ``1,000,000``, ``1e6`` or ``1.5e6``.

    Raises
    ------
    ValueError
        If it is none, or out of range.

    Examples
    --------
    >>> [whole_number(text, 1, 10**9) for text in ("1e6", "1.5e6", "1_000")]
    [1000000, 1500000, 1000]
    """
    number = None
    if hasattr(value, "__index__") and not isinstance(value, bool):
        value = number = operator.index(value)  # also numpy's
    elif isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        # 1e6 is a float in TOML
        number = int(value)
    elif isinstance(value, str) and (match := _NUMBER.fullmatch(value.strip())) and (match[3] or match[2] is None):
        # 1.000 is a thousand to some and one to others
        decimals = (match[2] or "").rstrip("0")
        power = int(match[3] or 0) - len(decimals)
        if power >= 0:
            number = int(re.sub("[_,]", "", match[1]) + decimals) * 10**power
    if number is None or not low <= number <= high:
        text = repr(value) if not isinstance(value, int) or abs(value) < 10**_SHOWN else "so large a number"
        text = text if len(text) <= _SHOWN + 2 else f"{text[:_SHOWN]}..."
        raise ValueError(f"{text} is not a whole number from {low} to {high}")
    return number
