"""How a result says how it was made."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from domeng_sim.core.printable import printable
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import RuleValue
from domeng_sim.runs.command import command_line
from domeng_sim.runs.config import (
    DEFAULT_GAME,
    DEFAULT_GAMES,
    DEFAULT_MAX_ROUNDS,
    DEFAULT_STRATEGY,
    DEFAULT_TABLES,
    RunConfig,
)
from domeng_sim.strategies.spec import PERSON
from domeng_sim.version import __version__

LIBRARIES = ("numpy", "numba", "llvmlite", "pyarrow")
SCHEMA_VERSION = 2
"""Of datasets; rises when a reader would have to change."""
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
    people = [number for number, seat in enumerate(config.seats) if seat.kind == PERSON]
    return command_line("play" if people else "run", _played(config, people) if people else asked(config))


def asked(config: RunConfig) -> dict[str, object]:
    """The fields of a request that ask for this run, those left out whose value is the default."""
    texts = [seat.text for seat in config.seats]
    is_one = len(set(texts)) == 1
    return {
        "game": None if config.game == DEFAULT_GAME else config.game,
        "matches": config.matches or None,
        "rounds": None if config.until else config.rounds or None,
        "until": config.until or None,
        "max_rounds": config.rounds if config.until and config.rounds != DEFAULT_MAX_ROUNDS else None,
        "games_per_match": config.games_per_match if config.games_per_match not in (0, DEFAULT_GAMES) else None,
        "rounds_per_match": config.rounds_per_match or None,
        "seats": None if is_one else ",".join(texts),
        "strategy": texts[0] if is_one and texts[0] != DEFAULT_STRATEGY else None,
        "rules": other_rules(config.spec, config.rules),
        "tables": None if config.level == DEFAULT_TABLES else config.level,
        "store_hands": config.hands,
        "seed": config.seed,
    }


def _played(config: RunConfig, people: Sequence[int]) -> dict[str, object]:
    """The fields of a request that begins the match that people played."""
    others = [seat.text for seat in config.seats if seat.kind != PERSON]
    fields = asked(config)
    return {
        "game": fields["game"],
        "seat": ",".join(map(str, people)),
        "opponents": ",".join(others) or None,
        "rules": fields["rules"],
        "seed": config.seed,
    }


def other_rules(spec: GameSpec, rules: Mapping[str, RuleValue]) -> dict[str, RuleValue]:
    """Rules whose value is not the default."""
    return {rule.name: rules[rule.name] for rule in spec.rules if rules[rule.name] != rule.default}


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


_TOLD = {"game_version": "the version of the game", "matches_asked": "matches", "rounds_asked": "rounds"}
"""What is called otherwise in a manifest than by people."""


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
