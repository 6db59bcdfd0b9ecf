"""What is called where several intervals stand behind one answer."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from domeng_sim.comparisons.block_estimates import Running
from domeng_sim.comparisons.comparison import Study, compare
from domeng_sim.comparisons.decide import decide
from domeng_sim.comparisons.request import Question
from domeng_sim.comparisons.sequential import StudySession
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.stats import betting, multiple
from tests.study_helpers import setting, strategy


def running(values, null=10, same=False):
    made = Running(50, null, 0, 50, same)
    made.add(np.asarray(values, np.int64))
    return made


def scores(n, shift, seed=1, off=1.0):
    rng = np.random.default_rng(seed)
    values = np.clip(np.round(10 + shift + 4 * rng.standard_normal(n)), 0, 50).astype(np.int64)
    return np.where(rng.random(n) < off, values, 10)


@pytest.mark.parametrize(
    "stopping", [Stopping(blocks=400), Stopping(), Stopping(level=0.8), Stopping(blocks=400, level=0.8)]
)
@pytest.mark.parametrize("off", [1.0, 0.02])
def test_decide__of_one_is_what_its_interval_says(stopping, off):
    called = set()
    for seed, shift in enumerate(np.linspace(-2, 2, 41)):
        one = running(scores(400, shift if off == 1 else 12 * shift, seed, off))
        [decision] = decide([one], stopping)
        estimate = one.estimate(stopping, 1, "")
        by_interval = estimate.excludes(0.2)
        if decision.few:  # then the sign-flip test has to agree
            by_interval = by_interval and one.sign_flip().p < 1 - stopping.level
        assert (decision.sign != 0) == by_interval
        assert decision.sign in (0, np.sign(estimate.value - 0.2))
        called.add(decision.sign)
    assert 0 in called
    assert off < 1 or called == {-1, 0, 1}


def test_decide__of_several_asks_for_more_of_each():
    one = running(scores(400, 0.35, 3))
    [alone] = decide([one], Stopping(blocks=400))
    assert 0.01 < alone.p < 0.05
    assert alone.sign == 1
    among = decide([one, *(running(scores(400, 0, seed)) for seed in range(4))], Stopping(blocks=400))
    assert [decision.sign for decision in among] == [0] * 5
    assert among[0].adjusted == pytest.approx(5 * alone.p)


def test_decide__calls_nothing_between_equals_and_nothing_without_blocks():
    empty = Running(50, 10, 0, 50, False)
    assert [d.sign for d in decide([running([10] * 300, same=True), empty], Stopping(blocks=300))] == [0, 0]
    assert decide([], Stopping()) == ()


@pytest.mark.parametrize("n", [2, 3, 5])
def test_decide__few_blocks_are_called_only_if_the_sign_flip_test_agrees(n):
    # all on one side and nearly alike: Student's interval excludes the null, but 2^-(n-1) is above 0.05
    one = running([30, 31, 29, 32, 28][:n])
    assert one.estimate(Stopping(blocks=n), 1, "").excludes(0.2)
    [decision] = decide([one], Stopping(blocks=n))
    assert (decision.sign, decision.few) == (0, True)
    assert decision.p == one.sign_flip().p == pytest.approx(0.5 ** (n - 1))


def test_decide__enough_blocks_on_one_side_are_called():
    [decision] = decide([running([30, 31] * 4)], Stopping(blocks=8))
    assert decision.sign == 1


def test_betting_p__is_below_the_error_exactly_where_the_interval_excludes_the_null():
    rng = np.random.default_rng(5)
    found = set()
    for rate in np.linspace(0.1, 0.4, 31):
        y = (rng.random(300) < rate).astype(float)
        excluded = betting.interval(y).excludes(0.2)
        assert (betting.p_value(y, null=0.2) < 0.05) == excluded
        found.add(excluded)
    assert found == {True, False}
    for bad in ({"null": 0.0}, {"null": 0.2, "truncation": 1.0}, {"null": 0.2, "level": 95}):
        with pytest.raises(ValueError, match="must lie"):
            betting.p_value([0.5], **bad)
    with pytest.raises(ValueError, match="scores must"):
        betting.p_value([1.5], null=0.2)


def test_holm__is_that_of_statsmodels():
    rng = np.random.default_rng(2)
    for n in (1, 2, 7, 40):
        p = np.round(rng.random(n) ** 3, 2)  # with ties
        np.testing.assert_allclose(multiple.holm(p), multipletests(p, method="holm")[1], atol=1e-15)


@pytest.mark.compiled
def test_compare__two_blocks_are_not_called():
    asked = Question(setting(seed=1, games=10), strategy("banker"), strategy("random"))
    result = compare(asked, Stopping(blocks=2), StudySession())
    assert result.ends[0].share.excludes(0.2)
    assert [end.verdict for end in result.ends] == ["undecided", "undecided"]
    assert result.ends[0].sign_flip.p == 0.5
    assert result.sentence == "undecided between banker and random"


@pytest.mark.parametrize("all_mixes", [False, True])
@pytest.mark.compiled
def test_compare__until_decided_stops_when_the_answer_is_decided(all_mixes):
    asked = Question(setting(seed=1, games=1), strategy("doubles_first"), strategy("doubles_last"), (1, 4), all_mixes)
    stopping = Stopping(decided=True, max_blocks=3000)
    result = compare(asked, stopping, StudySession(2))
    assert result.reason == "until"
    assert len(result.decisions) == (5 if all_mixes else 2)
    assert all(decision.adjusted < 0.05 for decision in result.decisions)
    assert result.decisions[0].adjusted > result.decisions[0].p or min(d.p for d in result.decisions) == 0
    document = result.to_json()
    assert (document["answer_from_intervals"], document["answer_adjusted_by"]) == (len(result.decisions), "holm")
    assert isinstance(Study(asked, stopping).result("stopped", 0.0).sentence, str)
