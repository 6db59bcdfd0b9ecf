"""A part of a run is played by a function of what to play, which another process can be sent."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from domeng_sim.runs import runner
from domeng_sim.runs.executors.base import Executor
from domeng_sim.runs.part_player import PartJob, play_part
from domeng_sim.runs.plan import Plan, Range
from domeng_sim.runs.store.dataset import Dataset, new_provenance_text
from domeng_sim.runs.store.verify import verify
from tests.command_line import contents, make_config

pytestmark = pytest.mark.compiled


class Processes(Executor):
    """Another executor, as somebody might add one."""

    is_local, n_workers = False, 2

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self.pool = pool

    def map(
        self, function: Callable[[Any], Any], items: Iterable[Any], on_wait: Callable[[], None]
    ) -> Generator[Any, None, None]:
        running = {self.pool.submit(function, item) for item in items}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            on_wait()
            for future in done:
                yield future.result()


@pytest.fixture(scope="module")
def processes() -> Generator[Processes, None, None]:
    """Two processes for all parts; fork and threads of numba or Arrow do not go together."""
    with ProcessPoolExecutor(Processes.n_workers, mp_context=get_context("spawn")) as pool:
        yield Processes(pool)


@pytest.mark.parametrize("asked", [{"matches": 7}, {"rounds": 500}])
def test_run__by_other_processes_gives_the_same_files(
    asked: dict[str, int], processes: Processes, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text("def choose(view, moves):\n    return 0\n")
    seats = f"random,banker,{tmp_path}/own.py:choose,random,random"
    config = make_config({**asked, "seed": 1, "seats": seats, "tables": "events"})
    (tmp_path / "own.py").unlink()
    for name in ("here", "there"):
        Dataset.create(tmp_path / name, config, Plan(1, 2), overwrite=False)
    runner.run(config, tmp_path / "here", resume=True)
    result = runner.run(config, tmp_path / "there", resume=True, executor=processes)
    assert result.rounds == result.dataset.manifest["totals"]["rounds"]
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    assert verify(result.dataset) == []


def test_part__goes_to_its_place_when_whoever_asked_for_it_puts_it_there(tmp_path: Path) -> None:
    config = make_config({"matches": 4, "seed": 1})
    dataset = Dataset.create(tmp_path / "run", config, Plan(1, 2), overwrite=False)
    job = pickle.loads(pickle.dumps(PartJob(config, 1, dataset.directory, new_provenance_text(dataset, config))))
    played = play_part(job, Range(2, 4))
    assert [part.path for part in played.parts] == [
        f"{table}/000000000000002-000000000000003.parquet" for table in ("summary", "games", "rounds")
    ]
    assert not list((tmp_path / "run").glob("*/*.parquet"))
    # another attempt at the same part, in a process that is thought dead, does not get in its way
    other = play_part(job, Range(2, 4))
    assert other.attempt != played.attempt
    played.put_into(dataset)
    assert Dataset.open(dataset.directory).done() == {Range(2, 4): played.parts[0].rounds}
