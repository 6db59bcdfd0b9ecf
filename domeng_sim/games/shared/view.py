"""What a user's function is shown, as far as it is the same in every game.

The view and the legal moves are windows on one flat array of whole numbers, `shown`, which the core fills before each
decision and which is all that the function is given. Other hands and tiles out of sight are never written there, so
they are out of its reach by layout; what is left of an earlier decision or round is wiped, so that reading beyond the
end shows nothing either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.codes import NOBODY, Event
from domeng_sim.core.dispatch import by_type
from domeng_sim.core.hands import TILE_OF, joined, mask_of, opened
from domeng_sim.core.jit import in_kernels, kernel
from domeng_sim.core.policy import Decision

NOTHING = -1
"""Stands where nothing is shown: behind the last move and the last row of the history."""
MAX_MOVES = 40
"""Seven tiles at each of two ends, all but a double in three directions."""
MAX_HISTORY = 128
"""More tiles played or drawn and PASSes than a round can have: 25 tiles and 24 x 4 + 5 PASSes with five players."""

# Where everything stands in the array. There is no room for anything else.
SEAT, N_MOVES, N_HISTORY, WORD_HIGH, WORD_LOW, IS_LEAD, HAND, LEFT, RIGHT, STARTER, SEEN, MOVE_TILE = range(12)
MOVE_END, MOVE_DIRECTION, MOVE_JOINED, MOVE_OPENED, EVENT = (MOVE_TILE + part * MAX_MOVES for part in range(1, 6))
EVENT_SEAT, EVENT_TILE, EVENT_END, EVENT_DIRECTION, EVENT_LEFT, EVENT_RIGHT, RULE = (
    EVENT + part * MAX_HISTORY for part in range(1, 8)
)
"""From `RULE` on the rules, then what is known of the match so far, then what else a game shows."""


class History(NamedTuple):
    """What was played, drawn and passed in this round, the oldest first.

    Attributes
    ----------
    n
        Number of rows.
    event
        `codes.Event`: LEAD, PLAY, DRAW, PASS or PASSEBUNGE.
    seat
        Who did it.
    tile
        Number of the tile played; -1 for a PASS and for a tile drawn (the own ones are in hand).
    end
        `codes.End` joined by a PLAY; else -1.
    direction
        `codes.Direction` of a PLAY on a finite table; else -1.
    left, right
        The two ends after it; of a tile drawn and of a PASS, the ends at which it happened.
    """

    n: np.int64
    event: npt.NDArray[np.int64]
    seat: npt.NDArray[np.int64]
    tile: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    direction: npt.NDArray[np.int64]
    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]


class Moves(NamedTuple):
    """The legal moves, at least two: where there is only one, nobody is asked.

    Attributes
    ----------
    n
        How many there are; the function returns a position from 0 to n - 1.
    tile
        Number of the tile.
    end
        `codes.End` that it joins; -1 at a lead.
    direction
        `codes.Direction` on a finite table, where each that is free makes a move of its own; else -1.
    joined
        Value of the half that joins; at a lead, the higher half, which becomes the right end.
    opened
        Value of the other half, which becomes the new end; at a lead, the lower half, which becomes the left end.
    """

    n: np.int64
    tile: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    direction: npt.NDArray[np.int64]
    joined: npt.NDArray[np.int64]
    opened: npt.NDArray[np.int64]


# --- Reading the array, in Python too ---------------------------------------------------------------------------------


@in_kernels
def history_of(shown: npt.NDArray[np.int64]) -> History:
    """The history on the array."""
    n = shown[N_HISTORY]
    return History(
        n,
        shown[EVENT : EVENT + n],
        shown[EVENT_SEAT : EVENT_SEAT + n],
        shown[EVENT_TILE : EVENT_TILE + n],
        shown[EVENT_END : EVENT_END + n],
        shown[EVENT_DIRECTION : EVENT_DIRECTION + n],
        shown[EVENT_LEFT : EVENT_LEFT + n],
        shown[EVENT_RIGHT : EVENT_RIGHT + n],
    )


@in_kernels
def moves_of(shown: npt.NDArray[np.int64]) -> Moves:
    """The moves on the array."""
    n = shown[N_MOVES]
    return Moves(
        n,
        shown[MOVE_TILE : MOVE_TILE + n],
        shown[MOVE_END : MOVE_END + n],
        shown[MOVE_DIRECTION : MOVE_DIRECTION + n],
        shown[MOVE_JOINED : MOVE_JOINED + n],
        shown[MOVE_OPENED : MOVE_OPENED + n],
    )


@in_kernels
def word_of(shown: npt.NDArray[np.int64]) -> Word:
    """The random word on the array."""
    return (np.uint64(shown[WORD_HIGH]) << np.uint64(32)) | np.uint64(shown[WORD_LOW])


@in_kernels
def uniform_of(shown: npt.NDArray[np.int64]) -> float:
    """The random number made of that word, from 0 to below 1."""
    return np.float64((shown[WORD_HIGH] << 21) | (shown[WORD_LOW] >> 11)) * 2.0**-53


def rules_reader(row: Any) -> Callable[[npt.NDArray[np.int64]], Any]:
    """A function that reads the rules on the array.

    Parameters
    ----------
    row
        The class of the rules: see `games.types.row_class`.
    """
    # written out: an unpacked array has no length that the compiler knows
    numbers = ", ".join(f"shown[{RULE + place}]" for place in range(len(row._fields)))
    read = eval(f"lambda shown: row({numbers})", {"row": row, "__name__": __name__})
    return in_kernels(read)


# --- What a game says of itself ---------------------------------------------------------------------------------------


@by_type(1)
def ends8(turn: Any) -> tuple[Word, Word]:
    """Eight times the values of the left and the right end of a round."""


@by_type(1)
def first_move(terms: Any, here: Decision) -> Any:
    """The first legal move."""


@by_type(1)
def list_moves(terms: Any, here: Decision, known: npt.NDArray[np.int64]) -> int:
    """Show the legal moves by `show_move` and `end_moves`; returns their number."""


@by_type(1)
def shown_move(terms: Any, known: npt.NDArray[np.int64], k: int) -> Any:
    """The move that is shown at a position."""


@by_type(1)
def show_own(terms: Any, here: Decision, known: npt.NDArray[np.int64]) -> None:
    """Show what a player knows in this game only."""


# --- Filling the array ------------------------------------------------------------------------------------------------


@kernel
def show_round(known: npt.NDArray[np.int64], rules: Any, starter: int, standing: tuple[int, ...]) -> None:
    """Show what is known of a round before its first tile, and wipe the history of the one before."""
    for row in range(known[N_HISTORY]):
        for column in range(7):
            known[EVENT + column * MAX_HISTORY + row] = NOTHING
    known[N_HISTORY], known[STARTER] = 0, starter
    place = RULE
    for number in rules:
        known[place] = np.int64(number)
        place += 1
    for number in standing:
        known[place] = number
        place += 1


@kernel
def show_event(
    known: npt.NDArray[np.int64], turn: Any, event: int, seat: int, index: Word, end: int, direction: int
) -> None:
    """Show what happened."""
    row = known[N_HISTORY]
    if row == MAX_HISTORY:
        return
    left8, right8 = ends8(turn)
    known[EVENT + row], known[EVENT_SEAT + row] = event, seat
    # the array serves all seats: what one of them drew is not for the others to see
    known[EVENT_TILE + row] = NOTHING if event == Event.DRAW else TILE_OF[index]
    known[EVENT_END + row], known[EVENT_DIRECTION + row] = end, direction
    known[EVENT_LEFT + row], known[EVENT_RIGHT + row] = np.int64(left8 >> U(3)), np.int64(right8 >> U(3))
    known[N_HISTORY] = row + 1


@kernel
def show_move(known: npt.NDArray[np.int64], n: int, index: Word, end: int, direction: int) -> None:
    """Show the legal move at position `n`."""
    known[MOVE_TILE + n], known[MOVE_END + n], known[MOVE_DIRECTION + n] = TILE_OF[index], end, direction
    known[MOVE_JOINED + n] = np.int64(joined(index) >> U(3))
    known[MOVE_OPENED + n] = np.int64(opened(index) >> U(3))


@kernel
def end_moves(known: npt.NDArray[np.int64], n: int) -> None:
    """Note how many moves there are, and wipe what is left of an earlier decision behind them."""
    for k in range(n, max(n, known[N_MOVES])):
        for part in range(5):
            known[MOVE_TILE + part * MAX_MOVES + k] = NOTHING
    known[N_MOVES] = n


@kernel
def show_decision(known: npt.NDArray[np.int64], here: Decision, word: Word) -> None:
    """Show who is to move, the hand, the ends, the tiles on the table and the random word, in halves that fit."""
    left8, right8 = ends8(here.turn)
    known[SEAT], known[HAND], known[SEEN] = here.seat, np.int64(mask_of(here.hand)), np.int64(mask_of(here.turn.seen))
    known[IS_LEAD] = np.int64(here.is_lead)
    known[LEFT] = NOBODY if here.is_lead else np.int64(left8 >> U(3))
    known[RIGHT] = NOBODY if here.is_lead else np.int64(right8 >> U(3))
    known[WORD_HIGH], known[WORD_LOW] = np.int64(word >> U(32)), np.int64(word & U(0xFFFFFFFF))
