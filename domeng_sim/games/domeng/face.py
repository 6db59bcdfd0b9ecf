"""The face of the core: checks, converts, allocates and calls the kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.codes import NOBODY
from domeng_sim.core import buffers, streams
from domeng_sim.games.domeng import loop, policies
from domeng_sim.games.domeng.counts import counts, rounds_of
from domeng_sim.games.domeng.deal import BLOCK, N_SEATS, deal_scratch, hand_subsets
from domeng_sim.games.domeng.moves import TILE_OF
from domeng_sim.games.domeng.names import FEATURES, SIMPLE_FEATURES
from domeng_sim.games.domeng.records import MAX_EVENTS
from domeng_sim.games.domeng.rules import rules_row
from domeng_sim.games.spec import GameRun, Seat, Task
from domeng_sim.tables import DOMENG_EVENTS, DOMENG_GAMES, DOMENG_ROUNDS, LEVELS
from domeng_sim.tiles import HALVES

ROOM = {"games": (1 << 15) + 192, "rounds": (1 << 17) + 192, "events": (1 << 18) + 192}
"""Rows of a table that are kept before they are taken; they become the row groups of the Parquet files.

An odd number of cache lines: with a power of two all columns of a row would fall on the same place of the cache, and each
store would miss it.
"""


def weight_row(seat: Seat) -> npt.NDArray[np.int64]:
    """Thousandths of a seat's weights in the order of the features."""
    return np.array([seat.weights.get(name, 0) for name in FEATURES], np.int64)


def is_simple(seat: Seat) -> bool:
    """Whether a seat goes by features of the tile alone."""
    used = {name for name, weight in seat.weights.items() if weight}
    return seat.function is None and seat.temperature == 0 and used <= SIMPLE_FEATURES


def engine_of(seats: Sequence[Seat]) -> str:
    """Name of the engine that serves these seats."""
    if any(seat.function is not None for seat in seats):
        return "user"
    return "table" if all(map(is_simple, seats)) else "weighted"


def table_policy(seats: Sequence[Seat]) -> policies.TablePolicy:
    """Policy of seats that go by features of the tile alone."""
    preferred, ranked = np.zeros(N_SEATS, np.uint64), np.zeros(N_SEATS, np.bool_)
    by_tile = np.zeros((N_SEATS, 64), np.int64)
    for number, seat in enumerate(seats):
        pips, double = seat.weights.get("pips", 0), seat.weights.get("double", 0)
        for index, tile in enumerate(TILE_OF):
            if tile >= 0:
                hi, lo = HALVES[tile]
                by_tile[number, index] = pips * (hi + lo) + double * (hi == lo)
        scores = by_tile[number]
        levels = np.unique(scores[TILE_OF >= 0])
        if len(levels) == 2:
            # two classes of tiles, doubles and others: a mask does without looking at each move
            bits = [1 << index for index in range(64) if TILE_OF[index] >= 0 and scores[index] == levels[1]]
            preferred[number] = sum(bits)
        else:
            ranked[number] = len(levels) > 2
    return policies.TablePolicy(preferred, ranked, by_tile)


def make_policy(seats: Sequence[Seat]) -> Any:
    """The policy through which the kernel lets these seats choose."""
    engine = engine_of(seats)
    if engine == "table":
        return table_policy(seats)
    weights = np.array([weight_row(seat) for seat in seats])
    temperature = np.array([seat.temperature for seat in seats], np.float64)
    weighted = policies.WeightedPolicy(weights, temperature)
    if engine == "weighted":
        return weighted
    from domeng_sim.games.domeng import user

    return user.user_policy(seats, weighted)


class DomengRun:
    """A task under way.

    Parameters
    ----------
    task
        What to play and what to keep.

    Attributes
    ----------
    counts
        int64, shape (clusters, counters).
    """

    def __init__(self, task: Task) -> None:
        n_counts = sum(count.size for count in counts(task.rules))
        self.counts = np.zeros((task.n_clusters, n_counts), np.int64)
        self._options = task.options
        self._rules = rules_row(task.rules)
        self._policy = make_policy(task.seats)
        self._scratch = deal_scratch(streams.seat_offsets([seat.copy for seat in task.seats]))
        level = LEVELS.index(task.level)
        self._tables = [table for table in (DOMENG_GAMES, DOMENG_ROUNDS, DOMENG_EVENTS) if LEVELS.index(table.name) <= level]
        rooms = {table.name: ROOM[table.name] for table in self._tables}
        self._out = loop.Output(
            self.counts.reshape(-1),
            np.int64(n_counts),
            buffers.allocate(DOMENG_GAMES, rooms.get("games", 0)),
            buffers.allocate(DOMENG_ROUNDS, rooms.get("rounds", 0)),
            buffers.allocate(DOMENG_EVENTS, rooms.get("events", 0)),
            np.zeros(2, np.int64),
        )
        self._job = loop.Job(
            seed=np.uint64(task.seed),
            first_match=np.int64(task.first_match),
            end_match=np.int64(task.end_match),
            games=np.int64(task.games),
            rounds=np.int64(task.rounds),
            cluster=np.int64(task.cluster),
            block=np.int64(min(BLOCK, task.rounds or BLOCK)),
            budget=np.int64(0),
            write_games="games" in rooms,
            write_rounds="rounds" in rooms,
            write_hands="rounds" in rooms and "hands" in task.options,
            write_events="events" in rooms,
        )
        self._buffers = {
            "games": (loop.N_GAMES, rooms.get("games", 0), self._out.games),
            "rounds": (loop.N_ROUNDS, rooms.get("rounds", 0), self._out.rounds),
            "events": (loop.N_EVENTS, rooms.get("events", 0) - MAX_EVENTS + 1, self._out.events),
        }
        self._cursor = np.zeros(loop.N_CURSOR, np.int64)
        self._cursor[loop.MATCH] = task.first_match
        self._cursor[loop.STONES] = int(task.rules["stones"]) << 40
        self._cursor[loop.INCUMBENT] = self._cursor[loop.STARTER] = NOBODY

    def advance(self, budget: int) -> bool:
        """Play on; see `GameRun.advance`."""
        job = self._job._replace(budget=np.int64(budget))
        with np.errstate(over="ignore"):
            # only with the compiler off are there warnings: the arithmetic of random numbers is modulo 2^64
            status = loop.play_matches(
                job, self._rules, self._policy, hand_subsets(), self._scratch, self._out, self._cursor
            )
        check = getattr(self._policy, "check", None)
        if check is not None:
            check()
        return bool(status == loop.FULL)

    def n_rounds(self) -> int:
        """Rounds counted so far."""
        return int(self.rounds_by_cluster().sum())

    def rounds_by_cluster(self) -> npt.NDArray[np.int64]:
        """Rounds counted so far in each cluster, shape (clusters,)."""
        return rounds_of(self.counts)

    def take(self, everything: bool) -> dict[str, dict[str, npt.NDArray[Any]]]:
        """Columns of the tables that are full, or of all; see `GameRun.take`."""
        taken = {}
        for table in self._tables:
            position, full_at, source = self._buffers[table.name]
            n_rows = int(self._cursor[position])
            if everything or n_rows >= full_at:
                taken[table.name] = buffers.columns(table, source, n_rows, self._options)
                self._cursor[position] = 0
        return taken


class DomengKernel:
    """The compiled core of Domeng."""

    def engine(self, seats: Sequence[Seat]) -> str:
        """Name of the engine that serves these seats."""
        return f"domeng-{engine_of(seats)}"

    def start(self, task: Task) -> GameRun:
        """Allocate what a task needs."""
        return DomengRun(task)

    def player(self, function: Callable[..., Any], name: str) -> Any:
        """Compile a user's function; see `GameKernel.player`."""
        from domeng_sim.games.domeng import user

        return user.Player(function, name)
