"""The library: what it returns is what the command writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import domeng_sim

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
