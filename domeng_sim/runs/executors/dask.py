"""Workers of a Dask cluster, on this machine or on others, through `dask.distributed`.

A task is a function of a module with plain arguments, sent under a key of its own.  The scheduler gives a task whose
worker died to another one.  A task asks its worker every now and then whether it is still wanted: once its asker has
cancelled it, or has died, it ends by itself.
"""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import queue
import secrets
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

from domeng_sim.core.printable import printable
from domeng_sim.errors import BadField, FieldRef, Interrupted, Refused, UserError
from domeng_sim.runs.executors.base import Item, Result, asker
from domeng_sim.runs.progress import Progress
from domeng_sim.runs.provenance import LIBRARIES, software
from domeng_sim.runs.store.files import TEMPORARY
from domeng_sim.runs.store.location import Location, absolute
from domeng_sim.runs.store.open_storage import storage_of

_WAIT_SECONDS, _LOOK_SECONDS, _TELL_SECONDS = 0.1, 1.0, 2.0
_PATIENCE_SECONDS = 10.0
"""How long a scheduler may take to answer."""
_EACH = 2
"""Tasks under way or waiting for each thread, so that none is idle while results are on their way."""
_COMPARED = ("python", "domeng_sim", *LIBRARIES, "dask", "distributed")
_OF_SCHEDULER = ("python", "domeng_sim", "dask", "distributed")
_RUNNING = ("executing", "long-running")
_MOST_SHOWN = 3
_DEAF = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
"""What workers of this machine run first: Ctrl-C on a terminal reaches all processes, and is for the client."""


# --- On the workers ---------------------------------------------------------------------------------------------------


class _Sender:
    """Who sent a task, as the task sees it; see `base.Sender`."""

    def __init__(self, key: str, topic: str) -> None:
        from distributed import get_worker

        self._worker, self._key, self._topic = get_worker(), key, topic
        self._rounds, self._told = 0, time.monotonic()

    def has_given_up(self) -> bool:
        """Whether the scheduler has taken the task away from this worker."""
        task = self._worker.state.tasks.get(self._key)
        return task is None or task.state not in _RUNNING

    def tell(self, done: int) -> None:
        """Tell the client every two seconds how far it is."""
        self._rounds += done
        now = time.monotonic()
        if now - self._told >= _TELL_SECONDS:
            self._told = now
            self._worker.log_event(self._topic, (self._key, self._rounds))


@functools.cache
def _versions() -> dict[str, str]:
    """What must be the same where parts are played and where they are put together."""
    from domeng_sim.core.jit import source_digest

    return {**software(), "sources": source_digest()}


def _work(function: Callable[[Any], Any], item: Any, key: str, topic: str, expected: dict[str, str]) -> Any:
    """Do a task.

    Raises
    ------
    Refused
        If this worker, which may have joined after the others were asked, has other versions.
    """
    sender = _Sender(key, topic)
    for name, version in expected.items():
        if _versions().get(name) != version:
            told = f"{name} is {_versions().get(name)} on {sender._worker.address}, {version} here"
            raise Refused(f"a worker differs from this machine: {told}; install the same versions everywhere")
    token = asker.set(sender)
    try:
        return function(item)
    finally:
        asker.reset(token)


def _unseen(directory: Location, name: str, content: bytes) -> str:
    """Why a directory cannot be written into from here as from there; empty if it can."""
    storage = storage_of(directory)
    try:
        if storage.read(name) != content:
            return "another directory of this name is there"
        own = TEMPORARY + secrets.token_hex(8)
        storage.write(own, b"")
        storage.remove("", [own])
    except (OSError, UserError) as error:
        return getattr(error, "strerror", None) or str(error)
    return ""


# --- On the client ----------------------------------------------------------------------------------------------------


class Dask:
    """The workers of a cluster.

    Parameters
    ----------
    client
        A client of `dask.distributed`.
    where
        What the cluster is called.
    gathers
        Whether parts come back through this process.
    progress
        Told where nobody works.
    """

    is_local = False

    def __init__(self, client: Any, where: str, gathers: bool, progress: Progress) -> None:
        self._client, self._where, self.gathers, self._progress = client, where, gathers, progress
        self.n_workers, self._n_processes = 1, 0
        self._looked_at, self._told_idle = 0.0, False
        self._topic = f"domeng-sim-{secrets.token_hex(8)}"
        self._under_way: dict[str, int] = {}
        self._running: dict[str, Any] = {}

    def __str__(self) -> str:
        threads = f"{self.n_workers} thread{'s' * (self.n_workers > 1)}"
        return f"{threads} of {self._n_processes} worker{'s' * (self._n_processes > 1)} at {self._where}"

    def begin(self, stop: threading.Event) -> None:
        """Wait for workers, and refuse those that differ from this machine.

        Raises
        ------
        Interrupted
            If `stop` was set.
        Refused
            If some have other versions.
        """
        self._look()
        while not self._n_processes:
            if stop.wait(_WAIT_SECONDS):
                raise Interrupted
            self._look()
        found = self._client.get_versions(packages=[name for name in _COMPARED if name != "python"])
        ours, lines = found["client"]["packages"], []
        others = {"the scheduler": found["scheduler"], **found["workers"]}
        for name in _COMPARED:
            differing: dict[str | None, list[str]] = {}
            for who, about in others.items():
                is_asked = who != "the scheduler" or name in _OF_SCHEDULER
                if is_asked and about and about["packages"].get(name) != ours[name]:
                    differing.setdefault(about["packages"].get(name), []).append(who)
            for version, places in differing.items():
                who = places[0] + (f" and {len(places) - 1} more" if len(places) > 1 else "")
                lines.append(f"{name} is {version or 'not installed'} on {who}, {ours[name]} here")
        if lines:
            more = f"; and {len(lines) - _MOST_SHOWN} more" if len(lines) > _MOST_SHOWN else ""
            told = printable("; ".join(lines[:_MOST_SHOWN]) + more)
            raise Refused(f"the cluster differs from this machine: {told}; install the same versions everywhere")
        self._client.subscribe_topic(self._topic, self._hear)

    def _hear(self, event: tuple[float, tuple[str, int]]) -> None:
        key, rounds = event[1]
        if key in self._running:
            self._under_way[key] = rounds

    def rounds_under_way(self) -> int:
        """What tasks have told of themselves."""
        return sum(self._under_way.copy().values())

    def refuse_unseen(self, directory: Location) -> None:
        """Refuse a directory that is not the same one on every worker; see `base.Executor`."""
        if self.gathers:
            return
        name, content = TEMPORARY + secrets.token_hex(8), secrets.token_bytes(16)
        storage = storage_of(directory)
        storage.write(name, content)
        try:
            found = self._client.run(_unseen, absolute(directory), name, content)
        finally:
            storage.remove("", [name])
        wrong = {worker: why for worker, why in found.items() if why}
        if wrong:
            worker, why = next(iter(wrong.items()))
            told = f"{len(wrong)} of {len(found)} workers cannot write into {directory} ({worker}: {why}); name a "
            remedy = "directory that all of them share with ", FieldRef("out"), ", or let the parts come back to "
            raise BadField("out", directory, message=(told, *remedy, "this machine with ", FieldRef("gather", True)))

    def _look(self) -> None:
        """Count the workers, and say so where there are none."""
        self._looked_at = time.monotonic()
        try:
            threads = self._client.nthreads()
        except Exception:
            return  # whether the scheduler is gone, the tasks tell
        self._n_processes, self.n_workers = len(threads), max(sum(threads.values()), 1)
        if not threads and not self._told_idle:
            self._progress.message(f"There are no workers at {self._where}; waiting for some")
        self._told_idle = not threads

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], on_wait: Callable[[], None]
    ) -> Generator[Result, None, None]:
        """Results as they are finished; see `base.Executor`."""
        todo, finished = iter(items), queue.SimpleQueue[Any]()
        asked: dict[str, Item] = {}
        again: list[Item] = []
        try:
            while True:
                while len(asked) < _EACH * self.n_workers:
                    item = again.pop() if again else next(todo, None)
                    if item is None:
                        break
                    asked[self._ask(function, item, finished.put)] = item
                if not asked:
                    return
                done = _taken(finished)
                on_wait()
                if time.monotonic() - self._looked_at > _LOOK_SECONDS:
                    self._look()
                failures: list[BaseException] = []
                for future in done:
                    item = asked.pop(future.key)
                    self._running.pop(future.key)
                    self._under_way.pop(future.key, None)
                    try:
                        result = self._result(future, on_wait)
                    except Interrupted:
                        again.append(item)  # its worker was leaving
                    except BaseException as error:
                        failures.append(error)
                    else:
                        yield result
                if failures:
                    raise failures[0]
        finally:
            self._give_up(list(asked))

    def _ask(self, function: Callable[[Item], Any], item: Item, done: Callable[[Any], None]) -> str:
        """Send a task, and return its key."""
        key = f"domeng-{secrets.token_hex(8)}"
        future = self._client.submit(_work, function, item, key, self._topic, _versions(), key=key, pure=False)
        self._running[key] = future
        future.add_done_callback(done)
        return key

    def _result(self, future: Any, on_wait: Callable[[], None]) -> Any:
        """What a task gave.

        Raises
        ------
        UserError
            If the scheduler is gone, or the task has ended several workers.
        """
        from distributed import KilledWorker

        while future.status in ("finished", "pending"):
            try:
                return future.result(timeout=_LOOK_SECONDS)
            except TimeoutError:
                # its worker died before it gave the result, and another one does it again
                on_wait()
            except Exception:
                if future.status == "finished":
                    raise
        if future.status == "error":
            failure: BaseException = future.exception()
            if isinstance(failure, KilledWorker):
                raise UserError(
                    "several workers ended one after the other at the same task, killed or out of memory; what is "
                    "finished is kept, go on with ",
                    FieldRef("resume", True),
                )
            raise failure
        raise UserError(
            f"the scheduler at {self._where} is gone; what is finished is kept, start it and go on with ",
            FieldRef("resume", True),
        )

    def _give_up(self, keys: list[str]) -> None:
        """Cancel what is under way."""
        futures = [self._running.pop(key) for key in keys if key in self._running]
        self._under_way.clear()
        if futures and self._client.status == "running":
            # not for long: the scheduler may just have gone
            cancel = threading.Thread(target=_quietly, args=(self._client.cancel, futures), daemon=True)
            cancel.start()
            cancel.join(_LOOK_SECONDS)


def _taken(finished: queue.SimpleQueue[Any]) -> list[Any]:
    """All that is in a queue, after a while if it is empty."""
    found = []
    with contextlib.suppress(queue.Empty):
        found.append(finished.get(timeout=_WAIT_SECONDS))
        while True:
            found.append(finished.get_nowait())
    return found


def _quietly(act: Callable[..., object], *arguments: object, **options: object) -> None:
    with contextlib.suppress(Exception):
        act(*arguments, **options)


@contextlib.contextmanager
def connected(cluster: Any, gathers: bool, progress: Progress, stop: threading.Event) -> Iterator[Dask]:
    """The workers of a cluster, for the time of the block.

    Parameters
    ----------
    cluster
        ``tcp://HOST:PORT``, ``scheduler-file:PATH``, ``local:N``, or a client that stays open.
    gathers
        Whether parts come back through this process.
    progress
        Told what goes on.
    stop
        Set from outside to stop early.

    Raises
    ------
    BadField
        If there is none, or `dask.distributed` is not installed.
    Refused
        If it has other versions than this machine.
    """
    with contextlib.ExitStack() as stack:
        client, where = cluster, "the cluster of the client"
        if isinstance(cluster, str):
            client, where = stack.enter_context(_opened(cluster)), printable(cluster)
        executor = Dask(client, where, gathers, progress)
        executor.begin(stop)
        stack.callback(_quietly, client.unsubscribe_topic, executor._topic)
        yield executor


@contextlib.contextmanager
def _silent_tracker() -> Iterator[None]:
    """Let the process that cleans up after ours, which starts in this block, do so without a word if we are killed."""
    silent = "ignore:resource_tracker"
    sys.warnoptions.append(silent)
    try:
        yield
    finally:
        sys.warnoptions.remove(silent)


@contextlib.contextmanager
def _opened(address: str) -> Iterator[Any]:
    """A client of a cluster that is named, which says nothing but what we say."""
    try:
        import distributed
    except ImportError as error:
        told = " needs dask.distributed, which is not installed; install it with pip install 'domeng-sim[cluster]'"
        raise BadField("cluster", address, message=(FieldRef("cluster", address), told)) from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
    kind, _, rest = address.partition(":")
    options: dict[str, Any] = {"timeout": _PATIENCE_SECONDS, "set_as_default": False}
    with contextlib.ExitStack() as stack:
        try:
            if kind == "local":
                with _silent_tracker():
                    cluster = distributed.LocalCluster(
                        n_workers=int(rest),
                        threads_per_worker=1,
                        dashboard_address="127.0.0.1:0",
                        silence_logs=logging.CRITICAL + 1,
                        preload=[_DEAF],
                    )
                stack.callback(_quietly, cluster.close, timeout=_PATIENCE_SECONDS)
                client = distributed.Client(cluster, **options)
            elif kind == "scheduler-file":
                client = distributed.Client(json.loads(Path(rest).read_text(encoding="utf-8"))["address"], **options)
            else:
                client = distributed.Client(address, **options)
        except (OSError, ValueError, KeyError, TypeError, ImportError, RuntimeError) as error:
            reason = "no scheduler answers there" if isinstance(error, TimeoutError) else str(error).splitlines()[0]
            told = f" cannot be reached ({printable(reason)}); is `dask scheduler` running?"
            raise BadField("cluster", address, message=(FieldRef("cluster", address), told)) from error
        stack.callback(_quietly, client.close, timeout=_LOOK_SECONDS)
        yield client
