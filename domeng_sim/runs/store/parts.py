"""Part files: how they are named, listed, written and opened.

Nobody sees a part in its place before all of it is complete: see `storage.Storage`.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from domeng_sim.core.tables import LEVELS
from domeng_sim.errors import Damaged, FieldRef
from domeng_sim.runs.config import MAX_TOTAL, RunConfig
from domeng_sim.runs.engine import Columns
from domeng_sim.runs.plan import Range
from domeng_sim.runs.store import schema
from domeng_sim.runs.store.location import Location
from domeng_sim.runs.store.open_storage import storage_of
from domeng_sim.runs.store.parquet_writer import RowGroupWriter
from domeng_sim.runs.store.storage import OURS, WRITING, NewFile, unfinished

__all__ = ["OURS", "Part", "PartFiles", "PartWriter", "parquet_file", "part_name"]

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
    def place(self) -> str:
        """Its path as it follows from the rest."""
        return f"{self.table}/{self.name}"

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
def parquet_file(directory: Location, part: Part) -> Iterator[pq.ParquetFile]:
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
    with storage_of(directory).open(part.place) as file, schema.open_parquet(file, part.sha256) as opened:
        yield opened


class PartFiles:
    """Files that are not complete, which get their places when `Storage.place` is called.

    Parameters
    ----------
    directory
        The dataset's directory.
    name
        Name of the files.
    attempt
        Where another process may be writing the same part, what tells this attempt from others: 16 hexadecimal digits.
    """

    def __init__(self, directory: Location, name: str, attempt: str = "") -> None:
        self._storage, self._name, self._attempt = storage_of(directory), name, attempt
        self._files: dict[str, NewFile] = {}
        self._writers: dict[str, RowGroupWriter] = {}
        self._rows: dict[str, int] = {}

    def _writer(self, table: str, arrow_schema: pa.Schema) -> RowGroupWriter:
        """The writer of a table's file, opened when it is asked for first."""
        if table not in self._writers:
            self._files[table] = self._storage.new(f"{table}/{self._name}", self._attempt)
            self._writers[table] = RowGroupWriter(self._files[table].file, arrow_schema)
            self._rows[table] = 0
        return self._writers[table]

    def write_batch(self, name: str, batch: pa.RecordBatch) -> None:
        """Write a row group of a table."""
        with self._storage.told():
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
        with self._storage.told():
            for table in sorted(self._writers, key=[*LEVELS, *self._writers].index):
                sha256 = self._writers[table].close()
                size = self._files[table].finish()
                ends = matches.first, matches.end - 1
                path = f"{table}/{self._name}"
                parts.append(Part(path, table, *ends, self._rows[table], rounds, sha256, size, lineup))
        return parts

    def abandon(self) -> None:
        """Let go of what was written."""
        for file in self._files.values():
            file.abandon()


def content(directory: Location, part: Part, attempt: str) -> bytes:
    """What stands in the file of a finished part that is not in its place."""
    storage = storage_of(directory)
    with storage.told(), storage.open(f"{WRITING}/{unfinished(part.place, attempt)}") as file:
        return file.read()


def receive(directory: Location, part: Part, found: bytes, attempt: str) -> None:
    """Write the file of a finished part that was written elsewhere; `Storage.place` moves it to its place.

    Raises
    ------
    Damaged
        If it is not what was written there.
    """
    if len(found) != part.bytes or hashlib.sha256(found).hexdigest() != part.sha256:
        raise Damaged(f"{part.path} was damaged on its way; go on with ", FieldRef("resume", True))
    storage = storage_of(directory)
    with storage.told():
        new = storage.new(part.place, attempt)
        new.file.write(found)
        new.finish()


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
        self, directory: Location, config: RunConfig, matches: Range, provenance_json: str, attempt: str = ""
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
