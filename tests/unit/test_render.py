"""Figures on a terminal: width, rounding, colour, and that a text says what the estimate says."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domeng_sim.analysis.format import decimals, grouped, one_in, rounded, shared_error, significant, span_text
from domeng_sim.analysis.format import shown as text_of
from domeng_sim.analysis.metrics import figures
from domeng_sim.cli import layout, render, terminal
from domeng_sim.cli.numbers import Glyphs
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.stats.estimate import Estimate
from tests.domeng_runs import core, task
from tests.effort import effort

UNICODE, ASCII = Glyphs(), Glyphs(plain=True)


class Stream(io.StringIO):
    """Text that may pose as a terminal of an encoding."""

    def __init__(self, tty=False, encoding="utf-8"):
        super().__init__()
        self._tty, self._encoding = tty, encoding

    def isatty(self):
        return self._tty

    @property
    def encoding(self):
        return self._encoding


@cache
def shown(setup):
    if setup == "nothing":
        rules = DOMENG.resolve_rules({})
        width = sum(block.size for block in DOMENG.counts(rules))
        return figures(DOMENG, rules, np.zeros((0, width), np.int64), matches=0)
    how = {
        "long": {"matches": effort(3000, 12), "games": 5, "cluster": effort(10, 1)},
        "short": {"matches": 6, "games": 2},
        "one batch": {"matches": 4, "games": 2, "cluster": 4},
        "truncated": {"matches": 5, "rounds": 17, "rules": {"max_rounds": 3, "stones": 250}},
    }[setup]
    job = task(level="summary", hands=False, **how)
    return figures(DOMENG, job.rules, core(job)[1], matches=how["matches"])


SETUPS = ("long", "short", "one batch", "truncated", "nothing")


def printer(color, out, width=None):
    return terminal.Printer(terminal.terminal(color, out, width))


def printed(found, width=80, brief=False, **stream):
    out = Stream(**stream)
    render.print_figures(printer("never", out, width), found, brief=brief)
    return out.getvalue()


# --- width and shape -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_lines__are_never_wider_than_the_terminal(setup, encoding):
    for width in (1, 10, 24, 38, 52, 66, 79, 80, 100, 119, 120, 200):
        for brief in (False, True):
            text = printed(shown(setup), width, brief, encoding=encoding)
            assert max(map(len, text.splitlines())) <= width, width
            assert not re.search(r"[ \t]$", text, re.MULTILINE), width
            if encoding == "ascii":
                text.encode("ascii")


@pytest.mark.parametrize("width", [36, 50, 80, 120])
def test_no_figure__is_lost_in_a_narrow_terminal(width):
    # every cell of a table stands in its row, whatever pieces the table was cut into
    for section in shown("long").sections:
        if section.layout != "table":
            continue
        block = layout.section_block(section, width, UNICODE, notes=False)
        text = "\n".join(line.plain for line in block.lines)
        for row in section.rows:
            value = row.estimate.value * (100 if row.kind == "share" else 1)
            candidates = {rounded(value, places) for places in range(9)} | {significant(value, 3)}
            assert any(re.search(rf"(?<![\d.]){re.escape(c)}(?![\d])", text) for c in candidates), row.key


@pytest.mark.compiled
def test_columns__stand_below_their_heads():
    [seat] = [section for section in shown("long").sections if section.key == "seat"]
    for width in (80, 120):
        lines = [line.plain for line in layout.section_block(seat, width, UNICODE, notes=False).lines]
        ends = [match.end() for match in re.finditer(r"seat \d", lines[0])]
        assert len(ends) == 5
        for line in lines[1:]:
            for end in ends:
                assert "±" in line or line[end - 1] != " ", (width, line)


@pytest.mark.parametrize("key", ["outcome", "win", "flow"])
def test_decimal_points__stand_below_each_other(key):
    [section] = [section for section in shown("long").sections if section.key == key]
    lines = [line.plain for line in layout.section_block(section, 120, UNICODE, notes=False).lines[1:]]
    places = [[m.start() for m in re.finditer(r"(?<=\d)\.(?=\d)", line)] for line in lines if line[:1].strip()]
    most = max(places, key=len)
    assert len(most) > 1
    assert all(set(line) <= set(most) for line in places if len(line) == len(most))


def test_wide_terminal__has_sections_side_by_side():
    assert len(printed(shown("long"), 120, brief=True).splitlines()) < len(
        printed(shown("long"), 80, brief=True).splitlines()
    )


@pytest.mark.parametrize("width", [40, 47, 80, 200])
def test_bars__are_as_long_as_shares_are_large(width):
    [outcome] = [section for section in shown("long").sections if section.key == "outcome"]
    block = layout.section_block(outcome, width, UNICODE)
    assert block.width <= width
    bars = [len(re.sub("[^█]", "", line.plain)) for line in block.lines[1:]]
    top = outcome.rows[0].estimate.value
    for row, bar in zip(outcome.rows, bars, strict=True):
        assert bar == pytest.approx(bars[0] * row.estimate.value / top, abs=1)
    assert (bars[0] == layout.LONGEST_BAR) == (width >= 80)


@given(st.floats(0, 1), st.integers(1, 60), st.sampled_from([UNICODE, ASCII]))
def test_bar__fits_and_shows_anything_above_zero(part, width, glyphs):
    bar = glyphs.bar(part, width)
    assert len(bar) <= width
    assert bool(bar) == (part > 0)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40), st.integers(1, 3), st.integers(1, 5))
def test_chart__is_a_rectangle_filled_by_the_highest(values, wide, height):
    for glyphs in (UNICODE, ASCII):
        lines = glyphs.chart(values, wide, height)
        assert len(lines) == height
        assert {len(line) for line in lines} == {wide * len(values)}
        for k, value in enumerate(values):
            column = [line[wide * k] for line in lines]
            assert (column[-1] != " ") == (value > 0)
            if value == max(values) > 0:
                assert column[0] != " "


def test_distribution__leaves_out_what_was_never_seen_but_an_outcome_stays():
    assert "49152-65535" not in printed(shown("short"))
    [outcome] = [section for section in shown("nothing").sections if section.key == "outcome"]
    text = [line.plain for line in layout.section_block(outcome, 80, UNICODE).lines]
    assert [line.split()[0] for line in text[1:]] == ["CAPPU", "CEKI", "POLLO", "MANGUNO", "MATTIKKENG"]


# --- numbers ---------------------------------------------------------------------------------------------------------


def made(value, low, high, kind="cluster-student", unit="share of rounds"):
    return Estimate(value, low, high, 0.95, kind, unit, 100, 50)


@pytest.mark.parametrize(
    ("estimate", "kind", "text"),
    [
        (made(0.77139, 0.77049, 0.77229), "share", "77.139 % ±0.090"),
        (made(0.77139, 0.77039, 0.77239), "share", "77.14 % ±0.10"),
        (made(0.5, 0.4751, 0.5249), "share", "50.0 % ±2.5"),
        (made(0.5, 0.38, 0.62), "share", "50 % ±12"),
        (made(0.25, -1.13, 1.63), "share", "25 % ±138"),
        (made(0.0136, 0.0083, 0.0230, "korn-graubard"), "share", "1.36 % (0.83, 2.30)"),
        (made(0.2, 0.2, 0.2), "share", "20 %"),
        (made(1 / 3, 1 / 3, 1 / 3, "exact"), "share", "33.3333 %"),
        (made(0.0, None, 0.0029912, "upper-bound"), "share", "0 % (< 0.30)"),
        (made(0.0, 0.0, 0.0029912, "clopper-pearson"), "share", "0 % (< 0.30)"),
        (made(1.0, 0.997009, None, "lower-bound"), "share", "100 % (> 99.70)"),
        (made(0.009, None, None, "not-estimable"), "share", "0.900 % ±?"),
        (made(None, None, None, "not-estimable"), "share", "–"),
        (made(18.5454, 18.5416, 18.5492), "mean", "18.5454 ±0.0038"),
        (made(0.05793, 0.05736, 0.05850), "mean", "0.05793 ±0.00057"),
        (made(12345.6, 12222.2, 12469.0), "mean", "12,350 ±130"),
        (made(0.04, -5.2, 5.28), "mean", "0.0 ±5.3"),
        (made(7, 7, 7, "woodruff"), "quantile", "7"),
        (made(10, 9, 10, "woodruff"), "quantile", "10 (9, 10)"),
        (made(3, None, 4, "woodruff"), "quantile", "3 (< 5)"),
        (made(21, 17, None, "woodruff"), "quantile", "21 (> 16)"),
        (made(1823, 1792, 1855, "woodruff"), "quantile", "1,823 (1,792, 1,855)"),
    ],
)
def test_shown(estimate, kind, text):
    assert str(text_of(estimate, kind)) == text
    assert ASCII.text(text_of(estimate, kind)) == text.replace("±", "+-").replace("–", "-")


@given(st.floats(-1e3, 1e3), st.floats(1e-7, 0.4), st.floats(0.5, 2), st.sampled_from(["share", "mean"]), st.booleans())
def test_shown__is_never_narrower_than_the_interval_and_has_two_digits_of_it(value, below, part, kind, signed):
    estimate = made(value, value - below, value + part * below)
    scale = 100 if kind == "share" else 1
    low, high = estimate.low * scale, estimate.high * scale
    text = str(text_of(estimate, kind, signed=signed)).replace(",", "")
    number = r"([+-]?[\d.]+)"
    if found := re.fullmatch(number + r"(?: %)? ±([\d.]+)", text):
        shown_value, error = map(float, found.groups())
        ends, digits = (shown_value - error, shown_value + error), found[2]
    else:
        found = re.fullmatch(number + r"(?: %)? \(" + number + " " + number + r"\)", text)
        shown_value, *ends = map(float, found.groups())
        digits = found[3]
    step = 10.0 ** -len(digits.partition(".")[2])
    half = (high - low) / 2
    nearest = 0.50001 * step if "±" in text else 1e-5 * step
    assert ends[0] <= low + nearest and ends[1] >= high - nearest
    assert 9.9 * step < half or step <= 1e-8
    assert ends[0] > low - 2.1 * step - 0.1 * half and ends[1] < high + 2.1 * step + 0.1 * half
    assert shown_value == pytest.approx(value * scale, abs=0.5001 * step)


@pytest.mark.parametrize(
    ("error", "places"),
    [(0.0949, 3), (0.0991, 2), (0.196, 2), (0.194, 2), (1.0, 1), (9.99, 0), (2.0, 1), (40, 0), (991, -2), (980, -1)],
)
def test_decimals(error, places):
    assert decimals(error) == places


def test_errors__are_not_printed_smaller_than_they_are():
    # a half-width of 0.0249 printed as 0.02 would cover 88 % instead of 95
    for half in np.geomspace(1e-4, 1e4, 500):
        text = str(text_of(made(0.0, -half, half), "mean"))
        assert float(text.partition("±")[2].replace(",", "")) >= half * (1 - 1e-6)


def test_span__has_more_digits_where_its_ends_would_read_alike():
    low, high = made(0.13796, 0.12, 0.156), made(0.13836, 0.12, 0.156)
    assert str(text_of(low, "share")).split()[0] == str(text_of(high, "share")).split()[0] == "13.8"
    assert span_text(low, high, "share") == "13.80 to 13.84 %"
    assert span_text(low, low, "share") == "13.8 %"
    assert span_text(made(0.1, 0.09, 0.11), high, "share") == "10.0 to 13.8 %"


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (made(0.0136442, 0.0134198, 0.0138686), "1 in 73"),
        (made(0.0136442, 0.0083, 0.0230), "1 in 70"),
        (made(1 / 12345, 1 / 13000, 1 / 11800), "1 in 12,300"),
        (made(1 / 92, 1e-6, 0.05), "about 1 in 90"),
        (made(0.05, None, None, "not-estimable"), "about 1 in 20"),
        (made(0.0, None, 0.0000250, "upper-bound"), "below 1 in 40,000"),
        (made(0.3, 0.2, 0.4), ""),
        (made(0.0, None, None, "not-estimable"), ""),
        (made(None, None, None, "not-estimable"), ""),
    ],
)
def test_one_in(estimate, text):
    assert one_in(estimate) == text


def test_bound__is_rounded_to_the_safe_side():
    for high in np.geomspace(1e-9, 0.9, 300):
        text = str(text_of(made(0.0, None, high, "upper-bound"), "share"))
        assert float(re.search(r"< ([\d.]+)\)", text)[1]) >= 100 * high * (1 - 1e-6)
        low = 1 - high
        text = str(text_of(made(1.0, low, None, "lower-bound"), "share"))
        assert float(re.search(r"> ([\d.]+)\)", text)[1]) <= 100 * low * (1 + 1e-12)


def test_error_of_a_row__is_its_largest():
    row = [
        (made(0.2, 0.1, 0.3), "share"),
        (made(0.2, 0.15, 0.4), "share"),
        (made(None, None, None, "not-estimable"), "share"),
    ]
    assert shared_error(row) == (0, "20")
    assert shared_error(row[2:]) == (None, "?")
    assert shared_error([(made(7, 7, 7), "quantile")]) == (None, "")


# --- what the signs mean ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("setup", SETUPS)
def test_legend__explains_the_signs_that_occur(setup):
    text = printed(shown(setup), 100)
    table, _, legend = text.rpartition("\n\n")
    if shown(setup).clusters < 2:
        assert "no error can be estimated" in legend
    else:
        assert "95 % intervals" in legend
        assert ("±?:" in legend) == ("±?" in table)
        assert ("bound" in legend) == ("(< " in table or "(> " in table)
        assert ("–:" in legend) == (" –" in table)


def test_notes__stand_in_the_long_form_only():
    note = "five closing ones"
    assert note in printed(shown("long"), 100)
    assert note not in printed(shown("long"), 100, brief=True)


# --- colour ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("color", "tty", "environ", "colored"),
    [
        ("auto", True, {"TERM": "xterm"}, True),
        ("auto", False, {"TERM": "xterm"}, False),
        ("auto", True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        ("auto", True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("never", True, {"TERM": "xterm"}, False),
        ("always", False, {"TERM": "dumb", "NO_COLOR": "1"}, True),
    ],
)
def test_color__is_asked_of_option_then_environment_then_terminal(color, tty, environ, colored, monkeypatch):
    for name in ("NO_COLOR", "TERM", "FORCE_COLOR", "COLORTERM", "COLUMNS", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert terminal.wants_color(color, tty, environ) == colored
    out = Stream(tty)
    render.print_figures(printer(color, out, 80), shown("short"), brief=True)
    assert ("\x1b" in out.getvalue()) == colored
    assert re.sub(r"\x1b\[[\d;]*m", "", out.getvalue()) == printed(shown("short"), brief=True)


def test_width__is_80_where_there_is_no_terminal(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert terminal.terminal("auto", Stream()).width == 80
    monkeypatch.setenv("COLUMNS", "132")
    assert terminal.terminal("auto", Stream()).width == 132
    monkeypatch.setenv("COLUMNS", "wide")
    assert terminal.terminal("auto", Stream()).width == 80


# --- around the figures ----------------------------------------------------------------------------------------------

HEAD = {
    "command": "domeng-sim run --rounds 1000000 --seats 'random,my strategy.toml,passer,banker,hunter' --seed 12345678",
    "directory": "/data/runs/domeng-1",
    "seed": "18446744073709551615",
    "game": "domeng",
    "seats": [{"text": text} for text in ("random", "my strategy.toml", "passer", "banker", "hunter")],
    "rules": DOMENG.resolve_rules({"pollo_stones": 7}),
    "tables": "rounds",
    "totals": {"matches": 15_000, "games": 0},
    "rounds_played": 593_211,
    "seconds": 0.8123,
}  # fmt: skip


@pytest.mark.parametrize("width", [30, 80, 120])
def test_run__tells_all_that_repeats_it(width, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(width))
    render.render_run(HEAD, shown("long"), "never")
    text = capsys.readouterr().out
    flat = " ".join(text.split())
    assert "default, but pollo_stones = 7" in flat
    assert "Domeng: " + grouped(effort(3000, 12)) + " matches" in flat
    assert "593,211 rounds in 0.81 s, 730,000 a second" in flat
    assert "1 my strategy.toml, 2 passer" in flat
    _, _, command = text.partition("The same again:\n")
    assert shlex.split(command.replace("\\\n", "")) == shlex.split(HEAD["command"])
    if width >= 80:
        assert max(map(len, text.splitlines())) <= width


def test_header__leaves_out_what_is_empty():
    out = Stream()
    render.print_header(printer("never", out, 80), "Title", {"seed": "0", "speed": ""})
    assert out.getvalue() == "Title\nseed  0\n"


@pytest.mark.parametrize(
    ("texts", "line"), [(["a"] * 5, "a in all 5"), (["a"] * 2, "a in both"), (["a", "b"], "0 a, 1 b")]
)
def test_seats_line(texts, line):
    assert render.seats_line(texts) == line


def test_speed__of_a_run_that_played_nothing_is_not_told():
    assert render.speed_line(0, 0.0) == ""


def test_rich__is_imported_only_to_print():
    code = "import sys, domeng_sim.cli, domeng_sim.analysis.metrics; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
