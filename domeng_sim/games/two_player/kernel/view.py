"""What a user's function is shown in two-player games; see `games.shared.view`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, lowest_bit, popcount
from domeng_sim.core.dispatch import answer
from domeng_sim.core.hands import mask_of
from domeng_sim.core.jit import in_kernels, kernel
from domeng_sim.core.policy import Decision
from domeng_sim.games.shared.user import Window
from domeng_sim.games.shared.view import (
    HAND,
    IS_LEAD,
    LEFT,
    MOVE_DIRECTION,
    MOVE_END,
    MOVE_JOINED,
    MOVE_OPENED,
    RIGHT,
    RULE,
    SEAT,
    SEEN,
    STARTER,
    History,
    end_moves,
    ends8,
    first_move,
    history_of,
    list_moves,
    rules_reader,
    show_move,
    show_own,
    shown_move,
    uniform_of,
    word_of,
)
from domeng_sim.games.two_player.kernel.deal import N_SEATS
from domeng_sim.games.two_player.kernel.geometry import closed_ends, directions, first_direction
from domeng_sim.games.two_player.kernel.moves import NONE, Move
from domeng_sim.games.two_player.kernel.policies import TwoPlayerTerms
from domeng_sim.games.two_player.kernel.state import TwoPlayerRoundState, held, lacks
from domeng_sim.games.two_player.rules import IN_CORE, RulesRow


class TwoPlayerObservation(NamedTuple):
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
        `draw` is 2 where nobody draws. The table is 0 without bounds, else 65,536 times its width plus its height.
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


SCORES = RULE + len(IN_CORE)
HELD = SCORES + N_SEATS
IN_STOCK, CLOSED, OTHER_LACKS, N_SHOWN = range(HELD + N_SEATS, HELD + N_SEATS + 4)
"""What is shown in these games only, and the length of the array."""
_rules_of = rules_reader(RulesRow)


@in_kernels
def view_of(shown: npt.NDArray[np.int64]) -> TwoPlayerObservation:
    """The view on the array."""
    return TwoPlayerObservation(
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
        shown[HELD : HELD + N_SEATS],
        shown[SCORES : SCORES + N_SEATS],
        history_of(shown),
        _rules_of(shown),
        uniform_of(shown),
        word_of(shown),
    )


WINDOW = Window(view_of, N_SHOWN)


@answer(ends8, TwoPlayerRoundState)
@kernel
def _ends8(turn: TwoPlayerRoundState) -> tuple[Word, Word]:
    return turn.left8, turn.right8


@answer(first_move, TwoPlayerTerms)
@kernel
def _first_move(terms: TwoPlayerTerms, here: Decision) -> Move:
    left = here.moves.left
    index = lowest_bit(here.hand & (left | here.moves.right))
    end = NONE if here.is_lead else np.int64(((left >> index) & U(1)) == U(0))
    return Move(index, end, first_direction(directions(terms.table, index, end)))


@answer(list_moves, TwoPlayerTerms)
@kernel
def _list_moves(terms: TwoPlayerTerms, here: Decision, known: npt.NDArray[np.int64]) -> int:
    """By index, then left before right, then straight on, left, right; every direction that is free."""
    left, right = here.moves.left, here.moves.right
    rest, n = here.hand & (left | right), 0
    while rest:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        for side in range(2):
            if not ((right if side else left) >> index) & U(1):
                continue
            end = NONE if here.is_lead else side
            free = directions(terms.table, index, end)
            while True:
                show_move(known, n, index, end, first_direction(free))
                n += 1
                free &= free - 1
                if free <= 0:
                    break
    end_moves(known, n)
    return n


@answer(shown_move, TwoPlayerTerms)
@kernel
def _shown_move(terms: TwoPlayerTerms, known: npt.NDArray[np.int64], k: int) -> Move:
    index = U(8 * known[MOVE_JOINED + k] + known[MOVE_OPENED + k])
    return Move(index, known[MOVE_END + k], known[MOVE_DIRECTION + k])


@answer(show_own, TwoPlayerTerms)
@kernel
def _show_own(terms: TwoPlayerTerms, here: Decision, known: npt.NDArray[np.int64]) -> None:
    turn, other = here.turn, 1 - here.seat
    known[IN_STOCK] = np.int64(popcount(turn.stock))
    # before the first tile the table still knows the ends of the round before
    known[CLOSED] = 0 if here.is_lead else np.int64(closed_ends(terms.table))
    known[OTHER_LACKS] = np.int64(mask_of(lacks(turn, other) & ~(turn.seen | here.hand)))
    for seat in range(N_SEATS):
        known[HELD + seat] = np.int64(held(turn, seat))
