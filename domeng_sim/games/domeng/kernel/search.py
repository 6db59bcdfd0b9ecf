"""The search player: draws hidden deals that agree with what it knows, and plays each of its moves out on them.

In a playout everybody plays by one weighted strategy, the *base*. Deals and luck are the same for all moves of a
decision and come from its random word alone, so that rows depend on the seed and on nothing else. A move other than the
base's own must be better by one standard error of the paired difference; moves far behind are dropped on the way. The
kernel has the true hands at hand and must not look at them: what the search gets is the decision and what was seen.

This is the one policy whose choice goes through the steps of a round itself. It plays out with another policy,
`BasePolicy`, so that nothing recurs.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, high_product, lowest_bit
from domeng_sim.core.codes import Event
from domeng_sim.core.dispatch import answer
from domeng_sim.core.hands import KEEP
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import NoLog, RoundKey, Tally
from domeng_sim.core.policy import Decision, begin_round, choose, witness
from domeng_sim.core.streams import GOLDEN, mix
from domeng_sim.games.domeng.kernel.camat_chance import N_STONES, chance_of_camat, is_fitted, strengths
from domeng_sim.games.domeng.kernel.counts import HELD
from domeng_sim.games.domeng.kernel.deal import N_SEATS
from domeng_sim.games.domeng.kernel.features import outlook
from domeng_sim.games.domeng.kernel.hidden_deals import (
    BY_STARTER,
    CAMAT,
    IS_FIRST,
    LED,
    N_SEEN,
    STARTER,
    HiddenDeals,
    deal_of,
    make_deals,
    prepare,
)
from domeng_sim.games.domeng.kernel.policies import DomengTerms, DomengWeightedPolicy, best_of_weights
from domeng_sim.games.domeng.kernel.state import after_lead, after_play, byte
from domeng_sim.games.domeng.kernel.step import close_round, play_on
from domeng_sim.games.domeng.rules import RulesRow
from domeng_sim.games.types import Seat

N_MOVES = 10
"""Most legal moves of a decision: five tiles at two ends."""
LOOK = U(16)
"""Samples between two looks at which moves can be dropped."""
_ERRORS4, _ROOM = 25, 21
"""Four times the square of 2.5 standard errors, and that minus four; see `is_behind`."""
_WORDS = U(8)
"""Random words set aside for a sample: the deal's, then one for each seat."""
_GOLDEN = U(GOLDEN)


class Value(IntEnum):
    """What the search strives for; a value is a whole number that is the higher the better."""

    STONES = 0
    CAMAT = 1


class BasePolicy(NamedTuple):
    """Everybody weighs features in the same way.

    Attributes
    ----------
    weights
        int64, shape (features,).
    temperature
        As in `policies.DomengWeightedPolicy`.
    """

    weights: npt.NDArray[np.int64]
    temperature: float


class SearchPolicy(NamedTuple):
    """Seats of which some search.

    Attributes
    ----------
    weighted
        By seat the weights of a seat that does not search, and of the base of one that does.
    n
        uint64, shape (5,): most deals drawn for a decision; 0 for a seat that does not search.
    value
        int64, shape (5,): `Value`.
    strengths
        From `camat_chance.strengths`.
    seen
        uint64, shape (N_SEEN,): what everybody saw of the round; see `hidden_deals`.
    deals
        Room for the deals of a decision.
    deal, hands, words
        uint64, shape (5,): the hands of a sample, the same as they are played, and the luck of the seats.
    moves
        uint64, shape (N_MOVES,).
    values, totals
        int64, shape (N_MOVES,): of a sample, and summed.
    products
        int64, shape (N_MOVES, N_MOVES): sums of the products of the values of two moves.
    flows
        int64: where playouts count stones; nobody reads it.
    """

    weighted: DomengWeightedPolicy
    n: npt.NDArray[np.uint64]
    value: npt.NDArray[np.int64]
    strengths: npt.NDArray[np.int64]
    seen: npt.NDArray[np.uint64]
    deals: HiddenDeals
    deal: npt.NDArray[np.uint64]
    hands: npt.NDArray[np.uint64]
    words: npt.NDArray[np.uint64]
    moves: npt.NDArray[np.uint64]
    values: npt.NDArray[np.int64]
    totals: npt.NDArray[np.int64]
    products: npt.NDArray[np.int64]
    flows: npt.NDArray[np.int64]


def search_policy(seats: Sequence[Seat], weighted: DomengWeightedPolicy) -> SearchPolicy:
    """The policy of seats of which some search; the others go by `weighted`."""
    plans = [seat.search for seat in seats]
    five = np.zeros(N_SEATS, np.uint64)
    return SearchPolicy(
        weighted,
        np.array([plan.n if plan else 0 for plan in plans], np.uint64),
        np.array([Value[plan.value.upper()] if plan else 0 for plan in plans], np.int64),
        strengths(),
        np.zeros(N_SEEN, np.uint64),
        make_deals(),
        five,
        five.copy(),
        five.copy(),
        np.zeros(N_MOVES, np.uint64),
        np.zeros(N_MOVES, np.int64),
        np.zeros(N_MOVES, np.int64),
        np.zeros((N_MOVES, N_MOVES), np.int64),
        np.zeros(HELD, np.int64),
    )


@answer(choose, BasePolicy, DomengTerms)
@kernel
def _choose_by_base(policy: BasePolicy, terms: DomengTerms, here: Decision, word: Word) -> Word:
    if not here.moves & (here.moves - U(1)):
        return lowest_bit(here.moves)
    return best_of_weights(policy.weights, policy.temperature, outlook(terms.rules, here), here.moves, word)


# --- What everybody saw -----------------------------------------------------------------------------------------------


@answer(begin_round, SearchPolicy)
@kernel
def _begin(policy: SearchPolicy, rules: RulesRow, starter: int, standing: tuple[int, ...], key: RoundKey) -> None:
    policy.seen[IS_FIRST] = U(key.game == 0 and key.round_ == 0)
    policy.seen[STARTER], policy.seen[BY_STARTER] = U(starter), U(0)
    policy.seen[CAMAT] = U(standing[0] + 1)


@answer(witness, SearchPolicy)
@kernel
def _witness(policy: SearchPolicy, turn: object, event: int, seat: int, index: Word, end: int, direction: int) -> None:
    if event == Event.LEAD:
        policy.seen[LED] = index
    if U(seat) == policy.seen[STARTER] and (event == Event.LEAD or event == Event.PLAY):
        policy.seen[BY_STARTER] |= ~KEEP[index]


# --- A decision -------------------------------------------------------------------------------------------------------


@kernel
def is_better(ahead: int, squares: int) -> bool:
    """Whether a move is better than another by one standard error of their paired difference.

    With D the sum of the differences over n samples and Q that of their squares, the square of the standard error of D
    is (n Q - D^2) / (n - 1); so D is one error above 0 where D^2 >= Q.
    """
    return ahead > 0 and ahead * ahead >= squares


@kernel
def is_behind(ahead: int, squares: int, n: int) -> bool:
    """Whether a move is 2.5 standard errors behind another; see `is_better`. All in whole numbers."""
    return ahead > 0 and ahead * ahead // n >= _ERRORS4 * squares // (4 * n + _ROOM)


@shared
def play_out(policy: SearchPolicy, terms: DomengTerms, here: Decision, index: Word, by_chance: bool) -> int:
    """Play the round on after a move, on the hands and with the luck of the sample; returns the value of its end.

    Parameters
    ----------
    policy
        Its `deal` and `words` hold the sample.
    terms
        The rules, and the base.
    here
        The decision.
    index
        The move.
    by_chance
        Whether the value is the chance of becoming CAMAT; otherwise it is made of stones.
    """
    hands, me, rules = policy.hands, here.seat, terms.rules
    for seat in range(N_SEATS):
        hands[seat] = policy.deal[seat]
    hands[me] = here.hand & KEEP[index]
    turn = after_lead(here.turn, index) if here.is_lead else after_play(here.turn, me, index)
    last, blocked = index, False
    if hands[me]:
        tally, log = Tally(policy.flows, U(0)), NoLog()
        turn, last, blocked = play_on(turn, hands, policy.words, terms, tally, log, RoundKey(U(0), 0, 0))
    turn, end, camat = close_round(turn, last, blocked, hands, rules)
    if by_chance:
        before = np.int64(policy.seen[CAMAT]) - 1
        return chance_of_camat(policy.strengths, turn.stones, camat, end.winner if before < 0 else before, me)
    if camat >= 0:
        return 2 * np.int64(rules.stones) if camat == me else 0
    return np.int64(rules.stones) - np.int64(byte(turn.stones, me))


@kernel
def draw_sample(policy: SearchPolicy, here: Decision, word: Word, n_deals: Word) -> None:
    """Draw the hands and the luck of a sample.

    Parameters
    ----------
    policy
        Its `deals` are prepared; `deal` and `words` are written.
    here
        The decision.
    word
        Where the words of the sample begin.
    n_deals
        Number of deals.
    """
    number = mix(word)
    least = (U(0) - n_deals) % n_deals
    while number * n_deals < least:  # words that would favour some deals
        number = mix(number)
    deal_of(policy.deals, high_product(number, n_deals), np.int64(policy.seen[STARTER]), policy.deal)
    for seat in range(N_SEATS):
        policy.words[seat] = mix(word + U(seat + 1) * _GOLDEN)


@kernel
def drop_behind(policy: SearchPolicy, alive: Word, n_moves: int, n: int) -> Word:
    """The moves that are not far behind the best one after `n` samples."""
    best = best_total(policy, alive, n_moves)
    totals, products = policy.totals, policy.products
    for move in range(n_moves):
        if (alive >> U(move)) & U(1) and move != best:
            squares = products[best, best] + products[move, move] - 2 * products[min(best, move), max(best, move)]
            if is_behind(totals[best] - totals[move], squares, n):
                alive ^= U(1) << U(move)
    return alive


@kernel
def best_total(policy: SearchPolicy, alive: Word, n_moves: int) -> int:
    """The move with the highest total, of equals the first."""
    best = -1
    for move in range(n_moves):
        if (alive >> U(move)) & U(1) and (best < 0 or policy.totals[move] > policy.totals[best]):
            best = move
    return best


@kernel
def best_against(policy: SearchPolicy, alive: Word, n_moves: int, own: int) -> int:
    """The best of the moves that are better than the base's `own` by one error; `own` if there is none."""
    if not (alive >> U(own)) & U(1):
        return best_total(policy, alive, n_moves)
    best, totals, products = own, policy.totals, policy.products
    for move in range(n_moves):
        if (alive >> U(move)) & U(1) and totals[move] > totals[best]:
            squares = products[own, own] + products[move, move] - 2 * products[min(own, move), max(own, move)]
            if is_better(totals[move] - totals[own], squares):
                best = move
    return best


@shared
def search(policy: SearchPolicy, rules: RulesRow, here: Decision, word: Word) -> Word:
    """The move that a searching seat plays; there are two or more."""
    seat = here.seat
    base = BasePolicy(policy.weighted.weights[seat], policy.weighted.temperature[seat])
    terms = DomengTerms(rules, base)
    by_chance = policy.value[seat] == Value.CAMAT and is_fitted(rules)
    wanted, n_moves, own = choose(base, terms, here, word), 0, 0
    rest = here.moves
    while rest:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        if index == wanted:
            own = n_moves
        policy.moves[n_moves] = index
        n_moves += 1
    for move in range(n_moves):
        policy.totals[move] = 0
        for other in range(n_moves):
            policy.products[move, other] = 0
    n_deals = prepare(policy.deals, here, rules, policy.seen)
    if not n_deals:
        return wanted
    alive, n = (U(1) << U(n_moves)) - U(1), U(0)
    while n < policy.n[seat] and alive & (alive - U(1)):
        draw_sample(policy, here, word + (_WORDS * n + U(1)) * _GOLDEN, n_deals)
        for move in range(n_moves):
            if (alive >> U(move)) & U(1):
                value = play_out(policy, terms, here, policy.moves[move], by_chance)
                policy.values[move] = value
                policy.totals[move] += value
                for other in range(move + 1):
                    policy.products[other, move] += value * policy.values[other]
        n += U(1)
        if n % LOOK == U(0):
            alive = drop_behind(policy, alive, n_moves, np.int64(n))
    return policy.moves[best_against(policy, alive, n_moves, own)]


@answer(choose, SearchPolicy, DomengTerms)
@kernel
def _choose(policy: SearchPolicy, terms: DomengTerms, here: Decision, word: Word) -> Word:
    if policy.n[here.seat] and here.moves & (here.moves - U(1)):
        return search(policy, terms.rules, here, word)
    return choose(policy.weighted, terms, here, word)


assert N_STONES == 26
