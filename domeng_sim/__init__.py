"""Simulation and statistics of domino games of chance and skill.

Names are imported when they are first used, so that ``import domeng_sim`` and the command line's help are instant.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from domeng_sim.version import __version__

if TYPE_CHECKING:
    from domeng_sim.api import Comparison, Odds, Report, Tables, compare, load, odds, report, run, simulate

_NAMES = ("Comparison", "Odds", "Report", "Tables", "compare", "load", "odds", "report", "run", "simulate")

__all__ = [
    "Comparison",
    "Odds",
    "Report",
    "Tables",
    "__version__",
    "compare",
    "load",
    "odds",
    "report",
    "run",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module("domeng_sim.api"), name)
    raise AttributeError(f"module 'domeng_sim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
