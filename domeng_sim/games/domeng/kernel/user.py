"""Seats of Domeng that are played by a user's function (see `games.user`).

Only this engine keeps the history of a round that the view shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, lowest_bit, popcount
from domeng_sim.core.codes import NOBODY, End
from domeng_sim.core.hands import TILE_OF, joined, kth_move, mask_of, opened
from domeng_sim.core.jit import shared
from domeng_sim.games.domeng.kernel import view
from domeng_sim.games.domeng.kernel.policies import BEGINNERS, CHOOSERS, WITNESSES, WeightedPolicy, choose
from domeng_sim.games.domeng.kernel.records import RoundKey
from domeng_sim.games.domeng.kernel.state import Turn, byte, on_table, right8
from domeng_sim.games.domeng.rules import RulesRow
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
    """A function ready to be called by the core of Domeng; see `games.user.Player`."""
    return Player(function, name, WINDOW)


def user_policy(seats: Sequence[Seat], weighted: WeightedPolicy) -> UserPolicy:
    """The policy of seats of which some have a `Player` as their function."""
    return policy_of(seats, weighted, WINDOW)


@shared
def _begin(policy: UserPolicy, rules: RulesRow, starter: int, camat: int, key: RoundKey) -> None:
    known = policy.known
    if policy.trouble[FAILED]:
        return
    begin_history(policy, key, view.EVENT, view.MAX_HISTORY, view.N_COLUMNS)
    known[view.STARTER], known[view.CAMAT] = starter, camat
    for position, number in enumerate(rules):
        known[view.RULE + position] = np.int64(number)


@shared
def _witness(policy: UserPolicy, event: int, turn: Turn, index: Word, end: int) -> None:
    known = policy.known
    row = known[N_HISTORY]
    if policy.trouble[FAILED] or row == view.MAX_HISTORY:
        return
    known[view.EVENT + row] = event
    known[view.EVENT_SEAT + row] = turn.seat
    known[view.EVENT_TILE + row] = TILE_OF[index]
    known[view.EVENT_END + row] = end
    known[view.EVENT_LEFT + row] = np.int64(turn.left8 >> U(3))
    known[view.EVENT_RIGHT + row] = np.int64(right8(turn) >> U(3))
    known[N_HISTORY] = row + 1


@shared
def _show(
    known: npt.NDArray[np.int64], turn: Turn, seat: int, hand: Word, moves: Word, word: Word, is_lead: bool
) -> None:
    known[SEAT], known[view.HAND] = seat, np.int64(mask_of(hand))
    known[view.IS_LEAD] = np.int64(is_lead)
    known[view.LEFT] = NOBODY if is_lead else np.int64(turn.left8 >> U(3))
    known[view.RIGHT] = NOBODY if is_lead else np.int64(right8(turn) >> U(3))
    known[view.LAST_MAPPANO] = NOBODY if is_lead else turn.last
    known[view.ON_TABLE] = np.int64(on_table(turn.stones))
    known[view.SEEN] = np.int64(mask_of(turn.seen))
    show_word(known, word)
    for other in range(5):
        known[view.STONES + other] = np.int64(byte(turn.stones, other))
        known[view.HELD + other] = np.int64(byte(turn.held, other))
        known[view.VOIDS + other] = np.int64(byte(turn.voids, other))
    rest = moves
    for k in range(view.MAX_MOVES):
        tile = end = joined_value = opened_value = NOTHING
        if rest:
            index = lowest_bit(rest)
            rest &= rest - U(1)
            tile = TILE_OF[index]
            joined_value, opened_value = np.int64(joined(index) >> U(3)), np.int64(opened(index) >> U(3))
            if not is_lead:
                end = np.int64(End.LEFT) if joined(index) == turn.left8 else np.int64(End.RIGHT)
        known[view.MOVE_TILE + k], known[view.MOVE_END + k] = tile, end
        known[view.MOVE_JOINED + k], known[view.MOVE_OPENED + k] = joined_value, opened_value
    known[N_MOVES] = np.int64(popcount(moves))


@shared
def _choose_user(policy: UserPolicy, turn: Turn, seat: int, hand: Word, moves: Word, word: Word, is_lead: bool) -> Word:
    if not moves & (moves - U(1)):
        return lowest_bit(moves)
    if not policy.players[seat]:
        return choose(policy.weighted, turn, seat, hand, moves, word, is_lead)
    if policy.trouble[FAILED]:
        return lowest_bit(moves)
    _show(policy.known, turn, seat, hand, moves, word, is_lead)
    k = ask(policy, seat)
    return kth_move(moves, U(k)) if k >= 0 else lowest_bit(moves)


CHOOSERS[UserPolicy] = _choose_user
BEGINNERS[UserPolicy] = _begin
WITNESSES[UserPolicy] = _witness
