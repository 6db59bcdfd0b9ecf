"""Options and amounts of Draw."""

from __future__ import annotations

from domeng_sim.games.two_player.rules import DRAW, MAX_ROUNDS, OPENING_LEAD, TABLE, TARGET

RULES = (OPENING_LEAD, DRAW, TARGET, TABLE, MAX_ROUNDS)
