"""The face of the core: checks, converts, allocates and calls the kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from domeng_sim.core import streams
from domeng_sim.core.job import Job
from domeng_sim.games.draw.game import DRAW
from domeng_sim.games.draw.kernel import geometry, loop
from domeng_sim.games.draw.kernel.deal import BLOCK, deal_scratch, hand_subsets
from domeng_sim.games.draw.kernel.feature_names import FEATURES, SIMPLE_FEATURES
from domeng_sim.games.draw.kernel.policies import weighted_policy
from domeng_sim.games.draw.kernel.records import MAX_EVENTS
from domeng_sim.games.draw.rules import rules_row, table_size
from domeng_sim.games.shared.core_run import CoreRun, Cursor
from domeng_sim.games.shared.seats import is_simple, table_policy, weight_row
from domeng_sim.games.spec import GameRun
from domeng_sim.games.types import RuleValue, Seat, Task

CURSOR = Cursor(loop.MATCH, {"games": loop.N_GAMES, "rounds": loop.N_ROUNDS, "events": loop.N_EVENTS}, loop.N_CURSOR)


def engine_of(seats: Sequence[Seat]) -> str:
    """Name of the engine that serves these seats."""
    has_people = any(seat.choices is not None for seat in seats)
    if any(seat.function is not None for seat in seats):
        return "people-user" if has_people else "user"
    if has_people:
        return "people"
    return "table" if all(is_simple(seat, SIMPLE_FEATURES) for seat in seats) else "weighted"


def make_policy(seats: Sequence[Seat]) -> Any:
    """The policy through which the kernel lets these seats choose."""
    engine = engine_of(seats)
    if engine == "table":
        return table_policy(seats)
    weights = np.array([weight_row(seat, FEATURES) for seat in seats])
    policy: Any = weighted_policy(weights, np.array([seat.temperature for seat in seats], np.float64))
    if engine.endswith("user"):
        from domeng_sim.games.draw.kernel import user

        policy = user.user_policy(seats, policy)
    if engine.startswith("people"):
        from domeng_sim.games.draw.kernel import people

        policy = people.people_policy(seats, policy)
    return policy


def make_table(rules: Mapping[str, RuleValue]) -> Any:
    """The table on which tiles lie."""
    size = table_size(rules)
    return geometry.Unbounded(np.int64(0)) if size is None else geometry.grid(*size)


class DrawRun(CoreRun):
    """A task under way.

    Parameters
    ----------
    task
        What to play and what to keep.
    """

    def __init__(self, task: Task) -> None:
        super().__init__(DRAW, task, CURSOR, MAX_EVENTS, BLOCK)
        self._rules = rules_row(task.rules)
        self._policy = make_policy(task.seats)
        self._table = make_table(task.rules)
        self._scratch = deal_scratch(streams.seat_offsets([seat.copy for seat in task.seats]))

    def _play(self, job: Job) -> int:
        return int(
            loop.play_matches(
                job, self._rules, self._policy, self._table, hand_subsets(), self._scratch, self._out, self._cursor
            )
        )


class DrawKernel:
    """The compiled core of Draw."""

    def engine(self, seats: Sequence[Seat], rules: Mapping[str, RuleValue]) -> str:
        """Name of the engine that serves these seats on a table of that kind."""
        return f"draw-{engine_of(seats)}" + ("" if table_size(rules) is None else "-grid")

    def start(self, task: Task) -> GameRun:
        """Allocate what a task needs."""
        return DrawRun(task)

    def player(self, function: Callable[..., Any], name: str) -> Any:
        """Compile a user's function; see `GameKernel.player`."""
        from domeng_sim.games.draw.kernel import user

        return user.player(function, name)
