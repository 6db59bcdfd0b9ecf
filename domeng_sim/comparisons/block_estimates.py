"""From the whole numbers of blocks to estimates, with the kind of interval that the way of stopping allows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from domeng_sim.comparisons.blocks import Scores
from domeng_sim.comparisons.design import Lineup, Setting
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.games.shared.scoring import Scoring, SeatMeasure
from domeng_sim.runs.counters import Ints
from domeng_sim.stats import betting, blocks, clusters, confseq, critical
from domeng_sim.stats.blocks import Moments
from domeng_sim.stats.estimate import Estimate
from domeng_sim.stats.sums import Sums


def _seats_and_games(lineup: Lineup, member: int, setting: Setting) -> tuple[int, int]:
    """Seats that a member has in every seating, and games of a block."""
    return lineup.places[member] // len(lineup.seatings), len(lineup.seatings) * setting.games_per_match


def share_numerators(scores: Scores, lineup: Lineup, member: int, setting: Setting) -> Ints:
    """Share of the games that a member's seat won, block by block, as whole numbers (see `share_range`).

    A game that nobody won counts for every seat as its fair part, so that the share is the fair one on average if all
    play alike, however many games are truncated.  If every game was won the share is that of the games won.

    Parameters
    ----------
    scores
        Of some blocks.
    lineup
        Whose they are.
    member
        Its position in the lineup; it has at least one seat, and as many in every seating.
    setting
        What all games have in common.

    Returns
    -------
    numerators
        int64, shape (blocks,).
    """
    seats, games = _seats_and_games(lineup, member, setting)
    return setting.seats * scores.won[:, member] + seats * (games - scores.totals[:, 0])


def share_range(lineup: Lineup, member: int, setting: Setting) -> tuple[int, int, int, int]:
    """What the numerators of `share_numerators` are divided by, the fair one, the smallest and the largest possible."""
    seats, games = _seats_and_games(lineup, member, setting)
    return setting.seats * seats * games, seats * games, 0, setting.seats * games


@dataclass
class Running:
    """Whole-numbered scores of the blocks so far.

    Attributes
    ----------
    scale
        What they are divided by.
    null
        Numerator of the value that means no difference.
    low, high
        Smallest and largest numerator that a block can have.
    same
        Whether the scores are equal by construction, so that a spread of zero is the truth and not luck.
    histogram
        Number of blocks by numerator.
    """

    scale: int
    null: int
    low: int
    high: int
    same: bool
    histogram: Counter[int] = field(default_factory=Counter)
    _parts: list[npt.NDArray[np.int32]] = field(default_factory=list)
    _moments: Moments = field(init=False)

    def __post_init__(self) -> None:
        self._moments = Moments(0, 0, 0, self.scale)

    def add(self, numerators: Ints) -> None:
        """Take in further blocks, in order."""
        self._parts.append(numerators.astype(np.int32))
        self._moments += Moments.of(numerators, self.scale)
        values, counts = np.unique(numerators, return_counts=True)
        self.histogram.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))

    @property
    def differing(self) -> int:
        """Blocks that are not at the null."""
        return self.count - self.histogram[self.null]

    @property
    def count(self) -> int:
        """Number of blocks."""
        return self._moments.count

    @property
    def moments(self) -> Moments:
        """Count, sum and sum of squares."""
        return self._moments

    def numerators(self) -> npt.NDArray[np.int32]:
        """Scores of all blocks in order."""
        return np.concatenate(self._parts) if self._parts else np.zeros(0, np.int32)

    def estimate(self, stopping: Stopping, looks: int, unit: str, level: float | None = None) -> Estimate:
        """The mean score with its interval.

        Where hardly any block has another score than the rest (`needs_bets`) the spread says little, and the interval
        comes from bets on the scores in their order: it needs no spread, and holds at every look.
        """
        level = stopping.level if level is None else level
        m = self._moments
        ends = (self.low / self.scale, self.high / self.scale)
        if self.needs_bets(stopping):
            return self._bet(level, unit, looks)
        if not stopping.fixed:
            return confseq.normal_mixture(m, n_best=stopping.best_at, level=level, bounds=ends, unit=unit, looks=looks)
        if m.count and not self._spread and not self.same:
            return Estimate(m.mean, None, None, level, "not-estimable", unit, m.count, looks=looks)
        return blocks.mean(m, level=level, bounds=ends, unit=unit, looks=looks)

    @property
    def _spread(self) -> int:
        """Blocks that do not have the commonest score."""
        return self.count - max(self.histogram.values(), default=0)

    def needs_bets(self, stopping: Stopping) -> bool:
        """Whether so few of the blocks differ from each other that only bets give an interval.

        Fewer than 20, and of a small number of blocks fewer than two in five: with more of them Student's interval
        covers.  Of a few blocks that are all alike not even bets tell anything: those are left to be not estimable.
        """
        if self.same or self._spread >= confseq.FEW_DIFFERING:
            return False
        if not stopping.fixed:
            return self.count >= confseq.FIRST_LOOK
        return 5 * self._spread < 2 * self.count and (self._spread > 0 or self.count >= confseq.FEW_DIFFERING)

    def _bet(self, level: float, unit: str, looks: int) -> Estimate:
        """The mean score with a betting interval; the bets are on scores moved to 0 ... 1."""
        width = self.high - self.low
        bet = betting.interval((self.numerators() - self.low) / width, level=level, unit=unit, looks=looks)
        low, high = ((self.low + (x or 0.0) * width) / self.scale for x in (bet.low, bet.high))
        value = self._moments.mean
        return replace(bet, value=value, low=min(low, value), high=max(high, value))

    @property
    def few(self) -> bool:
        """Whether so few blocks were played, or differ from each other, that their spread says little."""
        return self._spread < confseq.FEW_DIFFERING

    def p_value(self, stopping: Stopping) -> float:
        """p-value of no difference; below 1 - level only where the interval of `estimate` excludes the null.

        For a number of blocks fixed beforehand where there are few: the larger of that and of the sign-flip test, so
        that neither alone calls a difference.
        """
        if self.same or not self.count:
            return 1.0
        m, null = self._moments, self.null / self.scale
        if self.needs_bets(stopping):
            width = self.high - self.low
            scores = (self.numerators() - self.low) / width
            p = betting.p_value(scores, null=(self.null - self.low) / width, level=stopping.level)
        elif not stopping.fixed:
            return confseq.normal_mixture_p(m, null=null, n_best=stopping.best_at, level=stopping.level)
        else:
            p = blocks.student_p(m, null=null) if self._spread else 0.0
        return max(p, self.sign_flip().p) if stopping.fixed and self.few else p

    def sign_flip(self) -> blocks.SignFlip:
        """Test whether the scores are symmetric about the null."""
        return blocks.sign_flip(self.numerators() - self.null)


def log_strength(share: Estimate, seats: int) -> Estimate:
    """A share as log-strength against equal others, ends and all: ln((seats - 1) p / (1 - p)).

    A rising function of the share, so an interval of any kind stays what it was.  A share of 0 or 1 has none.
    """

    def strength(p: float | None) -> float | None:
        return math.log((seats - 1) * p / (1 - p)) if p is not None and 0 < p < 1 else None

    value, low, high = (strength(p) for p in (share.value, share.low, share.high))
    return replace(share, value=value, low=low, high=high, unit="log-strength")


def elo(strength: Estimate) -> Estimate:
    """A log-strength on the scale of 400 points for a factor of ten."""
    value, low, high = (None if x is None else blocks.elo(x) for x in (strength.value, strength.low, strength.high))
    return replace(strength, value=value, low=low, high=high, unit="points (400 for a factor of ten)")


@dataclass(frozen=True)
class Secondary:
    """A secondary measure: of the subject, of each other seat, and the difference."""

    key: str
    label: str
    kind: str
    subject: Estimate
    others: Estimate
    difference: Estimate


class Amounts:
    """Sums of the secondary measures, by the totals that they are divided by.

    Parameters
    ----------
    scoring
        The measures.
    lineup
        Whose blocks these are.
    subject
        Position of the member that is compared with all others at the table.
    """

    def __init__(self, scoring: Scoring, lineup: Lineup, subject: int) -> None:
        self._scoring = scoring
        self._subject = subject
        self._own = lineup.places[subject] // len(lineup.seatings)
        self._rest = len(lineup.seatings[0]) - self._own
        self._totals = [name for name, _ in scoring.totals]
        self._sums: dict[str, tuple[Sums, Sums, Sums]] = {}

    def _measures(self, per: str) -> list[int]:
        return [number for number, measure in enumerate(self._scoring.measures) if measure.per == per]

    def add(self, scores: Scores) -> None:
        """Take in further blocks."""
        for per in {measure.per for measure in self._scoring.measures}:
            chosen = scores.amounts[:, :, self._measures(per)]
            total = scores.totals[:, self._totals.index(per)]
            own = chosen[:, self._subject]
            rest = chosen.sum(axis=1) - own
            new = (
                Sums.of(own, self._own * total),
                Sums.of(rest, self._rest * total),
                Sums.of(self._rest * own - self._own * rest, self._own * self._rest * total),
            )
            old = self._sums.get(per)
            self._sums[per] = new if old is None else (old[0] + new[0], old[1] + new[1], old[2] + new[2])

    def estimates(self, stopping: Stopping, looks: int, same: bool) -> list[Secondary]:
        """Every measure, in reading order; `same` as in `Running`."""
        found: dict[int, Secondary] = {}
        for per, sums in self._sums.items():
            chosen = self._measures(per)
            measures = [self._scoring.measures[number] for number in chosen]
            ranges = zip(sums, (0.0, 0.0, -1.0), strict=True)
            columns = [ratio_estimates(part, stopping, looks, measures, least) for part, least in ranges]
            if same:
                columns[2] = [_none(estimate) for estimate in columns[2]]
            for number, subject, others, difference in zip(chosen, *columns, strict=True):
                measure = self._scoring.measures[number]
                found[number] = Secondary(measure.key, measure.label, measure.kind, subject, others, difference)
        return [found[number] for number in sorted(found)]


def _none(difference: Estimate) -> Estimate:
    """A difference that is none by construction."""
    if difference.value is None:
        return difference
    return replace(difference, value=0.0, low=0.0, high=0.0, kind="exact")


def ratio_estimates(
    sums: Sums, stopping: Stopping, looks: int, measures: Sequence[SeatMeasure], least: float
) -> list[Estimate]:
    """Ratios of sums over blocks, each with an interval of the kind that the way of stopping allows.

    For a run that may stop at any look the error of the ratio takes the place of that of a mean in the normal mixture,
    which is right for many blocks, as the mixture with an estimated variance is.

    Parameters
    ----------
    sums
        Over the blocks.
    stopping, looks
        As for `Running.estimate`.
    measures
        What was summed, in the order of the sums.
    least
        Smallest value of a share: 0, or -1 for a difference of two.
    """
    result = clusters.ratio(sums, level=stopping.level)
    n, found = sums.clusters, []
    reach = critical.student(n - 1, stopping.level)
    if not stopping.fixed and n:
        reach = math.sqrt(n) * confseq.unit_radius(n, stopping.best_at, level=stopping.level)
    kind = "cluster-student" if stopping.fixed else "anytime"
    for m, measure in enumerate(measures):
        value, se = float(result.ratio[m]), float(result.se[m])
        few = n < (2 if stopping.fixed else confseq.FIRST_LOOK) or 0 < sums.some[m] < 2
        if few or not math.isfinite(se) or clusters.no_spread(se, n):
            known = value if math.isfinite(value) else None
            found.append(Estimate(known, None, None, stopping.level, "not-estimable", measure.unit, n, looks=looks))
            continue
        low, high = value - reach * se, value + reach * se
        if measure.kind == "share":
            low, high = max(low, min(value, least)), min(high, max(value, 1.0))
        found.append(Estimate(value, low, high, stopping.level, kind, measure.unit, n, looks=looks))
    return found
