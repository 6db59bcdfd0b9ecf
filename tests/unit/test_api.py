"""The library: what it returns is what the command writes."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import domeng_sim
from domeng_sim.errors import BadInput, Refused

OPTIONS: dict[str, Any] = {
    "rounds": 3000,
    "seed": 5,
    "tables": "events",
    "seats": ["random", "heaviest", "random", "random", "random"],
}


@pytest.fixture(scope="module")
def played() -> domeng_sim.Tables:
    return domeng_sim.simulate(**OPTIONS)


def test_simulate__gives_the_rows_of_a_run_on_disk(played: domeng_sim.Tables, tmp_path: Path) -> None:
    stored = domeng_sim.run(tmp_path / "run", threads=2, **OPTIONS)
    for name in ("games", "rounds", "events"):
        pd.testing.assert_frame_equal(getattr(stored, name), getattr(played, name))
    np.testing.assert_array_equal(stored.counts, played.counts)
    assert domeng_sim.load(tmp_path / "run").figures.to_json() == played.figures.to_json()


def test_simulate__plays_the_smallest_number_of_matches_with_enough_rounds(played: domeng_sim.Tables) -> None:
    by_match = played.rounds.groupby("match").size().to_numpy()
    assert by_match.sum() >= OPTIONS["rounds"] > by_match[:-1].sum()


def test_simulate__has_labels_as_categories_and_keys_as_index(played: domeng_sim.Tables) -> None:
    assert list(played.rounds.index.names) == ["match", "game", "round"]
    assert list(played.rounds.outcome.cat.categories) == ["cappu", "ceki", "pollo", "manguno", "mattikkeng"]
    assert played.events.index.is_unique and played.events.index.is_monotonic_increasing
    assert played.rounds.attrs["domeng_sim"]["seed"] == "5"


def test_table__reads_only_the_columns_asked_for(played: domeng_sim.Tables) -> None:
    assert list(played.table("rounds", ["outcome"]).columns) == ["outcome"]


def test_simulate__names_a_table_that_was_not_kept() -> None:
    with pytest.raises(BadInput, match="'rounds' was not kept"):
        _ = domeng_sim.simulate(matches=1, seed=0, tables="games").rounds


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"matches": 1, "rounds": 5}, "matches= and rounds= do not go together"),
        ({"matches": 1, "seed": -1}, r"seed= takes a whole number from \d+ to \d+, not"),
        ({"matches": 1, "strategy": "randon"}, "random"),
        ({"matches": 1, "strategy": ""}, "strategy= takes the name of a strategy, not ''"),
        ({"matches": 1, "strategy": "random", "seats": ["random"]}, "strategy= and seats= do not go together"),
        ({"matches": 1, "seats": ["random"]}, "seats= takes 5 strategies separated by commas, not 1"),
        ({"matches": 1, "rules": {"stonse": 3}}, "no rule"),
        ({"matches": 1, "game": "chess"}, "game= takes domeng, draw or block, not 'chess'"),
        ({"matches": 1, "tables": "round"}, "tables= takes summary, games, rounds or events"),
        ({"matches": 0}, r"matches= takes a whole number from \d+ to \d+, not"),
        ({"matches": -3}, r"matches= takes a whole number from \d+ to \d+, not"),
        ({"matches": np.int64(0)}, r"matches= takes a whole number from \d+ to \d+, not"),
        ({"rounds": 0}, r"rounds= takes a whole number from \d+ to \d+, not"),
        ({"rounds": 2.5}, r"rounds= takes a whole number from \d+ to \d+, not"),
        ({"matches": 2, "rounds_per_match": 0}, r"rounds_per_match= takes a whole number from \d+ to \d+, not"),
        ({"matches": 2, "games_per_match": 0}, r"games_per_match= takes a whole number from \d+ to \d+, not"),
        ({"matches": 2, "seat": ["random"]}, "simulate has no option 'seat'; there are matches, .* seats, game, rules"),
    ],
)
def test_simulate__says_what_is_wrong(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        domeng_sim.simulate(**options)


def test_simulate__takes_one_strategy_for_all_as_a_list_of_it() -> None:
    one = domeng_sim.simulate(matches=2, strategy="heaviest")
    each = domeng_sim.simulate(matches=2, seats="heaviest, heaviest,heaviest,heaviest,heaviest")
    pd.testing.assert_frame_equal(one.rounds, each.rounds)


@pytest.mark.parametrize("name", ["simulate", "run", "compare", "odds"])
def test_help__tells_every_option_and_its_meaning(name: str) -> None:
    function = getattr(domeng_sim, name)
    told = pydoc.render_doc(function, renderer=pydoc.plaintext)  # type: ignore[attr-defined]
    parameters = inspect.signature(function).parameters.values()
    lines = (function.__doc__ or "").splitlines()
    described = {name.strip(" *") for line in lines for name in line.split(", ")}
    for parameter in parameters:
        assert f"{parameter.name}: " in told, parameter.name
        assert parameter.name in described, parameter.name


def test_run__replaces_and_goes_on_as_the_command_does(tmp_path: Path) -> None:
    where = tmp_path / "run"
    domeng_sim.run(where, matches=2)
    with pytest.raises(Refused, match="go on with it by resume=True, replace it by overwrite=True") as refused:
        domeng_sim.run(where, matches=3)
    assert "--" not in str(refused.value)
    assert domeng_sim.run(where, matches=3, overwrite=True).manifest["matches"] == 3
    assert domeng_sim.run(where, matches=3, resume=True).manifest["matches"] == 3
    with pytest.raises(BadInput, match="resume= and overwrite= do not go together"):
        domeng_sim.run(where, matches=3, resume=True, overwrite=True)


def test_resume__takes_what_is_not_given_from_what_is_there(tmp_path: Path) -> None:
    three = "heaviest", "random", "blocker"
    asked = {"game": "block", "rules": {"target": 20}, "seed": 7, "games_per_match": 2}
    run = domeng_sim.run(tmp_path / "run", matches=3, tables="games", strategy="heaviest", **asked).manifest
    study = domeng_sim.compare("heaviest", "random", blocks=3, level=0.9, out=tmp_path / "study", **asked)
    rank = domeng_sim.tournament(*three, blocks=3, out=tmp_path / "rank", **asked)
    again = domeng_sim.run(tmp_path / "run", resume=True).manifest
    assert {**again, "run": run["run"]} == run
    same = domeng_sim.compare("heaviest", "random", resume=True, out=tmp_path / "study")
    assert same.ends == study.ends and same.ends[0].share.level == 0.9
    assert domeng_sim.tournament(*three, resume=True, out=tmp_path / "rank").places == rank.places
    # what is given counts, also where it is what is usual elsewhere
    for call, given in (
        (lambda **more: domeng_sim.run(tmp_path / "run", resume=True, **more), {"seed": 0}),
        (
            lambda **more: domeng_sim.compare("heaviest", "random", resume=True, out=tmp_path / "study", **more),
            {"seed": 0},
        ),
        (lambda **more: domeng_sim.run(tmp_path / "run", resume=True, **more), {"game": "domeng"}),
    ):
        with pytest.raises(Refused, match=r"was .*, now"):
            call(**given)
    # and what begins has the usual seed
    assert domeng_sim.run(tmp_path / "new", matches=1, resume=True).manifest["seed"] == "0"


def test_import__loads_nothing_heavy() -> None:
    code = "import sys, domeng_sim; print(sorted({'numba', 'numpy', 'pandas', 'pyarrow', 'click'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- Comparisons and odds ---------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_compare__plays_until_the_share_is_known_as_the_command_does() -> None:
    answer = domeng_sim.compare("heaviest", "random", game="draw", until="5pp", seed=1, max_blocks=5000)
    assert answer.reason == "until" and not answer.stopping.fixed
    assert [end.label for end in answer.ends] == ["heaviest against random"]
    half = answer.ends[0].share.half_width
    assert half is not None and half <= 0.05


@pytest.mark.compiled
@pytest.mark.parametrize(("sprt", "verdict"), [((0.2, 0.25), "H0"), ((0.1, 0.15), "H1")])
def test_compare__tests_two_shares(sprt: tuple[float, float], verdict: str) -> None:
    answer = domeng_sim.compare("lightest", "random", sprt=sprt, seed=1, games_per_match=2)
    assert answer.test is not None and answer.test.verdict == verdict
    assert len(answer.ends) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"until": "5pp", "blocks": 100}, "blocks= and until= do not go together"),
        ({"blocks": 0}, r"blocks= takes a whole number from \d+ to \d+, not"),
        ({"blocks": -5}, r"blocks= takes a whole number from \d+ to \d+, not"),
        ({"max_blocks": 0}, r"max_blocks= takes a whole number from \d+ to \d+, not"),
        ({"games_per_match": 0}, r"games_per_match= takes a whole number from \d+ to \d+, not"),
        ({"threads": 0}, r"threads= takes a whole number from \d+ to \d+, not"),
        ({"blocks": 5, "max_blocks": 5}, "blocks= and max_blocks= do not go together"),
        ({"time_limit": 0.0}, "time_limit= takes seconds above 0, not 0.0"),
        ({"level": 1.5}, "level= takes a number between 0 and 1, such as 0.95, not 1.5"),
        ({"field": 5}, "field= takes how many A sit at the table, 1 to 4"),
        ({"sprt": (0.2,)}, "sprt= takes two shares"),
        ({"alpha": 0.1}, "alpha= goes with sprt= only"),
        (
            {"opponents": ["random", "random"]},
            "opponents= takes one strategy, or one for each of the 4 other seats, not 2",
        ),
        ({"against": "random"}, "compare has no option 'against'; there are a, b, field"),
        ({"sprt": (0.2, 0.21), "blocks": 100}, "sprt= and blocks="),
        ({"sprt": (0.2, 0.21), "until": "decided"}, "sprt= and until="),
        ({"sprt": (0.3, 0.21)}, "the smaller first"),
        ({"until": "soon"}, "takes"),
        ({"game": "draw", "all_mixes": True}, "the plain comparison says it all"),
    ],
)
def test_compare__refuses_what_does_not_go_together(options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        domeng_sim.compare("random", "heaviest", **options)


@pytest.mark.compiled
def test_compare__takes_level_and_field() -> None:
    answer = domeng_sim.compare("heaviest", "random", blocks=50, level=0.5, field=2, games_per_match=1)
    usual = domeng_sim.compare("heaviest", "random", blocks=50, field=(2, 3), games_per_match=1)
    assert len(answer.ends) == 1 and len(usual.ends) == 2
    narrow, wide = answer.ends[0].share.half_width, usual.ends[0].share.half_width
    assert narrow is not None and wide is not None and narrow < wide / 2


ASKED: dict[str, Any] = {"hand": "6|5 4|1 3|1 2|1", "log": "0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r"}


@pytest.mark.compiled
def test_odds__take_numbers_as_a_tuple_and_are_told_in_a_line() -> None:
    written = domeng_sim.odds(samples=500, stones="2,1,2,3,4", **ASKED)
    counted = domeng_sim.odds(samples=500, stones=(2, 1, 2, 3, 4), **ASKED)
    assert repr(written) == repr(counted)
    assert repr(written).startswith("<Odds of winning, 500 samples: ") and len(repr(written)) < 100
    assert [move.figures for move in written.moves] == [move.figures for move in counted.moves]


@pytest.mark.compiled
def test_odds__are_drawn_until_they_are_known_so_well() -> None:
    answer = domeng_sim.odds(until="2pp", **ASKED)
    assert answer.reason == "until"
    half = max(move.figures["win"].half_width or 1.0 for move in answer.moves)
    assert half <= 0.02


@pytest.mark.parametrize("options", [{"samples": 9}, {"exact": True}, {"until": "decided"}])
def test_odds__refuse_what_does_not_go_with_until(options: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="until"):
        domeng_sim.odds(**{"until": "2pp"} | options, **ASKED)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"samples": 0}, r"samples= takes a whole number from \d+ to \d+, not"),
        ({"seats": "random"}, "odds has no option 'seats'; there are position, .*, samples, .*, hand, hands, log"),
        ({"opponents": ["random"] * 3}, "opponents= takes one strategy, or one for each of the 4 other seats, not 3"),
        ({"log": None}, r"whose hand is it\? Give the seat: seat=, or camat=, or a log="),
        ({"table": 25}, "table= 25 does not say who holds the other stones; give stones= too"),
    ],
)
def test_odds__speak_of_options_by_their_names_in_python(options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said) as refused:
        domeng_sim.odds(**ASKED | options)
    assert "--" not in str(refused.value)
