"""A plan on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from domeng_sim.cli.layout import NOTE, TITLE
from domeng_sim.cli.numbers import grouped
from domeng_sim.cli.render_studies import Page, figure, print_setting
from domeng_sim.comparisons.power import Power


def print_power(console: Console, result: Power, words: Sequence[str]) -> None:
    """Print what a comparison takes.

    Parameters
    ----------
    console
        From `render.terminal`.
    result
        What was found.
    words
        The command that gives it again.
    """
    page, plan = Page(console), result.plan
    lineup = plan.lineup()
    games = result.blocks * len(lineup.seatings) * plan.setting.games_per_match
    print_setting(page, f"Pilot: {lineup.label}", plan.setting, result.blocks, games, result.rounds)
    page.line()
    rows = [
        (plan.setting.spec.scoring(plan.setting.rules).share, figure(result.share, page.glyphs, scale=100, unit="%")),
        ("standard deviation of a block", figure(result.sd, page.glyphs, scale=100, unit="pp")),
    ]
    if result.saving.value is not None:
        rows.append(("independent deals would take", figure(result.saving, page.glyphs) + " times as many games"))
    for name, text in rows:
        page.line(f"  {name:30}  {text}")
    page.line()
    page.wrapped(f"Blocks to find a difference from the fair share, {100 * plan.level:.6g} % confidence", TITLE)
    dash = page.glyphs.dash
    table = []
    for need in result.needs:
        numbers = [dash if n is None else grouped(n) for n in (need.fixed, need.anytime, need.sprt)]
        rounds = dash if need.fixed is None else f"{need.fixed * result.rounds / result.blocks:,.0f}"
        table.append((f"{100 * need.difference:.4g} pp", numbers[0], rounds, *numbers[1:]))
    page.table(
        ("", f"fixed, {plan.chance:.0%} power", "its rounds", "until this half-width", "sprt, on average"), table
    )
    page.line()
    page.wrapped(f"Answer: {result.sentence}.", TITLE)
    page.line()
    page.wrapped(
        f"The pilot's figures: {100 * plan.level:.6g} % intervals for a number of blocks fixed beforehand (one look); "
        f"the unit is the block, {grouped(result.blocks)} of them.",
        NOTE,
    )
    if plan.setting.seats > 2:
        page.wrapped(
            "Planned for one table, as with compare --field 1. An answer over both ends takes about a fifth more fixed "
            "blocks, and --until waits for the table whose blocks vary more.",
            NOTE,
        )
    page.command(words)
