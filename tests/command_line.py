"""Running the command line, in this process or as one of its own, and looking at what it left on disk."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from domeng_sim.api.requests.runs import RunRequest
from domeng_sim.cli import main
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.store.manifest_text import sealed

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Said:
    """What a command said and how it ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.out)
        return document


def call(capsys: pytest.CaptureFixture[str], *words: object) -> Said:
    """Run a command in this process."""
    capsys.readouterr()
    status = main([str(word) for word in words])
    said = capsys.readouterr()
    return Said(status, said.out, said.err)


def command(*words: object) -> list[str]:
    """A command as a process of its own."""
    return [sys.executable, "-m", "domeng_sim", *map(str, words)]


def environment(**other: str) -> dict[str, str]:
    """The environment, the sources of this tree importable from anywhere, and streams buffered as they mostly are."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return {**own, "PYTHONPATH": str(ROOT), **other}


def process(
    *words: object, cwd: Path, env: Mapping[str, str] | None = None, python: Sequence[str] = (), timeout: float = 120
) -> Said:
    """Run a command, or other arguments of Python, as a process of its own."""
    line = [sys.executable, *python] if python else command(*words)
    done = subprocess.run(
        line, cwd=cwd, env=dict(env or environment()), capture_output=True, text=True, timeout=timeout, check=False
    )
    return Said(done.returncode, done.stdout, done.stderr)


def contents(directory: Path) -> dict[str, str]:
    """Digest of every file below a directory, by path; the manifest without what may differ between equal runs."""
    found = {}
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            if path.name == "manifest.json":
                manifest = json.loads(data)
                for key in ("run", "digest"):
                    manifest.pop(key)
                data = json.dumps(manifest, sort_keys=True).encode()
            found[path.relative_to(directory).as_posix()] = hashlib.sha256(data).hexdigest()
    return found


def parts(directory: Path) -> dict[str, str]:
    """Digest of every part, by path."""
    return {name: digest for name, digest in contents(directory).items() if name.endswith(".parquet")}


def manifest(directory: Path) -> dict[str, Any]:
    """The manifest of a run."""
    content: dict[str, Any] = json.loads((directory / "manifest.json").read_text())
    return content


def one_line(said: Said) -> str:
    """The one line that a failed command says on stderr."""
    lines = said.err.splitlines()
    assert len(lines) == 1, said.err
    assert lines[0].startswith("domeng-sim"), said.err
    assert said.out == ""
    return lines[0]


def forge(directory: Path, part: Path, rows: pa.Table) -> None:
    """Put other rows into a part file, as somebody would who knows of its checksum in the manifest."""
    pq.write_table(rows, part)
    content = manifest(directory)
    for record in content["parts"]:
        if record["path"] == part.relative_to(directory).as_posix():
            record |= {"sha256": hashlib.sha256(part.read_bytes()).hexdigest(), "bytes": part.stat().st_size}
    put_manifest(directory, content)


def put_manifest(directory: Path, content: object) -> None:
    """Put another manifest in a dataset, with the digest that goes with it."""
    (directory / "manifest.json").write_bytes(signed(content))


def signed(content: object) -> bytes:
    """A document as a manifest that carries its own digest, as somebody would forge it; what is no object has none."""
    if not isinstance(content, dict) or not content:
        return json.dumps(content).encode()
    line = json.dumps({key: value for key, value in content.items() if key != "digest"})
    return sealed(f"{line[:-1]},\n".encode())


def make_config(options: Mapping[str, Any]) -> RunConfig:
    """The configuration of a run for which these fields are given."""
    return RunRequest(**options).config
