"""What a dataset asks of the place where it is kept, whether that is a directory or a prefix of an object store.

Paths in it are the name of an entry, or the name of a folder and of an entry in it, with a slash between them.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterable
from typing import BinaryIO, Protocol

from domeng_sim.runs.store.location import Location

MANIFEST = "manifest.json"
WRITING = ".writing"
"""Folder of the files that are not complete."""
OURS = re.compile(r"([\w.]+-)?\d{12,15}-\d{12,15}\.parquet")
"""Names of part files; no other file in a dataset's folders is ever removed."""
UNFINISHED = re.compile(rf"\w+-{OURS.pattern}(\.[0-9a-f]{{16}})?\.part")
"""Names of the files that are not complete, which no reader of Parquet files takes for one."""


def unfinished(path: str, attempt: str = "") -> str:
    """Name of a part file while it is not in its place; several processes may attempt to write it.

    Examples
    --------
    >>> unfinished("rounds/000000000000000-000000000000199.parquet")
    'rounds-000000000000000-000000000000199.parquet.part'
    """
    return f"{path.replace('/', '-')}{'.' * bool(attempt)}{attempt}.part"


class NewFile(Protocol):
    """A part file under way, which nobody sees before it is complete.

    Attributes
    ----------
    file
        To write into, from the beginning to the end.
    """

    file: BinaryIO

    def finish(self) -> int:
        """Make it safe, and return its size; `Storage.place` puts it into its place."""
        ...

    def abandon(self) -> None:
        """Let go of it, and remove it where it may be removed."""
        ...


class Storage(Protocol):
    """A place of a dataset.  All that goes wrong is raised as one line for the user, but where that is told of."""

    @property
    def location(self) -> Location:
        """Where it is."""
        ...

    def told(self, name: str = "") -> contextlib.AbstractContextManager[None]:
        """Turn what the place says of its files, or of one of them, into one line for the user."""
        ...

    def exists(self) -> bool:
        """Whether something is there, be it empty."""
        ...

    def refuse_unusable(self) -> None:
        """Refuse a place in which it is clear that nothing can be written; nothing is changed."""
        ...

    def make(self) -> None:
        """Make the place if it is not there."""
        ...

    def hold(self, take_over: bool = False) -> contextlib.AbstractContextManager[None]:
        """Make the place if it is not there, and be the only one who writes into it for the time of the block.

        What was made and is empty at the end is removed again.

        Parameters
        ----------
        take_over
            Whether to take it from a writer that was killed, where the place cannot know that it was.

        Raises
        ------
        Refused
            If somebody else holds it.
        """
        ...

    def forget_holders(self) -> None:
        """Remove what a writer that was killed has left of its hold, if that is known; that this fails is no matter."""
        ...

    def entries(self, folder: str = "") -> dict[str, int | None]:
        """Names in the place, or in a folder of it: size of each regular file, None for all else; empty without folder.

        Raises
        ------
        Refused
            If the folder is a link.
        """
        ...

    def has(self, name: str) -> bool:
        """Whether there is an entry of this name, of which nothing else is known."""
        ...

    def refuse_links(self, names: Iterable[str]) -> None:
        """Refuse to go on if one of these entries is a link."""
        ...

    def read(self, path: str) -> bytes:
        """Content of a file that is not huge.

        Raises
        ------
        FileNotFoundError
            If it is not there.
        """
        ...

    def open(self, path: str) -> BinaryIO:
        """A file, for reading.  What is wrong with the file, and not with the place, is an OSError.

        Raises
        ------
        FileNotFoundError
            If it is not there.
        Refused
            If it, or its folder, is a link.
        """
        ...

    def write(self, name: str, content: bytes) -> None:
        """Replace a file in the place, so that a reader, or a crash, sees the old content or the new."""
        ...

    def new(self, path: str, attempt: str = "") -> NewFile:
        """A part file to be written; called in any thread or process."""
        ...

    def link(self, path: str, source: Storage) -> bool:
        """Let a finished part file be one and the same as that of another place; whether that is possible."""
        ...

    def place(self, paths: Iterable[str], attempt: str = "") -> None:
        """Put finished part files into their places."""
        ...

    def remove(self, folder: str, names: Collection[str]) -> None:
        """Remove files of a folder, or of the place itself, and the folder if it is empty then."""
        ...

    def clear(self, parts: bool = True) -> None:
        """Remove what is not complete.

        Parameters
        ----------
        parts
            Whether part files too.
        """
        ...
