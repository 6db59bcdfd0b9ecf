"""Calls from Python into machine code, and its way from the disk: without the compiler where the code is kept.

Machine code takes one thing, the address of a block of 64-bit words. What is passed to it, whole numbers, arrays and
tuples of such in each other, lies there side by side: a number as one word, an array as its address and lengths. The
first two words are for what comes back. `core.entry_compiler` compiles the other end.
"""

from __future__ import annotations

import ctypes
import hashlib
import struct
import threading
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding as llvm

from domeng_sim.core import announce, cache, compiler

NONE, INT, UINT, FLOAT, BOOL = range(5)
"""Kinds of what comes back."""
RESULT, KIND, N_HEAD = 0, 1, 2
"""The first words of a block."""
OPEN, CLOSE = "(", ")"
_WORD = (1 << 64) - 1
_SCALARS = {int: INT, np.int64: INT, np.uint64: UINT, bool: BOOL, np.bool_: BOOL, float: FLOAT, np.float64: FLOAT}

Kinds = tuple[Any, ...]
"""Types of arguments in the order of their words: a kind of number, (dtype, dimensions) of an array, and for a tuple
its class, `OPEN`, its elements and `CLOSE`."""


class Code(NamedTuple):
    """Machine code, as it is kept."""

    symbol: str
    object_code: bytes


def flatten(value: Any, words: list[int], kinds: list[Any]) -> None:
    """Lay a value down in words.

    Parameters
    ----------
    value
        A number, a contiguous array, or a tuple of such.
    words, kinds
        Appended to.

    Raises
    ------
    TypeError
        If it is something else.
    """
    of = type(value)
    kind = _SCALARS.get(of)
    if kind is not None:
        kinds.append(kind)
        words.append(_bits_of(value) if kind == FLOAT else int(value) & _WORD)
    elif of is np.ndarray:
        if not value.flags.c_contiguous:
            raise TypeError("an array that is not contiguous")
        kinds.append((value.dtype, value.ndim))
        words.append(value.__array_interface__["data"][0])
        words += value.shape
    elif isinstance(value, tuple):
        kinds += (of, OPEN)
        for element in value:
            flatten(element, words, kinds)
        kinds.append(CLOSE)
    elif isinstance(value, int):  # members of enumerations
        flatten(int(value), words, kinds)
    else:
        raise TypeError(f"{of.__name__} cannot be passed to machine code")


def _bits_of(number: float) -> int:
    bits: int = struct.unpack("Q", struct.pack("d", number))[0]
    return bits


def _result(block: ctypes.Array[ctypes.c_uint64]) -> Any:
    """What a function returned."""
    word, kind = block[RESULT], block[KIND]
    if kind == NONE:
        return None
    if kind == FLOAT:
        return struct.unpack("d", struct.pack("Q", word))[0]
    return bool(word) if kind == BOOL else word - (1 << 64) if kind == INT and word >> 63 else word


def _name(kind: Any) -> str:
    return f"{kind.__module__}.{kind.__qualname__}" if isinstance(kind, type) else str(kind)


class _Loaded:
    """Machine code in memory.

    Parameters
    ----------
    code
        The code.
    """

    _target: Any = None

    def __init__(self, code: Code) -> None:
        if _Loaded._target is None:
            llvm.initialize_native_target()
            llvm.initialize_native_asmprinter()
            _Loaded._target = llvm.Target.from_default_triple()
        # each engine owns its machine
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), self._target.create_target_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code.object_code))
        self._engine.finalize_object()
        address = self._engine.get_function_address(code.symbol)
        self._function = ctypes.CFUNCTYPE(ctypes.c_int32, *(ctypes.c_void_p,) * 3)(address)

    def call(self, block: ctypes.Array[ctypes.c_uint64]) -> None:
        """Run it.

        Raises
        ------
        RuntimeError
            If it failed, which is a mistake of ours.
        """
        nothing = (ctypes.c_void_p * 2)()
        status = self._function(ctypes.byref(nothing), ctypes.byref(nothing, ctypes.sizeof(ctypes.c_void_p)), block)
        if status:
            raise RuntimeError(f"machine code ended with the status {status}")


class Entry:
    """A function that Python calls, compiled once for each combination of types of its arguments.

    Parameters
    ----------
    function
        The function; it returns a number or nothing.
    folder
        Where machine code is kept; None if nowhere.
    options
        Of the compiler.
    """

    def __init__(self, function: Callable[..., Any], folder: Path | None, options: dict[str, Any]) -> None:
        self.py_func = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self._folder, self._options = folder, options
        self._loaded: dict[Kinds, _Loaded] = {}
        self._lock = threading.Lock()

    def __call__(self, *args: Any) -> Any:
        """Call the function; what it raises with bounds checks comes out here."""
        if compiler.CHECKS_BOUNDS:
            return self._checked(*args)  # what it raises could not come back in a block
        words, kinds = [0, NONE], []  # type: list[int], list[Any]
        for argument in args:
            flatten(argument, words, kinds)
        types = tuple(kinds)
        loaded = self._loaded.get(types) or self._load(types)
        block = (ctypes.c_uint64 * len(words))(*words)
        loaded.call(block)
        return _result(block)

    @cached_property
    def _checked(self) -> Any:
        """Numba's own way to call the function; kept nowhere."""
        announce.compiling()
        compiler.load()
        from numba import njit

        return njit(self.py_func, **self._options)

    def _load(self, kinds: Kinds) -> _Loaded:
        with self._lock:
            if kinds not in self._loaded:
                self._loaded[kinds] = _Loaded(self._kept(kinds) or self._compiled(kinds))
            return self._loaded[kinds]

    def _path(self, kinds: Kinds) -> Path | None:
        where = (self.py_func.__module__, self.py_func.__qualname__, *map(_name, kinds))
        digest = hashlib.sha256("\n".join(where).encode()).hexdigest()
        return None if self._folder is None else self._folder / f"{self.__name__}-{digest[:32]}.code"

    def _kept(self, kinds: Kinds) -> Code | None:
        path = self._path(kinds)
        data = None if path is None else cache.read(path)
        if data is None:
            return None
        symbol, _, object_code = data.partition(b"\0")
        return Code(symbol.decode(), object_code)

    def _compiled(self, kinds: Kinds) -> Code:
        announce.compiling()
        compiler.load()
        from domeng_sim.core.entry_compiler import compile_entry

        code = compile_entry(self.py_func, kinds, self._options)
        path = self._path(kinds)
        if path is not None:
            cache.write(path, code.symbol.encode() + b"\0" + code.object_code)
        return code
