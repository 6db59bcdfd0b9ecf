"""Deals: one block of random numbers each, turned into five hands by unranking.

There are C(28,5) C(23,5) C(18,5) C(13,5) C(8,5) = 2^60.8 deals.  Two words choose among the first two and the last
three hands.  A word is rejected where the lower half of the product falls short of 2^64 mod n (Lemire 2019, *Fast
random integer generation in an interval*, ACM TOMACS 29), so that every deal has exactly the same number of words:
the deal is exactly uniform.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, deposit, high_product
from domeng_sim.core.codes import Purpose
from domeng_sim.core.hands import LOWER, both_ways
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.streams import mix, philox
from domeng_sim.core.subsets import subsets

N_HAND = 5
N_SEATS = 5
BLOCK = 16
"""Deals made at a time; the compiler computes the random numbers of several at once."""

_CHOICES = (98_280, 33_649, 8_568, 1_287, 56)
_N0, _N1, _N2, _N3, _N4 = (U(n) for n in _CHOICES)
_REJECT_FIRST = U(2**64 % (_CHOICES[0] * _CHOICES[1]))
_REJECT_LAST = U(2**64 % (_CHOICES[2] * _CHOICES[3] * _CHOICES[4]))
_DEAL, _CHOICE = U(Purpose.DEAL), U(Purpose.CHOICE)


def hand_subsets() -> npt.NDArray[np.uint32]:
    """All hands of 28 tiles by rank, shape (98280,); see `core.subsets`."""
    return subsets(28, N_HAND)


class DealScratch(NamedTuple):
    """Room for a block of deals.  All arrays are flat, so that the compiler can work on several elements at once.

    Attributes
    ----------
    hands
        uint64, shape (5 BLOCK,): hands in rows, the five of a round side by side.
    seat_words
        uint64, shape (5 BLOCK,): the words of each seat's choices, the five of a round side by side.
    first, last
        uint64, shape (BLOCK,): the random words of the deals.
    seat_offsets
        uint64, shape (5,): `streams.seat_offsets`.
    """

    hands: npt.NDArray[np.uint64]
    seat_words: npt.NDArray[np.uint64]
    first: npt.NDArray[np.uint64]
    last: npt.NDArray[np.uint64]
    seat_offsets: npt.NDArray[np.uint64]


def deal_scratch(offsets: npt.NDArray[np.uint64]) -> DealScratch:
    """Room for a block of deals; `offsets` from `streams.seat_offsets`."""
    flat, single = np.zeros(N_SEATS * BLOCK, np.uint64), np.zeros(BLOCK, np.uint64)
    return DealScratch(flat, flat.copy(), single, single.copy(), offsets)


@kernel
def unrank(first: Word, last: Word, subsets: npt.NDArray[np.uint32], hands: npt.NDArray[np.uint64], at: int) -> bool:
    """The deal of two random words.

    Parameters
    ----------
    first, last
        Uniform words.
    subsets
        `hand_subsets`.
    hands
        Written from `at` on: the five hands, each tile in the row of its higher half only.
    at
        Position of the first hand.

    Returns
    -------
    bool
        Whether the words are accepted; rejected words leave a deal that must not be used.
    """
    i0 = high_product(first, _N0)
    first *= _N0
    i1 = high_product(first, _N1)
    first *= _N1
    i2 = high_product(last, _N2)
    last *= _N2
    i3 = high_product(last, _N3)
    last *= _N3
    i4 = high_product(last, _N4)
    last *= _N4
    hand0 = deposit(U(subsets[i0]), LOWER)
    rest = LOWER ^ hand0
    hand1 = deposit(U(subsets[i1]), rest)
    rest ^= hand1
    hand2 = deposit(U(subsets[i2]), rest)
    rest ^= hand2
    hand3 = deposit(U(subsets[i3]), rest)
    rest ^= hand3
    hand4 = deposit(U(subsets[i4]), rest)
    hands[at], hands[at + 1], hands[at + 2], hands[at + 3], hands[at + 4] = hand0, hand1, hand2, hand3, hand4
    return first >= _REJECT_FIRST and last >= _REJECT_LAST


@shared
def deal_again(
    seed: Word, match: Word, round_: Word, subsets: npt.NDArray[np.uint32], hands: npt.NDArray[np.uint64], at: int
) -> None:
    """The deal of a round whose first words were rejected, which happens once in some 2^32 rounds."""
    attempt = U(1)
    first, last = philox(seed, match, round_, _DEAL + (attempt << U(8)))
    while not unrank(first, last, subsets, hands, at):
        attempt += U(1)
        first, last = philox(seed, match, round_, _DEAL + (attempt << U(8)))


@kernel
def deal_block(
    seed: Word, match: Word, round0: Word, n: int, subsets: npt.NDArray[np.uint32], scratch: DealScratch
) -> None:
    """Hands and seat words of the rounds `round0` to `round0 + n - 1` of a match, `n` at most `BLOCK`.

    One small loop a step: the compiler turns all but the unranking into vector instructions (2.6 times as fast).
    """
    hands, words = scratch.hands, scratch.seat_words
    for i in range(n):
        scratch.last[i] = philox(seed, match, round0 + U(i), _CHOICE)[0]
    for i in range(n):
        for seat in range(N_SEATS):
            words[N_SEATS * i + seat] = scratch.last[i] + scratch.seat_offsets[seat]
    for j in range(N_SEATS * n):
        words[j] = mix(words[j])
    for i in range(n):
        scratch.first[i], scratch.last[i] = philox(seed, match, round0 + U(i), _DEAL)
    for i in range(n):
        if not unrank(scratch.first[i], scratch.last[i], subsets, hands, N_SEATS * i):
            deal_again(seed, match, round0 + U(i), subsets, hands, N_SEATS * i)
    for j in range(N_SEATS * n):
        hands[j] = both_ways(hands[j])
