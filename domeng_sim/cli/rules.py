"""``domeng-sim rules``."""

from __future__ import annotations

import json

import click

from domeng_sim.games import GAMES


@click.command()
@click.option("--game", "name", type=click.Choice(list(GAMES)), default="domeng", show_default=True, help="The game.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def command(name: str, as_json: bool) -> int:
    """List the options and amounts of the rules, for --rule NAME=VALUE."""
    spec = GAMES[name]
    if as_json:
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
        print(json.dumps({"schema_version": 1, "game": name, "rules": rows}, indent=1))
        return 0
    width = max(len(rule.name) for rule in spec.rules)
    for rule in spec.rules:
        print(f"{rule.name:{width}}  {rule.brief:16} default {rule.default!s:8} {rule.sentence}")
    return 0
