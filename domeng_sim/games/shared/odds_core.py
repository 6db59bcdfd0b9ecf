"""The face of the odds of a game's positions: the same for every game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from domeng_sim.core import streams
from domeng_sim.core.bits import U
from domeng_sim.core.job import NoLog
from domeng_sim.games.shared.core_call import core_call
from domeng_sim.games.shared.likely import LIKELY_TRIES, Likely, sample_likely
from domeng_sim.games.shared.odds import Exact, Measure, SampleSums
from domeng_sim.games.shared.odds_start import Start
from domeng_sim.games.shared.player_view import PlayerView
from domeng_sim.games.shared.sampling import PAST_LIMIT, Room, explore_deals, sample_moves
from domeng_sim.games.shared.seats import Seating
from domeng_sim.games.types import Model, Seat


class OddsCore(ABC):
    """Odds of positions of a game; see `games.shared.odds.OddsKernel`."""

    name: ClassVar[str]
    seating: ClassVar[Seating]
    measures: ClassVar[tuple[Measure, ...]]

    @abstractmethod
    def start(self, position: Any) -> Start:
        """The position as the core takes it."""

    @abstractmethod
    def _terms(self, rules: Any, policy: Any) -> Any:
        """On what terms it is played on."""

    @abstractmethod
    def _n_extra(self, rules: Any) -> int:
        """Length of `Room.extra`."""

    @abstractmethod
    def _ground(self, position: Any, move: int, n: int, limit: int, room: Room) -> tuple[Any, Callable[[], Exact]]:
        """What stays the same all over the trees of a move on `n` deals, and what collects their totals."""

    def _suffix(self, position: Any) -> str:
        """What tells engines apart beside the seats."""
        return ""

    def room(self, position: PlayerView, seats: Sequence[Seat]) -> Room:
        """Room for samples of a position."""
        n, n_places = len(position.hands), len(position.hidden.sizes)
        return Room(
            np.zeros(n, np.uint64),
            np.zeros(n, np.uint64),
            np.zeros(n, np.uint64),
            np.zeros(n_places, np.uint64),
            np.zeros(n_places, np.int64),
            np.zeros((len(position.moves), len(self.measures)), np.int64),
            streams.seat_offsets([seat.copy for seat in seats]),
            NoLog(),
            np.zeros(self._n_extra(position.rules), np.int64),
        )

    def engine(self, position: Any, seats: Sequence[Seat], model: Model | None = None) -> str:
        """Name of the engine that samples with these seats."""
        likely = "" if model is None else "-likely"
        return f"{self.name}-odds-{self.seating.engine(seats)}{self._suffix(position)}{likely}"

    def exact_engine(self, position: Any) -> str:
        """Name of the engine that goes through the whole tree."""
        return f"{self.name}-odds-exact{self._suffix(position)}"

    def sample(
        self,
        position: PlayerView,
        seats: Sequence[Seat],
        seed: int,
        first: int,
        n: int,
        moves: Sequence[int] | None = None,
        model: Model | None = None,
    ) -> SampleSums:
        """Play samples; see `OddsKernel.sample`."""
        start, room = self.start(position), self.room(position, seats)
        if moves is not None:
            start = start._replace(moves=start.moves[list(moves)])
        n_moves, n_measures = len(start.moves), len(self.measures)
        totals = np.zeros((n_moves, n_measures), np.int64)
        products = np.zeros((n_measures, n_moves, n_moves), np.int64)
        policy = self.seating.policy(seats)
        terms = self._terms(position.rules, policy)
        numbers, weights = (first, first + n), np.zeros(2, np.int64)
        with core_call(policy):
            if model is None:
                sample_moves(U(seed), numbers, start, terms, room, totals, products)
            else:
                likely = Likely(self._terms(position.rules, self._judge(model)), np.zeros(LIKELY_TRIES), weights)
                sample_likely(U(seed), numbers, start, terms, room, likely, totals, products)
        lower = np.triu(products, 1).transpose(0, 2, 1)
        return SampleSums(n, totals, products + lower, *weights.tolist())

    def _judge(self, model: Model) -> Any:
        """What is told what was played, and says how likely the others' choices are by a model."""
        raise NotImplementedError

    def expand(self, position: PlayerView, move: int, first: int, n: int, limit: int) -> Exact | None:
        """Go through whole trees; see `OddsKernel.expand`."""
        room = self.room(position, (Seat({}),) * len(position.hands))
        ground, collect = self._ground(position, move, n, limit, room)
        with np.errstate(over="ignore"):
            explore_deals((U(first), U(first + n)), np.int64(move), self.start(position), ground, room)
        return None if ground.tree.seen[PAST_LIMIT] else collect()

    def at_random(self, rules: Any) -> Any:
        """The terms of players at random."""
        return self._terms(rules, self.seating.policy([Seat({})] * 2))
