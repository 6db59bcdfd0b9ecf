"""The terminal: its width, its colours, its characters, and lines that are never wider than it.

Import it only when there is something to print, since it imports rich.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any, Final

from rich.console import Console
from rich.text import Text

from domeng_sim.cli.grid import NOTE, GridColumn, grid
from domeng_sim.cli.numbers import Glyphs, folded
from domeng_sim.core.printable import printable

PLAIN_WIDTH: Final = 80
"""Columns where the output is no terminal and COLUMNS says nothing."""


def wants_color(color: str, is_terminal: bool, environ: Mapping[str, str]) -> bool:
    """Whether to colour.

    Parameters
    ----------
    color
        ``always`` and ``never`` have the last word; ``auto`` goes by the rest.
    is_terminal
        Whether the output is a terminal.
    environ
        ``NO_COLOR`` that is not empty and ``TERM=dumb`` say no (https://no-color.org).
    """
    if color != "auto":
        return color == "always"
    return is_terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def terminal(color: str = "auto", stream: IO[str] | None = None, width: int | None = None) -> Console:
    """A console that writes to a stream.

    Parameters
    ----------
    color
        ``auto``, ``always`` or ``never``.
    stream
        Standard output if None.
    width
        Columns; None asks the terminal.
    """
    stream = sys.stdout if stream is None else stream
    colored = wants_color(color, stream.isatty(), os.environ)
    if width is None:
        width = shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns if stream.isatty() else _plain_width()
    return Console(
        file=stream,
        width=max(width, 1),
        force_terminal=colored,
        no_color=not colored,
        color_system="standard" if colored else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def _plain_width() -> int:
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isascii() and columns.isdigit() and int(columns) > 0 else PLAIN_WIDTH


def glyphs_of(console: Console) -> Glyphs:
    """The characters that the console's encoding has."""
    try:
        "±▁█–…".encode(console.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return Glyphs(plain=True)
    return Glyphs()


class Printer:
    """Prints lines, each cut at the width of the console and without blanks at its end.

    Parameters
    ----------
    console
        From `terminal`.
    """

    def __init__(self, console: Console) -> None:
        self.console, self.width = console, console.width
        self.glyphs = glyphs_of(console)

    def line(self, text: str | Text = "", style: str = "") -> None:
        """A line."""
        line = text.copy() if isinstance(text, Text) else Text(text, style)
        line.truncate(self.width)
        line.rstrip()
        self.console.print(line, no_wrap=True, overflow="crop", crop=True)

    def lines(self, lines: Iterable[str | Text], style: str = "") -> None:
        """Some lines."""
        for line in lines:
            self.line(line, style)

    def wrapped(self, text: str, style: str = "", indent: str = "") -> None:
        """A paragraph."""
        self.lines(folded(text, self.width, first=indent, indent=indent), style)

    def grid(self, columns: Sequence[GridColumn], indent: str = "", **how: Any) -> None:
        """A table; see `grid.grid`."""
        for line in grid(columns, self.width - len(indent), self.glyphs, **how):
            self.line(Text(indent).append_text(line))

    def again(self, command: str) -> None:
        """The command that gives the same again, below an empty line."""
        self.line()
        self.line("The same again:", NOTE)
        self.command(command)

    def command(self, command: str) -> None:
        """A command that can be copied, continued with a backslash where the terminal ends."""
        lines, line = [], ""
        for word in map(shlex.quote, shlex.split(command)):
            if line and len(line) + 1 + len(word) + 2 > self.width:
                lines.append(line + " \\")
                line = "    " + word
            else:
                line = f"{line} {word}" if line else word
        for text in [*lines, line]:
            # A single word may be longer than the terminal. It is not cut: the command would no longer be the command.
            self.console.print(Text(printable(text)), soft_wrap=True)
