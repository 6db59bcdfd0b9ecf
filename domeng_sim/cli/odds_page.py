"""Odds of a position on a terminal.  Import it only when there is something to print, since it imports rich."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from domeng_sim.analysis.format import is_even
from domeng_sim.cli.layout import NOTE, TITLE
from domeng_sim.cli.numbers import Glyphs, decimals, grouped, rounded
from domeng_sim.cli.render import glyphs_of, print_command, rules_line, seats_line, terminal
from domeng_sim.games.shared.odds import Measure
from domeng_sim.positions.odds_result import Odds
from domeng_sim.stats.estimate import Estimate

ADVICE = "bold green"
_GAP = 2
_MOST_PLACES = 3


def render_odds(found: Odds, head: Mapping[str, Any], color: str = "auto") -> None:
    """Print a position, the odds of its moves, and what they advise.

    Parameters
    ----------
    found
        The odds.
    head
        The command, the strategies and the seed, as in the JSON output.
    color
        ``auto``, ``always`` or ``never``.
    """
    console = terminal(color)
    assert found.spec.odds is not None
    glyphs, odds = glyphs_of(console), found.spec.odds
    _line(console, Text(f"{found.spec.title}: what should seat {found.position.seat} play?", TITLE))
    for line in odds.draw(found.position, console.width):
        _line(console, Text(line))
    _line(console, Text(""))
    for line in textwrap.wrap(_how(found, head), console.width):
        _line(console, Text(line, NOTE))
    _line(console, Text(""))
    for table in (_main_table(found, odds.measures, glyphs), _outcome_table(found, odds.outcomes)):
        for number, line in enumerate(_grid(table, console.width)):
            _line(console, Text(line, TITLE if number == 0 else ""))
        _line(console, Text(""))
    for line in textwrap.wrap(_legend(found, odds.legend, glyphs), console.width):
        _line(console, Text(line, NOTE))
    for line in textwrap.wrap(found.advice, console.width):
        _line(console, Text(line, ADVICE))
    if found.method == "sampled":
        _line(console, Text("The same again:", NOTE))
        print_command(console, head["command"])


def move_lines(found: Odds, width: int, glyphs: Glyphs) -> list[str]:
    """The table of the moves as lines, its heads first: how often each wins, and what else it brings if that fits.

    Parameters
    ----------
    found
        The odds.
    width
        Columns that there are.
    glyphs
        What it is made of.
    """
    assert found.spec.odds is not None
    return _grid(_main_table(found, found.spec.odds.measures, glyphs), width)[: len(found.moves) + 1]


def _how(found: Odds, head: Mapping[str, Any]) -> str:
    """How the odds were found, in a sentence or two."""
    n = found.deals
    deals = "One deal agrees" if n == 1 else f"{grouped(n)} deals agree"
    rules = rules_line(head["rules"], {rule.name: rule.default for rule in found.spec.rules})
    if found.method == "exact":
        how = (
            "every course of the round on every deal, all players at random; deals are not weighted by how likely the "
            "others' choices were"
        )
    else:
        assert found.samples is not None
        texts = [seat["text"] for seat in head["seats"]]
        alike = len(set(texts)) == 1
        players = f"all players play on as {texts[0]}" if alike else f"played on by {seats_line(texts)}"
        how = f"{grouped(found.samples)} samples of them, seed {head['seed']}; {players}"
    return f"{deals} with this; {how}. Rules: {rules}."


def _main_table(found: Odds, measures: Sequence[Measure], glyphs: Glyphs) -> list[list[str]]:
    columns = [
        ("move", [move.text for move in found.moves]),
        ("wins %", glyphs.aligned([_text(move.figures["win"], "share", glyphs) for move in found.moves])),
    ]
    if found.method == "exact":
        columns.append(("exactly", [str(move.fractions["win"]) for move in found.moves]))
    differences = [move.differences.get("win") for move in found.moves]
    texts = ["" if figure is None else _text(figure, "share", glyphs) for figure in differences]
    columns.append(("vs best", glyphs.aligned(texts)))
    for what in measures:
        if what.head:
            texts = [_text(move.figures[what.name], what.kind, glyphs) for move in found.moves]
            columns.append((what.head, glyphs.aligned(texts)))
    return [[head for head, _ in columns], *(list(row) for row in zip(*(cells for _, cells in columns), strict=True))]


def _text(figure: Estimate, kind: str, glyphs: Glyphs) -> str:
    """A figure in few characters: the interval as half its width, or as what the figure is below if that says more."""
    value, low, high = figure.value, figure.low, figure.high
    if value is None or low is None or high is None:
        return glyphs.dash
    scale = 100 if kind == "share" else 1
    half = scale * (high - low) / 2
    if half == 0:
        text = rounded(scale * value, 4)
        return text.rstrip("0").rstrip(".")
    places = min(decimals(half), _MOST_PLACES)
    if value == 0 and low == 0:
        return f"<{rounded(max(scale * high, 10.0**-_MOST_PLACES), _MOST_PLACES)}"
    if round(half, places) == 0:
        return f"{rounded(scale * value, places)}"
    if not is_even(scale * value, scale * low, scale * high, places, 100.0 if kind == "share" else math.inf):
        return f"{rounded(scale * value, places)} ({rounded(scale * low, places)}, {rounded(scale * high, places)})"
    return f"{rounded(scale * value, places)} {glyphs.plus_minus}{rounded(half, places)}"


def _outcome_table(found: Odds, outcomes: Sequence[str]) -> list[list[str]]:
    """Shares of the outcomes, and in brackets those that the player wins."""
    heads = ["ends as", *(name.upper() for name in outcomes)]
    rows = []
    for move in found.moves:
        cells = [move.text]
        for name in outcomes:
            every, own = (move.figures.get(f"{kind}_{name}") for kind in ("outcome", "own"))
            assert every is not None
            in_brackets = f" ({_percent(own.value or 0.0)})" if own is not None else ""
            cells.append(_percent(every.value or 0.0) + in_brackets)
        rows.append(cells)
    return [heads, *rows]


def _percent(share: float) -> str:
    return rounded(100 * share, 1 if share >= 0.0995 else 2)


def _grid(table: list[list[str]], width: int) -> list[str]:
    """Lines of a table; columns for which there is no room go into a second one below."""
    sizes = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
    groups: list[list[int]] = [[]]
    used = sizes[0]
    for k in range(1, len(sizes)):
        if groups[-1] and used + _GAP + sizes[k] > width:
            groups.append([])
            used = sizes[0]
        groups[-1].append(k)
        used += _GAP + sizes[k]
    lines = []
    for group in groups:
        for row in table:
            cells = (" " * _GAP + row[k].rjust(sizes[k]) for k in group)
            lines.append((row[0].ljust(sizes[0]) + "".join(cells)).rstrip())
    return lines


def _legend(found: Odds, columns: str, glyphs: Glyphs) -> str:
    told = f"{columns}. In brackets: rounds that the seat wins."
    if found.method == "exact":
        return told
    looks = ", which hold at every look" if found.reason in ("until", "limit") else ""
    level = f"{100 * found.level:.6g} %"
    return f"{glyphs.plus_minus} and (from, to): {level} intervals{looks}; vs best: on the same deals. {told}"


def _line(console: Console, line: Text) -> None:
    line.rstrip()
    console.print(line, no_wrap=True, overflow="crop", crop=True)
