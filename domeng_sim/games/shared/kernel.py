"""The compiled core of a game, and a task under way in it: the same for every game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from domeng_sim.core import buffers
from domeng_sim.core.jit import prepared
from domeng_sim.core.job import FULL, Job, Log, NoLog, Output
from domeng_sim.core.tables import LEVELS, Table
from domeng_sim.games.shared import loop
from domeng_sim.games.shared.core_call import core_call
from domeng_sim.games.shared.round_deals import BLOCK
from domeng_sim.games.shared.seats import Seating
from domeng_sim.games.shared.user import Player
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import Count, RuleValue, Seat, Task

ROOM = {"games": (1 << 15) + 192, "rounds": (1 << 17) + 192, "events": (1 << 18) + 192}
"""Rows of a table that are kept before they are taken; they become the row groups of the Parquet files.

An odd number of cache lines: with a power of two all columns of a row would fall on the same place of the cache, and
each store would miss it.
"""
_ROWS = {"games": loop.N_GAMES, "rounds": loop.N_ROUNDS, "events": loop.N_EVENTS}


class CoreKernel(ABC):
    """The compiled core of a game.

    Parameters
    ----------
    spec
        The game.

    Attributes
    ----------
    name
        Of its engines; games of a family share them.
    seating
        How seats become what the core takes.
    max_events
        More events than a round can have.
    tables, counts
        What the core fills: the tables and counters of the game, or more where a family shares the core.
    play
        The compiled loop.
    """

    name: ClassVar[str]
    seating: ClassVar[Seating]
    max_events: ClassVar[int]
    play: ClassVar[Callable[..., int]]

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec

    @property
    def tables(self) -> Mapping[str, Table]:
        """The tables that the core fills."""
        return self.spec.tables

    def counts(self, rules: Mapping[str, RuleValue]) -> tuple[Count, ...]:
        """The counters that the core adds to."""
        return self.spec.counts(rules)

    @abstractmethod
    def game(self, task: Task, policy: Any) -> Any:
        """What the loop takes: see `games.shared.loop`."""

    def engine(self, task: Task) -> str:
        """Name of the engine that plays a task; each is compiled by itself."""
        return f"{self.name}-{self.seating.engine(task.seats)}{'-events' if task.level == 'events' else ''}"

    def notes(self, seats: Sequence[Seat], rules: Mapping[str, RuleValue]) -> tuple[str, ...]:
        """What people should know before these seats play under these rules, a line each."""
        return ()

    def start(self, task: Task) -> CoreRun:
        """Allocate what a task needs."""
        return CoreRun(self, task)

    def player(self, function: Callable[..., Any], name: str) -> Player:
        """Compile a user's function; see `GameKernel.player`."""
        return Player(function, name, self.seating.window)


class CoreRun:
    """A task under way.

    Parameters
    ----------
    core
        The core of the game.
    task
        What to play and what to keep.
    """

    def __init__(self, core: CoreKernel, task: Task) -> None:
        filled, kept = core.counts(task.rules), core.spec.counts(task.rules)
        n_counts = sum(count.size for count in filled)
        self._counts = np.zeros((task.n_clusters, n_counts), np.int64)
        names = {count.name for count in kept}
        keeps = np.repeat([count.name in names for count in filled], [count.size for count in filled])
        self._kept = None if keeps.all() else np.flatnonzero(keeps)
        self._core, self._options = core, task.options
        level = LEVELS.index(task.level)
        self._rooms = {name: ROOM[name] if LEVELS.index(name) <= level else 0 for name in core.tables}
        self._full_at = {**self._rooms, "events": self._rooms["events"] - core.max_events + 1}
        self._buffers = {name: buffers.allocate(core.tables[name], self._rooms[name]) for name in _ROWS}
        self._cursor = np.zeros(loop.N_CURSOR, np.int64)
        self._cursor[loop.MATCH] = task.first_match
        log = Log(self._buffers["events"], self._cursor[loop.N_EVENTS : loop.STEP + 1])
        out = Output(
            self._counts.reshape(-1),
            np.int64(n_counts),
            self._buffers["games"],
            self._buffers["rounds"],
            log if self._rooms["events"] else NoLog(),
        )
        job = Job(
            seed=np.uint64(task.seed),
            first_match=np.int64(task.first_match),
            end_match=np.int64(task.end_match),
            games=np.int64(task.games),
            rounds=np.int64(task.rounds),
            cluster=np.int64(task.cluster),
            block=np.int64(min(BLOCK, task.rounds or BLOCK)),
            max_events=np.int64(core.max_events),
            write_games=self._rooms["games"] > 0,
            write_rounds=self._rooms["rounds"] > 0,
            write_hands=self._rooms["rounds"] > 0 and "hands" in task.options,
        )
        self._policy = core.seating.policy(task.seats)
        game = core.game(task, self._policy)
        self._play = prepared(type(core).play, job, game, out, self._cursor)

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Shape (clusters, counters), added to as the run advances."""
        return self._counts if self._kept is None else self._counts[:, self._kept]

    def advance(self, budget: int) -> bool:
        """Play on; see `GameRun.advance`."""
        self._cursor[loop.BUDGET] = budget
        with core_call(self._policy):
            return bool(self._play() == FULL)

    def n_rounds(self) -> int:
        """Rounds counted so far."""
        return int(self.rounds_by_cluster().sum())

    def rounds_by_cluster(self) -> npt.NDArray[np.int64]:
        """Rounds counted so far in each cluster, shape (clusters,)."""
        return self._core.spec.rounds_of(self.counts)

    def take(self, everything: bool) -> dict[str, dict[str, npt.NDArray[Any]]]:
        """Columns of the tables that are full, or of all; see `GameRun.take`."""
        taken = {}
        for name, table in self._core.spec.tables.items():
            n_rows = int(self._cursor[_ROWS[name]])
            if self._rooms[name] and (everything or n_rows >= self._full_at[name]):
                filled = buffers.columns(self._core.tables[name], self._buffers[name], n_rows, self._options)
                taken[name] = {column.name: filled[column.name] for column in table if column.name in filled}
                self._cursor[_ROWS[name]] = 0
        return taken
