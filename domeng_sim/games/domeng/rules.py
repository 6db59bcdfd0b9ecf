"""Options and amounts of Domeng, and their form in the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from domeng_sim.games.types import Rule, RuleValue

if TYPE_CHECKING:
    import numpy as np


def _amount(name: str, default: int, sentence: str) -> Rule:
    return Rule(name, default, sentence, low=0, high=255)


RULES = (
    Rule("opening_lead", "any", "what the starter of a match's first round may lead", choices=("any", "double")),
    Rule("passebunge", "every", "which PASSes before a first tile are PASSEBUNGE", choices=("every", "first")),
    Rule("closing_passes", "award", "whether the PASSes that close a round award stones", choices=("award", "free")),
    Rule("mattikkeng_winner", "lowest", "which of several MATTIKKENG wins", choices=("lowest", "next")),
    Rule(
        "camat_check",
        "after",
        "when the table must be empty: after or before the closing award",
        choices=("after", "before"),
    ),
    _amount("stones", 25, "stones in the game"),
    _amount("pass_stones", 1, "stones for a PASS"),
    _amount("passebunge_stones", 2, "stones for a PASSEBUNGE"),
    _amount("cappu_stones", 1, "stones for CUCUQ after a plain CAPPU"),
    _amount("ceki_stones", 3, "stones for CUCUQ after a CEKI"),
    _amount("pollo_stones", 5, "stones for CUCUQ after a POLLO"),
    _amount("manguno_stones", 1, "stones for CUCUQ when the MANGUNO wins"),
    _amount("mattikkeng_stones", 5, "stones for the MANGUNO: exactly one MATTIKKENG, strictly fewer pips"),
    _amount("mattikkeng_shared_stones", 1, "stones for the MANGUNO: several MATTIKKENG, or one with equal pips"),
    Rule("max_rounds", 10_000, "rounds after which a game without CAMAT is truncated", low=1, high=65_535),
)


class RulesRow(NamedTuple):
    """The rules as numbers, in the order of `RULES`; options are positions of the reading."""

    opening_lead: np.uint64
    passebunge: np.uint64
    closing_passes: np.uint64
    mattikkeng_winner: np.uint64
    camat_check: np.uint64
    stones: np.uint64
    pass_stones: np.uint64
    passebunge_stones: np.uint64
    cappu_stones: np.uint64
    ceki_stones: np.uint64
    pollo_stones: np.uint64
    manguno_stones: np.uint64
    mattikkeng_stones: np.uint64
    mattikkeng_shared_stones: np.uint64
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
