"""Few settings of the rules of a game in which every two readings of every two rules meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import Rule, RuleValue

MOST = 20
"""Numbers are no larger, so that all that can happen happens in few rounds."""


def readings(rule: Rule) -> list[RuleValue]:
    """Every reading of an option, and a size; of a number the usual one or less, a small one and the least."""
    if rule.choices:
        return [*rule.choices, *([f"{rule.low + 8}x{rule.low + 4}"] if rule.is_size else [])]
    return list(dict.fromkeys([min(int(rule.default), MOST), min(3, rule.high), rule.low]))


def covering(factors: Mapping[str, Sequence[RuleValue]]) -> list[dict[str, RuleValue]]:
    """Rows in which every pair of values of different factors stands, found greedily.

    Each row begins with a pair that is still missing; every other factor gets the value that brings most of the
    missing pairs with those already chosen.
    """
    both = combinations(factors, 2)
    missing = {((a, x), (b, y)): None for a, b in both for x in factors[a] for y in factors[b]}
    rows = []
    while missing:
        row = dict(next(iter(missing)))
        for name in factors:
            if name not in row:
                row[name] = max(
                    factors[name], key=lambda value, n=name: sum(pair in missing for pair in pairs_of(row, n, value))
                )
        rows.append({name: row[name] for name in factors})
        for pair in combinations(rows[-1].items(), 2):
            missing.pop(pair, None)
    return rows


def pairs_of(row: Mapping[str, RuleValue], name: str, value: RuleValue) -> list[tuple[tuple[str, RuleValue], ...]]:
    """The pairs of a value with those of a row, the factors in either order."""
    new = (name, value)
    return [pair for chosen in row.items() for pair in ((chosen, new), (new, chosen))]


def settings_of(spec: GameSpec, **fixed: RuleValue) -> list[dict[str, RuleValue]]:
    """The usual rules, as none, and settings in which every two readings of every two rules meet.

    Parameters
    ----------
    spec
        The game.
    **fixed
        Rules that have this one reading everywhere.
    """
    rows = covering({rule.name: [fixed[rule.name]] if rule.name in fixed else readings(rule) for rule in spec.rules})
    return rows if fixed else [{}, *rows]
