"""What is wrong with a command, in its own words; known before any command is imported."""

from __future__ import annotations

import click


class Complaint(click.ClickException):
    """An error in the words of the command line.

    Parameters
    ----------
    message
        Those words.
    status
        Exit status.
    ctx
        The command that was called.
    """

    def __init__(self, message: str, status: int, ctx: click.Context | None) -> None:
        super().__init__(message)
        self.status, self.ctx = status, ctx
