"""Threads, budgets and the order of things in a run."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from domeng_sim.errors import Interrupted, Refused, UserError
from domeng_sim.games.types import Task
from domeng_sim.runs import engine, part_player, runner
from domeng_sim.runs.executors.threads import Threads
from domeng_sim.runs.plan import make_plan
from domeng_sim.runs.store.dataset import Dataset
from tests.command_line import make_config


def nothing() -> None:
    """Wait for nothing."""


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads__give_every_result_once(threads: int) -> None:
    running, most = [0], [0]
    lock = threading.Lock()

    def work(item: int) -> int:
        with lock:
            running[0] += 1
            most[0] = max(most)
            most.append(running[0])
        time.sleep(0.001 * (item % 3))
        with lock:
            running[0] -= 1
        return item * item

    assert sorted(Threads(threads).map(work, range(40), nothing)) == [item * item for item in range(40)]
    assert max(most) <= threads
    assert list(Threads(threads).map(work, [], nothing)) == []


def test_threads__take_items_only_as_room_becomes_free() -> None:
    taken: list[int] = []

    def items() -> Any:
        for item in range(1000):
            taken.append(item)
            yield item

    results = Threads(2).map(lambda item: item, items(), nothing)
    next(results)
    assert len(taken) <= 4
    results.close()


def test_threads__raise_the_failure_and_not_the_stops_that_it_causes() -> None:
    failed = threading.Event()

    def work(item: int) -> int:
        if item == 3:
            failed.set()
            raise UserError("disk full")
        if failed.wait(0.01):
            raise Interrupted
        return item

    for _ in range(20):
        failed.clear()
        with pytest.raises(UserError, match="disk full"):
            list(Threads(5).map(work, range(50), nothing))


def test_threads__hand_over_what_is_finished_before_they_raise() -> None:
    both = threading.Barrier(2)

    def work(item: int) -> int:
        both.wait()
        if item == 0:
            raise Interrupted
        time.sleep(0.05)
        return item

    results = Threads(2).map(work, range(2), nothing)
    assert next(results) == 1
    with pytest.raises(Interrupted):
        next(results)


def test_threads__end_when_their_caller_gives_up() -> None:
    ended: list[int] = []

    def work(item: int) -> int:
        time.sleep(0.01)
        ended.append(item)
        return item

    with contextlib.closing(Threads(2).map(work, range(100), nothing)) as results:
        next(results)
    n = len(ended)
    assert n < 10
    time.sleep(0.05)
    assert len(ended) == n


class SlowRun:
    """A run whose rounds take a given time each."""

    def __init__(self, seconds: float, rounds: int) -> None:
        self.seconds, self.left, self.played = seconds, rounds, 0
        self.budgets: list[int] = []
        self.counts = np.zeros((1, 1), np.int64)

    def advance(self, budget: int) -> bool:
        self.budgets.append(budget)
        n = min(budget, self.left)
        time.sleep(self.seconds * n)
        self.left -= n
        self.played += n
        return self.left > 0

    def n_rounds(self) -> int:
        return self.played

    def take(self, everything: bool) -> dict[str, Any]:
        return {}


class SlowKernel:
    """A kernel of such runs."""

    def __init__(self, run: SlowRun) -> None:
        self.run = run

    def start(self, task: Task | None) -> SlowRun:
        return self.run


def test_simulate__looks_often_whether_to_stop_however_slow_the_rounds_are() -> None:
    slow, told = SlowRun(0.001, 600), list[int]()
    engine.simulate(SlowKernel(slow), None, on_rounds=told.append)  # type: ignore[arg-type]
    assert sum(told) == 600
    assert max(slow.budgets[2:]) <= 256
    rather_slow = SlowRun(2e-5, 20_000)
    engine.simulate(SlowKernel(rather_slow), None)  # type: ignore[arg-type]
    assert 256 < max(rather_slow.budgets) <= 4096
    fast = SlowRun(0.0, 10**6)
    engine.simulate(SlowKernel(fast), None)  # type: ignore[arg-type]
    assert max(fast.budgets) == engine.BUDGET
    stopped = SlowRun(0.0, 10**6)
    with pytest.raises(Interrupted):
        engine.simulate(SlowKernel(stopped), None, should_stop=lambda: stopped.played > 5000)  # type: ignore[arg-type]
    assert stopped.played < 10**6


def test_run__that_is_stopped_before_it_begins_leaves_a_run_to_go_on_with(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    config = make_config({"matches": 2, "seed": 1})
    with pytest.raises(Interrupted):
        runner.run(config, tmp_path / "run", stop=stop)
    assert Dataset.open(tmp_path / "run").parts == []
    assert runner.run(config, tmp_path / "run", resume=True).dataset.complete
    result = runner.run(config, tmp_path / "run", resume=True)
    assert (result.rounds, result.dataset.complete) == (0, True)


@pytest.mark.compiled
def test_run__whose_manifest_cannot_be_saved_stops_all_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = make_config({"matches": 4000, "seed": 1, "tables": "summary"})
    original = part_player.simulate

    def simulate(kernel: Any, task: Any, sink: Any, should_stop: Any, on_rounds: Any) -> Any:
        if task.first_match:
            end = time.monotonic() + 20
            while not should_stop() and time.monotonic() < end:
                time.sleep(0.01)
        return original(kernel, task, sink, should_stop, on_rounds)

    def full(dataset: Dataset, *finished: Any) -> None:
        raise UserError("disk full")

    monkeypatch.setattr(part_player, "simulate", simulate)
    monkeypatch.setattr(Dataset, "add", full)
    started = time.monotonic()
    with pytest.raises(UserError, match="disk full"):
        runner.run(config, tmp_path / "run", threads=2)
    assert time.monotonic() - started < 15


def test_run__of_a_stored_run_needs_to_be_told_what_to_do(tmp_path: Path) -> None:
    config = make_config({"matches": 2, "seed": 1})
    runner.run(config, tmp_path / "run")
    with pytest.raises(Refused, match="already holds a dataset"):
        runner.run(config, tmp_path / "run")
    with pytest.raises(Refused, match="seed was 1, now 2"):
        runner.run(make_config({"matches": 2, "seed": 2}), tmp_path / "run", resume=True)


def test_differences__are_short_even_where_values_are_long(tmp_path: Path) -> None:
    config = make_config({"matches": 2, "seed": 1})
    dataset = Dataset.create(tmp_path / "run", config, make_plan(config), False)
    assert runner.differences(dataset, config) == []
    dataset.manifest["seats"][0]["text"] = "x" * 10_000
    dataset.manifest["seats"][0]["code"] = "y" * 10_000
    [line] = runner.differences(dataset, config)
    assert len(line) < 200
    dataset.manifest["software"]["domeng_sim"] = "0.0.1"
    assert runner.differences(dataset, config)[1].startswith("domeng_sim version 0.0.1, now ")
