"""How the commands that compare end: watched while they play, and told with the command that gives the same again."""

from __future__ import annotations

import contextlib
import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from domeng_sim.cli.options import Display
from domeng_sim.cli.say import reader_may_leave, tell
from domeng_sim.cli.signals import stop_on_signals
from domeng_sim.errors import Interrupted
from domeng_sim.runs.store.location import Location

if TYPE_CHECKING:
    from rich.console import Console

    from domeng_sim.api.carry_out.watch import Watch


class Result(Protocol):
    """What a study finds."""

    @property
    def reason(self) -> str:
        """Why it ended, a key of `comparisons.stopping.REASONS`."""
        ...

    def to_json(self) -> dict[str, Any]:
        """As plain numbers."""
        ...


def resume_hint(words: list[str], out: Location | str | None) -> str:
    """What to tell when a study is stopped.

    Parameters
    ----------
    words
        The command that goes on with it, or begins it again.
    out
        Where its blocks are kept; None if nowhere.
    """
    if out is None:
        return "stopped; nothing was kept (name a directory with --out to be able to go on)"
    return f"stopped; finished blocks are kept. Go on with: {shlex.join(words)}"


@contextlib.contextmanager
def watched(view: Display, hint: str) -> Iterator[tuple[Watch, Callable[[str], None]]]:
    """Watch a study: progress, and signals that stop it.

    Parameters
    ----------
    view
        How the command speaks.
    hint
        What to tell when it is stopped.

    Yields
    ------
    watch
        For what carries the request out.
    ended
        To be called at the end with the reason; raises `Interrupted` if a signal came.
    """
    from domeng_sim.api.carry_out.watch import Watch
    from domeng_sim.cli.bar import make_progress

    with stop_on_signals(hint) as stop:

        def begun(text: str) -> None:
            if not view.quiet:
                tell(text)

        def ended(reason: str) -> None:
            if reason == "stopped":
                stop.tell()
                raise Interrupted(stop.status)

        yield Watch(make_progress(view.quiet), stop.event, begun, stop.over), ended


def print_result(result: Result, words: list[str], view: Display, show: Callable[[Console], None]) -> None:
    """Print what a study found.

    Parameters
    ----------
    result
        What it found.
    words
        The command that gives the same again.
    view
        How it is printed.
    show
        Prints it on a console.
    """
    with reader_may_leave():
        if view.json:
            print_json({"command": shlex.join(words), **result.to_json()})
            return
        from domeng_sim.cli.terminal import terminal

        show(terminal(view.color))


def print_json(result: Mapping[str, Any]) -> None:
    """Exactly one document on standard output."""
    print(json.dumps(result, allow_nan=False, indent=1))
