"""Texts of others as they may be shown: a terminal takes some characters for commands, or turns what follows around."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""A text whose control characters, and those that change the direction of writing, are written as escapes.

    Examples
    --------
    >>> print(printable("bold\x1b[2J \u202egnihton"))
    bold\x1b[2J \u202egnihton
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
