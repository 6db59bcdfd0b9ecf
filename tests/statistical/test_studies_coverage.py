"""Intervals of comparisons cover as often as they say, with real games.

The null pair is a strategy and a differently keyed copy of it: equal players whose blocks differ, with a mean share of
exactly a fifth.  Bounds on the number of misses are chosen so that a correct program fails a test once in 10,000 times;
the seeds are fixed, so it either never fails or always.  Full size: `python -m benchmarks.coverage`.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from domeng_sim.comparisons.block_estimates import Running, share_numerators, share_range
from domeng_sim.comparisons.blocks import BlockPlayer
from domeng_sim.comparisons.comparison import compare
from domeng_sim.comparisons.request import Question
from domeng_sim.comparisons.sequential import StudySession
from domeng_sim.comparisons.stopping import Stopping, chunks
from domeng_sim.runs.plan import Range
from tests.study_helpers import setting, strategy

pytestmark = pytest.mark.compiled

FALSE_ALARM = 1e-4
RARE_ALARM = 1e-8
"""Of the answers made of several intervals."""


def null(seed, **rules):
    return Question(setting(seed=seed, games=1, **rules), strategy("random"), strategy("random@1"), (1,))


@pytest.mark.parametrize(("blocks", "rules"), [(60, {}), (120, {"max_rounds": 5})])
def test_fixed_intervals__cover_the_fair_share_in_95_of_100_runs(blocks, rules):
    runs = 200
    missed = sum(
        compare(null(seed, **rules), Stopping(blocks=blocks), StudySession()).ends[0].share.excludes(0.2)
        for seed in range(1000, 1000 + runs)
    )
    # the Student interval of so uneven a score may miss by itself a little more often than 5 %: 6 % are let pass
    low, high = binom.ppf(FALSE_ALARM, runs, 0.05), binom.isf(FALSE_ALARM, runs, 0.06)
    assert low <= missed <= high


def test_confidence_sequences__err_in_at_most_5_of_100_runs_looked_at_after_every_chunk():
    runs, most = 120, 1000
    stopping = Stopping(decided=True, max_blocks=most)
    wrong, looks = 0, set()
    for seed in range(5000, 5000 + runs):
        result = compare(null(seed), stopping, StudySession())
        wrong += result.ends[0].excess.excludes(0.0)
        looks.add(result.looks)
    assert max(looks) == len(list(chunks(most)))
    assert wrong <= binom.isf(FALSE_ALARM, runs, 0.05)


def test_student_intervals_looked_at_after_every_chunk_err_far_more_often():
    # what the confidence sequence is for: the same looks at Student intervals
    runs, most = 120, 1000
    wrong = 0
    asked = null(0)
    [lineup] = asked.lineups()
    for seed in range(5000, 5000 + runs):
        player = BlockPlayer(null(seed).setting)
        player.load(lineup.members)
        numerators = share_numerators(player.play(lineup, Range(0, most)), lineup, 0, asked.setting)
        running = Running(*share_range(lineup, 0, asked.setting), False)
        for part in chunks(most):
            running.add(numerators[part.first : part.end])
            if running.estimate(Stopping(blocks=part.end), 1, "").excludes(0.2):
                wrong += 1
                break
    assert wrong > binom.isf(FALSE_ALARM, runs, 0.05)


def test_difference_in_company__covers_zero_for_equal_players():
    runs, missed = 100, 0
    company = (strategy("heaviest"),) * 4
    for seed in range(9000, 9000 + runs):
        asked = Question(setting(seed=seed, games=1), strategy("random"), strategy("random@1"), company=company)
        missed += compare(asked, Stopping(blocks=100), StudySession()).difference.excludes(0.0)
    assert binom.ppf(FALSE_ALARM, runs, 0.05) <= missed <= binom.isf(FALSE_ALARM, runs, 0.06)


@pytest.mark.parametrize(("all_mixes", "runs"), [(False, 200), (True, 200)])
def test_answer__of_several_intervals_is_wrong_in_at_most_5_of_100_runs(all_mixes, runs):
    called = 0
    for seed in range(20_000, 20_000 + runs):
        one = null(seed)
        asked = Question(one.setting, one.a, one.b, (1, 4), all_mixes)
        called += any(decision.sign for decision in compare(asked, Stopping(blocks=60), StudySession()).decisions)
    # of plain intervals one or another would exclude 0 in 9 (two ends) and 21 (all mixes) of 100 runs; 6 % are let pass
    assert called <= binom.isf(RARE_ALARM, runs, 0.06)


def test_answer__until_decided_is_wrong_in_at_most_5_of_100_runs():
    runs = 60
    called = 0
    for seed in range(30_000, 30_000 + runs):
        one = null(seed)
        asked = Question(one.setting, one.a, one.b, (1, 4))
        result = compare(asked, Stopping(decided=True, max_blocks=500), StudySession())
        called += any(decision.sign for decision in result.decisions)
    assert called <= binom.isf(RARE_ALARM, runs, 0.05)


def test_blocks__are_as_good_as_independent_of_each_other():
    asked = null(77)
    player, [lineup] = BlockPlayer(asked.setting), asked.lineups()
    player.load(lineup.members)
    won = player.play(lineup, Range(0, 4000)).won[:, 0]
    correlation = float(np.corrcoef(won[:-1], won[1:])[0, 1])
    assert abs(correlation) < 3.9 / np.sqrt(4000)
