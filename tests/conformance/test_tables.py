"""The tables of every game, and the blocks of a study, as people read them in other libraries."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from itertools import product
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

import domeng_sim
from domeng_sim.cli import main
from domeng_sim.core.tables import KEY_NAMES, LEVELS
from domeng_sim.games import GAMES
from domeng_sim.runs import plan
from domeng_sim.strategies.resolve import presets

pytestmark = pytest.mark.compiled
OPTIONS: dict[str, Any] = {"matches": 12, "games_per_match": 3, "seed": 7, "tables": "events", "store_hands": True}
TABLES = (*LEVELS, "blocks")
Expressions = Sequence[tuple[str, str, str]]
"""Left column, operator, right column."""
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "-": lambda left, right: left - right,
    "+": lambda left, right: left + right,
    "<": lambda left, right: left < right,
}


@pytest.fixture(scope="module", params=GAMES)
def game(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def folders(game: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of all tables of a game, in several parts each."""
    directory = tmp_path_factory.mktemp(game)
    with pytest.MonkeyPatch.context() as patch:
        for level in plan._PART_ROUNDS:
            patch.setitem(plan._PART_ROUNDS, level, (100, 100))
        domeng_sim.run(directory / "run", game=game, **OPTIONS)
    strategies = list(presets(GAMES[game]))[:2]
    study = ["compare", *strategies, "--game", game, "--blocks", "40", "--seed", "1", "--quiet"]
    assert main([*study, "--out", str(directory / "study")]) == 0
    folders = {table: directory / ("study" if table == "blocks" else "run") / table for table in TABLES}
    assert all(len(list(folder.glob("*.parquet"))) > 1 for table, folder in folders.items() if table != "blocks")
    return folders


def numbers_of(folder: Path) -> dict[str, np.ndarray]:
    """All columns of numbers, 64 bits wide."""
    table = pq.read_table(folder)
    return {
        field.name: table[field.name].to_numpy().astype(np.int64)
        for field in table.schema
        if pa.types.is_integer(field.type)
    }


def in_pandas(folder: Path, expressions: Expressions) -> list[np.ndarray]:
    frame = pd.read_parquet(folder)
    return [OPERATIONS[sign](frame[left], frame[right]).to_numpy() for left, sign, right in expressions]


def in_polars(folder: Path, expressions: Expressions) -> list[np.ndarray]:
    made = [
        OPERATIONS[sign](pl.col(left), pl.col(right)).alias(str(k)) for k, (left, sign, right) in enumerate(expressions)
    ]
    return [column.to_numpy() for column in pl.read_parquet(folder).select(made)]


def in_duckdb(folder: Path, expressions: Expressions) -> list[np.ndarray]:
    made = ", ".join(f"{left} {sign} {right} AS x{k}" for k, (left, sign, right) in enumerate(expressions))
    found = duckdb.sql(f"SELECT {made} FROM '{folder}/*.parquet'").fetchnumpy()
    return list(found.values())


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("compute", [in_pandas, in_polars, in_duckdb])
def test_numbers__any_two_columns_are_added_subtracted_and_compared_as_they_are(
    folders: dict[str, Path], table: str, compute: Callable[[Path, Expressions], list[np.ndarray]]
) -> None:
    numbers = numbers_of(folders[table])
    expressions = [(left, sign, right) for left, right in product(numbers, repeat=2) for sign in OPERATIONS]
    found = compute(folders[table], expressions)
    assert len(found) == len(expressions) > 100
    for (left, sign, right), values in zip(expressions, found, strict=True):
        expected = OPERATIONS[sign](numbers[left], numbers[right])
        assert values.tolist() == expected.tolist(), f"{left} {sign} {right}"


def in_fastparquet(folder: Path) -> pd.DataFrame:
    """A table; fastparquet itself leaves its files open."""
    with contextlib.ExitStack() as stack:

        def opened(path: str, mode: str = "rb") -> Any:
            return stack.enter_context(Path(path).open(mode))

        # whatever is in the folder, as fastparquet takes it
        paths = sorted(map(str, folder.iterdir()))
        return fastparquet.ParquetFile(paths, open_with=opened).to_pandas()


def by_seat(names: Sequence[str]) -> dict[str, list[str]]:
    """Columns by seat, under the name that they have in common."""
    found: dict[str, list[str]] = {}
    for name in names:
        if match := re.fullmatch(r"(\w+)_\d", name):
            found.setdefault(match[1], []).append(name)
    return found


@pytest.mark.parametrize("table", LEVELS[1:])
def test_numbers__are_summed_over_the_seats(folders: dict[str, Path], table: str, game: str) -> None:
    folder, numbers = folders[table], numbers_of(folders[table])
    stems = by_seat([column.name for column in GAMES[game].tables[table]])
    assert stems or (game, table) in (("draw", "events"), ("block", "events"))
    pandas, polars = pd.read_parquet(folder), pl.read_parquet(folder)
    for names in stems.values():
        expected = sum(numbers[name] for name in names).tolist()
        assert pandas[names].sum(axis=1).tolist() == expected
        assert polars.select(pl.sum_horizontal(names)).to_series().to_list() == expected
        found = duckdb.sql(f"SELECT {' + '.join(names)} AS total FROM '{folder}/*.parquet'").fetchnumpy()
        assert found["total"].tolist() == expected


@pytest.mark.parametrize("table", TABLES)
def test_numbers__columns_of_any_length_are_summed_up(folders: dict[str, Path], table: str) -> None:
    folder, numbers = folders[table], numbers_of(folders[table])
    schema = pq.read_schema(next(folder.glob("*.parquet")))
    places = {b"index", b"mask"}  # nobody adds these up
    names = [name for name in numbers if schema.field(name).metadata.get(b"unit") not in places]
    polars = pl.read_parquet(folder).select(pl.col(names).sum())
    # Polars adds up Int32 in 32 bits, and says nothing when that is not enough
    few_bits = [name for name, kind in polars.schema.items() if kind != pl.Int64]
    assert set(few_bits) <= {"bin"}
    expected = {name: int(numbers[name].sum()) for name in names}
    assert polars.row(0, named=True) == expected
    assert pd.read_parquet(folder)[names].sum().to_dict() == expected
    sums = ", ".join(f"sum({name})" for name in names)
    assert duckdb.sql(f"SELECT {sums} FROM '{folder}/*.parquet'").fetchall() == [tuple(expected.values())]


@pytest.mark.parametrize("table", LEVELS[1:])
def test_keys__find_the_row_before(folders: dict[str, Path], table: str) -> None:
    folder, numbers = folders[table], numbers_of(folders[table])
    keys = [name for name in KEY_NAMES if name in numbers]
    *outer, last = keys
    at = {key: k for k, key in enumerate(zip(*(numbers[name].tolist() for name in keys), strict=True))}
    before = [(key, (*key[:-1], key[-1] - 1)) for key in at]
    expected = [(*key, int(numbers["match"][at[other]]), at[other]) for key, other in before if other in at]
    assert len(expected) > len(at) / 2
    rows = np.arange(len(at))

    pandas = pd.read_parquet(folder)[keys].assign(row=rows)
    joined = pandas.assign(**{last: pandas[last] - 1}).merge(pandas, on=keys, suffixes=("", "_before"))
    found = joined.assign(**{last: joined[last] + 1, "m": joined["match"]})[[*keys, "m", "row_before"]]
    assert list(found.itertuples(index=False, name=None)) == expected

    polars = pl.read_parquet(folder).select(keys).with_columns(pl.Series("row", rows))
    earlier = polars.with_columns((pl.col(last) + 1).alias(last))
    together = polars.join(earlier, on=keys, maintain_order="left").select(*keys, m="match", before="row_right")
    assert together.rows() == expected

    source, columns = f"'{folder}/*.parquet'", ", ".join(f"a.{name}" for name in keys)
    same = " AND ".join([*(f"a.{name} = b.{name}" for name in outer), f"a.{last} - 1 = b.{last}"])
    rows_sql = f"SELECT {columns}, b.match FROM {source} a JOIN {source} b ON {same} ORDER BY {columns}"
    assert duckdb.sql(rows_sql).fetchall() == [row[:-1] for row in expected]

    difference = pandas.groupby(outer)[last].diff().dropna()
    assert (difference == 1).all() and len(difference) == len(expected)


def test_keys__join_the_tables(folders: dict[str, Path]) -> None:
    numbers = numbers_of(folders["events"])
    n = len(numbers["match"])
    of_games, of_rounds = ["match", "game"], ["match", "game", "round"]

    pandas = {table: pd.read_parquet(folders[table]) for table in LEVELS[1:]}
    joined = pandas["events"].merge(pandas["rounds"], on=of_rounds, suffixes=("", "_round"))
    joined = joined.merge(pandas["games"], on=of_games, suffixes=("", "_game"))
    assert len(joined) == n and joined["step"].tolist() == numbers["step"].tolist()
    plays, rounds = joined["plays"].tolist(), joined["rounds"].tolist()

    polars = {table: pl.read_parquet(folders[table]) for table in LEVELS[1:]}
    together = polars["events"].join(polars["rounds"], on=of_rounds, suffix="_round", maintain_order="left")
    together = together.join(polars["games"], on=of_games, suffix="_game", maintain_order="left")
    assert (together["plays"].to_list(), together["rounds"].to_list()) == (plays, rounds)

    sources = {table: f"'{folders[table]}/*.parquet'" for table in LEVELS[1:]}
    found = duckdb.sql(
        f"SELECT plays, rounds FROM {sources['events']} JOIN {sources['rounds']} USING (match, game, round) "
        f"JOIN {sources['games']} USING (match, game) ORDER BY match, game, round, step"
    ).fetchnumpy()
    assert (found["plays"].tolist(), found["rounds"].tolist()) == (plays, rounds)


@pytest.mark.parametrize("table", TABLES)
def test_names__need_no_quotes_in_sql(folders: dict[str, Path], table: str) -> None:
    source = f"'{folders[table]}/*.parquet'"
    names = pq.read_schema(next(folders[table].glob("*.parquet"))).names
    assert duckdb.sql(f"SELECT {', '.join(names)} FROM {source}").columns == names
    for name in names:
        assert duckdb.sql(f"SELECT {name} FROM {source} WHERE {name} IS NOT NULL GROUP BY {name}").columns == [name]


@pytest.mark.parametrize("table", TABLES)
def test_types__of_numbers_are_signed(folders: dict[str, Path], table: str) -> None:
    for path in folders[table].glob("*.parquet"):
        for field in pq.read_schema(path):
            kind = field.type.index_type if pa.types.is_dictionary(field.type) else field.type
            assert pa.types.is_signed_integer(kind), field.name


def test_types__are_the_same_in_the_library(folders: dict[str, Path], game: str) -> None:
    loaded = domeng_sim.load(folders["games"].parent)
    played = domeng_sim.simulate(game=game, **OPTIONS)
    for table in LEVELS[1:]:
        stored = pd.read_parquet(folders[table])
        keys = [name for name in KEY_NAMES if name in stored.columns]
        for tables in (loaded, played):
            frame = tables.table(table).reset_index()
            assert frame.dtypes.to_dict() == stored.dtypes.to_dict()
            assert (frame[keys[-1]] - 1).min() == -1
    assert played.counts.dtype == loaded.counts.dtype == np.int64


@pytest.mark.parametrize("table", LEVELS[1:])
def test_dataset__is_read_alike_by_four_libraries(folders: dict[str, Path], table: str, game: str) -> None:
    folder = folders[table]
    # not read from a file
    played = domeng_sim.simulate(game=game, **OPTIONS).table(table).reset_index()
    expected = {name: column.astype(object).where(column.notna(), None).tolist() for name, column in played.items()}

    def plain(frame: pd.DataFrame) -> dict[str, list[Any]]:
        return {name: column.astype(object).where(column.notna(), None).tolist() for name, column in frame.items()}

    assert plain(pd.read_parquet(folder)) == expected
    assert pl.read_parquet(folder).to_dict(as_series=False) == expected
    assert pl.read_parquet(folder / "*.parquet").to_dict(as_series=False) == expected
    assert duckdb.sql(f"SELECT * FROM '{folder}/*.parquet'").pl().to_dict(as_series=False) == expected
    assert plain(in_fastparquet(folder)) == expected


def test_summary__is_read_alike_by_four_libraries(folders: dict[str, Path], game: str) -> None:
    folder, counts = folders["summary"], int(domeng_sim.load(folders["summary"].parent).counts.sum())
    assert pd.read_parquet(folder).value.sum() == counts
    assert pl.read_parquet(folder)["value"].sum() == counts
    assert duckdb.sql(f"SELECT sum(value) FROM '{folder}/*.parquet'").fetchall() == [(counts,)]
    assert in_fastparquet(folder).value.sum() == counts
