"""From sums over samples, or over whole trees, to odds of moves: figures, differences, and which may be the best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from domeng_sim.games.shared.odds import Exact, Measure, OddsSpec, SampleSums
from domeng_sim.positions.odds_result import MoveOdds
from domeng_sim.stats import confseq, critical
from domeng_sim.stats.blocks import Moments
from domeng_sim.stats.estimate import Estimate
from domeng_sim.stats.intervals import clopper_pearson, proportion, upper_bound

_FEW = 20
"""With fewer samples than this in which two moves differ, the difference gets an exact interval."""


class Judge:
    """Figures, differences and the best moves from sums.

    Parameters
    ----------
    measures
        What was measured.
    sums
        Of all samples.
    level
        Confidence level.
    best_at
        Samples at which intervals that hold at every look are tightest; 0 for a number of samples fixed beforehand.
    looks
        How often the sums were looked at.
    proofs
        Whole trees, by move, where they are known.
    dropped
        Moves significantly worse than the best, and the sums when that was found: they were not sampled further.
    """

    def __init__(
        self,
        measures: Sequence[Measure],
        sums: SampleSums,
        level: float,
        best_at: float,
        looks: int,
        proofs: Mapping[int, Exact],
        dropped: Mapping[int, SampleSums] | None = None,
    ) -> None:
        self._measures, self._sums, self._level = measures, sums, level
        self._best_at, self._looks, self._proofs = best_at, looks, proofs
        self._dropped = dropped or {}
        self._n_moves = sums.totals.shape[0]
        shares = [int(self._of(move).totals[move, 0]) / self._of(move).n for move in range(self._n_moves)]
        # Equal shares: the move that comes first in the core's order.
        order = sorted(range(self._n_moves), key=lambda move: (-shares[move], move))
        self.best = next(move for move in order if move not in self._dropped)
        self._order = [self.best, *(move for move in order if move != self.best)]

    def _of(self, *moves: int) -> SampleSums:
        """Sums of the samples in which all of these moves were played."""
        return min((self._dropped.get(move, self._sums) for move in moves), key=lambda sums: sums.n)

    def _certain(self, move: int, measure: int) -> int | None:
        """The value of a measure where it is proved to be the same however the round goes on."""
        tree = self._proofs.get(move)
        return tree.lows[measure] if tree is not None and tree.lows[measure] == tree.highs[measure] else None

    def figure(self, move: int, measure: int) -> Estimate:
        """A figure with its interval."""
        what, sums = self._measures[measure], self._of(move)
        n, certain = sums.n, self._certain(move, measure)
        if certain is not None:
            return Estimate(certain, certain, certain, self._level, "exact", what.unit, n, None, self._looks)
        total = int(sums.totals[move, measure])
        if what.kind == "share":
            if self._best_at:
                return confseq.bernoulli(
                    total, n, n_best=self._best_at, level=self._level, unit=what.unit, looks=self._looks
                )
            return proportion(total, n, level=self._level, unit=what.unit)
        moments = Moments(n, total, int(sums.products[measure, move, move]))
        return self._mean(moments, (float(what.low), float(what.high)), what.unit)

    def difference(self, move: int, other: int, measure: int) -> Estimate:
        """A figure of a move minus that of another, from the same samples."""
        what, sums = self._measures[measure], self._of(move, other)
        a, b = self._certain(move, measure), self._certain(other, measure)
        if a is not None and b is not None:
            return Estimate(a - b, a - b, a - b, self._level, "exact", what.unit, sums.n, None, self._looks)
        x, y = int(sums.totals[move, measure]), int(sums.totals[other, measure])
        xx, yy, xy = (int(sums.products[measure, p, q]) for p, q in ((move, move), (other, other), (move, other)))
        moments = Moments(sums.n, x - y, xx + yy - 2 * xy)
        if what.kind == "share" and xx + yy - 2 * xy < _FEW:
            return self._few(x - xy, y - xy, sums.n, what.unit)
        most = float(what.high - what.low)
        return self._mean(moments, (-most, most), what.unit)

    def _few(self, more: int, less: int, n: int, unit: str) -> Estimate:
        """A difference of two shares where few samples differ: exact intervals of both ways to differ, put together."""
        level = critical.shared(self._level, 2)
        if self._best_at:
            up, down = (confseq.bernoulli(k, n, n_best=self._best_at, level=level) for k in (more, less))
            low, high = (up.low or 0.0) - (down.high or 0.0), (up.high or 0.0) - (down.low or 0.0)
            kind = "anytime-bernoulli"
        else:
            lows, highs = clopper_pearson([more, less], n, level=level)
            low, high, kind = float(lows[0] - highs[1]), float(highs[0] - lows[1]), "clopper-pearson"
        return Estimate((more - less) / n, low, high, self._level, kind, unit, n, more + less, self._looks)

    def _mean(self, moments: Moments, bounds: tuple[float, float], unit: str) -> Estimate:
        """A mean with its interval."""
        n, mean = moments.count, moments.mean
        if n < 2:
            return Estimate(mean, None, None, self._level, "not-estimable", unit, n, None, self._looks)
        if moments.variance == 0.0:
            # All samples agree: others are rarer than this, and no further off than the bounds.
            rare = float(upper_bound(0, n, level=self._level))
            low, high = mean - rare * (mean - bounds[0]), mean + rare * (bounds[1] - mean)
            return Estimate(mean, low, high, self._level, "clopper-pearson", unit, n, 0, self._looks)
        if self._best_at:
            return confseq.normal_mixture(
                moments, n_best=self._best_at, level=self._level, bounds=bounds, unit=unit, looks=self._looks
            )
        half = critical.student(n - 1, self._level) * moments.sd / math.sqrt(n)
        low, high = max(mean - half, bounds[0]), min(mean + half, bounds[1])
        return Estimate(mean, low, high, self._level, "student", unit, n, None, self._looks)

    def widest_win(self) -> float:
        """Largest half-width of a probability of winning, and of a difference to the best, of moves not dropped."""
        kept = [move for move in range(self._n_moves) if move not in self._dropped]
        figures = [self.figure(move, 0) for move in kept]
        figures += [self.difference(move, self.best, 0) for move in kept if move != self.best]
        return max(math.inf if figure.half_width is None else figure.half_width for figure in figures)

    def may_be_best(self, move: int) -> bool:
        """Whether a move cannot be ruled out as the best one.

        The truly best move is kept with the confidence level, since each of its comparisons with the others goes wrong
        with the error divided by their number (Hsu 1996, *Multiple Comparisons*, chapter 4).  By McNemar's exact test
        (1947, Psychometrika 12), which looks only at samples that one of the two moves wins and the other does not;
        where the number of samples is not fixed, by a one-sided confidence sequence.  That one holds at every look, so
        a move that it rules out may be dropped there and then: the truly best move is lost no more often for it.
        """
        if move == self.best:
            return True
        if move in self._dropped:
            return False
        a, b = self._certain(self.best, 0), self._certain(move, 0)
        if a is not None and b is not None:
            return a == b
        sums = self._sums
        both = int(sums.products[0, self.best, move])
        more, less = int(sums.totals[self.best, 0]) - both, int(sums.totals[move, 0]) - both
        alpha = (1 - self._level) / (self._n_moves - 1)
        if self._best_at:
            # Among the samples that differ, a share above one half; the mixture holds for any number of them.
            if not more + less:
                return True
            one_sided = critical.shared(self._level, (self._n_moves - 1) / 2)
            interval = confseq.bernoulli(more, more + less, n_best=self._best_at / 10, level=one_sided)
            return interval.low is None or interval.low <= 0.5
        from scipy.special import bdtrc

        return bool(more == less or float(bdtrc(more - 1, more + less, 0.5)) > alpha)

    def moves(self, moves: Sequence[Any]) -> tuple[MoveOdds, ...]:
        """All moves with their odds, the best first."""
        names = [measure.name for measure in self._measures]
        found = []
        for number in self._order:
            figures = {name: self.figure(number, measure) for measure, name in enumerate(names)}
            differences = {}
            if number != self.best:
                differences = {name: self.difference(number, self.best, measure) for measure, name in enumerate(names)}
            found.append(MoveOdds(moves[number].text, number, figures, differences, {}, self.may_be_best(number)))
        return tuple(found)


def exact_moves(spec: OddsSpec, position: Any, trees: Sequence[Exact], level: float) -> tuple[MoveOdds, ...]:
    """All moves with their exact odds, the best first.

    Parameters
    ----------
    spec
        What the game provides.
    position
        The position.
    trees
        The whole tree behind each of its moves.
    level
        Confidence level that the figures carry.
    """
    values = [[Fraction(total, tree.weight) for total in tree.totals] for tree in trees]
    order = sorted(range(len(trees)), key=lambda move: (-values[move][0], move))
    best = order[0]

    def estimate(value: Fraction, unit: str) -> Estimate:
        return Estimate(float(value), float(value), float(value), level, "exact", unit, position.n_deals)

    found = []
    for move in order:
        named = list(enumerate(spec.measures))
        figures = {what.name: estimate(values[move][k], what.unit) for k, what in named}
        differences = {what.name: estimate(values[move][k] - values[best][k], what.unit) for k, what in named}
        fractions = {what.name: values[move][k] for k, what in named}
        found.append(
            MoveOdds(
                position.moves[move].text,
                move,
                figures,
                {} if move == best else differences,
                fractions,
                values[move][0] == values[best][0],
            )
        )
    return tuple(found)
