"""Sweeps: which points a grid has, what is wrong with one, and that its figures are those of other studies."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import domeng_sim
from domeng_sim.api.requests.sweep import SweepRequest
from domeng_sim.cli import main, signals
from domeng_sim.comparisons.blocks import Scores
from domeng_sim.comparisons.points import PointSums, linear_scores, paired, together
from domeng_sim.comparisons.sequential import Chunk
from domeng_sim.errors import BadInput
from domeng_sim.runs.plan import Range

FAST = ["--games-per-match", "1", "--blocks", "20", "--seed", "1"]


@pytest.mark.parametrize(
    ("over", "more", "points", "reference"),
    [
        ("weights.unseen=-2..0/0.75", {"base": "master"}, ["unseen=-2", "unseen=-1.25", "unseen=-0.5"], 0),
        (["rule.stones=20..26/5", "rule.camat_check=after,before"], {}, ["stones=20, camat_check=after"], 2),
        ({"rule.stones": np.arange(10, 40, 15)}, {}, ["stones=10", "stones=25"], 1),
        ({"rule.stones": range(3, 5)}, {"rules": {"stones": 4}}, ["stones=3", "stones=4"], 1),
        ("n=10,30,100", {"base": "search"}, ["n=10", "n=30", "n=100"], 2),
        ("n=10,30", {"base": "search+n=30+base=banker"}, ["n=10", "n=30"], 1),
        ("temperature=0,.50", {"base": "master"}, ["temperature=0", "temperature=0.5"], 0),
        ("weights.unseen=-1,0", {"base": "master", "reference": ["unseen=-0.0"]}, ["unseen=-1", "unseen=0"], 1),
        ("rule.stones=1..3", {"reference": ["rule.stones=2"]}, ["stones=1", "stones=2", "stones=3"], 1),
    ],
)
def test_grid__has_these_points_and_this_reference(
    over: Any, more: dict[str, Any], points: list[str], reference: int
) -> None:
    grid = SweepRequest(over=over, seed=1, **more).grid
    labels = [point.label for point in grid.points]
    assert labels[: len(points)] == points
    assert grid.reference == (reference if len(labels) > len(points) or reference < len(points) else None)
    assert all(point.strategy.text != "master" for point in grid.points if point.label == "unseen=-2")


def test_grid__of_equal_play_plays_it_once() -> None:
    """Weights that differ by a common factor, and a rule that is given its own value, are the same table."""
    grid = SweepRequest(over="weights.unseen=-1,-2", base="random", against="random", seed=1).grid
    tables, at = grid.tables()
    assert (len(tables), at) == (1, (0, 0))


BAD = [
    ([], "--over must say what is changed"),
    (["--over", ""], "--over takes"),
    (["--over", "rule.stones"], "needs values, as in rule.stones=10,20"),
    (["--over", "rule.stones="], "needs values"),
    (["--over", "rule.stones=10,,20"], "needs values"),
    (["--over", "rule.stonse=10,20"], "did you mean stones"),
    (["--over", "rule.stones=250..260/5"], "must be a whole number"),
    (["--over", "rule.stones=10..12/0.5"], "must be a whole number"),
    (["--over", "rule.camat_check=never"], "must be"),
    (["--over", "rule.stones=10..40/0"], "must be above 0"),
    (["--over", "rule.stones=10..40/-5"], "must be above 0"),
    (["--over", "rule.stones=40..10/5"], "is empty; the least comes first, as in 10..40"),
    (["--over", "rule.stones=10..x"], "takes a range"),
    (["--over", "rule.stones=10,10"], "twice"),
    (["--over", "rule.stones=10", "--over", "rule.stones=20"], "is given twice"),
    (["--over", "rule.stones=1..200", "--over", "rule.cappu_stones=0,1"], "at most 256 points"),
    (["--over", "weights.unseen=-2..0/1e-9", "--base", "master"], "takes a range"),
    (["--over", "weights.unseen=-2..0/0.0001", "--base", "master"], "at most 256 points, not 20001"),
    (["--over", "weights.unseen=-2..0", "--base", "master"], "needs a step, as in -2..0/0.25"),
    (["--over", "weights.unseen=a,b", "--base", "master"], "takes numbers such as -1.5"),
    (["--over", "weights.unsen=1", "--base", "master"], "did you mean unseen"),
    (["--over", "weights.unseen=1e9", "--base", "master"], "takes numbers"),
    (["--over", "weights.unseen=99999999", "--base", "master"], "unseen"),
    (["--over", "weights.unseen=1"], "--base must name the strategy that is changed"),
    (["--over", "weights.unseen=1", "--base", "search"], "has no weights to be changed"),
    (["--over", "n=10", "--base", "master"], "master has no option 'n'"),
    (["--over", "m=10", "--base", "search"], "search has no option 'm'"),
    (["--over", "n=0,10", "--base", "search"], "n must be a whole number from 1"),
    (["--over", "unseen=1", "--base", "master"], "did you mean weights.unseen"),
    (["--over", "weights.unseen=1", "--base", "mastre"], "no strategy 'mastre'"),
    (["--over", "rule.stones=10", "--against", "nobody"], "no strategy 'nobody'"),
    (["--over", "rule.stones=10", "--against", "random,random"], "--against takes one strategy"),
    (["--over", "rule.stones=10", "--reference", "stones=11"], "is no value of rule.stones; it takes 10"),
    (["--over", "rule.stones=10", "--reference", "unseen=1"], "the grid is not over 'unseen', but over rule.stones"),
    (["--over", "rule.stones=10", "--reference", "stones=10", "--reference", "rule.stones=10"], "is given twice"),
    (["--over", "rule.stones=10", "--blocks", "0"], "--blocks takes"),
    (["--over", "rule.stones=1..100", "--blocks", "1e6"], "--blocks takes at most 500000"),
    (["--over", "rule.stones=10", "--level", "95"], "--level takes"),
    (["--over", "rule.stones=10", "--resume"], "--resume goes with --out only"),
    (["--over", "rule.stones=10", "--html", "no/page.html"], "is no directory"),
]


@pytest.mark.parametrize(("words", "says"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_input__is_one_line_and_status_2(
    words: list[str], says: str, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status = main(["sweep", *words])
    out, err = capfd.readouterr()
    assert (status, out, len(err.splitlines())) == (2, "", 1), err
    assert says in err
    assert not list(tmp_path.iterdir())


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("game", "over", "base", "against"),
    [
        ("domeng", "weights.unseen=-3,0", "master", "banker"),
        ("draw", "weights.double=0,4", "starver", "random"),
        ("domeng", "rule.stones=10,25", "heaviest", "random"),
    ],
)
def test_share__is_that_of_a_comparison(game: str, over: str, base: str, against: str) -> None:
    found = domeng_sim.sweep(over=over, base=base, against=against, game=game, blocks=60, games_per_match=2, seed=3)
    for point, cells in zip(found.grid.points, found.cells, strict=True):
        told = domeng_sim.compare(
            point.strategy.text, against, game=game, field=1, blocks=60, games_per_match=2, seed=3,
            rules=dict(point.rules),
        )  # fmt: skip
        share = told.ends[0].share
        assert cells[0].estimate.value == pytest.approx(share.value)
        assert (cells[0].estimate.low, cells[0].estimate.high) == pytest.approx((share.low, share.high))
    ends = [cells[0].estimate.value for cells in found.cells]
    assert [cells[0].difference.value for cells in found.cells] == pytest.approx(
        [value - ends[found.grid.reference] for value in ends]
    )


@pytest.mark.compiled
def test_figures__are_those_of_sensitivity_with_wider_intervals() -> None:
    asked = {"blocks": 150, "games_per_match": 2, "seed": 1}
    found = domeng_sim.sweep(over="rule.stones=25,9", **asked)
    told = domeng_sim.sensitivity(option="stones=9", **asked)
    assert found.grid.reference == 0
    for effect, cell in zip(told.effects[0], found.cells[1], strict=True):
        assert cell.estimate == effect.after
        assert cell.difference.value == pytest.approx(effect.difference.value)
        if cell.difference.half_width is not None:
            assert cell.difference.half_width >= 0.95 * effect.difference.half_width


def test_groups_that_become_one_keep_every_sum() -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(1, 9, (777, 2, 3, 2))

    def read(scores: Scores, lineup: Any) -> Any:
        return values[scores.won[:, 0], lineup]

    kept = []
    for most in (0, 50):
        sums, at = PointSums((0, 1), read, 0, most), 0  # type: ignore[arg-type]
        for n in (10, 30, 100, 301, 336):
            nothing = np.zeros((n, 1, 0), np.int64)
            scores = Scores(np.arange(at, at + n)[:, np.newaxis], nothing, np.ones((n, 3), np.int64))
            sums.add(Chunk(Range(at, at + n), (scores, scores)))
            at += n
        sums.finish()
        kept.append(sums)
    one, other = kept
    assert (one.size, len(one.sums), other.size, len(other.sums)) == (1, 777, 16, 49)
    assert (one.sums == values).all()
    assert (other.sums[0] == values[:16].sum(axis=0)).all() and (other.sums[-1] == values[768:].sum(axis=0)).all()
    assert (one.differing == other.differing).all() and one.rounds == other.rounds == [777, 777]
    score = linear_scores(one.sums[:, 0, 0], one.sums[:, 1, 0])
    want = paired(one.sums[:, 0, 0], one.sums[:, 1, 0], 700, "", 0.95)
    assert score.mean() == pytest.approx(want.value)


def test_differences__hold_together() -> None:
    """Of 300 grids of five points all intervals hold in at least 266: fewer come once in 100,000 at 95 %."""
    rng, held, alone = np.random.default_rng(7), 0, 0
    for _ in range(300):
        common = rng.gamma(4, 5, 80)
        trials = rng.integers(20, 60, (6, 80))
        events = rng.poisson(common * rng.gamma(3, 1 / 3, (6, 80)))
        points = np.stack([events, trials], axis=2)
        pairs = [(points[0], one, 80, "") for one in points[1:]]
        found = together(pairs, 0.95)
        held += not any(one.excludes(0.0) for one in found)
        alone += not any(paired(*pair, level=0.95).excludes(0.0) for pair in pairs)
        assert {one.kind for one in found} == {"simultaneous"}
    assert held >= 266
    assert alone < 266  # else the test could not fail


@pytest.mark.compiled
def test_command__keeps_blocks_takes_in_more_points_and_draws(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    over = ["--over", "rule.stones=9,25"]
    keep = ["--out", str(tmp_path / "kept"), "--json"]
    assert main(["sweep", *over, *FAST, *keep, "--html", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text()
    assert page.count("<svg") >= 40 and "stones=9" in page
    capfd.readouterr()
    assert main(["sweep", *over, *FAST, *keep]) == 3
    assert main(["sweep", "--over", "rule.stones=9,25,30", *FAST, *keep, "--resume"]) == 0
    more = json.loads(capfd.readouterr().out)
    assert main(["sweep", "--over", "rule.stones=9,25,30", *FAST, "--json", "--threads", "1"]) == 0
    alone = json.loads(capfd.readouterr().out)
    assert {**more, "seconds": 0} == {**alone, "seconds": 0}
    assert main(["verify", str(tmp_path / "kept")]) == 0
    assert main(["sweep", *over, *FAST, "--html", str(tmp_path / "page.html")]) == 3
    capfd.readouterr()
    for width in (48, 80):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COLUMNS", str(width))
            assert main(["sweep", *over, *FAST, "--full"]) == 0
        out = capfd.readouterr().out
        assert "reference: stones=25" in out and "●" in out
        assert max(len(line) for line in out[: out.index("The same again")].splitlines()) <= width


@pytest.mark.compiled
@pytest.mark.parametrize("words", [["--blocks", "1"], ["--blocks", "2", "--rule", "max_rounds=1"]])
def test_command__ends_well_where_hardly_anything_is_known(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    for over in (["rule.stones=9,25"], ["weights.unseen=-1,0", "--base", "master"]):
        for more in ([], ["--json"]):
            assert main(["sweep", "--over", *over, "--seed", "1", *words, *more]) == 0
            assert "nan" not in capfd.readouterr().out.lower().split()


@pytest.mark.compiled
def test_command__stopped_prints_what_is_known(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(signals.Stop):
        def __init__(self, hint: Any) -> None:
            super().__init__(hint)
            self.event = threading.Event()
            self.event.set()

    monkeypatch.setattr(signals, "Stop", Stopped)
    assert main(["sweep", "--over", "rule.stones=9,25", *FAST]) == 130
    assert "nothing can be said" in capfd.readouterr().out


@pytest.mark.compiled
def test_result__is_a_frame_a_picture_and_a_table() -> None:
    found = domeng_sim.sweep(over=["weights.unseen=-1,0", "rule.stones=9,25"], base="master", blocks=30, seed=1)
    frame = found.frame("share")
    assert list(frame.label) == [point.label for point in found.grid.points]
    assert len(found.frame()) == 2 * 4 * len(found.measures)
    for key in (None, "share", "difference.share", "difference.game.rounds"):
        axes = found.plot(key)
        assert len(axes.get_yticklabels()) == 4
        low, high = axes.get_xlim()
        assert all(low <= x <= high for line in axes.lines[:-1] for x in line.get_xdata() if line.get_marker() == "o")
    assert "stones=9" in found._repr_html_() and "Sweep" in repr(found)
    with pytest.raises(BadInput):
        domeng_sim.sweep(over="rule.stones=9", base=5)
