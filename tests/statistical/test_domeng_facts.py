"""Facts of the game that are known exactly, in many rounds of the core.

Seeds are fixed; with another seed each test would fail by chance with at most 1e-7, shared out over what it looks at.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, chi2, hypergeom

from domeng_sim.core.codes import Event
from domeng_sim.core.tiles import HALVES, is_double, tile_number
from tests.domeng_runs import core, task

FALSE_ALARM = 1e-7
N = 200_000

pytestmark = pytest.mark.compiled


def assert_binomial(found, n, p, alarm, what):
    low, high = binom.interval(1 - alarm, n, float(p))
    assert low <= found <= high, what


@pytest.fixture(scope="module")
def first_rounds():
    """N independent first rounds: the table, and where each tile is (seat 0 to 4, 5 unused), shape (N, 28)."""
    rounds = core(task(seed=31, matches=N, rounds=1, cluster=N, level="rounds"))[0]["rounds"]
    where = np.full((N, 28), 5)
    for seat in range(5):
        held = (rounds[f"hand_{seat}"][:, None] >> np.arange(28, dtype=np.int32)) & 1
        assert (held.sum(axis=1) == 5).all()
        assert (where[held == 1] == 5).all()
        where[held == 1] = seat
    return rounds, where


def test_start__is_by_the_highest_double_dealt_with_exact_probabilities(first_rounds):
    rounds, where = first_rounds
    # [6|6] is dealt with probability 25/28; if not, [5|5] with 25/27; then [4|4] with 25/26; then [3|3] for sure.
    probabilities = {6: Fraction(25, 28), 5: Fraction(3, 28) * Fraction(25, 27)}
    probabilities[4] = Fraction(3, 28) * Fraction(2, 27) * Fraction(25, 26)
    probabilities[3] = Fraction(3, 28) * Fraction(2, 27) * Fraction(1, 26)
    assert sum(probabilities.values()) == 1
    decided = np.zeros(N, bool)
    for value, p in probabilities.items():
        holder = where[:, tile_number(value, value)]
        by_this = ~decided & (holder < 5)
        assert (rounds["starter"][by_this] == holder[by_this]).all()
        assert_binomial(by_this.sum(), N, p, FALSE_ALARM / 9, value)
        decided |= by_this
    assert decided.all()
    for seat in range(5):
        assert_binomial((rounds["starter"] == seat).sum(), N, Fraction(1, 5), FALSE_ALARM / 9, seat)


def test_opening_lead_double__leads_that_very_double():
    events = core(task({"opening_lead": "double"}, seed=32, matches=5000, rounds=2))[0]["events"]
    leads = events["event"] == Event.LEAD
    first = leads & (events["round"] == 0) & (events["game"] == 0)
    tiles = events["tile"][first]
    assert len(tiles) == 5000 and all(is_double(tile) and HALVES[tile][0] >= 3 for tile in np.unique(tiles).tolist())
    dealt = {}
    deals = events["event"] == Event.DEAL
    for name in ("match", "game", "round", "seat", "tile"):
        dealt[name] = events[name][deals].reshape(-1, 25)
    opening = (dealt["round"][:, 0] == 0) & (dealt["game"][:, 0] == 0)
    highest = np.where(np.isin(dealt["tile"], [9, 14, 20, 27]), dealt["tile"], -1).max(axis=1)[opening]
    np.testing.assert_array_equal(tiles, highest)
    # Later starters lead any tile.
    assert len(np.unique(events["tile"][leads & ~first])) == 28


def test_deal__is_uniform_over_tiles_and_places(first_rounds):
    # Each round places 28 tiles in 6 places of 5, 5, 5, 5, 5 and 3: the sum of (found - expected)^2 / expected, times
    # 27/28 since the tiles exclude each other, has the chi-square distribution with 27 x 5 degrees of freedom.
    _, where = first_rounds
    found = np.stack([(where == place).sum(axis=0) for place in range(6)], axis=1)
    expected = N * np.array([5, 5, 5, 5, 5, 3]) / 28
    statistic = ((found - expected) ** 2 / expected).sum() * 27 / 28
    assert chi2.ppf(FALSE_ALARM / 2, 135) < statistic < chi2.isf(FALSE_ALARM / 2, 135)


def test_deal__brings_every_pair_of_tiles_into_every_hand_equally_often(first_rounds):
    # Two tiles are in the hand of a seat with probability 5/28 x 4/27. An exact test of each pair and seat.
    _, where = first_rounds
    n_tests = 378 * 6
    low, high = binom.interval(1 - FALSE_ALARM / n_tests, N, 20 / 756)
    low_unused, high_unused = binom.interval(1 - FALSE_ALARM / n_tests, N, 6 / 756)
    upper = np.triu_indices(28, 1)
    for place in range(6):
        here = (where == place).astype(np.float32)
        together = (here.T @ here)[upper]
        assert len(together) == 378
        if place < 5:
            assert low <= together.min() and together.max() <= high
        else:
            assert low_unused <= together.min() and together.max() <= high_unused


def test_deal__of_successive_rounds_is_independent():
    # Of the tiles that a seat holds, the number that some seat holds a round later in the same match is hypergeometric:
    # 5 of 28, drawn 5. Rounds 0 and 1, 2 and 3, ...: independent pairs, an exact test of each number and pair of seats.
    rounds = core(task(seed=33, matches=N // 20, rounds=20, cluster=N, level="rounds"))[0]["rounds"]
    hands = np.stack([rounds[f"hand_{seat}"] for seat in range(5)]).reshape(5, N // 2, 2)
    p = hypergeom.pmf(np.arange(6), 28, 5, 5)
    low, high = binom.interval(1 - FALSE_ALARM / (25 * 6), N // 2, p)
    for seat in range(5):
        for other in range(5):
            common = np.bincount(np.bitwise_count(hands[seat, :, 0] & hands[other, :, 1]), minlength=6)
            assert ((low <= common) & (common <= high)).all(), (seat, other)


def test_choice__of_the_lead_is_uniform_over_the_hand():
    # The starter of a first round leads the k-th tile of the hand, each with probability 1/5.
    events = core(task(seed=34, matches=50_000, rounds=1))[0]["events"]
    deals = events["event"] == Event.DEAL
    tiles, seats = events["tile"][deals].reshape(-1, 5, 5), events["seat"][events["event"] == Event.LEAD]
    led = events["tile"][events["event"] == Event.LEAD]
    place = (tiles[np.arange(len(led)), seats] == led[:, None]).argmax(axis=1)
    for k in range(5):
        assert_binomial((place == k).sum(), len(led), Fraction(1, 5), FALSE_ALARM / 5, k)


@pytest.mark.parametrize("rules", [{}, {"stones": 255}, {"stones": 3, "passebunge_stones": 255}], ids=str)
def test_stones__sum_to_those_of_the_game_at_every_end(rules):
    tables, _ = core(task(rules, seed=35, matches=2000, games=5, level="rounds"))
    total = rules.get("stones", 25)
    held = [tables["rounds"][f"stones_{seat}"].astype(int) for seat in range(5)]
    assert (sum(held) + tables["rounds"]["table_stones"] == total).all()
    assert (sum(tables["games"][f"stones_{seat}"].astype(int) for seat in range(5)) <= total).all()


def test_events__an_outsider_can_replay_all_tiles_ends_and_stones():
    # Every row of 20,000 rounds, from the events alone: each tile is dealt once and played by its holder, the ends
    # follow, a PASS comes only without a fitting tile, and stones move without being made or lost.
    tables, _ = core(task(seed=36, matches=2000, rounds=10))
    events = {name: column.astype(np.int64) for name, column in tables["events"].items()}
    new_round = events["step"] == 0
    number = np.cumsum(new_round) - 1
    n_rounds, rows = int(new_round.sum()), len(number)
    holder = np.full((n_rounds, 28), -1)
    deals = events["event"] == Event.DEAL
    assert deals.sum() == 25 * n_rounds
    holder[number[deals], events["tile"][deals]] = events["seat"][deals]
    assert ((holder >= 0).sum(axis=1) == 25).all()

    plays = (events["event"] == Event.LEAD) | (events["event"] == Event.PLAY)
    assert (holder[number[plays], events["tile"][plays]] == events["seat"][plays]).all()
    keys = number[plays] * 28 + events["tile"][plays]
    assert len(np.unique(keys)) == len(keys)

    hi, lo = np.array(HALVES).T
    before_left, before_right = np.roll(events["left_end"], 1), np.roll(events["right_end"], 1)
    leads = events["event"] == Event.LEAD
    assert (events["left_end"][leads] == lo[events["tile"][leads]]).all()
    assert (events["right_end"][leads] == hi[events["tile"][leads]]).all()
    joins = events["event"] == Event.PLAY
    is_left = events["side"] == 0
    assert set(events["side"][joins].tolist()) == {0, 1} and set(events["side"][~joins].tolist()) == {-1}
    joined = np.where(is_left, before_left, before_right)
    new = np.where(is_left, events["left_end"], events["right_end"])
    tile_sum = (hi + lo)[events["tile"]]
    assert (joined + new == tile_sum)[joins].all()
    assert ((joined == hi[events["tile"]]) | (joined == lo[events["tile"]]))[joins].all()
    stays = np.where(is_left, events["right_end"] == before_right, events["left_end"] == before_left)
    assert stays[joins].all()
    # Two equal ends are written as `left`.
    assert is_left[joins & (before_left == before_right)].all()
    others = ~deals & ~leads & ~joins
    assert ((events["left_end"] == before_left) & (events["right_end"] == before_right))[others].all()

    # What each seat holds at each row, and whether one of these tiles fits.
    played_at = np.full((n_rounds, 28), rows)
    played_at[number[plays], events["tile"][plays]] = np.flatnonzero(plays)
    passes = (events["event"] == Event.PASS) | (events["event"] == Event.PASSEBUNGE)
    for row in np.flatnonzero(passes)[::7]:
        r = number[row]
        held = (holder[r] == events["seat"][row]) & (played_at[r] > row)
        ends = {events["left_end"][row], events["right_end"][row]}
        assert not any(hi[tile] in ends or lo[tile] in ends for tile in np.flatnonzero(held))

    given = sum(events[f"given_{seat}"] for seat in range(5))
    assert (events["stones"] == events["from_table"] + given).all()
    # Seats come in turn: after a lead, play or PASS the next of these is the seat clockwise after.
    turns = plays | passes
    seat, which = events["seat"][turns], number[turns]
    same = which[1:] == which[:-1]
    assert ((seat[1:] - seat[:-1]) % 5 == 1)[same].all()
