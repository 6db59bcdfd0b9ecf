"""How many matches it takes until so many rounds are played."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from domeng_sim.games.spec import GameKernel
from domeng_sim.games.types import Seat
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.engine import simulate, task_of
from domeng_sim.runs.plan import Range

Ints = npt.NDArray[np.int64]


def rounds_by_match(
    config: RunConfig,
    kernel: GameKernel,
    seats: tuple[Seat, ...],
    matches: Range,
    should_stop: Callable[[], bool] = lambda: False,
) -> Ints:
    """Rounds of each match, found by playing them without keeping rows.

    Parameters
    ----------
    config
        What is played.
    kernel, seats
        Who plays it.
    matches
        Which matches.
    should_stop
        Asked every now and then.

    Raises
    ------
    Interrupted
        If `should_stop` said so.
    StrategyError
        If a user's function failed.
    """
    counts = simulate(kernel, task_of(config, seats, matches, 1, "summary"), should_stop=should_stop)
    return config.spec.rounds_of(counts)


def matches_until(rounds: int, first: int, pieces: Iterable[Ints]) -> int | None:
    """Return the smallest number of matches whose rounds are enough; it depends on the play alone.

    Parameters
    ----------
    rounds
        So many are needed from match `first` on.
    first
        Matches before those of the pieces.
    pieces
        Rounds of each match, some matches at a time, in order; no more are taken than are needed.

    Returns
    -------
    int or None
        One after the match that reaches them; None if the pieces end before.

    Examples
    --------
    >>> matches_until(100, 10, [np.array([40, 50]), np.array([9, 1, 70])])
    14
    """
    reached = 0
    for by_match in pieces:
        enough = np.flatnonzero(reached + np.cumsum(by_match) >= rounds)
        if len(enough):
            return first + int(enough[0]) + 1
        reached += int(by_match.sum())
        first += len(by_match)
    return None
