"""With what long work is done; nothing here changes a result."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from domeng_sim.errors import Interrupted
from domeng_sim.runs.executors.base import Executor
from domeng_sim.runs.executors.threads import Threads
from domeng_sim.runs.progress import Progress, Silent


@dataclass
class Session:
    """Execution settings (threads, progress, stop); they never affect results.

    Attributes
    ----------
    threads
        Number of threads, where nothing else plays.
    progress
        Shown how far the work is.
    stop
        Set from outside to stop early.
    executor
        What plays in place of threads of this process.
    """

    threads: int = 1
    progress: Progress = field(default_factory=Silent)
    stop: threading.Event = field(default_factory=threading.Event)
    executor: Executor | None = None

    @property
    def workers(self) -> Executor:
        """What plays."""
        return self.executor or Threads(self.threads)

    def check(self) -> None:
        """Stop here if that was asked for.

        Raises
        ------
        Interrupted
            If it was.
        """
        if self.stop.is_set():
            raise Interrupted
