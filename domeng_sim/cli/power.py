"""``domeng-sim power``."""

from __future__ import annotations

import shlex
from typing import Any

import click

from domeng_sim.cli.options import WholeNumber, simulation_options
from domeng_sim.cli.study import (
    make_session,
    make_setting,
    print_json,
    resume_hint,
    setting_options,
    setting_words,
    strategies,
    tell_seed,
)
from domeng_sim.comparisons.stopping import parse_until
from domeng_sim.errors import BadInput, Interrupted

_PILOT = 500


def _difference(text: str) -> float:
    try:
        radius, _ = parse_until(text)
    except BadInput:
        radius = 0.0
    if not radius:
        raise BadInput(f"--difference takes percentage points, as 0.5pp, not {text!r}")
    return radius


@click.command(context_settings={"show_default": False})
@click.argument("a")
@click.argument("b")
@click.option(
    "--difference",
    "differences",
    multiple=True,
    metavar="0.5pp",
    help="Difference of A's share from the fair one; repeatable.  [default: 0.2pp, 0.5pp, 1pp, 2pp]",
)
@click.option("--power", "chance", type=float, help="Chance of finding such a difference.  [default: 0.8]")
@click.option("--level", type=float, help="Confidence level.  [default: 0.95]")
@click.option("--pilot", type=WholeNumber(2, 10**6), help=f"Blocks of the pilot.  [default: {_PILOT}]")
@setting_options
@simulation_options
def command(
    a: str,
    b: str,
    differences: tuple[str, ...],
    chance: float | None,
    level: float | None,
    pilot: int | None,
    as_json: bool,
    **options: Any,
) -> int:
    """PowerPlan a comparison: how many blocks find a difference of a given size between strategies A and B.

    A pilot of one A among B (in Draw: A against B) tells how much the share of a block varies.  From that follow
    the number of blocks to fix beforehand (`compare --blocks`), the number after which an interval that holds at
    every look has this half-width (`compare --until`), and what a sequential test takes on average (`compare
    --sprt`).  At a table of five that is for one table, `compare --field 1`; over both ends it takes somewhat more.

    \b
    Examples:
      domeng-sim power hunter random
      domeng-sim power hunter banker --difference 0.1pp --power 0.9 --pilot 2000
      domeng-sim power starver blocker --game draw
    """
    from domeng_sim.cli.signals import stop_on_signals

    setting = make_setting(options)
    first, second = strategies([a, b], setting.spec)
    sizes = tuple(sorted({_difference(text) for text in differences}))
    words = ["domeng-sim", "power", a, b]
    for size in sizes:
        words += ["--difference", f"{100 * size:.10g}pp"]
    words += ["--power", f"{chance:.10g}"] if chance is not None else []
    words += ["--level", f"{level:.10g}"] if level is not None else []
    words += setting_words(setting)

    with stop_on_signals(resume_hint([*words, *(["--pilot", str(pilot)] if pilot else [])], None)) as stop:
        from domeng_sim.comparisons.power import DIFFERENCES, PowerPlan, power

        plan = PowerPlan(
            setting,
            first,
            second,
            sizes or DIFFERENCES,
            pilot or _PILOT,
            0.8 if chance is None else chance,
            0.95 if level is None else level,
        )
        tell_seed(options, setting, f"pilot of {plan.pilot:,} blocks")
        result = power(plan, make_session(options, stop))
        stop.over()  # what is known is printed, also after a signal
        played = result.blocks if result.reason == "stopped" and result.blocks > 1 else pilot
        words += ["--pilot", str(played)] if played else []
        if as_json:
            print_json({"command": shlex.join(words), **result.to_json()})
        else:
            from domeng_sim.cli.render_power import print_power
            from domeng_sim.cli.terminal import terminal

            print_power(terminal(options["color"]), result, words)
        if result.reason == "stopped":
            stop.tell()
            raise Interrupted(stop.status)
    return 0
