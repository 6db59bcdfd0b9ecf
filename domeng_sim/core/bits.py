"""Operations on 64-bit words: one machine instruction each where the processor has it.

Each is a plain Python function to which `core.instructions` gives a compiled body, so that kernels also run with the
compiler off.  All words in the core are unsigned; ``U(...)`` makes constants of that type, since a plain literal beside
an unsigned word would make numba compute with signed ones.
"""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt
from llvmlite import binding as llvm

from domeng_sim.core.compiler import before_compiling

U = np.uint64
Word = np.uint64

HAS_PDEP = bool(llvm.get_host_cpu_features().get("bmi2", False)) and "DOMENG_SIM_NO_BMI2" not in os.environ
"""Whether bits are deposited by one instruction (x86-64 with BMI2); otherwise tables give the same words."""


def popcount(x: Word) -> Word:
    """Number of bits set in `x`."""
    return U(int(x).bit_count())


def lowest_bit(x: Word) -> Word:
    """Position of the lowest bit set in `x`; 64 for 0."""
    return U((int(x) & -int(x)).bit_length() - 1) if x else U(64)


def highest_bit(x: Word) -> Word:
    """Position of the highest bit set in `x`, which is not 0."""
    return U(int(x).bit_length() - 1)


def high_product(a: Word, b: Word) -> Word:
    """Upper 64 bits of the 128-bit product of `a` and `b`.

    For a uniform word `a`, ``high_product(a, n)`` chooses among `n` things, and the lower half of the product is what
    is left of the word (Lemire 2019, *Fast random integer generation in an interval*, ACM TOMACS 29).
    """
    return U((int(a) * int(b)) >> 64)


def deposit(bits: Word, mask: Word) -> Word:
    """Spread the low bits of `bits` over the positions set in `mask`, lowest first (PDEP of x86-64)."""
    rest, source, result = int(mask), int(bits), 0
    while rest and source:
        lowest = rest & -rest
        if source & 1:
            result |= lowest
        source >>= 1
        rest ^= lowest
    return U(result)


def nth_bit(word: Word, n: Word) -> Word:
    """Position of the bit number `n` of those set in `word`, the lowest being number 0; there are more than `n`."""
    rest = int(word)
    for _ in range(int(n)):
        rest &= rest - 1
    return lowest_bit(U(rest))


# --- For processors without the instruction ---------------------------------------------------------------------------
# By small tables: a loop over the bits would be guessed wrong at every other end.

_WIDTH, _STEPS = U(7), 4
"""Positions looked up at a time, and how often for the 28 tiles."""
_LOW = U(127)
_COUNT = np.bitwise_count(np.arange(128, dtype=np.uint8))


def _spread() -> npt.NDArray[np.uint8]:
    masks, bits = np.arange(128, dtype=np.uint8)[:, None], np.arange(128, dtype=np.uint8)
    found = np.zeros((128, 128), np.uint8)
    for k in range(7):
        rank = _COUNT[masks & (2**k - 1)]
        found |= (masks >> k & 1 & bits >> rank) << k
    return found.reshape(-1)


_SPREAD = _spread()
"""Seven bits spread over seven positions: element 128 mask + bits."""


def _deposit_part(bits: Word, mask: Word, place: Word) -> tuple[Word, Word, Word]:
    """What the lowest positions get, and the bits and the mask that are left."""
    part = mask & _LOW
    spread = U(_SPREAD[(part << _WIDTH) | (bits & _LOW)])
    return spread << place, bits >> U(_COUNT[part]), mask >> _WIDTH


def deposit_by_table(bits: Word, mask: Word) -> Word:
    """`deposit`, seven positions at a time."""
    result, place = U(0), U(0)
    for _ in range(_STEPS):  # a number of steps that is known: nothing to guess
        part, bits, mask = _deposit_part(bits, mask, place)
        result |= part
        place += _WIDTH
    while mask:
        part, bits, mask = _deposit_part(bits, mask, place)
        result |= part
        place += _WIDTH
    return result


def nth_bit_by_clearing(word: Word, n: Word) -> Word:
    """`nth_bit`: the word without its lowest bit, two and three are made at once, and the right one is selected."""
    while n >= U(4):
        word &= word - U(1)
        n -= U(1)
    without1 = word & (word - U(1))
    without2 = without1 & (without1 - U(1))
    without3 = without2 & (without2 - U(1))
    even, odd = (without2, without3) if n & U(2) else (word, without1)
    return lowest_bit(odd if n & U(1) else even)


before_compiling("domeng_sim.core.instructions")
