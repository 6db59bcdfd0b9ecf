"""Where a tile may lie: on a table without bounds anywhere, on a finite one where there is room.

The kind of table is a type, as the kind of policy is: the engine for `Unbounded` has no code for `Grid`.

A finite table is a grid of quarter-cells, four to a half of a tile.  An end is told by a point, the middle of the front
edge of its end half (of the whole tile, for a double), and a heading.  From there a tile that goes straight on covers 4
quarter-cells forward and 1 to either side, a double across covers 2 forward and 2 to either side::

        . . . . . .             . # # . . .         heading to the right; the point
        - -+# # # # .           - -+# # . .         is the +, the end half before it
        - - # # # # .           - - # # . .         are the -
        . . . . . .             . # # . . .

A turn begins at the middle of the long side of the end half: one back and one to the side, heading there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, lowest_bit
from domeng_sim.core.codes import Direction, End
from domeng_sim.core.dispatch import answer, by_type
from domeng_sim.core.hands import DOUBLES, ROW, joined, opened
from domeng_sim.core.jit import kernel, shared
from domeng_sim.games.two_player.kernel.moves import NONE, Move, Reach
from domeng_sim.games.two_player.kernel.state import TwoPlayerRoundState

MARGIN = 4
"""Covered cells around a finite table: no tile reaches further over its edge."""
N_CELLS = 8
"""Quarter-cells of a tile."""

_RIGHTWARDS, _UPWARDS, _LEFTWARDS = 0, 1, 2
"""Headings, a quarter turn to the left from one to the next."""
_ALONG, _ACROSS = 0, 1
"""How a tile lies to its heading: a double lies across."""
_AT, _HEADING, _IS_DOUBLE, _FREE = 0, 1, 2, 3
"""Columns of `Grid.ends`."""

_STRAIGHT, _TURNS = 1 << Direction.STRAIGHT, 1 << Direction.LEFT | 1 << Direction.RIGHT
_DOUBLE = 8
"""Bits of what is free at an end: one for each `codes.Direction` of tiles that are no doubles, one for a double."""


class Unbounded(NamedTuple):
    """A table without bounds: a tile fits wherever its values do.

    Attributes
    ----------
    size
        0.
    """

    size: np.int64


class Grid(NamedTuple):
    """A finite table, and the tiles of a round on it.

    Attributes
    ----------
    middle
        The point in the middle of the table, as position in `cells`.
    cells
        uint8, flat: 1 where a tile lies or the table ends.
    covers
        int64, shape (4, 2, 8): cells that a tile covers, by heading and how it lies, as distances from its point.
    steps
        int64, shape (4,): distance of one quarter-cell forward, by heading.
    ends
        int64, shape (2, 4): point, heading, whether a double, and what is free, of the left and the right end.
    saved
        int64, shape (2, 4): room for `ends` while a move is looked at.
    laid
        int64, flat: points of the tiles on the table, each with 2 heading + how it lies; `n_laid` of them.
    n_laid
        int64, shape (1,).
    """

    middle: np.int64
    cells: npt.NDArray[np.uint8]
    covers: npt.NDArray[np.int64]
    steps: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    saved: npt.NDArray[np.int64]
    laid: npt.NDArray[np.int64]
    n_laid: npt.NDArray[np.int64]


class After(NamedTuple):
    """How the ends would be after a move.

    Attributes
    ----------
    left8, right8
        Eight times the values of the ends.
    reach
        What could be joined.
    closed
        Bit e: nothing can be laid at end e, whatever its value.
    """

    left8: np.uint64
    right8: np.uint64
    reach: Reach
    closed: np.int64


def grid(width: int, height: int) -> Grid:
    """An empty table of so many half-tiles."""
    columns, rows = 2 * width, 2 * height
    stride = columns + 2 * MARGIN
    cells = np.ones((rows + 2 * MARGIN, stride), np.uint8)
    cells[MARGIN : MARGIN + rows, MARGIN : MARGIN + columns] = 0
    forward = ((1, 0), (0, 1), (-1, 0), (0, -1))
    covers = np.zeros((4, 2, N_CELLS), np.int64)
    for heading, (x, y) in enumerate(forward):
        side_x, side_y = -y, x
        for lies, (depth, half_width) in enumerate(((4, 1), (2, 2))):
            covered = []
            for ahead in range(depth):
                for aside in range(-half_width, half_width):
                    # the middle of a cell, doubled; then its lower corner
                    x2 = (2 * ahead + 1) * x + (2 * aside + 1) * side_x
                    y2 = (2 * ahead + 1) * y + (2 * aside + 1) * side_y
                    covered.append((y2 - 1) // 2 * stride + (x2 - 1) // 2)
            covers[heading, lies] = sorted(covered)
    steps = np.array([y * stride + x for x, y in forward], np.int64)
    middle = np.int64((MARGIN + height) * stride + MARGIN + width)
    laid, n_laid = np.zeros(2 * 28, np.int64), np.zeros(1, np.int64)
    ends = np.zeros((2, 4), np.int64)
    return Grid(middle, cells.reshape(-1), covers, steps, ends, ends.copy(), laid, n_laid)


# --- Tiles on a finite table ------------------------------------------------------------------------------------------


@kernel
def is_free(table: Grid, at: int, heading: int, lies: int) -> bool:
    """Whether a tile could lie there."""
    covers, cells = table.covers[heading, lies], table.cells
    covered = 0
    for cell in range(N_CELLS):
        covered |= cells[at + covers[cell]]
    return covered == 0


@kernel
def cover(table: Grid, at: int, heading: int, lies: int, value: int) -> None:
    """Lay a tile (1) or take it up (0)."""
    covers, cells = table.covers[heading, lies], table.cells
    for cell in range(N_CELLS):
        cells[at + covers[cell]] = value


@kernel
def turned(heading: int, direction: int) -> int:
    """The heading after a turn."""
    return (heading + (1 if direction == Direction.LEFT else 3)) & 3


@kernel
def start_of(table: Grid, at: int, heading: int, direction: int) -> tuple[int, int]:
    """Point and heading from which a tile is laid that goes on from an end in a direction."""
    if direction == Direction.STRAIGHT:
        return at, heading
    after = turned(heading, direction)
    return at - table.steps[heading] + table.steps[after], after


@shared
def free_at(table: Grid, at: int, heading: int, is_double: bool) -> int:
    """What is free at an end: bits as in `Grid.ends`."""
    free = _STRAIGHT * np.int64(is_free(table, at, heading, _ALONG))
    if not is_double:
        free |= _DOUBLE * np.int64(is_free(table, at, heading, _ACROSS))
        for direction in (np.int64(Direction.LEFT), np.int64(Direction.RIGHT)):
            start, after = start_of(table, at, heading, direction)
            free |= np.int64(is_free(table, start, after, _ALONG)) << direction
    return free


@kernel
def set_end(table: Grid, end: int, at: int, heading: int, is_double: bool) -> None:
    """Note where an end is."""
    table.ends[end, _AT], table.ends[end, _HEADING], table.ends[end, _IS_DOUBLE] = at, heading, np.int64(is_double)


@kernel
def copy_ends(source: npt.NDArray[np.int64], target: npt.NDArray[np.int64]) -> None:
    """Copy what is known of both ends."""
    for end in range(2):
        for column in range(4):
            target[end, column] = source[end, column]


@shared
def look_around(table: Grid) -> None:
    """Note what is free at both ends."""
    for end in range(2):
        table.ends[end, _FREE] = free_at(
            table, table.ends[end, _AT], table.ends[end, _HEADING], table.ends[end, _IS_DOUBLE] != 0
        )


@kernel
def put(table: Grid, at: int, heading: int, lies: int) -> None:
    """Lay a tile and remember it."""
    n = table.n_laid[0]
    table.laid[2 * n], table.laid[2 * n + 1] = at, 2 * heading + lies
    table.n_laid[0] = n + 1
    cover(table, at, heading, lies, 1)


@kernel
def take_up(table: Grid) -> None:
    """Take up the last tile laid."""
    n = table.n_laid[0] - 1
    table.n_laid[0] = n
    cover(table, table.laid[2 * n], table.laid[2 * n + 1] >> 1, table.laid[2 * n + 1] & 1, 0)


@shared
def put_move(table: Grid, move: Move) -> None:
    """Lay the tile of a move and note where the ends are, but not what is free there."""
    is_double = joined(move.index) == opened(move.index)
    if move.end == NONE:
        step = table.steps[_RIGHTWARDS]
        depth = 1 if is_double else 2
        lies = _ACROSS if is_double else _ALONG
        put(table, table.middle - depth * step, _RIGHTWARDS, lies)
        set_end(table, np.int64(End.LEFT), table.middle - depth * step, _LEFTWARDS, is_double)
        set_end(table, np.int64(End.RIGHT), table.middle + depth * step, _RIGHTWARDS, is_double)
    else:
        at, heading = start_of(table, table.ends[move.end, _AT], table.ends[move.end, _HEADING], move.direction)
        put(table, at, heading, _ACROSS if is_double else _ALONG)
        depth = 2 if is_double else 4
        set_end(table, move.end, at + depth * table.steps[heading], heading, is_double)


@kernel
def fitting_there(end8: Word, free: int) -> Word:
    """Moves at an end of that value where so much is free."""
    doubles = DOUBLES if free & _DOUBLE else U(0)
    others = ~DOUBLES if free & (_STRAIGHT | _TURNS) else U(0)
    return (ROW << end8) & (doubles | others)


@kernel
def reach_on(table: Grid, left8: Word, right8: Word) -> Reach:
    """What can be joined, after `look_around`."""
    left, right = np.int64(End.LEFT), np.int64(End.RIGHT)
    return Reach(fitting_there(left8, table.ends[left, _FREE]), fitting_there(right8, table.ends[right, _FREE]))


@kernel
def closed_on(table: Grid) -> int:
    """Bit e: nothing can be laid at end e; after `look_around`."""
    return np.int64(table.ends[0, _FREE] == 0) | np.int64(table.ends[1, _FREE] == 0) << 1


@kernel
def values_after(turn: TwoPlayerRoundState, move: Move) -> tuple[Word, Word]:
    """Eight times the values of the left and the right end after a move."""
    made8 = opened(move.index)
    if move.end == NONE:
        return made8, joined(move.index)
    return (made8, turn.right8) if move.end == End.LEFT else (turn.left8, made8)


# --- What the engines ask of a table ----------------------------------------------------------------------------------


@by_type(1)
def clear(table: Any) -> None:
    """Take up all tiles, before a round."""


@answer(clear, Unbounded)
@kernel
def _clear_unbounded(table: Unbounded) -> None:
    return


@answer(clear, Grid)
@shared
def _clear_grid(table: Grid) -> None:
    while table.n_laid[0]:
        take_up(table)


@by_type(1)
def lay(table: Any, move: Move) -> None:
    """Lay the tile of a move."""


@answer(lay, Unbounded)
@kernel
def _lay_unbounded(table: Unbounded, move: Move) -> None:
    return


@answer(lay, Grid)
@shared
def _lay_grid(table: Grid, move: Move) -> None:
    put_move(table, move)
    look_around(table)


@by_type(1)
def reach(table: Any, turn: TwoPlayerRoundState) -> Reach:
    """The tiles that can be joined."""


@answer(reach, Unbounded)
@kernel
def _reach_unbounded(table: Unbounded, turn: TwoPlayerRoundState) -> Reach:
    left = ROW << turn.left8
    return Reach(left, (ROW << turn.right8) & ~left)


@answer(reach, Grid)
@kernel
def _reach_grid(table: Grid, turn: TwoPlayerRoundState) -> Reach:
    return reach_on(table, turn.left8, turn.right8)


@by_type(1)
def directions(table: Any, index: Word, end: int) -> int:
    """Directions that are free for a tile at an end, a bit each; 0 where a direction has no meaning."""


@answer(directions, Unbounded)
@kernel
def _directions_unbounded(table: Unbounded, index: Word, end: int) -> int:
    return 0


@answer(directions, Grid)
@kernel
def _directions_grid(table: Grid, index: Word, end: int) -> int:
    if end == NONE:
        return 0
    free = table.ends[end, _FREE]
    if joined(index) == opened(index):
        return _STRAIGHT if free & _DOUBLE else 0
    return free & (_STRAIGHT | _TURNS)


@by_type(1)
def look_ahead(table: Any, turn: TwoPlayerRoundState, move: Move) -> After:
    """How the ends would be after a move; the table is left as it was."""


@answer(look_ahead, Unbounded)
@kernel
def _look_unbounded(table: Unbounded, turn: TwoPlayerRoundState, move: Move) -> After:
    left8, right8 = values_after(turn, move)
    left = ROW << left8
    return After(left8, right8, Reach(left, (ROW << right8) & ~left), 0)


@answer(look_ahead, Grid)
@shared
def _look_grid(table: Grid, turn: TwoPlayerRoundState, move: Move) -> After:
    left8, right8 = values_after(turn, move)
    copy_ends(table.ends, table.saved)
    put_move(table, move)
    look_around(table)
    after = After(left8, right8, reach_on(table, left8, right8), closed_on(table))
    take_up(table)
    copy_ends(table.saved, table.ends)
    return after


@by_type(1)
def closed_ends(table: Any) -> int:
    """Bit e: nothing can be laid at end e, whatever its value."""


@answer(closed_ends, Unbounded)
@kernel
def _closed_unbounded(table: Unbounded) -> int:
    return 0


@answer(closed_ends, Grid)
@kernel
def _closed_grid(table: Grid) -> int:
    return closed_on(table)


@kernel
def first_direction(bits: int) -> int:
    """The direction of a strategy that chooses none: straight on if free, else left, else right."""
    return np.int64(lowest_bit(U(bits))) if bits else NONE
