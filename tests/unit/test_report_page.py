"""The page and the pictures of a report: nothing from outside, sound structure, captions that follow the figures."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from domeng_sim.analysis.captions import caption
from domeng_sim.analysis.format import error_text, interval_text, one_in, unit_of, value_text
from domeng_sim.analysis.html.page import MARKER, page
from domeng_sim.analysis.metrics import Row, Section
from domeng_sim.analysis.report import report
from domeng_sim.games.shared.measures import Panel
from domeng_sim.games.shared.outline import Plate
from domeng_sim.stats import intervals
from domeng_sim.stats.estimate import Estimate
from tests.effort import effort
from tests.report_runs import MIXED, make_run


class Outline(HTMLParser):
    """Collects elements, and checks that they are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open, self.texts = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs), tuple(self.open)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs), tuple(self.open)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A report of one run, of three side by side, and of a run of Draw."""
    root = tmp_path_factory.mktemp("runs")
    matches = effort(30, 5)
    one = make_run(root / "one", matches=matches, seats=MIXED)
    two = make_run(root / "two", matches=matches, rules={"stones": 20})
    three = make_run(root / "thr<ee>&", matches=matches, tables="summary")
    options = {"game": "draw", "seats": ["starver", "random"], "rules": {"table": "9x9"}, "tables": "rounds"}
    draw = make_run(root / "draw", matches=matches, **options)
    return report([one]), report([one, two, three]), report([draw])


@pytest.fixture(scope="module")
def pages(made):
    return [page(one) for one in made]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_page__is_sound_and_needs_nothing_else(pages, number):
    text = pages[number]
    outline = Outline(text)
    assert not outline.open
    assert text.startswith("<!doctype html>") and MARKER in text
    tags = [tag for tag, _, _ in outline.found]
    assert not set(tags) & {"script", "link", "img", "iframe", "object", "embed", "image", "use"}
    assert not re.search(r"https?://|@import|url\(|src=", text)
    policy = next(attributes for _, attributes, _ in outline.found if "http-equiv" in attributes)
    assert policy["http-equiv"] == "Content-Security-Policy"
    assert "default-src 'none'" in policy["content"] and "script" not in policy["content"]
    for _, attributes, _ in outline.found:
        assert attributes.get("href", "#").startswith("#")
        assert not any(name.startswith("on") for name in attributes)
    assert len(text.encode()) < 3_000_000


@pytest.mark.parametrize("number", [0, 1, 2])
def test_page__is_accessible(pages, number):
    outline = Outline(pages[number])
    ids = [attributes["id"] for _, attributes, _ in outline.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes, _ in outline.found:
        for name in ("aria-labelledby", "href"):
            for target in attributes.get(name, "").removeprefix("#").split():
                assert target in ids
        if tag == "th":
            assert attributes["scope"] in ("row", "col")
        if tag == "svg":
            assert attributes["role"] == "img" and attributes["aria-labelledby"]
        if tag == "html":
            assert attributes["lang"] == "en"
    levels = [int(tag[1]) for tag, _, _ in outline.found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    svgs = re.findall(r"<svg.*?</svg>", pages[number], re.DOTALL)
    assert len(svgs) > 14
    for one in svgs:
        assert re.search(r"<title id=[^>]*>[^<]+</title><desc id=[^>]*>[^<]+</desc>", one)
        assert not re.search(r"#[0-9a-f]{6}", one)  # colours follow light and dark


def test_page__shows_figures_intervals_and_counts(made, pages):
    text = pages[0]
    estimate = made[0].estimate("outcome.cappu")
    numerator, denominator = next(plate for plate in made[0].plates() if plate.key == "outcome").counts[0][
        "outcome.cappu"
    ]
    row = re.search(r'<tr><th scope="row">CAPPU</th>(.*?)</tr>', text).group(1)
    assert re.findall(r"<td>([^<]*)</td>", row) == [
        value_text(estimate, "share"),
        interval_text(estimate, "share"),
        f"{numerator:,}",
    ]
    assert f"From summary. Counts are of {denominator:,}." in text
    assert made[0].runs[0].manifest["command"] in text
    assert made[0].runs[0].manifest["identity"] in text


def test_page__of_several_runs_leaves_out_tails_without_a_difference_and_says_so(made, pages):
    text, left_out = pages[1], 0
    for plate in made[1].plates():
        if not plate.shown:
            continue
        places = [(row.label, row.column) for row in plate.shown[0].rows]
        told, note = plate.compared(places)
        assert set(told) <= set(places) and (note != "") == (len(told) < len(places))
        for label, column in set(places) - set(told):
            key = plate.shown[0].cells[label, column].key
            known = [differences[key] for differences in plate.differences if key in differences]
            assert known and all(one.low is None and one.high is None for one in known)
            left_out += 1
    assert left_out
    assert re.search(r"Without \d+ rows? too rare for a difference with an interval\. From ", text)
    assert "too rare" not in pages[0]


def test_page__escapes_names_and_says_what_is_missing_and_how_runs_are_compared(pages):
    text = pages[1]
    assert "thr&lt;ee&gt;&amp;" in text and "thr<ee>" not in text
    assert "did not store the table events; a run with the tables up to events stores it" in text
    assert "two minus one: paired by batch: same seed" in text
    assert "two − one" in text


def rows(values, kind="share", columns=("",), half=0.01, labels=None):
    """A section with a row for each value, by column."""
    made = []
    for column in columns:
        for number, value in enumerate(values[column] if isinstance(values, dict) else values):
            label = labels[number] if labels else str(number)
            estimate = Estimate(
                value, max(value - half, 0), value + half, 0.95, "cluster-student", "share of rounds", 9
            )
            made.append(Row(f"{label}.{column}", label, column, kind, estimate))
    return Section("x", "X", "", "table", tuple(columns), False, tuple(made))


def said(picture, section, distribution=False, **how):
    return caption(Plate(Panel("x", "X", ()), picture, **how), section, distribution)


def test_captions__of_a_ranking_name_the_extremes_that_are_there():
    assert (
        said("dots", rows([0.7, 0.05, 0.25], labels=["A", "B", "C"]))
        == "Most: A (70.0 % of rounds); least: B (5.0 %, 1 in 20)."
    )
    text = said("dots", rows([0.3, 0.301], labels=["A", "B"]))
    assert text.endswith("Their intervals overlap.")


def test_captions__say_of_a_figure_without_interval_that_it_has_none():
    section = rows([0.74, 0.008, 0.25], labels=["CAPPU", "POLLO", "MANGUNO"])
    rare = Estimate(0.008, None, None, 0.95, "not-estimable", "share of rounds", 9, 5)
    section = replace(section, rows=(section.rows[0], replace(section.rows[1], estimate=rare), section.rows[2]))
    text = said("dots", section)
    assert text.endswith("POLLO has no interval.") and "overlap" not in text
    sides = rows({"left": [0.1], "right": [0.3]}, columns=("left", "right"), labels=["CAMAT"])
    sides = replace(sides, rows=(replace(sides.rows[0], estimate=rare), sides.rows[1]))
    assert said("dots", sides) == "right has most (30.0 %), left least (0.800 %); left has no interval."


def test_captions__tell_odds_as_the_table_on_a_terminal_does():
    section = rows([0.7, 1 / 92], half=0.0015, labels=["CAPPU", "POLLO"])
    assert one_in(section.rows[1].estimate) == "1 in 90"
    assert said("dots", section).endswith("least: POLLO (1.09 %, 1 in 90).")


def test_captions__of_sides_do_not_call_chance_a_difference():
    columns = ("left", "right", "middle")
    apart = rows({"left": [0.1], "right": [0.3], "middle": [0.2]}, columns=columns, labels=["CAMAT"])
    text = said("dots", apart, fair=0.2)
    assert text.startswith("right has most (30.0 %), left least (10.0 %).")
    assert text.endswith("Even share: 20 %; clearly above it: right; below it: left.")
    close = rows({"left": [0.195], "right": [0.205], "middle": [0.2]}, columns=columns, labels=["CAMAT"])
    text = said("dots", close, fair=0.2)
    assert "but their intervals overlap" in text and "None is clearly apart" in text
    # just outside by itself, but one of three: not clear
    edge = rows({"left": [0.2], "right": [0.2101], "middle": [0.2]}, columns=columns, labels=["CAMAT"])
    assert "None is clearly apart" in said("dots", edge, fair=0.2)


def test_captions__tell_what_is_equal_together():
    columns = ("left", "right", "middle")
    nothing = rows({name: [0.0] for name in columns}, columns=columns, labels=["CAMAT"])
    assert said("dots", nothing) == "all are equal (0 %)."
    two = rows({"left": [0.3], "right": [0.1], "middle": [0.3]}, columns=columns, labels=["CAMAT"])
    assert said("dots", two) == "left and middle have most (30.0 %), right least (10.0 %)."
    assert said("dots", rows([0.2, 0.2], labels=["A", "B"])) == "All are equal (20.0 % of rounds)."


def test_captions__of_a_grid_name_the_least_cell_and_whether_it_differs():
    close = rows({"|0": [0.1, 0.104], "|1": [0.102, 0.103]}, columns=("|0", "|1"), labels=["0|", "1|"])
    assert said("matrix", close) == ("Most: 1|0 (10.4 % of rounds); least: 0|0 (10.0 %). Their intervals overlap.")
    never = Estimate(0.0, None, 0.001, 0.95, "upper-bound", "share of rounds", 9, 0)
    seen = replace(close, rows=(*close.rows[:3], replace(close.rows[3], estimate=never)))
    assert said("matrix", seen) == ("Most: 1|0 (10.4 % of rounds); least: 1|1 (0 %, below 1 in 1,000).")


def test_captions__do_not_compare_amounts_of_which_the_large_ones_are_left_out():
    section = rows([5.3, 3.0], labels=["the first", "the incumbent"], kind="mean")
    assert said("dots", section).startswith("Most: the first")
    cut = replace(section, left_out="989 of 1,716 games ended without a CAMAT and are left out.")
    assert said("dots", cut).endswith("not compared, for what is left out.")
    assert "ost" not in said("dots", cut)


def test_captions__of_distributions_that_lie_alike_tell_how_far_their_tops_differ():
    columns = ("left", "right")
    section = rows({"left": [0.2, 0.5, 0.3], "right": [0.2, 0.5002, 0.2998]}, columns=columns)
    assert "(50.00 to 50.02 %)" in said("lines", section, distribution=True)


def test_captions__of_a_distribution_tell_mode_and_quantiles():
    section = rows([0.1, 0.1, 0.5, 0.2, 0.1])
    text = said("columns", section, distribution=True)
    assert text == "Most often 2 (50.0 %), median 2, half within 2 and 3, 90 % within 0 and 4."


def test_captions__of_a_trend_say_which_rows_they_leave_out():
    values = [0.5, 0.2, 0.3, 0.0]
    section = rows(values)
    wild = Estimate(0.0, 0.0, 0.9, 0.95, "korn-graubard", "share of rounds", 9)
    section = Section(*[*vars(section).values()][:6], (*section.rows[:3], Row("w", "3", "", "share", wild)))
    assert said("lines", section, axis="turn") == (
        "Lowest at turn 1 (20.0 %), highest at 0 (50.0 %), among those known to a quarter of the figure or to 1 %."
    )


def shares(counts):
    """A section of shares with the intervals of independent trials."""
    labels = [str(k + 1) for k in range(len(counts))]
    found = [intervals.proportion(k, n, kind="clopper-pearson", unit="share of titles") for k, n in counts]
    made = tuple(Row(label, label, "", "share", one) for label, one in zip(labels, found, strict=True))
    return Section("x", "X", "", "table", ("",), False, made)


def test_captions__of_a_trend_deny_none_and_quote_no_row_of_few_events():
    counts = [(535, 1722), (184, 484), (72, 165), (25, 60), (10, 20), (5, 8), (2, 4), (2, 2), (1, 1)]
    text = said("lines", shares(counts), axis="titles in a row")
    assert "trend" not in text and "100" not in text
    assert said("lines", rows([0.5, 0.501, 0.502]), axis="turn") == "Turn 0: 50.0 %, 1: 50.1 %, 2: 50.2 %."
    assert said("lines", shares([(1, 3), (1, 1)])) == "Too few to see a trend."
    four = said("lines", rows([0.241, 0.25, 0.245, 0.24]), axis="titles in a row")
    assert four == "Titles in a row 0: 24.1 %, 1: 25.0 %, 2: 24.5 %, 3: 24.0 %."
    assert said("lines", rows([0.5] * 9), axis="turn").endswith("8: 50.0 %; the 6 others are not told here.")


def test_captions__of_a_trend_name_the_lowest_and_highest_of_the_rows():
    section = rows([0.3, 0.0, 0.56, 0.0, 0.62])
    none = Estimate(0.0, None, 0.001, 0.95, "upper-bound", "share of turns", 9, 0)
    far = Estimate(0.62, 0.53, 0.71, 0.95, "korn-graubard", "share of turns", 9, 80)
    estimates = [row.estimate for row in section.rows]
    estimates[1] = estimates[3] = none
    estimates[4] = far
    made = tuple(replace(row, estimate=one) for row, one in zip(section.rows, estimates, strict=True))
    assert said("lines", replace(section, rows=made), axis="turn") == (
        "Lowest at turn 1 and 3 (0 %), highest at 4 (62.0 %)."
    )


def test_captions__of_tails_and_grids():
    text = said("tail", rows([0.9, 0.4, 0.05, 0.004, 0.0], half=0.0001, labels=["2", "3", "5", "9", "12"]))
    assert text.startswith("40.000 % reach 3 (half or fewer); 5.000 % reach 5 (one in ten or fewer); 0.400 % reach 9")
    assert text.endswith("The longest seen: at least 9.")
    grid = rows({"|0": [0.1, 0.3], "|1": [0.2, 0.15]}, columns=("|0", "|1"), labels=["0|", "1|"])
    assert said("matrix", grid) == "Most: 1|0 (30.0 % of rounds); least: 0|0 (10.0 %)."


def test_numbers__are_rounded_by_their_intervals():
    estimate = Estimate(0.77333, 0.7718, 0.7748, 0.95, "cluster-student", "share of rounds", 9)
    assert (value_text(estimate, "share"), error_text(estimate, "share")) == ("77.33", "±0.16")
    assert interval_text(estimate, "share") == "77.18 to 77.48"
    skew = Estimate(0.0005, 0.0001, 0.0013, 0.95, "korn-graubard", "share of rounds", 9)
    assert (value_text(skew, "share"), error_text(skew, "share")) == ("0.050", "(0.010, 0.130)")
    none = Estimate(0.0, None, 0.0000794, 0.95, "upper-bound", "share of rounds", 9, 0)
    assert (value_text(none, "share"), interval_text(none, "share")) == ("0", "< 0.0080")
    assert interval_text(Estimate(0.1, None, None, 0.95, "not-estimable", "x", 1), "share") == "not estimable"
    assert unit_of("difference, share of rounds", "share") == "percentage points of rounds"
