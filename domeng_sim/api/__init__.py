"""The library: a few functions that do what the commands do, for notebooks and programs."""

from __future__ import annotations

from domeng_sim.api.answers import compare, odds, report
from domeng_sim.api.frames import Tables
from domeng_sim.api.playing import load, make_config, run, simulate
from domeng_sim.api.results import Comparison, Figures, Odds, Ranking, Report

__all__ = [
    "Comparison",
    "Figures",
    "Odds",
    "Ranking",
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
