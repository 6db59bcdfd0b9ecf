"""Bit packing: many small numbers side by side in as few bits as the largest needs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.jit import entry, kernel

_BYTES, _PAIRS, _FOURS = U(0x00FF00FF00FF00FF), U(0x0000FFFF0000FFFF), U(0x00000000FFFFFFFF)
"""The even ones among the bytes of a word, among its pairs of bytes, and among its fours."""


@kernel
def _close_up(word: Word, lane: Word, width: Word) -> Word:
    """The low `width` bits of every lane of a word, side by side from its lowest bit.

    Neighbours move together, then pairs of them, then fours: three steps at most, which the compiler does for several
    words at once.  The instruction for this (PEXT of BMI2) would save 0.03 ns a number, and not every processor has it.
    """
    if lane == U(8):
        word = (word & _BYTES) | ((word & ~_BYTES) >> (U(8) - width))
        width += width
    word = (word & _PAIRS) | ((word & ~_PAIRS) >> (U(16) - width))
    width += width
    return (word & _FOURS) | ((word & ~_FOURS) >> (U(32) - width))


@entry
def pack(words: npt.NDArray[np.uint64], lane: Word, width: Word, out: npt.NDArray[np.uint64]) -> None:
    """Pack numbers to `width` bits each, the first one in the lowest bits.

    Parameters
    ----------
    words
        Words of numbers, eight of 8 bits or four of 16, the first one in the lowest bits; overwritten.
    lane
        Bits that a number has there: 8 or 16.
    width
        Bits that it shall have: 1 to `lane`; higher ones are dropped.
    out
        Written: the bits without gaps.  At least ``len(words) * width / lane`` words, rounded up.
    """
    ones = U(0x0101010101010101) if lane == U(8) else U(0x0001000100010001)
    mask = ones * ((U(1) << width) - U(1))
    # apart from the loop below, which goes from word to word and cannot be done for several at once
    for i in range(len(words)):
        words[i] = _close_up(words[i] & mask, lane, width)
    step = U(64) // lane * width
    pending, n_pending, end = U(0), U(0), 0
    for i in range(len(words)):
        bits = words[i]
        pending |= bits << n_pending
        n_pending += step
        if n_pending >= U(64):
            out[end] = pending
            end += 1
            n_pending -= U(64)
            pending = bits >> (step - n_pending) if n_pending else U(0)
    if n_pending:
        out[end] = pending
