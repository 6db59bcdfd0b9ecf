"""Options and amounts of two-player games, and their form in the core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from domeng_sim.games.types import Rule, RuleValue, SearchSpec, row_class, row_of

MAX_TARGET = 16_000
"""A score stays below this before the last round, and a round scores at most 168: two add up in signed 16 bits."""

OPENING_LEAD = Rule(
    "opening_lead", "any", "which tile the starter may lead: any, or that which gave the start", ("any", "highest")
)
DRAW = Rule("draw", "until_fit", "tiles drawn in a turn: until one fits, or at most one", ("until_fit", "one"))
TARGET = Rule("target", 100, "score that ends a game", low=1, high=MAX_TARGET)
TABLE = Rule("table", "unbounded", "size of the table in half-tiles", ("unbounded",), low=2, high=127, is_size=True)
MAX_ROUNDS = Rule(
    "max_rounds", 10_000, "rounds after which a game that reached no target is truncated", low=1, high=65_535
)

IN_CORE = (OPENING_LEAD, replace(DRAW, choices=(*DRAW.choices, "none")), TARGET, TABLE, MAX_ROUNDS)
"""The rules of the core, which is the same for every game of the family: nobody draws where there is no rule `draw`."""

SEARCH = SearchSpec(
    values={
        "points": "the points that the round brings, those of the other player being taken off",
        "rounds": "winning the round, whatever it brings",
    }
)
"""What search players of the family can be asked for."""

if TYPE_CHECKING:
    from domeng_sim.games.types import RulesRow as RulesRow
else:
    RulesRow = row_class(IN_CORE, __name__)


def rules_row(rules: Mapping[str, RuleValue]) -> RulesRow:
    """The rules as the core takes them; there is a value for every rule of the game."""
    row: RulesRow = row_of(RulesRow, IN_CORE, {"draw": "none", **rules})
    return row


def table_size(rules: Mapping[str, RuleValue]) -> tuple[int, int] | None:
    """Width and height of the table in half-tiles; None for a table without bounds."""
    text = str(rules["table"])
    if text == "unbounded":
        return None
    width, height = text.split("x")
    return int(width), int(height)
