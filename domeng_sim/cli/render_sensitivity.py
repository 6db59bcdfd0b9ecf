"""How much the readings of the rules matter, on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from domeng_sim.cli.layout import NOTE, TITLE
from domeng_sim.cli.numbers import grouped
from domeng_sim.cli.render_studies import Page, counted, figure, print_setting, shortened
from domeng_sim.comparisons.design import in_words, short_names
from domeng_sim.comparisons.sensitivity import Effect, Order, Sensitivity


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
    page, inquiry = Page(console), result.inquiry
    games = result.blocks * inquiry.setting.games_per_match * (1 + len(inquiry.readings))
    name = short_names([inquiry.strategy])[0]
    title = f"Readings of the rules, {in_words(inquiry.setting.seats, name)}"
    print_setting(page, title, inquiry.setting, result.blocks, games, sum(result.rounds))
    if result.effects:
        page.line()
        _summary(page, result)
        for number, reading in enumerate(inquiry.readings):
            page.line()
            page.line(f"{reading.label} against {reading.name}={inquiry.setting.rules[reading.name]}", TITLE)
            _effects(page, result.effects[number], inquiry.level, full)
    else:
        page.wrapped("No block was complete, so nothing can be said.")
    if result.orders:
        page.line()
        _orders(page, result)
    page.line()
    page.wrapped(
        f"Differences: on the same deals, {100 * inquiry.level:.6g} % Student intervals for a number of blocks fixed "
        f"beforehand (one look); the unit is the block, {grouped(result.blocks)} of them. p: Holm's, over all readings "
        "and figures.",
        NOTE,
    )
    page.command(words)


def _summary(page: Page, result: Sensitivity) -> None:
    page.line("Which readings matter", TITLE)
    inquiry, rows = result.inquiry, []
    for number, reading in enumerate(inquiry.readings):
        effects = result.effects[number]
        changed = [effect for effect in effects if effect.matters(inquiry.level)]
        length = next((effect for effect in effects if effect.key == "game.rounds"), None)
        text = figure(length.difference, page.glyphs, signed=True) if length is not None else ""
        rows.append(
            (reading.label, f"{len(changed)} of {len(effects)}", text, grouped(max(e.differing for e in effects)))
        )
    page.table(("", "figures change", "rounds per game", "blocks differ"), rows)


def _effects(page: Page, effects: Sequence[Effect], level: float, full: bool) -> None:
    shown = [effect for effect in effects if full or effect.matters(level)]
    rows = []
    for effect in shown:
        scale, unit = (100, "%") if effect.kind == "share" else (1, "")
        p = page.glyphs.dash if effect.adjusted is None else f"{effect.adjusted:.2g}"
        rows.append(
            (
                shortened(effect.label, 30),
                figure(effect.before, page.glyphs, scale=scale, unit=unit).split(" " + page.glyphs.plus_minus)[0],
                figure(effect.after, page.glyphs, scale=scale, unit=unit).split(" " + page.glyphs.plus_minus)[0],
                figure(effect.difference, page.glyphs, scale=scale, signed=True),
                p,
            )
        )
    if rows:
        page.table(("", "default", "reading", "difference", "p"), rows)
    rest = len(effects) - len(shown)
    if rest:
        page.line(f"  {'the other ' if rows else ''}{rest} figures: no difference is established", NOTE)


def _orders(page: Page, result: Sensitivity) -> None:
    inquiry = result.inquiry
    page.wrapped(
        f"Ranking of {len(inquiry.ranked)} strategies, {counted(inquiry.ranking_blocks, 'block')} under each reading",
        TITLE,
    )
    page.wrapped(f"default: {' > '.join(result.default_order)}", indent="  ")
    for reading, order in zip(inquiry.readings, result.orders, strict=True):
        page.wrapped(f"{reading.label}: {_told(order, inquiry.level)}", indent="  ")


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
