"""The rows of Draw are the same however they are made: level, clusters, budget, buffers, parts, engine, copies."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from domeng_sim.games.shared.core_run import ROOM

from domeng_sim.core.codes import Event
from domeng_sim.games.two_player.kernel import kernel_api
from domeng_sim.games.two_player.kernel.feature_names import FEATURES, SIMPLE_FEATURES
from domeng_sim.games.two_player.kernel.records import MAX_EVENTS
from domeng_sim.games.types import Seat
from tests.domeng_runs import assert_equal_columns
from tests.draw_runs import RANDOM, core, task
from tests.effort import effort

MIXED = (Seat({"pips": -1000, "double": 500}, copy=2), Seat({}, copy=1))
# Low targets and few rounds, so that games, truncations and matches of many lengths follow each other.
RULES = [{"target": 20, "max_rounds": 4}, {"target": 60, "max_rounds": 3, "table": "7x5"}]
LENGTHS = [{"games": 4}, {"rounds": 18}, {"rounds": 1}, {"rounds": 16}]


def job(setting, **other):
    rules, length = setting
    return task(rules, MIXED, **{"seed": 5, "matches": (7, 7 + effort(60, 4)), "cluster": 1000, **length, **other})


@pytest.fixture(scope="module", params=[(rules, length) for rules in RULES for length in LENGTHS], ids=str)
def whole(request):
    return request.param, *core(job(request.param))


def test_rows__do_not_depend_on_the_level_nor_on_optional_columns(whole):
    setting, tables, counts = whole
    for level in ("summary", "games", "rounds", "events"):
        for hands in (False, True):
            less, same_counts = core(job(setting, level=level, hands=hands))
            assert list(less) == ["games", "rounds", "events"][: ["summary", "games", "rounds", "events"].index(level)]
            assert_equal_columns(less, tables)
            np.testing.assert_array_equal(same_counts, counts)
            if "rounds" in less:
                assert ("hand_0" in less["rounds"]) == hands


def test_rows__do_not_depend_on_the_budget(whole):
    setting, tables, counts = whole
    for budget in (1, 2, 7, 16, 1000):
        again, same_counts = core(job(setting), budget)
        assert_equal_columns(again, tables)
        np.testing.assert_array_equal(same_counts, counts)


@pytest.mark.parametrize("room", [1, 2, 5])
@pytest.mark.parametrize("table", ["games", "rounds", "events"])
def test_rows__do_not_depend_on_where_a_buffer_is_full(whole, monkeypatch, room, table):
    setting, tables, counts = whole
    monkeypatch.setitem(ROOM, table, MAX_EVENTS + 40 * (room - 1) if table == "events" else room)
    again, same_counts = core(job(setting))
    assert_equal_columns(again, tables)
    np.testing.assert_array_equal(same_counts, counts)


def test_rows__do_not_depend_on_how_matches_are_parted(whole):
    setting, tables, counts = whole
    first, end = job(setting).first_match, job(setting).end_match
    bounds = [first, first + 1, first + 3, end]
    parts = [core(job(setting, matches=bound)) for bound in pairwise(bounds)]
    joined = {
        name: {column: np.concatenate([part[0][name][column] for part in parts]) for column in tables[name]}
        for name in tables
    }
    assert_equal_columns(joined, tables)
    np.testing.assert_array_equal(sum(part[1] for part in parts), counts)


def test_counts__of_a_cluster_are_those_of_its_matches(whole):
    setting, tables, counts = whole
    by_match = core(job(setting, cluster=1))[1]
    n = len(by_match)
    for cluster in (1, 3, n - 1, n, n + 5):
        again, clustered = core(job(setting, cluster=cluster))
        assert_equal_columns(again, tables)
        want = [by_match[start : start + cluster].sum(axis=0) for start in range(0, n, cluster)]
        np.testing.assert_array_equal(clustered, want)
    np.testing.assert_array_equal(by_match.sum(axis=0), counts[0])


# --- Engines ----------------------------------------------------------------------------------------------------------


def by_both_engines(monkeypatch, seats, n_rounds, **rules):
    wanted = task({"max_rounds": 12, **rules}, seats, seed=6, matches=effort(40, 2), rounds=n_rounds)
    assert kernel_api.engine_of(seats) == "table"
    table, counts = core(wanted)
    monkeypatch.setattr(kernel_api, "engine_of", lambda seats: "weighted")
    weighted, same_counts = core(wanted)
    monkeypatch.undo()
    assert_equal_columns(table, weighted)
    np.testing.assert_array_equal(counts, same_counts)
    return table


@pytest.mark.parametrize("size", ["unbounded", "6x6", "20x20"])
@pytest.mark.parametrize(
    "weights",
    [
        [{"pips": 1}, {"pips": -1}],
        [{"double": 1}, {"double": -1}],
        [{"pips": 1000, "double": 1000}, {"pips": -1000, "double": 12_000}],
        [{"pips": 7, "double": -21}, {}],
        [{"pips": 10**9, "double": -(10**9)}, {"pips": 500, "double": -1500}],
    ],
    ids=str,
)
def test_engines__play_strategies_alike_that_both_can_express(monkeypatch, weights, size):
    by_both_engines(monkeypatch, tuple(map(Seat, weights)), 20, table=size)


@pytest.mark.parametrize("size", ["unbounded", "7x7"])
def test_engines__all_weights_zero_is_random_in_both(monkeypatch, size):
    zeros = tuple(Seat(dict.fromkeys(FEATURES, 0)) for _ in range(2))
    random = by_both_engines(monkeypatch, RANDOM, 20, table=size)
    assert_equal_columns(by_both_engines(monkeypatch, zeros, 20, table=size), random)


def test_engine__is_chosen_by_the_features_in_use_and_the_table():
    for name in FEATURES:
        expected = "table" if name in SIMPLE_FEATURES else "weighted"
        assert kernel_api.engine_of((Seat({}), Seat({name: 1}))) == expected
        assert kernel_api.engine_of((Seat({}), Seat({name: 0}))) == "table"
    kernel = kernel_api.DrawKernel()
    assert kernel.engine(RANDOM, {"table": "unbounded"}) == "draw-table"
    assert kernel.engine((Seat({"turns": 1}), Seat({})), {"table": "4x4"}) == "draw-weighted-grid"


# --- Copies and a large table -----------------------------------------------------------------------------------------


def test_copies__of_a_seat_choose_for_themselves():
    plain = core(task({}, RANDOM, seed=8, matches=effort(300, 20), rounds=1))[0]
    copy = core(task({}, (Seat({}, copy=1), Seat({})), seed=8, matches=effort(300, 20), rounds=1))[0]
    assert_equal_columns(
        {"rounds": {name: plain["rounds"][name] for name in ("starter", "hand_0", "hand_1")}},
        {"rounds": copy["rounds"]},
    )
    leads = [rows["events"]["tile"][rows["events"]["event"] == Event.LEAD] for rows in (plain, copy)]
    own = plain["rounds"]["starter"] == 0
    np.testing.assert_array_equal(leads[0][~own], leads[1][~own])
    # Independent choices among seven tiles agree one time in seven.
    assert 0 < (leads[0][own] == leads[1][own]).mean() < 0.5


def test_finite_table__that_is_large_is_played_as_one_without_bounds_until_ends_are_equal():
    # Until then the moves are the same and stand in the same order.
    n = effort(200, 10)
    plain = core(task({}, seed=9, matches=n, rounds=1))[0]["events"]
    large = core(task({"table": "127x127"}, seed=9, matches=n, rounds=1))[0]["events"]
    n_compared = 0
    for match in range(n):
        a, b = plain["match"] == match, large["match"] == match
        columns = [
            [rows[name][at].tolist() for name in ("event", "seat", "tile", "left_end", "right_end")]
            for rows, at in ((plain, a), (large, b))
        ]
        for first, second in zip(zip(*columns[0], strict=True), zip(*columns[1], strict=True), strict=False):
            assert first == second
            n_compared += 1
            if first[0] in (Event.LEAD, Event.PLAY) and first[3] == first[4]:
                break
    assert n_compared > 20 * n
