"""Odds that conclude from choices: samples count by how likely it is that the others chose as they did."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.codes import Purpose
from domeng_sim.core.dispatch import by_type
from domeng_sim.core.jit import entry, kernel
from domeng_sim.core.job import RoundKey
from domeng_sim.core.streams import mix, philox
from domeng_sim.games.shared.dealing import n_deals_of, numbers_below
from domeng_sim.games.shared.odds_start import Start
from domeng_sim.games.shared.sampling import Room, add_values, deal_hidden, play_moves, set_up, tell_story
from domeng_sim.games.shared.search import pick

_PLAYOUT = U(Purpose.PLAYOUT)
LIKELY_TRIES = 16
"""Deals of which one is picked where samples are weighted by what the others chose."""
N_PILOT, MEAN_WEIGHT, MOST_WEIGHT = 128, 256, 1 << 20
"""Samples whose mean likelihood gives the unit of weights, their mean, and their most."""


@by_type(1)
def likelihood_of(judge: Any, terms: Any, start: Start, hands: npt.NDArray[np.uint64]) -> float:
    """How likely the choices of the others are, which the judge was told, with these hands."""


class Likely(NamedTuple):
    """How samples are weighted by what the others chose.

    Attributes
    ----------
    terms
        Terms whose policy is told what was played, and which answers `likelihood_of`.
    chances
        float64, shape (LIKELY_TRIES,): room.
    weights
        int64, shape (2,): the weights of the samples and their squares, added up.
    """

    terms: Any
    chances: npt.NDArray[np.float64]
    weights: npt.NDArray[np.int64]


@kernel
def deal_likely(
    seed: np.uint64, sample: Word, n_deals: Word, start: Start, terms: Any, room: Room, likely: Likely
) -> tuple[Any, float]:
    """Of some deals one picked by how likely the others' choices are, and the mean of these likelihoods.

    The first of the deals is that of the same sample without weights.
    """
    total, chances = 0.0, likely.chances
    turn = start.turn
    for number in range(LIKELY_TRIES):
        which, order = numbers_below(seed, sample, n_deals, start.n_orders, U(number))
        turn = deal_hidden(terms, start, which, order, room, room.deal)
        chances[number] = likelihood_of(likely.terms.policy, likely.terms, start, room.deal)
        total += chances[number]
    picked = pick(chances, LIKELY_TRIES, philox(seed, sample, U(LIKELY_TRIES), _PLAYOUT)[0])
    which, order = numbers_below(seed, sample, n_deals, start.n_orders, U(picked))
    turn = deal_hidden(terms, start, which, order, room, room.deal)
    return turn, total / LIKELY_TRIES


@entry
def sample_likely(
    seed: np.uint64,
    numbers: tuple[int, int],
    start: Start,
    terms: Any,
    room: Room,
    likely: Likely,
    totals: npt.NDArray[np.int64],
    products: npt.NDArray[np.int64],
) -> None:
    """Play samples that count by how likely the others' choices are; see `sample_moves`.

    A weight is a whole number, so that sums do not depend on their order: `MEAN_WEIGHT` for the mean likelihood of some
    samples that are always the same ones.
    """
    n_seats, n_deals, n_moves = room.hands.shape[0], n_deals_of(start.hidden), totals.shape[0]
    set_up(terms, start, room)
    tell_story(likely.terms, start, RoundKey(U(0), 0, start.round_))
    mean = 0.0
    for number in range(N_PILOT):
        mean += deal_likely(seed, U(number), n_deals, start, terms, room, likely)[1] / N_PILOT
    for number in range(numbers[0], numbers[1]):
        sample = U(number)
        turn, chance = deal_likely(seed, sample, n_deals, start, terms, room, likely)
        weight = MEAN_WEIGHT
        if mean > 0.0:
            weight = np.int64(min(MEAN_WEIGHT * chance / mean, np.float64(MOST_WEIGHT)))
        likely.weights[0] += weight
        likely.weights[1] += weight * weight
        word = philox(seed, sample, U(0), _PLAYOUT)[0]
        for seat in range(n_seats):
            room.seat_words[seat] = mix(word + room.seat_offsets[seat])
        play_moves(start, terms, turn, room, RoundKey(sample, 0, start.round_), n_moves)
        add_values(room.values, weight, totals, products)
