"""Carry out requests: one function for each command, the same for every front end."""

from __future__ import annotations

import contextlib
import datetime
import importlib.util
import itertools
import shlex
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from domeng_sim.analysis.goals import RunGoals
from domeng_sim.analysis.live import Live
from domeng_sim.analysis.report import RunReport
from domeng_sim.analysis.report import report as make_report
from domeng_sim.api.requests.base import Clustered
from domeng_sim.api.requests.positions import DEFAULT_SAMPLES, OddsRequest
from domeng_sim.api.requests.runs import ExportRequest, MergeRequest, ReportRequest, RunRequest
from domeng_sim.api.requests.studies import (
    CompareRequest,
    KeptRequest,
    PowerRequest,
    SensitivityRequest,
    StudyRequest,
    TournamentRequest,
)
from domeng_sim.api.requests.sweep import SweepRequest
from domeng_sim.api.requests.tune import TuneRequest
from domeng_sim.comparisons import comparison, power, sensitivity, sweep, tournament, tuning
from domeng_sim.comparisons.block_store import BlockStore, open_store
from domeng_sim.comparisons.power import Power
from domeng_sim.comparisons.result import ComparisonResult
from domeng_sim.comparisons.sensitivity_result import Sensitivity
from domeng_sim.comparisons.sequential import StudySession
from domeng_sim.comparisons.sweep_result import SweepResult
from domeng_sim.comparisons.tournament_result import TournamentResult
from domeng_sim.comparisons.tuning_result import TuneResult
from domeng_sim.comparisons.tuning_state import open_state
from domeng_sim.errors import BadField, BadInput, FieldRef, UserError
from domeng_sim.games.types import StrategyError
from domeng_sim.positions import odds
from domeng_sim.positions.odds_result import OddsResult
from domeng_sim.runs import runner
from domeng_sim.runs.executors.base import Executor
from domeng_sim.runs.executors.threads import Threads
from domeng_sim.runs.plan import Shard
from domeng_sim.runs.progress import Progress, Silent
from domeng_sim.runs.session import Session
from domeng_sim.runs.store.dataset import Dataset, holds_dataset
from domeng_sim.runs.store.export import Selection, encoded
from domeng_sim.runs.store.files import disk_errors
from domeng_sim.runs.store.location import Location, location
from domeng_sim.runs.store.merge import Merged
from domeng_sim.runs.store.merge import merge as merge_pieces
from domeng_sim.runs.whole_file import refuse_file, whole_file
from domeng_sim.strategies.spec import seat


@dataclass(frozen=True)
class Watch:
    """Who looks on; nothing here changes a result.

    Attributes
    ----------
    progress
        Told how far it is.
    stop
        Set from outside to stop early.
    begun
        Told what is about to be played, once nothing more can be refused.
    over
        Called when the play has ended, before what is known is told.
    live
        Shown the odds of a run so far, whenever there is more.
    """

    progress: Progress = field(default_factory=Silent)
    stop: threading.Event = field(default_factory=threading.Event)
    begun: Callable[[str], None] = lambda text: None
    over: Callable[[], None] = lambda: None
    live: Callable[[Live], None] | None = None


@contextlib.contextmanager
def _failures_in_words() -> Iterator[None]:
    """Turn what went wrong in a user's function into a line for the user."""
    try:
        yield
    except StrategyError as error:
        raise UserError(str(error)) from error


@contextlib.contextmanager
def _executor(request: Clustered, watch: Watch, gathers: bool = False) -> Iterator[Executor]:
    """What plays: threads of this process, or the workers of a cluster."""
    if request.cluster is None:
        yield Threads(request.n_threads)
        return
    from domeng_sim.runs.executors.dask import connected

    with connected(request.cluster, gathers, watch.progress, watch.stop) as executor:
        yield executor


# --- Runs -------------------------------------------------------------------------------------------------------------


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
        stack.enter_context(_failures_in_words())
        config, begins = named.config, not (named.resume and holds_dataset(directory))
        aim = RunGoals(config) if config.until else None
        if begins:
            Dataset.replaced(directory, named.overwrite)  # refuses before anything is announced
        executor = stack.enter_context(_executor(named, watch, named.gather))
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


EXTENDED = ("tournament", "sweep")
"""Studies that others may be added to: strategies, points of a grid."""


# --- Studies ----------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _store(request: KeptRequest, study: StudyRequest, content: Mapping[str, Any]) -> Iterator[BlockStore | None]:
    if request.out is None:
        yield None
        return
    flags = {"resume": request.resume, "overwrite": request.overwrite, "take_over": request.take_over}
    flags["extend"] = request.command in EXTENDED
    content = {**content, "request": request.record()}
    with open_store(location(request.out), request.command, study.setting, content, **flags) as store:
        yield store


@contextlib.contextmanager
def _session(request: StudyRequest, watch: Watch, what: str, store: BlockStore | None = None) -> Iterator[StudySession]:
    with _executor(request, watch) as executor:
        watch.begun(f"{what}; seed {request.setting.seed}, {executor}")
        yield StudySession(
            progress=watch.progress, stop=watch.stop, executor=executor, store=store, on_stopped=watch.over
        )


def compare(request: CompareRequest, watch: Watch | None = None) -> ComparisonResult:
    """Compare two strategies."""
    watch, question = watch or Watch(), request.question
    told = "{} against {}".format(*question.names)
    with (
        _store(request, request, question.to_json()) as store,
        _session(request, watch, told, store) as session,
    ):
        result = comparison.compare(question, request.stopping, session)
        watch.over()
        _keep(store, request.reached(result.blocks, result.reason).words(), result)
        return result


def rank(request: TournamentRequest, watch: Watch | None = None) -> TournamentResult:
    """Rank strategies."""
    watch, entry = watch or Watch(), request.entry
    with (
        _store(request, request, entry.to_json()) as store,
        _session(request, watch, f"{len(entry.strategies)} strategies", store) as session,
    ):
        result = tournament.tournament(entry, request.stopping, session)
        watch.over()
        _keep(store, request.reached(result.blocks, result.reason).words(), result)
        return result


def _keep(
    store: BlockStore | None, words: list[str], result: ComparisonResult | TournamentResult | SweepResult
) -> None:
    if store is not None:
        store.finish({"command": shlex.join(words), **result.to_json()}, result.reason != "stopped")


def find_sensitivity(request: SensitivityRequest, watch: Watch | None = None) -> Sensitivity:
    """Tell how much each reading of the rules matters."""
    watch, n = watch or Watch(), len(request.inquiry.readings)
    with _session(request, watch, "1 other reading" if n == 1 else f"{n} other readings") as session:
        result = sensitivity.sensitivity(request.inquiry, session)
        watch.over()
    return result


def play_sweep(request: SweepRequest, watch: Watch | None = None) -> SweepResult:
    """Play a grid of weights, options and rules."""
    watch, grid = watch or Watch(), request.grid
    with (
        _store(request, request, grid.to_json()) as store,
        _session(request, watch, f"{len(grid.points)} point{'s' * (len(grid.points) > 1)}", store) as session,
    ):
        result = sweep.sweep(grid, session)
        watch.over()
        _keep(store, request.reached(result.blocks, result.reason).words(), result)
        return result


def find_power(request: PowerRequest, watch: Watch | None = None) -> Power:
    """Tell how many blocks a comparison takes."""
    watch, plan = watch or Watch(), request.plan()
    with _session(request, watch, f"pilot of {plan.pilot:,} blocks") as session:
        result = power.power(plan, session)
        watch.over()
    return result


def tune(request: TuneRequest, watch: Watch | None = None) -> TuneResult:
    """Tune the weights of a strategy, and write it into a file."""
    watch, goal = watch or Watch(), request.goal
    if importlib.util.find_spec("cmaes") is None:
        raise UserError("tuning needs the library cmaes: pip install 'domeng-sim[tune]'")
    out = Path(request.out or "")
    if not request.resume:
        refuse_file(out, "out", request.overwrite)
    state = open_state(out, goal.identity(), request.record(), request.resume, request.overwrite)
    with _session(request, watch, f"{len(goal.features)} weights of {goal.start.text}") as session:
        result = tuning.tune(goal, state, session)
    text = result.to_toml(shlex.join(request.reached(len(result.history)).words(out=out)))
    state.written = text
    state.keep(result.history)
    with whole_file(out) as file:
        file.write(text.encode())
    return result


# --- Positions --------------------------------------------------------------------------------------------------------


def find_odds(request: OddsRequest, watch: Watch | None = None) -> OddsResult:
    """Odds of each move of a position."""
    watch, located = watch or Watch(), request.with_position().located
    if located is None:
        raise BadInput("there is no position")
    with _failures_in_words(), _executor(request, watch) as executor:
        strategies = tuple(request.players(located))
        players = [seat(strategy) for strategy in strategies]
        session = odds.OddsSession(
            progress=watch.progress,
            stop=watch.stop,
            executor=executor,
            strategies=strategies,
            infer=request.inference(located),
        )
        if request.exact:
            return odds.exact_odds(located.spec, located.position, session=session)
        samples = request.samples or DEFAULT_SAMPLES
        return odds.sampled_odds(
            located.spec, located.position, players, request.seed or 0, samples, request.radius, session=session
        )
