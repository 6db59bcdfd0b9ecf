"""Arrays that kernels fill with the rows of a result table, column by column, ready for Arrow."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.tables import Table


class TableBuffers(NamedTuple):
    """Columns of a table by width; ``i8[slot, row]`` and so on, with the slots of `tables.Table.slot`.

    Attributes
    ----------
    i64, i32, i16, i8
        Shape (columns of that width, capacity).
    """

    i64: npt.NDArray[np.int64]
    i32: npt.NDArray[np.int32]
    i16: npt.NDArray[np.int16]
    i8: npt.NDArray[np.int8]


def allocate(table: Table, capacity: int) -> TableBuffers:
    """Buffers for `capacity` rows of a table; a capacity of 0 stands for a table that is not written."""
    return TableBuffers(
        np.empty((table.n_slots(64), capacity), np.int64),
        np.empty((table.n_slots(32), capacity), np.int32),
        np.empty((table.n_slots(16), capacity), np.int16),
        np.empty((table.n_slots(8), capacity), np.int8),
    )


def columns(
    table: Table, buffers: TableBuffers, n_rows: int, options: Collection[str] = ()
) -> dict[str, npt.NDArray[Any]]:
    """The first `n_rows` rows of the buffers as named columns, without copying.

    Parameters
    ----------
    table
        The table that the buffers were allocated for.
    buffers
        Filled by a kernel.
    n_rows
        Rows filled.
    options
        Optional columns asked for.

    Returns
    -------
    dict of str to ndarray
        Views of shape (n_rows,); they change when the buffers are filled again.
    """
    of_width: dict[int, npt.NDArray[Any]] = {64: buffers.i64, 32: buffers.i32, 16: buffers.i16, 8: buffers.i8}
    return {
        column.name: of_width[column.width][table.slot(column.name), :n_rows]
        for column in table
        if column.optional is None or column.optional in options
    }
