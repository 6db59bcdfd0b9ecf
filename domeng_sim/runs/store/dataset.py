"""A dataset that is being written: parts are added, and the manifest that lists them is saved."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.errors import FieldRef, Refused, UserError
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.plan import Plan, Range, Shard
from domeng_sim.runs.provenance import provenance, provenance_text
from domeng_sim.runs.store.location import Location
from domeng_sim.runs.store.manifest_text import manifest_text
from domeng_sim.runs.store.open_storage import storage_of
from domeng_sim.runs.store.parts import Part, PartFiles, PartWriter
from domeng_sim.runs.store.storage import MANIFEST, OURS, UNFINISHED, WRITING
from domeng_sim.runs.store.stored import TABLES, Stored

__all__ = ["MANIFEST", "Dataset", "Part", "PartFiles", "PartWriter", "holds_dataset", "new_provenance_text"]

_SHORT_SECONDS, _REST = 0.05, 20
"""A manifest that takes longer to save than this is saved at most a twentieth of the time."""


class Dataset(Stored):
    """A run or a study, which may be written; see `Stored`."""

    def __init__(self, directory: Location, manifest: dict[str, Any], wrong: tuple[str, ...] = ()) -> None:
        super().__init__(directory, manifest, wrong)
        self._replaces: Dataset | None = None
        self._listed_all = True
        self._saved_at = self._save_seconds = 0.0

    @classmethod
    def create(
        cls, directory: Location, config: RunConfig, plan: Plan, overwrite: bool, shard: Shard | None = None
    ) -> Dataset:
        """Begin the dataset of a run, or of a piece of it; see `begin`."""
        manifest = {
            **provenance(config),
            **({"shard": {"number": shard.number, "of": shard.of}} if shard is not None else {}),
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
    def begin(cls, directory: Location, manifest: dict[str, Any], overwrite: bool) -> Dataset:
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
        dataset.storage.make()
        if old is None:
            dataset.save()
        return dataset

    @classmethod
    def replaced(cls, directory: Location, overwrite: bool) -> Dataset | None:
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
        storage_of(directory).refuse_unusable()
        if _is_free(directory):
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

    def remove(self) -> None:
        """Remove the files of this dataset, and nothing else; the manifest goes last."""
        self.manifest["parts"] = []
        self.sweep()
        if self._replaces is None:
            self.storage.remove("", [MANIFEST])

    def take_place(self) -> None:
        """Take the place of the dataset that is to be replaced, if that has not been done yet."""
        if self._replaces is not None:
            old, self._replaces = self._replaces, None
            # the new manifest first: it never lists what is being removed, and what it does not list can be swept later
            self.save()
            # of what is there now, parts under way may be in their places already
            there, parts = old.sizes(), [part for part in old.parts if OURS.fullmatch(part.name)]
            for table in old.tables:
                names = [part.name for part in parts if part.table == table and part.place in there]
                self.storage.remove(table, names)
            self.storage.clear(parts=False)

    def save(self) -> None:
        """Write the manifest, its parts in order."""
        started = time.monotonic()
        order = {table: number for number, table in enumerate(self.tables)}
        self.manifest["parts"].sort(
            key=lambda part: (part.get("lineup", ""), part["first_match"], order[part["table"]])
        )
        self.storage.write(MANIFEST, manifest_text(self.manifest))
        self._listed_all = True
        self._saved_at = time.monotonic()
        self._save_seconds = self._saved_at - started

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

    def keep_only(self, keep: Callable[[Range], bool]) -> None:
        """Take all other parts off the list; their files become leftovers."""
        kept = [part.to_json() for part in self.parts if keep(part.matches)]
        if len(kept) != len(self.manifest["parts"]):
            self.manifest |= {"parts": kept, "status": "running", "totals": {}, "matches": self.config.n_matches}
            self.save()

    def add(self, parts: list[Part], attempt: str = "") -> None:
        """Put the files of a finished part into their places, and list them.

        The manifest is saved now, or, where saving takes long because there are many parts, together with later ones:
        call `flush` at the end.

        Parameters
        ----------
        parts
            The files.
        attempt
            See `PartFiles`.
        """
        self.take_place()
        self.storage.place([part.place for part in parts], attempt)
        self.manifest["parts"] += [part.to_json() for part in parts]
        self._listed_all = False
        if self._save_seconds < _SHORT_SECONDS or time.monotonic() - self._saved_at > _REST * self._save_seconds:
            self.flush()

    def finish(self, matches: int, made: Mapping[str, object]) -> npt.NDArray[np.int64]:
        """Say that all matches are there, and remove leftovers; the counts of all batches.

        Parameters
        ----------
        matches
            Number of matches of the run.
        made
            What differs between two runs of the same thing.
        """
        counts = self.counts()
        self.sweep()
        self.manifest["matches"] = matches
        self.manifest["totals"] = {"matches": len(self.span()), **self.spec.totals(counts)}
        self.manifest["status"] = "complete"
        self.manifest["run"] |= made
        self.save()
        return counts

    def flush(self) -> None:
        """Save the manifest if it does not list all finished parts yet."""
        if not self._listed_all:
            self.save()

    def clear(self) -> None:
        """Remove what is not complete; that this fails is no matter."""
        with contextlib.suppress(OSError, UserError):
            self.storage.clear()

    def sweep(self) -> None:
        """Remove files of ours that are not listed: leftovers of a killed run, or of a dataset that was replaced."""
        self.storage.clear()
        if self._replaces is not None:
            return
        listed = {part["path"] for part in self.manifest["parts"]}
        for table in TABLES:
            there = self.storage.entries(table)
            self.storage.remove(
                table, [name for name in there if OURS.fullmatch(name) and f"{table}/{name}" not in listed]
            )


def holds_dataset(directory: Location) -> bool:
    """Whether a place has a manifest, of which nothing else is known."""
    return storage_of(directory).has(MANIFEST)


def _is_free(directory: Location) -> bool:
    """Whether a place holds nothing, or only what a run leaves that was killed before it had a manifest."""
    storage = storage_of(directory)
    for name, size in storage.entries().items():
        if name not in (WRITING, *TABLES) or size is not None:
            return False
        if any(name != WRITING or not UNFINISHED.fullmatch(entry) for entry in storage.entries(name)):
            return False
    return True


def new_provenance_text(dataset: Dataset, config: RunConfig) -> str:
    """Provenance for further parts: that of the first ones, so that all parts of a run agree."""
    keys = provenance(config).keys()
    if all(key in dataset.manifest for key in keys):
        return json.dumps({key: dataset.manifest[key] for key in keys}, sort_keys=True)
    return provenance_text(config)
