"""Calls of users' functions from the core, by address; `user_compiler` gives them their machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import Word
from domeng_sim.core.compiler import before_compiling

RAISED = -(2**63)
"""What the guard returns where the function raised."""

PLAYERS: dict[int, Any] = {}
"""`user.Player` by address.  Kept for as long as the process lives: the core may hold an address."""


def call(address: Word, shown: npt.NDArray[np.int64]) -> int:
    """Ask the function at an address: the position it chose, or `RAISED`."""
    return int(PLAYERS[int(address)](shown))


before_compiling("domeng_sim.games.shared.user_compiler")
