"""Pieces of a run, played one by one and made one dataset: the same bytes, or a refusal that changes nothing."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import domeng_sim
from domeng_sim.runs import plan
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.runs.store.files import Folder
from tests.command_line import call, contents, manifest, one_line

MATCHES = 60


@pytest.fixture(scope="module", autouse=True)
def small_parts() -> object:
    """Parts of some hundred rounds."""
    with pytest.MonkeyPatch.context() as patch:
        for level in plan._PART_ROUNDS:
            patch.setitem(plan._PART_ROUNDS, level, (300, 300))
        yield


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run, its three pieces, and others."""
    folder = tmp_path_factory.mktemp("merge")
    domeng_sim.run(folder / "whole", matches=MATCHES, seed=1)
    for number in (1, 2, 3):
        domeng_sim.run(folder / f"p{number}", matches=MATCHES, seed=1, shard=(number, 3))
    domeng_sim.run(folder / "half", matches=MATCHES, seed=1, shard="2/2")
    domeng_sim.run(folder / "seed", matches=MATCHES, seed=2, shard=(2, 3))
    domeng_sim.run(folder / "rule", matches=MATCHES, seed=1, shard=(2, 3), rules={"stones": 30})
    domeng_sim.run(folder / "rounds", rounds=500, seed=1)
    domeng_sim.compare("random", "heaviest", blocks=5, out=folder / "study")
    return folder


@pytest.fixture
def pieces(played: Path, tmp_path: Path) -> Path:
    """Copies of them."""
    return Path(shutil.copytree(played, tmp_path / "pieces"))


@pytest.mark.parametrize(
    "asked",
    [
        ("--matches", 30, "--tables", "events", "--store-hands"),
        ("--rounds", 3000, "--rounds-per-match", 50, "--game", "draw", "--seats", "{own}:choose,starver"),
    ],
    ids=["domeng", "draw"],
)
def test_merge__gives_what_one_machine_gives_in_every_byte(
    asked: tuple[object, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text("def choose(view, moves):\n    return 0\n")
    words = ["run", "--quiet", "--seed", 5, *(str(word).replace("{own}", "own.py") for word in asked)]
    assert call(capsys, *words, "--out", "whole").status == 0
    for number in (4, 1, 3, 2):
        said = call(capsys, *words, "--shard", f"{number}/4", "--out", f"p{number}")
        assert f"shard   {number}/4" in said.out
        assert f"--shard {number}/4" in said.out.splitlines()[-1]
    # one of them loses a file, and goes on without being told which piece it is
    next(Path("p2/rounds").iterdir()).unlink()
    assert "missing" in call(capsys, "verify", "p2").err
    assert call(capsys, "run", "--resume", "--trust", "--out", "p2", "--quiet").status == 0
    assert "the shard 2/4 of a run is complete" in call(capsys, "verify", "p2").out
    document = call(capsys, "merge", "p1", "p2", "p3", "p4", "--out", "merged", "--json", "--quiet").json
    assert document["totals"] == manifest(Path("whole"))["totals"]
    assert (document["pieces"], document["linked"]) == (4, document["files"])
    assert contents(Path("merged")) == contents(Path("whole"))
    # also the text of the manifest, but for when and where it was made
    texts = [Path(name, "manifest.json").read_text().replace(" ", "") for name in ("merged", "whole")]
    heads, parts = zip(*(text.split('"run":{') for text in texts), strict=True)
    assert heads[0] == heads[1]
    rests = [part.partition("}")[2].partition('"digest"')[0] for part in parts]
    assert rests[0] == rests[1]
    again = call(capsys, "run", "--resume", "--trust", "--out", "merged")
    assert again.err == "merged is complete; there was nothing to play\n"


@pytest.mark.parametrize(
    ("words", "told", "status"),
    [
        (("p1", "p3"), "matches 20 to 39 are in none of the pieces", 3),
        (("p1", "half"), "matches 20 to 27 are in none", 3),
        (("p1", "p2", "p3", "half"), "p2 and {0}/half both hold matches 28 to 31", 3),
        (("p1", "p2", "p3", "whole"), "both hold matches 0 to", 3),
        (("p1", "p2", "p3", "p2"), "p2 is given twice", 2),
        (("p1", "p2", "{0}/x/../p2"), "p2 is given twice", 2),
        (("p1", "seed", "p3"), "pieces of different runs: seed was 1, now 2", 3),
        (("p1", "rule", "p3"), "pieces of different runs: rules stones was 25, now 30", 3),
        (("p1", "rounds"), "only the play tells how many matches", 2),
        (("p1", "study"), "holds a comparison; only pieces of runs", 2),
        (("p1", "none"), "none does not exist", 2),
        (("p1", "empty"), "is not a dataset of domeng-sim", 2),
        (("p1", "p2", "p3", "--out", "p3"), "p3 is one of the pieces; name another directory with --out", 3),
        (("p1", "p2", "p3", "--out", "whole"), "already holds a dataset; replace it by --overwrite", 3),
        (("p1", "p2", "p3", "--out", "other"), "is not empty and is no dataset", 3),
        (("p1", "p2", "p3", "--threads", "0"), "--threads takes a whole number from 1 to 1024", 2),
        ((), "Missing argument", 2),
    ],
)
def test_merge__of_what_is_no_whole_run_is_one_line_and_changes_nothing(
    words: tuple[str, ...], told: str, status: int, pieces: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("empty", "other", "x"):
        (pieces / name).mkdir()
    (pieces / "other" / "notes.txt").write_text("mine")
    before = contents(pieces)
    options = ("--threads", "0", "--out")
    named = [word if word in options or "/" in word else str(pieces / word) for word in words]
    out = [] if "--out" in words else ["--out", pieces / "new"]
    said = call(capsys, "merge", *(word.format(pieces) for word in named), *out, "--move", "--quiet")
    assert told.format(pieces) in one_line(said)
    assert said.status == status
    assert contents(pieces) == before
    assert not (pieces / "new").exists()


def shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def spoil(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[40] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (Path.unlink, "is not there; remove it and run `domeng-sim run --resume --out"),
        (shorten, "has another size than its manifest says"),
        (spoil, "is damaged (checksum differs)"),
    ],
)
def test_merge__of_damaged_pieces_names_the_file(
    harm: Callable[[Path], None], told: str, pieces: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    harm(sorted((pieces / "p2" / "rounds").iterdir())[1])
    before = contents(pieces)
    said = call(capsys, "merge", *(pieces / f"p{n}" for n in (1, 2, 3)), "--out", pieces / "new", "--quiet")
    line = one_line(said)
    assert told in line
    assert f"{pieces}/p2/rounds/" in line
    assert said.status == 4
    assert contents(pieces) == before


def test_merge__of_a_piece_that_is_not_finished_says_how_to_go_on(
    pieces: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    piece = Dataset.open(pieces / "p2")
    last = max(part.first_match for part in piece.parts)
    piece.keep_only(lambda matches: matches.first < last)
    said = call(capsys, "merge", *(pieces / f"p{n}" for n in (1, 2, 3)), "--out", pieces / "new", "--quiet")
    assert f"are in none of the pieces; go on with `domeng-sim run --resume --out {pieces}/p2`" in one_line(said)
    assert "shard 2/3 of a run is not finished; go on with" in call(capsys, "verify", pieces / "p2").out
    report = call(capsys, "report", pieces / "p1", "--tables", "summary").out
    assert "shard 1/3 of a run: figures are of its 20 matches" in report


@pytest.mark.parametrize("how", ["links", "copies"])
def test_merge__may_move_and_replaces_only_when_asked(
    how: str, pieces: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = contents(pieces / "whole")
    if how == "copies":

        def other_disk(*_: object, **__: object) -> None:
            raise OSError(errno.EXDEV, "another disk")

        monkeypatch.setattr(os, "link", other_disk)
    (pieces / "p2" / "notes.txt").write_text("mine")
    given = [pieces / f"p{number}" for number in (3, 1, 2)]
    said = call(capsys, "merge", *given, "--out", pieces / "rule", "--overwrite", "--move", "--quiet")
    assert (said.status, said.err) == (0, "")
    assert ("no copies" in said.out) == (how == "links")
    assert said.out.endswith("; the pieces are removed\n")
    assert contents(pieces / "rule") == expected
    assert not given[0].exists()
    assert [path.name for path in given[2].iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("old", [False, True])
def test_merge__that_fails_on_the_way_leaves_everything_as_it_was(
    old: bool, pieces: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, calls, original = contents(pieces), [0], Folder.link

    def full(*arguments: object) -> bool:
        calls[0] += 1
        if calls[0] == 7:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Folder, "link", full)
    given = [pieces / f"p{number}" for number in (1, 2, 3)]
    where = pieces / ("rule" if old else "new")
    said = call(capsys, "merge", *given, "--out", where, "--overwrite", "--move", "--quiet")
    assert "No space left on device" in one_line(said)
    assert contents(pieces) == before
    assert where.exists() == old


@pytest.mark.parametrize(
    ("words", "told", "status"),
    [
        (("--rounds", "1e6"), "only the play tells how many matches make so many rounds", 2),
        ((), "only the play tells", 2),
        (("--until", "ceki=1%"), "--shard and --until do not go together", 2),
        (("--matches", "60", "--shard", "1/7000"), "this run has 15 parts, so at most so many pieces", 2),
        *(
            (("--matches", "60", "--shard", text), "--shard takes a piece and how many there are", 2)
            for text in ("0/3", "4/3", "1", "1/", "/", "1/2/3", "a/b", "-1/3", "1.5/3", "1/9999999")
        ),
        (("--matches", "60", "--shard", "2/3", "--out", "{}/p1", "--resume"), "the shard was 1/3, now 2/3", 3),
        (("--matches", "60", "--out", "{}/whole", "--resume"), "the shard was none, now 1/3", 3),
        (("--matches", "60", "--out", "{}/p1"), "already holds a dataset", 3),
    ],
)
def test_run__of_a_piece_that_cannot_be_is_one_line(
    words: tuple[str, ...], told: str, status: int, played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(played)
    first = [] if "--shard" in words else ["--shard", "1/3"]
    out = [] if "--out" in words else ["--out", tmp_path / "new"]
    said = call(capsys, "run", "--seed", 1, "--quiet", *first, *(word.format(played) for word in words), *out)
    assert told in one_line(said)
    assert said.status == status
    assert contents(played) == before
    assert not (tmp_path / "new").exists()


def test_run__of_a_piece_needs_a_seed(capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, "run", "--matches", 60, "--shard", "1/3")
    assert "--shard 1/3 goes with --seed only: all pieces of a run have the same" in one_line(said)
    assert said.status == 2
