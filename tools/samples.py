"""What commands print, as shown in README.md and docs/: marked blocks, filled by running the commands.

A comment names a command and the parts of what it prints that are shown, by how their first and last lines begin. A
part without `..` is one line; one that ends with `..` goes to the end. `make docs` then writes the block of code below:

    <!-- sample
    $ domeng-sim run --rounds 1e6 --seed 3
    How a round ends .. MATTIKKENG
    -->
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
_SAMPLE = re.compile(r"(<!-- sample\n\$ (?P<command>.*)\n(?P<parts>(?:.*\n)*?)-->\n+)```\n(?:.*\n)*?```\n")
_WIDTH = 80


def pages() -> list[Path]:
    """Pages that may have samples."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands(page: Path) -> list[str]:
    """Commands of the samples of a page."""
    return [found["command"] for found in _SAMPLE.finditer(page.read_text(encoding="utf-8"))]


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    """Work in an empty directory, at the width of a plain terminal."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, {"COLUMNS": str(_WIDTH)}),
    ):
        yield


def printed(command: str) -> list[str]:
    """What a command prints, line by line.

    Parameters
    ----------
    command
        As it is typed.

    Raises
    ------
    RuntimeError
        If it fails.
    """
    from domeng_sim.cli import main

    program, *words = shlex.split(command)
    out = io.StringIO()
    with _elsewhere(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as said:
        status = main(words)
    if program != "domeng-sim" or status:
        raise RuntimeError(f"{command}: status {status}; {said.getvalue()}")
    return out.getvalue().splitlines()


def shown(lines: Sequence[str], parts: Sequence[str]) -> list[str]:
    """The lines of these parts, an empty one between two parts that do not follow each other.

    Raises
    ------
    RuntimeError
        If a part is not there.
    """
    kept: list[str] = []
    at = 0
    for part in parts:
        first, dots, last = (text.strip() for text in part.partition(" .."))
        try:
            start = next(n for n in range(at, len(lines)) if lines[n].strip().startswith(first))
            end = len(lines) - 1
            if last or not dots:
                end = next(n for n in range(start, len(lines)) if lines[n].strip().startswith(last or first))
        except StopIteration:
            raise RuntimeError(f"nothing printed begins as in {part!r}") from None
        kept += [""] if kept and start > at else []
        kept += lines[start : end + 1]
        at = end + 1
    return kept


def filled(text: str) -> str:
    """A page with its samples as they are printed now."""

    def fill(found: re.Match[str]) -> str:
        lines = shown(printed(found["command"]), found["parts"].splitlines())
        return "\n".join([f"{found[1]}```", f"$ {found['command']}", *lines, "```", ""])

    return _SAMPLE.sub(fill, text)
