"""Help: how it is laid out, and what all commands say in it."""

from __future__ import annotations

from collections.abc import Iterable

import click

STATUSES = (
    "Exit status: 0 done, 1 error, 2 bad input, 3 refused since results would be lost or mixed up, 4 damaged data, 130 "
    "and 143 stopped by a signal."
)

_HYPHEN = "\ue000"
"""Stands for a hyphen while lines are broken, so that none is broken there: `domeng-sim` can be copied."""


class Unbroken(click.HelpFormatter):
    """A formatter that does not break lines within words."""

    def write_text(self, text: str) -> None:
        """Write a paragraph."""
        super().write_text(text.replace("-", _HYPHEN))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write a list of names with what they mean."""
        super().write_dl([(name, text.replace("-", _HYPHEN)) for name, text in rows], col_max, col_spacing)

    def getvalue(self) -> str:
        """The whole text."""
        return super().getvalue().replace(_HYPHEN, "-")


class Context(click.Context):
    """A context with our formatter."""

    formatter_class = Unbroken


class Command(click.Command):
    """A command with our formatter."""

    context_class = Context
