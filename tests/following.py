"""Doing what a document says: its blocks of code become files and changes of files in a copy of the sources.

In a part between ``<!-- follow NAME -->`` and ``<!-- end follow -->`` the path of a file stands before each block. A
block that is no ``diff`` is the whole file. In a ``diff`` the lines that begin with a space or a minus stand in the
file, once; those with a space or a plus take their place. ``@@`` parts one change from the next.
"""

from __future__ import annotations

import re
from pathlib import Path

_PART = r"<!-- follow {} -->\n(.*?)<!-- end follow -->"
_BLOCK = re.compile(r"^`([^`]+)`:\n\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def follow(page: str, name: str, root: Path) -> list[str]:
    """Do what a part of a page says; returns the paths of the files that were written.

    Parameters
    ----------
    page
        Text of the page.
    name
        Name of the part.
    root
        Where the copy of the sources is.
    """
    (part,) = re.findall(_PART.format(name), page, re.DOTALL)
    written = []
    for path, language, block in _BLOCK.findall(part):
        file = root / path
        text = changed(file.read_text(encoding="utf-8"), block, path) if language == "diff" else block
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def changed(text: str, diff: str, path: str) -> str:
    """A text with the changes of a diff."""
    for hunk in diff.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        old, new = ("".join(line[1:] or "\n" for line in lines if line[0] in " \n" + sign) for sign in "-+")
        assert text.count(old) == 1, f"{path} has {text.count(old)} times:\n{old}"
        text = text.replace(old, new)
    return text
