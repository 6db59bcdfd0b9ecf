"""The deal of Draw: every way to choose hands and order the stock has the same number of words, those of the twin."""

from __future__ import annotations

import itertools
from math import comb, factorial, prod

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domeng_sim.core.bits import U
from domeng_sim.core.jit import entry
from domeng_sim.core.streams import seat_offsets
from domeng_sim.core.subsets import subsets
from domeng_sim.core.tiles import HALVES
from domeng_sim.games.two_player.kernel import deal
from tests.draw_runs import core, task
from tests.effort import effort
from tests.twin import draw as twin
from tests.twin.streams import choice_word, subset_of_rank

FULL = 2**64 - 1
CHOICES = [comb(28, 4), comb(24, 3), comb(21, 4), comb(17, 3)]
WAYS = prod(CHOICES)
ORDERS = factorial(14)
TILE_AT = {8 * hi + lo: tile for tile, (hi, lo) in enumerate(HALVES)} | {
    8 * lo + hi: tile for tile, (hi, lo) in enumerate(HALVES)
}
TABLES = deal.hand_subsets()
STOCK = sum(1 << (8 * hi + lo) for hi, lo in HALVES[14:])
"""The stock where the hands are the first 14 tiles, in rows."""


@entry
def unranked(words, tables, hands):
    for i in range(words.shape[0]):
        deal.unrank(words[i], tables, hands, 2 * i)


@entry
def accepted_words(first, last, found):
    for i in range(first.shape[0]):
        found[i] = deal.is_accepted(first[i], last[i])


@entry
def drawn(stock, word, order):
    for i in range(14):
        n = U(14 - i)
        order[i] = deal.next_of_stock(stock, word, n)
        stock ^= U(1) << order[i]
        word *= n


@entry
def dealt_block(key, n, tables, scratch):
    deal.deal_block(key[0], key[1], key[2], n, tables, scratch)


@entry
def again(key, found):
    found[0], found[1] = deal.words_again(key[0], key[1], key[2])


def tiles(rows):
    """Tile numbers of a hand in rows."""
    return sorted({TILE_AT[k] for k in range(64) if int(rows) >> k & 1})


def hands_of(words):
    hands = np.zeros(2 * len(words), np.uint64)
    with np.errstate(over="ignore"):
        unranked(np.array(words, np.uint64), TABLES, hands)
    return [[tiles(hand) for hand in hands[2 * i : 2 * i + 2]] for i in range(len(words))]


def order_of(word):
    order = np.zeros(14, np.uint64)
    with np.errstate(over="ignore"):
        drawn(U(STOCK), U(word), order)
    return [TILE_AT[int(index)] for index in order]


def accepts(first, last):
    found = np.zeros(len(first), np.bool_)
    with np.errstate(over="ignore"):
        accepted_words(np.array(first, np.uint64), np.array(last, np.uint64), found)
    return found.tolist()


def interval(position, n):
    """The words x with floor(x n / 2^64) = position, as a half-open range."""
    return -(-position * 2**64 // n), -(-(position + 1) * 2**64 // n)


# Words not near any boundary, for the half that is not looked at.
FIRST, LAST = 0x0123456789ABCDEF, 0xD1B54A32D192ED03


@pytest.mark.parametrize(("n", "size"), [(28, 4), (24, 3), (28, 5), (6, 1), (4, 4)])
def test_subsets__are_all_in_colexicographic_order(n, size):
    found = subsets(n, size)
    assert found.tolist() == sorted(sum(1 << c for c in subset) for subset in itertools.combinations(range(n), size))
    for rank in range(0, len(found), max(1, len(found) // 50)):
        assert found[rank] == sum(1 << c for c in subset_of_rank(rank, size))
    for m in range(size, n):
        assert int(found[comb(m, size) - 1]).bit_length() == m and int(found[comb(m, size)]).bit_length() == m + 1


def test_choices__count_the_ways_to_deal():
    assert tuple(CHOICES) == deal._CHOICES == (20_475, 2_024, 5_985, 680)
    assert len(TABLES.fours) == CHOICES[0] and len(TABLES.threes) == CHOICES[1]
    assert int(deal._REJECT_HANDS) == 2**64 % WAYS
    assert int(deal._ORDERS) == ORDERS and int(deal._REJECT_STOCK) == 2**64 % ORDERS
    # Every hand of seven comes from as many pairs of a four and a three: each pair of hands from 35 x 35 ways.
    assert comb(28, 7) * comb(21, 7) * comb(7, 4) ** 2 == WAYS


def test_every_hand__comes_from_exactly_35_choices_of_four_and_three():
    # For a few hands all 35 x 35 splits are ranked by hand, and each leads back to the hands.
    draw = np.random.default_rng(1)
    rank = {size: {int(mask): number for number, mask in enumerate(subsets(28, size).tolist())} for size in (4, 3)}

    def rank_of(chosen, among, size):
        return rank[size][sum(1 << sorted(among).index(tile) for tile in chosen)]

    for _ in range(effort(3, 1)):
        shuffled = draw.permutation(28).tolist()
        hand0, hand1 = sorted(shuffled[:7]), sorted(shuffled[7:14])
        words = []
        for four0 in itertools.combinations(hand0, 4):
            three0 = [tile for tile in hand0 if tile not in four0]
            i0, i1 = rank_of(four0, range(28), 4), rank_of(three0, set(range(28)) - set(four0), 3)
            for four1 in itertools.combinations(hand1, 4):
                three1 = [tile for tile in hand1 if tile not in four1]
                rest = set(range(28)) - set(hand0)
                ranks = [i0, i1, rank_of(four1, rest, 4), rank_of(three1, rest - set(four1), 3)]
                position = 0
                for r, n in zip(ranks, CHOICES, strict=True):
                    position = position * n + r
                words.append(interval(position, WAYS)[0] + 1)
        assert len(set(words)) == 35 * 35
        assert all(hands == [hand0, hand1] for hands in hands_of(words))


def test_hands__every_way_has_the_same_number_of_accepted_words():
    # The words of one way are an interval of floor or ceil(2^64/n) words. Over it the lower half of the product rises
    # by n a word, and it is rejected below 2^64 mod n < n: so only the first word can be.
    draw = np.random.default_rng(2)
    positions = [0, WAYS - 1, *draw.integers(0, WAYS, effort(4000, 40)).tolist()]
    n_rejected = 0
    for position in positions:
        start, end = interval(position, WAYS)
        assert end - start in (2**64 // WAYS, 2**64 // WAYS + 1)
        inside = [start, start + 1, start + 2, *draw.integers(start, end, 3, np.uint64).tolist(), end - 2, end - 1]
        outside = [word for word in (start - 1, end) if 0 <= word <= FULL]
        hands = hands_of(inside + outside)
        assert all(found == hands[1] for found in hands[: len(inside)])
        # Another four or three: at most the last choice differs, and then so do the hands.
        assert all(found != hands[1] for found in hands[len(inside) :])
        accepted = accepts(inside, [LAST] * len(inside))
        assert accepted[1:] == [True] * (len(inside) - 1)
        assert end - start - (not accepted[0]) == 2**64 // WAYS
        n_rejected += not accepted[0]
    assert 0 < n_rejected < len(positions)


def test_stock__every_order_has_the_same_number_of_accepted_words():
    draw = np.random.default_rng(3)
    positions = [0, ORDERS - 1, *draw.integers(0, ORDERS, effort(4000, 40)).tolist()]
    n_rejected = 0
    for position in positions:
        start, end = interval(position, ORDERS)
        assert end - start in (2**64 // ORDERS, 2**64 // ORDERS + 1)
        # The order of that number: its digits choose among the tiles that are left.
        left, want = list(range(14, 28)), []
        rest = position
        for n in range(14, 0, -1):
            digit, rest = divmod(rest, factorial(n - 1))
            want.append(left.pop(digit))
        inside = [start, start + 1, *draw.integers(start, end, 2, np.uint64).tolist(), end - 1]
        assert all(order_of(word) == want for word in inside)
        assert all(order_of(word) != want for word in (start - 1, end) if 0 <= word <= FULL)
        accepted = accepts([FIRST] * len(inside), inside)
        assert accepted[1:] == [True] * (len(inside) - 1)
        assert end - start - (not accepted[0]) == 2**64 // ORDERS
        n_rejected += not accepted[0]
    assert 0 < n_rejected < len(positions)


@given(st.integers(0, FULL), st.integers(0, FULL))
@example(0, 0)
@example(FULL, FULL)
@example(1, 1)
@example(FIRST, 0)
@example(0, LAST)
def test_words__are_those_of_the_twin(a, b):
    ranks = twin.ranks_from_word(a)
    assert accepts([a], [b]) == [ranks is not None and twin.stock_from_word(b, list(range(14, 28))) is not None]
    if ranks is not None:
        assert hands_of([a])[0] == twin.hands_from_ranks(ranks)
    order = twin.stock_from_word(b, list(range(14, 28)))
    if order is not None:
        assert order_of(b) == order


@given(
    st.integers(0, FULL), st.integers(0, 2**63 - 1), st.integers(0, 2**32 - 20), st.integers(1, 16), st.integers(0, 9)
)
def test_deal_block__gives_hands_and_words_of_the_twin(seed, match, round0, n, copy):
    scratch = deal.deal_scratch(seat_offsets([0, copy]))
    with np.errstate(over="ignore"):
        dealt_block((U(seed), U(match), U(round0)), n, TABLES, scratch)
    for i in range(n):
        hands, stock = twin.deal(seed, match, round0 + i)
        assert [tiles(hand) for hand in scratch.hands[2 * i : 2 * i + 2]] == hands
        ordered = twin.stock_from_word(int(scratch.last[i]), sorted(stock))
        assert ordered == stock
        words = [choice_word(seed, match, round0 + i, seat, 0, (0, copy)[seat]) for seat in (0, 1)]
        assert scratch.seat_words[2 * i : 2 * i + 2].tolist() == words


@pytest.mark.compiled
def test_rejected_words__are_replaced_by_those_of_the_next_attempt():
    # One round in 205,000 or so; this one was found by looking.
    seed, match, round_ = 1, 11_177, 3
    a, _ = twin.block(seed, match, round_, twin.DRAW_DEAL)
    assert twin.ranks_from_word(a) is None
    found = np.zeros(2, np.uint64)
    again((U(seed), U(match), U(round_)), found)
    assert tuple(found.tolist()) == twin.block(seed, match, round_, twin.DRAW_DEAL, 1)
    rounds = core(task(seed=seed, matches=(match, match + 1), rounds=round_ + 1, level="rounds"))[0]["rounds"]
    hands, _ = twin.deal(seed, match, round_)
    assert [rounds[f"hand_{seat}"][round_] for seat in (0, 1)] == [sum(1 << tile for tile in hand) for hand in hands]
