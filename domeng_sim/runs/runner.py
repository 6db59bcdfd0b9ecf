"""A run from its configuration to a complete dataset: plan, executor, dataset, progress."""

from __future__ import annotations

import contextlib
import datetime
import itertools
import operator
import platform
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from domeng_sim.errors import BadInput, FieldRef, Interrupted, Refused
from domeng_sim.games.types import StrategyError
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.executors.base import Executor, Result
from domeng_sim.runs.executors.threads import Threads
from domeng_sim.runs.looks import Aim, Looks
from domeng_sim.runs.part_player import PartJob, Played, Players, count_rounds, play_part, players, send_part
from domeng_sim.runs.plan import Range, Shard, make_plan
from domeng_sim.runs.progress import Progress, Silent
from domeng_sim.runs.provenance import manifest_differences, software
from domeng_sim.runs.store.dataset import Dataset, holds_dataset, new_provenance_text
from domeng_sim.runs.store.location import Location, absolute
from domeng_sim.runs.store.open_storage import storage_of
from domeng_sim.runs.until import matches_until

_SURE = 0.97
"""Share of the matches that still seem to be missing which are played without looking at each."""
_LOOK_MATCHES = 128
"""Most matches whose rounds are counted one by one in a piece."""


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


class Runner:
    """One run.

    Parameters
    ----------
    config
        What to play.
    dataset
        Where it goes.
    players
        Who plays.
    executor
        What plays, several parts at a time.
    progress
        Told how far it is.
    stop
        Set from outside to stop early.
    aim
        What is to be known, of a run that goes on until then.
    """

    def __init__(
        self,
        config: RunConfig,
        dataset: Dataset,
        players: Players,
        executor: Executor,
        progress: Progress,
        stop: threading.Event,
        aim: Aim | None = None,
    ) -> None:
        self._config, self._dataset, self._progress = config, dataset, progress
        self._players, self._executor, self._stop = players, executor, stop
        self._failed = threading.Event()
        self._plan = dataset.plan
        # absolute: others who play may stand in another directory
        where, provenance = absolute(dataset.directory), new_provenance_text(dataset, config)
        self._job = PartJob(config, self._plan.batch, where, provenance)
        self._counter = _Counter()
        self._before = 0
        self._looks = Looks(dataset, aim) if aim is not None else None

    def _should_stop(self) -> bool:
        return self._stop.is_set() or self._failed.is_set()

    def _failing(self, function: Callable[[Range], Result]) -> Callable[[Range], Result]:
        """The function, which has the others of this process stop where it fails."""

        def run(matches: Range) -> Result:
            try:
                return function(matches)
            except BaseException:
                self._failed.set()
                raise

        return run

    def _play(self, ranges: Iterable[Range]) -> None:
        play: Callable[[Range], Played] = partial(send_part if self._executor.gathers else play_part, self._job)
        if self._executor.is_local:
            told = {"ready": self._players, "should_stop": self._should_stop, "on_rounds": self._counter.add}
            play = self._failing(partial(play, **told))
        with contextlib.closing(self._executor.map(play, ranges, self._on_wait)) as finished:
            try:
                for played in finished:
                    played.put_into(self._dataset)
                    if not self._executor.is_local:
                        self._counter.add(played.parts[0].rounds)
                    self._tell()
                    if self._looks is not None and self._looks.add(played.parts):
                        self._failed.set()  # nothing more is wanted
                        break
            except BaseException:
                # else the threads would go on to the end of their parts
                self._failed.set()
                raise
            finally:
                self._dataset.flush()

    def _tell(self) -> None:
        self._progress.update(self._before + self._counter.rounds + self._executor.rounds_under_way())

    def _on_wait(self) -> None:
        self._tell()
        if not self._executor.is_local and self._should_stop():
            raise Interrupted  # those of this process see for themselves

    def _rounds_ahead(self, matches: Range, missing: int) -> Iterator[npt.NDArray[np.int64]]:
        """Rounds of each match, counted by all threads, a few matches at a time.

        A row of counts for each of a whole part's matches would take more memory than all else.
        """
        size = min(max(missing // (2 * self._config.nominal_rounds_per_match), 1), _LOOK_MATCHES)
        count: Callable[[Range], tuple[int, npt.NDArray[np.int64]]] = partial(count_rounds, self._job)
        if self._executor.is_local:
            count = self._failing(partial(count_rounds, self._job, ready=self._players, should_stop=self._should_stop))
        first = matches.first
        while first < matches.end:
            ends = [min(first + size * number, matches.end) for number in range(self._executor.n_workers + 1)]
            pieces = [Range(*pair) for pair in itertools.pairwise(ends) if pair[0] < pair[1]]
            wave = self._executor.map(count, pieces, self._on_wait)
            with contextlib.closing(wave) as counted:
                yield from (by_match for _, by_match in sorted(counted, key=operator.itemgetter(0)))
            first = pieces[-1].end

    def _find_end(self) -> int:
        """Play until the number of matches is known that reaches the rounds asked for, and return it.

        It is the smallest number whose rounds are enough, so it depends on the play alone. Parts that are surely needed
        are played as they are; near the end the rounds of each match are counted first.
        """
        target, plan = self._config.rounds, self._plan
        while True:
            if self._looks is not None and self._looks.end is not None:
                return self._looks.end
            done = self._dataset.done()
            reached, number = 0, 0
            while plan.range(number, None) in done and reached + done[plan.range(number, None)] < target:
                reached += done[plan.range(number, None)]
                number += 1
            here, missing = plan.range(number, None), target - reached
            if here not in done:
                # nothing is known of the length of these games before some were played
                per_match = reached / here.first if number else 1.5 * self._config.nominal_rounds_per_match
                sure = int(_SURE * missing / per_match) // plan.part
                sure = sure if number else min(sure, self._executor.n_workers)
                if sure:
                    ranges = [plan.range(later, None) for later in range(number, number + sure)]
                    self._play([matches for matches in ranges if matches not in done])
                    continue
            end = matches_until(missing, here.first, self._rounds_ahead(here, missing))
            if end is not None:
                return end
            self._play([here])

    def run(self) -> RunResult:
        """Play what is missing.

        Raises
        ------
        Interrupted
            If asked to stop; finished parts are kept.
        """
        dataset, config = self._dataset, self._config
        started = time.perf_counter()
        if self._stop.is_set():
            raise Interrupted
        self._executor.refuse_unseen(dataset.directory)
        done = dataset.done()
        dataset.keep_only(done.__contains__)
        dataset.sweep()
        self._before = sum(done.values())
        known = config.n_matches
        if self._looks is not None:
            self._looks.add(part for part in dataset.parts if part.matches in done)
        total = config.rounds or (known or 0) * config.nominal_rounds_per_match
        if dataset.shard is not None:
            total = len(dataset.span()) * config.nominal_rounds_per_match
        total = min(total, (self._plan.expected or total) * config.nominal_rounds_per_match)
        self._progress.begin(total, self._before, "rounds")
        try:
            known = self._find_end() if known is None else known
            dataset.keep_only(lambda matches: self._plan.has(matches, known))
            self._play(missing(dataset, self._plan.span(known, dataset.shard)))
            counts = self._finish(known, time.perf_counter() - started)
        finally:
            dataset.clear()
            self._progress.end()
        return RunResult(dataset, counts, time.perf_counter() - started, self._counter.rounds)

    def _finish(self, matches: int, seconds: float) -> npt.NDArray[np.int64]:
        made = {
            "finished": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "host": platform.node(),
            "threads": self._executor.n_workers,
            "seconds_of_last_call": round(seconds, 3),
        }
        return self._dataset.finish(matches, made)


def differences(dataset: Dataset, config: RunConfig) -> list[str]:
    """What differs between a stored run and a configuration, a line each; empty if they are the same run."""
    asked = config.to_json()
    # its own version may have known fewer rules
    stored = {**dataset.manifest, "rules": dataset.rules}
    return manifest_differences(stored, {**asked, "software": software()}, asked)


def run(  # noqa: PLR0913 - keywords for whatever never changes a row
    config: RunConfig,
    directory: Location,
    *,
    threads: int = 1,
    executor: Executor | None = None,
    resume: bool = False,
    overwrite: bool = False,
    take_over: bool = False,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
    aim: Aim | None = None,
    shard: Shard | None = None,
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
    executor
        What plays in place of threads of this process.
    resume
        Go on with the run that is there.
    overwrite
        Replace a dataset that is there.
    take_over
        Take it from a writer that was killed, where the place of the dataset cannot know that it was.
    progress
        Told how far it is.
    stop
        Set from outside to stop early.
    aim
        What is to be known, of a run that goes on until then.
    shard
        Play this piece of it only.

    Raises
    ------
    Refused
        If the directory holds something else, or another run is to be resumed.
    Interrupted
        If `stop` was set; finished parts are kept.
    StrategyError
        If a user's function failed.
    """
    progress, stop = progress or Silent(), stop or threading.Event()
    executor = executor or Threads(threads)
    if resume and holds_dataset(directory):
        dataset = _resumable(directory, config, shard)
        dataset.refuse_damaged()
        if dataset.complete and next(missing(dataset, dataset.span()), None) is None:
            # nothing is written, so that this works on a disk that is only read; but a killed run's lock goes
            dataset.storage.forget_holders()
            return RunResult(dataset, dataset.counts(), 0.0, 0)
        with dataset.storage.hold(take_over):
            # it may have been gone on with, or replaced, before the lock was taken
            dataset = _resumable(directory, config, shard)
            return Runner(config, dataset, players(config, progress), executor, progress, stop, aim).run()
    # where something would be replaced, nothing is written before all that can be wrong with the players is found out
    ready = players(config, progress) if Dataset.replaced(directory, overwrite) else None
    with storage_of(directory).hold(take_over):
        plan = make_plan(config, aim.expected if aim is not None else 0)
        dataset = Dataset.create(directory, config, plan, overwrite, shard)
        try:
            ready = ready or players(config, progress)
            return Runner(config, dataset, ready, executor, progress, stop, aim).run()
        except (BadInput, Refused, StrategyError):
            # what was begun could be gone on with, but it would fail again at the same place
            if not dataset.parts:
                dataset.remove()
            raise


def missing(dataset: Dataset, matches: Range) -> Iterator[Range]:
    """Parts of these matches that are not there."""
    done = dataset.done()
    return (part for part in dataset.plan.ranges(matches) if part not in done)


def _resumable(directory: Location, config: RunConfig, shard: Shard | None) -> Dataset:
    """The run in a directory, if it is this one, and this piece of it."""
    dataset = Dataset.open(directory)
    if "study" in dataset.manifest:
        held = f"{directory} holds a study of `{dataset.manifest['study']}`, not a run; name another with "
        raise Refused(held, FieldRef("out"))
    lines = differences(dataset, config)
    if dataset.shard != shard:
        lines.append(f"the shard was {dataset.shard or 'none'}, now {shard or 'none'}")
    if lines:
        raise Refused(f"{directory} holds another run and cannot be resumed as this one: {'; '.join(lines)}")
    return dataset


__all__ = ["Interrupted", "RunResult", "Runner", "differences", "run"]
