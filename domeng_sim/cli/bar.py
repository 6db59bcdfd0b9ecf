"""Progress on stderr: a bar on a terminal, few plain lines elsewhere."""

from __future__ import annotations

import os
import sys
import time

from domeng_sim.cli.say import tell
from domeng_sim.runs.progress import Progress, Silent

_LINE_SECONDS = 60.0
_LINE_SHARE = 0.1


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class Lines:
    """A plain line every tenth of the way or every minute, whichever is rarer."""

    def __init__(self) -> None:
        self._total, self._start_done, self._started = 1, 0, 0.0
        self._told, self._told_at = 0.0, 0.0
        self._unit = ""

    def message(self, text: str) -> None:
        """A line for the user."""
        tell(text)

    def begin(self, total: int, done: int, unit: str) -> None:
        """Work begins."""
        self._total, self._start_done, self._unit = max(total, 1), done, unit
        self._started = self._told_at = time.monotonic()
        self._told = done / self._total

    def update(self, done: int) -> None:
        """So much is done."""
        now, share = time.monotonic(), done / self._total
        waited = now - self._told_at
        if (share - self._told >= _LINE_SHARE and waited >= 1.0) or waited >= _LINE_SECONDS:
            rate = (done - self._start_done) / max(now - self._started, 1e-9)
            left = f", about {_duration((self._total - done) / rate)} left" if rate > 0 and done < self._total else ""
            self.message(f"{done:,} {self._unit}, {min(share, 1):.0%}, {rate:,.0f} a second{left}")
            self._told, self._told_at = share, now

    def end(self) -> None:
        """Work is over."""


class Bar:
    """A bar with rate and time left."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        self._console = Console(stderr=True)
        self._progress = Progress(
            BarColumn(bar_width=None),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=self._console,
            transient=True,
            refresh_per_second=8,
        )
        self._task = self._progress.add_task("", total=1, rate="")
        self._unit, self._started, self._start_done, self._total = "", 0.0, 0, 1

    def message(self, text: str) -> None:
        """A line for the user."""
        self._console.print(text, highlight=False, markup=False)

    def begin(self, total: int, done: int, unit: str) -> None:
        """Work begins."""
        self._unit, self._started, self._start_done, self._total = unit, time.monotonic(), done, max(total, 1)
        self._progress.reset(self._task, total=self._total, completed=done, rate="")
        self._progress.start()

    def update(self, done: int) -> None:
        """So much is done."""
        rate = (done - self._start_done) / max(time.monotonic() - self._started, 1e-9)
        text = f"{rate / 1e6:.1f} M {self._unit}/s" if rate >= 1e5 else f"{rate:,.0f} {self._unit}/s"
        self._progress.update(self._task, completed=min(done, self._total), rate=text)

    def end(self) -> None:
        """Work is over."""
        self._progress.stop()


def make_progress(quiet: bool) -> Progress:
    """Progress for this terminal or log."""
    if quiet:
        return Silent()
    if sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI"):
        return Bar()
    return Lines()
