"""Deals: one block of random numbers each, turned into hands by unranking.

A block gives two words, A and B. A game says which tiles each of them chooses, seat after seat, as so many tiles of
those that remain: each such choice takes number floor(A n / 2^64) of its n subsets in colexicographic order, and A
becomes A n modulo 2^64. What B has left then orders a stock, if there is one: of the n tiles left, in the order of tile
numbers, the next one drawn is number floor(B n / 2^64), counted from 0, and B becomes B n modulo 2^64; so the order
costs nothing before a tile is drawn.

A word is rejected where the lower half of its product with the number of ways N falls short of 2^64 mod N (Lemire 2019,
*Fast random integer generation in an interval*, ACM TOMACS 29): then every way has exactly the same number of words,
and the deal, the order of the stock included, is exactly uniform. If either word is rejected, both are drawn anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, factorial, prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, deposit, high_product
from domeng_sim.core.codes import Purpose
from domeng_sim.core.hands import LOWER, both_ways
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.streams import mix, philox, seat_offsets
from domeng_sim.core.subsets import subsets
from domeng_sim.core.tiles import N_TILES

BLOCK = 16
"""Deals made at a time; the compiler computes the random numbers of several at once."""
_CHOICE = U(Purpose.CHOICE)


class Deals(NamedTuple):
    """Room for a block of deals. The arrays are flat, so that the compiler can work on several elements at once.

    Attributes
    ----------
    hands
        uint64, shape (seats BLOCK,): hands in rows, those of a round side by side.
    seat_words
        uint64, shape (seats BLOCK,): the words of each seat's choices, those of a round side by side.
    first, last
        uint64, shape (BLOCK,): the random words of the deals; what chooses no hand is left in them.
    start
        uint64, shape (BLOCK,): where the words of the choices start.
    seat_offsets
        uint64, shape (seats,): `streams.seat_offsets`.
    subsets
        Tables of `core.subsets`, one for each number of tiles chosen at a time.
    """

    hands: npt.NDArray[np.uint64]
    seat_words: npt.NDArray[np.uint64]
    first: npt.NDArray[np.uint64]
    last: npt.NDArray[np.uint64]
    start: npt.NDArray[np.uint64]
    seat_offsets: npt.NDArray[np.uint64]
    subsets: tuple[npt.NDArray[np.uint32], ...]


class Choice(NamedTuple):
    """Some of the tiles that remain go to a seat.

    Attributes
    ----------
    seat, n_tiles
        Where they go, and how many.
    n_ways
        Number of ways to choose them.
    in_first
        Whether the first word chooses.
    """

    seat: int
    n_tiles: int
    n_ways: int
    in_first: bool


@dataclass(frozen=True)
class Dealing:
    """The deals of a game.

    Attributes
    ----------
    n_seats
        Number of seats.
    choices
        What is chosen, in order.
    n_stock
        Tiles that are ordered.
    unrank, deal_again, deal_block
        Kernels: the hands of two words, and whether these are accepted; the deal of a round whose first words were not;
        hands and words of several rounds.
    """

    n_seats: int
    choices: tuple[Choice, ...]
    n_stock: int
    unrank: Any
    deal_again: Any
    deal_block: Any

    @property
    def ways(self) -> tuple[int, int]:
        """Number of ways that each word can go."""
        return _ways(self.choices, self.n_stock)

    def room(self, copies: Sequence[int]) -> Deals:
        """Room for a block of deals of seats with these copy numbers."""
        flat, single = np.zeros(self.n_seats * BLOCK, np.uint64), np.zeros(BLOCK, np.uint64)
        tables: dict[int, npt.NDArray[np.uint32]] = {}
        left = N_TILES
        for choice in self.choices:
            # the first choice of a size is among the most tiles: its table serves the others
            tables.setdefault(choice.n_tiles, subsets(left, choice.n_tiles))
            left -= choice.n_tiles
        return Deals(
            flat, flat.copy(), single, single.copy(), single.copy(), seat_offsets(list(copies)), tuple(tables.values())
        )


def _ways(choices: Sequence[Choice], n_stock: int) -> tuple[int, int]:
    first, last = (prod(choice.n_ways for choice in choices if choice.in_first == word) for word in (True, False))
    return first, last * factorial(n_stock)


def dealing(
    purpose: Purpose, first: Sequence[tuple[int, int]], last: Sequence[tuple[int, int]], n_stock: int = 0
) -> Dealing:
    """The deals of a game.

    Parameters
    ----------
    purpose
        Of the random numbers.
    first, last
        What each of the two words chooses: seats and how many tiles, in order; the first word comes first.
    n_stock
        Tiles that what is left of the last word orders; of those that no seat gets, the others are not looked at.
    """
    choices, left = [], N_TILES
    for word, parts in ((True, first), (False, last)):
        for seat, n in parts:
            choices.append(Choice(seat, n, comb(left, n), word))
            left -= n
    n_seats = 1 + max(choice.seat for choice in choices)
    reject_first, reject_last = (U(2**64 % ways) for ways in _ways(choices, n_stock))
    n_orders, deal = U(factorial(n_stock)), U(purpose)
    choose = _chain(choices)

    @kernel
    def unrank(first: Word, last: Word, tables: Any, hands: npt.NDArray[np.uint64], at: int) -> bool:
        first, last = choose(first, last, LOWER, tables, hands, at)
        accepted: bool = first >= reject_first and last * n_orders >= reject_last
        return accepted

    @shared
    def deal_again(
        seed: Word, match: Word, round_: Word, tables: Any, hands: npt.NDArray[np.uint64], at: int
    ) -> tuple[Word, Word]:
        attempt = U(1)
        first, last = philox(seed, match, round_, deal + (attempt << U(8)))
        while not unrank(first, last, tables, hands, at):
            attempt += U(1)
            first, last = philox(seed, match, round_, deal + (attempt << U(8)))
        return first, last

    @kernel
    def deal_block(seed: Word, match: Word, round0: Word, n: int, deals: Deals) -> None:
        # one small loop a step: the compiler turns all but the unranking into vector instructions (2.6 times as fast)
        hands, words, first, last = deals.hands, deals.seat_words, deals.first, deals.last
        for i in range(n):
            deals.start[i] = philox(seed, match, round0 + U(i), _CHOICE)[0]
        for i in range(n):
            for seat in range(n_seats):
                words[n_seats * i + seat] = deals.start[i] + deals.seat_offsets[seat]
        for j in range(n_seats * n):
            words[j] = mix(words[j])
        for i in range(n):
            first[i], last[i] = philox(seed, match, round0 + U(i), deal)
        for i in range(n):
            if not unrank(first[i], last[i], deals.subsets, hands, n_seats * i):
                first[i], last[i] = deal_again(seed, match, round0 + U(i), deals.subsets, hands, n_seats * i)
        for j in range(n_seats * n):
            hands[j] = both_ways(hands[j])

    return Dealing(n_seats, tuple(choices), n_stock, unrank, deal_again, deal_block)


def _chain(choices: Sequence[Choice]) -> Any:
    """A kernel that makes choice after choice, each a function of its own in which all numbers are constants."""

    @kernel
    def following(first: Word, last: Word, rest: Word, tables: Any, hands: Any, at: int) -> tuple[Word, Word]:
        return first, last

    sizes = list(dict.fromkeys(choice.n_tiles for choice in choices))
    for place in range(len(choices) - 1, -1, -1):
        choice = choices[place]
        is_fresh = all(other.seat != choice.seat for other in choices[:place])
        following = _link(choice, sizes.index(choice.n_tiles), is_fresh, following)
    return following


def _link(choice: Choice, table: int, is_fresh: bool, following: Any) -> Any:
    seat, n, in_first = choice.seat, U(choice.n_ways), choice.in_first

    @kernel
    def choose(
        first: Word, last: Word, rest: Word, tables: Any, hands: npt.NDArray[np.uint64], at: int
    ) -> tuple[Word, Word]:
        if in_first:
            rank = high_product(first, n)
            first *= n
        else:
            rank = high_product(last, n)
            last *= n
        tiles = deposit(U(tables[table][rank]), rest)
        hands[at + seat] = tiles if is_fresh else hands[at + seat] | tiles
        return following(first, last, rest ^ tiles, tables, hands, at)

    return choose
