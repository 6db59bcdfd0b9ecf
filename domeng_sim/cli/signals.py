"""Stopping: Ctrl-C and SIGTERM ask for a clean end, and the end comes within a second."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

_PATIENCE_SECONDS = 0.8
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_ending = threading.Event()
"""Set by the first signal."""


class Stop:
    """Set by a signal.

    Parameters
    ----------
    hint
        What to tell the user when the program ends early, or a function that says it then.

    Attributes
    ----------
    event
        Set when the work is to end.
    status
        Exit status of the program, by signal: 130 after Ctrl-C, 143 after SIGTERM.
    """

    def __init__(self, hint: str | Callable[[], str]) -> None:
        self.event = threading.Event()
        self.status = 130
        self._hint = hint
        self._over = threading.Event()
        self._first = threading.Lock()

    def tell(self) -> None:
        """Print the hint, once."""
        if self._first.acquire(blocking=False):
            hint = self._hint if isinstance(self._hint, str) else self._hint()
            # not by print: the signal may have come in the middle of one
            with contextlib.suppress(OSError):
                os.write(2, f"{hint}\n".encode(errors="backslashreplace"))

    def _end(self) -> None:
        """End the process now.  Finished parts are on disk already."""
        with contextlib.suppress(OSError):
            if os.isatty(2):
                os.write(2, b"\r\x1b[2K\x1b[?25h")  # away with the bar, and the cursor back
        self.tell()
        os._exit(self.status)

    def _end_soon(self) -> None:
        """End the process if it does not end by itself, as while code is compiled."""
        if not self._over.wait(_PATIENCE_SECONDS):
            self._end()

    def receive(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal; a second one ends the process at once."""
        if self.event.is_set():
            self._end()
        self.status = 128 + number
        _ending.set()
        self.event.set()
        threading.Thread(target=self._end_soon, daemon=True).start()

    def over(self) -> None:
        """The work has ended."""
        self._over.set()


@contextlib.contextmanager
def stop_on_signals(hint: str | Callable[[], str]) -> Iterator[Stop]:
    """Handle SIGINT, SIGTERM and SIGHUP while the block runs.

    Parameters
    ----------
    hint
        What to tell the user when the program ends early, or a function that says it then.
    """
    stop = Stop(hint)
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {}
    for number in _SIGNALS:
        # under nohup SIGHUP is ignored, and stays so
        if number != getattr(signal, "SIGHUP", None) or signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, stop.receive)
    try:
        yield stop
    finally:
        stop.over()
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def end_on_signals() -> None:
    """Let Ctrl-C and SIGTERM end the program where nothing else handles them, and a second signal end it at once.

    The second one may come while the end of the program is under way, where an exception would be in nobody's hands.
    """

    def end(number: int, frame: FrameType | None) -> None:
        if _ending.is_set():
            os._exit(128 + number)
        _ending.set()
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        sys.exit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        return
    signal.signal(signal.SIGTERM, end)
    # a shell lets programs in the background ignore Ctrl-C
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, end)


def leave(status: int) -> None:
    """End a process that a signal stopped, now: threads may still compile, and a further signal finds nobody."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status)
