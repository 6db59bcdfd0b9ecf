"""A dataset's list of parts, its leftovers, and files that are written whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from pathlib import Path

import pytest

from domeng_sim.errors import BadInput, Damaged, Refused, UserError
from domeng_sim.runs import runner
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.plan import Plan, Range
from domeng_sim.runs.store import files, schema
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.runs.store.parts import OURS
from domeng_sim.runs.store.verify import verify
from domeng_sim.runs.whole_file import whole_file
from tests.command_line import contents, make_config, put_manifest


@pytest.fixture
def config() -> RunConfig:
    return make_config({"matches": 10, "seed": 1})


@pytest.fixture
def dataset(tmp_path: Path, config: RunConfig) -> Dataset:
    """Five parts of two matches each."""
    new = Dataset.create(tmp_path / "run", config, Plan(1, 2), overwrite=False)
    return runner.run(config, new.directory, resume=True).dataset


@pytest.mark.parametrize("name", ["manifest.json", "x/y.json"])
def test_whole_file__leaves_the_old_text_where_it_fails(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(UserError, match="full"), whole_file(path) as file:
            file.write(b"new")
    assert path.read_text() == "old"
    assert [file.name for file in path.parent.iterdir() if file.is_file()] == [path.name]
    old = path.stat().st_ino
    with whole_file(path) as file:
        file.write(b"new")
    assert path.read_text() == "new"
    assert path.stat().st_ino != old  # another file in its place: the old one was not written into


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.ENOSPC, "?"), "No space left on device; free some space and go on with resume=True"),
        (OSError(errno.EACCES, "?"), "Permission denied; choose a directory"),
        (OSError("Error writing: No space left on device\nmore"), "No space left on device; free some space"),
        (OSError(), "OSError"),
    ],
)
def test_disk_errors__are_one_line_for_the_user(error: OSError, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message) as caught, files.disk_errors(tmp_path):
        raise error
    assert "\n" not in str(caught.value)


def test_directory_for__removes_what_it_made_if_it_stays_empty(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with files.directory_for(tmp_path / "there" / "a" / "b"):
        assert (tmp_path / "there" / "a" / "b").is_dir()
    assert list((tmp_path / "there").iterdir()) == []
    with files.directory_for(tmp_path / "there" / "a" / "b"):
        (tmp_path / "there" / "a" / "file").write_text("mine")
    assert [path.name for path in (tmp_path / "there" / "a").iterdir()] == ["file"]
    with files.directory_for(tmp_path / "there"):
        pass
    assert (tmp_path / "there").is_dir()


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("000000000000000-000000000000199.parquet", True),
        (".writing-000000000000000-000000000000199.parquet", True),
        ("a1b2c3-000000000000-000000000199.parquet", True),
        ("notes.parquet", False),
        ("000000000000000-000000000000199.parquet.bak", False),
        ("2024-2025.parquet", False),
        (".DS_Store", False),
    ],
)
def test_names__of_part_files_are_told_from_others(name: str, ours: bool) -> None:
    assert bool(OURS.fullmatch(name)) == ours


def test_dataset__knows_its_parts(dataset: Dataset) -> None:
    assert dataset.complete
    assert list(dataset.done()) == [Range(first, first + 2) for first in range(0, 10, 2)]
    assert len(dataset.parts) == 15
    assert sum(dataset.done().values()) == dataset.manifest["totals"]["rounds"]
    assert verify(dataset) == []


def test_dataset__a_part_that_is_short_of_a_file_is_not_done(dataset: Dataset) -> None:
    (dataset.directory / "rounds" / "000000000000004-000000000000005.parquet").unlink()
    path = dataset.directory / "games" / "000000000000006-000000000000007.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    assert list(dataset.done()) == [Range(0, 2), Range(2, 4), Range(8, 10)]
    assert [wrong.text.split(":")[0] for wrong in verify(dataset)] == [
        "rounds/000000000000004-000000000000005.parquet",
        "games/000000000000006-000000000000007.parquet",
    ]


def test_sweep__removes_leftovers_and_nothing_else(dataset: Dataset) -> None:
    before = contents(dataset.directory)
    leftovers = [
        dataset.directory / ".writing" / "rounds-000000000000000-000000000000001.parquet.part",
        dataset.directory / "rounds" / "000000000000010-000000000000011.parquet",
        dataset.directory / "events" / "000000000000000-000000000000001.parquet",
        dataset.directory / ".writing-manifest.json",
    ]
    for path in leftovers:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"?")
    other = dataset.directory / "rounds" / "notes.txt"
    other.write_text("mine")
    dataset.sweep()
    other.unlink()
    assert contents(dataset.directory) == before
    assert not (dataset.directory / "events").exists()


def test_keep_only__takes_parts_off_the_list(dataset: Dataset) -> None:
    dataset.keep_only([Range(0, 2), Range(4, 6)].__contains__)
    assert list(Dataset.open(dataset.directory).done()) == [Range(0, 2), Range(4, 6)]


def test_add__saves_seldom_where_saving_takes_long_and_flush_saves_the_rest(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = dataset.parts
    dataset.keep_only(lambda matches: False)
    (dataset.directory / ".writing").mkdir()
    for part in parts:
        (dataset.directory / part.path).rename(dataset.directory / ".writing" / f"{part.table}-{part.name}.part")
    stored = Dataset.open(dataset.directory).manifest
    dataset.add(parts[6:9])
    assert len(Dataset.open(dataset.directory).parts) == 3
    dataset._save_seconds = 10.0
    dataset.add(parts[:3])
    assert len(Dataset.open(dataset.directory).parts) == 3
    dataset.flush()
    assert Dataset.open(dataset.directory).parts == [*parts[:3], *parts[6:9]]
    monkeypatch.setattr(dataset, "save", lambda: pytest.fail("there is nothing to save"))
    dataset.flush()
    assert stored["parts"] == []


def test_take_place__writes_the_new_manifest_before_it_removes_old_parts(
    dataset: Dataset, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = files.Folder.remove

    def fail(folder: files.Folder, name: str) -> None:
        if name.endswith(".parquet"):
            raise OSError(errno.EIO, "broken")
        original(folder, name)

    before = contents(dataset.directory)
    new = Dataset.create(dataset.directory, config, Plan(1, 2), overwrite=True)
    assert contents(dataset.directory) == before
    monkeypatch.setattr(files.Folder, "remove", fail)
    with pytest.raises(UserError):
        new.take_place()
    monkeypatch.undo()
    # what is there can be gone on with: parts that the new manifest does not list are swept
    assert Dataset.open(dataset.directory).parts == []
    again = runner.run(config, dataset.directory, resume=True).dataset
    assert verify(again) == []


def test_begin__that_cannot_write_leaves_the_old_run(
    dataset: Dataset, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(dataset.directory)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match="No space left"):
        runner.run(config, dataset.directory, overwrite=True)
    assert contents(dataset.directory) == before


def test_replaced__looks_and_changes_nothing(tmp_path: Path, dataset: Dataset) -> None:
    assert Dataset.replaced(tmp_path / "new" / "deep", overwrite=False) is None
    assert not (tmp_path / "new").exists()
    with pytest.raises(Refused, match="already holds"):
        Dataset.replaced(dataset.directory, overwrite=False)
    found = Dataset.replaced(dataset.directory, overwrite=True)
    assert found is not None
    assert found.manifest == dataset.manifest


def test_read__of_a_table_that_is_not_stored_says_which_are(dataset: Dataset) -> None:
    with pytest.raises(BadInput, match="no table 'events'; it holds summary, games, rounds"):
        dataset.read("events")
    path = dataset.directory / "rounds" / "000000000000004-000000000000005.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(Damaged, match="cannot be read"):
        dataset.read("rounds")


def test_verify__calls_no_file_with_a_right_checksum_damaged(dataset: Dataset) -> None:
    # as if another program had written it, and listed it as it is
    part = dataset.directory / dataset.parts[0].path
    content = json.loads((dataset.directory / "manifest.json").read_text())
    record = next(one for one in content["parts"] if one["path"] == dataset.parts[0].path)
    for data, said in ((b"PAR1 no more", "is as it was written, but cannot be read"), (b"PAR1", "damaged")):
        part.write_bytes(data)
        if said != "damaged":
            record |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
            put_manifest(dataset.directory, content)
        (wrong,) = verify(Dataset.open(dataset.directory, strict=False))
        assert said in wrong.text
        assert wrong.of_file == (said == "damaged")


@pytest.mark.parametrize("most", [1 << 28, 100])
def test_dataset__is_read_and_checked_the_same_whether_its_files_are_large_or_not(
    most: int, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = dataset.read("rounds")
    monkeypatch.setattr(schema, "_WHOLE", most)
    assert dataset.read("rounds").equals(expected)
    path = dataset.directory / next(part.path for part in dataset.parts if part.table == "rounds")
    content = bytearray(path.read_bytes())
    content[-30] ^= 1
    path.write_bytes(content)
    with pytest.raises(Damaged, match=f"{path.name} cannot be read"):
        dataset.read("rounds")
