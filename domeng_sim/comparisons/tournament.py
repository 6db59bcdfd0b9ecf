"""Which of many strategies is best?  Full tables on the same deals, balanced for seats and neighbours."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from domeng_sim.comparisons.block_estimates import Running, share_numerators, share_range
from domeng_sim.comparisons.design import Lineup
from domeng_sim.comparisons.sequential import Chunk, StudySession, drive
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.comparisons.tournament_result import Entrants, PairDifference, Place, TournamentResult
from domeng_sim.stats import confseq, critical, multiple, ranking
from domeng_sim.stats.estimate import Estimate

_TELL_SECONDS, _TELL_SELDOM = 2.0, 120.0
"""The ranking so far is told after so long, then ever more rarely, but every two minutes."""

Floats = npt.NDArray[np.float64]


@dataclass
class Tournament:
    """A tournament under way.

    Attributes
    ----------
    entry
        Who takes part.
    stopping
        How far to go.
    tell
        Given the ranking so far, every now and then.
    """

    entry: Entrants
    stopping: Stopping
    tell: Callable[[str], None] = lambda text: None
    lineups: tuple[Lineup, ...] = field(init=False)
    blocks: int = 0
    looks: int = 0
    games: int = 0
    rounds: int = 0
    finished: int = 0

    def __post_init__(self) -> None:
        self.lineups, self._tables = self.entry.lineups(), self.entry.tables()
        k = len(self.entry.strategies)
        self._unit = f"share of games, fair {self.entry.setting.fair:g}"
        self._pairs = list(combinations(range(k), 2))
        scale, null, low, high = share_range(self.lineups[0], 0, self.entry.setting)
        each = [sum(s in table for table in self._tables) for s in range(k)]
        self._shares = [Running(n * scale, n * null, n * low, n * high, False) for n in each]
        together = [sum(i in table and j in table for table in self._tables) for i, j in self._pairs]
        self._meet = together
        self._differences = [Running(max(n, 1) * scale, 0, -n * high, n * high, False) for n in together]
        self._won: list[npt.NDArray[np.int32]] = []
        self._next, self._wait = time.monotonic() + _TELL_SECONDS, _TELL_SECONDS

    def add(self, chunk: Chunk) -> None:
        """Take in a chunk."""
        setting, n = self.entry.setting, len(chunk.blocks)
        k = len(self.entry.strategies)
        total = np.zeros((n, k), np.int64)
        paired = np.zeros((n, len(self._pairs)), np.int64)
        column = {pair: number for number, pair in enumerate(self._pairs)}
        for table, lineup, scores in zip(self._tables, self.lineups, chunk.scores, strict=True):
            numerators = {s: share_numerators(scores, lineup, member, setting) for member, s in enumerate(table)}
            for s, values in numerators.items():
                total[:, s] += values
            for i, j in combinations(sorted(table), 2):
                paired[:, column[i, j]] += numerators[i] - numerators[j]
            self.games += n * len(lineup.seatings) * setting.games_per_match
            self.finished += int(scores.totals[:, 0].sum())
            self.rounds += int(scores.totals[:, 2].sum())
        for running, values in zip(self._shares, total.T, strict=True):
            running.add(values)
        for running, values in zip(self._differences, paired.T, strict=True):
            running.add(values)
        self._won.append(np.stack([scores.won for scores in chunk.scores], axis=1).astype(np.int32))
        self.blocks += n

    def look(self) -> str:
        """Look at what is there: a reason to stop, or an empty text."""
        stopping = self.stopping
        self.looks = 1 if stopping.fixed else self.looks + 1
        now = time.monotonic()
        if now >= self._next:
            self.tell(self.standing())
            self._wait = min(2 * self._wait, _TELL_SELDOM)
            self._next = now + self._wait
        if stopping.fixed:
            return ""
        if stopping.radius:
            halves = [share.half_width for share in self._anytime_shares()]
            if all(half is not None and half <= stopping.radius for half in halves):
                return "until"
        if stopping.decided and self.blocks >= confseq.FIRST_LOOK:
            adjusted = multiple.holm(self._p_values())
            if (adjusted < 1 - stopping.level).all():
                return "until"
        return ""

    def _anytime_shares(self) -> list[Estimate]:
        """Shares with intervals that hold together and at every look: each at a part of the error."""
        level = critical.shared(self.stopping.level, len(self._shares))
        watching = Stopping(level=self.stopping.level, best_at=self.stopping.best_at)
        return [share.estimate(watching, self.looks, self._unit, level) for share in self._shares]

    def standing(self) -> str:
        """The ranking so far, in a line, with intervals that hold together and at every look."""
        shown = sorted(zip(self._anytime_shares(), self.entry.names, strict=True), key=lambda x: -(x[0].value or 0))
        texts = []
        for share, name in shown:
            half = share.half_width
            texts.append(f"{name} {100 * (share.value or 0):.1f}" + (f" ±{100 * half:.1f}" if half is not None else ""))
        return f"after {self.blocks:,} block{'s' * (self.blocks != 1)}, % of games: {', '.join(texts)}"

    def scores(self) -> list[Running]:
        """Scores of each strategy, block by block."""
        return self._shares

    def shares(self) -> Floats:
        """Share of each strategy in each block, shape (blocks, strategies)."""
        return np.stack([running.numerators() / running.scale for running in self._shares], axis=1)

    def _p_values(self) -> Floats:
        stopping = self.stopping
        return np.array(
            [running.p_value(stopping) if n else 1.0 for running, n in zip(self._differences, self._meet, strict=True)]
        )

    def _share_estimates(self) -> list[Estimate]:
        """Shares with intervals that hold together.

        For a fixed number of blocks from a bootstrap, but for strategies of which hardly any block differs: those bet,
        each with its own part of the error, and the others share the rest.
        """
        stopping, k = self.stopping, len(self._shares)
        if not stopping.fixed:
            return self._anytime_shares()
        enough = self.blocks >= multiple.FEWEST_BLOCKS
        betting = [enough and running.needs_bets(stopping) for running in self._shares]
        alone = critical.shared(stopping.level, k)
        rest = critical.shared(stopping.level, k / max(k - sum(betting), 1))
        scores = self.shares()[:, np.logical_not(betting)]
        together = iter(multiple.max_t(scores, level=rest, unit=self._unit, bounds=(0.0, 1.0)))
        return [
            running.estimate(stopping, self.looks, self._unit, alone)
            if bets
            else replace(next(together), level=stopping.level)
            for running, bets in zip(self._shares, betting, strict=True)
        ]

    def result(self, reason: str, seconds: float) -> TournamentResult:
        """What is known so far."""
        stopping, k = self.stopping, len(self.entry.strategies)
        level = stopping.level if stopping.fixed else critical.shared(stopping.level, len(self._pairs))
        estimates = [
            running.estimate(stopping, self.looks, "difference of shares", level) for running in self._differences
        ]
        p = self._p_values()
        adjusted = multiple.holm(p)
        matrix, apart = np.zeros((k, k)), np.zeros((k, k), np.bool_)
        for (i, j), running, p_holm, n in zip(self._pairs, self._differences, adjusted, self._meet, strict=True):
            mean = running.moments.mean if self.blocks and n else np.nan
            matrix[i, j], matrix[j, i] = mean, -mean
            apart[i, j] = apart[j, i] = p_holm < 1 - stopping.level
        shares = self._share_estimates()
        values = [share.value or 0.0 for share in shares]
        letters = multiple.tie_groups(apart, values) if self.blocks else [""] * k
        circles = ranking.intransitivity(matrix, apart)
        strengths = self._strengths()
        order = sorted(range(k), key=lambda s: (-values[s], s))
        return TournamentResult(
            entry=self.entry,
            stopping=stopping,
            blocks=self.blocks,
            looks=self.looks,
            games=self.games,
            rounds=self.rounds,
            finished=self.finished,
            reason=reason,
            places=tuple(Place(s, self.entry.names[s], shares[s], strengths.estimates[s], letters[s]) for s in order),
            pairs=tuple(
                PairDifference(i, j, estimate, float(one), float(holm), running.differing)
                for (i, j), estimate, one, holm, running in zip(
                    self._pairs, estimates, p, adjusted, self._differences, strict=True
                )
            ),
            cycles=circles.cycles,
            transitive=circles.transitive,
            connected=strengths.connected,
            seconds=seconds,
        )

    def _strengths(self) -> ranking.Strengths:
        k, tables = len(self.entry.strategies), np.array(self._tables)
        won = np.concatenate(self._won) if self._won else np.zeros((0, *tables.shape), np.int32)
        return ranking.plackett_luce(tables, won, k, level=self.stopping.level, looks=self.looks)


def tournament(entry: Entrants, stopping: Stopping, session: StudySession | None = None) -> TournamentResult:
    """Play a tournament.

    Parameters
    ----------
    entry
        Who takes part.
    stopping
        How far to go.
    session
        With how many threads, and where blocks are kept; the answer does not depend on it.

    Raises
    ------
    UserError
        If a user's function failed, or a file could not be written.
    """
    session = session or StudySession()
    study = Tournament(entry, stopping, session.progress.message)
    reason, seconds = drive(entry.setting, study.lineups, stopping, session, study.add, study.look)
    return study.result(reason, seconds)
