"""The manifest: what may stand in it, described once.

A manifest may be damaged, or made by somebody who means harm. So it is checked in four steps: its text by its own
digest, each field by type and bounds (`RunManifest`, `StudyManifest`), the rules and strategies by what this version
knows, and the fields against each other. Whoever reads a dataset gets a manifest that passed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from domeng_sim.core.printable import printable
from domeng_sim.core.tables import LEVELS
from domeng_sim.errors import Damaged
from domeng_sim.games import GAMES
from domeng_sim.runs.config import MAX_PER_MATCH, MAX_SEED, MAX_TOTAL, RunConfig, digest_of
from domeng_sim.runs.plan import Plan, Range, Shard
from domeng_sim.runs.provenance import SCHEMA_VERSION
from domeng_sim.runs.store.location import Location
from domeng_sim.runs.store.manifest_text import damaged, document, is_sealed
from domeng_sim.runs.store.parts import Part, Whole
from domeng_sim.strategies.search import MAX_DEALS
from domeng_sim.strategies.spec import MAX_COPY, PERSON
from domeng_sim.strategies.weighted import MAX_WEIGHT

STUDY_TABLE = "blocks"
"""The one table of a study."""
CONFIG_KEYS = (
    *("game", "game_version", "rules", "seats", "seed", "matches_asked", "rounds_asked"),
    *("games_per_match", "rounds_per_match", "tables", "hands", "until", "max_rounds"),
)
"""What decides the rows of a run, and so its identity."""
SETTING_KEYS = ("game", "game_version", "rules", "seed", "games_per_match", "figures")
"""What all games of a study have in common."""
_MOST_SHOWN = 5

Text = Annotated[str, Meta(max_length=1 << 24)]
Name = Annotated[str, Meta(max_length=1 << 12)]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Key = Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]
Seed = Annotated[str, Meta(pattern=r"^(0|[1-9][0-9]{0,19})\Z")]
Count = Annotated[int, Meta(ge=1, le=MAX_TOTAL)]
PerMatch = Annotated[int, Meta(ge=1, le=MAX_PER_MATCH)]
RuleSetting = Annotated[int, Meta(ge=-(1 << 31), le=1 << 31)] | Name
Choice = Annotated[int, Meta(ge=0, le=999)]
Seconds = Annotated[float, Meta(ge=0, le=1e12)]


class _Record(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a manifest: no other field than these, each of its type."""


Weights = dict[Name, Annotated[int, Meta(ge=-1000 * MAX_WEIGHT, le=1000 * MAX_WEIGHT)]]


class Judging(_Record):
    """How a search player judges what others chose; see `games.types.Model`."""

    weights_thousandths: Weights
    temperature: Annotated[float, Meta(gt=0, le=1e6)]


class Searching(_Record):
    """How a search player searches; see `StrategySpec`."""

    n: Annotated[int, Meta(ge=1, le=MAX_DEALS)]
    value: Name
    base: Name
    infer: Name | UnsetType = UNSET
    model: Judging | UnsetType = UNSET


class SeatRecord(_Record, kw_only=True):
    """A strategy; see `StrategySpec`."""

    text: Name
    name: Name
    game: Name
    kind: Literal["random", "weighted", "search", "user", "person"]
    summary: Text
    source: Text
    copy: Annotated[int, Meta(ge=0, le=MAX_COPY)]
    content_hash: Digest
    origin: Name
    code: Text | UnsetType = UNSET
    choices: list[Choice] | UnsetType = UNSET
    weights_thousandths: Weights | UnsetType = UNSET
    temperature: Annotated[float, Meta(ge=0, le=1e6)] | UnsetType = UNSET
    search: Searching | UnsetType = UNSET


class Sizes(_Record):
    """How a run is cut; see `Plan`."""

    matches_per_batch: Count
    matches_per_part: Count
    matches_expected: Count | UnsetType = UNSET


class ShardRecord(_Record):
    """Which piece of a run it is; see `Shard`."""

    number: Annotated[int, Meta(ge=1, le=1 << 20)]
    of: Annotated[int, Meta(ge=1, le=1 << 20)]


class Made(_Record):
    """What differs between two runs of the same thing."""

    finished: Name | UnsetType = UNSET
    host: Name | UnsetType = UNSET
    threads: Annotated[int, Meta(ge=1, le=1 << 20)] | UnsetType = UNSET
    seconds_of_last_call: Seconds | UnsetType = UNSET


class Play(_Record):
    """A match at which people sit: how long it is to be, all choices by seat, and a digest that binds them to it."""

    games: PerMatch
    choices: dict[Annotated[str, Meta(pattern=r"^[0-9]\Z")], Annotated[list[Choice], Meta(max_length=1 << 22)]]
    identity: Digest


class LineupRecord(_Record):
    """Who sits at a table of a study; see `Lineup`."""

    key: Key
    label: Text
    members: list[Name]
    seatings: list[list[Annotated[int, Meta(ge=0, le=9)]]]
    rules: dict[Name, RuleSetting] | UnsetType = UNSET


class RequestRecord(_Record):
    """What was asked of a study, as it would be typed: the command line that goes on with it is made from this."""

    arguments: list[Name]
    options: dict[Name, bool | int | float | Name | list[Name] | dict[Name, RuleSetting]]


class _Manifest(_Record):
    """What every manifest has."""

    schema_version: Literal[SCHEMA_VERSION]  # type: ignore[valid-type]
    identity: Digest
    software: dict[Name, Name]
    game: Name
    game_version: Annotated[int, Meta(ge=1, le=1 << 31)]
    rules: dict[Name, RuleSetting]
    seed: Seed
    status: Literal["running", "complete"]
    parts: list[Part]
    totals: dict[Name, Whole]
    run: Made
    digest: Digest


class RunManifest(_Manifest, kw_only=True):
    """The manifest of a run."""

    command: Text
    seats: list[SeatRecord]
    matches_asked: Count | UnsetType = UNSET
    rounds_asked: Count | UnsetType = UNSET
    until: Annotated[list[Name], Meta(min_length=1, max_length=1000)] | UnsetType = UNSET
    max_rounds: Count | UnsetType = UNSET
    games_per_match: PerMatch | UnsetType = UNSET
    rounds_per_match: PerMatch | UnsetType = UNSET
    tables: Literal[LEVELS]  # type: ignore[valid-type]
    hands: bool
    matches: Count | None
    plan: Sizes
    shard: ShardRecord | UnsetType = UNSET
    play: Play | UnsetType = UNSET


class StudyManifest(_Manifest, kw_only=True):
    """The manifest of a study."""

    study: Name
    request: RequestRecord
    games_per_match: PerMatch
    figures: list[Name] | UnsetType = UNSET
    strategies: list[SeatRecord]
    lineups: list[LineupRecord]
    tables: Literal["blocks"]
    result: dict[str, Any] | UnsetType = UNSET


def run_identity(record: Mapping[str, Any]) -> str:
    """Identity of a run as its manifest describes it, by the rules that its version knew."""
    about = {key: record[key] for key in CONFIG_KEYS if key in record}
    return digest_of([record["software"]["domeng_sim"], about])


def study_identity(record: Mapping[str, Any]) -> str:
    """Identity of a study as its manifest describes it."""
    about = {key: record[key] for key in SETTING_KEYS if key in record}
    return digest_of([record["software"]["domeng_sim"], about, [lineup["key"] for lineup in record["lineups"]]])


def play_identity(identity: str, games: int, choices: Mapping[str, Any]) -> str:
    """Digest of the choices of a match and of what they were chosen in."""
    return digest_of([identity, games, choices])


def read_manifest(content: bytes, path: Location, strict: bool = True) -> tuple[dict[str, Any], list[str]]:
    """A manifest from its text, its digest left out, and in what it contradicts itself.

    Parameters
    ----------
    content
        What stands in the file.
    path
        Where it stands, for messages.
    strict
        Whether a contradiction is an error.

    Raises
    ------
    BadInput
        If an older version wrote it.
    Damaged
        If it is no manifest of this version, or was changed after it was written.
    """
    found = document(content, path)
    changed = [] if is_sealed(content) else ["changed after it was written (its digest differs)"]
    if strict and changed and "digest" in found:
        raise Damaged(f"{path} was {changed[0]}; put back what was there, or make the dataset again")
    try:
        kind = StudyManifest if "study" in found else RunManifest
        manifest: dict[str, Any] = msgspec.to_builtins(msgspec.convert(found, kind))
    except (msgspec.ValidationError, RecursionError, OverflowError, UnicodeError) as error:
        raise damaged(path, str(error)) from error
    del manifest["digest"]
    wrong = [*changed, *_unprintable(manifest), *_contradictions(manifest)]
    identity = study_identity if "study" in manifest else run_identity
    fits = "domeng_sim" in manifest["software"] and manifest["identity"] == identity(manifest)
    if fits and (name := _unknown(manifest)):
        raise Damaged(
            f"{path} was made by a newer version ({manifest['software']['domeng_sim']}): {name} is not known here"
        )
    if not fits:
        wrong.insert(0, "the identity differs from what it describes")
    if strict and wrong:
        shown = "; ".join(wrong[:_MOST_SHOWN]) + f"; and {len(wrong) - _MOST_SHOWN} more" * (len(wrong) > _MOST_SHOWN)
        raise damaged(path, shown)
    return manifest, wrong


def _unknown(manifest: Mapping[str, Any]) -> str:
    """The game, or the first rule or feature, that is not known here; empty if all are."""
    if manifest["game"] not in GAMES:
        return f"the game {manifest['game']!r}"
    spec = GAMES[manifest["game"]]
    rules = {rule.name: rule for rule in spec.rules}
    for name, value in manifest["rules"].items():
        if name not in rules:
            return f"rule {name!r}"
        try:
            rules[name].check(value)
        except ValueError:
            return f"rule {name!r} = {value!r}"
    for seat in manifest.get("seats", manifest.get("strategies", [])):
        for feature in seat.get("weights_thousandths", {}):
            if seat["game"] == spec.name and feature not in spec.features:
                return f"the feature {feature!r} of moves"
    return ""


def _unprintable(value: Any, at: str = "") -> Iterator[str]:
    """Texts that would be commands to a terminal; code and results are shown nowhere."""
    if isinstance(value, str) and printable(value) != value:
        yield f"{at[1:]} has control characters"
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _unprintable(entry, f"{at}[{number}]")
    elif isinstance(value, dict):
        for key, entry in value.items():
            if key not in ("code", "result", "parts"):
                yield from _unprintable(key, at)
                yield from _unprintable(entry, f"{at}.{key}")


def _contradictions(manifest: dict[str, Any]) -> Iterator[str]:
    """In what a manifest contradicts itself."""
    if manifest["game"] not in GAMES:
        yield f"there is no game {manifest['game']!r}"
        return
    if int(manifest["seed"]) > MAX_SEED:
        yield "the seed is too large"
        return
    parts = msgspec.convert(manifest["parts"], list[Part])
    if "study" in manifest:
        yield from _of_study(manifest, parts)
        return
    try:
        config = RunConfig.from_json(manifest)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        yield str(error)
        return
    plan = Plan(manifest["plan"]["matches_per_batch"], manifest["plan"]["matches_per_part"])
    yield from _of_run(manifest, config, plan, parts)
    if "play" in manifest:
        yield from _of_play(manifest, config)


def _of_run(manifest: Mapping[str, Any], config: RunConfig, plan: Plan, parts: list[Part]) -> Iterator[str]:
    matches, complete = manifest["matches"], manifest["status"] == "complete"
    if bool(config.until) != ("matches_expected" in manifest["plan"]):
        yield "plan: matches_expected does not fit what was asked for"
    if plan.part % plan.batch:
        yield "plan: a part is no whole number of batches"
        return
    if matches != config.n_matches and not (complete and config.n_matches is None and matches is not None):
        yield f"matches is {matches}, which is not what was asked for"
        return
    if "shard" in manifest and (matches is None or manifest["shard"]["number"] > manifest["shard"]["of"]):
        yield "shard: there is no such piece of the run"
        return
    if not complete and manifest["totals"]:
        yield "totals of a run that is not complete"
    tables = LEVELS[: LEVELS.index(config.level) + 1]
    for part in parts:
        if part.table not in tables or part.lineup or part.path != f"{part.table}/{part.name}":
            yield f"parts: {part.path!r} is no path of a part of this run"
        elif not plan.has(part.matches, matches):
            yield f"parts: matches {part.first_match} to {part.last_match} are no part"
        elif part.rounds < len(part.matches) or (part.table == "rounds" and part.rows != part.rounds):
            yield f"parts: {part.path} has other rows than rounds"
    if len({(part.table, part.first_match) for part in parts}) != len(parts):
        yield "parts: one of them stands there twice"
    rounds = {(part.first_match, part.rounds) for part in parts}
    if len({first for first, _ in rounds}) != len(rounds):
        yield "parts: tables of the same matches have different rounds"
    if matches is None:
        return
    span = plan.span(matches, Shard(**manifest["shard"]) if "shard" in manifest else None)
    if any(part.first_match < span.first or part.last_match >= span.end for part in parts):
        yield "parts: one of them belongs to another shard"
    if complete:
        yield from _of_complete(manifest, config, parts, tables, span)


def _of_complete(
    manifest: Mapping[str, Any], config: RunConfig, parts: list[Part], tables: tuple[str, ...], span: Range
) -> Iterator[str]:
    """Matches without a part, and totals that are not those of the parts."""
    for table in tables:
        expected = span.first
        for part in sorted((part for part in parts if part.table == table), key=lambda part: part.first_match):
            if part.first_match > expected:
                yield f"{table}: matches {expected} to {part.first_match - 1}: no part"
            expected = max(expected, part.last_match + 1)
        if expected < span.end:
            yield f"{table}: matches {expected} to {span.end - 1}: no part"
    totals = manifest["totals"]
    if not {"matches", "rounds"} <= set(totals):
        yield "totals: without matches and rounds"
        return
    rounds = sum(part.rounds for part in parts if part.table == "summary")
    counted = {"matches": len(span), "rounds": rounds}
    yield from (f"totals: {name} is {totals[name]}, counted {n}" for name, n in counted.items() if totals[name] != n)
    if config.rounds and rounds < config.rounds and not (config.until or "shard" in manifest):
        yield f"rounds: {rounds}, though {config.rounds} were asked for"


def _of_play(manifest: Mapping[str, Any], config: RunConfig) -> Iterator[str]:
    play = manifest["play"]
    people = {str(number): seat.choices for number, seat in enumerate(config.seats) if seat.kind == PERSON}
    if set(play["choices"]) != set(people):
        yield "play: choices of others than the people"
        return
    if any(tuple(play["choices"][seat][: len(made)]) != made for seat, made in people.items()):
        yield "play: the choices are not those of the rounds that are over"
    if play["identity"] != play_identity(manifest["identity"], play["games"], play["choices"]):
        yield "play: the choices differ from their digest"


def _of_study(manifest: Mapping[str, Any], parts: list[Part]) -> Iterator[str]:
    keys = [lineup["key"] for lineup in manifest["lineups"]]
    if len(set(keys)) != len(keys):
        yield "lineups: one of them stands there twice"
    texts = [strategy["text"] for strategy in manifest["strategies"]]
    if len(set(texts)) != len(texts):
        yield "strategies: one of them stands there twice"
    for lineup in manifest["lineups"]:
        n = len(lineup["members"])
        seats = GAMES[manifest["game"]].seats
        if any(len(seating) != seats or max(seating, default=n) >= n for seating in lineup["seatings"]):
            yield f"lineups: the seatings of {lineup['label']!r} are not of {seats} seats"
    for part in parts:
        if part.table != STUDY_TABLE or part.lineup not in keys or part.path != f"{part.table}/{part.name}":
            yield f"parts: {part.path!r} is no path of a part of this study"
    ordered = sorted(parts, key=lambda part: (part.lineup, part.first_match))
    for one, other in itertools.pairwise(ordered):
        if one.lineup == other.lineup and other.first_match <= one.last_match:
            yield f"parts: {one.path} and {other.path} hold the same blocks"
    if any(part.last_match < part.first_match for part in parts):
        yield "parts: one of them ends before it begins"
