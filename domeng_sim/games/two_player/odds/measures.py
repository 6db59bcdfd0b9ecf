"""What is measured of a move in two-player games."""

from __future__ import annotations

from domeng_sim.core.codes import DrawOutcome, labels
from domeng_sim.games.shared.odds import Measure, ending_measures

OUTCOMES = tuple(labels(DrawOutcome))
MOST_POINTS = 168
"""Pips of all tiles."""
_POINTS = ("mean", "points")

MEASURES = (
    *ending_measures(OUTCOMES, [name for name in OUTCOMES if name != DrawOutcome.TIED.label]),
    Measure("points", *_POINTS, "points that the player scores in the round", MOST_POINTS, head="scores", is_open=True),
    Measure("points_other", *_POINTS, "points that the other scores", MOST_POINTS, head="other", is_open=True),
    Measure(
        "points_net", *_POINTS, "points that the player scores, less those of the other", MOST_POINTS, -MOST_POINTS,
        head="net", is_open=True, decides_ties=True,
    ),
)  # fmt: skip
"""In the order in which the core fills them."""
