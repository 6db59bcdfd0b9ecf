"""What a comparison asks.  Pure: refused before anything is loaded or played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from domeng_sim.comparisons.design import Lineup, Setting, in_company, mix, same_play, short_names
from domeng_sim.errors import BadField, FieldRef, not_together
from domeng_sim.strategies.spec import StrategySpec


class Gate(NamedTuple):
    """The two shares and the two errors of a sequential test."""

    s0: float
    s1: float
    alpha: float = 0.05
    beta: float = 0.05


class Subject(NamedTuple):
    """Whose share is looked at in a lineup.

    Attributes
    ----------
    lineup
        Position in `Question.lineups`.
    member
        Position in the lineup.
    own_a
        Whether it is A.
    """

    lineup: int
    member: int
    own_a: bool


@dataclass(frozen=True)
class Question:
    """What is compared.

    Attributes
    ----------
    setting
        What all games have in common.
    a, b
        The strategies.
    counts_of_a
        How many A sit at the tables that are compared: 1 and 4 for one A among four B and one B among four A.
    all_mixes
        Whether all mixes of A and B are played, for the switch effects.
    company
        The other players of the table into which A and B go in turn; empty if they meet each other.
    sprt
        Sequential test of A's share among B, or None.
    """

    setting: Setting
    a: StrategySpec
    b: StrategySpec
    counts_of_a: tuple[int, ...] = (1, 4)
    all_mixes: bool = False
    company: tuple[StrategySpec, ...] = ()
    sprt: Gate | None = None

    def __post_init__(self) -> None:
        seats = self.setting.seats
        if not self.counts_of_a or any(not 0 < n < seats for n in self.counts_of_a):
            allowed = f"how many A sit at the table, {'1 where two play' if seats == 2 else f'1 to {seats - 1}'}"
            raise BadField("field", self.counts_of_a, allowed)
        if self.all_mixes and seats != 5:
            about = (
                f" is about the company at a table of five; at one of {seats} there is no other company than A or B, "
                "and the plain comparison says it all"
            )
            raise BadField("all_mixes", True, message=(FieldRef("all_mixes"), about))
        if self.company and (self.all_mixes or self.sprt):
            other = "all_mixes" if self.all_mixes else "sprt"
            raise not_together("opponents", self.company, other, "A and B go into tables of others")
        if self.company and len(self.company) != seats - 1:
            several = f", or {seats - 1} separated by commas" if seats > 2 else ""
            raise BadField("opponents", len(self.company), f"one strategy{several}")
        if self.sprt is not None:
            self._check(self.sprt)

    def _check(self, gate: Gate) -> None:
        if not 0 < gate.s0 < gate.s1 < 1:
            raise BadField("sprt", (gate.s0, gate.s1), "two shares between 0 and 1, the smaller first, as 0.20,0.21")
        if not (gate.alpha > 0 and gate.beta > 0 and gate.alpha + gate.beta < 1):
            told = f" must be above 0 and add up to less than 1, not {gate.alpha} and {gate.beta}"
            raise BadField("alpha", gate.alpha, message=(FieldRef("alpha"), " and ", FieldRef("beta"), told))

    @property
    def same(self) -> bool:
        """Whether A and B play alike by construction."""
        return same_play(self.a, self.b)

    def lineups(self) -> tuple[Lineup, ...]:
        """What each block is played with."""
        seats = self.setting.seats
        if self.company:
            specs = [self.a, self.b, *self.company]
            company = [specs.index(spec, 2) for spec in self.company]
            return tuple(in_company(number, specs, company, seats) for number in (0, 1))
        counts = range(seats + 1) if self.all_mixes else self.counts_of_a
        return tuple(mix(self.a, self.b, n, seats) for n in counts)

    @property
    def names(self) -> tuple[str, str]:
        """A and B, for people."""
        a, b, *_ = short_names((self.a, self.b, *self.company))
        return a, b

    def subjects(self) -> tuple[Subject, ...]:
        """Whose share is looked at, at which tables: at mixed ones the strategy that has fewer seats."""
        if self.company:
            return (Subject(0, 0, True), Subject(1, 0, False))
        subjects = []
        for position, n in enumerate(self.counts_of_a):
            own_a = 2 * n <= self.setting.seats
            subjects.append(Subject(n if self.all_mixes else position, 0 if own_a else 1, own_a))
        return tuple(subjects)

    def to_json(self) -> dict[str, Any]:
        """As it stands in manifests: all that decides the blocks."""
        strategies = list(dict.fromkeys((self.a, self.b, *self.company)))
        return {
            **self.setting.to_json(),
            "strategies": [spec.to_json() for spec in strategies],
            "lineups": [lineup.to_json() for lineup in self.lineups()],
        }
