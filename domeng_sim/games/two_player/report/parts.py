"""What is counted from the tables for the report of two-player games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from domeng_sim.core.codes import DrawEnded, DrawOutcome
from domeng_sim.games.shared.measures import cells
from domeng_sim.games.shared.outline import TableTally
from domeng_sim.games.two_player.kernel.counts import MAX_POINTS
from domeng_sim.games.types import Count, RuleValue

TENTHS = 10
"""Parts of the target in which the scores of those who lost are told."""
GROUP = 10
"""Points of a round and points above the target are told in groups of so many."""
N_GROUPS = MAX_POINTS // GROUP + 1
MAX_PASSES = 12
"""PASSes of a round are told apart up to here; the last counter holds all rounds with more."""


def n_parts(target: int) -> int:
    """Parts of the scores below the target: tenths, or single points where there are fewer than ten."""
    return min(TENTHS, target)


def part_label(part: int, target: int) -> str:
    """The scores of a part, such as ``40-49``.

    Examples
    --------
    >>> [part_label(part, 25) for part in (0, 1, 9)]
    ['0-2', '3-4', '23-24']
    """
    first, beyond = (-(-p * target // n_parts(target)) for p in (part, part + 1))
    return f"{first}" if beyond == first + 1 else f"{first}-{beyond - 1}"


def group_label(group: int) -> str:
    """Points of a group, such as ``10-19``."""
    return f"{GROUP * group}-{min(GROUP * group + GROUP - 1, MAX_POINTS)}"


_DRAWN = ("stock", "draws_0", "draws_1")
"""Columns of `rounds` that tell of draws; they stand behind one another."""
_OF_DRAWS = {
    "end_stock": (("kind", len(DrawOutcome)), ("bin", 15)),
    "place_draws": (("other", 2),),
}
"""Counters of them, with their axes."""


def _tally(name: str, target: int) -> Callable[[], Callable[..., int]]:
    def load() -> Callable[..., int]:
        from domeng_sim.games.two_player.report import tallies

        return partial(getattr(tallies, f"tally_{name}"), target, GROUP)

    return load


def _tally_without_draws(
    target: int, columns: Sequence[str], counts: Sequence[Count]
) -> Callable[[], Callable[..., int]]:
    """As the core counts rounds, but that nothing is in the stock and nobody draws."""

    def load() -> Callable[..., int]:
        import numpy as np  # not for help and usage errors

        count = _tally("rounds", target)()

        def tally(batch: int, first: int, state: Any, *arrays: Any) -> int:
            given = iter(arrays)
            nothing = np.zeros(len(arrays[0]), np.int16)
            taken = [nothing if name in _DRAWN else next(given) for name in columns]
            for block in counts:
                shape = (len(arrays[-1]), *block.shape)
                taken.append(np.zeros(shape, np.int64) if block.name in _OF_DRAWS else next(given))
            return count(batch, first, state, *taken)

        return tally

    return load


def tallies_of(rules: Mapping[str, RuleValue]) -> tuple[TableTally, ...]:
    """What is counted from the tables; the target sets the length of a distribution."""
    target = int(rules["target"])
    outcomes, place = ("kind", len(DrawOutcome)), (("other", 2),)
    games = (
        Count("loser_score", (("bin", n_parts(target)),), "games that were won by the other's score, in parts"),
        Count("beyond", (("bin", N_GROUPS),), "games that were won by the winner's points above the target, in tens"),
    )
    rounds = (
        Count("end_plays", (outcomes, ("bin", 29)), "rounds by outcome and tiles played"),
        Count("end_stock", _OF_DRAWS["end_stock"], "rounds by outcome and tiles left in the stock"),
        Count("end_points", (outcomes, ("bin", N_GROUPS)), "rounds by outcome and points scored, in tens"),
        Count("passed", (("bin", MAX_PASSES + 1),), "rounds by PASSes of both"),
        Count("place_points", place, "points scored by the starter and the other"),
        Count("place_draws", _OF_DRAWS["place_draws"], "tiles drawn by the starter and the other"),
        Count("place_passes", place, "PASSes of the starter and the other"),
        Count("place_pips", place, "unplayed pips of the starter and the other"),
        Count("first_games", place, "games won by the starter of their first round, and by the other"),
    )
    columns = (
        "match", "round", "starter", "outcome", "winner", "plays", *_DRAWN,
        "passes_0", "passes_1", "pips_0", "pips_1", "score_0", "score_1",
    )  # fmt: skip
    load = _tally("rounds", target)
    if "draw" not in rules:
        load = _tally_without_draws(target, columns, rounds)
        columns = tuple(name for name in columns if name not in _DRAWN)
        rounds = tuple(block for block in rounds if block.name not in _OF_DRAWS)
    return (
        TableTally(
            "games",
            ("match", "winner", "score_0", "score_1", "ended"),
            games,
            1,
            (cells("loser_score"), cells("games", kind=DrawEnded.FINISHED)),
            _tally("games", target),
        ),
        TableTally("rounds", columns, rounds, 3, (cells("end_plays"), cells("round_ends")), load),
    )
