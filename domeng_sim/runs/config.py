"""What decides the rows of a run: a frozen configuration, its form in the manifest, and its identity."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from domeng_sim.core.tables import LEVELS
from domeng_sim.games import game
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import RuleValue
from domeng_sim.strategies.spec import StrategySpec, trusting
from domeng_sim.version import __version__

DEFAULT_GAME = "domeng"
DEFAULT_STRATEGY = "random"
DEFAULT_TABLES = "rounds"
DEFAULT_GAMES = 10
"""Games of a match if nothing is said."""

DEFAULT_MAX_ROUNDS = 10**9
"""Most rounds of a run that goes on until something is known, if nothing is said."""

MAX_SEED = 2**64 - 1
MAX_PER_MATCH = 65_535
MAX_TOTAL = 10**15


@dataclass(frozen=True)
class RunConfig:
    """Everything that decides the rows of a run.

    Attributes
    ----------
    game
        Name of the game.
    rules
        A value for every rule.
    seats
        A strategy for each seat.
    seed
        0 to 2^64 - 1.
    matches
        Number of matches, or 0 if `rounds` decides.
    rounds
        Whole matches until at least so many rounds, or 0 if `matches` decides; with `until` at most so many.
    games_per_match, rounds_per_match
        Length of a match; one of them is 0.
    level
        One of `tables.LEVELS`.
    hands
        Whether the hands as dealt stand in the `rounds` table.
    until
        Figures and how well they are to be known, as `analysis.goals.Goal.text` has them: then it ends.
    """

    game: str
    rules: Mapping[str, RuleValue]
    seats: tuple[StrategySpec, ...]
    seed: int
    matches: int = 0
    rounds: int = 0
    games_per_match: int = DEFAULT_GAMES
    rounds_per_match: int = 0
    level: str = DEFAULT_TABLES
    hands: bool = False
    until: tuple[str, ...] = ()
    spec: GameSpec = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spec", game(self.game))
        if not 0 <= self.seed <= MAX_SEED:
            raise ValueError(f"the seed must be a whole number from 0 to {MAX_SEED}, not {self.seed}")
        if (self.matches > 0) == (self.rounds > 0):
            raise ValueError("give a number of matches or a number of rounds, not both")
        if self.until and not self.rounds:
            raise ValueError("what goes on until something is known needs a largest number of rounds")
        if max(self.matches, self.rounds) > MAX_TOTAL:
            raise ValueError(f"at most {MAX_TOTAL} matches or rounds")
        if (self.games_per_match > 0) == (self.rounds_per_match > 0):
            raise ValueError("give games per match or rounds per match, not both")
        if max(self.games_per_match, self.rounds_per_match) > MAX_PER_MATCH:
            raise ValueError(f"a match has at most {MAX_PER_MATCH} games or rounds")
        if self.level not in LEVELS:
            raise ValueError(f"the table level must be {', '.join(LEVELS)}, not {self.level!r}")
        if len(self.seats) != self.spec.seats:
            raise ValueError(f"{self.spec.title} has {self.spec.seats} seats, not {len(self.seats)}")
        if self.hands and self.level not in ("rounds", "events"):
            raise ValueError("the hands stand in the table `rounds`, which is not written at this level")

    @property
    def n_matches(self) -> int | None:
        """Number of matches, or None where the play decides it."""
        if self.matches:
            return self.matches
        if self.rounds_per_match and not self.until:
            return -(-self.rounds // self.rounds_per_match)
        return None

    @property
    def nominal_rounds_per_match(self) -> int:
        """About how many rounds a match has; sizes are planned from it, rows never."""
        return self.rounds_per_match or self.games_per_match * self.spec.nominal_rounds

    def to_json(self) -> dict[str, Any]:
        """The configuration as it stands in the manifest."""
        length = (
            {"rounds_per_match": self.rounds_per_match}
            if self.rounds_per_match
            else {"games_per_match": self.games_per_match}
        )
        asked: dict[str, Any] = {"matches_asked": self.matches} if self.matches else {"rounds_asked": self.rounds}
        if self.until:
            asked = {"until": list(self.until), "max_rounds": self.rounds}
        return {
            "game": self.game,
            "game_version": self.spec.version,
            "rules": dict(self.rules),
            "seats": [seat.to_json() for seat in self.seats],
            "seed": str(self.seed),
            **asked,
            **length,
            "tables": self.level,
            "hands": self.hands,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any], stored_in: str = "") -> RunConfig:
        """The configuration of a manifest.

        Parameters
        ----------
        record
            As `to_json` gave it; other keys are no matter. Rules that came later have their defaults.
        stored_in
            The file that it was read from: no code in it is run unless that is trusted (see `StrategySpec`).

        Raises
        ------
        ValueError, KeyError, TypeError, AttributeError
            If it is not what `to_json` gives.
        """
        config = cls(
            game=record["game"],
            rules=game(record["game"]).resolve_rules(record["rules"]),
            seats=tuple(StrategySpec.from_json(seat, stored_in) for seat in record["seats"]),
            seed=int(record["seed"]),
            matches=record.get("matches_asked", 0),
            rounds=record.get("max_rounds" if "until" in record else "rounds_asked", 0),
            games_per_match=record.get("games_per_match", 0),
            rounds_per_match=record.get("rounds_per_match", 0),
            level=record["tables"],
            hands=record["hands"],
            until=tuple(record.get("until", ())),
        )
        again = config.to_json()
        # another version may have known fewer rules
        rules = {name: again["rules"][name] for name in record["rules"]}
        again |= {"game_version": record["game_version"], "rules": rules}
        if again != {key: record[key] for key in again}:
            raise ValueError("it does not describe a run")
        return config

    def identity(self) -> str:
        """Digest of all that decides the rows; a run is resumed only under the same identity."""
        return digest_of([__version__, self.to_json()])

    def trusting(self) -> RunConfig:
        """The same run; code that came with it may be run."""
        return replace(self, seats=trusting(self.seats))

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is sent to another process: without the game's functions, which that has."""
        return RunConfig, tuple(getattr(self, one.name) for one in fields(self) if one.init)


def digest_of(content: object) -> str:
    """Digest (SHA-256) of something that can be written as JSON."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
