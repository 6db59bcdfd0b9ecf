"""Seats played by users' functions: against the built-in strategies, against the twin, and what they are shown."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domeng_sim.core.codes import End, Event, labels
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.domeng.kernel import view
from domeng_sim.games.shared.view import MAX_HISTORY, MAX_MOVES
from domeng_sim.games.types import Seat, StrategyError
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import seat
from tests.domeng_runs import assert_equal_columns, assert_same_tables, core, task
from tests.effort import effort
from tests.twin import domeng as twin
from tests.twin.streams import deal
from tests.twin.weighted import choose_weighted, seated, words

FUNCTIONS = Path(__file__).parent.parent / "user_functions.py"
RULES = st.fixed_dictionaries(
    {"max_rounds": st.integers(1, 40)},
    optional={
        **{name: st.sampled_from(readings) for name, readings in twin.OPTIONS.items()},
        "stones": st.integers(0, 30),
        "pass_stones": st.integers(0, 3),
    },
)


def player(name, copy=0):
    return seat(resolve(f"{FUNCTIONS}:{name}@{copy}", DOMENG))


# --- Against the built-in strategies ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "built_in"), [("heaviest", Seat({"pips": 1000})), ("uniform", Seat({})), ("uniform", Seat({}, copy=3))]
)
def test_function__that_does_what_a_built_in_strategy_does_has_its_very_rows(name, built_in):
    n = effort(2000, 3)
    expected, counts = core(task(seats=[built_in] * 5, matches=n, games=2))
    actual, user_counts = core(task(seats=[player(name, built_in.copy)] * 5, matches=n, games=2))
    assert_equal_columns(actual, expected)
    np.testing.assert_array_equal(user_counts, counts)


def test_mixed_table__of_functions_and_other_strategies_has_the_very_rows_of_built_in_ones():
    n = effort(2000, 3)
    built_in = [
        Seat({"pips": 1000}),
        Seat({}),
        Seat({"unseen": -1000}),
        Seat({"double": 500}, 1.5),
        Seat({"pips": 1000}),
    ]
    mixed = [player("heaviest"), player("uniform"), *built_in[2:4], player("heaviest")]
    expected, _ = core(task(seats=built_in, matches=n, games=2))
    actual, _ = core(task(seats=mixed, matches=n, games=2))
    assert_equal_columns(actual, expected)


def test_rows__of_functions_do_not_depend_on_budget_nor_on_how_matches_are_parted():
    seats = [player("by_digest"), player("uniform"), Seat({}), player("heaviest"), player("by_digest")]
    whole, _ = core(task(seats=seats, matches=6, games=2))
    again, _ = core(task(seats=seats, matches=6, games=2), budget=3)
    assert_equal_columns(again, whole)
    first, _ = core(task(seats=seats, matches=(0, 4), games=2))
    rest, _ = core(task(seats=seats, matches=(4, 6), games=2))
    parts = {name: {key: np.concatenate([first[name][key], rest[name][key]]) for key in first[name]} for name in whole}
    assert_equal_columns(parts, whole)


# --- What is shown ----------------------------------------------------------------------------------------------------


def facts(seen, moves, word):
    """All that a function is shown, by the twin's view and moves, in the order of `by_digest`."""
    is_lead = seen["left"] is None
    ends = [*labels(End), None]
    hand = sum(1 << twin.tile_number(tile) for tile in seen["hand"])
    played = sum(1 << twin.tile_number(row[2]) for row in seen["log"] if row[2] is not None)
    scalars = [
        seen["seat"],
        int(is_lead),
        hand,
        -1 if is_lead else seen["left"],
        -1 if is_lead else seen["right"],
        seen["starter"],
        seen["camat"],
        -1 if is_lead else seen["last_mappano"],
        seen["table"],
        played,
    ]
    rules = [twin.OPTIONS[n].index(v) if n in twin.OPTIONS else v for n, v in seen["rules"].items()]
    voids = [sum(1 << value for value in values) for values in seen["voids"]]
    rows = []
    for who, what, tile, end, left, right in seen["log"]:
        number = -1 if tile is None else twin.tile_number(tile)
        rows.append((labels(Event).index(what), who, number, -1 if end is None else ends.index(end), left, right))
    listed = []
    for move in moves:
        hi, lo = move.tile
        end = -1 if is_lead else ends.index(move.end)
        joined, opened = (hi, lo) if is_lead else (move.joined, move.new)
        listed.append((twin.tile_number(move.tile), end, joined, opened))
    return scalars, rules, voids, rows, listed, word


def digest_choice(word_of):
    """`by_digest` for the twin."""

    def choose(who, seen, moves):
        scalars, rules, voids, rows, listed, word = facts(seen, moves, word_of(who, seen))
        numbers = [*scalars, int((word >> 11) * 2.0**-53 * 1_000_000), word & 0xFFFF, len(rows), len(listed), *rules]
        for other in range(5):
            numbers += [seen["stones"][other], seen["tiles_held"][other], voids[other]]
        digest = 17
        for number in [*numbers, *chain.from_iterable(rows), *chain.from_iterable(listed)]:
            digest = (digest * 31 + number + 1) % 1_000_003
        return digest % len(moves)

    return choose


def twin_tables(job, strategies):
    rows = {"games": [], "rounds": [], "events": []}
    for match in range(job.first_match, job.end_match):
        played = twin.play_match(
            dict(job.rules),
            lambda r, match=match: deal(job.seed, match, r)[0],
            seated(strategies),
            games=job.games or None,
            rounds=job.rounds or None,
            match=match,
        )
        for name in rows:
            rows[name].extend(played[name])
    return rows


@settings(max_examples=effort(60, 5))
@given(RULES, st.integers(0, 2**64 - 1), st.sampled_from([(1, 0), (3, 0), (0, 7)]))
def test_view__is_the_twins_in_every_number(rules, seed, length):
    job = task(rules, [player("by_digest")] * 5, seed, effort(3, 1), *length)
    tables, _ = core(job)
    assert_same_tables(tables, twin_tables(job, [digest_choice(words(seed))] * 5))


def test_view__is_the_twins_beside_other_strategies():
    seats = [Seat({"unseen": -1000}), player("by_digest", 2), Seat({}), player("by_digest"), Seat({"double": 1000})]
    job = task({}, seats, 5, effort(100, 2), 3)
    tables, _ = core(job)
    weights = ({"unseen": -1}, None, {}, None, {"double": 1})
    strategies = [
        digest_choice(words(5, who.copy)) if weight is None else choose_weighted(weight, 0, words(5))
        for who, weight in zip(seats, weights, strict=True)
    ]
    assert_same_tables(tables, twin_tables(job, strategies))


def shown_by(seen, moves, word):
    """The whole array that a function is given, from what its player may know and nothing else."""
    scalars, rules, voids, rows, listed, word = facts(seen, moves, word)
    # no tile has a direction
    rows = [(*row[:4], -1, *row[4:]) for row in rows] + [(-1,) * 7] * (MAX_HISTORY - len(rows))
    listed = [(*move[:2], -1, *move[2:]) for move in listed] + [(-1,) * 5] * (MAX_MOVES - len(listed))
    columns = [*zip(*listed, strict=True), *zip(*rows, strict=True)]
    head = [scalars[0], len(moves), len(seen["log"]), word >> 32, word & 0xFFFFFFFF, *scalars[1:6], scalars[9]]
    own = [*scalars[6:9], *seen["stones"], *seen["tiles_held"], *voids]
    return [*head, *chain.from_iterable(columns), *rules, *own]


class Stop(Exception):
    """Carries what the twin's player saw."""


def test_array__that_a_function_is_given_holds_what_a_player_may_know_and_nothing_else(monkeypatch):
    seats = [player("fails_late")] * 5
    kept = []
    pair = view.WINDOW.pair
    monkeypatch.setattr(view.WINDOW, "pair", lambda: kept.append(pair()) or kept[-1])

    def choose(who, seen, moves):
        word = words(9)(who, seen)
        if seen["table"] <= 12 and len(seen["log"]) >= 3:
            raise Stop(shown_by(seen, moves, word))
        return word * len(moves) >> 64

    for match in range(effort(200, 5)):
        with pytest.raises(StrategyError, match=r"chose move -7, which is none of 0 to \d+; \d+ legal moves"):
            core(task({}, seats, 9, (match, match + 1), 10))
        with pytest.raises(Stop) as stopped:
            twin_tables(task({}, seats, 9, (match, match + 1), 10), [choose] * 5)
        np.testing.assert_array_equal(kept[-1][1], stopped.value.args[0])


@pytest.mark.compiled  # with the compiler off numpy refuses to read there
def test_array__shows_nothing_of_other_hands_or_of_earlier_rounds_to_one_who_reads_beyond():
    core(task({}, [player("reads_beyond"), player("uniform"), *[player("reads_beyond")] * 3], 3, 300, 3))


@pytest.mark.parametrize("name", ["last_move", "pips_of_hand"])
def test_function__already_compiled_or_using_tiles_of_the_package_plays(name):
    tables, _ = core(task(seats=[player(name), *[Seat({})] * 4], matches=effort(50, 1)))
    assert len(tables["rounds"]["match"]) > 0


def test_function__is_asked_only_where_there_is_a_choice():
    core(task({"opening_lead": "double"}, [player("wants_a_choice")] * 5, 1, effort(200, 3)))


# --- Compiled once ----------------------------------------------------------------------------------------------------

SECOND_PROCESS = """
import json, sys
from numba.core import event
recorder = event.RecordingListener()
event.register("numba:compile", recorder)
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import seat
from tests.domeng_runs import core, task
path, *names = sys.argv[1:]
core(task(seats=[seat(resolve(f"{path}:{name}", DOMENG)) for name in names], matches=20))
compiled = {one.data["dispatcher"].py_func for _, one in recorder.buffer if one.is_start}
ours = sorted(function.__name__ for function in compiled if function.__module__.startswith("domeng_sim."))
json.dump(ours, sys.stdout)
"""


@pytest.mark.compiled
def test_second_process__compiles_nothing_of_ours_but_the_windows_of_the_functions():
    core(task(seats=[player("heaviest")] * 5, matches=20))  # now, if not before, the engine is in the cache
    names = ["uniform", "last_move", "last_move", "by_digest", "uniform"]
    command = [sys.executable, "-c", SECOND_PROCESS, str(FUNCTIONS), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=FUNCTIONS.parent.parent)
    ours = json.loads(done.stdout)
    # what is merged into the code around a user's function; the guard itself is made by `cfunc`
    assert ours == ["<lambda>", "history_of", "moves_of", "uniform_of", "view_of", "windows", "word_of"]


# --- A strategy travels -----------------------------------------------------------------------------------------------


def test_function__from_a_manifest_plays_the_same_when_its_file_is_gone(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def choose(view, moves):\n    return (view.hand + view.table) % moves.n\n")
    spec = resolve(f"{file}:choose", DOMENG)
    before, _ = core(task(seats=[seat(spec)] * 5, matches=3))
    file.unlink()
    record = json.loads(json.dumps(spec.to_json()))
    again = type(spec).from_json(record)
    assert again == spec
    after, _ = core(task(seats=[seat(again)] * 5, matches=3))
    assert_equal_columns(after, before)
