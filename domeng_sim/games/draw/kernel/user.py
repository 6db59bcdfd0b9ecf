"""Seats of Draw that are played by a user's function (see `games.user`).

Only this engine keeps the history of a round that the view shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, lowest_bit, popcount
from domeng_sim.core.codes import NOBODY, Event
from domeng_sim.core.hands import TILE_OF, joined, mask_of, opened
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import RoundKey
from domeng_sim.games.draw.kernel import view
from domeng_sim.games.draw.kernel.geometry import Grid, Unbounded, closed_ends, directions, first_direction
from domeng_sim.games.draw.kernel.moves import NONE, Move, Reach
from domeng_sim.games.draw.kernel.policies import BEGINNERS, CHOOSERS, WITNESSES, WeightedPolicy, choose
from domeng_sim.games.draw.kernel.records import Scores
from domeng_sim.games.draw.kernel.state import Turn, held, lacks
from domeng_sim.games.draw.rules import RulesRow
from domeng_sim.games.shared.user import (
    FAILED,
    N_HISTORY,
    N_MOVES,
    NOTHING,
    SEAT,
    Player,
    UserPolicy,
    Window,
    ask,
    begin_history,
    show_word,
)
from domeng_sim.games.shared.user import user_policy as policy_of
from domeng_sim.games.types import Seat

WINDOW = Window(view.view_of, view.moves_of, view.N_SHOWN)


def player(function: Callable[..., Any], name: str) -> Player:
    """A function ready to be called by the core of Draw; see `games.user.Player`."""
    return Player(function, name, WINDOW)


def user_policy(seats: Sequence[Seat], weighted: WeightedPolicy) -> UserPolicy:
    """The policy of seats of which some have a `Player` as their function."""
    return policy_of(seats, weighted, WINDOW)


@shared
def _begin(policy: UserPolicy, rules: RulesRow, starter: int, scores: Scores, key: RoundKey) -> None:
    known = policy.known
    if policy.trouble[FAILED]:
        return
    begin_history(policy, key, view.EVENT, view.MAX_HISTORY, view.N_COLUMNS)
    known[view.STARTER] = starter
    known[view.SCORES], known[view.SCORES + 1] = scores.first, scores.second
    for position, number in enumerate(rules):
        known[view.RULE + position] = np.int64(number)


@shared
def _witness(policy: UserPolicy, event: int, turn: Turn, seat: int, move: Move) -> None:
    known = policy.known
    row = known[N_HISTORY]
    if policy.trouble[FAILED] or row == view.MAX_HISTORY:
        return
    known[view.EVENT + row] = event
    known[view.EVENT_SEAT + row] = seat
    # the array serves both seats: what one of them drew is not for the other to see
    known[view.EVENT_TILE + row] = NOTHING if event == Event.DRAW else TILE_OF[move.index]
    known[view.EVENT_END + row], known[view.EVENT_DIRECTION + row] = move.end, move.direction
    known[view.EVENT_LEFT + row] = np.int64(turn.left8 >> U(3))
    known[view.EVENT_RIGHT + row] = np.int64(turn.right8 >> U(3))
    known[N_HISTORY] = row + 1


@shared
def _list_moves(known: npt.NDArray[np.int64], table: Any, hand: Word, reach: Reach, is_lead: bool) -> None:
    """Show the moves: by index, then left before right, then straight on, left, right."""
    rest, n = hand & (reach.left | reach.right), 0
    while rest:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        for side in range(2):
            if not ((reach.right if side else reach.left) >> index) & U(1):
                continue
            end = NONE if is_lead else side
            free = directions(table, index, end)
            while True:
                known[view.MOVE_TILE + n], known[view.MOVE_END + n] = TILE_OF[index], end
                known[view.MOVE_DIRECTION + n] = first_direction(free)
                known[view.MOVE_JOINED + n] = np.int64(joined(index) >> U(3))
                known[view.MOVE_OPENED + n] = np.int64(opened(index) >> U(3))
                n += 1
                free &= free - 1
                if free <= 0:
                    break
    for k in range(n, max(n, known[N_MOVES])):
        for part in range(5):
            known[view.MOVE_TILE + part * view.MAX_MOVES + k] = NOTHING
    known[N_MOVES] = n


@shared
def _show(
    known: npt.NDArray[np.int64], table: Any, turn: Turn, seat: int, hand: Word, word: Word, is_lead: bool
) -> None:
    known[SEAT], known[view.HAND] = seat, np.int64(mask_of(hand))
    known[view.IS_LEAD] = np.int64(is_lead)
    known[view.LEFT] = NOBODY if is_lead else np.int64(turn.left8 >> U(3))
    known[view.RIGHT] = NOBODY if is_lead else np.int64(turn.right8 >> U(3))
    known[view.IN_STOCK] = np.int64(popcount(turn.stock))
    # before the first tile the table still knows the ends of the round before
    known[view.CLOSED] = 0 if is_lead else np.int64(closed_ends(table))
    known[view.SEEN] = np.int64(mask_of(turn.seen))
    known[view.OTHER_LACKS] = np.int64(mask_of(lacks(turn, 1 - seat) & ~(turn.seen | hand)))
    show_word(known, word)
    for other in range(2):
        known[view.HELD + other] = np.int64(held(turn, other))


@kernel
def _shown_move(known: npt.NDArray[np.int64], k: int) -> Move:
    """The move at a position."""
    index = U(8 * known[view.MOVE_JOINED + k] + known[view.MOVE_OPENED + k])
    return Move(index, known[view.MOVE_END + k], known[view.MOVE_DIRECTION + k])


@shared
def _first_move(table: Any, hand: Word, reach: Reach, is_lead: bool) -> Move:
    index = lowest_bit(hand & (reach.left | reach.right))
    end = NONE if is_lead else np.int64(((reach.left >> index) & U(1)) == U(0))
    return Move(index, end, first_direction(directions(table, index, end)))


@shared
def _choose_user(
    policy: UserPolicy, table: Any, turn: Turn, seat: int, hand: Word, reach: Reach, word: Word, is_lead: bool
) -> Move:
    if not policy.players[seat]:
        return choose(policy.weighted, table, turn, seat, hand, reach, word, is_lead)
    if policy.trouble[FAILED]:
        return _first_move(table, hand, reach, is_lead)
    _list_moves(policy.known, table, hand, reach, is_lead)
    k = 0
    if policy.known[N_MOVES] > 1:
        _show(policy.known, table, turn, seat, hand, word, is_lead)
        k = max(ask(policy, seat), 0)
    return _shown_move(policy.known, k)


CHOOSERS[UserPolicy, Unbounded] = CHOOSERS[UserPolicy, Grid] = _choose_user
BEGINNERS[UserPolicy] = _begin
WITNESSES[UserPolicy] = _witness
