"""What the functions of `core.bits` are in a kernel: imported when the compiler is loaded."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload, register_jitable

from domeng_sim.core import bits as plain
from domeng_sim.core.bits import HAS_PDEP, U, deposit, high_product, highest_bit, lowest_bit, nth_bit, popcount

_I1, _I64, _I128 = ir.IntType(1), ir.IntType(64), ir.IntType(128)


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


# numba compares the signatures of both lambdas, names included.
overload(popcount)(lambda x: lambda x: _popcount(x))
overload(lowest_bit)(lambda x: lambda x: _lowest_bit(x))
overload(highest_bit)(lambda x: lambda x: _highest_bit(x))
overload(high_product)(lambda a, b: lambda a, b: _high_product(a, b))
register_jitable(plain._deposit_part)
by_table, by_clearing = numba.njit(plain.deposit_by_table), numba.njit(plain.nth_bit_by_clearing)
if HAS_PDEP:
    overload(deposit)(lambda bits, mask: lambda bits, mask: _deposit(bits, mask))
    overload(nth_bit)(lambda word, n: lambda word, n: _lowest_bit(_deposit(U(1) << n, word)))
else:
    overload(deposit)(lambda bits, mask: lambda bits, mask: by_table(bits, mask))
    overload(nth_bit)(lambda word, n: lambda word, n: by_clearing(word, n))
