"""Playouts from a position against the twin's rounds from the same deal, and from every moment within them."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domeng_sim.core.codes import Event
from domeng_sim.core.tiles import hand_mask
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.domeng.kernel.feature_names import FEATURES
from domeng_sim.games.domeng.kernel.position import Position, play_position, playout_events
from domeng_sim.games.types import Seat
from tests.domeng_positions import decisions_of_round, real_decisions
from tests.domeng_runs import RANDOM, as_columns, count_blocks, naive_counts, task, twin_choose
from tests.effort import effort
from tests.twin.domeng import OPTIONS, complete_rules, play_round
from tests.twin.streams import PLAYOUT, deal

MIXED = (
    Seat({}),
    Seat({"pips": 1000}),
    Seat({"follow_ups": 1000, "next_void": 2000, "cucuq_guard": 500}),
    Seat(dict.fromkeys(FEATURES, 1000), temperature=2.0),
    Seat({}, copy=1),
)


def rules_of(draw):
    rules = {name: draw.choice(readings) for name, readings in OPTIONS.items() if name != "opening_lead"}
    rules |= {name: draw.randrange(6) for name in ("pass_stones", "passebunge_stones", "cappu_stones", "ceki_stones")}
    return DOMENG.resolve_rules(rules | {"stones": draw.choice([0, 6, 12, 25])})


def stones_of(rules, draw):
    cuts = sorted(draw.randint(0, rules["stones"]) for _ in range(5))
    return [b - a for a, b in zip([0, *cuts], [*cuts, rules["stones"]], strict=True)]


def fresh(hands, starter, stones):
    return Position(tuple(hand_mask(hand) for hand in hands), starter, tuple(stones[:5]), stones[5])


def by_twin(rules, seats, hands, starter, stones, seed, number):
    choose = twin_choose(seats, seed, PLAYOUT)
    return play_round(rules, hands, starter, stones[:5], stones[5], choose, match=number)


@given(st.integers(0, 2**64 - 1), st.sampled_from([RANDOM, MIXED]), st.sampled_from([0, 1, 2**32 - 1, 2**40]))
def test_playouts__are_rounds_of_the_twin_with_words_of_their_own(seed, seats, first):
    draw = random.Random(seed)
    rules, hands, starter = rules_of(draw), deal(seed, 0, 0)[0], draw.randrange(5)
    stones = stones_of(rules, draw)
    n = 3
    out = play_position(fresh(hands, starter, stones), seats, rules, seed, n, first, write_events=True)
    rows, events = [], []
    for number in range(first, first + n):
        row, own = by_twin(rules, seats, hands, starter, stones, seed, number)
        rows.append(row)
        # Without the deal: the hands are known.
        events += [{**event, "step": event["step"] - 25} for event in own[25:]]
    have = playout_events(out)
    want = as_columns(events)
    assert list(have) == list(want)
    for column, values in want.items():
        assert have[column].tolist() == values, column
    want = {name: np.array(values) for name, values in as_columns(rows).items()}
    for name in ("outcome", "winner", "camat", "plays"):
        assert getattr(out, name).tolist() == want[name].tolist()
    for name in ("passes", "passebunge", "stones"):
        for seat in range(5):
            assert getattr(out, name)[:, seat].tolist() == want[f"{name}_{seat}"].tolist()
    assert out.stones[:, 5].tolist() == want["table_stones"].tolist()

    # The counts are those of a run's rounds; games are not counted.
    job = replace(task(matches=(first, first + n), cluster=n), rules=rules)
    tables = {
        "rounds": want,
        "events": {name: np.array(values) for name, values in as_columns(events).items()},
        "games": {"match": np.zeros(0)},
    }
    blocks = count_blocks(job, out.counts[None, :])
    for name, block in naive_counts(job, tables).items():
        np.testing.assert_array_equal(blocks[name], block, name)


@pytest.mark.parametrize("seats", [RANDOM, MIXED], ids=["table", "weighted"])
def test_playouts__from_within_a_round_go_on_as_the_whole_round(seats):
    for number in range(effort(150, 3)):
        draw = random.Random(number)
        rules, hands, starter = rules_of(draw), [sorted(hand) for hand in deal(11, number, 0)[0]], draw.randrange(5)
        stones = stones_of(rules, draw)
        decisions, row, events = decisions_of_round(
            rules, hands, starter, stones[:5], stones[5], twin_choose(seats, 12, PLAYOUT), number
        )
        for decision in draw.sample(decisions, min(3, len(decisions))):
            out = play_position(decision.position(), seats, rules, 12, 1, number, write_events=True)
            rest = as_columns(events[25 + len(decision.view["log"]) :])
            have = playout_events(out)
            for column in set(rest) - {"step"}:
                assert have[column].tolist() == rest[column], column
            assert have["step"].tolist() == list(range(len(rest["step"])))
            assert int(out.plays[0]) == row["plays"]
            assert out.passes[0].tolist() == [row[f"passes_{seat}"] for seat in range(5)]
            assert out.passebunge[0].tolist() == [row[f"passebunge_{seat}"] for seat in range(5)]
            assert out.stones[0].tolist() == [*[row[f"stones_{seat}"] for seat in range(5)], row["table_stones"]]


@pytest.mark.parametrize("seats", [RANDOM, MIXED, (MIXED[3],) * 5], ids=["table", "mixed", "softmax"])
def test_playouts__first_move_is_blind_to_hidden_tiles(seats):
    # The core gets other hidden tiles to work with, in the hands of the others and unused: the player to move plays on
    # as before.
    rules = complete_rules({"stones": 12})
    decisions = real_decisions(effort(120, 3), rules, lambda number: twin_choose(RANDOM, 3), 4)
    draw = random.Random(5)
    n_other = 0
    for number, decision in enumerate(decisions[:: effort(3, 10)]):

        def first_move(hands, number=number, decision=decision):
            events = playout_events(play_position(decision.position(hands), seats, rules, 6, 1, number, True))
            assert events["event"][0] in (Event.LEAD, Event.PLAY) and events["seat"][0] == decision.seat
            return {name: int(events[name][0]) for name in ("tile", "side", "left_end", "right_end")}

        real = first_move(decision.hands)
        for _ in range(2):
            hands = decision.another_deal(draw)
            if hands is not None and hands != decision.hands:
                assert first_move(hands) == real
                n_other += 1
    assert n_other > effort(200, 5)


def test_playouts__of_a_range_are_the_same_in_parts():
    rules = DOMENG.resolve_rules({})
    position = fresh(deal(1, 0, 0)[0], 2, [0, 0, 0, 0, 0, 25])
    n = effort(1000, 6)
    whole = play_position(position, RANDOM, rules, 3, n)
    parts = [play_position(position, RANDOM, rules, 3, n // 2, first) for first in (0, n // 2)]
    for name in ("outcome", "winner", "camat", "plays", "stones", "passes", "passebunge"):
        np.testing.assert_array_equal(np.concatenate([getattr(part, name) for part in parts]), getattr(whole, name))
    np.testing.assert_array_equal(parts[0].counts + parts[1].counts, whole.counts)
    assert (whole.stones.sum(axis=1) == 25).all()
    assert whole.position[0] == 0


HANDS = tuple(0b11111 << 5 * seat for seat in range(5))
START = Position(HANDS, 0, (0, 0, 0, 0, 0), 25)
# Seat 0 has led [0|0], seat 1 passed.
LATER = replace(
    START,
    hands=(0b11110, *HANDS[1:]),
    played=1,
    left=0,
    right=0,
    last_mappano=0,
    acted=1,
    void_values=(0, 1, 0, 0, 0),
    passes=(0, 1, 0, 0, 0),
    passebunge=(0, 1, 0, 0, 0),
    stones=(0, 2, 0, 0, 0),
    table=23,
)


@pytest.mark.parametrize(
    ("position", "message"),
    [
        (replace(START, hands=HANDS[:4]), "hands must be 5 numbers"),
        (replace(START, stones=(0, 0, 0, 0, -1)), "stones must be 5 numbers"),
        (replace(START, starter=5), "starter"),
        (replace(START, starter=-1), "starter"),
        (replace(START, table=24), "stones must sum to 25"),
        (replace(START, table=-1, stones=(26, 0, 0, 0, 0)), "stones must sum to 25"),
        (replace(START, hands=(*HANDS[:4], HANDS[0])), "one place"),
        (replace(START, hands=(*HANDS[:4], 0b11111 << 24)), "one place"),
        (replace(START, hands=(*HANDS[:4], 0b1111 << 20)), "must be 25"),
        (replace(START, hands=(*HANDS[:4], 0b111111 << 20)), "1 to 5 tiles"),
        (replace(START, hands=(0, *HANDS[1:]), played=HANDS[0], left=0, right=0), "1 to 5 tiles"),
        (replace(START, left=0), "before the first tile"),
        (replace(START, acted=0), "before the first tile"),
        (replace(LATER, left=7), "ends must be values"),
        (replace(LATER, right=-1), "ends must be values"),
        (replace(LATER, acted=5), "ends must be values"),
        (replace(LATER, last_mappano=-1), "ends must be values"),
        (replace(LATER, void_values=(0, 128, 0, 0, 0)), "values 0 to 6"),
        (replace(LATER, passebunge=(0, 2, 0, 0, 0)), "cannot have more"),
        (replace(LATER, passes=(0, 256, 0, 0, 0)), "so many PASSes"),
        (replace(LATER, played=0), "must be 25"),
        (replace(LATER, played=3), "one place"),
    ],
)
def test_position__that_cannot_be_is_refused_in_words(position, message):
    with pytest.raises(ValueError, match=message):
        play_position(position, RANDOM, DOMENG.resolve_rules({}), 1, 1)


def test_position__that_can_be_is_played():
    rules = DOMENG.resolve_rules({})
    for position in (START, LATER):
        assert play_position(position, RANDOM, rules, 1, 2).plays.min() >= 1
    # Byte s is seat s.
    turn = LATER.turn(rules)
    assert (turn.seat, turn.last, turn.made8, turn.other8, turn.left8) == (1, 0, 0, 0, 0)
    assert (int(turn.stones), int(turn.voids)) == (23 << 40 | 2 << 8, 1 << 8)
    assert (int(turn.held), int(turn.passes), int(turn.passebunge)) == (0x0505050504, 1 << 8, 1 << 8)
    assert int(turn.seen) == 1
    # A PASSEBUNGE counts again, or not, as the rules say: seat 1 holds no 0 and has passed once.
    assert int(LATER.turn(rules).fresh) == 0b11110
    assert int(LATER.turn(rules | {"passebunge": "first"}).fresh) == 0b11100
