"""Calls into machine code: what is laid down in a block of words is what the function gets, by both ways to call it."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domeng_sim.core import entries
from domeng_sim.core.call_block import flatten
from domeng_sim.core.entries import EntryPoint
from domeng_sim.core.jit import entry
from tests.domeng_runs import assert_equal_columns
from tests.every_game import runs_of

INT64, UINT64 = st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**64 - 1)


class Inner(NamedTuple):
    word: np.uint64
    cells: object


class Outer(NamedTuple):
    number: np.int64
    inner: Inner
    pair: tuple[object, object]
    real: np.float64
    flag: bool


@entry
def spell(given, longs, reals):
    """Say what came, field by field."""
    longs[0], longs[1], longs[2] = given.number, np.int64(given.inner.word), given.flag
    longs[3], longs[4], longs[5] = given.inner.cells.shape[0], given.inner.cells.shape[1], given.pair[0].shape[0]
    longs[6], longs[7] = given.inner.cells[-1, 0], given.pair[1][0]
    reals[0] = given.real


@given(INT64, UINT64, st.booleans(), st.floats(), st.integers(1, 5), st.integers(1, 5), st.integers(0, 5))
def test_block__brings_every_number_array_and_tuple(number, word, flag, real, n_rows, n_columns, n):
    cells = np.arange(n_rows * n_columns, dtype=np.int16).reshape(n_rows, n_columns) - 7
    given_ = Outer(np.int64(number), Inner(np.uint64(word), cells), (np.zeros(n), np.array([True])), real, flag)
    longs, reals = np.zeros(8, np.int64), np.zeros(1)
    assert spell(given_, longs, reals) is None
    signed = word - 2**64 if word >> 63 else word
    assert longs.tolist() == [number, signed, flag, n_rows, n_columns, n, cells[-1, 0], 1]
    assert struct.pack("d", reals[0]) == struct.pack("d", real) or (real != real and reals[0] != reals[0])


@entry
def itself(value):
    return value


@given(st.one_of(INT64, INT64.map(np.int64), UINT64.map(np.uint64), st.booleans(), st.floats(allow_nan=False)))
def test_result__is_the_number_that_the_function_returns(value):
    found = itself(value)
    assert found == value
    assert isinstance(found, bool) == isinstance(value, bool) and isinstance(found, float) == isinstance(value, float)


@pytest.mark.parametrize("value", ["text", None, np.arange(6).reshape(2, 3).T, np.zeros(4)[::2], [1, 2], 1j])
def test_value__that_no_block_can_hold_is_refused(value):
    with pytest.raises(TypeError, match=r"contiguous|cannot be passed"):
        flatten((1, value), [], [])


@pytest.mark.compiled
def test_functions__of_one_name_and_other_types_are_kept_apart(tmp_path):
    both = EntryPoint(itself.py_func, tmp_path, {})
    assert both(3) == 3 and both(1.5) == 1.5 and both(np.array([1]).sum()) == 1
    assert len(list(tmp_path.glob("itself-*.code"))) == 2


@pytest.mark.compiled
def test_code__that_fails_is_an_error(tmp_path):
    def fails(x):
        if x > 2:
            raise ValueError("too much")
        return x

    made = EntryPoint(fails, tmp_path, {})
    assert made(2) == 2
    with pytest.raises(RuntimeError, match="machine code ended with the status"):
        made(3)


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", ["domeng", "draw"])
def test_matches__are_the_same_called_by_numba_itself(name, monkeypatch):
    runs = runs_of(name)
    task = runs.task({}, seed=3, matches=40, rounds=30, level="rounds")
    tables, counts = runs.core(task)
    monkeypatch.setattr(entries.compiler, "CHECKS_BOUNDS", True)
    again, same_counts = runs.core(task)
    assert_equal_columns(tables, again)
    np.testing.assert_array_equal(counts, same_counts)
