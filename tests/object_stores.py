"""A real S3 server on the loopback address, and what may stand between it and its client."""

from __future__ import annotations

import contextlib
import logging
import re
import select
import socket
import socketserver
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from moto.server import ThreadedMotoServer
from pyarrow import fs

BUCKET = "dominoes"
KEY, SECRET = "AKIATESTTESTTESTTEST", "neverToBeSeen+neverToBeSeen/never"


class Fault(Exception):
    """The connection is to be broken off here."""


def broken(data: bytes, client: socket.socket) -> None:
    """Reset a connection."""
    raise Fault


def nothing(data: bytes, client: socket.socket) -> None:
    """Pass on what comes."""


@dataclass
class Proxy:
    """Passes on what is sent to a port, unless `fault` does something else with it.

    Attributes
    ----------
    fault
        Called with the bytes that a client sent and its socket, before they are passed on.
    """

    target: tuple[str, int]
    fault: Callable[[bytes, socket.socket], None] = nothing
    seen: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        proxy = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with contextlib.suppress(OSError), socket.create_connection(proxy.target) as server:
                    proxy.carry(self.request, server)

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True
            block_on_close = False

        self._kind: Any = (Server, Handler)
        self.server: Any = None
        self.port = 0
        self.start()

    def start(self) -> None:
        """Listen, at the same port as before."""
        server, handler = self._kind
        self.server = server(("127.0.0.1", self.port), handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Break off connections, and refuse others."""
        self.fault = broken
        self.server.shutdown()
        self.server.server_close()

    def carry(self, client: socket.socket, server: socket.socket) -> None:
        while True:
            for ready in select.select([client, server], [], [])[0]:
                data = ready.recv(1 << 16)
                if not data:
                    return
                if ready is server:
                    client.sendall(data)
                    continue
                self.seen.append(data[:200])
                try:
                    self.fault(data, client)
                except Fault:
                    # with a reset, and not a farewell
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return
                server.sendall(data)


@dataclass
class Store:
    """A bucket behind a proxy."""

    proxy: Proxy
    system: fs.S3FileSystem

    def address(self, prefix: str) -> str:
        return f"s3://{BUCKET}/{prefix}?scheme=http&region=us-east-1&endpoint_override=127.0.0.1:{self.proxy.port}"

    def contents(self, prefix: str) -> dict[str, bytes]:
        """All objects of a prefix."""
        found = self.system.get_file_info(fs.FileSelector(f"{BUCKET}/{prefix}", recursive=True, allow_not_found=True))
        files = [one.path for one in found if one.type == fs.FileType.File]
        return {path.removeprefix(f"{BUCKET}/{prefix}/"): self.system.open_input_file(path).read() for path in files}

    def download(self, prefix: str, to: Path) -> Path:
        """Copy all objects of a prefix into a directory."""
        for name, content in self.contents(prefix).items():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            (to / name).write_bytes(content)
        return to

    def put(self, path: str, content: bytes) -> None:
        with self.system.open_output_stream(f"{BUCKET}/{path}") as file:
            file.write(content)

    def remove(self, path: str) -> None:
        self.system.delete_file(f"{BUCKET}/{path}")


@contextlib.contextmanager
def running_store() -> Iterator[Store]:
    """A server with an empty bucket."""
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL + 1)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        system = fs.S3FileSystem(
            access_key=KEY,
            secret_key=SECRET,
            region="us-east-1",
            scheme="http",
            endpoint_override=f"{host}:{port}",
            allow_bucket_creation=True,
            allow_delayed_open=True,
        )
        system.create_dir(BUCKET)
        yield Store(Proxy((host, port)), system)
    finally:
        server.stop()


def set_credentials(patch: pytest.MonkeyPatch) -> None:
    """The credentials where they belong."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
    }.items():
        patch.setenv(name, value)


# --- Faults -----------------------------------------------------------------------------------------------------------


def answer(status: str, code: str, times: int = 1 << 30, only: bytes = b"") -> Callable[[bytes, socket.socket], None]:
    """Answer requests with an error instead of passing them on."""
    left = [times]

    def fault(data: bytes, client: socket.socket) -> None:
        if left[0] and re.match(rb"(GET|PUT|POST|HEAD|DELETE) ", data) and only in data.partition(b"\r\n")[0]:
            left[0] -= 1
            body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message></Error>".encode()
            head = f"HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nConnection: close\r\n"
            client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            raise Fault

    return fault


def reset(only: bytes, times: int = 1 << 30, after: int = 0) -> Callable[[bytes, socket.socket], None]:
    """Reset connections in the middle of a request, after so many bytes of its body."""
    left, inside = [times], {}

    def fault(data: bytes, client: socket.socket) -> None:
        if only in data.partition(b"\r\n")[0]:
            inside[client] = 0
        elif client in inside:
            inside[client] += len(data)
        if left[0] and inside.get(client, -1) >= after:
            left[0] -= 1
            raise Fault

    return fault


def silence(data: bytes, client: socket.socket) -> None:
    """Take a request and never answer."""
    time.sleep(30)
    raise Fault


def after(requests: int, then: Callable[[bytes, socket.socket], None], only: bytes) -> Callable[..., None]:
    """Pass so many requests of a kind, however often each is repeated, and then do something else."""
    seen: set[bytes] = set()

    def fault(data: bytes, client: socket.socket) -> None:
        if only in (line := data.partition(b"\r\n")[0]):
            seen.add(line)
        if len(seen) > requests:
            then(data, client)

    return fault


def delay(seconds: float) -> Callable[[bytes, socket.socket], None]:
    """Let the server answer later."""

    def fault(data: bytes, client: socket.socket) -> None:
        time.sleep(seconds)

    return fault
