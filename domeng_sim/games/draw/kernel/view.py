"""What a user's function is shown in Draw: the player's view and the legal moves.

Both are windows on one flat array of whole numbers, `shown`, which the core fills before each decision and which is all
that the function is given.  The other hand and the stock are never written there, so they are out of its reach by
layout; what is left of an earlier decision or round is wiped, so that reading beyond the end shows nothing either.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.jit import kernel
from domeng_sim.games.draw.rules import RULES, RulesRow
from domeng_sim.games.shared.user import N_HEAD, N_HISTORY, N_MOVES, SEAT, WORD_HIGH, WORD_LOW

MAX_MOVES = 40
"""Seven tiles at each of two ends, all but a double in three directions."""
MAX_HISTORY = 96
"""More than a round can have: 26 tiles played, 12 drawn, 12 PASSes after a draw and 27 others."""
N_COLUMNS = 7
"""Of the history."""


class History(NamedTuple):
    """What was played, drawn and passed in this round, the oldest first.

    Attributes
    ----------
    n
        Number of rows.
    event
        `codes.Event`: LEAD, PLAY, DRAW or PASS.
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


class View(NamedTuple):
    """What the player who is to move may know.

    Attributes
    ----------
    seat
        The player's own seat, 0 or 1; the other is 1 - seat.
    is_lead
        Whether the first tile of the round is to be played.
    hand
        The tiles in hand: bit t for the tile of number t.
    left, right
        The ends of the chain; -1 before the first tile.
    starter
        Who started the round.
    stock
        Tiles left in the stock; the last two are never drawn.
    closed
        Bit e is set where nothing can be laid at the end e (`codes.End`), whatever the tile; 0 on a table without
        bounds.
    seen
        The tiles on the table: bit t for the tile of number t.
    other_lacks
        Of the tiles that are neither on the table nor in hand, those that the other is known not to hold, by its draws
        and PASSes: bit t for the tile of number t. A tile that it drew and kept may be any that did not fit then, so
        what was known before is forgotten with it.
    held
        Shape (2,): tiles in the hand of each seat.
    scores
        Shape (2,): scores of the game under way.
    history
        Every tile played or drawn and every PASS of this round.
    rules
        The rules as numbers, under their names; of an option, 0 for the default reading and 1 for the other one.
        The table is 0 without bounds, else 65,536 times its width plus its height.
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
    stock: np.int64
    closed: np.int64
    seen: np.int64
    other_lacks: np.int64
    held: npt.NDArray[np.int64]
    scores: npt.NDArray[np.int64]
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


# Where everything stands in `shown`. There is no room for anything else.
IS_LEAD, HAND, LEFT, RIGHT, STARTER, IN_STOCK, CLOSED, SEEN, OTHER_LACKS = range(N_HEAD, 14)
HELD, SCORES = 14, 16
RULE = 18
MOVE_TILE = RULE + len(RULES)
MOVE_END, MOVE_DIRECTION, MOVE_JOINED, MOVE_OPENED = (MOVE_TILE + part * MAX_MOVES for part in (1, 2, 3, 4))
EVENT = MOVE_TILE + 5 * MAX_MOVES
EVENT_SEAT, EVENT_TILE, EVENT_END, EVENT_DIRECTION, EVENT_LEFT, EVENT_RIGHT = (
    EVENT + part * MAX_HISTORY for part in range(1, N_COLUMNS)
)
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
        shown[EVENT_DIRECTION : EVENT_DIRECTION + n],
        shown[EVENT_LEFT : EVENT_LEFT + n],
        shown[EVENT_RIGHT : EVENT_RIGHT + n],
    )
    # written out: an unpacked array has no length that the compiler knows
    rules = RulesRow(shown[RULE], shown[RULE + 1], shown[RULE + 2], shown[RULE + 3], shown[RULE + 4])
    high, low = shown[WORD_HIGH], shown[WORD_LOW]
    return View(
        shown[SEAT],
        shown[IS_LEAD] != 0,
        shown[HAND],
        shown[LEFT],
        shown[RIGHT],
        shown[STARTER],
        shown[IN_STOCK],
        shown[CLOSED],
        shown[SEEN],
        shown[OTHER_LACKS],
        shown[HELD : HELD + 2],
        shown[SCORES : SCORES + 2],
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
        shown[MOVE_DIRECTION : MOVE_DIRECTION + n],
        shown[MOVE_JOINED : MOVE_JOINED + n],
        shown[MOVE_OPENED : MOVE_OPENED + n],
    )


assert len(RULES) == len(RulesRow._fields) == 5
