"""Readings of the rules: figures recomputed from runs, pairing, rankings; and plans from pilots."""

from __future__ import annotations

import itertools
import json
import threading

import numpy as np
import pytest

from domeng_sim.comparisons.block_estimates import Running
from domeng_sim.comparisons.blocks import BlockPlayer
from domeng_sim.comparisons.decide import decide
from domeng_sim.comparisons.design import mix
from domeng_sim.comparisons.power import Planner, PowerPlan, power, saving
from domeng_sim.comparisons.rule_variants import Inquiry, Reading, readings_of
from domeng_sim.comparisons.sensitivity import sensitivity
from domeng_sim.comparisons.sequential import StudySession
from domeng_sim.comparisons.stopping import Stopping, looks
from domeng_sim.errors import BadInput
from domeng_sim.games.shared.measures import Figure
from domeng_sim.games.types import Task
from domeng_sim.runs.counters import CountTable
from domeng_sim.runs.plan import Range
from domeng_sim.stats import differences, planning
from domeng_sim.stats.sprt import Sprt
from domeng_sim.strategies.spec import seat
from tests.effort import effort
from tests.study_helpers import DOMENG, setting, strategy

RANDOM = strategy("random")
NAMES = ("random", "heaviest", "lightest", "doubles_first", "doubles_last")


def inquiry(*options, blocks=None, where=None, **other):
    where = where or setting()
    found = readings_of(DOMENG, dict(where.rules), options)
    return Inquiry(where, RANDOM, found, blocks=blocks or effort(200, 3), **other)


def without_time(result):
    document = result.to_json()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    return {key: value for key, value in document.items() if key != "seconds"}


# --- which readings --------------------------------------------------------------------------------------------------


def test_readings__are_all_other_readings_of_every_option():
    labels = [reading.label for reading in readings_of(DOMENG, setting().rules, ())]
    assert labels == [
        "opening_lead=double",
        "passebunge=first",
        "closing_passes=free",
        "mattikkeng_winner=next",
        "camat_check=before",
    ]
    other = dict(setting(camat_check="before").rules)
    assert Reading("camat_check", "after") in readings_of(DOMENG, other, ())
    assert readings_of(DOMENG, other, ("stones=20", "stones=20")) == (Reading("stones", 20),)


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("nothing", "no rule 'nothing'"),
        ("stones", "give a value"),
        ("stones=many", "must be"),
        ("stones=25", "is the reading that the others are compared with"),
        ("camat_check=after", "is the reading"),
        ("camat_check=never", "must be"),
        ("", "no rule"),
    ],
)
def test_readings__refuse(option, says):
    with pytest.raises(BadInput, match=says):
        readings_of(DOMENG, setting().rules, (option,))


@pytest.mark.parametrize(
    "change", [{"blocks": 0}, {"blocks": 10**7}, {"level": 95}, {"ranked": (RANDOM,)}, {"readings": ()}]
)
def test_inquiry__refuses(change):
    values = {"setting": setting(), "strategy": RANDOM, "readings": (Reading("stones", 20),), **change}
    with pytest.raises(BadInput):
        Inquiry(**values)


# --- figures ---------------------------------------------------------------------------------------------------------


def test_sensitivity__is_what_two_runs_say():
    n = effort(150, 3)
    asked = inquiry("camat_check", "stones=20", blocks=n)
    result = sensitivity(asked)
    tables = []
    for where in asked.settings():
        run = DOMENG.kernel().start(Task(where.rules, (seat(RANDOM),) * 5, 1, 2, 0, 0, n, 1))
        while run.advance(1 << 16):
            pass
        sheet = {figure.key: figure for figure in DOMENG.figures(where.rules) if isinstance(figure, Figure)}
        tables.append((CountTable(DOMENG.counts(where.rules), run.counts), sheet))
    for number, effects in enumerate(result.effects):
        assert [effect.key for effect in effects] == list(DOMENG.scoring(DOMENG.resolve_rules({})).sensitivity)
        for effect in effects:
            (y0, n0), (y1, n1) = (
                (table.total(sheet[effect.key].numerator), table.total(sheet[effect.key].denominator))
                for table, sheet in (tables[0], tables[number + 1])
            )
            want = differences.paired(y1, n1, y0, n0)
            assert effect.difference.value == pytest.approx(want.value)
            assert effect.before.value == pytest.approx(y0.sum() / n0.sum())
            assert effect.after.value == pytest.approx(y1.sum() / n1.sum())
            assert effect.differing == int(((y0 != y1) | (n0 != n1)).sum())
            if effect.difference.low is not None:
                assert (effect.difference.low, effect.difference.high) == pytest.approx((want.low, want.high))
    without_time(result)


@pytest.mark.compiled
def test_sensitivity__does_not_depend_on_threads():
    asked = inquiry(blocks=350)
    assert without_time(sensitivity(asked, StudySession(1))) == without_time(sensitivity(asked, StudySession(3)))


@pytest.mark.compiled
def test_sensitivity__finds_what_must_change_and_nothing_where_nothing_does():
    asked = inquiry("stones=12", "cappu_stones=1", where=setting(cappu_stones=2), blocks=400)
    fewer, _ = sensitivity(asked).effects
    lengths = next(effect for effect in fewer if effect.key == "game.rounds")
    assert lengths.matters(0.95)
    assert lengths.difference.high < 0
    # a rule that never comes into play: no block differs, and no p-value is below 1
    never = inquiry("max_rounds=9999", blocks=200)
    [effects] = sensitivity(never).effects
    assert {effect.differing for effect in effects} == {0}
    assert all(effect.adjusted == 1 and effect.difference.half_width == 0 for effect in effects)


@pytest.mark.compiled
def test_sensitivity__looks_at_the_ranking_too():
    asked = inquiry("stones=10", blocks=50, ranked=tuple(map(strategy, NAMES)), ranking_blocks=100)
    result = sensitivity(asked)
    [order] = result.orders
    assert sorted(order.names) == sorted(result.default_order) == sorted(NAMES)
    assert order.changed == (order.names != result.default_order)
    assert [moved.name for moved in order.moved] == list(NAMES)
    for moved in order.moved:
        assert moved.difference.value == pytest.approx(moved.after - moved.before)
    without_time(result)


@pytest.mark.parametrize("blocks", [1, 2])
def test_sensitivity__of_hardly_any_blocks_claims_nothing(blocks):
    result = sensitivity(inquiry("camat_check", blocks=blocks))
    assert result.blocks == blocks
    if blocks == 1:
        assert not any(effect.matters(0.95) for effect in result.effects[0])
    without_time(result)


def test_sensitivity__stopped_before_the_first_chunk_knows_nothing():
    stop = threading.Event()
    stop.set()
    result = sensitivity(inquiry(), StudySession(2, stop=stop))
    assert (result.reason, result.blocks, result.effects) == ("stopped", 0, ())
    without_time(result)


# --- plans -----------------------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_power__plans_from_the_blocks_of_the_comparison():
    plan = PowerPlan(setting(), strategy("doubles_first"), RANDOM, (0.01,), pilot=200)
    result = power(plan, StudySession(2))
    assert without_time(result) == without_time(power(plan, StudySession(1)))
    lineup = mix(plan.a, plan.b, 1, 5)
    player = BlockPlayer(plan.setting)
    player.load(lineup.members)
    won = player.play(lineup, Range(0, 200)).won[:, 0] / 10
    assert result.share.value == pytest.approx(won.mean())
    assert result.sd.value == pytest.approx(won.std(ddof=1))
    assert result.sd.low < result.sd.value < result.sd.high
    need = result.needs[0]
    assert need.fixed == np.ceil(planning.blocks_for_difference(0.01, won.std(ddof=1)))
    assert need.anytime > need.fixed > need.sprt >= 100


@pytest.mark.compiled
def test_power__of_equal_players_says_that_there_is_nothing_to_find():
    result = power(PowerPlan(setting(), RANDOM, RANDOM, pilot=50))
    assert result.sd.value == 0
    assert "nothing" in result.sentence or "no difference" in result.sentence
    assert {need.fixed for need in result.needs} == {None}
    without_time(result)


def pilot(sd, n=500, seed=2):
    """Scores of blocks of ten games in each seat: fair on average, with about this standard deviation."""
    scores = Running(250, 50, 0, 250, False)
    games = np.clip(np.round(50 * np.random.default_rng(seed).normal(0.2, sd, n)), 0, 50)
    scores.add(5 * games.astype(np.int64))
    return scores


@pytest.mark.parametrize(("difference", "low", "high"), [(0.3, 6, 6), (0.1, 6, 8), (0.05, 10, 20), (0.01, 240, 300)])
def test_planner__promises_no_fewer_blocks_than_a_comparison_can_decide_with(difference, low, high):
    plan = PowerPlan(setting(), strategy("hunter"), RANDOM, (difference,))
    need = Planner(plan, pilot(0.058)).need(difference)
    assert low <= need.fixed <= high
    assert need.anytime in list(itertools.islice(looks(), 50))
    assert need.sprt >= 100


def test_planner__blocks_find_the_difference_as_often_as_was_asked_for():
    # 12 or so blocks of scores that are better by 5 points: the comparison itself calls it in 80 of 100 runs
    plan = PowerPlan(setting(), strategy("hunter"), RANDOM)
    scores = pilot(0.058)
    need = Planner(plan, scores).need(0.05)
    rng, runs = np.random.default_rng(77), 1000
    for n, least, most in ((need.fixed, 0.74, 0.92), (need.fixed - 2, 0.0, 0.82)):
        called = 0
        for _ in range(runs):
            games = np.clip(np.round(50 * rng.normal(0.25, 0.058, n)), 0, 50)
            run = Running(250, 50, 0, 250, False)
            run.add(5 * games.astype(np.int64))
            called += decide([run], Stopping(blocks=n))[0].sign > 0
        assert least < called / runs < most


def test_planner__length_of_the_sequential_test_is_that_of_the_test():
    plan, difference = PowerPlan(setting(), strategy("hunter"), RANDOM), 0.01
    need = Planner(plan, pilot(0.058)).need(difference)
    test, rng = Sprt(0.2, 0.2 + difference), np.random.default_rng(5)
    lengths = []
    for _ in range(150):
        counts, before = np.zeros(51), 0
        for end in looks():
            games = np.clip(np.round(50 * rng.normal(0.21, 0.058, end - before)), 0, 50).astype(int)
            counts, before = counts + np.bincount(games, minlength=51), end
            if test.decide(counts, np.arange(51) / 50).verdict != "undecided":
                break
        lengths.append(end)
    # Wald's formula says 178; the lengths' own spread is about as large as half their mean
    assert need.sprt == pytest.approx(np.mean(lengths), rel=0.25)
    assert need.sprt > 1.4 * 5.3 * (0.058 / difference) ** 2


def test_moved__has_the_mean_and_the_spread_of_the_pilot():
    rng = np.random.default_rng(3)
    for sd, mean in ((12.0, 52.0), (12.0, 90.0), (0.6, 51.3), (3.0, 249.0)):
        values, counts = np.unique(5 * np.round(rng.normal(50, sd, 800) / 5).astype(np.int64), return_counts=True)
        at, chances = planning.moved(values, counts, mean, step=5, low=0, high=250)
        assert (chances.sum(), chances @ at) == pytest.approx((1, mean))
        assert (np.diff(at) > 0).all()
        assert at[-1] <= 250
        spread = np.sqrt(chances @ (at - mean) ** 2), np.std(np.repeat(values, counts))
        assert spread[0] == pytest.approx(spread[1], rel=0.05) or sd < 5


def test_saving__is_one_for_independent_seatings_and_large_where_they_cancel():
    rng = np.random.default_rng(1)
    independent = rng.integers(0, 10, (4000, 5))
    assert saving(independent, 0.95).value == pytest.approx(1, abs=0.1)
    assert saving(independent, 0.95).low < 1 < saving(independent, 0.95).high
    # the luck of a deal goes to one seat or another, as if five games shared one cake
    cake = rng.multinomial(10, [0.2] * 5, size=4000) + rng.integers(0, 2, (4000, 5))
    assert saving(cake, 0.95).low > 3
    assert saving(np.zeros((10, 5), np.int64), 0.95).value is None
    assert saving(np.zeros((1, 5), np.int64), 0.95).value is None


@pytest.mark.parametrize(
    "change",
    [
        {"pilot": 1},
        {"differences": ()},
        {"differences": (0.0,)},
        {"differences": (0.9,)},
        {"chance": 1.0},
        {"level": 95},
    ],
)
def test_plan__refuses(change):
    with pytest.raises(BadInput):
        PowerPlan(**{"setting": setting(), "a": RANDOM, "b": RANDOM, **change})
