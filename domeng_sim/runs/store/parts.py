"""Part files: how they are named, listed, written and opened.

A part is written under another name in a folder that no reader of a table looks into, and moved to its place when all
its files are complete.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from domeng_sim.core.tables import LEVELS
from domeng_sim.errors import Damaged, FieldRef, Refused
from domeng_sim.runs.config import MAX_TOTAL, RunConfig
from domeng_sim.runs.engine import Columns
from domeng_sim.runs.plan import Range
from domeng_sim.runs.store import schema
from domeng_sim.runs.store.files import Folder, disk_errors
from domeng_sim.runs.store.parquet_writer import RowGroupWriter

OURS = re.compile(r"([\w.]+-)?\d{12,15}-\d{12,15}\.parquet")
"""Names of part files; no other file in a dataset's folders is ever removed."""
WRITING = ".writing"
"""Folder of the files that are not complete."""
UNFINISHED = re.compile(rf"\w+-{OURS.pattern}(\.[0-9a-f]{{16}})?\.part")
"""Names of the files in it, which no reader of Parquet files takes for one."""

Whole = Annotated[int, msgspec.Meta(ge=0, le=MAX_TOTAL)]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part file as the manifest lists it.

    Attributes
    ----------
    path
        Relative to the run's directory, with slashes; follows from all that stands below.
    table
        Name of the table.
    first_match, last_match
        The matches it holds, both ends included.
    rows
        Number of rows.
    rounds
        Rounds played in these matches.
    sha256
        Checksum of the file.
    bytes
        Size of the file.
    lineup
        Key of the lineup whose blocks it holds; empty for a part of a run.
    """

    path: str
    table: str
    first_match: Whole
    last_match: Whole
    rows: Whole
    rounds: Whole
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
    bytes: Annotated[int, msgspec.Meta(ge=1, le=1 << 50)]
    lineup: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{16})?\Z")] = ""

    @property
    def name(self) -> str:
        """Name of the file in its table's folder."""
        return part_name(self.matches, self.lineup)

    @property
    def matches(self) -> Range:
        """The matches it holds."""
        return Range(self.first_match, self.last_match + 1)

    def to_json(self) -> dict[str, Any]:
        """As it stands in the manifest."""
        record: dict[str, Any] = msgspec.to_builtins(self)
        return record


def part_name(matches: Range, lineup: str = "") -> str:
    """Name of the files that hold these matches.

    Examples
    --------
    >>> part_name(Range(0, 200))
    '000000000000000-000000000000199.parquet'
    """
    if lineup:
        return f"{lineup}-{matches.first:012d}-{matches.end - 1:012d}.parquet"
    return f"{matches.first:015d}-{matches.end - 1:015d}.parquet"


@contextlib.contextmanager
def parquet_file(directory: Path, part: Part) -> Iterator[pq.ParquetFile]:
    """A part file, for reading; whatever the name of its directory may look like to the Parquet library.

    Raises
    ------
    FileNotFoundError
        If it is not there.
    OSError, pyarrow.ArrowException
        If it cannot be read, or is not what was written.
    Refused
        If it, or its folder, is a link.
    """
    with (
        Folder(directory) as root,
        root.inside(part.table) as folder,
        folder.open(part.name) as file,
        schema.open_parquet(file, part.sha256) as opened,
    ):
        yield opened


class PartFiles:
    """Files that are not complete, which get their places when `place` is called.

    Parameters
    ----------
    directory
        The dataset's directory.
    name
        Name of the files.
    attempt
        Where another process may be writing the same part, what tells this attempt from others: 16 hexadecimal digits.
    """

    def __init__(self, directory: Path, name: str, attempt: str = "") -> None:
        self._directory, self._name, self._attempt = directory, name, attempt
        self._files: dict[str, BinaryIO] = {}
        self._writers: dict[str, RowGroupWriter] = {}
        self._rows: dict[str, int] = {}

    def _writer(self, table: str, arrow_schema: pa.Schema) -> RowGroupWriter:
        """The writer of a table's file, opened when it is asked for first."""
        if table not in self._writers:
            with Folder(self._directory) as root, root.inside(WRITING, make=True) as folder:
                self._files[table] = folder.create(_unfinished(table, self._name, self._attempt))
            self._writers[table] = RowGroupWriter(self._files[table], arrow_schema)
            self._rows[table] = 0
        return self._writers[table]

    def write_batch(self, name: str, batch: pa.RecordBatch) -> None:
        """Write a row group of a table."""
        with disk_errors(self._directory):
            self._writer(name, batch.schema).write_batch(batch)
        self._rows[name] += batch.num_rows

    def write_table(self, name: str, rows: pa.Table) -> None:
        """Write rows of a table, as one row group."""
        for batch in rows.combine_chunks().to_batches():
            self.write_batch(name, batch)

    def finish(self, matches: Range, rounds: int, lineup: str = "") -> list[Part]:
        """Close and synchronise the files.

        Parameters
        ----------
        matches
            The matches that they hold.
        rounds
            Rounds played in these.
        lineup
            Key of the lineup; empty for a run.

        Returns
        -------
        list of Part
            In the order of the table levels.
        """
        parts = []
        with disk_errors(self._directory):
            for table in sorted(self._writers, key=[*LEVELS, *self._writers].index):
                sha256 = self._writers[table].close()
                with self._files[table] as file:
                    file.flush()
                    os.fsync(file.fileno())
                    size = os.fstat(file.fileno()).st_size
                ends = matches.first, matches.end - 1
                path = f"{table}/{self._name}"
                parts.append(Part(path, table, *ends, self._rows[table], rounds, sha256, size, lineup))
        return parts

    def abandon(self) -> None:
        """Close and remove what was written."""
        with contextlib.suppress(OSError, Refused), Folder(self._directory) as root, root.inside(WRITING) as folder:
            for table, file in self._files.items():
                with contextlib.suppress(OSError):
                    file.close()
                with contextlib.suppress(OSError):
                    folder.remove(_unfinished(table, self._name, self._attempt))
            root.remove_folder(WRITING)


def _unfinished(table: str, name: str, attempt: str) -> str:
    return f"{table}-{name}{'.' * bool(attempt)}{attempt}.part"


def place(directory: Path, parts: list[Part], attempt: str = "") -> None:
    """Move the files of a finished part to their places."""
    with disk_errors(directory), Folder(directory) as root, root.inside(WRITING) as writing:
        for part in parts:
            with root.inside(part.table, make=True) as folder:
                writing.move(_unfinished(part.table, part.name, attempt), folder, part.name)


def content(directory: Path, part: Part, attempt: str) -> bytes:
    """What stands in the file of a finished part that is not in its place."""
    with (
        disk_errors(directory),
        Folder(directory) as root,
        root.inside(WRITING) as folder,
        folder.open(_unfinished(part.table, part.name, attempt)) as file,
    ):
        return file.read()


def receive(directory: Path, part: Part, found: bytes, attempt: str) -> None:
    """Write the file of a finished part that was written elsewhere; `place` moves it to its place.

    Raises
    ------
    Damaged
        If it is not what was written there.
    """
    if len(found) != part.bytes or hashlib.sha256(found).hexdigest() != part.sha256:
        raise Damaged(f"{part.path} was damaged on its way; go on with ", FieldRef("resume", True))
    with (
        disk_errors(directory),
        Folder(directory) as root,
        root.inside(WRITING, make=True) as folder,
        folder.create(_unfinished(part.table, part.name, attempt)) as file,
    ):
        file.write(found)
        file.flush()
        os.fsync(file.fileno())


def share(source: Path, directory: Path, part: Part) -> bool:
    """Make the file of a part of one dataset an unfinished one of another, which `place` moves to its place.

    Returns
    -------
    bool
        Whether it is a link, which takes no room.
    """
    with (
        disk_errors(directory),
        Folder(source) as root,
        root.inside(part.table) as table,
        Folder(directory) as other,
        other.inside(WRITING, make=True) as writing,
    ):
        return table.share(part.name, writing, _unfinished(part.table, part.name, ""))


def clear(root: Folder) -> None:
    """Remove what is not complete."""
    if root.mode(WRITING) is None:
        return
    with root.inside(WRITING) as folder:
        for name in folder.names():
            if UNFINISHED.fullmatch(name):
                # whoever was writing it may remove it too
                with contextlib.suppress(FileNotFoundError):
                    folder.remove(name)
    root.remove_folder(WRITING)


class PartWriter:
    """Writes the files of one part of a run.

    Parameters
    ----------
    directory
        The run's directory.
    config
        The run.
    matches
        The part's matches.
    provenance_json
        Provenance for the schema metadata.
    attempt
        See `PartFiles`.
    """

    def __init__(
        self, directory: Path, config: RunConfig, matches: Range, provenance_json: str, attempt: str = ""
    ) -> None:
        self._config, self._matches = config, matches
        self._provenance = provenance_json
        options = {"hands"} if config.hands else set()
        self._schemas = {
            table: schema.table_schema(config.spec.tables[table], options, provenance_json)
            for table in LEVELS[1 : LEVELS.index(config.level) + 1]
        }
        self._files = PartFiles(directory, part_name(matches), attempt)

    def write(self, table: str, columns: Columns) -> None:
        """Write a row group."""
        batch = schema.to_batch(self._config.spec.tables[table], self._schemas[table], columns)
        self._files.write_batch(table, batch)

    def write_counts(self, counts: npt.NDArray[np.int64], batch: int) -> None:
        """Write the counts of the part's batches."""
        arrow_schema = schema.summary_schema(self._provenance)
        blocks = self._config.spec.counts(self._config.rules)
        self._files.write_table(
            "summary",
            schema.counts_to_table(counts, blocks, self._matches.first, batch, len(self._matches), arrow_schema),
        )

    def finish(self, rounds: int) -> list[Part]:
        """Complete the files.

        Parameters
        ----------
        rounds
            Rounds played in the part.

        Returns
        -------
        list of Part
            In the order of the table levels.
        """
        return self._files.finish(self._matches, rounds)

    def abandon(self) -> None:
        """Close what was written."""
        self._files.abandon()
