"""A run from its configuration to a complete dataset: plan, executor, dataset, progress."""

from __future__ import annotations

import datetime
import platform
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.core import jit
from domeng_sim.dataset import Dataset, Part, PartWriter, new_provenance_text
from domeng_sim.engine import simulate, task_of
from domeng_sim.errors import Interrupted, Refused
from domeng_sim.executors.threads import Threads
from domeng_sim.games.spec import GameKernel, Seat
from domeng_sim.plan import Plan, Range, RunConfig, make_plan
from domeng_sim.progress import Progress, Silent
from domeng_sim.provenance import provenance
from domeng_sim.strategies.spec import seat

_SURE = 0.97
"""Share of the matches that still seem to be missing which are played without looking at each."""


@dataclass(frozen=True)
class RunResult:
    """What a run gave.

    Attributes
    ----------
    dataset
        Where it is.
    counts
        Shape (batches, counters).
    seconds
        Time of this call, compiling left out.
    rounds
        Rounds played in this call.
    """

    dataset: Dataset
    counts: npt.NDArray[np.int64]
    seconds: float
    rounds: int


class _Counter:
    """Rounds played by all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.rounds = 0

    def add(self, rounds: int) -> None:
        with self._lock:
            self.rounds += rounds


def prepare(kernel: GameKernel, seats: tuple[Seat, ...], compile_now: Callable[[], object], progress: Progress) -> None:
    """Tell the user before code is compiled for the first time, and compile it.

    Parameters
    ----------
    kernel
        Core of the game.
    seats
        How the seats play.
    compile_now
        A function without arguments that plays something short.
    progress
        Where to tell.
    """
    engine = kernel.engine(seats)
    if not jit.is_compiled(engine):
        progress.message(f"Compiling the engine {engine} for this machine, some seconds, once")
        compile_now()
        jit.mark_compiled(engine)


class Runner:
    """One run.

    Parameters
    ----------
    config
        What to play.
    dataset
        Where it goes.
    threads
        How many threads play.
    progress
        Told how far it is.
    stop
        Set from outside to stop early.
    """

    def __init__(
        self, config: RunConfig, dataset: Dataset, threads: int, progress: Progress, stop: threading.Event
    ) -> None:
        self._config, self._dataset, self._progress = config, dataset, progress
        self._stop = stop
        self._failed = threading.Event()
        sizes = dataset.manifest["plan"]
        self._plan = Plan(sizes["matches_per_batch"], sizes["matches_per_part"])
        self._executor = Threads(threads)
        self._kernel = config.spec.kernel()
        self._seats = tuple(seat(spec) for spec in config.seats)
        self._provenance = new_provenance_text(dataset, config)
        self._counter = _Counter()
        self._before = 0

    def _should_stop(self) -> bool:
        return self._stop.is_set() or self._failed.is_set()

    def _play_part(self, matches: Range) -> list[Part]:
        """Play and write one part; runs in a thread."""
        writer = PartWriter(self._dataset.directory, self._config, matches, self._provenance)
        try:
            task = task_of(self._config, self._seats, matches, self._plan.batch, self._config.level)
            counts = simulate(self._kernel, task, writer.write, self._should_stop, self._counter.add)
            writer.write_counts(counts, self._plan.batch)
            return writer.commit(int(self._config.spec.rounds_of(counts).sum()))
        except BaseException:
            self._failed.set()
            writer.abandon()
            raise

    def _play(self, ranges: Iterable[Range]) -> None:
        for parts in self._executor.map(self._play_part, ranges, self._tell):
            self._dataset.add(parts)
            self._tell()

    def _tell(self) -> None:
        self._progress.update(self._before + self._counter.rounds)

    def _rounds_by_match(self, matches: Range) -> npt.NDArray[np.int64]:
        """Rounds of each match, found by playing them without keeping rows."""
        task = task_of(self._config, self._seats, matches, 1, "summary")
        [counts] = self._executor.map(
            lambda task: simulate(self._kernel, task, should_stop=self._should_stop), [task], self._tell
        )
        return self._config.spec.rounds_of(counts)

    def _find_end(self) -> int:
        """Play until the number of matches is known that reaches the rounds asked for, and return it.

        It is the smallest number whose rounds are enough, so it depends on the play alone.  Parts that are surely needed
        are played as they are; near the end the rounds of each match are counted first.
        """
        target, plan = self._config.rounds, self._plan
        while True:
            done = self._dataset.done()
            reached, number = 0, 0
            while plan.range(number, None) in done and reached + done[plan.range(number, None)] < target:
                reached += done[plan.range(number, None)]
                number += 1
            here = plan.range(number, None)
            per_match = reached / here.first if number else 1.5 * self._config.nominal_rounds_per_match
            sure = int(_SURE * (target - reached) / per_match) // plan.part
            if here not in done and sure:
                ranges = [plan.range(later, None) for later in range(number, number + sure)]
                self._play([matches for matches in ranges if matches not in done])
                continue
            by_match = self._rounds_by_match(here)
            enough = np.flatnonzero(reached + np.cumsum(by_match) >= target)
            if len(enough):
                return here.first + int(enough[0]) + 1
            self._play([here])

    def run(self) -> RunResult:
        """Play what is missing.

        Raises
        ------
        Interrupted
            If asked to stop; finished parts are kept.
        """
        dataset, config = self._dataset, self._config
        tiny = task_of(config, self._seats, Range(0, 1), 1, config.level)
        prepare(self._kernel, self._seats, lambda: self._kernel.start(tiny).advance(1), self._progress)
        started = time.perf_counter()
        done = dataset.done()
        dataset.keep_only(done)
        self._before = sum(done.values())
        known = dataset.manifest["matches"]
        total = config.rounds or known * config.nominal_rounds_per_match
        self._progress.begin(total, self._before, "rounds")
        try:
            if known is None:
                known = self._find_end()
                dataset.manifest["matches"] = known
            wanted = [self._plan.range(number, known) for number in range(self._plan.n_parts(known))]
            dataset.keep_only(wanted)
            done = dataset.done()
            self._play([matches for matches in wanted if matches not in done])
            counts = dataset.counts()
            self._finish(counts, time.perf_counter() - started)
        finally:
            self._progress.end()
        return RunResult(dataset, counts, time.perf_counter() - started, self._counter.rounds)

    def _finish(self, counts: npt.NDArray[np.int64], seconds: float) -> None:
        manifest = self._dataset.manifest
        self._dataset.sweep()
        manifest["totals"] = {"matches": manifest["matches"], **self._config.spec.totals(counts)}
        manifest["status"] = "complete"
        manifest["run"] |= {
            "finished": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "host": platform.node(),
            "seconds_of_last_call": round(seconds, 3),
        }
        self._dataset.save()


def differences(dataset: Dataset, config: RunConfig) -> list[str]:
    """What differs between a stored run and a configuration, a line each; empty if they are the same run."""
    return manifest_differences(dataset.manifest, provenance(config), config.to_json())


def manifest_differences(stored: Mapping[str, Any], asked: Mapping[str, Any], keys: Iterable[str]) -> list[str]:
    """What differs between a stored manifest and a new one, a line each; empty if they have the same identity.

    Parameters
    ----------
    stored, asked
        The manifests, with their identities and software.
    keys
        What decides the identity, besides the version.
    """
    if stored.get("identity") == asked["identity"]:
        return []
    lines = []
    for key in keys:
        if stored.get(key) != asked[key]:
            lines += _difference(key, stored.get(key), asked[key])
    versions = stored["software"]["domeng_sim"], asked["software"]["domeng_sim"]
    if versions[0] != versions[1]:
        lines.append(f"domeng_sim version {versions[0]}, now {versions[1]}")
    return lines or ["identity"]


def _difference(key: str, stored: object, asked: object) -> list[str]:
    if isinstance(stored, dict) and isinstance(asked, dict):
        return [
            line
            for name in {**stored, **asked}
            if stored.get(name) != asked.get(name)
            for line in _difference(f"{key} {name}", stored.get(name), asked.get(name))
        ]
    if isinstance(stored, list) and isinstance(asked, list) and len(stored) == len(asked):
        return [
            line
            for number, pair in enumerate(zip(stored, asked, strict=True))
            if pair[0] != pair[1]
            for line in _difference(f"{key[:-1]} {number}", *pair)
        ]
    return [f"{key} was {stored}, now {asked}"]


def run(
    config: RunConfig,
    directory: Path,
    *,
    threads: int = 1,
    resume: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
) -> RunResult:
    """Play a run into a directory, or go on with it.

    Parameters
    ----------
    config
        What to play.
    directory
        Where the dataset is or will be.
    threads
        How many threads play; the rows do not depend on it.
    resume
        Go on with the run that is there.
    overwrite
        Replace a dataset that is there.
    progress
        Told how far it is.
    stop
        Set from outside to stop early.

    Raises
    ------
    Refused
        If the directory holds something else, or another run is to be resumed.
    Interrupted
        If `stop` was set; finished parts are kept.
    StrategyError
        If a user's function failed.
    """
    if resume and (directory / "manifest.json").exists():
        dataset = Dataset.open(directory)
        lines = differences(dataset, config)
        if lines:
            raise Refused(f"{directory} holds another run and cannot be resumed as this one: {'; '.join(lines)}")
    else:
        dataset = Dataset.create(directory, config, make_plan(config), overwrite)
    return Runner(config, dataset, threads, progress or Silent(), stop or threading.Event()).run()


__all__ = ["Interrupted", "RunResult", "Runner", "differences", "run"]
