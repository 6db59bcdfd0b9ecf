"""How a result says how it was made."""

from __future__ import annotations

import json
import platform
import shlex
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import version
from typing import Any

from domeng_sim.core.printable import printable
from domeng_sim.runs.config import RunConfig
from domeng_sim.strategies.resolve import PERSON
from domeng_sim.version import __version__

LIBRARIES = ("numpy", "numba", "llvmlite", "pyarrow")
SCHEMA_VERSION = 1
"""Of manifests and JSON output; rises when a reader would have to change."""
_SHOWN = 64
"""Longest value that is shown whole where two runs differ."""


def software() -> dict[str, str]:
    """Versions of all that can change a byte of a part file."""
    return {"domeng_sim": __version__, "python": platform.python_version(), **_libraries()}


@cache
def _libraries() -> dict[str, str]:
    return {library: version(library) for library in LIBRARIES}


def command(config: RunConfig) -> str:
    """The command that makes the rows of this run again; where they go, and with how many threads, is left out.

    Where people sat it is the one that begins the same match.
    """
    if any(seat.kind == PERSON for seat in config.seats):
        return _play_command(config)
    words = ["domeng-sim", "run"]
    if config.game != "domeng":
        words += ["--game", config.game]
    words += ["--matches", str(config.matches)] if config.matches else ["--rounds", str(config.rounds)]
    if config.rounds_per_match:
        words += ["--rounds-per-match", str(config.rounds_per_match)]
    elif config.games_per_match != 10:
        words += ["--games-per-match", str(config.games_per_match)]
    texts = [seat.text for seat in config.seats]
    if len(set(texts)) > 1:
        words += ["--seats", ",".join(texts)]
    elif texts[0] != "random":
        words += ["--strategy", texts[0]]
    words += _rule_words(config)
    if config.level != "rounds":
        words += ["--tables", config.level]
    if config.hands:
        words += ["--hands"]
    words += ["--seed", str(config.seed)]
    return shlex.join(words)


def _play_command(config: RunConfig) -> str:
    words = ["domeng-sim", "play"]
    if config.game != "domeng":
        words += ["--game", config.game]
    words += ["--seat", ",".join(str(number) for number, seat in enumerate(config.seats) if seat.kind == PERSON)]
    others = [seat.text for seat in config.seats if seat.kind != PERSON]
    if others:
        words += ["--against", ",".join(others)]
    return shlex.join([*words, *_rule_words(config), "--seed", str(config.seed)])


def _rule_words(config: RunConfig) -> list[str]:
    return [
        word
        for rule in config.spec.rules
        if config.rules[rule.name] != rule.default
        for word in ("--rule", f"{rule.name}={config.rules[rule.name]}")
    ]


def provenance(config: RunConfig) -> dict[str, Any]:
    """What stands in the schema metadata of every part: nothing that differs between two runs of the same thing."""
    return {
        "schema_version": SCHEMA_VERSION,
        "identity": config.identity(),
        "command": command(config),
        "software": software(),
        **config.to_json(),
    }


def provenance_text(config: RunConfig) -> str:
    """`provenance` as JSON."""
    return json.dumps(provenance(config), sort_keys=True)


_TOLD = {
    "game": "--game",
    "game_version": "the version of the game",
    "matches_asked": "--matches",
    "rounds_asked": "--rounds",
    "games_per_match": "--games-per-match",
    "rounds_per_match": "--rounds-per-match",
    "seed": "--seed",
    "tables": "--tables",
}
"""What the names in a manifest are called where somebody typed them."""


def manifest_differences(stored: Mapping[str, Any], asked: Mapping[str, Any], keys: Iterable[str]) -> list[str]:
    """What differs between a stored manifest and a new one, a line each; empty if they describe the same.

    Parameters
    ----------
    stored, asked
        The manifests, with a value for every rule, and their software.
    keys
        What decides the identity, besides the version.
    """
    lines = []
    for key in keys:
        if stored.get(key) != asked[key]:
            lines += (
                _seats(stored.get(key), asked[key]) if key == "seats" else _difference(key, stored.get(key), asked[key])
            )
    versions = stored["software"]["domeng_sim"], asked["software"]["domeng_sim"]
    if versions[0] != versions[1]:
        lines.append(f"domeng_sim version {versions[0]}, now {versions[1]}")
    return lines


def _seats(stored: object, asked: object) -> list[str]:
    """What differs between two tables of strategies: their texts, or else the files behind them."""
    if not isinstance(stored, list) or not isinstance(asked, list):
        return _difference("seats", stored, asked)
    before, now = (",".join(str(seat["text"]) for seat in seats) for seats in (stored, asked))
    if before != now:
        return [f"seats were {_shown(before)}, now {_shown(now)}"]
    pairs = [pair for pair in zip(stored, asked, strict=True) if pair[0] != pair[1]]
    lines = [line for old, new in pairs for line in _difference(f"the strategy {old['text']}", old, new)]
    return list(dict.fromkeys(lines))


def _difference(key: str, stored: object, asked: object) -> list[str]:
    if isinstance(stored, dict) and isinstance(asked, dict):
        return [
            line
            for name in {**stored, **asked}
            if stored.get(name) != asked.get(name)
            for line in _difference(f"{key} {name}", stored.get(name), asked.get(name))
        ]
    if key.endswith(" code"):
        return []  # told by its content_hash
    return [f"{_TOLD.get(key, key)} was {_shown(stored)}, now {_shown(asked)}"]


def _shown(value: object) -> str:
    text = "not given" if value is None else printable(str(value))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
