"""Options and amounts of Block: those of Draw but for drawing."""

from __future__ import annotations

from domeng_sim.games.two_player.rules import MAX_ROUNDS, OPENING_LEAD, TABLE, TARGET

RULES = (OPENING_LEAD, TARGET, TABLE, MAX_ROUNDS)
