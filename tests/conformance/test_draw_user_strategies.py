"""Seats of Draw played by users' functions: against the built-in strategies, against the twin, and what they see."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domeng_sim.core.codes import Direction, End, Event, labels
from domeng_sim.games.draw.game import DRAW
from domeng_sim.games.shared.view import MAX_HISTORY, MAX_MOVES
from domeng_sim.games.two_player.kernel import view
from domeng_sim.games.types import Seat, StrategyError
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import seat
from domeng_sim.strategies.weighted import StrategySpecError
from tests.draw_runs import assert_same_tables, core, task
from tests.effort import effort
from tests.twin import draw as twin

FUNCTIONS = Path(__file__).parent.parent / "draw_user_functions.py"
TABLES = ["unbounded", "unbounded", "4x4", "7x5", "12x9"]
RULES = st.fixed_dictionaries(
    {"target": st.integers(1, 150), "max_rounds": st.integers(1, 12), "table": st.sampled_from(TABLES)},
    optional={name: st.sampled_from(readings) for name, readings in twin.OPTIONS.items()},
)


def player(name, copy=0):
    return seat(resolve(f"{FUNCTIONS}:{name}@{copy}", DRAW))


def assert_equal_columns(actual, expected):
    assert list(actual) == list(expected)
    for name, table in expected.items():
        for column, values in table.items():
            np.testing.assert_array_equal(actual[name][column], values, f"{name}.{column}")


# --- Against the built-in strategies ----------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["unbounded", "6x6"])
@pytest.mark.parametrize("copy", [0, 3])
def test_function__that_does_what_random_does_has_its_very_rows(table, copy):
    n = effort(500, 3) if table == "unbounded" else effort(100, 3)
    built_in = Seat({}, copy=copy)
    expected, counts = core(task({"table": table}, (built_in, built_in), matches=n))
    for seats in ([player("uniform", copy)] * 2, [built_in, player("uniform", copy)]):
        actual, user_counts = core(task({"table": table}, seats, matches=n))
        assert_equal_columns(actual, expected)
        np.testing.assert_array_equal(user_counts, counts)


def test_rows__of_functions_do_not_depend_on_budget_nor_on_how_matches_are_parted():
    seats = [player("by_digest"), player("turns")]
    rules = {"table": "9x9"}
    whole, _ = core(task(rules, seats, matches=6))
    again, _ = core(task(rules, seats, matches=6), budget=3)
    assert_equal_columns(again, whole)
    first, _ = core(task(rules, seats, matches=(0, 4)))
    rest, _ = core(task(rules, seats, matches=(4, 6)))
    parts = {name: {key: np.concatenate([first[name][key], rest[name][key]]) for key in first[name]} for name in whole}
    assert_equal_columns(parts, whole)


# --- What is shown ----------------------------------------------------------------------------------------------------


def single_moves(moves):
    """The twin's moves with each direction as one of its own: (move, position, direction)."""
    return [(move, position, way) for position, move in enumerate(moves) for way in move.directions]


def size_code(text):
    if text == "unbounded":
        return 0
    width, height = map(int, text.split("x"))
    return 65536 * width + height


def mask(tiles):
    return sum(1 << twin.tile_number(tile) for tile in tiles)


def facts(seen, moves, word):
    """All that a function is shown, by the twin's view and moves, in the order of `by_digest`."""
    is_lead = seen["left"] is None
    ends, ways = labels(End), labels(Direction)
    scalars = [
        seen["seat"],
        int(is_lead),
        mask(seen["hand"]),
        -1 if is_lead else seen["left"],
        -1 if is_lead else seen["right"],
        seen["starter"],
        seen["n_stock"],
        sum(1 << ends.index(end) for end in seen["closed"]),
        mask(seen["played"]),
        mask(tile for tile in seen["ruled_out"] if tile not in [*seen["played"], *seen["hand"]]),
    ]
    codes = {"table": size_code(seen["rules"]["table"])}
    codes |= {name: readings.index(seen["rules"][name]) for name, readings in twin.OPTIONS.items()}
    rules = [codes.get(name, value) for name, value in seen["rules"].items()]
    rows = [
        (
            labels(Event).index(row["event"]),
            row["seat"],
            row["tile"],
            -1 if row["side"] is None else ends.index(row["side"]),
            -1 if row["direction"] is None else ways.index(row["direction"]),
            row["left_end"],
            row["right_end"],
        )
        for row in seen["log"]
    ]
    listed = []
    for move, _, way in single_moves(moves):
        end = -1 if is_lead else ends.index(move.end)
        joined, opened = move.tile if is_lead else (move.joined, move.new)
        listed.append((twin.tile_number(move.tile), end, -1 if way is None else ways.index(way), joined, opened))
    return scalars, rules, rows, listed, word


def digest_choice(seed):
    """`by_digest` for the twin; where there is one move only, that."""

    def choose(who, seen, moves):
        scalars, rules, rows, listed, word = facts(seen, moves, twin.word_of(seed, seen, 0))
        numbers = [*scalars, int((word >> 11) * 2.0**-53 * 1_000_000), word & 0xFFFF, len(rows), len(listed), *rules]
        for other in range(2):
            numbers += [seen["tiles_held"][other], seen["scores"][other]]
        digest = 17
        for number in [*numbers, *chain.from_iterable(rows), *chain.from_iterable(listed)]:
            digest = (digest * 31 + number + 1) % 1_000_003
        _, position, way = single_moves(moves)[digest % len(listed)]
        return position, way

    return choose


def twin_tables(job, choose):
    rows = {"games": [], "rounds": [], "events": [], "closed": []}
    for match in range(job.first_match, job.end_match):
        played = twin.play_match(
            dict(job.rules),
            lambda r, match=match: twin.deal(job.seed, match, r),
            choose,
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
    job = task(rules, [player("by_digest")] * 2, seed, 1, *length)
    tables, _ = core(job)
    assert_same_tables(tables, twin_tables(job, digest_choice(seed)))


@pytest.mark.parametrize("table", ["unbounded", "7x7"])
def test_view__is_the_twins_beside_another_strategy(table):
    job = task({"table": table}, [Seat({"unseen": -1000}), player("by_digest")], 5, effort(20, 1))
    tables, _ = core(job)
    choices = [twin.choose_weighted({"unseen": -1000}, 0, 5), digest_choice(5)]
    assert_same_tables(tables, twin_tables(job, lambda who, seen, moves: choices[who](who, seen, moves)))


def shown_by(seen, moves, word):
    """The whole array that a function is given, from what its player may know and nothing else."""
    scalars, rules, rows, listed, word = facts(seen, moves, word)
    behind_rows = [(-1,) * 7] * (MAX_HISTORY - len(rows))
    behind_moves = [(-1,) * 5] * (MAX_MOVES - len(listed))
    columns = [*zip(*(listed + behind_moves), strict=True), *zip(*(rows + behind_rows), strict=True)]
    head = [scalars[0], len(listed), len(rows), word >> 32, word & 0xFFFFFFFF, *scalars[1:6], scalars[8]]
    own = [*seen["scores"], *seen["tiles_held"], *scalars[6:8], scalars[9]]
    return [*head, *chain.from_iterable(columns), *rules, *own]


class Stop(Exception):
    """Carries what the twin's player saw."""


@pytest.mark.parametrize("table", ["unbounded", "8x8"])
def test_array__that_a_function_is_given_holds_what_a_player_may_know_and_nothing_else(monkeypatch, table):
    seats = [player("fails_late")] * 2
    kept = []
    pair = view.WINDOW.pair
    monkeypatch.setattr(view.WINDOW, "pair", lambda: kept.append(pair()) or kept[-1])

    def choose(who, seen, moves):
        word, single = twin.word_of(9, seen, 0), single_moves(moves)
        drawn = any(row["event"] == "draw" for row in seen["log"])
        if len(single) > 1 and sum(seen["scores"]) > 50 and drawn:
            raise Stop(shown_by(seen, moves, word))
        _, position, way = single[word * len(single) >> 64]
        return position, way

    rules = {"table": table, "target": 5000}
    for match in range(effort(100, 5)):
        with pytest.raises(StrategyError, match=r"chose move -7, which is none of 0 to \d+; \d+ legal moves"):
            core(task(rules, seats, 9, (match, match + 1)))
        with pytest.raises(Stop) as stopped:
            twin_tables(task(rules, seats, 9, (match, match + 1)), choose)
        np.testing.assert_array_equal(kept[-1][1], stopped.value.args[0])


@pytest.mark.compiled  # with the compiler off numpy refuses to read there
@pytest.mark.parametrize("table", ["unbounded", "8x8"])
def test_array__shows_nothing_of_earlier_decisions_or_rounds_to_one_who_reads_beyond(table):
    core(task({"table": table}, [player("reads_beyond"), player("by_digest")], 3, 100))
    core(task({"table": table}, [player("uniform"), player("reads_beyond")], 3, 100))


def test_function__is_asked_only_where_there_is_a_choice():
    core(task({"opening_lead": "highest"}, [player("wants_a_choice")] * 2, 1, effort(200, 3)))
    core(task({"table": "5x5"}, [player("wants_a_choice")] * 2, 1, effort(100, 3)))


def test_direction__is_the_functions_to_choose_on_a_finite_table():
    tables, _ = core(task({"table": "9x9"}, [player("turns"), Seat({})], 2, effort(50, 3)))
    events = tables["events"]
    plays, mine = events["event"] == Event.PLAY, events["seat"] == 0
    turned = events["direction"] > Direction.STRAIGHT
    assert turned[plays & mine].mean() > 3 * turned[plays & ~mine].mean()


# --- Blind to what is hidden ------------------------------------------------------------------------------------------


def deal_anew(state, who, draw):
    """Deal the other hand and the stock of a round anew."""
    other = 1 - who
    hidden = [*state.hands[other], *state.stock]
    draw.shuffle(hidden)
    n = len(state.hands[other])
    state.hands[other], state.stock = hidden[:n], hidden[n:]


@pytest.mark.parametrize("table", ["unbounded", "7x7"])
def test_choice__does_not_change_when_the_hidden_tiles_are_permuted(table, monkeypatch):
    """The twin permutes the hidden tiles before it shows them; the core's function must choose the same."""
    draw = random.Random(6)
    compared = [0]
    views = twin._Round.view

    def view_of(state, who, round_in_match):
        before = views(state, who, round_in_match)
        hands, stock = [list(hand) for hand in state.hands], list(state.stock)
        deal_anew(state, who, draw)
        assert hands[who] == state.hands[who]
        after = views(state, who, round_in_match)
        moved = state.hands != hands or state.stock != stock
        state.hands, state.stock = hands, stock
        assert after["hand"] == before["hand"] and after["log"] == before["log"]
        compared[0] += moved
        return after

    monkeypatch.setattr(twin._Round, "view", view_of)
    job = task({"table": table}, [player("by_digest")] * 2, 11, effort(10, 1))
    tables, _ = core(job)
    assert_same_tables(tables, twin_tables(job, digest_choice(11)))
    assert compared[0] > 20


# --- What goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["unbounded", "8x8"])
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return moves.tile[moves.n]", "raised IndexError"),
        ("if moves.n: raise ValueError('I do not know')\n    return 0", r"raised ValueError: I do not know \(line 2\)"),
        ("return moves.n", r"chose move \d+, which is none of 0 to"),
    ],
)
def test_failure__stops_the_run_and_says_which_function_seat_match_and_round(tmp_path, table, body, said):
    file = tmp_path / "mine.py"
    file.write_text(f"def choose(view, moves):\n    {body}\n")
    mine = seat(resolve(f"{file}:choose", DRAW))
    with pytest.raises(StrategyError, match=r"legal moves, match 0, game 0, round 0$") as caught:
        core(task({"table": table}, [Seat({}), mine], 4, 3))
    assert re.search(rf"mine\.py:choose \(seat 1\) {said}", str(caught.value))


@pytest.mark.compiled
def test_view__of_domeng_is_not_to_be_had(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def choose(view, moves):\n    return view.stones[0]\n")
    with pytest.raises(StrategySpecError, match="Unknown attribute 'stones' of type TwoPlayerObservation"):
        seat(resolve(f"{file}:choose", DRAW))


# --- Compiled once ----------------------------------------------------------------------------------------------------

SECOND_PROCESS = """
import json, sys
from domeng_sim.core.announce import when_compiling
from domeng_sim.games.draw.game import DRAW
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import seat
from tests.draw_runs import core, task
path, table, *names = sys.argv[1:]
told, seats = [], [seat(resolve(f"{path}:{name}", DRAW)) for name in names]
with when_compiling(lambda: told.append(1)):
    core(task({"table": table}, seats, matches=20))
json.dump(told, sys.stdout)
"""


@pytest.mark.compiled
@pytest.mark.parametrize("table", ["unbounded", "8x8"])
def test_second_process__finds_the_engine_compiled_for_whatever_functions(table):
    core(task({"table": table}, [player("turns")] * 2, matches=20))  # now, if not before, the engine is in the cache
    command = [sys.executable, "-c", SECOND_PROCESS, str(FUNCTIONS), table, "uniform", "by_digest"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=FUNCTIONS.parent.parent)
    assert json.loads(done.stdout) == []
