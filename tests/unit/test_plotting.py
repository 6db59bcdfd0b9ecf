"""Results as people look at them: small tables, data frames, charts, and names that are not quite right."""

from __future__ import annotations

import sys
import typing
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

import domeng_sim
from domeng_sim.api.frames import Tables
from domeng_sim.api.results import Ranking
from domeng_sim.comparisons.design import Setting
from domeng_sim.comparisons.sequential import StudySession
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.comparisons.tournament import tournament
from domeng_sim.comparisons.tournament_result import Entrants
from domeng_sim.errors import BadInput, Unknown
from domeng_sim.games import game
from domeng_sim.strategies.resolve import resolve
from tests.report_runs import MIXED, make_run

ASKED: dict[str, Any] = {"hand": "6|5 4|1 3|1 2|1", "log": "0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r", "stones": "2,1,2,3,4"}


@pytest.fixture(autouse=True)
def _no_windows() -> typing.Iterator[None]:
    mpl.use("agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="module")
def played() -> domeng_sim.Tables:
    return domeng_sim.simulate(matches=60, seed=5)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> domeng_sim.Report:
    root = tmp_path_factory.mktemp("runs")
    make_run(root / "one", seats=MIXED)
    make_run(root / "two", seats=MIXED, rules={"stones": 20})
    return domeng_sim.report(root / "one", root / "two")


@pytest.fixture(scope="module")
def ranking() -> Ranking:
    spec = game("draw")
    rules = spec.resolve_rules({})
    strategies = tuple(resolve(name, spec) for name in ("random", "heaviest", "starver"))
    found = tournament(Entrants(Setting("draw", rules, 1, 2), strategies), Stopping(blocks=60), StudySession())
    return Ranking.of(found)


@pytest.mark.parametrize(
    ("key", "n"), [("outcome", 1), ("outcome.ceki", 1), ("seat.held", 1), ("game_length", 1), ("held", 6), (None, 1)]
)
def test_figures__are_drawn_by_key(played: domeng_sim.Tables, key: str | None, n: int) -> None:
    axes = played.figures.plot(key)
    assert all(isinstance(one, Axes) for one in np.atleast_1d(axes)) and np.size(axes) == n


def test_figures__of_a_row_are_drawn_as_they_are(played: domeng_sim.Tables) -> None:
    axes = played.figures.plot("seat.held")
    lengths = [bar.get_width() for bar in axes.patches]
    assert lengths == pytest.approx([played.figures[f"seat.held.{seat}"].value for seat in range(5)])
    assert [label.get_text() for label in axes.get_yticklabels()] == [f"seat {seat}" for seat in range(5)]


def test_figures__are_drawn_on_given_axes_one_column_at_a_time(played: domeng_sim.Tables) -> None:
    import matplotlib.pyplot as plt

    _, axes = plt.subplots()
    assert played.figures.plot("held", column="the table", ax=axes) is axes
    with pytest.raises(BadInput, match="name it by column: seat 0, seat 1"):
        played.figures.plot("held", ax=axes)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"key": "outcome.cek"}, "no figure 'outcome.cek'; did you mean outcome.ceki"),
        ({"key": "seat.hold"}, "did you mean seat.held"),
        ({"key": "held", "column": "seat0"}, "no column 'seat0'; did you mean seat 0"),
        ({"key": "xyz"}, "no figure 'xyz'; there are outcome, "),
    ],
)
def test_plot__suggests_names_that_are_near(played: domeng_sim.Tables, options: dict[str, str], said: str) -> None:
    with pytest.raises(Unknown, match=said) as raised:
        played.figures.plot(**options)
    assert isinstance(raised.value, KeyError) and isinstance(raised.value, BadInput)
    assert "\n" not in str(raised.value)


def test_plot__says_what_of_a_section_of_several_units_can_be_drawn(played: domeng_sim.Tables) -> None:
    with pytest.raises(BadInput, match=r"several units; name one of them: seat\.camat, seat\.camat_again, seat\.wins"):
        played.figures.plot("seat")
    with pytest.raises(BadInput, match=r"name one of them: round\.plays, round\.passes"):
        played.figures.plot("round")


def test_names__that_are_not_there_are_told_with_those_that_are_near(
    played: domeng_sim.Tables, report: domeng_sim.Report
) -> None:
    with pytest.raises(Unknown, match=r"did you mean outcome\.ceki"):
        _ = played.figures["outcome.cek"]
    with pytest.raises(Unknown, match="did you mean held"):
        played.figures.frame("helt")
    with pytest.raises(Unknown, match="no column 'outcom'; did you mean outcome"):
        played.table("rounds", ["outcom"])
    with pytest.raises(Unknown, match="no table 'round'; did you mean rounds"):
        played.table("round")
    with pytest.raises(Unknown, match=r"did you mean outcome\.ceki"):
        report.estimate("outcome.cek")
    with pytest.raises(Unknown, match="did you mean outcome"):
        report.plot("outcom")
    with pytest.raises(Unknown, match="did you mean held"):
        report.frame("helt")


def test_frames__hold_every_figure(played: domeng_sim.Tables, report: domeng_sim.Report) -> None:
    frame = played.figures.frame()
    assert len(frame) == len(list(played.figures))
    assert frame.value.dtype == frame.low.dtype == "float64"
    told = report.frame("outcome")
    assert list(told.columns[:4]) == ["run", "minus", "section", "key"]
    assert told.groupby(["run", "minus"]).size().to_dict() == {("one", ""): 5, ("two", ""): 5, ("two", "one"): 5}


def test_tables__are_typed_as_data_frames(played: domeng_sim.Tables) -> None:
    for name in ("games", "rounds", "events"):
        assert typing.get_type_hints(getattr(Tables, name).func)["return"] is pd.DataFrame
    assert isinstance(played.rounds, pd.DataFrame)


def test_tables__are_given_to_arrow_and_polars(played: domeng_sim.Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    assert played.to_arrow("rounds").num_rows == len(played.rounds)
    assert played.figures.to_arrow().num_rows == len(played.figures.frame())
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(BadInput, match="polars is not installed; install it by: pip install polars"):
        played.to_polars("rounds")
    with pytest.raises(BadInput, match="polars is not installed"):
        played.figures.to_polars()


def test_tables__are_given_to_polars_where_it_is(played: domeng_sim.Tables) -> None:
    polars = pytest.importorskip("polars")
    frame = played.to_polars("rounds")
    assert isinstance(frame, polars.DataFrame) and frame.height == len(played.rounds)


def small(text: str) -> bool:
    return text.count("<tr>") <= 60 and len(text) < 12_000 and "±" in text and "<script" not in text


def test_reprs__are_a_line_and_tables_small(played: domeng_sim.Tables, report: domeng_sim.Report) -> None:
    for one in (played, played.figures, report):
        assert len(repr(one)) < 400 and "\n" not in repr(one)
        assert small(one._repr_html_()), one
    assert "77" in played.figures._repr_html_()


def test_names__are_escaped_in_small_tables(tmp_path: Path) -> None:
    made = domeng_sim.report(make_run(tmp_path / "<b>\u202e", seats=MIXED, tables="summary"))
    text = made._repr_html_()
    assert "&lt;b&gt;\\u202e" in text and "<b>\u202e" not in text


@pytest.mark.compiled
def test_comparison__is_drawn_with_the_fair_share() -> None:
    answer = domeng_sim.compare("starver", "random", game="draw", blocks=100)
    axes = answer.plot()
    fair = [line for line in axes.get_lines() if len(set(line.get_xdata())) == 1 and line.get_linestyle() == "--"]
    assert fair and fair[0].get_xdata()[0] == 50
    assert small(answer._repr_html_()) and len(repr(answer)) < 200
    frame = answer.frame()
    assert frame.loc[frame.section == "share", "value"].tolist() == [end.share.value for end in answer.ends]
    assert isinstance(answer, domeng_sim.Comparison)


@pytest.mark.compiled
def test_comparison__by_a_sequential_test_shows_the_interval_alone() -> None:
    answer = domeng_sim.compare("lightest", "random", sprt=(0.1, 0.15), seed=1, games_per_match=2)
    assert answer.frame("share").value.isna().all()
    texts = [text.get_text() for text in answer.plot().texts]
    assert len(texts) == 1 and "±" not in texts[0] and " to " in texts[0]


@pytest.mark.compiled
def test_odds__are_drawn_a_bar_for_each_move() -> None:
    answer = domeng_sim.odds(samples=500, **ASKED)
    axes = answer.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == [move.text for move in answer.moves]
    assert set(answer.frame().section) == set(answer.moves[0].figures)
    assert small(answer._repr_html_())


@pytest.mark.compiled
def test_ranking__is_drawn_best_first(ranking: Ranking) -> None:
    assert isinstance(ranking.plot(), Axes) and isinstance(ranking.plot("pairs"), Axes)
    assert ranking.frame("share").value.is_monotonic_decreasing
    assert small(ranking._repr_html_()) and len(repr(ranking)) < 200


def test_report__draws_its_panels(report: domeng_sim.Report) -> None:
    assert isinstance(report.plot("outcome"), Axes)
    assert len(report.plot("held")) == 6
    assert isinstance(report.plot("held", column="seat 0"), Axes)


def test_report__draws_differences_to_its_first_run(report: domeng_sim.Report) -> None:
    axes = report.plot("game.rounds", differences=True)
    estimate = next(p for p in report.plates() if p.key == "game").differences[0]["game.rounds"]
    (bar,) = axes.patches
    assert bar.get_width() == pytest.approx(estimate.value)
    assert len(report.plot("outcome", differences=True).patches) == 5
    with pytest.raises(Unknown, match=r"did you mean game\.rounds"):
        report.plot("game.round", differences=True)


def test_report__frame_has_counts(report: domeng_sim.Report) -> None:
    frame = report.frame("outcome")
    own = frame[frame.minus == ""]
    assert ((own["count"] / own["of"]).astype(float) - own.value).abs().max() < 1e-12
    assert frame[frame.minus != ""]["count"].isna().all()
