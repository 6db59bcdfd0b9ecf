"""The document of a tuning."""

from __future__ import annotations

from typing import Literal

import msgspec

from domeng_sim.cli.documents.comparisons import ComparisonJson
from domeng_sim.cli.documents.study import StudyJson
from domeng_sim.comparisons import tuning_result
from domeng_sim.runs.store.manifest import SeatRecord


class GenerationJson(msgspec.Struct):
    """A generation: the middle of the distribution and the candidates, weights in thousandths.

    Attributes
    ----------
    won
        Of each candidate, what its share is ordered by.
    share, error
        Share of games of the middle, and its standard error.
    gain, gain_error
        The same less that of the start on the same deals, and the standard error of that.
    best_share, best_error
        Of the candidate that did best: too high, since it was chosen for it.
    """

    middle: list[int]
    candidates: list[list[int]]
    won: list[int]
    start_share: float
    share: float
    error: float | None
    gain: float
    gain_error: float | None
    best_share: float
    best_error: float | None
    sentence: str


class TuneJson(StudyJson, kw_only=True):
    """What `tune --json` prints.

    Attributes
    ----------
    start, against
        Where the weights begin, and who sits in the other seats.
    features
        Whose weights are tuned.
    weights_thousandths, temperature
        Of the new strategy.
    blocks, games
        Blocks of each candidate in a generation, and games of all generations.
    gates
        The new strategy (a) against its start (b), on fresh deals.
    better
        Whether the gates call the new strategy better, and nowhere worse.
    """

    schema_version: Literal[tuning_result.SCHEMA_VERSION]  # type: ignore[valid-type]
    name: str
    start: SeatRecord
    against: list[SeatRecord]
    features: list[str]
    weights_thousandths: dict[str, int]
    temperature: float
    population: int
    games: int
    generations: list[GenerationJson]
    gates: list[ComparisonJson]
    better: bool
    sentence: str
