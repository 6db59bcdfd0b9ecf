"""Counts behind a report: the summary as it is, and the rows of the other tables in one pass with flat memory.

A part file holds whole matches and whole batches of matches, so parts are counted apart from each other, on all
processors, a few ten thousand rows at a time.  Whatever a run's size, what is kept is one row of counters a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from domeng_sim.core.codes import labels
from domeng_sim.core.tables import LEVELS, Table
from domeng_sim.errors import BadInput, Damaged
from domeng_sim.games.shared.outline import Outline, TableTally
from domeng_sim.games.types import Count
from domeng_sim.runs.command import command_line
from domeng_sim.runs.counters import CountTable
from domeng_sim.runs.executors.threads import Threads
from domeng_sim.runs.progress import Progress
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.runs.store.location import Location
from domeng_sim.runs.store.parts import Part, parquet_file

ROWS = 1 << 16
"""Rows that are read at a time by a thread."""

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Counted:
    """The counters of a run, by batch of matches.

    Attributes
    ----------
    first
        First match of each batch, rising, shape (batches,).
    batch
        Matches in a batch; the last one may have fewer.
    blocks
        What is counted, in order.
    counts
        Shape (batches, counters).
    tables
        Name of the table that each block comes from.
    read
        Rows that were read, by table; the summary is left out.
    """

    first: Counts
    batch: int
    blocks: tuple[Count, ...]
    counts: Counts
    tables: dict[str, str]
    read: dict[str, int]

    def merged(self, batch: int) -> Counted:
        """The same with larger batches.

        Parameters
        ----------
        batch
            Matches in a batch, a multiple of those now.
        """
        if batch == self.batch:
            return self
        number, at = np.unique(self.first // batch, return_inverse=True)
        counts = np.zeros((len(number), self.counts.shape[1]), np.int64)
        np.add.at(counts, at, self.counts)
        return replace(self, first=number * batch, batch=batch, counts=counts)

    def placed(self, first: Counts) -> Counts:
        """Counts in a longer list of batches, zero in those that are missing.

        Parameters
        ----------
        first
            First match of each batch; all of `self.first` are among them.
        """
        counts = np.zeros((len(first), self.counts.shape[1]), np.int64)
        counts[np.searchsorted(first, self.first)] = self.counts
        return counts

    def table(self, counts: Counts | None = None) -> CountTable:
        """The counters by name."""
        return CountTable(self.blocks, self.counts if counts is None else counts)


def count(dataset: Dataset, outline: Outline, *, deepest: str, threads: int, progress: Progress) -> Counted:
    """Count what a report needs.

    Parameters
    ----------
    dataset
        The run; of an unfinished one, its finished parts.
    outline
        What is counted from which table.
    deepest
        Tables beyond this level are not read.
    threads
        How many threads read.
    progress
        Told how many rows are read.

    Raises
    ------
    BadInput
        If no part is finished.
    Damaged
        If a part is missing or cannot be read, or tables contradict each other.
    """
    batch, blocks = dataset.plan.batch, dataset.spec.counts(dataset.rules)
    first, counts = dataset.batches()
    tables = {block.name: "summary" for block in blocks}
    stored = LEVELS.index(dataset.manifest["tables"])
    tallies = [tally for tally in outline.tallies if LEVELS.index(tally.table) <= min(stored, LEVELS.index(deepest))]
    parts = {tally.table: [part for part in dataset.parts if part.table == tally.table] for tally in tallies}
    progress.begin(sum(part.rows for listed in parts.values() for part in listed), 0, "rows")
    pieces, read, done = [counts], {}, 0
    try:
        for tally in tallies:
            reader = Reader(dataset, tally, batch)
            found = np.zeros((len(first), reader.width), np.int64)
            rows = 0
            for part, part_counts in reader.read(parts[tally.table], threads):
                at = np.searchsorted(first, part.first_match // batch * batch)
                if len(first) < at + len(part_counts):
                    raise Damaged(f"{dataset.directory / part.path} holds matches that the summary does not know")
                found[at : at + len(part_counts)] += part_counts
                rows += part.rows
                done += part.rows
                progress.update(done)
            pieces.append(found)
            tables |= {block.name: tally.table for block in tally.counts}
            read[tally.table] = rows
    finally:
        progress.end()
    known = (*blocks, *(block for tally in tallies for block in tally.counts))
    counted = Counted(first, batch, known, np.concatenate(pieces, axis=1), tables, read)
    _check(dataset, counted, tallies)
    return counted


def _check(dataset: Dataset, counted: Counted, tallies: Sequence[TableTally]) -> None:
    """Compare what the tables say of the same thing."""
    table = counted.table()
    for tally in tallies:
        wrong = np.flatnonzero(table.total(tally.same[0]) != table.total(tally.same[1]))
        if len(wrong):
            raise Damaged(
                f"{dataset.directory}: the table {tally.table} does not agree with the summary from match "
                f"{counted.first[wrong[0]]} on; `domeng-sim verify {dataset.directory}` checks all parts"
            )


class Reader:
    """Counts the parts of one table.

    Parameters
    ----------
    dataset
        The run.
    tally
        What is counted.
    batch
        Matches in a batch.
    """

    def __init__(self, dataset: Dataset, tally: TableTally, batch: int) -> None:
        self._directory, self._tally, self._batch = dataset.directory, tally, batch
        self._definition = dataset.spec.tables[tally.table]
        self._function: Callable[..., int] = tally.load()
        self.width = sum(block.size for block in tally.counts)

    def read(self, parts: Sequence[Part], threads: int) -> Iterator[tuple[Part, Counts]]:
        """Counts of each part, shape (batches of the part, counters), as they are finished."""
        yield from Threads(threads).map(self._part, parts, lambda: None)

    def _part(self, part: Part) -> tuple[Part, Counts]:
        first, last = part.first_match // self._batch, part.last_match // self._batch
        counts = np.zeros((last - first + 1, self.width), np.int64)
        arrays, start = [], 0
        for block in self._tally.counts:
            # contiguous arrays of their own: the counter is compiled for these
            arrays.append(np.zeros((len(counts), *block.shape), np.int64))
        state = np.full(self._tally.state, -1, np.int64)
        path, rows = self._directory / part.path, 0
        for columns in self._batches(part):
            taken = self._function(self._batch, first, state, *columns, *arrays)
            if taken != len(columns[0]):
                raise Damaged(f"{path}: row {rows + taken} is impossible; {self._hint()}")
            rows += taken
        if rows != part.rows:
            raise Damaged(f"{path} has {rows} rows, not the {part.rows} of the manifest; {self._hint()}")
        for array in arrays:
            flat = array.reshape(len(counts), -1)
            counts[:, start : start + flat.shape[1]] = flat
            start += flat.shape[1]
        return part, counts

    def _hint(self) -> str:
        return f"`domeng-sim verify {self._directory}` checks all parts"

    def _batches(self, part: Part) -> Iterator[tuple[npt.NDArray[Any], ...]]:
        """Columns of some rows at a time."""
        path = self._directory / part.path
        names = list(self._tally.columns)
        try:
            with parquet_file(self._directory, part) as file:
                for batch in file.iter_batches(batch_size=ROWS, columns=names, use_threads=False):
                    yield tuple(_array(batch.column(name), self._definition, name) for name in names)
        except FileNotFoundError as error:
            again = command_line("run", {"resume": True, "out": self._directory})
            raise Damaged(f"{path} is missing; `{again}` makes it again") from error
        except (pa.lib.ArrowException, OSError, KeyError, ValueError) as error:
            raise Damaged(f"{path} cannot be read; {self._hint()}") from error


def _array(column: pa.Array, definition: Table, name: str) -> npt.NDArray[Any]:
    """A column as the counter takes it: labels as their codes."""
    code = definition[name].code
    numbers = column if code is None else column.indices
    array: npt.NDArray[Any] = numbers.to_numpy(zero_copy_only=True)
    if code is None:
        return array
    known, found = labels(code), column.dictionary.to_pylist()
    if found != known:
        array = np.array([known.index(label) if label in known else -1 for label in found], np.int8)[array]
        array.flags.writeable = False
    return array


def open_run(directory: Location) -> Dataset:
    """The dataset of a run.

    Raises
    ------
    BadInput
        If there is none, or it is of another command.
    Damaged
        If its manifest is.
    """
    dataset = Dataset.open(directory)
    if "study" in dataset.manifest:
        raise BadInput(f"{directory} is a dataset of another command; report takes those of `domeng-sim run`")
    return dataset
