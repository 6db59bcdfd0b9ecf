"""The deal: every deal has the same number of words, and the words lead to the deal of the twin."""

from __future__ import annotations

import itertools
from math import comb

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domeng_sim.core import streams
from domeng_sim.core.bits import U
from domeng_sim.core.jit import entry
from domeng_sim.core.tiles import HALVES
from domeng_sim.games.domeng.kernel import deal
from tests.domeng_runs import core, task
from tests.effort import effort
from tests.twin import streams as twin

FULL = 2**64 - 1
CHOICES = [comb(28 - 5 * seat, 5) for seat in range(5)]
FIRST, LAST = CHOICES[:2], CHOICES[2:]
TILE_AT = {8 * hi + lo: tile for tile, (hi, lo) in enumerate(HALVES)} | {
    8 * lo + hi: tile for tile, (hi, lo) in enumerate(HALVES)
}
SUBSETS = deal.hand_subsets()


@entry
def unranked(words, subsets, hands, accepted):
    for i in range(words.shape[0]):
        accepted[i] = deal.unrank(words[i, 0], words[i, 1], subsets, hands, 5 * i)


@entry
def dealt_again(key, subsets, hands):
    deal.deal_again(key[0], key[1], key[2], subsets, hands, 5)


@entry
def dealt_block(key, n, subsets, scratch):
    deal.deal_block(key[0], key[1], key[2], n, subsets, scratch)


def tiles(rows):
    """Tile numbers of a hand in rows."""
    return sorted({TILE_AT[k] for k in range(64) if int(rows) >> k & 1})


def by_kernel(words):
    """Hands (tile numbers), and whether accepted, for pairs of words."""
    hands, accepted = np.zeros(5 * len(words), np.uint64), np.zeros(len(words), np.bool_)
    with np.errstate(over="ignore"):
        unranked(np.array(words, np.uint64), SUBSETS, hands, accepted)
    return [[tiles(hand) for hand in hands[5 * i : 5 * i + 5]] for i in range(len(words))], accepted.tolist()


def combined(ranks, choices):
    """The position of these ranks when all are counted through, the last one fastest."""
    position = 0
    for rank, n in zip(ranks, choices, strict=True):
        position = position * n + rank
    return position


def interval(position, n):
    """The words x with floor(x n / 2^64) = position, as a half-open range."""
    return -(-position * 2**64 // n), -(-(position + 1) * 2**64 // n)


def test_hand_subsets__are_all_in_colexicographic_order():
    assert SUBSETS.shape == (98_280,)
    want = sorted(sum(1 << c for c in subset) for subset in itertools.combinations(range(28), 5))
    assert SUBSETS.tolist() == want
    # Colexicographic order is the order of the masks, and of the twin.
    for rank in [0, 1, 2, 5, 6, 55, 56, 1286, 1287, 8567, 8568, 33_648, 33_649, 98_279, *range(0, 98_280, 997)]:
        assert SUBSETS[rank] == sum(1 << c for c in twin.subset_of_rank(rank, 5))
    # The first C(n,5) are those of the first n positions.
    for n in range(5, 28):
        assert int(SUBSETS[comb(n, 5) - 1]).bit_length() == n and int(SUBSETS[comb(n, 5)]).bit_length() == n + 1


def test_choices__count_the_hands_and_the_deals():
    assert deal._CHOICES == tuple(CHOICES) == (98_280, 33_649, 8_568, 1_287, 56)
    assert int(deal._REJECT_FIRST) == 2**64 % (FIRST[0] * FIRST[1])
    assert int(deal._REJECT_LAST) == 2**64 % (LAST[0] * LAST[1] * LAST[2])


# Words not near any boundary, for the half that is not looked at.
OTHER = {"first": 0x0123456789ABCDEF, "last": 0xFEDCBA9876543210}


@pytest.mark.parametrize(("half", "choices"), [("first", FIRST), ("last", LAST)])
def test_unrank__accepts_the_same_number_of_words_for_every_deal(half, choices):
    # The words that lead to one combination of hands are an interval of floor or ceil(2^64/n) words. Over it the lower
    # half of the product rises by n a word, and it is rejected below 2^64 mod n < n: so only the first word can be.
    # Seen with the kernel: which words have the ranks at all, at both boundaries, and which of them are accepted.
    n = int(np.prod(choices))
    draw = np.random.default_rng(1)
    ranks = [[0] * len(choices), [c - 1 for c in choices]]
    ranks += [draw.integers(0, choices).tolist() for _ in range(effort(4000, 40))]
    rejected = 0
    for own in ranks:
        position = combined(own, choices)
        start, end = interval(position, n)
        assert end - start in (2**64 // n, 2**64 // n + 1)
        inside = [start, start + 1, start + 2, *draw.integers(start, end, 3, np.uint64).tolist(), end - 2, end - 1]
        outside = [word for word in (start - 1, end) if 0 <= word <= FULL]
        words = inside + outside
        pairs = [(w, OTHER["last"]) if half == "first" else (OTHER["first"], w) for w in words]
        hands, accepted = by_kernel(pairs)
        other = OTHER["last"] if half == "first" else OTHER["first"]
        known = twin.ranks_from_words(*((start + 1, other) if half == "first" else (other, start + 1)))
        assert known[:2] == own if half == "first" else known[2:] == own
        expected = twin.deal_from_ranks(known)[0]
        # Words inside lead to these hands and no others do.
        assert all(hand == expected for hand in hands[: len(inside)])
        assert all(hand != expected for hand in hands[len(inside) :])
        # Exactly floor(2^64/n) of them are accepted: all, but for the first one where there is one too many.
        assert accepted[1 : len(inside)] == [True] * (len(inside) - 1)
        assert end - start - (not accepted[0]) == 2**64 // n
        rejected += not accepted[0]
    assert 0 < rejected < len(ranks)


@given(st.integers(0, FULL), st.integers(0, FULL))
@example(0, 0)
@example(FULL, FULL)
@example(1, 1)
@example(1, 0)
@example(0, 1)
def test_unrank__is_that_of_the_twin(a, b):
    hands, accepted = by_kernel([(a, b)])
    ranks = twin.ranks_from_words(a, b)
    assert accepted == [ranks is not None]
    if ranks is not None:
        assert hands[0] == twin.deal_from_ranks(ranks)[0]


def twin_block(seed, match, round0, n):
    return [[list(hand) for hand in twin.deal(seed, match, round0 + i)[0]] for i in range(n)]


keys = st.tuples(st.integers(0, FULL), st.integers(0, 2**63 - 1), st.integers(0, 2**32 - 20))


@given(keys, st.integers(1, deal.BLOCK))
def test_deal_block__gives_hands_and_words_of_the_twin(key, n):
    scratch = deal.deal_scratch(streams.seat_offsets([0, 0, 1, 0, 7]))
    with np.errstate(over="ignore"):
        dealt_block(np.array(key, np.uint64), n, SUBSETS, scratch)
    hands = [[tiles(hand) for hand in scratch.hands[5 * i : 5 * i + 5]] for i in range(n)]
    assert hands == twin_block(*key, n)
    for i in range(n):
        for seat, copy in enumerate([0, 0, 1, 0, 7]):
            want = twin.choice_word(key[0], key[1], key[2] + i, seat, decision=0, copy=copy)
            assert scratch.seat_words[5 * i + seat] == want
    # Both halves of every tile stand in the rows.
    for hand in scratch.hands[: 5 * n]:
        rows = int(hand)
        assert all((rows >> (8 * v + w) & 1) == (rows >> (8 * w + v) & 1) for v in range(7) for w in range(7))


@given(keys)
def test_deal_again__takes_the_next_attempt(key):
    # Its first attempt is attempt 1, whatever became of attempt 0.
    hands = np.zeros(15, np.uint64)
    with np.errstate(over="ignore"):
        dealt_again(np.array(key, np.uint64), SUBSETS, hands)
    ranks = twin.ranks_from_words(*twin.block(*key, twin.DEAL, attempt=1))
    assert [tiles(hand) for hand in hands[5:10]] == twin.deal_from_ranks(ranks)[0]
    assert not hands[:5].any() and not hands[10:].any()


def test_deal_block__deals_again_where_words_are_rejected(monkeypatch):
    # The words of rounds 3 and 5 are made to be rejected, those of round 5 three times.  The kernels run as plain
    # Python here, as such words turn up once in 2^32 rounds or so.
    def plain(function):
        return getattr(function, "py_func", function)

    rejected = {(3, 0), (5, 0), (5, 1), (5, 2)}
    asked = []

    def block(seed, match, round_in_match, purpose, attempt=0):
        if purpose == twin.DEAL:
            asked.append((round_in_match, attempt))
            if (round_in_match, attempt) in rejected:
                return [(0, FULL // 3), (FULL // 3, 0), (0, 0), (0, FULL // 5)][len(asked) % 4]
        return original(seed, match, round_in_match, purpose, attempt)

    def philox(seed, match, round_, purpose):
        return tuple(map(U, block(int(seed), int(match), int(round_), int(purpose) % 256, int(purpose) // 256)))

    original = twin.block
    monkeypatch.setattr(twin, "block", block)
    monkeypatch.setattr(deal, "philox", philox)
    for name in ("unrank", "deal_again", "both_ways", "mix"):
        monkeypatch.setattr(deal, name, plain(getattr(deal, name)))
    scratch = deal.deal_scratch(streams.seat_offsets([0] * 5))
    with np.errstate(over="ignore"):
        plain(deal.deal_block)(U(4), U(2), U(0), 8, SUBSETS, scratch)
    assert [asked.count((r, a)) for r, a in [(3, 0), (3, 1), (3, 2), (5, 2), (5, 3), (5, 4)]] == [1, 1, 0, 1, 1, 0]
    hands = [[tiles(hand) for hand in scratch.hands[5 * i : 5 * i + 5]] for i in range(8)]
    assert hands == twin_block(4, 2, 0, 8)


def dealt(seed, matches, rounds=20):
    table = core(task(seed=seed, matches=matches, rounds=rounds, level="rounds"))[0]["rounds"]
    return np.stack([table[f"hand_{seat}"] for seat in range(5)], axis=1)


def distinct(*hands):
    return len(np.unique(np.concatenate(hands), axis=0))


def test_deals__of_all_matches_and_rounds_are_distinct():
    # Among 10^5 deals of 2^60.8 two would be equal with probability 2.5e-9.
    n = effort(100_000, 60)
    hands = dealt(1, n // 20)
    assert hands.shape == (n, 5) and distinct(hands) == n


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**32, FULL - 1])
def test_deals__of_neighbouring_seeds_and_of_extreme_seeds_share_nothing(seed):
    n = effort(400, 2)
    one, other, high = dealt(seed, n), dealt(seed + 1, n), dealt((seed + 2**32) % 2**64, n)
    assert distinct(one, other, high) == 3 * 20 * n
    assert dealt(seed, n).tolist() == one.tolist()


def test_deals__of_matches_beyond_32_bits_are_their_own():
    n = effort(100, 2)
    parts = [dealt(5, (first, first + n)) for first in (0, 2**32 - n // 2, 2**32 + n, 2**40, 2**62)]
    assert distinct(*parts) == 5 * 20 * n
