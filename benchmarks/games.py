"""What a play costs in each game, at random seats and with the summary only."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from benchmarks.measure import Row, in_turn, median_ratio
from domeng_sim.games import game
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import RuleValue, Seat, Task
from domeng_sim.runs.engine import simulate

REPEATS = 11
MATCHES = 3_000


def plays(spec: GameSpec, rules: Mapping[str, RuleValue], counts: np.ndarray) -> int:
    """Tiles played, from the counter that every game has."""
    start = 0
    for block in spec.counts(rules):
        if block.name == "plays":
            return int((counts[:, start : start + block.size].sum(axis=0) * np.arange(block.size)).sum())
        start += block.size
    raise LookupError(f"{spec.name} does not count plays")


def nanoseconds_a_play(name: str, **given: object) -> Callable[[], float]:
    """A function that plays matches of ten games and returns the CPU time a play."""
    spec = game(name)
    rules, kernel = spec.resolve_rules(given), spec.kernel()
    task = Task(rules, (Seat({}),) * spec.seats, 1, 10, 0, 0, MATCHES, MATCHES)

    def measure() -> float:
        start = time.process_time()
        counts = simulate(kernel, task)
        return (time.process_time() - start) * 1e9 / plays(spec, rules, counts)

    return measure


def compare_games() -> list[Row]:
    """Draw against Domeng, on a table without bounds and on finite ones."""
    variants = {
        "Domeng, five random seats": nanoseconds_a_play("domeng"),
        "Draw, two random seats": nanoseconds_a_play("draw"),
        "Draw on a table of 8x8": nanoseconds_a_play("draw", table="8x8"),
        "Draw on a table of 40x40": nanoseconds_a_play("draw", table="40x40"),
    }
    for variant in variants.values():
        variant()
    values = in_turn(variants, REPEATS)
    limits = (None, (1.5, 2.0), (8.0, 10.0), (8.0, 10.0))
    reference = values["Domeng, five random seats"]
    return [
        Row(what, float(np.median(found)), "ns/play", median_ratio(found, reference), *(limit or (None, None)))
        for (what, found), limit in zip(values.items(), limits, strict=True)
    ]
