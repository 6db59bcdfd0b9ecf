"""Strategies with changes behind their names: ``master+unseen=-1.5`` is `master` with another weight.

A text is that of a base, and then parts ``+name=value``; what they change is the base's own matter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from domeng_sim.games.spec import GameSpec
from domeng_sim.strategies.weighted import Entry, StrategySpecError, known_names, temperature_of, thousandths

TEMPERATURE = "temperature"

# the shortest base behind which there is nothing but parts, since the name of a file may hold a plus sign too
_TEXT = re.compile(r"(?P<base>.+?)(?P<parts>(\+[A-Za-z_]\w*=[^+]*)+)", re.DOTALL)
_PART = re.compile(r"\+(\w+)=([^+]*)")


def split(text: str) -> tuple[str, dict[str, str]]:
    """A text's base, and its parts by name; a text without parts is a base.

    Raises
    ------
    StrategySpecError
        If a name stands twice.

    Examples
    --------
    >>> split("my.toml:bold+unseen=-1.5+pips=2")
    ('my.toml:bold', {'unseen': '-1.5', 'pips': '2'})
    >>> split("c++/my.toml")
    ('c++/my.toml', {})
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        return text, {}
    parts: dict[str, str] = {}
    for name, value in _PART.findall(match["parts"]):
        if name in parts:
            raise StrategySpecError(f"{text!r}: {name} stands twice; give it once")
        parts[name] = value.strip()
    return match["base"].strip(), parts


def reweighed(base: Entry, changes: Mapping[str, str], text: str, game: GameSpec) -> tuple[Entry, str]:
    """A weighted strategy with some weights, or the temperature, changed.

    Parameters
    ----------
    base
        The strategy.
    changes
        New values by feature, or for ``temperature``.
    text
        As it was asked for, for messages.
    game
        Whose features are weighed.

    Returns
    -------
    entry
        The changed strategy; its name tells the changes.
    suffix
        What says them behind the base: in the order of the features, without what is as before, so that the same
        changes are the same text.

    Raises
    ------
    StrategySpecError
        If there is no such feature, or it does not take the value.
    """
    weights, temperature, told = dict(base.weights), base.temperature, {}
    known = [*game.features, TEMPERATURE]
    for name, value in changes.items():
        if name not in known:
            raise StrategySpecError(f"{text!r}: {game.name} has no feature {name!r}; {known_names(name, known)}")
        number = _number(value, f"{text!r}: {name}")
        if name == TEMPERATURE:
            temperature = temperature_of(number, f"{text!r}: {name}")
            is_new, shown = temperature != base.temperature, Decimal(repr(temperature))
        else:
            weights[name] = thousandths(number, f"{text!r}: weight of {name}")
            is_new, shown = weights[name] != base.weights.get(name, 0), Decimal(weights[name]) / 1000
        if is_new:
            told[name] = f"{shown.normalize():f}"
    ordered = {name: told[name] for name in known if name in told}
    if not ordered:
        return base, ""
    suffix = "".join(f"+{name}={value}" for name, value in ordered.items())
    summary = f"{base.name} with " + ", ".join(f"{name} {value}" for name, value in ordered.items())
    used = {name: weights[name] for name in game.features if weights.get(name)}
    return Entry(base.name + suffix, summary, base.source, used, temperature), suffix


def _number(text: str, what: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise StrategySpecError(f"{what} must be a number, not {text!r}") from error
