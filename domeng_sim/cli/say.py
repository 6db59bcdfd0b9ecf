"""What is said on stderr."""

from __future__ import annotations

import contextlib
import sys


def tell(text: str) -> None:
    """Print a line on stderr; that nobody reads it is no matter."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()
