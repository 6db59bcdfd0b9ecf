"""The two decorators through which everything of ours is compiled, and the folder in which machine code is kept.

numba's disk cache looks at the one file that holds the cached function; it does not see changes in the functions and
constants that this function uses from other files.  So the cache folder is named by a digest of all our sources and of
the versions of numba and llvmlite: any change starts an empty folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
from llvmlite import binding as llvm
from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent.parent
COMPILED_FOLDERS = ("core", "games", "strategies")
"""Folders with kernels; the modules directly in the package hold codes and layouts that kernels take as constants."""

_KEEP_SECONDS = 14 * 24 * 3600

# Arrays come from outside and are not allocated inside: without numba's reference counts (`_nrt`) they can be passed
# on in tuples at no cost; counting them made the loop four times slower.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
# What only kernels call needs no wrappers for Python and C, whose code for unpacking tuples takes most of the compile
# time.
_INNER: dict[str, Any] = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def cache_root() -> Path:
    """Folder that holds a folder of machine code for each version of our sources.

    ``DOMENG_SIM_CACHE`` names it; otherwise it is ``domeng_sim`` in the user's cache folder (``XDG_CACHE_HOME``).
    """
    named = os.environ.get("DOMENG_SIM_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "domeng_sim"


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
    digest = hashlib.sha256(f"numba {numba.__version__} llvmlite {llvmlite.__version__}".encode())
    files = sorted(package.glob("*.py"))
    for folder in COMPILED_FOLDERS:
        files += sorted((package / folder).rglob("*.py"))
    for file in files:
        digest.update(file.relative_to(package).as_posix().encode() + b"\0")
        digest.update(file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError:
        return False
    return True


def _remove_old(root: Path, keep: Path) -> None:
    """Remove the folders of other versions of the sources that were not used for two weeks."""
    for folder in root.iterdir():
        try:
            if folder != keep and folder.is_dir() and time.time() - folder.stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


def _cache_folder() -> Path | None:
    root = cache_root()
    folder = root / f"numba-{source_digest()}"
    if not _writable(folder):
        return None
    _remove_old(root, folder)
    return folder


CACHE_FOLDER: Path | None = None if numba.config.DISABLE_JIT else _cache_folder()
"""Folder of the machine code of these sources; None where nothing can be written (then each process compiles)."""


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
    if CACHE_FOLDER is None:
        uncached: Function = njit(function, **_OPTIONS)
        return uncached
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_FOLDER / apart)
    try:
        compiled: Function = njit(function, cache=True, **_OPTIONS)
    finally:
        numba.config.CACHE_DIR = before
    return compiled


def _marker(engine: str) -> Path | None:
    return None if CACHE_FOLDER is None else CACHE_FOLDER / f"{engine}-{llvm.get_host_cpu_name()}.ready"


def is_compiled(engine: str) -> bool:
    """Whether the machine code of an engine is (as far as can be told cheaply) in the cache.

    Parameters
    ----------
    engine
        Name under which `mark_compiled` was called.
    """
    marker = _marker(engine)
    return bool(numba.config.DISABLE_JIT) or (marker is not None and marker.exists())


def mark_compiled(engine: str) -> None:
    """Note that an engine's machine code is in the cache."""
    marker = _marker(engine)
    if marker is not None:
        try:
            marker.touch()
        except OSError:
            return
