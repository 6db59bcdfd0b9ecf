"""Who takes part in a tournament, and what it found: as objects, as JSON and in a sentence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from domeng_sim.comparisons.design import Lineup, Setting, short_names
from domeng_sim.comparisons.stopping import REASONS, Stopping
from domeng_sim.errors import BadInput
from domeng_sim.stats.designs import Design, balanced_seatings, tables_of
from domeng_sim.stats.estimate import KINDS, Estimate
from domeng_sim.strategies.spec import StrategySpec

SCHEMA_VERSION = 1
"""Of `Ranking.to_json`; rises when a reader of the old form would be misled."""

MOST = {5: 60, 2: 40}
"""By seats, strategies of a tournament at most: some hundreds of tables."""
FEWEST = {5: 5, 2: 3}
"""By seats, strategies of a tournament at least."""


@dataclass(frozen=True)
class Entrants:
    """Who takes part, and at which tables.

    Attributes
    ----------
    setting
        What all games have in common.
    strategies
        In the order in which they were named.

    Raises
    ------
    BadInput
        If there are too few or too many, or one is named twice.
    """

    setting: Setting
    strategies: tuple[StrategySpec, ...]

    def __post_init__(self) -> None:
        seats = self.setting.seats
        if seats not in MOST:
            raise BadInput(f"a tournament needs a game of {' or '.join(map(str, sorted(MOST)))} seats, not of {seats}")
        twice = [text for text, n in Counter(spec.text for spec in self.strategies).items() if n > 1]
        if twice:
            raise BadInput(f"{twice[0]} is named twice; {twice[0]}@1 is a copy of it that draws other random numbers")
        if not FEWEST[seats] <= len(self.strategies) <= MOST[seats]:
            raise BadInput(
                f"a tournament of {self.setting.spec.title} takes {FEWEST[seats]} to {MOST[seats]} strategies, "
                f"not {len(self.strategies)}; `domeng-sim compare` takes two"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """For people."""
        return short_names(self.strategies)

    def design(self) -> Design:
        """Who sits at each table: at tables of two, every pair."""
        return tables_of(self.setting.seats, len(self.strategies))

    def tables(self) -> list[tuple[int, ...]]:
        """Positions of the strategies at each table.

        At a table they are in the order of their texts, so that the blocks of the same strategies are the same in
        every tournament in which these meet.
        """
        texts = [spec.text for spec in self.strategies]
        return [tuple(sorted(table, key=lambda k: texts[k])) for table in self.design().tables.tolist()]

    def lineups(self) -> tuple[Lineup, ...]:
        """Each table in the seatings that give every strategy every seat, and every neighbour, equally often."""
        seatings = tuple(tuple(row) for row in balanced_seatings(self.setting.seats).tolist())
        names = self.names
        return tuple(
            Lineup(
                ", ".join(names[k] for k in table),
                tuple(names[k] for k in table),
                tuple(self.strategies[k] for k in table),
                seatings,
            )
            for table in self.tables()
        )

    def to_json(self) -> dict[str, Any]:
        """As it stands in manifests: all that decides the blocks."""
        return {
            **self.setting.to_json(),
            "strategies": [spec.to_json() for spec in self.strategies],
            "lineups": [lineup.to_json() for lineup in self.lineups()],
        }


@dataclass(frozen=True)
class Place:
    """A strategy in the ranking."""

    position: int
    name: str
    share: Estimate
    strength: Estimate
    ties: str


@dataclass(frozen=True)
class PairDifference:
    """The first less the second, at the tables where both sit."""

    first: int
    second: int
    difference: Estimate
    p: float
    adjusted: float
    differing: int


@dataclass(frozen=True, repr=False)
class TournamentResult:
    """What a tournament found.

    Attributes
    ----------
    entry, stopping
        What was asked.
    blocks, looks, games, rounds, finished
        What was played, and how often it was looked at.
    reason
        Why it ended.
    places
        Best first; `position` is that of the strategy in the entry.
    pairs
        All pairs, in the order of the entry.
    cycles
        Strategies each established as better than the next, in a circle.
    connected
        Whether the results connect the strategies, so that strengths can be had.
    seconds
        Time of this call.
    """

    entry: Entrants
    stopping: Stopping
    blocks: int
    looks: int
    games: int
    rounds: int
    finished: int
    reason: str
    places: tuple[Place, ...]
    pairs: tuple[PairDifference, ...]
    cycles: tuple[tuple[int, int, int], ...]
    transitive: bool
    connected: bool
    seconds: float

    def __repr__(self) -> str:
        return f"<Ranking: {self.sentence} ({self.blocks} blocks)>"

    @property
    def sentence(self) -> str:
        """The answer in words."""
        if not self.blocks:
            return "no block was complete, so nothing can be said"
        if not self.finished:
            return "no game was finished, so nothing can be said"
        best = self.places[0]
        ties = [place.name for place in self.places[1:] if set(place.ties) & set(best.ties)]
        if len(ties) == len(self.places) - 1:
            return "no strategy can be told from the leader"
        return f"{best.name} leads" + (f", not to be told from {', '.join(ties)}" if ties else " alone")

    def to_json(self) -> dict[str, Any]:
        """Everything as plain numbers, unrounded, with None (null) for what is not estimable."""
        names, design = self.entry.names, self.entry.design()
        kinds = {place.share.kind for place in self.places} | {pair.difference.kind for pair in self.pairs}
        kinds |= {place.strength.kind for place in self.places}
        return {
            "schema_version": SCHEMA_VERSION,
            "study": "tournament",
            **self.entry.setting.to_json(),
            "strategies": [spec.to_json() for spec in self.entry.strategies],
            "design": {
                "kind": design.kind,
                "tables": len(design.tables),
                "seatings_per_table": len(balanced_seatings(self.entry.setting.seats)),
                "tables_each": design.tables_each,
                "tables_shared_by_pairs": list(design.meetings),
            },
            "stopping": self.stopping.to_json(),
            "interval": "fixed" if self.stopping.fixed else "anytime",
            "kinds": {kind: KINDS[kind] for kind in sorted(kinds)},
            "unit_of_analysis": "block",
            "blocks": self.blocks,
            "looks": self.looks,
            "games": self.games,
            "games_without_winner": self.games - self.finished,
            "rounds": self.rounds,
            "reason": self.reason,
            "reason_in_words": REASONS[self.reason],
            "ranking": [
                {
                    "rank": rank if self.blocks else None,
                    "name": place.name,
                    "strategy": self.entry.strategies[place.position].text,
                    "share": place.share.to_json(),
                    "log_strength": place.strength.to_json(),
                    "tie_groups": place.ties,
                }
                for rank, place in enumerate(self.places, 1)
            ],
            "pairs": [
                {
                    "first": names[pair.first],
                    "second": names[pair.second],
                    "difference": pair.difference.to_json(),
                    "p": pair.p,
                    "p_holm": pair.adjusted,
                    "blocks_that_differ": pair.differing,
                }
                for pair in self.pairs
            ],
            "transitive": self.transitive,
            "cycles": [[names[k] for k in cycle] for cycle in self.cycles],
            "strengths_connected": self.connected,
            "sentence": self.sentence,
            "seconds": self.seconds,
        }
