"""Studies in small, for tests."""

from __future__ import annotations

from typing import Any

from domeng_sim.comparisons.design import Setting
from domeng_sim.games import game
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import StrategySpec

DOMENG = game("domeng")


def strategy(text: str) -> StrategySpec:
    """The strategy of that name."""
    return resolve(text, DOMENG)


def setting(seed: int = 1, games: int = 2, **rules: Any) -> Setting:
    """A setting with short matches."""
    return Setting("domeng", DOMENG.resolve_rules({name: str(value) for name, value in rules.items()}), seed, games)
