"""A tuning on a terminal: the weights before and after, and the answer of the gate."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.console import Console

from domeng_sim.analysis.format import grouped
from domeng_sim.cli.grid import NOTE, TITLE, GridColumn, aligned
from domeng_sim.cli.render_studies import counted, print_setting, share
from domeng_sim.cli.terminal import Printer
from domeng_sim.comparisons.tuning_result import TuneResult
from domeng_sim.stats.estimate import level_text


def print_tuning(console: Console, result: TuneResult, words: Sequence[str], out: str) -> None:
    """Print what a tuning found.

    Parameters
    ----------
    console
        From `terminal.terminal`.
    result
        What was found.
    words
        The command that gives it again.
    out
        The file that was written.
    """
    printer, goal = Printer(console), result.goal
    start, spec = goal.start.weights, goal.setting.spec
    others = ", ".join(dict.fromkeys(one.text for one in goal.company))
    title = f"Tuning of {goal.start.text} against {others}"
    rounds = sum(gate.rounds for gate in result.gates)
    gated = sum(gate.games for gate in result.gates)
    print_setting(printer, title, goal.setting, goal.gate_blocks if result.gates else 0, gated, rounds)
    printer.wrapped(
        f"{counted(len(result.history), 'generation')} of {goal.population} candidates, the start and the middle, each "
        f"on {counted(goal.blocks, 'block')} of new deals: {counted(result.games, 'game')}",
        NOTE,
    )
    if result.history:
        printer.wrapped(f"Last generation: {result.history[-1].sentence}", NOTE)
    printer.line()
    shown = [one for one in spec.features if one in goal.features or start.get(one)]
    printer.grid(
        [
            GridColumn(shown, "feature", left=True),
            GridColumn([f"{start.get(one, 0) / 1000:.3f}" for one in shown], "start"),
            GridColumn([f"{result.tuned.weights.get(one, 0) / 1000:.3f}" for one in shown], goal.name),
            GridColumn(["" if one in goal.features else "kept" for one in shown], left=True),
        ],
        "  ",
    )
    ends = [end for gate in result.gates for end in gate.ends if end.games]
    if ends:
        printer.line()
        printer.wrapped(f"Gate, on fresh deals: share of games (fair {100 * goal.setting.fair:.4g} %)", TITLE)
        printer.grid(
            [
                GridColumn([end.label for end in ends], left=True),
                GridColumn(aligned([share(end.share) for end in ends], printer.glyphs, by_point=False)),
            ],
            "  ",
        )
    printer.line()
    printer.wrapped(f"Answer: {result.sentence}.", TITLE)
    if ends:
        printer.wrapped(
            f"{level_text(goal.level)} Student intervals, for {grouped(goal.gate_blocks)} blocks fixed beforehand; the "
            "answer holds over both tables of a gate together (Holm).",
            NOTE,
        )
    printer.wrapped(f"Written: {out}; play it as {out}:{goal.name}", NOTE)
    printer.again(shlex.join(words))
