"""How much a test does: kernels run some hundred times slower when the compiler is off."""

from __future__ import annotations

import os

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
"""Whether kernels are compiled in this run of the tests."""


def effort(compiled: int, plain: int) -> int:
    """Choose a number of matches, deals or rounds.

    Parameters
    ----------
    compiled
        Number for compiled kernels.
    plain
        Number for kernels that run as plain Python.
    """
    return compiled if COMPILED else plain
