"""The library: what it returns is what the command writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import domeng_sim
from domeng_sim.errors import BadInput

OPTIONS = {
    "rounds": 3000,
    "seed": 5,
    "tables": "events",
    "strategies": ["random", "heaviest", "random", "random", "random"],
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
    with pytest.raises(ValueError, match="'rounds' was not kept"):
        _ = domeng_sim.simulate(matches=1, seed=0, tables="games").rounds


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"matches": 1, "rounds": 5}, "not both"),
        ({"matches": 1, "seed": -1}, "seed must be"),
        ({"matches": 1, "strategies": "randon"}, "random"),
        ({"matches": 1, "strategies": ["random"]}, "5 seats"),
        ({"matches": 1, "rules": {"stonse": 3}}, "no rule"),
        ({"matches": 1, "game": "chess"}, "no game"),
    ],
)
def test_simulate__says_what_is_wrong(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        domeng_sim.simulate(**options)


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
        ({"until": "5pp", "blocks": 100}, "does not go with"),
        ({"sprt": (0.2, 0.21), "blocks": 100}, "sprt decides"),
        ({"sprt": (0.2, 0.21), "until": "decided"}, "sprt decides"),
        ({"sprt": (0.3, 0.21)}, "the smaller first"),
        ({"until": "soon"}, "takes"),
        ({"game": "draw", "all_mixes": True}, "the plain comparison says it all"),
    ],
)
def test_compare__refuses_what_does_not_go_together(options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        domeng_sim.compare("random", "heaviest", **options)


ASKED = {"hand": "6|5 4|1 3|1 2|1", "log": "0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r"}


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
