"""Compiles what Python calls: the end of `core.entries` that is machine code.  Imported when something is compiled.

numba's functions take two pointers before their arguments, for what they return and raise, and return a status. Ours
return nothing, so they are called as they are, without a wrapper that would need numba when it runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numba.np.arrayobj import populate_array

from domeng_sim.core.call_block import BOOL, CLOSE, FLOAT, INT, KIND, N_HEAD, OPEN, RESULT, UINT, Kinds

_BLOCK = (types.CPointer(types.uint64),)
_NEEDED = re.compile(r"^declare [^@]*@\"?([\w.$]+)\"?\(", re.MULTILINE)
_KNOWN = re.compile(r"llvm\..*|mem(cpy|set|move)")
"""What machine code may need of others: instructions, and functions of C that every process has."""


@intrinsic  # type: ignore[untyped-decorator]
def _array(typingctx: Any, address: Any, shape: Any, dtype: Any) -> Any:
    """The array at an address.

    As `numba.carray`, which is a function and so may return no array where there are no reference counts.
    """
    made = types.Array(dtype.dtype, len(shape), "C")

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(made)(context, builder)
        lengths = cgutils.unpack_tuple(builder, args[1])
        item = ir.Constant(lengths[0].type, context.get_abi_sizeof(context.get_data_type(made.dtype)))
        strides = [item]
        for length in lengths[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        data = builder.inttoptr(args[0], array.data.type)
        populate_array(array, data, lengths, strides, item, None)
        return array._getvalue()

    return made(address, shape, dtype), build


@intrinsic  # type: ignore[untyped-decorator]
def _address(typingctx: Any, block: Any) -> Any:
    """The address of a block as a word."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ptrtoint(args[0], ir.IntType(64))

    return types.uint64(block), build


@intrinsic  # type: ignore[untyped-decorator]
def _as_float(typingctx: Any, word: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.uint64), build


@intrinsic  # type: ignore[untyped-decorator]
def _as_word(typingctx: Any, number: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.uint64(types.float64), build


def _put(words: Any, result: Any) -> None:
    """Put what a function returned into its block."""


@overload(_put, jit_options={"forceinline": True})
def _put_by_type(words, result):  # type: ignore[no-untyped-def]
    if isinstance(result, types.NoneType):
        return lambda words, result: None
    if isinstance(result, types.Float):
        kind, as_word = FLOAT, _as_word
    elif isinstance(result, types.Boolean):
        kind, as_word = BOOL, np.uint64
    elif isinstance(result, types.Integer):
        kind, as_word = INT if result.signed else UINT, np.uint64
    else:
        raise TypeError(f"{result} cannot come back from machine code")

    def put(words, result):  # type: ignore[no-untyped-def]
        words[RESULT] = as_word(result)
        words[KIND] = np.uint64(kind)

    return put


class _Unpacking:
    """Writes the expressions that make arguments of the words of a block.

    Parameters
    ----------
    kinds
        Types of the arguments.

    Attributes
    ----------
    names
        What the expressions mean by their names.
    n_words
        Length of the block.
    arguments
        The expressions.
    """

    def __init__(self, kinds: Kinds) -> None:
        self.names: dict[str, Any] = {"np": np, "array": _array, "as_float": _as_float}
        self.n_words = N_HEAD
        self._kinds = iter(kinds)
        self.arguments = list(self._until(None))

    def _until(self, end: Any) -> Iterator[str]:
        while (kind := next(self._kinds, None)) != end:
            yield self._expression(kind)

    def _word(self) -> str:
        self.n_words += 1
        return f"words[{self.n_words - 1}]"

    def _expression(self, kind: Any) -> str:
        if isinstance(kind, int):
            forms = {INT: "np.int64({})", UINT: "{}", BOOL: "({} != 0)", FLOAT: "as_float({})"}
            return forms[kind].format(self._word())
        if isinstance(kind, type):
            assert next(self._kinds) == OPEN
            elements = "".join(f"{element}, " for element in self._until(CLOSE))
            return f"{'' if kind is tuple else self._named(kind)}({elements})"
        dtype, n_dimensions = kind
        address = self._word()
        shape = "".join(f"np.int64({self._word()}), " for _ in range(n_dimensions))
        return f"array({address}, ({shape}), {self._named(dtype.type)})"

    def _named(self, thing: type) -> str:
        name = f"type_{id(thing)}"
        self.names[name] = thing
        return name


def compile_entry(function: Callable[..., Any], kinds: Kinds, options: dict[str, Any]) -> tuple[str, bytes]:
    """Compile a function for arguments of such types.

    Parameters
    ----------
    function
        The function.
    kinds
        Types of its arguments, see `core.call_block`.
    options
        Of the compiler.

    Returns
    -------
    symbol
        Name of the function in the object file.
    object_code
        The object file.

    Raises
    ------
    RuntimeError
        If the machine code would need the compiler when it runs, as it does for an exception.
    """
    unpacking = _Unpacking(kinds)
    called = njit(function, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)
    names = {**unpacking.names, "__name__": __name__, "called": called, "put": _put, "address": _address}
    lines = (
        "def entry(block):",
        f"    words = array(address(block), ({unpacking.n_words},), np.uint64)",
        f"    put(words, called({', '.join(unpacking.arguments)}))",
    )
    exec("\n".join(lines), names)
    dispatcher = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(names["entry"])
    dispatcher.compile(_BLOCK)
    [result] = dispatcher.overloads.values()
    needed = [name for name in _NEEDED.findall(result.library.get_llvm_str()) if not _KNOWN.fullmatch(name)]
    if needed:
        raise RuntimeError(f"machine code of {function.__qualname__} needs {', '.join(needed)}")
    return result.fndesc.llvm_func_name, result.library._get_compiled_object()
