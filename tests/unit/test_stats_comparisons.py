"""Block scores, sequences, tests, designs and rankings against other packages, brute force and definitions."""

from __future__ import annotations

import itertools
import math

import choix
import numpy as np
import pytest
from scipy import optimize, stats

from domeng_sim.stats import betting, blocks, confseq, designs, multiple, planning, ranking, sprt

SIXTHS = np.arange(6) / 5

# --- block scores -----------------------------------------------------------------------------------------------------


def test_mean__agrees_with_scipy():
    y = np.random.default_rng(1).integers(0, 51, 80)
    e = blocks.mean(blocks.Moments.of(y, scale=50))
    ci = stats.ttest_1samp(y / 50, 0).confidence_interval()
    assert (e.low, e.high) == pytest.approx((ci.low, ci.high))
    assert blocks.mean(y / 50).low == pytest.approx(ci.low)


def test_mean__equal_blocks_have_exactly_no_width():
    for scores in (np.full(1000, 10), np.full(1000, 0.2)):
        m = blocks.Moments.of(scores)
        assert (m.sd, m.se) == (0, 0)
    e = blocks.mean(blocks.Moments.of(np.full(1000, 10), scale=50))
    assert (e.value, e.low, e.high) == (0.2, 0.2, 0.2)
    e = confseq.normal_mixture(blocks.Moments.of(np.full(1000, 10), scale=50), n_best=1000)
    assert (e.value, e.low, e.high) == (0.2, 0.2, 0.2)


def test_moments__add_up_over_parts():
    y = np.arange(50) ** 2
    assert blocks.Moments.of(y[:20]) + blocks.Moments.of(y[20:]) == blocks.Moments.of(y)
    with pytest.raises(ValueError, match="units"):
        blocks.Moments.of(y, 5) + blocks.Moments.of(y, 10)


def test_mean__of_one_or_no_block_has_no_ends():
    assert blocks.mean([0.4]).to_json()["low"] is None
    assert blocks.mean([]).value is None


def test_sign_flip__exact_agrees_with_brute_force_and_scipy():
    d = np.array([0.25, -0.5, 0.0, 1.0, 0.25, 0.75, 0.0, -0.25, 1.25])
    sums = [float(np.dot(signs, d)) for signs in itertools.product((1, -1), repeat=d.size)]
    mine = blocks.sign_flip(d)
    assert mine.exact
    assert mine.p == pytest.approx(np.mean([abs(x) >= d.sum() for x in sums]))
    scipy_test = stats.permutation_test((d,), np.sum, permutation_type="samples", n_resamples=np.inf, vectorized=False)
    assert mine.p == pytest.approx(scipy_test.pvalue)


def test_sign_flip__equal_sizes_are_the_binomial_test_at_any_number_of_blocks():
    d = np.repeat([1, -1, 0], [5200, 4800, 100])
    mine = blocks.sign_flip(d)
    assert mine.exact
    assert mine.p == pytest.approx(stats.binomtest(5200, 10_000).pvalue, rel=1e-9)


def test_sign_flip__samples_where_it_cannot_count_and_repeats_itself():
    d = np.random.default_rng(2).normal(0.2, 1, 100)
    mine = blocks.sign_flip(d)
    assert not mine.exact
    assert mine == blocks.sign_flip(d)
    normal = 2 * stats.norm.sf(abs(d.sum()) / math.sqrt((d**2).sum()))
    # within the error of 20,000 draws (six standard errors) and of the normal approximation (0.003)
    assert mine.p == pytest.approx(normal, abs=6 * math.sqrt(normal / 20_000) + 0.003)


def test_sign_flip__sampled_p_is_never_zero():
    assert blocks.sign_flip(np.arange(1.0, 200.0), resamples=999).p == 1 / 1000


def test_sign_flip__of_zeros_says_nothing():
    assert blocks.sign_flip(np.zeros(30)) == blocks.SignFlip(1.0, 0, 30, True, 0)


def test_planning__agrees_with_statsmodels():
    from statsmodels.stats.power import NormalIndPower

    n = NormalIndPower(ddof=0).solve_power(0.1, power=0.9, alpha=0.05, ratio=0)
    assert planning.blocks_for_difference(0.02, 0.2, power=0.9) == pytest.approx(n, rel=1e-6)


# --- confidence sequences ---------------------------------------------------------------------------------------------


def test_normal_mixture__price_at_its_best_is_half_again_a_fixed_bar():
    radius = confseq.unit_radius(5000, 5000)
    assert 1.5 < radius / (1.96 / math.sqrt(5000)) < 1.6
    assert all(confseq.unit_radius(5000, other) > radius for other in (2500, 3500, 7000, 10_000))


def test_normal_mixture__says_nothing_before_the_first_look():
    y = np.random.default_rng(3).integers(0, 6, 1000)
    early = confseq.normal_mixture(blocks.Moments.of(y[:99], 5), n_best=1000)
    assert (early.low, early.high, early.anytime) == (None, None, True)
    both = confseq.normal_mixture(blocks.Moments.of(y, 5), n_best=1000)
    assert both.low < both.value < both.high


def test_blocks_for_radius__reaches_it():
    n = math.ceil(confseq.blocks_for_radius(0.005, 0.17))
    assert confseq.unit_radius(n, n) * 0.17 == pytest.approx(0.005, rel=1e-3)


def test_betting__agrees_with_a_slow_gambler():
    y = np.random.default_rng(4).integers(0, 6, 60) / 5
    e = betting.interval(y, level=0.9)
    refuted = []
    grid = np.linspace(0.0005, 0.9995, 1000)
    for m in grid:
        up = down = 1.0
        mean_sum, var_sum = 0.5, 0.25
        for t, x in enumerate(y, start=1):
            bet = math.sqrt(2 * math.log(2 / 0.1) / (t * math.log(t + 1) * var_sum / t))
            up *= 1 + min(bet, 0.5 / m) * (x - m)
            down *= 1 - min(bet, 0.5 / (1 - m)) * (x - m)
            mean_sum += x
            var_sum += (x - mean_sum / (t + 1)) ** 2
        refuted.append(max(up, down) / 2 >= 1 / 0.1)
    kept = grid[~np.array(refuted)]
    assert e.low == pytest.approx(kept.min(), abs=0.0011)
    assert e.high == pytest.approx(kept.max(), abs=0.0011)


def test_betting__width_falls_and_never_jumps():
    y = (np.random.default_rng(5).random(100_000) < 0.25).astype(float)
    widths = [betting.interval(y[:n]).half_width for n in (10, 100, 1000, 10_000, 100_000)]
    assert all(a > 1.5 * b for a, b in itertools.pairwise(widths))


@pytest.mark.parametrize("value", [0.0, 0.2, 1.0])
def test_betting__of_equal_scores_is_finite(value):
    e = betting.interval(np.full(500, value))
    assert 0 <= e.low <= value <= e.high <= 1
    assert e.high - e.low < 0.1
    assert betting.interval([]).value is None


@pytest.mark.parametrize("k", [0, 100])
def test_bernoulli__of_one_sided_results_is_finite(k):
    e = confseq.bernoulli(k, 100, n_best=100)
    assert (e.low == 0) == (k == 0)
    assert (e.high == 1) == (k == 100)
    assert e.high - e.low < 0.15


# --- sequential test --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("games", [1, 2, 10])
def test_gllr__agrees_with_constrained_maximisation(games):
    support = np.arange(5 * games + 1) / (5 * games)
    counts = np.random.default_rng(6).multinomial(500, stats.binom.pmf(np.arange(support.size), 5 * games, 0.22))
    q = np.where(counts == 0, 1e-3, counts)

    def best(mean):
        # the convex dual, by a general minimiser: maximise sum q log(1 + x (a - mean))
        offset = support - mean
        inside = (-1 / offset.max() + 1e-9, -1 / offset.min() - 1e-9)
        x = optimize.minimize_scalar(
            lambda x: -(q * np.log1p(x * offset)).sum(), bounds=inside, method="bounded", options={"xatol": 1e-12}
        ).x
        return -(q * np.log1p(x * offset)).sum()

    assert sprt.gllr(counts, support, 0.20, 0.22) == pytest.approx(best(0.22) - best(0.20), abs=1e-6)


def test_tilted__has_the_mean_and_beats_its_neighbours():
    q = np.array([0.21, 0.56, 0.16, 0.05, 0.015, 0.005])
    p = sprt.tilted(q, SIXTHS, 0.22)
    assert (p.sum(), p @ SIXTHS) == pytest.approx((1, 0.22))
    # directions that change neither sum nor mean
    for direction in ([1, -2, 1, 0, 0, 0], [0, 0, 1, -2, 1, 0], [0, 1, -1, -1, 1, 0]):
        for sign in (1, -1):
            other = p + sign * 1e-4 * np.array(direction)
            assert q @ np.log(other) < q @ np.log(p)


def test_sprt__three_verdicts_only_and_always_finite():
    test = sprt.Sprt(0.20, 0.22)
    cases = {"H1": [0, 0, 0, 0, 0, 10**6], "H0": [10**6, 0, 0, 0, 0, 0], "undecided": [0] * 6}
    for verdict, counts in cases.items():
        got = test.decide(counts, SIXTHS)
        assert got.verdict == verdict
        assert math.isfinite(got.llr)
    assert test.decide([3, 5, 1, 1, 0, 0], SIXTHS).verdict == "undecided"


def test_sprt__decides_at_its_bounds_and_not_before():
    test = sprt.Sprt(0.20, 0.22)
    good, bad = np.array([21, 56, 16, 5, 1.5, 0.5]), np.array([22, 60, 14, 4, 0, 0])
    for counts, verdict, bound in ((good, "H1", test.bounds[1]), (bad, "H0", test.bounds[0])):
        steps = [test.decide(counts * k, SIXTHS) for k in range(1, 40)]
        first = next(i for i, step in enumerate(steps) if step.verdict != "undecided")
        assert steps[first].verdict == verdict
        assert abs(steps[first].llr) >= abs(bound) > abs(steps[first - 1].llr)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ({"s0": 0.21, "s1": 0.20}, "smaller"),
        ({"s0": 0.2, "s1": 0.2}, "smaller"),
        ({"s0": math.nan, "s1": 0.2}, "smaller"),
        ({"s0": 0.2, "s1": 0.21, "alpha": 0.5, "beta": 0.5}, "less than 1"),
        ({"s0": 0.2, "s1": 0.21, "alpha": 0.0}, "above 0"),
    ],
)
def test_sprt__refuses_and_says_what_would_be_right(wrong, hint):
    with pytest.raises(ValueError, match=hint):
        sprt.Sprt(**wrong)


def test_gllr__is_finite_whatever_the_counts():
    rng = np.random.default_rng(12)
    for _ in range(300):
        values = 5 * int(rng.integers(1, 11)) + 1
        support = np.arange(values) / (values - 1)
        counts = rng.multinomial(10 ** int(rng.integers(0, 9)), rng.dirichlet(np.full(values, rng.choice([0.01, 1]))))
        s0 = float(np.clip(counts @ support / counts.sum(), 0.01, 0.9))  # the root is then at zero
        assert math.isfinite(sprt.gllr(counts, support, s0, s0 + 0.01))


def test_gllr__refuses_impossible_hypotheses():
    for s1 in (0.0, 1.0, 1.2):
        with pytest.raises(ValueError, match="strictly"):
            sprt.gllr([1] * 6, SIXTHS, 0.2, s1)
    with pytest.raises(ValueError):
        sprt.gllr([1] * 5, SIXTHS, 0.2, 0.3)


# --- designs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [*range(5, 25), 40])
def test_tables_of_five__seat_everyone_equally_often_and_meet_as_said(k):
    design = designs.tables_of_five(k)
    meetings = np.zeros((k, k), dtype=int)
    for table in design.tables.tolist():
        assert len(set(table)) == 5
        for a, b in itertools.product(table, repeat=2):
            meetings[a, b] += 1
    assert (np.diag(meetings) == design.tables_each).all()
    off = meetings[~np.eye(k, dtype=bool)]
    assert design.meetings == (off.min(), off.max())
    assert off.min() >= 1
    if k <= 8:
        assert len(design.tables) == math.comb(k, 5)
        assert design.kind == "all"
    elif k in (9, 10, 11, 13, 15, 16, 21):
        assert design.kind == "balanced"
        assert off.min() == off.max()
    else:
        assert design.kind == "nearly balanced"
        assert off.max() - off.min() <= (1 if k < 17 else 2)
    assert design.seatings().shape == (len(design.tables), 20, 5)
    assert (np.sort(design.seatings()[-1], axis=1) == design.tables[-1]).all()


@pytest.mark.parametrize("k", [2, 3, 7, 40])
def test_tables_of_two__are_all_pairs_in_both_seatings(k):
    design = designs.tables_of(2, k)
    assert sorted(map(tuple, design.tables.tolist())) == list(itertools.combinations(range(k), 2))
    assert (design.kind, design.tables_each, design.meetings) == ("all", k - 1, (1, 1))
    assert design.seatings()[0].tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("seats", [1, 3, 4, 6])
def test_tables__of_other_numbers_of_seats_are_refused(seats):
    with pytest.raises(ValueError, match="only for 2 and 5"):
        designs.tables_of(seats, 7)
    with pytest.raises(ValueError, match="only for 2 and 5"):
        designs.balanced_seatings(seats)


# --- many comparisons -------------------------------------------------------------------------------------------------


def critical_of(scores, **options):
    """Standard errors to either side."""
    [first, *_] = multiple.max_t(scores, **options)
    return first.half_width / (scores[:, 0].std(ddof=1) / math.sqrt(len(scores)))


def test_max_t__is_between_one_comparison_and_bonferroni():
    rng = np.random.default_rng(7)
    common = rng.normal(size=(400, 1))
    many = critical_of(0.95 * common + 0.3 * rng.normal(size=(400, 10)))
    one = critical_of(rng.normal(size=(400, 1)))
    assert one == pytest.approx(1.97, abs=0.15)
    assert one - 0.1 < many < stats.norm.isf(0.0025)


def test_max_t__of_few_blocks_or_of_a_level_beyond_its_resamples_is_not_estimable():
    d = np.random.default_rng(9).normal(size=(50, 3))
    for scores, level in ((d[:0], 0.95), (d[:1], 0.95), (d[:2], 0.95), (d[:5], 0.95), (d, 0.9999999999999999)):
        estimates = multiple.max_t(scores, level=level)
        assert {(e.kind, e.low, e.high) for e in estimates} == {("not-estimable", None, None)}
        assert [e.value for e in estimates] == (pytest.approx(scores.mean(axis=0)) if len(scores) else [None] * 3)
    assert {e.kind for e in multiple.max_t(d[:6])} == {"simultaneous"}
    assert {e.kind for e in multiple.max_t(d, level=0.999)} == {"simultaneous"}


def test_max_t__a_measure_that_hardly_varies_has_no_interval_and_leaves_the_others_theirs():
    d = np.random.default_rng(9).normal(size=(50, 4))
    d[:, 1] = 0
    d[:, 2] = np.arange(50) == 7  # most resamples that miss this block see no variation at all
    constant, rare = multiple.max_t(d)[1:3]
    assert (constant.value, constant.kind, rare.value, rare.kind) == (0, "not-estimable", 0.02, "not-estimable")
    for e, alone in zip([multiple.max_t(d)[k] for k in (0, 3)], multiple.max_t(d[:, [0, 3]]), strict=True):
        assert (e.low, e.high) == pytest.approx((alone.low, alone.high))


def test_max_t__ends_stay_inside_the_range_of_a_score():
    d = np.clip(np.random.default_rng(3).normal(0.05, 0.2, (8, 2)), 0, 1)
    assert all(e.low < 0 for e in multiple.max_t(d))
    assert all(e.low == 0 <= e.value <= e.high <= 1 for e in multiple.max_t(d, bounds=(0, 1)))


def test_adjusted_p__of_nothing_is_nothing_and_nonsense_is_refused():
    assert multiple.holm([]).size == 0
    with pytest.raises(ValueError):
        multiple.holm([0.1, math.nan])


@pytest.mark.parametrize("seed", range(20))
def test_tie_groups__share_a_letter_exactly_if_not_separated(seed):
    rng = np.random.default_rng(seed)
    k = 7
    upper = np.triu(rng.random((k, k)) < rng.random(), 1)
    apart = upper | upper.T
    scores = rng.random(k)
    letters = multiple.tie_groups(apart, scores)
    for i, j in itertools.combinations(range(k), 2):
        assert bool(set(letters[i]) & set(letters[j])) == (not apart[i, j])
    assert "a" in letters[int(np.argmax(scores))]
    groups = [{i for i in range(k) if letter in letters[i]} for letter in set("".join(letters))]
    assert not any(g < other for g, other in itertools.permutations(groups, 2))
    assert len({frozenset(g) for g in groups}) == len(groups)


# --- ranking ----------------------------------------------------------------------------------------------------------

TABLES = np.array([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5], [0, 2, 3, 4, 5]])


def played(blocks_played, games, seed=0, theta=(0, 0.3, -0.2, 0.5, 0.1, -0.4)):
    rng = np.random.default_rng(seed)
    weight = np.exp(np.array(theta))[TABLES]
    chance = weight / weight.sum(axis=1, keepdims=True)
    return np.stack([rng.multinomial(games, p, blocks_played) for p in chance], axis=1)


def strengths(result):
    return np.array([math.nan if e.value is None else e.value for e in result.estimates])


def test_plackett_luce__agrees_with_choix():
    wins = played(20, 4)
    data = []
    for table, row in zip(TABLES.tolist(), wins.sum(axis=0).tolist(), strict=True):
        for winner, count in zip(table, row, strict=True):
            data += [(winner, [x for x in table if x != winner])] * count
    found = strengths(ranking.plackett_luce(TABLES, wins, 6, resamples=50))
    assert found == pytest.approx(choix.ilsr_top1(6, data), abs=1e-6)


def test_plackett_luce__extreme_but_finite_results_converge():
    theta = strengths(ranking.plackett_luce([[0, 1, 2, 3, 4]], [[[10**7, 1, 1, 5, 1]]], 5))
    assert theta - theta[1] == pytest.approx([math.log(10**7), 0, 0, math.log(5), 0], abs=1e-6)


def test_plackett_luce__errors_agree_with_the_information_of_one_table():
    wins = np.random.default_rng(1).multinomial(1, [0.1, 0.2, 0.3, 0.25, 0.15], 2000)[:, np.newaxis, :]
    result = ranking.plackett_luce([[0, 1, 2, 3, 4]], wins, 5)
    w = wins.sum(axis=(0, 1))
    # independent games: ln w_i less the mean of all logarithms; 200 resamples know its error to 5 %, bound at six times
    part = np.eye(5) - 1 / 5
    expected = 1.96 * np.sqrt((part**2) @ (1 / w))
    assert [e.half_width for e in result.estimates] == pytest.approx(expected, rel=0.3)
    assert {e.kind for e in result.estimates} == {"block-bootstrap"}


def test_plackett_luce__of_few_blocks_has_strengths_and_no_intervals():
    for n in (1, 2, 5):
        result = ranking.plackett_luce(TABLES, played(n, 40), 6)
        assert result.connected
        assert {(e.kind, e.low, e.high) for e in result.estimates} == {("not-estimable", None, None)}
        assert np.isfinite(strengths(result)).all()
    assert {e.kind for e in ranking.plackett_luce(TABLES, played(6, 40), 6).estimates} == {"block-bootstrap"}
    half, wider = (
        ranking.plackett_luce(TABLES, played(6, 40), 6, level=x).estimates[2].half_width for x in (0.95, 0.99)
    )
    assert wider / half == pytest.approx(stats.t.isf(0.005, 5) / stats.t.isf(0.025, 5))
    extreme = ranking.plackett_luce(TABLES, played(6, 40), 6, level=0.9999999999999999)
    assert all(e.low < e.value < e.high for e in extreme.estimates)


def test_plackett_luce__no_wins_give_a_bound_and_leave_the_others_alone():
    wins = played(100, 4)
    wins[:, TABLES == 5] = 0
    result = ranking.plackett_luce(TABLES, wins, 6)
    none = result.estimates[5]
    assert (none.value, none.low, none.kind, none.events) == (None, None, "upper-bound", 0)
    share = 1 - 0.05 ** (1 / 100)
    assert none.high == pytest.approx(math.log(4 * share / (1 - share)))
    smaller = np.where(TABLES == 5, -1, TABLES)
    assert strengths(result)[:5] == pytest.approx(strengths(ranking.plackett_luce(smaller, wins, 5)))
    assert result.connected


def test_plackett_luce__unbeaten_and_unconnected_have_no_strength():
    wins = np.zeros((10, 1, 5), dtype=int)
    wins[:, 0, 2] = 4
    result = ranking.plackett_luce([[0, 1, 2, 3, 4]], wins, 5)
    assert [e.kind for e in result.estimates] == ["upper-bound"] * 2 + ["lower-bound"] + ["upper-bound"] * 2
    assert result.estimates[2].low > 0
    assert not result.connected
    # the wins of one that is never beaten say nothing about the others
    with_giant = np.zeros((10, 2, 5), dtype=int)
    with_giant[:, 0], with_giant[:, 1, 4] = [1, 2, 3, 2, 1], 9
    result = ranking.plackett_luce([[0, 1, 2, 3, 4], [0, 1, 2, 3, 5]], with_giant, 6)
    theta = strengths(result)[:5]
    assert theta - theta[0] == pytest.approx(np.log([1, 2, 3, 2, 1]))
    assert result.estimates[5].kind == "lower-bound"
    # two circles that never met
    apart = ranking.plackett_luce([[0, 1], [2, 3]], np.ones((10, 2, 2), dtype=int), 4)
    assert [e.kind for e in apart.estimates] == ["not-estimable"] * 4


def test_plackett_luce__permuting_names_permutes_strengths_and_nothing_else():
    wins = played(30, 4)
    perm = np.array([3, 0, 5, 1, 4, 2])
    a, b = (ranking.plackett_luce(t, wins, 6, resamples=50) for t in (TABLES, perm[TABLES]))
    assert strengths(b)[perm] == pytest.approx(strengths(a), abs=1e-8)
    halves = [[e.half_width for e in result.estimates] for result in (a, b)]
    assert np.array(halves[1])[perm] == pytest.approx(np.array(halves[0]), abs=1e-8)


def test_intransitivity__finds_circles():
    d = np.array([[0, 1, -1, 2], [-1, 0, 1, 2], [1, -1, 0, 2], [-2, -2, -2, 0]])
    found = ranking.intransitivity(d)
    assert (found.transitive, found.cycles) == (False, ((0, 1, 2),))
    weak = np.ones((4, 4), dtype=bool)
    weak[0, 2] = weak[2, 0] = False
    assert ranking.intransitivity(d, weak).transitive
    assert ranking.intransitivity(np.triu(np.ones((5, 5)), 1) - np.tril(np.ones((5, 5)), -1)).transitive
    with pytest.raises(ValueError):
        ranking.intransitivity([[0, 1], [1, 0]])
