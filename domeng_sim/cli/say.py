"""What is said on stderr."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TextIO

from domeng_sim.core.printable import printable

COMPILING = "Compiling for this machine, some seconds, once"


def tell(text: str) -> None:
    """Print a line on stderr; that nobody reads it is no matter."""
    if sys.stderr is not None:
        try:
            sys.stderr.write("".join(f"{printable(line)}\n" for line in text.split("\n")))
            sys.stderr.flush()
        except OSError:
            _drop(sys.stderr)
        except ValueError:
            return  # closed


def drop_stdout() -> None:
    """Send what is still to be written to stdout nowhere, so that the end of the process does not fail on it."""
    _drop(sys.stdout)


def _drop(stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextlib.contextmanager
def reader_may_leave() -> Iterator[None]:
    """Print a result whose exit status counts even if whoever reads stdout goes away, as `head` does."""
    try:
        yield
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):
        # rich ends the process where it meets a closed pipe
        drop_stdout()
