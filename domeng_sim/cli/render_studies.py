"""Studies on a terminal: compact, and never wider than it.  Import it only when there is something to print."""

from __future__ import annotations

import math
import shlex
import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from domeng_sim.cli.layout import NOTE, TITLE
from domeng_sim.cli.numbers import Glyphs, decimals, grouped, rounded
from domeng_sim.cli.render import glyphs_of, print_command
from domeng_sim.stats.estimate import Estimate
from domeng_sim.studies.comparison import Comparison, End
from domeng_sim.studies.estimates import Secondary
from domeng_sim.studies.lineups import NUMBERS, Setting
from domeng_sim.studies.rankings import Ranking
from domeng_sim.studies.stopping import REASONS, Stopping


class Page:
    """Lines for a console.

    Parameters
    ----------
    console
        From `render.terminal`.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.glyphs = glyphs_of(console)
        self.width = console.width

    def line(self, text: str = "", style: str = "") -> None:
        """A line, cut at the width of the terminal."""
        line = Text(text, style)
        line.rstrip()
        line.truncate(self.width)
        self.console.print(line, no_wrap=True, overflow="crop", crop=True)

    def wrapped(self, text: str, style: str = "", indent: str = "") -> None:
        """A paragraph."""
        for part in textwrap.wrap(text, self.width, initial_indent=indent, subsequent_indent=indent):
            self.line(part, style)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]], indent: str = "  ") -> None:
        """Rows in columns, the first to the left and the others to the right; an empty head is left out."""
        sizes = [max(len(row[k]) for row in [*rows, head] if k < len(row)) for k in range(len(head))]
        for number, row in enumerate([head, *rows] if any(head) else rows):
            cells = [
                text.ljust(size) if k == 0 else text.rjust(size)
                for k, (text, size) in enumerate(zip(row, sizes, strict=False))
            ]
            self.line(indent + "  ".join(cells), NOTE if number == 0 and any(head) else "")

    def command(self, words: Sequence[str]) -> None:
        """The command that gives the same again."""
        self.line()
        self.line("The same again:", NOTE)
        print_command(self.console, shlex.join(words))


def figure(
    estimate: Estimate,
    glyphs: Glyphs,
    *,
    scale: float = 1.0,
    unit: str = "",
    signed: bool = False,
    bare: bool = False,
    most: int = 8,
) -> str:
    """A figure and its interval, rounded as the interval allows.

    Parameters
    ----------
    estimate
        The figure.
    glyphs
        The characters to use.
    scale
        Factor, 100 for percent.
    unit
        Stands behind the value.
    signed
        Whether a plus is written.
    bare
        Only the interval: the value is biased or not wanted.
    most
        Decimals at most.
    """
    low, value, high = (None if x is None else scale * x for x in (estimate.low, estimate.value, estimate.high))
    behind = f" {unit}" if unit else ""

    def shown(x: float, places: int) -> str:
        text = rounded(x, places)
        return f"+{text}" if signed and float(text.replace(",", "")) > 0 else text

    if value is None and low is None and high is None:
        return glyphs.dash
    if low is None or high is None:
        if value is None:
            side = ("<", high) if high is not None else (">", low)
            return f"{side[0]} {shown(side[1] or 0.0, 2)}{behind}"
        return f"{shown(value, 2 if scale == 1 else 1)}{behind} {glyphs.plus_minus}?"
    half = (high - low) / 2
    places = min(decimals(half), most) if half > 0 else 2
    if bare or value is None:
        return f"{shown(low, places)} to {shown(high, places)}{behind}"
    if half == 0:
        return f"{shown(value, places)}{behind} {glyphs.plus_minus}0"
    if abs((high - value) - (value - low)) <= 10.0**-places:
        return f"{shown(value, places)}{behind} {glyphs.plus_minus}{rounded(half, places)}"
    return f"{shown(value, places)}{behind} ({shown(low, places)}, {shown(high, places)})"


def print_setting(page: Page, title: str, setting: Setting, blocks: int, games: int, rounds: int) -> None:
    """A title, and what was played."""
    page.wrapped(title, TITLE)
    rules = [
        f"{rule.name}={setting.rules[rule.name]}"
        for rule in setting.spec.rules
        if setting.rules[rule.name] != rule.default
    ]
    page.wrapped(
        f"{setting.spec.title}, {', '.join(rules) if rules else 'default rules'}, seed {setting.seed}: "
        f"{grouped(blocks)} blocks of the same deals, {grouped(games)} games, {grouped(rounds)} rounds"
    )


def interval_note(stopping: Stopping, looks: int, blocks: int, reason: str) -> str:
    """What kind of intervals these are, and why it ended."""
    level = f"{100 * stopping.level:.6g} %"
    if stopping.fixed:
        kind = f"{level} Student intervals, for a number of blocks fixed beforehand (one look)"
    else:
        kind = f"{level} intervals that hold at every look (confidence sequence; {looks} look{'s' * (looks != 1)})"
    return f"{kind}; the unit is the block, {grouped(blocks)} of them. Ended because {REASONS[reason]}."


def print_comparison(console: Console, result: Comparison, words: Sequence[str]) -> None:
    """Print what a comparison found.

    Parameters
    ----------
    console
        From `render.terminal`.
    result
        What was found.
    words
        The command that gives it again.
    """
    page, question = Page(console), result.question
    title = "{} against {}".format(*question.names)
    print_setting(page, title, question.setting, result.blocks, result.games, result.rounds)
    for end in result.ends:
        page.line()
        print_end(page, end, result)
    if result.difference is not None:
        page.line()
        page.line("{} less {}, in the same company on the same deals".format(*question.names), TITLE)
        text = figure(result.difference, page.glyphs, scale=100, unit="pp", signed=True)
        page.table(("", ""), [(f"difference in {question.setting.spec.scoring().share}", text)])
        page.line(f"  {grouped(result.difference_differing)} of {grouped(result.blocks)} blocks differ")
        if result.difference_saving is not None:
            page.line(f"  on independent deals it would take {result.difference_saving:.1f} times as many games")
    if result.switches:
        page.line()
        _switches(page, result)
    if result.test is not None and question.sprt is not None:
        page.line()
        _test(page, result)
    page.line()
    page.wrapped(f"Answer: {result.sentence}.", TITLE)
    page.line()
    _secondary(page, result)
    page.wrapped(interval_note(result.stopping, result.looks, result.blocks, result.reason), NOTE)
    for note in _notes(result):
        page.wrapped(note, NOTE)
    page.command(words)


def print_end(page: Page, end: End, result: Comparison) -> None:
    """How one strategy does at one kind of table."""
    glyphs, fair, bare = page.glyphs, 100 * result.question.setting.fair, result.test is not None
    scoring = result.question.setting.spec.scoring()
    page.line(end.label, TITLE)
    rows = [
        (scoring.share, figure(end.share, glyphs, scale=100, unit="%", bare=bare), f"fair {fair:.4g} %"),
        ("excess", figure(end.excess, glyphs, scale=100, unit="pp", signed=True, bare=bare), "fair 0"),
        ("log-strength", figure(end.strength, glyphs, signed=True, bare=bare), "fair 0"),
        ("Elo-like", figure(end.elo, glyphs, signed=True, bare=bare), "400 points for a factor of ten"),
    ]  # fmt: skip
    width = max(len(row[1]) for row in rows)
    left = max(len(row[0]) for row in rows)
    for name, text, note in rows:
        page.line(f"  {name.ljust(left)}  {text.ljust(width)}  {note}")
    missing = end.games - end.finished
    truncated = f"; {grouped(missing)} of {grouped(end.games)} games without a winner" if missing else ""
    page.line(f"  {grouped(end.differing)} of {grouped(end.blocks)} blocks differ from the fair share{truncated}")
    if end.sign_flip is not None and not end.same:
        page.line(f"  sign-flip test of the blocks that differ: p = {end.sign_flip.p:.3g}")
    if not bare:
        page.wrapped(end.sentence, indent="  ")


def _switches(page: Page, result: Comparison) -> None:
    a, b = result.question.names
    page.wrapped(f"One seat switched from {b} to {a}, by how many other {a} sit at the table", TITLE)
    rows = [
        (
            f"d{switch.others}",
            f"{100 * (switch.as_a.value or 0):.2f} %",
            f"{100 * (switch.as_b.value or 0):.2f} %",
            figure(switch.effect, page.glyphs, scale=100, unit="pp", signed=True),
        )
        for switch in result.switches
    ]
    page.table(("", f"as {shortened(a, 20)}", f"as {shortened(b, 20)}", "effect"), rows)


def _test(page: Page, result: Comparison) -> None:
    test, gate = result.test, result.question.sprt
    assert test is not None
    assert gate is not None
    page.line("Sequential test", TITLE)
    page.line(f"  H0: share {gate.s0:g}, H1: share {gate.s1:g}; errors {gate.alpha:g} and {gate.beta:g}")
    page.line(f"  log-likelihood ratio {test.llr:+.3f}, H0 below {test.lower:.3f}, H1 above {test.upper:.3f}")
    page.line(f"  {test.verdict} after {grouped(test.blocks)} blocks")


def _secondary(page: Page, result: Comparison) -> None:
    """All other measures: the subject's value at each table, and its difference from the other seats."""
    ends = [end for end in result.ends if end.secondary][:2]
    if not ends or result.test is not None:
        return
    page.wrapped("Exploratory: other measures of the strategy named, and how it differs from the others at its table")
    head = [""]
    for end in ends:
        head += [shortened(end.subject, 9), "difference"]
    rows = []
    for number, first in enumerate(ends[0].secondary):
        row = [shortened(first.label, 20)]
        for end in ends:
            row += _pair(end.secondary[number], page.glyphs)
        rows.append(row)
    page.table(head, rows, indent="")
    page.line()


def _pair(row: Secondary, glyphs: Glyphs) -> list[str]:
    scale, unit = (100, "%") if row.kind == "share" else (1, "")
    value = row.subject.value
    if value is None:
        return [glyphs.dash, glyphs.dash]
    half = row.subject.half_width
    places = decimals(scale * half) if half else 3
    text = rounded(scale * value, min(places, 4)) + (f" {unit}" if unit else "")
    return [text, figure(row.difference, glyphs, scale=scale, signed=True, most=4)]


def shortened(text: str, width: int) -> str:
    """A text of at most so many columns."""
    return text if len(text) <= width else text[: width - 1] + "."


def _notes(result: Comparison) -> list[str]:
    notes = []
    if any(end.share.kind == "anytime-betting" for end in result.ends):
        notes.append("Few blocks differ from the fair share, so the spread says little: the interval comes from bets.")
    if any(end.games > end.finished for end in result.ends):
        notes.append("A game without a winner counts as a fair share for every seat.")
    if result.test is not None:
        notes.append("After a sequential test the plain mean is biased and not shown; the interval holds.")
    if not result.stopping.fixed and result.blocks < 100:
        notes.append("Intervals begin at 100 blocks.")
    if result.question.same and any(
        end.share.value is not None and not math.isclose(end.share.value, result.question.setting.fair)
        for end in result.ends
    ):
        notes.append("Equal players whose shares are not the fair one: this must not be; please report it.")
    return notes


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
    page.table(("   strategy", entry.setting.spec.scoring().share, "log-strength", "ties"), rows, indent="")
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


_WIDEST_MATRIX, _WIDEST_WITH_DECIMALS = 15, 10


def _matrix(page: Page, result: Ranking) -> None:
    """Row less column, at the tables where both sit, in percentage points; a star where it is established."""
    level = 1 - result.stopping.level
    order = [place.position for place in result.places]
    if len(order) > _WIDEST_MATRIX:
        page.wrapped("The matrix of pairs is too wide for a terminal; --json has it.", NOTE)
        return
    places = 1 if len(order) <= _WIDEST_WITH_DECIMALS else 0
    cells = {}
    for pair in result.pairs:
        value, star = pair.difference.value, "*" if pair.adjusted < level else " "
        for one, other, sign in ((pair.first, pair.second, 1), (pair.second, pair.first, -1)):
            cells[one, other] = f"{100 * sign * value:+.{places}f}{star}" if value is not None else page.glyphs.dash
    page.wrapped(f"Row less column in pp, where both sit at one table; * Holm-adjusted p below {level:.4g}", TITLE)
    room = page.width - (7 if places else 5) * len(order) - 3
    rows = []
    for rank, one in enumerate(order, 1):
        name = f" {shortened(result.entry.names[one], room)}" if room >= 6 else ""
        rows.append((f"{rank:2}{name}", *(cells.get((one, other), "") for other in order)))
    head = ("", *(f"{rank} " for rank in range(1, len(order) + 1)))
    sizes = [max(len(row[k]) for row in [*rows, head]) for k in range(len(head))]
    for number, row in enumerate([head, *rows]):
        texts = [
            text.ljust(size) if k == 0 else text.rjust(size)
            for k, (text, size) in enumerate(zip(row, sizes, strict=True))
        ]
        page.line(" ".join(texts), NOTE if number == 0 else "")
