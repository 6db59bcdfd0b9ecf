"""The time left is told by the clock that starts when the first piece of the work is done."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from domeng_sim.cli import bar, main


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


@pytest.mark.compiled
@pytest.mark.parametrize("size", [(80, 24), (48, 12)])
@pytest.mark.parametrize("game", ["domeng", "draw"])
def test_live__shows_odds_that_fit_and_changes_no_row(
    clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, size: tuple[int, int]
) -> None:
    """What is shown at the end of a run are its figures, with wider intervals, and the dataset is the same."""
    from domeng_sim.analysis.metrics import figures
    from domeng_sim.api.carry_out import runs
    from domeng_sim.api.carry_out.watch import Watch
    from domeng_sim.api.requests.runs import RunRequest

    for name, value in zip(("COLUMNS", "LINES"), size, strict=True):
        monkeypatch.setenv(name, str(value))
    shown, drawn, seen = bar.LiveOdds(), [], []
    shown._console.file = io.StringIO()

    def show(live):
        clock.now += 1.5
        shown.show(live)
        drawn.append([line.plain for line in shown._above])
        seen.append(live.rows())

    asked = {"game": game, "matches": 4_000, "seed": 1, "threads": 2, "tables": "games"}
    watched = runs.play_run(RunRequest(out=tmp_path / "a", **asked), Watch(shown, live=show))
    alone = runs.play_run(RunRequest(out=tmp_path / "b", **asked))
    assert watched.dataset.manifest["identity"] == alone.dataset.manifest["identity"]
    assert [part.sha256 for part in watched.dataset.parts] == [part.sha256 for part in alone.dataset.parts]
    assert len(drawn) > 2
    assert all(len(lines) <= size[1] - 2 and max(map(len, lines)) <= size[0] for lines in drawn)
    known = figures(watched.dataset.spec, watched.dataset.rules, watched.counts[: seen[-1][0].estimate.clusters])
    for row in seen[-1]:
        want = known[row.key]
        assert row.estimate.value == pytest.approx(want.value)
        if row.estimate.half_width and want.half_width and want.kind == "cluster-student":
            assert row.estimate.half_width > 1.2 * want.half_width
    assert any(row.estimate.kind == "anytime" for row in seen[-1])


def test_live__without_a_terminal_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for more, says in ((["--rounds", "10"], "--live needs a terminal"), (["--quiet"], "do not go together")):
        assert main(["run", "--live", *more]) == 2
        err = capsys.readouterr().err
        assert says in err and len(err.splitlines()) == 1
    assert not list(tmp_path.iterdir())
