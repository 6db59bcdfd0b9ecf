"""Moves as bits, features, and the choosers, one by one against the twin."""

from __future__ import annotations

import random
from decimal import Decimal
from math import exp

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domeng_sim.core import hands as moves
from domeng_sim.core.bits import U, deposit
from domeng_sim.core.jit import entry
from domeng_sim.core.policy import Decision, choose
from domeng_sim.core.tiles import HALVES, N_TILES, hand_mask, mask_tiles, tile_number
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.domeng.kernel import features, loop, policies
from domeng_sim.games.domeng.kernel.awards import award, award_from_all
from domeng_sim.games.domeng.kernel.feature_names import FEATURES
from domeng_sim.games.domeng.kernel.kernel_api import SEATING
from domeng_sim.games.domeng.kernel.state import DomengRoundState, opening
from domeng_sim.games.domeng.odds.notation import read
from domeng_sim.games.domeng.odds.start import start_of
from domeng_sim.games.domeng.rules import rules_row
from domeng_sim.games.shared.length_bins import N_LENGTH_BINS, length_bin_start
from domeng_sim.games.types import Seat
from tests.domeng_positions import real_decisions
from tests.domeng_runs import twin_choose
from tests.effort import COMPILED, effort
from tests.twin import domeng as twin
from tests.twin import weighted as twin_weighted

FULL = 2**64 - 1
masks = st.integers(0, 2**N_TILES - 1)
values = st.integers(0, 6)
words = st.sampled_from([0, 2**62, 2**63 - 1, 2**63, FULL]) | st.integers(0, FULL)


@entry
def of_hand(mask, end8, other8, out):
    hand = moves.both_ways(deposit(mask, moves.LOWER))
    out[0] = hand
    out[1] = moves.mask_of(hand)
    out[2] = moves.pips(hand)
    out[3] = moves.values_of(hand)
    out[6] = moves.values_once(hand, out[3])
    out[4] = hand & moves.fitting(end8, other8)
    out[5] = features.finishes_as_mappakuling(hand, end8, other8)


@entry
def kth(set_, k):
    return moves.kth_move(set_, k)


def hand_of(mask, a=0, b=0):
    out = np.zeros(7, np.uint64)
    with np.errstate(over="ignore"):
        of_hand(U(mask), U(8 * a), U(8 * b), out)
    return [int(word) for word in out]


def as_rows(mask):
    bits = 0
    for tile in mask_tiles(mask):
        hi, lo = HALVES[tile]
        bits |= 1 << (8 * hi + lo) | 1 << (8 * lo + hi)
    return bits


def indices(set_):
    return [k for k in range(64) if set_ >> k & 1]


# --- Hands ------------------------------------------------------------------------------------------------------------


@given(masks)
@example(0)
@example(2**28 - 1)
def test_hand__in_rows_has_its_tiles_pips_and_values(mask):
    rows, back, pips, values, _, _, once = hand_of(mask)
    assert rows == as_rows(mask)
    assert back == mask
    tiles = [HALVES[tile] for tile in mask_tiles(mask)]
    assert pips == sum(hi + lo for hi, lo in tiles)
    count = [sum(value in tile for tile in tiles) for value in range(7)]
    assert values == sum(0x80 << 8 * value for value in range(7) if count[value])
    assert once == sum(0x80 << 8 * value for value in range(7) if count[value] == 1)


def test_hand__of_a_single_tile_stands_in_the_rows_of_both_halves():
    for tile, (hi, lo) in enumerate(HALVES):
        assert hand_of(1 << tile)[:3] == [1 << (8 * hi + lo) | 1 << (8 * lo + hi), 1 << tile, hi + lo]
        for index in (8 * hi + lo, 8 * lo + hi):
            assert moves.TILE_OF[index] == tile and features.TILE_PIPS[index] == hi + lo
            assert ~int(moves.KEEP[index]) & FULL == as_rows(1 << tile)


@given(masks, values, values)
@example(2**28 - 1, 3, 3)
@example(2**28 - 1, 0, 6)
def test_moves__are_those_of_the_twin_in_its_order(mask, a, b):
    tiles = [HALVES[tile] for tile in mask_tiles(mask)]
    legal = hand_of(mask, a, b)[4]
    have = [(index // 8, index % 8, moves.TILE_OF[index]) for index in indices(legal)]
    want = twin.moves_at(tiles, a, b)
    assert have == [(move.joined, move.new, twin.tile_number(move.tile)) for move in want]
    for k, index in enumerate(indices(legal)):
        assert kth(U(legal), U(k)) == index
    # A lead: each tile once, in the order of the numbers.
    leads = as_rows(mask) & int(moves.LOWER)
    assert [moves.TILE_OF[index] for index in indices(leads)] == mask_tiles(mask)


@given(masks, values, values)
@example(1 << tile_number(6, 6), 6, 6)
@example(1 << tile_number(6, 6), 6, 5)
@example(1 << tile_number(6, 5), 6, 5)
@example(1 << tile_number(6, 5), 5, 6)
@example(1 << tile_number(6, 5), 6, 6)
@example(0, 0, 0)
def test_finishes_as_mappakuling__for_any_hand_and_ends(mask, a, b):
    tiles = mask_tiles(mask)
    assert hand_of(mask, a, b)[5] == (len(tiles) == 1 and sorted((a, b), reverse=True) == list(HALVES[tiles[0]]))


@entry
def is_low(hand, unseen, held, seat):
    return features.has_low_pips(hand, unseen, held, seat)


@given(masks, masks, st.lists(st.integers(1, 5), min_size=5, max_size=5), st.integers(0, 4))
@example(1 << tile_number(2, 2) | 1, 1 << tile_number(6, 2) | 1 << tile_number(0, 0), [5, 1, 2, 2, 5], 1)
def test_low_pips__are_fewer_than_the_shortest_other_hand_may_hold(hand, unseen, held, seat):
    # Own pips against the fewest tiles of one of the others times the mean of the unseen tiles. In the example
    # 4 x 2 < 2 x 8; with the own single tile counted in, 4 x 2 = 1 x 8 would not be low.
    def pips(mask):
        return sum(sum(HALVES[tile]) for tile in mask_tiles(mask))

    fewest = min(n for other, n in enumerate(held) if other != seat)
    packed = U(int.from_bytes(bytes(held), "little"))
    low = is_low(U(as_rows(hand)), U(as_rows(unseen)), packed, seat)
    assert low == (pips(hand) * unseen.bit_count() < fewest * pips(unseen))


def test_low_pips__equal_is_not_low():
    # 4 pips, and two unseen tiles of 4 pips each: with one tile the shortest other hand may hold 4.
    hand, unseen = as_rows(1 << tile_number(2, 2)), as_rows(1 << tile_number(3, 1) | 1 << tile_number(4, 0))
    for fewest, low in ((1, False), (2, True)):
        assert is_low(U(hand), U(unseen), U(int.from_bytes(bytes([fewest] * 5), "little")), 2) == low


# --- Stones -----------------------------------------------------------------------------------------------------------


@entry
def awarded(stones, to, n, first, givers, out):
    moved = award(stones, to, n, first)
    out[0], out[1], out[2] = moved.stones, moved.from_table, moved.given
    moved = award_from_all(stones, to, n, first, givers)
    out[3], out[4], out[5] = moved.stones, moved.from_table, moved.given


piles = st.integers(0, 255).flatmap(
    lambda total: st.lists(st.integers(0, total), min_size=5, max_size=5).map(
        lambda cuts: [b - a for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), total], strict=True)]
    )
)


@given(piles, st.integers(0, 4), st.integers(0, 255), st.integers(0, 4), st.integers(0, 31))
@example([255, 0, 0, 0, 0, 0], 1, 255, 0, 1)
@example([0, 0, 0, 0, 0, 255], 1, 255, 0, 1)
@example([1, 1, 1, 1, 1, 1], 2, 9, 4, 0b11011)
def test_award__is_that_of_the_twin(piles, to, n, first, givers):
    def by_twin(givers):
        hands = [[5 * seat + k for k in range(5)] for seat in range(5)]
        state = twin._Round(twin.complete_rules({}), hands, piles[:5], piles[5])
        from_table, given = state.award(to, n, givers)
        return [*state.stones, state.table], from_table, given

    def unpacked(packed):
        return list(int(packed).to_bytes(8, "little"))

    out = np.zeros(7, np.uint64)
    packed = U(int.from_bytes(bytes(piles), "little"))
    with np.errstate(over="ignore"):
        awarded(packed, to, U(n), first, U(givers), out)
    # With several givers, the first is one of them and not the receiver.
    others = [seat for seat in twin.clockwise_after(to) if givers >> seat & 1 and seat != first]
    cases = [(out[:3], [first])] + ([(out[3:], [first, *others])] if first != to else [])
    for have, order in cases:
        stones, from_table, given = by_twin(order)
        assert unpacked(have[0])[:6] == stones and unpacked(have[0])[6:] == [0, 0]
        assert have[1] == from_table
        assert unpacked(have[2])[:5] == given


# --- Lengths of games -------------------------------------------------------------------------------------------------


@entry
def length_bins(lengths, out):
    for i in range(lengths.shape[0]):
        out[i] = loop.length_bin(lengths[i])


def test_length_bin__takes_every_length_to_the_bin_that_it_lies_in():
    lengths = np.arange(0, 65_536, effort(1, 61))
    bins = np.zeros(len(lengths), np.int64)
    length_bins(lengths, bins)
    starts = np.array([length_bin_start(position) for position in range(N_LENGTH_BINS)])
    assert (np.diff(starts) > 0).all() and starts[0] == 0
    np.testing.assert_array_equal(bins, np.searchsorted(starts, lengths, side="right") - 1)
    assert bins[-1] <= N_LENGTH_BINS - 1 and (len(lengths) < 65_536 or bins[-1] == N_LENGTH_BINS - 1)


# --- Choices ----------------------------------------------------------------------------------------------------------


@entry
def chosen(policy, rules, turn, seat, hand, legal, word, is_lead):
    return choose(policy, policies.DomengTerms(rules, policy), Decision(turn, seat, hand, legal, is_lead), word)


@entry
def scored(weights, rules, turn, seat, hand, legal, is_lead, out):
    view = features.outlook(rules, Decision(turn, seat, hand, legal, is_lead))
    for i in range(legal.shape[0]):
        for row in range(weights.shape[0]):
            out[i, row] = features.score(weights[row], view, legal[i])
            out[i, weights.shape[0] + row] = features.score_called(weights[row], view, legal[i])


RULES = {"stones": 12}
ROW = rules_row(DOMENG.resolve_rules(RULES))
WORST = {name: random.Random(name).choice([-1, 1]) * 10**6 for name in FEATURES}
STRATEGIES = [
    Seat({}),
    Seat({"pips": 1000}),
    Seat({"pips": -3, "double": 7}),
    Seat({"follow_ups": 1000, "unseen": -500, "next_void": 2000}),
    Seat(dict.fromkeys(FEATURES, 1000)),
    Seat(WORST),
    Seat({"others_void": 1, "drain": 1, "blocks_low": 1, "own_ends": 1}),
    Seat({"values_kept": 700, "cucuq_guard": 300, "pips": 100}, temperature=0.5),
    Seat(WORST, temperature=1000.0),
]


@pytest.fixture(scope="module")
def decisions():
    """Choices of rounds of `random` and of players that seek what is rare."""
    seeking = {"blocks_low": 9000, "blocks_high": 9000, "own_ends": 3000, "finish_pair": 3000, "next_void": 1000}
    rules = twin.complete_rules(RULES)
    seats = [Seat({})] * 5, [Seat(seeking)] * 5
    found = []
    for seed, five in enumerate(seats):
        found += real_decisions(effort(250, 4), rules, lambda number, five=five: twin_choose(five, 3), seed)
    return found


def kernel_view(decision, hands=None):
    """What the chooser is given."""
    here = read(decision.texts(hands=hands or decision.hands), DOMENG.resolve_rules(RULES))
    hand, is_lead = as_rows(here.hands[decision.seat]), not here.acts
    legal = hand & int(moves.LOWER) if is_lead else hand_of(here.hands[decision.seat], *here.ends)[4]
    return start_of(here).turn, decision.seat, U(hand), U(legal), is_lead


@pytest.fixture(scope="module")
def shown(decisions):
    """Each choice, and what the chooser is given."""
    return [(decision, kernel_view(decision)) for decision in decisions]


@pytest.fixture(scope="module")
def other_views(shown):
    """What the chooser is given, and what it would be with other hands that go with all that the player saw."""
    draw, found = random.Random(2), []
    for decision, view in shown[:: effort(4, 20)]:
        hands = [decision.another_deal(draw) for _ in range(3)]
        found.append((view, [kernel_view(decision, one) for one in hands if one not in (None, decision.hands)]))
    assert sum(len(others) for _, others in found) > effort(500, 10)
    return found


def by_twin(strategy, word):
    """The twin's strategy with a fixed word."""

    def fixed(seat, view):
        return word

    if not strategy.weights:
        return twin_weighted.choose_random(fixed)
    weights = {name: Decimal(weight) / 1000 for name, weight in strategy.weights.items()}
    return twin_weighted.choose_weighted(weights, strategy.temperature, fixed)


def move_of(index, is_lead):
    tile = int(moves.TILE_OF[int(index)])
    return (tile, None, None) if is_lead else (tile, int(index) // 8, int(index) % 8)


def test_features__each_is_that_of_the_twin_at_positions_of_real_rounds(shown):
    weights = 1000 * np.eye(len(FEATURES), dtype=np.int64)
    seen = {name: set() for name in FEATURES}
    for decision, (turn, seat, hand, legal, is_lead) in shown:
        legal = np.array(indices(int(legal)), np.uint64)
        out = np.zeros((len(legal), 2 * len(FEATURES)), np.int64)
        with np.errstate(over="ignore"):
            scored(weights, ROW, turn, seat, hand, legal, is_lead, out)
        assert len(decision.moves) == len(legal)
        for row, index, move in zip(out.tolist(), legal, decision.moves, strict=True):
            assert move_of(index, is_lead) == (twin.tile_number(move.tile), move.joined, move.new)
            want = twin_weighted.features(decision.view, move)
            assert list(want) == list(FEATURES)
            assert row == 2 * [1000 * value for value in want.values()]
            for name, value in want.items():
                seen[name].add(value)
    # The positions show every feature at work.
    if COMPILED:
        assert all(len(found) > 1 for found in seen.values()), seen
        assert seen["others_void"] >= {0, 1, 2} and seen["drain"] >= {0, 1, 2} and seen["own_ends"] >= {0, 1, 2}
        assert seen["cucuq_guard"] >= {0, 1, 2, 3}


def constructed(draw):
    """A view with few tiles left, and the same as the kernel takes it.

    No round need lead there: any tiles on the table, any ends, any voids. So what is rare in real rounds comes often.
    """
    tiles = draw.sample(range(N_TILES), N_TILES)
    n_played, n_hand = draw.randint(10, 22), draw.randint(1, 4)
    played, hand = tiles[:n_played], tiles[n_played : n_played + n_hand]
    left = draw.choice(HALVES[hand[0]])
    right = draw.choice([left, *HALVES[hand[0]], *HALVES[hand[-1]], draw.randint(0, 6)])
    seat = draw.randint(0, 4)
    voids = [draw.choice([0, 127, 1 << left | 1 << right, draw.randint(0, 127)]) for _ in range(5)]
    held = [draw.randint(1, 5) for _ in range(5)]
    held[seat] = n_hand
    stones = [draw.randint(0, 2) for _ in range(5)]
    table = draw.choice([0, 0, 7])
    view = {
        "seat": seat,
        "hand": [HALVES[tile] for tile in hand],
        "left": left,
        "right": right,
        "log": [(0, "play", HALVES[tile], None, 0, 0) for tile in played],
        "tiles_held": held,
        "voids": [{value for value in range(7) if mask >> value & 1} for mask in voids],
        "stones": stones,
        "table": table,
    }
    turn = DomengRoundState(
        np.int64(0),
        np.int64(0),
        U(8 * left),
        U(8 * right),
        U(8 * left),
        U(int.from_bytes(bytes([*stones, table]), "little")),
        U(0),
        U(as_rows(hand_mask(played))),
        U(int.from_bytes(bytes(voids), "little")),
        U(int.from_bytes(bytes(held), "little")),
        U(0),
        U(0),
    )
    return view, turn


def test_features__each_is_that_of_the_twin_at_any_position():
    weights = np.eye(len(FEATURES), dtype=np.int64)
    for number in range(effort(4000, 300)):
        view, turn = constructed(random.Random(number))
        legal = twin.moves_at(view["hand"], view["left"], view["right"])
        hand = as_rows(hand_mask(map(twin.tile_number, view["hand"])))
        index = np.array([8 * move.joined + move.new for move in legal], np.uint64)
        out = np.zeros((len(legal), 2 * len(FEATURES)), np.int64)
        with np.errstate(over="ignore"):
            scored(weights, ROW, turn, view["seat"], U(hand), index, False, out)
        for row, move in zip(out.tolist(), legal, strict=True):
            want = twin_weighted.features(view, move)
            assert dict(zip(want, row, strict=False)) == want, number
            assert row[len(FEATURES) :] == row[: len(FEATURES)]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=range(len(STRATEGIES)))
def test_choice__is_that_of_the_twin_for_any_word(shown, strategy):
    draw = random.Random(1)
    policy = SEATING.policy([strategy] * 5)
    for decision, (turn, seat, hand, legal, is_lead) in shown[:: effort(3, 20)]:
        word = draw.choice([0, FULL, draw.getrandbits(64)])
        with np.errstate(over="ignore"):
            index = chosen(policy, ROW, turn, seat, hand, legal, U(word), is_lead)
        move = decision.moves[by_twin(strategy, word)(seat, decision.view, decision.moves)]
        assert move_of(index, is_lead) == (twin.tile_number(move.tile), move.joined, move.new)


@given(st.integers(1, 28), words)
def test_among__is_the_whole_part_of_word_times_moves(n, word):
    legal = hand_mask(range(n))
    policy = SEATING.policy([Seat({})] * 5)
    turn = getattr(opening, "py_func", opening)(0, U(25 << 40))
    with np.errstate(over="ignore"):
        index = chosen(policy, ROW, turn, 0, U(legal), U(legal), U(word), True)
    assert index == word * n >> 64


def test_softmax__takes_the_first_move_whose_share_exceeds_the_draw():
    # Eight equal moves: a draw of exactly k eighths is not exceeded by the first k; the last bits are not looked at.
    policy = SEATING.policy([Seat({}, temperature=1.0)] * 5)
    turn = getattr(opening, "py_func", opening)(0, U(25 << 40))
    legal = U(hand_mask(range(8)))
    for k in range(8):
        for word, index in (((k << 61), k), ((k << 61) + 2**11 - 1, k), ((k + 1 << 61) - 1, k)):
            with np.errstate(over="ignore"):
                assert chosen(policy, ROW, turn, 0, legal, legal, U(word), True) == index


@entry
def exponentials(xs, out):
    for i in range(xs.shape[0]):
        out[i] = policies.exp_negative(xs[i])


def test_exp_negative__is_exact_to_a_relative_error_of_1e13():
    xs = np.concatenate(
        [[0.0, 5e-324, 1e-300, 1e-17, 0.5, 1.0, 7.999999, 700.0], np.linspace(0, 700, effort(70_001, 401))]
    )
    out = np.zeros(len(xs))
    exponentials(xs, out)
    want = np.array([exp(-x) for x in xs])
    assert (np.abs(out - want) < 1e-13 * want).all()
    exponentials(np.array([700.0001, 1e9, np.inf]), out[:3])
    assert out[:3].tolist() == [0, 0, 0]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=range(len(STRATEGIES)))
def test_choice__is_blind_to_hidden_tiles(other_views, strategy):
    # The position that the chooser is given is made from those hands as from the real ones.
    draw = random.Random(2)
    policy = SEATING.policy([strategy] * 5)
    for view, others in other_views:
        word = U(draw.getrandbits(64))
        with np.errstate(over="ignore"):
            found = {chosen(policy, ROW, *one[:4], word, one[4]) for one in (view, *others)}
        assert len(found) == 1
