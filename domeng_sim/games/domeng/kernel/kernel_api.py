"""The face of the core: checks, converts, allocates and calls the kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from domeng_sim.core import streams
from domeng_sim.core.codes import NOBODY
from domeng_sim.core.job import Job
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.domeng.kernel import loop, policies
from domeng_sim.games.domeng.kernel.deal import BLOCK, deal_scratch, hand_subsets
from domeng_sim.games.domeng.kernel.feature_names import FEATURES, SIMPLE_FEATURES
from domeng_sim.games.domeng.kernel.records import MAX_EVENTS
from domeng_sim.games.domeng.rules import rules_row
from domeng_sim.games.shared.core_run import ROOM, CoreRun, Cursor
from domeng_sim.games.shared.seats import is_simple, table_policy, weight_row
from domeng_sim.games.spec import GameRun
from domeng_sim.games.types import RuleValue, Seat, Task

__all__ = ["ROOM", "DomengKernel", "DomengRun", "engine_of", "make_policy"]

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
    temperature = np.array([seat.temperature for seat in seats], np.float64)
    policy: Any = policies.WeightedPolicy(weights, temperature)
    if engine.endswith("user"):
        from domeng_sim.games.domeng.kernel import user

        policy = user.user_policy(seats, policy)
    if engine.startswith("people"):
        from domeng_sim.games.domeng.kernel import people

        policy = people.people_policy(seats, policy)
    return policy


class DomengRun(CoreRun):
    """A task under way.

    Parameters
    ----------
    task
        What to play and what to keep.
    """

    def __init__(self, task: Task) -> None:
        super().__init__(DOMENG, task, CURSOR, MAX_EVENTS, BLOCK)
        self._rules = rules_row(task.rules)
        self._policy = make_policy(task.seats)
        self._scratch = deal_scratch(streams.seat_offsets([seat.copy for seat in task.seats]))
        self._cursor[loop.STONES] = int(task.rules["stones"]) << 40
        self._cursor[loop.INCUMBENT] = self._cursor[loop.STARTER] = NOBODY

    def _play(self, job: Job) -> int:
        return int(
            loop.play_matches(job, self._rules, self._policy, hand_subsets(), self._scratch, self._out, self._cursor)
        )


class DomengKernel:
    """The compiled core of Domeng."""

    def engine(self, seats: Sequence[Seat], rules: Mapping[str, RuleValue]) -> str:
        """Name of the engine that serves these seats; the rules do not matter."""
        return f"domeng-{engine_of(seats)}"

    def start(self, task: Task) -> GameRun:
        """Allocate what a task needs."""
        return DomengRun(task)

    def player(self, function: Callable[..., Any], name: str) -> Any:
        """Compile a user's function; see `GameKernel.player`."""
        from domeng_sim.games.domeng.kernel import user

        return user.player(function, name)
