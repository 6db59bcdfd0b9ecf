"""A Dask cluster of real processes on the loopback address, and a storm of faults over it."""

from __future__ import annotations

import contextlib
import json
import random
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from distributed import Client

from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.plan import Plan
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.runs.store.verify import verify
from tests.command_line import command, contents, environment

FAULTS = ("worker", "all workers", "scheduler", "client", "late worker", "full disk")
_PATIENCE = 120
_FULL = 1 << 18
"""Bytes of a file at which the disk of a worker is full."""


def _limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FULL, _FULL))


class Cluster:
    """A scheduler and workers of one thread each, every one a process.

    Parameters
    ----------
    folder
        Of their files.

    Attributes
    ----------
    address
        Of the scheduler.
    hide
        A directory in whose place workers that are started now see an empty one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self.workers = folder, list[subprocess.Popen[bytes]]()
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.address = ""
        self.hide: Path | None = None
        folder.mkdir(exist_ok=True)

    def _start(self, *words: object, is_full: bool = False, **more: str) -> subprocess.Popen[bytes]:
        line = [sys.executable, "-m", "distributed.cli.dask_" + str(words[0]), *map(str, words[1:])]
        if self.hide is not None:
            mounted = f"mount -t tmpfs none {shlex.quote(str(self.hide))} && exec {shlex.join(line)}"
            line = ["unshare", "--mount", "sh", "-c", mounted]
        with (self._folder / f"{words[0]}.log").open("ab") as log:
            return subprocess.Popen(
                line,
                cwd=self._folder,
                env=environment(**more),
                stdout=log,
                stderr=log,
                preexec_fn=_limit_files if is_full else None,  # noqa: PLW1509 - nothing else runs then
            )

    def start_scheduler(self) -> str:
        """Start the scheduler, at the same address as before if there was one."""
        file = self._folder / "scheduler.json"
        file.unlink(missing_ok=True)
        port = self.address.rpartition(":")[2] or "0"
        words = ("--host", "127.0.0.1", "--port", port, "--no-dashboard", "--scheduler-file", file)
        self.scheduler = self._start("scheduler", *words)
        end = time.monotonic() + _PATIENCE
        while not self.address or not file.exists():
            assert time.monotonic() < end
            with contextlib.suppress(OSError, ValueError):
                self.address = json.loads(file.read_text())["address"]
            time.sleep(0.02)
        return self.address

    def start_worker(self, *words: object, is_full: bool = False, **more: str) -> subprocess.Popen[bytes]:
        """Start a worker; `is_full`: its disk takes small files only."""
        options = ("--nthreads", 1, "--no-nanny", "--no-dashboard", "--local-directory", self._folder, *words)
        self.workers.append(self._start("worker", self.address, *options, is_full=is_full, **more))
        return self.workers[-1]

    def kill_worker(self, number: int = -1) -> None:
        """End a worker as a power cut would."""
        self._kill(self.workers.pop(number))

    def kill_workers(self) -> None:
        """End all of them."""
        while self.workers:
            self.kill_worker()

    def kill_scheduler(self) -> None:
        """End the scheduler; its workers end too."""
        assert self.scheduler is not None
        self._kill(self.scheduler)
        self.kill_workers()

    def _kill(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()

    def close(self) -> None:
        """End all processes."""
        self.kill_workers()
        if self.scheduler is not None:
            self._kill(self.scheduler)


@contextlib.contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """A cluster for the time of the block."""
    made = Cluster(folder)
    try:
        made.start_scheduler()
        for _ in range(workers):
            made.start_worker()
        with Client(made.address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=_PATIENCE) if workers else None
        yield made
    finally:
        made.close()


def _finished(directory: Path) -> int:
    return len(list(directory.glob("summary/*")))


class Storm:
    """Faults at random moments, one after the other, over runs that are resumed until they are complete.

    Parameters
    ----------
    folder
        Of all files.
    config, plan
        The run, and how it is cut.
    seed
        Of the moments.
    """

    def __init__(self, folder: Path, config: RunConfig, plan: Plan, seed: int) -> None:
        self._folder, self.config, self._plan = folder, config, plan
        self._random, self._runs = random.Random(seed), 0
        self.whole = self._new("whole")
        self.done: list[tuple[str, str]] = []
        self.n_runs = self.n_resumed = 0

    def _new(self, name: str) -> Path:
        directory = self._folder / name
        Dataset.create(directory, self.config, self._plan, overwrite=False)
        return directory

    def _client(self, directory: Path, address: str) -> subprocess.Popen[str]:
        words = command("run", "--resume", "--out", directory, "--cluster", address, "--quiet")
        return subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def blow(self, here: Cluster, faults: Sequence[str]) -> None:
        """Let these faults happen; every run that they hit must end with the bytes of an undisturbed one."""
        todo = list(faults)
        while todo:
            directory = self._new(f"run{self.n_runs}")
            self.n_runs += 1
            client = self._client(directory, here.address)
            while True:
                if not todo or not self._until_busy(directory, client, self._random.randrange(4)):
                    _, error = client.communicate(timeout=_PATIENCE)
                    if client.returncode == 0:
                        break
                    assert "go on with --resume" in error, error
                    client = self._again(directory, here)
                    continue
                fault = todo.pop(0)
                time.sleep(self._random.random() * 0.4)
                self.done.append((fault, f"run {self.n_runs}, {_finished(directory)} parts in their places"))
                client = self._strike(fault, here, directory, client)
            self._check(directory)

    def _again(self, directory: Path, here: Cluster) -> subprocess.Popen[str]:
        self.n_resumed += 1
        return self._client(directory, here.address)

    def _until_busy(self, directory: Path, client: subprocess.Popen[str], more: int) -> bool:
        """Wait until so many more parts are done, and one is being written; whether that came before the end."""
        end, before = time.monotonic() + _PATIENCE, _finished(directory)
        while client.poll() is None:
            assert time.monotonic() < end
            if any(directory.glob(".writing/*")) and _finished(directory) >= before + more:
                return True
            time.sleep(0.01)
        return False

    def _strike(
        self, fault: str, here: Cluster, directory: Path, client: subprocess.Popen[str]
    ) -> subprocess.Popen[str]:
        """Let a fault happen, put right what a person would, and give the client that goes on."""
        if fault == "worker":
            here.kill_worker(self._random.randrange(len(here.workers)))
            here.start_worker()
        elif fault == "all workers":
            here.kill_workers()
            time.sleep(self._random.random())
            here.start_worker()
            here.start_worker()
        elif fault == "late worker":
            here.start_worker()
            here.kill_worker(0)
        elif fault == "client":
            client.kill()
            client.communicate()
            return self._again(directory, here)
        elif fault == "scheduler":
            here.kill_scheduler()
            _, error = client.communicate(timeout=_PATIENCE)
            if client.returncode:  # else it was done already
                # or it was just about to connect
                assert "is gone; what is finished is kept" in error or "cannot be reached" in error, error
            here.start_scheduler()
            here.start_worker()
            here.start_worker()
            return self._again(directory, here)
        elif fault == "full disk":
            here.start_worker(is_full=True)
            _, error = client.communicate(timeout=_PATIENCE)
            if client.returncode:  # it may have been done before that worker was there
                assert "File too large" in error or "No space" in error, error
                assert len(error.splitlines()) == 1, error
            here.kill_worker()
            return self._again(directory, here)
        return client

    def _check(self, directory: Path) -> None:
        found = {name: digest for name, digest in contents(directory).items() if not name.startswith(".writing/")}
        expected = contents(self.whole)
        assert found == expected, {name for name in {**found, **expected} if found.get(name) != expected.get(name)}
        assert verify(Dataset.open(directory)) == []
