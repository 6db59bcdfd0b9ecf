"""A dataset in a directory: parts are written under another name, synchronised, and renamed into their places."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from domeng_sim.errors import FieldRef, Refused, UserError
from domeng_sim.runs.store.files import LOCK, TEMPORARY, Folder, directory_for, disk_errors, locked
from domeng_sim.runs.store.storage import MANIFEST, UNFINISHED, WRITING, Storage, unfinished


class LocalFile:
    """A part file under way; see `storage.NewFile`."""

    def __init__(self, file: BinaryIO, remove: Callable[[], None]) -> None:
        self.file, self._remove = file, remove

    def finish(self) -> int:
        """Close and synchronise it."""
        with self.file as file:
            file.flush()
            os.fsync(file.fileno())
            return os.fstat(file.fileno()).st_size

    def abandon(self) -> None:
        """Close and remove it."""
        with contextlib.suppress(OSError):
            self.file.close()
        with contextlib.suppress(OSError, UserError):
            self._remove()


class LocalStorage:
    """A directory; see `storage.Storage`.

    Parameters
    ----------
    location
        Where it is.
    """

    def __init__(self, location: Path) -> None:
        self.location = location

    def told(self, name: str = "") -> contextlib.AbstractContextManager[None]:
        """Turn errors of the operating system into one line."""
        return disk_errors(self.location / name if name else self.location)

    def exists(self) -> bool:
        """Whether there is something of this name."""
        with self.told():
            return self.location.exists()

    def refuse_unusable(self) -> None:
        """Refuse a file, or a directory that is closed to us, in the way."""
        with self.told():
            paths = (self.location, *self.location.absolute().parents)
            existing = next(path for path in paths if path.exists())
            if not existing.is_dir():
                raise Refused(f"{existing} is a file; name a directory that does not exist yet with ", FieldRef("out"))
            if not os.access(existing, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, "", str(existing))

    def make(self) -> None:
        """Make the directory, and those that it is in."""
        with self.told():
            self.location.mkdir(parents=True, exist_ok=True)

    @contextlib.contextmanager
    def hold(self, take_over: bool = False) -> Iterator[None]:
        """Hold the lock of the directory, which ends with its process: there is never anything to take over."""
        with directory_for(self.location), locked(self.location):
            yield

    def forget_holders(self) -> None:
        """Remove the lock of a killed process."""
        if (self.location / LOCK).exists():
            with contextlib.suppress(UserError), locked(self.location):
                pass

    @contextlib.contextmanager
    def _folder(self, name: str, make: bool = False) -> Iterator[Folder]:
        """The directory, or a folder in it."""
        with Folder(self.location) as root:
            if not name:
                yield root
                return
            with root.inside(name, make) as folder:
                yield folder

    def entries(self, folder: str = "") -> dict[str, int | None]:
        """Sizes of regular files by name; None for links, folders and the like."""
        with self.told():
            try:
                with self._folder(folder) as opened:
                    hidden = () if folder else (LOCK, TEMPORARY + MANIFEST)
                    return {name: opened.size(name) for name in opened.names() if name not in hidden}
            except FileNotFoundError:
                return {}

    def has(self, name: str) -> bool:
        """Whether there is an entry of this name, be it a link."""
        with self.told():
            try:
                with self._folder("") as root:
                    return root.mode(name) is not None
            except (FileNotFoundError, NotADirectoryError):
                return False

    def refuse_links(self, names: Iterable[str]) -> None:
        """Refuse to follow links."""
        with self.told(), self._folder("") as root:
            root.refuse_links(names)

    def read(self, path: str) -> bytes:
        """Content of a regular file that is not huge."""
        folder, _, name = path.rpartition("/")
        with self._folder(folder) as opened:
            return opened.read(name)

    def open(self, path: str) -> BinaryIO:
        """A regular file, for reading."""
        folder, _, name = path.rpartition("/")
        with self._folder(folder) as opened:
            return opened.open(name)

    def write(self, name: str, content: bytes) -> None:
        """Replace a file by renaming a complete one."""
        with self.told(), self._folder("") as root:
            root.write(name, content)

    def new(self, path: str, attempt: str = "") -> LocalFile:
        """A file in the folder of those that are not complete."""
        name = unfinished(path, attempt)
        with self._folder(WRITING, make=True) as folder:
            return LocalFile(folder.create(name), lambda: self.remove(WRITING, [name]))

    def link(self, path: str, source: Storage) -> bool:
        """A link to the content of a file of another directory, on the same disk."""
        if not isinstance(source, LocalStorage):
            return False
        folder, _, name = path.rpartition("/")
        with source._folder(folder) as there, self._folder(WRITING, make=True) as writing:
            return there.link(name, writing, unfinished(path))

    def place(self, paths: Iterable[str], attempt: str = "") -> None:
        """Rename files into their places."""
        with self.told(), self._folder(WRITING) as writing:
            for path in paths:
                folder, _, name = path.rpartition("/")
                with self._folder(folder, make=True) as opened:
                    writing.move(unfinished(path, attempt), opened, name)

    def remove(self, folder: str, names: Collection[str]) -> None:
        """Remove files, and their folder if nothing else is in it."""
        with self.told():
            try:
                with self._folder(folder) as opened:
                    for name in names:
                        opened.remove(name)
            except FileNotFoundError:
                if names:
                    raise
                return
            if folder:
                with self._folder("") as root:
                    root.remove_folder(folder)

    def clear(self, parts: bool = True) -> None:
        """Remove what is not complete."""
        with self.told(), self._folder("") as root:
            if root.mode(TEMPORARY + MANIFEST) is not None:
                root.remove(TEMPORARY + MANIFEST)
            if not parts or root.mode(WRITING) is None:
                return
        for name in self.entries(WRITING):
            if UNFINISHED.fullmatch(name):
                # whoever was writing it may remove it too
                with contextlib.suppress(FileNotFoundError), self._folder(WRITING) as folder:
                    folder.remove(name)
        self.remove(WRITING, [])
