"""A writer of Parquet files for tables of small numbers, several times as fast as one for everything.

A Parquet file is a row of *pages*.  The pages of one column within one *row group* (here: a batch of rows) are a *column
chunk*.  At the end stands a *footer* that says what the columns are and where each chunk begins::

    "PAR1"  [dictionary page, data page] of each column    <- row group 1
            [dictionary page, data page] of each column    <- row group 2 ...
            footer, its length in 4 bytes, "PAR1"

Headers of pages and the footer are structures of Thrift, in its compact form; their fields are numbered in
``parquet.thrift``.  Names in parentheses below are files and headings of https://github.com/apache/parquet-format.

A chunk with a dictionary (Encodings.md, *Dictionary Encoding*) lists its values in the dictionary page; the data page has
for each row the place of its value in that list, in as few bits as the list needs.  A writer for everything must find out
which values there are, by hashing each of them, and that is what takes its time.  Here the list is known beforehand: the
numbers 0, 1, ... 2^w - 1, or with -1 in place of the last one.  So the place of a number is its low w bits, and writing
a column is little more than moving these bits together (`core.bit_packing`).

Whatever does not fit that (columns that may be null, large numbers, other types) is written by pyarrow as a file of one
column, whose pages are moved into ours.  The part of the footer that describes the columns is pyarrow's in any case.
"""

from __future__ import annotations

import functools
import hashlib
import zlib
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from domeng_sim.runs.store.schema import parquet_options, to_numpy
from domeng_sim.version import __version__

CREATED_BY = f"domeng-sim version {__version__} (build pyarrow-{pa.__version__})"

# enumerations of parquet.thrift, in the order of their codes
_TYPES = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
_ENCODINGS = ("PLAIN", "", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY")
_ENCODINGS += ("DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT")
_PLAIN, _RLE, _RLE_DICTIONARY = map(_ENCODINGS.index, ("PLAIN", "RLE", "RLE_DICTIONARY"))
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
_SNAPPY_CODE, _SNAPPY = 1, pa.Codec("snappy")

_RUNS_GAIN = 4
"""How much shorter runs must be than packed bits, which readers take faster."""

# --- Thrift's compact form (thrift-compact-protocol.md of Apache Thrift) ---

_TRUE, _I32, _I64, _BINARY, _LIST, _STRUCT = 1, 5, 6, 8, 9, 12
Field = tuple[int, int, Any]
"""Number of a field of a structure, type of its value, and the value."""


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the top bit says that more follow."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _value(kind: int, value: Any) -> bytes:
    if kind in (_I32, _I64):
        # the sign in the lowest bit, so that small numbers stay short
        return _varint(value << 1 if value >= 0 else ~(value << 1))
    if kind == _BINARY:
        return _varint(len(value)) + value
    if kind == _LIST:
        of, values = value
        n = len(values)
        head = bytes([n << 4 | of]) if n < 15 else bytes([0xF0 | of]) + _varint(n)
        return head + b"".join([_value(of, one) for one in values])
    return bytes(value)  # a structure; nothing for true


def _struct(*fields: Field, last: int = 0) -> bytes:
    """Fields: how far the number is from the `last` one, with the type, then the value; a zero ends them."""
    out = bytearray()
    for number, kind, value in fields:
        out.append((number - last) << 4 | kind)
        out += _value(kind, value)
        last = number
    return bytes(out) + b"\0"


# --- pages ---


class _Page(NamedTuple):
    """A page as it stands in the file, and its size before compression."""

    content: bytes
    size: int


def _page(kind: int, header: Field, content: bytes) -> _Page:
    """Compress a page and put its header in front (parquet.thrift, `PageHeader`; README.md, *Checksumming*)."""
    compressed = _SNAPPY.compress(content, asbytes=True)
    checksum = zlib.crc32(compressed)
    signed = checksum - (checksum >> 31 << 32)
    sizes = (2, _I32, len(content)), (3, _I32, len(compressed))
    head = _struct((1, _I32, kind), *sizes, (4, _I32, signed), header)
    return _Page(head + compressed, len(head) + len(content))


def _dictionary_page(n_values: int, content: bytes) -> _Page:
    """Values as they are, one after the other (`DictionaryPageHeader`; Encodings.md, *Plain*)."""
    return _page(_DICTIONARY_PAGE, (7, _STRUCT, _struct((1, _I32, n_values), (2, _I32, _PLAIN))), content)


@functools.lru_cache(maxsize=64)
def _dictionary_of_numbers(dtype: str, first: int, n_values: int, minus_one: bool) -> _Page:
    """The numbers from `first` on; with -1 in place of the last one if `minus_one`."""
    values = np.arange(first, first + n_values, dtype=dtype)
    if minus_one:
        values[-1] = -1
    return _dictionary_page(n_values, values.tobytes())


def _data_page(places: npt.NDArray[Any], width: int) -> _Page:
    """Places in a dictionary (`DataPageHeader`; Encodings.md, *Dictionary Encoding* and *RLE / Bit-Packing Hybrid*).

    Parameters
    ----------
    places
        Shape (rows,); numbers whose low bits are the places.
    width
        Number of these bits: 1 to 16.
    """
    n = len(places)
    n_groups = -(-n // 8)
    # the packed form comes in groups of eight; what fills up the last one is not read
    lanes = np.zeros(8 * n_groups, np.uint8 if width <= 8 else np.uint16)
    lanes[:n] = places
    is_new = lanes[1:n] != lanes[: n - 1]
    n_runs = 1 + int(np.count_nonzero(is_new))
    if _RUNS_GAIN * n_runs * (1 + -(-width // 8)) < n_groups * width:
        rows = _runs(lanes, np.flatnonzero(is_new) + 1, n, width)
    else:
        rows = _varint(n_groups << 1 | 1) + _packed(lanes, width)
    levels = (3, _I32, _RLE), (4, _I32, _RLE)  # there are none: no value is null, or a list
    header = _struct((1, _I32, n), (2, _I32, _RLE_DICTIONARY), *levels)
    return _page(_DATA_PAGE, (5, _STRUCT, header), bytes([width]) + rows)


def _packed(lanes: npt.NDArray[Any], width: int) -> bytes:
    """`width` bits a number."""
    # here, so that reading a dataset does without the compiler
    from domeng_sim.core.bit_packing import pack

    size = len(lanes) * width // 8
    out = np.empty(-(-size // 8), np.uint64)
    pack(lanes.view(np.uint64), np.uint64(8 * lanes.itemsize), np.uint64(width), out)
    return out.view(np.uint8)[:size].tobytes()


def _runs(lanes: npt.NDArray[Any], changes: npt.NDArray[np.int64], n: int, width: int) -> bytes:
    """Each run as twice its length, a varint, and its number in whole bytes."""
    starts = np.concatenate([[0], changes])
    doubled = np.diff(starts, append=n) << 1
    numbers = lanes[starts] & ((1 << width) - 1)
    columns, is_there = [], []
    for shift in range(0, 35, 7):
        rest = doubled >> shift
        columns.append(rest & 127 | (rest > 127) << 7)
        is_there.append(rest > 0)
    for shift in range(0, width, 8):
        columns.append(numbers >> shift & 255)
        is_there.append(np.full(len(starts), True))
    return np.stack(columns, 1).astype(np.uint8)[np.stack(is_there, 1)].tobytes()


# --- column chunks ---


class _Chunk(NamedTuple):
    """A column of a row group: codes of its type and encodings, its pages, where the data begins in them (0 without a
    dictionary), and their size before compression.
    """

    kind: int
    encodings: tuple[int, ...]
    pages: bytes
    data_at: int
    size: int


def _with_dictionary(kind: str, dictionary: _Page, data: _Page) -> _Chunk:
    encodings = _PLAIN, _RLE, _RLE_DICTIONARY
    pages, size = dictionary.content + data.content, dictionary.size + data.size
    return _Chunk(_TYPES.index(kind), encodings, pages, len(dictionary.content), size)


def _chunk_of_numbers(values: npt.NDArray[Any], low: int, high: int) -> _Chunk | None:
    """A column of numbers from `low` to `high`; None if there are too many different ones for a dictionary."""
    kind, dtype = ("INT64", "<i8") if values.itemsize == 8 else ("INT32", "<i4")
    # a dictionary takes at most a byte a row, or is small anyway
    most = min(max(256, len(values) // np.dtype(dtype).itemsize), 1 << 16)
    first = 0 if low >= -1 and high < most - 1 else low
    if high - first >= most:
        return None
    minus_one = low < first
    width = max(1, (high - first + minus_one).bit_length())
    n_values = high - first + 1 if first else 1 << width
    dictionary = _dictionary_of_numbers(dtype, first, n_values, minus_one)
    return _with_dictionary(kind, dictionary, _data_page(values - first if first else values, width))


def _chunk_of_labels(column: pa.DictionaryArray) -> _Chunk:
    labels = [label.encode() for label in column.dictionary.to_pylist()]
    content = b"".join(len(label).to_bytes(4, "little") + label for label in labels)
    data = _data_page(to_numpy(column.indices), max(1, (len(labels) - 1).bit_length()))
    return _with_dictionary("BYTE_ARRAY", _dictionary_page(len(labels), content), data)


def _chunk_by_pyarrow(field: pa.Field, column: pa.Array) -> _Chunk:
    """The pages of a file that pyarrow makes of one column."""
    schema, sink = pa.schema([field]), pa.BufferOutputStream()
    with pq.ParquetWriter(sink, schema, **parquet_options(schema)) as writer:
        writer.write_batch(pa.record_batch([column], schema=schema), row_group_size=len(column))
    about = pq.read_metadata(pa.BufferReader(sink.getvalue())).row_group(0).column(0)
    data_at = about.data_page_offset
    start = about.dictionary_page_offset if about.has_dictionary_page else data_at
    pages = sink.getvalue().slice(start, about.total_compressed_size).to_pybytes()
    encodings = tuple(map(_ENCODINGS.index, about.encodings))
    return _Chunk(_TYPES.index(about.physical_type), encodings, pages, data_at - start, about.total_uncompressed_size)


# --- the footer ---


def _statistics(low: int, high: int, n_bytes: int) -> Field:
    """Least and largest value, both exact, and no nulls (parquet.thrift, `Statistics`)."""
    least, largest = (end.to_bytes(n_bytes, "little", signed=True) for end in (low, high))
    exact = (7, _TRUE, b""), (8, _TRUE, b"")
    return 12, _STRUCT, _struct((3, _I64, 0), (5, _BINARY, largest), (6, _BINARY, least), *exact)


def _column_chunk(name: str, chunk: _Chunk, at: int, n_rows: int, statistics: list[Field]) -> bytes:
    """What the footer says of a chunk that begins at `at` (parquet.thrift, `ColumnChunk` and `ColumnMetaData`)."""
    kinds = (1, _I32, chunk.kind), (2, _LIST, (_I32, chunk.encodings)), (3, _LIST, (_BINARY, [name.encode()]))
    sizes = (4, _I32, _SNAPPY_CODE), (5, _I64, n_rows), (6, _I64, chunk.size), (7, _I64, len(chunk.pages))
    places = [(9, _I64, at + chunk.data_at), *([(11, _I64, at)] if chunk.data_at else [])]
    return _struct((2, _I64, 0), (3, _STRUCT, _struct(*kinds, *sizes, *places, *statistics)))


class _Description:
    """What pyarrow says of the columns in the footer of an empty file (parquet.thrift, `FileMetaData`)."""

    def __init__(self, schema: pa.Schema) -> None:
        sink = pa.BufferOutputStream()
        pq.ParquetWriter(sink, schema).close()
        content = sink.getvalue().to_pybytes()
        about = pq.read_metadata(pa.BufferReader(content))
        texts = [_struct((1, _BINARY, key), (2, _BINARY, text)) for key, text in about.metadata.items()]
        self._texts = 5, _LIST, (_STRUCT, texts)
        # values are ordered as their types say
        self._orders = 7, _LIST, (_STRUCT, [_struct((1, _STRUCT, _struct()))] * about.num_columns)
        end = self._end(0, [], about.created_by)
        footer = content[-8 - int.from_bytes(content[-8:-4], "little") : -8]
        self._columns = footer.removesuffix(end)
        if len(self._columns) == len(footer):
            raise ValueError(f"pyarrow {pa.__version__} ends the footer of an empty file in an unknown way")

    def _end(self, n_rows: int, groups: list[bytes], created_by: str) -> bytes:
        """What comes after the version of the format and the schema, which are fields 1 and 2."""
        rows = (3, _I64, n_rows), (4, _LIST, (_STRUCT, groups))
        return _struct(*rows, self._texts, (6, _BINARY, created_by.encode()), self._orders, last=2)

    def footer(self, n_rows: int, groups: list[bytes]) -> bytes:
        """The footer of a file with these row groups."""
        return self._columns + self._end(n_rows, groups, CREATED_BY)


# --- the file ---


class RowGroupWriter:
    """Writes a Parquet file, a row group at a time.

    Parameters
    ----------
    file
        Open for writing, and empty; it is not closed.
    schema
        Of the rows.
    """

    def __init__(self, file: BinaryIO, schema: pa.Schema) -> None:
        self._file, self._schema, self._description = file, schema, _Description(schema)
        self._keys = frozenset(parquet_options(schema)["write_statistics"])
        self._digest = hashlib.sha256()
        self._position = self._n_rows = 0
        self._groups: list[bytes] = []
        self._put(b"PAR1")

    @property
    def sha256(self) -> str:
        """Of all that was written, in hexadecimal."""
        return self._digest.hexdigest()

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write rows as a row group (parquet.thrift, `RowGroup`); none if there are no rows."""
        if not batch.num_rows:
            return
        at, size, pages, columns = self._position, 0, [], []
        for field, column in zip(self._schema, batch.columns, strict=True):
            chunk, statistics = self._chunk(field, column)
            pages.append(chunk.pages)
            columns.append(_column_chunk(field.name, chunk, at, batch.num_rows, statistics))
            at, size = at + len(chunk.pages), size + chunk.size
        places = (5, _I64, self._position), (6, _I64, at - self._position)
        counts = (2, _I64, size), (3, _I64, batch.num_rows)
        self._groups.append(_struct((1, _LIST, (_STRUCT, columns)), *counts, *places))
        self._n_rows += batch.num_rows
        self._put(b"".join(pages))

    def write_table(self, table: pa.Table) -> None:
        """Write rows as one row group."""
        for batch in table.combine_chunks().to_batches():
            self.write_batch(batch)

    def close(self) -> None:
        """Write the footer."""
        footer = self._description.footer(self._n_rows, self._groups)
        self._put(footer + len(footer).to_bytes(4, "little") + b"PAR1")
        self._file.flush()

    def _put(self, content: bytes) -> None:
        self._file.write(content)
        self._digest.update(content)
        self._position += len(content)

    def _chunk(self, field: pa.Field, column: pa.Array) -> tuple[_Chunk, list[Field]]:
        """A column, and its statistics if it is a key."""
        chunk, statistics = None, []
        if not field.nullable and pa.types.is_dictionary(field.type):
            chunk = _chunk_of_labels(column)
        elif not field.nullable and pa.types.is_signed_integer(field.type):
            values = to_numpy(column)
            low, high = int(values.min()), int(values.max())
            chunk = _chunk_of_numbers(values, low, high)
            if field.name in self._keys:
                statistics.append(_statistics(low, high, max(4, values.itemsize)))
        return chunk or _chunk_by_pyarrow(field, column), statistics
