"""Estimates, intervals of proportions, and rates over clusters, against scipy, statsmodels and obvious restatements."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import binom, binomtest
from statsmodels.api import OLS
from statsmodels.stats.proportion import proportion_confint

from domeng_sim.stats import Estimate, betting, blocks, clusters, confseq, critical, differences, intervals, quantiles
from domeng_sim.stats.sums import Sums


def test_package__imports_without_scipy_or_statsmodels():
    code = (
        "import sys; from domeng_sim.stats import (betting, blocks, clusters, confseq, designs, differences, intervals,"
        " multiple, planning, quantiles, ranking, sprt, sums);"
        "print({'scipy', 'statsmodels', 'choix', 'pandas', 'numba'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"


# --- Estimate ---------------------------------------------------------------------------------------------------------


def test_estimate__json_has_nine_plain_fields():
    e = Estimate(np.float64(0.1), None, np.float64(0.3), 0.95, "wilson", "share", np.int64(7), np.int64(1))
    text = json.dumps(e.to_json(), allow_nan=False)
    assert list(json.loads(text)) == ["value", "low", "high", "level", "kind", "unit", "clusters", "events", "looks"]
    assert json.loads(text)["low"] is None


@pytest.mark.parametrize("field", ["value", "low", "high"])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_estimate__refuses_what_is_not_finite(field, bad):
    numbers = {"value": 0.2, "low": 0.1, "high": 0.3, field: bad}
    with pytest.raises(ValueError, match=field):
        Estimate(**numbers, level=0.95, kind="wilson", unit="share", clusters=1)


@pytest.mark.parametrize(
    "change", [{"low": 0.4}, {"level": 95}, {"level": 1.0}, {"kind": "wald"}, {"clusters": -1}, {"looks": -1}]
)
def test_estimate__refuses_contradictions(change):
    fields = {"value": 0.2, "low": 0.1, "high": 0.3, "level": 0.95, "kind": "wilson", "unit": "share", "clusters": 3}
    Estimate(**fields)
    with pytest.raises(ValueError):
        Estimate(**(fields | change))


def test_estimate__a_missing_end_excludes_nothing():
    bound = Estimate(None, None, 0.3, 0.95, "upper-bound", "share", 3)
    assert bound.excludes(0.31)
    assert not bound.excludes(-5)
    assert bound.half_width is None
    assert not bound.anytime
    assert bound.shifted(-0.2, "excess").high == pytest.approx(0.1)


# --- independent trials -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999, 1 - 1e-7])
@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (0, 50), (1, 50), (25, 50), (49, 50), (50, 50), (3, 10**7)])
def test_intervals__agree_with_scipy_and_statsmodels(k, n, level):
    for method, theirs, mine in (
        ("wilson", "wilson", intervals.wilson),
        ("exact", "beta", intervals.clopper_pearson),
    ):
        low, high = (float(x) for x in mine(k, n, level=level))
        scipy_ci = binomtest(k, n).proportion_ci(level, method=method)
        assert (low, high) == pytest.approx(tuple(scipy_ci), rel=1e-8, abs=1e-11)  # scipy's root finder stops there
        assert (low, high) == pytest.approx(proportion_confint(k, n, 1 - level, theirs), rel=1e-7, abs=1e-14)
        assert 0 <= low <= k / n <= high <= 1
        assert (low == 0) == (k == 0)
        assert (high == 1) == (k == n)


def test_one_sided__agrees_with_scipy():
    for k in (0, 1, 7, 20):
        up = binomtest(k, 20, alternative="less").proportion_ci(0.9).high
        down = binomtest(k, 20, alternative="greater").proportion_ci(0.9).low
        assert intervals.upper_bound(k, 20, level=0.9) == pytest.approx(up)
        assert intervals.lower_bound(k, 20, level=0.9) == pytest.approx(down)


def test_clopper_pearson__covers_exactly_for_every_p():
    n, level = 40, 0.9
    low, high = intervals.clopper_pearson(np.arange(n + 1), n, level=level)
    for p in np.linspace(0.005, 0.995, 100):
        covered = binom.pmf(np.arange(n + 1), n, p)[(low <= p) & (p <= high)].sum()
        assert covered >= level - 1e-12


def test_intervals__refuse_impossible_counts():
    for k, n in ((-1, 5), (6, 5), (0, 0), (1, math.nan)):
        for f in (intervals.wilson, intervals.clopper_pearson, intervals.upper_bound):
            with pytest.raises(ValueError):
                f(k, n)
    with pytest.raises(ValueError):
        intervals.proportion(1, 2, kind="wald")
    assert intervals.proportion(0, 0).value is None


# --- clusters ---------------------------------------------------------------------------------------------------------


def sample(seed, groups=60, measures=3):
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 30, groups)
    p = rng.beta(2, 5, (groups, measures))
    return rng.binomial(n[:, np.newaxis], p), n


def test_ratio__agrees_with_cluster_robust_regression_in_statsmodels():
    y, n = sample(1)
    r = clusters.ratio(y, n)
    for m in range(3):
        # one row per trial, as long as the data
        rows = np.concatenate([np.repeat([1.0, 0.0], [k, t - k]) for k, t in zip(y[:, m], n, strict=True)])
        fit = OLS(rows, np.ones(rows.size)).fit(
            cov_type="cluster", cov_kwds={"groups": np.repeat(np.arange(n.size), n), "use_correction": False}
        )
        assert r.ratio[m] == pytest.approx(fit.params[0])
        assert r.se[m] == pytest.approx(fit.bse[0] * math.sqrt(n.size / (n.size - 1)))


def test_ratio__of_equal_clusters_is_student_of_their_means():
    y, _ = sample(2)
    r = clusters.ratio(y, np.full(60, 30))
    shares = y / 30
    assert r.ratio == pytest.approx(shares.mean(axis=0))
    assert r.se == pytest.approx(shares.std(axis=0, ddof=1) / math.sqrt(60))


def test_sums__add_up_over_parts_exactly():
    y, n = sample(3)
    assert Sums.of(y[:20], n[:20]) + Sums.of(y[20:], n[20:]) == Sums.of(y, n)


def test_ratio__of_a_constant_rate_has_no_error_at_all():
    n = np.arange(1, 100)
    r = clusters.ratio(7 * n, 10 * n)
    assert r.se[0] == 0
    assert r.n_eff[0] == 10 * n.sum()


def test_ratio__clusters_without_trials_do_not_count():
    y, n = sample(4, measures=1)
    r = clusters.ratio(np.append(y[:, 0], [0, 0]), np.append(n, [0, 0]))
    assert (r.clusters, r.se[0]) == (60, clusters.ratio(y, n).se[0])
    with pytest.raises(ValueError, match="no trials"):
        clusters.ratio([1, 1], [0, 2])


def test_rate__many_events_take_the_student_interval():
    y, n = sample(5, groups=400, measures=1)
    e, r = clusters.rate(y, n), clusters.ratio(y, n)
    assert (e.kind, e.low, e.high) == ("cluster-student", r.low[0], r.high[0])
    assert (e.events, e.clusters) == (y.sum(), 400)


def test_rate__few_events_take_korn_graubard_and_luck_never_shrinks_it():
    # 20 events, one in every second of 40 clusters of 50: fewer per cluster at odds than chance would have it
    y, n = np.tile([1, 0], 20), np.full(40, 50)
    r = clusters.ratio(y, n)
    assert r.deff[0] < 1
    assert r.n_eff[0] == 2000
    e = clusters.rate(y, n)
    exact = intervals.clopper_pearson(20, 2000)
    assert e.kind == "korn-graubard"
    assert e.low < exact[0] and e.high > exact[1]
    # events in heaps: wider still
    heaps = np.zeros(40, dtype=int)
    heaps[:4] = 5
    assert clusters.rate(heaps, n).half_width > 1.5 * e.half_width


def test_korn_graubard__agrees_with_a_restatement():
    from scipy.stats import beta, t

    y = np.zeros(40, dtype=int)
    y[:5] = 4
    n = np.full(40, 50)
    r = clusters.ratio(y, n)
    df = 2000 / r.deff[0] * (t.ppf(0.975, 1999) / t.ppf(0.975, 39)) ** 2
    k = 0.01 * df
    expected = beta.ppf(0.025, k, df - k + 1), beta.ppf(0.975, k + 1, df - k)
    e = clusters.rate(y, n)
    assert (e.kind, e.low, e.high) == ("korn-graubard", pytest.approx(expected[0]), pytest.approx(expected[1]))


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("y", [[0, 0, 0, 0], [3, 2, 1, 0], [40, 0, 0, 0]])
def test_rate__too_few_events_or_clusters_have_no_error(y, mirrored):
    n = np.full(4, 50)
    y = n - np.array(y) if mirrored else np.array(y)
    e = clusters.rate(y, n)
    assert (e.kind, e.value, e.low, e.high) == ("not-estimable", y.sum() / 200, None, None)


def test_with_event__is_exact_over_clusters():
    e = clusters.with_event([3, 2, 1, 0], np.full(4, 50))
    assert (e.value, e.events, e.clusters) == (0.75, 3, 4)
    assert (e.low, e.high) == pytest.approx(tuple(binomtest(3, 4).proportion_ci()))


def test_rate__single_trials_are_independent():
    e = clusters.rate([0, 1, 0, 0], [1, 1, 1, 1])
    assert (e.kind, e.low, e.high) == ("clopper-pearson", *intervals.clopper_pearson(1, 4))


def test_rates__of_nothing_end_well():
    e = clusters.rate([], [])
    assert (e.value, e.low, e.high, e.clusters) == (None, None, None, 0)
    assert clusters.mean_per([]).value is None
    e = clusters.mean_per([3])
    assert (e.value, e.low, e.kind) == (3, None, "not-estimable")


def test_rate__refuses_amounts():
    with pytest.raises(ValueError, match="mean_per"):
        clusters.rate([7], [3])
    with pytest.raises(ValueError, match="mean_per"):
        clusters.rate([0.5], [3])
    with pytest.raises(ValueError, match="one measure"):
        clusters.rate([[1, 1]], [3])


def test_mean_per__round_and_game_are_different_questions():
    stones, rounds = np.array([2, 10, 3]), np.array([1, 20, 2])
    assert clusters.mean_per(stones, rounds).value == pytest.approx(15 / 23)
    assert clusters.mean_per(stones).value == pytest.approx(5)


def test_difference__of_a_measure_with_itself_is_zero_without_width():
    y, n = sample(6, measures=1)
    e = differences.paired(y[:, 0], n, y[:, 0], n)
    assert (e.value, e.low, e.high) == (0, 0, 0)


def test_difference__with_equal_sizes_is_the_paired_student_interval():
    from scipy.stats import ttest_rel

    y, _ = sample(7, measures=2)
    n = np.full(60, 30)
    e = differences.paired(y[:, 0], n, y[:, 1], n)
    ci = ttest_rel(y[:, 0] / 30, y[:, 1] / 30).confidence_interval()
    assert (e.low, e.high) == pytest.approx((ci.low, ci.high))


# --- quantiles --------------------------------------------------------------------------------------------------------


def test_quantile__is_the_inverted_distribution_function():
    rng = np.random.default_rng(8)
    hist = rng.integers(0, 5, (50, 7))
    flat = np.repeat(np.tile(np.arange(7), 50), hist.ravel())
    for q in (0.1, 0.5, 0.9):
        e = quantiles.quantile(hist, np.arange(7), q)
        assert e.value == np.quantile(flat, q, method="inverted_cdf")
        assert e.low <= e.value <= e.high


def test_quantile__fine_bins_agree_with_order_statistics():
    rng = np.random.default_rng(9)
    x = rng.permutation(1000)
    hist = np.zeros((1000, 1000), dtype=np.int8)
    hist[np.arange(1000), x] = 1
    e = quantiles.quantile(hist, np.arange(1000), 0.5)
    # binomial order statistics: 500 -+ 1.96 * sqrt(250)
    assert (e.low, e.high) == pytest.approx((499 - 31, 499 + 31), abs=1.1)


def test_quantile__end_cases():
    assert quantiles.quantile([[0, 0]], [1, 2], 0.5).value is None
    one = quantiles.quantile([[1, 3]], [1, 2], 0.5)
    assert (one.value, one.low) == (2, None)
    extreme = quantiles.quantile(np.tile([1, 3], (3, 1)) * [[1, 0], [0, 1], [1, 1]], [1, 2], 0.99)
    assert (extreme.value, extreme.high) == (2, None)
    with pytest.raises(ValueError):
        quantiles.quantile([[1, 2]], [2, 1], 0.5)
    with pytest.raises(ValueError):
        quantiles.quantile([[1, 2]], [1, 2], 50)


def test_sums__stay_exact_where_squares_exceed_64_bits() -> None:
    trials = np.full(300, 4 * 10**7, np.int64)
    events = trials - np.arange(300)
    sums = Sums.of(events * 5, trials)
    assert sums.yy[0] == sum((5 * int(y)) ** 2 for y in events)
    assert sums.yn[0] == sum(5 * int(y) * int(n) for y, n in zip(events, trials, strict=True))
    assert sums.nn == 300 * (4 * 10**7) ** 2
    assert clusters.mean_per(events * 5, trials).half_width > 0


# --- few clusters that agree ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("clusters_of_each", "known"), [(2, False), (3, False), (19, False), (20, True)])
def test_no_spread__of_a_few_clusters_that_agree_is_an_unknown_error(clusters_of_each, known):
    y, n = np.full(clusters_of_each, 60), np.full(clusters_of_each, 120)
    found = [
        clusters.rate(y, n),
        clusters.mean_per(y, n),
        differences.paired(y, n, y - 1, n),
        differences.independent(y, n, y - 1, n),
        quantiles.quantile(np.tile([0, 4, 0], (clusters_of_each, 1)), [1, 2, 3], 0.5),
    ]
    for e in found:
        assert (e.kind == "not-estimable") == (not known)
        assert (e.low, e.high) == ((e.value, e.value) if known else (None, None))
    assert [e.value for e in found] == pytest.approx([0.5, 0.5, 1 / 120, 1 / 120, 2])


def test_quantile__of_few_matches_is_never_told_as_a_single_number():
    # two matches of nearly the same lengths: the Woodruff interval ends in one and the same bin
    hist = np.array([[0, 100, 800, 100], [0, 100, 801, 100]])
    e = quantiles.quantile(hist, [1, 2, 3, 4], 0.5)
    assert (e.value, e.kind, e.low, e.high) == (3, "not-estimable", None, None)
    many = quantiles.quantile(np.tile(hist, (10, 1)), [1, 2, 3, 4], 0.5)
    assert (many.value, many.kind, many.low, many.high) == (3, "woodruff", 3, 3)


# --- levels next to 1 -------------------------------------------------------------------------------------------------

EXTREME = 0.9999999999999999


def test_critical__keeps_its_digits_next_to_1():
    from scipy.stats import norm, t

    tail = (1 - EXTREME) / 2
    assert critical.normal(EXTREME) == pytest.approx(norm.isf(tail)) == pytest.approx(8.2923611)
    assert critical.student(5, EXTREME) == pytest.approx(t.isf(tail, 5))
    assert critical.student(9, 0.95) == pytest.approx(2.2621571628)
    assert math.isnan(critical.student(0, 0.95))
    assert critical.shared(0.95, 10) == pytest.approx(0.995)
    assert critical.shared(EXTREME, 1000) == math.nextafter(1, 0)
    assert 0 < critical.shared(0.01, 0.5) < 0.01


def test_intervals__of_a_level_next_to_1_are_wide_and_finite():
    y, n = sample(5, groups=400, measures=1)
    few, trials = np.tile([1, 0], 20), np.full(40, 50)
    found = [
        intervals.proportion(7, 1000, level=EXTREME),
        intervals.proportion(0, 10, kind="clopper-pearson", level=EXTREME),
        clusters.rate(y, n, level=EXTREME),
        clusters.rate(few, trials, level=EXTREME),
        clusters.mean_per(y, n, level=EXTREME),
        differences.paired(y[:, 0], n, y[:, 0] // 2, n, level=EXTREME),
        differences.independent(y, n, y // 2, n, level=EXTREME),
        blocks.mean([0.1, 0.3], level=EXTREME, bounds=(0, 1)),
        confseq.normal_mixture(np.arange(200) / 200, n_best=100, level=EXTREME),
        confseq.bernoulli(20, 100, n_best=100, level=EXTREME),
        betting.interval(np.arange(200) / 200, level=EXTREME),
    ]
    for e in found:
        assert e.low <= e.value <= e.high
        assert e.high > e.low
