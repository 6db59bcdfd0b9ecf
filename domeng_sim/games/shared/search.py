"""The search player: draws hidden deals that agree with what it knows, and plays each of its moves out on them.

In a playout everybody plays by one weighted strategy, the *base*. Deals and luck are the same for all moves of a
decision and come from its random word alone, so that rows depend on the seed and on nothing else. A move other than the
base's own must be better by one standard error of the paired difference; moves far behind are dropped on the way. The
kernel has the true hands at hand and must not look at them: what the search gets is the decision and what was seen.

This is the one policy whose choice goes through the steps of a round itself. It plays out with another policy, that of
seats that weigh features, so that nothing recurs. What games add answers the questions below, by the type of their
search policies; each of those holds a `SearchRoom`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, high_product
from domeng_sim.core.dispatch import by_type
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.policy import Decision, choose
from domeng_sim.core.streams import GOLDEN, mix
from domeng_sim.games.shared.view import MAX_MOVES, RULE, list_moves, shown_move
from domeng_sim.games.types import Seat

TRIES = 6
"""Hands of a seat that are looked at for each that is picked by how likely its choices are."""
LOOK = U(16)
"""Samples between two looks at which moves can be dropped."""
_ERRORS4, _ROOM = 25, 21
"""Four times the square of 2.5 standard errors, and that minus four; see `is_behind`."""
_WORDS = U(8)
"""Random words set aside for a sample: the deal's, one for each seat, that of the stock, and the last for tries."""
_GOLDEN = U(GOLDEN)

DECISIONS, PLAYOUTS = 0, 1
"""What is counted in `SearchRoom.effort`."""


class SearchRoom(NamedTuple):
    """How seats search, and room for a decision.

    Attributes
    ----------
    n
        uint64, shape (seats,): most deals drawn for a decision; 0 for a seat that does not search.
    value
        int64, shape (seats,): what it strives for, as position in the game's `SearchSpec.values`.
    shown
        int64: the legal moves, as `view.list_moves` shows them.
    deal, hands
        uint64, shape (seats + 1,): the hands of a sample and its stock, and the hands as they are played.
    words
        uint64, shape (seats + 1,): the luck of the seats, and the order of the stock.
    values, totals
        int64, shape (moves,): of a sample, and summed.
    products
        int64, shape (moves, moves): sums of the products of the values of two moves.
    infers
        int64, shape (seats,): 1 for a seat that concludes from the others' choices, else 0.
    models, softness
        int64, shape (seats, features), and float64, shape (seats,): the weights and the temperature by which the others
        are taken to have chosen.
    tries
        uint64, shape (TRIES, seats + 1): hands of which one is picked.
    pool
        uint64, shape (deals, seats + 1): deals that were drawn.
    chances
        float64, shape (TRIES,): how likely the choices of a seat are with each of the tries.
    likely
        float64, shape (deals,): how likely the others' choices are with each deal of the pool.
    effort
        int64, shape (2,): decisions searched and moves played out so far, for measurements.
    """

    n: npt.NDArray[np.uint64]
    value: npt.NDArray[np.int64]
    shown: npt.NDArray[np.int64]
    deal: npt.NDArray[np.uint64]
    hands: npt.NDArray[np.uint64]
    words: npt.NDArray[np.uint64]
    values: npt.NDArray[np.int64]
    totals: npt.NDArray[np.int64]
    products: npt.NDArray[np.int64]
    infers: npt.NDArray[np.int64]
    models: npt.NDArray[np.int64]
    softness: npt.NDArray[np.float64]
    tries: npt.NDArray[np.uint64]
    pool: npt.NDArray[np.uint64]
    chances: npt.NDArray[np.float64]
    likely: npt.NDArray[np.float64]
    effort: npt.NDArray[np.int64]


def search_room(seats: Sequence[Seat], values: Sequence[str], features: Iterable[str]) -> SearchRoom:
    """Room of seats of which some search, for one of the `values` each; models go by `features`."""
    plans, places = [seat.search for seat in seats], np.zeros(len(seats) + 1, np.uint64)
    models = [plan.model if plan else None for plan in plans]
    n_pool = max((plan.n for plan in plans if plan and plan.model), default=0)
    names = list(features)
    return SearchRoom(
        np.array([plan.n if plan else 0 for plan in plans], np.uint64),
        np.array([values.index(plan.value) if plan else 0 for plan in plans], np.int64),
        np.zeros(RULE, np.int64),
        places,
        places.copy(),
        places.copy(),
        np.zeros(MAX_MOVES, np.int64),
        np.zeros(MAX_MOVES, np.int64),
        np.zeros((MAX_MOVES, MAX_MOVES), np.int64),
        np.array([model is not None for model in models], np.int64),
        np.array([[model.weights.get(name, 0) if model else 0 for name in names] for model in models], np.int64),
        np.array([model.temperature if model else 1.0 for model in models], np.float64),
        np.zeros((TRIES, len(seats) + 1), np.uint64),
        np.zeros((n_pool, len(seats) + 1), np.uint64),
        np.zeros(TRIES, np.float64),
        np.zeros(n_pool, np.float64),
        np.zeros(2, np.int64),
    )


def bases(
    weights: npt.NDArray[np.int64], temperature: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Rows of weights and temperatures where everybody plays as one seat does, by that seat along a first axis."""
    n = len(weights)
    return np.repeat(weights[:, np.newaxis], n, axis=1), np.repeat(temperature[:, np.newaxis], n, axis=1)


# --- What games answer ------------------------------------------------------------------------------------------------


@by_type(1)
def base_terms(policy: Any, terms: Any, seat: int) -> Any:
    """The terms on which a searching seat plays out: everybody follows its base."""


@by_type(1)
def agreeing(policy: Any, terms: Any, here: Decision) -> Word:
    """Make ready the deals that agree with what a player knows; returns their number."""


@by_type(1)
def deal_sample(policy: Any, here: Decision, number: Word) -> None:
    """Write the hidden hands, and the stock, of the deal of a number."""


@by_type(1)
def play_out(policy: Any, terms: Any, here: Decision, move: Any) -> int:
    """Play the round on after a move, on the deal and with the luck of the sample.

    Parameters
    ----------
    policy
        Its room holds the sample.
    terms
        From `base_terms`.
    here
        The decision.
    move
        The move.

    Returns
    -------
    int
        What the end is worth, the higher the better.
    """


@by_type(1, optional=True)
def deal_likely(policy: Any, terms: Any, here: Decision, start: Word, tries: Word, at: int) -> None:
    """Draw a deal by how likely the others' choices are.

    Of `TRIES` hands of a seat (or of seats that share what they lack) one is picked in proportion to its likelihood;
    the deal then counts with the product of the means of these likelihoods.

    Parameters
    ----------
    policy
        Its `room.pool` and `room.likely` are written at position `at`.
    terms
        The terms of the round.
    here
        The decision.
    start, tries
        The word of the sample, and that of its tries.
    at
        Number of the sample.
    """


# --- Likelihoods ------------------------------------------------------------------------------------------------------


@kernel
def pick(likely: npt.NDArray[np.float64], n: int, word: Word) -> int:
    """A position below `n`, in proportion to what stands there; the last one if all are 0."""
    total = 0.0
    for position in range(n):
        total += likely[position]
    threshold, reached, position = np.float64(word >> U(11)) * 2.0**-53 * total, 0.0, -1
    while position < n - 1 and reached <= threshold:
        position += 1
        reached += likely[position]
    return position


@shared
def resample(room: SearchRoom, n: int, word: Word) -> None:
    """Replace the deals of the pool by as many drawn from it in proportion to `likely`, systematically (Kitagawa 1996).

    A deal of k times the mean likelihood is there k times, rounded up or down. Nothing is done if all are impossible.
    """
    total = 0.0
    for number in range(n):
        total += room.likely[number]
    if total <= 0.0:
        return
    first, step = np.float64(word >> U(11)) * 2.0**-53, total / n
    # first how often each is taken, then, from behind and from before, the copies to the places of those not taken
    reached, taken = 0.0, 0
    for number in range(n):
        reached += room.likely[number]
        times = 0
        while taken < n and (first + taken) * step < reached:
            times += 1
            taken += 1
        room.likely[number] = times
    room.likely[n - 1] += n - taken
    free = 0
    for number in range(n):
        while room.likely[number] > 1.0:
            while room.likely[free] > 0.0:
                free += 1
            for place in range(room.pool.shape[1]):
                room.pool[free, place] = room.pool[number, place]
            room.likely[free] = 1.0
            room.likely[number] -= 1.0


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


@kernel
def squares_of(room: SearchRoom, one: int, other: int) -> int:
    """Sum of the squares of the differences of two moves."""
    products = room.products
    return products[one, one] + products[other, other] - 2 * products[min(one, other), max(one, other)]


@kernel
def number_below(word: Word, n: Word) -> Word:
    """A uniform number below `n`: words that would favour some are mixed again."""
    number = mix(word)
    least = (U(0) - n) % n
    while number * n < least:
        number = mix(number)
    return high_product(number, n)


@kernel
def best_total(room: SearchRoom, alive: Word, n_moves: int) -> int:
    """The move with the highest total, of equals the first."""
    best = -1
    for move in range(n_moves):
        if (alive >> U(move)) & U(1) and (best < 0 or room.totals[move] > room.totals[best]):
            best = move
    return best


@kernel
def drop_behind(room: SearchRoom, alive: Word, n_moves: int, n: int) -> Word:
    """The moves that are not far behind the best one after `n` samples."""
    best = best_total(room, alive, n_moves)
    for move in range(n_moves):
        if (alive >> U(move)) & U(1) and move != best:
            if is_behind(room.totals[best] - room.totals[move], squares_of(room, best, move), n):
                alive ^= U(1) << U(move)
    return alive


@kernel
def best_against(room: SearchRoom, alive: Word, n_moves: int, own: int) -> int:
    """The best of the moves that are better than the base's `own` by one error; `own` if there is none."""
    if not (alive >> U(own)) & U(1):
        return best_total(room, alive, n_moves)
    best, totals = own, room.totals
    for move in range(n_moves):
        if (alive >> U(move)) & U(1) and totals[move] > totals[best]:
            if is_better(totals[move] - totals[own], squares_of(room, own, move)):
                best = move
    return best


@kernel
def note(room: SearchRoom, move: int, value: int) -> None:
    """Add the value of a move in a sample, the moves before it being noted; those left out count 0."""
    room.values[move] = value
    room.totals[move] += value
    for other in range(move + 1):
        room.products[other, move] += value * room.values[other]


@shared
def draw_pool(policy: Any, terms: Any, here: Decision, word: Word) -> None:
    """Fill the pool with deals by how likely the others' choices are."""
    room = policy.room
    n = np.int64(room.n[here.seat])
    for sample in range(n):
        start = word + (_WORDS * U(sample) + U(1)) * _GOLDEN
        deal_likely(policy, terms, here, start, mix(start + (_WORDS - U(1)) * _GOLDEN), sample)
    resample(room, n, mix(word))


@shared
def search(policy: Any, terms: Any, here: Decision, word: Word) -> Any:
    """The move that a searching seat plays; one that is the only one costs nothing."""
    room = policy.room
    n_moves = list_moves(terms, here, room.shown)
    if n_moves == 1:
        return shown_move(terms, room.shown, 0)
    playing = base_terms(policy, terms, here.seat)
    wanted, own = choose(playing.policy, playing, here, word), 0
    for move in range(n_moves):
        if shown_move(terms, room.shown, move) == wanted:
            own = move
        room.totals[move] = 0
        for other in range(n_moves):
            room.products[move, other] = 0
    n_deals = agreeing(policy, terms, here)
    if not n_deals:
        return wanted
    room.effort[DECISIONS] += 1
    infers = room.infers[here.seat] != 0
    if infers:
        draw_pool(policy, terms, here, word)
    alive, n = (U(1) << U(n_moves)) - U(1), U(0)
    while n < room.n[here.seat] and alive & (alive - U(1)):
        start = word + (_WORDS * n + U(1)) * _GOLDEN
        if infers:
            for place in range(room.deal.shape[0]):
                room.deal[place] = room.pool[n, place]
        else:
            deal_sample(policy, here, number_below(start, n_deals))
        for place in range(room.words.shape[0]):
            room.words[place] = mix(start + U(place + 1) * _GOLDEN)
        for move in range(n_moves):
            if (alive >> U(move)) & U(1):
                note(room, move, play_out(policy, playing, here, shown_move(terms, room.shown, move)))
                room.effort[PLAYOUTS] += 1
        n += U(1)
        if n % LOOK == U(0):
            alive = drop_behind(room, alive, n_moves, np.int64(n))
    return shown_move(terms, room.shown, best_against(room, alive, n_moves, own))
