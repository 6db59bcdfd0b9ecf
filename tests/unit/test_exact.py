"""Whole trees in whole numbers: the arithmetic, and whole trees against exact probabilities."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domeng_sim.core.codes import Outcome, labels
from domeng_sim.core.jit import entry
from domeng_sim.core.tiles import hand_mask
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.domeng.odds import exact
from domeng_sim.games.domeng.odds.notation import read
from domeng_sim.games.domeng.odds.player_view import situate
from domeng_sim.games.domeng.odds.sampled import DomengOdds
from domeng_sim.positions.odds import OddsSession, exact_odds
from tests.effort import COMPILED

CASES = json.loads((Path(__file__).parent.parent / "data" / "domeng_random_exact.json").read_text())["cases"]
RULES = DOMENG.resolve_rules({})


@entry
def add_all(weights, times, sums):
    """Weights added, each so many times."""
    for k in range(weights.shape[0]):
        path = exact.Path(weights[k, 0], weights[k, 1], np.uint64(0), np.uint64(0))
        exact.add_times(sums, 0, path, times[k])


@entry
def divide_all(weights, by, out):
    """Weights divided."""
    for k in range(weights.shape[0]):
        out[k, 0], out[k, 1] = exact.divided(weights[k, 0], weights[k, 1], by[k])


def words(numbers):
    return np.array([(n >> 64, n & (2**64 - 1)) for n in numbers], np.uint64).reshape(-1, 2)


def numbers(words):
    return [(int(high) << 64) + int(low) for high, low in words]


@given(st.lists(st.tuples(st.integers(0, 2**95), st.integers(0, 255)), max_size=20))
def test_totals__carry_into_the_upper_word(pairs):
    sums = np.zeros((1, 2), np.uint64)
    with np.errstate(over="ignore"):
        add_all(words([weight for weight, _ in pairs]), np.array([n for _, n in pairs], np.uint64), sums)
    assert numbers(sums) == [sum(weight * n for weight, n in pairs)]


@given(st.lists(st.tuples(st.integers(0, 2**122), st.integers(1, 6)), max_size=20))
def test_division__leaves_nothing_over(pairs):
    out = np.zeros((len(pairs), 2), np.uint64)
    with np.errstate(over="ignore"):
        divide_all(words([weight * n for weight, n in pairs]), np.array([n for _, n in pairs], np.uint64), out)
    assert numbers(out) == [weight for weight, _ in pairs]


@pytest.mark.parametrize("tiles", range(1, 6))
def test_shares__are_divided_by_every_number_of_moves(tiles):
    # Any hand at any two ends: at most one tile, that with both values, fits twice.
    draw = np.random.default_rng(tiles)
    most = 0
    for _ in range(2000):
        hand = draw.choice(28, tiles, replace=False)
        a, b = draw.integers(0, 7, 2)
        halves = [(hi, lo) for hi in range(7) for lo in range(hi + 1)]
        n = len({(v, w) for t in hand for v, w in (halves[t], halves[t][::-1]) if v in (a, b)})
        most = max(most, n)
        assert n == 0 or exact.SHARES[tiles] % n == 0
    assert most <= tiles + 1


def fractions(texts):
    return [Fraction(text) for text in texts]


@pytest.mark.compiled
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['case']}-{case['kind']}")
def test_whole_tree__equals_the_exact_probabilities(case):
    hands = {seat: hand_mask(tiles) for seat, tiles in enumerate(case["deal"])}
    here = situate([], hands, case["stones"], case["table"], RULES, case["starter"])
    trees = [DomengOdds().expand(here, move, 0, 1, 2**62) for move in range(len(here.moves))]
    # The lead is a choice among five tiles, all equally likely.
    total = trees[0] + trees[1] + trees[2] + trees[3] + trees[4]
    shares = {name: [Fraction(x, total.weight) for x in values] for name, values in total.details.items()}
    ends = {
        f"{name}:{seat}": shares["outcome_winner"][5 * outcome + seat]
        for outcome, name in enumerate(labels(Outcome))
        for seat in range(5)
    }
    assert {cell: p for cell, p in ends.items() if p} == {
        cell: Fraction(text) for cell, text in case["outcome_winner"].items() if Fraction(text)
    }
    for name in ("camat", "passes", "passebunge", "received_by_pass", "received_at_end", "given"):
        assert shares[name] == fractions(case[name]), name
    for name in ("plays", "from_table"):
        assert shares[name] == [Fraction(case[name])], name
    # The player who asks sees its own part of it.
    assert Fraction(total.totals[0], total.weight) == sum(shares["outcome_winner"][case["starter"] :: 5])
    found = exact_odds(DOMENG, here, session=OddsSession(2))
    assert sum(move.fractions["win"] for move in found.moves) / 5 == Fraction(total.totals[0], total.weight)


def test_deals__add_up():
    # Seat 0 knows its own hand only: the trees of all deals that agree, in one go and in two.
    here = read(
        {
            "hand": "1|0 2|0 3|3",
            "log": "0:6|6 1:6|5l 2:6|4r 3:4|0r 4:5|1l 0:0|0r 1:3|0r 2:1|1l 3:3|1l 4:pass 0:4|3l 1:5|3r 2:5|4r 3:pass "
            "4:4|2l 0:5|2l 1:5|5l 2:4|4r 3:pass 4:5|0l 0:pass 1:pass 2:pass",
        },
        RULES,
    )
    kernel = DomengOdds()
    n = here.n_deals if COMPILED else 20
    whole = kernel.expand(here, 0, 0, n, 2**62)
    assert whole == kernel.expand(here, 0, 0, n // 3, 2**62) + kernel.expand(here, 0, n // 3, n - n // 3, 2**62)
