"""Odds of a position on a terminal.  Import it only when there is something to print, since it imports rich."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domeng_sim.analysis.format import Shown, grouped, rounded, seats_line, shown
from domeng_sim.cli.grid import NOTE, TITLE, GridColumn, aligned, grid
from domeng_sim.cli.numbers import Glyphs
from domeng_sim.cli.render import rules_line
from domeng_sim.cli.terminal import Printer, terminal
from domeng_sim.games.shared.odds import Measure
from domeng_sim.positions.odds_result import OddsResult
from domeng_sim.stats.estimate import level_text

ADVICE = "bold green"
_MOST_DECIMALS = 3


def render_odds(found: OddsResult, head: Mapping[str, Any], color: str = "auto") -> None:
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
    printer = Printer(terminal(color))
    assert found.spec.odds is not None
    glyphs, odds = printer.glyphs, found.spec.odds
    printer.line(f"{found.spec.title}: what should seat {found.position.seat} play?", TITLE)
    printer.lines(odds.draw(found.position, printer.width))
    printer.line()
    printer.wrapped(_how(found, head), NOTE)
    for columns in (_main_table(found, odds.measures, glyphs), _outcome_table(found, odds.outcomes)):
        printer.line()
        printer.grid(columns, head_style=TITLE)
    printer.line()
    printer.wrapped(_legend(found, odds.legend, glyphs), NOTE)
    printer.wrapped(found.advice, ADVICE)
    if found.method == "sampled":
        printer.again(head["command"])


def move_lines(found: OddsResult, width: int, glyphs: Glyphs) -> list[str]:
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
    lines = grid(_main_table(found, found.spec.odds.measures, glyphs), width, glyphs)
    return [line.plain for line in lines[: len(found.moves) + 1]]


def _how(found: OddsResult, head: Mapping[str, Any]) -> str:
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
        if found.infer is not None:
            assert found.effective is not None
            how += (
                f". Deals count by how likely the others' choices are for {found.infer}, so that the samples tell as "
                f"much as {grouped(found.effective)} that count alike"
            )
    return f"{deals} with this; {how}. Rules: {rules}."


def _main_table(found: OddsResult, measures: Sequence[Measure], glyphs: Glyphs) -> list[GridColumn]:
    def figures(head: str, name: str, kind: str) -> GridColumn:
        texts = [shown(move.figures[name], kind, unit="", most=_MOST_DECIMALS) for move in found.moves]
        return GridColumn(aligned(texts, glyphs), head)

    columns = [GridColumn([move.text for move in found.moves], "move", left=True), figures("wins %", "win", "share")]
    if found.method == "exact":
        columns.append(GridColumn([str(move.fractions["win"]) for move in found.moves], "exactly"))
    differences = [move.differences.get("win") for move in found.moves]
    texts = [
        Shown("") if one is None else shown(one, "share", unit="", signed=True, most=_MOST_DECIMALS)
        for one in differences
    ]
    columns.append(GridColumn(aligned(texts, glyphs), "vs best"))
    return [*columns, *(figures(what.head, what.name, what.kind) for what in measures if what.head)]


def _outcome_table(found: OddsResult, outcomes: Sequence[str]) -> list[GridColumn]:
    """Shares of the outcomes, and in brackets those that the player wins."""
    columns = [GridColumn([move.text for move in found.moves], "ends as", left=True)]
    for name in outcomes:
        cells = []
        for move in found.moves:
            every, own = (move.figures.get(f"{kind}_{name}") for kind in ("outcome", "own"))
            assert every is not None
            in_brackets = f" ({_percent(own.value or 0.0)})" if own is not None else ""
            cells.append(_percent(every.value or 0.0) + in_brackets)
        columns.append(GridColumn(cells, name.upper()))
    return columns


def _percent(share: float) -> str:
    return rounded(100 * share, 1 if share >= 0.0995 else 2)


def _legend(found: OddsResult, columns: str, glyphs: Glyphs) -> str:
    told = f"{columns}. In brackets: rounds that the seat wins."
    if found.method == "exact":
        return told
    looks = ", which hold at every look" if found.reason in ("until", "limit") else ""
    level = level_text(found.level)
    dropped = " A move that was significantly worse than the best was sampled no further." if found.dropped else ""
    intervals = f"{glyphs.text('±')} and (from, to): {level} intervals{looks}"
    note = f" {found.note}" if found.note else ""
    return f"{intervals}; vs best: on the same deals.{dropped}{note} {told}"
