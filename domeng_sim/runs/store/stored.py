"""A dataset as it is: its manifest, the parts that are there, and their rows."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from domeng_sim.core.tables import LEVELS
from domeng_sim.errors import BadInput, Damaged, FieldRef
from domeng_sim.games import GAMES
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import RuleValue
from domeng_sim.runs.command import command_line
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.plan import Plan, Range, Shard
from domeng_sim.runs.store import schema
from domeng_sim.runs.store.files import file_digest
from domeng_sim.runs.store.location import Location
from domeng_sim.runs.store.manifest import STUDY_TABLE, read_manifest
from domeng_sim.runs.store.open_storage import storage_of
from domeng_sim.runs.store.parts import Part, parquet_file
from domeng_sim.runs.store.storage import MANIFEST, WRITING

TABLES = (*LEVELS, STUDY_TABLE)
"""Names of all folders that a dataset may have."""


class Stored:
    """A run or a study as it is stored.

    Parameters
    ----------
    directory
        Where it is.
    manifest
        Contents of its manifest.
    wrong
        In what the manifest contradicts itself; for `verify` only.
    """

    def __init__(self, directory: Location, manifest: dict[str, Any], wrong: tuple[str, ...] = ()) -> None:
        self.directory, self.manifest, self.wrong = directory, manifest, wrong
        self.storage = storage_of(directory)

    @classmethod
    def open(cls, directory: Location, strict: bool = True) -> Self:
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
        storage = storage_of(directory)
        with storage.told(MANIFEST):
            try:
                content = storage.read(MANIFEST)
            except (FileNotFoundError, NotADirectoryError) as error:
                if not storage.exists():
                    raise BadInput(f"{directory} does not exist") from error
                raise BadInput(f"{directory} is not a dataset of domeng-sim: it has no {MANIFEST}") from error
            if strict:
                storage.refuse_links((WRITING, *TABLES))
        manifest, wrong = read_manifest(content, directory / MANIFEST, strict)
        return cls(directory, manifest, tuple(wrong))

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of its tables: up to the level of a run, or the blocks of a study."""
        stored = self.manifest["tables"]
        return LEVELS[: LEVELS.index(stored) + 1] if stored in LEVELS else (stored,)

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
    def shard(self) -> Shard | None:
        """Which piece of a run it is; None for a whole one."""
        return Shard(**self.manifest["shard"]) if "shard" in self.manifest else None

    def span(self) -> Range:
        """The matches that it holds, or is to hold; of a run that is known to have so many."""
        return self.plan.span(self.manifest["matches"], self.shard)

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
        if self.shard is not None:
            return f"shard {self.shard} of a run"
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
        return {
            f"{table}/{name}": size
            for table in self.tables
            for name, size in self.storage.entries(table).items()
            if size is not None
        }

    def digest(self, part: Part) -> str:
        """SHA-256 of a part file, which is a regular one."""
        with self.storage.open(part.place) as file:
            return file_digest(file)

    def damaged(self) -> list[str]:
        """Paths of part files of the right size whose checksum differs; files that are missing are played again."""
        sizes = self.sizes()
        with self.storage.told():
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
            totals, counted = self.manifest["totals"], {"matches": len(self.span()), **self.spec.totals(counts)}
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
