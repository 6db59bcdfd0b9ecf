"""Samples of positions with known hands against the twin: every playout, after every move, is the twin's round."""

from __future__ import annotations

import random

import pytest

from domeng_sim.core.codes import Outcome, labels
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.domeng.kernel.feature_names import FEATURES
from domeng_sim.games.domeng.odds.measures import MEASURES
from domeng_sim.games.domeng.odds.notation import read
from domeng_sim.games.domeng.odds.start import start_of
from domeng_sim.games.types import Seat
from tests.domeng_positions import decisions_of_round
from tests.domeng_runs import RANDOM, twin_choose
from tests.effort import effort
from tests.twin.domeng import OPTIONS, play_round, tile_number
from tests.twin.streams import PLAYOUT, deal

MIXED = (
    Seat({}),
    Seat({"pips": 1000}),
    Seat({"follow_ups": 1000, "next_void": 2000, "cucuq_guard": 500}),
    Seat(dict.fromkeys(FEATURES, 1000), temperature=2.0),
    Seat({}, copy=1),
)
NAMES = [measure.name for measure in MEASURES]
SEED = 12


def rules_of(draw):
    rules = {name: draw.choice(readings) for name, readings in OPTIONS.items() if name != "opening_lead"}
    rules |= {name: draw.randrange(6) for name in ("pass_stones", "passebunge_stones", "cappu_stones", "ceki_stones")}
    return DOMENG.resolve_rules(rules | {"stones": draw.choice([0, 6, 12, 25])})


def stones_of(rules, draw):
    cuts = sorted(draw.randint(0, rules["stones"]) for _ in range(5))
    return [b - a for a, b in zip([0, *cuts], [*cuts, rules["stones"]], strict=True)]


def measured(row, events, me):
    """What the odds measure of a round for a seat, from its row and the events behind the position."""
    found = dict.fromkeys(NAMES, 0)
    found["win"] = int(row["winner"] == me)
    found[f"outcome_{row['outcome']}"] = 1
    found[f"own_{row['outcome']}"] = int(row["winner"] == me)
    found["camat"] = int(row["camat"] == me)
    found["received"] = sum(event["stones"] for event in events if event["seat"] == me)
    found["given"] = sum(event[f"given_{me}"] for event in events)
    return [found[name] for name in NAMES]


def rounds():
    """Rounds of the twin from a deal, their rules, stones and starter, each with another number."""
    for number in range(effort(60, 2)):
        draw = random.Random(number)
        rules = rules_of(draw)
        hands = [sorted(hand) for hand in deal(11, number, 0)[0]]
        yield number, draw, rules, hands, draw.randrange(5), stones_of(rules, draw)


@pytest.mark.parametrize("seats", [RANDOM, MIXED], ids=["table", "weighted"])
def test_samples__are_the_playouts_of_the_twin(seats):
    # The same numbers draw the same words; those of a playout go with the tiles that a seat holds, so that it goes on
    # from the middle of a round as from its start.
    kernel, choose = DOMENG.odds.kernel(), twin_choose(seats, SEED, PLAYOUT)
    n_moves, outcomes, n_camat = 0, set(), 0
    for number, draw, rules, hands, starter, stones in rounds():

        def play(script, number=number, rules=rules, hands=hands, starter=starter, stones=stones):
            rest = list(script)

            def chosen(seat, view, moves):
                return rest.pop(0) if rest else choose(seat, view, moves)

            return play_round(rules, hands, starter, stones[:5], stones[5], chosen, match=number)

        decisions, row, events = decisions_of_round(rules, hands, starter, stones[:5], stones[5], choose, number)
        for k in draw.sample(range(len(decisions)), min(3, len(decisions))):
            decision, before = decisions[k], 25 + len(decisions[k].view["log"])
            script = [earlier.chosen for earlier in decisions[:k]]
            here = read(decision.texts(hands=decision.hands), rules)
            totals = kernel.sample(here, seats, SEED, number, 1).totals
            assert [move.tile for move in here.moves] == [tile_number(move.tile) for move in decision.moves]
            for move in range(len(here.moves)):
                own, own_events = play([*script, move])
                assert totals[move].tolist() == measured(own, own_events[before:], here.seat), (here, move)
                n_moves, outcomes, n_camat = n_moves + 1, outcomes | {own["outcome"]}, n_camat + (own["camat"] >= 0)
            # As somebody else sees it the round goes on as it did.
            other = read(decision.texts((decision.seat + 1 + k % 4) % 5, hands=decision.hands), rules)
            [found] = kernel.sample(other, seats, SEED, number, 1).totals
            assert found.tolist() == measured(row, events[before:], other.seat), other
    assert n_moves > effort(300, 2)
    assert outcomes == set(labels(Outcome)) or effort(1, 0) == 0
    assert n_camat > effort(5, -1)


def test_position__is_packed_by_seat():
    # Seat 0 has led [0|0], seat 1 passed.
    texts = {"hand": "1|0 1|1 2|0 2|1", "log": "0:0|0 1:pass", "seat": "0", "stones": "0,2,0,0,0"}
    turn = start_of(read(texts, DOMENG.resolve_rules({}))).turn
    assert (turn.seat, turn.last, turn.made8, turn.other8, turn.left8) == (1, 0, 0, 0, 0)
    # Byte s is seat s.
    assert (int(turn.stones), int(turn.voids)) == (23 << 40 | 2 << 8, 1 << 8)
    assert (int(turn.held), int(turn.passes), int(turn.passebunge)) == (0x0505050504, 1 << 8, 1 << 8)
    assert int(turn.seen) == 1
    # A PASSEBUNGE counts again, or not, as the rules say: seat 1 holds no 0 and has passed once.
    assert int(turn.fresh) == 0b11110
    assert int(start_of(read(texts, DOMENG.resolve_rules({"passebunge": "first"}))).turn.fresh) == 0b11100
