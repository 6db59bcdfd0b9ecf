"""Runs: playing, merging, reports, export."""

from __future__ import annotations

import contextlib
import datetime
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from domeng_sim.analysis.goals import RunGoals
from domeng_sim.analysis.live import Live
from domeng_sim.analysis.report import RunReport
from domeng_sim.analysis.report import report as make_report
from domeng_sim.api.carry_out.watch import Watch, executor_of, failures_in_words
from domeng_sim.api.requests.runs import ExportRequest, MergeRequest, ReportRequest, RunRequest
from domeng_sim.errors import BadField, FieldRef, UserError
from domeng_sim.runs import runner
from domeng_sim.runs.plan import Shard
from domeng_sim.runs.session import Session
from domeng_sim.runs.store.dataset import Dataset, holds_dataset
from domeng_sim.runs.store.export import Selection, encoded
from domeng_sim.runs.store.files import disk_errors
from domeng_sim.runs.store.location import Location, location
from domeng_sim.runs.store.merge import Merged
from domeng_sim.runs.store.merge import merge as merge_pieces
from domeng_sim.runs.whole_file import refuse_file, whole_file


@contextlib.contextmanager
def with_directory(request: RunRequest) -> Iterator[tuple[RunRequest, Location]]:
    """The request with a directory: a new one in the current one, under a name that nobody has, if none was named."""
    if request.out is not None:
        yield request, location(request.out)
        return
    stem = datetime.datetime.now().strftime("domeng-run-%Y%m%d-%H%M%S")
    for number in itertools.count(1):
        directory = Path(stem if number == 1 else f"{stem}-{number}")
        try:
            with disk_errors(Path.cwd()):
                directory.mkdir()
            break
        except UserError as error:
            if not isinstance(error.__cause__, FileExistsError):
                raise
    try:
        yield request.with_values(out=directory), directory
    finally:
        # it stays ours while it is empty
        with contextlib.suppress(OSError):
            directory.rmdir()


def play_run(request: RunRequest, watch: Watch | None = None) -> runner.RunResult:
    """Play a run into its directory."""
    watch = watch or Watch()
    with contextlib.ExitStack() as stack:
        named, directory = stack.enter_context(with_directory(request))
        stack.enter_context(failures_in_words())
        config, begins = named.config, not (named.resume and holds_dataset(directory))
        aim = RunGoals(config) if config.until else None
        if begins:
            Dataset.replaced(directory, named.overwrite)  # refuses before anything is announced
        executor = stack.enter_context(executor_of(named, watch, named.gather))
        if not named.resume:
            watch.begun(f"seed {config.seed}, into {directory}, {executor}")
        if begins and aim is not None:
            forecast = aim.expect(watch.stop.is_set, watch.progress)
            watch.begun(forecast.told(executor.n_workers))
            aim.expected = forecast.matches
        looked_at = aim if watch.live is None else Live(config, aim, watch.live)
        return runner.run(
            config,
            directory,
            executor=executor,
            resume=named.resume,
            overwrite=named.overwrite,
            take_over=named.take_over,
            progress=watch.progress,
            stop=watch.stop,
            aim=looked_at,
            shard=cast("Shard | None", named.shard),
        )


def merge(request: MergeRequest, watch: Watch | None = None) -> Merged:
    """Make one dataset of pieces of a run."""
    watch = watch or Watch()
    return merge_pieces(
        request.runs,
        location(request.out or ""),
        move=request.move,
        overwrite=request.overwrite,
        take_over=request.take_over,
        session=Session(request.n_threads, watch.progress, watch.stop),
    )


def make_the_report(request: ReportRequest, watch: Watch | None = None) -> RunReport:
    """Make the report of some runs."""
    progress = (watch or Watch()).progress
    return make_report(
        request.runs, tables=request.tables, level=request.level, threads=request.n_threads, progress=progress
    )


def export(request: ExportRequest, watch: Watch | None = None, stdout: IO[bytes] | None = None) -> Path | None:
    """Write rows of a table of a dataset, with flat memory.

    Parameters
    ----------
    request
        Which rows, and where to.
    watch
        Who looks on.
    stdout
        Where rows go that are not to go into a file.

    Returns
    -------
    Path
        The file; None if there is none.
    """
    progress = (watch or Watch()).progress
    selection = Selection(
        Dataset.open(request.run),
        request.table,
        tuple(request.columns or ()),
        cast("tuple[int, int] | None", request.match),
    )
    if str(request.out or "-") == "-":
        if stdout is None:
            raise BadField("out", request.out, message=(FieldRef("out"), " must name a file"))
        for piece in encoded(selection, request.format):
            stdout.write(piece)
        return None
    path = Path(request.out or "")
    refuse_file(path, "out", request.overwrite)
    pieces = encoded(selection, request.format, progress)
    first = next(pieces)  # all that can be refused is refused before a file is opened
    with whole_file(path) as file:
        for piece in itertools.chain([first], pieces):
            file.write(piece)
    return path
