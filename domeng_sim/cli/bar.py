"""Progress on stderr: a bar on a terminal, few plain lines elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from domeng_sim.cli.say import tell
from domeng_sim.runs.progress import Progress, Silent

if TYPE_CHECKING:
    from rich.text import Text

    from domeng_sim.analysis.live import Live
    from domeng_sim.analysis.metrics import Row

_LINE_SECONDS = 60.0
_LINE_SHARE = 0.1


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class Speed:
    """How fast work goes on, by the clock that starts when its first piece is done.

    Before that code is compiled, files are opened, threads are started: all of that happens once, and a time left that
    counts it is much too long.

    Parameters
    ----------
    done
        Units that were done before.
    """

    def __init__(self, done: int) -> None:
        self._before = done
        self._first: tuple[int, float] | None = None

    def rate(self, done: int) -> float:
        """Units a second when so many are done; 0 where that is not known yet."""
        now = time.monotonic()
        if self._first is None:
            if done > self._before:
                self._first = done, now
            return 0.0
        return (done - self._first[0]) / max(now - self._first[1], 1e-9)


class ProgressLines:
    """A plain line every tenth of the way or every minute, whichever is rarer."""

    def __init__(self) -> None:
        self._total, self._speed = 1, Speed(0)
        self._told, self._told_at = 0.0, 0.0
        self._unit = ""

    def message(self, text: str) -> None:
        """A line for the user."""
        tell(text)

    def begin(self, total: int, done: int, unit: str) -> None:
        """Work begins."""
        self._total, self._speed, self._unit = max(total, 1), Speed(done), unit
        self._told_at = time.monotonic()
        self._told = done / self._total

    def update(self, done: int) -> None:
        """So much is done."""
        now, share = time.monotonic(), done / self._total
        waited, rate = now - self._told_at, self._speed.rate(done)
        if (share - self._told >= _LINE_SHARE and waited >= 1.0) or waited >= _LINE_SECONDS:
            speed = f", {rate:,.0f} a second" if rate > 0 else ""
            left = f", about {_duration((self._total - done) / rate)} left" if rate > 0 and done < self._total else ""
            self.message(f"{done:,} {self._unit}, {min(share, 1):.0%}{speed}{left}")
            self._told, self._told_at = share, now

    def end(self) -> None:
        """Work is over."""


class Bar:
    """A bar with rate and time left."""

    def __init__(self) -> None:
        from rich.console import Console, RenderableType
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        above: list[RenderableType] = []
        console = Console(stderr=True)

        class Below(Progress):
            """A bar below some lines, with room for the ^C that a terminal echoes: a line more would stay there."""

            def get_renderables(self) -> Iterable[RenderableType]:
                table = self.make_tasks_table(self.tasks)
                table.width = max(console.width - 3, 1)
                return [*above, table]

        self._above, self._console = above, console
        self._progress = Below(
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
        self._unit, self._speed, self._total = "", Speed(0), 1

    def message(self, text: str) -> None:
        """A line for the user."""
        self._console.print(text, highlight=False, markup=False)

    def begin(self, total: int, done: int, unit: str) -> None:
        """Work begins."""
        self._unit, self._speed, self._total = unit, Speed(done), max(total, 1)
        self._progress.reset(self._task, total=self._total, completed=done, rate="")
        self._progress.start()

    def update(self, done: int) -> None:
        """So much is done."""
        rate = self._speed.rate(done)
        text = f"{rate / 1e6:.1f} M {self._unit}/s" if rate >= 1e5 else f"{rate:,.0f} {self._unit}/s" if rate else ""
        self._progress.update(self._task, completed=min(done, self._total), rate=text)

    def end(self) -> None:
        """Work is over."""
        self._progress.stop()


class LiveOdds(Bar):
    """The odds so far above a bar, renewed once a second."""

    def __init__(self) -> None:
        super().__init__()
        self._shown_at = float("-inf")

    def show(self, live: Live) -> None:
        """Show the odds so far, if those shown are older than a second."""
        if time.monotonic() - self._shown_at < _LIVE_SECONDS:
            return
        self._above[:] = self._lines(live.rows())
        self._shown_at = time.monotonic()

    def _lines(self, rows: Sequence[Row]) -> list[Text]:
        """As many lines as the terminal has room for above the bar."""
        from rich.text import Text

        from domeng_sim.analysis.format import shown
        from domeng_sim.cli.grid import NOTE, GridColumn, aligned, grid
        from domeng_sim.cli.numbers import folded
        from domeng_sim.cli.terminal import glyphs_of

        console, glyphs = self._console, glyphs_of(self._console)
        note = [Text(line, NOTE) for line in folded(_LIVE_NOTE, console.width)]
        rows = rows[: max(console.height - len(note) - 3, 1)]
        figures = [shown(row.estimate, row.kind) for row in rows]
        columns = [
            GridColumn([glyphs.short(row.label, max(console.width - 28, 8)) for row in rows], left=True),
            GridColumn(aligned([replace(one, unit="") for one in figures], glyphs, by_point=False)),
            GridColumn([one.unit for one in figures], left=True),
        ]
        return [line[: console.width] for line in grid(columns, console.width, glyphs)][: len(rows)] + note


_LIVE_SECONDS = 1.0
_LIVE_NOTE = "So far; 95 % intervals that hold at every look, from 100 batches of matches on."


def is_screen() -> bool:
    """Whether standard error is a terminal on which lines can be drawn again."""
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    return is_terminal and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


def make_progress(quiet: bool) -> Progress:
    """Progress for this terminal or log."""
    if quiet:
        return Silent()
    return Bar() if is_screen() else ProgressLines()
