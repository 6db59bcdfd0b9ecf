"""What should I play here?  Odds of each move of a position, sampled or exact.

Every sample draws the hidden tiles once, uniformly among all deals that agree with what was seen, and plays each move
on that deal with the same luck.  Samples are independent; moves within a sample are not, so differences are made of
pairs.  That saves little (0 to 4 % of its error): two moves are followed by rounds that soon have little in common.
What saves is to stop sampling moves significantly worse than the best.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from domeng_sim.errors import BadInput, FieldRef
from domeng_sim.games import game
from domeng_sim.games.shared.odds import Exact, Measure, OddsKernel, OddsSpec, SampleSums
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import Model, Seat
from domeng_sim.positions.judging import Judge, exact_moves
from domeng_sim.positions.odds_result import OddsResult
from domeng_sim.runs.executors.base import Item, Result
from domeng_sim.runs.part_player import announced, one_compiles
from domeng_sim.runs.session import Session
from domeng_sim.stats import confseq
from domeng_sim.strategies.spec import StrategySpec, seat

DEFAULT_SAMPLES = 100_000
MOST_SAMPLES = 10**9
"""Where sampling until a precision gives up."""
MOST_DEALS = 10**6
"""Deals that are gone through at most; from the middle of a round on, a deal takes milliseconds."""
MOST_LEAVES = 10_000_000
"""Courses of the round behind a move on one deal that are gone through at most: some seconds."""

_CHUNK = 4096
_FAR = 16
"""So many chunks are sent at once to another process, since that takes a millisecond or two."""
_FIRST_LOOK = 8192
_LOOKS_APART = 1.25
_PROOF_DEALS = 1000
_PROOF_LEAVES = 100_000
"""How far to look for a proof that a position is decided, when all samples agree: some tenths of a second."""
_CHUNK_SECONDS = 0.2
_LONG_SECONDS = 3.0


@dataclass
class OddsSession(Session):
    """Execution settings; only `proofs` and `infer` affect results.

    Attributes
    ----------
    proofs
        Whether to look for a proof where all samples agree who wins; another engine does that.
    strategies
        How the seats play, where others than this process play.
    infer
        Name of a strategy, and how the others are taken to have chosen by it: deals count by how likely their choices
        are.
    """

    proofs: bool = True
    strategies: tuple[StrategySpec, ...] = ()
    infer: tuple[str, Model] | None = None

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Results of a function, as they are finished."""

        def play(item: Item) -> Result:
            self.check()
            return function(item)

        return self.workers.map(play if self.workers.is_local else function, items, self.check)


def odds_of(spec: GameSpec) -> OddsSpec:
    """What the game provides for odds.

    Raises
    ------
    BadInput
        If it does not.
    """
    if spec.odds is None:
        raise BadInput(f"there are no odds for positions of {spec.title} yet")
    return spec.odds


# --- Sampled ----------------------------------------------------------------------------------------------------------


def sampled_odds(
    spec: GameSpec,
    position: Any,
    seats: Sequence[Seat],
    seed: int,
    samples: int = DEFAULT_SAMPLES,
    until: float = 0.0,
    level: float = 0.95,
    session: OddsSession | None = None,
) -> OddsResult:
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
        (a share), by intervals that hold at every look, of all moves that may be the best; one that is found to be
        significantly worse than the best is sampled no further.  0 for a number fixed beforehand.
    level
        Confidence level.
    session
        With what.

    Raises
    ------
    BadInput
        If nothing can be concluded from choices in this game.
    Interrupted
        If it was stopped.
    StrategyError
        If a user's function failed.
    """
    session = session or OddsSession()
    kernel, infer = odds_of(spec).kernel(), session.infer
    model = infer[1] if infer else None
    if model is not None and (spec.search is None or not spec.search.infers):
        raise BadInput(f"nothing can be concluded from what others chose in {spec.title} yet")
    first = partial(kernel.sample, position, seats, seed, 0, 1, model=model)
    _compile(kernel.engine(position, seats, model), first, session)
    started = time.perf_counter()
    best_at = confseq.blocks_for_radius(until, 0.5, level=level) if until else 0.0
    session.progress.begin(math.ceil(best_at) if until else samples, 0, "samples")
    sums, look, reason, n_moves = None, 0, "samples", len(position.moves)
    dropped: dict[int, SampleSums] = {}
    try:
        for end in _looks(0 if until else samples):
            here = sums.n if sums else 0
            kept = [move for move in range(n_moves) if move not in dropped]
            sampler = Sampler(spec.name, position, seats, session.strategies, seed, kept, model)
            for part in _sample(sampler, here, end, session):
                sums = part.among(kept, n_moves) if sums is None else sums + part.among(kept, n_moves)
                session.progress.update(sums.n)
            assert sums is not None
            look += 1
            if not until:
                break
            counted = sums.unweighted()
            judge = Judge(odds_of(spec).measures, counted, level, best_at, look, {}, dropped)
            dropped |= {move: counted for move in kept if not judge.may_be_best(move)}
            if judge.widest_win() <= until:
                reason = "until"
                break
        else:
            reason = "limit"
    finally:
        session.progress.end()
    assert sums is not None
    counted = sums.unweighted()
    seen = [dropped.get(move, counted) for move in range(n_moves)]
    certain = _proofs(odds_of(spec), kernel, position, seen, session) if session.proofs else {}
    judge = Judge(odds_of(spec).measures, counted, level, best_at, max(look, 1), certain, dropped)
    seconds = time.perf_counter() - started
    found = judge.moves(position.moves)
    odds = OddsResult(spec, position, found, "sampled", sums.n, position.n_deals, level, reason, seconds)
    return replace(odds, infer=infer[0], effective=counted.n) if infer else odds


def _looks(samples: int) -> list[int]:
    """Numbers of samples after which to look; they depend on nothing, so that neither does the end."""
    if samples:
        return [samples]
    ends = [_FIRST_LOOK]
    while ends[-1] < MOST_SAMPLES:
        ends.append(min(math.ceil(ends[-1] * _LOOKS_APART / _CHUNK) * _CHUNK, MOST_SAMPLES))
    return ends


@dataclass(frozen=True)
class Sampler:
    """Plays samples of a position; can be sent to another process.

    Attributes
    ----------
    game, position
        The game by its name, and the position.
    seats
        How each seat plays on; None in a process to which it was sent.
    strategies
        The same, for a process to which compiled functions cannot be sent.
    seed
        Of the samples.
    moves
        Numbers of the moves to sample.
    model
        How the others are taken to have chosen; None if all deals count alike.
    """

    game: str
    position: Any
    seats: Sequence[Seat] | None
    strategies: tuple[StrategySpec, ...]
    seed: int
    moves: list[int]
    model: Model | None

    def __call__(self, piece: tuple[int, int]) -> SampleSums:
        """Play so many samples from one on."""
        kernel, seats = odds_of(game(self.game)).kernel(), self.seats
        if seats is None:
            seats = tuple(seat(one) for one in self.strategies)
            with one_compiles():
                kernel.sample(self.position, seats, self.seed, 0, 1, model=self.model)
        return kernel.sample(self.position, seats, self.seed, *piece, moves=self.moves, model=self.model)

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is sent: without compiled functions."""
        return Sampler, (self.game, self.position, None, self.strategies, self.seed, self.moves, self.model)


def _sample(sampler: Sampler, first: int, end: int, session: OddsSession) -> Iterator[SampleSums]:
    """SampleSums of chunks of samples, as they are finished: whole numbers, so that the order does not matter."""
    step = _CHUNK if session.workers.is_local else _FAR * _CHUNK
    pieces = [(number, min(step, end - number)) for number in range(first, end, step)]
    return session.map(sampler, pieces)


def _proofs(
    spec: OddsSpec, kernel: OddsKernel, position: Any, seen: Sequence[SampleSums], session: OddsSession
) -> dict[int, Exact]:
    """Whole trees of moves of which all samples agree who wins, where the trees are small: whether that is certain.

    Trees are those of players at random, who may do anything that is legal: what is certain then is certain with any
    strategies.
    """
    found = {}
    for number, move in enumerate(position.moves):
        wins = int(seen[number].totals[number, 0])
        ends = position.ends_round(move)
        if 0 < wins < seen[number].n or not (ends or position.n_deals <= _PROOF_DEALS):
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


def _compile(engine: str, compile_now: Any, session: OddsSession) -> None:
    """Compile what is not compiled yet, and tell the user."""
    with announced(engine, session.progress):
        compile_now()
    session.check()


# --- Exact ------------------------------------------------------------------------------------------------------------


def exact_odds(spec: GameSpec, position: Any, level: float = 0.95, session: OddsSession | None = None) -> OddsResult:
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
    session = session or OddsSession()
    if position.n_deals > MOST_DEALS:
        raise BadInput(
            *(f"{position.n_deals:,} deals agree with this position, and ", FieldRef("exact", True)),
            *(f" goes through {MOST_DEALS:,} at most; give the hands that are known by ", FieldRef("hands")),
            *(", or leave out ", FieldRef("exact", True), " to sample them"),
        )
    kernel = odds_of(spec).kernel()
    _compile(kernel.exact_engine(position), lambda: kernel.expand(position, 0, 0, 1, 1), session)
    started = time.perf_counter()
    n_moves, n_deals = len(position.moves), position.n_deals
    step = _announce(kernel, position, session)
    session.progress.begin(n_moves * n_deals, 0, "trees")
    pieces = [(move, first, min(step, n_deals - first)) for first in range(0, n_deals, step) for move in range(n_moves)]

    trees: dict[int, Exact] = {}
    done = 0
    try:
        for move, n, tree in session.map(partial(_expand, spec.name, position), pieces):
            trees[move] = trees[move] + tree if move in trees else tree
            done += n
            session.progress.update(done)
    finally:
        session.progress.end()
    found = exact_moves(odds_of(spec), position, [trees[move] for move in range(n_moves)], level)
    details = tuple(
        {name: tuple(Fraction(x, trees[move].weight) for x in values) for name, values in trees[move].details.items()}
        for move in range(n_moves)
    )
    seconds = time.perf_counter() - started
    return OddsResult(spec, position, found, "exact", None, n_deals, level, "exact", seconds, details)


def _expand(name: str, position: Any, piece: tuple[int, int, int]) -> tuple[int, int, Exact]:
    """The trees behind a move on some deals; can be sent to another process."""
    move, first, n = piece
    return move, n, _whole(odds_of(game(name)).kernel(), position, move, first, n)


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
            f"the round can go on in more than {MOST_LEAVES:,} courses from here, too many for ",
            FieldRef("exact", True),
            "; leave it out to sample them",
        )
    return tree


def _announce(kernel: OddsKernel, position: Any, session: OddsSession) -> int:
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
