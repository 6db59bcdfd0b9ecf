"""The deal of every game: each way to deal has the same number of words, and the words lead to the deal of the twin."""

from __future__ import annotations

import itertools
from math import comb, factorial
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

from domeng_sim.core.bits import U
from domeng_sim.core.codes import Purpose
from domeng_sim.core.jit import entry
from domeng_sim.core.subsets import subsets
from domeng_sim.core.tiles import HALVES
from domeng_sim.games.domeng.kernel.deal import DEALING as FIVE
from domeng_sim.games.shared import round_deals as deal
from domeng_sim.games.shared.round_deals import BLOCK, Dealing
from domeng_sim.games.two_player.kernel.deal import DEALING as TWO
from domeng_sim.games.two_player.kernel.deal import next_of_stock
from tests import domeng_runs, draw_runs
from tests.effort import effort
from tests.twin import draw as twin_of_two
from tests.twin import streams as twin_of_five
from tests.twin.streams import choice_word, mul, subset_of_rank

FULL = 2**64 - 1
TILE_AT = {8 * hi + lo: tile for tile, (hi, lo) in enumerate(HALVES)} | {
    8 * lo + hi: tile for tile, (hi, lo) in enumerate(HALVES)
}
OTHER = 0xD1B54A32D192ED03
"""A word that is near no boundary, for the half that is not looked at."""


def compiled(dealing):
    """The kernels of a deal as Python calls them; not kept on disk, where closures would be taken for each other."""
    n_seats, one, block, again = dealing.n_seats, dealing.unrank, dealing.deal_block, dealing.deal_again

    @njit(_nrt=False)
    def unrank(words, tables, hands, accepted):
        for i in range(words.shape[0]):
            accepted[i] = one(words[i, 0], words[i, 1], tables, hands, n_seats * i)

    @njit(_nrt=False)
    def deal_block(key, n, room):
        block(key[0], key[1], key[2], n, room)

    @njit(_nrt=False)
    def deal_again(key, tables, hands, found):
        found[0], found[1] = again(key[0], key[1], key[2], tables, hands, 5)

    return unrank, deal_block, deal_again


class Dealt(NamedTuple):
    """A deal, what it is by the rules, and who else knows it."""

    dealing: Dealing
    sizes: tuple[tuple[int, ...], ...]
    """By word, the numbers of tiles chosen one after the other."""
    seats: tuple[int, ...]
    purpose: int
    twin: Any
    runs: Any


GAMES = {
    "five": Dealt(FIVE, ((5, 5), (5, 5, 5)), (0, 1, 2, 3, 4), Purpose.DEAL, twin_of_five, domeng_runs),
    "two": Dealt(TWO, ((4, 3, 4, 3), ()), (0, 0, 1, 1), Purpose.DRAW_DEAL, twin_of_two, draw_runs),
}
KERNELS = {name: compiled(dealt.dealing) for name, dealt in GAMES.items()}
every_deal = pytest.mark.parametrize("name", GAMES)


def tiles(rows):
    """Tile numbers of a hand in rows."""
    return sorted({TILE_AT[k] for k in range(64) if int(rows) >> k & 1})


def by_kernel(name, pairs):
    """Hands (tile numbers), and whether accepted, for pairs of words."""
    dealing = GAMES[name].dealing
    n = dealing.n_seats
    hands, accepted = np.zeros(n * len(pairs), np.uint64), np.zeros(len(pairs), np.bool_)
    with np.errstate(over="ignore"):
        KERNELS[name][0](np.array(pairs, np.uint64), dealing.room([0] * n).subsets, hands, accepted)
    return [[tiles(hand) for hand in hands[n * i : n * i + n]] for i in range(len(pairs))], accepted.tolist()


def by_rule(name, ranks):
    """The hands of these ranks, each among the subsets of the tiles that remain."""
    dealt, remaining = GAMES[name], list(range(28))
    hands = [[] for _ in range(dealt.dealing.n_seats)]
    for rank, size, seat in zip(ranks, itertools.chain(*dealt.sizes), dealt.seats, strict=True):
        taken = [remaining[position] for position in subset_of_rank(rank, size)]
        hands[seat] += taken
        remaining = [tile for tile in remaining if tile not in taken]
    return [sorted(hand) for hand in hands], remaining


def numbers_of_ways(name):
    """By word, how many ways there are to choose each time."""
    left, found = 28, ([], [])
    for numbers, sizes in zip(found, GAMES[name].sizes, strict=True):
        for size in sizes:
            numbers.append(comb(left, size))
            left -= size
    return found


def interval(position, n):
    """The words x with floor(x n / 2^64) = position, as a half-open range."""
    return -(-position * 2**64 // n), -(-(position + 1) * 2**64 // n)


def inside_and_outside(draw, position, n):
    """Words of an interval, its ends among them, and the next ones; whether it has a word too many."""
    start, end = interval(position, n)
    assert end - start in (2**64 // n, 2**64 // n + 1)
    inside = [start, start + 1, start + 2, *draw.integers(start, end, 3, np.uint64).tolist(), end - 2, end - 1]
    return inside, [word for word in (start - 1, end) if 0 <= word <= FULL], end - start > 2**64 // n


@pytest.mark.parametrize(("n", "size"), [(28, 4), (24, 3), (28, 5), (6, 1), (4, 4)])
def test_subsets__are_all_in_colexicographic_order(n, size):
    found = subsets(n, size)
    assert found.tolist() == sorted(sum(1 << c for c in subset) for subset in itertools.combinations(range(n), size))
    for rank in range(0, len(found), max(1, len(found) // 50)):
        assert found[rank] == sum(1 << c for c in subset_of_rank(rank, size))
    for m in range(size, n):
        assert int(found[comb(m, size) - 1]).bit_length() == m and int(found[comb(m, size)]).bit_length() == m + 1


@every_deal
def test_choices__are_those_of_the_rules(name):
    dealing = GAMES[name].dealing
    first, last = numbers_of_ways(name)
    assert [choice.n_ways for choice in dealing.choices] == [*first, *last]
    assert [choice.in_first for choice in dealing.choices] == [True] * len(first) + [False] * len(last)
    assert dealing.ways == (np.prod(first, dtype=object), np.prod(last, dtype=object) * factorial(dealing.n_stock))
    assert (name, dealing.n_stock) in {("five", 0), ("two", 14)}


@pytest.mark.parametrize(("name", "word"), [("five", 0), ("five", 1), ("two", 0)])
def test_unrank__accepts_the_same_number_of_words_for_every_way_to_deal(name, word):
    # The words of one way are an interval of floor or ceil(2^64/n) words. Over it the lower half of the product rises
    # by n a word, and it is rejected below 2^64 mod n < n: so only the first word can be.
    # Seen with the kernel: which words lead to these hands, at both boundaries, and which of them are accepted.
    choices = numbers_of_ways(name)
    draw = np.random.default_rng(1)
    both = [[0] * len(choices[word]), [n - 1 for n in choices[word]]]
    n_rejected = 0
    for own in both + [draw.integers(0, choices[word]).tolist() for _ in range(effort(4000, 40))]:
        position, n = 0, 1
        for rank, ways in zip(own, choices[word], strict=True):
            position, n = position * ways + rank, n * ways
        inside, outside, is_long = inside_and_outside(draw, position, n)
        pairs = [(w, OTHER) if word == 0 else (OTHER, w) for w in inside + outside]
        hands, accepted = by_kernel(name, pairs)
        rest, ranks = OTHER, []
        for ways in choices[1 - word]:
            rank, rest = mul(rest, ways)
            ranks.append(rank)
        want, _ = by_rule(name, own + ranks if word == 0 else ranks + own)
        assert all(found == want for found in hands[: len(inside)])
        assert all(found != want for found in hands[len(inside) :])
        assert accepted[1 : len(inside)] == [True] * (len(inside) - 1)
        assert accepted[0] != is_long
        n_rejected += is_long
    assert 0 < n_rejected < effort(4000, 40)


@entry
def drawn(stock, word, order):
    for i in range(14):
        n = U(14 - i)
        order[i] = next_of_stock(stock, word, n)
        stock ^= U(1) << order[i]
        word *= n


def order_of(word):
    """The order of the stock where the hands are the first 14 tiles."""
    stock, order = sum(1 << (8 * hi + lo) for hi, lo in HALVES[14:]), np.zeros(14, np.uint64)
    with np.errstate(over="ignore"):
        drawn(U(stock), U(word), order)
    return [TILE_AT[int(index)] for index in order]


def test_stock__every_order_has_the_same_number_of_accepted_words():
    draw, orders = np.random.default_rng(3), factorial(14)
    n_rejected = 0
    positions = [0, orders - 1, *draw.integers(0, orders, effort(4000, 40)).tolist()]
    for position in positions:
        # The order of that number: its digits choose among the tiles that are left.
        left, want, rest = list(range(14, 28)), [], position
        for n in range(14, 0, -1):
            digit, rest = divmod(rest, factorial(n - 1))
            want.append(left.pop(digit))
        inside, outside, is_long = inside_and_outside(draw, position, orders)
        assert all(order_of(word) == want for word in inside[::3]) and all(order_of(word) != want for word in outside)
        accepted = by_kernel("two", [(OTHER, word) for word in inside])[1]
        assert accepted[1:] == [True] * (len(inside) - 1) and accepted[0] != is_long
        n_rejected += is_long
    assert 0 < n_rejected < len(positions)


def test_hands__of_two_come_from_as_many_pairs_of_choices_each():
    # 35 x 35 ways for every pair of hands: which four of the seven come first.
    draw = np.random.default_rng(4)
    for _ in range(effort(20, 2)):
        hands = np.sort(draw.permutation(28)[:14].reshape(2, 7)).tolist()
        words = []
        for fours in itertools.product(*(itertools.combinations(hand, 4) for hand in hands)):
            remaining, position = list(range(28)), 0
            parts = [
                part for hand, four in zip(hands, fours, strict=True) for part in (four, sorted({*hand} - {*four}))
            ]
            for part, n in zip(parts, numbers_of_ways("two")[0], strict=True):
                rank = sum(comb(remaining.index(tile), k + 1) for k, tile in enumerate(part))
                remaining = [tile for tile in remaining if tile not in part]
                position = position * n + rank
            words.append((interval(position, TWO.ways[0])[0] + 1, OTHER))
        assert len(set(words)) == 35 * 35
        assert all(found == hands for found in by_kernel("two", words)[0])


def words_by_twin(name, a, b):
    """The hands of two words by the twin's own functions, and the stock in order; None if they are rejected."""
    if name == "five":
        ranks = twin_of_five.ranks_from_words(a, b)
        return None if ranks is None else twin_of_five.deal_from_ranks(ranks)
    ranks = twin_of_two.ranks_from_word(a)
    if ranks is None:
        return None
    hands = twin_of_two.hands_from_ranks(ranks)
    stock = twin_of_two.stock_from_word(b, [tile for tile in range(28) if tile not in hands[0] + hands[1]])
    return None if stock is None else (hands, stock)


@every_deal
@given(st.integers(0, FULL), st.integers(0, FULL))
@example(0, 0)
@example(FULL, FULL)
@example(1, 1)
@example(OTHER, 0)
@example(0, OTHER)
def test_words__lead_where_those_of_the_twin_do(name, a, b):
    hands, accepted = by_kernel(name, [(a, b)])
    want = words_by_twin(name, a, b)
    assert accepted == [want is not None]
    if want is not None:
        assert hands[0] == want[0]


@every_deal
@given(
    st.integers(0, FULL),
    st.integers(0, 2**63 - 1),
    st.integers(0, 2**32 - 20),
    st.integers(1, BLOCK),
    st.integers(0, 9),
)
def test_deal_block__gives_hands_and_words_of_the_twin(name, seed, match, round0, n, copy):
    dealt = GAMES[name]
    n_seats = dealt.dealing.n_seats
    copies = [copy, *[0] * (n_seats - 2), 7]
    room = dealt.dealing.room(copies)
    with np.errstate(over="ignore"):
        KERNELS[name][1]((U(seed), U(match), U(round0)), n, room)
    for i in range(n):
        here = slice(n_seats * i, n_seats * i + n_seats)
        hands, rest = dealt.twin.deal(seed, match, round0 + i)
        assert [tiles(hand) for hand in room.hands[here]] == [list(hand) for hand in hands]
        if name == "two":
            assert twin_of_two.stock_from_word(int(room.last[i]), sorted(rest)) == rest
        words = [choice_word(seed, match, round0 + i, seat, 0, own) for seat, own in enumerate(copies)]
        assert room.seat_words[here].tolist() == words
    # Both halves of every tile stand in the rows.
    for hand in map(int, room.hands[: n_seats * n]):
        assert all((hand >> (8 * v + w) & 1) == (hand >> (8 * w + v) & 1) for v in range(7) for w in range(7))


@every_deal
@given(st.integers(0, FULL), st.integers(0, 2**63 - 1), st.integers(0, 2**32 - 20))
def test_deal_again__takes_the_next_attempt(name, seed, match, round_):
    # Its first attempt is attempt 1, whatever became of attempt 0.
    dealt, hands, found = GAMES[name], np.zeros(15, np.uint64), np.zeros(2, np.uint64)
    n, tables = dealt.dealing.n_seats, dealt.dealing.room([0] * dealt.dealing.n_seats).subsets
    with np.errstate(over="ignore"):
        KERNELS[name][2]((U(seed), U(match), U(round_)), tables, hands, found)
    for attempt in itertools.count(1):
        words = twin_of_five.block(seed, match, round_, dealt.purpose, attempt)
        want = words_by_twin(name, *words)
        if want is not None:
            break
    assert tuple(found.tolist()) == words
    assert [tiles(hand) for hand in hands[5 : 5 + n]] == want[0]
    assert not hands[:5].any() and not hands[5 + n :].any()


@every_deal
def test_deal_block__deals_again_where_words_are_rejected(monkeypatch, name):
    # The words of rounds 3 and 5 are made to be rejected, those of round 5 three times. The kernels run as plain Python
    # here, as such words turn up seldom.
    dealt = GAMES[name]
    rejected, asked = {(3, 0), (5, 0), (5, 1), (5, 2)}, []

    def philox(seed, match, round_, purpose):
        kind, attempt = int(purpose) % 256, int(purpose) // 256
        if kind == dealt.purpose:
            asked.append((int(round_), attempt))
            if asked[-1] in rejected:
                return U(0), U(0) if len(asked) % 2 else U(FULL // 3)
        return tuple(map(U, twin_of_five.block(int(seed), int(match), int(round_), kind, attempt)))

    monkeypatch.setattr(deal, "philox", philox)
    for helper in ("kernel", "shared"):
        monkeypatch.setattr(deal, helper, lambda function: function)
    for helper in ("mix", "both_ways", "deposit", "high_product"):
        monkeypatch.setattr(deal, helper, getattr(getattr(deal, helper), "py_func", getattr(deal, helper)))
    parts = [[(c.seat, c.n_tiles) for c in dealt.dealing.choices if c.in_first == word] for word in (True, False)]
    plain = deal.dealing(dealt.purpose, *parts, dealt.dealing.n_stock)
    room = plain.room([0] * plain.n_seats)
    with np.errstate(over="ignore"):
        plain.deal_block(U(4), U(2), U(0), 8, room)
    assert [asked.count((r, a)) for r, a in [(3, 0), (3, 1), (3, 2), (5, 2), (5, 3), (5, 4)]] == [1, 1, 0, 1, 1, 0]
    n = plain.n_seats
    for round_ in range(8):
        attempt = {3: 1, 5: 3}.get(round_, 0)
        want, _ = words_by_twin(name, *twin_of_five.block(4, 2, round_, dealt.purpose, attempt))
        assert [tiles(hand) for hand in room.hands[n * round_ : n * round_ + n]] == want


@pytest.mark.compiled
def test_rejected_words__are_replaced_in_a_run():
    # One round in 205,000 or so; this one was found by looking.
    seed, match, round_ = 1, 11_177, 3
    a, _ = twin_of_five.block(seed, match, round_, Purpose.DRAW_DEAL)
    assert twin_of_two.ranks_from_word(a) is None
    job = draw_runs.task(seed=seed, matches=(match, match + 1), rounds=round_ + 1, level="rounds")
    rounds = draw_runs.core(job)[0]["rounds"]
    hands, _ = twin_of_two.deal(seed, match, round_)
    assert [rounds[f"hand_{seat}"][round_] for seat in (0, 1)] == [sum(1 << tile for tile in hand) for hand in hands]


def hands_of_runs(name, seed, matches, rounds=20):
    runs = GAMES[name].runs
    table = runs.core(runs.task(seed=seed, matches=matches, rounds=rounds, level="rounds"))[0]["rounds"]
    return np.stack([table[f"hand_{seat}"] for seat in range(GAMES[name].dealing.n_seats)], axis=1)


def distinct(*hands):
    return len(np.unique(np.concatenate(hands), axis=0))


@pytest.mark.parametrize(("name", "n"), [("five", effort(100_000, 60)), ("two", effort(2_000, 60))])
def test_deals__of_all_matches_and_rounds_are_distinct(name, n):
    # Among 10^5 deals of 2^60.8 two would be equal with probability 2.5e-9, among 2,000 pairs of hands of 2^36.9 with
    # probability 1.6e-5; the seed is fixed.
    hands = hands_of_runs(name, 1, n // 20)
    assert len(hands) == n and distinct(hands) == n


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**32, FULL - 1])
def test_deals__of_neighbouring_seeds_and_of_extreme_seeds_share_nothing(seed):
    n = effort(400, 2)
    one, other, high = (hands_of_runs("five", s % 2**64, n) for s in (seed, seed + 1, seed + 2**32))
    assert distinct(one, other, high) == 3 * 20 * n
    assert hands_of_runs("five", seed, n).tolist() == one.tolist()


def test_deals__of_matches_beyond_32_bits_are_their_own():
    n = effort(100, 2)
    firsts = (0, 2**32 - n // 2, 2**32 + n, 2**40, 2**62)
    assert distinct(*(hands_of_runs("five", 5, (first, first + n)) for first in firsts)) == 5 * 20 * n
