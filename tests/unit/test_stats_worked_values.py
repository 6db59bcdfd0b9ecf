"""Worked values: computed once by independent routes (other packages, other formulas), to 1e-6 or better."""

from __future__ import annotations

import math

import numpy as np
import pytest

from domeng_sim.stats import (
    blocks,
    clusters,
    confseq,
    control,
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
    assert np.ravel(intervals.jeffreys(7, 1000)) == near([0.0031363593, 0.0136944602])


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


def test_multinomial__worked_value_w3():
    counts = [700, 200, 80, 15, 5]
    goodman = [
        [0.66145433, 0.73590921],
        [0.16944281, 0.23451189],
        [0.06056979, 0.10496678],
        [0.00782351, 0.02856992],
        [0.00167204, 0.01485321],
    ]
    assert np.allclose(intervals.goodman(counts), goodman, rtol=1e-6, atol=5e-9)
    sison = intervals.sison_glaz(counts)
    assert np.allclose(sison[[0, -1]], [[0.672, 0.72854776], [0, 0.03354776]], rtol=1e-6, atol=5e-9)


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
    one, two = blocks.sign_flip(s - 1, alternative="greater"), blocks.sign_flip(s - 1)
    assert (one.p, two.p) == near((0.25, 0.5))
    assert (one.nonzero, one.blocks, one.exact) == (4, 10, True)


def test_gllr__worked_value_w6():
    m = w6_moments()
    se = math.sqrt(0.030871 / 1000)
    assert m.mean == near(0.223)
    assert m.variance * 999 / 1000 == near(0.030871)
    assert (m.mean - 0.2) / se == near(4.1395438)
    assert sprt.gllr(W6, SIXTHS, 0.20, 0.21) == near(6.5078340, rel=1e-8)
    assert sprt.gllr(W6, SIXTHS, 0.20, 0.22) == near(9.2527569, rel=1e-8)
    assert sprt.gllr(W6, SIXTHS, 0.20, 0.23) == near(8.6322907, rel=1e-8)
    # the approximation was worked out with the variance over N, this one has N - 1
    assert sprt.normal_llr(m, 0.20, 0.22) * 1000 / 999 == near(8.4221438, rel=1e-8)


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

    def effect(normalised_elo):
        return normalised_elo * math.log(10) / 800 * math.sqrt(2)

    counts = np.array([10, 40, 90, 50, 10])
    mean, variance = counts @ support / 200, counts @ support**2 / 200 - 0.5125**2
    assert (mean, variance) == near((0.5125, 0.05296875))

    def elo(p):
        return blocks.elo(blocks.log_strength(p, None, clusters=200, seats=2).value)

    reach = 1.959963984540054 * math.sqrt(variance / 200)
    assert elo(mean) == near(8.6876999, rel=1e-8)
    assert (elo(mean + reach) - elo(mean - reach)) / 2 == near(22.2080686, rel=1e-8)
    assert sprt.gllr(counts, support, score(0), score(10)) == near(0.2868407188, rel=1e-8)
    assert sprt.gllr([39, 2226, 31451, 2412, 40], support, score(0.2), score(0.9)) == near(2.1625425800, rel=1e-8)
    assert sprt.gllr([871, 26175, 55983, 26678, 821], support, score(0), score(2)) == near(-4.9786728634, rel=1e-8)
    small = sprt.gllr_normalised(counts, support, effect(0), effect(10), reference=0.5)
    large = sprt.gllr_normalised([365, 16618, 36229, 16974, 390], support, effect(0), effect(2), reference=0.5)
    assert (small, large) == near((0.2751644886, 2.2503677), rel=1e-7)


def test_log_strength__worked_value_w8():
    assert blocks.log_strength(0.25, None, clusters=10).value == near(0.2876820725)
    assert blocks.elo(math.log(4 / 3)) == near(49.9754946)
    m = w6_moments()
    theta = blocks.log_strength(m.mean, m.se, clusters=m.count)
    assert (theta.value, theta.low, theta.high) == near((0.1380257822, 0.0751454520, 0.2009061125))
    assert theta.half_width / 1.959963984540054 == near(0.0320823907)
    assert (round(blocks.elo(theta.value), 2), round(blocks.elo(theta.half_width), 2)) == (23.98, 10.92)


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
    e = confseq.betting(np.tile([1, 0, 0, 0, 0, 1, 0, 0, 0, 0], 10))
    assert (e.low, e.high) == near((0.1030307689, 0.3358932783), rel=1e-8)
    sorted_scores = np.repeat(SIXTHS, W6)
    e = confseq.betting(sorted_scores[617 * np.arange(1000) % 1000])
    assert (e.low, e.high) == near((0.2042369442, 0.2437381724), rel=1e-8)


def test_sprt__worked_value_w10():
    test = sprt.Sprt(0.20, 0.21)
    assert test.bounds == near((-2.9444389792, 2.9444389792), rel=1e-9)
    assert test.drift(0.02544) == near(0.0019654088)
    assert test.expected_blocks(0.02544) == pytest.approx(1348.3, abs=0.05)
    fixed = planning.blocks_for_difference(0.01, math.sqrt(0.02544), power=0.95, sides=1)
    assert fixed == pytest.approx(2753.2, abs=0.05)


def test_adjusted_p__worked_value_w11():
    p = [0.001, 0.012, 0.03, 0.2]
    assert multiple.holm(p) == near([0.004, 0.036, 0.06, 0.2])
    assert multiple.benjamini_hochberg(p) == near([0.004, 0.024, 0.04, 0.2])
    assert multiple.bonferroni(p) == near([0.004, 0.048, 0.12, 0.8])


def test_one_table__worked_value_w12():
    wins = [10, 20, 30, 25, 15]
    expected = [0, 0.6931471806, 1.0986122887, 0.9162907319, 0.4054651081]
    assert ranking.one_table(wins) == near(expected)
    theta = ranking.top1([[0, 1, 2, 3, 4]], [wins], 5)
    assert theta - theta[0] == near(expected)


def test_switch_effects__worked_value_w13():
    # strengths by seat, A adds 1, the highest wins: no two are equal
    strength = np.array([5, 4.5, 3, 2, 1])
    seatings = designs.ab_seatings()
    wins = np.eye(5)[np.argmax(strength + seatings, axis=1)]
    as_a, as_b = designs.switch_effects(wins[np.newaxis])
    assert as_a[0] == near([2 / 5, 7 / 20, 3 / 10, 1 / 4, 1 / 5])
    assert as_b[0] == near([1 / 5, 3 / 20, 1 / 10, 1 / 20, 0])
    assert as_a[0] - as_b[0] == near([1 / 5] * 5)
    alone = designs.one_versus_four()
    assert sum(np.argmax(strength + row) == seat for seat, row in enumerate(alone)) == 2


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


def test_haldane__worked_value_w15():
    h = intervals.haldane(10, 52_431)
    assert h.value == near(1.716574e-4)
    assert (h.low, h.high) == near((9.14646e-5, 3.507254e-4))


def test_control__worked_value_w16():
    c = control.adjust([0.2, 0.4, 0, 0.2, 0.6, 0.4], [1, 3, -2, 0, 4, 0], 1)
    assert c.beta[0] == near(1 / 12)
    assert c.estimate.value == near(0.3)
    assert c.rho2 == near(25 / 33)
    assert (c.plain_se, c.se) == near((0.0856348839, 0.0471404521))


def test_planning__worked_value_w17():
    assert math.ceil(planning.trials_for_relative_error(1e-4, 0.1)) == 3_841_075
    assert math.ceil(planning.blocks_for_difference(0.01, 0.1758)) == 2426
    assert planning.design_effect(10, 0.02) == near(1.18)
