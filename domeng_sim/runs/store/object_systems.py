"""File systems of `pyarrow` for addresses, and what they say when they fail, in plain words."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import parse_qsl, unquote

from pyarrow import fs

from domeng_sim.core.printable import printable
from domeng_sim.runs.store.location import ANONYMOUS, ObjectPath

CONNECT_SECONDS, ANSWER_SECONDS = 5.0, 20.0
"""So long one attempt waits for a connection, and for a sign of life of the store."""
_GIVEN_UP_SECONDS = 60
"""So long a store of Google's is asked again and again."""

_SAID = re.compile(r"AWS Error (\w+)(?: \(HTTP status (\d+)\))? during (\w+) operation")
_WORDS = {
    "NETWORK_CONNECTION": "the store cannot be reached, or does not answer",
    "ACCESS_DENIED": "access denied; look at the credentials in the environment, and at what they allow",
    "NO_SUCH_BUCKET": "there is no such bucket",
    "EXPIRED_TOKEN": "the credentials have expired; renew them",
    "SLOW_DOWN": "the store asks for fewer requests at a time",
}
_SAME = {
    **dict.fromkeys(
        ("INVALID_ACCESS_KEY_ID", "SIGNATURE_DOES_NOT_MATCH", "INVALID_CLIENT_TOKEN_ID", "UNRECOGNIZED_CLIENT"),
        "ACCESS_DENIED",
    ),
    "REQUEST_EXPIRED": "EXPIRED_TOKEN",
    "THROTTLING": "SLOW_DOWN",
}
_SECRETS = re.compile(r"KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SHORTEST_SECRET = 6
_MOST_SHOWN = 300


def system_of(where: ObjectPath) -> tuple[Any, str]:
    """The file system of an address, and the path in it.

    Credentials are taken from the usual places: the environment, the files of the store's own tools, the role of the
    machine.
    """
    if where.scheme == "s3":
        return _s3(where)
    address = str(where)
    if where.scheme == "gs" and "retry_limit_seconds" not in where.query:
        address += f"{'&' if where.query else '?'}retry_limit_seconds={_GIVEN_UP_SECONDS}"
    system, path = fs.FileSystem.from_uri(address)
    return system, path.rstrip("/")


def _s3(where: ObjectPath) -> tuple[Any, str]:
    settings = dict(parse_qsl(where.query))
    user, _, bucket = where.authority.rpartition("@")
    if "region" not in settings and "endpoint_override" not in settings:
        region = fs.FileSystem.from_uri(f"s3://{bucket}")[0].region  # asks the store which region its bucket is in
        settings["region"] = region
    system = fs.S3FileSystem(
        **settings,
        anonymous=user == ANONYMOUS,
        connect_timeout=CONNECT_SECONDS,
        request_timeout=ANSWER_SECONDS,
        # what fits into one request is written by one
        allow_delayed_open=True,
    )
    return system, f"{bucket}/{unquote(where.key)}"


def reason(error: BaseException) -> str:
    """Why a store failed, in a line.

    Examples
    --------
    >>> reason(OSError("When listing: AWS Error NO_SUCH_BUCKET during ListObjectsV2 operation: no such bucket"))
    'there is no such bucket'
    """
    text = str(error)
    said = _SAID.search(text)
    if said is None:
        return _harmless(text) or type(error).__name__
    name, status, act = said.groups()
    if "ExpiredToken" in text or "TokenRefreshRequired" in text:
        name = "EXPIRED_TOKEN"
    name = _SAME.get(name, name)
    if name in _WORDS:
        return _WORDS[name]
    if status == "403":
        return _WORDS["ACCESS_DENIED"]
    if status == "400":
        return "the store refuses the request (HTTP status 400), as it does when credentials have expired"
    return f"the store failed at {act} ({name}{f', HTTP status {status}' if status else ''})"


def _harmless(text: str) -> str:
    """The first line of a message, without what stands as a secret in the environment."""
    line = (text.splitlines() or [""])[0][:_MOST_SHOWN]
    for name, value in os.environ.items():
        if _SECRETS.search(name) and len(value) >= _SHORTEST_SECRET:
            line = line.replace(value, "***")
    return printable(line)
