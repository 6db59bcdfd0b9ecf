"""Options and amounts of Domeng, and their form in the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from domeng_sim.games.types import Rule, RuleValue, SearchSpec, row_class, row_of


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

SEARCH = SearchSpec(
    values={
        "camat": (
            "the chance of becoming CAMAT, from the stones after the round and who starts the next one, as it is "
            "among five `master`; under other rules than the usual ones it falls back on stones"
        ),
        "stones": "few stones of its own after the round, and being appointed CAMAT",
    },
    infers=True,
)
"""What search players of Domeng can be asked for."""

if TYPE_CHECKING:
    from domeng_sim.games.types import RulesRow as RulesRow
else:
    RulesRow = row_class(RULES, __name__)


def cucuq_of(winner: int, rules: Mapping[str, RuleValue]) -> int:
    """CUCUQ, who gets the stones when this seat wins by CAPPU or as the MANGUNO."""
    return (winner - 1) % 5


def rules_row(rules: Mapping[str, RuleValue]) -> RulesRow:
    """The rules as the core takes them; there is a value for every rule."""
    row: RulesRow = row_of(RulesRow, RULES, rules)
    return row
