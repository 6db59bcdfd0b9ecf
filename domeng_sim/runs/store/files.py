"""Files: what goes wrong with them said in one line, writing that is never half seen, and a lock on a directory."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

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


def write_atomically(path: Path, text: str) -> None:
    """Replace a file so that a reader, or a crash, sees the old text or the new."""
    temporary = path.with_name(f"{TEMPORARY}{path.name}")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
        If another process, or another thread, holds it.
    """
    path = directory / LOCK
    with disk_errors(directory):
        descriptor = _lock(path, directory)
    try:
        yield
    finally:
        if descriptor is not None:
            # removed before it is let go, so that nobody's lock is on a file without a name: see the check in `_lock`
            with contextlib.suppress(OSError):
                path.unlink()
            os.close(descriptor)


def _lock(path: Path, directory: Path) -> int | None:
    if sys.platform == "win32":
        return None
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 20).decode("ascii", "replace").strip()
            os.close(descriptor)
            who = f"process {holder}" if holder else "another process"
            in_use = f"{directory} is in use by {who}; wait for its end, or name another with "
            raise Refused(in_use, FieldRef("out")) from None
        except OSError:
            # a file system without locks: going on is better than not working there at all
            os.close(descriptor)
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        try:
            same = os.path.samestat(os.fstat(descriptor), path.stat())
        except FileNotFoundError:
            same = False
        if same:
            os.ftruncate(descriptor, 0)
            with contextlib.suppress(OSError):
                os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
            return descriptor
        os.close(descriptor)
