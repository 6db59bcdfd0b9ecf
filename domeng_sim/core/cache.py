"""Where machine code is kept, and what happens where that is not as it was written.

What is read here is run. So the folder is one into which nobody else can write, each file begins with its checksum, and
whatever is wrong with a file is as if it were not there: the code is compiled again.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from pathlib import Path

OURS = re.compile(r"numba-[0-9a-f]{16}")
"""Names of our folders; no other one is ever removed."""
_KEEP_SECONDS = 14 * 24 * 3600
_DIGEST_BYTES = 32


def cache_root() -> Path:
    """Folder that holds a folder of machine code for each version of our sources.

    ``DOMENG_SIM_CACHE`` names it; otherwise it is ``domeng_sim`` in the user's cache folder (``XDG_CACHE_HOME``).
    """
    named = os.environ.get("DOMENG_SIM_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "domeng_sim"


def only_ours(folder: Path) -> bool:
    """Whether nobody but this user, and the administrator, could put something into a folder or into its place.

    Parameters
    ----------
    folder
        A folder that exists.
    """
    if sys.platform == "win32":
        return True  # below the user's own folder by default; its rights are not told by modes
    user, place = os.geteuid(), folder.resolve()
    for at in (place, *place.parents):
        about = at.stat()
        if about.st_uid not in (0, user):
            return False
        # in a folder with this bit, entries of one user cannot be replaced by another
        sticky = bool(about.st_mode & stat.S_ISVTX) and at != place
        # the group that has the user's own number is the user's own
        by_group = bool(about.st_mode & stat.S_IWGRP) and not about.st_gid == os.getegid() == user
        if (by_group or about.st_mode & stat.S_IWOTH) and not sticky:
            return False
    return True


def cache_folder(digest: str) -> Path | None:
    """The folder for sources of a digest, made if it is not there; None where none can be used.

    Parameters
    ----------
    digest
        16 hexadecimal digits.
    """
    root = cache_root()
    folder = root / f"numba-{digest}"
    try:
        root.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        # also says that it is still used
        os.utime(folder)
        if not (only_ours(folder) and os.access(folder, os.W_OK | os.X_OK)):
            return None
        _remove_old(root, folder)
    except OSError:
        return None
    return folder


def _remove_old(root: Path, keep: Path) -> None:
    """Remove the folders of other versions of the sources that were not used for two weeks."""
    for folder in root.iterdir():
        try:
            is_ours = OURS.fullmatch(folder.name) and folder != keep and folder.is_dir() and not folder.is_symlink()
            if is_ours and time.time() - folder.stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


def read(path: Path) -> bytes | None:
    """Content of a file; None if it is not there, or not as it was written."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, content = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    return content if hashlib.sha256(content).digest() == digest else None


def write(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all, if the disk takes it."""
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            try:
                file.write(hashlib.sha256(content).digest() + content)
                file.close()
                Path(file.name).replace(path)
            except OSError:
                Path(file.name).unlink()
    except OSError:
        return
