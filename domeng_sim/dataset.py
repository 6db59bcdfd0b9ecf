"""A run on disk: part files, the manifest that lists them, and what reads them back."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from domeng_sim import schema
from domeng_sim.engine import Columns
from domeng_sim.errors import BadInput, Damaged, Refused, UserError
from domeng_sim.games import GAMES
from domeng_sim.games.spec import GameSpec
from domeng_sim.plan import Plan, Range, RunConfig
from domeng_sim.provenance import SCHEMA_VERSION, provenance, provenance_text
from domeng_sim.tables import LEVELS

MANIFEST = "manifest.json"
_TEMPORARY = ".writing-"


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system says of files into one line for the user."""
    try:
        yield
    except OSError as error:
        if isinstance(error, pa.lib.ArrowInvalid):
            raise
        reason = os.strerror(error.errno) if error.errno else str(error).splitlines()[0]
        hint = {
            errno.ENOSPC: "; free some space and go on with --resume",
            errno.EDQUOT: "; free some space and go on with --resume",
            errno.EACCES: "; choose a directory you may write to with --out",
            errno.EROFS: "; choose a directory you may write to with --out",
        }.get(error.errno or 0, "")
        raise UserError(f"{path}: {reason}{hint}") from error


def write_atomically(path: Path, text: str) -> None:
    """Replace a file so that a reader, or a crash, sees the old text or the new."""
    temporary = path.with_name(f"{_TEMPORARY}{path.name}")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
    """

    path: str
    table: str
    first_match: int
    last_match: int
    rows: int
    rounds: int
    sha256: str
    lineup: str = ""

    def to_json(self) -> dict[str, Any]:
        """As it stands in the manifest."""
        return {name: value for name, value in vars(self).items() if name != "lineup" or value}


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
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._rows: dict[str, int] = {}

    def _temporary(self, table: str) -> Path:
        path = self._names[table]
        return path.with_name(_TEMPORARY + path.name)

    def writer(self, table: str, arrow_schema: pa.Schema) -> pq.ParquetWriter:
        """The writer of a table's file, opened when it is asked for first."""
        if table not in self._writers:
            self._names[table].parent.mkdir(exist_ok=True)
            self._writers[table] = pq.ParquetWriter(
                self._temporary(table), arrow_schema, **schema.parquet_options(arrow_schema)
            )
            self._rows[table] = 0
        return self._writers[table]

    def write_batch(self, name: str, batch: pa.RecordBatch) -> None:
        """Write a row group of a table."""
        with disk_errors(self._directory):
            self.writer(name, batch.schema).write_batch(batch, row_group_size=max(1, batch.num_rows))
        self._rows[name] += batch.num_rows

    def write_table(self, name: str, rows: pa.Table) -> None:
        """Write rows of a table."""
        with disk_errors(self._directory):
            self.writer(name, rows.schema).write_table(rows)
        self._rows[name] += rows.num_rows

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
            for table, writer in self._writers.items():
                writer.close()
                with self._temporary(table).open("rb") as file:
                    os.fsync(file.fileno())
            for table, path in self._names.items():
                sha256 = file_digest(self._temporary(table))
                relative = path.relative_to(self._directory).as_posix()
                ends = matches.first, matches.end - 1
                parts.append(Part(relative, table, *ends, self._rows[table], rounds, sha256, lineup))
            for table, path in self._names.items():
                self._temporary(table).replace(path)
        return parts

    def abandon(self) -> None:
        """Close and remove what was written."""
        for table, writer in self._writers.items():
            with contextlib.suppress(Exception):
                writer.close()
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
        self._options = {"hands"} if config.hands else set()
        name = f"{matches.first:015d}-{matches.end - 1:015d}.parquet"
        levels = LEVELS[: LEVELS.index(config.level) + 1]
        self._files = PartFiles(directory, {table: directory / table / name for table in levels})

    def write(self, table: str, columns: Columns) -> None:
        """Write a row group."""
        definition = self._config.spec.tables[table]
        arrow_schema = schema.table_schema(definition, self._options, self._provenance)
        batch = schema.to_batch(definition, arrow_schema, columns)
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


class Dataset:
    """A run's directory.

    Parameters
    ----------
    directory
        Where it is.
    manifest
        Contents of its manifest.
    """

    def __init__(self, directory: Path, manifest: dict[str, Any]) -> None:
        self.directory = directory
        self.manifest = manifest

    @classmethod
    def open(cls, directory: Path) -> Dataset:
        """Open an existing dataset.

        Raises
        ------
        BadInput
            If there is none.
        Damaged
            If its manifest cannot be read.
        """
        path = directory / MANIFEST
        if not directory.exists():
            raise BadInput(f"{directory} does not exist")
        if not path.exists():
            raise BadInput(f"{directory} is not a dataset of domeng-sim: it has no {MANIFEST}")
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
            if manifest["schema_version"] != SCHEMA_VERSION:
                raise Damaged(f"{path} has the schema version {manifest['schema_version']}, not {SCHEMA_VERSION}")
            known = manifest["game"] in GAMES and isinstance(manifest["parts"], list)
        except OSError as error:
            raise BadInput(f"{path}: {os.strerror(error.errno or 0)}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise Damaged(f"{path} is damaged or not a manifest of domeng-sim") from error
        if not known:
            raise Damaged(f"{path} is damaged or not a manifest of domeng-sim")
        return cls(directory, manifest)

    @classmethod
    def create(cls, directory: Path, config: RunConfig, plan: Plan, overwrite: bool) -> Dataset:
        """Begin the dataset of a run; see `begin`."""
        manifest = {
            **provenance(config),
            "status": "running",
            "matches": config.n_matches,
            "plan": {"matches_per_batch": plan.batch, "matches_per_part": plan.part},
            "parts": [],
            "totals": {},
            "run": {},
        }
        return cls.begin(directory, manifest, overwrite)

    @classmethod
    def begin(cls, directory: Path, manifest: dict[str, Any], overwrite: bool) -> Dataset:
        """Begin a new dataset.

        Parameters
        ----------
        directory
            Where it will be.
        manifest
            Contents of its manifest.
        overwrite
            Whether a dataset that is there is replaced.

        Raises
        ------
        Refused
            If the directory holds something and `overwrite` does not apply.
        """
        if directory.exists() and not directory.is_dir():
            raise Refused(f"{directory} is a file; name a directory that does not exist yet with --out")
        with disk_errors(directory):
            occupied = directory.is_dir() and any(directory.iterdir())
        if occupied:
            if not (directory / MANIFEST).exists():
                raise Refused(f"{directory} is not empty and is no dataset of domeng-sim; name another with --out")
            if not overwrite:
                raise Refused(
                    f"{directory} already holds a dataset; go on with it by --resume, replace it by --overwrite, "
                    "or name another with --out"
                )
            cls.open(directory).remove_contents()
        dataset = cls(directory, manifest)
        with disk_errors(directory):
            directory.mkdir(parents=True, exist_ok=True)
            dataset.save()
        return dataset

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of its tables: up to the level of a run, or the blocks of a study."""
        stored = self.manifest["tables"]
        return LEVELS[: LEVELS.index(stored) + 1] if stored in LEVELS else (stored,)

    def remove_contents(self) -> None:
        """Remove the files of this dataset, and nothing else; the manifest goes last."""
        with disk_errors(self.directory):
            for table in {*LEVELS, *self.tables}:
                if (self.directory / table).is_dir():
                    shutil.rmtree(self.directory / table)
            (self.directory / MANIFEST).unlink()

    def save(self) -> None:
        """Write the manifest."""
        with disk_errors(self.directory):
            write_atomically(self.directory / MANIFEST, json.dumps(self.manifest, indent=1) + "\n")

    @property
    def spec(self) -> GameSpec:
        """The game."""
        return GAMES[self.manifest["game"]]

    @property
    def complete(self) -> bool:
        """Whether all matches are there."""
        return bool(self.manifest["status"] == "complete")

    @property
    def parts(self) -> list[Part]:
        """The part files."""
        return [Part(**part) for part in self.manifest["parts"]]

    def done(self) -> dict[Range, int]:
        """Ranges of matches whose files are all there, in order, with the rounds played in each."""
        n_tables = len(self.tables)
        found: dict[Range, list[Part]] = {}
        for part in self.parts:
            if (self.directory / part.path).is_file():
                found.setdefault(Range(part.first_match, part.last_match + 1), []).append(part)
        return {matches: parts[0].rounds for matches, parts in found.items() if len(parts) == n_tables}

    def keep_only(self, ranges: Collection[Range]) -> None:
        """Take all other parts off the list; their files become leftovers."""
        kept = [
            part for part in self.manifest["parts"] if Range(part["first_match"], part["last_match"] + 1) in ranges
        ]
        if len(kept) != len(self.manifest["parts"]):
            self.manifest["parts"] = kept
            self.save()

    def add(self, parts: list[Part]) -> None:
        """List the files of a finished part."""
        listed = self.manifest["parts"] + [part.to_json() for part in parts]
        order = {table: number for number, table in enumerate(self.tables)}
        self.manifest["parts"] = sorted(
            listed, key=lambda part: (part.get("lineup", ""), part["first_match"], order[part["table"]])
        )
        self.save()

    def sweep(self) -> None:
        """Remove files in the tables' folders that no part lists: leftovers of a killed run."""
        listed = {part.path for part in self.parts}
        for table in {*LEVELS, *self.tables}:
            for path in (self.directory / table).glob("*"):
                if path.relative_to(self.directory).as_posix() not in listed:
                    with disk_errors(path):
                        path.unlink()

    def summary_table(self) -> pa.Table:
        """All rows of the `summary` table.

        Raises
        ------
        Damaged
            If a part cannot be read.
        """
        return self.read("summary")

    def read(self, table: str, columns: list[str] | None = None) -> pa.Table:
        """All rows of a table, in key order.

        Parameters
        ----------
        table
            Name of the table.
        columns
            Columns to read; None for all.

        Raises
        ------
        BadInput
            If the run did not store it.
        Damaged
            If a part cannot be read.
        """
        if table not in self.tables:
            raise BadInput(f"{self.directory} has no table {table!r}; it holds {', '.join(self.tables)}")
        tables = []
        for part in self.parts:
            if part.table == table:
                path = self.directory / part.path
                try:
                    tables.append(pq.read_table(path, columns=columns, partitioning=None))
                except (pa.lib.ArrowException, OSError) as error:
                    raise Damaged(
                        f"{path} cannot be read; `domeng-sim verify {self.directory}` checks all parts, --resume makes missing ones again"
                    ) from error
        if not tables:
            raise BadInput(f"{self.directory} holds no finished part yet; go on with --resume")
        return pa.concat_tables(tables)

    def counts(self) -> npt.NDArray[np.int64]:
        """Counts of all batches, shape (batches, counters)."""
        blocks = self.spec.counts(self.manifest["rules"])
        return schema.table_to_counts(self.summary_table(), blocks)

    def verify(self) -> list[str]:
        """Check every part against the manifest.

        Returns
        -------
        list of str
            What is wrong, a line each; empty if all is well.
        """
        wrong = []
        expected = 0
        for part in self.parts:
            path = self.directory / part.path
            if not path.is_file():
                wrong.append(f"{part.path}: missing")
            elif file_digest(path) != part.sha256:
                wrong.append(f"{part.path}: damaged (checksum differs)")
            elif pq.read_metadata(path).num_rows != part.rows:
                wrong.append(f"{part.path}: has other rows than the manifest says")
        for part in self.parts if not self.manifest.get("study") else ():
            if part.table == "summary":
                if part.first_match != expected:
                    wrong.append(f"matches {expected} to {part.first_match - 1}: no part")
                expected = part.last_match + 1
        if self.complete and not self.manifest.get("study") and expected != self.manifest["matches"]:
            wrong.append(f"matches {expected} to {self.manifest['matches'] - 1}: no part")
        return wrong


def new_provenance_text(dataset: Dataset, config: RunConfig) -> str:
    """Provenance for further parts: that of the first ones, so that all parts of a run agree."""
    keys = provenance(config).keys()
    if all(key in dataset.manifest for key in keys):
        return json.dumps({key: dataset.manifest[key] for key in keys}, sort_keys=True)
    return provenance_text(config)
