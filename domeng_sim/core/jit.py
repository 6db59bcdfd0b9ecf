"""The two decorators through which everything of ours is compiled, and the folder in which machine code is kept.

numba's disk cache looks at the one file that holds the cached function; it does not see changes in the functions and
constants that this function uses from other files.  So the cache folder is named by a digest of all our sources and of
the versions of numba and llvmlite and of whether an instruction is used: any change starts an empty folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
from numba import njit

from domeng_sim.core.bits import HAS_PDEP
from domeng_sim.core.cache import Cache, NoCache, cache_folder

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent.parent
COMPILED_FOLDERS = ("core", "games", "strategies")
"""Folders with kernels; the modules directly in the package hold codes and layouts that kernels take as constants."""

# Arrays come from outside and are not allocated inside: without numba's reference counts (`_nrt`) they can be passed
# on in tuples at no cost; counting them made the loop four times slower.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
# What only kernels call needs no wrappers for Python and C, whose code for unpacking tuples takes most of the compile
# time.
_INNER: dict[str, Any] = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def source_digest(package: Path = PACKAGE) -> str:
    """Digest of all sources that can change machine code, and of the compiler's versions.

    Parameters
    ----------
    package
        Folder of the package.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    digest = hashlib.sha256(f"numba {numba.__version__} llvmlite {llvmlite.__version__} {HAS_PDEP}".encode())
    files = sorted(package.glob("*.py"))
    for folder in COMPILED_FOLDERS:
        files += sorted((package / folder).rglob("*.py"))
    for file in files:
        digest.update(file.relative_to(package).as_posix().encode() + b"\0")
        digest.update(file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


CACHE_FOLDER: Path | None = None if numba.config.DISABLE_JIT else cache_folder(source_digest())
"""Folder of the machine code of these sources; None where there is none to trust (then each process compiles)."""


def kernel(function: Function) -> Function:
    """Compile a function that other kernels call; its code is merged into theirs."""
    compiled: Function = njit(function, forceinline=True, **_INNER)
    return compiled


def shared(function: Function) -> Function:
    """Compile a function that is called from kernels but too large, or too rare, to be merged into them."""
    compiled: Function = njit(function, **_INNER)
    return compiled


def entry(function: Function, apart: str = "") -> Function:
    """Compile a function that Python calls, and keep its machine code on disk.

    The folder is set for the time of the decoration only, so that other users of numba in the process keep theirs.

    Parameters
    ----------
    function
        The function.
    apart
        Name of a folder of its own, for a function of which there are several versions; the versions in one folder are
        known to each other by all their types.
    """
    compiled: Any = njit(function, **_OPTIONS)
    if numba.config.DISABLE_JIT:
        return compiled
    if CACHE_FOLDER is None:
        compiled._cache = NoCache()
        return compiled
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_FOLDER / apart)
    try:
        compiled._cache = Cache(function)
    finally:
        numba.config.CACHE_DIR = before
    return compiled
