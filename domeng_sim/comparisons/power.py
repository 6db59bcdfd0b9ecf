"""How many blocks does a comparison take?  From a pilot, by the rules that a comparison applies itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.comparisons.block_estimates import Running, share_numerators, share_range
from domeng_sim.comparisons.decide import decide
from domeng_sim.comparisons.design import Lineup, Setting, mix, same_play
from domeng_sim.comparisons.sequential import Chunk, StudySession, drive
from domeng_sim.comparisons.stopping import BEST_AT, REASONS, Stopping, looks
from domeng_sim.errors import BadField
from domeng_sim.runs.counters import Ints
from domeng_sim.stats import confseq, critical, planning
from domeng_sim.stats.blocks import Moments
from domeng_sim.stats.estimate import Estimate
from domeng_sim.stats.multiple import FEWEST_BLOCKS
from domeng_sim.stats.sprt import Sprt
from domeng_sim.strategies.spec import StrategySpec

SCHEMA_VERSION = 1
"""Of `Power.to_json`; rises when a reader of the old form would be misled."""

PILOT = 500
DIFFERENCES = (0.002, 0.005, 0.01, 0.02)

_RUNS = 500
"""Runs of a number of blocks that are tried out."""
_MANY = 100
"""From so many blocks on, and so many that differ, the closed form is used."""
MAX_TRIED = 5_000
"""Blocks of a run that is tried out at most."""


@dataclass(frozen=True)
class PowerPlan:
    """What is planned.

    Attributes
    ----------
    setting
        What all games have in common.
    a, b
        One A among others that are B.
    differences
        Differences of A's share from the fair one that are to be found, each above 0.
    pilot
        Blocks of the pilot, at least 2.
    chance
        Power: probability of detecting such a difference.
    level
        Confidence level.
    """

    setting: Setting
    a: StrategySpec
    b: StrategySpec
    differences: tuple[float, ...] = DIFFERENCES
    pilot: int = PILOT
    chance: float = 0.8
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.pilot < 2:
            raise BadField("pilot", self.pilot, "at least 2 blocks")
        if not self.differences or not all(0 < d < 1 - self.setting.fair for d in self.differences):
            raise BadField("difference", self.differences, "percentage points that leave a share below 1, as 0.5pp")
        for name, value in (("power", self.chance), ("level", self.level)):
            if not 0 < value < 1:
                raise BadField(name, value, "a number between 0 and 1")

    def lineup(self) -> Lineup:
        """One A among others that are B, in every seat."""
        return mix(self.a, self.b, 1, self.setting.seats)


@dataclass(frozen=True)
class Need:
    """What finding a difference takes; None where the pilot shows no noise.

    Attributes
    ----------
    difference
        Of A's share from the fair one.
    fixed
        Blocks fixed beforehand, for the chance asked for.
    anytime
        Blocks at the first look at which an interval that holds at every look has this half-width, as it is tuned
        unless another number of blocks is asked for.
    sprt
        Blocks of a sequential test against this difference on average, if it holds; both errors 0.05.
    """

    difference: float
    fixed: int | None
    anytime: int | None
    sprt: int | None


@dataclass(frozen=True)
class Power:
    """The answer.

    Attributes
    ----------
    plan
        What was asked.
    blocks, rounds, seconds, reason
        Of the pilot.
    share
        A's share in the pilot.
    sd
        Standard deviation of a block's share.
    saving
        Variance of as many games on independent deals over that of blocks.
    needs
        For each difference.
    """

    plan: PowerPlan
    blocks: int
    rounds: int
    seconds: float
    reason: str
    share: Estimate
    sd: Estimate
    saving: Estimate
    needs: tuple[Need, ...]

    @property
    def sentence(self) -> str:
        """The answer in words."""
        if self.blocks < 2:
            return "the pilot was too short to tell"
        if not self.sd.value:
            if same_play(self.plan.a, self.plan.b):
                return "the two play the same: there is no difference to find"
            return "no block of the pilot differs from another: play a longer one"
        best = self.needs[0]
        size = f"{100 * best.difference:.4g} pp"
        return f"{best.fixed:,} blocks at one table find a difference of {size} in {self.plan.chance:.0%} of runs"

    def to_json(self) -> dict[str, Any]:
        """Everything as plain numbers, with None (null) for what is not estimable."""
        return {
            "schema_version": SCHEMA_VERSION,
            "study": "power",
            **self.plan.setting.to_json(),
            "a": self.plan.a.to_json(),
            "b": self.plan.b.to_json(),
            "power": self.plan.chance,
            "level": self.plan.level,
            "unit_of_analysis": "block",
            "blocks": self.blocks,
            "looks": 1,
            "rounds": self.rounds,
            "share": self.share.to_json(),
            "standard_deviation": self.sd.to_json(),
            "variance_ratio_to_independent_deals": self.saving.to_json(),
            "needs": [
                {
                    "difference": need.difference,
                    "blocks_fixed": need.fixed,
                    "blocks_anytime_half_width": need.anytime,
                    "blocks_sprt_expected": need.sprt,
                    "rounds_fixed": None if need.fixed is None else round(need.fixed * self.rounds / self.blocks),
                }
                for need in self.needs
            ],
            "reason": self.reason,
            "reason_in_words": REASONS[self.reason],
            "sentence": self.sentence,
            "seconds": self.seconds,
        }


def spread(scores: Moments, values: Sequence[float], level: float) -> Estimate:
    """Standard deviation of a block's share, with a normal interval from the fourth moment."""
    unit, n = "share of games", scores.count
    if n < 2:
        return Estimate(None, None, None, level, "not-estimable", unit, n)
    sd = scores.sd
    if sd == 0 or n < FEWEST_BLOCKS:
        return Estimate(sd, None, None, level, "not-estimable", unit, n)
    deviations = np.asarray(values) - scores.mean
    fourth = float((deviations**4).mean())
    reach = critical.normal(level) * math.sqrt(max(fourth - sd**4, 0.0) / n) / (2 * sd)
    return Estimate(sd, max(sd - reach, 0.0), sd + reach, level, "normal", unit, n)


def saving(by_seating: Ints, level: float, resamples: int = 400, seed: int = 0) -> Estimate:
    """How many times as many games independent deals would take.

    On independent deals the variances of the seatings add up; on common deals that of their sum counts.

    Parameters
    ----------
    by_seating
        Numerators of the share in each seating, shape (blocks, seatings).
    level
        Confidence level.
    resamples, seed
        Of the bootstrap of blocks.
    """
    unit, n = "times as many games", len(by_seating)
    values = by_seating.astype(np.float64)

    def ratio(rows: npt.NDArray[np.float64]) -> float:
        together = rows.sum(axis=1).var(ddof=1)
        return float(rows.var(axis=0, ddof=1).sum() / together) if together > 0 else math.nan

    if n < 2 or not math.isfinite(ratio(values)):
        return Estimate(None, None, None, level, "not-estimable", unit, n)
    rng = np.random.default_rng(seed)
    found = np.log([ratio(values[rng.integers(0, n, n)]) for _ in range(resamples)])
    value = math.log(ratio(values))
    if not np.isfinite(found).all() or n < FEWEST_BLOCKS:
        return Estimate(math.exp(value), None, None, level, "not-estimable", unit, n)
    reach = critical.student(n - 1, level) * float(found.std(ddof=1))
    ends = math.exp(value - reach), math.exp(value + reach)
    return Estimate(math.exp(value), *ends, level, "block-bootstrap", unit, n)


class Planner:
    """What differences take, from the scores of a pilot.

    Parameters
    ----------
    plan
        What is planned.
    pilot
        Scores of the pilot's blocks.
    """

    def __init__(self, plan: PowerPlan, pilot: Running) -> None:
        self._plan, self._pilot = plan, pilot
        seats = plan.setting.seats
        # with every game won the scores are multiples; games without a winner put scores in between
        self._step = seats if all(value % seats == 0 for value in pilot.histogram) else 1

    def need(self, difference: float) -> Need:
        """What a difference takes; nothing can be said where the pilot shows no noise."""
        sd, level = self._pilot.moments.sd, self._plan.level
        if not sd > 0:
            return Need(difference, None, None, None)
        width = confseq.blocks_until_radius(difference, sd, n_best=BEST_AT, level=level)
        return Need(difference, self._fixed(difference, sd), _next_look(width), self._sprt(difference))

    def _moved(self, difference: float) -> tuple[Ints, npt.NDArray[np.float64]]:
        """Scores, and their chances, of a strategy that is better by so much."""
        pilot = self._pilot
        values, counts = np.array(sorted(pilot.histogram.items()), np.int64).T
        mean = pilot.null + difference * pilot.scale
        return planning.moved(values, counts, mean, step=self._step, low=pilot.low, high=pilot.high)

    def _fixed(self, difference: float, sd: float) -> int:
        """Smallest number of blocks of which so many runs as asked for call the difference.

        In closed form where there are many blocks, and many of them differ; tried out where a comparison asks for the
        sign-flip test too, or bets.
        """
        plan = self._plan
        guess = math.ceil(planning.blocks_for_difference(difference, sd, power=plan.chance, level=plan.level))
        values, chances = self._moved(difference)
        if guess * (1 - chances.max()) > _MANY and guess > _MANY:
            return guess
        enough = max(guess, 2)
        few = 1
        while self._called(values, chances, enough) < plan.chance:
            few, enough = enough, enough + max(enough // 2, 1)
            if enough > MAX_TRIED:
                return guess
        while enough - few > 1:
            middle = (few + enough) // 2
            if self._called(values, chances, middle) < plan.chance:
                few = middle
            else:
                enough = middle
        return enough

    def _called(self, values: Ints, chances: npt.NDArray[np.float64], n: int) -> float:
        """Share of runs of `n` blocks that call the difference, by the rule of a comparison."""
        pilot, stopping = self._pilot, Stopping(blocks=n, level=self._plan.level)
        drawn = np.random.default_rng(n).choice(values, (_RUNS, n), p=chances)
        called = 0
        for scores in drawn:
            run = Running(pilot.scale, pilot.null, pilot.low, pilot.high, False)
            run.add(scores)
            called += decide([run], stopping)[0].sign > 0
        return called / _RUNS

    def _sprt(self, difference: float) -> int:
        """Length of the sequential test of a comparison, on average."""
        pilot, fair = self._pilot, self._plan.setting.fair
        values, chances = self._moved(difference)
        support = np.arange(pilot.low, pilot.high + 1, self._step)
        spread = np.zeros(support.size)
        spread[np.searchsorted(support, values)] = chances
        test = Sprt(fair, fair + difference)
        return math.ceil(planning.sprt_blocks(test, support / pilot.scale, spread, looks()))


def _next_look(blocks: int) -> int:
    """The first look at so many blocks or more."""
    return next((look for look in looks() if look >= blocks), blocks)


def power(plan: PowerPlan, session: StudySession | None = None) -> Power:
    """Play a pilot and plan.

    Parameters
    ----------
    plan
        What is planned.
    session
        With how many threads; the answer does not depend on it.

    Raises
    ------
    UserError
        If a user's function failed.
    """
    whole = plan.lineup()
    # a lineup for each seating, so that the seatings' own spread is seen beside that of the block
    lineups = [
        Lineup(f"{whole.label}, {k}", whole.names, whole.members, (row,)) for k, row in enumerate(whole.seatings)
    ]
    by_seating: list[list[float]] = [[] for _ in lineups]
    total: list[int] = []
    rounds = 0

    def add(chunk: Chunk) -> None:
        nonlocal rounds
        scores = [
            share_numerators(one, lineup, 0, plan.setting) for one, lineup in zip(chunk.scores, lineups, strict=True)
        ]
        for kept, numerators in zip(by_seating, scores, strict=True):
            kept += numerators.tolist()
        total.extend(sum(scores[1:], start=scores[0]).tolist())
        rounds += sum(int(one.totals[:, 2].sum()) for one in chunk.scores)

    stopping = Stopping(blocks=plan.pilot, level=plan.level)
    reason, seconds = drive(plan.setting, lineups, stopping, session or StudySession(), add, lambda: "")
    pilot = Running(*share_range(whole, 0, plan.setting), same_play(plan.a, plan.b))
    pilot.add(np.array(total, np.int64))
    share = pilot.estimate(stopping, 1, f"share of games, fair {plan.setting.fair:.10g}")
    sd = spread(pilot.moments, [value / pilot.scale for value in total], plan.level)
    ratio = saving(np.array(by_seating, np.int64).T, plan.level)
    planner = Planner(plan, pilot)
    needs = tuple(planner.need(difference) for difference in plan.differences)
    return Power(plan, pilot.count, rounds, seconds, reason, share, sd, ratio, needs)
