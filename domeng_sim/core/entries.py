"""Calls from Python into machine code, and its way from the disk: without the compiler where the code is kept.

Machine code takes one thing, the address of a block of 64-bit words: see `core.call_block`. `core.entry_compiler`
compiles the other end.
"""

from __future__ import annotations

import ctypes
import hashlib
import threading
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm

from domeng_sim.core import announce, cache, compiler
from domeng_sim.core.call_block import NONE, Kinds, flatten, result_of

Code = tuple[str, bytes]
"""Machine code as it is kept: its symbol, and the object file."""


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
        symbol, object_code = code
        # each engine owns its machine
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), self._target.create_target_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(object_code))
        self._engine.finalize_object()
        address = self._engine.get_function_address(symbol)
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


class EntryPoint:
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
        return self.prepared(*args)()

    def prepared(self, *args: Any) -> Callable[[], Any]:
        """The call with these arguments, to be made again and again; arrays may change in between."""
        if compiler.CHECKS_BOUNDS:
            return partial(self._checked, *args)  # what it raises could not come back in a block
        words, kinds = [0, NONE], []  # type: list[int], list[Any]
        for argument in args:
            flatten(argument, words, kinds)
        types = tuple(kinds)
        block = (ctypes.c_uint64 * len(words))(*words)
        return partial(self._call, types, block, args)

    def _call(self, kinds: Kinds, block: ctypes.Array[ctypes.c_uint64], held: tuple[Any, ...]) -> Any:
        """Call with a block; `held` are the arguments, whose arrays must live while their addresses stand in it."""
        loaded = self._loaded.get(kinds) or self._load(kinds)
        loaded.call(block)
        return result_of(block)

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
        return symbol.decode(), object_code

    def _compiled(self, kinds: Kinds) -> Code:
        announce.compiling()
        compiler.load()
        from domeng_sim.core.entry_compiler import compile_entry

        symbol, object_code = code = compile_entry(self.py_func, kinds, self._options)
        path = self._path(kinds)
        if path is not None:
            cache.write(path, symbol.encode() + b"\0" + object_code)
        return code
