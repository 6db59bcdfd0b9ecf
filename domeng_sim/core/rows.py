"""Kernels that write rows of a table, made from its declared columns: what a column is called is told by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.buffers import TableBuffers
from domeng_sim.core.dispatch import answer, by_type
from domeng_sim.core.hands import mask_of, pips
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import Log, RoundKey
from domeng_sim.core.tables import Table
from domeng_sim.core.tiles import N_TILES

Function = TypeVar("Function", bound=Callable[..., Any])


def if_logged(function: Function) -> Function:
    """A kernel of (log, ...) that writes events to a `Log`, and is nothing where there is none."""
    question = by_type(1, optional=True)(function)
    answer(question, Log)(shared(function))
    return question


def row_writer(table: Table, option: str | None = None) -> Any:
    """A kernel that writes a row: ``write(rows, row, **values)``, with a value for each column by its name.

    Columns by seat take one tuple together, under the name without the number of the seat.

    Parameters
    ----------
    table
        The table.
    option
        Which columns: those that are asked for by this option, or those that are always there.
    """
    places: dict[str, list[str]] = {}
    for column in table:
        if column.optional == option:
            stem, _, seat = column.name.rpartition("_")
            name = stem if seat.isdigit() else column.name
            places.setdefault(name, []).append(f"rows.i{column.width}[{table.slot(column.name)}, row]")
    # written out: the compiler knows no column by a name that is computed
    lines = [
        f"    {place} = {name}[{seat}]" if len(found) > 1 else f"    {place} = {name}"
        for name, found in places.items()
        for seat, place in enumerate(found)
    ]
    made: dict[str, Any] = {"__name__": __name__}
    exec("\n".join([f"def write(rows, row, {', '.join(places)}):", *lines]), made)
    return kernel(made["write"])


def each_seat(n: int, function: Any) -> Any:
    """A kernel that makes a tuple of what a kernel of (values, seat) says of each seat."""
    calls = "".join(f"function(values, {seat}), " for seat in range(n))
    made: Callable[[Any], Any] = eval(f"lambda values: ({calls})", {"function": function, "__name__": __name__})
    return kernel(made)


@kernel
def mask_at(hands: npt.NDArray[np.uint64], seat: int) -> Word:
    """Mask of the hand of a seat."""
    return mask_of(hands[seat])


@kernel
def pips_at(hands: npt.NDArray[np.uint64], seat: int) -> Word:
    """Pips of the hand of a seat."""
    return pips(hands[seat])


@kernel
def next_event(log: Log) -> None:
    """Go on to the next row and step of the `events` table."""
    log.position[0] += 1
    log.position[1] += 1


def hands_writer(rounds: Table, n_seats: int) -> Any:
    """A kernel of (game, hands, rows, row) that writes the hands as dealt into the `rounds` table."""
    write, masks = row_writer(rounds, "hands"), each_seat(n_seats, mask_at)

    @kernel
    def write_hands(game: Any, hands: npt.NDArray[np.uint64], rows: TableBuffers, row: int) -> None:
        write(rows, row, masks(hands))

    return write_hands


def deal_writer(n_seats: int, write_tile: Any) -> Any:
    """A kernel that writes the hands as dealt into the `events` table.

    Parameters
    ----------
    n_seats
        Number of seats.
    write_tile
        Kernel of (log, key, seat, tile) that writes a `deal` row.
    """

    @shared
    def write_deal(log: Log, game: Any, hands: npt.NDArray[np.uint64], key: RoundKey) -> None:
        log.position[1] = 0
        for seat in range(n_seats):
            mask = mask_of(hands[seat])
            for tile in range(N_TILES):
                if (mask >> U(tile)) & U(1):
                    write_tile(log, key, seat, tile)

    return write_deal
