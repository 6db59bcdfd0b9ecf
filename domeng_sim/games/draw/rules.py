"""Options and amounts of Draw, and their form in the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from domeng_sim.games.types import Rule, RuleValue

if TYPE_CHECKING:
    import numpy as np

MAX_TARGET = 16_000
"""A score stays below this before the last round, and a round scores at most 168: two add up in signed 16 bits."""

RULES = (
    Rule(
        "opening_lead", "any", "which tile the starter may lead: any, or that which gave the start", ("any", "highest")
    ),
    Rule("draw", "until_fit", "tiles drawn in a turn: until one fits, or at most one", ("until_fit", "one")),
    Rule("target", 100, "score that ends a game", low=1, high=MAX_TARGET),
    Rule("table", "unbounded", "size of the table in half-tiles", ("unbounded",), low=2, high=127, is_size=True),
    Rule("max_rounds", 10_000, "rounds after which a game that reached no target is truncated", low=1, high=65_535),
)


class RulesRow(NamedTuple):
    """The rules as numbers, in the order of `RULES`; options are positions of the reading."""

    opening_lead: np.uint64
    draw: np.uint64
    target: np.uint64
    table: np.uint64
    max_rounds: np.uint64


def rules_row(rules: Mapping[str, RuleValue]) -> RulesRow:
    """The rules as the core takes them.

    Parameters
    ----------
    rules
        A value for every rule, as `GameSpec.resolve_rules` gives them.
    """
    import numpy as np  # not for help and usage errors

    return RulesRow(*(np.uint64(rule.code(rules[rule.name])) for rule in RULES))


def table_size(rules: Mapping[str, RuleValue]) -> tuple[int, int] | None:
    """Width and height of the table in half-tiles; None for a table without bounds."""
    text = str(rules["table"])
    if text == "unbounded":
        return None
    width, height = text.split("x")
    return int(width), int(height)
