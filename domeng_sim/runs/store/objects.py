"""A dataset in an object store: objects appear whole, a lease says who writes, and nothing is renamed without need.

No store behind `pyarrow.fs` tells whether an object was there when it was written, so a lease is not one object that
whoever comes first creates. Each writer puts an object of its own beside those of others and then lists them all. Of
two that come at the same time at least one sees the other, as long as a list shows what was written before it.
"""

from __future__ import annotations

import contextlib
import datetime
import io
import json
import os
import platform
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, BinaryIO, TypeVar

import pyarrow as pa
from pyarrow import fs

from domeng_sim.core.printable import printable
from domeng_sim.errors import FieldRef, Part, Refused, UserError
from domeng_sim.runs.store.location import ObjectPath
from domeng_sim.runs.store.object_systems import reason, system_of
from domeng_sim.runs.store.storage import MANIFEST, UNFINISHED, WRITING, Storage, unfinished

LEASES = ".lease"
"""Folder of the objects that say who writes."""
_MOST_TEXT, _MOST_LEASE = 1 << 28, 1 << 12
_AT_ONCE = 16
"""Objects that are removed at the same time."""
_KEPT: tuple[Part, ...] = "; what is finished is kept, go on with ", FieldRef("resume", True)

Found = TypeVar("Found")


def _undisturbed(act: Callable[[], Found]) -> Found:
    """What a function gives that Ctrl-C does not interrupt: a stream that is left half written would be completed."""
    with ThreadPoolExecutor(1, thread_name_prefix="domeng-sim-store") as pool:
        return pool.submit(act).result()


class ObjectFile:
    """A part file under way, kept in memory until it is complete; see `storage.NewFile`."""

    def __init__(self, upload: Callable[[memoryview], None]) -> None:
        self._buffer, self._upload = io.BytesIO(), upload
        self.file: BinaryIO = self._buffer

    def finish(self) -> int:
        """Upload it."""
        content = self._buffer.getbuffer()
        self._upload(content)
        return len(content)

    def abandon(self) -> None:
        """Nothing of it has left this process."""


class ObjectStorage:
    """A prefix in an object store; see `storage.Storage`.

    Parameters
    ----------
    location
        Where it is.
    """

    def __init__(self, location: ObjectPath) -> None:
        self.location = location
        self._lease = ""
        self._has_failed = False

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        with self.told():
            return system_of(self.location)

    @property
    def _system(self) -> Any:
        return self._opened[0]

    def _at(self, path: str) -> str:
        return f"{self._opened[1]}/{path}" if path else self._opened[1]

    @contextlib.contextmanager
    def told(self, name: str = "", hint: tuple[Part, ...] = ()) -> Iterator[None]:
        """Turn what the store says into one line, which repeats no credentials."""
        try:
            yield
        except (OSError, pa.lib.ArrowException) as error:
            self._has_failed = True
            where = self.location / name if name else self.location
            raise UserError(f"{where}: {reason(error)}", *hint) from error

    def exists(self) -> bool:
        """Whether there is an object of this prefix."""
        return bool(self.entries())

    def refuse_unusable(self) -> None:
        """Nothing is known before something is written, but whether the store answers."""
        self.entries()

    def make(self) -> None:
        """A prefix needs no making."""

    # --- Objects ------------------------------------------------------------------------------------------------------

    def entries(self, folder: str = "") -> dict[str, int | None]:
        """Sizes of objects by name; None for what has others below it."""
        with self.told():
            found = self._system.get_file_info(fs.FileSelector(self._at(folder), allow_not_found=True))
        sizes = {one.base_name: one.size if one.type == fs.FileType.File else None for one in found}
        if not folder:
            sizes.pop(LEASES, None)
        return sizes

    def has(self, name: str) -> bool:
        """Whether there is an object of this name."""
        with self.told():
            return self._is_there(name)[0]

    def _is_there(self, *paths: str) -> list[bool]:
        found = self._system.get_file_info([self._at(path) for path in paths])
        return [one.type == fs.FileType.File for one in found]

    def refuse_links(self, names: Iterable[str]) -> None:
        """There are no links."""

    def read(self, path: str) -> bytes:
        """Content of an object that is not huge."""
        return self._content(path, _MOST_TEXT)

    def open(self, path: str) -> BinaryIO:
        """An object, read as a whole."""
        return io.BytesIO(self._content(path))

    def _content(self, path: str, most: int = 1 << 50) -> bytes:
        with self.told(path), contextlib.ExitStack() as stack:
            try:
                file = stack.enter_context(self._system.open_input_file(self._at(path)))
            except FileNotFoundError as error:
                missing = error
            else:
                if file.size() > most:
                    raise OSError("it is too large")
                content: bytes = file.read()
                return content
        raise missing

    def _put(self, path: str, content: bytes | memoryview) -> None:
        def put() -> None:
            with self._system.open_output_stream(self._at(path), compression=None) as stream:
                stream.write(content)

        _undisturbed(put)

    @property
    def _appears_at_once(self) -> bool:
        """Whether an object is not seen before it is complete; else it is copied into its place as a whole."""
        return self.location.scheme != "abfs"

    def write(self, name: str, content: bytes) -> None:
        """Replace an object."""
        with self.told(name, _KEPT):
            self._assure(self._is_there(self._own_lease)[0] if self._lease else True)
            if self._appears_at_once:
                self._put(name, content)
            else:
                self._put(f"{WRITING}/{name}", content)
                self._system.copy_file(self._at(f"{WRITING}/{name}"), self._at(name))
                self._system.delete_file(self._at(f"{WRITING}/{name}"))

    def new(self, path: str, attempt: str = "") -> ObjectFile:
        """An object that is written once, and at its place unless that is taken."""

        def upload(content: memoryview) -> None:
            with self.told(path, _KEPT):
                taken, *held = self._is_there(path, *([self._own_lease] if self._lease else []))
                self._assure(all(held))
                straight = self._appears_at_once and not taken
                self._put(path if straight else f"{WRITING}/{unfinished(path, attempt)}", content)

        return ObjectFile(upload)

    def link(self, path: str, source: Storage) -> bool:
        """Nothing: objects have no links."""
        return False

    def place(self, paths: Iterable[str], attempt: str = "") -> None:
        """Move those objects that are not in their places yet."""
        waiting = self.entries(WRITING)
        with self.told(hint=_KEPT):
            for path in paths:
                name = unfinished(path, attempt)
                if name in waiting:
                    source = self._at(f"{WRITING}/{name}")
                    self._system.copy_file(source, self._at(path))
                    self._system.delete_file(source)

    def remove(self, folder: str, names: Collection[str]) -> None:
        """Remove objects."""
        paths = [self._at(f"{folder}/{name}" if folder else name) for name in names]
        if paths:
            with self.told(), ThreadPoolExecutor(min(_AT_ONCE, len(paths))) as pool:
                list(pool.map(self._delete, paths))

    def _delete(self, path: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._system.delete_file(path)

    def clear(self, parts: bool = True) -> None:
        """Remove what is not in its place."""
        # a store that has just failed is not waited for once more
        if parts and not self._has_failed:
            ours = [name for name in self.entries(WRITING) if name == MANIFEST or UNFINISHED.fullmatch(name)]
            self.remove(WRITING, ours)

    # --- Leases -------------------------------------------------------------------------------------------------------

    @property
    def _own_lease(self) -> str:
        return f"{LEASES}/{self._lease}"

    def _assure(self, held: bool) -> None:
        """Write nothing where another writer has taken over."""
        if not held:
            raise Refused(f"{self.location} was taken over by another writer; nothing more is written into it")

    @contextlib.contextmanager
    def hold(self, take_over: bool = False) -> Iterator[None]:
        """Hold a lease, and stop where it was taken away."""
        self._has_failed = False
        # nothing is written where somebody else is known to write
        self._refuse_held(take_over)
        name = secrets.token_hex(8)
        about = {"host": platform.node(), "process": os.getpid(), "since": _now()}
        try:
            with self.told():
                self._put(f"{LEASES}/{name}", json.dumps(about).encode())
            self.remove(LEASES, self._refuse_held(take_over, name))
            self._assure(self.has(f"{LEASES}/{name}"))
            self._lease = name
            yield
        except UserError as error:
            if not self._let_go(name):
                left = ", and with ", FieldRef("take_over", True), ", for the lease of this call could not be removed"
                error.parts += left
            raise
        except BaseException:
            self._let_go(name)
            raise
        else:
            self._let_go(name)

    def _let_go(self, name: str) -> bool:
        """Remove a lease; whether that was possible."""
        if self._lease == name:
            self._lease = ""
        try:
            self.remove(LEASES, [name])
        except UserError:
            return False
        return True

    def _refuse_held(self, take_over: bool, own: str = "") -> list[str]:
        """Leases of others, which are to be taken over.

        Raises
        ------
        Refused
            If there are some, and they are not.
        """
        others = [name for name, size in self.entries(LEASES).items() if name != own and size is not None]
        if others and not take_over:
            told = f"{self.location} is in use by {self._holder(others[0])}; wait for its end, or, if it has ended, go "
            raise Refused(told, "on with ", FieldRef("take_over", True))
        return others

    def _holder(self, name: str) -> str:
        try:
            about = json.loads(self._content(f"{LEASES}/{name}", _MOST_LEASE))
            who = f"process {about['process']} of {about['host']} since {about['since']}"
        except (ValueError, LookupError, TypeError, FileNotFoundError):
            return "another writer"
        with self.told():
            wrote = self._system.get_file_info([self._at(MANIFEST)])[0].mtime
        return printable(who) + (f", which wrote last at {_now(wrote)}" if wrote is not None else "")

    def forget_holders(self) -> None:
        """A lease of a killed writer is removed by whoever takes over."""


def _now(moment: datetime.datetime | None = None) -> str:
    moment = datetime.datetime.now(datetime.UTC) if moment is None else moment.astimezone(datetime.UTC)
    return moment.isoformat(timespec="seconds")
