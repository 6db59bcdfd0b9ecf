"""Hands and moves of Domeng: those of every game of the double-six set."""

from __future__ import annotations

from domeng_sim.core.hands import (
    COLUMN0,
    DOUBLES,
    KEEP,
    LOWER,
    NO_TILE,
    ROW,
    ROWS,
    TILE_OF,
    both_ways,
    fitting,
    joined,
    kth_move,
    mask_of,
    opened,
    pips,
    rows_of,
)

__all__ = [
    "COLUMN0",
    "DOUBLES",
    "KEEP",
    "LOWER",
    "NO_TILE",
    "ROW",
    "ROWS",
    "TILE_OF",
    "both_ways",
    "fitting",
    "joined",
    "kth_move",
    "mask_of",
    "opened",
    "pips",
    "rows_of",
]
