"""Studies that are stopped: what is known is printed, and `The same again` gives the same figures."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from domeng_sim.cli import bar, main, signals
from domeng_sim.comparisons import sequential
from domeng_sim.runs.progress import Silent

FIVE = ["random", "heaviest", "lightest", "doubles_first", "doubles_last"]
FAST = ["--games-per-match", "1", "--seed", "1"]
NOT_FIGURES = ("command", "seconds", "stopping", "reason", "reason_in_words", "ranked")


class Clock:
    """The time is up as soon as somebody says so."""

    over = False

    def __init__(self, seconds):
        self._limited = bool(seconds)

    @property
    def up(self):
        return self._limited and Clock.over


def run(capfd, *words):
    status = main([*words, "--json", "--quiet"])
    return status, json.loads(capfd.readouterr().out)


def figures(document):
    return {key: value for key, value in document.items() if key not in NOT_FIGURES}


def end_at(monkeypatch, blocks, how):
    """Let a study end by the clock, or by a signal, once so many blocks are played."""
    stops = []

    class Kept(signals.Stop):
        def __init__(self, hint):
            super().__init__(hint)
            stops.append(self)

    class Ends(Silent):
        def update(self, done):
            if done >= blocks:
                Clock.over = how == "clock"
                if how == "signal":
                    stops[-1].event.set()

    Clock.over = False
    monkeypatch.setattr(signals, "Stop", Kept)
    monkeypatch.setattr(bar, "make_progress", lambda quiet: Ends())
    monkeypatch.setattr(sequential, "Clock", Clock)


@pytest.mark.compiled
@pytest.mark.parametrize("how", ["clock", "signal"])
@pytest.mark.parametrize("at", [10, 300])
@pytest.mark.parametrize(
    "words",
    [
        ["compare", "random", "random@1"],
        ["compare", "random", "random@1", "--until", "0.01pp"],
        ["compare", "random", "heaviest", "--opponents", "lightest", "--best-at", "500"],
        ["compare", "random", "random@1", "--sprt", "0.2,0.2001"],
        ["tournament", *FIVE],
    ],
    ids=" ".join,
)
def test_study__that_was_stopped_is_the_same_again_by_its_command(words, at, how, capfd, monkeypatch):
    words = [*words, *FAST, "--time-limit", "3600", "--max-blocks", "50000"]
    with monkeypatch.context() as patched:
        end_at(patched, at, how)
        status, first = run(capfd, *words)
    in_time = 5 if "--sprt" in words else 0
    assert (status, first["reason"]) == ((130, "stopped") if how == "signal" else (in_time, "time-limit"))
    assert at <= first["blocks"] < 50000
    assert f"--max-blocks {first['blocks']}" in first["command"]
    assert "--time-limit" not in first["command"]
    _, second = run(capfd, *shlex.split(first["command"])[1:])
    assert figures(second) == figures(first)
    assert second["command"] == first["command"]


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("words", "at", "option"),
    [
        (["compare", "random", "random@1", "--blocks", "40000"], 200, "--blocks"),
        (["tournament", *FIVE, "--blocks", "40000"], 30, "--blocks"),
        (["sensitivity", "--option", "camat_check", "--blocks", "40000"], 600, "--blocks"),
        (["sensitivity", "--option", "camat_check", "--ranking", ",".join(FIVE), "--blocks", "40000"], 600, "--blocks"),
        (["power", "random", "heaviest", "--pilot", "40000"], 200, "--pilot"),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, list) else None,
)
def test_study__of_fixed_blocks_that_was_stopped_names_those_it_reached(words, at, option, capfd, monkeypatch):
    with monkeypatch.context() as patched:
        end_at(patched, at, "signal")
        status, first = run(capfd, *words, *FAST)
    assert status == 130
    assert 0 < first["blocks"] < 40000
    assert f"{option} {first['blocks']}" in first["command"]
    _, second = run(capfd, *shlex.split(first["command"])[1:])
    assert figures(second) == figures(first)


@pytest.mark.compiled
def test_tournament__of_no_block_shows_no_ranking(capfd, monkeypatch):
    end_at(monkeypatch, 0, "clock")
    Clock.over = True
    assert main(["tournament", *FIVE, *FAST, "--time-limit", "3600", "--quiet"]) == 0
    out = " ".join(capfd.readouterr().out.split())
    assert "no block was complete, so nothing can be said" in out
    assert "the time is up" in out
    assert "ties" not in out
    assert "1 " + FIVE[0] not in out
    _, document = run(capfd, "tournament", *FIVE, *FAST, "--time-limit", "3600")
    assert {(place["rank"], place["tie_groups"]) for place in document["ranking"]} == {(None, "")}


def blocks_of(directory: Path) -> dict[str, int]:
    """Blocks that a tournament has kept, by table; every table of its list stands there."""
    if not (directory / "manifest.json").exists():
        return {}
    kept = json.loads((directory / "manifest.json").read_text())
    blocks = {lineup["key"]: 0 for lineup in kept["lineups"]}
    for part in kept["parts"]:
        blocks[part["lineup"]] += part["last_match"] - part["first_match"] + 1
    return blocks


@pytest.mark.compiled
def test_tournament__interrupted_prints_what_is_known(tmp_path):
    named = ("random", "lightest", "heaviest", "flexible", "banker", "master")
    process = subprocess.Popen(
        [sys.executable, "-m", "domeng_sim", "tournament", *named, "--blocks", "100000", "--seed", "1"]
        + ["--out", "kept", "--games-per-match", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if min(blocks_of(tmp_path / "kept").values(), default=0) >= 8:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    out = " ".join(out.split())
    assert "Answer: master leads" in out
    assert "stopped from outside" in out
    assert f"Go on with: domeng-sim tournament {' '.join(named)}" in err
    assert "--blocks 100000 --games-per-match 2 --seed 1 --out kept --resume" in err
