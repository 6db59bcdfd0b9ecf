"""Errors that a user can do something about.  Each is one line, and ends the program with a status of its own."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """Something that the user can put right.  The message says what is wrong and what would be right."""

    status = 1


class BadInput(UserError):
    """Input that cannot be taken."""

    status = 2


class Unknown(BadInput, KeyError):
    """A name that is not there; the message tells the names that are like it.

    Parameters
    ----------
    what
        What was asked for: ``figure``, ``column``.
    name
        The name that was given.
    known
        All names that there are.

    Examples
    --------
    >>> str(Unknown("figure", "outcome.cek", ["outcome.cappu", "outcome.ceki"]))
    "there is no figure 'outcome.cek'; did you mean outcome.ceki?"
    """

    def __init__(self, what: str, name: object, known: Iterable[str]) -> None:
        names = list(known)
        close = difflib.get_close_matches(str(name), names, n=3, cutoff=0.6)
        close = close or [one for one in names if str(name) and str(name) in one][:3]
        some = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        hint = f"did you mean {' or '.join(close)}?" if close else f"there are {some}"
        super().__init__(f"there is no {what} {name!r}; {hint}")

    __str__ = Exception.__str__  # that of KeyError puts quotation marks around


class Refused(UserError):
    """Going on would overwrite or mix up results."""

    status = 3


class Damaged(UserError):
    """A dataset that is damaged or inconsistent."""

    status = 4


class Interrupted(Exception):
    """Stopped on request; what is finished is kept."""
