"""``domeng-sim sensitivity``."""

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
from domeng_sim.errors import Interrupted

_DEFAULT_BLOCKS, _RANKING_BLOCKS = 10_000, 1_000


@click.command(context_settings={"show_default": False})
@click.option("--strategy", metavar="S", help="Plays in all seats.  [default: random]")
@click.option(
    "--option",
    "wanted",
    multiple=True,
    metavar="NAME[=VALUE]",
    help="An option, for all its other readings, or a rule with a value; repeatable.  [default: every option]",
)
@click.option("--ranking", metavar="A,B,C[,...]", help="Whether the ranking of these strategies changes.")
@click.option("--blocks", type=WholeNumber(1, 10**6), help=f"Matches under each reading.  [default: {_DEFAULT_BLOCKS}]")
@click.option(
    "--ranking-blocks", type=WholeNumber(1, 10**6), help=f"Blocks of each tournament.  [default: {_RANKING_BLOCKS}]"
)
@click.option("--level", type=float, help="Confidence level.  [default: 0.95]")
@click.option("--full", is_flag=True, help="Print all figures, not only those that surely change.")
@setting_options
@simulation_options
def command(
    strategy: str | None,
    wanted: tuple[str, ...],
    ranking: str | None,
    blocks: int | None,
    ranking_blocks: int | None,
    level: float | None,
    full: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Tell how much each reading of the rules matters.

    The rules leave points open; each has a default and a named option.  Every other reading is played on the same deals
    as the default, and figures are compared match by match, with Holm's correction over all figures and readings.
    --rule changes the rules that all are compared with.

    \b
    Examples:
      domeng-sim sensitivity
      domeng-sim sensitivity --strategy banker --option camat_check --blocks 50000
      domeng-sim sensitivity --option stones=20 --option stones=30
      domeng-sim sensitivity --ranking random,heaviest,flexible,hunter,banker --seed 1
      domeng-sim sensitivity --game draw --option draw --option table=14x10
    """
    from domeng_sim.cli.signals import stop_on_signals

    setting = make_setting(options)
    texts = [piece.strip() for piece in ranking.split(",")] if ranking is not None else []
    chosen, *ranked = strategies([strategy or "random", *texts], setting.spec)

    def words(blocks: int | None, ranked: bool) -> list[str]:
        found = ["domeng-sim", "sensitivity"]
        found += ["--strategy", chosen.text] if chosen.text != "random" else []
        for text in wanted:
            found += ["--option", text]
        found += ["--ranking", ",".join(texts)] if ranked else []
        found += ["--blocks", str(blocks)] if blocks else []
        found += ["--ranking-blocks", str(ranking_blocks)] if ranking_blocks and ranked else []
        found += ["--level", f"{level:.10g}"] if level is not None else []
        found += ["--full"] if full else []
        return [*found, *setting_words(setting)]

    with stop_on_signals(resume_hint(words(blocks, bool(texts)), None)) as stop:
        from domeng_sim.comparisons.rule_variants import Inquiry, readings_of
        from domeng_sim.comparisons.sensitivity import sensitivity

        inquiry = Inquiry(
            setting,
            chosen,
            readings_of(setting.spec, setting.rules, wanted),
            tuple(ranked),
            blocks or _DEFAULT_BLOCKS,
            ranking_blocks or _RANKING_BLOCKS,
            0.95 if level is None else level,
        )
        n = len(inquiry.readings)
        tell_seed(options, setting, "1 other reading" if n == 1 else f"{n} other readings")
        result = sensitivity(inquiry, make_session(options, stop))
        stop.over()  # what is known is printed, also after a signal
        again = words(blocks, bool(texts))
        if result.reason == "stopped" and result.blocks:
            again = words(result.blocks, False)  # what was played: a ranking that was interrupted is not told
        if as_json:
            print_json({"command": shlex.join(again), **result.to_json()})
        else:
            from domeng_sim.cli.render_sensitivity import print_sensitivity
            from domeng_sim.cli.terminal import terminal

            print_sensitivity(terminal(options["color"]), result, again, full)
        if result.reason == "stopped":
            stop.tell()
            raise Interrupted(stop.status)
    return 0
