"""The tables that a run writes: their columns, and that their rows depend on nothing that should not matter."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from domeng_sim.core.codes import End, Ended, Event, Outcome, labels
from domeng_sim.runs import plan, runner
from domeng_sim.runs.engine import simulate, task_of
from domeng_sim.runs.part_player import players
from domeng_sim.runs.plan import Range
from domeng_sim.runs.progress import Silent
from domeng_sim.runs.store.dataset import Dataset
from tests.command_line import call, contents, environment, make_config, manifest, parts, process

pytestmark = pytest.mark.compiled


def by_seat(name: str, kind: str) -> dict[str, str]:
    return {f"{name}_{seat}": kind for seat in range(5)}


LABEL = "dictionary<values=string, indices=int8, ordered=0>"
KEYS = {"match": "int64", "game": "int32", "round": "int32"}
# written out here once more, as readers of the files know them
TABLES: dict[str, dict[str, str]] = {
    "games": {
        "match": "int64", "game": "int32", "rounds": "int64", "incumbent": "int8", "camat": "int8",
        **by_seat("stones", "int16"), "ceki": "int64", "pollo": "int64", "manguno": "int64", "mattikkeng": "int64",
        "ended": LABEL,
    },
    "rounds": {
        **KEYS, "starter": "int8", "outcome": LABEL, "winner": "int8", "last_mappano": "int8", "cucuq": "int8",
        "mattikkeng_seats": "int16", "plays": "int16", **by_seat("passes", "int16"), **by_seat("passebunge", "int16"),
        **by_seat("pips", "int16"), **by_seat("stones", "int16"), "table_stones": "int16", "camat": "int8",
    },
    "events": {
        **KEYS, "step": "int32", "event": LABEL, "seat": "int8", "tile": "int8", "side": LABEL, "left_end": "int8",
        "right_end": "int8", "stones": "int16", "from_table": "int16", **by_seat("given", "int16"),
    },
}  # fmt: skip
DICTIONARIES = {"outcome": labels(Outcome), "event": labels(Event), "side": labels(End), "ended": labels(Ended)}
SMALL = {"matches": 30, "seed": 11}


def play(directory: Path, threads: int = 1, size: int = 300, **options: Any) -> Path:
    """A run with parts of about so many rounds."""
    before = dict(plan._PART_ROUNDS)
    plan._PART_ROUNDS.update(dict.fromkeys(plan._PART_ROUNDS, (size, size)))
    try:
        runner.run(make_config(options), directory, threads=threads)
    finally:
        plan._PART_ROUNDS.update(before)
    return directory


@pytest.fixture(scope="module", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """Nothing here depends on what a crash of the whole machine would leave."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with all tables."""
    return play(tmp_path_factory.mktemp("run") / "run", **SMALL, tables="events", store_hands=True)


@pytest.mark.parametrize("table", TABLES)
def test_tables__have_the_columns_of_the_contract(table: str, run: Path) -> None:
    for path in (run / table).iterdir():
        schema = pq.read_schema(path)
        expected = TABLES[table] | (by_seat("hand", "int32") if table == "rounds" else {})
        assert {field.name: str(field.type) for field in schema} == expected
        assert list(schema.names) == list(expected)
        for field in schema:
            assert field.nullable == (field.name == "side"), field.name
            assert field.metadata[b"meaning"], field.name
            assert field.metadata.get(b"unit") or pa.types.is_dictionary(field.type), field.name
        rows = pq.read_table(path)
        for name, expected_labels in DICTIONARIES.items():
            if name in schema.names:
                dictionary = rows[name].chunk(0).dictionary.to_pylist()
                assert set(dictionary) <= set(expected_labels)
        assert not any(
            column.null_count for name, column in zip(rows.column_names, rows.columns, strict=True) if name != "side"
        )


def test_tables__hands_are_there_only_if_asked_for(tmp_path: Path) -> None:
    directory = play(tmp_path / "run", matches=1, seed=1, tables="rounds")
    assert pq.read_schema(next((directory / "rounds").iterdir())).names == list(TABLES["rounds"])
    assert sorted(path.name for path in directory.iterdir()) == ["games", "manifest.json", "rounds", "summary"]


def test_tables__have_their_provenance_in_the_schema_equal_in_all_parts(run: Path) -> None:
    content = manifest(run)
    texts = {pq.read_schema(path).metadata[b"domeng_sim"] for path in run.rglob("*.parquet")}
    assert len(texts) == 1
    about = json.loads(texts.pop())
    for key in (
        "identity",
        "command",
        "software",
        "game",
        "rules",
        "seats",
        "seed",
        "games_per_match",
        "tables",
        "hands",
    ):
        assert about[key] == content[key], key
    assert about["seed"] == "11"
    assert not {"run", "parts", "status", "totals"} & set(about)
    for path in run.rglob("*.parquet"):
        attrs = json.loads(pq.read_schema(path).metadata[b"PANDAS_ATTRS"])
        assert attrs == {"domeng_sim": about}
    assert pd.read_parquet(run / "rounds").attrs["domeng_sim"] == about


def test_manifest__holds_what_the_contract_asks(run: Path) -> None:
    content = manifest(run)
    assert content["game"] == "domeng"
    assert content["rules"]["stones"] == 25
    assert len(content["rules"]) == 15
    assert [seat["text"] for seat in content["seats"]] == ["random"] * 5
    assert all(len(seat["content_hash"]) == 64 for seat in content["seats"])
    assert (content["seed"], content["matches"], content["games_per_match"]) == ("11", 30, 10)
    assert content["status"] == "complete"
    assert set(content["software"]) >= {"domeng_sim", "python", "numpy", "numba", "pyarrow"}
    assert content["totals"]["games"] == 300
    for table in ("summary", *TABLES):
        listed = [part for part in content["parts"] if part["table"] == table]
        assert [part["first_match"] for part in listed][1:] == [part["last_match"] + 1 for part in listed][:-1]
        assert (listed[0]["first_match"], listed[-1]["last_match"]) == (0, 29)
        for part in listed:
            assert part["path"] == f"{table}/{part['first_match']:015d}-{part['last_match']:015d}.parquet"
            assert part["rows"] == pq.read_metadata(run / part["path"]).num_rows
            assert len(part["sha256"]) == 64
            if table == "rounds":
                assert part["rows"] == part["rounds"]
    assert {part["path"] for part in content["parts"]} == {
        path.relative_to(run).as_posix() for path in run.rglob("*.parquet")
    }


def test_tables__are_read_by_pandas_in_key_order_with_labels(run: Path) -> None:
    content = manifest(run)
    rounds, games, events = (pd.read_parquet(run / name) for name in ("rounds", "games", "events"))
    assert len(rounds) == content["totals"]["rounds"]
    assert (rounds.outcome == "cappu").sum() > len(rounds) / 2
    assert events.side.isna().any()
    for table, keys in ((rounds, ["match", "game", "round"]), (games, ["match", "game"]), (events, [*KEYS, "step"])):
        index = pd.MultiIndex.from_frame(table[keys])
        assert index.is_monotonic_increasing
        assert index.is_unique
        # without gaps: the last key is a running number
        running = table.groupby(keys[:-1]).cumcount()
        assert (table[keys[-1]] == running).all()
    assert sorted(rounds.match.unique()) == list(range(30))
    assert len(events) > 40 * len(rounds)


def rows(directory: Path, table: str) -> pd.DataFrame:
    return pd.read_parquet(directory / table)


def test_rows__do_not_depend_on_threads_or_interruptions(tmp_path: Path, run: Path) -> None:
    expected = parts(run)
    for threads in (2, 3, 7):
        other = play(tmp_path / f"threads{threads}", threads, **SMALL, tables="events", store_hands=True)
        assert contents(other) == contents(run)
    assert len(expected) > 20


def test_rows__do_not_depend_on_sizes_of_parts(tmp_path: Path, run: Path) -> None:
    for size in (100, 1000, 100_000):
        other = play(tmp_path / f"size{size}", 2, size, **SMALL, tables="events", store_hands=True)
        for table in TABLES:
            pd.testing.assert_frame_equal(rows(other, table), rows(run, table))
        np.testing.assert_array_equal(Dataset.open(other).counts().sum(axis=0), Dataset.open(run).counts().sum(axis=0))


def test_rows__do_not_depend_on_what_other_tables_are_written(tmp_path: Path, run: Path) -> None:
    counts = Dataset.open(run).counts()
    for number, level in enumerate(("summary", "games", "rounds")):
        other = play(tmp_path / level, **SMALL, tables=level)
        for table in list(TABLES)[:number]:
            expected = rows(run, table)
            pd.testing.assert_frame_equal(rows(other, table), expected[list(TABLES[table])])
        np.testing.assert_array_equal(Dataset.open(other).counts(), counts)
        assert manifest(other)["totals"] == manifest(run)["totals"]


def test_rows__of_a_longer_run_begin_with_those_of_a_shorter_one(tmp_path: Path, run: Path) -> None:
    other = play(tmp_path / "short", matches=17, seed=11, tables="events", store_hands=True)
    for table in TABLES:
        expected = rows(run, table)
        pd.testing.assert_frame_equal(rows(other, table), expected[expected.match < 17].reset_index(drop=True))


def test_seed__0_is_a_seed_like_any_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "other"):
        call(capsys, "run", "--matches", 2, "--seed", 0, "--out", tmp_path / name)
    assert contents(tmp_path / "one") == contents(tmp_path / "other")
    assert manifest(tmp_path / "one")["seed"] == "0"
    assert (
        json.loads(pq.read_schema(next((tmp_path / "one" / "rounds").iterdir())).metadata[b"domeng_sim"])["seed"] == "0"
    )
    call(capsys, "run", "--matches", 2, "--out", tmp_path / "drawn")
    call(capsys, "run", "--matches", 2, "--out", tmp_path / "drawn again")
    assert manifest(tmp_path / "drawn")["seed"] != manifest(tmp_path / "drawn again")["seed"]
    largest = call(capsys, "run", "--matches", 2, "--seed", 2**64 - 1, "--out", tmp_path / "largest", "--json")
    assert largest.json["seed"] == "18446744073709551615"


# without awards no game ends before it is truncated
AMOUNTS = ("pass", "passebunge", "cappu", "ceki", "pollo", "manguno", "mattikkeng", "mattikkeng_shared")
LONG_GAMES = {"rules": {**{f"{name}_stones": 0 for name in AMOUNTS}, "max_rounds": 300}}


def rounds_by_match(options: Mapping[str, Any], matches: int) -> np.ndarray:
    config = make_config({**options, "matches": matches})
    ready = players(config, Silent())
    counts = simulate(ready.kernel, task_of(config, ready.seats, Range(0, matches), 1, "summary"))
    return config.spec.rounds_of(counts)


@pytest.mark.parametrize(
    "options",
    [{}, {"games_per_match": 1}, {"rounds_per_match": 7}, LONG_GAMES | {"games_per_match": 2}, {"strategy": "banker"}],
    ids=["ten games", "one game", "seven rounds", "long games", "weighted"],
)
def test_rounds__are_reached_by_the_smallest_number_of_matches(options: dict[str, Any], tmp_path: Path) -> None:
    options = {**options, "seed": 3, "tables": "games"}
    reached = np.cumsum(rounds_by_match(options, 60))
    targets = {1, int(reached[0]) - 1, int(reached[0]), int(reached[0]) + 1, int(reached[9]), int(reached[9]) + 1}
    targets |= {int(reached[40]), int(reached[40]) + 1, int(reached[55]) - 1}
    for number, target in enumerate(sorted(target for target in targets if target)):
        directory = play(tmp_path / str(target), 1 + number % 3, **options, rounds=target)
        expected = 1 + int(np.searchsorted(reached, target))
        content = manifest(directory)
        assert content["matches"] == expected, target
        assert content["totals"]["rounds"] == reached[expected - 1] >= target
        # parts that turned out to lie beyond the end are gone
        assert set(parts(directory)) == {part["path"] for part in content["parts"]}
        assert sum(part["rows"] for part in content["parts"] if part["table"] == "games") == content["totals"]["games"]


@pytest.mark.parametrize("kept", [0, 1, 3, 6])
def test_rounds__search_goes_on_where_it_was_stopped(
    kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"rounds": 2500, "seed": 3, "tables": "games"}
    whole = play(tmp_path / "whole", **options)
    added: list[int] = []
    original = Dataset.add

    def add(dataset: Dataset, *finished: Any) -> None:
        if len(added) == kept:
            raise KeyboardInterrupt
        added.append(1)
        original(dataset, *finished)

    with monkeypatch.context() as patch:
        patch.setattr(Dataset, "add", add)
        with pytest.raises(KeyboardInterrupt):
            play(tmp_path / "run", 2, **options)
    assert manifest(tmp_path / "run")["status"] != "complete"
    runner.run(make_config(options), tmp_path / "run", threads=3, resume=True)
    assert contents(tmp_path / "run") == contents(whole)


def test_rounds__plays_little_more_than_it_keeps_even_where_games_are_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[int] = []
    original = runner._Counter.add
    monkeypatch.setattr(runner._Counter, "add", lambda counter, n: (played.append(n), original(counter, n))[1])
    play(tmp_path / "run", 2, 4000, **LONG_GAMES, seed=1, rounds=100_000, tables="summary")
    kept = manifest(tmp_path / "run")["totals"]["rounds"]
    assert kept >= 100_000
    # each thread begins a part, of 150,000 rounds here, before anything is known of the length of the games
    assert sum(played) < kept + 2 * 155_000


@pytest.mark.parametrize(
    "words", [("--game", "domeng", "--seats", "master,heaviest,banker,random,random"), ("--game", "draw")]
)
def test_rows__are_the_same_without_the_instruction_pdep(capsys, tmp_path, words):
    asked = [
        "run",
        *words,
        "--tables",
        "rounds",
        "--store-hands",
        "--matches",
        20,
        "--rounds-per-match",
        40,
        "--seed",
        5,
        "--out",
    ]
    assert call(capsys, *asked, tmp_path / "here").status == 0
    said = process(*asked, tmp_path / "there", cwd=tmp_path, env=environment(DOMENG_SIM_NO_BMI2="1"))
    assert said.status == 0, said.err
    assert contents(tmp_path / "here") == contents(tmp_path / "there")
