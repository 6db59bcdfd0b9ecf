"""Arrays that kernels fill with the rows of a result table, column by column, ready for Arrow."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.tables import Table


class TableBuffers(NamedTuple):
    """Columns of a table by width; ``u8[slot, row]`` and so on, with the slots of `tables.Table.slot`.

    Attributes
    ----------
    u64, u32, u16, u8
        Shape (columns of that width, capacity). Signed columns are stored in two's complement.
    """

    u64: npt.NDArray[np.uint64]
    u32: npt.NDArray[np.uint32]
    u16: npt.NDArray[np.uint16]
    u8: npt.NDArray[np.uint8]


def allocate(table: Table, capacity: int) -> TableBuffers:
    """Buffers for `capacity` rows of a table; a capacity of 0 stands for a table that is not written."""
    return TableBuffers(
        np.empty((table.n_slots(64), capacity), np.uint64),
        np.empty((table.n_slots(32), capacity), np.uint32),
        np.empty((table.n_slots(16), capacity), np.uint16),
        np.empty((table.n_slots(8), capacity), np.uint8),
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
        Views of shape (n_rows,) in the columns' dtypes; they change when the buffers are filled again.
    """
    of_width: dict[int, npt.NDArray[Any]] = {64: buffers.u64, 32: buffers.u32, 16: buffers.u16, 8: buffers.u8}
    return {
        column.name: of_width[column.width][table.slot(column.name), :n_rows].view(column.dtype)
        for column in table
        if column.optional is None or column.optional in options
    }
