"""Figures of reports against a plain recomputation from the rows; differences; what is missing, damaged, unfinished."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import stats as scipy_stats

from domeng_sim.analysis import counts
from domeng_sim.analysis.report import report
from domeng_sim.errors import BadInput, Damaged
from domeng_sim.games import GAMES
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.stats import clusters
from domeng_sim.stats.differences import independent, paired
from tests.command_line import forge, put_manifest
from tests.effort import effort
from tests.report_runs import MIXED, make_run, naive_events, naive_games, naive_rounds, naive_summary, read

MATCHES = effort(30, 6)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs by name: of mixed strategies, the same with other rules, another seed, and few tables."""
    root = tmp_path_factory.mktemp("runs")
    make_run(root / "mixed", matches=MATCHES, seats=MIXED)
    make_run(root / "ruled", matches=MATCHES, seats=MIXED, rules={"camat_check": "before", "pollo_stones": 9})
    make_run(root / "seeded", matches=MATCHES, seats=MIXED, seed=4, tables="rounds")
    make_run(root / "cut", matches=MATCHES, rounds_per_match=17, rules={"max_rounds": 6})
    make_run(root / "bare", matches=MATCHES, tables="summary")
    return root


def counts_of(made, run=0):
    return {key: pair for plate in made.plates() for key, pair in plate.counts[run].items()}


@cache
def naive(directory):
    texts = [seat["text"] for seat in Dataset.open(directory).manifest["seats"]]
    rounds = read(directory, "rounds")
    found = naive_games(read(directory, "games"), texts) | naive_rounds(rounds)
    if (directory / "events").exists():
        found |= naive_events(read(directory, "events"))
    return found | naive_summary(rounds, texts)


@pytest.mark.parametrize("name", ["mixed", "ruled", "cut"])
def test_report__counts_are_those_of_the_rows(runs, name):
    found = counts_of(report([runs / name]))
    for key, pair in naive(runs / name).items():
        if key in found or "strategy" not in key:  # with one strategy there are no figures by strategy
            assert found[key] == pair, key


def test_report__every_figure_from_rows_is_recomputed_by_some_test(runs):
    made = report([runs / "mixed"])
    known = naive(runs / "mixed")
    for plate in made.plates():
        if set(plate.sources) - {"summary"}:
            assert set(plate.counts[0]) <= set(known), plate.key


def test_report__values_are_ratios_of_the_counts(runs):
    made = report([runs / "mixed"])
    checked = 0
    for plate in made.plates():
        for row in plate.sections[0].rows:
            if row.key in plate.counts[0]:
                numerator, denominator = plate.counts[0][row.key]
                assert row.estimate.value == (pytest.approx(numerator / denominator) if denominator else None)
                assert row.estimate.clusters <= len(made.runs[0].counted.first)
                checked += 1
    assert checked > 800


def test_report__intervals_of_figures_from_rows_come_from_batches_of_matches(runs):
    rounds = read(runs / "mixed", "rounds")
    batch = Dataset.open(runs / "mixed").manifest["plan"]["matches_per_batch"]
    part = rounds[(rounds.game > 0) | (rounds["round"] > 0)]
    number = part["match"] // batch
    n = np.bincount(number)
    y = np.bincount(number, part.winner == part.starter).astype(int)
    expected = clusters.rate(y, n)
    found = report([runs / "mixed"]).estimate("start_later.wins.0")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.clusters == len(n)


def test_report__rows_may_come_in_pieces_of_any_size(runs, monkeypatch):
    whole = counts_of(report([runs / "mixed"]))
    monkeypatch.setattr(counts, "ROWS", 7)
    assert counts_of(report([runs / "mixed"], threads=3)) == whole


def test_report__tables_beyond_the_level_asked_for_are_named(runs):
    made = report([runs / "mixed"], tables="games")
    plates = {plate.key: plate for plate in made.plates()}
    assert plates["turns"].missing == ("the table events was not read; it takes the tables up to events",)
    assert plates["again"].missing == ()
    assert list(made.runs[0].counted.read) == ["games"]


def test_report__what_a_run_did_not_store_is_named_with_the_flag(runs):
    made = report([runs / "bare"])
    missing = {plate.key: plate.missing for plate in made.plates() if plate.missing}
    for key, table in (("again", "games"), ("finish_plays", "rounds"), ("turns", "events"), ("finish_tile", "events")):
        assert missing[key] == (f"bare did not store the table {table}; a run with the tables up to {table} stores it",)
    stated = json.dumps(made.to_json())
    assert "the tables up to events" in stated
    assert made.estimate("outcome.cappu").value > 0.5


def test_report__differences_are_paired_where_deals_are_shared(runs):
    made = report([runs / "mixed", runs / "ruled"])
    assert made.pairing == (True,)
    totals = []
    for name in ("mixed", "ruled"):
        rounds = read(runs / name, "rounds")
        totals.append([np.bincount(rounds["match"], w, MATCHES) for w in (rounds.outcome == "cappu", None)])
    (ya, na), (yb, nb) = totals
    expected = paired(yb, nb, ya, na)
    found = {key: item for plate in made.plates() for key, item in plate.differences[0].items()}
    for name in ("value", "low", "high"):
        assert getattr(found["outcome.cappu"], name) == pytest.approx(getattr(expected, name))


def test_report__a_run_of_one_strategy_beside_one_of_several_has_its_figures_by_strategy(runs):
    make = report([runs / "mixed", runs / "bare"])
    plates = {plate.key: plate for plate in make.plates()}
    assert plates["camat_strategy"].differences[0]["camat.strategy.random"].value == pytest.approx(
        0.2 - make.estimate("camat.strategy.random").value
    )
    assert make.estimate("win.cappu.strategy.random", 1).value is not None
    alone = report([runs / "bare"], tables="summary")
    assert not [plate.key for plate in alone.plates() if "strategy" in plate.key]


def test_report__a_run_differs_from_itself_by_exactly_nothing(runs):
    made = report([runs / "mixed", runs / "mixed"])
    assert [run.name for run in made.runs] == [str(runs / "mixed"), f"{runs / 'mixed'} #2"]
    for plate in made.plates():
        for item in plate.differences[0].values():
            assert item.value in (0, None)
            assert (item.low, item.high) in ((0, 0), (None, None))


def test_report__other_seeds_are_independent(runs):
    made = report([runs / "mixed", runs / "seeded"])
    assert made.pairing == (False,)
    assert "seeds differ" in made.because[0]
    plates = {plate.key: plate for plate in made.plates()}
    assert plates["turns"].missing
    assert not plates["turns"].differences[0]
    item = plates["outcome"].differences[0]["outcome.cappu"]
    one, other = made.estimate("outcome.cappu"), made.estimate("outcome.cappu", 1)
    assert item.value == pytest.approx(other.value - one.value)
    assert item.half_width == pytest.approx(np.hypot(one.half_width, other.half_width), rel=0.05)


def test_report__matches_of_other_lengths_are_not_paired(runs):
    made = report([runs / "bare", runs / "cut"])
    assert made.pairing == (False,)
    assert "differ in length" in made.because[0]


def test_report__a_shorter_run_is_paired_with_the_beginning_of_a_longer_one(runs, tmp_path):
    make_run(tmp_path / "short", matches=MATCHES // 2, seats=MIXED, tables="rounds")
    made = report([runs / "mixed", tmp_path / "short"])
    assert made.pairing == (True,)
    value = made.estimate("outcome.cappu", 1).value - made.estimate("outcome.cappu").value
    plate = next(plate for plate in made.plates() if plate.key == "outcome")
    assert plate.differences[0]["outcome.cappu"].value == pytest.approx(value)


def test_independent__is_welch_on_clusters_of_one_size():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 20, 30), rng.integers(0, 25, 12)
    found = independent(a, np.full(30, 20), b, np.full(12, 25))
    expected = scipy_stats.ttest_ind(a / 20, b / 25, equal_var=False).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert independent([1, 2], [3, 3], [1], [3]).kind == "not-estimable"
    assert independent([1] * 20, [3] * 20, [2] * 20, [3] * 20).half_width == 0
    # two batches a side that agree may do so by chance
    assert independent([1, 1], [3, 3], [2, 2], [3, 3]).kind == "not-estimable"


def test_report__batches_are_merged_where_runs_have_other_sizes(runs):
    made = report([runs / "mixed"])
    counted = made.runs[0].counted
    merged = counted.merged(4 * counted.batch)
    assert (merged.counts.sum(axis=0) == counted.counts.sum(axis=0)).all()
    assert (merged.counts[0] == counted.counts[:4].sum(axis=0)).all()
    longer = np.arange(0, MATCHES + 10)
    assert (counted.placed(longer)[:MATCHES] == counted.counts).all()
    assert not counted.placed(longer)[MATCHES:].any()


def test_report__unfinished_runs_are_told_as_far_as_they_are(runs, tmp_path):
    path = tmp_path / "half"
    shutil.copytree(runs / "mixed", path)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest |= {"status": "running", "totals": {}}
    put_manifest(path, manifest)
    made = report([path])
    assert f"of the {MATCHES:,} of {MATCHES:,} matches in finished parts" in made.runs[0].state
    manifest["parts"] = []
    put_manifest(path, manifest)
    with pytest.raises(BadInput, match="no finished part"):
        report([path])


def test_report__games_that_are_no_dataset_or_differ_are_refused(runs, tmp_path):
    with pytest.raises(BadInput, match="does not exist"):
        report([tmp_path / "nothing"])
    with pytest.raises(BadInput, match="not a dataset"):
        report([tmp_path])
    make_run(tmp_path / "draw", game="draw", strategy="random", matches=6, tables="summary")
    with pytest.raises(BadInput, match="different games"):
        report([runs / "bare", tmp_path / "draw"])
    with pytest.raises(BadInput, match="needs the directory"):
        report([])


def test_report__a_game_without_an_outline_shows_all_figures_of_its_summary(tmp_path, monkeypatch):
    monkeypatch.setitem(GAMES, "draw", replace(GAMES["draw"], outline=None))
    made = report([make_run(tmp_path / "draw", game="draw", strategy="random", matches=6, tables="summary")])
    sheet = made.runs[0].dataset.spec.figures(made.runs[0].manifest["rules"])
    shown = {row.key for plate in made.plates() for row in plate.sections[0].rows}
    assert shown >= {figure.key for figure in sheet}


@pytest.mark.parametrize("table", ["summary", "games", "rounds", "events"])
def test_report__damaged_parts_are_told(runs, tmp_path, table):
    path = tmp_path / "broken"
    shutil.copytree(runs / "mixed", path)
    part = next((path / table).glob("*.parquet"))
    part.write_bytes(part.read_bytes()[:-100])
    with pytest.raises(Damaged, match=part.name):
        report([path])
    part.unlink()
    with pytest.raises(Damaged, match=part.name):
        report([path])


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("games", "stones_0", 200),
        ("games", "stones_0", -1),
        ("games", "camat", 7),
        ("games", "match", 10**9),
        ("rounds", "winner", 9),
        ("rounds", "plays", 99),
        ("rounds", "plays", -1),
        ("rounds", "starter", -1),
        ("events", "tile", 77),
        ("events", "match", 10**9),
    ],
)
def test_report__impossible_rows_are_told_and_never_counted(runs, tmp_path, table, column, value):
    path = tmp_path / "odd"
    shutil.copytree(runs / "mixed", path)
    part = next((path / table).glob("*.parquet"))
    rows = pq.read_table(part)
    place = rows.schema.get_field_index(column)
    numbers = rows[column].to_numpy().copy()
    chosen = 1 if table != "events" else int(np.flatnonzero(rows["event"].to_pandas() == "lead")[0])
    numbers[chosen] = value
    forge(path, part, rows.set_column(place, rows.schema.field(place), [numbers]))
    with pytest.raises(Damaged, match=rf"{part.name}: row {chosen} is impossible"):
        report([path])


def test_report__tables_that_contradict_the_summary_are_told(runs, tmp_path):
    path = tmp_path / "odd"
    shutil.copytree(runs / "mixed", path)
    part = next((path / "rounds").glob("*.parquet"))
    rows = pq.read_table(part)
    numbers = rows["match"].to_numpy().copy()
    numbers[numbers == 1] = 0
    forge(path, part, rows.set_column(0, rows.schema.field(0), [numbers]))
    with pytest.raises(Damaged, match="does not agree with the summary from match 0"):
        report([path])


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel for the peak")
def test_report__memory_does_not_grow_with_the_run(tmp_path):
    code = "import sys; from pathlib import Path; from domeng_sim.analysis.report import report; "
    code += "report([Path(sys.argv[1])])"
    # not getrusage, whose peak is that of the parent where that is higher
    code += "; print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    peaks = []
    for name, matches in (("small", 600), ("large", 3000)):
        make_run(tmp_path / name, matches=matches, games_per_match=10)
        measured = []
        for _ in range(2):  # the first one may compile
            made = subprocess.run(
                [sys.executable, "-c", code, tmp_path / name],
                capture_output=True,
                text=True,
                check=True,
                cwd=Path.cwd(),
            )
            measured.append(int(made.stdout) / 1024)
        peaks.append(min(measured))
    rows = sum(part.rows for part in Dataset.open(tmp_path / "large").parts if part.table == "events")
    assert rows > 2_500_000  # some 75 MB of rows
    assert peaks[1] - peaks[0] < 30, peaks
