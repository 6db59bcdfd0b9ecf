"""Awards of stones: from the table first, what is missing from the givers in order, each at most what it holds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from domeng_sim.core.bits import U, Word
from domeng_sim.core.jit import kernel, shared
from domeng_sim.games.domeng.kernel.state import BYTE, TABLE_SHIFT, byte, next_seat, on_table, shift


class Moved(NamedTuple):
    """What an award moved.

    Attributes
    ----------
    stones
        All stones after the award, packed as in `DomengRoundState`.
    from_table
        Stones taken from the table.
    given
        Byte s: stones given by seat s.
    """

    stones: np.uint64
    from_table: np.uint64
    given: np.uint64


@kernel
def award(stones: Word, to: int, n: Word, giver: int) -> Moved:
    """Award `n` stones with one giver; a giver that is `to` itself gives nothing."""
    table = on_table(stones)
    from_table = min(n, table)
    missing = n - from_table
    from_giver = min(missing, byte(stones, giver)) if giver != to else U(0)
    given = from_giver << shift(giver)
    after = stones + ((from_table + from_giver) << shift(to)) - given - (from_table << TABLE_SHIFT)
    return Moved(after, from_table, given)


@shared
def award_from_all(stones: Word, to: int, n: Word, first: int, givers: Word) -> Moved:
    """Award `n` stones to the MANGUNO: `first` gives first, then the other `givers` (a mask) clockwise after `to`."""
    moved = award(stones, to, n, first)
    missing = n - moved.from_table - ((moved.given >> shift(first)) & BYTE)
    after, given = moved.stones, moved.given
    seat = to
    for _ in range(4):
        seat = next_seat(seat)
        if seat != first and (givers >> U(seat)) & U(1):
            part = min(missing, byte(after, seat))
            after = after + (part << shift(to)) - (part << shift(seat))
            given += part << shift(seat)
            missing -= part
    return Moved(after, moved.from_table, given)
