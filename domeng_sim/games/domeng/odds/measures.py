"""What is measured of a move in Domeng."""

from __future__ import annotations

from domeng_sim.core.codes import Outcome, labels
from domeng_sim.games.shared.odds import Measure, ending_measures

OUTCOMES = tuple(labels(Outcome))
_STONES = ("mean", "stones")
_MOST = 255

MEASURES = (
    *ending_measures(OUTCOMES, OUTCOMES),
    Measure("camat", "share", "share of rounds", "the player is appointed CAMAT", head="CAMAT %"),
    Measure(
        "received", *_STONES, "stones that the player receives from now to the end of the round", _MOST, head="gets"
    ),
    Measure("given", *_STONES, "stones that the player gives from now to the end of the round", _MOST, head="gives"),
)
"""In the order in which the core fills them."""
