"""What a study plays: the setting of all its games, and who sits at each table in which seatings.  Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from domeng_sim.errors import BadInput
from domeng_sim.games import game
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import RuleValue
from domeng_sim.runs.config import MAX_PER_MATCH, MAX_SEED
from domeng_sim.strategies.spec import StrategySpec
from domeng_sim.version import __version__


def same_play(one: StrategySpec, other: StrategySpec) -> bool:
    """Whether two strategies play the same, choice for choice, as far as can be told without playing."""
    plays = [(spec.copy, spec.content_hash, spec.name if spec.kind == "user" else "") for spec in (one, other)]
    return plays[0] == plays[1]


def short_names(specs: Sequence[StrategySpec]) -> tuple[str, ...]:
    """Names for people: without file and module where that leaves no doubt, else as they were asked for."""
    short = [spec.name + (f"@{spec.copy}" if spec.copy else "") for spec in specs]
    texts: dict[str, set[str]] = {}
    for name, spec in zip(short, specs, strict=True):
        texts.setdefault(name, set()).add(spec.text)
    return tuple(name if len(texts[name]) == 1 else spec.text for name, spec in zip(short, specs, strict=True))


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
    figures
        Keys of figures of the whole table that are counted beside what each seat does.
    """

    game: str
    rules: Mapping[str, RuleValue]
    seed: int
    games_per_match: int
    figures: tuple[str, ...] = ()
    spec: GameSpec = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spec", game(self.game))
        if not 0 <= self.seed <= MAX_SEED:
            raise BadInput(f"the seed must be a whole number from 0 to {MAX_SEED}, not {self.seed}")
        if not 1 <= self.games_per_match <= MAX_PER_MATCH:
            raise BadInput(f"a match has 1 to {MAX_PER_MATCH} games, not {self.games_per_match}")

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is sent to another process: without the game's functions, which that has."""
        return Setting, (self.game, dict(self.rules), self.seed, self.games_per_match, self.figures)

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
            **({"figures": list(self.figures)} if self.figures else {}),
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
    names
        Of the members, for people.
    members
        The different strategies at the table.
    seatings
        For each game of a block, the member (its position) in each seat.
    rules
        Pairs of name and value that differ from the rules of the setting.
    """

    label: str
    names: tuple[str, ...]
    members: tuple[StrategySpec, ...]
    seatings: tuple[tuple[int, ...], ...]
    rules: tuple[tuple[str, RuleValue], ...] = ()

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
        content = [members, self.seatings, *([dict(self.rules)] if self.rules else [])]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    def to_json(self) -> dict[str, Any]:
        """As it stands in manifests."""
        return {
            "key": self.key,
            "label": self.label,
            "members": [spec.text for spec in self.members],
            "seatings": [list(seating) for seating in self.seatings],
            **({"rules": dict(self.rules)} if self.rules else {}),
        }


NUMBERS = ("no", "one", "two", "three", "four", "five")


def in_words(number: int, name: str) -> str:
    """So many of a strategy."""
    return f"{NUMBERS[number]} {name}"


def in_company(subject: int, specs: Sequence[StrategySpec], company: Sequence[int], seats: int) -> Lineup:
    """One strategy and a company that follows it clockwise in a given order, in each of the seats.

    Parameters
    ----------
    subject
        Position in `specs`.
    specs
        All strategies of the study, for their names.
    company
        Positions in `specs`.
    seats
        Seats at the table.
    """
    names = short_names(specs)
    others = list(dict.fromkeys(company))
    order = [0, *(1 + others.index(number) for number in company)]
    rows = tuple(tuple(order[(place - own) % seats] for place in range(seats)) for own in range(seats))
    among = in_words(seats - 1, names[company[0]]) if len(others) == 1 else ", ".join(names[n] for n in company)
    chosen = [subject, *others]
    label = f"{names[subject]} {'against' if seats == 2 else 'among'} {names[company[0]] if seats == 2 else among}"
    return Lineup(label, tuple(names[n] for n in chosen), tuple(specs[n] for n in chosen), rows)


def alone(strategy: StrategySpec, seats: int, rules: tuple[tuple[str, RuleValue], ...] = (), label: str = "") -> Lineup:
    """One strategy in all seats, under other rules than usual if there are such."""
    (name,) = short_names([strategy])
    return Lineup(label or in_words(seats, name), (name,), (strategy,), ((0,) * seats,), rules)


def mix_label(a: str, b: str, n_a: int, seats: int) -> str:
    """A mix in words, the rarer strategy first.

    Examples
    --------
    >>> [mix_label("hunter", "random", n, 5) for n in (1, 3, 5)]
    ['hunter among four random', 'random in two seats, hunter in three', 'five hunter']
    """
    if n_a in (0, seats):
        return in_words(seats, a if n_a else b)
    if seats == 2:
        return f"{a} against {b}"
    (few, n), (many, rest) = sorted(((a, n_a), (b, seats - n_a)), key=lambda pair: pair[1])
    if n > 1:
        return f"{few} in {NUMBERS[n]} seats, {many} in {NUMBERS[rest]}"
    return f"{few} among {in_words(rest, many)}"


def mix(one: StrategySpec, other: StrategySpec, n_one: int, seats: int) -> Lineup:
    """All seatings of `n_one` of one strategy and the rest of another."""
    a, b = short_names((one, other))
    codes = [code for code in range(1 << seats) if code.bit_count() == n_one]
    rows = tuple(tuple(1 - (code >> place & 1) for place in range(seats)) for code in codes)
    return Lineup(mix_label(a, b, n_one, seats), (a, b), (one, other), rows)
