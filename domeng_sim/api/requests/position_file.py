"""Positions as files hold them: a line ``name: value`` for each part."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from domeng_sim.errors import BadInput, shown

STANDARD_INPUT = Path("-")


def read_position(path: Path) -> dict[str, str]:
    """Parts of a position by name, with underscores.

    Parameters
    ----------
    path
        The file; ``-`` for the standard input.

    Raises
    ------
    BadInput
        If it cannot be read.
    """
    try:
        text = sys.stdin.read() if path == STANDARD_INPUT else path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadInput(f"{path}: {os.strerror(error.errno or 0)}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is no text file") from error
    texts: dict[str, str] = {}
    last = ""
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        line = line.split("#")[0].rstrip()
        if not line:
            continue
        if line[0].isspace() and last:
            texts[last] += " " + line.strip()
            continue
        name, mark, value = _parted(line)
        if not mark:
            raise BadInput(f"{path}, line {number}: write name: value, as in hand: 6|5 5|5, not {shown(line)}")
        last = name.strip().lower().replace("-", "_")
        if last in texts:
            raise BadInput(f"{path}, line {number}: {last} is given twice")
        texts[last] = value.strip()
    return texts


def _parted(line: str) -> tuple[str, str, str]:
    """Name and value of a line: parted by the first ``:`` or ``=``, as both are in use."""
    marks = [line.index(mark) for mark in ":=" if mark in line]
    at = min(marks, default=-1)
    return (line[:at], line[at], line[at + 1 :]) if at >= 0 else (line, "", "")
