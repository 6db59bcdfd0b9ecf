"""Stopping: Ctrl-C and SIGTERM ask for a clean end, and the end comes within a second."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

_PATIENCE_SECONDS = 0.8
_STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}


class Stop:
    """Set by a signal.

    Parameters
    ----------
    hint
        What to tell the user when the program ends early.
    """

    def __init__(self, hint: str) -> None:
        self.event = threading.Event()
        self.status = 130
        self.hint = hint

    def tell(self) -> None:
        """Print the hint."""
        print(self.hint, file=sys.stderr, flush=True)

    def _end_soon(self) -> None:
        """End the process if it does not end by itself, as while code is compiled.  Finished parts are on disk already."""
        threading.Event().wait(_PATIENCE_SECONDS)
        self.tell()
        os._exit(self.status)

    def receive(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal; a second one ends the process at once."""
        self.status = _STATUS.get(signal.Signals(number), 128 + number)
        if self.event.is_set():
            os._exit(self.status)
        self.event.set()
        threading.Thread(target=self._end_soon, daemon=True).start()


@contextlib.contextmanager
def stop_on_signals(hint: str) -> Iterator[Stop]:
    """Handle SIGINT and SIGTERM while the block runs.

    Parameters
    ----------
    hint
        What to tell the user when the program ends early.
    """
    stop = Stop(hint)
    before = {number: signal.signal(number, stop.receive) for number in _STATUS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
