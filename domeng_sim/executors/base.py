"""What an executor must provide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(Protocol):
    """Applies a function to items, several at a time."""

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], on_wait: Callable[[], None]
    ) -> Iterator[Result]:
        """Results in the order in which they are finished.

        Parameters
        ----------
        function
            Called with one item.
        items
            Taken as room becomes free.
        on_wait
            Called some ten times a second while nothing is finished.
        """
        ...
