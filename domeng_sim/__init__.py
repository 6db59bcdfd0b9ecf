"""Simulation and statistics of domino games of chance and skill.

Names are imported when they are first used, so that ``import domeng_sim`` and the command line's help are instant.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from domeng_sim.version import __version__

if TYPE_CHECKING:
    from domeng_sim.api.frames import Tables
    from domeng_sim.api.functions import (
        compare,
        export,
        load,
        merge,
        odds,
        power,
        report,
        run,
        sensitivity,
        simulate,
        sweep,
        to_html,
        tournament,
        tune,
    )
    from domeng_sim.api.results import Comparison, Odds, Ranking, Report, Sweep
    from domeng_sim.comparisons.power import Power
    from domeng_sim.comparisons.sensitivity_result import Sensitivity
    from domeng_sim.comparisons.tuning_result import TuneResult

__all__ = [
    "Comparison",
    "Odds",
    "Power",
    "Ranking",
    "Report",
    "Sensitivity",
    "Sweep",
    "Tables",
    "TuneResult",
    "__version__",
    "compare",
    "export",
    "load",
    "merge",
    "odds",
    "power",
    "report",
    "run",
    "sensitivity",
    "simulate",
    "sweep",
    "to_html",
    "tournament",
    "tune",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(importlib.import_module("domeng_sim.api.functions"), name)
    raise AttributeError(f"module 'domeng_sim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
