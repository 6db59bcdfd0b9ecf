"""Figures of reports of Draw against a plain recomputation from the rows."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from pyarrow import parquet

from domeng_sim.analysis.report import report
from domeng_sim.errors import Damaged
from domeng_sim.runs.store.dataset import Dataset
from tests.command_line import forge
from tests.effort import effort
from tests.report_runs import make_run, read, sides

MATCHES = effort(30, 6)
RUNS = {
    "plain": {},
    "mixed": {"seats": ["starver", "random"], "rules": {"draw": "one", "target": 65}},
    "finite": {"seats": ["random", "heaviest"], "rules": {"table": "9x7", "opening_lead": "highest"}},
    "block": {"game": "block", "seats": ["blocker", "random"], "rules": {"target": 65}},
    "cut": {"rounds_per_match": 17, "rules": {"max_rounds": 6, "target": 7}},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    for name, options in RUNS.items():
        make_run(root / name, **{"game": "draw", "matches": MATCHES, "tables": "rounds"} | options)
    return root


def naive(directory):
    """Numerators and denominators by key, from the rows of rounds and games."""
    manifest = Dataset.open(directory).manifest
    texts, target = [seat["text"] for seat in manifest["seats"]], manifest["rules"]["target"]
    rounds, games = read(directory, "rounds"), read(directory, "games")
    n = len(rounds)
    won, ended = games[games.ended == "finished"], games[games.ended != "unfinished"]
    wins = rounds[rounds.winner >= 0]
    before = rounds.groupby(["match", "game"])[["score_0", "score_1"]].shift(fill_value=0)
    points = np.stack([rounds[f"score_{seat}"] - before[f"score_{seat}"] for seat in range(2)])
    scored = points.sum(axis=0)
    found = {}

    for key, seats in sides(texts).items():
        found[f"games.{key}"] = int(won.winner.isin(seats).sum()), len(won) * len(seats)
        found[f"rounds.{key}"] = int(wins.winner.isin(seats).sum()), len(wins) * len(seats)
        for kind in ("out", "blocked"):
            hits = rounds.winner.isin(seats) & (rounds.outcome == kind)
            found[f"rounds_won.{kind}.{key}"] = int(hits.sum()), n * len(seats)
        own = int(points[seats].sum())
        found[f"points.{key}"] = own, n * len(seats)
        found[f"points_won.{key}"] = own, int(wins.winner.isin(seats).sum())
        for name in ("pips", "draws", "passes") if "stock" in rounds else ("pips", "passes"):
            found[f"{name}.{key}"] = int(sum(rounds[f"{name}_{seat}"].sum() for seat in seats)), n * len(seats)
        found[f"game_score.{key}"] = int(sum(ended[f"score_{s}"].sum() for s in seats)), len(ended) * len(seats)

    for kind in ("out", "blocked", "tied"):
        of_kind = rounds.outcome == kind
        for plays in range(1, 27):
            at = rounds.plays == plays
            found[f"end_plays.{kind}.{plays}"] = int((of_kind & at).sum()), int(at.sum())
        for stock in range(2, 15) if "stock" in rounds else ():
            at = rounds.stock == stock
            found[f"end_stock.{kind}.{stock}"] = int((of_kind & at).sum()), int(at.sum())
    for kind in ("out", "blocked"):
        of_kind = rounds.outcome == kind
        found[f"points_by.{kind}"] = int(scored[of_kind].sum()), int(of_kind.sum())
        for group in range(17):
            inside = (scored >= 10 * group) & (scored < 10 * group + 10)
            found[f"end_points.{kind}.{group}"] = int((inside & of_kind).sum()), int(of_kind.sum())
        by_starter = rounds.winner == rounds.starter
        found[f"place.{kind}.0"] = int((of_kind & by_starter).sum()), int(of_kind.sum())
        found[f"place.{kind}.1"] = int((of_kind & ~by_starter).sum()), int(of_kind.sum())

    passes = rounds.passes_0 + rounds.passes_1
    for k in range(13):
        found[f"passed.{k}"] = int((passes == k).sum() if k < 12 else (passes >= 12).sum()), n
    for place in range(2):
        seats = (rounds.starter + place) % 2
        found[f"place_points.{place}"] = int(np.where(seats == 1, points[1], points[0]).sum()), n
        for name in ("draws", "passes", "pips") if "stock" in rounds else ("passes", "pips"):
            values = np.where(seats == 1, rounds[f"{name}_1"], rounds[f"{name}_0"])
            found[f"place_{name}.{place}"] = int(values.sum()), n
    first = rounds[rounds["round"] == 0].set_index(["match", "game"]).starter
    led = first.reindex(list(zip(won["match"], won.game, strict=True))).to_numpy()
    for place in range(2):
        found[f"first_games.{place}"] = int((won.winner.to_numpy() == (led + place) % 2).sum()), len(won)
    low = won[["score_0", "score_1"]].min(axis=1)
    high = won[["score_0", "score_1"]].max(axis=1)
    parts = min(10, target)
    for part in range(parts):
        found[f"loser.{part}"] = int(((low * parts // target) == part).sum()), len(won)
    for group in range(17):
        found[f"beyond.{group}"] = int(((high - target) // 10 == group).sum()), len(won)
    for seat in range(2):
        found[f"starts.{seat}"] = int((rounds.starter == seat).sum()), n
    for k in (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24):
        found[f"game_tail.{k}"] = int((won.rounds >= k).sum()), len(won)
    return found


@pytest.mark.parametrize("name", list(RUNS))
def test_report__counts_are_those_of_the_rows(runs, name):
    made = report([runs / name])
    found = {key: pair for plate in made.plates() for key, pair in plate.counts[0].items()}
    known = naive(runs / name)
    for key, pair in known.items():
        if key in found or "strategy" not in key:  # with one strategy there are no figures by strategy
            assert found[key] == pair, key
    for plate in made.plates():
        assert not plate.missing
        if set(plate.sources) - {"summary"}:
            assert set(plate.counts[0]) <= set(known), plate.key


@pytest.mark.parametrize("name", list(RUNS))
def test_report__has_every_figure_of_the_summary_but_those_it_tells_by_seat(runs, name):
    made = report([runs / name])
    shown = {row.key for plate in made.plates() for row in plate.sections[0].rows}
    sheet = made.runs[0].dataset.spec.figures(made.runs[0].manifest["rules"])
    assert {figure.key for panel in sheet.panels if panel.key != "seat" for figure in panel.figures} <= shown
    assert ("closed.2" in shown) == (name == "finite")


def test_report__labels_of_the_scores_of_losers_leave_no_score_out(runs):
    for name, options in RUNS.items():
        target = options.get("rules", {}).get("target", 100)
        (plate,) = [plate for plate in report([runs / name]).plates() if plate.key == "loser"]
        told = []
        for row in plate.sections[0].rows:
            first, _, last = row.label.partition("-")
            told += range(int(first), int(last or first) + 1)
        assert told == list(range(target))


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("games", "winner", 2),
        ("games", "score_0", 30_000),
        ("games", "score_0", -1),
        ("games", "match", 10**9),
        ("rounds", "winner", 2),
        ("rounds", "plays", 99),
        ("rounds", "plays", -1),
        ("rounds", "passes_0", -99),
        ("rounds", "stock", 15),
        ("rounds", "stock", -1),
        ("rounds", "starter", -1),
        ("rounds", "score_1", 30_000),
    ],
)
def test_report__impossible_rows_are_told_and_never_counted(runs, tmp_path, table, column, value):
    path = tmp_path / "odd"
    shutil.copytree(runs / "plain", path)
    part = next((path / table).glob("*.parquet"))
    rows = parquet.read_table(part)
    place = rows.schema.get_field_index(column)
    numbers = rows[column].to_numpy().copy()
    numbers[1] = value
    forge(path, part, rows.set_column(place, rows.schema.field(place), [numbers]))
    with pytest.raises(Damaged, match=rf"{part.name}: row 1 is impossible"):
        report([path])
