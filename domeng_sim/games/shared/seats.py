"""From the seats of a task to what the core takes: the same for every game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.core.hands import TILE_OF
from domeng_sim.core.policy import TablePolicy
from domeng_sim.core.tiles import HALVES, N_TILES
from domeng_sim.games.shared.people import people_policy
from domeng_sim.games.shared.user import Window, user_policy
from domeng_sim.games.types import Seat

_MOST_BITS = N_TILES.bit_length()


def weight_row(seat: Seat, features: Iterable[str]) -> npt.NDArray[np.int64]:
    """Thousandths of a seat's weights in the order of the features."""
    return np.array([seat.weights.get(name, 0) for name in features], np.int64)


def is_simple(seat: Seat, simple_features: frozenset[str]) -> bool:
    """Whether a seat goes by features of the tile alone."""
    used = {name for name, weight in seat.weights.items() if weight}
    return seat.function is None and seat.search is None and seat.temperature == 0 and used <= simple_features


def table_policy(seats: Sequence[Seat]) -> TablePolicy:
    """Policy of seats that go by `pips` and `double` alone."""
    ranks = [_ranks(seat.weights.get("pips", 0), seat.weights.get("double", 0)) for seat in seats]
    n_bits = np.array([len(bits) for bits in ranks], np.int64)
    return TablePolicy(n_bits, np.array([bits + (0,) * (_MOST_BITS - len(bits)) for bits in ranks], np.uint64))


@lru_cache(1024)  # short tasks of a comparison ask for the same seats thousands of times
def _ranks(pips: int, double: int) -> tuple[int, ...]:
    """Moves, by index, in whose rank a bit is set, the highest bit first."""
    scores = [pips * (hi + lo) + double * (hi == lo) for hi, lo in HALVES]
    levels = sorted(set(scores))
    of_move = [(index, levels.index(scores[tile])) for index, tile in enumerate(TILE_OF) if tile >= 0]
    bits = range((len(levels) - 1).bit_length() - 1, -1, -1)
    return tuple(sum((rank >> bit & 1) << index for index, rank in of_move) for bit in bits)


@dataclass(frozen=True)
class Seating:
    """How the seats of a game become a policy of its core.

    Attributes
    ----------
    features
        Names of the features, in the order of the core's rows of weights.
    simple_features
        Those of the tile alone.
    weighted
        Makes the policy of seats that weigh features: rows of weights, temperatures.
    window
        What users' functions see.
    search
        Makes the policy of seats of which some search from that of the others; None where no seat can.
    """

    features: tuple[str, ...]
    simple_features: frozenset[str]
    weighted: Callable[[npt.NDArray[np.int64], npt.NDArray[np.float64]], Any]
    window: Window
    search: Callable[[Sequence[Seat], Any], Any] | None = None

    def engine(self, seats: Sequence[Seat]) -> str:
        """Name of the engine that serves these seats."""
        parts = (
            ("people", any(seat.choices is not None for seat in seats)),
            ("user", any(seat.function is not None for seat in seats)),
            ("search", any(seat.search is not None for seat in seats)),
        )
        plain = "table" if all(is_simple(seat, self.simple_features) for seat in seats) else "weighted"
        return "-".join(name for name, is_there in parts if is_there) or plain

    def policy(self, seats: Sequence[Seat]) -> Any:
        """The policy through which the core lets these seats choose."""
        engine = self.engine(seats)
        if engine == "table":
            return table_policy(seats)
        weights = np.array([weight_row(seat, self.features) for seat in seats])
        policy = self.weighted(weights, np.array([seat.temperature for seat in seats], np.float64))
        if "search" in engine:
            assert self.search is not None
            policy = self.search(seats, policy)
        if "user" in engine:
            policy = user_policy(seats, policy, self.window)
        return people_policy(seats, policy) if "people" in engine else policy
