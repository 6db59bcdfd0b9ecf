"""What used to end in a traceback is one line, with its status, from every reader and at any time."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command_line import call, command, environment, one_line

DEEP = {"array": "a=" + "[" * 5000, "table": "a=" + "{a=" * 5000, "names": "a." * 5000 + "b=1", "head": "[" * 5000}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize(
    "words",
    [
        ["run", "--config", "deep.toml"],
        ["run", "--seats", "deep.toml"],
        ["strategies", "deep.toml"],
        ["compare", "deep.toml:x", "random"],
        ["odds", "--position", "deep.toml"],
        ["odds", "--seat", "0", "--hand", "TEXT"],
        ["odds", "--seat", "0", "--hand", "6|5", "--log", "TEXT"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_brackets__in_brackets_are_one_short_line_in_every_file(
    words: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("deep.toml").write_text(text)
    said = call(capsys, *[text if word == "TEXT" else word for word in words])
    assert said.status == 2
    assert len(one_line(said)) < 2000
    assert [path.name for path in tmp_path.iterdir()] == ["deep.toml"]


def test_option__given_once_of_several_is_shown_as_it_was_typed(capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, "compare", "master", "random", "--until", "0pp")
    assert one_line(said).endswith("or the word decided, not '0pp' (see domeng-sim compare --help)")
    said = call(capsys, "odds", "--hand", "6|5", "--seat", "0", "--until", "0pp")
    assert "decided" not in one_line(said) and said.status == 2


def test_position__with_an_unknown_part_names_it_as_it_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "position").write_text("a: 6|5\n")
    assert "has no 'a'; it has hand," in one_line(call(capsys, "odds", "--position", tmp_path / "position"))


# A signal while Python itself starts is not ours. A job in the background, which the tests may be, ignores Ctrl-C.
STARTED = (
    "import signal, sys; from domeng_sim.__main__ import main; "
    "signal.signal(signal.SIGINT, signal.default_int_handler); print('up', flush=True); sys.exit(main())"
)


@pytest.mark.compiled
@pytest.mark.parametrize("gap", [0.001, 0.005, 0.02])
@pytest.mark.parametrize("wait", [0.05, 0.3, 0.6, None])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_second_signal__at_any_time_leaves_no_traceback(
    number: int, wait: float | None, gap: float, tmp_path: Path
) -> None:
    running = subprocess.Popen(
        [sys.executable, "-c", STARTED, *command("compare", "master", "random", "--blocks", "100000")[3:]],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None and running.stderr is not None
    assert running.stdout.readline() == "up\n"
    if wait is None:
        while "against random" not in running.stderr.readline():
            pass
    else:
        time.sleep(wait)
    running.send_signal(number)
    time.sleep(gap)
    running.send_signal(number)
    _, err = running.communicate(timeout=60)
    assert "Traceback" not in err and "Exception" not in err, err
    # while the program is still loaded, a signal ends it as it ends any
    assert running.returncode in ((128 + number,) if wait is None else (128 + number, -number)), err
    assert err.count("stopped") <= 1
    assert list(tmp_path.iterdir()) == []
