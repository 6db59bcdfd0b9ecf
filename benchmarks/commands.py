"""What commands cost beside the core that they drive: comparisons, odds, reports."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import domeng_sim
from benchmarks.measure import Row, in_turn, median_ratio
from benchmarks.speed import DOMENG, KERNEL, RULES
from domeng_sim.games.types import Task
from domeng_sim.runs.engine import simulate
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import seat

REPEATS = 7
BLOCKS = 1_000
SAMPLES = 50_000
ROUNDS = 3_000_000
HAND = "6|6 5|4 4|3 3|2 2|1"


def raw(name: str) -> Callable[[], float]:
    """CPU time a round of the core alone: one seat of a strategy among four of `random`."""
    seats = (seat(resolve(name, DOMENG)), *(seat(resolve("random", DOMENG)),) * 4)
    task = Task(RULES, seats, 1, 10, 0, 0, 4_000, 4_000)

    def measure() -> float:
        start = time.process_time()
        counts = simulate(KERNEL, task)
        return (time.process_time() - start) * 1e9 / int(DOMENG.rounds_of(counts).sum())

    return measure


def compared(name: str) -> Callable[[], float]:
    """CPU time a round of `compare NAME random`, one among four."""

    def measure() -> float:
        start = time.process_time()
        result = domeng_sim.compare(name, "random", blocks=BLOCKS, seed=1, threads=1)
        return (time.process_time() - start) * 1e9 / result.rounds

    return measure


def odds_of(play: str) -> float:
    """CPU time of a playout of a lead from a hand of five tiles, each sample with five leads."""
    start = time.process_time()
    found = domeng_sim.odds(hand=HAND, seat=0, opponents=play, own_strategy=play, samples=SAMPLES, seed=1, threads=1)
    return (time.process_time() - start) * 1e9 / (SAMPLES * len(found.moves))


def reported(run: Path) -> float:
    """CPU time a row of `report` of a run with the table `rounds`."""
    start = time.process_time()
    domeng_sim.report(run, threads=1)
    return (time.process_time() - start) * 1e9 / ROUNDS


def compare_commands() -> list[Row]:
    """Comparisons to the raw core, playouts of odds to a round of it, rows of a report."""
    with tempfile.TemporaryDirectory() as name:
        run = Path(name) / "run"
        domeng_sim.run(run, rounds=ROUNDS, tables="rounds", seed=1)
        variants: dict[str, Callable[[], float]] = {}
        for strategy in ("heaviest", "banker"):
            variants[f"the core, {strategy} among random"] = raw(strategy)
            variants[f"compare {strategy} random"] = compared(strategy)
        variants["a playout of odds, random"] = lambda: odds_of("random")
        variants["a playout of odds, master"] = lambda: odds_of("master")
        variants["a row of a report"] = lambda: reported(run)
        for variant in variants.values():
            variant()
        values = in_turn(variants, REPEATS)
    rows = []
    for what, found in values.items():
        if what.startswith("compare"):
            reference = values[f"the core, {what.split()[1]} among random"]
            rows.append(Row(what, float(np.median(found)), "ns/round", median_ratio(found, reference), 1.2, 1.5))
        else:
            rows.append(Row(what, float(np.median(found)), "ns"))
    return rows
