"""Parquet files of our own making: whatever a table holds, every library reads it back."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import fastparquet
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domeng_sim.core import bit_packing, tables
from domeng_sim.core.codes import labels
from domeng_sim.games import GAMES
from domeng_sim.games.spec import GameSpec
from domeng_sim.runs.store import schema
from domeng_sim.runs.store.parquet_writer import CREATED_BY, RowGroupWriter
from tests.effort import effort

PROVENANCE = '{"seed": "1", "command": "domeng-sim run"}'
TABLES = [(game, level) for game in GAMES for level in tables.LEVELS]
Random = np.random.Generator


def numbers(random: Random, n: int, high: int) -> np.ndarray:
    """A column of numbers from -1 to `high` in one of the forms that columns have."""
    top = int(random.integers(0, high, endpoint=True))
    low = int(random.integers(-1, top, endpoint=True))
    form = random.choice(["any", "sorted", "few", "one", "ends", "steps"])
    if form == "one":
        return np.full(n, top)
    if form == "few":
        return np.where(random.random(n) < 0.01, top, low)
    if form == "ends":
        return random.choice([low, top], n)
    if form == "steps":
        return np.minimum(low + np.arange(n), top)
    values = random.integers(low, top, n, endpoint=True)
    return np.sort(values) if form == "sorted" else values


def columns_of(spec: GameSpec, level: str, random: Random, n: int) -> dict[str, np.ndarray]:
    """Columns of a table within the bounds that their types and meanings set."""
    made = {}
    for column in spec.tables[level]:
        if column.code is not None:
            values = random.integers(-1 if column.nullable else 0, len(labels(column.code)), n)
        elif column.name == "match":
            values = random.integers(0, 10**12) + np.cumsum(random.random(n) < random.random() ** 3)
        elif column.unit == "mask":
            values = random.integers(0, 1 << 28, n) % (1 << column.width - 1)
        else:
            values = numbers(random, n, min((1 << column.width - 1) - 1, 1 << int(random.integers(1, 17))))
        made[column.name] = values.astype(column.dtype)
    return made


def batches_of(game: str, level: str, random: Random) -> list[pa.RecordBatch]:
    """Row groups of a table with what comes to mind; the summary from counts."""
    spec, sizes = GAMES[game], [int(2 ** random.uniform(0, effort(13, 10))) for _ in range(random.integers(1, 4))]
    if level == "summary":
        arrow, blocks = schema.summary_schema(PROVENANCE), spec.counts(spec.resolve_rules({}))
        counts = random.poisson(0.1, (4, sum(block.size for block in blocks))) * random.integers(1, 2**40)
        counts[:, 0] = 1
        return schema.counts_to_table(counts, blocks, int(random.integers(0, 2**40)), 10, 40, arrow).to_batches()
    arrow = schema.table_schema(spec.tables[level], {"hands"}, PROVENANCE)
    return [schema.to_batch(spec.tables[level], arrow, columns_of(spec, level, random, n)) for n in sizes]


def written(batches: list[pa.RecordBatch], arrow: pa.Schema | None = None) -> bytes:
    """The file of these row groups."""
    file = io.BytesIO()
    writer = RowGroupWriter(file, batches[0].schema if arrow is None else arrow)
    for batch in batches:
        writer.write_batch(batch)
    assert writer.close() == hashlib.sha256(file.getvalue()).hexdigest()
    return file.getvalue()


def by_pyarrow(batches: list[pa.RecordBatch]) -> bytes:
    """The same by pyarrow."""
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch, row_group_size=batch.num_rows)
    return sink.getvalue().to_pybytes()


def opened(content: bytes) -> pq.ParquetFile:
    return pq.ParquetFile(pa.py_buffer(content), page_checksum_verification=True)


def one_column(values: np.ndarray, n_groups: int = 1) -> list[pa.RecordBatch]:
    arrow = pa.schema([pa.field("x", pa.from_numpy_dtype(values.dtype), nullable=False, metadata={"unit": "stones"})])
    return [pa.record_batch([pa.array(values)], schema=arrow)] * n_groups


@given(st.data())
def test_packing__is_what_numpy_makes_of_single_bits(data: st.DataObject) -> None:
    lane = data.draw(st.sampled_from([8, 16]))
    width = data.draw(st.integers(1, lane))
    n_groups = data.draw(st.integers(1, effort(40, 5)))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    values = random.integers(0, 1 << lane, 8 * n_groups).astype(f"<u{lane // 8}")
    bits = np.unpackbits(values.view(np.uint8), bitorder="little").reshape(-1, lane)[:, :width]
    out = np.empty(-(-n_groups * width // 8), np.uint64)
    bit_packing.pack(values.view(np.uint64), np.uint64(lane), np.uint64(width), out)
    expected = np.packbits(bits.reshape(-1), bitorder="little").tobytes()
    assert out.tobytes()[: len(expected)] == expected


@pytest.mark.parametrize(("game", "level"), TABLES)
@pytest.mark.parametrize("seed", range(effort(6, 1)))
def test_tables__come_back_from_pyarrow_with_the_schema_that_it_writes_itself(game: str, level: str, seed: int) -> None:
    batches = batches_of(game, level, np.random.default_rng(seed))
    ours, theirs = opened(written(batches)), opened(by_pyarrow(batches))
    assert ours.schema_arrow.equals(theirs.schema_arrow, check_metadata=True)
    assert ours.schema.equals(theirs.schema)
    assert ours.num_row_groups == len(batches)
    for number, batch in enumerate(batches):
        group = ours.read_row_group(number)
        group.validate(full=True)
        assert group.equals(pa.Table.from_batches([batch]))
    assert ours.read().equals(theirs.read())


@given(st.data())
def test_numbers__of_every_type_and_range_come_back(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from([np.int8, np.int16, np.int32, np.int64]))
    limits = np.iinfo(dtype)
    low = data.draw(st.sampled_from([limits.min, -2, -1, 0, 1, 100, limits.max]))
    spans = [0, 1, 2, 6, 7, 8, 126, 127, 254, 255, 256, 257, 2**15, 2**16 - 1, 2**16, 2**31 - 1, 2**63]
    high = min(low + data.draw(st.sampled_from(spans)), limits.max)
    n = data.draw(st.sampled_from([1, 2, 7, 8, 9, 63, 64, 65, 1000, effort(40_000, 2000)]))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    values = random.integers(max(low, limits.min), high, n, dtype, endpoint=True)
    values[random.integers(n)], values[random.integers(n)] = high, low
    if data.draw(st.booleans()):
        values = np.sort(values)
    n_groups = data.draw(st.integers(1, 3))
    back = opened(written(one_column(values, n_groups))).read()["x"].to_numpy()
    np.testing.assert_array_equal(back, np.tile(values, n_groups))


def in_pandas(path: Path) -> dict[str, list[Any]]:
    frame = pd.read_parquet(path)
    return {name: column.astype(object).where(column.notna(), None).tolist() for name, column in frame.items()}


def in_polars(path: Path) -> dict[str, list[Any]]:
    return pl.read_parquet(path).to_dict(as_series=False)


def in_duckdb(path: Path) -> dict[str, list[Any]]:
    return duckdb.sql(f"SELECT * FROM '{path}'").pl().to_dict(as_series=False)


def in_fastparquet(path: Path) -> dict[str, list[Any]]:
    with contextlib.ExitStack() as stack:
        # fastparquet itself leaves its files open
        file = fastparquet.ParquetFile(
            str(path), open_with=lambda name, mode="rb": stack.enter_context(Path(name).open(mode))
        )
        frame = file.to_pandas()
    return {name: column.astype(object).where(column.notna(), None).tolist() for name, column in frame.items()}


@pytest.mark.parametrize(("game", "level"), TABLES)
@pytest.mark.parametrize("read", [in_pandas, in_polars, in_duckdb, in_fastparquet])
def test_tables__come_back_from_other_libraries(
    game: str, level: str, read: Callable[[Path], dict[str, list[Any]]], tmp_path: Path
) -> None:
    for seed in range(effort(4, 1)):
        batches = batches_of(game, level, np.random.default_rng([7, seed]))
        path = tmp_path / f"{seed}.parquet"
        path.write_bytes(written(batches))
        expected = pa.Table.from_batches(batches).to_pydict()
        found = read(path)
        assert list(found) == list(expected)
        for name, values in expected.items():
            assert found[name] == values, f"{name} of seed {seed}"


# in a process of its own: Spark leaves its connections to Java open
SPARK = """
import json, sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
for vectorised in ("true", "false"):
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorised)
    for path in sys.argv[1:]:
        table = spark.read.parquet(path)
        rows = table.collect()
        print(json.dumps({name: [row[name] for row in rows] for name in table.columns}))
spark.stop()
"""


@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
@pytest.mark.skipif(importlib.util.find_spec("pyspark") is None, reason="takes half a minute; install pyspark for it")
def test_tables__come_back_from_both_readers_of_spark(tmp_path: Path) -> None:
    expected, paths = [], []
    for number, (game, level) in enumerate(TABLES):
        batches = batches_of(game, level, np.random.default_rng([11, number]))
        expected.append(pa.Table.from_batches(batches).to_pydict())
        paths.append(tmp_path / f"{game}-{level}.parquet")
        paths[-1].write_bytes(written(batches))
    done = subprocess.run([sys.executable, "-c", SPARK, *paths], check=True, capture_output=True, text=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == expected * 2


@pytest.mark.parametrize("read", [in_pandas, in_polars, in_duckdb, in_fastparquet])
def test_a_table__without_rows_has_its_columns(read: Callable[[Path], dict[str, list[Any]]], tmp_path: Path) -> None:
    arrow = schema.table_schema(GAMES["domeng"].tables["events"], (), PROVENANCE)
    empty = pa.record_batch([pa.array([], field.type) for field in arrow], schema=arrow)
    path = tmp_path / "empty.parquet"
    path.write_bytes(written([empty]))
    assert read(path) == {name: [] for name in arrow.names}


@pytest.mark.parametrize(("game", "level"), TABLES)
def test_file__is_pages_without_gaps_and_a_footer_that_tells_where_they_are(game: str, level: str) -> None:
    batches = batches_of(game, level, np.random.default_rng(3))
    content = written(batches)
    about = opened(content).metadata
    assert about.created_by == CREATED_BY and CREATED_BY.startswith("domeng-sim version ")
    assert about.num_rows == sum(batch.num_rows for batch in batches)
    at = 4
    for number in range(about.num_row_groups):
        group = about.row_group(number)
        sizes = 0
        for place in range(group.num_columns):
            chunk = group.column(place)
            assert chunk.num_values == group.num_rows
            first = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
            assert first == at
            # a header begins with the kind of page
            assert content[chunk.data_page_offset :][:2] == b"\x15\x00"
            assert content[first:][:2] == (b"\x15\x04" if chunk.has_dictionary_page else b"\x15\x00")
            at += chunk.total_compressed_size
            sizes += chunk.total_uncompressed_size
        assert group.total_byte_size == sizes
    assert content[at:] == content[-8 - about.serialized_size :]
    assert content[:4] == content[-4:] == b"PAR1"


@pytest.mark.parametrize(("game", "level"), TABLES)
def test_statistics__are_those_of_the_keys_as_pyarrow_has_them(game: str, level: str) -> None:
    batches = batches_of(game, level, np.random.default_rng(4))
    ours, theirs = opened(written(batches)).metadata, opened(by_pyarrow(batches)).metadata
    found = []
    for number in range(ours.num_row_groups):
        for place in range(ours.num_columns):
            mine, other = ours.row_group(number).column(place), theirs.row_group(number).column(place)
            if mine.statistics is not None:
                found.append(mine.path_in_schema)
                assert mine.statistics.has_min_max
                for name in ("min", "max", "null_count", "physical_type", "num_values"):
                    assert getattr(mine.statistics, name) == getattr(other.statistics, name)
    keys = [name for name in batches[0].schema.names if name in (*tables.KEY_NAMES, "first_match")]
    assert found == keys * len(batches)


def test_pages__that_changed_on_the_disk_are_refused() -> None:
    # domeng's events have every kind of page: runs, packed bits, labels, and pyarrow's
    batches = batches_of("domeng", "events", np.random.default_rng(5))[:1]
    content, about = written(batches), opened(written(batches)).metadata
    for place in range(about.num_columns):
        chunk = about.row_group(0).column(place)
        end = (chunk.dictionary_page_offset or chunk.data_page_offset) + chunk.total_compressed_size
        for at in {end - 1, chunk.data_page_offset - 1 if chunk.has_dictionary_page else end - 1}:
            changed = bytearray(content)
            changed[at] ^= 1
            with pytest.raises(OSError, match="CRC checksum verification failed"):
                opened(bytes(changed)).read([chunk.path_in_schema])


def chunk_of(values: np.ndarray) -> pq.ColumnChunkMetaData:
    return opened(written(one_column(values))).metadata.row_group(0).column(0)


def test_encoding__is_a_dictionary_where_numbers_are_small_and_pyarrows_where_they_are_not() -> None:
    random = np.random.default_rng(6)
    small = {"pips": (0, 168, 8), "seats": (-1, 4, 3), "stones": (0, 255, 8), "seven": (-1, 7, 4), "flags": (0, 1, 1)}
    n = 40_000
    for name, (low, high, width) in small.items():
        chunk = chunk_of(random.integers(low, high, n, np.int16, endpoint=True))
        assert chunk.encodings == ("PLAIN", "RLE", "RLE_DICTIONARY"), name
        # the bits, the dictionary, and headers
        assert n * width // 8 < chunk.total_uncompressed_size < n * width // 8 + 4 * 2**width + 100, name
    assert "RLE_DICTIONARY" not in chunk_of(random.integers(0, 65535, n, np.int32)).encodings
    assert "RLE_DICTIONARY" not in chunk_of(random.integers(0, 1 << 28, n, np.int32)).encodings
    # a match a row: a dictionary would be as long as the column
    assert chunk_of(np.arange(n)).encodings == ("RLE", "DELTA_BINARY_PACKED")


@pytest.mark.compiled
@pytest.mark.parametrize(("high", "is_dictionary"), [(65_534, True), (65_536, False)])
def test_encoding__takes_16_bits_at_most(high: int, is_dictionary: bool) -> None:
    # so long that a larger dictionary would be worth it
    values = np.random.default_rng(9).integers(-1, high, 1 << 21, np.int32, endpoint=True)
    values[:2] = -1, high
    file = opened(written(one_column(values)))
    assert ("RLE_DICTIONARY" in file.metadata.row_group(0).column(0).encodings) == is_dictionary
    np.testing.assert_array_equal(file.read()["x"].to_numpy(), values)


def test_match__is_written_as_runs() -> None:
    rounds = 80
    match = np.repeat(10**9 + np.arange(500), rounds)
    chunk = chunk_of(match)
    assert chunk.encodings == ("PLAIN", "RLE", "RLE_DICTIONARY")
    # a run: two bytes of length and two of place; a value of the dictionary: eight
    assert chunk.total_uncompressed_size < 500 * (2 + 2 + 8) + 100


def test_row_groups__do_not_depend_on_what_was_written_before() -> None:
    random = np.random.default_rng(8)
    large = one_column(random.integers(0, 1 << 12, 50_000).astype(np.int16))
    small = one_column(random.integers(-1, 20, 13).astype(np.int16))
    alone, after = written(small), written(large + small)
    first, second = opened(alone).metadata.row_group(0).column(0), opened(after).metadata.row_group(1).column(0)

    def pages(content: bytes, chunk: pq.ColumnChunkMetaData) -> bytes:
        start = chunk.dictionary_page_offset
        return content[start : start + chunk.total_compressed_size]

    assert pages(alone, first) == pages(after, second)


def test_other_columns__are_pyarrows() -> None:
    batch = pa.record_batch(
        {"a": pa.array([0.5, None, 2.5]), "b": pa.array([True, False, None]), "c": pa.array(["x", "yy", "x"])}
    )
    assert opened(written([batch])).read().equals(pa.Table.from_batches([batch]))
