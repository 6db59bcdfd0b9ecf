"""Studies on a terminal: compact, and never wider than it.  Import it only when there is something to print."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console

from domeng_sim.analysis.format import DASH, Shown, grouped, interval_text, shown
from domeng_sim.cli.grid import NOTE, TITLE, GridColumn, aligned, width_of
from domeng_sim.cli.numbers import Glyphs
from domeng_sim.cli.terminal import Printer
from domeng_sim.comparisons.design import Setting
from domeng_sim.comparisons.result import ComparisonResult, TableResult
from domeng_sim.comparisons.stopping import REASONS, Stopping
from domeng_sim.stats.estimate import Estimate, level_text


def counted(number: int, noun: str) -> str:
    """So many of something: ``1 block``, ``2 blocks``."""
    return f"{grouped(number)} {noun}{'s' * (number != 1)}"


def share(estimate: Estimate) -> Shown:
    """A share in percent."""
    return shown(estimate, "share")


def points(estimate: Estimate) -> Shown:
    """A difference of shares in percentage points."""
    return shown(estimate, "share", unit="pp", signed=True)


def difference(estimate: Estimate) -> Shown:
    """A difference of amounts."""
    return shown(estimate, signed=True)


def print_setting(printer: Printer, title: str, setting: Setting, blocks: int, games: int, rounds: int) -> None:
    """A title, and what was played."""
    printer.wrapped(title, TITLE)
    rules = [
        f"{rule.name}={setting.rules[rule.name]}"
        for rule in setting.spec.rules
        if setting.rules[rule.name] != rule.default
    ]
    printer.wrapped(
        f"{setting.spec.title}, {', '.join(rules) if rules else 'default rules'}, seed {setting.seed}: "
        f"{counted(blocks, 'block')} of the same deals, {counted(games, 'game')}, {counted(rounds, 'round')}"
    )


def interval_note(stopping: Stopping, looks: int, blocks: int, reason: str) -> str:
    """What kind of intervals these are, and why it ended."""
    level = level_text(stopping.level)
    if stopping.fixed:
        kind = f"{level} Student intervals, for a number of blocks fixed beforehand (one look)"
    else:
        kind = f"{level} intervals that hold at every look (confidence sequence; {looks} look{'s' * (looks != 1)})"
    return f"{kind}; the unit is the block, {grouped(blocks)} of them. Ended because {REASONS[reason]}."


def print_comparison(console: Console, result: ComparisonResult, words: Sequence[str]) -> None:
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
    printer, question = Printer(console), result.question
    title = "{} against {}".format(*question.names)
    print_setting(printer, title, question.setting, result.blocks, result.games, result.rounds)
    for end in result.ends:
        printer.line()
        print_end(printer, end, result)
    if result.difference is not None:
        printer.line()
        printer.line("{} less {}, in the same company on the same deals".format(*question.names), TITLE)
        text = printer.glyphs.text(points(result.difference))
        printer.wrapped(
            f"difference in {question.setting.spec.scoring(question.setting.rules).share}  {text}", indent="  "
        )
        printer.line(f"  {grouped(result.difference_differing)} of {counted(result.blocks, 'block')} differ")
        if result.difference_saving is not None:
            printer.line(f"  on independent deals it would take {result.difference_saving:.1f} times as many games")
    if result.switches:
        printer.line()
        _switches(printer, result)
    if result.test is not None and question.sprt is not None:
        printer.line()
        _test(printer, result)
    printer.line()
    n = len(result.decisions)
    together = n > 1 and _judged(result)
    held = f" ({level_text(result.stopping.level)} over all {n} comparisons together)" if together else ""
    printer.wrapped(f"Answer: {result.sentence}{held}.", TITLE)
    printer.line()
    _secondary(printer, result)
    printer.wrapped(interval_note(result.stopping, result.looks, result.blocks, result.reason), NOTE)
    for note in _decision_notes(result) if _judged(result) else []:
        printer.wrapped(note, NOTE)
    for note in _notes(result):
        printer.wrapped(note, NOTE)
    printer.again(shlex.join(words))


def _judged(result: ComparisonResult) -> bool:
    """Whether the answer is one about who does better, made of intervals."""
    return result.test is None and not result.question.same and any(end.finished for end in result.ends)


def _decision_notes(result: ComparisonResult) -> list[str]:
    """How the answer is made of the intervals."""
    notes, level, n = [], level_text(result.stopping.level), len(result.decisions)
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


def print_end(printer: Printer, end: TableResult, result: ComparisonResult) -> None:
    """How one strategy does at one kind of table."""
    fair, bare = 100 * result.question.setting.fair, result.test is not None
    scoring = result.question.setting.spec.scoring(result.question.setting.rules)
    printer.line(end.label, TITLE)
    rows = [
        (scoring.share, end.share, share, f"fair {fair:.4g} %"),
        ("excess", end.excess, points, "fair 0"),
        ("log-strength", end.strength, difference, "fair 0"),
        ("Elo-like", end.elo, difference, "400 points for a factor of ten"),
    ]
    texts = [_interval(one, say(one).unit) if bare else say(one) for _, one, say, _ in rows]
    printer.grid(
        [
            GridColumn([name for name, *_ in rows], left=True),
            GridColumn(aligned(texts, printer.glyphs, by_point=False), left=True),
            GridColumn([note for *_, note in rows], left=True, wraps=True),
        ],
        "  ",
    )
    missing = end.games - end.finished
    truncated = f"; {grouped(missing)} of {counted(end.games, 'game')} without a winner" if missing else ""
    differ = f"{grouped(end.differing)} of {counted(end.blocks, 'block')} differ{'s' * (end.differing == 1)}"
    printer.wrapped(f"{differ} from the fair share{truncated}", indent="  ")
    if end.sign_flip is not None and not end.same:
        printer.line(f"  sign-flip test of the blocks that differ: p = {end.sign_flip.p:.3g}")
    if not bare:
        printer.wrapped(end.sentence, indent="  ")


def _interval(estimate: Estimate, unit: str) -> Shown:
    """The interval alone, where the value is biased."""
    if estimate.low is None and estimate.high is None:
        return Shown(DASH)
    return Shown(interval_text(estimate, "share" if unit else "mean", signed=unit != "%"), unit)


def _switches(printer: Printer, result: ComparisonResult) -> None:
    a, b = (printer.glyphs.short(name, 20) for name in result.question.names)
    printer.wrapped(
        "One seat switched from {1} to {0}, by how many other {0} sit at the table".format(*result.question.names),
        TITLE,
    )
    effects = result.switches
    printer.grid(
        [
            GridColumn([f"d{switch.others}" for switch in effects], left=True),
            GridColumn([f"{100 * (switch.as_a.value or 0):.2f} %" for switch in effects], f"as {a}"),
            GridColumn([f"{100 * (switch.as_b.value or 0):.2f} %" for switch in effects], f"as {b}"),
            GridColumn(aligned([points(switch.effect) for switch in effects], printer.glyphs), "effect"),
        ],
        "  ",
    )


def _test(printer: Printer, result: ComparisonResult) -> None:
    test, gate = result.test, result.question.sprt
    assert test is not None
    assert gate is not None
    printer.line("Sequential test", TITLE)
    printer.line(f"  H0: share {gate.s0:g}, H1: share {gate.s1:g}; errors {gate.alpha:g} and {gate.beta:g}")
    printer.line(f"  log-likelihood ratio {test.llr:+.3f}, H0 below {test.lower:.3f}, H1 above {test.upper:.3f}")
    printer.line(f"  {test.verdict} after {counted(test.blocks, 'block')}")


def _secondary(printer: Printer, result: ComparisonResult) -> None:
    """All other measures: the subject's value at each table, and its difference from the other seats."""
    ends = [end for end in result.ends if end.secondary][:2]
    if not ends or result.test is not None:
        return
    level = level_text(result.stopping.level)
    told = "Exploratory: other measures of the strategy named, and how it differs from the others at its table"
    columns, above = _measures(ends, printer.glyphs, intervals=True)
    if width_of(columns) <= printer.width:
        printer.wrapped(f"{told}; each with its {level} interval")
    else:
        columns, above = _measures(ends, printer.glyphs, intervals=False)
        printer.wrapped(f"{told}, with its {level} interval; those of the measures are in --json")
    printer.grid(columns, above=above)
    printer.line()


def _measures(
    ends: Sequence[TableResult], glyphs: Glyphs, *, intervals: bool
) -> tuple[list[GridColumn], dict[int, str]]:
    """Columns of measures, and the units above their rows."""
    units: dict[str, list[int]] = {}
    for number, row in enumerate(ends[0].secondary):
        unit = row.subject.unit + (" in %, differences in pp" if row.kind == "share" else "")
        units.setdefault(unit, []).append(number)
    order = [number for numbers in units.values() for number in numbers]
    columns = [GridColumn([f"  {glyphs.short(ends[0].secondary[number].label, 20)}" for number in order], left=True)]
    for end in ends:
        rows = [end.secondary[number] for number in order]
        values = [shown(row.subject, row.kind, unit="") for row in rows]
        differences = [
            shown(row.difference, row.kind, unit="", signed=True) if row.subject.value is not None else Shown(DASH)
            for row in rows
        ]
        values = values if intervals else [replace(one, error="") for one in values]
        columns.append(GridColumn(aligned(values, glyphs, by_point=False), glyphs.short(end.subject, 9)))
        columns.append(GridColumn(aligned(differences, glyphs, by_point=False), "difference"))
    return columns, {order.index(numbers[0]): unit for unit, numbers in units.items()}


def _notes(result: ComparisonResult) -> list[str]:
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
