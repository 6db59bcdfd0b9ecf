"""The state of a round between two turns, as words that stay in registers.

Counts by seat are packed, a byte a seat, so that the whole state is passed from function to function by value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from domeng_sim.core.bits import U, Word, popcount
from domeng_sim.core.codes import End
from domeng_sim.core.hands import KEEP, ROWS, both_ways, joined, opened
from domeng_sim.core.jit import kernel
from domeng_sim.games.two_player.kernel.deal import LAST_STOCK, N_HAND, next_of_stock
from domeng_sim.games.two_player.kernel.moves import Move

BYTE = U(255)


class TwoPlayerRoundState(NamedTuple):
    """The round as it stands; `seat` has just played or passed.

    Attributes
    ----------
    seat
        Who acted last.
    left8, right8
        Eight times the values of the two ends.
    stock
        Tiles of the stock, each in the row of its higher half only.
    stock_word
        What is left of the random word that orders the stock.
    seen
        Tiles on the table, in rows.
    lacks0, lacks1
        Tiles, in rows, that the seat is known not to hold, by its draws and PASSes.
    plays, draws, passes
        Byte s: tiles played, tiles drawn and PASSes of seat s in this round.
    """

    seat: np.int64
    left8: np.uint64
    right8: np.uint64
    stock: np.uint64
    stock_word: np.uint64
    seen: np.uint64
    lacks0: np.uint64
    lacks1: np.uint64
    plays: np.uint64
    draws: np.uint64
    passes: np.uint64


@kernel
def one_of(seat: int) -> Word:
    """One in a seat's byte."""
    return U(1) << (U(seat) << U(3))


@kernel
def byte(packed: Word, seat: int) -> Word:
    """A seat's byte."""
    return (packed >> (U(seat) << U(3))) & BYTE


@kernel
def both(packed: Word) -> Word:
    """Sum over the seats."""
    return (packed & BYTE) + (packed >> U(8))


@kernel
def held(turn: TwoPlayerRoundState, seat: int) -> Word:
    """Tiles in the hand of a seat."""
    return U(N_HAND) + byte(turn.draws, seat) - byte(turn.plays, seat)


@kernel
def can_draw(turn: TwoPlayerRoundState) -> bool:
    """Whether the stock has tiles that may be drawn."""
    return popcount(turn.stock) > U(LAST_STOCK)


@kernel
def lacks(turn: TwoPlayerRoundState, seat: int) -> Word:
    """Tiles that the seat is known not to hold."""
    return turn.lacks1 if seat else turn.lacks0


@kernel
def opening(seat: int, stock: Word, stock_word: Word) -> TwoPlayerRoundState:
    """A round before its first tile; `seat` is the starter."""
    zero = U(0)
    return TwoPlayerRoundState(seat, zero, zero, stock, stock_word, zero, zero, zero, zero, zero, zero)


@kernel
def after_lead(turn: TwoPlayerRoundState, index: Word) -> TwoPlayerRoundState:
    """The starter leads the tile of `index` (whose row is the higher half): left = lo, right = hi."""
    seen = ~KEEP[index] & ROWS
    return TwoPlayerRoundState(
        turn.seat, opened(index), joined(index), turn.stock, turn.stock_word, seen, turn.lacks0, turn.lacks1,
        turn.plays + one_of(turn.seat), turn.draws, turn.passes,
    )  # fmt: skip


@kernel
def after_draw(turn: TwoPlayerRoundState, seat: int) -> tuple[TwoPlayerRoundState, Word]:
    """`seat` draws the next tile of the stock, whose index comes second."""
    n = popcount(turn.stock)
    index = next_of_stock(turn.stock, turn.stock_word, n)
    stock = turn.stock ^ (U(1) << index)
    turn = TwoPlayerRoundState(
        turn.seat, turn.left8, turn.right8, stock, turn.stock_word * n, turn.seen, turn.lacks0, turn.lacks1,
        turn.plays, turn.draws + one_of(seat), turn.passes,
    )  # fmt: skip
    return turn, index


@kernel
def after_play(turn: TwoPlayerRoundState, seat: int, move: Move) -> TwoPlayerRoundState:
    """`seat` plays a move."""
    made8 = opened(move.index)
    is_left = move.end == End.LEFT
    left8 = made8 if is_left else turn.left8
    right8 = turn.right8 if is_left else made8
    return TwoPlayerRoundState(
        seat, left8, right8, turn.stock, turn.stock_word, turn.seen | (~KEEP[move.index] & ROWS), turn.lacks0,
        turn.lacks1, turn.plays + one_of(seat), turn.draws, turn.passes,
    )  # fmt: skip


@kernel
def after_pass(turn: TwoPlayerRoundState, seat: int) -> TwoPlayerRoundState:
    """`seat` passes."""
    return TwoPlayerRoundState(
        seat, turn.left8, turn.right8, turn.stock, turn.stock_word, turn.seen, turn.lacks0, turn.lacks1,
        turn.plays, turn.draws, turn.passes + one_of(seat),
    )  # fmt: skip


@kernel
def with_lacks(turn: TwoPlayerRoundState, seat: int, fits: Word, n_kept: Word) -> TwoPlayerRoundState:
    """What a turn without a fitting tile shows: `seat` holds none of the tiles that fitted.

    Those that did not fit and were kept may be any others, so what was known before is forgotten with the first.

    Parameters
    ----------
    turn
        The round.
    seat
        Who drew or passed.
    fits
        All tiles that fitted the ends, in rows.
    n_kept
        Tiles drawn that did not fit.
    """
    known = both_ways(fits) | (U(0) if n_kept else lacks(turn, seat))
    lacks0 = turn.lacks0 if seat else known
    lacks1 = known if seat else turn.lacks1
    return TwoPlayerRoundState(
        turn.seat, turn.left8, turn.right8, turn.stock, turn.stock_word, turn.seen, lacks0, lacks1,
        turn.plays, turn.draws, turn.passes,
    )  # fmt: skip
