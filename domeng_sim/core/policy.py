"""What the policies of all games have in common: choosing among moves by their scores, and being told of a round.

Engines are versions of the same loop, told apart by the type of the policy that they are given. `TablePolicy` serves
seats that play at random or by features of the tile alone, a game's own policy any weighted strategies,
`games.shared.user` tables with a user's function and `games.shared.people` tables with people. The compiler sees one of
them at a time. A strategy plays the same moves under each policy that can express it.

A set of moves is a word with a bit for each (see `core.hands`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, high_product, popcount
from domeng_sim.core.dispatch import by_type
from domeng_sim.core.hands import kth_move
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import RoundKey

LOWEST = np.int64(-(2**62))
"""Below every score."""
_INVERSE_E = 0.36787944117144233


class TablePolicy(NamedTuple):
    """Seats that need to know nothing but their moves: they like some tiles better than others, whatever happens.

    Attributes
    ----------
    n_bits
        int64, shape (seats,): bits of the seat's ranks; 0 for a seat that goes by chance alone.
    ranks
        uint64, shape (seats, 5): moves (by index) in whose rank a bit is set, the highest bit first; the higher the
        rank, the better.
    """

    n_bits: npt.NDArray[np.int64]
    ranks: npt.NDArray[np.uint64]


@kernel
def among(moves: Word, word: Word) -> Word:
    """One of the moves, uniformly."""
    return kth_move(moves, high_product(word, popcount(moves)))


@shared
def highest_ranks(ranks: npt.NDArray[np.uint64], n_bits: int, moves: Word) -> Word:
    """The moves of the highest rank, found bit by bit by selections: how many moves there are would be a guess."""
    for level in range(n_bits):
        first = moves & ranks[level]
        moves = first if first else moves
    return moves


@kernel
def best_by_table(policy: TablePolicy, seat: int, moves: Word) -> Word:
    """The moves that a seat of a `TablePolicy` likes best."""
    # a branch that is foreseen: at random play nothing waits for it
    n_bits = policy.n_bits[seat]
    if n_bits:
        moves = highest_ranks(policy.ranks[seat], n_bits, moves)
    return moves


@kernel
def exp_negative(x: float) -> float:
    """exp(-x) for x >= 0 by additions and multiplications alone, so that every machine gets the same bits.

    Relative error below 1e-13 up to x = 700; 0 above.
    """
    if x > 700.0:
        return 0.0
    whole = np.int64(x)
    part = (x - whole) * 0.125
    series = 1.0
    for term in range(12, 0, -1):
        series = 1.0 - part / term * series
    series *= series
    series *= series
    series *= series
    power, base = 1.0, _INVERSE_E
    while whole:
        if whole & 1:
            power *= base
        base *= base
        whole >>= 1
    return power * series


@kernel
def best_of(scores: npt.NDArray[np.int64], n: int, word: Word) -> int:
    """Position of one of the highest of the first `n` scores, uniformly among equals."""
    best, n_best = LOWEST, U(0)
    for position in range(n):
        value = scores[position]
        n_best = U(1) if value > best else n_best + U(value == best)
        best = max(best, value)
    left = high_product(word, n_best)
    position = 0
    while scores[position] != best or left:
        if scores[position] == best:
            left -= U(1)
        position += 1
    return position


@shared
def softmax_of(scores: npt.NDArray[np.int64], n: int, temperature: float, word: Word) -> int:
    """Position of one of the first `n` scores, with probability proportional to exp(score / temperature).

    Parameters
    ----------
    scores
        Thousandths.
    n
        How many there are, at least 1.
    temperature
        Above 0.
    word
        The random word.
    """
    best = LOWEST
    for position in range(n):
        best = max(best, scores[position])
    total = 0.0
    for position in range(n):
        total += exp_negative(np.float64(best - scores[position]) / 1000.0 / temperature)
    threshold = np.float64(word >> U(11)) * 2.0**-53 * total
    reached, position = 0.0, -1
    while position < n - 1 and reached <= threshold:
        position += 1
        reached += exp_negative(np.float64(best - scores[position]) / 1000.0 / temperature)
    return position


class Decision(NamedTuple):
    """A player is to move.

    Attributes
    ----------
    turn
        The round before the move.
    seat
        Who moves.
    hand
        Its hand, in rows.
    moves
        The legal moves, at least one, as the game has them.
    is_lead
        Whether this is the first tile of the round.
    """

    turn: Any
    seat: np.int64
    hand: np.uint64
    moves: Any
    is_lead: bool


@by_type(2)
def choose(policy: Any, terms: Any, here: Decision, word: Word) -> Any:
    """The move that a seat plays.

    Parameters
    ----------
    policy
        How the seats choose.
    terms
        On what terms the round is played: the game's tuple of `rules`, `policy` and what else its players look at.
    here
        The decision.
    word
        The random word of it.
    """


# --- What only some policies want to know -----------------------------------------------------------------------------
# For the others these compile to nothing.


@by_type(1, optional=True)
def begin_round(policy: Any, rules: Any, starter: int, standing: tuple[int, ...], key: RoundKey) -> None:
    """Tell the policy that a round begins.

    Parameters
    ----------
    policy
        One of the policies.
    rules
        The rules.
    starter
        Who leads.
    standing
        What is known of the match so far, in numbers: the CAMAT or -1, the scores.
    key
        Keys of the round.
    """


@by_type(1, optional=True)
def witness(policy: Any, turn: Any, event: int, seat: int, index: Word, end: int, direction: int) -> None:
    """Tell the policy what happened.

    Parameters
    ----------
    policy
        One of the policies.
    turn
        The round after it.
    event
        `codes.Event`: LEAD, PLAY, DRAW, PASS or PASSEBUNGE.
    seat
        Who did it.
    index
        What was played, or the tile drawn; that of no tile for a PASS.
    end
        `codes.End` joined by a PLAY; else -1.
    direction
        `codes.Direction` of a PLAY on a finite table; else -1.
    """
