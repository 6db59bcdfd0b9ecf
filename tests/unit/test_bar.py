"""The time left is told by the clock that starts when the first piece of the work is done."""

from __future__ import annotations

import pytest

from domeng_sim.cli import bar


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    one = Clock()
    monkeypatch.setattr(bar, "time", one)
    return one


def test_lines__do_not_count_the_time_that_compiling_takes(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    lines = bar.ProgressLines()
    lines.begin(1000, 0, "samples")
    clock.now = 30.0  # compiled, and the first piece is done
    lines.update(100)
    for second in range(1, 6):
        clock.now = 30.0 + second
        lines.update(100 + 100 * second)
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "100 samples, 10%"
    assert told[1] == "200 samples, 20%, 100 a second, about 0:08 left"
    assert told[-1] == "600 samples, 60%, 100 a second, about 0:04 left"


def test_speed__of_work_that_is_gone_on_with_begins_at_its_first_new_piece(clock: Clock) -> None:
    speed = bar.Speed(500)
    assert speed.rate(500) == 0.0
    clock.now = 10.0
    assert speed.rate(600) == 0.0
    clock.now = 12.0
    assert speed.rate(700) == 50.0


def test_bar__does_not_count_it_either(clock: Clock) -> None:
    shown = bar.Bar()
    shown.begin(1000, 0, "blocks")
    try:
        clock.now = 30.0
        shown.update(100)
        assert shown._progress.tasks[0].fields["rate"] == ""
        clock.now = 31.0
        shown.update(200)
        assert shown._progress.tasks[0].fields["rate"] == "100 blocks/s"
    finally:
        shown.end()
