"""How a seat's move is chosen, by tables and by weights; see `core.policy`.

Moves are counted by their index and, where a tile can be joined to either of two equal ends of a finite table, left
before right.  The choice is among tiles and ends.  The direction is the one that scores highest, of equals the first
that is free of straight, left and right; so a strategy that does not look at what depends on it gets that one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, high_product, lowest_bit, popcount
from domeng_sim.core.codes import End
from domeng_sim.core.dispatch import answer, by_type
from domeng_sim.core.hands import joined
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.policy import LOWEST, Decision, TablePolicy, among, best_by_table, best_of, choose, softmax_of
from domeng_sim.games.two_player.kernel.features import TwoPlayerOutlook, outlook, score
from domeng_sim.games.two_player.kernel.geometry import Grid, Unbounded, directions, first_direction, look_ahead
from domeng_sim.games.two_player.kernel.moves import NONE, Move
from domeng_sim.games.two_player.rules import RulesRow

MAX_MOVES = 64
"""More moves than there can be: at most 19 tiles at two ends."""
_LEFT, _RIGHT = np.int64(End.LEFT), np.int64(End.RIGHT)


class TwoPlayerTerms(NamedTuple):
    """On what terms a round is played.

    Attributes
    ----------
    rules
        The rules.
    policy, table
        How the seats choose, and where tiles lie; the types of both select the engine.
    """

    rules: RulesRow
    policy: Any
    table: Any


class TwoPlayerWeightedPolicy(NamedTuple):
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


def weighted_policy(weights: npt.NDArray[np.int64], temperature: npt.NDArray[np.float64]) -> TwoPlayerWeightedPolicy:
    """Policy of seats that weigh features, with room for their moves."""
    return TwoPlayerWeightedPolicy(
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


@by_type(1)
def put_at_end(table: Any, best: Word, here: Decision, word: Word) -> Move:
    """One of some tiles and ends, uniformly, in the first direction that is free.

    Parameters
    ----------
    table
        Where tiles lie.
    best
        The tiles, as moves.
    here
        The decision.
    word
        The random word.
    """


@answer(put_at_end, Unbounded)
@kernel
def _put_unbounded(table: Unbounded, best: Word, here: Decision, word: Word) -> Move:
    index = among(best, word)
    if here.is_lead:
        return Move(index, NONE, NONE)
    return Move(index, _LEFT if joined(index) == here.turn.left8 else _RIGHT, NONE)


@answer(put_at_end, Grid)
@kernel
def _put_on_grid(table: Grid, best: Word, here: Decision, word: Word) -> Move:
    left, right = best & here.moves.left, best & here.moves.right
    if left & right:
        index, end = kth_on_both(left, right, high_product(word, popcount(left) + popcount(right)))
    else:
        index = among(best, word)
        end = _LEFT if (left >> index) & U(1) else _RIGHT
    if here.is_lead:
        return Move(index, NONE, NONE)
    return Move(index, end, first_direction(directions(table, index, end)))


@answer(choose, TablePolicy, TwoPlayerTerms)
@kernel
def _choose_by_table(policy: TablePolicy, terms: TwoPlayerTerms, here: Decision, word: Word) -> Move:
    best = best_by_table(policy, here.seat, here.hand & (here.moves.left | here.moves.right))
    return put_at_end(terms.table, best, here, word)


@kernel
def rate(policy: TwoPlayerWeightedPolicy, table: Any, here: Decision, view: TwoPlayerOutlook) -> int:
    """Note all moves with their scores, each in its best direction; returns their number."""
    weights = policy.weights[here.seat]
    left, right = here.moves.left, here.moves.right
    rest, n = here.hand & (left | right), 0
    while rest:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        for side in range(2):
            if not ((right if side else left) >> index) & U(1):
                continue
            end = NONE if here.is_lead else side
            free = directions(table, index, end)
            direction, best, best_direction = first_direction(free), LOWEST, NONE
            while True:
                move = Move(index, end, direction)
                value = score(weights, view, move, look_ahead(table, here.turn, move))
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
def _best(policy: TwoPlayerWeightedPolicy, table: Any, here: Decision, view: TwoPlayerOutlook, word: Word) -> Move:
    n = rate(policy, table, here, view)
    temperature = policy.temperature[here.seat]
    if temperature > 0.0:
        chosen = softmax_of(policy.scores, n, temperature, word)
    else:
        chosen = best_of(policy.scores, n, word)
    return Move(policy.indices[chosen], policy.ends_and_directions[0, chosen], policy.ends_and_directions[1, chosen])


@answer(choose, TwoPlayerWeightedPolicy, TwoPlayerTerms)
@kernel
def _choose_by_weights(policy: TwoPlayerWeightedPolicy, terms: TwoPlayerTerms, here: Decision, word: Word) -> Move:
    return _best(policy, terms.table, here, outlook(terms.rules, here), word)
