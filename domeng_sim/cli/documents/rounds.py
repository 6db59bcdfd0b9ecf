"""Documents about rounds, positions and what there is to choose from."""

from __future__ import annotations

from typing import Literal

import msgspec

from domeng_sim.cli import odds, rules, show, show_find, strategies
from domeng_sim.cli.documents.estimate import EstimateJson, Rules
from domeng_sim.runs.store.manifest import SeatRecord


class ShownRoundJson(msgspec.Struct):
    """A round.

    Attributes
    ----------
    winner
        -1 for nobody.
    events
        Rows of the table `events` (docs/tables.md), labels as texts; tiles that are not seen are null.
    """

    match: int
    game: int
    round: int
    outcome: str
    winner: int
    events: list[dict[str, int | str | None]]


class ShownJson(msgspec.Struct):
    """What `show --json` prints."""

    schema_version: Literal[show.SCHEMA_VERSION]  # type: ignore[valid-type]
    command: str
    game: str
    seed: str
    rules: Rules
    seats: list[str]
    rounds: list[ShownRoundJson]


class FoundRoundJson(msgspec.Struct):
    """A round in which something happened.

    Attributes
    ----------
    winner
        -1 for nobody.
    plays
        Tiles played.
    command
        The command that shows it.
    """

    match: int
    game: int
    round: int
    outcome: str
    winner: int
    starter: int
    plays: int
    command: str


class FoundRoundsJson(msgspec.Struct):
    """What `show --find --json` prints.

    Attributes
    ----------
    matches
        Matches that there are.
    complete
        Whether all such rounds are listed.
    """

    schema_version: Literal[show_find.SCHEMA_VERSION]  # type: ignore[valid-type]
    find: str
    matches: int
    complete: bool
    hits: list[FoundRoundJson]


class MoveJson(msgspec.Struct):
    """A move of a position.

    Attributes
    ----------
    may_be_best
        Whether it may be the best, by a test that is sharper than the interval of the difference.
    figures
        Odds by name.
    minus_best
        Figures less those of the best move, on the same deals; null for that one.
    fractions
        Exact values as fractions; null where they are sampled.
    """

    move: str
    may_be_best: bool
    figures: dict[str, EstimateJson]
    minus_best: dict[str, EstimateJson] | None
    fractions: dict[str, str] | None


class OddsJson(msgspec.Struct):
    """What `odds --json` prints.

    Attributes
    ----------
    position
        The position, as the options of `odds` write it.
    seats
        How each seat plays on.
    seed
        Null where all was gone through.
    method, samples
        `sampled` or `exact`, and how many samples.
    infer, effective_samples
        The strategy by which the others were taken to have chosen, and how many samples that count alike tell as much;
        null where they count alike.
    deals
        How many deals agree with the position, as text.
    ended
        Why sampling ended.
    best
        Moves of which none is known to be better.
    """

    schema_version: Literal[odds.SCHEMA_VERSION]  # type: ignore[valid-type]
    command: str
    game: str
    rules: Rules
    position: dict[str, str]
    seats: list[SeatRecord]
    seed: str | None
    method: Literal["sampled", "exact"]
    samples: int | None
    infer: str | None
    effective_samples: int | None
    deals: str
    level: float
    ended: str
    seconds: float
    advice: str
    best: list[str]
    moves: list[MoveJson]


class WeighedJson(msgspec.Struct):
    """A feature of a strategy."""

    weight: float
    sentence: str


class JudgesJson(msgspec.Struct):
    """How others are taken to choose.

    Attributes
    ----------
    weights_thousandths
        Thousandths by feature.
    temperature
        Of the softmax choice.
    """

    weights_thousandths: dict[str, int]
    temperature: float


class SearchesJson(msgspec.Struct):
    """How a search player searches.

    Attributes
    ----------
    n
        Hidden deals that are drawn for a decision.
    value
        What it strives for.
    base
        How everybody plays on in its mind.
    infer
        The strategy by which it takes the others to have chosen; missing where it concludes nothing.
    model
        That strategy.
    """

    n: int
    value: str
    base: str
    infer: str | msgspec.UnsetType = msgspec.UNSET
    model: JudgesJson | msgspec.UnsetType = msgspec.UNSET


class StrategyJson(msgspec.Struct, kw_only=True):
    """A strategy.

    Attributes
    ----------
    kind
        `random`, `weighted`, `search` or `user`.
    source
        Where its idea is from.
    copy
        Number of a copy that draws other random numbers.
    content_hash
        Digest of what is played.
    origin
        Its file, or `built in`.
    temperature
        0 for the highest score, above 0 for a random choice that prefers high ones.
    search
        How it searches, if it does.
    features
        What it weighs, by name; of a search player its base.
    """

    text: str
    name: str
    kind: str
    summary: str
    source: str
    copy: int
    content_hash: str
    origin: str
    temperature: float | msgspec.UnsetType = msgspec.UNSET
    search: SearchesJson | msgspec.UnsetType = msgspec.UNSET
    features: dict[str, WeighedJson]


class StrategiesJson(msgspec.Struct):
    """What `strategies --json` prints.

    Attributes
    ----------
    features
        All features of the game, each with a sentence.
    """

    schema_version: Literal[strategies.SCHEMA_VERSION]  # type: ignore[valid-type]
    game: str
    strategies: list[StrategyJson]
    features: dict[str, str]


class KnownRuleJson(msgspec.Struct):
    """A rule.

    Attributes
    ----------
    choices, low, high
        What it may be: one of some words, or a number in a range.
    is_size
        Whether it may be a size such as 12x8.
    """

    name: str
    default: int | str
    choices: list[str] | None
    low: int | None
    high: int | None
    is_size: bool
    sentence: str


class RulesListedJson(msgspec.Struct):
    """What `rules --json` prints."""

    schema_version: Literal[rules.SCHEMA_VERSION]  # type: ignore[valid-type]
    game: str
    rules: list[KnownRuleJson]
