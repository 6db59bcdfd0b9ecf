"""``domeng-sim tournament``."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path
from typing import Any

import click

from domeng_sim.cli.options import simulation_options
from domeng_sim.cli.study import (
    check_store,
    make_session,
    make_setting,
    make_stopping,
    print_json,
    resume_hint,
    setting_options,
    setting_words,
    stopping_options,
    store_options,
    strategies,
    tell_seed,
)
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.errors import Interrupted
from domeng_sim.runs.command import words as words_of

DEFAULT_BLOCKS = 1_000


@click.command(context_settings={"show_default": False})
@click.argument("names", nargs=-1, required=True, metavar="A B C [...]")
@stopping_options
@store_options
@setting_options
@simulation_options
def command(names: tuple[str, ...], as_json: bool, out: Path | None, **options: Any) -> int:
    """Rank strategies on the same deals: five or more in Domeng, three or more in Draw.

    In Domeng every set of five is a table up to 8 strategies, above that a balanced design.  At each table every block
    is played in 20 seatings, in which every strategy has every seat 4 times and every other one as left neighbour 5
    times.  In Draw every pair is a table, and each block is played in both seatings.  Without options 1000 blocks are
    played; --until and --time-limit give intervals that hold at every look.  The name `presets` stands for all
    strategies that come with the game.

    Blocks kept with --out serve again when strategies are added: give the longer list with --resume.

    \b
    Examples:
      domeng-sim tournament random heaviest flexible hunter banker
      domeng-sim tournament presets --blocks 200 --seed 1
      domeng-sim tournament random starver blocker --game draw
      domeng-sim tournament random heaviest flexible hunter mine.toml:first --out five
      domeng-sim tournament random heaviest flexible hunter mine.toml:first passer --out five --resume
    """
    options |= {"out": out}
    check_store(options)
    setting = make_setting(options)
    texts = _texts(names, setting.spec)
    stopping = make_stopping(options, Stopping(blocks=DEFAULT_BLOCKS))
    words = ["domeng-sim", "tournament", *names, *setting_words(setting)]
    specs = strategies(texts, setting.spec)

    from domeng_sim.cli.signals import stop_on_signals

    with (
        stop_on_signals(resume_hint([*words, *_stopping_words(stopping)], out)) as stop,
        contextlib.ExitStack() as stack,
    ):
        from domeng_sim.comparisons.tournament import tournament
        from domeng_sim.comparisons.tournament_result import Entrants

        entry, store = Entrants(setting, specs), None
        if out is not None:
            from domeng_sim.comparisons.block_store import open_store

            flags = {"resume": options["resume"], "overwrite": options["overwrite"]}
            content = entry.to_json()
            store = stack.enter_context(open_store(out, "tournament", setting, content, extend=True, **flags))
        tell_seed(options, setting, f"{len(specs)} strategies")
        result = tournament(entry, stopping, make_session(options, stop, store))
        stop.over()  # what is known is printed, also after a signal
        words += _stopping_words(stopping.reached(result.blocks, result.reason))
        document = {"command": shlex.join(words), **result.to_json()}
        if store is not None:
            store.finish(document, result.reason != "stopped")
        if as_json:
            print_json(document)
        else:
            from domeng_sim.cli.render_tournament import print_ranking
            from domeng_sim.cli.terminal import terminal

            print_ranking(terminal(options["color"]), result, words)
        if result.reason == "stopped":
            stop.tell()
            raise Interrupted(stop.status)
    return 0


def _stopping_words(stopping: Stopping) -> list[str]:
    return [word for item in stopping.asked().items() for word in words_of(*item)]


def _texts(names: tuple[str, ...], spec: Any) -> list[str]:
    """The strategies named; ``presets`` stands for those of the game."""
    from domeng_sim.strategies.resolve import presets

    texts: list[str] = []
    for name in names:
        texts += presets(spec) if name == "presets" else [name]
    return texts
