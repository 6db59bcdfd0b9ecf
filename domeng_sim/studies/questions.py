"""What a comparison asks.  Pure: refused before anything is loaded or played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from domeng_sim.errors import BadInput
from domeng_sim.strategies.spec import StrategySpec
from domeng_sim.studies.lineups import Lineup, Setting, in_company, mix, same_play

_NUMBERS = ("no", "one", "two", "three", "four", "five")


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


def mix_label(a: str, b: str, n_a: int, seats: int) -> str:
    """A mix in words, the rarer strategy first.

    Examples
    --------
    >>> [mix_label("hunter", "random", n, 5) for n in (1, 3, 5)]
    ['hunter among four random', 'two random among three hunter', 'five hunter']
    """
    if n_a in (0, seats):
        return f"{_NUMBERS[seats]} {a if n_a else b}"
    (few, n), (many, rest) = sorted(((a, n_a), (b, seats - n_a)), key=lambda pair: pair[1])
    return f"{few if n == 1 else f'{_NUMBERS[n]} {few}'} among {_NUMBERS[rest]} {many}"


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
            raise BadInput(f"at a table of {seats} sit 1 to {seats - 1} of one strategy beside the other")
        if self.company and (self.all_mixes or self.sprt):
            raise BadInput("--against puts A and B into tables of others; it does not go with --all-mixes or --sprt")
        if self.company and len(self.company) != seats - 1:
            raise BadInput(f"--against takes one strategy, or {seats - 1} separated by commas, not {len(self.company)}")
        if self.sprt is not None:
            self._check(self.sprt)

    def _check(self, gate: Gate) -> None:
        if not 0 < gate.s0 < gate.s1 < 1:
            raise BadInput(
                f"--sprt takes two shares between 0 and 1, the smaller first, as 0.20,0.21, not {gate.s0},{gate.s1}"
            )
        if not (gate.alpha > 0 and gate.beta > 0 and gate.alpha + gate.beta < 1):
            raise BadInput(
                f"--alpha and --beta must be above 0 and together below 1, as 0.05 and 0.05 are, not {gate.alpha}, {gate.beta}"
            )

    @property
    def same(self) -> bool:
        """Whether A and B play alike by construction."""
        return same_play(self.a, self.b)

    def lineups(self) -> tuple[Lineup, ...]:
        """What each block is played with."""
        seats = self.setting.seats
        if self.company:
            texts = list(dict.fromkeys(spec.text for spec in self.company))
            among = f"{_NUMBERS[seats - 1]} {texts[0]}" if len(texts) == 1 else ", ".join(s.text for s in self.company)
            return tuple(in_company(spec, self.company, f"{spec.text} among {among}") for spec in (self.a, self.b))
        counts = range(seats + 1) if self.all_mixes else self.counts_of_a
        return tuple(mix(self.a, self.b, n, seats, mix_label(self.a.text, self.b.text, n, seats)) for n in counts)

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
