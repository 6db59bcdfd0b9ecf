"""The state of a round between two turns, as words that stay in registers.

Fields by seat are packed, a byte a seat, so that the whole state is passed from function to function by value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from domeng_sim.core.bits import U, Word
from domeng_sim.core.hands import KEEP, ROWS, fitting, joined, opened
from domeng_sim.core.jit import kernel

TABLE_SHIFT = U(40)
"""The stones on the table stand above the five bytes of the seats."""
BYTE = U(255)
FULL_HANDS = U(0x0505050505)
EACH_SEAT = U(0x0101010101)
NOBODY_PLAYED = U(0b11111)


class DomengRoundState(NamedTuple):
    """The round as it stands; `seat` has just played or passed.

    Attributes
    ----------
    seat
        Who acted last.
    last
        LAST MAPPANO.
    made8, other8
        Eight times the values of the two ends; `made8` is the end that the last tile made.
    left8
        Eight times the value of the left end; the right one is the other of the two.
    stones
        Stones: byte s for seat s, the table's from bit 40 on.
    fresh
        Bit s: the next PASS of seat s is a PASSEBUNGE.
    seen
        Tiles on the table, in rows.
    voids
        Byte s: bit v is set where seat s is known, by a PASS, to hold no tile with the value v.
    held
        Byte s: tiles in the hand of seat s.
    passes, passebunge
        Byte s: PASSes (PASSEBUNGE included) and PASSEBUNGE of seat s in this round.
    """

    seat: np.int64
    last: np.int64
    made8: np.uint64
    other8: np.uint64
    left8: np.uint64
    stones: np.uint64
    fresh: np.uint64
    seen: np.uint64
    voids: np.uint64
    held: np.uint64
    passes: np.uint64
    passebunge: np.uint64


@kernel
def shift(seat: int) -> Word:
    """Position of a seat's byte."""
    return U(seat) << U(3)


@kernel
def byte(packed: Word, seat: int) -> Word:
    """A seat's byte."""
    return (packed >> shift(seat)) & BYTE


@kernel
def next_seat(seat: int) -> int:
    """The seat clockwise after `seat`."""
    return 0 if seat == 4 else seat + 1


@kernel
def seat_before(seat: int) -> int:
    """The seat before `seat`, clockwise."""
    return 4 if seat == 0 else seat - 1


@kernel
def on_table(stones: Word) -> Word:
    """Stones on the table."""
    return stones >> TABLE_SHIFT


@kernel
def ends_fit(turn: DomengRoundState) -> Word:
    """All moves at the two ends of the chain."""
    return fitting(turn.made8, turn.other8)


@kernel
def right8(turn: DomengRoundState) -> Word:
    """Eight times the value of the right end."""
    return turn.made8 + turn.other8 - turn.left8


@kernel
def opening(seat: int, stones: Word) -> DomengRoundState:
    """A round before its first tile; `seat` is the starter."""
    zero = U(0)
    return DomengRoundState(seat, seat, zero, zero, zero, stones, NOBODY_PLAYED, zero, zero, FULL_HANDS, zero, zero)


@kernel
def after_lead(turn: DomengRoundState, index: Word) -> DomengRoundState:
    """The starter leads the tile of `index` (whose row is the higher half): left = lo, right = hi."""
    lo8, hi8 = opened(index), joined(index)
    fresh = turn.fresh & ~(U(1) << U(turn.seat))
    held = turn.held - (U(1) << shift(turn.seat))
    seen = ~KEEP[index] & ROWS
    return DomengRoundState(
        turn.seat, turn.seat, lo8, hi8, lo8, turn.stones, fresh, seen, turn.voids, held, turn.passes, turn.passebunge
    )


@kernel
def after_play(turn: DomengRoundState, seat: int, index: Word) -> DomengRoundState:
    """`seat` plays the move `index`.  Where both ends have the same value, the end joined is the left one."""
    joined8, made8 = joined(index), opened(index)
    other8 = turn.made8 + turn.other8 - joined8
    left8 = made8 if joined8 == turn.left8 else turn.left8
    fresh = turn.fresh & ~(U(1) << U(seat))
    held = turn.held - (U(1) << shift(seat))
    seen = turn.seen | ~KEEP[index]
    return DomengRoundState(
        seat, seat, made8, other8, left8, turn.stones, fresh, seen, turn.voids, held, turn.passes, turn.passebunge
    )


@kernel
def after_pass(turn: DomengRoundState, seat: int, stones: Word, is_passebunge: Word, fresh: Word) -> DomengRoundState:
    """`seat` passes, which shows that it holds neither value of the ends."""
    values = (U(1) << (turn.made8 >> U(3))) | (U(1) << (turn.other8 >> U(3)))
    voids = turn.voids | (values << shift(seat))
    passes = turn.passes + (U(1) << shift(seat))
    passebunge = turn.passebunge + (is_passebunge << shift(seat))
    return DomengRoundState(
        seat, turn.last, turn.made8, turn.other8, turn.left8, stones, fresh, turn.seen, voids, turn.held,
        passes, passebunge,
    )  # fmt: skip
