"""Where machine code is kept, and what happens where that is not as it was written.

numba's cache trusts its folder: a file that is cut off ends the program, and a file of somebody else is run. So the
folder is one into which nobody else can write, each file begins with its checksum, and whatever is wrong with a file is
as if it were not there: the code is compiled again.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import shutil
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache

from domeng_sim.core import announce

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


class _Files(IndexDataCacheFile):  # type: ignore[misc]
    """Files of a function's machine code, each with its checksum before it."""

    def _read(self, path: str) -> Any:
        """Content of a file; OSError, as of a file that is not there, if it is not as it was written."""
        with Path(path).open("rb") as file:
            digest, content = file.read(_DIGEST_BYTES), file.read()
        if hashlib.sha256(content).digest() != digest:
            raise OSError(f"{path} is damaged")
        return pickle.loads(content)

    def _write(self, path: str, content: Any) -> None:
        data = self._dump(content)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(data).digest() + data)

    def _load_index(self) -> Any:
        try:
            version, stamp, overloads = self._read(self._index_path)
        except OSError:
            return {}
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: Any) -> None:
        self._write(self._index_path, (self._version, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)


class Cache(FunctionCache):  # type: ignore[misc]
    """The machine code of a function on disk; says so when it is not there, and must be compiled."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        there: Any = self._cache_file
        self._cache_file: Any = _Files(
            there._cache_path, there._index_name.removesuffix(".nbi"), source_stamp=there._source_stamp
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function, or None."""
        try:
            found = super().load_overload(sig, target_context)
        except Exception:
            found = None  # whatever it is, compiling again is right
        if found is None:
            announce.compiling()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the compiled function, if the disk takes it."""
        try:
            super().save_overload(sig, data)
        except OSError:
            return


class NoCache(NullCache):  # type: ignore[misc]
    """Keeps nothing, and says that something must be compiled."""

    def load_overload(self, sig: Any, target_context: Any) -> None:
        """Nothing."""
        announce.compiling()
