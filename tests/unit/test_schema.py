"""Arrow schemas and the summary table."""

from __future__ import annotations

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domeng_sim.core import buffers
from domeng_sim.core.codes import End
from domeng_sim.core.tables import LEVELS
from domeng_sim.games import GAMES
from domeng_sim.runs.store import schema
from domeng_sim.runs.store.parquet_writer import RowGroupWriter

PROVENANCE = '{"seed": "1"}'


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", [0, 1])
def test_counts__come_back_from_the_summary_table_as_they_were(game: str, seed: int, tmp_path: object) -> None:
    spec = GAMES[game]
    blocks = spec.counts(spec.resolve_rules({}))
    random = np.random.default_rng(seed)
    counts = random.integers(0, 3, (5, sum(block.size for block in blocks))) * random.integers(0, 2**40)
    counts[:, 0] = 1  # each batch has something
    table = schema.counts_to_table(counts, blocks, 70, 10, 47, schema.summary_schema(PROVENANCE))
    np.testing.assert_array_equal(schema.table_to_counts(table, blocks), counts)
    shuffled = table.take(random.permutation(table.num_rows))
    np.testing.assert_array_equal(schema.table_to_counts(shuffled, blocks), counts)
    parts = pa.concat_tables([table.slice(100), table.slice(0, 100)])
    np.testing.assert_array_equal(schema.table_to_counts(parts, blocks), counts)
    first = table["first_match"].to_numpy()
    assert sorted(set(first)) == [70, 80, 90, 100, 110]
    matches = table["matches"].to_numpy()
    assert set(matches[first < 110]) == {10}
    assert set(matches[first == 110]) == {7}
    assert min(table["value"].to_pylist()) > 0


def test_counts__of_nothing_are_nothing() -> None:
    blocks = GAMES["domeng"].counts(GAMES["domeng"].resolve_rules({}))
    empty = schema.summary_schema(PROVENANCE).empty_table()
    assert schema.table_to_counts(empty, blocks).shape[0] == 0


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("level", LEVELS[1:])
def test_schema__tells_of_every_column_and_goes_through_a_file(game: str, level: str, tmp_path_factory: object) -> None:
    table = GAMES[game].tables[level]
    arrow = schema.table_schema(table, {"hands"}, PROVENANCE)
    assert [field.name for field in arrow] == [column.name for column in table]
    assert json.loads(arrow.metadata[b"PANDAS_ATTRS"]) == {"domeng_sim": {"seed": "1"}}
    for field in arrow:
        assert field.metadata[b"meaning"]
    rows = 1000
    allocated = buffers.columns(table, buffers.allocate(table, rows), rows, {"hands"})
    for values in allocated.values():
        values[:] = 0
    batch = schema.to_batch(table, arrow, allocated)
    file = io.BytesIO()
    writer = RowGroupWriter(file, arrow)
    writer.write_batch(batch)
    writer.close()
    back = pq.read_table(pa.BufferReader(file.getvalue()))
    assert back.schema.equals(arrow, check_metadata=False)
    assert back.num_rows == rows
    for name, column in zip(back.column_names, back.columns, strict=True):
        assert back.schema.field(name).metadata[b"meaning"] == arrow.field(name).metadata[b"meaning"]
        assert column.null_count == 0


@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=20))
def test_labels__of_nullable_columns_are_null_for_minus_one(ends: list[int]) -> None:
    table = GAMES["domeng"].tables["events"]
    arrow = schema.table_schema(table, (), PROVENANCE)
    allocated = buffers.columns(table, buffers.allocate(table, len(ends)), len(ends), frozenset())
    for values in allocated.values():
        values[:] = 0
    allocated["side"][:] = ends
    batch = schema.to_batch(table, arrow, allocated)
    expected = [None if end < 0 else End(end).label for end in ends]
    assert batch.column(arrow.names.index("side")).to_pylist() == expected
