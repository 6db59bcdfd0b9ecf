"""Deals of the hidden tiles that agree with all that a player knows, each equally likely: for the search player.

A player knows its hand, the tiles on the table, how many tiles the others hold, the values that they lack by their
PASSes, and who started the first round of a match: the holder of the highest double dealt, so that higher ones are
unused. (Where closing PASSes are free, an award shows that somebody could still play; a player who is to move can, so
that it learns nothing.)

Deals are numbered. As in `games.shared.hidden`, a table tells in how many ways the tiles from the t-th on can give
the seats that showed what they lack (*void* seats) what they still need; so a number is turned into their hands by
walking through the tiles once. All other tiles are free: a number below the product of some binomial coefficients gives
the hands of the other seats, as in `games.shared.deal`, and the rest is unused.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, deposit, popcount
from domeng_sim.core.hands import LOWER, both_ways
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.policy import Decision
from domeng_sim.core.subsets import subsets
from domeng_sim.games.domeng.kernel.deal import N_HAND, N_SEATS
from domeng_sim.games.domeng.kernel.features import HANDS, HOLDERS
from domeng_sim.games.domeng.kernel.state import byte, next_seat
from domeng_sim.games.domeng.rules import RulesRow

N_CASES, N_OTHERS, N_HIDDEN = 4, 4, 23
"""The highest double dealt can be one of four; four others hold at most 23 tiles that a player does not see."""
_N_STATES = (N_HAND + 1) ** N_OTHERS
_FIRST_OF_SIZE = np.cumsum([0, *(comb(N_HIDDEN, size) for size in range(N_HAND))])
_DOUBLES = (U(54), U(45), U(36), U(27))
"""Indices of the doubles that can start a match."""
_DOUBLE_LEADS = U(1)

IS_FIRST, STARTER, BY_STARTER, LED, CAMAT, N_SEEN = range(6)
"""Places of what a player saw of the round: whether it is the first of a match; who started; the tiles played by the
starter, in rows; the index of the lead; the CAMAT of before plus 1. The last one is their number."""


class HiddenDeals(NamedTuple):
    """The deals that agree, by case: one for each double that can have started the match, else a single one.

    Attributes
    ----------
    n
        uint64, shape (cases,): number of deals.
    n_free
        uint64, shape (cases,): in how many ways the free tiles can lie.
    held
        uint64, shape (cases,): the tile that the starter is known to hold; tiles are bits in `hands.LOWER`.
    open
        uint64, shape (cases,): the hidden tiles that are not known to be anywhere.
    order
        int64, shape (cases, others): the other seats, void ones first.
    n_void
        int64, shape (cases,).
    sizes
        int64, shape (cases, others): tiles that the seats of `order` lack.
    n_tiles
        int64, shape (cases,): tiles that some void seat may have.
    tiles, may
        uint64, shape (cases, tiles): those tiles, and the void seats that may have each: bit k for the k-th.
    ways
        uint64, shape (cases, (tiles + 1) x states): from each tile on, by what the void seats lack.
    lacking
        int64, shape (others,): room.
    subsets
        uint32: tables of `core.subsets`, one size after the other.
    """

    n: npt.NDArray[np.uint64]
    n_free: npt.NDArray[np.uint64]
    held: npt.NDArray[np.uint64]
    open: npt.NDArray[np.uint64]
    order: npt.NDArray[np.int64]
    n_void: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]
    n_tiles: npt.NDArray[np.int64]
    tiles: npt.NDArray[np.uint64]
    may: npt.NDArray[np.uint64]
    ways: npt.NDArray[np.uint64]
    lacking: npt.NDArray[np.int64]
    subsets: npt.NDArray[np.uint32]


def make_deals() -> HiddenDeals:
    """Room for the deals of a decision."""
    words, numbers = np.zeros(N_CASES, np.uint64), np.zeros(N_CASES, np.int64)
    tables = [subsets(N_HIDDEN, size) for size in range(N_HAND + 1)]
    return HiddenDeals(
        words,
        words.copy(),
        words.copy(),
        words.copy(),
        np.zeros((N_CASES, N_OTHERS), np.int64),
        numbers,
        np.zeros((N_CASES, N_OTHERS), np.int64),
        numbers.copy(),
        np.zeros((N_CASES, N_HIDDEN), np.uint64),
        np.zeros((N_CASES, N_HIDDEN), np.uint64),
        np.zeros((N_CASES, (N_HIDDEN + 1) * _N_STATES), np.uint64),
        np.zeros(N_OTHERS, np.int64),
        np.concatenate(tables),
    )


@shared
def count_ways(deals: HiddenDeals, case: int) -> Word:
    """Fill the table of a case; returns in how many ways the void seats can get their tiles."""
    sizes, ways, n = deals.sizes[case], deals.ways[case], deals.n_tiles[case]
    n_void = deals.n_void[case]
    a = sizes[0] if n_void > 0 else 0
    b = sizes[1] if n_void > 1 else 0
    c = sizes[2] if n_void > 2 else 0
    d = sizes[3] if n_void > 3 else 0
    step_b = a + 1
    step_c = step_b * (b + 1)
    step_d = step_c * (c + 1)
    n_states = step_d * (d + 1)
    last = n * n_states
    for state in range(n_states):
        ways[last + state] = U(state == 0)
    for tile in range(n - 1, -1, -1):
        may = deals.may[case, tile]
        here = tile * n_states
        after = here + n_states
        for lacks_d in range(d + 1):
            for lacks_c in range(c + 1):
                for lacks_b in range(b + 1):
                    for lacks_a in range(a + 1):
                        total = ways[after]
                        if lacks_a and may & U(1):
                            total += ways[after - 1]
                        if lacks_b and may & U(2):
                            total += ways[after - step_b]
                        if lacks_c and may & U(4):
                            total += ways[after - step_c]
                        if lacks_d and may & U(8):
                            total += ways[after - step_d]
                        ways[here] = total
                        here += 1
                        after += 1
    return ways[n_states - 1]


@shared
def prepare_case(deals: HiddenDeals, case: int, here: Decision, known: Word, held: Word, starter: int) -> None:
    """Count the deals of a case.

    Parameters
    ----------
    deals
        Written.
    case
        Which one.
    here
        The decision.
    known
        Hidden tiles of which it is known where they are: unused, or `held` by the starter.
    held
        The tile that the starter must hold, or none.
    starter
        Who started the round.
    """
    turn, seat = here.turn, here.seat
    tiles = LOWER & ~(turn.seen | here.hand | known)
    deals.held[case], deals.open[case] = held, tiles
    n_void, other = 0, seat
    for _ in range(N_OTHERS):
        other = next_seat(other)
        if byte(turn.voids, other):
            deals.order[case, n_void] = other
            n_void += 1
    deals.n_void[case] = n_void
    n, other = n_void, seat
    for _ in range(N_OTHERS):
        other = next_seat(other)
        if not byte(turn.voids, other):
            deals.order[case, n] = other
            n += 1
    left = popcount(tiles)
    for k in range(N_OTHERS):
        size = np.int64(byte(turn.held, deals.order[case, k]))
        if held and deals.order[case, k] == starter:
            size -= 1
        deals.sizes[case, k] = size
        if k < n_void:
            left -= U(size)
    deals.n_tiles[case], n, rest = 0, 0, tiles
    while rest:
        tile = rest & (~rest + U(1))
        rest ^= tile
        may = U(0)
        for k in range(n_void):
            if not tile & HOLDERS[byte(turn.voids, deals.order[case, k])]:
                may |= U(1) << U(k)
        if may:
            deals.tiles[case, n], deals.may[case, n] = tile, may
            n += 1
    deals.n_tiles[case] = n
    n_free = U(1)
    for k in range(n_void, N_OTHERS):
        n_free *= U(HANDS[left, deals.sizes[case, k]])
        left -= U(deals.sizes[case, k])
    deals.n_free[case] = n_free
    deals.n[case] = n_free * (count_ways(deals, case) if n_void else U(1))


@shared
def prepare(deals: HiddenDeals, here: Decision, rules: RulesRow, seen: npt.NDArray[np.uint64]) -> Word:
    """Count the deals that agree with what a player knows.

    Parameters
    ----------
    deals
        Written.
    here
        Its decision.
    rules
        The rules.
    seen
        Shape (N_SEEN,): what it saw of the round.

    Returns
    -------
    Word
        Their number.
    """
    deals.n[:] = U(0)
    starter = np.int64(seen[STARTER])
    if not seen[IS_FIRST]:
        prepare_case(deals, 0, here, U(0), U(0), starter)
        return deals.n[0]
    higher, total = U(0), U(0)
    hidden = LOWER & ~(here.turn.seen | here.hand)
    of_starter = seen[BY_STARTER] | (here.hand if here.seat == starter else U(0))
    for case in range(N_CASES):
        double = U(1) << _DOUBLES[case]
        is_hidden = (hidden & double) != U(0)
        by_starter = (of_starter & double) != U(0)
        could_hold = is_hidden and here.seat != starter and byte(here.turn.held, starter) != U(0)
        if could_hold and byte(here.turn.voids, starter):
            could_hold = not double & HOLDERS[byte(here.turn.voids, starter)]
        led = here.is_lead or rules.opening_lead != _DOUBLE_LEADS or seen[LED] == _DOUBLES[case]
        if led and (by_starter or could_hold) and popcount(higher) <= U(3):
            held = double if could_hold else U(0)
            prepare_case(deals, case, here, higher | held, held, starter)
            total += deals.n[case]
        if not is_hidden:
            break
        higher |= double
    return total


@kernel
def subset_of(deals: HiddenDeals, rank: Word, size: int, rest: Word) -> Word:
    """The subset of a rank of the tiles `rest`."""
    return deposit(U(deals.subsets[U(_FIRST_OF_SIZE[size]) + rank]), rest)


@shared
def deal_void(deals: HiddenDeals, case: int, which: Word, hands: npt.NDArray[np.uint64]) -> Word:
    """Write the hands of the void seats, in `hands.LOWER`, that have a number; returns the tiles that are left."""
    n_void, rest = deals.n_void[case], deals.open[case]
    order, ways = deals.order[case], deals.ways[case]
    state, n_states = 0, 1
    for k in range(n_void):
        deals.lacking[k] = deals.sizes[case, k]
        hands[order[k]] = U(0)
        state += n_states * deals.lacking[k]
        n_states *= deals.lacking[k] + 1
    at, tile = n_states, 0
    while state:
        here = ways[at + state]
        if which >= here:
            which -= here
            may, k, step = deals.may[case, tile], 0, 1
            while True:
                if deals.lacking[k] and (may >> U(k)) & U(1):
                    here = ways[at + state - step]
                    if which < here:
                        break
                    which -= here
                step *= deals.sizes[case, k] + 1
                k += 1
            hands[order[k]] |= deals.tiles[case, tile]
            rest ^= deals.tiles[case, tile]
            deals.lacking[k] -= 1
            state -= step
        at += n_states
        tile += 1
    return rest


@kernel
def with_held(deals: HiddenDeals, case: int, starter: int, seat: int, hand: Word) -> Word:
    """A hand in rows, with the tile that the starter is known to hold if it is its own."""
    return both_ways(hand | deals.held[case] if seat == starter else hand)


@shared
def deal_of(deals: HiddenDeals, number: Word, starter: int, hands: npt.NDArray[np.uint64]) -> None:
    """Write the hidden hands of the deal of a number, in rows.

    Parameters
    ----------
    deals
        From `prepare`.
    number
        Below their number.
    starter
        Who started the round.
    hands
        Those of the four others are written.
    """
    case = 0
    while number >= deals.n[case]:
        number -= deals.n[case]
        case += 1
    n_void, n_free = deals.n_void[case], deals.n_free[case]
    rest = deals.open[case]
    if n_void:
        which = number // n_free
        number -= which * n_free
        rest = deal_void(deals, case, which, hands)
    for k in range(n_void, N_OTHERS):
        size = deals.sizes[case, k]
        n = U(HANDS[popcount(rest), size])
        tiles = number // n
        subset = subset_of(deals, number - tiles * n, size, rest)
        number = tiles
        hands[deals.order[case, k]] = subset
        rest ^= subset
    for k in range(N_OTHERS):
        seat = deals.order[case, k]
        hands[seat] = with_held(deals, case, starter, seat, hands[seat])


assert N_SEATS == N_OTHERS + 1
