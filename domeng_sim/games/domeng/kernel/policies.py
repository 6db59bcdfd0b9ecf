"""How a seat's move is chosen, by tables and by weights; see `core.policy`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, lowest_bit
from domeng_sim.core.dispatch import answer
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.policy import LOWEST, Decision, TablePolicy, among, best_by_table, choose, exp_negative
from domeng_sim.games.domeng.kernel.features import DomengOutlook, outlook, score, score_called
from domeng_sim.games.domeng.rules import RulesRow


class DomengTerms(NamedTuple):
    """On what terms a round is played.

    Attributes
    ----------
    rules
        The rules.
    policy
        How the seats choose; its type selects the engine.
    """

    rules: RulesRow
    policy: Any


class DomengWeightedPolicy(NamedTuple):
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
def softmax(weights: npt.NDArray[np.int64], temperature: float, view: DomengOutlook, moves: Word, word: Word) -> Word:
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
def best_by_weights(weights: npt.NDArray[np.int64], view: DomengOutlook, moves: Word) -> Word:
    """The moves with the highest score."""
    best, chosen, rest = LOWEST, U(0), moves
    while rest:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        value = score(weights, view, index)
        chosen = (U(0) if value > best else chosen) | (U(value >= best) << index)
        best = max(best, value)
    return chosen


@answer(choose, TablePolicy, DomengTerms)
@kernel
def _choose_by_table(policy: TablePolicy, terms: DomengTerms, here: Decision, word: Word) -> Word:
    return among(best_by_table(policy, here.seat, here.moves), word)


@shared
def best_of_weights(
    weights: npt.NDArray[np.int64], temperature: float, view: DomengOutlook, moves: Word, word: Word
) -> Word:
    """One of the moves by their scores."""
    if temperature > 0.0:
        return softmax(weights, temperature, view, moves, word)
    return among(best_by_weights(weights, view, moves), word)


@answer(choose, DomengWeightedPolicy, DomengTerms)
@kernel
def _choose_by_weights(policy: DomengWeightedPolicy, terms: DomengTerms, here: Decision, word: Word) -> Word:
    if not here.moves & (here.moves - U(1)):
        return lowest_bit(here.moves)
    view = outlook(terms.rules, here)
    return best_of_weights(policy.weights[here.seat], policy.temperature[here.seat], view, here.moves, word)
