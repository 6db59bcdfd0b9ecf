"""Positions of Draw out of real rounds: read as they were played, and the true deal is among those that agree."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domeng_sim.core.tiles import hand_mask, mask_tiles
from domeng_sim.games.draw.game import DRAW as GAME
from domeng_sim.games.shared.move_log import DRAW, PLAY
from domeng_sim.games.two_player.odds.notation import from_rows, read, texts_of
from domeng_sim.games.types import PositionError, Seat, StrategyError
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import seat
from tests.draw_positions import columns
from tests.draw_runs import task, twin_rows
from tests.effort import effort
from tests.twin import draw as twin

SEATS = (Seat({}), Seat({"pips": 1000}))
TABLES = ["unbounded", "6x6", "9x4", "12x12"]
LETTERS = {"straight": "s", "left": "l", "right": "r", None: ""}


def rules_of(draw: str, opening_lead: str, table: str) -> dict:
    return GAME.resolve_rules({"draw": draw, "opening_lead": opening_lead, "table": table})


@st.composite
def rounds(draw):
    """Rules, the rows of a match of some rounds, and which round to look at."""
    rules = rules_of(
        draw(st.sampled_from(["until_fit", "one"])),
        draw(st.sampled_from(["any", "highest"])),
        draw(st.sampled_from(TABLES)),
    )
    job = task(rules, SEATS, seed=draw(st.integers(0, 2**32)), rounds=2)
    rows = twin_rows(job)["events"]
    return rules, rows, draw(st.integers(0, 1))


def rows_of_round(rows, which):
    keys = sorted({(row["game"], row["round"]) for row in rows})
    game, round_ = keys[which]
    return game, round_, [row for row in rows if (row["game"], row["round"]) == (game, round_)]


def legal_moves(rules, events, step):
    """The twin's round as it stands before a step."""
    dealt = [[row["tile"] for row in events[:14] if row["seat"] == seat] for seat in (0, 1)]
    rest = [tile for tile in range(28) if tile not in dealt[0] + dealt[1]]
    drawn = [row["tile"] for row in events if row["event"] == "draw"]
    stock = drawn + [tile for tile in rest if tile not in drawn]
    state = twin._Round({**rules, "table": str(rules["table"])}, dealt, stock)
    for row in events[14:step]:
        if row["event"] == "draw":
            state.hands[row["seat"]].append(state.stock.pop(0))
        elif row["event"] in ("lead", "play"):
            tile = twin.ALL_TILES[row["tile"]]
            move = twin.Move(tile, None, None, None, (None,))
            if row["event"] == "play":
                [move] = [move for move in state.moves([tile]) if move.end == row["side"]]
            state.put(row["seat"], move, row["direction"])
    return state


def true_places(here, events, step):
    """Where the tiles that the player did not see really are, by place of `Origins`: which place names fit."""
    origins = here.origins
    other = origins.other
    dealt = {row["tile"] for row in events[:14] if row["seat"] == other}
    kept, turn = {}, -1
    acts = [row for row in events[14:step] if row["event"] in ("lead", "play", "draw", "pass")]
    numbers = {shown.at: number for number, shown in enumerate(origins.turns)}
    for at, row in enumerate(acts):
        turn = numbers.get(at, turn)
        if row["event"] == "draw" and row["seat"] == other:
            kept[row["tile"]] = turn
    return dealt, kept


@given(rounds())
def test_position__of_every_step_is_the_round_as_it_stood(found):
    rules, rows, which = found
    game, round_, events = rows_of_round(rows, which)
    last = next(k for k, row in enumerate(events) if row["event"] in ("award", "end"))
    picked = random.Random(len(rows)).sample(range(14, last), min(effort(5, 2), last - 14))
    for step in {14, last - 1, *picked}:
        here = from_rows(columns(rows), rules, game, round_, step)
        row = events[step]
        assert here.turn == here.seat == row["seat"]
        state = legal_moves(rules, events, step)
        assert {twin.tile_number(tile) for tile in state.hands[here.seat]} == set(mask_tiles(here.hands[here.seat]))
        assert here.hands[1 - here.seat] is None
        assert (here.held, here.stock) == (tuple(map(len, state.hands)), len(state.stock))
        if row["event"] == "lead":
            assert row["tile"] in {move.tile for move in here.moves}
        else:
            expected = [
                (twin.tile_number(move.tile), move.end[0], LETTERS[direction])
                for move in state.moves(state.hands[here.seat])
                for direction in move.directions
            ]
            assert [(move.tile, move.end, move.direction) for move in here.moves if move.kind == PLAY] == expected
            if not expected:
                assert [move.text for move in here.moves] == [{"draw": "draw", "pass": "PASS"}[row["event"]]]
        # What is written is read back.
        assert read(texts_of(here), rules) == here
        # Nothing of what the player cannot know is in it: rows may stop right before the step.
        before = [row for row in rows if (row["game"], row["round"], row["step"]) < (game, round_, step)]
        assert from_rows(columns(before), rules, game, round_, step) == here
        # The true deal is among those that agree.
        origins = here.origins
        dealt, kept = true_places(here, events, step)
        for tile in origins.tiles:
            if tile in dealt:
                assert origins.may_come_from(tile, -1)
            elif tile in kept:
                assert origins.may_come_from(tile, kept[tile])
            else:
                assert origins.may_be_in_stock(tile)
        assert not origins.proofs or origins.proofs & dealt
        assert here.n_deals > 0


@given(rounds())
def test_position__with_open_hands_has_both_and_one_deal(found):
    rules, rows, which = found
    game, round_, events = rows_of_round(rows, which)
    last = next(k for k, row in enumerate(events) if row["event"] in ("award", "end"))
    step = random.Random(len(rows)).randrange(14, last)
    here = from_rows(columns(rows), rules, game, round_, step, None, True)
    state = legal_moves(rules, events, step)
    hands = [hand_mask(map(twin.tile_number, hand)) for hand in state.hands]
    assert list(here.hands) == hands
    assert here.n_deals == 1
    assert read(texts_of(here), rules) == here
    [deal] = here.hidden.deals()
    assert set(mask_tiles(deal[-1])) == {twin.tile_number(tile) for tile in state.stock}


@pytest.mark.parametrize("draw", ["until_fit", "one"])
def test_position__of_the_other_is_that_of_whoever_asks(draw):
    rules = rules_of(draw, "any", "unbounded")
    rows = twin_rows(task(rules, SEATS, seed=3, rounds=1))["events"]
    steps = [k for k, row in enumerate(rows) if row["event"] in ("play", "pass", "draw")]
    for step in steps:
        turn = rows[step]["seat"]
        if rows[step - 1]["event"] == "draw":
            with pytest.raises(PositionError, match=f"the turn of seat {turn} is not over: write what it did"):
                from_rows(columns(rows), rules, 0, 0, step, 1 - turn)
            continue
        here = from_rows(columns(rows), rules, 0, 0, step, 1 - turn)
        assert (here.seat, here.turn, [move.text for move in here.moves]) == (1 - turn, turn, ["as it stands"])
        assert all(act.tile < 0 or here.acts[at + 1].kind == PLAY for at, act in enumerate(here.acts)
                   if act.kind == DRAW and act.seat == turn)  # fmt: skip
        assert read(texts_of(here), rules) == here


WITNESS = '''
def witness(view, moves):
    """The first move, if the history begins with the log of the test's position and says what it says."""
    h = view.history
    if h.n < 6 or h.event[0] != 1 or h.seat[0] != 0 or h.tile[0] != 27 or h.tile[1] != 26 or h.left[1] != 6:
        return -1
    if h.event[3] != 8 or h.event[4] != 8 or h.seat[3] != 1 or h.tile[4] != -1 or h.left[3] != 4 or h.right[3] != 5:
        return -2
    if h.event[5] != 2 or h.end[5] != 1 or h.right[5] != 2 or view.scores[1] != 30 or view.starter != 0:
        return -3
    if view.seat == 1 and (h.event[6] != 2 or h.seat[6] != 0):
        return -4
    return 0
'''


@pytest.mark.compiled
def test_users_functions__are_told_what_was_played_before_the_position(tmp_path, monkeypatch):
    path = tmp_path / "mine.py"
    path.write_text(WITNESS)
    mine = seat(resolve(f"{path}:witness", GAME))
    texts = {"hand": "6|2 5|5 4|1 3|3 3|2", "log": "0:6|6 1:6|5r 0:6|4l 1:d*2 1:5|2r", "scores": "0,30"}
    here = read(texts, GAME.resolve_rules({}))
    kernel = GAME.odds.kernel()
    sums = kernel.sample(here, (mine,) * 2, 1, 0, 300)
    assert sums.totals[:, 1:4].sum() == 300 * len(here.moves)
    # Without being told, the function finds another history and objects.
    start = kernel.start(here)
    monkeypatch.setattr(type(kernel), "start", lambda self, position: start._replace(story=start.story[:0]))
    with pytest.raises(StrategyError, match="-1"):
        kernel.sample(here, (mine,) * 2, 1, 0, 300)


def test_position__that_the_rows_do_not_have_is_refused():
    rules = rules_of("until_fit", "any", "unbounded")
    rows = twin_rows(task(rules, SEATS, seed=3, rounds=1))["events"]
    table = columns(rows)
    for keys, message in (
        ((0, 1, 14), "the match has no round 1 of game 0"),
        ((2, 0, 14), "the match has no round 0 of game 2"),
        ((0, 0, len(rows)), f"the match has no step {len(rows)} in round 0 of game 0"),
        ((0, 0, 900), "the match has no step 900 in round 0 of game 0"),
        ((0, 0, len(rows) - 1), f"step {len(rows) - 1} is `end`: the round was over"),
    ):
        with pytest.raises(PositionError, match=message):
            from_rows(table, rules, *keys)
    before = {name: values[:20] for name, values in table.items()}
    with pytest.raises(PositionError, match="the match has no step 21"):
        from_rows(before, rules, 0, 0, 21)
