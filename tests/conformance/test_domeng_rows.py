"""The rows are the same however they are made: level, clusters, budget, buffers, parts, engine, copies."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from domeng_sim.games.domeng.kernel import kernel_api
from domeng_sim.games.domeng.kernel.feature_names import FEATURES, SIMPLE_FEATURES
from domeng_sim.games.domeng.kernel.policies import WeightedPolicy
from domeng_sim.games.domeng.kernel.records import MAX_EVENTS
from domeng_sim.games.types import Seat
from tests.domeng_runs import RANDOM, assert_equal_columns, changed, core, task
from tests.effort import effort

MIXED = (
    Seat({}),
    Seat({"pips": 1000}),
    Seat({"double": 1000}),
    Seat({"pips": -1000, "double": 500}, copy=2),
    Seat({}, copy=1),
)
# Few stones: games of few rounds, so that games, truncations and matches of many lengths follow each other.
RULES = {"stones": 6, "max_rounds": 5}
LENGTHS = [{"games": 4}, {"rounds": 18}, {"rounds": 1}, {"rounds": 16}]


def job(length, **other):
    return task(RULES, MIXED, **{"seed": 5, "matches": (7, 7 + effort(60, 4)), "cluster": 1000, **length, **other})


@pytest.fixture(scope="module", params=LENGTHS, ids=str)
def whole(request):
    return request.param, *core(job(request.param))


def test_rows__do_not_depend_on_the_level_nor_on_optional_columns(whole):
    length, tables, counts = whole
    for level in ("summary", "games", "rounds", "events"):
        for hands in (False, True):
            less, same_counts = core(job(length, level=level, hands=hands))
            assert list(less) == ["games", "rounds", "events"][: ["summary", "games", "rounds", "events"].index(level)]
            assert_equal_columns(less, tables)
            np.testing.assert_array_equal(same_counts, counts)
            if "rounds" in less:
                assert ("hand_0" in less["rounds"]) == hands


def test_rows__do_not_depend_on_the_budget(whole):
    length, tables, counts = whole
    for budget in (1, 2, 7, 16, 1000):
        again, same_counts = core(job(length), budget)
        assert_equal_columns(again, tables)
        np.testing.assert_array_equal(same_counts, counts)


@pytest.mark.parametrize("room", [1, 2, 5])
@pytest.mark.parametrize("table", ["games", "rounds", "events"])
def test_rows__do_not_depend_on_where_a_buffer_is_full(whole, monkeypatch, room, table):
    length, tables, counts = whole
    monkeypatch.setitem(kernel_api.ROOM, table, MAX_EVENTS + 40 * (room - 1) if table == "events" else room)
    again, same_counts = core(job(length))
    assert_equal_columns(again, tables)
    np.testing.assert_array_equal(same_counts, counts)


def test_rows__do_not_depend_on_how_matches_are_parted(whole):
    length, tables, counts = whole
    first, end = job(length).first_match, job(length).end_match
    bounds = [first, first + 1, first + 3, end]
    parts = [core(job(length, matches=bound)) for bound in itertools.pairwise(bounds)]
    joined = {
        name: {column: np.concatenate([part[0][name][column] for part in parts]) for column in tables[name]}
        for name in tables
    }
    assert_equal_columns(joined, tables)
    np.testing.assert_array_equal(sum(part[1] for part in parts), counts)


def test_counts__of_a_cluster_are_those_of_its_matches(whole):
    length, tables, counts = whole
    by_match = core(job(length, cluster=1))[1]
    n = len(by_match)
    for cluster in (1, 3, n - 1, n, n + 5):
        again, clustered = core(job(length, cluster=cluster))
        assert_equal_columns(again, tables)
        want = [by_match[start : start + cluster].sum(axis=0) for start in range(0, n, cluster)]
        np.testing.assert_array_equal(clustered, want)
    np.testing.assert_array_equal(by_match.sum(axis=0), counts[0])


def test_take__holds_back_tables_that_are_not_full(monkeypatch):
    monkeypatch.setitem(kernel_api.ROOM, "rounds", 10)
    run = kernel_api.DomengKernel().start(job({"games": 4}, level="rounds"))
    assert run.advance(4) and run.take(False) == {}
    assert run.n_rounds() == 4
    assert run.advance(100)
    taken = run.take(False)
    assert list(taken) == ["rounds"] and len(taken["rounds"]["match"]) == 10
    assert run.n_rounds() == 10 == run.rounds_by_cluster().sum()
    assert list(run.take(True)) == ["games", "rounds"]


# --- Engines ----------------------------------------------------------------------------------------------------------


def by_both_engines(monkeypatch, seats, n_rounds):
    wanted = task({"max_rounds": 12}, seats, seed=6, matches=effort(40, 2), rounds=n_rounds)
    assert kernel_api.engine_of(seats) == "table"
    table, counts = core(wanted)
    monkeypatch.setattr(kernel_api, "engine_of", lambda seats: "weighted")
    assert isinstance(kernel_api.make_policy(seats), WeightedPolicy)
    weighted, same_counts = core(wanted)
    monkeypatch.undo()
    assert_equal_columns(table, weighted)
    np.testing.assert_array_equal(counts, same_counts)
    return table


@pytest.mark.parametrize(
    "weights",
    [
        [{}, {"pips": 1}, {"pips": -1}, {"double": 1}, {"double": -1}],
        [
            {"pips": 1000, "double": 1000},
            {"pips": -1000, "double": 12_000},
            {"pips": 7, "double": -21},
            {},
            {"pips": 0},
        ],
        [{"pips": 10**9, "double": -(10**9)}, {"pips": 1, "double": -12}, {"pips": 500, "double": -1500}, {}, {}],
    ],
    ids=["one feature", "two features", "ties of tiles of different kinds"],
)
def test_engines__play_strategies_alike_that_both_can_express(monkeypatch, weights):
    by_both_engines(monkeypatch, tuple(map(Seat, weights)), 20)


def test_engines__all_weights_zero_is_random_in_both(monkeypatch):
    zeros = tuple(Seat(dict.fromkeys(FEATURES, 0)) for _ in range(5))
    random = by_both_engines(monkeypatch, RANDOM, 20)
    assert_equal_columns(by_both_engines(monkeypatch, zeros, 20), random)
    # A seat with weights sends the table of all five to the other engine; the rows change only by what that seat does.
    assert kernel_api.engine_of((*RANDOM[:4], Seat({"unseen": 1}))) == "weighted"


def test_engine__is_chosen_by_the_features_in_use():
    for name in FEATURES:
        expected = "table" if name in SIMPLE_FEATURES else "weighted"
        assert kernel_api.engine_of((*RANDOM[:4], Seat({name: 1}))) == expected
        assert kernel_api.engine_of((*RANDOM[:4], Seat({name: 0}))) == "table"
    assert kernel_api.engine_of((Seat({}, temperature=1.0), *RANDOM[:4])) == "weighted"
    assert kernel_api.DomengKernel().engine(RANDOM, {}) == "domeng-table"


# --- Luck -------------------------------------------------------------------------------------------------------------


def first_choices(seats):
    """Who leads the first rounds, and the tile led."""
    events = core(task(seats=seats, seed=9, matches=effort(3000, 60), rounds=1))[0]["events"]
    leads = events["event"] == 1
    return events["seat"][leads], events["tile"][leads]


def test_copies__have_luck_of_their_own():
    seat, tile = first_choices(RANDOM)
    seat_again, other = first_choices((*RANDOM[:4], Seat({}, copy=1)))
    np.testing.assert_array_equal(seat, seat_again)
    np.testing.assert_array_equal(other[seat != 4], tile[seat != 4])
    # Independent choices among five tiles agree one time in five.
    assert 0 < np.mean(other[seat == 4] == tile[seat == 4]) < 0.4


def test_deals__do_not_depend_on_how_rounds_were_played():
    same = {"seed": 3, "matches": effort(30, 2), "rounds": 20, "level": "rounds"}
    one = core(task(seats=RANDOM, **same))[0]["rounds"]
    other = core(task({"stones": 3, "passebunge": "first"}, MIXED, **same))[0]["rounds"]
    for seat in range(5):
        np.testing.assert_array_equal(one[f"hand_{seat}"], other[f"hand_{seat}"])
    assert (one["winner"] != other["winner"]).any()


def test_task__of_no_matches_has_no_rows():
    nothing = changed(job({"games": 4}), end_match=7)
    tables, counts = core(nothing)
    assert counts.shape[0] == 0 and all(len(table["match"]) == 0 for table in tables.values())
