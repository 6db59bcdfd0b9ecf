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
from domeng_sim.comparisons.block_estimates import Secondary
from domeng_sim.comparisons.design import Setting
from domeng_sim.comparisons.result import Comparison, End
from domeng_sim.comparisons.stopping import REASONS, Stopping
from domeng_sim.stats.estimate import Estimate


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

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str] | str], indent: str = "  ") -> None:
        """Rows in columns, the first to the left and the others to the right; an empty head is left out.

        A row that is a text stands above those that follow.
        """
        sizes = column_sizes(head, rows)
        for number, row in enumerate([head, *rows] if any(head) else rows):
            if isinstance(row, str):
                self.line(indent + row, NOTE)
                continue
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


def column_sizes(head: Sequence[str], rows: Sequence[Sequence[str] | str]) -> list[int]:
    """How wide the columns of a table are."""
    full = [head, *(row for row in rows if not isinstance(row, str))]
    return [max(len(row[k]) for row in full if k < len(row)) for k in range(len(head))]


def counted(number: int, noun: str) -> str:
    """So many of something: ``1 block``, ``2 blocks``."""
    return f"{grouped(number)} {noun}{'s' * (number != 1)}"


def _significant(x: float, most: int) -> int:
    """Decimals for about three significant digits, where no error says how many."""
    return min(max(2 - math.floor(math.log10(abs(x))), 0), most) if x else min(2, most)


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
    value = None if bare and (low is None or high is None) else value
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
        return f"{shown(value, _significant(value, most))}{behind} {glyphs.plus_minus}?"
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
        f"{counted(blocks, 'block')} of the same deals, {counted(games, 'game')}, {counted(rounds, 'round')}"
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
        page.table(("", ""), [(f"difference in {question.setting.spec.scoring(question.setting.rules).share}", text)])
        page.line(f"  {grouped(result.difference_differing)} of {counted(result.blocks, 'block')} differ")
        if result.difference_saving is not None:
            page.line(f"  on independent deals it would take {result.difference_saving:.1f} times as many games")
    if result.switches:
        page.line()
        _switches(page, result)
    if result.test is not None and question.sprt is not None:
        page.line()
        _test(page, result)
    page.line()
    n = len(result.decisions)
    together = n > 1 and _judged(result)
    held = f" ({100 * result.stopping.level:.6g} % over all {n} comparisons together)" if together else ""
    page.wrapped(f"Answer: {result.sentence}{held}.", TITLE)
    page.line()
    _secondary(page, result)
    page.wrapped(interval_note(result.stopping, result.looks, result.blocks, result.reason), NOTE)
    for note in _decision_notes(result) if _judged(result) else []:
        page.wrapped(note, NOTE)
    for note in _notes(result):
        page.wrapped(note, NOTE)
    page.command(words)


def _judged(result: Comparison) -> bool:
    """Whether the answer is one about who does better, made of intervals."""
    return result.test is None and not result.question.same and any(end.finished for end in result.ends)


def _decision_notes(result: Comparison) -> list[str]:
    """How the answer is made of the intervals."""
    notes, level, n = [], f"{100 * result.stopping.level:.6g} %", len(result.decisions)
    if n > 1:
        what = f"the answer is held to {level} over all {n} comparisons behind it"
        notes.append(f"Each interval holds at {level} by itself; {what} (Holm-adjusted p-values).")
    elif len(result.ends) > 1:
        notes.append(f"The verdicts on the {len(result.ends)} tables are held to {level} together (Holm-adjusted).")
    if any(decision.few for decision in [*result.decisions, *(end.decision for end in result.ends)]):
        notes.append(
            "With fewer than 20 blocks, or fewer than 20 that differ from each other, a difference is called only if "
            "the sign-flip test finds it too."
        )
    return notes


def print_end(page: Page, end: End, result: Comparison) -> None:
    """How one strategy does at one kind of table."""
    glyphs, fair, bare = page.glyphs, 100 * result.question.setting.fair, result.test is not None
    scoring = result.question.setting.spec.scoring(result.question.setting.rules)
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
    truncated = f"; {grouped(missing)} of {counted(end.games, 'game')} without a winner" if missing else ""
    differ = f"{grouped(end.differing)} of {counted(end.blocks, 'block')} differ{'s' * (end.differing == 1)}"
    page.wrapped(f"{differ} from the fair share{truncated}", indent="  ")
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
    page.line(f"  {test.verdict} after {counted(test.blocks, 'block')}")


def _secondary(page: Page, result: Comparison) -> None:
    """All other measures: the subject's value at each table, and its difference from the other seats."""
    ends = [end for end in result.ends if end.secondary][:2]
    if not ends or result.test is not None:
        return
    level = f"{100 * result.stopping.level:.6g} %"
    told = "Exploratory: other measures of the strategy named, and how it differs from the others at its table"
    head = [""]
    for end in ends:
        head += [shortened(end.subject, 9), "difference"]
    rows = _measures(ends, page.glyphs, True)
    if sum(column_sizes(head, rows)) + 2 * (len(head) - 1) <= page.width:
        page.wrapped(f"{told}; each with its {level} interval")
    else:
        rows = _measures(ends, page.glyphs, False)
        page.wrapped(f"{told}, with its {level} interval; those of the measures are in --json")
    page.table(head, rows, indent="")
    page.line()


def _measures(ends: Sequence[End], glyphs: Glyphs, intervals: bool) -> list[Sequence[str] | str]:
    """Rows of measures under their units."""
    units: dict[str, list[Sequence[str] | str]] = {}
    for number, first in enumerate(ends[0].secondary):
        row = [f"  {shortened(first.label, 20)}"]
        for end in ends:
            row += _pair(end.secondary[number], glyphs, intervals)
        unit = first.subject.unit + (" in %, differences in pp" if first.kind == "share" else "")
        units.setdefault(unit, [unit]).append(row)
    return [row for rows in units.values() for row in rows]


def _pair(row: Secondary, glyphs: Glyphs, intervals: bool) -> list[str]:
    scale = 100 if row.kind == "share" else 1
    if row.subject.value is None:
        return [glyphs.dash, glyphs.dash]
    value = figure(row.subject, glyphs, scale=scale, most=4)
    if not intervals:
        value = value.partition(f" {glyphs.plus_minus}")[0]
    return [value, figure(row.difference, glyphs, scale=scale, signed=True, most=4)]


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
        notes.append("Intervals begin at 100 blocks, and so does a sequential test.")
    if result.question.same and any(
        end.share.value is not None and not math.isclose(end.share.value, result.question.setting.fair)
        for end in result.ends
    ):
        notes.append("Equal players whose shares are not the fair one: this must not be; please report it.")
    return notes
