"""What the documents of all studies have."""

from __future__ import annotations

from typing import Literal

import msgspec

from domeng_sim.cli.documents.estimate import Rules


class StudyJson(msgspec.Struct):
    """What all studies have.

    Attributes
    ----------
    command
        The command that gives the same again.
    game_version
        Rises where the rows of a seed change.
    blocks, looks
        Blocks in the answer, and how often they were looked at.
    rounds
        Rounds played in them.
    reason, reason_in_words
        Why it ended.
    seconds
        Time of this call.
    """

    command: str
    study: str
    game: str
    game_version: int
    rules: Rules
    seed: str
    games_per_match: int
    unit_of_analysis: Literal["block"]
    blocks: int
    looks: int
    reason: str
    reason_in_words: str
    seconds: float


class StoppingJson(msgspec.Struct):
    """How far a study was to go.

    Attributes
    ----------
    blocks
        A number fixed beforehand; null where it depends on what is found.
    tightest_at_blocks
        Number of blocks at which intervals that hold at every look are tightest.
    """

    blocks: int | None
    until_half_width: float | None
    until_decided: bool
    max_blocks: int | None
    time_limit_seconds: float | None
    level: float
    tightest_at_blocks: float | None
