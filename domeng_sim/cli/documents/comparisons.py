"""The document of a comparison."""

from __future__ import annotations

from typing import Literal

import msgspec

from domeng_sim.cli.documents.estimate import EstimateJson
from domeng_sim.cli.documents.study import StoppingJson, StudyJson
from domeng_sim.comparisons import result
from domeng_sim.runs.store.manifest import SeatRecord


class SignFlipJson(msgspec.Struct):
    """A test by changed signs."""

    p: float
    exact: bool


class OtherJson(msgspec.Struct):
    """A figure beside the answer: of the strategy, of the others, and their difference."""

    key: str
    label: str
    subject: EstimateJson
    others: EstimateJson
    difference: EstimateJson


class TableResultJson(msgspec.Struct):
    """How a strategy does at a table.

    Attributes
    ----------
    subject, field
        The strategy, and who sits at the other seats.
    share
        Its share of won games.
    excess
        That share less a fair one.
    log_strength, elo
        The same as strengths, those of the field being 0.
    blocks_that_differ
        Blocks in which the share is not the fair one.
    p, p_holm
        Of a difference from a fair share; adjusted for all comparisons behind the answer.
    exploratory
        Other figures, not adjusted.
    """

    label: str
    subject: str
    field: str
    share: EstimateJson
    excess: EstimateJson
    log_strength: EstimateJson
    elo: EstimateJson
    blocks: int
    blocks_that_differ: int
    games: int
    games_without_winner: int
    rounds: int
    sign_flip: SignFlipJson | None
    p: float | None
    p_holm: float | None
    verdict: str
    sentence: str
    exploratory: list[OtherJson]


class SwitchEffectJson(msgspec.Struct):
    """What it changes that a seat plays A and not B, beside other A's."""

    other_a: int
    share_as_a: EstimateJson
    share_as_b: EstimateJson
    effect: EstimateJson
    blocks_that_differ: int
    p: float | None
    p_holm: float | None


class SequentialJson(msgspec.Struct):
    """Where a sequential test stands.

    Attributes
    ----------
    s0, s1, alpha, beta
        What was tested: shares, and chances of the two errors.
    llr, lower, upper
        The log-likelihood ratio and its bounds.
    """

    s0: float
    s1: float
    alpha: float
    beta: float
    llr: float
    lower: float
    upper: float
    blocks: int
    verdict: str


class ComparisonJson(StudyJson, kw_only=True):
    """What `compare --json` prints.

    Attributes
    ----------
    a, b, against
        The two strategies, and those that sit beside them; null for each other.
    interval
        `fixed`, or `anytime` for intervals that hold at every look.
    kinds
        The kinds of intervals in it, explained.
    ends
        The tables that were asked for.
    switch_effects
        What a change of one seat does, where all mixes were played.
    difference
        The share of A less that of B in the same company.
    depends_on_company
        Whether the answer is another one in other company; null where that was not asked.
    """

    schema_version: Literal[result.SCHEMA_VERSION]  # type: ignore[valid-type]
    a: SeatRecord
    b: SeatRecord
    against: list[SeatRecord] | None
    fair_share: float
    stopping: StoppingJson
    interval: Literal["fixed", "anytime"]
    kinds: dict[str, str]
    games: int
    rounds: int
    ends: list[TableResultJson]
    switch_effects: list[SwitchEffectJson] | None
    difference: EstimateJson | None
    blocks_that_differ_in_difference: int | None
    difference_p: float | None
    answer_from_intervals: int
    answer_level: float
    answer_adjusted_by: str
    difference_variance_ratio_to_independent_deals: float | None
    depends_on_company: bool | None
    sprt: SequentialJson | None
    sentence: str
