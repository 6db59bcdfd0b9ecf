"""Files: opened without following links, written so that nobody sees half of one, and a lock on a directory.

A directory that a user names may be anywhere, and may be reached over links. What is below it may have been made by
somebody else: everything there is opened relative to its folder's descriptor, and what is no regular file is refused.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from domeng_sim.errors import FieldRef, Part, Refused, UserError

if sys.platform != "win32":
    import fcntl

TEMPORARY = ".writing-"
"""Names of files that are not complete begin with this."""
LOCK = ".lock"

_FULL: tuple[Part, ...] = "; free some space and go on with ", FieldRef("resume", True)
_CLOSED: tuple[Part, ...] = "; choose a directory you may write to with ", FieldRef("out")
_HINTS: dict[int, tuple[Part, ...]] = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EACCES: _CLOSED,
    errno.EPERM: _CLOSED,
    errno.EROFS: _CLOSED,
    errno.ENOTDIR: ("; name a directory with ", FieldRef("out")),
    errno.ENAMETOOLONG: ("; choose a shorter name with ", FieldRef("out")),
}
_MOST_TEXT = 1 << 28
"""Largest file that is read into memory as a whole; a manifest of a million parts is smaller."""
_MOST_LOCK = 20
_HOLDER = re.compile(rb"([0-9]+\n)?")
"""A process number, which is all that a lock holds, or nothing if its process ended before it wrote that."""

# These do not exist everywhere. Where folders have no descriptors, links are looked for before a file is opened.
_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)
_FOLDER: int = getattr(os, "O_DIRECTORY", 0)
_BINARY: int = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_HAS_DESCRIPTORS = os.open in os.supports_dir_fd


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system says of files into one line for the user."""
    try:
        yield
    except OSError as error:
        number = error.errno or 0
        if number:
            reason = os.strerror(number)
        else:
            # the Parquet library hides some numbers in its message
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            number = next((one for one in (errno.ENOSPC, errno.EDQUOT) if os.strerror(one) in str(error)), 0)
        raise UserError(f"{path}: {reason}", *_HINTS.get(number, ())) from error


class Folder:
    """A folder whose entries are reached by its descriptor, so that no link can lead elsewhere.

    Parameters
    ----------
    path
        Where it is.
    parent
        The folder that it is in, if it is one of ours; then it may not be a link. None for one that the user named.
    make
        Whether to make it if it is not there.

    Raises
    ------
    Refused
        If it is a link.
    FileNotFoundError
        If it is not there.
    """

    def __init__(self, path: Path, parent: Folder | None = None, make: bool = False) -> None:
        self.path = path
        self._descriptor: int | None = None
        where = {"path": path} if parent is None else parent._at(path.name)
        if make:
            with contextlib.suppress(FileExistsError):
                os.mkdir(**where)
        if parent is not None:
            parent._refuse_link(path.name)
        if _HAS_DESCRIPTORS:
            link = 0 if parent is None else _NO_LINK
            self._descriptor = os.open(**where, flags=os.O_RDONLY | _FOLDER | link | _BINARY)
        elif not path.is_dir():
            raise FileNotFoundError(errno.ENOENT, "", str(path))

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _at(self, name: str) -> dict[str, Any]:
        """Arguments of the functions of `os` for an entry."""
        if "/" in name or os.sep in name or name in ("", ".", ".."):
            raise ValueError(f"{name!r} is no name of an entry")
        return {"path": self.path / name} if self._descriptor is None else {"path": name, "dir_fd": self._descriptor}

    def _refuse_link(self, name: str) -> None:
        mode = self.mode(name)
        if mode is not None and stat.S_ISLNK(mode):
            raise Refused(f"{self.path / name} is a link; none is followed inside a dataset, and nothing was changed")

    def refuse_links(self, names: Iterable[str]) -> None:
        """Refuse to go on if one of these entries is a link."""
        for name in names:
            self._refuse_link(name)

    def inside(self, name: str, make: bool = False) -> Folder:
        """A folder in this one, which may not be a link."""
        return Folder(self.path / name, self, make)

    def names(self) -> list[str]:
        """Names of all entries, sorted."""
        return sorted(os.listdir(self.path if self._descriptor is None else self._descriptor))

    def mode(self, name: str) -> int | None:
        """File type and mode of an entry itself, not of what it may link to; None if there is none."""
        try:
            return os.stat(**self._at(name), follow_symlinks=False).st_mode
        except FileNotFoundError:
            return None

    def size(self, name: str) -> int | None:
        """Size of a regular file; None if there is none of this name."""
        try:
            found = os.stat(**self._at(name), follow_symlinks=False)
        except FileNotFoundError:
            return None
        return found.st_size if stat.S_ISREG(found.st_mode) else None

    def _open(self, name: str, flags: int) -> int:
        """A descriptor of a regular file."""
        self._refuse_link(name)
        # what is no regular file must not be waited for
        descriptor = os.open(**self._at(name), flags=flags | _NO_LINK | _NO_WAIT | _BINARY, mode=0o666)
        try:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                raise OSError(errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL, "", str(self.path / name))
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def open(self, name: str) -> BinaryIO:
        """A regular file, for reading.

        Raises
        ------
        Refused
            If it is a link.
        OSError
            If it is not there, or no regular file.
        """
        return os.fdopen(self._open(name, os.O_RDONLY), "rb")

    def read(self, name: str) -> bytes:
        """Content of a regular file that is not huge."""
        with self.open(name) as file:
            content = file.read(_MOST_TEXT + 1)
        if len(content) > _MOST_TEXT:
            raise OSError(errno.EFBIG, "", str(self.path / name))
        return content

    def create(self, name: str) -> BinaryIO:
        """A new file, for writing and reading; what stood there under its name (even a link) is removed first."""
        with contextlib.suppress(FileNotFoundError):
            self.remove(name)
        return os.fdopen(self._open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL), "w+b")

    def remove(self, name: str) -> None:
        """Remove a file, or a link and not what it links to."""
        os.unlink(**self._at(name))

    def remove_folder(self, name: str) -> None:
        """Remove a folder that is empty; another one stays."""
        with contextlib.suppress(OSError):
            os.rmdir(**self._at(name))

    def move(self, name: str, to: Folder, new: str) -> None:
        """Move a file into another folder, in place of what stood there under its new name."""
        one, other = self._at(name), to._at(new)
        descriptors = {"src_dir_fd": one["dir_fd"], "dst_dir_fd": other["dir_fd"]} if "dir_fd" in one else {}
        os.replace(one["path"], other["path"], **descriptors)

    def link(self, name: str, to: Folder, new: str) -> bool:
        """Give a regular file a second name, in place of what stood there; whether that is possible."""
        with contextlib.suppress(FileNotFoundError):
            to.remove(new)
        with self.open(name):
            one, other = self._at(name), to._at(new)
            descriptors = {"src_dir_fd": one["dir_fd"], "dst_dir_fd": other["dir_fd"]} if "dir_fd" in one else {}
            try:
                os.link(one["path"], other["path"], **descriptors, follow_symlinks=False)
            except (OSError, NotImplementedError):
                return False  # another disk, or one that knows no links
        return True

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[BinaryIO]:
        """A file that takes its place at the end, so that a reader, or a crash, sees the old content or the new."""
        temporary = f"{TEMPORARY}{name}"
        try:
            with self.create(temporary) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
                # another process may have been writing the same file, and have removed ours
                if not os.path.samestat(os.fstat(file.fileno()), os.stat(**self._at(temporary), follow_symlinks=False)):
                    raise FileExistsError(errno.EEXIST, "", str(self.path / temporary))
            self.move(temporary, self, name)
        except BaseException:
            with contextlib.suppress(OSError):
                self.remove(temporary)
            raise

    def write(self, name: str, content: bytes) -> None:
        """Replace a file, as `writing` does."""
        with self.writing(name) as file:
            file.write(content)


def file_digest(file: BinaryIO) -> str:
    """SHA-256 of a file from its beginning, in hexadecimal."""
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # its `readinto` is not in BinaryIO


@contextlib.contextmanager
def directory_for(path: Path) -> Iterator[None]:
    """Make a directory, and its parents, for the time of the block; what is empty at its end is removed again.

    What was there before stays.
    """
    made: list[Path] = []
    with disk_errors(path):
        for folder in (*reversed(path.parents), path):
            if not folder.is_dir():
                try:
                    folder.mkdir()
                except FileExistsError:
                    if not folder.is_dir():
                        raise
                    continue
                made.append(folder)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            for folder in reversed(made):
                folder.rmdir()


@contextlib.contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold the lock of a directory that exists, so that no two processes write into it.

    The lock ends with the process, however that ends; its file means nothing without it.

    Raises
    ------
    Refused
        If another process, or another thread, holds it; or if something else stands under its name.
    """
    with contextlib.ExitStack() as stack:
        with disk_errors(directory):
            folder = stack.enter_context(Folder(directory))
            descriptor = _lock(folder)
        try:
            yield
        finally:
            if descriptor is not None:
                # removed before it is let go, so that nobody's lock is on a file without a name: see `_lock`
                with contextlib.suppress(OSError):
                    folder.remove(LOCK)
                os.close(descriptor)


def _lock(folder: Folder) -> int | None:
    if sys.platform == "win32":
        return None
    directory = folder.path
    while True:
        with disk_errors(directory / LOCK):
            descriptor = folder._open(LOCK, os.O_RDWR | os.O_CREAT)
        holder = os.read(descriptor, _MOST_LOCK)
        if os.fstat(descriptor).st_nlink > 1 or not _HOLDER.fullmatch(holder):
            # written into, it would be lost: it may be somebody's only copy
            os.close(descriptor)
            raise Refused(
                f"{directory / LOCK} is no lock of domeng-sim; remove it, or name another directory with ",
                FieldRef("out"),
            )
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            who = f"process {holder.decode().strip()}" if holder else "another process"
            in_use = f"{directory} is in use by {who}; wait for its end, or name another with "
            raise Refused(in_use, FieldRef("out")) from None
        except OSError:
            # a file system without locks: going on is better than not working there at all
            os.close(descriptor)
            with contextlib.suppress(OSError):
                folder.remove(LOCK)
            return None
        try:
            same = os.path.samestat(os.fstat(descriptor), os.stat(**folder._at(LOCK), follow_symlinks=False))
        except FileNotFoundError:
            same = False
        if same:
            os.ftruncate(descriptor, 0)
            with contextlib.suppress(OSError):
                os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
            return descriptor
        os.close(descriptor)
