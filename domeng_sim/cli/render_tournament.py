"""A tournament on a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from rich.console import Console

from domeng_sim.analysis.format import DASH, grouped
from domeng_sim.cli.grid import NOTE, TITLE, GridColumn, aligned
from domeng_sim.cli.render_studies import difference, interval_note, print_setting, share
from domeng_sim.cli.terminal import Printer
from domeng_sim.comparisons.design import NUMBERS
from domeng_sim.comparisons.stopping import REASONS
from domeng_sim.comparisons.tournament_result import TournamentResult
from domeng_sim.stats.estimate import level_text


def print_ranking(console: Console, result: TournamentResult, words: Sequence[str]) -> None:
    """Print what a tournament found.

    Parameters
    ----------
    console
        From `render.terminal`.
    result
        What was found.
    words
        The command that gives it again.
    """
    printer, entry, design = Printer(console), result.entry, result.entry.design()
    print_setting(
        printer,
        f"Tournament of {len(entry.strategies)} strategies",
        entry.setting,
        result.blocks,
        result.games,
        result.rounds,
    )
    seats = entry.setting.seats
    of = NUMBERS[seats]
    every = "every pair" if seats == 2 else f"every set of {of}"
    kinds = {"all": every, "balanced": "every pair at as many tables as any other (balanced design)"}
    how = kinds.get(design.kind, "every pair at {} to {} tables (nearly balanced)".format(*design.meetings))
    number = "1 table" if len(design.tables) == 1 else f"{len(design.tables)} tables"
    seatings = len(entry.lineups()[0].seatings)
    balance = "each strategy in each seat" if seats == 2 else "balanced for seats and neighbours"
    printer.wrapped(f"{number} of {of}, {how}; each in {seatings} seatings, {balance}", NOTE)
    printer.line()
    if not result.blocks:
        printer.wrapped(f"Answer: {result.sentence}. Ended because {REASONS[result.reason]}.", TITLE)
        printer.again(shlex.join(words))
        return
    glyphs, places = printer.glyphs, result.places
    printer.grid(
        [
            GridColumn(
                [f"{rank:2} {glyphs.short(place.name, 24)}" for rank, place in enumerate(places, 1)],
                "   strategy",
                True,
            ),
            GridColumn(
                aligned([share(place.share) for place in places], glyphs),
                entry.setting.spec.scoring(entry.setting.rules).share,
            ),
            GridColumn(aligned([difference(place.strength) for place in places], glyphs), "log-strength"),
            GridColumn([place.ties for place in places], "ties"),
        ]
    )
    printer.wrapped(
        f"Strategies that share a letter cannot be told apart. A fair share is {100 * entry.setting.fair:g} %.", NOTE
    )
    printer.line()
    _matrix(printer, result)
    printer.line()
    printer.wrapped(f"Answer: {result.sentence}.", TITLE)
    if not result.transitive:
        names = entry.names
        circles = "; ".join(" > ".join(names[k] for k in (*cycle, cycle[0])) for cycle in result.cycles[:3])
        printer.wrapped(
            "Warning: the differences run in a circle, so no ranking does them justice: "
            + (circles or "see `pairs` in --json"),
            "bold",
        )
    printer.line()
    together = "hold together" if result.stopping.fixed else "hold together and at every look"
    printer.wrapped(
        f"Shares: {level_text(result.stopping.level)} intervals that {together}. Log-strengths: Plackett-Luce, errors "
        f"from a bootstrap of blocks. {interval_note(result.stopping, result.looks, result.blocks, result.reason)}",
        NOTE,
    )
    if result.games > result.finished:
        missing = f"{grouped(result.games - result.finished)} of {grouped(result.games)} games had no winner"
        printer.wrapped(f"{missing}; each counts as a fair share for every seat.", NOTE)
    printer.again(shlex.join(words))


_WIDEST_MATRIX, _WIDEST_WITH_DECIMALS, _WIDEST_WITH_P = 15, 10, 8


def _matrix(printer: Printer, result: TournamentResult) -> None:
    """Row less column, at the tables where both sit, in percentage points; a star where it is established."""
    level, order = 1 - result.stopping.level, [place.position for place in result.places]
    if len(order) > _WIDEST_MATRIX:
        printer.wrapped("The matrix of pairs is too wide for a terminal; --json has it.", NOTE)
        return
    places = 1 if len(order) <= _WIDEST_WITH_DECIMALS else 0
    differences, adjusted = {}, {}
    for pair in result.pairs:
        value, star = pair.difference.value, "*" if pair.adjusted < level else " "
        for one, other, sign in ((pair.first, pair.second, 1), (pair.second, pair.first, -1)):
            text = f"{100 * sign * value:+.{places}f}{star}" if value is not None else printer.glyphs.text(DASH)
            differences[one, other] = text
            adjusted[one, other] = "<0.001" if pair.adjusted < 0.001 else f"{pair.adjusted:.3f}"
    elsewhere = "" if len(order) <= _WIDEST_WITH_P else "; p-values and intervals in --json"
    starred = f"* Holm-adjusted p below {level:.4g}{elsewhere}"
    printer.wrapped(f"Row less column in pp, where both sit at one table; {starred}", TITLE)
    _square(printer, result, differences, 7 if places else 5)
    if not elsewhere:
        printer.line()
        printer.wrapped("Holm-adjusted p-values of these differences; their intervals are in --json", TITLE)
        _square(printer, result, adjusted, 7)


def _square(printer: Printer, result: TournamentResult, cells: Mapping[tuple[int, int], str], width: int) -> None:
    """A table of pairs, the best first; names where there is room for them, else ranks."""
    order = [place.position for place in result.places]
    room = printer.width - width * len(order) - 3
    names = [
        f"{rank:2} {printer.glyphs.short(result.entry.names[one], room)}" if room >= 6 else f"{rank:2}"
        for rank, one in enumerate(order, 1)
    ]
    columns = [
        GridColumn([cells.get((one, other), "") for one in order], f"{rank} ") for rank, other in enumerate(order, 1)
    ]
    printer.grid([GridColumn(names, left=True), *columns], gap=1)
