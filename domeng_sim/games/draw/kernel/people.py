"""The engine for tables with people; see `games.people`."""

from __future__ import annotations

from typing import Any

from domeng_sim.core.bits import U, Word, lowest_bit
from domeng_sim.core.hands import TILE_OF
from domeng_sim.core.jit import shared
from domeng_sim.core.job import RoundKey
from domeng_sim.games.draw.kernel.geometry import Grid, Unbounded, directions, first_direction
from domeng_sim.games.draw.kernel.moves import NONE, Move, Reach
from domeng_sim.games.draw.kernel.policies import BEGINNERS, CHOOSERS, WITNESSES, begin_round, choose, witness
from domeng_sim.games.draw.kernel.records import Scores
from domeng_sim.games.draw.kernel.state import Turn
from domeng_sim.games.draw.rules import RulesRow
from domeng_sim.games.shared import people
from domeng_sim.games.shared.people import PeoplePolicy, people_policy

__all__ = ["PeoplePolicy", "people_policy"]


@shared
def kth_of(table: Any, hand: Word, reach: Reach, is_lead: bool, k: int, note: people.People) -> tuple[Move, int]:
    """The k-th move of a hand, counted by index, end and direction, and their number; all are noted if `k` is -1.

    A person may choose every direction that is free.
    """
    rest, n = hand & (reach.left | reach.right), 0
    found = Move(lowest_bit(rest), NONE, NONE)
    while rest:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        for side in range(2):
            if not ((reach.right if side else reach.left) >> index) & U(1):
                continue
            end = NONE if is_lead else side
            free = directions(table, index, end)
            direction = first_direction(free)
            while True:
                if n == max(k, 0):
                    found = Move(index, end, direction)
                if k < 0:
                    people.note_move(note, n, TILE_OF[index], end, direction)
                n += 1
                free &= free - 1
                if free <= 0:
                    break
                direction = first_direction(free)
    return found, n


@shared
def _choose(
    policy: PeoplePolicy, table: Any, turn: Turn, seat: int, hand: Word, reach: Reach, word: Word, is_lead: bool
) -> Move:
    move, n = kth_of(table, hand, reach, is_lead, 0, policy.people)
    if people.is_asked(policy.people):
        # a function is not called any more: what it does here would be no fault of it
        return move
    if not policy.people.sits[seat]:
        return choose(policy.others, table, turn, seat, hand, reach, word, is_lead)
    choice = people.chosen_by(policy.people, seat, n)
    move, n = kth_of(table, hand, reach, is_lead, choice, policy.people)
    return move


@shared
def _begin(policy: PeoplePolicy, rules: RulesRow, starter: int, scores: Scores, key: RoundKey) -> None:
    begin_round(policy.others, rules, starter, scores, key)


@shared
def _witness(policy: PeoplePolicy, event: int, turn: Turn, seat: int, move: Move) -> None:
    witness(policy.others, event, turn, seat, move)


CHOOSERS[PeoplePolicy, Unbounded] = _choose
CHOOSERS[PeoplePolicy, Grid] = _choose
BEGINNERS[PeoplePolicy] = _begin
WITNESSES[PeoplePolicy] = _witness
