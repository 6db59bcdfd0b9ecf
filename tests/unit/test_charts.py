"""Charts: which rows stand where, drawn by matplotlib without letters over one another, the same bytes each time."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from domeng_sim.analysis.charts import Chart, Facet, Series, charts_by_name, charts_of, main_part, short
from domeng_sim.analysis.draw import figure_of, files_of
from domeng_sim.analysis.look import DARK, LIGHT, WIDTH, printable, series_style
from domeng_sim.analysis.metrics import Row
from domeng_sim.analysis.picture_files import svg
from domeng_sim.analysis.report import report
from domeng_sim.stats.estimate import Estimate
from tests.effort import effort
from tests.report_runs import MIXED, make_run


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A report of one run, of three side by side, and of a run of Draw."""
    root = tmp_path_factory.mktemp("runs")
    matches = effort(30, 5)
    one = make_run(root / "one", matches=matches, seats=MIXED)
    two = make_run(root / "two", matches=matches, rules={"stones": 20})
    three = make_run(root / "three of a rather long name, which has to be cut", matches=matches, tables="summary")
    options = {"game": "draw", "seats": ["starver", "random"], "rules": {"table": "9x9"}, "tables": "rounds"}
    draw = make_run(root / "draw", matches=matches, **options)
    return report([one]), report([one, two, three]), report([draw])


def row(value, label, column="", half=0.01, kind="share", unit="share of rounds"):
    estimate = Estimate(value, max(value - half, 0), value + half, 0.95, "cluster-student", unit, 9, 100)
    return Row(f"{label}.{column}", label, column, kind, estimate)


def texts(figure):
    """Where each text of a figure stands, in pixels."""
    canvas = FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    figure_texts = [*figure.texts, *(text for legend in figure.legends for text in legend.get_texts())]
    figure_texts += [legend.get_title() for legend in figure.legends]
    found = [(text.get_text(), text.get_window_extent(canvas.get_renderer())) for text in figure_texts]
    for axes in figure.axes:
        labels = [*axes.texts, axes.title, axes._left_title, axes.xaxis.label]
        if axes.axison:  # a locator tells places beyond the axis too, where nothing is drawn
            for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
                labels += [
                    tick.label2 if tick.label2.get_visible() else tick.label1
                    for tick in axis.get_major_ticks()
                    if min(limits) <= tick.get_loc() <= max(limits)
                    and tick.label1.get_visible() != tick.label2.get_visible()
                ]
        found += [(text.get_text(), text.get_window_extent(canvas.get_renderer())) for text in labels]
    return [(text, box) for text, box in found if text.strip()]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_charts__have_all_letters_within_the_frame_and_none_over_another(made, number):
    for name, chart in charts_by_name(made[number]).items():
        figure = figure_of(chart, titled=True)
        placed = texts(figure)
        wide, high = figure.bbox.width, figure.bbox.height
        for text, box in placed:
            assert box.x0 >= -1 and box.y0 >= -1 and box.x1 <= wide + 1 and box.y1 <= high + 1, (name, text)
        for (one, a), (other, b) in combinations(placed, 2):
            over = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
            assert min(over) < 2.5, (name, one, other)


def test_charts__are_well_formed_files_and_the_same_each_time(made):
    charts = charts_by_name(made[0])
    assert len(charts) > 15
    for name, chart in charts.items():
        assert re.fullmatch(r"[a-z0-9_-]+", name)
        root = ElementTree.fromstring(svg(figure_of(chart), "p", chart.title, "", own_style=True))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert not list(root.iter("{http://www.w3.org/2000/svg}use"))
    for chart in {chart.picture: chart for chart in charts.values()}.values():
        files = dict(files_of(chart))
        assert files["png"].startswith(b"\x89PNG") and files["pdf"].startswith(b"%PDF")
    chart = charts["outcomes-outcome"]
    files = dict(files_of(chart))
    assert files == dict(files_of(chart))
    assert int.from_bytes(files["png"][16:20]) == pytest.approx(WIDTH * 192 / 72, abs=1)
    assert b"matplotlib" not in files["svg"] and b"matplotlib" not in files["png"]


def test_charts__of_a_page_have_letters_that_can_be_copied_and_colours_of_the_page(made):
    text = svg(figure_of(charts_by_name(made[0])["outcomes-outcome"]), "p", "Title", "Caption")
    assert ">MATTIKKENG</text>" in text
    assert "var(--s0)" in text and not re.search("#[0-9a-f]{6}", text)
    assert "<title>CAPPU: " in text  # when one points at the bar


def test_charts__say_what_names_hide(made):
    bad = "a\u202eb$x$"
    chart = Chart(bad, "dots", (Facet("", (Series(bad, (row(0.3, bad),)), Series("b", (row(0.2, bad),)))),))
    text = svg(figure_of(chart, titled=True), "p", printable(chart.title), "")
    assert "\u202e" not in text and "a\\u202eb$x$" in text


def test_series__are_never_alike_in_colour_and_dash():
    styles = [(style["color"], str(style["linestyle"])) for style in map(series_style, range(42))]
    assert len(set(styles)) == 42
    assert len(set(LIGHT.values())) == len(LIGHT) and LIGHT.keys() == DARK.keys()


def test_distributions__of_several_columns_stand_side_by_side(made):
    plates = {plate.key: plate for plate in made[0].plates()}
    (chart,) = charts_of(plates["held"], ["one"])
    assert [facet.title for facet in chart.facets] == [*(f"seat {seat}" for seat in range(5)), "the table"]
    assert all(len(facet.series) == 1 for facet in chart.facets)
    figure = figure_of(chart)
    assert len(figure.axes) == 6
    assert len({axes.get_ylim() for axes in figure.axes}) == 1


def test_runs__side_by_side_are_series_and_have_their_colour_everywhere(made):
    names = ["one", "two", "three"]
    plates = {plate.key: plate for plate in made[1].plates()}
    (held,) = charts_of(plates["held"], names)
    assert len(held.facets) == 6 and held.names == names
    (camat,) = charts_of(plates["camat_seat"], names)
    assert camat.by_run and len(camat.facets) == 1
    assert camat.labels == tuple(f"seat {seat}" for seat in range(5))
    # only the first run has these strategies, and the last one did not store the table
    for key in ("held_strategy", "game_held_strategy"):
        (by_strategy,) = charts_of(plates[key], names)
        assert all([one.name for one in facet.series] == names for facet in by_strategy.facets)
    heaviest = next(k for k, facet in enumerate(by_strategy.facets) if facet.title == "heaviest")
    assert [bool(one.rows) for one in by_strategy.facets[heaviest].series] == [True, False, False]
    colors = {line.get_color() for line in figure_of(by_strategy).axes[heaviest].get_lines()}
    assert colors == {series_style(0)["color"]}
    others = figure_of(camat).axes[0].get_lines()
    assert {series_style(k)["color"] for k in range(3)} <= {line.get_color() for line in others}


def test_columns__that_would_hide_the_others_are_cut_and_say_their_height():
    rows = tuple(row(value, str(n), half=0.001) for n, value in enumerate([0.6, 0.1, 0.12, 0.08, 0.1]))
    figure = figure_of(Chart("X", "columns", (Facet("", (Series("", rows),)),), "stones"))
    (axes,) = figure.axes
    assert axes.get_ylim()[1] == pytest.approx(1.25 * 12.1)
    assert "60.0 %" in [text.get_text() for text in axes.texts]
    even = figure_of(Chart("X", "columns", (Facet("", (Series("", rows[1:]),)),), "stones"))
    assert not even.axes[0].texts and even.axes[0].get_ylim()[1] == pytest.approx(12.1)


def test_bars__of_differences_go_to_both_sides_of_zero():
    low, high = (Estimate(x, x - 0.02, x + 0.02, 0.95, "student", "stones", 9) for x in (-0.1, 0.05))
    rows = (Row("a", "left", "", "mean", low), Row("b", "right", "", "mean", high))
    (axes,) = figure_of(Chart("X", "dots", (Facet("", (Series("", rows),)),))).axes
    assert axes.get_xlim() == (pytest.approx(-0.12), pytest.approx(0.07))


def test_tails__are_logarithmic_and_fall(made):
    plates = {plate.key: plate for plate in made[0].plates()}
    (chart,) = charts_of(plates["game_tail"], ["one"])
    (axes,) = figure_of(chart).axes
    assert axes.get_yscale() == "log"
    assert all(a >= b for a, b in pairwise(axes.get_lines()[0].get_ydata()))


def test_main_part__leaves_out_what_hardly_ever_is():
    rows = [row(value, str(n)) for n, value in enumerate([0, 0, 0.5, 0.4996, 0.0003, 0.0001])]
    assert [one.label for one in main_part(rows)] == ["2", "3"]
    assert main_part(rows[:2]) == []


def test_short__cuts_names_that_are_too_long():
    assert short("heaviest", 8) == "heaviest" and short("heaviest first", 9) == "heaviest…"
