"""What may be in the way of a run: other files, other runs, damage, another process; and what is left untouched."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import domeng_sim
from domeng_sim.errors import BadInput, Refused
from domeng_sim.runs import plan
from domeng_sim.runs.store import files
from tests.command_line import call, command, contents, environment, manifest, one_line, parts, put_manifest, signed

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("small_parts")]
RUN = ("run", "--matches", "10", "--seed", "5", "--quiet")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Parts of some hundred rounds, and an empty current folder."""
    for level in plan._PART_ROUNDS:
        monkeypatch.setitem(plan._PART_ROUNDS, level, (300, 300))
    monkeypatch.chdir(tmp_path)
    # nothing here depends on what a crash of the whole machine would leave
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A complete run."""
    assert call(capsys, *RUN, "--out", "run").status == 0
    return tmp_path / "run"


def test_run__refuses_a_file_and_a_folder_with_other_things(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / ".hidden").write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    before = contents(tmp_path)
    for words in ([], ["--overwrite"]):
        said = call(capsys, *RUN, "--out", "file", *words)
        assert (said.status, "is a file" in one_line(said)) == (3, True)
        said = call(capsys, *RUN, "--out", "file/run", *words)
        assert (said.status, "is a file" in one_line(said)) == (3, True)
        said = call(capsys, *RUN, "--out", "folder", *words)
        assert (said.status, "is not empty and is no dataset of domeng-sim" in one_line(said)) == (3, True)
    assert call(capsys, *RUN, "--out", "link").status == 1
    assert call(capsys, *RUN, "--out", "x" * 300).status == 1
    assert contents(tmp_path) == before


def test_run__takes_an_empty_folder_and_makes_missing_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert call(capsys, *RUN, "--out", "empty").status == 0
    assert call(capsys, *RUN, "--out", "a/b/c").status == 0
    assert contents(tmp_path / "empty") == contents(tmp_path / "a/b/c")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_run__in_a_folder_that_may_not_be_written_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    said = call(capsys, *RUN, "--out", "closed/run")
    assert "Permission denied; choose a directory you may write to" in one_line(said)


def test_run__on_a_disk_that_is_only_read_is_one_line_and_a_complete_run_is_still_shown(
    tmp_path: Path, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if os.geteuid() != 0 or subprocess.run(["mount", "--bind", run, run], check=False).returncode:
        pytest.skip("may not mount here")
    try:
        if subprocess.run(["mount", "-o", "remount,ro,bind", run], check=False).returncode:
            pytest.skip("may not mount here")
        said = call(capsys, *RUN, "--out", "run/new")
        assert "choose a directory you may write to" in one_line(said)
        assert said.status == 1
        said = call(capsys, *RUN, "--out", "run", "--overwrite")
        assert "choose a directory you may write to" in one_line(said)
        assert call(capsys, "run", "--resume", "--out", "run", "--json").json["rounds_played"] == 0
        assert call(capsys, "verify", "run").status == 0
    finally:
        subprocess.run(["umount", "-l", run], check=True)


def test_run__never_replaces_a_run_unless_it_is_told_to(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(run)
    said = call(capsys, *RUN, "--out", "run")
    assert "already holds a dataset; go on with it by --resume, replace it by --overwrite" in one_line(said)
    assert said.status == 3
    assert contents(run) == before


def test_run__overwrite_removes_only_what_is_of_the_old_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = [run / "notes.txt", run / "rounds" / "notes.txt", run / "games" / "mine.parquet", run / "own" / "a.parquet"]
    for path in mine:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    said = call(capsys, "run", "--matches", 2, "--seed", 1, "--tables", "summary", "--out", "run", "--overwrite", "-q")
    assert said.status == 0
    assert sorted(path for path in run.rglob("*") if path.is_file()) == sorted(
        [*mine, run / "manifest.json", run / "summary" / "000000000000000-000000000000001.parquet"]
    )
    assert [path.read_text() for path in mine] == ["mine"] * 4
    for path in mine:
        path.unlink()
    (run / "own").rmdir()
    assert call(capsys, *RUN, "--out", "run", "--overwrite").status == 0
    call(capsys, *RUN, "--out", "fresh")
    assert contents(run) == contents(run.parent / "fresh")


FAILING = {
    "a strategy that does not exist": ["--strategy", "nobody"],
    "a function that does not compile": ["--strategy", "player.py:text"],
    "a function that fails in the first round": ["--strategy", "player.py:wrong"],
    "a rule": ["--rule", "stones=999"],
}


@pytest.mark.parametrize("case", FAILING)
def test_run__that_cannot_begin_leaves_the_old_one_as_it_was(
    case: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "player.py").write_text(
        "def text(view, moves):\n    return 'first'\n\ndef wrong(view, moves):\n    return 99\n"
    )
    before = contents(tmp_path)
    said = call(capsys, "run", "--matches", 3, *FAILING[case], "--out", "run", "--overwrite", "--quiet")
    one_line(said)
    assert said.status in (1, 2)
    assert contents(tmp_path) == before
    said = call(capsys, "run", "--matches", 3, *FAILING[case], "--out", "deep/new", "--quiet")
    one_line(said)
    assert contents(tmp_path) == before
    assert not (tmp_path / "deep").exists()


def test_run__a_function_that_fails_later_leaves_finished_parts_and_nothing_half_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # a wrong choice once somebody holds 19 stones: with this seed, in the second part
    (tmp_path / "player.py").write_text("def late(view, moves):\n    return 99 if view.stones.max() > 18 else 0\n")
    words = ["run", "--matches", 40, "--seed", 1, "--strategy", "player.py:late", "--threads", 1, "--quiet"]
    said = call(capsys, *words, "--out", "run")
    assert "player.py:late" in one_line(said)
    assert said.status == 1
    assert not list(tmp_path.rglob(".writing*"))
    assert len(manifest(tmp_path / "run")["parts"]) > 0
    assert call(capsys, "verify", "run").status == 0


def test_resume__refuses_another_run_and_says_what_differs(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(run)
    cases: dict[str, list[str]] = {
        "--matches 11": ["matches was 10, now 11"],
        "--rounds 500": ["rounds was not given, now 500"],
        "--seed 6": ["seed was 5, now 6"],
        "--rule stones=20 --seed 6": ["rules stones was 25, now 20", "seed was 5, now 6"],
        "--seats random,random,heaviest,random,random": ["seats were random,", "now random,random,heaviest,"],
        "--strategy random@1": ["now random@1,random@1,random@1"],
        "--tables events": ["tables was rounds, now events"],
        "--store-hands": ["hands was False, now True"],
        "--games-per-match 9": ["games_per_match was 10, now 9"],
        "--rounds-per-match 9": ["rounds_per_match was not given, now 9"],
    }
    for words, expected in cases.items():
        said = call(capsys, "run", "--resume", "--out", "run", *words.split(), "--quiet")
        line = one_line(said)
        assert said.status == 3, words
        assert [text for text in expected if text not in line] == [], words
        assert len(line) < 3000
    assert contents(run) == before
    assert call(capsys, "run", "--resume", "--out", "run", "--matches", 10, "--seed", 5).status == 0


def test_run__announces_nothing_that_it_refuses(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, "run", "--matches", 10, "--out", "run")
    assert said.status == 3 and "already holds a dataset" in one_line(said)


def test_run__of_one_match_is_told_in_the_singular(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = call(capsys, "run", "--matches", 1, "--rounds-per-match", 1, "--seed", 1, "--out", "one", "--quiet")
    assert said.out.startswith("Domeng: 1 match, 1 round, 1 game\n")


def test_resume__begins_where_nothing_is_if_it_is_told_what_to_play(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run.parent / "empty").mkdir()
    for name in ("new", "empty"):
        assert call(capsys, "run", "--resume", "--out", name).status == 2
        assert call(capsys, *RUN, "--out", name, "--resume").status == 0
        assert contents(run.parent / name) == contents(run)


def test_resume__plays_strategies_as_they_were_when_the_run_began(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = tmp_path / "my, own.toml"
    weights.write_text('[[strategy]]\nname = "bold"\n[strategy.weights]\npips = 1\n')
    words = ["run", "--matches", 10, "--seed", 5, "--strategy", f"{weights.name}:bold", "--quiet"]
    call(capsys, *words, "--out", "whole")
    shutil.copytree("whole", "half")
    for table in ("summary", "games", "rounds"):
        last = max((tmp_path / "half" / table).iterdir())
        last.unlink()
    weights.write_text('[[strategy]]\nname = "bold"\n[strategy.weights]\npips = -1\n')
    said = call(capsys, *words, "--out", "half", "--resume")
    assert said.status == 3
    assert "the strategy my, own.toml:bold weights_thousandths pips was 1000, now -1000" in one_line(said)
    weights.unlink()
    assert call(capsys, "run", "--resume", "--out", "half", "--quiet").status == 0
    assert contents(tmp_path / "half") == contents(tmp_path / "whole")


def test_run__moved_between_two_calls_goes_on(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = contents(run)
    run.rename(tmp_path / "moved")
    max((tmp_path / "moved" / "rounds").iterdir()).unlink()
    assert call(capsys, "run", "--resume", "--out", "moved", "--quiet").status == 0
    assert contents(tmp_path / "moved") == expected


def damage(run: Path, how: str) -> None:
    path = run / "rounds" / min(path.name for path in (run / "rounds").iterdir())
    if how == "missing":
        path.unlink()
    elif how == "cut off":
        path.write_bytes(path.read_bytes()[:-100])
    elif how == "one bit":
        data = bytearray(path.read_bytes())
        data[1000] ^= 1
        path.write_bytes(data)
    elif how == "another part":
        shutil.copy(max((run / "rounds").iterdir()), path)
    elif how == "a folder":
        path.unlink()
        path.mkdir()


@pytest.mark.parametrize("how", ["missing", "cut off", "one bit", "another part", "a folder"])
def test_verify__finds_damage_and_resume_makes_missing_parts_again(
    how: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = contents(run)
    damage(run, how)
    said = call(capsys, "verify", "run")
    line = one_line(said)
    assert said.status == 4
    assert "rounds/000000000000000-000000000000003.parquet: " in line
    assert ("missing" if how in ("missing", "a folder") else "damaged (checksum differs)") in line
    assert "domeng-sim run --resume --out run" in line
    if how == "a folder":
        (run / "rounds" / "000000000000000-000000000000003.parquet").rmdir()
    elif how in ("one bit", "another part"):
        if how == "one bit":
            refused = call(capsys, "run", "--resume", "--out", "run", "--quiet")
            assert refused.status == 4 and "damaged (checksum differs); remove" in one_line(refused)
        (run / "rounds" / "000000000000000-000000000000003.parquet").unlink()
    assert call(capsys, "run", "--resume", "--out", "run", "--quiet").status == 0
    assert contents(run) == expected
    said = call(capsys, "verify", "run")
    assert (said.status, said.err) == (0, "")
    assert "all checksums agree; the run is complete" in said.out


def test_verify__names_the_command_that_made_a_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["random", "heaviest", "--rule", "stones=20", "--rule", "passebunge=first", "--seed", 1]
    words += ["--games-per-match", 1, "--opponents", "hunter,random,banker,random", "--blocks", 2, "--level", 0.9]
    assert call(capsys, "compare", *words, "--out", "study").status == 0
    assert "the comparison is complete" in call(capsys, "verify", "study").out
    whole = contents(tmp_path / "study")
    part = next((tmp_path / "study").rglob("*.parquet"))
    part.write_bytes(part.read_bytes()[:-1])
    told = one_line(call(capsys, "verify", "study"))
    again = shlex.split(told[told.index("run `") + 5 : -1])
    assert sorted(again) == sorted(["domeng-sim", "compare", *map(str, words), "--resume", "--out", "study"])
    part.unlink()
    assert call(capsys, *again[1:]).status == 0
    part.unlink()
    # what is not said is as the study has it
    assert call(capsys, "compare", "random", "heaviest", "--resume", "--out", "study").status == 0
    assert contents(tmp_path / "study") == whole
    said = call(capsys, "compare", "random", "heaviest", "--rule", "stones=25", "--resume", "--out", "study")
    assert said.status == 3 and "rules stones was 20, now 25" in one_line(said)


def test_verify__finds_parts_that_are_not_listed_and_totals_that_are_wrong(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(min((run / "rounds").iterdir()), run / "rounds" / "000000000000090-000000000000093.parquet")
    said = call(capsys, "verify", "run")
    assert "90-000000000000093.parquet: not in the manifest" in one_line(said)
    (run / "rounds" / "000000000000090-000000000000093.parquet").unlink()
    content = manifest(run)
    content["totals"]["rounds"] += 1
    put_manifest(run, content)
    said = call(capsys, "verify", "run")
    assert "totals: rounds is" in one_line(said)
    for key, value in (("seed", "8"), ("rules", content["rules"] | {"max_rounds": 9})):
        put_manifest(run, content | {key: value})
        said = call(capsys, "verify", "run")
        assert said.status == 4 and f"manifest.json: {key} differ from what" in one_line(said)
    content["parts"] = content["parts"][3:]
    put_manifest(run, content)
    assert "matches 0 to 3: no part" in one_line(call(capsys, "verify", "run"))


MANIFESTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "empty": lambda m: "",
    "cut off": lambda m: json.dumps(m)[:-200],
    "no JSON": lambda m: "manifest",
    "a list": lambda m: [m],
    "a number": lambda m: 7,
    "nested": lambda m: "[" * 100_000,
    "no schema version": lambda m: {key: value for key, value in m.items() if key != "schema_version"},
    "another schema version": lambda m: m | {"schema_version": 99},
    "another game": lambda m: m | {"game": "chess"},
    "game a list": lambda m: m | {"game": ["domeng"]},
    "no rules": lambda m: {key: value for key, value in m.items() if key != "rules"},
    "rules unknown": lambda m: m | {"rules": m["rules"] | {"pebbles": 3}},
    "rules out of range": lambda m: m | {"rules": m["rules"] | {"stones": 999}},
    "seed a number": lambda m: m | {"seed": 5},
    "seed a word": lambda m: m | {"seed": "lucky"},
    "four seats": lambda m: m | {"seats": m["seats"][:4]},
    "seats of texts": lambda m: m | {"seats": ["random"] * 5},
    "level unknown": lambda m: m | {"tables": "all"},
    "no plan": lambda m: m | {"plan": {}},
    "plan of nothing": lambda m: m | {"plan": {"matches_per_batch": 0, "matches_per_part": 0}},
    "matches negative": lambda m: m | {"matches": -4},
    "complete without matches": lambda m: m | {"matches": None},
    "status a number": lambda m: m | {"status": 1},
    "parts a text": lambda m: m | {"parts": "rounds"},
    "a part with another key": lambda m: m | {"parts": [m["parts"][0] | {"more": 1}]},
    "a part without rows": lambda m: m | {"parts": [{k: v for k, v in m["parts"][0].items() if k != "rows"}]},
    "a part with text for rows": lambda m: m | {"parts": [m["parts"][0] | {"rows": "7"}]},
    "a part outside": lambda m: m | {"parts": [m["parts"][0] | {"path": "../../etc/passwd"}]},
    "a part of a table that is not stored": lambda m: (
        m | {"parts": [m["parts"][0] | {"table": "events", "path": m["parts"][0]["path"].replace("summary", "events")}]}
    ),
    "totals a list": lambda m: m | {"totals": []},
    "software missing": lambda m: m | {"software": {}},
}


@pytest.mark.parametrize("case", MANIFESTS)
def test_run__a_damaged_manifest_is_one_line_and_nothing_is_touched(
    case: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = MANIFESTS[case](manifest(run))
    (run / "manifest.json").write_bytes(content.encode() if isinstance(content, str) else signed(content))
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    for words in (["verify", "run"], ["run", "--resume", "--out", "run", "-q"], [*RUN, "--out", "run", "--overwrite"]):
        said = call(capsys, *words)
        line = one_line(said)
        assert said.status == 4, words
        expected = "has the schema version 99" if case == "another schema version" else "is damaged, or no manifest"
        # `verify` goes on, and tells all that is wrong
        assert expected in line or (words[0] == "verify" and "run: manifest.json: " in line), words
        assert "Remove" not in line
    said = call(capsys, *RUN, "--out", "run")
    assert said.status == 3
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "words",
    [
        ["verify", "run"],
        ["report", "run"],
        ["show", "run"],
        ["odds", "--from", "run", "--match", "0", "--round", "0", "--step", "25"],
        ["run", "--resume", "--out", "run"],
        ["compare", "random", "heaviest", "--blocks", "10", "--resume", "--out", "run"],
        [*RUN, "--out", "run", "--overwrite"],
    ],
    ids=" ".join,
)
def test_dataset__of_an_older_version_is_refused_by_every_reader(
    words: list[str], run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_manifest(run, manifest(run) | {"schema_version": 1})
    before = contents(run)
    said = call(capsys, *words)
    assert "run was written by an older domeng-sim" in one_line(said)
    assert said.status == 2
    assert contents(run) == before
    with pytest.raises(BadInput, match="older"):
        domeng_sim.load(run)


def test_run__two_processes_on_one_directory_never_mix(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    endless = command("run", "--rounds", "1e12", "--out", "long", "--quiet", "--threads", "1")
    holder = subprocess.Popen(endless, cwd=run.parent, env=environment())
    try:
        while not (run.parent / "long" / "manifest.json").exists():
            assert holder.poll() is None
        for words in (["--resume"], [*RUN[1:], "--overwrite"]):
            said = call(capsys, "run", "--out", "long", *words)
            line = said.err.splitlines()[-1]
            assert f"long is in use by process {holder.pid}; wait for its end, or name another with --out" in line
            assert said.status == 3
    finally:
        holder.kill()
        holder.wait()
    # the lock has ended with its process, though its file is still there
    assert (run.parent / "long" / ".lock").exists()
    assert call(capsys, *RUN, "--out", "long", "--overwrite").status == 0
    assert contents(run.parent / "long") == contents(run)


def test_locked__is_for_one_at_a_time_and_leaves_nothing(tmp_path: Path) -> None:
    with files.locked(tmp_path):
        with pytest.raises(Refused, match="is in use by process"), files.locked(tmp_path):
            pass
        assert (tmp_path / ".lock").exists()
    assert not list(tmp_path.iterdir())
    with files.locked(tmp_path):
        pass


def test_run__without_a_name_takes_a_new_one_each_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        assert call(capsys, "run", "--matches", 1, "--quiet").status == 0
    assert len(list(tmp_path.glob("domeng-run-*"))) == 3
    (tmp_path / "player.py").write_text("def text(view, moves):\n    return 'first'\n")
    assert call(capsys, "run", "--matches", 1, "--quiet", "--strategy", "player.py:text").status == 2
    assert len(list(tmp_path.glob("domeng-run-*"))) == 3


def test_run__save_config_is_read_again_as_the_same_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--seats", "random,heaviest,random@2,banker,random", "--rule", "stones=30", "--rule", "passebunge=first"]
    words += ["--rounds-per-match", "7", "--matches", "9", "--seed", "18446744073709551615", "--store-hands"]
    assert call(capsys, "run", *words, "--save-config", "run.toml", "--quiet").status == 0
    assert [path.name for path in tmp_path.iterdir()] == ["run.toml"]
    call(capsys, "run", *words, "--out", "one")
    assert call(capsys, "run", "--config", "run.toml", "--out", "other").status == 0
    assert contents(tmp_path / "one") == contents(tmp_path / "other")
    assert manifest(tmp_path / "one")["seed"] == "18446744073709551615"
    assert call(capsys, "run", "--config", "run.toml", "--matches", "3", "--seed", 0, "--out", "flags").status == 0
    assert (manifest(tmp_path / "flags")["matches"], manifest(tmp_path / "flags")["seed"]) == (3, "0")


def test_run__the_command_in_the_manifest_makes_the_same_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--seats", "random,heaviest,random@2,flexible,random", "--rule", "stones=30", "--rounds", "900"]
    call(capsys, "run", *words, "--games-per-match", "3", "--tables", "events", "--store-hands", "--out", "one")
    program, *again = manifest(tmp_path / "one")["command"].split()
    assert program == "domeng-sim"
    assert call(capsys, *again, "--out", "other").status == 0
    assert contents(tmp_path / "one") == contents(tmp_path / "other")
    assert len(parts(tmp_path / "one")) > 8
    for path in (tmp_path / "one").rglob("*.parquet"):
        assert pq.read_schema(path).metadata[b"domeng_sim"]
