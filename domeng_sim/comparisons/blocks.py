"""Blocks: the same deals played in several seatings, and what each strategy made of them.

A block is one match number.  Its deals depend on the seed, the match and the round alone, and the random choices of a
strategy on its seat and decision, so every seating of a block meets the same luck.  A block gives whole numbers: games
won and other amounts, added up over the seatings by strategy.  Every comparison is made of such numbers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from domeng_sim.comparisons.design import Lineup, Setting
from domeng_sim.errors import Interrupted, UserError
from domeng_sim.games.shared.measures import Figure
from domeng_sim.games.spec import GameKernel, GameSpec
from domeng_sim.games.types import RuleValue, Seat, StrategyError, Task
from domeng_sim.runs.counters import Counters, Ints, Summer
from domeng_sim.runs.engine import simulate
from domeng_sim.runs.executors.base import asker
from domeng_sim.runs.part_player import one_compiles, prepare
from domeng_sim.runs.plan import Range
from domeng_sim.runs.progress import Silent
from domeng_sim.strategies.spec import StrategySpec, seat

_BITE = 256
"""Matches played at a time: their counts stay in the processor's cache."""


class Scores(NamedTuple):
    """What some blocks of a lineup gave, added up over its seatings.

    Attributes
    ----------
    won
        Games won, shape (blocks, members).
    amounts
        `Scoring.measures`, shape (blocks, members, measures).
    totals
        `Scoring.totals`, shape (blocks, totals).
    figures
        Numerators and denominators of `Setting.figures`, shape (blocks, figures, 2).
    """

    won: Ints
    amounts: Ints
    totals: Ints
    figures: Ints = np.zeros((0, 0, 2), np.int64)

    def __len__(self) -> int:
        return len(self.won)

    @classmethod
    def join(cls, parts: list[Scores]) -> Scores:
        """Scores of blocks that follow each other."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


class Gatherer:
    """From rows of counts to what each seat won and did.

    Parameters
    ----------
    spec, rules
        The game, and its rules, on which the layout of the counters depends.
    figures
        Keys of figures.
    """

    def __init__(self, spec: GameSpec, rules: Mapping[str, RuleValue], figures: Sequence[str] = ()) -> None:
        scoring, self._seats = spec.scoring(rules), spec.seats
        by_key = {figure.key: figure for figure in spec.figures(rules) if isinstance(figure, Figure)} if figures else {}
        ratios = [cells for key in figures for cells in (by_key[key].numerator, by_key[key].denominator)]
        self._width = 1 + len(scoring.measures)
        by_seat = zip(scoring.won, *(measure.amounts for measure in scoring.measures), strict=True)
        wanted = [*(cells for row in by_seat for cells in row), *(cells for _, cells in scoring.totals), *ratios]
        self._sums = Summer(Counters(spec.counts(rules)), wanted)

    def __call__(self, counts: Ints) -> tuple[Ints, Ints]:
        """Amounts of the seats, games won first, (rows, seats, 1 + measures); totals and figures, (rows, sums)."""
        sums = self._sums(counts)
        split = self._seats * self._width
        return sums[:, :split].reshape(len(counts), self._seats, self._width), sums[:, split:]


class BlockPlayer:
    """Plays blocks of lineups.  May be used by several threads at once.

    Parameters
    ----------
    setting
        What all games have in common.
    should_stop
        Asked every now and then.
    on_rounds
        Told how many rounds were played.
    """

    def __init__(
        self,
        setting: Setting,
        should_stop: Callable[[], bool] = lambda: False,
        on_rounds: Callable[[int], None] = lambda rounds: None,
    ) -> None:
        self.setting, self._should_stop, self._on_rounds = setting, should_stop, on_rounds
        self.kernel: GameKernel = setting.spec.kernel()
        self._gatherers: dict[tuple[tuple[str, RuleValue], ...], Gatherer] = {}
        self._seats: dict[StrategySpec, Seat] = {}

    def check(self) -> None:
        """Stop here if that was asked for.

        Raises
        ------
        Interrupted
            If it was.
        """
        if self._should_stop():
            raise Interrupted

    def load(self, members: tuple[StrategySpec, ...]) -> None:
        """Make strategies ready; users' functions are loaded and compiled here."""
        for spec in members:
            if spec not in self._seats:
                self._seats[spec] = seat(spec)

    def task(self, lineup: Lineup, seating: tuple[int, ...], blocks: Range) -> Task:
        """The task that plays some blocks in one seating."""
        return Task(
            rules={**self.setting.rules, **dict(lineup.rules)},
            seats=tuple(self._seats[lineup.members[member]] for member in seating),
            seed=self.setting.seed,
            games=self.setting.games_per_match,
            rounds=0,
            first_match=blocks.first,
            end_match=blocks.end,
            cluster=1,
        )

    def play(self, lineup: Lineup, blocks: Range) -> Scores:
        """Play some blocks in all seatings of a lineup.

        Raises
        ------
        Interrupted
            If `should_stop` said so.
        UserError
            If a user's function failed.
        """
        bites = range(blocks.first, blocks.end, _BITE)
        return Scores.join([self._play(lineup, Range(at, min(at + _BITE, blocks.end))) for at in bites])

    def _play(self, lineup: Lineup, blocks: Range) -> Scores:
        scoring, n = self.setting.spec.scoring(self.setting.rules), len(blocks)
        n_totals, gather = len(scoring.totals), self._gatherer(lineup)
        members = np.zeros((n, len(lineup.members), 1 + len(scoring.measures)), np.int64)
        totals = np.zeros((n, n_totals + 2 * len(self.setting.figures)), np.int64)
        for seating in lineup.seatings:
            try:
                counts = simulate(
                    self.kernel, self.task(lineup, seating, blocks), None, self._should_stop, self._on_rounds
                )
            except StrategyError as error:
                raise UserError(str(error)) from error
            by_seat, by_table = gather(counts)
            for place, member in enumerate(seating):
                members[:, member] += by_seat[:, place]
            totals += by_table
        figures = totals[:, n_totals:].reshape(n, -1, 2)
        return Scores(members[:, :, 0], members[:, :, 1:], totals[:, :n_totals], figures)

    def _gatherer(self, lineup: Lineup) -> Gatherer:
        setting = self.setting
        if lineup.rules not in self._gatherers:
            rules = {**setting.rules, **dict(lineup.rules)}
            self._gatherers[lineup.rules] = Gatherer(setting.spec, rules, setting.figures)
        return self._gatherers[lineup.rules]


_HERE: dict[tuple[str, tuple[str, ...]], BlockPlayer] = {}
"""The player of the study that was played here last, by its setting and lineups."""
_MAKING = threading.Lock()


def play_elsewhere(setting: Setting, lineups: tuple[Lineup, ...], item: tuple[Range, int]) -> tuple[Range, int, Scores]:
    """Play a chunk of a lineup in a process to which it was sent.

    Parameters
    ----------
    setting, lineups
        The study.
    item
        The blocks, and the number of the lineup.

    Raises
    ------
    Interrupted
        If whoever sent it has given up.
    StrategyError
        If a user's function failed.
    """
    blocks, number = item
    key = setting.identity(), tuple(lineup.key for lineup in lineups)
    with _MAKING:
        if key not in _HERE:
            player = BlockPlayer(setting, lambda: asker.get().has_given_up())
            player.load(tuple(spec for lineup in lineups for spec in lineup.members))
            with one_compiles():
                for lineup in lineups:
                    prepare(player.kernel, player.task(lineup, lineup.seatings[0], Range(0, 1)), Silent())
            _HERE.clear()
            _HERE[key] = player
        player = _HERE[key]
    try:
        return blocks, number, player.play(lineups[number], blocks)
    except UserError as error:
        # its cause would not come along
        raise error.__cause__ if isinstance(error.__cause__, StrategyError) else error from None
