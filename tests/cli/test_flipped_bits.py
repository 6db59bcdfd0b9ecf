"""A bit that flips on the disk is noticed by whatever reads the file, or changes nothing that is said."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import domeng_sim
from domeng_sim.cli import main
from domeng_sim.errors import Damaged
from domeng_sim.games import GAMES
from domeng_sim.runs import plan
from domeng_sim.strategies.resolve import presets
from tests.command_line import Said, call, contents

pytestmark = pytest.mark.compiled
FLIPS = 8
"""Bits that flip in each kind of file, one at a time."""
EVERY = ("load", "verify", "run --resume")
READERS = {
    "summary": EVERY,
    "games": EVERY,
    "rounds": (*EVERY, "show --find"),
    "events": (*EVERY, "show", "odds"),
}
"""By kind of file, who reads all of it and so must notice every bit; a report, if it says that it read the table."""
MANIFEST = "manifest.json"
"""Which all read by the same function; `tests/unit/test_manifest.py` flips many of its bits."""


def study_words(game: str) -> list[str]:
    return ["compare", *list(presets(GAMES[game]))[:2], "--game", game, "--blocks", "40", "--seed", "1", "--quiet"]


@pytest.fixture(scope="module", params=GAMES)
def game(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def whole(game: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with all tables, in several parts, and a study."""
    directory = tmp_path_factory.mktemp(game)
    with pytest.MonkeyPatch.context() as patch:
        for level in plan._PART_ROUNDS:
            patch.setitem(plan._PART_ROUNDS, level, (100, 100))
        options: dict[str, Any] = {
            "matches": 8,
            "games_per_match": 3,
            "seed": 5,
            "tables": "events",
            "store_hands": True,
        }
        domeng_sim.run(directory / "run", game=game, **options)
    assert main([*study_words(game), "--out", str(directory / "study")]) == 0
    return directory


@pytest.fixture
def copy(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes the current folder a fresh copy of the two."""
    monkeypatch.chdir(tmp_path)
    # nothing here depends on what a crash of the whole machine would leave
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)

    def fresh() -> None:
        for name in ("run", "study"):
            shutil.rmtree(name, ignore_errors=True)
            shutil.copytree(whole / name, name)

    return fresh


def loaded() -> Said:
    """What the library finds, in the form of a command."""
    try:
        tables = domeng_sim.load("run")
        text = [tables.table(name).to_csv() for name in ("games", "rounds", "events")]
        return Said(0, "".join(text) + json.dumps(tables.figures.to_json()), "")
    except Damaged as error:
        return Said(error.status, "", f"{error}\n")


def readers_of_runs(game: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Callable[[], Said]]:
    """All that reads a run, by name."""
    here, find = ["--match", "0", "--game-number", "1", "--round", "0"], {"domeng": "pollo"}.get(game, "blocked")
    lead = "25" if game == "domeng" else "14"  # the first step after the deal
    odds = ["odds", "--from", "run", *here, "--step", lead, "--samples", "20", "--seed", "1", "--json", "--quiet"]
    commands = {
        "report": ["report", "run", "--json"],
        "show": ["show", "run", *here, "--json"],
        "show --find": ["show", "run", "--find", find, "--json"],
        "odds": odds,
        "verify": ["verify", "run"],
        "run --resume": ["run", "--resume", "--out", "run", "--json", "--quiet"],
    }
    called = {name: lambda words=words: call(capsys, *words) for name, words in commands.items()}
    return {"load": loaded, **called}


def timeless(said: Said) -> Said:
    """What was said, but for the time it took."""
    try:
        document = json.loads(said.out)
    except ValueError:
        return said
    for key in ("seconds", "rounds_per_second", "rounds_played"):
        document.pop(key, None)
    return Said(said.status, json.dumps(document, indent=1), said.err)


def bits_of(path: Path) -> list[int]:
    """Bits of a file, every other one in its last twentieth: there a Parquet file says what is in it."""
    source, size, flips = random.Random(path.name), 8 * path.stat().st_size, 1 if path.name == MANIFEST else FLIPS
    return [source.randrange(size - size // 20 if k % 2 else 0, size) for k in range(flips)]


def check(
    readers: dict[str, Callable[[], Said]], file: Path, copy: Callable[[], None], must_notice: tuple[str, ...]
) -> None:
    """Flip bits of a file, one at a time, and look at what the readers say then."""
    copy()
    expected = {name: timeless(read()) for name, read in readers.items()}
    assert all(said.status == 0 for said in expected.values()), expected
    before = contents(Path(file.parts[0]))
    if "report" in expected and file.parts[1] in json.loads(expected["report"].out)["runs"][0]["tables_read"]:
        must_notice += ("report",)
    for bit in bits_of(file):
        copy()
        data = bytearray(file.read_bytes())
        data[bit // 8] ^= 1 << bit % 8
        file.write_bytes(data)
        for name, read in readers.items():
            said = timeless(read())
            where = f"{name}, bit {bit} of {file}"
            if said.status == 0:
                assert said.out.splitlines() == expected[name].out.splitlines(), where
                assert name not in must_notice, where
            else:
                assert said.status == 4, (where, said)
                assert len(said.err.splitlines()) == 1 or name == "verify", (where, said)
        assert file.read_bytes() == data or contents(Path(file.parts[0])) == before, bit


@pytest.mark.parametrize("kind", READERS)
def test_run__a_flipped_bit_of_a_table_is_noticed_by_all_that_read_it(
    kind: str, game: str, whole: Path, copy: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    file = min((whole / "run" / kind).iterdir())
    check(readers_of_runs(game, capsys), file.relative_to(whole), copy, READERS[kind])


def test_run__a_flipped_bit_of_its_manifest_is_noticed_by_all(
    game: str, whole: Path, copy: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    readers = readers_of_runs(game, capsys)
    check(readers, (whole / "run" / MANIFEST).relative_to(whole), copy, tuple(readers))


def test_study__a_flipped_bit_of_its_blocks_or_manifest_is_noticed(
    game: str, whole: Path, copy: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    commands = {
        "verify": ["verify", "study"],
        "compare --resume": [*study_words(game), "--resume", "--out", "study", "--json"],
    }
    readers = {name: lambda words=words: call(capsys, *words) for name, words in commands.items()}
    for file in (min((whole / "study" / "blocks").iterdir()), whole / "study" / MANIFEST):
        check(readers, file.relative_to(whole), copy, tuple(commands))
