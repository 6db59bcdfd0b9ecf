"""Weighted strategies as entries of TOML files, checked.

A file holds one or more entries::

    [[strategy]]
    name = "heaviest"
    summary = "plays the tile with the most pips"
    source = "where the idea comes from"
    temperature = 0

    [strategy.weights]
    pips = 1
"""

from __future__ import annotations

import difflib
import hashlib
import json
import math
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from domeng_sim.core.printable import printable
from domeng_sim.errors import BadInput
from domeng_sim.games.spec import GameSpec

MAX_WEIGHT = 1_000_000
"""Scores then stay below 2^47 thousandths: features are at most 4000, four chances in thousandths, and they are few."""
MIN_TEMPERATURE, MAX_TEMPERATURE = Decimal("0.000001"), Decimal(1_000_000)

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_KEYS = ("name", "summary", "source", "temperature", "weights", "search")


class StrategySpecError(BadInput, ValueError):
    """A strategy that is not known or cannot be used.  The message says what is wrong and what would be right."""


@dataclass(frozen=True)
class Entry:
    """A weighted strategy of a file.

    Attributes
    ----------
    name
        Its name in the file.
    summary
        What it does, in a few words.
    source
        Where the idea comes from, how it was tuned.
    weights
        Thousandths by feature, in the order of the game's features; features of weight 0 are left out.
    temperature
        0 for the highest score, above 0 for a softmax choice.
    search
        The table of a search player as it stands there; None for a strategy that does not search.
    """

    name: str
    summary: str
    source: str
    weights: dict[str, int]
    temperature: float
    search: dict[str, Any] | None = None

    @property
    def content_hash(self) -> str:
        """Digest of what is played, whatever its name and file: equal for weights that choose alike, move for move."""
        content = json.dumps(_without_factor(self.weights, self.temperature), sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()


def _without_factor(weights: Mapping[str, int], temperature: float) -> tuple[dict[str, int], float]:
    """Weights and temperature without the factor that they have in common and that changes no choice."""
    if not weights:
        return {}, 0.0  # every score is the same, whatever the temperature
    factor = math.gcd(*weights.values())
    if temperature:
        factor &= -factor  # the largest power of two: by others, quotients of floats may differ in their last bit
    return {name: weight // factor for name, weight in weights.items()}, temperature / factor


def known_names(wrong: str, known: Iterable[str]) -> str:
    """The known names in words, the ones that are like `wrong` first.

    Examples
    --------
    >>> known_names("pipps", ["double", "pips"])
    'did you mean pips? known: pips, double'
    """
    names = list(known)
    close = difflib.get_close_matches(wrong, names, n=3, cutoff=0.6)
    listed = ", ".join([*close, *(name for name in names if name not in close)])
    return f"did you mean {' or '.join(close)}? known: {listed}" if close else f"known: {listed}"


def read_text(path: str) -> str:
    """Text of a file.

    Raises
    ------
    StrategySpecError
        If it is not there or cannot be read.
    """
    try:
        # tools of Windows put a byte order mark before the text
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise StrategySpecError(f"{path}: {os.strerror(error.errno or 0)}") from error
    except UnicodeDecodeError as error:
        raise StrategySpecError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}") from error


def parse_entries(text: str, where: str, game: GameSpec) -> dict[str, Entry]:
    """The strategies of a file by name, all of them checked.

    Parameters
    ----------
    text
        Content of the file.
    where
        Its name, for messages.
    game
        Whose features are weighed.

    Raises
    ------
    StrategySpecError
        If the file is no TOML, or an entry is not right; the message names file, entry and key.
    """
    try:
        content = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise StrategySpecError(f"{where} is not valid TOML: {error}") from error
    except RecursionError as error:
        raise StrategySpecError(f"{where} is not valid TOML: brackets within brackets") from error
    except (ArithmeticError, ValueError) as error:
        raise StrategySpecError(f"{where} holds a number that cannot be read: {error}") from error
    for key in content:
        if key not in ("game", "strategy"):
            raise StrategySpecError(f"{where}: no key {key!r} at the top; entries begin with [[strategy]]")
    if content.get("game", game.name) != game.name:
        raise StrategySpecError(f"{where} holds strategies of the game {content['game']!r}, not of {game.name}")
    rows = content.get("strategy")
    if isinstance(rows, dict):
        raise StrategySpecError(f"{where}: an entry begins with [[strategy]], in double brackets")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise StrategySpecError(f"{where} holds no strategy; an entry begins with [[strategy]]")
    entries: dict[str, Entry] = {}
    for number, row in enumerate(rows, 1):
        entry = _entry(row, f"{where}, strategy {number}", where, game)
        if entry.name in entries:
            raise StrategySpecError(f"{where}: the name {entry.name!r} stands twice")
        entries[entry.name] = entry
    return entries


def _entry(row: Mapping[str, Any], number: str, where: str, game: GameSpec) -> Entry:
    name = row.get("name")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise StrategySpecError(
            f"{number}: name must be a text of letters, digits, _ and -, beginning with a letter, not {shown(name)}"
        )
    at = f"{where}: {name}"
    for key, value in row.items():
        if key not in _KEYS:
            raise StrategySpecError(f"{at}: no key {key!r}; {known_names(key, _KEYS)}")
        if key in ("summary", "source") and not isinstance(value, str):
            raise StrategySpecError(f"{at}: {key} must be a text, not {shown(value)}")
    weights = row.get("weights", {})
    if not isinstance(weights, dict):
        raise StrategySpecError(f"{at}: weights must be a table of features and numbers, not {shown(weights)}")
    for feature in weights:
        if feature not in game.features:
            raise StrategySpecError(
                f"{at}: {game.name} has no feature {feature!r}; {known_names(feature, game.features)}"
            )
    search = row.get("search")
    if search is not None and not isinstance(search, dict):
        raise StrategySpecError(f"{at}: search must be a table, as in search = {{ n = 300 }}, not {shown(search)}")
    exact = {feature: thousandths(value, f"{at}: weight of {feature}") for feature, value in weights.items()}
    return Entry(
        name,
        printable(" ".join(row.get("summary", "").split())),
        printable(" ".join(row.get("source", "").split())),
        {feature: exact[feature] for feature in game.features if exact.get(feature)},
        temperature_of(row.get("temperature", 0), f"{at}: temperature"),
        search,
    )


def shown(value: object) -> str:
    """A value of a file as its writer wrote it, more or less, and not too long."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value) if isinstance(value, int | Decimal) else repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


def _number(value: object, what: str) -> Decimal:
    """The value as a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise StrategySpecError(f"{what} must be a number, not {shown(value)}")
    number = Decimal(value)
    if not number.is_finite():
        raise StrategySpecError(f"{what} must be a finite number, not {shown(value)}")
    return number


def thousandths(value: object, what: str) -> int:
    """A weight in thousandths.

    Parameters
    ----------
    value
        As it was given.
    what
        What it is, for messages.

    Raises
    ------
    StrategySpecError
        If it is no number of at most 3 decimals, or too large.
    """
    number = _number(value, what)
    if abs(number) > MAX_WEIGHT:
        raise StrategySpecError(f"{what} must lie between -{MAX_WEIGHT} and {MAX_WEIGHT}, not {shown(value)}")
    # the first test keeps tiny exponents from being written out
    if number and (number.adjusted() < -3 or (Fraction(number) * 1000).denominator != 1):
        raise StrategySpecError(f"{what} may have at most 3 decimals, not {shown(value)}")
    return int(Fraction(number) * 1000) if number else 0


def temperature_of(value: object, what: str) -> float:
    """A temperature; parameters and errors as for `thousandths`."""
    number = _number(value, what)
    if number and not MIN_TEMPERATURE <= number <= MAX_TEMPERATURE:
        raise StrategySpecError(
            f"{what} must be 0 or lie between {MIN_TEMPERATURE} and {MAX_TEMPERATURE}, not {shown(value)}"
        )
    return float(number) if number else 0.0
