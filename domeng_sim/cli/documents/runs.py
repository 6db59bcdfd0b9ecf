"""Documents about runs."""

from __future__ import annotations

from typing import Literal

import msgspec

from domeng_sim.analysis import metrics, report
from domeng_sim.cli import merge, run, verify
from domeng_sim.cli.documents.estimate import EstimateJson, Rules
from domeng_sim.runs.store.manifest import Made, SeatRecord


class RunFigureJson(msgspec.Struct):
    """A figure of a run.

    Attributes
    ----------
    key
        Its name, for programs.
    label, column
        Its row, and its column in a table of figures by seat.
    estimate
        The figure.
    batches_with_event
        The share of batches with at least one such event, where the figure itself has no interval.
    """

    key: str
    label: str
    column: str | None
    estimate: EstimateJson
    batches_with_event: EstimateJson | None


class SectionJson(msgspec.Struct):
    """Figures that belong together."""

    key: str
    title: str
    note: str
    rows: list[RunFigureJson]


class FiguresJson(msgspec.Struct):
    """Figures of a run.

    Attributes
    ----------
    clusters
        Batches of matches.
    totals
        Rounds and games counted.
    """

    schema_version: Literal[metrics.SCHEMA_VERSION]  # type: ignore[valid-type]
    game: str
    level: float
    clusters: int
    totals: dict[str, int]
    sections: list[SectionJson]


class RunJson(msgspec.Struct):
    """What `run --json` prints.

    Attributes
    ----------
    command
        The command that gives the same rows again.
    seed
        As text, for it may be too large for a number of JavaScript.
    identity
        Digest of all that decides the rows.
    tables
        The tables that were written, up to this level.
    totals
        What the dataset holds.
    rounds_played
        In this call.
    shard
        Which piece of the run was played, as ``3/10``; left out where it is the whole run.
    """

    schema_version: Literal[run.SCHEMA_VERSION]  # type: ignore[valid-type]
    command: str
    directory: str
    seed: str
    identity: str
    game: str
    seats: list[SeatRecord]
    rules: Rules
    tables: str
    totals: dict[str, int]
    seconds: float
    rounds_played: int
    rounds_per_second: float | None
    figures: FiguresJson
    shard: str | msgspec.UnsetType = msgspec.UNSET


class CountedFigureJson(RunFigureJson):
    """A figure of a report.

    Attributes
    ----------
    numerator, denominator
        The counts that it was made of; null where it is no ratio of counts.
    """

    numerator: int | None
    denominator: int | None


class PanelJson(msgspec.Struct):
    """A part of a chapter.

    Attributes
    ----------
    sources, missing
        Tables that it was read from, and tables that would have been needed.
    captions
        What is to be seen, in words.
    runs
        Figures of each run; null where a run has none.
    differences
        For each run but the first: figures less those of the first run, by key.
    """

    key: str
    title: str
    note: str
    sources: list[str]
    missing: list[str]
    captions: list[str]
    runs: list[list[CountedFigureJson] | None]
    differences: list[dict[str, EstimateJson]]


class ChapterJson(msgspec.Struct):
    """A chapter of a report."""

    key: str
    title: str
    panels: list[PanelJson]


class ReportedRunJson(msgspec.Struct):
    """A run of a report.

    Attributes
    ----------
    complete
        Whether all of it was played.
    clusters, matches_per_cluster
        Batches of matches, and how many matches are in one.
    tables_read, tables
        Tables that were read, and tables that are stored.
    hands
        Whether the hands stand in the table of rounds.
    run
        When, where and with how many threads it was made.
    """

    name: str
    directory: str
    complete: bool
    totals: dict[str, int]
    clusters: int
    matches_per_cluster: int
    tables_read: list[str]
    command: str
    identity: str
    seed: str
    rules: Rules
    seats: list[SeatRecord]
    tables: str
    hands: bool
    software: dict[str, str]
    run: Made


class RunsComparedJson(msgspec.Struct):
    """How two runs are compared.

    Attributes
    ----------
    run, minus
        Figures of the one less those of the other.
    paired, because
        Whether they are compared match by match, and why.
    """

    run: str
    minus: str
    paired: bool
    because: str


class ReportJson(msgspec.Struct):
    """What `report --json` prints."""

    schema_version: Literal[report.SCHEMA_VERSION]  # type: ignore[valid-type]
    game: str
    level: float
    runs: list[ReportedRunJson]
    comparisons: list[RunsComparedJson]
    chapters: list[ChapterJson]


class MergeJson(msgspec.Struct):
    """What `merge --json` prints.

    Attributes
    ----------
    pieces
        How many datasets were joined.
    moved
        Whether they were removed.
    files, linked, bytes
        Files of the whole, how many of them are links to those of the pieces and took no room, and their size.
    """

    schema_version: Literal[merge.SCHEMA_VERSION]  # type: ignore[valid-type]
    directory: str
    identity: str
    pieces: int
    moved: bool
    files: int
    linked: int
    bytes: int
    totals: dict[str, int]


class VerifyJson(msgspec.Struct):
    """What `verify --json` prints.

    Attributes
    ----------
    go_on_with
        The command that goes on with it; null where it is complete.
    wrong
        What is damaged, a sentence each.
    """

    schema_version: Literal[verify.SCHEMA_VERSION]  # type: ignore[valid-type]
    directory: str
    files: int
    rows: int
    complete: bool
    go_on_with: str | None
    wrong: list[str]
