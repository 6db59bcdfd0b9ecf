"""Who looks on while a request is carried out, and who plays."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from domeng_sim.api.requests.base import Clustered
from domeng_sim.errors import UserError
from domeng_sim.games.types import StrategyError
from domeng_sim.runs.executors.base import Executor
from domeng_sim.runs.executors.threads import Threads
from domeng_sim.runs.progress import Progress, Silent

if TYPE_CHECKING:
    from domeng_sim.analysis.live import Live


@dataclass(frozen=True)
class Watch:
    """Who looks on; nothing here changes a result.

    Attributes
    ----------
    progress
        Told how far it is.
    stop
        Set from outside to stop early.
    begun
        Told what is about to be played, once nothing more can be refused.
    over
        Called when the play has ended, before what is known is told.
    live
        Shown the odds of a run so far, whenever there is more.
    """

    progress: Progress = field(default_factory=Silent)
    stop: threading.Event = field(default_factory=threading.Event)
    begun: Callable[[str], None] = lambda text: None
    over: Callable[[], None] = lambda: None
    live: Callable[[Live], None] | None = None


@contextlib.contextmanager
def failures_in_words() -> Iterator[None]:
    """Turn what went wrong in a user's function into a line for the user."""
    try:
        yield
    except StrategyError as error:
        raise UserError(str(error)) from error


@contextlib.contextmanager
def executor_of(request: Clustered, watch: Watch, gathers: bool = False) -> Iterator[Executor]:
    """What plays: threads of this process, or the workers of a cluster."""
    if request.cluster is None:
        yield Threads(request.n_threads)
        return
    from domeng_sim.runs.executors.dask import connected

    with connected(request.cluster, gathers, watch.progress, watch.stop) as executor:
        yield executor
