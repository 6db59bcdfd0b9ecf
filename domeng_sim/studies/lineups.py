"""What a study plays: the setting of all its games, and who sits at each table in which seatings.  Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from domeng_sim.errors import BadInput
from domeng_sim.games import game
from domeng_sim.games.spec import GameSpec, RuleValue
from domeng_sim.plan import MAX_PER_MATCH, MAX_SEED
from domeng_sim.strategies.spec import StrategySpec
from domeng_sim.version import __version__


def same_play(one: StrategySpec, other: StrategySpec) -> bool:
    """Whether two strategies play the same, choice for choice, as far as can be told without playing."""
    if one.copy != other.copy or (one.kind == "user") != (other.kind == "user"):
        return False
    if one.kind == "user":
        return (one.content_hash, one.name) == (other.content_hash, other.name)
    weights = [{name: weight for name, weight in spec.weights.items() if weight} for spec in (one, other)]
    # without weights every score is the same, whatever the temperature
    return weights[0] == weights[1] and (one.temperature == other.temperature or not weights[0])


@dataclass(frozen=True)
class Setting:
    """What all games of a study have in common.

    Attributes
    ----------
    game
        Name of the game.
    rules
        A value for every rule.
    seed
        0 to 2^64 - 1.
    games_per_match
        Games of a match, at least 1.
    """

    game: str
    rules: Mapping[str, RuleValue]
    seed: int
    games_per_match: int
    spec: GameSpec = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spec", game(self.game))
        if not 0 <= self.seed <= MAX_SEED:
            raise BadInput(f"the seed must be a whole number from 0 to {MAX_SEED}, not {self.seed}")
        if not 1 <= self.games_per_match <= MAX_PER_MATCH:
            raise BadInput(f"a match has 1 to {MAX_PER_MATCH} games, not {self.games_per_match}")

    @property
    def seats(self) -> int:
        """Seats at the table."""
        return self.spec.seats

    @property
    def fair(self) -> float:
        """Share of the games that each seat wins if all play alike."""
        return 1 / self.spec.seats

    def to_json(self) -> dict[str, Any]:
        """As it stands in manifests and results."""
        return {
            "game": self.game,
            "game_version": self.spec.version,
            "rules": dict(self.rules),
            "seed": str(self.seed),
            "games_per_match": self.games_per_match,
        }

    def identity(self) -> str:
        """Digest of all that decides the blocks of a lineup, but for the lineup."""
        return hashlib.sha256(json.dumps([__version__, self.to_json()], sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Lineup:
    """Who sits at a table, and in which seatings each block is played.

    Attributes
    ----------
    label
        In words, for people.
    members
        The different strategies at the table.
    seatings
        For each game of a block, the member (its position) in each seat.
    """

    label: str
    members: tuple[StrategySpec, ...]
    seatings: tuple[tuple[int, ...], ...]

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Seats that each member has over all seatings."""
        return tuple(sum(seating.count(member) for seating in self.seatings) for member in range(len(self.members)))

    @cached_property
    def key(self) -> str:
        """Digest of members and seatings: the name of its part files."""
        members = [
            [spec.kind, spec.name if spec.kind == "user" else "", spec.content_hash, spec.copy] for spec in self.members
        ]
        return hashlib.sha256(json.dumps([members, self.seatings]).encode()).hexdigest()[:16]

    def to_json(self) -> dict[str, Any]:
        """As it stands in manifests."""
        return {
            "key": self.key,
            "label": self.label,
            "members": [spec.text for spec in self.members],
            "seatings": [list(seating) for seating in self.seatings],
        }


def in_company(subject: StrategySpec, company: tuple[StrategySpec, ...], label: str) -> Lineup:
    """One strategy and a company that follows it clockwise in a given order, in each of the seats."""
    others = tuple(dict.fromkeys(company))
    order = [0, *(1 + others.index(spec) for spec in company)]
    seats = len(order)
    rows = tuple(tuple(order[(place - own) % seats] for place in range(seats)) for own in range(seats))
    return Lineup(label, (subject, *others), rows)


def mix(one: StrategySpec, other: StrategySpec, n_one: int, seats: int, label: str) -> Lineup:
    """All seatings of `n_one` of one strategy and the rest of another."""
    codes = [code for code in range(1 << seats) if code.bit_count() == n_one]
    rows = tuple(tuple(1 - (code >> place & 1) for place in range(seats)) for code in codes)
    return Lineup(label, (one, other), rows)
