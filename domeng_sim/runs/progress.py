"""What long work tells of itself while it goes on."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives the state of long work; all calls come from one thread."""

    def message(self, text: str) -> None:
        """A line for the user."""
        ...

    def begin(self, total: int, done: int, unit: str) -> None:
        """Work of `total` units begins, `done` of which were done before."""
        ...

    def update(self, done: int) -> None:
        """So many units are done."""
        ...

    def end(self) -> None:
        """Work is over."""
        ...


class Silent:
    """Tells nothing."""

    def message(self, text: str) -> None:
        """Nothing."""

    def begin(self, total: int, done: int, unit: str) -> None:
        """Nothing."""

    def update(self, done: int) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""
