"""The counters behind every figure of Domeng, and where each stands in the core's row of counts."""

from __future__ import annotations

from collections.abc import Mapping

from domeng_sim.core.codes import Cause, Ended, Outcome
from domeng_sim.games.shared.length_bins import N_LENGTH_BINS as N_LENGTH_BINS
from domeng_sim.games.shared.length_bins import length_bin_start as length_bin_start
from domeng_sim.games.types import Count, RuleValue, offsets

TABLE = 5
"""Position of the table where givers are counted: seats 0 to 4, then the table."""

_FIXED = (
    Count(
        "round_ends",
        (("kind", 5), ("seat", 5), ("other", 5)),
        "rounds by outcome, winner and the winner's distance clockwise from the starter",
    ),
    Count(
        "mattikkeng_suffered",
        (("kind", 3), ("seat", 5)),
        "blocked rounds by kind (0 one MATTIKKENG with fewer pips, 1 one with equal pips, 2 several) and MANGUNO",
    ),
    Count("passes", (("seat", 5),), "PASSes, PASSEBUNGE and closing ones included"),
    Count("passebunge", (("seat", 5),), "PASSEBUNGE"),
    Count("plays", (("bin", 26),), "rounds by number of tiles played"),
    Count(
        "stones_moved",
        (("kind", len(Cause)), ("other", 6), ("seat", 5)),
        "stones by cause, giver (5: the table) and receiver",
    ),
    Count("games", (("kind", len(Ended)),), "games by how they ended"),
    Count("camat", (("seat", 5),), "appointments to CAMAT"),
    Count("camat_again", (("seat", 5),), "appointments of the CAMAT of before"),
    Count("incumbent_games", (("seat", 5),), "finished or truncated games that began with this seat as CAMAT"),
    Count("finished_rounds", (), "rounds of games that ended with a CAMAT"),
    Count("game_stones", (("seat", 5),), "stones held at the end of games (CAMAT or truncated)"),
    Count("game_length", (("bin", N_LENGTH_BINS),), "games that ended with a CAMAT by number of rounds"),
)


_AT = offsets(_FIXED)
ROUND_ENDS = _AT["round_ends"]
SUFFERED = _AT["mattikkeng_suffered"]
PASSES = _AT["passes"]
PASSEBUNGE = _AT["passebunge"]
PLAYS = _AT["plays"]
MOVED = _AT["stones_moved"]
GAMES = _AT["games"]
CAMAT = _AT["camat"]
CAMAT_AGAIN = _AT["camat_again"]
INCUMBENT_GAMES = _AT["incumbent_games"]
FINISHED_ROUNDS = _AT["finished_rounds"]
GAME_STONES = _AT["game_stones"]
GAME_LENGTH = _AT["game_length"]
HELD = sum(count.size for count in _FIXED)
"""From here on, rounds by stones held at their end: `stones` + 1 counters for each seat, then for the table."""

MOVED_CAUSE, MOVED_GIVER = 30, 5
"""Strides of `stones_moved`."""


def counts(rules: Mapping[str, RuleValue]) -> tuple[Count, ...]:
    """Blocks of counters in the order of the core's row of counts.

    Parameters
    ----------
    rules
        All rules; `stones` sets the length of the last block.
    """
    bins = int(rules["stones"]) + 1
    held = Count("stones_held", (("seat", 6), ("bin", bins)), "rounds by stones held at their end (seat 5: the table)")
    return (*_FIXED, held)


assert MOVED_CAUSE == 6 * MOVED_GIVER
assert len(Outcome) == 5
