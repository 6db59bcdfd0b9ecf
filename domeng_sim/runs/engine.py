"""One range of matches -> columns and counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.errors import Interrupted
from domeng_sim.games.spec import GameKernel
from domeng_sim.games.types import Seat, Task
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.plan import Range

BUDGET = 1 << 16
"""Most rounds between two looks at whether to stop: some hundredths of a second."""
_FIRST_BUDGET, _LOOK_SECONDS = 1 << 2, 0.05

Columns = dict[str, npt.NDArray[Any]]
Sink = Callable[[str, Columns], None]
"""Takes the columns of a table's row group, which are overwritten after it returns."""


def task_of(config: RunConfig, seats: tuple[Seat, ...], matches: Range, cluster: int, level: str) -> Task:
    """The task that plays a range of matches of a run.

    Parameters
    ----------
    config
        The run.
    seats
        Its seats in the form that the core takes.
    matches
        What to play.
    cluster
        Matches whose counts are added up.
    level
        Table level, which may be lower than the run's.
    """
    options = frozenset({"hands"}) if config.hands and level in ("rounds", "events") else frozenset()
    return Task(
        rules=config.rules,
        seats=seats,
        seed=config.seed,
        games=config.games_per_match,
        rounds=config.rounds_per_match,
        first_match=matches.first,
        end_match=matches.end,
        cluster=cluster,
        level=level,
        options=options,
    )


def simulate(
    kernel: GameKernel,
    task: Task,
    sink: Sink | None = None,
    should_stop: Callable[[], bool] = lambda: False,
    on_rounds: Callable[[int], None] = lambda rounds: None,
) -> npt.NDArray[np.int64]:
    """Play a task.

    Parameters
    ----------
    kernel
        Core of the game.
    task
        What to play.
    sink
        Called with each row group of each table; None if the task keeps no rows.
    should_stop
        Asked some twenty times a second, or more often.
    on_rounds
        Told how many rounds were played since the last call.

    Returns
    -------
    ndarray of int64
        Counts, shape (clusters, counters).

    Raises
    ------
    Interrupted
        If `should_stop` said so.
    StrategyError
        If a user's function failed.
    """
    run = kernel.start(task)
    before, more, budget = 0, True, _FIRST_BUDGET
    while more:
        if should_stop():
            raise Interrupted
        started = time.perf_counter()
        more = run.advance(budget)
        # slow strategies get a small budget, so that they too can be stopped within a second
        seconds = time.perf_counter() - started
        if seconds < _LOOK_SECONDS / 2:
            budget = min(4 * budget, BUDGET)
        elif seconds > 2 * _LOOK_SECONDS:
            budget = max(budget // 2, 1)
        if sink is not None:
            for table, columns in run.take(everything=not more).items():
                sink(table, columns)
        after = run.n_rounds()
        on_rounds(after - before)
        before = after
    return run.counts
