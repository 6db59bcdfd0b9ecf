"""Documents of tournaments, of readings of the rules, and of what a comparison takes."""

from __future__ import annotations

from typing import Literal

import msgspec

from domeng_sim.cli.documents.estimate import EstimateJson
from domeng_sim.cli.documents.study import StoppingJson, StudyJson
from domeng_sim.comparisons import power, sensitivity_result, tournament_result
from domeng_sim.runs.store.manifest import SeatRecord


class DesignJson(msgspec.Struct):
    """Who met whom.

    Attributes
    ----------
    tables_each
        Tables at which each strategy sits.
    tables_shared_by_pairs
        The smallest and the largest number of tables at which two strategies meet.
    """

    kind: str
    tables: int
    seatings_per_table: int
    tables_each: int
    tables_shared_by_pairs: list[int]


class PlaceJson(msgspec.Struct):
    """A strategy in a ranking.

    Attributes
    ----------
    rank
        Null where nothing was played.
    tie_groups
        Letters: strategies that share one were not told apart.
    """

    rank: int | None
    name: str
    strategy: str
    share: EstimateJson
    log_strength: EstimateJson
    tie_groups: str


class PairJson(msgspec.Struct):
    """The share of the first strategy less that of the second, at the tables where both sit."""

    first: str
    second: str
    difference: EstimateJson
    p: float | None
    p_holm: float | None
    blocks_that_differ: int


class TournamentJson(StudyJson, kw_only=True):
    """What `tournament --json` prints.

    Attributes
    ----------
    transitive, cycles
        Whether no strategies are each better than the next in a circle, and such circles.
    strengths_connected
        Whether strengths can be had.
    """

    schema_version: Literal[tournament_result.SCHEMA_VERSION]  # type: ignore[valid-type]
    strategies: list[SeatRecord]
    design: DesignJson
    stopping: StoppingJson
    interval: Literal["fixed", "anytime"]
    kinds: dict[str, str]
    games: int
    games_without_winner: int
    rounds: int
    ranking: list[PlaceJson]
    pairs: list[PairJson]
    transitive: bool
    cycles: list[list[str]]
    strengths_connected: bool
    sentence: str


class ReadingFigureJson(msgspec.Struct):
    """A figure under the default rules and under another reading."""

    key: str
    label: str
    default: EstimateJson
    reading: EstimateJson
    difference: EstimateJson
    p: float | None
    p_holm: float | None
    blocks_that_differ: int


class MovedShareJson(msgspec.Struct):
    """The share of a strategy under the default rules and under another reading."""

    name: str
    default: float | None
    reading: float | None
    difference: EstimateJson
    p_holm: float | None


class OrderJson(msgspec.Struct):
    """The ranking under a reading.

    Attributes
    ----------
    order
        Best first.
    established_flips
        Pairs of which each is the better one under one of the two readings.
    """

    order: list[str]
    order_changed: bool
    established_flips: list[list[str]]
    shares: list[MovedShareJson]


class ReadingJson(msgspec.Struct):
    """A reading of the rules: an option that has another value."""

    option: str
    value: int | str
    figures_that_change: list[str]
    figures: list[ReadingFigureJson]
    ranking: OrderJson | None


class SensitivityJson(StudyJson, kw_only=True):
    """What `sensitivity --json` prints.

    Attributes
    ----------
    strategy, ranked
        Who plays at all seats, and the strategies whose ranking was asked for.
    rounds
        Under the default rules, and then under each reading.
    """

    schema_version: Literal[sensitivity_result.SCHEMA_VERSION]  # type: ignore[valid-type]
    strategy: SeatRecord
    ranked: list[SeatRecord] | None
    level: float
    interval: Literal["fixed"]
    ranking_blocks: int | None
    rounds: list[int]
    default_order: list[str] | None
    readings: list[ReadingJson]


class NeedJson(msgspec.Struct):
    """How many blocks a difference takes.

    Attributes
    ----------
    difference
        Of shares.
    blocks_fixed, blocks_anytime_half_width, blocks_sprt_expected
        Blocks fixed beforehand; until the half-width is that difference; of a sequential test, on average.
    """

    difference: float
    blocks_fixed: int | None
    blocks_anytime_half_width: int | None
    blocks_sprt_expected: int | None
    rounds_fixed: int | None


class PowerJson(StudyJson, kw_only=True):
    """What `power --json` prints.

    Attributes
    ----------
    power
        How often such a difference is to be found.
    share, standard_deviation
        Of the blocks that were played beforehand.
    variance_ratio_to_independent_deals
        How much common deals save.
    """

    schema_version: Literal[power.SCHEMA_VERSION]  # type: ignore[valid-type]
    a: SeatRecord
    b: SeatRecord
    power: float
    level: float
    rounds: int
    share: EstimateJson
    standard_deviation: EstimateJson
    variance_ratio_to_independent_deals: EstimateJson
    needs: list[NeedJson]
    sentence: str
