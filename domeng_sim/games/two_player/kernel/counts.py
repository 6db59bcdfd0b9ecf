"""The counters behind every figure of two-player games, and where each stands in the core's row of counts."""

from __future__ import annotations

from collections.abc import Mapping

from domeng_sim.core.codes import DrawEnded, DrawOutcome
from domeng_sim.games.shared.length_bins import N_LENGTH_BINS
from domeng_sim.games.types import Count, RuleValue, offsets

NO_SEAT = 2
"""Position of nobody where winners are counted: seats 0 and 1, then nobody."""
MAX_POINTS = 168
"""Pips of all tiles: more than any round scores."""

COUNTS = (
    Count(
        "round_ends",
        (("kind", len(DrawOutcome)), ("seat", 3), ("other", 3)),
        "rounds by outcome, winner (2: nobody) and whether that is the starter (0), the other (1) or nobody (2)",
    ),
    Count("starts", (("seat", 2),), "rounds by starter"),
    Count("plays", (("bin", 29),), "rounds by number of tiles played"),
    Count("draws", (("seat", 2),), "tiles drawn"),
    Count("passes", (("seat", 2),), "PASSes"),
    Count("stock", (("bin", 15),), "rounds by tiles left in the stock"),
    Count("pips", (("seat", 2),), "unplayed pips at the ends of rounds"),
    Count("scored", (("kind", 2), ("seat", 2)), "points scored by outcome (out, blocked) and winner"),
    Count("points", (("bin", MAX_POINTS + 1),), "rounds that somebody won by the points scored"),
    Count("closed_ends", (("bin", 3),), "rounds by ends at their end where no tile could be laid, whatever its values"),
    Count("games", (("kind", len(DrawEnded)),), "games by how they ended"),
    Count("game_wins", (("seat", 2),), "games won"),
    Count("finished_rounds", (), "rounds of games that were won"),
    Count("game_scores", (("seat", 2),), "scores at the end of games (finished or truncated)"),
    Count("game_length", (("bin", N_LENGTH_BINS),), "games that were won by number of rounds"),
)

_AT = offsets(COUNTS)
ROUND_ENDS, STARTS = _AT["round_ends"], _AT["starts"]
PLAYS, DRAWS, PASSES, STOCK, PIPS = _AT["plays"], _AT["draws"], _AT["passes"], _AT["stock"], _AT["pips"]
SCORED, POINTS, CLOSED_ENDS = _AT["scored"], _AT["points"], _AT["closed_ends"]
GAMES, GAME_WINS, FINISHED_ROUNDS = _AT["games"], _AT["game_wins"], _AT["finished_rounds"]
GAME_SCORES, GAME_LENGTH = _AT["game_scores"], _AT["game_length"]


def counts(rules: Mapping[str, RuleValue]) -> tuple[Count, ...]:
    """Blocks of counters of a game: `COUNTS`, without draws and stock where nobody draws.

    Parameters
    ----------
    rules
        A value for every rule of the game.
    """
    return COUNTS if "draw" in rules else tuple(count for count in COUNTS if count.name not in ("draws", "stock"))
