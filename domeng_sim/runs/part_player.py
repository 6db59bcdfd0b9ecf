"""Who plays a part of a run, and the part player: a function of what to play that can be sent to another process."""

from __future__ import annotations

import contextlib
import secrets
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from domeng_sim.core import announce, jit
from domeng_sim.games.spec import GameKernel
from domeng_sim.games.types import Seat, Task, Undecided
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.engine import simulate, task_of
from domeng_sim.runs.executors.base import asker
from domeng_sim.runs.plan import Range
from domeng_sim.runs.progress import Progress, Silent
from domeng_sim.runs.store.location import Location
from domeng_sim.runs.store.parts import Part, PartWriter, content, receive
from domeng_sim.runs.until import rounds_by_match
from domeng_sim.strategies.spec import seat

if TYPE_CHECKING:
    from domeng_sim.runs.store.dataset import Dataset


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


@dataclass(frozen=True)
class Played:
    """A part that is complete, but for its place.

    Attributes
    ----------
    parts
        Its files, in the folder of those that are being written.
    attempt
        What tells them from other attempts at this part.
    contents
        What stands in each of them, where they are not in that folder.
    """

    parts: list[Part]
    attempt: str = ""
    contents: tuple[bytes, ...] = ()

    def put_into(self, dataset: Dataset) -> None:
        """Put it into its place, and list it."""
        for part, found in zip(self.parts, self.contents, strict=False):
            receive(dataset.directory, part, found, self.attempt)
        dataset.add(self.parts, self.attempt)


def play_part(
    job: PartJob,
    matches: Range,
    ready: Players | None = None,
    should_stop: Callable[[], bool] | None = None,
    on_rounds: Callable[[int], None] | None = None,
) -> Played:
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
        Asked some twenty times a second; in a process to which the part was sent, whoever sent it is asked.
    on_rounds
        Told how many rounds were played since the last call; else whoever sent the part is.

    Raises
    ------
    Interrupted
        If `should_stop` said so.
    StrategyError
        If a user's function failed.
    """
    # where it was sent to, another process that is thought dead may be writing the same part
    attempt = "" if ready is not None else secrets.token_hex(8)
    ready, sender = ready or _players_here(job), asker.get()
    writer = PartWriter(job.directory, job.config, matches, job.provenance, attempt)
    try:
        task = task_of(job.config, ready.seats, matches, job.batch, job.config.level)
        counts = simulate(
            ready.kernel, task, writer.write, should_stop or sender.has_given_up, on_rounds or sender.tell
        )
        writer.write_counts(counts, job.batch)
        return Played(writer.finish(int(job.config.spec.rounds_of(counts).sum())), attempt)
    except BaseException:
        writer.abandon()
        raise


def send_part(job: PartJob, matches: Range) -> Played:
    """Play a part where the dataset is out of reach, and give what would stand in its files."""
    with tempfile.TemporaryDirectory(prefix="domeng-sim-") as folder:
        played = play_part(replace(job, directory=Path(folder)), matches)
        contents = tuple(content(Path(folder), part, played.attempt) for part in played.parts)
    return replace(played, contents=contents)


def count_rounds(
    job: PartJob, matches: Range, ready: Players | None = None, should_stop: Callable[[], bool] | None = None
) -> tuple[int, npt.NDArray[np.int64]]:
    """First match, and the rounds of each match; see `play_part` and `until.rounds_by_match`."""
    ready, stop = ready or _players_here(job), should_stop or asker.get().has_given_up
    return matches.first, rounds_by_match(job.config, ready.kernel, ready.seats, matches, stop)


_READY: dict[str, Players] = {}
"""The players of the run that was played here last, by its provenance."""
_MAKING = threading.Lock()


def _players_here(job: PartJob) -> Players:
    """Who plays a run in a process to which it was sent, for all of its parts."""
    with _MAKING:
        if job.provenance not in _READY:
            with one_compiles():
                found = players(job.config, Silent())
            _READY.clear()
            _READY[job.provenance] = found
        return _READY[job.provenance]


@contextlib.contextmanager
def one_compiles() -> Iterator[None]:
    """Let one process of this machine at a time compile: the others find in the cache what it has compiled."""
    if jit.CACHE_FOLDER is None or sys.platform == "win32":
        yield
        return
    import fcntl

    with (jit.CACHE_FOLDER / "compiling").open("wb") as file:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
