"""What the pages of studies show: units, intervals, p-values, and nothing cut off."""

from __future__ import annotations

import json
import re

import pytest

from domeng_sim.cli import main
from domeng_sim.cli.render_studies import _interval, counted, difference
from domeng_sim.comparisons.design import mix_label
from domeng_sim.stats import confseq
from domeng_sim.stats.estimate import Estimate

NINE = ["random", "heaviest", "lightest", "doubles_first", "doubles_last", "flexible", "hunter", "passer", "banker"]


def run(capfd, monkeypatch, *words, columns=80):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main([*words, "--seed", "1", "--quiet"]) == 0
    out = capfd.readouterr().out
    assert max(map(len, out.splitlines())) <= columns
    return out


def document(capfd, monkeypatch, *words):
    return json.loads(run(capfd, monkeypatch, *words, "--json", columns=1000))


@pytest.mark.compiled
def test_compare__gives_each_measure_its_unit_and_its_interval(capfd, monkeypatch):
    out = run(capfd, monkeypatch, "compare", "banker", "random", "--blocks", "200", columns=100)
    table = out[out.index("Exploratory") : out.index("The same again")]
    assert "each with its 95 % interval" in " ".join(table.split())
    for unit in ("share of rounds in %, differences in pp", "stones per game", "stones per round", "per round"):
        assert f"\n{unit}\n" in table
    passes = next(line for line in table.splitlines() if "PASSes" in line)
    assert len(re.findall("±", passes)) == 4
    assert table.splitlines()[table.splitlines().index(passes) - 1] == "per round"


@pytest.mark.compiled
def test_compare__says_where_the_intervals_are_that_do_not_fit(capfd, monkeypatch):
    out = run(capfd, monkeypatch, "compare", "banker", "random", "--blocks", "200")
    assert "those of the measures are in --json" in " ".join(out.split())
    passes = next(line for line in out.splitlines() if "PASSes" in line)
    assert len(re.findall("±", passes)) == 2


@pytest.mark.compiled
def test_compare__says_that_the_answer_holds_over_all_intervals(capfd, monkeypatch):
    out = " ".join(run(capfd, monkeypatch, "compare", "banker", "random", "--blocks", "100").split())
    assert "(95 % over all 2 comparisons together)." in out
    assert "Each interval holds at 95 % by itself" in out
    assert "sign-flip test finds it too" not in out
    one = " ".join(run(capfd, monkeypatch, "compare", "banker", "random", "--blocks", "2", "--field", "1").split())
    assert "together" not in one
    assert "sign-flip test finds it too" in one
    assert "Answer: undecided between banker and random." in one
    same = " ".join(run(capfd, monkeypatch, "compare", "random", "random", "--blocks", "2").split())
    assert "together" not in same


def test_compare__cuts_nothing_off_and_counts_one_as_one(capfd, monkeypatch):
    words = ["compare", "banker", "random", "--rule", "max_rounds=1", "--blocks"]
    out = run(capfd, monkeypatch, *words, "20")
    assert "1,000 of 1,000 games without a winner" in " ".join(out.split())
    out = run(capfd, monkeypatch, *words, "1")
    assert "1 block of the same deals" in out
    assert "1 blocks" not in out


@pytest.mark.parametrize(
    ("value", "text"),
    [(268.68, "+269 ±?"), (-12.345, "-12.3 ±?"), (1.5487, "+1.55 ±?"), (0.012345, "+0.0123 ±?"), (0, "0 ±?")],
)
def test_figure__without_error_has_three_digits(value, text):
    estimate = Estimate(value, None, None, 0.95, "not-estimable", "points", 1)
    assert str(difference(estimate)) == text


def test_figure__that_is_biased_is_not_shown_without_its_interval():
    estimate = Estimate(0.4, None, None, 0.95, "anytime", "share", 50)
    assert str(_interval(estimate, "%")) == "–"
    assert str(_interval(Estimate(0.4, 0.1, None, 0.95, "anytime", "share", 50), "%")) == "> 10 %"
    assert str(_interval(Estimate(0.04, -0.01, 0.09, 0.95, "anytime", "share", 50), "pp")) == "-1.0 to +9.0 pp"


def test_words():
    assert [counted(n, "block") for n in (0, 1, 1000)] == ["0 blocks", "1 block", "1,000 blocks"]
    assert [mix_label("a", "b", n, 5) for n in range(6)] == [
        "five b",
        "a among four b",
        "a in two seats, b in three",
        "b in two seats, a in three",
        "b among four a",
        "five a",
    ]


@pytest.mark.compiled
@pytest.mark.parametrize("k", [5, 9])
def test_tournament__shows_adjusted_p_values_where_there_is_room(k, capfd, monkeypatch):
    words = ["tournament", *NINE[:k], "--games-per-match", "1", "--blocks", "20"]
    out = run(capfd, monkeypatch, *words)
    assert ("Holm-adjusted p-values of these differences" in out) == (k <= 8)
    if k > 8:
        assert "p-values and intervals in --json" in " ".join(out.split())
        return
    found = {
        f"{pair['p_holm']:.3f}" if pair["p_holm"] >= 0.001 else "<0.001"
        for pair in document(capfd, monkeypatch, *words)["pairs"]
    }
    told = out[out.index("Holm-adjusted p-values of") : out.index("Answer:")]
    assert set(re.findall(r"<?[01]\.\d{3}", told)) == found


@pytest.mark.compiled
@pytest.mark.parametrize("size", ["1pp", "2pp"])
def test_power__tells_about_the_blocks_after_which_compare_stops(size, capfd, monkeypatch):
    words = ["banker", "random", "--games-per-match", "2"]
    [need] = document(capfd, monkeypatch, "power", *words, "--difference", size, "--pilot", "1000")["needs"]
    found = document(capfd, monkeypatch, "compare", *words, "--field", "1", "--until", size)
    assert found["reason"] == "until"
    planned = need["blocks_anytime_half_width"]
    # chunks of up to a fifth; the pilot knows the deviation of a block to some 5 %, and blocks go with its square
    assert 0.85 * planned <= found["blocks"] <= 1.2 * 1.15 * planned + 100


@pytest.mark.parametrize("n_best", [100, 2000, 50_000])
@pytest.mark.parametrize("radius", [0.02, 0.005, 0.001])
def test_blocks_until_radius__is_the_smallest_number_that_is_enough(n_best, radius):
    n = confseq.blocks_until_radius(radius, 0.1, n_best=n_best)
    assert 0.1 * confseq.unit_radius(n, n_best) <= radius
    assert n == 100 or 0.1 * confseq.unit_radius(n - 1, n_best) > radius
