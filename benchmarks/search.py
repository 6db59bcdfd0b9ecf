"""Search players: what a playout and a decision cost, one of them at a table of the strongest presets."""

from __future__ import annotations

import time
from typing import Any

from benchmarks.measure import Row
from domeng_sim.games import game
from domeng_sim.games.shared.search import DECISIONS, PLAYOUTS
from domeng_sim.games.types import Task
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import seat

REPEATS = 3
PLAYERS = [
    ("domeng", "search", 20, (400.0, 500.0), (100.0, 143.0)),
    ("domeng", "search+infer=master", 5, None, None),
    ("draw", "search", 20, None, None),
    ("block", "search", 20, None, None),
]
"""Game, player, matches of ten games; reach and alarm of nanoseconds a playout and of microseconds a decision."""


def cost(name: str, text: str, matches: int) -> tuple[float, float]:
    """Nanoseconds a playout, all that belongs to the decision included, and microseconds a decision, by CPU time."""
    spec = game(name)
    seats = tuple(seat(resolve(one, spec)) for one in (text, *[spec.strongest] * (spec.seats - 1)))
    kernel, best, counted = spec.kernel(), float("inf"), (1, 1)

    def start(first: int, end: int) -> Any:
        task = Task(
            rules=spec.resolve_rules({}), seats=seats, seed=1, games=10, rounds=0, first_match=first, end_match=end,
            cluster=1,
        )  # fmt: skip
        return kernel.start(task)

    start(0, 1).advance(1)
    for _ in range(REPEATS):
        run, began = start(0, matches), time.process_time()
        while run.advance(1 << 20):
            pass
        best = min(best, time.process_time() - began)
        effort = run._policy.room.effort
        counted = int(effort[DECISIONS]), int(effort[PLAYOUTS])
    return 1e9 * best / counted[1], 1e6 * best / counted[0]


def compare_search() -> list[Row]:
    """Rows of the table; the other players' own choices are a hundredth of it."""
    rows = []
    for name, text, matches, playout, decisions in PLAYERS:
        nanoseconds, microseconds = cost(name, text, matches)
        rows.append(Row(f"{name}, {text}: a playout", nanoseconds, "ns", None, *(playout or (None, None))))
        rows.append(Row(f"{name}, {text}: a decision", microseconds, "us", None, *(decisions or (None, None))))
    return rows
