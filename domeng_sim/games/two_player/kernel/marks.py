"""Going back to how a table was: for playing on from the same position again and again."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.core.dispatch import answer, by_type
from domeng_sim.core.jit import kernel, shared
from domeng_sim.games.two_player.kernel.geometry import Grid, Unbounded, take_up

N_MARK = 9
"""Numbers that tell how a table is: tiles on it, and what is known of both ends."""


@by_type(1)
def mark_table(table: Any, mark: npt.NDArray[np.int64]) -> None:
    """Note how a table is; `mark`, shape (N_MARK,), is written."""


@answer(mark_table, Unbounded)
@kernel
def _mark_unbounded(table: Unbounded, mark: npt.NDArray[np.int64]) -> None:
    return


@answer(mark_table, Grid)
@shared
def _mark_grid(table: Grid, mark: npt.NDArray[np.int64]) -> None:
    mark[0] = table.n_laid[0]
    for end in range(2):
        for column in range(4):
            mark[1 + 4 * end + column] = table.ends[end, column]


@by_type(1)
def rewind(table: Any, mark: npt.NDArray[np.int64]) -> None:
    """Take up what was laid since the mark."""


@answer(rewind, Unbounded)
@kernel
def _rewind_unbounded(table: Unbounded, mark: npt.NDArray[np.int64]) -> None:
    return


@answer(rewind, Grid)
@shared
def _rewind_grid(table: Grid, mark: npt.NDArray[np.int64]) -> None:
    while table.n_laid[0] > mark[0]:
        take_up(table)
    for end in range(2):
        for column in range(4):
            table.ends[end, column] = mark[1 + 4 * end + column]
