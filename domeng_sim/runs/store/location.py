"""Where a dataset is: a directory, or a prefix in an object store, both named by a text.

Only the text is looked at here, so that it can be asked for without loading what speaks to stores.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from domeng_sim.core.printable import printable
from domeng_sim.errors import BadInput

ANONYMOUS = "anonymous"
"""User of an address that is read, or written, without credentials."""

IN_STORE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_SETTINGS = {
    "s3": ("endpoint_override", "region", "scheme"),
    "gs": ("endpoint_override", "retry_limit_seconds", "scheme"),
    "abfs": ("blob_storage_authority", "dfs_storage_authority", "enable_tls"),
}
"""What may be said of a store behind a question mark, by scheme: nothing that is a secret."""
_SAME = {"gcs": "gs", "abfss": "abfs"}
_KNOWN = "s3://, gs://, abfs:// or file://"
_MOST_TEXT = 2000


@dataclass(frozen=True)
class ObjectPath(os.PathLike[str]):
    """A place in an object store: its address, which goes on behind the path with what is said of the store.

    Attributes
    ----------
    scheme
        Kind of the store: ``s3``, ``gs`` or ``abfs``.
    authority
        Bucket or container, as it stands in the address.
    key
        Path in it, without slashes at its ends.
    query
        What is said of the store: its endpoint, its region.
    """

    scheme: str
    authority: str
    key: str = ""
    query: str = ""

    def __str__(self) -> str:
        path = f"/{self.key}" if self.key else ""
        return f"{self.scheme}://{self.authority}{path}{'?' if self.query else ''}{self.query}"

    def __fspath__(self) -> str:
        return str(self)

    def __truediv__(self, name: str) -> ObjectPath:
        return ObjectPath(self.scheme, self.authority, f"{self.key}/{name}".strip("/"), self.query)

    @property
    def name(self) -> str:
        """The last piece of the path; that of the bucket if there is none."""
        return self.key.rpartition("/")[2] or self.authority

    @property
    def parent(self) -> ObjectPath:
        """The place that this one is in."""
        return ObjectPath(self.scheme, self.authority, self.key.rpartition("/")[0], self.query)


Location = Path | ObjectPath


def absolute(place: Location) -> Location:
    """The same place, for somebody who stands in another directory."""
    return place.absolute() if isinstance(place, Path) else place


def location(name: str | os.PathLike[str]) -> Location:
    """The place that a name stands for; only one with ``://`` is in a store.

    Raises
    ------
    BadInput
        If the name is empty, of an unknown kind of store, or would give away a secret.

    Examples
    --------
    >>> location("runs/first"), location("file:///data/first")
    (PosixPath('runs/first'), PosixPath('/data/first'))
    >>> str(location("s3://bucket/first/?region=eu-north-1") / "manifest.json")
    's3://bucket/first/manifest.json?region=eu-north-1'
    """
    if isinstance(name, ObjectPath):
        return name
    text = os.fspath(name)
    if not text.strip() or "\0" in text:
        raise BadInput(f"{text!r} is no name of a directory")
    if not IN_STORE.match(text):
        return Path(text)
    scheme, _, rest = text.partition("://")
    scheme = _SAME.get(scheme.lower(), scheme.lower())
    if scheme == "file":
        return _directory(text)
    if scheme not in _SETTINGS:
        raise BadInput(f"{printable(scheme)}:// is no place for a dataset; it takes a directory, {_KNOWN}")
    return _object_path(scheme, rest)


def _directory(text: str) -> Path:
    parts = urlsplit(text)
    if parts.netloc not in ("", "localhost") or not parts.path.startswith("/") or parts.query or parts.fragment:
        raise BadInput("file:// takes the whole path of a directory of this machine, such as file:///data/run")
    path = unquote(parts.path)
    if "\0" in path:
        raise BadInput(f"{path!r} is no name of a directory")
    return Path(path)


def _object_path(scheme: str, rest: str) -> ObjectPath:
    """An address behind its scheme, of which nothing is repeated before it is known to hold no secret."""
    place, _, query = rest.partition("?")
    authority, _, key = place.partition("/")
    example = {"abfs": "abfs://container@account.dfs.core.windows.net/run"}.get(scheme, f"{scheme}://bucket/run")
    user, at, host = authority.rpartition("@")
    # a secret may hold slashes, so that a part of it, and what ends it, may look like a path
    if ":" in user or "@" in key or (scheme != "abfs" and (":" in host or (at and user != ANONYMOUS))):
        raise BadInput(
            f"an address of {scheme}:// holds no credentials (they would end up in histories and logs); they are taken "
            "from the environment, the configuration files or the role of the machine"
        )
    for setting, value in parse_qsl(query, keep_blank_values=True):
        if setting not in _SETTINGS[scheme]:
            raise BadInput(
                f"an address of {scheme}:// takes {', '.join(_SETTINGS[scheme][:-1])} and {_SETTINGS[scheme][-1]} "
                f"behind the question mark, not {printable(setting[:40])!r}; credentials are taken from the environment"
            )
        if "@" in value:
            raise BadInput(f"{setting} of an address of {scheme}:// is a host without user and password")
    if len(rest) > _MOST_TEXT or not rest.isprintable() or any(sign in rest for sign in ' \\#"<>|^`{}'):
        raise BadInput(f"an address of {scheme}:// has no blanks, control characters, nor #; such as {example}")
    key = key.rstrip("/")
    pieces = [unquote(piece) for piece in key.split("/")]
    if not host or any(piece in ("", ".", "..") or "/" in piece or not piece.isprintable() for piece in pieces):
        raise BadInput(f"{scheme}://{place} names no place in a bucket; such as {example}")
    return ObjectPath(scheme, authority, key, query)


def short_name(where: Location) -> str:
    """The last piece of a place's name."""
    return where.name if isinstance(where, ObjectPath) else where.resolve().name
