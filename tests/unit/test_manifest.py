"""What may stand in a manifest: any other value ends in one line, is told by `verify`, or changes nothing."""

from __future__ import annotations

import copy
import hashlib
import json
import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from domeng_sim.analysis.report import report
from domeng_sim.api.frames import opened
from domeng_sim.comparisons.block_store import open_store
from domeng_sim.comparisons.comparison import compare
from domeng_sim.comparisons.design import Setting
from domeng_sim.comparisons.request import Question
from domeng_sim.comparisons.sequential import StudySession
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.errors import Damaged, Refused, UserError
from domeng_sim.games import GAMES, game
from domeng_sim.games.types import Rule
from domeng_sim.positions.interactive_match import Sitting, keep, resumed
from domeng_sim.positions.replay import open_run
from domeng_sim.runs import runner
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.plan import Plan
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.runs.store.manifest import (
    CONFIG_KEYS,
    play_identity,
    read_manifest,
    run_identity,
)
from domeng_sim.runs.store.manifest_text import manifest_text
from domeng_sim.runs.store.verify import verify
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import person
from tests.command_line import make_config, put_manifest, signed
from tests.effort import COMPILED

MUTATIONS = 120 if COMPILED else 10
"""Of each field."""
MOST_TAKEN = 3
"""Of these, as many are looked at further if they are taken."""
ODD: list[Any] = [
    *(None, True, False, 0, -1, 1, 1.0, 0.5, -0.0, 1e300, 10**30, -(10**30), 2**63, 2**64, 10**15, 10**15 + 1),
    *(
        "",
        "x",
        "0",
        "1",
        "-1",
        "../x",
        "\u202e",
        "\ud800",
        "\0",
        "running",
        "complete",
        "x" * 10_000,
        "blocks",
        "rounds",
    ),
    *([], {}, [1], [[]], {"a": 1}, [None], ["random"], {"0": [0]}, [0] * 1000),
]
HARMLESS = ("run", "result", "request")
"""What nothing depends on."""

Keys = tuple[str | int, ...]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four parts with a weighted strategy and a function, the only one for which code is stored."""
    place = tmp_path_factory.mktemp("manifest")
    (place / "own.toml").write_text('[[strategy]]\nname = "bold"\nsummary = "pips"\n[strategy.weights]\npips = 1.5\n')
    seats = f"{place}/own.toml:bold,random,banker@2,random,random"
    config = make_config({"matches": 7, "seed": 1, "seats": seats, "store_hands": True, "rules": {"stones": 20}})
    Dataset.create(place / "run", config, Plan(1, 2), overwrite=False)
    return runner.run(config, place / "run", resume=True).dataset.directory


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match at which somebody sits, a round of which is over."""
    spec, here = game("domeng"), tmp_path_factory.mktemp("manifest") / "match"
    config = make_config({"matches": 1, "seed": 1, "games_per_match": 1, "tables": "events", "store_hands": True})
    sitting = Sitting(replace(config, seats=(person(spec), *config.seats[1:])))
    with keep(sitting, here) as keeper:
        while not sitting.standing.n_rounds or sitting.standing.step < 30:
            sitting.choose(0)
            keeper.keep()
    return here


def question() -> Question:
    spec = game("domeng")
    setting = Setting("domeng", spec.resolve_rules({}), 1, 1)
    return Question(setting, resolve("heaviest", spec), resolve("random", spec))


def study_of(here: Path, resume: bool = False) -> dict[str, Any]:
    """A small comparison, kept there or gone on with; its result."""
    asked = question()
    with open_store(here, "compare", asked.setting, asked.to_json(), resume=resume) as store:
        result = compare(asked, Stopping(blocks=4), StudySession(store=store)).to_json()
        store.finish(result, True)
    return {key: value for key, value in result.items() if key not in ("seconds", "rules")}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A comparison."""
    here = tmp_path_factory.mktemp("manifest") / "study"
    study_of(here)
    return here


def fields(value: Any, at: Keys = ()) -> Iterator[Keys]:
    """All places in a document; of lists the first and the last entry, of results and requests only the whole."""
    yield at
    if at in (("result",), ("request",)):
        return
    if isinstance(value, dict):
        for key in value:
            yield from fields(value[key], (*at, key))
    elif isinstance(value, list) and value:
        for number in {0, len(value) - 1}:
            yield from fields(value[number], (*at, number))


def changed(value: Any, chance: random.Random) -> Any:
    """Another value in the place of one."""
    value = copy.deepcopy(value)
    if chance.random() < 0.4:
        return chance.choice(ODD)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return chance.choice([value + 1, value - 1, -value, 2 * value, value + chance.randrange(10**6), str(value)])
    if isinstance(value, float):
        return chance.choice([value + 0.5, -value, value * 1e9])
    if isinstance(value, str):
        at = chance.randrange(len(value) + 1)
        return chance.choice([value[:at], value[:at] + chance.choice("0a/.\n") + value[at:], value[at:] + "1"])
    if isinstance(value, list):
        at = chance.randrange(len(value) + 1)
        more = [copy.deepcopy(value[at % len(value)])] if value else [1]
        return chance.choice([value[:at], value[at:], value[:at] + more + value[at:], value[:at] + value[at + 1 :]])
    if isinstance(value, dict):
        keys = list(value)
        if keys and chance.random() < 0.6:
            value.pop(chance.choice(keys))
        else:
            value[chance.choice(["x", "play", "study", "0", "matches_asked", "rounds_asked"])] = chance.choice(ODD)
    return value


def with_value(document: Any, at: Keys, value: Any) -> Any:
    """The document with another value in a place."""
    if not at:
        return value
    document = copy.copy(document)
    document[at[0]] = with_value(document[at[0]], at[1:], value)
    return document


def mutations(directory: Path, most: int = MOST_TAKEN) -> Iterator[tuple[Keys, dict[str, Any]]]:
    """Manifests with a changed field that are still taken by all that reads manifests."""
    path = directory / "manifest.json"
    original, wrong = read_manifest(path.read_bytes(), path)
    assert wrong == []
    n = 0
    for at in fields(original):
        n_taken, tried = 0, set[str]()
        chance = random.Random(repr(at))
        here: Any = original
        for key in at:
            here = here[key]
        for _ in range(MUTATIONS):
            value, n = changed(here, chance), n + 1
            if repr(value) in tried:
                continue
            tried.add(repr(value))
            mutated = with_value(original, at, value)
            try:
                taken, _ = read_manifest(signed(mutated), path)
            except UserError as error:
                assert "\n" not in str(error)
                continue
            if taken != original and n_taken < most:
                n_taken += 1
                yield at, mutated
    assert n > 40 * MUTATIONS


def readers(directory: Path) -> dict[str, Any]:
    """What readers of a run make of it."""
    dataset = Dataset.open(directory)
    source = open_run(directory)
    return {
        "resume": runner.run(dataset.config, directory, resume=True).counts.tolist(),
        "report": [(plate.key, plate.counts) for plate in report([directory]).plates()],
        "load": opened(dataset).rounds.to_dict(),
        "show": source.rows(3 if source.matches and source.matches > 3 else 0),
    }


def check_taken(directory: Path, tmp_path: Path) -> None:
    """What is taken of mutated manifests is told by `verify`, or changes nothing of what anybody reads."""
    expected = readers(directory)
    for number, (at, mutated) in enumerate(mutations(directory)):
        here = tmp_path / str(number)
        shutil.copytree(directory, here)
        put_manifest(here, mutated)
        wrong = verify(Dataset.open(here, strict=False))
        try:
            same = readers(here) == expected
        except UserError as error:
            assert "\n" not in str(error), at
            same = True
        assert same, (at, mutated)
        if at[0] not in HARMLESS and mutated["status"] == "complete":
            assert wrong, (at, mutated)
        shutil.rmtree(here)


@pytest.mark.compiled
def test_run__with_any_other_value_in_its_manifest_is_refused_or_the_same(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # what a report counts is compared; of the same counts its intervals, which take longest, are the same
    monkeypatch.setattr("domeng_sim.analysis.report.section_of", lambda table, panel, level: None)
    check_taken(run, tmp_path)


@pytest.mark.compiled
def test_match__with_any_other_value_in_its_manifest_is_refused_or_the_same(match: Path, tmp_path: Path) -> None:
    expected = resumed(match)
    for number, (at, mutated) in enumerate(mutations(match)):
        here = tmp_path / str(number)
        shutil.copytree(match, here)
        put_manifest(here, mutated)
        try:
            assert resumed(here) == expected, at
        except UserError as error:
            assert "\n" not in str(error), at
        shutil.rmtree(here)


@pytest.mark.compiled
def test_study__with_any_other_value_in_its_manifest_is_refused_or_the_same(study: Path, tmp_path: Path) -> None:
    expected = study_of(study, resume=True)
    for number, (at, mutated) in enumerate(mutations(study, most=1)):
        here = tmp_path / str(number)
        shutil.copytree(study, here)
        put_manifest(here, mutated)
        verify(Dataset.open(here, strict=False))
        try:
            assert study_of(here, resume=True) == expected, at
        except UserError as error:
            assert "\n" not in str(error), at
        shutil.rmtree(here)


def test_manifest__is_read_as_it_was_written(run: Path) -> None:
    path = run / "manifest.json"
    manifest, _ = read_manifest(path.read_bytes(), path)
    found = json.loads(path.read_bytes())
    assert manifest | {"digest": found["digest"]} == found
    text = manifest_text(manifest)
    assert text == path.read_bytes()
    lines = text.splitlines(keepends=True)
    assert sum(b'"path"' in line for line in lines) == len(manifest["parts"]) == 12
    assert max(map(len, lines)) < 500
    # what `head -n -2 manifest.json | sha256sum` prints
    assert found["digest"] == hashlib.sha256(b"".join(lines[:-2])).hexdigest()
    empty = json.loads(manifest_text(manifest | {"parts": []}))
    assert empty | {"digest": ""} == manifest | {"parts": [], "digest": ""}


def test_manifest__with_a_flipped_bit_is_noticed(run: Path, study: Path) -> None:
    chance = random.Random(1)
    for path in (run / "manifest.json", study / "manifest.json"):
        content = path.read_bytes()
        for at in {*range(0, len(content), 9), *range(len(content) - 90, len(content))}:
            flipped = bytearray(content)
            flipped[at] ^= 1 << chance.randrange(8)
            with pytest.raises(Damaged) as caught:
                read_manifest(bytes(flipped), path)
            assert "\n" not in str(caught.value)


def test_manifest__that_was_edited_says_so_to_readers_and_all_that_is_wrong_to_verify(
    run: Path, tmp_path: Path
) -> None:
    path = tmp_path / "manifest.json"
    content = json.loads((run / "manifest.json").read_bytes())
    for text in (json.dumps(content), json.dumps(content | {"seed": "2"}, indent=1)):
        path.write_text(text)
        with pytest.raises(Damaged, match=r"manifest.json was changed after it was written \(its digest differs\)"):
            Dataset.open(tmp_path)
        wrong = [str(one) for one in verify(Dataset.open(tmp_path, strict=False))]
        assert "manifest.json: changed after it was written (its digest differs)" in wrong
    assert "manifest.json: the identity differs from what it describes" in wrong
    path.write_text(json.dumps({key: value for key, value in content.items() if key != "digest"}))
    with pytest.raises(
        Damaged, match="is damaged, or no manifest of domeng-sim \\(Object missing required field `digest`"
    ):
        Dataset.open(tmp_path)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"schema_version": NaN}', '{"a": 1' + "0" * 5000 + "}", "\x00", "\udcff"]
)
def test_manifest__that_is_no_json_is_one_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(Damaged, match="is damaged, or no manifest") as caught:
        read_manifest(text.encode(errors="surrogateescape"), tmp_path)
    assert "\n" not in str(caught.value)


# --- A game that knew fewer rules, or other ones ----------------------------------------------------------------------

LATER = Rule("toy", "after", "Whether CUCUQ is looked for before or after the award.", ("before", "after"))


def add_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = copy.copy(game("domeng"))
    vars(toy)["rules"] = (*toy.rules, LATER)
    monkeypatch.setitem(GAMES, "domeng", toy)


def test_rule__that_came_later_leaves_old_runs_valid(
    run: Path, study: Path, match: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, figures = readers(run), study_of(study, resume=True)
    for name, source in (("run", run), ("study", study), ("match", match)):
        shutil.copytree(source, tmp_path / name)
    part = max((tmp_path / "run" / "rounds").iterdir())
    kept = part.read_bytes()
    part.unlink()
    add_a_rule(monkeypatch)
    # gone on with by what was asked for then, and by what is the same today
    config = Dataset.open(tmp_path / "run").config
    assert config.rules["toy"] == "after"
    assert runner.run(config, tmp_path / "run", resume=True).dataset.complete
    assert part.read_bytes() == kept
    assert readers(tmp_path / "run") == expected
    assert (tmp_path / "run" / "manifest.json").read_text().count('"toy"') == 0
    assert study_of(tmp_path / "study", resume=True) == figures
    assert resumed(tmp_path / "match").rules["toy"] == "after"
    for name in ("run", "study", "match"):
        assert verify(Dataset.open(tmp_path / name)) == []
    other = replace(config, rules={**config.rules, "toy": "before"})
    with pytest.raises(Refused, match="rules toy was after, now before"):
        runner.run(other, tmp_path / "run", resume=True)


def test_rule__or_game_of_a_newer_version_is_named(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(run, tmp_path / "run")
    path = tmp_path / "run" / "manifest.json"
    original = json.loads(path.read_bytes())
    for change, named in (
        ({"rules": original["rules"] | {"toy": "before"}}, "rule 'toy' is not known here"),
        ({"rules": original["rules"] | {"passebunge": "third"}}, "rule 'passebunge' = 'third' is not known here"),
        ({"game": "chess"}, "the game 'chess' is not known here"),
    ):
        newer = {**original, **change, "software": {**original["software"], "domeng_sim": "9.0"}}
        path.write_bytes(signed({**newer, "identity": run_identity(newer)}))
        with pytest.raises(Damaged, match=f"made by a newer version \\(9.0\\): {named}"):
            Dataset.open(tmp_path / "run")


def test_identity__of_a_manifest_is_that_of_its_configuration(run: Path) -> None:
    dataset = Dataset.open(run)
    assert run_identity(dataset.manifest) == dataset.manifest["identity"] == dataset.config.identity()
    assert set(dataset.config.to_json()) <= set(CONFIG_KEYS)


# --- Saved games ------------------------------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ([10**30], "is damaged"),
        ([0.5], "is damaged"),
        ([-1], "is damaged"),
        ([999], "none of this match"),
        ([0] * 100_000, "more than it made"),
    ],
)
def test_save__of_which_the_choices_are_changed_is_one_line(
    choices: list[Any], message: str, match: Path, tmp_path: Path
) -> None:
    shutil.copytree(match, tmp_path / "game")
    path = tmp_path / "game" / "manifest.json"
    content = json.loads(path.read_bytes())
    kept = content["play"]["choices"]["0"]
    content["play"]["choices"]["0"] = kept + choices
    path.write_bytes(signed(content))
    with pytest.raises(Damaged, match=r"the choices differ from their digest|Expected `int`"):
        resumed(tmp_path / "game")
    # even by somebody who knows how the digest is made
    content["play"]["identity"] = play_identity(content["identity"], 1, content["play"]["choices"])
    path.write_bytes(signed(content))
    with pytest.raises(Damaged, match=message):
        Sitting(resumed(tmp_path / "game"))


def test_config__is_sent_without_its_functions() -> None:
    import pickle

    config = make_config({"matches": 5, "seed": 3, "seats": "banker,random,random,random,random"})
    sent = pickle.dumps(config)
    assert pickle.loads(sent) == config and isinstance(config, RunConfig)
    assert len(sent) < 5000
