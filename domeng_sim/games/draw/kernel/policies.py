"""How a seat's move is chosen: engines of the same loop, told apart by the types of the policy and of the table.

`TablePolicy` serves seats that play at random or by features of the tile alone, `WeightedPolicy` any weighted
strategies, `games.user.UserPolicy` tables with a user's function.  A strategy plays the same moves under each policy
that can express it.

Moves are counted by their index and, where a tile can be joined to either of two equal ends of a finite table, left
before right.  The choice is among tiles and ends.  The direction is the one that scores highest, of equals the first
that is free of straight, left and right; so a strategy that does not look at what depends on it gets that one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from domeng_sim.core.bits import U, Word, high_product, lowest_bit, popcount
from domeng_sim.core.codes import End
from domeng_sim.core.hands import joined
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import RoundKey
from domeng_sim.core.policy import LOWEST, TablePolicy, among, best_by_table, best_of, softmax_of
from domeng_sim.games.draw.kernel.features import outlook, score
from domeng_sim.games.draw.kernel.geometry import Grid, Unbounded, directions, first_direction, look_ahead
from domeng_sim.games.draw.kernel.moves import NONE, Move, Reach
from domeng_sim.games.draw.kernel.records import Scores
from domeng_sim.games.draw.kernel.state import Turn
from domeng_sim.games.draw.rules import RulesRow

MAX_MOVES = 64
"""More moves than there can be: at most 19 tiles at two ends."""
_LEFT, _RIGHT = np.int64(End.LEFT), np.int64(End.RIGHT)


class WeightedPolicy(NamedTuple):
    """Seats that weigh features.

    Attributes
    ----------
    weights
        int64, shape (2, features): thousandths, all 0 for a seat that plays at random.
    temperature
        float64, shape (2,): 0 for the highest score, else of the softmax choice, in the unit of the scores.
    scores
        int64, shape (MAX_MOVES,): room for the scores of the moves.
    indices
        uint64, shape (MAX_MOVES,): room for the moves.
    ends_and_directions
        int64, shape (2, MAX_MOVES): the same.
    """

    weights: npt.NDArray[np.int64]
    temperature: npt.NDArray[np.float64]
    scores: npt.NDArray[np.int64]
    indices: npt.NDArray[np.uint64]
    ends_and_directions: npt.NDArray[np.int64]


def weighted_policy(weights: npt.NDArray[np.int64], temperature: npt.NDArray[np.float64]) -> WeightedPolicy:
    """Policy of seats that weigh features, with room for their moves."""
    return WeightedPolicy(
        weights,
        temperature,
        np.zeros(MAX_MOVES, np.int64),
        np.zeros(MAX_MOVES, np.uint64),
        np.zeros((2, MAX_MOVES), np.int64),
    )


@kernel
def kth_on_both(left: Word, right: Word, k: Word) -> tuple[Word, int]:
    """Index and end of the k-th move, of one tile the left end first."""
    rest = left | right
    while True:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        at_left, at_right = (left >> index) & U(1), (right >> index) & U(1)
        n = at_left + at_right
        if k < n:
            return index, _LEFT if at_left and not k else _RIGHT
        k -= n


@kernel
def _choose_table_unbounded(
    policy: TablePolicy, table: Unbounded, turn: Turn, seat: int, hand: Word, reach: Reach, word: Word, is_lead: bool
) -> Move:
    index = among(best_by_table(policy, seat, hand & (reach.left | reach.right)), word)
    if is_lead:
        return Move(index, NONE, NONE)
    return Move(index, _LEFT if joined(index) == turn.left8 else _RIGHT, NONE)


@kernel
def _choose_table_grid(
    policy: TablePolicy, table: Grid, turn: Turn, seat: int, hand: Word, reach: Reach, word: Word, is_lead: bool
) -> Move:
    best = best_by_table(policy, seat, hand & (reach.left | reach.right))
    left, right = best & reach.left, best & reach.right
    if left & right:
        index, end = kth_on_both(left, right, high_product(word, popcount(left) + popcount(right)))
    else:
        index = among(best, word)
        end = _LEFT if (left >> index) & U(1) else _RIGHT
    if is_lead:
        return Move(index, NONE, NONE)
    return Move(index, end, first_direction(directions(table, index, end)))


@kernel
def rate(policy: WeightedPolicy, table: Any, turn: Turn, seat: int, hand: Word, reach: Reach, is_lead: bool) -> int:
    """Note all moves with their scores, each in its best direction; returns their number."""
    view = outlook(turn, seat, hand, is_lead)
    weights = policy.weights[seat]
    rest, n = hand & (reach.left | reach.right), 0
    while rest:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        for side in range(2):
            if not ((reach.right if side else reach.left) >> index) & U(1):
                continue
            end = NONE if is_lead else side
            free = directions(table, index, end)
            direction, best, best_direction = first_direction(free), LOWEST, NONE
            while True:
                move = Move(index, end, direction)
                value = score(weights, view, move, look_ahead(table, turn, move))
                if value > best:
                    best, best_direction = value, direction
                free &= free - 1
                if free <= 0:
                    break
                direction = first_direction(free)
            policy.scores[n], policy.indices[n] = best, index
            policy.ends_and_directions[0, n], policy.ends_and_directions[1, n] = end, best_direction
            n += 1
    return n


@shared
def _choose_weighted(
    policy: WeightedPolicy, table: Any, turn: Turn, seat: int, hand: Word, reach: Reach, word: Word, is_lead: bool
) -> Move:
    n = rate(policy, table, turn, seat, hand, reach, is_lead)
    temperature = policy.temperature[seat]
    if temperature > 0.0:
        chosen = softmax_of(policy.scores, n, temperature, word)
    else:
        chosen = best_of(policy.scores, n, word)
    return Move(policy.indices[chosen], policy.ends_and_directions[0, chosen], policy.ends_and_directions[1, chosen])


CHOOSERS: dict[tuple[type, type], Any] = {
    (TablePolicy, Unbounded): _choose_table_unbounded,
    (TablePolicy, Grid): _choose_table_grid,
    (WeightedPolicy, Unbounded): _choose_weighted,
    (WeightedPolicy, Grid): _choose_weighted,
}
"""By types of policy and table, the kernel that chooses; `user` adds its own."""


def choose(policy: Any, table: Any, turn: Turn, seat: int, hand: Word, reach: Reach, word: Word, is_lead: bool) -> Move:
    """The move that a seat plays.

    Parameters
    ----------
    policy, table
        How the seats choose, and the table; their types select the code when the loop is compiled.
    turn
        The round before the move.
    seat
        Who moves.
    hand
        Its hand, in rows.
    reach
        What can be joined, of which the hand has at least one; at a lead the tiles that may be led stand at the left.
    word
        The random word of this decision.
    is_lead
        Whether this is the first tile of the round.
    """
    move: Move = CHOOSERS[type(policy), type(table)](policy, table, turn, seat, hand, reach, word, is_lead)
    return move


@overload(choose)
def _compiled_choose(policy, table, turn, seat, hand, reach, word, is_lead):  # type: ignore[no-untyped-def]
    chooser = CHOOSERS[policy.instance_class, table.instance_class]
    return lambda policy, table, turn, seat, hand, reach, word, is_lead: chooser(
        policy, table, turn, seat, hand, reach, word, is_lead
    )


# --- What only some policies want to know -----------------------------------------------------------------------------
# For the others these compile to nothing.

BEGINNERS: dict[type, Any] = {}
"""By policy type, the kernel that is told of each round before its first tile."""
WITNESSES: dict[type, Any] = {}
"""By policy type, the kernel that is told of every tile played or drawn and every PASS."""


def begin_round(policy: Any, rules: RulesRow, starter: int, scores: Scores, key: RoundKey) -> None:
    """Tell the policy that a round begins; `scores` are those of the game under way."""
    if type(policy) in BEGINNERS:
        BEGINNERS[type(policy)](policy, rules, starter, scores, key)


def witness(policy: Any, event: int, turn: Turn, seat: int, move: Move) -> None:
    """Tell the policy what happened.

    Parameters
    ----------
    policy
        One of the policies.
    event
        `codes.Event`: LEAD, PLAY, DRAW or PASS.
    turn
        The round after it.
    seat
        Who did it.
    move
        What was played, or the tile drawn; `records.NOTHING` for a PASS.
    """
    if type(policy) in WITNESSES:
        WITNESSES[type(policy)](policy, event, turn, seat, move)


@overload(begin_round)
def _compiled_begin_round(policy, rules, starter, scores, key):  # type: ignore[no-untyped-def]
    beginner = BEGINNERS.get(getattr(policy, "instance_class", None))
    if beginner is None:
        return lambda policy, rules, starter, scores, key: None
    return lambda policy, rules, starter, scores, key: beginner(policy, rules, starter, scores, key)


@overload(witness)
def _compiled_witness(policy, event, turn, seat, move):  # type: ignore[no-untyped-def]
    witness_of = WITNESSES.get(getattr(policy, "instance_class", None))
    if witness_of is None:
        return lambda policy, event, turn, seat, move: None
    return lambda policy, event, turn, seat, move: witness_of(policy, event, turn, seat, move)
