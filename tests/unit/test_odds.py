"""Odds of moves: from sums to figures, differences and advice; samples, stopping, certain positions.

Seeds are fixed; with other seeds each statistical test would fail by chance with at most 1e-7.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom, norm

from domeng_sim.analysis.format import shown
from domeng_sim.errors import BadInput, Interrupted
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.domeng.odds.measures import MEASURES
from domeng_sim.games.domeng.odds.notation import read
from domeng_sim.games.shared.odds import SampleSums
from domeng_sim.games.types import Seat
from domeng_sim.positions import odds
from domeng_sim.positions.judging import Judge
from domeng_sim.positions.odds import OddsSession, exact_odds, sampled_odds
from domeng_sim.positions.odds_result import OddsResult
from domeng_sim.runs.progress import Silent
from domeng_sim.stats.estimate import Estimate
from tests.effort import effort

FALSE_ALARM = 1e-7
RULES = DOMENG.resolve_rules({})
RANDOM = (Seat({}),) * 5
MIXED = (
    Seat({"pips": 1000}),
    Seat({}),
    Seat({"unseen": -1000, "own_ends": 1000}),
    Seat({}, copy=3),
    Seat({"double": 1000}),
)
# [2|6][6|6][6|4][4|4], all hands known.
OPEN = read(
    {
        "hands": "6|5 4|1 3|1 2|1;5|4 2|2 4|3 1|1;5|5 5|3 5|2 5|1 5|0;6|1 4|2 0|0 1|0;6|0 4|0 3|3 3|2",
        "log": "0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r",
        "stones": "2,1,2,3,4",
    },
    RULES,
)
CLOSED = read({"hand": "6|5 4|1 3|1 2|1", "log": "0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r", "stones": "2,1,2,3,4"}, RULES)
# 744 deals agree; see test_hidden.
LATE = read(
    {
        "hand": "1|0 2|0 3|3",
        "log": "0:6|6 1:6|5l 2:6|4r 3:4|0r 4:5|1l 0:0|0r 1:3|0r 2:1|1l 3:3|1l 4:pass 0:4|3l 1:5|3r 2:5|4r 3:pass 4:4|2l"
        " 0:5|2l 1:5|5l 2:4|4r 3:pass 4:5|0l 0:pass 1:pass 2:pass",
        "stones": "1,2,3,4,5",
    },
    RULES,
)  # fmt: skip
# Seat 4 holds 1|0, its last tile, and the ends are 1 and 0: CEKI at either end, on each of 62,720 deals.
LAST = read(
    {
        "hand": "1|0",
        "log": "4:3|2 0:3|3r 1:3|1r 2:2|1l 3:pass 4:4|1l 0:4|0l 1:6|0l 2:6|1r 3:6|3l 4:pass 0:6|2r 1:3|0l 2:pass 3:2|0r"
        " 4:0|0l 0:pass 1:pass 2:pass 3:pass 4:5|0l 0:5|1l 1:1|1l 2:pass 3:pass",
        "stones": "1,8,8,5,3",
    },
    RULES,
)
# What the last PASS got excludes two deals; see test_hidden.
FREE = read(
    {
        "seat": "4",
        "hand": "5|2",
        "log": "1:4|1 2:5|1l 3:4|3r 4:5|4l 0:4|4l 1:3|1r 2:pass 3:6|1r 4:4|0l 0:6|4r 1:1|0l 2:pass 3:pass 4:1|1l 0:4|2r"
        " 1:pass 2:pass 3:3|2r 4:pass 0:3|0r 1:pass 2:0|0r 3:pass 4:5|0r 0:pass 1:5|5r 2:5|3r 3:pass",
        "stones": "3,2,3,4,2",
        "camat": "1",
    },
    DOMENG.resolve_rules({"closing_passes": "free"}),
)
# An empty table and a player without stones, who may become CAMAT.
EMPTY = replace(OPEN, stones=(0, 7, 6, 6, 6), table=0)
NAMES = [measure.name for measure in MEASURES]


def judge(wins, both, n, best_at=0.0, proofs=None):
    """A judge of moves that win so often, and pairwise so often together."""
    n_moves, n_measures = len(wins), len(MEASURES)
    totals = np.zeros((n_moves, n_measures), np.int64)
    products = np.zeros((n_measures, n_moves, n_moves), np.int64)
    totals[:, 0] = wins
    products[0] = both
    np.fill_diagonal(products[0], wins)
    return Judge(MEASURES, SampleSums(n, totals, products), 0.95, best_at, 1, proofs or {})


def test_difference__has_the_variance_of_pairs():
    # 400 samples only the first wins, 300 only the second, of 10,000.
    found = judge([1400, 1300], 1000, 10_000).difference(1, 0, 0)
    assert found.value == pytest.approx(-0.01)
    sd = np.std([1] * 300 + [-1] * 400 + [0] * 9300, ddof=1)
    assert found.high - found.value == pytest.approx(norm.isf(0.025) * sd / 100, rel=1e-3)
    assert found.kind == "student"


def test_difference__in_few_samples_is_exact_and_never_without_width():
    found = judge([1000, 1000], 1000, 10_000).difference(1, 0, 0)
    assert (found.value, found.kind) == (0.0, "clopper-pearson")
    assert found.low < 0 < found.high < 0.001
    found = judge([1007, 1001], 1000, 10_000).difference(1, 0, 0)
    assert found.low < -0.0006 < found.high


def test_best_move__is_told_by_the_samples_that_differ():
    # 60 against 40: p = 0.028; among two moves that is enough, among four not.
    assert not judge([1060, 1040], 1000, 10_000).may_be_best(1)
    assert binom.sf(59, 100, 0.5) > 0.05 / 3
    assert judge([1060, 1040, 100, 100], [[0, 1000, 0, 0], [1000, 0, 0, 0], [0] * 4, [0] * 4], 10_000).may_be_best(1)
    assert not judge([1060, 1040, 100, 100], [[0, 1000, 0, 0], [1000, 0, 0, 0], [0] * 4, [0] * 4], 10_000).may_be_best(
        2
    )
    # Whoever reads the interval of the difference, which reaches 0, is told so.
    moves = judge([1060, 1040], 1000, 10_000).moves(
        [SimpleNamespace(text="2|1 left"), SimpleNamespace(text="4|1 right")]
    )
    assert moves[1].differences["win"].high == pytest.approx(-0.0001, abs=1e-4) and not moves[1].is_tied
    told = OddsResult(DOMENG, None, moves, "sampled", 10_000, 5, 0.95, "samples", 0.0)
    assert told.note.startswith("4|1 right: ruled out as the best by a sharper test")
    sure = judge([1200, 1040], 1000, 10_000).moves(
        [SimpleNamespace(text="2|1 left"), SimpleNamespace(text="4|1 right")]
    )
    assert replace(told, moves=sure).note == ""
    # Two moves that win the same samples cannot be told apart.
    assert judge([1000, 1000], 1000, 10_000).may_be_best(1)


def test_best_move__is_lost_as_seldom_as_promised():
    # Three moves, all equally good: the first is "the best" and must not be ruled out in more than 5 % of the tries.
    rng, n, tries = np.random.default_rng(7), 2000, effort(2000, 100)
    lost = 0
    for _ in range(tries):
        wins = rng.random((3, n)) < 0.2
        here = judge(wins.sum(axis=1), (wins.astype(int) @ wins.T.astype(int)), n)
        lost += not here.may_be_best(0)
    assert lost <= binom.isf(FALSE_ALARM, tries, 0.05)


def test_best_move__is_lost_as_seldom_as_promised_where_moves_are_dropped_on_the_way():
    # Three moves, all equally good, looked at eight times: none may be dropped, nor ruled out at the end, more often.
    rng, tries, lost = np.random.default_rng(8), effort(800, 20), 0
    for _ in range(tries):
        wins = rng.random((3, 12_000)) < 0.2
        for n in range(1500, 12_001, 1500):
            seen = wins[:, :n].astype(int)
            if not judge(seen.sum(axis=1), seen @ seen.T, n, best_at=10_000).may_be_best(0):
                lost += 1
                break
    assert lost <= binom.isf(FALSE_ALARM, tries, 0.05)


def test_dropped_move__keeps_what_was_known_and_is_compared_on_common_samples():
    early = judge([4000, 2000, 3900], [[0, 1000, 1500], [1000, 0, 900], [1500, 900, 0]], 10_000, 1e4)
    late = judge([8000, 2000, 7900], [[0, 1000, 3000], [1000, 0, 900], [3000, 900, 0]], 20_000, 1e4)
    assert not early.may_be_best(1)
    both = Judge(MEASURES, late._sums, 0.95, 1e4, 2, {}, {1: early._sums})
    assert (both.figure(1, 0).value, both.figure(1, 0).clusters) == (0.2, 10_000)
    assert (both.figure(2, 0).value, both.figure(2, 0).clusters) == (0.395, 20_000)
    assert (both.best, both.may_be_best(1), both.may_be_best(2)) == (0, False, True)
    gap = both.difference(1, 0, 0)
    assert (gap.value, gap.clusters) == (-0.2, 10_000)
    assert both.widest_win() == max(
        both.figure(0, 0).half_width, both.figure(2, 0).half_width, both.difference(2, 0, 0).half_width
    )


@pytest.mark.parametrize("seats", [RANDOM, MIXED], ids=["random", "mixed"])
def test_samples__of_some_moves_are_those_of_all(seats):
    kernel, n = DOMENG.odds.kernel(), effort(3000, 10)
    every = kernel.sample(OPEN, seats, 9, 100, n)
    for moves in ([0], [1], [0, len(OPEN.moves) - 1]):
        some = kernel.sample(OPEN, seats, 9, 100, n, moves)
        np.testing.assert_array_equal(some.totals, every.totals[moves])
        np.testing.assert_array_equal(some.products, every.products[:, np.array(moves)[:, None], moves])
        placed = some.among(moves, len(OPEN.moves))
        np.testing.assert_array_equal(placed.totals[moves], some.totals)
        assert placed.totals.sum() == some.totals.sum()


def test_samples__do_not_depend_on_threads_or_their_parts():
    n = effort(20_000, 30)
    one = sampled_odds(DOMENG, CLOSED, RANDOM, 3, n, session=OddsSession(1))
    two = sampled_odds(DOMENG, CLOSED, RANDOM, 3, n, session=OddsSession(2))
    assert replace(one, seconds=0) == replace(two, seconds=0)
    kernel = DOMENG.odds.kernel()
    whole = kernel.sample(CLOSED, MIXED, 3, 5, n)
    parts = kernel.sample(CLOSED, MIXED, 3, 5, n // 3) + kernel.sample(CLOSED, MIXED, 3, 5 + n // 3, n - n // 3)
    assert whole.n == parts.n
    np.testing.assert_array_equal(whole.totals, parts.totals)
    np.testing.assert_array_equal(whole.products, parts.products)
    other = kernel.sample(CLOSED, MIXED, 4, 5, n)
    assert (whole.totals != other.totals).any()


@pytest.mark.compiled
@pytest.mark.parametrize("position", [OPEN, LATE, EMPTY, FREE], ids=["open", "late", "empty", "free"])
def test_samples__agree_with_the_exact_odds(position):
    # All figures of all moves: binomial limits for shares, the normal ones for stones.
    n = 200_000
    exact = {move.number: move for move in exact_odds(DOMENG, position, session=OddsSession(2)).moves}
    sums = DOMENG.odds.kernel().sample(position, RANDOM, 12, 0, n)
    alarm = FALSE_ALARM / len(exact) / len(MEASURES)
    for number, move in exact.items():
        for k, name in enumerate(NAMES):
            p, total = move.fractions[name], int(sums.totals[number, k])
            if k < 12:
                assert (total == 0 or p > 0) and (total == n or p < 1)
                low, high = binom.interval(1 - alarm, n, float(p))
                assert low <= total <= high, (move.text, name)
            else:
                variance = sums.products[k, number, number] / n - (total / n) ** 2
                assert abs(total / n - float(p)) <= norm.isf(alarm / 2) * np.sqrt(variance / n) * 1.01, (
                    move.text,
                    name,
                )
    # What the command prints: intervals at a level at which they hold together.
    shown = sampled_odds(DOMENG, position, RANDOM, 12, n, level=1 - 1e-9)
    for move in shown.moves:
        for name in NAMES[:12]:
            assert move.figures[name].low <= float(exact[move.number].fractions[name]) <= move.figures[name].high


@pytest.mark.compiled
def test_exact_odds__of_hidden_tiles_are_the_mean_over_all_deals():
    found = exact_odds(DOMENG, LATE, session=OddsSession(2))
    assert found.deals == 744
    total = {move.number: Fraction(0) for move in found.moves}
    kernel = DOMENG.odds.kernel()
    for deal in LATE.hidden.deals():
        hands = [hand | mask for hand, mask in zip([h or 0 for h in LATE.hands], deal, strict=False)]
        known = replace(LATE, hands=tuple(hands))
        assert known.n_deals == 1
        for move in total:
            tree = kernel.expand(known, move, 0, 1, 2**62)
            total[move] += Fraction(tree.totals[0], tree.weight)
    assert {move.number: move.fractions["win"] * 744 for move in found.moves} == total


@pytest.mark.compiled
def test_exact_odds__count_no_deal_that_contradicts_what_a_pass_got():
    [move] = exact_odds(DOMENG, FREE, session=OddsSession(2)).moves
    assert FREE.n_deals == 171
    fractions = (move.fractions[name] for name in ("win", "outcome_manguno", "outcome_mattikkeng"))
    assert tuple(fractions) == (Fraction(73, 684), Fraction(1, 57), Fraction(4, 57))


@pytest.mark.parametrize("method", ["sampled", "exact"])
def test_certain_position__has_probability_1_and_no_width(method):
    if method == "sampled":
        found = sampled_odds(DOMENG, LAST, RANDOM, 1, effort(1000, 20))
    else:
        found = exact_odds(DOMENG, replace_deals(LAST))
    # Seat 3 is CUCUQ: three stones from seat 4, since the table is empty; so seat 4 holds none and becomes CAMAT.
    certain = {"win": 1, "outcome_ceki": 1, "own_ceki": 1, "camat": 1, "given": 3}
    assert len(found.moves) == 2
    for move in found.moves:
        for name, figure in [*move.figures.items(), *((n, d) for n, d in move.differences.items())]:
            value = certain.get(name, 0) if figure is move.figures[name] else 0
            assert (figure.value, figure.low, figure.high) == (value,) * 3, name
            assert figure.kind == "exact"
    assert "win equally often" in found.advice


def replace_deals(here):
    """The same position with one deal that agrees with it."""
    deal = here.hidden.deal(here.n_deals // 2)
    hands = tuple(hand if hand is not None else mask for hand, mask in zip(here.hands, deal, strict=False))
    return replace(here, hands=hands)


def test_certain_loss__of_a_blocked_round_is_proved_by_the_tree():
    # All tiles with a 6 are out and both ends are 6 in the middle of the closing PASSes: it is all over but for them.
    here = blocked()
    found = sampled_odds(DOMENG, here, RANDOM, 1, effort(500, 20))
    [move] = found.moves
    assert move.text == "PASS"
    assert all(figure.kind == "exact" and figure.low == figure.high for figure in move.figures.values())
    exact = exact_odds(DOMENG, here)
    for name in NAMES:
        assert exact.moves[0].fractions[name] == move.figures[name].value


def blocked():
    """All of the sixes are out and both ends are 6: 5|6 6|6 at the left, 6|... at the right; seat 1 has passed."""
    log = "0:6|6 1:6|5r 2:5|1r 3:6|1r 4:6|4r 0:4|2r 1:6|2r 2:6|3r 3:3|0r 4:6|0r"
    # chain 6|6 6|5 5|1 1|6 6|4 4|2 2|6 6|3 3|0 0|6: seven sixes, both ends 6; LAST MAPPANO is seat 4.
    hands = "0|0 1|0 1|1;2|0 2|1 2|2;3|1 3|2 3|3;4|0 4|1 4|3;4|4 5|0 5|2"
    return read({"hands": hands, "log": log + " 0:pass"}, RULES)


@pytest.mark.compiled
def test_until__stops_when_all_is_known_so_well_and_says_so():
    found = sampled_odds(DOMENG, CLOSED, RANDOM, 2, until=0.01, session=OddsSession(2))
    again = sampled_odds(DOMENG, CLOSED, RANDOM, 2, until=0.01, session=OddsSession(1))
    assert replace(found, seconds=0) == replace(again, seconds=0)
    assert found.reason == "until"
    assert [move.text for move in found.dropped] == [move.text for move in found.moves if not move.is_tied]
    for move in found.moves:
        assert move.figures["win"].kind == "anytime-bernoulli"
        assert move.is_tied == (move.figures["win"].clusters == found.samples)
        assert move.figures["win"].half_width <= 0.01 or not move.is_tied
        for figure in move.differences.values():
            assert figure.anytime or figure.value == 0 or figure.kind == "clopper-pearson"
        if move.differences:
            assert move.differences["win"].half_width <= 0.01 or not move.is_tied
            assert move.is_tied or move.differences["win"].high < 0
    # Ten times the precision takes about a hundred times the samples.
    assert 8192 <= found.samples < 60_000


def test_advice__names_what_cannot_be_told_apart():
    found = sampled_odds(DOMENG, CLOSED, RANDOM, 1, effort(100, 10))
    assert len(found.tied) == 2
    assert found.advice.endswith(f"cannot be told apart with {found.samples} samples; more of them may.")
    assert [move.text for move in found.moves] == [move["move"] for move in found.to_json()["moves"]]


def test_exact_odds__of_too_many_deals_are_refused():
    with pytest.raises(
        BadInput, match="20,290,520,250 deals agree with this position, and exact=True goes through 1,000,000"
    ):
        exact_odds(DOMENG, CLOSED)


def test_odds__are_stopped_from_outside():
    session = OddsSession()
    session.stop.set()
    for find in (
        lambda: sampled_odds(DOMENG, CLOSED, RANDOM, 1, session=session),
        lambda: exact_odds(DOMENG, LATE, session=session),
    ):
        with pytest.raises(Interrupted):
            find()


@pytest.mark.compiled
def test_long_exact_odds__are_announced(monkeypatch):
    said = []
    monkeypatch.setattr(odds, "_LONG_SECONDS", 0.0)

    class Listener(Silent):
        def message(self, text):
            said.append(text)

    exact_odds(DOMENG, LATE, session=OddsSession(progress=Listener()))
    assert said[-1].startswith("744 deals and 2 moves, about ")
    # They take a tenth of a second; loading the code is not part of it.
    assert int(said[-1].partition("this will take about ")[2].partition(" seconds")[0]) <= 20


# --- On a terminal ----------------------------------------------------------------------------------------------------


def test_odds_page__no_interval_reaches_beyond_what_there_can_be() -> None:
    rare = Estimate(0.0033, 0.0, 0.0075, 0.95, "student", "stones", 1000)
    assert str(shown(rare)) == "0.0033 (0.0000, 0.0075)"
    usual = Estimate(0.5, 0.47, 0.53, 0.95, "clopper-pearson", "share of rounds", 1000)
    assert str(shown(usual, "share")) == "50.0 % ±3.0"
