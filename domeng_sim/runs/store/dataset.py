"""A run or a study on disk: part files, the manifest that lists them, and what reads them back."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from domeng_sim.core.tables import LEVELS
from domeng_sim.errors import BadInput, Damaged, FieldRef, Refused
from domeng_sim.games import GAMES
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import RuleValue
from domeng_sim.runs.command import command_line
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.plan import Plan, Range
from domeng_sim.runs.provenance import provenance, provenance_text
from domeng_sim.runs.store import schema
from domeng_sim.runs.store.files import LOCK, TEMPORARY, Folder, disk_errors, file_digest
from domeng_sim.runs.store.manifest import MANIFEST, STUDY_TABLE, read_manifest
from domeng_sim.runs.store.manifest_text import manifest_text
from domeng_sim.runs.store.parts import (
    OURS,
    UNFINISHED,
    WRITING,
    Part,
    PartFiles,
    PartWriter,
    clear,
    parquet_file,
    place,
)

__all__ = ["MANIFEST", "Dataset", "Part", "PartFiles", "PartWriter", "new_provenance_text"]

TABLES = (*LEVELS, STUDY_TABLE)
"""Names of all folders that a dataset may have."""
_SHORT_SECONDS, _REST = 0.05, 20
"""A manifest that takes longer to save than this is saved at most a twentieth of the time."""


class Dataset:
    """The directory of a run or a study.

    Parameters
    ----------
    directory
        Where it is.
    manifest
        Contents of its manifest.
    wrong
        In what the manifest contradicts itself; for `verify` only.
    """

    def __init__(self, directory: Path, manifest: dict[str, Any], wrong: tuple[str, ...] = ()) -> None:
        self.directory, self.manifest, self.wrong = directory, manifest, wrong
        self._replaces: Dataset | None = None
        self._listed_all = True
        self._saved_at = self._save_seconds = 0.0

    @classmethod
    def open(cls, directory: Path, strict: bool = True) -> Dataset:
        """Open an existing dataset.

        Parameters
        ----------
        directory
            Where it is.
        strict
            Whether a manifest that contradicts itself is an error.

        Raises
        ------
        BadInput
            If there is none.
        Damaged
            If its manifest cannot be read, or is damaged.
        Refused
            If its manifest, or a folder of its tables, is a link.
        """
        path = directory / MANIFEST
        with disk_errors(path):
            if not directory.exists():
                raise BadInput(f"{directory} does not exist")
            if not holds_dataset(directory):
                raise BadInput(f"{directory} is not a dataset of domeng-sim: it has no {MANIFEST}")
            with Folder(directory) as folder:
                content = folder.read(MANIFEST)
                if strict:
                    folder.refuse_links((WRITING, *TABLES))
        manifest, wrong = read_manifest(content, path, strict)
        return cls(directory, manifest, tuple(wrong))

    @classmethod
    def create(cls, directory: Path, config: RunConfig, plan: Plan, overwrite: bool) -> Dataset:
        """Begin the dataset of a run; see `begin`."""
        manifest = {
            **provenance(config),
            "status": "running",
            "matches": config.n_matches,
            "plan": {
                "matches_per_batch": plan.batch,
                "matches_per_part": plan.part,
                **({"matches_expected": plan.expected} if plan.expected else {}),
            },
            "parts": [],
            "totals": {},
            "run": {},
        }
        return cls.begin(directory, manifest, overwrite)

    @classmethod
    def begin(cls, directory: Path, manifest: dict[str, Any], overwrite: bool) -> Dataset:
        """Begin a new dataset.  One that is there stays until the new one has a finished part.

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
        dataset._replaces = old
        with disk_errors(directory):
            directory.mkdir(parents=True, exist_ok=True)
        if old is None:
            dataset.save()
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
            if existing != directory or _is_free(directory):
                return None
        if not holds_dataset(directory):
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
        stored = self.manifest["tables"]
        return LEVELS[: LEVELS.index(stored) + 1] if stored in LEVELS else (stored,)

    def remove(self) -> None:
        """Remove the files of this dataset, and nothing else; the manifest goes last."""
        self.manifest["parts"] = []
        self.sweep()
        if self._replaces is None:
            with disk_errors(self.directory), Folder(self.directory) as folder:
                folder.remove(MANIFEST)

    def take_place(self) -> None:
        """Take the place of the dataset that is to be replaced, if that has not been done yet."""
        if self._replaces is not None:
            self._replaces = None
            # the new manifest first: it never lists what is being removed, and what it does not list can be swept later
            self.save()
            self.sweep(unfinished=False)

    def save(self) -> None:
        """Write the manifest, its parts in order."""
        started = time.monotonic()
        order = {table: number for number, table in enumerate(self.tables)}
        self.manifest["parts"].sort(
            key=lambda part: (part.get("lineup", ""), part["first_match"], order[part["table"]])
        )
        with disk_errors(self.directory), Folder(self.directory) as folder:
            folder.write(MANIFEST, manifest_text(self.manifest))
        self._listed_all = True
        self._saved_at = time.monotonic()
        self._save_seconds = self._saved_at - started

    @property
    def spec(self) -> GameSpec:
        """The game."""
        return GAMES[self.manifest["game"]]

    @property
    def rules(self) -> dict[str, RuleValue]:
        """A value for every rule; those that came later than the dataset have their defaults, as they had then."""
        return self.spec.resolve_rules(self.manifest["rules"])

    @cached_property
    def config(self) -> RunConfig:
        """What was asked of the run; code that came with it is not run unless it is trusted."""
        return RunConfig.from_json(self.manifest, str(self.directory / MANIFEST))

    @property
    def plan(self) -> Plan:
        """How the run is cut."""
        sizes = self.manifest["plan"]
        return Plan(sizes["matches_per_batch"], sizes["matches_per_part"], sizes.get("matches_expected", 0))

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
        here = {"resume": True, "out": self.directory}
        if "study" in self.manifest:
            asked = self.manifest["request"]
            options = {name: tuple(one) if isinstance(one, list) else one for name, one in asked["options"].items()}
            return command_line(self.manifest["study"], {**options, **here}, tuple(asked["arguments"]))
        return command_line("play" if "play" in self.manifest else "run", here)

    @property
    def parts(self) -> list[Part]:
        """The part files."""
        return msgspec.convert(self.manifest["parts"], list[Part])

    def sizes(self) -> dict[str, int]:
        """Sizes of the regular files in the folders of its tables, by their paths."""
        found: dict[str, int] = {}
        with disk_errors(self.directory), Folder(self.directory) as root:
            for table in self.tables:
                if root.mode(table) is not None:
                    with root.inside(table) as folder:
                        sizes = ((name, folder.size(name)) for name in folder.names())
                        found |= {f"{table}/{name}": size for name, size in sizes if size is not None}
        return found

    def done(self) -> dict[Range, int]:
        """Ranges of matches whose files are all there, and of the right size, with the rounds played in each."""
        if self._replaces is not None:
            return {}
        n_tables, sizes = len(self.tables), self.sizes()
        found: dict[Range, list[Part]] = {}
        for part in self.parts:
            if sizes.get(part.path) == part.bytes:
                found.setdefault(part.matches, []).append(part)
        return {matches: parts[0].rounds for matches, parts in found.items() if len(parts) == n_tables}

    def digest(self, part: Part) -> str:
        """SHA-256 of a part file, which is a regular one."""
        with Folder(self.directory) as root, root.inside(part.table) as folder, folder.open(part.name) as file:
            return file_digest(file)

    def damaged(self) -> list[str]:
        """Paths of part files of the right size whose checksum differs; files that are missing are played again."""
        sizes = self.sizes()
        with disk_errors(self.directory):
            return [
                part.path
                for part in self.parts
                if sizes.get(part.path) == part.bytes and self.digest(part) != part.sha256
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

    def keep_only(self, keep: Callable[[Range], bool]) -> None:
        """Take all other parts off the list; their files become leftovers."""
        kept = [part.to_json() for part in self.parts if keep(part.matches)]
        if len(kept) != len(self.manifest["parts"]):
            self.manifest |= {"parts": kept, "status": "running", "totals": {}, "matches": self.config.n_matches}
            self.save()

    def add(self, parts: list[Part]) -> None:
        """Put the files of a finished part into their places, and list them.

        The manifest is saved now, or, where saving takes long because there are many parts, together with later ones:
        call `flush` at the end.
        """
        self.take_place()
        place(self.directory, parts)
        self.manifest["parts"] += [part.to_json() for part in parts]
        self._listed_all = False
        if self._save_seconds < _SHORT_SECONDS or time.monotonic() - self._saved_at > _REST * self._save_seconds:
            self.flush()

    def clear(self) -> None:
        """Remove what is not complete; that this fails is no matter."""
        with contextlib.suppress(OSError, Refused), Folder(self.directory) as root:
            clear(root)

    def flush(self) -> None:
        """Save the manifest if it does not list all finished parts yet."""
        if not self._listed_all:
            self.save()

    def sweep(self, unfinished: bool = True) -> None:
        """Remove files of ours that are not listed: leftovers of a killed run, or of a dataset that was replaced.

        Parameters
        ----------
        unfinished
            Whether to remove what is being written too.
        """
        listed = {part["path"] for part in self.manifest["parts"]}
        with disk_errors(self.directory), Folder(self.directory) as root:
            if unfinished:
                clear(root)
            if self._replaces is not None:
                return
            if root.mode(TEMPORARY + MANIFEST) is not None:
                root.remove(TEMPORARY + MANIFEST)
            for table in TABLES:
                if root.mode(table) is None:
                    continue
                with root.inside(table) as folder:
                    for name in folder.names():
                        if OURS.fullmatch(name) and f"{table}/{name}" not in listed:
                            folder.remove(name)
                # unless something else is in it
                root.remove_folder(table)

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

    def batches(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """First match of each batch, and the counts of all, shape (batches, counters).

        Raises
        ------
        Damaged
            If they are not those that the manifest tells of.
        """
        rows = self.read("summary")
        try:
            wrong = schema.wrong_batches(rows, self.plan.batch)
            first = schema.first_matches(rows)
            counts = schema.table_to_counts(rows, self.spec.counts(self.rules))
        except (LookupError, ValueError, TypeError, AttributeError, pa.lib.ArrowException) as error:
            raise Damaged(f"{self.directory}: its summary is not one of {self.spec.title}") from error
        if self.complete and not wrong:
            totals, counted = self.manifest["totals"], {"matches": self.manifest["matches"], **self.spec.totals(counts)}
            wrong = "; ".join(
                f"totals: {name} is {totals.get(name)}, counted {counted.get(name)}"
                for name in {**counted, **totals}
                if totals.get(name) != counted.get(name)
            )
        if wrong:
            raise Damaged(f"{self.directory} is damaged: {wrong}")
        return first, counts

    def counts(self) -> npt.NDArray[np.int64]:
        """Counts of all batches, shape (batches, counters); see `batches`."""
        return self.batches()[1]


def holds_dataset(directory: Path) -> bool:
    """Whether a directory has a manifest, of which nothing else is known."""
    try:
        with Folder(directory) as folder:
            return folder.mode(MANIFEST) is not None
    except (FileNotFoundError, NotADirectoryError):
        return False


def _is_free(directory: Path) -> bool:
    """Whether a directory holds nothing, or only what a run leaves that was killed before it had a manifest."""
    with Folder(directory) as root:
        for name in root.names():
            if name in (LOCK, TEMPORARY + MANIFEST):
                continue
            if name not in (WRITING, *TABLES) or not stat.S_ISDIR(root.mode(name) or 0):
                return False
            with root.inside(name) as folder:
                if any(name != WRITING or not UNFINISHED.fullmatch(entry) for entry in folder.names()):
                    return False
    return True


def new_provenance_text(dataset: Dataset, config: RunConfig) -> str:
    """Provenance for further parts: that of the first ones, so that all parts of a run agree."""
    keys = provenance(config).keys()
    if all(key in dataset.manifest for key in keys):
        return json.dumps({key: dataset.manifest[key] for key in keys}, sort_keys=True)
    return provenance_text(config)
