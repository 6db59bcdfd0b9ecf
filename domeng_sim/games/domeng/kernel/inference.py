"""How likely the others' choices so far are, given a hand: for players and odds that conclude from what was played.

The likelihood of a hand is the product, over the choices that its owner made in the round, of the probability that the
*model*, a weighted strategy with a temperature, makes that choice. It depends on that hand and on what everybody saw.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, lowest_bit
from domeng_sim.core.codes import Event
from domeng_sim.core.hands import KEEP, ROWS
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.policy import LOWEST, Decision, exp_negative
from domeng_sim.games.domeng.kernel.deal import N_HAND, N_SEATS
from domeng_sim.games.domeng.kernel.features import DomengOutlook, outlook, score_called
from domeng_sim.games.domeng.kernel.state import DomengRoundState, ends_fit, opening
from domeng_sim.games.domeng.kernel.step import DOUBLE, leads
from domeng_sim.games.domeng.rules import RulesRow

_N_STATE = len(DomengRoundState._fields)


class RoundChoices(NamedTuple):
    """The choices of a round so far.

    Attributes
    ----------
    now
        uint64, shape (fields,): the round as it stands, a field after the other.
    before
        uint64, shape (seats, choices, fields): the round as it stood before each choice of a seat.
    index
        uint64, shape (seats, choices): the moves chosen.
    n
        int64, shape (seats,): choices of each seat.
    is_first
        int64, shape (1,): 1 in the first round of a match.
    """

    now: npt.NDArray[np.uint64]
    before: npt.NDArray[np.uint64]
    index: npt.NDArray[np.uint64]
    n: npt.NDArray[np.int64]
    is_first: npt.NDArray[np.int64]


def make_past() -> RoundChoices:
    """Room for the choices of a round."""
    return RoundChoices(
        np.zeros(_N_STATE, np.uint64),
        np.zeros((N_SEATS, N_HAND, _N_STATE), np.uint64),
        np.zeros((N_SEATS, N_HAND), np.uint64),
        np.zeros(N_SEATS, np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def forget(past: RoundChoices, is_first: bool) -> None:
    """A round begins."""
    past.is_first[0] = np.int64(is_first)
    for seat in range(N_SEATS):
        past.n[seat] = 0


@kernel
def write_state(turn: DomengRoundState, row: npt.NDArray[np.uint64]) -> None:
    """Write a state, a field after the other."""
    row[0], row[1], row[2], row[3] = U(turn.seat), U(turn.last), turn.made8, turn.other8
    row[4], row[5], row[6], row[7] = turn.left8, turn.stones, turn.fresh, turn.seen
    row[8], row[9], row[10], row[11] = turn.voids, turn.held, turn.passes, turn.passebunge


@kernel
def read_state(row: npt.NDArray[np.uint64]) -> DomengRoundState:
    """The state that was written."""
    return DomengRoundState(
        np.int64(row[0]), np.int64(row[1]), row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9], row[10],
        row[11],
    )  # fmt: skip


@shared
def note_act(past: RoundChoices, turn: DomengRoundState, event: int, seat: int, index: Word) -> None:
    """Note what happened; `turn` is the round after it. See `core.policy.witness`."""
    if event == Event.LEAD or event == Event.PLAY:
        number = past.n[seat]
        if event == Event.LEAD:
            write_state(opening(seat, turn.stones), past.before[seat, number])
        else:
            for place in range(_N_STATE):
                past.before[seat, number, place] = past.now[place]
        past.index[seat, number] = index
        past.n[seat] = number + 1
    write_state(turn, past.now)


@shared
def chance_of(
    weights: npt.NDArray[np.int64], temperature: float, view: DomengOutlook, moves: Word, index: Word
) -> float:
    """Probability that a move is chosen, in proportion to exp(score / temperature)."""
    best, rest = LOWEST, moves
    while rest:
        best = max(best, score_called(weights, view, lowest_bit(rest)))
        rest &= rest - U(1)
    total, own, rest = 0.0, 0.0, moves
    while rest:
        move = lowest_bit(rest)
        rest &= rest - U(1)
        behind = best - score_called(weights, view, move)
        likely = exp_negative(np.float64(behind) / 1000.0 / temperature)
        total += likely
        if move == index:
            own = likely
    return own / total


@shared
def likelihood(
    past: RoundChoices, rules: RulesRow, weights: npt.NDArray[np.int64], temperature: float, seat: int, hand: Word
) -> float:
    """How likely the choices of a seat are, if it holds a hand now.

    Parameters
    ----------
    past
        The choices so far.
    rules
        The rules.
    weights, temperature
        The model; the temperature is above 0.
    seat
        Whose choices.
    hand
        Its hand now, in rows.

    Returns
    -------
    float
        A product of probabilities.
    """
    likely, then = 1.0, hand
    for number in range(past.n[seat] - 1, -1, -1):
        index = past.index[seat, number]
        then |= ~KEEP[index] & ROWS
        turn = read_state(past.before[seat, number])
        is_lead = turn.seen == U(0)
        # who must lead the double that gave it the start has no choice
        if is_lead and past.is_first[0] and rules.opening_lead == DOUBLE:
            continue
        moves = leads(then) if is_lead else then & ends_fit(turn)
        if moves & (moves - U(1)):
            here = Decision(turn, np.int64(seat), then, moves, is_lead)
            likely *= chance_of(weights, temperature, outlook(rules, here), moves, index)
    return likely


assert _N_STATE == 12
