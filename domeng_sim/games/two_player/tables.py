"""The tables of two-player games: with what tells of draws, and without."""

from __future__ import annotations

from domeng_sim.core.tables import DRAW_EVENTS, DRAW_GAMES, DRAW_ROUNDS, Table

WITH_DRAWS = {"games": DRAW_GAMES, "rounds": DRAW_ROUNDS, "events": DRAW_EVENTS}
WITHOUT_DRAWS = {
    **WITH_DRAWS,
    "rounds": Table("rounds", tuple(c for c in DRAW_ROUNDS if c.name not in ("draws_0", "draws_1", "stock"))),
}
