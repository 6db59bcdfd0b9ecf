"""A task under way, whatever the game: buffers, cursor, what is taken and when."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core import buffers
from domeng_sim.core.job import FULL, Job, Output
from domeng_sim.core.tables import LEVELS
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import Task

ROOM = {"games": (1 << 15) + 192, "rounds": (1 << 17) + 192, "events": (1 << 18) + 192}
"""Rows of a table that are kept before they are taken; they become the row groups of the Parquet files.

An odd number of cache lines: with a power of two all columns of a row would fall on the same place of the cache, and
each store would miss it.
"""


class Cursor(NamedTuple):
    """Where things stand in a loop's cursor.

    Attributes
    ----------
    match
        The match under way.
    rows
        By table, the rows filled; set back to 0 when they have been taken.
    size
        Length of the cursor.
    """

    match: int
    rows: dict[str, int]
    size: int


class CoreRun(ABC):
    """A task under way; a game's run adds `_policy` and `_play`.

    Parameters
    ----------
    spec
        The game.
    task
        What to play and what to keep.
    cursor
        Layout of the loop's cursor.
    max_events
        More events than a round can have: a buffer with less room than that is full.
    block
        Most rounds that are dealt at a time.

    Attributes
    ----------
    counts
        int64, shape (clusters, counters).
    """

    def __init__(self, spec: GameSpec, task: Task, cursor: Cursor, max_events: int, block: int) -> None:
        n_counts = sum(count.size for count in spec.counts(task.rules))
        self.counts = np.zeros((task.n_clusters, n_counts), np.int64)
        self._spec, self._layout = spec, cursor
        self._options = task.options
        level = LEVELS.index(task.level)
        self._rooms = {name: ROOM[name] if LEVELS.index(name) <= level else 0 for name in spec.tables}
        self._full_at = {**self._rooms, "events": self._rooms["events"] - max_events + 1}
        self._out = Output(
            self.counts.reshape(-1),
            np.int64(n_counts),
            buffers.allocate(spec.tables["games"], self._rooms["games"]),
            buffers.allocate(spec.tables["rounds"], self._rooms["rounds"]),
            buffers.allocate(spec.tables["events"], self._rooms["events"]),
            np.zeros(2, np.int64),
        )
        self._job = Job(
            seed=np.uint64(task.seed),
            first_match=np.int64(task.first_match),
            end_match=np.int64(task.end_match),
            games=np.int64(task.games),
            rounds=np.int64(task.rounds),
            cluster=np.int64(task.cluster),
            block=np.int64(min(block, task.rounds or block)),
            budget=np.int64(0),
            write_games=self._rooms["games"] > 0,
            write_rounds=self._rooms["rounds"] > 0,
            write_hands=self._rooms["rounds"] > 0 and "hands" in task.options,
            write_events=self._rooms["events"] > 0,
        )
        self._cursor = np.zeros(cursor.size, np.int64)
        self._cursor[cursor.match] = task.first_match

    _policy: Any

    @abstractmethod
    def _play(self, job: Job) -> int:
        """Call the game's loop; returns its status."""

    def advance(self, budget: int) -> bool:
        """Play on; see `GameRun.advance`."""
        with np.errstate(over="ignore"):
            # only with the compiler off are there warnings: the arithmetic of random numbers is modulo 2^64
            more = self._play(self._job._replace(budget=np.int64(budget))) == FULL
        # what cannot be told inside the core
        check = getattr(self._policy, "check", None)
        if check is not None:
            check()
        return more

    def n_rounds(self) -> int:
        """Rounds counted so far."""
        return int(self.rounds_by_cluster().sum())

    def rounds_by_cluster(self) -> npt.NDArray[np.int64]:
        """Rounds counted so far in each cluster, shape (clusters,)."""
        return self._spec.rounds_of(self.counts)

    def take(self, everything: bool) -> dict[str, dict[str, npt.NDArray[Any]]]:
        """Columns of the tables that are full, or of all; see `GameRun.take`."""
        taken = {}
        sources = {"games": self._out.games, "rounds": self._out.rounds, "events": self._out.events}
        for name, table in self._spec.tables.items():
            position = self._layout.rows[name]
            n_rows = int(self._cursor[position])
            if self._rooms[name] and (everything or n_rows >= self._full_at[name]):
                taken[name] = buffers.columns(table, sources[name], n_rows, self._options)
                self._cursor[position] = 0
        return taken
