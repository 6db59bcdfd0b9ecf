"""Figures of reports of Draw against a plain recomputation from the rows."""

from __future__ import annotations

import shutil

import pytest
from pyarrow import parquet

from domeng_sim.analysis.report import report
from domeng_sim.errors import Damaged
from domeng_sim.runs.store.dataset import Dataset
from tests.command_line import forge
from tests.effort import effort
from tests.report_runs import make_run, naive_two, read

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
    return naive_two(read(directory, "rounds"), read(directory, "games"), texts, target)


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
