"""Studies: comparisons, tournaments, sweeps, sensitivity, power, tuning."""

from __future__ import annotations

import contextlib
import importlib.util
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from domeng_sim.api.carry_out.watch import Watch, executor_of
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
from domeng_sim.errors import UserError
from domeng_sim.runs.store.location import location
from domeng_sim.runs.whole_file import refuse_file, whole_file

EXTENDED = ("tournament", "sweep")
"""Studies that others may be added to: strategies, points of a grid."""


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
    with executor_of(request, watch) as executor:
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
    refuse_file(out, "out", request.overwrite or request.resume)
    state = open_state(out, goal.identity(), request.record(), request.resume, request.overwrite)
    with _session(request, watch, f"{len(goal.features)} weights of {goal.start.text}") as session:
        result = tuning.tune(goal, state, session)
        watch.over()
    text = result.to_toml(shlex.join(request.reached(len(result.history)).words(out=out)))
    state.written = text
    state.keep(result.history)
    with whole_file(out) as file:
        file.write(text.encode())
    return result
