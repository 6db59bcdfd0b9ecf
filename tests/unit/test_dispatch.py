"""Questions that types answer: found by the types of the first arguments, with the compiler and without."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from domeng_sim.core.buffers import allocate
from domeng_sim.core.dispatch import answer, by_type
from domeng_sim.core.jit import entry, kernel
from domeng_sim.core.rows import each_seat, row_writer
from domeng_sim.core.tables import Column, Table, by_seat


class Dog(NamedTuple):
    weight: np.int64


class Cat(NamedTuple):
    weight: np.int64


@by_type(2)
def meet(one, other, times):
    """What they do."""


@by_type(1, optional=True)
def bark(one, heard):
    """Note it."""


@answer(meet, Dog)
@kernel
def _meets(one, other, times):
    return times * one.weight


@answer(meet, Dog, Cat)
@kernel
def _chases(one, other, times):
    return times * (one.weight - other.weight)


@answer(bark, Dog)
@kernel
def _barks(one, heard):
    heard[0] += 1


@entry
def met(one, other, heard):
    bark(one, heard)
    bark(other, heard)
    return meet(one, other, 3)


def test_answer__is_that_of_all_types_or_else_of_the_first_ones():
    heard = np.zeros(1, np.int64)
    assert met(Dog(np.int64(5)), Cat(np.int64(3)), heard) == 6 and heard[0] == 1
    assert met(Dog(np.int64(5)), Dog(np.int64(3)), heard) == 15 and heard[0] == 3


def test_question__without_an_answer_is_an_error_unless_it_may_have_none():
    with pytest.raises(Exception, match="meet has no answer for Cat, Dog"):
        met(Cat(np.int64(1)), Dog(np.int64(1)), np.zeros(1, np.int64))


TABLE = Table(
    "rounds",
    (
        Column("match", "int64", "match", "index"),
        Column("winner", "int8", "who won", "seat"),
        *by_seat(Column("pips", "int16", "pips of this seat", "pips"), 3),
        Column("last_seat", "int8", "who was last", "seat"),
        *by_seat(Column("hand", "int32", "hand of this seat", "mask", optional="hands"), 3),
    ),
)


@kernel
def digit(number, seat):
    return number // 10**seat % 10


write, write_hands, digits = row_writer(TABLE), row_writer(TABLE, "hands"), each_seat(3, digit)


@entry
def written(rows):
    for row in range(2):
        write(rows, row, match=10 + row, winner=row, pips=digits(321 + row), last_seat=-1)
    write_hands(rows, 1, hand=(7, 8, 9))


def test_row_writer__puts_each_value_into_the_column_of_its_name():
    rows = allocate(TABLE, 2)
    for array in rows:
        array[:] = 0
    written(rows)
    assert rows.i64.tolist() == [[10, 11]] and rows.i8.tolist() == [[0, 1], [-1, -1]]
    assert rows.i16.tolist() == [[1, 2], [2, 2], [3, 3]] and rows.i32.tolist() == [[0, 7], [0, 8], [0, 9]]
