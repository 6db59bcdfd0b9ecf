"""What should I play here?  Odds of each move of a position, sampled or exact.

Every sample draws the hidden tiles once, uniformly among all deals that agree with what was seen, and plays each move
on that deal with the same luck.  Samples are independent; moves within a sample are not, which is what makes
differences between moves precise.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from domeng_sim.core import jit
from domeng_sim.errors import BadInput, Interrupted
from domeng_sim.executors.threads import Threads
from domeng_sim.games.odds import Exact, Measure, OddsKernel, OddsSpec, Sums
from domeng_sim.games.spec import GameSpec, Seat
from domeng_sim.progress import Progress, Silent
from domeng_sim.stats import confseq
from domeng_sim.stats.blocks import Moments
from domeng_sim.stats.clusters import student
from domeng_sim.stats.estimate import Estimate
from domeng_sim.stats.intervals import clopper_pearson, proportion, upper_bound

DEFAULT_SAMPLES = 100_000
MOST_SAMPLES = 10**9
"""Where sampling until a precision gives up."""
MOST_DEALS = 10**6
"""Deals that are gone through at most; from the middle of a round on, a deal takes milliseconds."""
MOST_LEAVES = 10_000_000
"""Courses of the round behind a move on one deal that are gone through at most: some seconds."""

_CHUNK = 4096
_FIRST_LOOK = 8192
_LOOKS_APART = 1.25
_FEW = 20
"""With fewer samples than this in which two moves differ, the difference gets an exact interval."""
_PROOF_DEALS = 1000
_PROOF_LEAVES = 100_000
"""How far to look for a proof that a position is decided, when all samples agree: some tenths of a second."""
_CHUNK_SECONDS = 0.2
_LONG_SECONDS = 3.0


@dataclass(frozen=True)
class MoveOdds:
    """A move and its odds.

    Attributes
    ----------
    text
        What it is called.
    number
        Its position among the moves in the core's order.
    figures
        By measure, the figure.
    differences
        By measure, the figure minus that of the best move; none for the best move itself.
    fractions
        By measure, the exact value; empty where it was sampled.
    is_tied
        Whether it may be the best move, as far as can be told.
    """

    text: str
    number: int
    figures: Mapping[str, Estimate]
    differences: Mapping[str, Estimate]
    fractions: Mapping[str, Fraction]
    is_tied: bool


@dataclass(frozen=True)
class Odds:
    """Odds of all moves of a position.

    Attributes
    ----------
    spec
        The game.
    position
        The position.
    moves
        The moves, that with the highest probability of winning first.
    method
        ``sampled`` or ``exact``.
    samples
        Samples played; None for exact odds.
    deals
        Number of deals that agree with what was seen.
    level
        Confidence level.
    reason
        Why sampling ended: ``samples``, ``until`` or ``limit``; ``exact``.
    seconds
        How long it took, compiling left out.
    details
        For exact odds, by move (in the core's order) further totals by name, as fractions.
    """

    spec: GameSpec
    position: Any
    moves: tuple[MoveOdds, ...]
    method: str
    samples: int | None
    deals: int
    level: float
    reason: str
    seconds: float
    details: tuple[Mapping[str, tuple[Fraction, ...]], ...] = ()

    def __repr__(self) -> str:
        """In a line: how often each move wins."""
        how = "exact" if self.samples is None else f"{self.samples:,} samples"
        told = ", ".join(f"{move.text} {move.figures['win'].value or 0.0:.4g}" for move in self.moves)
        return f"<Odds of winning, {how}: {told}>"

    @property
    def tied(self) -> tuple[MoveOdds, ...]:
        """The moves of which one is the best, as far as can be told."""
        return tuple(move for move in self.moves if move.is_tied)

    @property
    def advice(self) -> str:
        """What to play, in a sentence."""
        if len(self.moves) == 1:
            return f"There is nothing to choose: {self.moves[0].text}."
        tied, first = self.tied, self.moves[0]
        if len(tied) == 1:
            sure = "" if self.method == "exact" else f" ({100 * self.level:.6g} % sure)"
            return f"Play {first.text}: it wins most often{sure}."
        names = ", ".join(move.text for move in tied[:-1]) + f" and {tied[-1].text}"
        if self.method == "exact":
            return f"{names} win equally often."
        if all(move.differences["win"].kind == "exact" for move in tied[1:]):
            return f"{names} win equally often, whatever the hidden tiles are."
        return f"{names} cannot be told apart with {self.samples:,} samples; more of them may."

    def to_json(self) -> dict[str, Any]:
        """The odds as plain numbers; fractions as texts."""
        return {
            "method": self.method,
            "samples": self.samples,
            "deals": str(self.deals),
            "level": self.level,
            "ended": self.reason,
            "seconds": self.seconds,
            "advice": self.advice,
            "best": [move.text for move in self.tied],
            "moves": [
                {
                    "move": move.text,
                    "may_be_best": move.is_tied,
                    "figures": {name: figure.to_json() for name, figure in move.figures.items()},
                    "minus_best": {name: figure.to_json() for name, figure in move.differences.items()} or None,
                    "fractions": {name: str(value) for name, value in move.fractions.items()} or None,
                }
                for move in self.moves
            ],
        }


@dataclass
class Session:
    """With what odds are found; but for `proofs` nothing here changes them.

    Attributes
    ----------
    threads
        How many threads play.
    progress
        Told how far it is.
    stop
        Set from outside to stop early.
    proofs
        Whether to look for a proof where all samples agree who wins; another engine does that.
    """

    threads: int = 1
    progress: Progress = field(default_factory=Silent)
    stop: threading.Event = field(default_factory=threading.Event)
    proofs: bool = True

    def check(self) -> None:
        """Stop here if that was asked for.

        Raises
        ------
        Interrupted
            If it was.
        """
        if self.stop.is_set():
            raise Interrupted


def odds_of(spec: GameSpec) -> OddsSpec:
    """What the game provides for odds.

    Raises
    ------
    BadInput
        If it does not.
    """
    if spec.odds is None:
        raise BadInput(f"there are no odds for positions of {spec.title} yet")
    return spec.odds()


# --- Sampled ----------------------------------------------------------------------------------------------------------


def sampled_odds(
    spec: GameSpec,
    position: Any,
    seats: Sequence[Seat],
    seed: int,
    samples: int = DEFAULT_SAMPLES,
    until: float = 0.0,
    level: float = 0.95,
    session: Session | None = None,
) -> Odds:
    """Odds of each move by sampling.

    Parameters
    ----------
    spec
        The game.
    position
        From `spec.odds.read`.
    seats
        How each seat plays on.
    seed
        0 to 2^64 - 1; the same seed gives the same odds, whatever the threads.
    samples
        How many; not looked at with `until`.
    until
        Sample until every probability of winning, and every difference to the best, is known to plus or minus this
        (a share), by intervals that hold at every look; 0 for a number fixed beforehand.
    level
        Confidence level.
    session
        With what.

    Raises
    ------
    Interrupted
        If it was stopped.
    StrategyError
        If a user's function failed.
    """
    session = session or Session()
    kernel = odds_of(spec).kernel()
    _compile(kernel.engine(position, seats), lambda: kernel.sample(position, seats, seed, 0, 1), session)
    started = time.perf_counter()
    best_at = confseq.blocks_for_radius(until, 0.5, level=level) if until else 0.0
    session.progress.begin(math.ceil(best_at) if until else samples, 0, "samples")
    sums, look, reason = None, 0, "samples"
    try:
        for end in _looks(0 if until else samples):
            here = sums.n if sums else 0
            for part in _sample(kernel, position, seats, seed, here, end, session):
                sums = part if sums is None else sums + part
                session.progress.update(sums.n)
            assert sums is not None
            look += 1
            if not until:
                break
            judge = Judge(odds_of(spec).measures, sums, level, best_at, look, {})
            if judge.widest_win() <= until:
                reason = "until"
                break
        else:
            reason = "limit"
    finally:
        session.progress.end()
    assert sums is not None
    certain = _proofs(odds_of(spec), kernel, position, sums, session) if session.proofs else {}
    judge = Judge(odds_of(spec).measures, sums, level, best_at, max(look, 1), certain)
    seconds = time.perf_counter() - started
    return Odds(
        spec, position, judge.moves(position.moves), "sampled", sums.n, position.n_deals, level, reason, seconds
    )


def _looks(samples: int) -> list[int]:
    """Numbers of samples after which to look; they depend on nothing, so that neither does the end."""
    if samples:
        return [samples]
    ends = [_FIRST_LOOK]
    while ends[-1] < MOST_SAMPLES:
        ends.append(min(math.ceil(ends[-1] * _LOOKS_APART / _CHUNK) * _CHUNK, MOST_SAMPLES))
    return ends


def _sample(
    kernel: OddsKernel, position: Any, seats: Sequence[Seat], seed: int, first: int, end: int, session: Session
) -> Iterator[Sums]:
    """Sums of chunks of samples, as they are finished: whole numbers, so that the order does not matter."""

    def play(number: int) -> Sums:
        session.check()
        return kernel.sample(position, seats, seed, number, min(_CHUNK, end - number))

    return Threads(session.threads).map(play, range(first, end, _CHUNK), session.check)


def _proofs(spec: OddsSpec, kernel: OddsKernel, position: Any, sums: Sums, session: Session) -> dict[int, Exact]:
    """Whole trees of moves of which all samples agree who wins, where the trees are small: whether that is certain.

    Trees are those of players at random, who may do anything that is legal: what is certain then is certain with any
    strategies.
    """
    found = {}
    for number, move in enumerate(position.moves):
        wins = int(sums.totals[number, 0])
        ends = position.ends_round(move)
        if 0 < wins < sums.n or not (ends or position.n_deals <= _PROOF_DEALS):
            continue
        # A move that ends the round ends it in the same way on every deal, open measures apart.
        deals = 1 if ends else position.n_deals
        _compile(kernel.exact_engine(position), lambda: kernel.expand(position, 0, 0, 1, 1), session)
        tree = kernel.expand(position, number, 0, deals, _PROOF_LEAVES)
        if tree is not None and deals < position.n_deals:
            tree = _without_open(spec.measures, tree)
        if tree is not None:
            found[number] = tree
    return found


def _without_open(measures: Sequence[Measure], tree: Exact) -> Exact:
    """The tree of one deal with all that another deal may change left open."""
    bounds = list(zip(measures, tree.lows, tree.highs, strict=True))
    return replace(
        tree,
        lows=tuple(what.low if what.is_open else low for what, low, _ in bounds),
        highs=tuple(what.high if what.is_open else high for what, _, high in bounds),
    )


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
    """

    def __init__(
        self,
        measures: Sequence[Measure],
        sums: Sums,
        level: float,
        best_at: float,
        looks: int,
        proofs: Mapping[int, Exact],
    ) -> None:
        self._measures, self._sums, self._level = measures, sums, level
        self._best_at, self._looks, self._proofs = best_at, looks, proofs
        self._n_moves = sums.totals.shape[0]
        wins = sums.totals[:, 0]
        # Equal counts: the move that comes first in the core's order.
        self._order = sorted(range(self._n_moves), key=lambda move: (-int(wins[move]), move))
        self.best = self._order[0]

    def _certain(self, move: int, measure: int) -> int | None:
        """The value of a measure where it is proved to be the same however the round goes on."""
        tree = self._proofs.get(move)
        return tree.lows[measure] if tree is not None and tree.lows[measure] == tree.highs[measure] else None

    def figure(self, move: int, measure: int) -> Estimate:
        """A figure with its interval."""
        what, n = self._measures[measure], self._sums.n
        certain = self._certain(move, measure)
        if certain is not None:
            return Estimate(certain, certain, certain, self._level, "exact", what.unit, n, None, self._looks)
        total = int(self._sums.totals[move, measure])
        if what.kind == "share":
            if self._best_at:
                return confseq.bernoulli(
                    total, n, n_best=self._best_at, level=self._level, unit=what.unit, looks=self._looks
                )
            return proportion(total, n, level=self._level, unit=what.unit)
        moments = Moments(n, total, int(self._sums.products[measure, move, move]))
        return self._mean(moments, (float(what.low), float(what.high)), what.unit)

    def difference(self, move: int, other: int, measure: int) -> Estimate:
        """A figure of a move minus that of another, from the same samples."""
        what, sums = self._measures[measure], self._sums
        a, b = self._certain(move, measure), self._certain(other, measure)
        if a is not None and b is not None:
            return Estimate(a - b, a - b, a - b, self._level, "exact", what.unit, sums.n, None, self._looks)
        x, y = int(sums.totals[move, measure]), int(sums.totals[other, measure])
        xx, yy, xy = (int(sums.products[measure, p, q]) for p, q in ((move, move), (other, other), (move, other)))
        moments = Moments(sums.n, x - y, xx + yy - 2 * xy)
        if what.kind == "share" and xx + yy - 2 * xy < _FEW:
            return self._few(x - xy, y - xy, what.unit)
        most = float(what.high - what.low)
        return self._mean(moments, (-most, most), what.unit)

    def _few(self, more: int, less: int, unit: str) -> Estimate:
        """A difference of two shares where few samples differ: exact intervals of both ways to differ, put together."""
        n, level = self._sums.n, (1 + self._level) / 2
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
        half = student(n - 1, self._level) * moments.sd / math.sqrt(n)
        low, high = max(mean - half, bounds[0]), min(mean + half, bounds[1])
        return Estimate(mean, low, high, self._level, "student", unit, n, None, self._looks)

    def widest_win(self) -> float:
        """Largest half-width of a probability of winning, and of a difference to the best."""
        figures = [self.figure(move, 0) for move in range(self._n_moves)]
        figures += [self.difference(move, self.best, 0) for move in range(self._n_moves) if move != self.best]
        return max(math.inf if figure.half_width is None else figure.half_width for figure in figures)

    def may_be_best(self, move: int) -> bool:
        """Whether a move cannot be ruled out as the best one.

        The truly best move is kept with the confidence level, since each of its comparisons with the others goes wrong
        with the error divided by their number (Hsu 1996, *Multiple Comparisons*, chapter 4).  By McNemar's exact test
        (1947, Psychometrika 12), which looks only at samples that one of the two moves wins and the other does not;
        where the number of samples is not fixed, by a one-sided confidence sequence.
        """
        if move == self.best:
            return True
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
            interval = confseq.bernoulli(more, more + less, n_best=self._best_at / 10, level=1 - 2 * alpha)
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


def _compile(engine: str, compile_now: Any, session: Session) -> None:
    """Tell the user before code is compiled for the first time, and compile it."""
    if not jit.is_compiled(engine):
        session.progress.message(f"Compiling the engine {engine} for this machine, some seconds, once")
        compile_now()
        jit.mark_compiled(engine)
    session.check()


# --- Exact ------------------------------------------------------------------------------------------------------------


def exact_odds(spec: GameSpec, position: Any, level: float = 0.95, session: Session | None = None) -> Odds:
    """Exact odds of each move, all players at random, by going through every course of the round on every deal.

    Parameters
    ----------
    spec
        The game.
    position
        From `spec.odds.read`.
    level
        Stands in the estimates, whose intervals have no width.
    session
        With what.

    Raises
    ------
    BadInput
        If too many deals agree with the position, or the tree behind it is too large.
    Interrupted
        If it was stopped.
    """
    session = session or Session()
    if position.n_deals > MOST_DEALS:
        raise BadInput(
            f"{position.n_deals:,} deals agree with this position, and --exact goes through {MOST_DEALS:,} at most; "
            "give the hands that are known by --hands, or leave out --exact to sample them"
        )
    kernel = odds_of(spec).kernel()
    _compile(kernel.exact_engine(position), lambda: kernel.expand(position, 0, 0, 1, 1), session)
    started = time.perf_counter()
    n_moves, n_deals = len(position.moves), position.n_deals
    step = _announce(kernel, position, session)
    session.progress.begin(n_moves * n_deals, 0, "trees")
    pieces = [(move, first, min(step, n_deals - first)) for first in range(0, n_deals, step) for move in range(n_moves)]

    def expand(piece: tuple[int, int, int]) -> tuple[int, int, Exact]:
        session.check()
        move, first, n = piece
        return move, n, _whole(kernel, position, move, first, n)

    trees: dict[int, Exact] = {}
    done = 0
    try:
        for move, n, tree in Threads(session.threads).map(expand, pieces, session.check):
            trees[move] = trees[move] + tree if move in trees else tree
            done += n
            session.progress.update(done)
    finally:
        session.progress.end()
    found = _exact_moves(odds_of(spec), position, [trees[move] for move in range(n_moves)], level)
    details = tuple(
        {name: tuple(Fraction(x, trees[move].weight) for x in values) for name, values in trees[move].details.items()}
        for move in range(n_moves)
    )
    seconds = time.perf_counter() - started
    return Odds(spec, position, found, "exact", None, n_deals, level, "exact", seconds, details)


def _whole(kernel: OddsKernel, position: Any, move: int, first: int, n: int) -> Exact:
    """The whole tree behind a move on some deals.

    Raises
    ------
    BadInput
        If it is too large.
    """
    tree = kernel.expand(position, move, first, n, MOST_LEAVES * n)
    if tree is None:
        raise BadInput(
            f"the round can go on in more than {MOST_LEAVES:,} courses from here, too many for --exact; leave it out "
            "to sample them"
        )
    return tree


def _announce(kernel: OddsKernel, position: Any, session: Session) -> int:
    """Try some deals, say how long all will take if that is long, and return how many to take at a time."""
    n_moves, n_deals = len(position.moves), position.n_deals
    kernel.expand(position, 0, 0, 1, 1)  # code that is compiled already is loaded here, which is not to be timed
    rng = np.random.default_rng(0)
    each, n, tried, leaves = 0.0, 1, 0, 0
    while True:
        # Pieces of twice as many deals each time, anywhere: deals of neighbouring numbers are much alike.
        started = time.perf_counter()
        tree = _whole(kernel, position, tried % n_moves, int(rng.integers(n_deals - n + 1)), n)
        seconds = time.perf_counter() - started
        each, leaves, tried = seconds / n, tree.leaves // n, tried + 1
        session.check()
        if seconds > _CHUNK_SECONDS / 2 or 2 * n > n_deals:
            break
        n *= 2
    expected = each * n_moves * n_deals / min(session.threads, n_moves * n_deals)
    if expected > _LONG_SECONDS:
        session.progress.message(
            f"{n_deals:,} deals and {n_moves} move{'s' * (n_moves > 1)}, about {leaves:,} courses of the round each: "
            f"this will take about {_duration(expected)}"
        )
    return max(1, int(_CHUNK_SECONDS / each))


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 6000 else f"{seconds / 3600:.1f} hours"


def _exact_moves(spec: OddsSpec, position: Any, trees: Sequence[Exact], level: float) -> tuple[MoveOdds, ...]:
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
