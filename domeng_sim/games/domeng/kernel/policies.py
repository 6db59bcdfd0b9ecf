"""How a seat's move is chosen: engines of the same loop, told apart by the type of the policy they are given.

`TablePolicy` serves seats that play at random or by features of the tile alone, `WeightedPolicy` any weighted
strategies, `user.UserPolicy` tables with a user's function.  The compiler sees one of them at a time, so that the
fast ones carry no code of the slow ones.  A strategy plays the same moves under each policy that can express it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import overload

from domeng_sim.core.bits import U, Word, lowest_bit
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.policy import LOWEST, TablePolicy, among, best_by_table, exp_negative
from domeng_sim.games.domeng.kernel.features import Outlook, outlook, score, score_called
from domeng_sim.games.domeng.kernel.records import RoundKey
from domeng_sim.games.domeng.kernel.state import Turn
from domeng_sim.games.domeng.rules import RulesRow


class WeightedPolicy(NamedTuple):
    """Seats that weigh features.

    Attributes
    ----------
    weights
        int64, shape (5, features): thousandths, all 0 for a seat that plays at random.
    temperature
        float64, shape (5,): 0 for the highest score, else of the softmax choice, in the unit of the scores.
    """

    weights: npt.NDArray[np.int64]
    temperature: npt.NDArray[np.float64]


@shared
def softmax(weights: npt.NDArray[np.int64], temperature: float, view: Outlook, moves: Word, word: Word) -> Word:
    """One of the moves with probability proportional to exp(score / temperature)."""
    best, rest = LOWEST, moves
    while rest:
        best = max(best, score_called(weights, view, lowest_bit(rest)))
        rest &= rest - U(1)
    total, rest = 0.0, moves
    while rest:
        behind = best - score_called(weights, view, lowest_bit(rest))
        total += exp_negative(np.float64(behind) / 1000.0 / temperature)
        rest &= rest - U(1)
    threshold = np.float64(word >> U(11)) * 2.0**-53 * total
    reached, rest = 0.0, moves
    index = lowest_bit(rest)
    while rest and reached <= threshold:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        behind = best - score_called(weights, view, index)
        reached += exp_negative(np.float64(behind) / 1000.0 / temperature)
    return index


@kernel
def best_by_weights(weights: npt.NDArray[np.int64], view: Outlook, moves: Word) -> Word:
    """The moves with the highest score."""
    best, chosen, rest = LOWEST, U(0), moves
    while rest:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        value = score(weights, view, index)
        chosen = (U(0) if value > best else chosen) | (U(value >= best) << index)
        best = max(best, value)
    return chosen


@kernel
def _choose_table(
    policy: TablePolicy, turn: Turn, seat: int, hand: Word, moves: Word, word: Word, is_lead: bool
) -> Word:
    return among(best_by_table(policy, seat, moves), word)


@shared
def _choose_weighted(
    policy: WeightedPolicy, turn: Turn, seat: int, hand: Word, moves: Word, word: Word, is_lead: bool
) -> Word:
    if not moves & (moves - U(1)):
        return lowest_bit(moves)
    view = outlook(turn, seat, hand, is_lead)
    temperature = policy.temperature[seat]
    weights = policy.weights[seat]
    if temperature > 0.0:
        return softmax(weights, temperature, view, moves, word)
    return among(best_by_weights(weights, view, moves), word)


CHOOSERS: dict[type, Any] = {TablePolicy: _choose_table, WeightedPolicy: _choose_weighted}
"""By policy type, the kernel that chooses; `user` adds its own."""


def choose(policy: Any, turn: Turn, seat: int, hand: Word, moves: Word, word: Word, is_lead: bool) -> Word:
    """Index of the move that a seat plays.

    Parameters
    ----------
    policy
        One of the policies; its type selects the code when the loop is compiled.
    turn
        The round before the move.
    seat
        Who moves.
    hand
        Its hand, in rows.
    moves
        The legal moves, at least one.
    word
        The random word of this decision.
    is_lead
        Whether this is the first tile of the round.
    """
    chosen: Word = CHOOSERS[type(policy)](policy, turn, seat, hand, moves, word, is_lead)
    return chosen


@overload(choose)
def _compiled_choose(policy, turn, seat, hand, moves, word, is_lead):  # type: ignore[no-untyped-def]
    if not isinstance(policy, types.NamedTuple) or policy.instance_class not in CHOOSERS:
        return None
    chooser = CHOOSERS[policy.instance_class]
    return lambda policy, turn, seat, hand, moves, word, is_lead: chooser(
        policy, turn, seat, hand, moves, word, is_lead
    )


# --- What only some policies want to know -----------------------------------------------------------------------------
# For the others these compile to nothing.

BEGINNERS: dict[type, Any] = {}
"""By policy type, the kernel that is told of each round before its first tile."""
WITNESSES: dict[type, Any] = {}
"""By policy type, the kernel that is told of every tile played and every PASS."""


def begin_round(policy: Any, rules: RulesRow, starter: int, camat: int, key: RoundKey) -> None:
    """Tell the policy that a round begins; `camat` is the CAMAT of the match, or -1."""
    if type(policy) in BEGINNERS:
        BEGINNERS[type(policy)](policy, rules, starter, camat, key)


def witness(policy: Any, event: int, turn: Turn, index: Word, end: int) -> None:
    """Tell the policy what happened.

    Parameters
    ----------
    policy
        One of the policies.
    event
        `codes.Event`: LEAD, PLAY, PASS or PASSEBUNGE.
    turn
        The round after it; its `seat` did it.
    index
        The move; that of no tile for a PASS.
    end
        `codes.End` joined by a PLAY; else -1.
    """
    if type(policy) in WITNESSES:
        WITNESSES[type(policy)](policy, event, turn, index, end)


@overload(begin_round)
def _compiled_begin_round(policy, rules, starter, camat, key):  # type: ignore[no-untyped-def]
    beginner = BEGINNERS.get(getattr(policy, "instance_class", None))
    if beginner is None:
        return lambda policy, rules, starter, camat, key: None
    return lambda policy, rules, starter, camat, key: beginner(policy, rules, starter, camat, key)


@overload(witness)
def _compiled_witness(policy, event, turn, index, end):  # type: ignore[no-untyped-def]
    witness_of = WITNESSES.get(getattr(policy, "instance_class", None))
    if witness_of is None:
        return lambda policy, event, turn, index, end: None
    return lambda policy, event, turn, index, end: witness_of(policy, event, turn, index, end)
