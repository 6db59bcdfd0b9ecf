"""The document of a sweep."""

from __future__ import annotations

from typing import Literal

import msgspec

from domeng_sim.cli.documents.estimate import EstimateJson
from domeng_sim.cli.documents.study import StudyJson
from domeng_sim.comparisons import sweep_result
from domeng_sim.runs.store.manifest import SeatRecord


class AxisJson(msgspec.Struct):
    """What is changed, and its values."""

    name: str
    values: list[str]


class PointFigureJson(msgspec.Struct):
    """A figure at a point.

    Attributes
    ----------
    difference
        Less that at the reference; the intervals of the whole grid hold together.
    established
        Whether 0 lies outside.
    """

    key: str
    label: str
    kind: str
    estimate: EstimateJson
    difference: EstimateJson
    established: bool
    blocks_that_differ: int


class PointJson(msgspec.Struct):
    """A point of the grid."""

    label: str
    values: dict[str, str]
    strategy: str
    rules: dict[str, int | str]
    rounds: int
    figures: list[PointFigureJson]


class SweepJson(StudyJson, kw_only=True):
    """What `sweep --json` prints.

    Attributes
    ----------
    base, against
        The strategy that is changed, and who sits in the other seats; null where the base sits in all.
    figures
        Keys of the figures of the game that are told; missing where no rule is changed.
    reference
        Label of the point that the others are compared with.
    rounds
        At all points together.
    """

    schema_version: Literal[sweep_result.SCHEMA_VERSION]  # type: ignore[valid-type]
    figures: list[str] | msgspec.UnsetType = msgspec.UNSET
    base: SeatRecord
    against: list[SeatRecord] | None
    axes: list[AxisJson]
    reference: str
    level: float
    interval: Literal["fixed"]
    kinds: dict[str, str]
    games: int
    rounds: int
    points: list[PointJson]
    sentence: str
