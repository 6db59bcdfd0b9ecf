"""Facts of Draw that are known exactly, in many rounds of the core.

Seeds are fixed; with another seed each test would fail by chance with at most 1e-7, shared out over what it looks at.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, chi2, hypergeom

from domeng_sim.core.codes import Event
from domeng_sim.core.tiles import is_double
from domeng_sim.games.types import Seat
from tests.draw_runs import core, task

FALSE_ALARM = 1e-7
N = 200_000
DOUBLES = [tile for tile in range(28) if is_double(tile)]

pytestmark = pytest.mark.compiled


def assert_binomial(found, n, p, alarm, what=""):
    low, high = binom.interval(1 - alarm, n, float(p))
    assert low <= found <= high, what


@pytest.fixture(scope="module")
def first_rounds():
    """N independent first rounds: the table, and where each tile is (seat 0 or 1, 2 the stock), shape (N, 28)."""
    rounds = core(task(seed=41, matches=N, rounds=1, cluster=N, level="rounds"))[0]["rounds"]
    where = np.full((N, 28), 2)
    for seat in range(2):
        held = (rounds[f"hand_{seat}"][:, None] >> np.arange(28, dtype=np.int32)) & 1
        assert (held.sum(axis=1) == 7).all()
        assert (where[held == 1] == 2).all()
        where[held == 1] = seat
    return rounds, where


def test_start__is_by_the_highest_double_dealt_with_exact_probabilities(first_rounds):
    rounds, where = first_rounds
    # The highest double that is dealt is the k-th highest if the k before it are all among the 14 of the stock.
    undecided = np.ones(N, bool)
    for k, double in enumerate(reversed(DOUBLES)):
        p = Fraction(comb(28 - k, 14 - k), comb(28, 14)) - Fraction(comb(28 - k - 1, 14 - k - 1), comb(28, 14))
        decided = undecided & (where[:, double] < 2)
        assert (rounds["starter"][decided] == where[decided, double]).all()
        assert_binomial(decided.sum(), N, p, FALSE_ALARM / 9, k)
        undecided &= ~decided
    # Nobody has a double: all seven are in the stock.
    assert_binomial(undecided.sum(), N, Fraction(comb(21, 7), comb(28, 14)), FALSE_ALARM / 9)
    assert_binomial((rounds["starter"] == 0).sum(), N, Fraction(1, 2), FALSE_ALARM / 9)


def test_deal__is_uniform_over_tiles_and_places(first_rounds):
    # Each round places 28 tiles in 3 places of 7, 7 and 14: the sum of (found - expected)^2 / expected, times 27/28
    # since the tiles exclude each other, has the chi-square distribution with 27 x 2 degrees of freedom.
    _, where = first_rounds
    found = np.stack([(where == place).sum(axis=0) for place in range(3)], axis=1)
    expected = N * np.array([7, 7, 14]) / 28
    statistic = ((found - expected) ** 2 / expected).sum() * 27 / 28
    assert chi2.ppf(FALSE_ALARM / 2, 54) < statistic < chi2.isf(FALSE_ALARM / 2, 54)


def test_deal__brings_every_pair_of_tiles_into_every_hand_equally_often(first_rounds):
    # Two tiles are in the hand of a seat with probability 7/28 x 6/27, in the stock with 14/28 x 13/27.
    _, where = first_rounds
    upper = np.triu_indices(28, 1)
    for place, ways in enumerate((42, 42, 182)):
        low, high = binom.interval(1 - FALSE_ALARM / (378 * 3), N, ways / 756)
        here = (where == place).astype(np.float32)
        together = (here.T @ here)[upper]
        assert low <= together.min() and together.max() <= high


def test_deal__of_successive_rounds_is_independent():
    # Of the tiles that a seat holds, the number that some seat holds a round later in the same match is hypergeometric.
    # Rounds 0 and 1, 2 and 3, ...: independent pairs, an exact test of each number and pair of seats.
    rounds = core(task(seed=43, matches=N // 20, rounds=20, cluster=N, level="rounds"))[0]["rounds"]
    hands = np.stack([rounds[f"hand_{seat}"] for seat in range(2)]).reshape(2, N // 2, 2)
    low, high = binom.interval(1 - FALSE_ALARM / (4 * 8), N // 2, hypergeom.pmf(np.arange(8), 28, 7, 7))
    for seat in range(2):
        for other in range(2):
            common = np.bincount(np.bitwise_count(hands[seat, :, 0] & hands[other, :, 1]), minlength=8)
            assert ((low <= common) & (common <= high)).all(), (seat, other)


@pytest.fixture(scope="module")
def drawn_tiles():
    """Rounds in which the stock is always drawn down, whatever the tiles.

    On a table of 2x2 nothing can follow the lead, so the second player draws twelve tiles. Shape (n, 12): the place in
    the sorted stock of each tile drawn, in the order of drawing.
    """
    events = core(task({"table": "2x2"}, seed=44, matches=100_000, rounds=1))[0]["events"]
    drawn = events["tile"][events["event"] == Event.DRAW].reshape(-1, 12)
    dealt = events["tile"][events["event"] == Event.DEAL].reshape(-1, 14)
    assert len(drawn) == len(dealt) == 100_000
    in_stock = np.ones((len(dealt), 28), bool)
    np.put_along_axis(in_stock, dealt.astype(np.int64), False, axis=1)
    place = np.cumsum(in_stock, axis=1) - 1
    return np.take_along_axis(place, drawn.astype(np.int64), axis=1)


def test_stock__every_tile_is_drawn_at_every_time_equally_often(drawn_tiles):
    # A 12 x 14 table of counts; with the two that stay as one more row (of 2) the sum of (found - expected)^2 /
    # expected, times 13/14, has the chi-square distribution with 13 x 12 degrees of freedom.
    n = len(drawn_tiles)
    found = np.stack([np.bincount(drawn_tiles[:, time], minlength=14) for time in range(12)])
    left = n - found.sum(axis=0)
    statistic = ((found - n / 14) ** 2 / (n / 14)).sum() + ((left - n / 7) ** 2 / (n / 7)).sum()
    statistic *= 13 / 14
    assert chi2.ppf(FALSE_ALARM / 2, 156) < statistic < chi2.isf(FALSE_ALARM / 2, 156)


def test_stock__every_pair_of_tiles_is_drawn_in_succession_equally_often(drawn_tiles):
    # At each of 11 times, each ordered pair of the 14 with probability 1 / (14 x 13): an exact test of each.
    n = len(drawn_tiles)
    low, high = binom.interval(1 - FALSE_ALARM / (11 * 182), n, 1 / 182)
    for time in range(11):
        pairs = np.bincount(14 * drawn_tiles[:, time] + drawn_tiles[:, time + 1], minlength=196).reshape(14, 14)
        assert (np.diag(pairs) == 0).all()
        pairs = pairs[~np.eye(14, dtype=bool)]
        assert low <= pairs.min() and pairs.max() <= high


def test_stock__rises_and_falls_as_random_orders_do(drawn_tiles):
    # The first six tiles drawn come in each of 720 orders equally often.
    ranks = np.argsort(np.argsort(drawn_tiles[:, :6], axis=1), axis=1)
    code = ranks @ np.array([6**k for k in range(6)])
    _, counts = np.unique(code, return_counts=True)
    assert len(counts) == 720
    expected = len(drawn_tiles) / 720
    statistic = ((counts - expected) ** 2 / expected).sum()
    assert chi2.ppf(FALSE_ALARM / 2, 719) < statistic < chi2.isf(FALSE_ALARM / 2, 719)


def test_choice__of_the_lead_is_uniform_over_the_hand():
    events = core(task(seed=45, matches=50_000, rounds=1))[0]["events"]
    tiles = events["tile"][events["event"] == Event.DEAL].reshape(-1, 2, 7)
    is_lead = events["event"] == Event.LEAD
    led, seats = events["tile"][is_lead], events["seat"][is_lead]
    place = (tiles[np.arange(len(led)), seats] == led[:, None]).argmax(axis=1)
    for k in range(7):
        assert_binomial((place == k).sum(), len(led), Fraction(1, 7), FALSE_ALARM / 7, k)


def test_choice__between_two_equal_ends_of_a_finite_table_is_even():
    # After the lead of a double the second player joins a tile to either end with probability 1/2.
    events = core(task({"table": "30x30", "opening_lead": "highest"}, seed=46, matches=50_000, rounds=1))[0]["events"]
    after = np.flatnonzero(events["event"] == Event.LEAD)
    double = np.isin(events["tile"][after], DOUBLES)
    first = np.flatnonzero(events["event"] == Event.PLAY)
    first = first[np.searchsorted(first, after[double])]
    assert len(first) > 40_000
    assert_binomial((events["side"][first] == 0).sum(), len(first), Fraction(1, 2), FALSE_ALARM)


def test_seats__are_alike_for_equal_strategies():
    # A match ends after one round here, so that rounds are independent: the seats win equally often.
    for seats in ((Seat({}),) * 2, (Seat({"pips": 1, "other_moves": -2}),) * 2):
        rounds = core(task(seed=47, seats=seats, matches=N // 4, rounds=1, level="rounds"))[0]["rounds"]
        won = rounds["winner"][rounds["winner"] >= 0]
        assert_binomial((won == 0).sum(), len(won), Fraction(1, 2), FALSE_ALARM / 2)


@pytest.mark.parametrize("table", ["unbounded", "8x8"])
def test_tiles__are_each_in_one_place_at_every_end(table):
    # Pips: all 168 are on the table, in the hands or in the stock, so that the tiles of the events make up the rest.
    tables, _ = core(task({"table": table}, seed=48, matches=3000, rounds=3))
    rounds, events = tables["rounds"], tables["events"]
    starts = np.flatnonzero((events["event"] == Event.DEAL) & (events["step"] == 0))
    of_round = np.searchsorted(starts, np.arange(len(events["event"])), side="right") - 1
    halves = [(hi, lo) for hi in range(7) for lo in range(hi + 1)]
    pips = np.array([hi + lo for hi, lo in halves])
    got = np.isin(events["event"], [Event.DEAL, Event.DRAW])
    gone = np.isin(events["event"], [Event.LEAD, Event.PLAY])
    for seat in range(2):
        mine = events["seat"] == seat
        balance = np.zeros(len(starts), np.int64)
        np.add.at(balance, of_round[got & mine], pips[events["tile"][got & mine]])
        np.subtract.at(balance, of_round[gone & mine], pips[events["tile"][gone & mine]])
        np.testing.assert_array_equal(balance, rounds[f"pips_{seat}"])
    np.testing.assert_array_equal(rounds["stock"], 14 - rounds["draws_0"] - rounds["draws_1"])
    taken = got | gone
    assert events["tile"][taken].min() >= 0
    for kind in (got, gone):
        key = of_round[kind] * 28 + events["tile"][kind]
        assert len(np.unique(key)) == len(key)
