"""The command line that stands for a request: the one place that turns fields into options."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping

from domeng_sim.errors import FieldRef

PROGRAM = "domeng-sim"

OPTIONS = {"rules": "rule", "from_run": "from"}
"""Fields whose option has another name: one rule at a time is given, and `from` is a word of Python."""


def option(field: str) -> str:
    """The option that gives a field.

    Examples
    --------
    >>> option("games_per_match")
    '--games-per-match'
    """
    return "--" + OPTIONS.get(field, field).replace("_", "-")


def words(field: str, value: object) -> list[str]:
    """A field and its value as words of the command line.

    Parameters
    ----------
    field
        Its name.
    value
        True for a switch, a mapping of rules, a tuple for an option that is given several times, else what its text
        says; None and False for what is not given.

    Examples
    --------
    >>> words("rules", {"stones": 30}), words("resume", True), words("until", ("1pp", "decided"))
    (['--rule', 'stones=30'], ['--resume'], ['--until', '1pp', '--until', 'decided'])
    """
    if value is None or value is False:
        return []
    if value is True:
        return [option(field)]
    if isinstance(value, Mapping):
        value = tuple(f"{name}={one}" for name, one in value.items())
    several = value if isinstance(value, tuple) else (value,)
    return [word for one in several for word in (option(field), os.fspath(one) if is_path(one) else str(one))]


def is_path(value: object) -> bool:
    """Whether a value is the name of a file."""
    return isinstance(value, os.PathLike)


def command_words(command: str, fields: Mapping[str, object], arguments: tuple[object, ...] = ()) -> list[str]:
    """Words of a command.

    Parameters
    ----------
    command
        Its name.
    fields
        Values by field, as `words` takes them.
    arguments
        What stands before the options.
    """
    return [PROGRAM, command, *map(str, arguments), *(word for item in fields.items() for word in words(*item))]


def command_line(command: str, fields: Mapping[str, object], arguments: tuple[object, ...] = ()) -> str:
    """A command as somebody would type it; see `command_words`.

    Examples
    --------
    >>> command_line("run", {"out": "my run", "resume": True})
    "domeng-sim run --out 'my run' --resume"
    """
    return shlex.join(command_words(command, fields, arguments))


def on_command_line(field: FieldRef) -> str:
    """A field as it stands on the command line, for messages.

    Examples
    --------
    >>> on_command_line(FieldRef("out")), on_command_line(FieldRef("rules", {"table": "WxH"}))
    ('--out', '--rule table=WxH')
    """
    return option(field.name) if field.value is None else shlex.join(words(*field))
