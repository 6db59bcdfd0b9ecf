"""From a configuration to ranges of matches.  Pure: the same configuration gives the same plan everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from domeng_sim.runs.config import RunConfig

_MIN_BATCHES, _MOST_BATCHES = 256, 2048
_BATCH_ROUNDS = 1 << 24
"""Of a run of billions of rounds there are more batches, so that none has many more rounds than this: a part holds
whole batches, and a part of hours could neither be shared out nor be lost.  Parts are at most as many as batches, so
that a manifest stays short."""
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
class Shard:
    """One of several equal pieces of a run.

    Attributes
    ----------
    number
        Which one, from 1.
    of
        How many there are.
    """

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


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

    def ranges(self, matches: Range) -> Iterator[Range]:
        """Matches of every part of these, which begin with a part."""
        firsts = range(matches.first, matches.end, self.part)
        return (Range(first, min(first + self.part, matches.end)) for first in firsts)

    def n_parts(self, n_matches: int) -> int:
        """Number of parts of so many matches."""
        return -(-n_matches // self.part)

    def span(self, n_matches: int, shard: Shard | None = None) -> Range:
        """Matches of a piece of the run: as many parts as every other piece has, or one more; all without a shard."""
        one = shard or Shard(1, 1)
        first, end = (self.n_parts(n_matches) * number // one.of for number in (one.number - 1, one.number))
        return Range(first * self.part, min(end * self.part, n_matches))


def make_plan(config: RunConfig, expected: int = 0) -> Plan:
    """How to cut a run into batches and parts.

    Between 256 and 512 batches (or as many as there are matches) make the intervals, and up to 2048 those of a very
    long run; parts are a sixteenth of the run within the limits of the table level, or a smaller part of one that is
    looked at where parts end.

    Parameters
    ----------
    config
        The run.
    expected
        Matches that are expected, where only the play tells how many there are.
    """
    nominal = config.nominal_rounds_per_match
    matches = expected or config.n_matches or -(-config.rounds // nominal)
    fewest = min(max(matches * nominal // _BATCH_ROUNDS, _MIN_BATCHES), _MOST_BATCHES // 2)
    batch = 1
    while matches // (2 * batch) >= fewest:
        batch *= 2
    low, high = _PART_ROUNDS[config.level]
    rounds = min(max(matches * nominal // (_PARTS_WHERE_LOOKED_AT if expected else _PARTS), low), high)
    return Plan(batch, max(1, round(rounds / nominal / batch)) * batch, expected)
