"""What `--json` prints is what docs/schema/ says, for every command."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from domeng_sim.cli import COMMANDS
from tests.command_line import call
from tools import schemas

HAND = ["--hand", "6|5 5|5 5|2 3|1 2|2", "--seat", "0", "--seed", "1"]
WORDS: dict[str, list[list[str]]] = {
    "run": [
        ["run", "--rounds", "300", "--seed", "1", "--out", "a"],
        ["run", "--matches", "5", "--seed", "1", "--out", "c", "--shard", "1/1"],
        ["run", "--game", "draw", "--matches", "20", "--seed", "1", "--out", "b", "--rule", "table=10x6"],
    ],
    "report": [["report", "RUN"], ["report", "RUN", "OTHER"]],
    "verify": [["verify", "RUN"]],
    "merge": [["merge", "PIECE", "--out", "whole"]],
    "show": [["show", "--seed", "1"], ["show", "--game", "draw", "--seed", "1", "--as-seat", "0"], ["show", "RUN"]],
    "show-find": [["show", "RUN", "--find", "ceki", "--limit", "2"]],
    "odds": [
        ["odds", *HAND, "--samples", "200"],
        [
            "odds",
            "--game",
            "draw",
            "--hand",
            "6|2 5|5 4|1 3|3 3|2",
            "--log",
            "0:6|6 1:6|5r 0:6|4l 1:d*2 1:5|2r",
            "--seed",
            "1",
        ],
        ["odds", "--from", "RUN", "--match", "0", "--round", "0", "--step", "40", "--open-hands", "--exact"],
    ],
    "strategies": [["strategies"], ["strategies", "master"], ["strategies", "--game", "draw"]],
    "rules": [["rules"], ["rules", "--game", "draw"]],
    "compare": [
        ["compare", "banker", "random", "--blocks", "10", "--seed", "1"],
        ["compare", "banker", "random", "--all-mixes", "--blocks", "4", "--seed", "1"],
        ["compare", "banker", "random", "--opponents", "blocker", "--until", "20pp", "--seed", "1"],
        ["compare", "banker", "random", "--sprt", "0.2,0.3", "--max-blocks", "40", "--seed", "1"],
    ],
    "tournament": [["tournament", "presets", "--blocks", "3", "--seed", "1"]],
    "sensitivity": [
        ["sensitivity", "--blocks", "10", "--seed", "1"],
        [
            "sensitivity",
            "--blocks",
            "4",
            "--ranking",
            "random,banker,blocker,passer,hunter",
            "--ranking-blocks",
            "4",
            "--seed",
            "1",
        ],
    ],
    "sweep": [
        ["sweep", "--over", "rule.stones=10,25", "--blocks", "4", "--seed", "1"],
        ["sweep", "--over", "weights.unseen=-1,0", "--base", "master", "--blocks", "4", "--seed", "1"],
    ],
    "tune": [
        [
            *(
                "tune",
                "bold",
                "--features",
                "double,unseen",
                "--population",
                "4",
                "--generations",
                "1",
                "--blocks",
                "2",
            ),
            *("--gate-blocks", "2", "--seed", "1", "--out", "tuned.toml"),
        ],
    ],
    "power": [["power", "banker", "random", "--seed", "1"]],
}


def strict(part: Any) -> Any:
    """A schema that takes no field that it does not describe."""
    if isinstance(part, list):
        return [strict(one) for one in part]
    if not isinstance(part, dict):
        return part
    made = {key: strict(one) for key, one in part.items()}
    return made | ({"additionalProperties": False} if "properties" in part and part.get("type") == "object" else {})


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Two runs, and one of a known number of matches."""
    from domeng_sim import run

    folder = tmp_path_factory.mktemp("runs")
    for name, seed in (("RUN", 1), ("OTHER", 2)):
        run(out=folder / name, rounds=400, seed=seed, tables="events")
    run(out=folder / "PIECE", matches=5, seed=1)
    return {name: str(folder / name) for name in ("RUN", "OTHER", "PIECE")}


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "words"),
    [(name, words) for name, several in WORDS.items() for words in several],
    ids=lambda x: str(x)[:60],
)
def test_json__is_what_the_schema_says(
    name: str,
    words: list[str],
    runs: dict[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    said = call(capsys, *[runs.get(word, word) for word in words], "--json")
    # a sequential test that accepts H0, or stays undecided, says so by its status
    assert said.status in ((0, 5, 6) if "--sprt" in words else (0,)), said.err
    jsonschema.validate(json.loads(said.out), strict(schemas.schema(name)), jsonschema.Draft202012Validator)


@pytest.mark.compiled
def test_manifest__is_what_the_schema_says(runs: dict[str, str]) -> None:
    manifest = json.loads((Path(runs["RUN"]) / "manifest.json").read_text())
    jsonschema.validate(manifest, strict(schemas.schema("run-manifest")), jsonschema.Draft202012Validator)


def test_schema__is_there_for_every_command_with_json() -> None:
    commands = {name: importlib.import_module(f"domeng_sim.cli.{name}").command for name in COMMANDS}
    with_json = {name for name, command in commands.items() if "json" in {param.name for param in command.params}}
    assert with_json | {"show-find"} == set(WORDS)
    assert set(WORDS) <= set(schemas.DOCUMENTS)


def test_schema__says_what_each_document_is() -> None:
    for name in schemas.DOCUMENTS:
        made = schemas.schema(name)
        jsonschema.Draft202012Validator.check_schema(made)
        assert all(part.get("description") for part in made["$defs"].values()), name


def test_schema__files_are_current() -> None:
    assert {path: path.read_text(encoding="utf-8") for path in schemas.FOLDER.glob("*.json")} == schemas.pages(), (
        "run `make docs`"
    )
