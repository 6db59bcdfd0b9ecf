"""Errors that a user can do something about.  Each is one line, and ends the program with a status of its own."""

from __future__ import annotations


class UserError(Exception):
    """Something that the user can put right.  The message says what is wrong and what would be right."""

    status = 1


class BadInput(UserError):
    """Input that cannot be taken."""

    status = 2


class Refused(UserError):
    """Going on would overwrite or mix up results."""

    status = 3


class Damaged(UserError):
    """A dataset that is damaged or inconsistent."""

    status = 4


class Interrupted(Exception):
    """Stopped on request; what is finished is kept."""
