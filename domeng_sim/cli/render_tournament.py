"""A tournament on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console

from domeng_sim.cli.layout import NOTE, TITLE
from domeng_sim.cli.numbers import grouped
from domeng_sim.cli.render_studies import Page, column_sizes, figure, interval_note, print_setting, shortened
from domeng_sim.comparisons.design import NUMBERS
from domeng_sim.comparisons.stopping import REASONS
from domeng_sim.comparisons.tournament_result import Ranking


def print_ranking(console: Console, result: Ranking, words: Sequence[str]) -> None:
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
    page, entry, design = Page(console), result.entry, result.entry.design()
    print_setting(
        page,
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
    page.wrapped(f"{number} of {of}, {how}; each in {seatings} seatings, {balance}", NOTE)
    page.line()
    if not result.blocks:
        page.wrapped(f"Answer: {result.sentence}. Ended because {REASONS[result.reason]}.", TITLE)
        page.command(words)
        return
    rows = []
    for rank, place in enumerate(result.places, 1):
        share = figure(place.share, page.glyphs, scale=100, unit="%")
        rows.append(
            (
                f"{rank:2} {shortened(place.name, 24)}",
                share,
                figure(place.strength, page.glyphs, signed=True),
                place.ties,
            )
        )
    page.table(
        ("   strategy", entry.setting.spec.scoring(entry.setting.rules).share, "log-strength", "ties"), rows, indent=""
    )
    page.wrapped(
        f"Strategies that share a letter cannot be told apart. A fair share is {100 * entry.setting.fair:g} %.", NOTE
    )
    page.line()
    _matrix(page, result)
    page.line()
    page.wrapped(f"Answer: {result.sentence}.", TITLE)
    if not result.transitive:
        names = entry.names
        circles = "; ".join(" > ".join(names[k] for k in (*cycle, cycle[0])) for cycle in result.cycles[:3])
        page.wrapped(
            "Warning: the differences run in a circle, so no ranking does them justice: "
            + (circles or "see `pairs` in --json"),
            "bold",
        )
    page.line()
    together = "hold together" if result.stopping.fixed else "hold together and at every look"
    page.wrapped(
        f"Shares: {100 * result.stopping.level:.6g} % intervals that {together}. Log-strengths: Plackett-Luce, errors "
        f"from a bootstrap of blocks. {interval_note(result.stopping, result.looks, result.blocks, result.reason)}",
        NOTE,
    )
    if result.games > result.finished:
        missing = f"{grouped(result.games - result.finished)} of {grouped(result.games)} games had no winner"
        page.wrapped(f"{missing}; each counts as a fair share for every seat.", NOTE)
    page.command(words)


_WIDEST_MATRIX, _WIDEST_WITH_DECIMALS, _WIDEST_WITH_P = 15, 10, 8


def _matrix(page: Page, result: Ranking) -> None:
    """Row less column, at the tables where both sit, in percentage points; a star where it is established."""
    level, order = 1 - result.stopping.level, [place.position for place in result.places]
    if len(order) > _WIDEST_MATRIX:
        page.wrapped("The matrix of pairs is too wide for a terminal; --json has it.", NOTE)
        return
    places = 1 if len(order) <= _WIDEST_WITH_DECIMALS else 0
    differences, adjusted = {}, {}
    for pair in result.pairs:
        value, star = pair.difference.value, "*" if pair.adjusted < level else " "
        for one, other, sign in ((pair.first, pair.second, 1), (pair.second, pair.first, -1)):
            text = f"{100 * sign * value:+.{places}f}{star}" if value is not None else page.glyphs.dash
            differences[one, other] = text
            adjusted[one, other] = "<0.001" if pair.adjusted < 0.001 else f"{pair.adjusted:.3f}"
    elsewhere = "" if len(order) <= _WIDEST_WITH_P else "; p-values and intervals in --json"
    starred = f"* Holm-adjusted p below {level:.4g}{elsewhere}"
    page.wrapped(f"Row less column in pp, where both sit at one table; {starred}", TITLE)
    _square(page, result, differences, 7 if places else 5)
    if not elsewhere:
        page.line()
        page.wrapped("Holm-adjusted p-values of these differences; their intervals are in --json", TITLE)
        _square(page, result, adjusted, 7)


def _square(page: Page, result: Ranking, cells: Mapping[tuple[int, int], str], width: int) -> None:
    """A table of pairs, the best first; names where there is room for them, else ranks."""
    order = [place.position for place in result.places]
    room = page.width - width * len(order) - 3
    rows = []
    for rank, one in enumerate(order, 1):
        name = f" {shortened(result.entry.names[one], room)}" if room >= 6 else ""
        rows.append((f"{rank:2}{name}", *(cells.get((one, other), "") for other in order)))
    head = ("", *(f"{rank} " for rank in range(1, len(order) + 1)))
    sizes = column_sizes(head, rows)
    for number, row in enumerate([head, *rows]):
        texts = [
            text.ljust(size) if k == 0 else text.rjust(size)
            for k, (text, size) in enumerate(zip(row, sizes, strict=True))
        ]
        page.line(" ".join(texts), NOTE if number == 0 else "")
