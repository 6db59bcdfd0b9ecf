"""A run may end at any moment; what is on disk is sound then, and --resume ends with the same files."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from domeng_sim.runs import plan
from domeng_sim.runs.store import parts
from domeng_sim.runs.store.parquet_writer import RowGroupWriter
from tests.command_line import call, command, contents, environment, manifest, one_line, process

pytestmark = pytest.mark.compiled

# 7 parts of about 16,000 rounds
LONG = ["run", "--matches", "1400", "--tables", "events", "--seed", "3", "--threads", "2"]


@pytest.mark.parametrize(
    ("options", "step"),
    [({"matches": 12, "tables": "games"}, 9), ({"rounds": 1100, "tables": "events", "store_hands": True}, 20)],
)
def test_run__killed_at_any_act_on_the_disk_goes_on_to_the_same_files(
    options: dict[str, Any], step: int, tmp_path: Path
) -> None:
    words = ["-m", "tests.cli.crashes", str(tmp_path), str(step), json.dumps({**options, "seed": 7})]
    said = process(cwd=tmp_path, python=words)
    assert said.status == 0, said.err
    reports = [json.loads(line) for line in said.out.splitlines()]
    assert len(reports) > 8
    assert [report for report in reports if not report["killed"]] == []
    assert [report for report in reports if report["broken"]] == []
    assert [report for report in reports if report["resumed"] or not report["same"]] == []


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The long run without interruption, and its JSON."""
    place = tmp_path_factory.mktemp("whole")
    said = process(*LONG, "--json", "--quiet", "--out", "run", cwd=place)
    assert (said.status, said.err) == (0, "")
    return place / "run", said.json


def comparable(document: dict[str, Any]) -> dict[str, Any]:
    """The JSON without what may differ between equal runs."""
    return {
        key: value
        for key, value in document.items()
        if key not in ("directory", "seconds", "rounds_played", "rounds_per_second")
    }


def start(line: list[str], cwd: Path, **variables: str) -> subprocess.Popen[str]:
    """A process whose output is kept."""
    return subprocess.Popen(
        line,
        cwd=cwd,
        env=environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60
    while not condition() and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.002)


def finished_parts(directory: Path) -> int:
    return len(list(directory.glob("events/[0-9]*.parquet")))


def manifest_text(directory: Path) -> str:
    path = directory / "manifest.json"
    return path.read_text() if path.exists() else ""


MOMENTS: dict[str, tuple[int, Callable[[Path], bool]]] = {
    "SIGKILL while a part is written": (signal.SIGKILL, lambda run: any(run.glob(".writing/events-*"))),
    "SIGKILL after the first part": (signal.SIGKILL, lambda run: "sha256" in manifest_text(run)),
    "SIGTERM at the manifest": (signal.SIGTERM, lambda run: (run / "manifest.json").exists()),
    "SIGINT after some parts": (signal.SIGINT, lambda run: finished_parts(run) > 2),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_run__stopped_by_a_signal_goes_on_to_the_same_files_and_result(
    moment: str, whole: tuple[Path, dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    number, condition = MOMENTS[moment]
    directory = tmp_path / "run"
    running = start(command(*LONG, "--out", "run"), tmp_path)
    wait_for(lambda: condition(directory), running)
    sent = time.monotonic()
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    seconds = time.monotonic() - sent
    assert out == ""
    if number == signal.SIGKILL:
        assert running.returncode == -number
    else:
        assert running.returncode == 128 + number
        assert err.splitlines()[-1].endswith("Go on with: domeng-sim run --resume --out run")
        assert seconds < 3.0  # one, on a machine with nothing else to do
        assert not list(directory.rglob(".writing*"))
    for path in directory.rglob("[0-9]*.parquet"):
        pq.read_metadata(path)
    resumed = call(capsys, "run", "--resume", "--out", directory, "--json", "--quiet", "--threads", 1)
    assert (resumed.status, resumed.err) == (0, "")
    assert contents(directory) == contents(whole[0])
    assert comparable(resumed.json) == comparable(whole[1])
    if " after " in moment:
        assert 0 < resumed.json["rounds_played"] < whole[1]["rounds_played"]
    again = call(capsys, "run", "--resume", "--out", directory, "--json")
    assert again.status == 0
    assert again.err.splitlines() == [f"{directory} is complete; there was nothing to play"]
    assert comparable(again.json) == comparable(whole[1])
    assert again.json["rounds_played"] == 0
    assert contents(directory) == contents(whole[0])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_run__can_be_stopped_while_code_is_compiled(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "--matches", "3", "--seed", "1", "--out", "run"]
    running = start(command(*words), tmp_path, DOMENG_SIM_CACHE=str(tmp_path / "cache"))
    assert running.stderr is not None
    lines = [running.stderr.readline(), running.stderr.readline()]
    assert lines[1].startswith("Compiling")
    time.sleep(0.3)
    sent = time.monotonic()
    running.send_signal(number)
    _, err = running.communicate(timeout=60)
    if number != signal.SIGKILL:
        assert time.monotonic() - sent < 3.0
        assert running.returncode == 128 + number
        assert err == "stopped; no part was finished yet. Go on with: domeng-sim run --resume --out run\n"
    assert call(capsys, "run", "--resume", "--out", tmp_path / "run", "--json").status == 0
    assert call(capsys, *words[:-1], tmp_path / "other", "--json").status == 0
    assert contents(tmp_path / "run") == contents(tmp_path / "other")


def test_run__ends_at_once_at_a_second_signal(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys, threading, time\n"
        "from domeng_sim.cli import signals\n"
        "signals._PATIENCE_SECONDS = 60.0\n"
        "with signals.stop_on_signals('the hint') as stop:\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    assert stop.event.wait(5)\n"
        "    print('stopping', flush=True)\n"
        "    time.sleep(60)\n"
    )
    running = start([sys.executable, "-c", script], tmp_path)
    assert running.stdout is not None
    assert running.stdout.readline() == "stopping\n"
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=10)
    assert running.returncode == 130
    assert err == "the hint\n"


def test_run__stopped_before_an_old_run_is_replaced_says_that_nothing_was_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call(capsys, "run", "--matches", 3, "--out", tmp_path / "run")
    before = contents(tmp_path)
    cache = str(tmp_path.parent / f"{tmp_path.name}-cache")
    words = ["run", "--matches", 4, "--seed", 1, "--out", "run", "--overwrite"]
    running = start(command(*words), tmp_path, DOMENG_SIM_CACHE=cache)
    assert running.stderr is not None
    while not running.stderr.readline().startswith("Compiling"):
        pass
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert err.startswith(
        "stopped before anything was written or removed. Begin again with: domeng-sim run --matches 4 "
    )
    assert contents(tmp_path) == before


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of some hundred rounds."""
    for level in plan._PART_ROUNDS:
        monkeypatch.setitem(plan._PART_ROUNDS, level, (300, 300))


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("act", ["write", "close", "sync", "rename", "manifest"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_run__a_full_disk_is_one_line_and_loses_no_finished_part(
    act: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("run", "--matches", 20, "--seed", 5, "--threads", 2)
    call(capsys, *words, "--out", tmp_path / "whole")
    owner, name, first = {
        "write": (RowGroupWriter, "write_batch", 5),
        "close": (RowGroupWriter, "close", 7),
        "sync": (os, "fsync", 6),
        "rename": (os, "replace", 6),
        "manifest": (os, "replace", 9),
    }[act]
    original, calls = getattr(owner, name), []

    def full(*arguments: Any, **options: Any) -> Any:
        calls.append(name)
        if len(calls) >= first:
            raise OSError(number, os.strerror(number))
        return original(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, full)
        said = call(capsys, *words, "--out", tmp_path / "run", "--quiet")
    line = one_line(said)
    assert os.strerror(number) in line
    assert ("free some space and go on with --resume" in line) == (number != errno.EIO)
    assert said.status == 1
    assert not list((tmp_path / "run").rglob(".writing*"))
    for path in (tmp_path / "run").rglob("*.parquet"):
        pq.read_metadata(path)
    kept = len(manifest(tmp_path / "run")["parts"])
    assert call(capsys, "verify", tmp_path / "run").status == 0
    assert call(capsys, "run", "--resume", "--out", tmp_path / "run", "--quiet").status == 0
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")
    assert kept < len(manifest(tmp_path / "run")["parts"])


def fill(path: Path) -> None:
    """Write until the disk is full."""
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"\0" * 4096)


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounts a small disk")
def test_run__on_a_disk_that_is_really_full_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", disk], check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip("may not mount here")
    try:
        said = call(capsys, *LONG, "--out", disk / "run", "--quiet")
        line = one_line(said)
        assert "No space left on device; free some space and go on with --resume" in line
        assert said.status == 1
        for path in (disk / "run").rglob("*.parquet"):
            pq.read_metadata(path)
        assert call(capsys, "verify", disk / "run").status == 0
        assert not list(disk.rglob(".writing*"))
        shutil.rmtree(disk / "run")
        fill(disk / "filler")
        said = call(capsys, *LONG, "--out", disk / "run", "--quiet")
        assert "No space left on device" in one_line(said)
        assert not (disk / "run").exists()
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


@pytest.mark.usefixtures("small_parts")
def test_run__a_failure_in_one_thread_is_told_and_not_the_stops_that_it_causes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    original, calls = parts.PartFiles.write_batch, []

    def fail(*arguments: Any) -> None:
        calls.append(1)
        if len(calls) == 12:
            raise OSError(errno.ENOSPC, "full")
        original(*arguments)

    monkeypatch.setattr(parts.PartFiles, "write_batch", fail)
    for attempt in range(5):
        calls.clear()
        said = call(capsys, "run", "--matches", 60, "--threads", 7, "--quiet", "--out", tmp_path / f"run{attempt}")
        assert said.status == 1, said
