"""Arrow schemas of the result tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from domeng_sim.core.codes import labels
from domeng_sim.core.tables import Column, Table
from domeng_sim.games.types import Count
from domeng_sim.runs.store.files import file_digest

METADATA_KEY = b"domeng_sim"
_WHOLE = 1 << 28
"""Bytes of a part file that are read into memory at most; of a larger one, some rows at a time."""
AXES = ("kind", "seat", "other", "bin")
"""Axes of the counters; a counter without one of them has -1 there."""

_SUMMARY_MEANING = {
    "first_match": "first match of the batch",
    "matches": "matches in the batch",
    "measure": "what is counted",
    "kind": "kind (outcome, cause, ending), in the order of the codes; -1 none",
    "seat": "seat; -1 none",
    "other": "second seat or distance; -1 none",
    "bin": "value counted; -1 none",
    "value": "count; counts that are 0 are left out",
}


def _arrow_type(column: Column) -> pa.DataType:
    if column.code is not None:
        return pa.dictionary(pa.int8(), pa.string())
    return pa.type_for_alias(column.dtype)


def _field(name: str, kind: pa.DataType, meaning: str, unit: str = "", nullable: bool = False) -> pa.Field:
    metadata = {"meaning": meaning} | ({"unit": unit} if unit else {})
    return pa.field(name, kind, nullable=nullable, metadata=metadata)


def with_provenance(schema: pa.Schema, text: str) -> pa.Schema:
    """The schema with the run's provenance in its metadata, where pandas finds it as `DataFrame.attrs` as well."""
    attrs = json.dumps({METADATA_KEY.decode(): json.loads(text)}, sort_keys=True)
    return schema.with_metadata({METADATA_KEY: text.encode(), b"PANDAS_ATTRS": attrs.encode()})


def table_schema(table: Table, options: Collection[str], provenance: str) -> pa.Schema:
    """Arrow schema of a result table.

    Parameters
    ----------
    table
        The table.
    options
        Optional columns asked for.
    provenance
        JSON for the metadata.
    """
    fields = [
        _field(column.name, _arrow_type(column), _meaning(column), column.unit, column.nullable)
        for column in table
        if column.optional is None or column.optional in options
    ]
    return with_provenance(pa.schema(fields), provenance)


def _meaning(column: Column) -> str:
    if column.code is None:
        return column.meaning
    return column.meaning + ": " + "; ".join(f"{code.label}: {code.sentence}" for code in sorted(column.code))


def summary_schema(provenance: str) -> pa.Schema:
    """Arrow schema of the `summary` table."""
    types = {
        "first_match": pa.int64(),
        "matches": pa.int64(),
        "measure": pa.dictionary(pa.int8(), pa.string()),
        **dict.fromkeys(AXES, pa.int16()),
        "bin": pa.int32(),
        "value": pa.int64(),
    }
    fields = [_field(name, types[name], meaning) for name, meaning in _SUMMARY_MEANING.items()]
    return with_provenance(pa.schema(fields), provenance)


def _numbers(values: npt.NDArray[Any]) -> pa.Array:
    """Numbers as Arrow takes them, not copied; `pa.array` would import pandas, which takes longer than a short run."""
    values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)])


def _labels(indices: npt.NDArray[np.int8], texts: Sequence[str], nullable: bool = False) -> pa.DictionaryArray:
    """Codes with their labels; -1 becomes null where that is allowed."""
    indices = np.ascontiguousarray(indices)
    valid = None
    if nullable and (indices < 0).any():
        valid = pa.py_buffer(np.packbits(indices >= 0, bitorder="little"))
    codes = pa.Array.from_buffers(pa.int8(), len(indices), [valid, pa.py_buffer(indices)])
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    names = pa.StringArray.from_buffers(len(encoded), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))
    return pa.DictionaryArray.from_arrays(codes, names)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece."""
    if column.num_chunks == 0:
        return pa.nulls(0, column.type)
    return column.chunk(0) if column.num_chunks == 1 else column.unify_dictionaries().combine_chunks()


def to_numpy(array: pa.Array) -> npt.NDArray[Any]:
    """Numbers without nulls, not copied; again without pandas."""
    dtype = np.dtype(array.type.to_pandas_dtype())
    return np.frombuffer(array.buffers()[1], dtype, len(array), array.offset * dtype.itemsize)


def to_batch(table: Table, schema: pa.Schema, columns: Mapping[str, npt.NDArray[Any]]) -> pa.RecordBatch:
    """Columns as the core fills them, as Arrow takes them; numbers are not copied."""
    arrays = []
    for name in schema.names:
        column, values = table[name], columns[name]
        arrays.append(
            _numbers(values) if column.code is None else _labels(values, labels(column.code), column.nullable)
        )
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def counts_to_table(
    counts: npt.NDArray[np.int64],
    blocks: tuple[Count, ...],
    first_match: int,
    batch: int,
    n_matches: int,
    schema: pa.Schema,
) -> pa.Table:
    """Counts as rows of the `summary` table; zeros are left out.

    Parameters
    ----------
    counts
        Shape (batches, counters).
    blocks
        Blocks of counters in order.
    first_match
        First match of the first batch.
    batch
        Matches in a batch; the last one may have fewer.
    n_matches
        Matches in all.
    schema
        `summary_schema`.
    """
    rows, positions = np.nonzero(counts)
    measure = np.repeat(np.arange(len(blocks), dtype=np.int8), [block.size for block in blocks])
    axes = {axis: np.full(counts.shape[1], -1, np.int32) for axis in AXES}
    start = 0
    for block in blocks:
        grid = np.indices(block.shape).reshape(len(block.shape), block.size)
        for (axis, _), values in zip(block.axes, grid, strict=True):
            axes[axis][start : start + block.size] = values
        start += block.size
    sizes = np.minimum(batch, n_matches - batch * np.arange(len(counts)))
    arrays = {
        "first_match": _numbers(first_match + batch * rows),
        "matches": _numbers(sizes[rows]),
        "measure": _labels(measure[positions], [block.name for block in blocks]),
        **{axis: _numbers(axes[axis][positions].astype(np.int16)) for axis in AXES if axis != "bin"},
        "bin": _numbers(axes["bin"][positions]),
        "value": _numbers(counts[rows, positions]),
    }
    return pa.Table.from_arrays([arrays[name] for name in schema.names], schema=schema)


def table_to_counts(table: pa.Table, blocks: tuple[Count, ...]) -> npt.NDArray[np.int64]:
    """Counts from rows of the `summary` table.

    Parameters
    ----------
    table
        Rows in any order; batches come out by their first match.
    blocks
        Blocks of counters in order.

    Returns
    -------
    ndarray of int64
        Shape (batches, counters).
    """
    first, batch = np.unique(to_numpy(_whole(table["first_match"])), return_inverse=True)
    names = _whole(table["measure"])
    dictionary = names.dictionary.to_pylist()
    measure = to_numpy(names.indices)
    starts = np.concatenate([[0], np.cumsum([block.size for block in blocks])])
    counts = np.zeros((len(first), int(starts[-1])), np.int64)
    values = {axis: to_numpy(_whole(table[axis])) for axis in (*AXES, "value")}
    for number, block in enumerate(blocks):
        if block.name not in dictionary:
            continue
        chosen = measure == dictionary.index(block.name)
        position = np.zeros(int(chosen.sum()), np.int64)
        for axis, length in block.axes:
            position = position * length + values[axis][chosen]
        np.add.at(counts, (batch[chosen], starts[number] + position), values["value"][chosen])
    return counts


def first_matches(table: pa.Table) -> npt.NDArray[np.int64]:
    """First match of each batch of a `summary` table, in order."""
    return np.unique(to_numpy(_whole(table["first_match"]))).astype(np.int64)


def wrong_batches(table: pa.Table, batch: int) -> str:
    """Why the rows of a `summary` table are not of batches of so many matches; empty if they are."""
    first, matches = (to_numpy(_whole(table[name])).astype(np.int64) for name in ("first_match", "matches"))
    # the last batch of a run may have fewer
    short = matches[first != first.max(initial=0)]
    if (first % batch).any() or (short != batch).any() or (matches > batch).any():
        return f"summary: its batches are not of {batch} matches"
    return ""


def open_parquet(file: BinaryIO, sha256: str) -> pq.ParquetFile:
    """A part file, once it is known to be what was written.

    It is read as a whole, so that what was looked at is what is used, unless it is large, as parts of 10^10 rounds and
    more are.  The digest covers what the checksums of pages do not, such as the description of the row groups, and
    costs a twentieth of decoding.

    Parameters
    ----------
    file
        The file, from its beginning.
    sha256
        Its checksum in the manifest.

    Raises
    ------
    OSError
        If its checksum is another.
    """
    content = file.read(_WHOLE + 1)
    if len(content) > _WHOLE:
        del content
        if file_digest(file) != sha256:
            raise OSError("the checksum differs")
        file.seek(0)
        return pq.ParquetFile(file, page_checksum_verification=True)
    if hashlib.sha256(content).hexdigest() != sha256:
        raise OSError("the checksum differs")
    return pq.ParquetFile(pa.py_buffer(content), page_checksum_verification=True)
