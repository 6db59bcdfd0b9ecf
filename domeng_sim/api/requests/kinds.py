"""What a field of a request takes: a number in a range, a strategy, rules, and so on."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from domeng_sim.comparisons.stopping import parse_until
from domeng_sim.core.parse_int import whole_number
from domeng_sim.errors import BadField, BadInput, UserError
from domeng_sim.runs.config import MAX_TOTAL
from domeng_sim.runs.plan import Shard
from domeng_sim.runs.store.location import IN_STORE, Location, location
from domeng_sim.strategies.spec import StrategySpec


@dataclass(frozen=True)
class Kind:
    """What a field takes.

    Attributes
    ----------
    metavar
        What stands for a value in help; empty for a switch.
    allowed
        What it takes, in words that go on after "takes".
    read
        From what was given to the value that the request holds; a value that it holds stays what it is.  ValueError or
        TypeError if it cannot be taken.
    choices
        The values, where there are few.
    is_several
        Whether it may be given several times.
    """

    metavar: str
    allowed: str
    read: Callable[[Any], Any] = field(repr=False)
    choices: tuple[str, ...] = ()
    is_several: bool = False

    def check(self, name: str, value: object) -> Any:
        """The value that a request holds.

        Parameters
        ----------
        name
            Name of the field.
        value
            What was given for it.

        Raises
        ------
        BadField
            If it cannot be taken.
        """
        try:
            return self.read(value)
        except UserError:
            raise
        except _Hint as hint:
            raise BadField(name, value, f"{self.allowed} ({hint})") from hint
        except (ValueError, TypeError, ArithmeticError) as error:
            raise BadField(name, value, self.allowed) from error


class _Hint(ValueError):
    """Why a value cannot be taken, where that is not plain."""


def _switch(value: object) -> bool:
    # numpy's too, which is no subclass
    if type(value).__name__ not in ("bool", "bool_"):
        raise TypeError
    return bool(value)


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value


def _path(value: object) -> Path:
    text = os.fspath(value)  # type: ignore[call-overload]
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise ValueError
    if IN_STORE.match(text):
        raise BadInput("only a dataset can be in a store; name a file or a directory of this machine")
    text.encode()  # a name that is no text cannot be written into a manifest
    return Path(text)


def _dataset(value: object) -> Location:
    text = os.fspath(value)  # type: ignore[call-overload]
    return location(text) if isinstance(text, str) and IN_STORE.match(text) else _path(value)


def pieces(value: object) -> tuple[Any, ...]:
    """Pieces of a text between commas, or the items of a list.

    Examples
    --------
    >>> pieces("a, b.py:c ,d@1"), pieces(["a", "b,c"])
    (('a', 'b.py:c', 'd@1'), ('a', 'b,c'))
    """
    if isinstance(value, str):
        return tuple(piece.strip() for piece in value.split(","))
    if not isinstance(value, Iterable) or isinstance(value, Mapping | bytes):
        raise TypeError
    return tuple(value)


def _strategies(value: object) -> tuple[Any, ...]:
    found = pieces(value)
    # what a dataset holds is found already
    if not found or not all(isinstance(one, StrategySpec) or (isinstance(one, str) and one.strip()) for one in found):
        raise ValueError
    return found


def _rules(value: object) -> dict[str, Any]:
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise TypeError
        return dict(value)
    rules: dict[str, Any] = {}
    for text in (value,) if isinstance(value, str) else pieces(value):
        name, equals, one = (piece.strip() for piece in text.partition("="))
        if not equals or not name or not one:
            raise BadField("rules", text, "name=value, such as stones=20")
        if rules.setdefault(name, one) != one:
            told = f"the rule {name} is given twice, as {rules[name]} and {one}; give it once"
            raise BadField("rules", text, message=(told,))
    return rules


def _precision(text: object) -> str:
    if not isinstance(text, str):
        raise TypeError
    radius, decided = parse_until(text)
    if decided:
        raise ValueError
    return f"{100 * radius:.10g}pp"


def _goal(text: object) -> str:
    return "decided" if isinstance(text, str) and text.strip() == "decided" else _precision(text)


def _or_value_error(read: Callable[[Any], Any], value: object) -> Any:
    """What is read, an error of its own being one about the field that is read."""
    try:
        return read(value)
    except BadField as error:
        raise ValueError from error


def _several(read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def read_all(value: object) -> tuple[Any, ...]:
        items = (value,) if isinstance(value, str) else pieces(value)
        if not items:
            raise ValueError
        return tuple(dict.fromkeys(_or_value_error(read, item) for item in items))

    return read_all


def _shares(value: object) -> tuple[float, float]:
    low, high = (float(one) for one in pieces(value) if not isinstance(one, bool))
    if not 0 < low < high < 1:
        raise ValueError
    return low, high


def _counts(value: object) -> tuple[int, ...]:
    items = (value,) if isinstance(value, int) else pieces(value)
    if not items:
        raise ValueError
    return tuple(dict.fromkeys(whole_number(one, 0, 99) for one in items))


def _seats(value: object) -> tuple[int, ...]:
    seats = [whole_number(one, 0, 99) for one in ((value,) if isinstance(value, int) else pieces(value))]
    if not seats or len(set(seats)) < len(seats):
        raise ValueError
    return tuple(sorted(seats))


def _span(value: object) -> tuple[int, int]:
    if isinstance(value, str) and ".." in value:
        first, _, last = value.partition("..")
        ends = (first.strip() or 0, last.strip() or MAX_TOTAL)
    else:
        ends = tuple(value) if isinstance(value, list | tuple) else (value, value)
    low, high = (whole_number(end, 0, MAX_TOTAL) for end in ends)
    if low > high:
        raise ValueError
    return low, high


def _shard(value: object) -> Shard:
    if isinstance(value, Shard):
        return value
    number, of = value.split("/") if isinstance(value, str) else pieces(value)
    shard = Shard(whole_number(number, 1, 1 << 20), whole_number(of, 1, 1 << 20))
    if shard.number > shard.of:
        raise ValueError
    return shard


_CLUSTER = re.compile(r"(tcp|tls|ws|wss|ucx)://\S+|scheduler-file:.+|local:[1-9]\d{0,3}")


def _cluster(value: object) -> Any:
    if not isinstance(value, str):
        if not all(hasattr(value, name) for name in ("submit", "nthreads", "get_versions")):
            raise TypeError
        return value  # a client
    if not _CLUSTER.fullmatch(value):
        raise ValueError
    return value


def _names(value: object) -> tuple[str, ...]:
    names = pieces(value)
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise ValueError
    return tuple(dict.fromkeys(names))


def _round(value: object) -> int | str:
    return ALL if value == ALL else whole_number(value, 0, 65_535)


ALL = "all"
"""Stands for all rounds of a game."""

SWITCH = Kind("", "true or false", _switch)
TEXT = Kind("TEXT", "a text", _text)
FILE = Kind("FILE", "the name of a file", _path)
DIRECTORY = Kind("DIR", "the name of a directory", _path)
PLACE = Kind("DIR", "the name of a directory, or an address as s3://bucket/run", _dataset)
RUN = Kind("RUN", "the directory of a run, or its address", _dataset)
RUNS = Kind("RUN...", "the directory of a run, or several", lambda value: tuple(map(_dataset, pieces(value))))
STRATEGY = Kind("STRATEGY", "the name of a strategy", _text)
STRATEGIES = Kind("STRATEGY,...", "names of strategies separated by commas", _strategies)
RULES = Kind("NAME=VALUE", "names of rules, each with a value, such as stones=20", _rules, is_several=True)
PRECISION = Kind(
    "PRECISION", "a half-width in percentage points, such as 0.5pp", lambda value: _or_value_error(_precision, value)
)
GOALS = Kind(
    "PRECISION|decided",
    "a half-width in percentage points, such as 0.5pp, or the word decided",
    _several(_goal),
    is_several=True,
)
DIFFERENCES = Kind("PRECISION", "percentage points, as 0.5pp", _several(_precision), is_several=True)
SHARES = Kind("SHARE,SHARE", "two shares between 0 and 1, the smaller first, as 0.20,0.21", _shares)
SEATS = Kind("SEAT,...", "seats, each once, such as 0 or 0,1", _seats)
COUNTS = Kind("NUMBER,...", "how many A sit at the table", _counts)
MATCHES = Kind("A..B", "matches from one to another, both included, such as 0..99, 500.. or 7", _span)
CLUSTER = Kind(
    "ADDRESS",
    "tcp://HOST:PORT of a Dask scheduler, scheduler-file:PATH, or local:N for N processes here",
    _cluster,
)
SHARD = Kind("I/N", "a piece and how many there are, counted from 1, such as 1/10 or 10/10", _shard)
COLUMNS = Kind("NAME,...", "names of columns separated by commas", _names)
ROUND = Kind("NUMBER|all", f"the number of a round in its game, or {ALL}", _round)


FIGURES = Kind(
    "FIGURE=PRECISION",
    "figures of the report, each with a half-width, such as ceki=0.01pp",
    _several(_text),
    is_several=True,
)


_UNITS = {"s": 1, "m": 60, "h": 3600}


def _duration(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    text = value.strip() if isinstance(value, str) else ""
    if not 0 < seconds_of(text) <= 1e9:
        raise ValueError
    return text


def seconds_of(duration: str) -> float:
    """Seconds of a duration.

    Examples
    --------
    >>> seconds_of("10m"), seconds_of("90"), seconds_of("1.5h")
    (600.0, 90.0, 5400.0)
    """
    unit = _UNITS.get(duration[-1:])
    return float(duration[:-1]) * unit if unit else float(duration)


DURATION = Kind("DURATION", "a time above 0, such as 90s, 10m or 2h", _duration)


def several(metavar: str, allowed: str) -> Kind:
    """A kind of texts that are given several times."""
    return Kind(metavar, allowed, _several(_text), is_several=True)


def whole(low: int, high: int) -> Kind:
    """A whole number in a range, both ends included, as people write it."""

    def read(value: object) -> int:
        try:
            return whole_number(value, low, high)
        except ValueError as error:
            if isinstance(value, str) and "." in value and value.replace(".", "").isdigit():
                raise _Hint("a thousand is 1000, 1_000, 1,000 or 1e3") from error
            raise

    return Kind("NUMBER", f"a whole number from {low} to {high}", read)


def real(low: float, high: float, allowed: str, metavar: str = "NUMBER") -> Kind:
    """A number between two others, neither of them included unless `allowed` says so."""

    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            value = value.__float__() if type(value).__name__.startswith("float") else None  # type: ignore[attr-defined]
        number = float(value)  # type: ignore[arg-type]
        if not (math.isfinite(number) and low < number < high):
            raise ValueError
        return number

    return Kind(metavar, allowed, read)


def choice(*values: str) -> Kind:
    """One of a few words."""

    def read(value: object) -> str:
        if not isinstance(value, str) or value not in values:
            raise ValueError
        return value

    return Kind(f"[{'|'.join(values)}]", f"{', '.join(values[:-1])} or {values[-1]}", read, values)


def written(value: object) -> object:
    """A value as `runs.command.words` takes it: lists in one text, numbers as short as they are exact enough."""
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(str(written(getattr(one, "text", one))) for one in value)
    return value
