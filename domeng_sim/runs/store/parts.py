"""Part files: how they are named, listed and written."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from domeng_sim.core.tables import LEVELS
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.engine import Columns
from domeng_sim.runs.plan import Range
from domeng_sim.runs.store import schema
from domeng_sim.runs.store.files import TEMPORARY, disk_errors
from domeng_sim.runs.store.parquet_writer import RowGroupWriter

OURS = re.compile(rf"({re.escape(TEMPORARY)})?([\w.]+-)?\d{{12,15}}-\d{{12,15}}\.parquet")
"""Names of part files, complete or not; no other file in a dataset's folders is ever removed."""


@dataclass(frozen=True)
class Part:
    """A part file as the manifest lists it.

    Attributes
    ----------
    path
        Relative to the run's directory, with slashes.
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
    lineup
        Key of the lineup whose blocks it holds; empty for a part of a run.
    bytes
        Size of the file.
    """

    path: str
    table: str
    first_match: int
    last_match: int
    rows: int
    rounds: int
    sha256: str
    lineup: str = ""
    bytes: int = 0

    def to_json(self) -> dict[str, Any]:
        """As it stands in the manifest."""
        return {name: value for name, value in vars(self).items() if name != "lineup" or value}


@contextlib.contextmanager
def parquet_file(directory: Path, part: Part) -> Iterator[pq.ParquetFile]:
    """A part file, for reading.

    Raises
    ------
    FileNotFoundError
        If it is not there.
    OSError, pyarrow.ArrowException
        If it cannot be read, or is not what was written.
    """
    # not `read_table`, which imports pandas
    with (directory / part.path).open("rb") as file, schema.open_parquet(file, part.sha256) as opened:
        yield opened


class PartFiles:
    """Files under temporary names, which get their own when all are complete.

    Parameters
    ----------
    directory
        The dataset's directory.
    names
        Where the file of each table will be.
    """

    def __init__(self, directory: Path, names: dict[str, Path]) -> None:
        self._directory, self._names = directory, names
        self._files: dict[str, BinaryIO] = {}
        self._writers: dict[str, RowGroupWriter] = {}
        self._rows: dict[str, int] = {}

    def _temporary(self, table: str) -> Path:
        path = self._names[table]
        return path.with_name(TEMPORARY + path.name)

    def writer(self, table: str, arrow_schema: pa.Schema) -> RowGroupWriter:
        """The writer of a table's file, opened when it is asked for first."""
        if table not in self._writers:
            self._names[table].parent.mkdir(exist_ok=True)
            self._files[table] = self._temporary(table).open("wb")
            self._writers[table] = RowGroupWriter(self._files[table], arrow_schema)
            self._rows[table] = 0
        return self._writers[table]

    def write_batch(self, name: str, batch: pa.RecordBatch) -> None:
        """Write a row group of a table."""
        with disk_errors(self._directory):
            self.writer(name, batch.schema).write_batch(batch)
        self._rows[name] += batch.num_rows

    def write_table(self, name: str, rows: pa.Table) -> None:
        """Write rows of a table, as one row group."""
        for batch in rows.combine_chunks().to_batches():
            self.write_batch(name, batch)

    def commit(self, matches: Range, rounds: int, lineup: str = "") -> list[Part]:
        """Close, synchronise and rename the files.

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
            In the order of the names.
        """
        parts = []
        with disk_errors(self._directory):
            for table, path in self._names.items():
                sha256 = self._writers[table].close()
                with self._files[table] as file:
                    os.fsync(file.fileno())
                    size = os.fstat(file.fileno()).st_size
                relative = path.relative_to(self._directory).as_posix()
                ends = matches.first, matches.end - 1
                parts.append(Part(relative, table, *ends, self._rows[table], rounds, sha256, lineup, size))
            for table, path in self._names.items():
                self._temporary(table).replace(path)
        return parts

    def abandon(self) -> None:
        """Close and remove what was written."""
        for table, file in self._files.items():
            with contextlib.suppress(OSError):
                file.close()
            with contextlib.suppress(OSError):
                self._temporary(table).unlink()


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
    """

    def __init__(self, directory: Path, config: RunConfig, matches: Range, provenance_json: str) -> None:
        self._directory, self._config, self._matches = directory, config, matches
        self._provenance = provenance_json
        name = f"{matches.first:015d}-{matches.end - 1:015d}.parquet"
        levels = LEVELS[: LEVELS.index(config.level) + 1]
        self._files = PartFiles(directory, {table: directory / table / name for table in levels})
        options = {"hands"} if config.hands else set()
        self._schemas = {
            table: schema.table_schema(config.spec.tables[table], options, provenance_json) for table in levels[1:]
        }

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

    def commit(self, rounds: int) -> list[Part]:
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
        return self._files.commit(self._matches, rounds)

    def abandon(self) -> None:
        """Close and remove what was written."""
        self._files.abandon()
