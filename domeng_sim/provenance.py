"""How a result says how it was made."""

from __future__ import annotations

import json
import platform
import shlex
from functools import cache
from importlib.metadata import version
from typing import Any

from domeng_sim.plan import RunConfig
from domeng_sim.strategies.spec import PERSON
from domeng_sim.version import __version__

LIBRARIES = ("numpy", "numba", "llvmlite", "pyarrow")
SCHEMA_VERSION = 1
"""Of manifests and JSON output; rises when a reader would have to change."""


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
