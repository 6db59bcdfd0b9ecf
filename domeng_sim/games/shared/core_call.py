"""What surrounds every call of a core from Python."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any, TextIO

import numpy as np


class _Aside:
    """Sends what is printed to stderr while at least one thread wants that."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n = 0
        self._stdout: TextIO | None = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._n:
                self._stdout, sys.stdout = sys.stdout, sys.stderr
            self._n += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n -= 1
            if not self._n and self._stdout is not None:
                sys.stdout = self._stdout


aside = _Aside()
"""While a user's function may print: results alone go to stdout."""


@contextlib.contextmanager
def core_call(policy: Any) -> Iterator[None]:
    """Call a core with a policy; what went wrong in users' functions is told at the end.

    Raises
    ------
    StrategyError
        If a function failed, or chose a move that does not exist.
    """
    check = getattr(policy, "check", None)
    with contextlib.nullcontext() if check is None else aside:
        with np.errstate(over="ignore"):
            # only with the compiler off are there warnings: the arithmetic of random numbers is modulo 2^64
            yield
        if check is not None:
            check()
