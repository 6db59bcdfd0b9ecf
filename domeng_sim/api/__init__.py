"""The library: a few functions that do what the commands do, for notebooks and programs."""

from __future__ import annotations

from domeng_sim.api.answers import compare, odds, report
from domeng_sim.api.playing import load, make_config, run, simulate
from domeng_sim.api.tables import Tables
from domeng_sim.studies.answers import Odds
from domeng_sim.studies.comparison import Comparison
from domeng_sim.studies.figures import Figures
from domeng_sim.studies.report import Report

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
