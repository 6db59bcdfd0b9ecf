"""Directories made by somebody else: nothing outside them is touched, and code in them runs only if it is trusted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from domeng_sim.runs import plan
from domeng_sim.runs.store.manifest import run_identity
from domeng_sim.strategies import user
from tests.command_line import call, contents, manifest, one_line, put_manifest

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("small_parts")]
RUN = ("run", "--matches", "10", "--seed", "5", "--quiet")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Parts of some hundred rounds, and an empty current folder."""
    for level in plan._PART_ROUNDS:
        monkeypatch.setitem(plan._PART_ROUNDS, level, (300, 300))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A complete run."""
    assert call(capsys, *RUN, "--out", "run").status == 0
    return tmp_path / "run"


# --- Links ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def thesis(tmp_path: Path) -> Path:
    """Somebody's file, outside all datasets."""
    path = tmp_path / "mine" / "thesis.txt"
    path.parent.mkdir()
    path.write_text("my thesis")
    return path


def link(path: Path, target: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(target)


def hard_link(path: Path, target: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.hardlink_to(target)


@pytest.mark.parametrize("make", [link, hard_link])
@pytest.mark.parametrize("name", [".lock", ".writing-manifest.json"])
def test_run__into_a_directory_with_a_planted_link_leaves_what_it_leads_to(
    name: str, make: Callable[[Path, Path], None], thesis: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make(tmp_path / "E" / name, thesis)
    said = call(capsys, *RUN, "--out", "E")
    if name == ".lock":
        assert said.status == 3
        assert "E/.lock is a link" in one_line(said) or "E/.lock is no lock" in one_line(said)
    else:
        assert said.status == 0
    assert thesis.read_text() == "my thesis"
    assert thesis.parent.joinpath("thesis.txt").stat().st_nlink <= 2


def test_lock__that_is_a_file_of_somebody_else_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "E").mkdir()
    (tmp_path / "E" / ".lock").write_text("mine")
    assert "is no lock of domeng-sim" in one_line(call(capsys, *RUN, "--out", "E"))
    assert (tmp_path / "E" / ".lock").read_text() == "mine"
    # what a killed run has left is none
    (tmp_path / "E" / ".lock").write_text("12345\n")
    assert call(capsys, *RUN, "--out", "E").status == 0


LINKED: dict[str, Callable[[Path, Path], None]] = {
    "a table's folder": lambda run, mine: (shutil.rmtree(run / "rounds"), link(run / "rounds", mine))[-1],
    "a folder of a table that is not stored": lambda run, mine: link(run / "events", mine),
    "the folder of what is written": lambda run, mine: link(run / ".writing", mine),
    "the manifest": lambda run, mine: (
        shutil.move(run / "manifest.json", mine),
        link(run / "manifest.json", mine / "manifest.json"),
    )[-1],
}


@pytest.mark.parametrize("case", LINKED)
def test_run__below_whose_directory_something_is_a_link_is_refused_and_nothing_is_removed(
    case: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    # names as parts have them: they would be removed, or moved upon
    for name in ("000000000000000-000000000000003.parquet", "rounds-000000000000000-000000000000003.parquet.part"):
        (mine / name).write_text("mine")
    LINKED[case](run, mine)
    before = contents(mine)
    for words in ([*RUN, "--overwrite"], ["run", "--matches", "3", "--seed", "1", "--overwrite", "-q"]):
        said = call(capsys, *words, "--out", "run")
        assert said.status == 3, said
        assert "is a link; none is followed inside a dataset" in one_line(said)
        assert contents(mine) == before
    if case != "the manifest":
        shutil.rmtree(run / "games")
    assert "is a link" in one_line(call(capsys, "run", "--resume", "--out", "run", "-q"))
    assert contents(mine) == before


def test_part__that_is_a_link_is_no_part(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(run)
    part = min((run / "rounds").iterdir())
    part.rename(tmp_path / "elsewhere.parquet")
    part.symlink_to(tmp_path / "elsewhere.parquet")
    kept = (tmp_path / "elsewhere.parquet").read_bytes()
    said = call(capsys, "verify", "run")
    assert said.status == 4 and "missing (a folder, a link or the like stands in its place)" in one_line(said)
    said = call(capsys, "report", "run", "--tables", "rounds", "-q")
    assert "is a link" in one_line(said)
    assert call(capsys, "run", "--resume", "--out", "run", "-q").status == 0
    assert (contents(run), (tmp_path / "elsewhere.parquet").read_bytes()) == (before, kept)


def test_manifest__that_is_a_pipe_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "E").mkdir()
    os.mkfifo(tmp_path / "E" / "manifest.json")
    for words in (["verify", "E"], ["run", "--resume", "--out", "E"], ["show", "E"], [*RUN, "--out", "E"]):
        said = call(capsys, *words)
        assert said.status in (1, 3)
        one_line(said)


def test_directory__that_the_user_names_may_be_a_link(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to("disk")
    assert call(capsys, *RUN, "--out", "out").status == 0
    assert call(capsys, "verify", "disk").status == 0


def test_run__takes_no_folder_from_a_manifest(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "random", "heaviest", "--blocks", 2, "--games-per-match", 1, "--seed", 1, "--quiet"]
    assert call(capsys, *words, "--out", "study").status == 0
    for tables in ("../run/rounds", "rounds", ".", "/tmp"):
        content = manifest(tmp_path / "study") | {"tables": tables}
        put_manifest(tmp_path / "study", content)
        before = contents(tmp_path)
        said = call(capsys, *RUN, "--out", "study", "--overwrite")
        assert said.status == 4 and "is damaged" in one_line(said)
        assert contents(tmp_path) == before


def test_report__writes_through_no_link(
    run: Path, thesis: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".writing-page.html").symlink_to(thesis)
    assert call(capsys, "report", "run", "--html", "page.html", "-q").status == 0
    assert thesis.read_text() == "my thesis"
    assert not (tmp_path / ".writing-page.html").is_symlink()
    (tmp_path / "page.html").unlink()
    (tmp_path / "page.html").symlink_to(thesis)
    call(capsys, "report", "run", "--html", "page.html", "--overwrite", "-q")
    assert thesis.read_text() == "my thesis"


# --- Code that came with a dataset ------------------------------------------------------------------------------------

CODE = """
from pathlib import Path
Path("it-ran").touch()

def choose(view, moves):
    return 0
"""


@pytest.fixture
def own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run of a user's function, one of whose parts is missing."""
    (tmp_path / "own.py").write_text(CODE)
    said = call(capsys, *RUN, "--strategy", "own.py:choose", "--tables", "summary", "--out", "own")
    assert said.status == 0
    min((tmp_path / "own" / "summary").iterdir()).unlink()
    (tmp_path / "own.py").rename(tmp_path / "mine.py")
    forget(tmp_path)
    return tmp_path / "own"


def forget(folder: Path) -> None:
    """As if the code had never been run."""
    (folder / "it-ran").unlink(missing_ok=True)
    user.player.cache_clear()


STORED_CODE = {
    "run": ["run", "--resume", "--out", "own", "-q"],
    "show": ["show", "own", "--match", 1],
    "find": ["show", "own", "--find", "ceki", "-q"],
    "odds": ["odds", "--from", "own", "--match", 1, "--round", 0, "--step", 25, "--samples", 100, "--seed", 1, "-q"],
}


@pytest.mark.parametrize("case", STORED_CODE)
def test_code_of_a_manifest__is_run_only_where_it_is_trusted(
    case: str, own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(own)
    said = call(capsys, *STORED_CODE[case])
    assert said.status == 3
    line = one_line(said)
    assert "own.py:choose would run 6 lines of Python code that came with own/manifest.json (from own.py there" in line
    assert "allow it by --trust, or name the file itself" in line
    assert contents(own) == before
    assert not (tmp_path / "it-ran").exists()
    assert call(capsys, *STORED_CODE[case], "--trust").status == 0
    assert (tmp_path / "it-ran").exists()


def test_code_of_a_manifest__may_be_that_of_a_file_that_is_named_now(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # another file with the same text, named as what others do from there
    words = [*STORED_CODE["odds"], "--opponents"]
    assert call(capsys, *words, "mine.py:choose").status == 0
    (tmp_path / "mine.py").write_text(CODE.replace("return 0", "return 1"))
    forget(tmp_path)
    assert call(capsys, *words, "mine.py:choose").status == 3
    assert not (tmp_path / "it-ran").exists()
    (tmp_path / "own.py").write_text(CODE)
    assert call(capsys, "run", "--resume", "--out", "own", "--strategy", "own.py:choose", "-q").status == 0


def test_code_of_a_manifest__that_is_not_what_its_digest_says_is_damage(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = manifest(own)
    for seat in content["seats"]:
        seat["code"] += "\nimport antigravity\n"
    content["identity"] = run_identity(content)
    put_manifest(own, content)
    for words in STORED_CODE.values():
        said = call(capsys, *words, "--trust")
        assert said.status == 4
        assert "the digest of the strategy 'own.py:choose' differs" in one_line(said)
    assert not (tmp_path / "it-ran").exists()


# --- A run that fails in the place of another -------------------------------------------------------------------------

# a wrong choice once somebody holds more stones than at the beginning: never in the first decisions of a match
LATE = "def choose(view, moves):\n    return 99 if view.stones.max() > {stones} else 0\n"


@pytest.mark.parametrize("stones", [8, 18])
def test_overwrite__that_fails_leaves_the_old_run_or_a_new_one_to_go_on_with(
    stones: int, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(run)
    (tmp_path / "late.py").write_text(LATE.format(stones=stones))
    words = ["run", "--matches", 40, "--seed", 1, "--strategy", "late.py:choose", "--threads", 1, "-q", "--out", "run"]
    said = call(capsys, *words, "--overwrite")
    assert said.status == 1 and "late.py:choose" in one_line(said)
    if stones == 8:  # before its first part was finished
        assert contents(run) == before
    else:
        assert manifest(run)["seats"][0]["text"] == "late.py:choose" and manifest(run)["parts"]
    assert call(capsys, "verify", "run").status == 0
    assert call(capsys, *words, "--resume").status == (3 if stones == 8 else 1)
    assert call(capsys, *RUN, "--out", "run", "--overwrite").status == 0
    assert contents(run) == before


def test_overwrite__by_a_study_that_fails_leaves_the_old_run(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(run)
    (tmp_path / "late.py").write_text(LATE.format(stones=8))
    words = ["compare", "late.py:choose", "random", "--blocks", 5, "--seed", 1, "-q", "--out"]
    said = call(capsys, *words, "run", "--overwrite")
    assert said.status == 1 and "late.py:choose" in one_line(said)
    assert contents(run) == before
    assert call(capsys, *words, "new").status == 1
    assert not (tmp_path / "new").exists()
    (tmp_path / "late.py").write_text(LATE.format(stones=99))
    assert call(capsys, *words, "run", "--overwrite").status == 0
    assert manifest(run)["study"] == "compare" and not (run / "rounds").exists()


def test_directory__of_which_a_kill_left_empty_folders_is_free(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left = tmp_path / "left"
    for name in ("rounds", "summary", ".writing"):
        (left / name).mkdir(parents=True)
    (left / ".lock").write_text("77\n")
    (left / ".writing" / "rounds-000000000000000-000000000000003.parquet.part").write_text("half")
    assert call(capsys, *RUN, "--out", "left").status == 0
    assert contents(left) == contents(run)


# --- Names that look like addresses -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["run:1", "./a:b", "a:b/c", "file:foo", "s3:foo", "file:/x"])
def test_run__into_a_directory_whose_name_looks_like_an_address(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = call(capsys, *RUN, "--tables", "events", "--out", name)
    assert (said.status, said.err) == (0, "")
    for words in (
        ["verify", name],
        ["report", name, "-q"],
        ["show", name, "--match", 2],
        ["show", name, "--find", "ceki"],
    ):
        assert call(capsys, *words).status == 0, words
    assert call(capsys, "run", "--resume", "--out", name, "-q").status == 0


def test_run__into_a_directory_whose_name_is_no_text_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = call(capsys, *RUN, "--out", "x\udcff")
    assert said.status == 2 and "--out takes the name of a directory" in one_line(said)
    assert not list(tmp_path.iterdir())
