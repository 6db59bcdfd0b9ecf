"""A writer of Parquet files for tables of small numbers, several times as fast as one for everything.

A Parquet file is a row of *pages*.  Those of one column within one *row group* (a batch of rows) are a *column chunk*.
At the end stands a *footer* that says what the columns are and where each chunk begins::

    "PAR1"  [dictionary page, data page] of each column    <- row group 1
            [dictionary page, data page] of each column    <- row group 2 ...
            footer, its length in 4 bytes, "PAR1"

Headers of pages and the footer are structures of Thrift, in its compact form; ``parquet.thrift`` numbers their fields.
Names in parentheses below are files and headings of https://github.com/apache/parquet-format.

A chunk with a dictionary (Encodings.md, *Dictionary Encoding*) lists its values in the dictionary page; for each row
the data page has the place of its value in that list, in as few bits as the list needs.  A writer for everything finds
out which values there are by hashing each one, and that is what takes its time.  Here the list is known beforehand: the
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

from domeng_sim.core.tables import KEY_NAMES
from domeng_sim.runs.store.schema import to_numpy
from domeng_sim.version import __version__

CREATED_BY = f"domeng-sim version {__version__} (build pyarrow-{pa.__version__})"
_KEYS = (*KEY_NAMES, "first_match")  # by which readers find rows

# enumerations of parquet.thrift, in the order of their codes
_TYPES = ["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"]
_ENCODINGS = ["PLAIN", "", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY"]
_ENCODINGS += ["DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"]
_PLAIN, _RLE, _RLE_DICTIONARY = map(_ENCODINGS.index, ("PLAIN", "RLE", "RLE_DICTIONARY"))
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
_SNAPPY_CODE, _SNAPPY = 1, pa.Codec("snappy")

# types of Thrift's compact form (thrift-compact-protocol.md of Apache Thrift)
_TRUE, _I32, _I64, _BINARY, _LIST, _STRUCT = 1, 5, 6, 8, 9, 12
_Field = tuple[int, int, Any]  # number, type of the value, and the value


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the top bit says that more follow."""
    out = b""
    while number > 127:
        out += (number & 127 | 128).to_bytes()
        number >>= 7
    return out + number.to_bytes()


def _value(kind: int, value: Any) -> bytes:
    if kind in (_I32, _I64):
        # the sign in the lowest bit, so that small numbers stay short
        return _varint(value << 1 if value >= 0 else ~(value << 1))
    if kind == _BINARY:
        return b"".join((_varint(len(value)), value))
    if kind == _LIST:
        of, values = value
        n = len(values)
        head = bytes([n << 4 | of]) if n < 15 else bytes([0xF0 | of]) + _varint(n)
        return head + b"".join([_value(of, one) for one in values])
    return bytes(value)  # a structure; nothing for true


def _struct(*fields: _Field, last: int = 0) -> bytes:
    """Fields: how far the number is from the `last` one, with the type, then the value; a zero ends them."""
    out = bytearray()
    for number, kind, value in fields:
        out.append((number - last) << 4 | kind)
        out += _value(kind, value)
        last = number
    return bytes(out) + b"\0"


class _Page(NamedTuple):
    """A page as it stands in the file, in two pieces, and its size before compression."""

    header: bytes
    content: bytes
    size: int


def _page(kind: int, header: _Field, content: Any) -> _Page:
    """Compress a page and make its header (parquet.thrift, `PageHeader`; README.md, *Checksumming*)."""
    compressed = _SNAPPY.compress(content, asbytes=True)
    checksum = int.from_bytes(zlib.crc32(compressed).to_bytes(4, "big"), "big", signed=True)
    sizes = (2, _I32, len(content)), (3, _I32, len(compressed))
    head = _struct((1, _I32, kind), *sizes, (4, _I32, checksum), header)
    return _Page(head, compressed, len(head) + len(content))


@functools.lru_cache(maxsize=64)
def _dictionary_page(n_values: int, content: bytes) -> _Page:
    """Values as they are, one after the other (`DictionaryPageHeader`; Encodings.md, *Plain*)."""
    return _page(_DICTIONARY_PAGE, (7, _STRUCT, _struct((1, _I32, n_values), (2, _I32, _PLAIN))), content)


class _Places:
    """Makes data pages of places in a dictionary; in memory that is used again, since new memory costs as much."""

    def __init__(self) -> None:
        self._numbers, self._bits = np.empty(0, np.uint16), np.empty(0, np.uint64)

    def page(self, values: npt.NDArray[Any], first: int, width: int) -> _Page:
        """The low `width` bits of ``values - first`` (`DataPageHeader`; Encodings.md, *RLE / Bit-Packing Hybrid*)."""
        # here, so that reading a dataset does without the compiler
        from domeng_sim.core.bit_packing import pack

        n = len(values)
        n_groups = -(-n // 8)
        if len(self._numbers) < 8 * n_groups:
            self._numbers, self._bits = np.empty(8 * n_groups, np.uint16), np.empty(1 + 2 * n_groups, np.uint64)
        numbers = self._numbers.view(np.uint8 if width <= 8 else np.uint16)[: 8 * n_groups]
        numbers[:n] = values - first if first else values
        is_new = numbers[1:n] != numbers[: n - 1]
        n_runs = 1 + int(np.count_nonzero(is_new))
        # packed bits are read faster than many short runs
        if 4 * n_runs * (1 + -(-width // 8)) < n_groups * width:
            content: Any = bytes([width]) + _runs(numbers[:n], np.flatnonzero(is_new) + 1, width)
        else:
            numbers[n:] = 0  # they are packed in groups of eight; what fills up the last one is not read
            head = bytes([width]) + _varint(n_groups << 1 | 1)
            content = self._bits.data.cast("B")[8 - len(head) : 8 + n_groups * width]
            content[: len(head)] = head
            pack(numbers.view(np.uint64), np.uint64(8 * numbers.itemsize), np.uint64(width), self._bits[1:])
        levels = (3, _I32, _RLE), (4, _I32, _RLE)  # there are none: no value is null, or a list
        header = _struct((1, _I32, n), (2, _I32, _RLE_DICTIONARY), *levels)
        return _page(_DATA_PAGE, (5, _STRUCT, header), content)


def _runs(numbers: npt.NDArray[Any], changes: npt.NDArray[np.int64], width: int) -> bytes:
    """Of each run twice its length, a varint, and its number in whole bytes."""
    starts = np.concatenate([[0], changes])
    doubled = np.diff(starts, append=len(numbers)) << 1
    which = numbers[starts] & ((1 << width) - 1)
    rests = [doubled >> shift for shift in range(0, 35, 7)]
    columns = [rest & 127 | (rest > 127) << 7 for rest in rests] + [
        which >> shift & 255 for shift in range(0, width, 8)
    ]
    is_there = [rest > 0 for rest in rests] + [which >= 0 for _ in range(0, width, 8)]
    return bytes(np.stack(columns, 1).astype(np.uint8)[np.stack(is_there, 1)])


class _Chunk(NamedTuple):
    """A column of a row group: codes of type and encodings, pieces of the file, where the first data page begins."""

    kind: int
    encodings: tuple[int, ...]
    pieces: tuple[Any, ...]
    data_at: int
    size: int  # before compression


def _with_dictionary(kind: str, dictionary: _Page, data: _Page) -> _Chunk:
    data_at = len(dictionary.header) + len(dictionary.content)
    encodings, size = (_PLAIN, _RLE, _RLE_DICTIONARY), dictionary.size + data.size
    return _Chunk(_TYPES.index(kind), encodings, (*dictionary[:2], *data[:2]), data_at, size)


def _chunk_of_numbers(values: npt.NDArray[Any], low: int, high: int, places: _Places) -> _Chunk | None:
    """A column of numbers from `low` to `high`; None if there are too many different ones for a dictionary."""
    kind, dtype = ("INT64", np.dtype("<i8")) if values.itemsize == 8 else ("INT32", np.dtype("<i4"))
    # a dictionary takes at most a quarter of a byte a row, or is small anyway
    most = min(max(256, len(values) // (4 * dtype.itemsize)), 1 << 16)
    first = 0 if low >= -1 and high < most - 1 else low
    if high - first >= most:
        return None
    minus_one = low < first
    width = max(1, (high - first + minus_one).bit_length())
    listed = np.arange(first, high + 1 if first else 1 << width, dtype=dtype)
    if minus_one:
        listed[-1] = -1
    dictionary = _dictionary_page(len(listed), listed.tobytes())
    return _with_dictionary(kind, dictionary, places.page(values, first, width))


def _chunk_of_labels(column: pa.DictionaryArray, places: _Places) -> _Chunk:
    labels = [label.encode() for label in column.dictionary.to_pylist()]
    listed = b"".join(len(label).to_bytes(4, "little") + label for label in labels)
    data = places.page(to_numpy(column.indices), 0, max(1, (len(labels) - 1).bit_length()))
    return _with_dictionary("BYTE_ARRAY", _dictionary_page(len(labels), listed), data)


def _chunk_by_pyarrow(field: pa.Field, column: pa.Array, span: int | None) -> _Chunk:
    """The pages of a file that pyarrow makes of one column; `span`: from the least to the largest of numbers."""
    options: dict[str, Any] = {"write_page_checksum": True}
    if span is not None:
        # fastparquet (2026.9) misreads larger differences without a word; and hands, being random, gain nothing
        options |= {"use_dictionary": False, "column_encoding": "PLAIN" if span >> 27 else "DELTA_BINARY_PACKED"}
    batch, sink = pa.record_batch([column], schema=pa.schema([field])), pa.BufferOutputStream()
    with pq.ParquetWriter(sink, batch.schema, **options) as writer:
        writer.write_batch(batch, row_group_size=len(column))
    about = pq.read_metadata(pa.BufferReader(sink.getvalue())).row_group(0).column(0)
    start = about.dictionary_page_offset if about.has_dictionary_page else about.data_page_offset
    pages = memoryview(sink.getvalue())[start : start + about.total_compressed_size]
    codes = _TYPES.index(about.physical_type), tuple(map(_ENCODINGS.index, about.encodings))
    return _Chunk(*codes, (pages,), about.data_page_offset - start, about.total_uncompressed_size)


def _statistics(low: int, high: int, n_bytes: int) -> _Field:
    """Least and largest value, both exact, and no nulls (parquet.thrift, `Statistics`)."""
    least, largest = (end.to_bytes(n_bytes, "little", signed=True) for end in (low, high))
    exact = (7, _TRUE, b""), (8, _TRUE, b"")
    return 12, _STRUCT, _struct((3, _I64, 0), (5, _BINARY, largest), (6, _BINARY, least), *exact)


def _rows_and_maker(n_rows: int, groups: list[bytes], name: str) -> tuple[bytes, bytes]:
    """Fields 3 and 4, and field 6, of the footer (parquet.thrift, `FileMetaData`)."""
    rows = _struct((3, _I64, n_rows), (4, _LIST, (_STRUCT, groups)), last=2)
    return rows[:-1], _struct((6, _BINARY, name.encode()), last=5)[:-1]


def _descriptions(schema: pa.Schema) -> tuple[bytes, bytes, bytes]:
    """The other fields, as pyarrow gives them to an empty file: columns, texts, and how values are ordered."""
    sink = pa.BufferOutputStream()
    pq.ParquetWriter(sink, schema).close()
    content = sink.getvalue().to_pybytes()
    footer = content[-8 - int.from_bytes(content[-8:-4], "little") : -8]
    rows, maker = _rows_and_maker(0, [], pq.read_metadata(pa.BufferReader(content)).created_by)
    # what comes first is field 3: in what describes a column, no structure begins with a list
    columns, found_rows, rest = footer.partition(rows)
    texts, found_maker, orders = rest.rpartition(maker)
    if not (found_rows and found_maker):
        raise ValueError(f"pyarrow {pa.__version__} writes the footer of an empty file in an unknown way")
    return columns, texts, orders


class RowGroupWriter:
    """Writes a Parquet file, a row group at a time; the file is open for writing, empty, and left open."""

    def __init__(self, file: BinaryIO, schema: pa.Schema) -> None:
        self._file, self._schema, self._descriptions = file, schema, _descriptions(schema)
        self._places, self._digest = _Places(), hashlib.sha256()
        self._position = self._n_rows = 0
        self._groups: list[bytes] = []
        self._put(b"PAR1")

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write rows as a row group (parquet.thrift, `RowGroup`); none if there are no rows."""
        if not batch.num_rows:
            return
        start, size, chunks = self._position, 0, []
        for field, column in zip(self._schema, batch.columns, strict=True):
            chunk, statistics = self._chunk(field, column)
            chunks.append(self._write_chunk(field.name, chunk, len(column), statistics))
            size += chunk.size
        sizes = (2, _I64, size), (3, _I64, batch.num_rows), (5, _I64, start), (6, _I64, self._position - start)
        self._groups.append(_struct((1, _LIST, (_STRUCT, chunks)), *sizes))
        self._n_rows += batch.num_rows

    def close(self) -> str:
        """Write the footer; the SHA-256 of the whole file."""
        columns, texts, orders = self._descriptions
        rows, maker = _rows_and_maker(self._n_rows, self._groups, CREATED_BY)
        footer = columns + rows + texts + maker + orders
        self._put(footer, len(footer).to_bytes(4, "little") + b"PAR1")
        self._file.flush()
        return self._digest.hexdigest()

    def _put(self, *pieces: bytes) -> None:
        for piece in pieces:
            self._file.write(piece)
            self._digest.update(piece)
            self._position += len(piece)

    def _chunk(self, field: pa.Field, column: pa.Array) -> tuple[_Chunk, list[_Field]]:
        """A column, and its statistics if it is a key."""
        chunk, span, statistics = None, None, []
        if not field.nullable and pa.types.is_dictionary(field.type):
            chunk = _chunk_of_labels(column, self._places)
        elif not field.nullable and pa.types.is_signed_integer(field.type):
            values = to_numpy(column)
            low, high = int(values.min()), int(values.max())
            chunk, span = _chunk_of_numbers(values, low, high, self._places), high - low
            if field.name in _KEYS:
                statistics.append(_statistics(low, high, max(4, values.itemsize)))
        return chunk or _chunk_by_pyarrow(field, column, span), statistics

    def _write_chunk(self, name: str, chunk: _Chunk, n_rows: int, statistics: list[_Field]) -> bytes:
        """Write a chunk; what the footer says of it (parquet.thrift, `ColumnChunk` and `ColumnMetaData`)."""
        at = self._position
        self._put(*chunk.pieces)
        kinds = (1, _I32, chunk.kind), (2, _LIST, (_I32, chunk.encodings)), (3, _LIST, (_BINARY, [name.encode()]))
        sizes = (4, _I32, _SNAPPY_CODE), (5, _I64, n_rows), (6, _I64, chunk.size), (7, _I64, self._position - at)
        places = [(9, _I64, at + chunk.data_at), *([(11, _I64, at)] if chunk.data_at else [])]
        return _struct((2, _I64, 0), (3, _STRUCT, _struct(*kinds, *sizes, *places, *statistics)))
