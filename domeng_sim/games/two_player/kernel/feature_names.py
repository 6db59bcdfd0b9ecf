"""The features of two-player games by name, each with its sentence; known without the compiler, for help and checks."""

from __future__ import annotations

FEATURES: dict[str, str] = {
    "pips": "pips of the tile played, 0 to 12",
    "double": "1 if the tile is a double",
    "equal_ends": "1 if both ends then have the same value (0 at a lead)",
    "follow_ups": "places of the rest of the own hand: moves that would fit the new ends",
    "values_kept": "number of different values in the rest of the own hand, 0 to 7",
    "unseen": "places of the unseen tiles (neither on the table nor in the own hand) at the new ends",
    "other_moves": "places of the tiles that the other may hold: unseen, and not ruled out by what it could not play",
    "other_void": "1 if the other is known to hold no tile that fits the new ends",
    "other_draws": "other_void while the stock has more than two tiles: the other must draw",
    "other_passes": "other_void where the stock is down to two tiles: the other must PASS",
    "own_ends": "number of ends that only the player can follow: no unseen tile fits there",
    "stock_low": "pips of the tile where the stock is down to two tiles, else 0",
    "blocks_low": "1 if the round surely ends blocked by this play and the own pips are low",
    "blocks_high": "1 if the round surely ends blocked by this play and the own pips are not low",
    "closed_ends": "number of ends where then no tile can be laid; 0 on a table without bounds",
    "walls": "number of closed ends that, were they open, only the other could follow",
    "shuts_own": "number of closed ends that, were they open, only the player could follow",
    "turns": "1 if the tile turns left or right; 0 on a table without bounds",
}
"""In the order of the core's rows of weights."""

FEATURES_WITHOUT_DRAWS = {
    name: said for name, said in FEATURES.items() if name not in ("other_draws", "other_passes", "stock_low")
}
"""Where nobody draws, the other passes whenever it is void, and there is no stock."""

SIMPLE_FEATURES = frozenset({"pips", "double"})
"""Features of the tile alone; strategies with no others run in the fastest engine."""
