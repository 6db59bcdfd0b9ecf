"""Runs that are killed at each of their acts on the disk, and gone on with; test_run_killed.py starts it as a process.

Each run is a fork of this process, so that a kill is a real one, without any cleaning up, at an exact place, and yet
the compiler is loaded only once. ``python -m tests.cli.crashes FOLDER STEP OPTIONS`` prints a JSON object a place.
"""

from __future__ import annotations

import gc
import itertools
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from domeng_sim.errors import UserError
from domeng_sim.runs import plan, runner
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.part_player import players
from domeng_sim.runs.progress import Silent
from domeng_sim.runs.store.parquet_writer import RowGroupWriter
from tests.command_line import contents, make_config

ACTS: list[tuple[Any, str]] = [
    (os, "fsync"),
    (os, "ftruncate"),
    (os, "mkdir"),
    (os, "replace"),
    (os, "unlink"),
    (os, "rmdir"),
    (RowGroupWriter, "write_batch"),
    (RowGroupWriter, "close"),
]
"""All that changes something on the disk."""


def count_acts(strike: Callable[[int, str], None]) -> None:
    """Have each act on the disk call `strike`, before and after it, with a number that rises."""
    numbers = itertools.count()

    def watched(original: Callable[..., Any], name: str) -> Callable[..., Any]:
        def act(*arguments: Any, **options: Any) -> Any:
            strike(next(numbers), f"before {name}")
            result = original(*arguments, **options)
            strike(next(numbers), f"after {name}")
            return result

        return act

    # a kill loses nothing that the system has taken; waiting for the disk here only takes time
    os.fsync = lambda descriptor: None
    for owner, name in ACTS:
        setattr(owner, name, watched(getattr(owner, name), name))


def forked(action: Callable[[], int]) -> int:
    """Run something in a fork; its exit status, or minus the signal that ended it."""
    child = os.fork()
    if not child:
        status = 99
        try:
            status = action()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def play(config: RunConfig, directory: Path, resume: bool = False) -> int:
    """A run in this process; its exit status as the command line would give it."""
    try:
        runner.run(config, directory, resume=resume)
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return error.status
    return 0


def play_without_waiting(config: RunConfig, directory: Path) -> int:
    """Go on with a run."""
    os.fsync = lambda descriptor: None
    return play(config, directory, resume=True)


def broken(directory: Path) -> list[str]:
    """Part files that are there under their name but do not open."""
    found = []
    for path in directory.rglob("[0-9]*.parquet"):
        try:
            pq.read_metadata(path)
        except Exception as error:
            found.append(f"{path.name}: {error}")
    return found


def kill_everywhere(folder: Path, config: RunConfig, step: int) -> None:
    """Kill at every `step`-th act and go on."""
    whole, acts = folder / "whole", folder / "acts.json"

    def uninterrupted() -> int:
        names: list[str] = []
        count_acts(lambda number, name: names.append(name))
        status = play(config, whole)
        acts.write_text(json.dumps(names))
        return status

    assert forked(uninterrupted) == 0
    names, expected = json.loads(acts.read_text()), contents(whole)
    for place in range(0, len(names), step):
        directory = folder / f"killed-{place}"

        def killed(place: int = place, directory: Path = directory) -> int:
            def strike(number: int, name: str) -> None:
                if number == place:
                    os.kill(os.getpid(), signal.SIGKILL)

            count_acts(strike)
            return play(config, directory)

        status = forked(killed)
        unreadable = broken(directory)
        resumed = forked(lambda directory=directory: play_without_waiting(config, directory))
        report = {
            "place": f"{place}: {names[place]}",
            "killed": status == -signal.SIGKILL,
            "broken": unreadable,
            "resumed": resumed,
            "same": contents(directory) == expected,
        }
        shutil.rmtree(directory)
        sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    # small parts, so that a run of some hundredths of a second has several
    plan._PART_ROUNDS.update(dict.fromkeys(plan._PART_ROUNDS, (300, 300)))
    config = make_config(json.loads(sys.argv[3]))
    # all is loaded before the forks, without starting a thread
    players(config, Silent())
    gc.freeze()
    kill_everywhere(Path(sys.argv[1]), config, int(sys.argv[2]))
