"""When the compiler is loaded, and what it must be told before it compiles.  Imports no compiler itself.

numba takes longer to import than a short run takes, and is needed only where machine code is not kept yet. So modules
with kernels say here what numba must know of them, and it hears of it when something is compiled.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from importlib import import_module

DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
"""Whether kernels run as plain Python, so that coverage sees them."""
CHECKS_BOUNDS = os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")
"""Whether kernels raise where they would read or write out of range."""

_lock = threading.RLock()
_lessons: list[Callable[[], object]] = []
_loaded = threading.Event()


def before_compiling(lesson: str | Callable[[], object]) -> None:
    """Have the compiler told something, at once if it is loaded already.

    Parameters
    ----------
    lesson
        Name of a module that tells it when imported, or what to call.
    """

    def told() -> object:
        return import_module(lesson) if isinstance(lesson, str) else lesson()

    with _lock:
        if _loaded.is_set():
            told()
        else:
            _lessons.append(told)


def load() -> None:
    """Load the compiler and tell it everything."""
    with _lock:
        # a lesson may bring others
        while _lessons:
            _lessons.pop(0)()
        _loaded.set()
