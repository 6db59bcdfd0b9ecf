"""When a study looks at its blocks, and how far it has to go.  Pure.

Blocks are played in chunks whose sizes are fixed beforehand, and looked at where a chunk ends and all before it are
complete.  So what is decided, and when, depends on the blocks alone: not on threads, and not on which game ended first.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from domeng_sim.errors import BadField, FieldRef
from domeng_sim.runs.plan import Range

SMALLEST_CHUNK = 100
"""After the first chunks.  As `stats.confseq.FIRST_LOOK`: no interval from an estimated variance comes before."""

FIRST_CHUNKS = 10, 30, SMALLEST_CHUNK
"""Ends of the first chunks: small, so that something is known early, also where a block is played at many tables."""

LARGEST_CHUNK = 2_000
"""Blocks of a chunk at most: under a second for two lineups of five seatings."""

_GROWTH = 5
"""A chunk is about a fifth of what was played before it, so that looks become rarer as they tell less."""

DEFAULT_RADIUS = 0.002
DEFAULT_LEVEL = 0.95
DEFAULT_MAX_BLOCKS = 100_000
BEST_AT = 2_000
"""Blocks at which a confidence sequence is tightest unless another number is asked for."""

MAX_BLOCKS = 10**9


def chunks(limit: int) -> Iterator[Range]:
    """Chunks of blocks up to a limit.

    Examples
    --------
    >>> [(chunk.first, chunk.end) for chunk in chunks(350)]
    [(0, 10), (10, 30), (30, 100), (100, 200), (200, 300), (300, 350)]
    """
    first = 0
    for end in FIRST_CHUNKS:
        if first < limit:
            yield Range(first, min(end, limit))
        first = end
    while first < limit:
        size = min(max(first // _GROWTH // SMALLEST_CHUNK, 1) * SMALLEST_CHUNK, LARGEST_CHUNK)
        yield Range(first, min(first + size, limit))
        first += size


def looks() -> Iterator[int]:
    """Numbers of blocks at which a study without a fixed number is looked at, from the first that may decide on."""
    return (chunk.end for chunk in chunks(MAX_BLOCKS) if chunk.end >= SMALLEST_CHUNK)


@dataclass(frozen=True)
class Stopping:
    """How far a study goes, and which intervals that allows.

    Attributes
    ----------
    blocks
        Number of blocks fixed beforehand, or 0: then the intervals hold at every look.
    radius
        Half-width of the interval at which to stop, or 0.
    decided
        Whether to stop when the interval excludes the fair value.
    max_blocks
        Blocks at which to stop in any case.
    seconds
        Time after which to stop at the next look, or 0.
    level
        Confidence level.
    best_at
        Blocks at which the confidence sequence is tightest.
    """

    blocks: int = 0
    radius: float = 0.0
    decided: bool = False
    max_blocks: int = DEFAULT_MAX_BLOCKS
    seconds: float = 0.0
    level: float = DEFAULT_LEVEL
    best_at: int = BEST_AT

    def __post_init__(self) -> None:
        if self.blocks and (self.radius or self.decided or self.seconds):
            raise BadField(
                "blocks",
                self.blocks,
                message=(
                    *(FieldRef("blocks"), " fixes the number of blocks beforehand; it does not go with "),
                    *(FieldRef("until"), " or ", FieldRef("time_limit")),
                ),
            )
        if not 0 < self.level < 1:
            raise BadField("level", self.level, "a number between 0 and 1")

    @property
    def fixed(self) -> bool:
        """Whether the number of blocks was fixed beforehand."""
        return self.blocks > 0

    @property
    def limit(self) -> int:
        """Blocks at which to stop in any case."""
        return self.blocks or self.max_blocks

    def to_json(self) -> dict[str, Any]:
        """As it stands in results."""
        return {
            "blocks": self.blocks or None,
            "until_half_width": self.radius or None,
            "until_decided": self.decided,
            "max_blocks": None if self.fixed else self.max_blocks,
            "time_limit_seconds": self.seconds or None,
            "level": self.level,
            "tightest_at_blocks": None if self.fixed else self.best_at,
        }


_RADIUS = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(pp|%)?")


def parse_until(text: str) -> tuple[float, bool]:
    """Half-width, and whether to stop when it is decided, from ``0.5pp`` or ``decided``.

    Raises
    ------
    BadField
        If it is neither.

    Examples
    --------
    >>> parse_until("0.5pp"), parse_until("decided")
    ((0.005, False), (0.0, True))
    """
    if text.strip() == "decided":
        return 0.0, True
    match = _RADIUS.fullmatch(text.strip())
    if match is None or match[2] is None or not 0 < float(match[1]) < 100:
        raise BadField("until", text, "a half-width in percentage points, such as 0.5pp, or the word decided")
    return float(match[1]) / 100, False


class Clock:
    """Tells when the time is up."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds if seconds else float("inf")

    @property
    def up(self) -> bool:
        """Whether it is."""
        return time.monotonic() >= self._end


REASONS: Mapping[str, str] = {
    "blocks": "all blocks that were asked for are played",
    "until": "what was asked for is reached",
    "sprt": "the sequential test has decided",
    "max-blocks": "the largest number of blocks is reached",
    "time-limit": "the time is up",
    "stopped": "stopped from outside",
}
"""Why a study ended."""
