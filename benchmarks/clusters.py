"""What a cluster costs: workers against threads, each task, each gigabyte that comes back, and merging shards."""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.measure import Row, in_turn, median_ratio, wall_seconds
from domeng_sim.api.requests.runs import RunRequest
from domeng_sim.runs import runner
from domeng_sim.runs.executors.base import Executor
from domeng_sim.runs.executors.dask import connected
from domeng_sim.runs.executors.threads import Threads
from domeng_sim.runs.plan import Plan, Shard
from domeng_sim.runs.progress import Silent
from domeng_sim.runs.session import Session
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.runs.store.merge import merge
from tests.cluster import cluster

TASKS, MEGABYTES, SHARDS, REPEATS = 2_000, 200, 1_000, 5


def content(size: int) -> bytes:
    """Bytes that come back."""
    return bytes(size)


def _nothing() -> None:
    pass


def compare_clusters(rounds: int = 10**7) -> list[Row]:
    """Two workers of one thread each against two threads, and what goes with each task.

    Parameters
    ----------
    rounds
        Of the runs that are compared; their table `rounds` is kept.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (
            cluster(folder / "cluster", 2) as made,
            connected(made.address, False, Silent(), threading.Event()) as executor,
        ):
            while executor.n_workers < 2:
                time.sleep(0.1)
                executor._look()
            rows = _reach(folder, executor, rounds)
            seconds = wall_seconds(lambda: list(executor.map(content, [1] * TASKS, _nothing)))
            rows.append(Row("a task that does nothing", 1e3 * seconds / TASKS, "ms"))
            sizes = [10**7] * (MEGABYTES // 10)
            seconds = wall_seconds(lambda: list(executor.map(content, sizes, _nothing)))
            rows.append(Row("what comes back to the client", MEGABYTES / seconds, "MB/s"))
        return [*rows, *_parts_and_shards(folder)]


def _reach(folder: Path, executor: Executor, rounds: int) -> list[Row]:
    config = RunRequest(rounds=rounds, seed=1).config

    def play(by: Executor) -> float:
        return wall_seconds(lambda: runner.run(config, folder / "run", executor=by, overwrite=True))

    variants = {"--threads 2": lambda: play(Threads(2)), "two workers of one thread": lambda: play(executor)}
    for variant in variants.values():
        variant()
    values = in_turn(variants, REPEATS)
    medians = {name: statistics.median(found) for name, found in values.items()}
    ratio = median_ratio(*reversed(values.values()))
    one, other = medians
    return [
        Row(f"{rounds:,} rounds, {one}", medians[one], "s"),
        Row(f"{rounds:,} rounds, {other}", medians[other], "s", ratio, 1.10, 1.25),
    ]


def _parts_and_shards(folder: Path) -> list[Row]:
    """A part of next to nothing, and as many shards made one dataset."""
    config, plan = RunRequest(matches=SHARDS, seed=1).config, Plan(1, 1)
    Dataset.create(folder / "whole", config, plan, overwrite=False)
    seconds = wall_seconds(lambda: runner.run(config, folder / "whole", resume=True))
    pieces = [folder / f"piece-{number}" for number in range(1, SHARDS + 1)]
    for number, piece in enumerate(pieces, 1):
        shard = Shard(number, SHARDS)
        Dataset.create(piece, config, plan, overwrite=False, shard=shard)
        runner.run(config, piece, resume=True, shard=shard)
    return [
        Row("a part of one match, all in", 1e3 * seconds / SHARDS, "ms"),
        Row(
            f"merge {SHARDS:,} shards", wall_seconds(lambda: merge(pieces, folder / "merged", session=Session(2))), "s"
        ),
    ]
