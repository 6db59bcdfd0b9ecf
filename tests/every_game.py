"""Every game with its twin and what is checked of it; nothing here says which games there are."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from domeng_sim.games import GAMES
from tests import checks_of_five, checks_of_two, domeng_runs
from tests.draw_runs import Runs

_CHECKS: dict[str, Any] = {"domeng": checks_of_five, "two-player": checks_of_two}
"""By core; games of a family share it."""


@cache
def runs_of(name: str) -> Any:
    """Runs of a game and of its twin, which has the game's name."""
    return domeng_runs if name == "domeng" else Runs(GAMES[name], import_module(f"tests.twin.{name}"))


def twin_of(name: str) -> Any:
    """The twin of a game."""
    return runs_of(name).twin


def checks_of(name: str) -> Any:
    """What is checked of a game."""
    return _CHECKS[type(GAMES[name].kernel()).name]  # type: ignore[attr-defined]
