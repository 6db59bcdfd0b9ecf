"""A plan on a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.console import Console

from domeng_sim.analysis.format import DASH, grouped, shown
from domeng_sim.cli.grid import NOTE, TITLE, GridColumn
from domeng_sim.cli.render_studies import print_setting, share
from domeng_sim.cli.terminal import Printer
from domeng_sim.comparisons.power import Power
from domeng_sim.stats.estimate import level_text


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
    printer, plan = Printer(console), result.plan
    lineup = plan.lineup()
    games = result.blocks * len(lineup.seatings) * plan.setting.games_per_match
    print_setting(printer, f"Pilot: {lineup.label}", plan.setting, result.blocks, games, result.rounds)
    printer.line()
    rows = [
        (plan.setting.spec.scoring(plan.setting.rules).share, str(share(result.share))),
        ("standard deviation of a block", str(shown(result.sd, "share", unit="pp"))),
    ]
    if result.saving.value is not None:
        rows.append(("independent deals would take", f"{shown(result.saving)} times as many games"))
    names, texts = zip(*rows, strict=True)
    told = [printer.glyphs.text(text) for text in texts]
    printer.grid([GridColumn(names, left=True), GridColumn(told, left=True, wraps=True)], "  ")
    printer.line()
    printer.wrapped(f"Blocks to find a difference from the fair share, {level_text(plan.level)} confidence", TITLE)

    def column(head: str, numbers: Sequence[float | None]) -> GridColumn:
        return GridColumn([printer.glyphs.text(DASH) if n is None else f"{n:,.0f}" for n in numbers], head)

    needs, per_block = result.needs, result.rounds / max(result.blocks, 1)
    printer.grid(
        [
            GridColumn([f"{100 * need.difference:.4g} pp" for need in needs], left=True),
            column(f"fixed, {plan.chance:.0%} power", [need.fixed for need in needs]),
            column("its rounds", [None if need.fixed is None else need.fixed * per_block for need in needs]),
            column("until this half-width", [need.anytime for need in needs]),
            column("sprt, on average", [need.sprt for need in needs]),
        ],
        "  ",
    )
    printer.line()
    printer.wrapped(f"Answer: {result.sentence}.", TITLE)
    printer.line()
    printer.wrapped(
        f"The pilot's figures: {level_text(plan.level)} intervals for a number of blocks fixed beforehand (one look); "
        f"the unit is the block, {grouped(result.blocks)} of them.",
        NOTE,
    )
    if plan.setting.seats > 2:
        printer.wrapped(
            "Planned for one table, as with compare --field 1. An answer over both ends takes about a fifth more fixed "
            "blocks, and --until waits for the table whose blocks vary more.",
            NOTE,
        )
    printer.again(shlex.join(words))
