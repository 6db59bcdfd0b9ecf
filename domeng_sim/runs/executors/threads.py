"""Threads of this process: kernels and the Parquet writer release the interpreter lock, so that all cores are used."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from domeng_sim.errors import Interrupted
from domeng_sim.runs.executors.base import Item, Result
from domeng_sim.runs.store.location import Location

_WAIT_SECONDS = 0.1


class Threads:
    """A pool of threads.

    Parameters
    ----------
    n_threads
        How many, at least 1.
    """

    is_local, gathers = True, False

    def __init__(self, n_threads: int) -> None:
        self.n_workers = n_threads

    def __str__(self) -> str:
        return f"{self.n_workers} thread{'s' * (self.n_workers > 1)}"

    def refuse_unseen(self, directory: Location) -> None:
        """Nothing: they see what this process sees."""

    def rounds_under_way(self) -> int:
        """None that this process does not count itself."""
        return 0

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], on_wait: Callable[[], None]
    ) -> Generator[Result, None, None]:
        """Results as they are finished; see `base.Executor`.

        The function must end soon after its own stop flag is set: when the caller gives up, this waits for what is
        under way.
        """
        queue = iter(items)
        pool = ThreadPoolExecutor(self.n_workers, thread_name_prefix="domeng-sim")
        running: set[Future[Result]] = set()
        stopped: BaseException | None = None
        try:
            while True:
                while stopped is None and len(running) < self.n_workers:
                    item = next(queue, None)
                    if item is None:
                        break
                    running.add(pool.submit(function, item))
                if not running:
                    break
                finished, running = wait(running, timeout=_WAIT_SECONDS, return_when=FIRST_COMPLETED)
                on_wait()
                # what is finished is handed over before anything is raised, and a failure counts before the stops that
                # it caused in other threads
                errors = [error for future in finished if (error := future.exception()) is not None]
                for future in finished:
                    if future.exception() is None:
                        yield future.result()
                for error in errors:
                    if not isinstance(error, Interrupted):
                        raise error
                    stopped = error
            if stopped is not None:
                raise stopped
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
