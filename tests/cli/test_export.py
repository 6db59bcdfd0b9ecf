"""Rows for other programs: the same values in every form, flat memory, and one line for what cannot be."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import domeng_sim
from domeng_sim.errors import Damaged
from domeng_sim.runs.store import export
from domeng_sim.runs.store.dataset import Dataset
from tests.command_line import call, command, environment, one_line
from tests.effort import effort

MATCHES, GAMES = 10, effort(260, 5)
"""Of so many games the tables have two parts."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of several parts."""
    directory = tmp_path_factory.mktemp("export") / "run"
    domeng_sim.run(directory, matches=MATCHES, games_per_match=GAMES, seed=1, tables="events", store_hands=True)
    assert len({part.first_match for part in Dataset.open(directory).parts}) == 2 or GAMES < 100
    return directory


@pytest.fixture(scope="module")
def draw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("export") / "draw"
    domeng_sim.run(directory, matches=20, game="draw", seed=1, tables="events")
    return directory


def read(path: Path) -> pd.DataFrame:
    """A file as other programs read it."""
    if path.suffix == ".csv":
        return pd.read_csv(path)
    if path.suffix == ".jsonl":
        return pd.DataFrame([json.loads(line) for line in path.read_text().splitlines()])
    with pa.ipc.open_stream(path.read_bytes()) as stream:
        return stream.read_all().to_pandas()


def plain(frame: pd.DataFrame) -> list[list[object]]:
    """Values without their types; what is missing is None."""
    wide = frame.astype(object)
    return wide.where(wide.notna(), None).to_numpy().tolist()


@pytest.mark.compiled
@pytest.mark.parametrize("table", ["summary", "games", "rounds", "events"])
@pytest.mark.parametrize("form", ["csv", "jsonl", "arrow"])
def test_export__gives_the_values_of_the_dataset(run, draw, tmp_path, table, form):
    for source in (run, draw):
        stored = pd.read_parquet(source / table)
        wanted = {}
        if table == "events":
            wanted, stored = {"match": (7, 7)}, stored[stored.match == 7]
        path = domeng_sim.export(source, tmp_path / f"{source.name}.{form}", table=table, format=form, **wanted)
        found = read(path)
        assert list(found.columns) == list(stored.columns)
        assert plain(found) == plain(stored)
        if form == "arrow":
            assert found.dtypes.astype(str).tolist() == stored.dtypes.astype(str).tolist()


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("match", "low", "high"),
    [("3..5", 3, 5), ("3", 3, 3), ("..1", 0, 1), ("8..", 8, 10**9), ("900..", 900, 999), ("0..0", 0, 0)],
)
def test_export__of_some_matches_and_columns_in_their_order(run, capsys, match, low, high):
    said = call(capsys, "export", run, "--columns", "winner,match,outcome", "--match", match, "--quiet")
    assert said.status == 0 and said.err == ""
    stored = pd.read_parquet(run / "rounds")
    rows = stored[(stored.match >= low) & (stored.match <= high)][["winner", "match", "outcome"]]
    assert said.out == rows.to_csv(index=False, lineterminator="\n")
    # the column by which rows are chosen need not be among them
    said = call(capsys, "export", run, "--columns", "outcome", "--match", match, "--quiet")
    assert said.out == rows[["outcome"]].to_csv(index=False, lineterminator="\n")


@pytest.mark.compiled
def test_export__of_a_study_gives_its_blocks(tmp_path, capsys):
    texts = "random+pips=1", "random"
    domeng_sim.compare(*texts, blocks=20, games_per_match=1, out=tmp_path / "kept")
    said = call(capsys, "export", tmp_path / "kept", "--table", "blocks", "--match", "4..5", "--format", "jsonl")
    rows = [json.loads(line) for line in said.out.splitlines()]
    assert {row["block"] for row in rows} == {4, 5} and {row["strategy"] for row in rows} == set(texts)
    assert len({row["lineup"] for row in rows}) == 2
    assert "holds no table" in one_line(call(capsys, "export", tmp_path / "kept"))


@pytest.mark.compiled
def test_export__reads_a_part_when_it_comes_to_it(run, tmp_path):
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", run, copy], check=True)
    parts = sorted((copy / "rounds").iterdir())
    if len(parts) < 2:
        pytest.skip("a single part without the compiler")
    parts[-1].write_bytes(b"PAR1")
    pieces = export.encoded(export.Selection(Dataset.open(copy), "rounds"), "csv")
    assert next(pieces).startswith(b"match,game,round")
    assert next(pieces).startswith(b"0,0,0,")
    with pytest.raises(Damaged, match="cannot be read"):
        list(pieces)
    with pytest.raises(Damaged):
        domeng_sim.export(copy, tmp_path / "half.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy"]


@pytest.mark.compiled
def test_export__to_a_reader_that_leaves_says_nothing(run, tmp_path):
    line = " ".join(command("export", run, "--table", "events"))
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{line} | head -n 2"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 2)


@pytest.mark.compiled
def test_export__replaces_a_file_only_if_it_is_told_to(run, tmp_path, capsys):
    path = tmp_path / "mine.csv"
    path.write_text("mine")
    words = "export", run, "--table", "games", "-o", path
    assert "exists already; replace it by --overwrite" in one_line(call(capsys, *words))
    assert path.read_text() == "mine"
    said = call(capsys, *words, "--overwrite")
    assert said.status == 0 and said.out.startswith(str(path)) and path.read_text().startswith("match,game,")


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["--table", "round"], 2, "--table takes"),
        (["--table", "blocks"], 2, "holds no table 'blocks', but summary, games, rounds, events"),
        (["--columns", "winer"], 2, "no column 'winer'; did you mean winner?"),
        (["--columns", "match,,winner"], 2, "--columns takes"),
        (["--columns", ""], 2, "--columns takes"),
        (["--match", "5..3"], 2, "--match takes"),
        (["--match", "-1"], 2, "--match takes"),
        (["--match", "all"], 2, "--match takes"),
        (["--match", "1..2..3"], 2, "--match takes"),
        (["--match", "1.5"], 2, "--match takes"),
        (["--table", "summary", "--match", "3"], 2, "many matches"),
        (["--format", "xlsx"], 2, "--format takes"),
        (["--overwrite"], 2, "--overwrite goes with --out only"),
        (["-o", ""], 2, "--out takes"),
        (["-o", "nowhere/file.csv"], 2, "nowhere is no directory"),
        (["-o", "."], 3, "is a directory"),
        (["other"], 2, "unexpected extra argument"),
    ],
)
def test_export__refuses_in_one_line(run, tmp_path, monkeypatch, capsys, words, status, says):
    monkeypatch.chdir(tmp_path)
    said = call(capsys, "export", run, *words)
    assert says in one_line(said)
    assert said.status == status and list(tmp_path.iterdir()) == []


def test_export__needs_a_dataset(tmp_path, capsys):
    for words in (["export"], ["export", tmp_path], ["export", tmp_path / "nowhere"]):
        said = call(capsys, *words)
        one_line(said)
        assert said.status == 2
