"""The command `compare`: what it prints, how it ends, what it refuses."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from domeng_sim.cli import main

FAST = ["--games-per-match", "2", "--seed", "1", "--threads", "2"]


def run(capfd, *words):
    """Status, standard output and standard error of a command in this process."""
    status = main(list(map(str, words)))
    out, err = capfd.readouterr()
    return status, out, err


def compare(capfd, *words):
    return run(capfd, "compare", *words)


@pytest.mark.compiled
def test_compare__prints_the_answer_and_the_command_that_gives_it_again(capfd, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = compare(capfd, "doubles_first", "random", *FAST, "--until", "3pp")
    assert status == 0
    assert "doubles_first among four random" in out
    assert "random among four doubles_first" in out
    assert "Answer: doubles_first is better than random" in out
    assert re.search(r"CAMAT share +29\.5 % ±2\.6", out)
    assert "blocks differ from the fair share" in out
    assert "hold at every look" in out
    assert "looks" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "seed 1" in err
    again = shlex.split(out[out.index("domeng-sim compare") :].replace("\\\n", " "))[1:]
    _, repeated, _ = run(capfd, *again, "--threads", "1")
    assert repeated == out


@pytest.mark.compiled
def test_compare__json_is_one_document_with_estimates_as_objects(capfd):
    status, out, err = compare(capfd, "doubles_first", "random", *FAST, "--blocks", "120", "--json", "--quiet")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert document["schema_version"] == 1
    assert document["seed"] == "1"
    assert document["blocks"] == 120
    assert document["command"] == "domeng-sim compare doubles_first random --blocks 120 --games-per-match 2 --seed 1"
    share = document["ends"][0]["share"]
    assert set(share) == {"value", "low", "high", "level", "kind", "unit", "clusters", "events", "looks"}
    assert (share["kind"], share["clusters"], share["looks"], share["level"]) == ("student", 120, 1, 0.95)
    assert document["ends"][0]["blocks_that_differ"] > 50
    assert len(document["ends"][0]["exploratory"]) == 23


@pytest.mark.compiled
def test_compare__a_with_itself_over_2000_blocks_has_no_width(capfd):
    _, out, _ = compare(capfd, "random", "random", *FAST, "--blocks", "2000", "--json")
    for end in json.loads(out)["ends"]:
        assert end["blocks_that_differ"] == 0
        assert end["share"]["value"] == end["share"]["low"] == end["share"]["high"] == 0.2
        assert end["verdict"] == "equal"


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("a", "limits", "status"),
    [("doubles_first", "0.20,0.22", 0), ("doubles_last", "0.20,0.22", 6), ("doubles_first", "0.3,0.3001", 5)],
)
def test_compare__sprt_ends_with_the_status_of_its_verdict(a, limits, status, capfd):
    ended, out, _ = compare(capfd, a, "random", *FAST, "--sprt", limits, "--max-blocks", "500")
    assert ended == status
    assert {0: "H1 is accepted", 6: "H0 is accepted", 5: "undecided"}[status] in " ".join(out.split())
    assert not re.search(r"CAMAT share +[\d.]+ % ±", out)


@pytest.mark.compiled
def test_compare__all_mixes_prints_the_switch_effects(capfd):
    status, out, _ = compare(capfd, "doubles_first", "random", *FAST, "--all-mixes", "--blocks", "100")
    assert status == 0
    assert all(f"d{others}" in out for others in range(5))


@pytest.mark.compiled
def test_compare__against_prints_the_difference(capfd):
    status, out, _ = compare(capfd, "doubles_first", "flexible", "--opponents", "random", *FAST, "--blocks", "150")
    assert status == 0
    assert "difference in CAMAT share" in out
    assert "doubles_first among four random" in out


def test_compare__one_block_and_games_without_end_end_well(capfd):
    words = ["doubles_first", "random", *FAST, "--rule", "max_rounds=1", "--rule", "stones=200", "--blocks", "1"]
    status, out, _ = compare(capfd, *words)
    assert status == 0
    assert "no game was finished" in out
    assert json.loads(compare(capfd, *words, "--json")[1])["ends"][0]["verdict"] == "no game finished"


def test_compare__keeps_blocks_and_goes_on(capfd, tmp_path):
    out = tmp_path / "kept"
    words = ["doubles_first", "random", "--games-per-match", "1", "--field", "1", "--out", out, "--json"]
    status, first, _ = compare(capfd, *words, "--seed", "5", "--blocks", "4")
    assert status == 0
    assert compare(capfd, *words, "--seed", "5", "--blocks", "4")[0] == 3
    assert compare(capfd, *words, "--seed", "6", "--blocks", "4", "--resume")[0] == 3
    status, again, _ = compare(capfd, *words, "--blocks", "4", "--resume")  # the seed is that of the study
    assert status == 0
    one, other = json.loads(first), json.loads(again)
    assert {**one, "seconds": 0} == {**other, "seconds": 0}
    assert run(capfd, "verify", out)[0] == 0
    assert compare(capfd, *words, "--seed", "6", "--blocks", "2", "--overwrite")[0] == 0


BAD = [
    ([], "Missing argument"),
    (["random"], "Missing argument"),
    (["random", "nobody"], "no strategy 'nobody'"),
    (["random", "random@x"], "number of a copy"),
    (["missing.toml:x", "random"], "missing.toml"),
    (["random", "random", "random"], "unexpected extra argument"),
    (["random", "random", "--seed", "-1"], "--seed"),
    (["random", "random", "--seed", str(2**64)], "--seed"),
    (["random", "random", "--blocks", "0"], "--blocks"),
    (["random", "random", "--blocks", "1.5"], "--blocks"),
    (["random", "random", "--games-per-match", "0"], "--games-per-match"),
    (["random", "random", "--until", "0.5"], "--until takes"),
    (["random", "random", "--until", "now"], "--until takes"),
    (["random", "random", "--until", "1pp", "--blocks", "100"], "--blocks and --until do not go together"),
    (["random", "random", "--time-limit", "3", "--blocks", "100"], "--time-limit"),
    (["random", "random", "--max-blocks", "300", "--blocks", "100"], "--max-blocks"),
    (["random", "random", "--time-limit", "0"], "--time-limit takes"),
    (["random", "random", "--time-limit", "nan"], "--time-limit takes"),
    (["random", "random", "--level", "95"], "level"),
    (["random", "random", "--level", "nan"], "level"),
    (["random", "random", "--field", "5"], "--field takes"),
    (["random", "random", "--field", "one"], "--field takes"),
    (["random", "random", "--field", ""], "--field takes"),
    (["random", "random", "--opponents", "nobody"], "no strategy 'nobody'"),
    (["random", "random", "--opponents", "random,heaviest"], "--opponents takes"),
    (["random", "random", "--opponents", "random", "--field", "1"], "--field and --opponents"),
    (["random", "random", "--opponents", "random", "--all-mixes"], "--opponents"),
    (["random", "random", "--opponents", "random", "--sprt", "0.2,0.21"], "--opponents"),
    (["random", "random", "--sprt", "0.21,0.20"], "--sprt takes"),
    (["random", "random", "--sprt", "0.2"], "--sprt takes"),
    (["random", "random", "--sprt", "a,b"], "--sprt takes"),
    (["random", "random", "--sprt", "0.2,1.5"], "--sprt takes"),
    (["random", "random", "--sprt", "nan,0.3"], "--sprt takes"),
    (["random", "random", "--sprt", "0.2,0.21", "--alpha", "0.6", "--beta", "0.5"], "--alpha and --beta"),
    (["random", "random", "--sprt", "0.2,0.21", "--alpha", "0"], "--alpha takes a number between 0 and 1"),
    (["random", "random", "--sprt", "0.2,0.21", "--blocks", "100"], "--sprt and --"),
    (["random", "random", "--sprt", "0.2,0.21", "--until", "1pp"], "--sprt and --"),
    (["random", "random", "--sprt", "0.2,0.21", "--field", "2"], "--sprt tests"),
    (["random", "random", "--alpha", "0.1"], "--alpha goes with --sprt only"),
    (["random", "random", "--rule", "stones"], "name=value"),
    (["random", "random", "--rule", "stones=256"], "stones"),
    (["random", "random", "--rule", "nothing=1"], "no rule 'nothing'"),
    (["random", "random", "--resume"], "--resume goes with --out only"),
    (["random", "random", "--overwrite"], "--overwrite goes with --out only"),
    (["random", "random", "--out", "x", "--resume", "--overwrite"], "do not go together"),
    (["random", "random", "--game", "chess"], "--game"),
]


@pytest.mark.parametrize(("words", "says"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_compare__bad_input_is_one_line_and_status_2(words, says, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = compare(capfd, *words)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert says in err
    assert not list(tmp_path.iterdir())


def test_compare__refuses_a_directory_that_is_not_its_own(capfd, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    status, _, err = compare(capfd, "random", "random", "--out", tmp_path, "--overwrite")
    assert (status, len(err.splitlines())) == (3, 1)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_compare__help_tells_the_exit_statuses(capfd):
    status, out, _ = compare(capfd, "--help")
    assert status == 0
    assert "6 H0 accepted, 5 undecided" in " ".join(out.split())


def interrupted(tmp_path, *words, number):
    """Status and output of a command that is interrupted once it plays."""
    process = subprocess.Popen(
        [sys.executable, "-m", "domeng_sim", "compare", "random", "random@1", "--seed", "1", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    blocks = tmp_path / "kept" / "blocks"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if blocks.is_dir() and any(blocks.glob("[0-9a-f]*.parquet")):
            break
        time.sleep(0.02)
    process.send_signal(number)
    started = time.monotonic()
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err, time.monotonic() - started


@pytest.mark.compiled
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_compare__interrupted_prints_what_is_known_and_how_to_go_on(number, status, tmp_path):
    limits = ["--until", "0.001pp", "--max-blocks", "10000000"]
    ended, out, err, seconds = interrupted(tmp_path, *limits, "--out", "kept", number=number)
    assert ended == status
    assert "Go on with: domeng-sim compare random random@1" in err
    assert "--out kept --resume" in err
    assert seconds < 10  # a second on an idle machine
    assert "Traceback" not in err
    assert "stopped from outside" in out
    manifest = json.loads((tmp_path / "kept" / "manifest.json").read_text())
    assert manifest["status"] == "running"
    assert main(["verify", str(tmp_path / "kept")]) == 0


def test_sprt__keeps_its_exit_status_where_the_reader_leaves() -> None:
    words = "compare random random --sprt 0.20,0.21 --seed 1 --quiet"
    code = f"import sys; from domeng_sim.cli import main; sys.exit(main({words.split()!r}))"
    playing = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert playing.stdout is not None
    playing.stdout.close()
    assert playing.wait(timeout=120) == 6
