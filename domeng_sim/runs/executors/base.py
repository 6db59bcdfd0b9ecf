"""What an executor must provide, and what it tells those who work for it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextvars import ContextVar
from typing import Protocol, TypeVar

from domeng_sim.runs.store.location import Location

Item = TypeVar("Item")
Result = TypeVar("Result")


class Sender(Protocol):
    """Whoever asked for the work of this thread, in another process."""

    def has_given_up(self) -> bool:
        """Whether nobody wants the result any more."""
        ...

    def tell(self, done: int) -> None:
        """So many more rounds are played."""
        ...


class _Nobody:
    """There is no other process."""

    def has_given_up(self) -> bool:
        return False

    def tell(self, done: int) -> None:
        pass


asker: ContextVar[Sender] = ContextVar("asker", default=_Nobody())  # noqa: B039 - it has no state
"""Who asked for the work of this thread, where its process is not the one that asked."""


class Executor(Protocol):
    """Applies a function to items, several at a time.

    Attributes
    ----------
    n_workers
        How many.
    is_local
        Whether they share the memory of this process; others are sent functions of modules with plain arguments, and
        ask `asker` whether their work is still wanted.
    gathers
        Whether parts come back through this process, since the others cannot write where the dataset is.
    """

    n_workers: int
    is_local: bool
    gathers: bool = False

    def __str__(self) -> str:
        """What it is, for people."""
        ...

    def refuse_unseen(self, directory: Location) -> None:
        """Refuse a directory into which those who work cannot write.

        Raises
        ------
        BadField
            If there is one who does not see it.
        """

    def rounds_under_way(self) -> int:
        """Rounds that are told of and belong to results which have not been given yet."""
        return 0

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
