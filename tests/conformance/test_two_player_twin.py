"""The core of two-player games against their twins: every column of every row, and the counts against the rows."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domeng_sim.core.codes import DrawEnded, Event
from domeng_sim.games.two_player.kernel.feature_names import SIMPLE_FEATURES
from domeng_sim.games.types import Seat
from tests.draw_runs import BLOCK, DRAW, RANDOM
from tests.effort import effort

LARGEST_SEED = 2**64 - 1

both = pytest.mark.parametrize("runs", [DRAW, BLOCK], ids=lambda runs: runs.spec.name)
targets = st.sampled_from([1, 2, 30, 100, 16_000]) | st.integers(1, 300)
sides = st.tuples(st.integers(2, 12), st.integers(2, 12)) | st.sampled_from([(2, 2), (2, 127), (127, 2), (127, 127)])
sizes = sides.map(lambda size: f"{size[0]}x{size[1]}")
copies = st.sampled_from([0, 0, 0, 1, 2, 1000])
thousandths = st.sampled_from([-2000, -1000, -1, 1, 500, 1000, 3000]) | st.integers(-(10**6), 10**6)
seeds = st.sampled_from([0, 1, 2**32 - 1, 2**32, LARGEST_SEED]) | st.integers(0, LARGEST_SEED)
firsts = st.sampled_from([0, 0, 1, 2**32 - 1, 2**32, 2**40 + 7]) | st.integers(0, 2**48)
lengths = st.sampled_from([(1, 0), (3, 0), (0, 1), (0, 2), (0, 17)]) | st.tuples(st.just(0), st.integers(1, 20))


def rules_of(runs, is_finite, most=40):
    """Rules of a game, every option in every reading."""
    options = {name: st.sampled_from(readings) for name, readings in runs.twin.OPTIONS.items()}
    needed = {"max_rounds": st.integers(1, 6) | st.just(most), **({"table": sizes} if is_finite else {})}
    return st.fixed_dictionaries(needed, optional={**options, "target": targets})


def weighted(names, temperature):
    return st.builds(Seat, st.dictionaries(st.sampled_from(sorted(names)), thousandths), temperature, copies)


def seats_of(runs, is_simple):
    seats = st.builds(Seat, st.just({}), copy=copies) | weighted(SIMPLE_FEATURES, st.just(0.0))
    if not is_simple:
        seats |= weighted(runs.spec.features, st.just(0.0))
        seats |= weighted(runs.spec.features, st.sampled_from([1e-6, 0.05, 1.0, 3.0, 1e3]))
    return st.tuples(seats, seats)


@both
@given(st.data(), seeds, firsts, lengths)
def test_table_engine__plays_as_the_twin(runs, data, seed, first, length):
    rules, seats = data.draw(rules_of(runs, False)), data.draw(seats_of(runs, True))
    runs.agree(rules, seats, seed, (first, first + 1), length)


@both
@given(st.data(), seeds, firsts, lengths)
def test_weighted_engine__plays_as_the_twin(runs, data, seed, first, length):
    rules, seats = data.draw(rules_of(runs, False)), data.draw(seats_of(runs, False))
    runs.agree(rules, seats, seed, (first, first + 1), length)


@both
@given(st.data(), seeds, firsts, lengths)
def test_table_engine__on_a_finite_table_plays_as_the_twin(runs, data, seed, first, length):
    rules, seats = data.draw(rules_of(runs, True)), data.draw(seats_of(runs, True))
    runs.agree(rules, seats, seed, (first, first + 1), length)


@both
@settings(max_examples=effort(40, 5))
@given(st.data(), seeds, firsts, st.sampled_from([(1, 0), (0, 3)]))
def test_weighted_engine__on_a_finite_table_plays_as_the_twin(runs, data, seed, first, length):
    rules, seats = data.draw(rules_of(runs, True, most=6)), data.draw(seats_of(runs, False))
    runs.agree(rules, seats, seed, (first, first + 1), length)


@both
@pytest.mark.parametrize(
    ("rules", "seed", "first", "length"),
    [
        ({"max_rounds": 40}, 0, 0, (3, 0)),
        ({"max_rounds": 40}, LARGEST_SEED, 2**40, (3, 0)),
        ({"max_rounds": 40, "target": 1}, 1, 0, (20, 0)),
        ({"max_rounds": 40, "target": 16_000}, 1, 0, (1, 0)),
        ({"max_rounds": 6, "table": "2x2"}, 1, 0, (0, 17)),
        ({"max_rounds": 6, "table": "127x127"}, 1, 0, (0, 17)),
    ],
)
def test_table_engine__plays_as_the_twin_at_the_edges(runs, rules, seed, first, length):
    runs.agree(rules, RANDOM, seed, (first, first + 1), length)


@pytest.mark.parametrize(("runs", "rules"), [(DRAW, {}), (DRAW, {"draw": "one"}), (BLOCK, {})])
def test_default_rules__thousands_of_rounds_played_as_the_twin_does(runs, rules):
    rounds = runs.agree(rules, RANDOM, 20, effort(800, 6), (0, 3))["rounds"]
    # All that can happen did.
    if len(rounds["match"]) > 1000:
        assert set(rounds["outcome"].tolist()) == {0, 1, 2}
        assert rounds["passes_0"].max() > 1
        assert rounds["plays"].max() > (23 if runs is DRAW else 12)


@both
@pytest.mark.compiled
def test_matches_of_games__played_as_the_twin_does(runs):
    tables = runs.agree({}, RANDOM, 21, 30, (3, 0))
    assert (tables["games"]["ended"] == DrawEnded.FINISHED).all()


@both
@pytest.mark.compiled
@pytest.mark.parametrize("size", ["2x2", "3x3", "4x6", "6x4", "5x5", "7x7", "9x5", "12x12", "40x3"])
def test_finite_tables__hundreds_of_rounds_played_as_the_twin_does(runs, size):
    events = runs.agree({"table": size}, RANDOM, 22, 25, (0, 3))["events"]
    plays = events["event"] == Event.PLAY
    assert (events["direction"][~plays] == -1).all() and (events["direction"][plays] >= 0).all()


@pytest.mark.parametrize("table", ["unbounded", "6x6"])
@pytest.mark.parametrize(
    ("runs", "name"),
    [(runs, name) for runs in (DRAW, BLOCK) for name in runs.spec.features],
    ids=lambda value: getattr(value, "spec", None) and value.spec.name,
)
def test_each_feature__alone_decides_as_in_the_twin(runs, name, table):
    for sign in (1, -1):
        rules = {"table": table, "draw": "until_fit" if sign > 0 else "one"}
        if runs is BLOCK:
            del rules["draw"]
        n_rounds = 6 if table == "unbounded" else effort(6, 3)
        runs.agree(rules, (Seat({name: sign}),) * 2, 23, effort(6, 3), (0, n_rounds))


@both
@pytest.mark.compiled
def test_options__many_drawn_at_random_play_as_the_twin_does(runs):
    draw = random.Random(24)
    for number in range(60):
        rules = {name: draw.choice(readings) for name, readings in runs.twin.OPTIONS.items()}
        rules |= {"target": draw.randrange(1, 200), "max_rounds": draw.randrange(1, 12)}
        if number % 3 == 0:
            rules["table"] = f"{draw.randrange(2, 10)}x{draw.randrange(2, 10)}"
        first = draw.randrange(2**20)
        length = draw.choice([(2, 0), (0, draw.randrange(1, 18))])
        runs.agree(rules, RANDOM, number, (first, first + 2), length)


@both
@pytest.mark.compiled
def test_counts__of_long_games_agree_with_the_rows(runs):
    job = runs.task({"target": 16_000}, seed=25, matches=5, games=2, cluster=2)
    tables, counts = runs.core(job)
    assert tables["games"]["rounds"].min() > 640
    runs.assert_counts(job, tables, counts, None)


@both
@pytest.mark.compiled
def test_scores__fit_their_column_at_the_highest_target(runs):
    job = runs.task({"target": 16_000, "max_rounds": 65_535}, seed=26, matches=3, games=1, level="games")
    games = runs.core(job)[0]["games"]
    assert games["ended"].tolist() == [0] * 3
    winners = np.maximum(games["score_0"], games["score_1"])
    assert (winners >= 16_000).all() and (winners <= 16_000 + 167).all()
    assert (np.minimum(games["score_0"], games["score_1"]) < 16_000).all()


@both
@pytest.mark.compiled
def test_max_rounds__may_be_as_small_as_one(runs):
    tables, _ = runs.core(runs.task({"target": 16_000, "max_rounds": 1}, seed=27, games=500, cluster=1))
    assert (tables["games"]["rounds"] == 1).all() and (tables["games"]["ended"] == DrawEnded.TRUNCATED).all()
    assert (tables["games"]["winner"] == -1).all()
    assert tables["rounds"]["round"].max() == 0 and tables["rounds"]["game"].tolist() == list(range(500))


@both
def test_game__ends_when_a_score_is_the_target_and_not_one_point_before(runs):
    # The target is what the winner of the first round scores, or one more.
    first = runs.core(runs.task({}, seed=28, rounds=1, level="rounds"))[0]["rounds"]
    points = int(max(first["score_0"][0], first["score_1"][0]))
    assert points > 0
    assert runs.agree({"target": points}, RANDOM, 28)["games"]["rounds"].tolist() == [1]
    assert runs.agree({"target": points + 1}, RANDOM, 28)["games"]["rounds"][0] > 1
