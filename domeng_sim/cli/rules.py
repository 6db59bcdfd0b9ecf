"""``domeng-sim rules``."""

from __future__ import annotations

import json
import shutil
import textwrap
from dataclasses import dataclass
from typing import ClassVar

from domeng_sim.api.requests.base import Request, optional
from domeng_sim.api.requests.kinds import SWITCH, choice
from domeng_sim.cli.options import request_command
from domeng_sim.games import GAMES, game
from domeng_sim.runs.config import DEFAULT_GAME

SCHEMA_VERSION = 1
"""Of the JSON output."""


@dataclass(frozen=True, kw_only=True)
class RulesRequest(Request):
    """A list of a game's rules."""

    command: ClassVar[str] = "rules"

    game: str = optional(choice(*GAMES), "The game.", usual=DEFAULT_GAME)


@dataclass(frozen=True, kw_only=True)
class ListView(Request):
    """How a list is printed."""

    json: bool = optional(SWITCH, "Print it as JSON.")


@request_command(RulesRequest, ListView)
def command(request: RulesRequest, view: ListView) -> int:
    """List the options and amounts of the rules, for --rule NAME=VALUE.

    \b
    Examples:
      domeng-sim rules
      domeng-sim rules --game draw --json
      domeng-sim run --rule stones=30 --rule camat_check=before
    """
    spec = game(request.game)
    if view.json:
        rows = [
            {
                "name": rule.name,
                "default": rule.default,
                "choices": list(rule.choices) or None,
                "low": rule.low,
                "high": rule.high,
                "is_size": rule.is_size,
                "sentence": rule.sentence,
            }
            for rule in spec.rules
        ]
        print(json.dumps({"schema_version": SCHEMA_VERSION, "game": spec.name, "rules": rows}, indent=1))
        return 0
    width = max(shutil.get_terminal_size((80, 24)).columns, 40)
    for rule in spec.rules:
        print(f"{rule.name}  {rule.brief}  [default: {rule.default}]")
        print(textwrap.fill(rule.sentence, width, initial_indent="    ", subsequent_indent="    "))
    return 0
