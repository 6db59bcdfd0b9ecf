"""The decorators through which everything of ours is compiled, and the folder in which machine code is kept.

Compiled code depends on all functions and constants that it reaches. So the folder is named by a digest of all our
sources, of the versions of numba and llvmlite and of the processor: any change starts an empty folder.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from llvmlite import binding as llvm

from domeng_sim.core import compiler
from domeng_sim.core.bits import HAS_PDEP
from domeng_sim.core.cache import cache_folder
from domeng_sim.core.entries import EntryPoint

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent.parent
COMPILED_FOLDERS = ("core", "games", "strategies")
"""Folders with kernels; the modules directly in the package hold codes and layouts that kernels take as constants."""

_NUMBA_SETTINGS = ("NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
# Arrays come from outside and are not allocated inside: without numba's reference counts (`_nrt`) they can be passed
# on in tuples at no cost; counting them made the loop four times slower.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
# What only kernels call needs no wrappers for Python and C, whose code for unpacking tuples takes most of the compile
# time.
_INNER: dict[str, Any] = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def source_digest(package: Path = PACKAGE) -> str:
    """Digest of all that can change machine code: sources, versions and settings of the compiler, the processor.

    Parameters
    ----------
    package
        Folder of the package.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    told = [version("numba"), version("llvmlite"), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()]
    told += [str(HAS_PDEP), *(os.environ.get(name, "") for name in _NUMBA_SETTINGS)]
    digest = hashlib.sha256("\n".join(told).encode())
    files = sorted(package.glob("*.py"))
    for folder in COMPILED_FOLDERS:
        files += sorted((package / folder).rglob("*.py"))
    for file in files:
        digest.update(file.relative_to(package).as_posix().encode() + b"\0")
        digest.update(file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


CACHE_FOLDER: Path | None = None if compiler.DISABLED else cache_folder(source_digest())
"""Folder of the machine code of these sources; None where there is none to trust (then each process compiles)."""


class Kernel:
    """A function that other kernels call, compiled with the first of them.

    Parameters
    ----------
    function
        The function.
    inlined
        Whether its code is merged into theirs.
    """

    def __init__(self, function: Callable[..., Any], inlined: bool) -> None:
        self.py_func, self.inlined = function, inlined
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    @cached_property
    def dispatcher(self) -> Any:
        """What numba makes of it."""
        compiler.load()
        from numba import njit

        # without the option numba merges it where it is first called from a function that is merged itself: to say no
        # made finite tables take 1.7 times as long
        return njit(self.py_func, **_INNER, **({"forceinline": True} if self.inlined else {}))

    @property
    def _numba_type_(self) -> Any:
        """By this numba takes it for a function that it compiles."""
        return self.dispatcher._numba_type_


def kernel(function: Function) -> Function:
    """Compile a function that other kernels call; its code is merged into theirs."""
    made: Any = function if compiler.DISABLED else Kernel(function, inlined=True)
    return made


def shared(function: Function) -> Function:
    """Compile a function that is called from kernels but too large, or too rare, to be merged into them."""
    made: Any = function if compiler.DISABLED else Kernel(function, inlined=False)
    return made


def in_kernels(function: Function) -> Function:
    """Let kernels call a function that stays a function of Python."""

    def register() -> None:
        from numba.extending import register_jitable

        register_jitable(function)

    compiler.before_compiling(register)
    return function


def entry(function: Function) -> Function:
    """Compile a function that Python calls, for the types of its arguments, and keep its machine code on disk."""
    made: Any = function if compiler.DISABLED else EntryPoint(function, CACHE_FOLDER, _OPTIONS)
    return made


def prepared(function: Callable[..., Any], *args: Any) -> Callable[[], Any]:
    """The call of an entry with these arguments, to be made again and again; arrays may change in between."""
    return function.prepared(*args) if isinstance(function, EntryPoint) else partial(function, *args)
