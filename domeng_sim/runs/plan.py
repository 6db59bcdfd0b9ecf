"""From a configuration to ranges of matches.  Pure: the same configuration gives the same plan everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from domeng_sim.runs.config import RunConfig

_MIN_BATCHES = 256
_PARTS, _PARTS_WHERE_LOOKED_AT = 16, 64
_PART_ROUNDS = {
    "summary": (1 << 15, 1 << 21),
    "games": (1 << 15, 1 << 21),
    "rounds": (1 << 15, 1 << 20),
    "events": (1 << 14, 1 << 17),
}
"""Fewest and most rounds of a part by table level: a part is what a killed run loses, and what a thread works on."""


@dataclass(frozen=True)
class Range:
    """A half-open range of matches.

    Attributes
    ----------
    first
        First match.
    end
        One after the last match.
    """

    first: int
    end: int

    def __len__(self) -> int:
        return self.end - self.first


@dataclass(frozen=True)
class Plan:
    """How a run is cut.

    Attributes
    ----------
    batch
        Matches whose counts are added up; batches are the units of the intervals of a run.
    part
        Matches of a part file, a multiple of `batch`.
    expected
        Matches that were expected, of a run that goes on until something is known; 0 for others.
    """

    batch: int
    part: int
    expected: int = 0

    def range(self, number: int, n_matches: int | None) -> Range:
        """Matches of part `number`."""
        first = number * self.part
        end = first + self.part
        return Range(first, end if n_matches is None else min(end, n_matches))

    def has(self, matches: Range, n_matches: int | None) -> bool:
        """Whether these are the matches of a part; the last one may be short where their number is not known."""
        number, rest = divmod(matches.first, self.part)
        whole = self.range(number, n_matches)
        return not rest and len(matches) > 0 and (matches == whole or (n_matches is None and matches.end < whole.end))

    def ranges(self, n_matches: int) -> Iterator[Range]:
        """Matches of every part of so many."""
        return (Range(first, min(first + self.part, n_matches)) for first in range(0, n_matches, self.part))


def make_plan(config: RunConfig, expected: int = 0) -> Plan:
    """How to cut a run into batches and parts.

    Between 256 and 512 batches (or as many as there are matches) make the intervals; parts are a sixteenth of the run
    within the limits of the table level, or a smaller part of one that is looked at where parts end.

    Parameters
    ----------
    config
        The run.
    expected
        Matches that are expected, where only the play tells how many there are.
    """
    nominal = config.nominal_rounds_per_match
    matches = expected or config.n_matches or -(-config.rounds // nominal)
    batch = 1
    while matches // (2 * batch) >= _MIN_BATCHES:
        batch *= 2
    low, high = _PART_ROUNDS[config.level]
    rounds = min(max(matches * nominal // (_PARTS_WHERE_LOOKED_AT if expected else _PARTS), low), high)
    return Plan(batch, max(1, round(rounds / nominal / batch)) * batch, expected)
