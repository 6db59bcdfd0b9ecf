"""Rows of a dataset as a stream, part by part, in forms that other programs read: memory stays flat."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from domeng_sim.errors import BadField, BadInput, Damaged, FieldRef, Unknown
from domeng_sim.runs.progress import Progress, Silent
from domeng_sim.runs.store.dataset import Dataset, Part
from domeng_sim.runs.store.parts import parquet_file

FORMATS = ("csv", "jsonl", "arrow")
_KEYS = "match", "block"
"""Columns that say to which match a row belongs."""
_ROWS = 1 << 15
"""Rows that are read at a time."""


@dataclass(frozen=True)
class Selection:
    """Which rows and columns of a dataset.

    Attributes
    ----------
    dataset
        The dataset; of one that is not complete, its finished parts.
    table
        Name of the table.
    columns
        Names in their order; empty for all.
    matches
        First and last match, or None for all.
    """

    dataset: Dataset
    table: str
    columns: tuple[str, ...] = ()
    matches: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.table not in self.dataset.tables:
            held = f"{self.dataset.directory} holds no table {self.table!r}, but {', '.join(self.dataset.tables)}"
            raise BadField("table", self.table, message=(held,))

    @property
    def parts(self) -> list[Part]:
        """The parts in which there may be such rows, in the order of the rows."""
        low, high = self.matches or (0, 1 << 62)
        chosen = [
            part
            for part in self.dataset.parts
            if part.table == self.table and part.last_match >= low and part.first_match <= high
        ]
        return sorted(chosen, key=lambda part: (part.lineup, part.first_match))

    def schema(self) -> pa.Schema:
        """Columns of the rows, with what they mean.

        Raises
        ------
        BadField
            If there is no such column.
        BadInput
            If no part is finished.
        """
        first = next((part for part in self.dataset.parts if part.table == self.table), None)
        if first is None:
            raise BadInput(
                f"{self.dataset.directory} holds no finished part yet; go on with ", FieldRef("resume", True)
            )
        with self._told(first), parquet_file(self.dataset.directory, first) as file:
            whole = file.schema_arrow
        for name in self.columns:
            if name not in whole.names:
                raise BadField("columns", name, message=Unknown("column", name, whole.names).parts)
        if self.matches is not None and not set(_KEYS) & set(whole.names):
            raise BadField("match", self.matches, message=(f"rows of the table {self.table} are of many matches each",))
        return pa.schema([whole.field(name) for name in self.columns or whole.names], whole.metadata)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows, some at a time.

        Raises
        ------
        Damaged
            If a part is missing or cannot be read.
        """
        schema = self.schema()
        for part in self.parts:
            with self._told(part), parquet_file(self.dataset.directory, part) as file:
                key = next((name for name in _KEYS if name in file.schema_arrow.names), "")
                names = list(dict.fromkeys([*schema.names, *([key] if self._cuts(part) else [])]))
                for batch in file.iter_batches(batch_size=_ROWS, columns=names, use_threads=False):
                    rows = self._of_matches(batch, key) if self._cuts(part) else batch
                    if rows.num_rows:
                        yield rows.select(schema.names)

    def _cuts(self, part: Part) -> bool:
        """Whether a part has other matches too."""
        return self.matches is not None and not (
            self.matches[0] <= part.first_match and part.last_match <= self.matches[1]
        )

    def _of_matches(self, batch: pa.RecordBatch, key: str) -> pa.RecordBatch:
        low, high = self.matches or (0, 0)
        column = batch.column(key).to_numpy()
        first, end = np.searchsorted(column, low), np.searchsorted(column, high, "right")
        return batch.slice(first, end - first)

    @contextlib.contextmanager
    def _told(self, part: Part) -> Iterator[None]:
        try:
            yield
        except (pa.lib.ArrowException, OSError, KeyError, ValueError) as error:
            where = self.dataset.directory
            hint = f"`domeng-sim verify {where}` checks all parts"
            raise Damaged(f"{where / part.path} cannot be read; {hint}") from error


# --- Forms ------------------------------------------------------------------------------------------------------------


def _lines(batch: pa.RecordBatch, before: Sequence[str], end: str, quote: Callable[[str], str], null: str) -> bytes:
    """Rows as lines of text, made column by column.

    Parameters
    ----------
    batch
        The rows.
    before
        What stands before each column.
    end
        What stands behind the last one.
    quote
        How a label is written.
    null
        What is written for a missing value.
    """
    import pyarrow.compute as pc

    pieces: list[pa.Array | str] = []
    for text, column in zip(before, batch.columns, strict=True):
        if pa.types.is_dictionary(column.type):
            labels = [quote(label) for label in column.dictionary.to_pylist()]
            column = pa.DictionaryArray.from_arrays(column.indices, pa.array(labels, pa.string()))
        pieces += [text, pc.fill_null(column.cast(pa.string()), null)]
    lines = pc.binary_join_element_wise(*pieces, end, "")
    return "".join(lines.to_pylist()).encode()


def _for_csv(text: str) -> str:
    """A text as CSV has it (RFC 4180)."""
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\r\n') else text


def _csv(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> Iterator[bytes]:
    yield (",".join(map(_for_csv, schema.names)) + "\n").encode()
    before = ["" if number == 0 else "," for number in range(len(schema))]
    for batch in batches:
        yield _lines(batch, before, "\n", _for_csv, "")


def _jsonl(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> Iterator[bytes]:
    before = [f"{',' if number else '{'}{json.dumps(name)}:" for number, name in enumerate(schema.names)]
    for batch in batches:
        yield _lines(batch, before, "}\n", json.dumps, "null")


def _arrow(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> Iterator[bytes]:
    sink = io.BytesIO()

    def taken() -> bytes:
        content = sink.getvalue()
        sink.seek(0)
        sink.truncate()
        return content

    with pa.ipc.new_stream(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
            yield taken()
    yield taken()


_ENCODERS = {"csv": _csv, "jsonl": _jsonl, "arrow": _arrow}


def encoded(selection: Selection, form: str, progress: Progress | None = None) -> Iterator[bytes]:
    """The rows in a form that other programs read, some at a time.

    Parameters
    ----------
    selection
        Which rows.
    form
        One of `FORMATS`: ``csv`` with a head, ``jsonl`` with an object a line, or ``arrow``, a stream of Arrow's IPC.
    progress
        Told how many rows were read.

    Raises
    ------
    BadField, BadInput
        If there is no such table, column or part.
    Damaged
        If a part is missing or cannot be read.
    """
    progress, schema = progress or Silent(), selection.schema()

    def told() -> Iterator[pa.RecordBatch]:
        done = 0
        progress.begin(sum(part.rows for part in selection.parts), 0, "rows")
        try:
            for batch in selection.batches():
                yield batch
                done += batch.num_rows
                progress.update(done)
        finally:
            progress.end()

    yield from _ENCODERS[form](schema, told())
