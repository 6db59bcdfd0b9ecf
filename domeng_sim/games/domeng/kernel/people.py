"""The engine for tables with people; see `games.people`."""

from __future__ import annotations

import numpy as np

from domeng_sim.core.bits import U, Word, lowest_bit, popcount
from domeng_sim.core.codes import End
from domeng_sim.core.hands import TILE_OF, joined, kth_move
from domeng_sim.core.jit import shared
from domeng_sim.games.domeng.kernel.policies import BEGINNERS, CHOOSERS, WITNESSES, begin_round, choose, witness
from domeng_sim.games.domeng.kernel.records import NO_END, RoundKey
from domeng_sim.games.domeng.kernel.state import Turn
from domeng_sim.games.domeng.rules import RulesRow
from domeng_sim.games.shared import people
from domeng_sim.games.shared.people import PeoplePolicy, people_policy

__all__ = ["PeoplePolicy", "people_policy"]


@shared
def _choose(policy: PeoplePolicy, turn: Turn, seat: int, hand: Word, moves: Word, word: Word, is_lead: bool) -> Word:
    if people.is_asked(policy.people):
        # a function is not called any more: what it does here would be no fault of it
        return lowest_bit(moves)
    if not policy.people.sits[seat]:
        return choose(policy.others, turn, seat, hand, moves, word, is_lead)
    choice = people.chosen_by(policy.people, seat, np.int64(popcount(moves)))
    if choice >= 0:
        return kth_move(moves, U(choice))
    rest, position = moves, 0
    while rest:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        end = np.int64(End.LEFT) if joined(index) == turn.left8 else np.int64(End.RIGHT)
        people.note_move(policy.people, position, TILE_OF[index], NO_END if is_lead else end, -1)
        position += 1
    return lowest_bit(moves)


@shared
def _begin(policy: PeoplePolicy, rules: RulesRow, starter: int, camat: int, key: RoundKey) -> None:
    begin_round(policy.others, rules, starter, camat, key)


@shared
def _witness(policy: PeoplePolicy, event: int, turn: Turn, index: Word, end: int) -> None:
    witness(policy.others, event, turn, index, end)


CHOOSERS[PeoplePolicy] = _choose
BEGINNERS[PeoplePolicy] = _begin
WITNESSES[PeoplePolicy] = _witness
