"""The rows are the same however they are made: level, clusters, budget, buffers, parts, engine, copies."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest

from domeng_sim.core.codes import Event
from domeng_sim.games import GAMES, game
from domeng_sim.games.shared.kernel import ROOM
from domeng_sim.games.shared.seats import Seating
from domeng_sim.games.types import Seat
from tests.domeng_runs import assert_equal_columns, changed
from tests.effort import effort
from tests.every_game import runs_of
from tests.pairs import settings_of


class Played(NamedTuple):
    """How a game is played here: few rounds a game, so that games, truncations and matches of many lengths follow."""

    runs: Any
    rules: dict[str, Any]
    seats: tuple[Seat, ...]


TWO = (Seat({"pips": -1000, "double": 500}, copy=2), Seat({}, copy=1))
FIVE = (Seat({}), Seat({"pips": 1000}), Seat({"double": 1000}), *TWO)
PLAYED = {
    f"{name} {number}": Played(runs_of(name), given, FIVE[-spec.seats :])
    for name, spec in GAMES.items()
    for number, given in enumerate(settings_of(spec)[1:3])
}
LENGTHS = [{"games": 4}, {"rounds": 18}, {"rounds": 1}, {"rounds": 16}]


def job(setting, **other):
    played, length = setting
    given = {"seed": 5, "matches": (7, 7 + effort(60, 4)), "cluster": 1000, **length, **other}
    return played.runs.task(played.rules, played.seats, **given)


def core(setting, budget=100_000, **other):
    return setting[0].runs.core(job(setting, **other), budget)


@pytest.fixture(
    scope="module",
    params=[(name, length) for name in PLAYED for length in LENGTHS],
    ids=lambda pair: f"{pair[0]} {pair[1]}",
)
def whole(request):
    name, length = request.param
    setting = PLAYED[name], length
    return setting, *core(setting)


def test_rows__do_not_depend_on_the_level_nor_on_optional_columns(whole):
    setting, tables, counts = whole
    levels = ["summary", "games", "rounds", "events"]
    for level in levels:
        for hands in (False, True):
            less, same_counts = core(setting, level=level, hands=hands)
            assert list(less) == levels[1 : levels.index(level) + 1]
            assert_equal_columns(less, tables)
            np.testing.assert_array_equal(same_counts, counts)
            if "rounds" in less:
                assert ("hand_0" in less["rounds"]) == hands


def test_rows__do_not_depend_on_the_budget(whole):
    setting, tables, counts = whole
    for budget in (1, 2, 7, 16, 1000):
        again, same_counts = core(setting, budget)
        assert_equal_columns(again, tables)
        np.testing.assert_array_equal(same_counts, counts)


@pytest.mark.parametrize("room", [1, 2, 5])
@pytest.mark.parametrize("table", ["games", "rounds", "events"])
def test_rows__do_not_depend_on_where_a_buffer_is_full(whole, monkeypatch, room, table):
    setting, tables, counts = whole
    seats = setting[0].seats
    most = game("domeng" if len(seats) == 5 else "draw").kernel().max_events
    monkeypatch.setitem(ROOM, table, most + 40 * (room - 1) if table == "events" else room)
    again, same_counts = core(setting)
    assert_equal_columns(again, tables)
    np.testing.assert_array_equal(same_counts, counts)


def test_rows__do_not_depend_on_how_matches_are_parted(whole):
    setting, tables, counts = whole
    first, end = job(setting).first_match, job(setting).end_match
    parts = [core(setting, matches=bound) for bound in pairwise([first, first + 1, first + 3, end])]
    joined = {
        name: {column: np.concatenate([part[0][name][column] for part in parts]) for column in tables[name]}
        for name in tables
    }
    assert_equal_columns(joined, tables)
    np.testing.assert_array_equal(sum(part[1] for part in parts), counts)


def test_counts__of_a_cluster_are_those_of_its_matches(whole):
    setting, tables, counts = whole
    by_match = core(setting, cluster=1)[1]
    n = len(by_match)
    for cluster in (1, 3, n - 1, n, n + 5):
        again, clustered = core(setting, cluster=cluster)
        assert_equal_columns(again, tables)
        want = [by_match[start : start + cluster].sum(axis=0) for start in range(0, n, cluster)]
        np.testing.assert_array_equal(clustered, want)
    np.testing.assert_array_equal(by_match.sum(axis=0), counts[0])


@pytest.mark.parametrize("name", PLAYED)
def test_take__holds_back_tables_that_are_not_full(monkeypatch, name):
    monkeypatch.setitem(ROOM, "rounds", 10)
    setting = PLAYED[name], {"games": 4}
    run = game(name.partition(" ")[0]).kernel().start(job(setting, level="rounds"))
    assert run.advance(4) and run.take(False) == {}
    assert run.n_rounds() == 4
    assert run.advance(100)
    taken = run.take(False)
    assert list(taken) == ["rounds"] and len(taken["rounds"]["match"]) == 10
    assert run.n_rounds() == 10 == run.rounds_by_cluster().sum()
    assert list(run.take(True)) == ["games", "rounds"]


@pytest.mark.parametrize("name", PLAYED)
def test_task__of_no_matches_has_no_rows(name):
    setting = PLAYED[name], {"games": 4}
    tables, counts = setting[0].runs.core(changed(job(setting), end_match=7))
    assert counts.shape[0] == 0 and all(len(table["match"]) == 0 for table in tables.values())


# --- Engines ----------------------------------------------------------------------------------------------------------


def by_both_engines(monkeypatch, name, seats, **rules):
    runs, kernel = runs_of(name), game(name).kernel()
    wanted = runs.task({"max_rounds": 12, **rules}, seats, seed=6, matches=effort(40, 2), rounds=20)
    assert kernel.seating.engine(seats) == "table"
    table, counts = runs.core(wanted)
    monkeypatch.setattr(Seating, "engine", lambda seating, seats: "weighted")
    assert type(kernel.seating.policy(seats)).__name__.endswith("WeightedPolicy")
    weighted, same_counts = runs.core(wanted)
    monkeypatch.undo()
    assert_equal_columns(table, weighted)
    np.testing.assert_array_equal(counts, same_counts)
    return table


BOTH = [("domeng", {}), ("draw", {}), ("draw", {"table": "6x6"}), ("draw", {"table": "20x20"}), ("block", {})]


@pytest.mark.parametrize(("name", "rules"), BOTH, ids=str)
@pytest.mark.parametrize(
    "weights",
    [
        [{"pips": 1}, {"pips": -1}, {}, {"double": 1}, {"double": -1}],
        [{"double": 1}, {"double": -1}, {"pips": 0}, {}, {}],
        [{"pips": 1000, "double": 1000}, {"pips": -1000, "double": 12_000}, {"pips": 7, "double": -21}, {}, {}],
        [{"pips": 10**9, "double": -(10**9)}, {"pips": 500, "double": -1500}, {"pips": 1, "double": -12}, {}, {}],
    ],
    ids=["pips", "doubles", "two features", "ties of tiles of different kinds"],
)
def test_engines__play_strategies_alike_that_both_can_express(monkeypatch, weights, name, rules):
    by_both_engines(monkeypatch, name, tuple(map(Seat, weights[: game(name).seats])), **rules)


@pytest.mark.parametrize(("name", "rules"), BOTH, ids=str)
def test_engines__all_weights_zero_is_random_in_both(monkeypatch, name, rules):
    n = game(name).seats
    random = by_both_engines(monkeypatch, name, (Seat({}),) * n, **rules)
    zeros = tuple(Seat(dict.fromkeys(game(name).features, 0)) for _ in range(n))
    assert_equal_columns(by_both_engines(monkeypatch, name, zeros, **rules), random)


@pytest.mark.parametrize("name", GAMES)
def test_engine__is_chosen_by_the_features_in_use_and_the_table(name):
    spec = game(name)
    kernel, others, runs = spec.kernel(), (Seat({}),) * (spec.seats - 1), runs_of(name)

    def engine(*seats, level="rounds", **rules):
        return kernel.engine(runs.task(rules, seats, level=level))

    for feature in spec.features:
        expected = "table" if feature in ("pips", "double") else "weighted"
        assert engine(*others, Seat({feature: 1})) == f"{kernel.name}-{expected}"
        assert engine(*others, Seat({feature: 0})) == f"{kernel.name}-table"
    assert engine(Seat({}, temperature=1.0), *others) == f"{kernel.name}-weighted"
    assert engine(Seat({}), *others, level="events") == f"{kernel.name}-table-events"
    if "table" in spec.resolve_rules({}):
        assert engine(Seat({"turns": 1}), *others, table="4x4").endswith("-weighted-grid")


# --- Luck -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_copies__have_luck_of_their_own(name):
    """Who leads the first rounds, and the tile led, where one seat's strategy is another copy."""
    runs, n = runs_of(name), game(name).seats
    found = []
    for copy in (0, 1):
        seats = (*[Seat({})] * (n - 1), Seat({}, copy=copy))
        tables = runs.core(runs.task(seats=seats, seed=9, matches=effort(3000, 60), rounds=1))[0]
        leads = tables["events"]["event"] == Event.LEAD
        found.append((tables["events"]["seat"][leads], tables["events"]["tile"][leads]))
    (seat, tile), (seat_again, other) = found
    np.testing.assert_array_equal(seat, seat_again)
    own = seat == n - 1
    np.testing.assert_array_equal(other[~own], tile[~own])
    # Independent choices among five or seven tiles agree one time in five or seven.
    assert 0 < np.mean(other[own] == tile[own]) < 0.5


@pytest.mark.parametrize(
    ("name", "rules"), [("domeng", {"stones": 3, "passebunge": "first"}), ("draw", {"draw": "one"})]
)
def test_deals__do_not_depend_on_how_rounds_were_played(name, rules):
    runs, seats = runs_of(name), FIVE[-game(name).seats :]
    same = {"seed": 3, "matches": effort(30, 2), "rounds": 20, "level": "rounds"}
    one = runs.core(runs.task(**same))[0]["rounds"]
    other = runs.core(runs.task(rules, seats, **same))[0]["rounds"]
    for seat in range(game(name).seats):
        np.testing.assert_array_equal(one[f"hand_{seat}"], other[f"hand_{seat}"])
    assert (one["winner"] != other["winner"]).any()


def test_deals__are_those_of_the_family():
    same = {"seed": 3, "matches": effort(30, 2), "rounds": 3, "level": "rounds"}
    draw, block = (runs.core(runs.task(**same))[0]["rounds"] for runs in (runs_of("draw"), runs_of("block")))
    for column in ("starter", "hand_0", "hand_1"):
        np.testing.assert_array_equal(draw[column], block[column])


# --- A large table ----------------------------------------------------------------------------------------------------


def test_finite_table__that_is_large_is_played_as_one_without_bounds_until_ends_are_equal():
    # Until then the moves are the same and stand in the same order.
    n = effort(200, 10)
    runs = runs_of("draw")
    plain = runs.core(runs.task({}, seed=9, matches=n, rounds=1))[0]["events"]
    large = runs.core(runs.task({"table": "127x127"}, seed=9, matches=n, rounds=1))[0]["events"]
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
