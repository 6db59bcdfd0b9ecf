"""Odds of positions, compiled: sampling and going through whole trees, the same for every game.

A sample of number i draws its deal by a word of (seed, i, purpose HIDDEN), every move is played out on that deal, and
all choices are made by the words of (seed, i, purpose PLAYOUT), so that luck is the same after each of the moves
compared.  What games add answers the questions below, by the type of their terms or of what they explore.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.codes import Purpose
from domeng_sim.core.dispatch import by_type
from domeng_sim.core.jit import entry, kernel
from domeng_sim.core.job import NoLog, RoundKey
from domeng_sim.core.policy import begin_round, witness
from domeng_sim.core.streams import mix, philox
from domeng_sim.games.shared.dealing import n_deals_of, numbers_below
from domeng_sim.games.shared.odds import Exact
from domeng_sim.games.shared.odds_start import Start

_PLAYOUT = U(Purpose.PLAYOUT)

LOW, HIGH, OTHER_LOW, OTHER_HIGH, LEAVES, PAST_LIMIT = 0, 1, 2, 3, 4, 5
"""What is noted of a tree: least and most of two amounts, ends of rounds looked at, and whether they were too many."""
N_SEEN = 6


class Room(NamedTuple):
    """Room of a sample.

    Attributes
    ----------
    deal, hands, seat_words
        uint64, shape (seats,): the deal, and the hands of a playout.
    places
        uint64, shape (places,): hidden tiles by place.
    lacking
        int64, shape (places,).
    values
        int64, shape (moves, measures).
    seat_offsets
        `streams.seat_offsets`.
    log
        Always `NoLog`.
    extra
        int64: what a game needs more.
    """

    deal: npt.NDArray[np.uint64]
    hands: npt.NDArray[np.uint64]
    seat_words: npt.NDArray[np.uint64]
    places: npt.NDArray[np.uint64]
    lacking: npt.NDArray[np.int64]
    values: npt.NDArray[np.int64]
    seat_offsets: npt.NDArray[np.uint64]
    log: NoLog
    extra: npt.NDArray[np.int64]


# --- What games answer ------------------------------------------------------------------------------------------------


@by_type(1, optional=True)
def set_up(terms: Any, start: Start, room: Room) -> None:
    """Make ready for the deals of a position."""


@by_type(1)
def deal_hidden(terms: Any, start: Start, number: Word, order: Word, room: Room, hands: npt.NDArray[np.uint64]) -> Any:
    """Deal the hidden tiles of a number.

    Parameters
    ----------
    terms
        Of the game.
    start
        The position.
    number
        Below the number of deals.
    order
        A word whose digits order what can be drawn.
    room
        Its `places` and `lacking` are written.
    hands
        uint64, shape (seats,), written.

    Returns
    -------
    turn
        The round as it stands on that deal.
    """


@by_type(1)
def play_out(
    terms: Any, start: Start, turn: Any, move: npt.NDArray[np.int64], room: Room, key: RoundKey,
    values: npt.NDArray[np.int64],
) -> None:  # fmt: skip
    """Play the round on after a move.

    Parameters
    ----------
    terms
        On what terms it is played on; the types in it select the engine.
    start
        The position.
    turn
        The round as it stands.
    move
        One of `start.moves`.
    room
        Its `hands` are changed; its `seat_words` are those of the sample.
    key
        Number of the sample.
    values
        int64, shape (measures,): zeros, in which it is noted what came of it.
    """


@by_type(1)
def retold(now: Any, turn: Any, act: npt.NDArray[np.int64]) -> Any:
    """The round after an act, as everybody saw it.

    Parameters
    ----------
    now
        The round as it stands at the position, for what is not told of the past.
    turn
        The round before the act; not looked at before the lead.
    act
        A row of `Start.story`.
    """


@by_type(1)
def explore(ground: Any, start: Start, turn: Any, move: npt.NDArray[np.int64], room: Room) -> None:
    """Go through the whole tree behind a move; what comes of it is added up in `ground.tree`, whose hands are dealt."""


# --- The harness ------------------------------------------------------------------------------------------------------


@kernel
def tell_story(terms: Any, start: Start, key: RoundKey) -> None:
    """Tell a policy that keeps the history of a round what was played before the position."""
    begin_round(terms.policy, terms.rules, start.starter, start.standing, key)
    turn = start.turn
    for act in range(start.story.shape[0]):
        row = start.story[act]
        turn = retold(start.turn, turn, row)
        witness(terms.policy, turn, row[0], row[1], U(row[2]), row[3], row[4])


@kernel
def play_moves(start: Start, terms: Any, turn: Any, room: Room, key: RoundKey, n_moves: int) -> None:
    """Play each of the moves out on the deal and with the luck of a sample; `room.values` is written."""
    for move in range(n_moves):
        for seat in range(room.hands.shape[0]):
            room.hands[seat] = room.deal[seat]
        room.values[move, :] = 0
        tell_story(terms, start, key)
        play_out(terms, start, turn, start.moves[move], room, key, room.values[move])


@kernel
def add_values(
    values: npt.NDArray[np.int64], weight: int, totals: npt.NDArray[np.int64], products: npt.NDArray[np.int64]
) -> None:
    """Add what came of a sample to the sums; see `sample_moves`."""
    n_moves, n_measures = totals.shape
    for move in range(n_moves):
        for measure in range(n_measures):
            value = weight * values[move, measure]
            if value:
                totals[move, measure] += value
                for other in range(move, n_moves):
                    products[measure, move, other] += value * values[other, measure]


@entry
def sample_moves(
    seed: np.uint64,
    numbers: tuple[int, int],
    start: Start,
    terms: Any,
    room: Room,
    totals: npt.NDArray[np.int64],
    products: npt.NDArray[np.int64],
) -> None:
    """Play samples.

    Parameters
    ----------
    seed
        Key of all random numbers.
    numbers
        The first sample, and one after the last.
    start
        The position.
    terms
        On what terms it is played on.
    room
        Room.
    totals
        Shape (moves, measures), added to.
    products
        Shape (measures, moves, moves), added to where the second move is not before the first.
    """
    n_seats, n_deals, n_moves = room.hands.shape[0], n_deals_of(start.hidden), totals.shape[0]
    set_up(terms, start, room)
    for number in range(numbers[0], numbers[1]):
        sample = U(number)
        which, order = numbers_below(seed, sample, n_deals, start.n_orders)
        turn = deal_hidden(terms, start, which, order, room, room.deal)
        word = philox(seed, sample, U(0), _PLAYOUT)[0]
        for seat in range(n_seats):
            room.seat_words[seat] = mix(word + room.seat_offsets[seat])
        play_moves(start, terms, turn, room, RoundKey(sample, 0, start.round_), n_moves)
        add_values(room.values, 1, totals, products)


@entry
def explore_deals(numbers: tuple[np.uint64, np.uint64], move: int, start: Start, ground: Any, room: Room) -> None:
    """Go through the whole tree behind a move on a range of deals.

    Parameters
    ----------
    numbers
        The first deal, and one after the last.
    move
        Which of the moves.
    start
        The position.
    ground
        What stays the same all over a tree; the totals of its tree are added to.
    room
        Room.
    """
    tree, number = ground.tree, numbers[0]
    set_up(ground.terms, start, room)
    while number < numbers[1] and not tree.seen[PAST_LIMIT]:
        turn = deal_hidden(ground.terms, start, number, U(0), room, tree.hands)
        explore(ground, start, turn, start.moves[move], room)
        number += U(1)


@kernel
def note_end(seen: npt.NDArray[np.int64], amount: int, other: int) -> None:
    """Note an end of a round, and two amounts that came of it."""
    seen[LOW], seen[HIGH] = min(seen[LOW], amount), max(seen[HIGH], amount)
    seen[OTHER_LOW], seen[OTHER_HIGH] = min(seen[OTHER_LOW], other), max(seen[OTHER_HIGH], other)
    seen[LEAVES] += 1


def new_seen(most: int) -> npt.NDArray[np.int64]:
    """What is noted of a tree before its first end; no amount is above `most`."""
    return np.array([most, 0, most, 0, 0, 0], np.int64)


def exact_of(
    weight: int,
    shares: Sequence[int],
    amounts: Sequence[tuple[int, int, int]],
    details: dict[str, tuple[int, ...]],
    leaves: int,
) -> Exact:
    """What whole trees add up to.

    Parameters
    ----------
    weight
        Weight of all deals.
    shares
        Totals of what happens or not.
    amounts
        Of each amount the total, the least and the most.
    details, leaves
        As in `Exact`.
    """
    return Exact(
        weight,
        (*shares, *(total for total, _, _ in amounts)),
        (*(int(total == weight) for total in shares), *(low for _, low, _ in amounts)),
        (*(int(total > 0) for total in shares), *(high for _, _, high in amounts)),
        details,
        leaves,
    )
