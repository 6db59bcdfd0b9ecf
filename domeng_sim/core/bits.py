"""Operations on 64-bit words: one machine instruction each where the processor has it.

Each is a plain Python function with a compiled body attached by overload, so that kernels also run with the compiler
off.  All words in the core are unsigned; ``U(...)`` makes constants of that type, since a plain literal beside an
unsigned word would make numba compute with signed ones.
"""

from __future__ import annotations

import os
from typing import Any

import numba
import numpy as np
from llvmlite import binding as llvm
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload, register_jitable

U = np.uint64
Word = np.uint64

_I1, _I64, _I128 = ir.IntType(1), ir.IntType(64), ir.IntType(128)

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


@intrinsic  # type: ignore[untyped-decorator]
def _popcount(typingctx: Any, x: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), build


@intrinsic  # type: ignore[untyped-decorator]
def _lowest_bit(typingctx: Any, x: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(_I1, 0))

    return types.uint64(types.uint64), build


@intrinsic  # type: ignore[untyped-decorator]
def _highest_bit(typingctx: Any, x: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.sub(ir.Constant(_I64, 63), builder.ctlz(args[0], ir.Constant(_I1, 1)))

    return types.uint64(types.uint64), build


@intrinsic  # type: ignore[untyped-decorator]
def _high_product(typingctx: Any, a: Any, b: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        product = builder.mul(builder.zext(args[0], _I128), builder.zext(args[1], _I128))
        return builder.trunc(builder.lshr(product, ir.Constant(_I128, 64)), _I64)

    return types.uint64(types.uint64, types.uint64), build


@intrinsic  # type: ignore[untyped-decorator]
def _deposit(typingctx: Any, bits: Any, mask: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), ir.FunctionType(_I64, [_I64, _I64]))
        return builder.call(function, args)

    return types.uint64(types.uint64, types.uint64), build


# --- For processors without the instruction ---------------------------------------------------------------------------
# By small tables: a loop over the bits would be guessed wrong at every other end.

_WIDTH, _STEPS = U(7), 4
"""Positions looked up at a time, and how often for the 28 tiles."""
_LOW = U(127)
_COUNT = np.array([mask.bit_count() for mask in range(128)], np.uint8)
_SPREAD = np.array([int(deposit(U(bits), U(mask))) for mask in range(128) for bits in range(128)], np.uint8)
"""Seven bits spread over seven positions: element 128 mask + bits."""


@register_jitable  # type: ignore[untyped-decorator]
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


_deposit_by_table, _nth_bit_by_clearing = numba.njit(deposit_by_table), numba.njit(nth_bit_by_clearing)


# The plain functions above, to a kernel, are these.  numba compares the signatures of both lambdas, names included.
overload(popcount)(lambda x: lambda x: _popcount(x))
overload(lowest_bit)(lambda x: lambda x: _lowest_bit(x))
overload(highest_bit)(lambda x: lambda x: _highest_bit(x))
overload(high_product)(lambda a, b: lambda a, b: _high_product(a, b))
if HAS_PDEP:
    overload(deposit)(lambda bits, mask: lambda bits, mask: _deposit(bits, mask))
    overload(nth_bit)(lambda word, n: lambda word, n: _lowest_bit(_deposit(U(1) << n, word)))
else:
    overload(deposit)(lambda bits, mask: lambda bits, mask: _deposit_by_table(bits, mask))
    overload(nth_bit)(lambda word, n: lambda word, n: _nth_bit_by_clearing(word, n))
