"""Who plays a part of a run, and the part player: a function of what to play that can be sent to another process."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from domeng_sim.core import announce
from domeng_sim.games.spec import GameKernel
from domeng_sim.games.types import Seat, Task, Undecided
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.engine import simulate, task_of
from domeng_sim.runs.plan import Range
from domeng_sim.runs.progress import Progress, Silent
from domeng_sim.runs.store.location import Location
from domeng_sim.runs.store.parts import Part, PartWriter
from domeng_sim.runs.until import rounds_by_match
from domeng_sim.strategies.spec import seat


def prepare(kernel: GameKernel, task: Task, progress: Progress) -> None:
    """Tell the user before code is compiled for the first time, and compile it.

    Parameters
    ----------
    kernel
        Core of the game.
    task
        Some of what is to be played; one round of it is.
    progress
        Where to tell.
    """
    engine = kernel.engine(task)
    # compiled or not: machine code is loaded here, and a function that fails at once fails before anything is written
    with announced(engine, progress), contextlib.suppress(Undecided):
        kernel.start(task).advance(1)


def tell_notes(kernel: GameKernel, tasks: Iterable[Task], progress: Progress) -> None:
    """Tell the user, once, what should be known before these tasks are played."""
    for line in dict.fromkeys(line for task in tasks for line in kernel.notes(task.seats, task.rules)):
        progress.message(line)


def announced(engine: str, progress: Progress) -> contextlib.AbstractContextManager[None]:
    """Tell the user if something is compiled during a block.

    Parameters
    ----------
    engine
        What that is; the first word of its name is the game.
    progress
        Where to tell.
    """
    told = f"Compiling the engine {engine} for this machine, some seconds, once"
    return announce.when_compiling(lambda: progress.message(told))


@dataclass(frozen=True)
class Players:
    """Who plays, ready to play.

    Attributes
    ----------
    kernel
        Core of the game.
    seats
        How the seats play.
    """

    kernel: GameKernel
    seats: tuple[Seat, ...]


def players(config: RunConfig, progress: Progress) -> Players:
    """Load and compile what plays a run, and let it play a round.

    Raises
    ------
    StrategySpecError, StrategyError
        If a user's function cannot be loaded or compiled, or fails in the first round.
    """
    kernel = config.spec.kernel()
    told = "Compiling the functions of the strategies, a second or two, each time"
    with announce.when_compiling(lambda: progress.message(told)):
        seats = tuple(seat(spec) for spec in config.seats)
    tiny = task_of(config, seats, Range(0, 1), 1, config.level)
    tell_notes(kernel, [tiny], progress)
    prepare(kernel, tiny, progress)
    return Players(kernel, seats)


@dataclass(frozen=True)
class PartJob:
    """All that the parts of a run have in common; it can be sent to another process.

    Attributes
    ----------
    config
        The run.
    batch
        Matches whose counts are added up.
    directory
        Where its dataset is.
    provenance
        JSON for the schema metadata of the parts.
    """

    config: RunConfig
    batch: int
    directory: Location
    provenance: str


def play_part(
    job: PartJob,
    matches: Range,
    ready: Players | None = None,
    should_stop: Callable[[], bool] = lambda: False,
    on_rounds: Callable[[int], None] = lambda rounds: None,
) -> list[Part]:
    """Play and write one part of a run, here or in another process: whoever asked for it puts it into its place.

    Parameters
    ----------
    job
        The run.
    matches
        What to play.
    ready
        Who plays; made from the configuration if it is not given.
    should_stop
        Asked some twenty times a second.
    on_rounds
        Told how many rounds were played since the last call.

    Returns
    -------
    list of Part
        Complete files in the folder of those that are being written.

    Raises
    ------
    Interrupted
        If `should_stop` said so.
    StrategyError
        If a user's function failed.
    """
    ready = ready or _players_here(job)
    writer = PartWriter(job.directory, job.config, matches, job.provenance)
    try:
        task = task_of(job.config, ready.seats, matches, job.batch, job.config.level)
        counts = simulate(ready.kernel, task, writer.write, should_stop, on_rounds)
        writer.write_counts(counts, job.batch)
        return writer.finish(int(job.config.spec.rounds_of(counts).sum()))
    except BaseException:
        writer.abandon()
        raise


def count_rounds(
    job: PartJob, matches: Range, ready: Players | None = None, should_stop: Callable[[], bool] = lambda: False
) -> tuple[int, npt.NDArray[np.int64]]:
    """First match, and the rounds of each match; see `play_part` and `until.rounds_by_match`."""
    ready = ready or _players_here(job)
    return matches.first, rounds_by_match(job.config, ready.kernel, ready.seats, matches, should_stop)


_READY: dict[str, Players] = {}
"""The players of the run that was played here last, by its provenance."""


def _players_here(job: PartJob) -> Players:
    """Who plays a run in a process to which it was sent, for all of its parts."""
    if job.provenance not in _READY:
        _READY.clear()
        _READY[job.provenance] = players(job.config, Silent())
    return _READY[job.provenance]
