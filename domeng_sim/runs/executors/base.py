"""What an executor must provide."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(Protocol):
    """Applies a function to items, several at a time.

    Attributes
    ----------
    n_workers
        How many.
    is_local
        Whether they share the memory of this process; others are sent functions of modules with plain arguments, and
        write into the same directory.
    """

    n_workers: int
    is_local: bool

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], on_wait: Callable[[], None]
    ) -> Generator[Result, None, None]:
        """Results in the order in which they are finished.

        What is finished is given before an error is raised; closing the generator waits for what is under way.

        Parameters
        ----------
        function
            Called with one item.
        items
            Taken as room becomes free.
        on_wait
            Called some ten times a second.

        Raises
        ------
        Interrupted
            If the function raised it, and nothing else went wrong.
        """
        ...
