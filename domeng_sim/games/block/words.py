"""How rounds of Block are told."""

from __future__ import annotations

from domeng_sim.games.two_player.words.narrative import telling

TELLING = telling("Block", draws=False)
