"""How much the readings of the rules matter, on a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.console import Console

from domeng_sim.analysis.format import DASH, Shown, grouped, shown
from domeng_sim.cli.grid import NOTE, TITLE, GridColumn, aligned
from domeng_sim.cli.render_studies import counted, difference, print_setting
from domeng_sim.cli.terminal import Printer
from domeng_sim.comparisons.design import in_words, short_names
from domeng_sim.comparisons.sensitivity_result import Effect, Order, Sensitivity
from domeng_sim.stats.estimate import level_text


def print_sensitivity(console: Console, result: Sensitivity, words: Sequence[str], full: bool) -> None:
    """Print what each reading changes.

    Parameters
    ----------
    console
        From `render.terminal`.
    result
        What was found.
    words
        The command that gives it again.
    full
        Whether figures that do not surely change are printed too.
    """
    printer, inquiry = Printer(console), result.inquiry
    games = result.blocks * inquiry.setting.games_per_match * (1 + len(inquiry.readings))
    name = short_names([inquiry.strategy])[0]
    title = f"Readings of the rules, {in_words(inquiry.setting.seats, name)}"
    print_setting(printer, title, inquiry.setting, result.blocks, games, sum(result.rounds))
    if result.effects:
        printer.line()
        _summary(printer, result)
        for number, reading in enumerate(inquiry.readings):
            printer.line()
            printer.line(f"{reading.label} against {reading.name}={inquiry.setting.rules[reading.name]}", TITLE)
            _effects(printer, result.effects[number], inquiry.level, full)
    else:
        printer.wrapped("No block was complete, so nothing can be said.")
    if result.orders:
        printer.line()
        _orders(printer, result)
    printer.line()
    printer.wrapped(
        f"Differences: on the same deals, {level_text(inquiry.level)} Student intervals for a number of blocks fixed "
        f"beforehand (one look); the unit is the block, {grouped(result.blocks)} of them. p: Holm's, over all readings "
        "and figures.",
        NOTE,
    )
    printer.again(shlex.join(words))


def _summary(printer: Printer, result: Sensitivity) -> None:
    printer.line("Which readings matter", TITLE)
    level = result.inquiry.level
    changed = [sum(effect.matters(level) for effect in effects) for effects in result.effects]
    lengths = [next((e for e in effects if e.key == "game.rounds"), None) for effects in result.effects]
    texts = [Shown("") if effect is None else difference(effect.difference) for effect in lengths]
    printer.grid(
        [
            GridColumn([reading.label for reading in result.inquiry.readings], left=True),
            GridColumn(
                [f"{n} of {len(effects)}" for n, effects in zip(changed, result.effects, strict=True)], "figures change"
            ),
            GridColumn(aligned(texts, printer.glyphs), "rounds per game"),
            GridColumn([grouped(max(e.differing for e in effects)) for effects in result.effects], "blocks differ"),
        ],
        "  ",
    )


def _effects(printer: Printer, effects: Sequence[Effect], level: float, full: bool) -> None:
    told, glyphs = [effect for effect in effects if full or effect.matters(level)], printer.glyphs
    if told:
        differences = [shown(effect.difference, effect.kind, unit="", signed=True) for effect in told]
        printer.grid(
            [
                GridColumn([glyphs.short(effect.label, 30) for effect in told], left=True),
                GridColumn([glyphs.text(shown(effect.before, effect.kind).figure) for effect in told], "default"),
                GridColumn([glyphs.text(shown(effect.after, effect.kind).figure) for effect in told], "reading"),
                GridColumn(aligned(differences, glyphs, by_point=False), "difference"),
                GridColumn([glyphs.text(DASH) if e.adjusted is None else f"{e.adjusted:.2g}" for e in told], "p"),
            ],
            "  ",
        )
    rest = len(effects) - len(told)
    if rest:
        printer.line(f"  {'the other ' if told else ''}{rest} figures: no difference is established", NOTE)


def _orders(printer: Printer, result: Sensitivity) -> None:
    inquiry = result.inquiry
    printer.wrapped(
        f"Ranking of {len(inquiry.ranked)} strategies, {counted(inquiry.ranking_blocks, 'block')} under each reading",
        TITLE,
    )
    printer.wrapped(f"default: {' > '.join(result.default_order)}", indent="  ")
    for reading, order in zip(inquiry.readings, result.orders, strict=True):
        printer.wrapped(f"{reading.label}: {_told(order, inquiry.level)}", indent="  ")


def _told(order: Order, level: float) -> str:
    told = "the same order" if not order.changed else " > ".join(order.names)
    if order.flips:
        told += "; established both ways: " + ", ".join(" / ".join(pair) for pair in order.flips)
    elif order.changed:
        told += "; no change of place is established"
    moved = [m for m in order.moved if m.adjusted < 1 - level]
    if moved:
        largest = max(moved, key=lambda m: abs(m.difference.value or 0))
        told += f"; shares change, most that of {largest.name} ({100 * (largest.difference.value or 0):+.2f} pp)"
    return told
