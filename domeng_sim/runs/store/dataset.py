"""A run on disk: part files, the manifest that lists them, and what reads them back."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from domeng_sim.core.tables import LEVELS
from domeng_sim.errors import BadInput, Damaged, FieldRef, Refused
from domeng_sim.games import GAMES
from domeng_sim.games.spec import GameSpec
from domeng_sim.runs.command import command_line
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.plan import Plan, Range
from domeng_sim.runs.provenance import SCHEMA_VERSION, provenance, provenance_text
from domeng_sim.runs.store import schema
from domeng_sim.runs.store.files import LOCK, TEMPORARY, disk_errors, file_digest, write_atomically
from domeng_sim.runs.store.parts import OURS, Part, PartFiles, PartWriter, parquet_file

__all__ = ["MANIFEST", "Dataset", "Part", "PartFiles", "PartWriter", "new_provenance_text"]

MANIFEST = "manifest.json"
_SHORT_SECONDS, _REST = 0.05, 20
"""A manifest that takes longer to save than this is saved at most a twentieth of the time."""


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
        self._listed_all = True
        self._saved_at = self._save_seconds = 0.0

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
        with disk_errors(path):
            if not directory.exists():
                raise BadInput(f"{directory} does not exist")
            if not directory.is_dir() or not path.exists():
                raise BadInput(f"{directory} is not a dataset of domeng-sim: it has no {MANIFEST}")
            content = path.read_bytes()
        try:
            manifest = json.loads(content)
            version = manifest["schema_version"]
            if version == SCHEMA_VERSION:
                _check_manifest(manifest)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise Damaged(f"{path} is damaged, or no manifest of domeng-sim; nothing was changed") from error
        if type(version) is int and 0 < version < SCHEMA_VERSION:
            raise BadInput(
                f"{directory} was written by an older domeng-sim, whose columns had other types and names (schema "
                f"version {version}, not {SCHEMA_VERSION}); make it again in another directory, or remove it"
            )
        if version != SCHEMA_VERSION:
            raise Damaged(f"{path} has the schema version {version!r}, not {SCHEMA_VERSION}: not from this domeng-sim")
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
        old = cls.replaced(directory, overwrite)
        dataset = cls(directory, manifest)
        with disk_errors(directory):
            directory.mkdir(parents=True, exist_ok=True)
            # the new manifest first: it never lists what is being removed, and what it does not list can be swept later
            dataset.save()
            dataset.sweep(old.tables if old else ())
        return dataset

    @classmethod
    def replaced(cls, directory: Path, overwrite: bool) -> Dataset | None:
        """The dataset whose place a new one would take, or None; nothing is changed.

        Parameters
        ----------
        directory
            Where the new one will be.
        overwrite
            Whether a dataset that is there may be replaced.

        Raises
        ------
        Refused
            If the directory holds something and `overwrite` does not apply.
        UserError
            If it is clear that nothing can be written there.
        """
        with disk_errors(directory):
            existing = next(path for path in (directory, *directory.absolute().parents) if path.exists())
            if not existing.is_dir():
                raise Refused(f"{existing} is a file; name a directory that does not exist yet with ", FieldRef("out"))
            if not os.access(existing, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, "", str(existing))
            ours = {LOCK, TEMPORARY + MANIFEST}
            occupied = existing == directory and any(path.name not in ours for path in directory.iterdir())
        if not occupied:
            return None
        if not (directory / MANIFEST).exists():
            raise Refused(
                f"{directory} is not empty and is no dataset of domeng-sim; name another with ", FieldRef("out")
            )
        if not overwrite:
            raise Refused(
                *(f"{directory} already holds a dataset; go on with it by ", FieldRef("resume", True)),
                *(", replace it by ", FieldRef("overwrite", True), ", or name another with ", FieldRef("out")),
            )
        return cls.open(directory)

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of its tables: up to the level of a run, or the blocks of a study."""
        return _tables(self.manifest["tables"])

    def remove(self) -> None:
        """Remove the files of this dataset, and nothing else; the manifest goes last."""
        self.manifest["parts"] = []
        self.sweep(self.tables)
        with disk_errors(self.directory):
            (self.directory / MANIFEST).unlink()

    def save(self) -> None:
        """Write the manifest, its parts in order."""
        started = time.monotonic()
        order = {table: number for number, table in enumerate(self.tables)}
        self.manifest["parts"].sort(
            key=lambda part: (part.get("lineup", ""), part["first_match"], order[part["table"]])
        )
        with disk_errors(self.directory):
            write_atomically(self.directory / MANIFEST, json.dumps(self.manifest, indent=1) + "\n")
        self._listed_all = True
        self._saved_at = time.monotonic()
        self._save_seconds = self._saved_at - started

    @property
    def spec(self) -> GameSpec:
        """The game."""
        return GAMES[self.manifest["game"]]

    @property
    def complete(self) -> bool:
        """Whether all matches are there."""
        return bool(self.manifest["status"] == "complete")

    @property
    def noun(self) -> str:
        """What it is: a run, a match that people play, or a study by its name."""
        study = self.manifest.get("study")
        if study is not None:
            return {"compare": "comparison", "sensitivity": "sensitivity study"}.get(study, str(study))
        return "match" if "play" in self.manifest else "run"

    @property
    def going_on(self) -> str:
        """The command that goes on with it; empty if nothing is left to do."""
        is_played = "play" in self.manifest
        # of a match under way the rounds that are over are a run by themselves
        if self.complete and not (is_played and "rounds_per_match" in self.manifest):
            return ""
        return self.resume_command

    @property
    def resume_command(self) -> str:
        """The command that plays what is missing."""
        command = "play" if "play" in self.manifest else self.manifest.get("study", "run")
        return command_line(command, {"resume": True, "out": self.directory})

    @property
    def parts(self) -> list[Part]:
        """The part files."""
        return [Part(**part) for part in self.manifest["parts"]]

    def done(self) -> dict[Range, int]:
        """Ranges of matches whose files are all there, and of the right size, with the rounds played in each."""
        n_tables = len(self.tables)
        found: dict[Range, list[Part]] = {}
        for part in self.parts:
            path = self.directory / part.path
            if path.is_file() and path.stat().st_size == part.bytes:
                found.setdefault(Range(part.first_match, part.last_match + 1), []).append(part)
        return {matches: parts[0].rounds for matches, parts in found.items() if len(parts) == n_tables}

    def damaged(self) -> list[str]:
        """Paths of part files of the right size whose checksum differs; files that are missing are played again."""
        paths = ((part, self.directory / part.path) for part in self.parts)
        return [
            part.path
            for part, path in paths
            if path.is_file() and path.stat().st_size == part.bytes and file_digest(path) != part.sha256
        ]

    def refuse_damaged(self) -> None:
        """Do not go on with a dataset some of whose finished parts have changed since they were written.

        Raises
        ------
        Damaged
            If there are such.
        """
        damaged = self.damaged()
        if damaged:
            raise Damaged(
                f"{self.directory}: {', '.join(damaged[:5])}{' and others' * (len(damaged) > 5)}: damaged (checksum "
                "differs); remove what is damaged, and ",
                FieldRef("resume", True),
                " will play it again",
            )

    def keep_only(self, ranges: Collection[Range]) -> None:
        """Take all other parts off the list; their files become leftovers."""
        kept = [part for part in self.manifest["parts"] if Range(part["first_match"], part["last_match"] + 1) in ranges]
        if len(kept) != len(self.manifest["parts"]):
            self.manifest["parts"] = kept
            self.save()

    def add(self, parts: list[Part]) -> None:
        """List the files of a finished part.

        The manifest is saved now, or, where saving takes long because there are many parts, together with later ones:
        call `flush` at the end.
        """
        self.manifest["parts"] += [part.to_json() for part in parts]
        self._listed_all = False
        if self._save_seconds < _SHORT_SECONDS or time.monotonic() - self._saved_at > _REST * self._save_seconds:
            self.flush()

    def flush(self) -> None:
        """Save the manifest if it does not list all finished parts yet."""
        if not self._listed_all:
            self.save()

    def sweep(self, more: Collection[str] = ()) -> None:
        """Remove part files that are not listed: leftovers of a killed run, or of a dataset that was replaced.

        Parameters
        ----------
        more
            Names of tables besides those that a run may have, and those of this dataset.
        """
        listed = {part.path for part in self.parts}
        with disk_errors(self.directory), contextlib.suppress(FileNotFoundError):
            (self.directory / (TEMPORARY + MANIFEST)).unlink()
        for table in sorted({*LEVELS, *self.tables, *more}):
            folder = self.directory / table
            with disk_errors(folder):
                for path in folder.glob("*"):
                    if OURS.fullmatch(path.name) and f"{table}/{path.name}" not in listed:
                        path.unlink()
                if table not in self.tables:
                    # another table's folder goes too, unless something else is in it
                    with contextlib.suppress(OSError):
                        folder.rmdir()

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
                try:
                    with parquet_file(self.directory, part) as file:
                        tables.append(file.read(columns=columns))
                except (pa.lib.ArrowException, OSError) as error:
                    raise Damaged(
                        f"{self.directory / part.path} cannot be read; `domeng-sim verify {self.directory}` checks all "
                        "parts, and ",
                        FieldRef("resume", True),
                        " makes missing ones again",
                    ) from error
        if not tables:
            raise BadInput(f"{self.directory} holds no finished part yet; go on with ", FieldRef("resume", True))
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
        wrong = [line for part in self.parts if (line := self._wrong(part))]
        listed = {part.path for part in self.parts}
        for table in sorted({*LEVELS, *self.tables}):
            for path in sorted((self.directory / table).glob("*.parquet")):
                name = f"{table}/{path.name}"
                # in a run that is not complete it may be a leftover, which going on removes
                if name not in listed and (self.complete or not OURS.fullmatch(path.name)):
                    wrong.append(f"{name}: not in the manifest, but readers of the folder would take it in")
        if not self.manifest.get("study"):
            wrong += self._gaps()
            if self.complete and not wrong:
                wrong += self._wrong_totals()
        return wrong

    def _wrong(self, part: Part) -> str:
        """What is wrong with a part; empty if nothing is."""
        path = self.directory / part.path
        try:
            if not path.is_file():
                return f"{part.path}: missing"
            if file_digest(path) != part.sha256:
                return f"{part.path}: damaged (checksum differs)"
            file = pq.read_metadata(path)
            about = json.loads((file.metadata or {}).get(schema.METADATA_KEY, b"{}"))
        except (OSError, ValueError, pa.lib.ArrowException) as error:
            return f"{part.path}: cannot be read ({(str(error).splitlines() or [''])[0]})"
        if file.num_rows != part.rows:
            return f"{part.path}: has other rows than the manifest says"
        if about.get("identity", self.manifest["identity"]) != self.manifest["identity"]:
            return f"{part.path}: belongs to another run"
        changed = [key for key in about if key in self.manifest and about[key] != self.manifest[key]]
        # a study may take in more strategies later
        if changed and "study" not in self.manifest:
            return f"{MANIFEST}: {', '.join(changed)} differ from what {part.path} was made with"
        return ""

    def _gaps(self) -> list[str]:
        """Matches that a complete run, or each table before the last part, should hold but does not."""
        wrong = []
        for table in self.tables:
            expected = 0
            for part in self.parts:
                if part.table == table:
                    if part.first_match != expected and self.complete:
                        wrong.append(f"{table}: matches {expected} to {part.first_match - 1}: no part")
                    expected = part.last_match + 1
            if self.complete and expected != self.manifest["matches"]:
                wrong.append(f"{table}: matches {expected} to {self.manifest['matches'] - 1}: no part")
        return wrong

    def _wrong_totals(self) -> list[str]:
        totals = self.manifest["totals"]
        counted = {"matches": self.manifest["matches"], **self.spec.totals(self.counts())}
        wrong = [
            f"totals: {name} is {totals.get(name)}, counted {number}"
            for name, number in counted.items()
            if totals.get(name) != number
        ]
        rows = {table: sum(part.rows for part in self.parts if part.table == table) for table in self.tables}
        for table in ("games", "rounds"):
            if table in rows and rows[table] != counted[table]:
                wrong.append(f"{table}: {rows[table]} rows, counted {counted[table]}")
        return wrong


def _tables(stored: str) -> tuple[str, ...]:
    return LEVELS[: LEVELS.index(stored) + 1] if stored in LEVELS else (stored,)


def _check_manifest(manifest: dict[str, Any]) -> None:
    """Check that a manifest has what the rest of the program takes for granted.

    Raises
    ------
    ValueError, KeyError, TypeError, AttributeError
        If it has not.
    """
    if manifest["game"] not in GAMES:
        raise ValueError("no such game")
    texts = [manifest[key] for key in ("identity", "tables", "status", "command")[: 3 if "study" in manifest else 4]]
    if not all(isinstance(text, str) for text in [*texts, manifest["software"]["domeng_sim"]]):
        raise TypeError("texts")
    if not isinstance(manifest["totals"], dict) or not isinstance(manifest["run"], dict):
        raise TypeError("tables")
    tables = _tables(manifest["tables"])
    for record in manifest["parts"]:
        part = Part(**record)
        numbers = [record[name] for name in ("first_match", "last_match", "rows", "rounds", "bytes")]
        if not all(type(number) is int and number >= 0 for number in numbers):
            raise TypeError("numbers of a part")
        folder, _, name = part.path.partition("/")
        if folder != part.table or not OURS.fullmatch(name) or folder not in tables:
            raise ValueError("path of a part")
        if not isinstance(record["sha256"], str) or not isinstance(record.get("lineup", ""), str):
            raise TypeError("texts of a part")
    if "study" not in manifest:
        # rules that came later than the dataset had their default then
        manifest["rules"] = dict(RunConfig.from_json(manifest).rules)
        matches, status = manifest["matches"], manifest["status"]
        sizes = manifest["plan"]["matches_per_batch"], manifest["plan"]["matches_per_part"]
        if any(type(size) is not int or size < 1 for size in sizes):
            raise ValueError("plan")
        if matches is None and status != "complete":
            return
        if not isinstance(matches, int) or matches < 1:
            raise ValueError("matches")


def new_provenance_text(dataset: Dataset, config: RunConfig) -> str:
    """Provenance for further parts: that of the first ones, so that all parts of a run agree."""
    keys = provenance(config).keys()
    if all(key in dataset.manifest for key in keys):
        return json.dumps({key: dataset.manifest[key] for key in keys}, sort_keys=True)
    return provenance_text(config)
