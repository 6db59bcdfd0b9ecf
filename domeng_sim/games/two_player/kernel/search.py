"""The search player of two-player games; see `games.shared.search`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.dispatch import answer
from domeng_sim.core.hands import KEEP, LOWER
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import NoLog, RoundKey
from domeng_sim.core.policy import Decision, begin_round, choose, witness
from domeng_sim.games.shared.dealing import deal_of
from domeng_sim.games.shared.search import (
    SearchRoom,
    agreeing,
    base_terms,
    bases,
    deal_sample,
    play_out,
    search,
    search_room,
)
from domeng_sim.games.two_player.kernel.deal import N_SEATS
from domeng_sim.games.two_player.kernel.geometry import lay, reach
from domeng_sim.games.two_player.kernel.hidden_deals import (
    OtherHands,
    begin,
    make_deals,
    note_event,
    prepare,
    tables_of,
)
from domeng_sim.games.two_player.kernel.marks import N_MARK, mark_table, rewind
from domeng_sim.games.two_player.kernel.moves import Move
from domeng_sim.games.two_player.kernel.policies import TwoPlayerTerms, TwoPlayerWeightedPolicy
from domeng_sim.games.two_player.kernel.state import TwoPlayerRoundState, after_lead, after_play, can_draw
from domeng_sim.games.two_player.kernel.step import HIGHEST, NOBODY_DRAWS, close_round, play_on
from domeng_sim.games.two_player.rules import SEARCH, RulesRow
from domeng_sim.games.types import Seat

VALUES = tuple(SEARCH.values)
"""What the search can strive for."""
_POINTS = VALUES.index("points")
_STOCK = N_SEATS
"""Place of the stock in a sample, and of its order among the words."""


class TwoPlayerSearchPolicy(NamedTuple):
    """Seats of which some search.

    Attributes
    ----------
    room
        How they search, and room for a decision.
    weighted
        Of the seats that do not search.
    weights, temperature
        From `games.shared.search.bases`.
    deals
        What was seen of the round, and room for the deals of a decision.
    mark
        int64, shape (N_MARK,): how the table is at a decision.
    """

    room: SearchRoom
    weighted: TwoPlayerWeightedPolicy
    weights: npt.NDArray[np.int64]
    temperature: npt.NDArray[np.float64]
    deals: OtherHands
    mark: npt.NDArray[np.int64]


def search_policy(seats: Sequence[Seat], weighted: TwoPlayerWeightedPolicy) -> TwoPlayerSearchPolicy:
    """The policy of seats of which some search; the others go by `weighted`."""
    return TwoPlayerSearchPolicy(
        search_room(seats, VALUES, ()),
        weighted,
        *bases(weighted.weights, weighted.temperature),
        make_deals(),
        np.zeros(N_MARK, np.int64),
    )


@answer(begin_round, TwoPlayerSearchPolicy)
@kernel
def _begin(
    policy: TwoPlayerSearchPolicy, rules: RulesRow, starter: int, standing: tuple[int, ...], key: RoundKey
) -> None:
    begin(policy.deals, starter)


@answer(witness, TwoPlayerSearchPolicy)
@kernel
def _witness(
    policy: TwoPlayerSearchPolicy,
    turn: TwoPlayerRoundState,
    event: int,
    seat: int,
    index: Word,
    end: int,
    direction: int,
) -> None:
    note_event(policy.deals, turn, event, seat, index)


@answer(base_terms, TwoPlayerSearchPolicy)
@kernel
def _base_terms(policy: TwoPlayerSearchPolicy, terms: TwoPlayerTerms, seat: int) -> TwoPlayerTerms:
    room = policy.weighted
    base = TwoPlayerWeightedPolicy(
        policy.weights[seat], policy.temperature[seat], room.scores, room.indices, room.ends_and_directions
    )
    return TwoPlayerTerms(terms.rules, base, terms.table)


@answer(agreeing, TwoPlayerSearchPolicy)
@kernel
def _agreeing(policy: TwoPlayerSearchPolicy, terms: TwoPlayerTerms, here: Decision) -> Word:
    mark_table(terms.table, policy.mark)
    return prepare(policy.deals, here, terms.rules.opening_lead == HIGHEST)


@answer(deal_sample, TwoPlayerSearchPolicy)
@kernel
def _deal_sample(policy: TwoPlayerSearchPolicy, here: Decision, number: Word) -> None:
    deals, deal = policy.deals, policy.room.deal
    n_places = deals.n[0]
    for place in range(n_places):
        deals.places[place] = U(0)
    deal_of(number, tables_of(deals), deals.lacking, deals.places)
    other = 1 - here.seat
    deal[other] = U(0)
    for place in range(n_places - 1):
        deal[other] |= deals.places[place]
    deal[_STOCK] = deals.places[n_places - 1] & LOWER


@kernel
def with_stock(turn: TwoPlayerRoundState, stock: Word, order: Word) -> TwoPlayerRoundState:
    """The same round with a stock, and a word that orders it."""
    return TwoPlayerRoundState(
        turn.seat, turn.left8, turn.right8, stock, order, turn.seen, turn.lacks0, turn.lacks1, turn.plays, turn.draws,
        turn.passes,
    )  # fmt: skip


@kernel
def _is_over(turn: TwoPlayerRoundState, hands: npt.NDArray[np.uint64], table: Any) -> bool:
    reached = reach(table, turn)
    return not can_draw(turn) and not (hands[0] | hands[1]) & (reached.left | reached.right)


@answer(play_out, TwoPlayerSearchPolicy)
@shared
def _play_out(policy: TwoPlayerSearchPolicy, terms: TwoPlayerTerms, here: Decision, move: Move) -> int:
    room, me = policy.room, here.seat
    hands = room.hands
    hands[me], hands[1 - me] = here.hand & KEEP[move.index], room.deal[1 - me]
    # where nobody draws, the tiles that nobody has are no stock
    stock = U(0) if terms.rules.draw == NOBODY_DRAWS else room.deal[_STOCK]
    turn = with_stock(here.turn, stock, room.words[_STOCK])
    turn = after_lead(turn, move.index) if here.is_lead else after_play(turn, me, move)
    lay(terms.table, move)
    is_blocked = False
    if hands[me]:
        is_blocked = _is_over(turn, hands, terms.table)
        if not is_blocked:
            turn, is_blocked = play_on(turn, hands, room.words, terms, NoLog(), RoundKey(U(0), 0, 0))
    end = close_round(turn, is_blocked, hands)
    rewind(terms.table, policy.mark)
    worth = end.points if room.value[me] == _POINTS else 1
    return worth if end.winner == me else (0 if end.winner < 0 else -worth)


@answer(choose, TwoPlayerSearchPolicy, TwoPlayerTerms)
@kernel
def _choose(policy: TwoPlayerSearchPolicy, terms: TwoPlayerTerms, here: Decision, word: Word) -> Move:
    if policy.room.n[here.seat]:
        return search(policy, terms, here, word)
    return choose(policy.weighted, terms, here, word)
