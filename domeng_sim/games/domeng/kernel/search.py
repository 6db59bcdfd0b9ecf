"""The search player of Domeng; see `games.shared.search`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, popcount
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
from domeng_sim.games.domeng.kernel.feature_names import FEATURES
from domeng_sim.games.domeng.kernel.features import HANDS
from domeng_sim.games.domeng.kernel.hidden_deals import (
    BY_STARTER,
    CAMAT,
    IS_FIRST,
    LED,
    N_CASES,
    N_OTHERS,
    N_SEEN,
    STARTER,
    HiddenDeals,
    deal_of,
    deal_void,
    make_deals,
    prepare,
    subset_of,
    with_held,
)
from domeng_sim.games.domeng.kernel.inference import RoundChoices, forget, likelihood, make_past, note_act
from domeng_sim.games.domeng.kernel.policies import DomengTerms, DomengWeightedPolicy
from domeng_sim.games.domeng.kernel.state import DomengRoundState, after_lead, after_play, byte
from domeng_sim.games.domeng.kernel.step import close_round, play_on
from domeng_sim.games.domeng.rules import SEARCH, RulesRow
from domeng_sim.games.shared.search import (
    TRIES,
    SearchRoom,
    agreeing,
    base_terms,
    bases,
    deal_likely,
    deal_sample,
    number_below,
    pick,
    play_out,
    search,
    search_room,
)
from domeng_sim.games.types import Seat

VALUES = tuple(SEARCH.values)
"""What the search can strive for; a value is a whole number that is the higher the better."""
_CAMAT = VALUES.index("camat")
_GOLDEN = U(GOLDEN)


class DomengSearchPolicy(NamedTuple):
    """Seats of which some search.

    Attributes
    ----------
    room
        How they search, and room for a decision.
    weighted
        Of the seats that do not search.
    weights, temperature
        From `games.shared.search.bases`.
    strengths
        From `camat_chance.strengths`.
    seen
        uint64, shape (N_SEEN,): what everybody saw of the round; see `hidden_deals`.
    past
        The choices of the round so far.
    deals
        Room for the deals of a decision.
    flows
        int64: where playouts count stones; nobody reads it.
    """

    room: SearchRoom
    weighted: DomengWeightedPolicy
    weights: npt.NDArray[np.int64]
    temperature: npt.NDArray[np.float64]
    strengths: npt.NDArray[np.int64]
    seen: npt.NDArray[np.uint64]
    past: RoundChoices
    deals: HiddenDeals
    flows: npt.NDArray[np.int64]


def search_policy(seats: Sequence[Seat], weighted: DomengWeightedPolicy) -> DomengSearchPolicy:
    """The policy of seats of which some search; the others go by `weighted`."""
    return DomengSearchPolicy(
        search_room(seats, VALUES, FEATURES),
        weighted,
        *bases(weighted.weights, weighted.temperature),
        strengths(),
        np.zeros(N_SEEN, np.uint64),
        make_past(),
        make_deals(),
        np.zeros(HELD, np.int64),
    )


# --- What everybody saw -----------------------------------------------------------------------------------------------


@answer(begin_round, DomengSearchPolicy)
@kernel
def _begin(policy: DomengSearchPolicy, rules: RulesRow, starter: int, standing: tuple[int, ...], key: RoundKey) -> None:
    policy.seen[IS_FIRST] = U(key.game == 0 and key.round_ == 0)
    policy.seen[STARTER], policy.seen[BY_STARTER] = U(starter), U(0)
    policy.seen[CAMAT] = U(standing[0] + 1)
    forget(policy.past, key.game == 0 and key.round_ == 0)


@answer(witness, DomengSearchPolicy)
@kernel
def _witness(
    policy: DomengSearchPolicy, turn: DomengRoundState, event: int, seat: int, index: Word, end: int, direction: int
) -> None:
    if policy.room.pool.shape[0]:
        note_act(policy.past, turn, event, seat, index)
    if event == Event.LEAD:
        policy.seen[LED] = index
    if U(seat) == policy.seen[STARTER] and (event == Event.LEAD or event == Event.PLAY):
        policy.seen[BY_STARTER] |= ~KEEP[index]


# --- A decision -------------------------------------------------------------------------------------------------------


@answer(base_terms, DomengSearchPolicy)
@kernel
def _base_terms(policy: DomengSearchPolicy, terms: DomengTerms, seat: int) -> DomengTerms:
    return DomengTerms(terms.rules, DomengWeightedPolicy(policy.weights[seat], policy.temperature[seat]))


@answer(agreeing, DomengSearchPolicy)
@kernel
def _agreeing(policy: DomengSearchPolicy, terms: DomengTerms, here: Decision) -> Word:
    return prepare(policy.deals, here, terms.rules, policy.seen)


@answer(deal_sample, DomengSearchPolicy)
@kernel
def _deal_sample(policy: DomengSearchPolicy, here: Decision, number: Word) -> None:
    deal_of(policy.deals, number, np.int64(policy.seen[STARTER]), policy.room.deal)


@kernel
def _likelihood(policy: DomengSearchPolicy, rules: RulesRow, me: int, seat: int, hand: Word) -> float:
    room = policy.room
    return likelihood(policy.past, rules, room.models[me], room.softness[me], seat, hand)


@shared
def likely_void(policy: DomengSearchPolicy, rules: RulesRow, me: int, case: int, word: Word) -> Word:
    """Pick the hands of the seats that showed what they lack; returns the tiles that are left."""
    room, deals = policy.room, policy.deals
    starter, n_ways = np.int64(policy.seen[STARTER]), deals.n[case] // deals.n_free[case]
    for number in range(TRIES):
        deal_void(deals, case, number_below(word + U(number) * _GOLDEN, n_ways), room.tries[number])
        room.chances[number] = 1.0
        for k in range(deals.n_void[case]):
            seat = deals.order[case, k]
            hand = with_held(deals, case, starter, seat, room.tries[number, seat])
            room.chances[number] *= _likelihood(policy, rules, me, seat, hand)
    rest, picked = deals.open[case], pick(room.chances, TRIES, mix(word + U(TRIES) * _GOLDEN))
    for k in range(deals.n_void[case]):
        seat = deals.order[case, k]
        room.deal[seat] = room.tries[picked, seat]
        rest &= ~room.deal[seat]
    return rest


@shared
def likely_free(
    policy: DomengSearchPolicy, rules: RulesRow, me: int, case: int, k: int, rest: Word, word: Word
) -> None:
    """Pick the hand of another seat out of the tiles `rest`."""
    room, deals = policy.room, policy.deals
    starter, seat, size = np.int64(policy.seen[STARTER]), deals.order[case, k], deals.sizes[case, k]
    n_hands = U(HANDS[popcount(rest), size])
    for number in range(TRIES):
        hand = subset_of(deals, number_below(word + U(number) * _GOLDEN, n_hands), size, rest)
        room.tries[number, seat] = hand
        room.chances[number] = _likelihood(policy, rules, me, seat, with_held(deals, case, starter, seat, hand))
    room.deal[seat] = room.tries[pick(room.chances, TRIES, mix(word + U(TRIES) * _GOLDEN)), seat]


@kernel
def _mean(chances: npt.NDArray[np.float64]) -> float:
    total = 0.0
    for number in range(TRIES):
        total += chances[number]
    return total / TRIES


@answer(deal_likely, DomengSearchPolicy)
@shared
def _deal_likely(
    policy: DomengSearchPolicy, terms: DomengTerms, here: Decision, start: Word, tries: Word, at: int
) -> None:
    room, deals, me = policy.room, policy.deals, here.seat
    n_deals = U(0)
    for case in range(N_CASES):
        n_deals += deals.n[case]
    number, case = number_below(start, n_deals), 0
    while number >= deals.n[case]:
        number -= deals.n[case]
        case += 1
    rest, likely, word = deals.open[case], 1.0, tries
    if deals.n_void[case]:
        rest = likely_void(policy, terms.rules, me, case, word)
        likely *= _mean(room.chances)
    for k in range(deals.n_void[case], N_OTHERS):
        word += U(TRIES + 1) * _GOLDEN
        likely_free(policy, terms.rules, me, case, k, rest, word)
        likely *= _mean(room.chances)
        rest ^= room.deal[deals.order[case, k]]
    for k in range(N_OTHERS):
        seat = deals.order[case, k]
        room.pool[at, seat] = with_held(deals, case, np.int64(policy.seen[STARTER]), seat, room.deal[seat])
    room.likely[at] = likely


@answer(play_out, DomengSearchPolicy)
@shared
def _play_out(policy: DomengSearchPolicy, terms: DomengTerms, here: Decision, index: Word) -> int:
    room, me, rules = policy.room, here.seat, terms.rules
    hands = room.hands
    for seat in range(N_SEATS):
        hands[seat] = room.deal[seat]
    hands[me] = here.hand & KEEP[index]
    turn = after_lead(here.turn, index) if here.is_lead else after_play(here.turn, me, index)
    last, blocked = index, False
    if hands[me]:
        tally, log = Tally(policy.flows, U(0)), NoLog()
        turn, last, blocked = play_on(turn, hands, room.words, terms, tally, log, RoundKey(U(0), 0, 0))
    turn, end, camat = close_round(turn, last, blocked, hands, rules)
    if room.value[me] == _CAMAT and is_fitted(rules):
        before = np.int64(policy.seen[CAMAT]) - 1
        return chance_of_camat(policy.strengths, turn.stones, camat, end.winner if before < 0 else before, me)
    if camat >= 0:
        return 2 * np.int64(rules.stones) if camat == me else 0
    return np.int64(rules.stones) - np.int64(byte(turn.stones, me))


@answer(choose, DomengSearchPolicy, DomengTerms)
@kernel
def _choose(policy: DomengSearchPolicy, terms: DomengTerms, here: Decision, word: Word) -> Word:
    if policy.room.n[here.seat] and here.moves & (here.moves - U(1)):
        return search(policy, terms, here, word)
    return choose(policy.weighted, terms, here, word)


assert N_STONES == 26
