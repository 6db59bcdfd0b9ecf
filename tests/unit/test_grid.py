"""Tables on a terminal: nothing is lost, nothing breaks inside a figure, whatever the width."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from domeng_sim.analysis.format import Shown
from domeng_sim.cli.grid import GridColumn, aligned, grid, width_of
from domeng_sim.cli.numbers import Glyphs, folded

UNICODE = Glyphs()
FIGURES = st.builds(
    Shown,
    st.from_regex(r"[+-]?[0-9]{1,3}(\.[0-9]{1,4})?", fullmatch=True),
    st.sampled_from(["", "%", "pp"]),
    st.sampled_from(["", "±0.085", "(0.83, 2.30)", "(< 0.30)", "±?"]),
)
NAMES = st.from_regex(r"[A-Za-z]{1,12}( [a-z]{1,12}){0,3}", fullmatch=True)


@st.composite
def tables(draw):
    n = draw(st.integers(1, 4))
    figures = draw(st.lists(st.lists(FIGURES, min_size=n, max_size=n), min_size=1, max_size=6))
    return draw(st.lists(NAMES, min_size=n, max_size=n)), figures


@given(tables(), st.sampled_from([48, 80, 120, 200]), st.booleans())
def test_grid__shows_every_figure_whole_and_fits(table, width, by_point):
    names, figures = table
    columns = [GridColumn(aligned(found, UNICODE, by_point=by_point), f"head {k}") for k, found in enumerate(figures)]
    lines = [line.plain for line in grid([GridColumn(names, left=True), *columns], width, UNICODE)]
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    for found in figures:
        for one in found:
            assert re.search(rf"(?<![\d.+-]){re.escape(one.figure)}(?![\d.])", text)
    # the pieces of a table are read by the names again
    for name in names:
        for word in name.split():
            assert word in text
    for k in range(len(figures)):
        assert text.count(f"head {k}") == 1


@given(tables(), st.sampled_from([48, 80]))
def test_grid__has_each_figure_in_the_line_of_its_name_and_below_its_head(table, width):
    names, figures = table
    names = [f"{number}{name[:10]}" for number, name in enumerate(names)]
    columns = [GridColumn([str(one) for one in found], f"head {k}") for k, found in enumerate(figures)]
    lines = [line.plain for line in grid([GridColumn(names, left=True), *columns], width, UNICODE)]
    heads, row = [], -1
    for line in lines:
        if line.lstrip().startswith("head"):
            heads, row = [(int(m[1]), m.end()) for m in re.finditer(r"head (\d+)", line)], -1
            continue
        row += 1
        assert line.startswith(names[row])
        for number, end in heads:
            assert line[:end].endswith(str(figures[number][row])), (line, number)


def test_grid__wraps_sentences_and_names_but_no_figure():
    columns = [
        GridColumn(["a name that is rather long for a terminal of 48", "b"], left=True),
        GridColumn([Text("77.139 % ±0.085"), Text("4.60 % (4.52, 4.69)")]),
    ]
    lines = [line.plain for line in grid(columns, 48, UNICODE)]
    assert max(map(len, lines)) <= 48 and len(lines) == 3
    assert lines[0].endswith("77.139 % ±0.085") and lines[2].endswith("4.60 % (4.52, 4.69)")
    told = [*columns, GridColumn(["a sentence that takes the room that is left"] * 2, left=True, wraps=True)]
    assert max(len(line.plain) for line in grid(told, 100, UNICODE)) <= 100
    assert width_of(columns) > 48


@pytest.mark.parametrize("width", [20, 31, 48])
def test_folded__breaks_neither_inside_a_figure_nor_at_a_hyphen(width):
    text = "the share of it is 77.14 % ±0.09, or +1.2 pp ±0.3 more, with the Holm-adjusted p-values of --json"
    lines = folded(text, width)
    assert max(map(len, lines)) <= width and " ".join(lines) == text
    whole = "\n".join(lines)
    for part in ("77.14 % ±0.09", "+1.2 pp ±0.3", "Holm-adjusted", "--json"):
        assert part in whole
