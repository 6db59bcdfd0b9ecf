"""Who is told when something is compiled, at that moment and not before.  Knows nothing of the compiler."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

_listeners: list[Callable[[], None]] = []


@contextlib.contextmanager
def when_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Have somebody told, once, when code is compiled during the block.

    Parameters
    ----------
    tell
        Called at that moment; of blocks in each other only that of the innermost one.
    """
    told = False

    def once() -> None:
        nonlocal told
        if not told:
            told = True
            tell()

    _listeners.append(once)
    try:
        yield
    finally:
        _listeners.remove(once)


def compiling() -> None:
    """Something is about to be compiled."""
    if _listeners:
        _listeners[-1]()
