"""The core against the naive twin: every column of every row, and the counts against the rows."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domeng_sim.games.domeng.kernel.feature_names import FEATURES, SIMPLE_FEATURES
from domeng_sim.games.types import Seat
from tests.domeng_runs import assert_counts, assert_same_tables, core, task, twin_rows
from tests.effort import effort
from tests.twin.domeng import DEFAULT_RULES, OPTIONS

LARGEST_SEED = 2**64 - 1
AMOUNTS = [name for name in DEFAULT_RULES if name not in OPTIONS and name != "max_rounds"]

# Small amounts and few stones are where the table is empty and players give; 255 is where bytes are full.
amounts = st.sampled_from([0, 1, 2, 3, 5, 8, 25, 60, 254, 255]) | st.integers(0, 255)
rules = st.fixed_dictionaries(
    {"max_rounds": st.integers(1, 6) | st.just(40)},
    optional={
        **{name: st.sampled_from(readings) for name, readings in OPTIONS.items()},
        **dict.fromkeys(AMOUNTS, amounts),
        "stones": st.integers(0, 12) | amounts,
    },
)
copies = st.sampled_from([0, 0, 0, 1, 2, 1000])
thousandths = st.sampled_from([-2000, -1000, -1, 1, 500, 1000, 3000]) | st.integers(-(10**6), 10**6)


def weighted(names, temperature):
    return st.builds(Seat, st.dictionaries(st.sampled_from(sorted(names)), thousandths), temperature, copies)


random_seats = st.builds(Seat, st.just({}), copy=copies)
simple_seats = weighted(SIMPLE_FEATURES, st.just(0.0))
weighted_seats = weighted(FEATURES, st.just(0.0))
softmax_seats = weighted(FEATURES, st.sampled_from([1e-6, 0.05, 1.0, 3.0, 1e3]))
tables_of_simple = st.tuples(*[random_seats | simple_seats] * 5)
tables_of_any = st.tuples(*[random_seats | simple_seats | weighted_seats | softmax_seats] * 5)
seeds = st.sampled_from([0, 1, 2**32 - 1, 2**32, LARGEST_SEED]) | st.integers(0, LARGEST_SEED)
firsts = st.sampled_from([0, 0, 1, 2**32 - 1, 2**32, 2**40 + 7]) | st.integers(0, 2**48)
lengths = st.sampled_from([(1, 0), (3, 0), (0, 1), (0, 2), (0, 17)]) | st.tuples(st.just(0), st.integers(1, 20))


def agree(rules, seats, seed, first, length, n_matches):
    job = task(rules, seats, seed, (first, first + n_matches), *length)
    tables, counts = core(job)
    assert_same_tables(tables, twin_rows(job))
    assert_counts(job, tables, counts)


@given(rules, tables_of_simple, seeds, firsts, lengths)
@example({"max_rounds": 40}, (Seat({}),) * 5, 0, 0, (3, 0))
@example({"max_rounds": 40}, (Seat({}),) * 5, LARGEST_SEED, 2**40, (3, 0))
@example({"stones": 0, "max_rounds": 40}, (Seat({}),) * 5, 1, 0, (20, 0))
@example({"stones": 255, "max_rounds": 6}, (Seat({"pips": 1000}),) * 5, 1, 0, (2, 0))
@example({"stones": 255, "pass_stones": 255, "passebunge_stones": 255, "max_rounds": 6}, (Seat({}),) * 5, 1, 0, (2, 0))
@example(dict.fromkeys(AMOUNTS, 0) | {"stones": 9, "max_rounds": 6}, (Seat({}),) * 5, 1, 0, (2, 0))
def test_table_engine__plays_as_the_twin(rules, seats, seed, first, length):
    agree(rules, seats, seed, first, length, 1)


@given(rules, tables_of_any, seeds, firsts, lengths)
def test_weighted_engine__plays_as_the_twin(rules, seats, seed, first, length):
    agree(rules, seats, seed, first, length, 1)


def test_default_rules__thousands_of_matches_played_as_the_twin_does():
    agree({}, (Seat({}),) * 5, 20, 0, (0, 3), effort(3000, 60))


@pytest.mark.compiled
def test_default_rules__whole_games_of_mixed_strategies_played_as_the_twin_does():
    seats = (
        Seat({}),
        Seat({"pips": 1000}),
        Seat({"double": 2000, "pips": -500}),
        Seat({"follow_ups": 1000, "values_kept": 500, "next_void": 2000, "drain": 700, "cucuq_guard": 1500}),
        Seat({"unseen": -300, "own_ends": 2000, "blocks_low": 9000, "blocks_high": -9000, "finish_pair": 4000}, 0.7, 3),
    )
    agree({}, seats, 21, 0, (2, 0), 120)


@pytest.mark.compiled
@pytest.mark.parametrize("name", list(FEATURES))
def test_each_feature__alone_decides_as_in_the_twin(name):
    # Few stones and short games, so that the table is often empty.
    for weight in (1000, -1000, 1, -1):
        agree({"stones": 8, "max_rounds": 8}, (Seat({name: weight}),) * 5, 22, 0, (0, 16), 6)


@pytest.mark.compiled
def test_options_and_amounts__many_drawn_at_random_play_as_the_twin_does():
    draw = random.Random(23)
    for number in range(250):
        rules = {name: draw.choice(readings) for name, readings in OPTIONS.items()}
        rules |= {name: draw.choice([0, 1, 2, 3, 4, 5, 7]) for name in AMOUNTS}
        rules |= {"stones": draw.randrange(30), "max_rounds": draw.randrange(1, 12)}
        length = draw.choice([(2, 0), (0, draw.randrange(1, 18))])
        agree(rules, (Seat({}),) * 5, number, draw.randrange(2**20), length, 2)


@pytest.mark.compiled
def test_counts__of_long_games_agree_with_the_rows():
    # Lengths beyond the bins of one round each, and games cut at the largest `max_rounds`.
    rules = {"stones": 255, "passebunge_stones": 1, "ceki_stones": 1, "pollo_stones": 1, "mattikkeng_stones": 1}
    job = task(rules, seed=24, matches=9, games=4, cluster=4)
    tables, counts = core(job)
    assert tables["games"]["rounds"].max() > 300
    assert_counts(job, tables, counts)


@pytest.mark.compiled
def test_max_rounds__may_be_as_large_as_the_column():
    # Nothing is ever awarded, so the game cannot end.
    rules = dict.fromkeys(AMOUNTS, 0) | {"stones": 1, "max_rounds": 65_535}
    tables, counts = core(task(rules, seed=25, games=2, level="rounds"))
    assert tables["games"]["rounds"].tolist() == [65_535] * 2
    assert tables["games"]["ended"].tolist() == [1, 1]
    keys = tables["rounds"]["game"].astype(np.int64) * 65_535 + tables["rounds"]["round"]
    np.testing.assert_array_equal(keys, np.arange(2 * 65_535))
    assert counts[0, :125].sum() == 2 * 65_535
