"""Going back to how a table was: for playing on from the same position again and again."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from domeng_sim.core.jit import kernel, shared
from domeng_sim.games.draw.kernel.geometry import Grid, Unbounded, take_up

N_MARK = 9
"""Numbers that tell how a table is: tiles on it, and what is known of both ends."""


@kernel
def _mark_unbounded(table: Unbounded, mark: npt.NDArray[np.int64]) -> None:
    return


@shared
def _mark_grid(table: Grid, mark: npt.NDArray[np.int64]) -> None:
    mark[0] = table.n_laid[0]
    for end in range(2):
        for column in range(4):
            mark[1 + 4 * end + column] = table.ends[end, column]


@kernel
def _rewind_unbounded(table: Unbounded, mark: npt.NDArray[np.int64]) -> None:
    return


@shared
def _rewind_grid(table: Grid, mark: npt.NDArray[np.int64]) -> None:
    while table.n_laid[0] > mark[0]:
        take_up(table)
    for end in range(2):
        for column in range(4):
            table.ends[end, column] = mark[1 + 4 * end + column]


_MARK: dict[type, Any] = {Unbounded: _mark_unbounded, Grid: _mark_grid}
_REWIND: dict[type, Any] = {Unbounded: _rewind_unbounded, Grid: _rewind_grid}


def mark_table(table: Any, mark: npt.NDArray[np.int64]) -> None:
    """Note how a table is; `mark`, shape (N_MARK,), is written."""
    _MARK[type(table)](table, mark)


def rewind(table: Any, mark: npt.NDArray[np.int64]) -> None:
    """Take up what was laid since the mark."""
    _REWIND[type(table)](table, mark)


@overload(mark_table)
def _compiled_mark(table, mark):  # type: ignore[no-untyped-def]
    body = _MARK[table.instance_class]
    return lambda table, mark: body(table, mark)


@overload(rewind)
def _compiled_rewind(table, mark):  # type: ignore[no-untyped-def]
    body = _REWIND[table.instance_class]
    return lambda table, mark: body(table, mark)
