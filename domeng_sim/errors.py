"""Errors that a user can do something about.  Each is one line, and ends the program with a status of its own."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

_SHOWN = 40
"""Characters of a value that are shown where it cannot be taken."""


class FieldRef(NamedTuple):
    """A field of a request that a message speaks of; each front end words it in its own way.

    Attributes
    ----------
    name
        Name of the field, the same in every front end.
    value
        What to give for it, True for a switch; None to speak of the field itself.
    """

    name: str
    value: object = None


Part = str | FieldRef
"""A piece of a message."""


def in_python(field: FieldRef) -> str:
    """A field as it stands in a call.

    Examples
    --------
    >>> in_python(FieldRef("seed")), in_python(FieldRef("resume", True))
    ('seed=', 'resume=True')
    """
    return f"{field.name}=" if field.value is None else f"{field.name}={field.value!r}"


def shown(value: object) -> str:
    """A value for a message, cut where it is long.

    Examples
    --------
    >>> shown("0"), shown("9" * 50)[-8:]
    ("'0'", '99999...')
    """
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**_SHOWN:
        return "so large a number"
    if isinstance(value, tuple) and len(value) == 1:
        # an option that may be given several times, given once
        (value,) = value
    text = repr(os.fspath(value) if isinstance(value, os.PathLike) else value)
    return text if len(text) <= _SHOWN + 2 else f"{text[:_SHOWN]}..."


class UserError(Exception):
    """Something that the user can put right.  The message says what is wrong and what would be right.

    Parameters
    ----------
    *parts
        The message in pieces: texts, and the fields that it speaks of.
    """

    status = 1

    def __init__(self, *parts: Part) -> None:
        super().__init__(*parts)
        self.parts = parts

    def told(self, word: Callable[[FieldRef], str]) -> str:
        """The message as a front end says it.

        Parameters
        ----------
        word
            How it writes a field.
        """
        return "".join(part if isinstance(part, str) else word(part) for part in self.parts)

    def __str__(self) -> str:
        return self.told(in_python)

    def __reduce__(self) -> tuple[Any, ...]:
        """How it comes back from another process."""
        return _again, (type(self), self.parts, self.__dict__)


def _again(kind: type[UserError], parts: tuple[Part, ...], values: dict[str, Any]) -> UserError:
    error = kind.__new__(kind)
    UserError.__init__(error, *parts)
    error.__dict__.update(values)
    return error


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
    >>> str(Unknown("figure", "outcome.cek", ["outcome.ceki", "stones.held"]))
    "there is no figure 'outcome.cek'; did you mean outcome.ceki?"
    """

    def __init__(self, what: str, name: object, known: Iterable[str]) -> None:
        names = list(known)
        close = difflib.get_close_matches(str(name), names, n=3, cutoff=0.6)
        close = close or [one for one in names if str(name) and str(name) in one][:3]
        some = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        hint = f"did you mean {' or '.join(close)}?" if close else f"there are {some}"
        super().__init__(f"there is no {what} {name!r}; {hint}")


class BadField(BadInput):
    """A field of a request that is unknown, out of range, or contradicts another.

    Parameters
    ----------
    field
        Its name.
    value
        What was given for it.
    *allowed
        What it takes: the message says that.
    message
        The whole message, where it is another.

    Attributes
    ----------
    field, value, allowed
        As given.
    """

    def __init__(self, field: str, value: object, *allowed: Part, message: tuple[Part, ...] = ()) -> None:
        super().__init__(*(message or (FieldRef(field), " takes ", *allowed, f", not {shown(value)}")))
        self.field, self.value, self.allowed = field, value, allowed


def not_together(field: str, value: object, other: str, *why: Part) -> BadField:
    """An error about two fields that contradict each other.

    Parameters
    ----------
    field, value
        One of them.
    other
        The other one.
    *why
        The reason, and what to do; to give one of them if nothing is said.
    """
    reason = why or ("give one of them",)
    return BadField(field, value, message=(FieldRef(field), " and ", FieldRef(other), " do not go together; ", *reason))


def unknown_field(field: str, value: object, known: Any, where: str = "") -> BadField:
    """An error about a field that is not there.

    Parameters
    ----------
    field, value
        The field.
    known
        Names of those that are there.
    where
        What has no such field.
    """
    listed = ", ".join(known)
    return BadField(field, value, listed, message=(f"{where} has no option {field!r}; there are {listed}",))


class Refused(UserError):
    """Going on would overwrite or mix up results."""

    status = 3


class Damaged(UserError):
    """A dataset that is damaged or inconsistent."""

    status = 4


class Interrupted(Exception):
    """Stopped on request; what is finished is kept."""
