"""What a move is worth looking at: the features of weighted strategies.

``After`` means after that play: ``hand'`` is the player's hand without the tile, the ends are the two end values
after it (after a lead, its two halves), *unseen* tiles are neither on the table nor in ``hand'``.  *Void at both
ends* means that PASSes of that player in this round prove that it holds neither end value.  *Places* of some tiles
are the pairs of a tile and a different end value that it has: a tile that fits two different ends counts twice.
"""

from __future__ import annotations

from functools import reduce
from math import comb
from operator import or_
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, lowest_bit, popcount
from domeng_sim.core.hands import (
    COLUMN0,
    DOUBLES,
    KEEP,
    LOWER,
    ROWS,
    TILE_PIPS,
    fitting,
    joined,
    marks,
    opened,
    pips,
    values_of,
    values_once,
)
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.policy import Decision
from domeng_sim.games.domeng.kernel.feature_names import FEATURES
from domeng_sim.games.domeng.kernel.state import BYTE, EACH_SEAT, byte, next_seat, on_table, shift
from domeng_sim.games.domeng.rules import RulesRow

_ORDER = list(FEATURES)
PIPS, DOUBLE = _ORDER.index("pips"), _ORDER.index("double")
_MAPPAKULING = _ORDER.index("mappakuling")
_FOLLOW_UPS, _VALUES_KEPT, _UNSEEN = (_ORDER.index(name) for name in ("follow_ups", "values_kept", "unseen"))
_NEXT_VOID, _OTHERS_VOID, _OWN_ENDS = (_ORDER.index(name) for name in ("next_void", "others_void", "own_ends"))
_BLOCKS_LOW, _BLOCKS_HIGH = (_ORDER.index(name) for name in ("blocks_low", "blocks_high"))
_FINISH_PAIR, _DRAIN, _CUCUQ_GUARD = (_ORDER.index(name) for name in ("finish_pair", "drain", "cucuq_guard"))
_NEXT_PASS, _DRAIN_PASS, _LEAD_DOUBLE = (_ORDER.index(name) for name in ("next_pass", "drain_pass", "lead_double"))

_UNSEEN_AT_MOST = 24
HANDS = np.array([[comb(n, size) for size in range(6)] for n in range(_UNSEEN_AT_MOST + 1)], np.int64)
"""Hands of a size from so many tiles."""
_TILES_WITH = [0x7F << 8 * v | int(COLUMN0) << v for v in range(7)]
HOLDERS = np.array(
    [reduce(or_, (tiles for v, tiles in enumerate(_TILES_WITH) if values >> v & 1), 0) for values in range(128)],
    np.uint64,
)
"""By values, a bit each: all tiles that have one of them, in rows."""


@kernel
def void_at_both(voids: Word, end8: Word, other8: Word) -> Word:
    """Byte s is 1 where seat s is void at both ends, else 0."""
    return (voids >> (end8 >> U(3))) & (voids >> (other8 >> U(3))) & EACH_SEAT


@kernel
def finishes_as_mappakuling(hand: Word, end8: Word, other8: Word) -> bool:
    """Whether the hand is one tile that would be a MAPPAKULING at these ends: CEKI or POLLO."""
    if hand == U(0) or (hand & KEEP[lowest_bit(hand)]) != U(0):
        return False
    return ((hand >> (end8 + (other8 >> U(3)))) & U(1)) != U(0)


class DomengOutlook(NamedTuple):
    """What the moves of one decision have in common.

    Attributes
    ----------
    hand
        The hand before the move, in rows.
    values, once
        Values of the hand, and those of one tile alone, as `hands.values_of` has them.
    unseen
        Tiles neither on the table nor in the hand, in rows.
    absent
        Values that no unseen tile has, as `hands.values_of` has them.
    ends8
        Sum of eight times the two end values (0 at a lead).
    voids
        As in `DomengRoundState`, without the player's own.
    held
        As in `DomengRoundState`.
    seat, following
        Who moves, and the next player.
    n_held
        Tiles of the player.
    next_tiles
        5 minus the tiles of the next player.
    drains
        1 if the table is empty and the player holds stones, else 0.
    is_lead
        Whether it is the first tile of the round.
    """

    hand: np.uint64
    values: np.uint64
    once: np.uint64
    unseen: np.uint64
    absent: np.uint64
    ends8: np.uint64
    voids: np.uint64
    held: np.uint64
    seat: np.int64
    following: np.int64
    n_held: np.int64
    next_tiles: np.int64
    drains: np.int64
    is_lead: bool


@kernel
def outlook(rules: RulesRow, here: Decision) -> DomengOutlook:
    """The outlook of a player who is to move."""
    turn, seat, hand = here.turn, here.seat, here.hand
    following = next_seat(seat)
    drains = np.int64(on_table(turn.stones) == U(0) and byte(turn.stones, seat) != U(0))
    values, unseen = values_of(hand), ROWS & ~(turn.seen | hand)
    return DomengOutlook(
        hand,
        values,
        values_once(hand, values),
        unseen,
        ~values_of(unseen),
        turn.made8 + turn.other8,
        turn.voids & ~(BYTE << shift(seat)),
        turn.held,
        seat,
        following,
        np.int64(byte(turn.held, seat)),
        5 - np.int64(byte(turn.held, following)),
        drains,
        here.is_lead,
    )


@shared
def has_low_pips(hand: Word, unseen: Word, held: Word, seat: int) -> bool:
    """Whether the hand has fewer pips than the smallest other hand may be expected to have."""
    fewest = U(5)
    for other in range(5):
        if other != seat:
            fewest = min(fewest, byte(held, other))
    return pips(hand) * popcount(unseen & LOWER) < fewest * pips(unseen)


@kernel
def pass_chance(view: DomengOutlook, seat: int, ends: Word) -> int:
    """Chance that another player must PASS, in thousandths, rounded down.

    The tiles that the player's PASSes leave possible are taken to be equally likely in its hand: of the hands of that
    size, so many have no tile that fits (a hypergeometric probability). What others may hold is not looked at.

    Parameters
    ----------
    view
        The outlook of the player who moves.
    seat
        The other player.
    ends
        Bit v is set for a value v at the ends.
    """
    may = view.unseen & LOWER & ~HOLDERS[byte(view.voids, seat)]
    size, n = byte(view.held, seat), popcount(may)
    hands = HANDS[n, size]
    return 1000 * HANDS[n - popcount(may & HOLDERS[ends]), size] // hands if hands else 0


@shared
def score_of_passes(weights: npt.NDArray[np.int64], view: DomengOutlook, ends: Word) -> int:
    """Part of a score that comes from the chances that others must PASS."""
    total = weights[_NEXT_PASS] * pass_chance(view, view.following, ends)
    if weights[_DRAIN_PASS] and view.drains:
        chances = 0
        for seat in range(5):
            if seat != view.seat:
                chances += pass_chance(view, seat, ends)
        total += weights[_DRAIN_PASS] * chances
    return total


def _score(weights: npt.NDArray[np.int64], view: DomengOutlook, index: Word) -> int:
    """Sum of weight x feature of one move.

    Parameters
    ----------
    weights
        Shape (features,), thousandths, in the order of `names.FEATURES`.
    view
        The outlook of the player.
    index
        The move.

    Returns
    -------
    int
        Thousandths.
    """
    end8 = opened(index)
    other8 = joined(index) if view.is_lead else view.ends8 - joined(index)
    after = view.hand & KEEP[index]
    fits = fitting(end8, other8)
    follow_ups = popcount(after & fits)
    unseen_places = popcount(view.unseen & fits)
    ends, kept = marks(end8, other8), view.values & ~(view.once & marks(end8, joined(index)))

    total = weights[PIPS] * TILE_PIPS[index]
    total += weights[DOUBLE] * np.int64((DOUBLES >> index) & U(1))
    total += weights[_MAPPAKULING] * np.int64(end8 == other8 and not view.is_lead)
    total += weights[_FOLLOW_UPS] * np.int64(follow_ups)
    total += weights[_VALUES_KEPT] * np.int64(popcount(kept))
    total += weights[_UNSEEN] * np.int64(unseen_places)
    total += weights[_OWN_ENDS] * np.int64(popcount(kept & view.absent & ends))
    if view.voids:
        void = void_at_both(view.voids, end8, other8)
        next_void = np.int64(byte(void, view.following))
        total += (weights[_NEXT_VOID] + weights[_CUCUQ_GUARD] * view.next_tiles) * next_void
        total += (weights[_OTHERS_VOID] + weights[_DRAIN] * view.drains) * np.int64(popcount(void))
    if not unseen_places and not follow_ups and after:
        low = has_low_pips(after, view.unseen, view.held, view.seat)
        total += weights[_BLOCKS_LOW] if low else weights[_BLOCKS_HIGH]
    if view.n_held == 2 and finishes_as_mappakuling(after, end8, other8):
        total += weights[_FINISH_PAIR]
    # skipped where nobody asks for them: counting hands takes as long as all the rest
    if weights[_NEXT_PASS] | weights[_DRAIN_PASS]:
        total += score_of_passes(weights, view, (U(1) << (end8 >> U(3))) | (U(1) << (other8 >> U(3))))
    if view.is_lead:
        total += weights[_LEAD_DOUBLE] * np.int64((DOUBLES >> index) & U(1))
    return total


score = kernel(_score)
score_called = shared(_score)
"""The same, not merged into its caller, for where it is called often in the text and seldom in a run."""
