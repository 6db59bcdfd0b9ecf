"""Seats at which people sit, in both games: what they may choose from, and what comes of it, against the twins."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domeng_sim.core.codes import Direction, End, Event, labels
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.domeng.kernel.feature_names import FEATURES as DOMENG_FEATURES
from domeng_sim.games.draw.game import DRAW
from domeng_sim.games.spec import GameRun, GameSpec
from domeng_sim.games.two_player.kernel.feature_names import FEATURES as DRAW_FEATURES
from domeng_sim.games.types import LegalMove, Seat, StrategyError, Task, Undecided
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import seat
from tests import domeng_runs, draw_runs
from tests.effort import effort
from tests.twin import domeng as domeng_twin
from tests.twin import draw as draw_twin
from tests.twin.streams import deal

TESTS = Path(__file__).parent.parent
RUNS: dict[str, ModuleType] = {"domeng": domeng_runs, "draw": draw_runs}
SPECS: dict[str, GameSpec] = {"domeng": DOMENG, "draw": DRAW}
PERSON = Seat({}, choices=())

Moves = tuple[tuple[int, str, str], ...]
Chooser = Callable[[int, Moves], int]
"""Seat and legal moves (tile, end, direction) -> the position of one."""


def at_random(salt: int) -> Chooser:
    """A fixed choice for every seat and list of moves, each move as likely as any other."""
    return lambda who, moves: random.Random(f"{salt} {who} {moves}").randrange(len(moves))


def in_words(moves: Sequence[LegalMove]) -> Moves:
    return tuple((move.tile, move.end, move.direction) for move in moves)


def next_question(run: GameRun) -> Undecided | None:
    """Play until somebody must be asked; None at the end."""
    try:
        while run.advance(1):
            run.take(True)
    except Undecided as question:
        return question
    return None


def with_people(job: Task, choose: Chooser) -> tuple[Task, list[tuple[int, Moves]]]:
    """The task with all choices that its people make, and what they were offered."""
    kernel = SPECS["domeng" if len(job.seats) == 5 else "draw"].kernel()
    asked: list[tuple[int, Moves]] = []
    while True:
        question = next_question(kernel.start(job))
        if question is None:
            return job, asked
        who, moves = question.seat, in_words(question.moves)
        made = job.seats[who].choices or ()
        assert question.n_chosen == len(made)
        asked.append((who, moves))
        chosen = (*made, choose(who, moves))
        job = replace(job, seats=tuple(replace(s, choices=chosen) if n == who else s for n, s in enumerate(job.seats)))


# --- Against the twins ------------------------------------------------------------------------------------------------


def twin_of_domeng(job: Task, choose: Chooser) -> tuple[dict[str, Any], list[tuple[int, Moves]]]:
    """The tables of the twin, and what people were offered where there was more than one move."""
    others = domeng_runs.twin_choose([replace(s, choices=None) for s in job.seats], job.seed)
    asked = []

    def chosen(who, view, moves):
        if job.seats[who].choices is None:
            return others(who, view, moves)
        offered = tuple((domeng_twin.tile_number(move.tile), move.end or "", "") for move in moves)
        asked.append((who, offered))
        return choose(who, offered)

    rows = domeng_twin.play_match(
        dict(job.rules),
        lambda r: deal(job.seed, job.first_match, r)[0],
        chosen,
        games=job.games or None,
        rounds=job.rounds or None,
        match=job.first_match,
    )
    return rows, asked


def twin_of_draw(job: Task, choose: Chooser) -> tuple[dict[str, Any], list[tuple[int, Moves]]]:
    """As `twin_of_domeng`."""
    others = draw_runs.twin_choose([replace(s, choices=None) for s in job.seats], job.seed)
    asked = []

    def chosen(who, view, moves):
        if job.seats[who].choices is None:
            return others(who, view, moves)
        # every free direction is a move of its own, in the order straight, left, right
        pairs = [(n, way) for n, move in enumerate(moves) for way in (move.directions or (None,))]
        offered = tuple((draw_twin.tile_number(moves[n].tile), moves[n].end or "", way or "") for n, way in pairs)
        if len(offered) > 1:
            asked.append((who, offered))
        return pairs[choose(who, offered)]

    rows = draw_twin.play_match(
        dict(job.rules),
        lambda r: draw_twin.deal(job.seed, job.first_match, r),
        chosen,
        games=job.games or None,
        rounds=job.rounds or None,
        match=job.first_match,
    )
    return rows, asked


def agree(job: Task, salt: int) -> None:
    choose = at_random(salt)
    runs, twin = (domeng_runs, twin_of_domeng) if len(job.seats) == 5 else (draw_runs, twin_of_draw)
    expected, offered = twin(job, choose)
    played, asked = with_people(job, choose)
    assert [one for one in asked if len(one[1]) > 1] == offered
    tables, counts = runs.core(played)
    runs.assert_same_tables(tables, expected)
    if runs is domeng_runs:
        runs.assert_counts(played, tables, counts)
    else:
        unbounded = played.rules["table"] == "unbounded"
        runs.assert_counts(played, tables, counts, None if unbounded else expected["closed"])


def seats_of(names, size):
    """Tables with at least one person, the other seats random or weighted."""
    weights = st.dictionaries(st.sampled_from(sorted(names)), st.integers(-3000, 3000), max_size=4)
    other = st.builds(Seat, weights, st.sampled_from([0.0, 0.0, 1.0]), st.sampled_from([0, 0, 7]))
    seats = st.tuples(*[st.just(PERSON) | other] * size)
    return seats.filter(lambda seats: PERSON in seats)


SEEDS = st.integers(0, 2**64 - 1)
FIRSTS = st.sampled_from([0, 1, 2**40 + 7])
LENGTHS = st.sampled_from([(1, 0), (2, 0), (0, 1), (0, 3)])
DOMENG_RULES = st.fixed_dictionaries(
    {"max_rounds": st.integers(1, 3)},
    optional={
        **{name: st.sampled_from(readings) for name, readings in domeng_twin.OPTIONS.items()},
        "stones": st.integers(0, 12),
        "pass_stones": st.integers(0, 3),
    },
)
SIZES = st.tuples(st.integers(2, 12), st.integers(2, 12)).map(lambda size: f"{size[0]}x{size[1]}")
DRAW_RULES = st.fixed_dictionaries(
    {"max_rounds": st.integers(1, 3), "table": st.just("unbounded") | SIZES},
    optional={
        **{name: st.sampled_from(readings) for name, readings in draw_twin.OPTIONS.items()},
        "target": st.integers(1, 60),
    },
)


@settings(max_examples=effort(25, 3))
@given(DOMENG_RULES, seats_of(DOMENG_FEATURES, 5), SEEDS, FIRSTS, LENGTHS, st.integers(0, 2**32))
def test_people_at_domeng__are_offered_the_legal_moves_and_play_as_the_twin(rules, seats, seed, first, length, salt):
    agree(domeng_runs.task(rules, seats, seed, (first, first + 1), *length), salt)


@settings(max_examples=effort(25, 3))
@given(DRAW_RULES, seats_of(DRAW_FEATURES, 2), SEEDS, FIRSTS, LENGTHS, st.integers(0, 2**32))
def test_people_at_draw__are_offered_the_legal_moves_and_play_as_the_twin(rules, seats, seed, first, length, salt):
    agree(draw_runs.task(rules, seats, seed, (first, first + 1), *length), salt)


@pytest.mark.parametrize("who", [(0,), (4,), (1, 3), (0, 1, 2, 3, 4)])
def test_people_at_domeng__at_one_several_and_all_seats_play_as_the_twin(who):
    seats = [PERSON if n in who else Seat({"pips": 1000}) for n in range(5)]
    agree(domeng_runs.task({"max_rounds": effort(4, 1)}, seats, seed=31, games=2), salt=5)


@pytest.mark.parametrize("table", ["unbounded", "4x4", "9x6"])
@pytest.mark.parametrize("who", [(0,), (1,), (0, 1)])
def test_people_at_draw__at_one_and_both_seats_play_as_the_twin(who, table):
    seats = [PERSON if n in who else Seat({"pips": 1000}) for n in range(2)]
    agree(draw_runs.task({"max_rounds": effort(3, 1), "table": table}, seats, seed=32, games=2), salt=6)


def test_moves__are_listed_by_value_joined_and_made_then_end_then_direction():
    seen = set()
    for seed in range(effort(6, 1)):
        job = draw_runs.task({"table": "12x9", "max_rounds": 1}, (PERSON, PERSON), seed)
        _, asked = with_people(job, at_random(seed))
        for _, moves in asked:
            assert len(set(moves)) == len(moves)
            ways = [[way for tile, end, way in moves if (tile, end) == key] for key in {m[:2] for m in moves}]
            for listed in ways:
                places = [labels(Direction).index(way) for way in listed if way]
                assert all(one < other for one, other in pairwise(places))
                seen.update(listed)
    assert seen == {"", *labels(Direction)}


# --- Beside others ----------------------------------------------------------------------------------------------------


def imitated(job: Task, who: Sequence[int]) -> None:
    """People who choose what a strategy chose get its rows, and so do all others."""
    runs = RUNS["domeng" if len(job.seats) == 5 else "draw"]
    tables, counts = runs.core(job)
    events = tables["events"]
    moved = np.isin(events["event"], [Event.LEAD, Event.PLAY])
    made = {}
    for n in who:
        at = np.flatnonzero(moved & (events["seat"] == n))
        ways = events["direction"][at] if "direction" in events else np.full(len(at), -1)
        made[n] = iter(
            [
                (int(tile), [*labels(End), ""][end], [*labels(Direction), ""][way])
                for tile, end, way in zip(events["tile"][at], events["side"][at], ways, strict=True)
            ]
        )
    seats = [replace(PERSON, copy=s.copy) if n in who else s for n, s in enumerate(job.seats)]
    played, _ = with_people(replace(job, seats=tuple(seats)), lambda seat, moves: moves.index(next(made[seat])))
    again, again_counts = runs.core(played)
    domeng_runs.assert_equal_columns(again, tables)
    np.testing.assert_array_equal(again_counts, counts)


def users(game: str, name: str) -> Seat:
    file = TESTS / ("user_functions.py" if game == "domeng" else "draw_user_functions.py")
    return seat(resolve(f"{file}:{name}", SPECS[game]))


@pytest.mark.parametrize("who", [(2,), (0, 4), (0, 1, 2, 3, 4)])
def test_person_at_domeng__who_chooses_what_a_strategy_chose_has_its_rows(who):
    seats = [seat(resolve(name, DOMENG)) for name in ("banker", "random", "master", "hunter", "random")]
    for seed in range(effort(3, 1)):
        imitated(domeng_runs.task({"max_rounds": effort(4, 1)}, seats, seed, games=2), who)


@pytest.mark.parametrize("table", ["unbounded", "8x8"])
@pytest.mark.parametrize("who", [(1,), (0, 1)])
def test_person_at_draw__who_chooses_what_a_strategy_chose_has_its_rows(who, table):
    seats = [seat(resolve("wall", DRAW)), Seat({})]
    for seed in range(effort(3, 1)):
        imitated(draw_runs.task({"max_rounds": effort(3, 1), "table": table}, seats, seed, games=1), who)


@pytest.mark.compiled
def test_person_at_domeng__beside_functions_changes_nothing_of_what_they_see():
    seats = [users("domeng", "by_digest"), Seat({}), users("domeng", "heaviest"), Seat({"pips": 500}), Seat({})]
    for seed in range(3):
        imitated(domeng_runs.task({"max_rounds": 4}, seats, seed, games=2), (1, 3))


@pytest.mark.compiled
def test_person_at_draw__beside_a_function_changes_nothing_of_what_it_sees():
    for seed in range(3):
        seats = [users("draw", "by_digest"), Seat({})]
        imitated(draw_runs.task({"max_rounds": 3, "table": "8x8"}, seats, seed, games=1), (1,))


# --- What cannot be ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", [-1, 99])
@pytest.mark.parametrize("game", ["domeng", "draw"])
def test_choice__of_a_move_that_there_is_not_is_an_error_that_says_so(game, choice):
    runs = RUNS[game]
    seats = (PERSON,) * SPECS[game].seats
    _, asked = with_people(runs.task({"max_rounds": 1}, seats, 3), at_random(1))
    who, moves = asked[0]
    broken = [Seat({}, choices=(choice,) if n == who else ()) for n in range(len(seats))]
    said = f"choice 0 of the person at seat {who} is move {choice}, which is none of 0 to {len(moves) - 1}"
    with pytest.raises(StrategyError, match=said) as caught:
        runs.core(runs.task({"max_rounds": 1}, broken, 3))
    assert not isinstance(caught.value, Undecided)


@pytest.mark.parametrize("game", ["domeng", "draw"])
def test_choices__more_than_there_are_decisions_are_left_alone(game):
    runs = RUNS[game]
    job, _ = with_people(runs.task({"max_rounds": 1}, (PERSON,) * SPECS[game].seats, 4), at_random(1))
    more = replace(job, seats=tuple(replace(s, choices=(*(s.choices or ()), 77)) for s in job.seats))
    domeng_runs.assert_equal_columns(runs.core(more)[0], runs.core(job)[0])


@pytest.mark.compiled
@pytest.mark.parametrize(("game", "fault"), [("domeng", "return moves.n"), ("draw", "return 1 // (moves.n - moves.n)")])
def test_function__that_fails_beside_a_person_is_the_usual_error(game, fault, tmp_path):
    file = tmp_path / "faulty.py"
    file.write_text(f"def broken(view, moves):\n    {fault}\n")
    faulty, n = seat(resolve(f"{file}:broken", SPECS[game])), SPECS[game].seats - 1
    job = RUNS[game].task({"max_rounds": 1}, [faulty, *[Seat({})] * n], 5)
    with pytest.raises(StrategyError) as usual:
        RUNS[game].core(job)
    beside = [faulty, *[PERSON] * n]
    with pytest.raises(StrategyError) as caught:
        with_people(replace(job, seats=tuple(beside)), lambda who, moves: 0)
    assert not isinstance(caught.value, Undecided)
    assert in_general(str(caught.value)) == in_general(str(usual.value))


def in_general(message):
    return re.sub(r"\d+", "N", message.split("broken")[-1])
