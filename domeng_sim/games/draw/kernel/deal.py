"""Deals: one block of random numbers each, turned into two hands and the order of the stock by unranking.

The first word A chooses the hands, each as four tiles and then three more of those that remain: there are
C(28,4) C(24,3) C(21,4) C(17,3) = 2^47.3 ways, and every pair of hands comes from exactly 35 x 35 of them.  Each of the
four choices takes number floor(A n / 2^64) of its n subsets in colexicographic order, and A becomes A n modulo 2^64.
The second word B chooses one of the 14! orders of the stock: of the n tiles left, in the order of tile numbers,
the next one drawn is number floor(B n / 2^64), counted from 0, and B becomes B n modulo 2^64.  So the order costs
nothing before a tile is drawn.

A word is rejected where the lower half of its product with the number of ways N falls short of 2^64 mod N (Lemire 2019,
*Fast random integer generation in an interval*, ACM TOMACS 29): then every way has exactly the same number of words,
and the deal, the order of the stock included, is exactly uniform.  If either word is rejected, both are drawn anew.
"""

from __future__ import annotations

from math import factorial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, deposit, high_product
from domeng_sim.core.codes import Purpose
from domeng_sim.core.hands import LOWER, both_ways, kth_move
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.streams import mix, philox
from domeng_sim.core.subsets import subsets

N_HAND = 7
N_SEATS = 2
N_STOCK = 14
LAST_STOCK = 2
"""Tiles that stay in the stock."""
BLOCK = 16
"""Deals made at a time; the compiler computes the random numbers of several at once."""

_CHOICES = (20_475, 2_024, 5_985, 680)
_N0, _N1, _N2, _N3 = (U(n) for n in _CHOICES)
_REJECT_HANDS = U(2**64 % (_CHOICES[0] * _CHOICES[1] * _CHOICES[2] * _CHOICES[3]))
_ORDERS = U(factorial(N_STOCK))
_REJECT_STOCK = U(2**64 % factorial(N_STOCK))
_DEAL, _CHOICE = U(Purpose.DRAW_DEAL), U(Purpose.CHOICE)


class Subsets(NamedTuple):
    """Subsets by rank, as masks: see `core.subsets`.

    Attributes
    ----------
    fours, threes
        uint32, shapes (20475,) and (2024,): of 28 and of 24 positions.
    """

    fours: npt.NDArray[np.uint32]
    threes: npt.NDArray[np.uint32]


def hand_subsets() -> Subsets:
    """The tables that `deal_block` takes."""
    return Subsets(subsets(28, 4), subsets(24, 3))


class DealScratch(NamedTuple):
    """Room for a block of deals.  All arrays are flat, so that the compiler can work on several elements at once.

    Attributes
    ----------
    hands
        uint64, shape (2 BLOCK,): hands in rows, the two of a round side by side.
    seat_words
        uint64, shape (2 BLOCK,): the words of each seat's choices, the two of a round side by side.
    first, last
        uint64, shape (BLOCK,): the random words of the deals; `last` stays for the order of the stock.
    start
        uint64, shape (BLOCK,): where the words of the choices start.
    seat_offsets
        uint64, shape (2,): `streams.seat_offsets`.
    """

    hands: npt.NDArray[np.uint64]
    seat_words: npt.NDArray[np.uint64]
    first: npt.NDArray[np.uint64]
    last: npt.NDArray[np.uint64]
    start: npt.NDArray[np.uint64]
    seat_offsets: npt.NDArray[np.uint64]


def deal_scratch(offsets: npt.NDArray[np.uint64]) -> DealScratch:
    """Room for a block of deals; `offsets` from `streams.seat_offsets`."""
    flat, single = np.zeros(N_SEATS * BLOCK, np.uint64), np.zeros(BLOCK, np.uint64)
    return DealScratch(flat, flat.copy(), single, single.copy(), single.copy(), offsets)


@kernel
def is_accepted(first: Word, last: Word) -> bool:
    """Whether the random words of a deal are accepted."""
    return first * (_N0 * _N1 * _N2 * _N3) >= _REJECT_HANDS and last * _ORDERS >= _REJECT_STOCK


@kernel
def unrank(first: Word, tables: Subsets, hands: npt.NDArray[np.uint64], at: int) -> None:
    """The hands of a random word, which is to be accepted by `is_accepted`.

    Parameters
    ----------
    first
        Uniform word.
    tables
        `hand_subsets`.
    hands
        Written at `at` and after it: the two hands, each tile in the row of its higher half only.
    at
        Position of the first hand.
    """
    i0 = high_product(first, _N0)
    first *= _N0
    i1 = high_product(first, _N1)
    first *= _N1
    i2 = high_product(first, _N2)
    first *= _N2
    i3 = high_product(first, _N3)
    four = deposit(U(tables.fours[i0]), LOWER)
    hand0 = four | deposit(U(tables.threes[i1]), LOWER ^ four)
    rest = LOWER ^ hand0
    four = deposit(U(tables.fours[i2]), rest)
    hands[at] = hand0
    hands[at + 1] = four | deposit(U(tables.threes[i3]), rest ^ four)


@shared
def words_again(seed: Word, match: Word, round_: Word) -> tuple[Word, Word]:
    """The words of a round whose first words were rejected, which happens once in some 200,000 rounds."""
    attempt = U(1)
    first, last = philox(seed, match, round_, _DEAL + (attempt << U(8)))
    while not is_accepted(first, last):
        attempt += U(1)
        first, last = philox(seed, match, round_, _DEAL + (attempt << U(8)))
    return first, last


@kernel
def deal_block(seed: Word, match: Word, round0: Word, n: int, tables: Subsets, scratch: DealScratch) -> None:
    """Hands, stock words and seat words of the rounds `round0` to `round0 + n - 1` of a match, `n` at most `BLOCK`.

    One small loop a step, so that the compiler turns all but the unranking into vector instructions.
    """
    hands, words, first, last = scratch.hands, scratch.seat_words, scratch.first, scratch.last
    for i in range(n):
        scratch.start[i] = philox(seed, match, round0 + U(i), _CHOICE)[0]
    for i in range(n):
        for seat in range(N_SEATS):
            words[N_SEATS * i + seat] = scratch.start[i] + scratch.seat_offsets[seat]
    for j in range(N_SEATS * n):
        words[j] = mix(words[j])
    for i in range(n):
        first[i], last[i] = philox(seed, match, round0 + U(i), _DEAL)
    for i in range(n):
        if not is_accepted(first[i], last[i]):
            first[i], last[i] = words_again(seed, match, round0 + U(i))
        unrank(first[i], tables, hands, N_SEATS * i)
    for j in range(N_SEATS * n):
        hands[j] = both_ways(hands[j])


@kernel
def next_of_stock(stock: Word, word: Word, n: Word) -> Word:
    """Index of the tile drawn next from a stock of `n` tiles (each in the row of its higher half only)."""
    return kth_move(stock, high_product(word, n))
