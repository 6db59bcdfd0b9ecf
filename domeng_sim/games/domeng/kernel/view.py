"""What a user's function is shown: the player's view and the legal moves.

Both are windows on one flat array of whole numbers, `shown`, which the core fills before each decision and which is all
that the function is given.  Other hands and the unused tiles are never written there, so they are out of its reach by
layout; what is left of an earlier decision or round is wiped, so that reading beyond the end shows nothing either.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.jit import kernel
from domeng_sim.games.domeng.rules import RULES, RulesRow
from domeng_sim.games.shared.user import N_HEAD, N_HISTORY, N_MOVES, SEAT, WORD_HIGH, WORD_LOW

MAX_MOVES = 10
"""Five tiles at two ends."""
MAX_HISTORY = 128
"""More tiles played and PASSes than a round can have: 25 tiles and 24 x 4 + 5 PASSes."""
N_COLUMNS = 6
"""Of the history."""


class History(NamedTuple):
    """What was played and passed in this round, the oldest first.

    Attributes
    ----------
    n
        Number of rows.
    event
        `codes.Event`: LEAD, PLAY, PASS or PASSEBUNGE.
    seat
        Who did it.
    tile
        Number of the tile played; -1 for a PASS.
    end
        `codes.End` joined by a PLAY; else -1.
    left, right
        The two ends after it; of a PASS, the ends at which it happened.
    """

    n: np.int64
    event: npt.NDArray[np.int64]
    seat: npt.NDArray[np.int64]
    tile: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]


class View(NamedTuple):
    """What the player who is to move may know.

    Attributes
    ----------
    seat
        The player's own seat, 0 to 4; clockwise is +1 modulo 5.
    is_lead
        Whether the first tile of the round is to be played.
    hand
        The tiles in hand: bit t for the tile of number t.
    left, right
        The ends of the chain; -1 before the first tile.
    starter
        Who started the round.
    camat
        The CAMAT, or -1 if the match has none yet.
    last_mappano
        LAST MAPPANO, or -1 before the first tile.
    table
        Stones on the table.
    stones
        Shape (5,): stones of each seat.
    held
        Shape (5,): tiles in the hand of each seat.
    voids
        Shape (5,): bit v is set where a PASS in this round shows that the seat holds no tile with the value v.
    seen
        The tiles on the table: bit t for the tile of number t.
    history
        Every tile played and every PASS of this round.
    rules
        The rules as numbers, under their names; of an option, 0 for the default reading and 1 for the other one.
    uniform
        A random number from 0 to below 1, another one for each decision.
    word
        The 64 random bits behind it.
    """

    seat: np.int64
    is_lead: bool
    hand: np.int64
    left: np.int64
    right: np.int64
    starter: np.int64
    camat: np.int64
    last_mappano: np.int64
    table: np.int64
    stones: npt.NDArray[np.int64]
    held: npt.NDArray[np.int64]
    voids: npt.NDArray[np.int64]
    seen: np.int64
    history: History
    rules: RulesRow
    uniform: float
    word: np.uint64


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
    joined
        Value of the half that joins; at a lead, the higher half, which becomes the right end.
    opened
        Value of the other half, which becomes the new end; at a lead, the lower half, which becomes the left end.
    """

    n: np.int64
    tile: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    joined: npt.NDArray[np.int64]
    opened: npt.NDArray[np.int64]


# Where everything stands in `shown`. There is no room for anything else.
IS_LEAD, HAND, LEFT, RIGHT, STARTER, CAMAT, LAST_MAPPANO, ON_TABLE, SEEN = range(N_HEAD, 14)
STONES, HELD, VOIDS = 14, 19, 24
RULE = 29
MOVE_TILE = RULE + len(RULES)
MOVE_END, MOVE_JOINED, MOVE_OPENED = (MOVE_TILE + part * MAX_MOVES for part in (1, 2, 3))
EVENT = MOVE_TILE + 4 * MAX_MOVES
EVENT_SEAT, EVENT_TILE, EVENT_END, EVENT_LEFT, EVENT_RIGHT = (EVENT + part * MAX_HISTORY for part in (1, 2, 3, 4, 5))
N_SHOWN = EVENT + N_COLUMNS * MAX_HISTORY


@kernel
def view_of(shown: npt.NDArray[np.int64]) -> View:
    """The view on the array."""
    n = shown[N_HISTORY]
    history = History(
        n,
        shown[EVENT : EVENT + n],
        shown[EVENT_SEAT : EVENT_SEAT + n],
        shown[EVENT_TILE : EVENT_TILE + n],
        shown[EVENT_END : EVENT_END + n],
        shown[EVENT_LEFT : EVENT_LEFT + n],
        shown[EVENT_RIGHT : EVENT_RIGHT + n],
    )
    # written out: an unpacked array has no length that the compiler knows
    rules = RulesRow(
        shown[RULE], shown[RULE + 1], shown[RULE + 2], shown[RULE + 3], shown[RULE + 4],
        shown[RULE + 5], shown[RULE + 6], shown[RULE + 7], shown[RULE + 8], shown[RULE + 9],
        shown[RULE + 10], shown[RULE + 11], shown[RULE + 12], shown[RULE + 13], shown[RULE + 14],
    )  # fmt: skip
    high, low = shown[WORD_HIGH], shown[WORD_LOW]
    return View(
        shown[SEAT],
        shown[IS_LEAD] != 0,
        shown[HAND],
        shown[LEFT],
        shown[RIGHT],
        shown[STARTER],
        shown[CAMAT],
        shown[LAST_MAPPANO],
        shown[ON_TABLE],
        shown[STONES : STONES + 5],
        shown[HELD : HELD + 5],
        shown[VOIDS : VOIDS + 5],
        shown[SEEN],
        history,
        rules,
        np.float64((high << 21) | (low >> 11)) * 2.0**-53,
        (np.uint64(high) << np.uint64(32)) | np.uint64(low),
    )


@kernel
def moves_of(shown: npt.NDArray[np.int64]) -> Moves:
    """The moves on the array."""
    n = shown[N_MOVES]
    return Moves(
        n,
        shown[MOVE_TILE : MOVE_TILE + n],
        shown[MOVE_END : MOVE_END + n],
        shown[MOVE_JOINED : MOVE_JOINED + n],
        shown[MOVE_OPENED : MOVE_OPENED + n],
    )


assert len(RULES) == len(RulesRow._fields) == 15
