"""The library: a few functions that do what the commands do, for notebooks and programs."""

from __future__ import annotations

from domeng_sim.analysis.metrics import Figures
from domeng_sim.analysis.report import Report
from domeng_sim.api.answers import compare, odds, report
from domeng_sim.api.frames import Tables
from domeng_sim.api.playing import load, make_config, run, simulate
from domeng_sim.comparisons.result import Comparison
from domeng_sim.positions.odds_result import Odds

__all__ = [
    "Comparison",
    "Figures",
    "Odds",
    "Report",
    "Tables",
    "compare",
    "load",
    "make_config",
    "odds",
    "report",
    "run",
    "simulate",
]
