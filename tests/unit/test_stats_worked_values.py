"""Worked values: computed once by independent routes (other packages, other formulas), to 1e-6 or better."""

from __future__ import annotations

import math

import numpy as np
import pytest

from domeng_sim.comparisons import block_estimates
from domeng_sim.stats import (
    Estimate,
    betting,
    blocks,
    clusters,
    confseq,
    designs,
    intervals,
    multiple,
    planning,
    ranking,
    sprt,
)

SIXTHS = np.arange(6) / 5
# 1000 blocks by the number of games that A won in them, 0 to 5
W6 = [210, 560, 160, 50, 15, 5]


def near(expected, rel=1e-6):
    return pytest.approx(expected, rel=rel, abs=1e-12)


def w6_moments():
    return blocks.Moments.of(np.repeat(np.arange(6), W6), scale=5)


def test_proportion__worked_value_w1():
    assert np.ravel(intervals.wilson(7, 1000)) == near([0.0033948684, 0.0143783155])
    assert np.ravel(intervals.clopper_pearson(7, 1000)) == near([0.0028188588, 0.0143691949])


def test_zero_events__worked_value_w2():
    assert intervals.wilson(0, 1000)[0] == 0
    assert intervals.clopper_pearson(0, 1000)[0] == 0
    assert intervals.wilson(0, 1000)[1] == near(0.0038267585)
    assert intervals.clopper_pearson(0, 1000)[1] == near(0.0036820839)
    assert intervals.upper_bound(0, 1000) == near(0.0029912495)
    assert intervals.upper_bound(0, 10**6) == near(2.99573e-6, rel=2e-6)
    for interval in (intervals.wilson, intervals.clopper_pearson):
        low, high = interval(1000, 1000)
        assert high == 1
        assert low == near(1 - interval(0, 1000)[1])


def test_zero_events__at_tiny_alpha():
    assert intervals.clopper_pearson(0, 1000, level=1 - 1e-7)[1] == near(0.0166707224)


def test_ratio__worked_value_w4():
    n, y = [4, 5, 3, 6, 2], [1, 0, 0, 2, 0]
    r = clusters.ratio(y, n)
    assert r.ratio[0] == near(0.15)
    assert r.se[0] == near(0.0833854004)
    assert r.se[0] * math.sqrt(4 / 5) == near(0.0745821695)
    assert r.deff[0] == near(1.0906862745)
    assert r.n_eff[0] == near(18.3370787, rel=1e-8)
    assert (r.high[0] - r.low[0]) / 2 == near(2.7764451052 * 0.0833854004)


def test_blocks__worked_value_w5():
    s = np.array([1, 1, 2, 0, 1, 3, 1, 2, 1, 1])
    m = blocks.Moments.of(s, scale=5)
    assert (m.mean, m.sd, m.se) == near((0.26, 0.1646545205, 0.0520683312))
    excess = blocks.mean(m).shifted(-0.2, "excess share")
    assert (excess.value, excess.low, excess.high) == near((0.06, -0.0577867483, 0.1777867483))
    test = blocks.sign_flip(s - 1)
    assert test.p == near(0.5)
    assert (test.nonzero, test.blocks, test.exact) == (4, 10, True)


def test_gllr__worked_value_w6():
    m = w6_moments()
    se = math.sqrt(0.030871 / 1000)
    assert m.mean == near(0.223)
    assert m.variance * 999 / 1000 == near(0.030871)
    assert (m.mean - 0.2) / se == near(4.1395438)
    assert sprt.gllr(W6, SIXTHS, 0.20, 0.21) == near(6.5078340, rel=1e-8)
    assert sprt.gllr(W6, SIXTHS, 0.20, 0.22) == near(9.2527569, rel=1e-8)
    assert sprt.gllr(W6, SIXTHS, 0.20, 0.23) == near(8.6322907, rel=1e-8)


@pytest.mark.parametrize(
    ("counts", "llr"),
    [
        ([0, 1000, 0, 0, 0, 0], -25.3019699),
        ([1000, 0, 0, 0, 0, 0], -25.3178139),
        ([0, 0, 0, 0, 0, 1000], 95.3105357),
        ([3, 5, 1, 1, 0, 0], -0.0577437),
    ],
)
def test_gllr__worked_value_w6b_degenerate_counts(counts, llr):
    assert sprt.gllr(counts, SIXTHS, 0.20, 0.22) == near(llr)


def test_gllr__worked_value_w7_five_values():
    support = np.arange(5) / 4

    def score(elo):
        return 1 / (1 + 10 ** (-elo / 400))

    counts = np.array([10, 40, 90, 50, 10])
    mean, variance = counts @ support / 200, counts @ support**2 / 200 - 0.5125**2
    assert (mean, variance) == near((0.5125, 0.05296875))

    def elo(p):
        share = Estimate(p, None, None, 0.95, "not-estimable", "share", 200)
        return block_estimates.elo(block_estimates.log_strength(share, 2)).value

    reach = 1.959963984540054 * math.sqrt(variance / 200)
    assert elo(mean) == near(8.6876999, rel=1e-8)
    assert (elo(mean + reach) - elo(mean - reach)) / 2 == near(22.2080686, rel=1e-8)
    assert sprt.gllr(counts, support, score(0), score(10)) == near(0.2868407188, rel=1e-8)
    assert sprt.gllr([39, 2226, 31451, 2412, 40], support, score(0.2), score(0.9)) == near(2.1625425800, rel=1e-8)
    assert sprt.gllr([871, 26175, 55983, 26678, 821], support, score(0), score(2)) == near(-4.9786728634, rel=1e-8)


def test_log_strength__worked_value_w8():
    share = Estimate(0.25, 0.2, 0.3, 0.95, "student", "share", 10)
    theta = block_estimates.log_strength(share, 5)
    assert (theta.value, theta.low) == near((0.2876820725, 0))
    assert theta.high == near(math.log(4 * 0.3 / 0.7))
    assert blocks.elo(math.log(4 / 3)) == near(49.9754946)


def test_normal_mixture__worked_value_w9():
    rho = confseq.mixture_rho(100, 0.05)
    assert rho == near(12.6005609793, rel=1e-10)
    assert confseq.boundary(100, rho, 0.05) == near(30.3520899038, rel=1e-11)
    assert confseq.boundary(25, rho, 0.05) == near(16.3214668591, rel=1e-11)
    assert confseq.mixture_rho(1000, 0.05) == near(126.0056098)
    e = confseq.normal_mixture(w6_moments(), n_best=1000)
    assert e.half_width == near(0.0168725687)
    assert (e.low, e.high) == near((0.2061274, 0.2398726))


def test_bernoulli__worked_value_w9():
    e = confseq.bernoulli(20, 100, n_best=100)
    assert (e.low, e.high) == near((0.0959692662, 0.3359234333))
    e = confseq.bernoulli(7, 1000, n_best=1000)
    assert (e.low, e.high) == near((0.0014310207, 0.0178685768))


def test_betting__worked_value_w9():
    e = betting.interval(np.tile([1, 0, 0, 0, 0, 1, 0, 0, 0, 0], 10))
    assert (e.low, e.high) == near((0.1030307689, 0.3358932783), rel=1e-8)
    sorted_scores = np.repeat(SIXTHS, W6)
    e = betting.interval(sorted_scores[617 * np.arange(1000) % 1000])
    assert (e.low, e.high) == near((0.2042369442, 0.2437381724), rel=1e-8)


def test_sprt__worked_value_w10():
    test = sprt.Sprt(0.20, 0.21)
    assert test.bounds == near((-2.9444389792, 2.9444389792), rel=1e-9)
    # two-sided at 90 % is one-sided at 95 %
    fixed = planning.blocks_for_difference(0.01, math.sqrt(0.02544), power=0.95, level=0.9)
    assert fixed == pytest.approx(2753.2, abs=0.05)


def test_adjusted_p__worked_value_w11():
    p = [0.001, 0.012, 0.03, 0.2]
    assert multiple.holm(p) == near([0.004, 0.036, 0.06, 0.2])


def test_one_table__worked_value_w12():
    wins = [10, 20, 30, 25, 15]
    expected = [0, 0.6931471806, 1.0986122887, 0.9162907319, 0.4054651081]
    strengths = ranking.plackett_luce([[0, 1, 2, 3, 4]], [[wins]], 5).estimates
    theta = np.array([strength.value for strength in strengths])
    assert theta - theta[0] == near(expected)


def test_neighbour_balanced__worked_value_w14():
    seatings = designs.neighbour_balanced()
    assert len({tuple(row) for row in seatings.tolist()}) == 20
    assert (np.sort(seatings, axis=1) == np.arange(5)).all()
    for apart, times in ((0, 20), (1, 5), (2, 5)):
        pairs = np.zeros((5, 5), dtype=int)
        np.add.at(pairs, (seatings, np.roll(seatings, -apart, axis=1)), 1)
        expected = 20 * np.eye(5) if apart == 0 else times * (1 - np.eye(5))
        assert (pairs == expected).all()
    for seat in range(5):
        assert (np.bincount(seatings[:, seat], minlength=5) == 4).all()


def test_planning__worked_value_w17():
    assert math.ceil(planning.blocks_for_difference(0.01, 0.1758)) == 2426
