"""The core of Draw against the naive twin: every column of every row, and the counts against the rows."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domeng_sim.core.codes import DrawEnded, Event
from domeng_sim.games.two_player.kernel.feature_names import FEATURES, SIMPLE_FEATURES
from domeng_sim.games.types import Seat
from tests.draw_runs import RANDOM, agree, assert_counts, core, task
from tests.effort import effort
from tests.twin.draw import OPTIONS

LARGEST_SEED = 2**64 - 1

options = {name: st.sampled_from(readings) for name, readings in OPTIONS.items()}
targets = st.sampled_from([1, 2, 30, 100, 16_000]) | st.integers(1, 300)
limits = {"max_rounds": st.integers(1, 6) | st.just(40)}
sizes = st.tuples(st.integers(2, 12), st.integers(2, 12)) | st.sampled_from([(2, 2), (2, 127), (127, 2), (127, 127)])
rules = st.fixed_dictionaries(limits, optional={**options, "target": targets})
finite = st.fixed_dictionaries(
    {**limits, "table": sizes.map(lambda size: f"{size[0]}x{size[1]}")}, optional={**options, "target": targets}
)
copies = st.sampled_from([0, 0, 0, 1, 2, 1000])
thousandths = st.sampled_from([-2000, -1000, -1, 1, 500, 1000, 3000]) | st.integers(-(10**6), 10**6)


def weighted(names, temperature):
    return st.builds(Seat, st.dictionaries(st.sampled_from(sorted(names)), thousandths), temperature, copies)


random_seats = st.builds(Seat, st.just({}), copy=copies)
simple_seats = weighted(SIMPLE_FEATURES, st.just(0.0))
weighted_seats = weighted(FEATURES, st.just(0.0))
softmax_seats = weighted(FEATURES, st.sampled_from([1e-6, 0.05, 1.0, 3.0, 1e3]))
tables_of_simple = st.tuples(*[random_seats | simple_seats] * 2)
tables_of_any = st.tuples(*[random_seats | simple_seats | weighted_seats | softmax_seats] * 2)
seeds = st.sampled_from([0, 1, 2**32 - 1, 2**32, LARGEST_SEED]) | st.integers(0, LARGEST_SEED)
firsts = st.sampled_from([0, 0, 1, 2**32 - 1, 2**32, 2**40 + 7]) | st.integers(0, 2**48)
lengths = st.sampled_from([(1, 0), (3, 0), (0, 1), (0, 2), (0, 17)]) | st.tuples(st.just(0), st.integers(1, 20))


@given(rules, tables_of_simple, seeds, firsts, lengths)
@example({"max_rounds": 40}, RANDOM, 0, 0, (3, 0))
@example({"max_rounds": 40}, RANDOM, LARGEST_SEED, 2**40, (3, 0))
@example({"max_rounds": 40, "target": 1}, RANDOM, 1, 0, (20, 0))
@example({"max_rounds": 40, "target": 16_000, "draw": "one"}, RANDOM, 1, 0, (1, 0))
def test_table_engine__plays_as_the_twin(rules, seats, seed, first, length):
    agree(rules, seats, seed, (first, first + 1), length)


@given(rules, tables_of_any, seeds, firsts, lengths)
def test_weighted_engine__plays_as_the_twin(rules, seats, seed, first, length):
    agree(rules, seats, seed, (first, first + 1), length)


@given(finite, tables_of_simple, seeds, firsts, lengths)
@example({"max_rounds": 6, "table": "2x2"}, RANDOM, 1, 0, (0, 17))
@example({"max_rounds": 6, "table": "127x127"}, RANDOM, 1, 0, (0, 17))
def test_table_engine__on_a_finite_table_plays_as_the_twin(rules, seats, seed, first, length):
    agree(rules, seats, seed, (first, first + 1), length)


@settings(max_examples=effort(40, 5))
@given(finite, tables_of_any, seeds, firsts, st.sampled_from([(1, 0), (0, 3)]))
def test_weighted_engine__on_a_finite_table_plays_as_the_twin(rules, seats, seed, first, length):
    agree({**rules, "max_rounds": min(rules["max_rounds"], 6)}, seats, seed, (first, first + 1), length)


@pytest.mark.parametrize("draw", OPTIONS["draw"])
def test_default_rules__thousands_of_rounds_played_as_the_twin_does(draw):
    tables = agree({"draw": draw}, RANDOM, 20, effort(800, 6), (0, 3))
    # All that can happen did.
    if len(tables["rounds"]["match"]) > 1000:
        assert set(tables["rounds"]["outcome"].tolist()) == {0, 1, 2}
        assert tables["rounds"]["passes_0"].max() > 1
        assert tables["rounds"]["plays"].max() > 23


@pytest.mark.compiled
def test_matches_of_games__played_as_the_twin_does():
    tables = agree({}, RANDOM, 21, 30, (3, 0))
    assert (tables["games"]["ended"] == DrawEnded.FINISHED).all()


@pytest.mark.compiled
@pytest.mark.parametrize("size", ["2x2", "3x3", "4x6", "6x4", "5x5", "7x7", "9x5", "12x12", "40x3"])
def test_finite_tables__hundreds_of_rounds_played_as_the_twin_does(size):
    tables = agree({"table": size}, RANDOM, 22, 25, (0, 3))
    directions = tables["events"]["direction"]
    plays = tables["events"]["event"] == Event.PLAY
    assert (directions[~plays] == -1).all() and (directions[plays] >= 0).all()


@pytest.mark.parametrize("table", ["unbounded", "6x6"])
@pytest.mark.parametrize("name", list(FEATURES))
def test_each_feature__alone_decides_as_in_the_twin(name, table):
    for sign, draw in ((1, "until_fit"), (-1, "one")):
        n_rounds = 6 if table == "unbounded" else effort(6, 3)
        agree({"table": table, "draw": draw}, (Seat({name: sign}),) * 2, 23, effort(6, 3), (0, n_rounds))


@pytest.mark.compiled
def test_options__many_drawn_at_random_play_as_the_twin_does():
    draw = random.Random(24)
    for number in range(60):
        rules = {name: draw.choice(readings) for name, readings in OPTIONS.items()}
        rules |= {"target": draw.randrange(1, 200), "max_rounds": draw.randrange(1, 12)}
        if number % 3 == 0:
            rules["table"] = f"{draw.randrange(2, 10)}x{draw.randrange(2, 10)}"
        first = draw.randrange(2**20)
        length = draw.choice([(2, 0), (0, draw.randrange(1, 18))])
        agree(rules, RANDOM, number, (first, first + 2), length)


@pytest.mark.compiled
def test_counts__of_long_games_agree_with_the_rows():
    job = task({"target": 16_000}, seed=25, matches=5, games=2, cluster=2)
    tables, counts = core(job)
    assert tables["games"]["rounds"].min() > 640
    assert_counts(job, tables, counts, None)


@pytest.mark.compiled
def test_scores__fit_their_column_at_the_highest_target():
    job = task({"target": 16_000, "max_rounds": 65_535}, seed=26, matches=3, games=1, level="games")
    tables, _ = core(job)
    games = tables["games"]
    assert games["ended"].tolist() == [0] * 3
    winners = np.maximum(games["score_0"], games["score_1"])
    assert (winners >= 16_000).all() and (winners <= 16_000 + 167).all()
    assert (np.minimum(games["score_0"], games["score_1"]) < 16_000).all()


@pytest.mark.compiled
def test_max_rounds__may_be_as_small_as_one():
    tables, _ = core(task({"target": 16_000, "max_rounds": 1}, seed=27, games=500, cluster=1))
    assert (tables["games"]["rounds"] == 1).all() and (tables["games"]["ended"] == DrawEnded.TRUNCATED).all()
    assert (tables["games"]["winner"] == -1).all()
    assert tables["rounds"]["round"].max() == 0 and tables["rounds"]["game"].tolist() == list(range(500))


def test_game__ends_when_a_score_is_the_target_and_not_one_point_before():
    # The target is what the winner of the first round scores, or one more.
    first = core(task({}, seed=28, rounds=1, level="rounds"))[0]["rounds"]
    points = int(max(first["score_0"][0], first["score_1"][0]))
    assert points > 1
    assert agree({"target": points}, RANDOM, 28)["games"]["rounds"].tolist() == [1]
    assert agree({"target": points + 1}, RANDOM, 28)["games"]["rounds"][0] > 1
