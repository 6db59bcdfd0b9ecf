"""From the seats of a task to what the core takes: the same for every game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from domeng_sim.core.hands import TILE_OF
from domeng_sim.core.policy import TablePolicy
from domeng_sim.core.tiles import HALVES, N_TILES
from domeng_sim.games.types import Seat


def weight_row(seat: Seat, features: Iterable[str]) -> npt.NDArray[np.int64]:
    """Thousandths of a seat's weights in the order of the features."""
    return np.array([seat.weights.get(name, 0) for name in features], np.int64)


def is_simple(seat: Seat, simple_features: frozenset[str]) -> bool:
    """Whether a seat goes by features of the tile alone."""
    used = {name for name, weight in seat.weights.items() if weight}
    return seat.function is None and seat.temperature == 0 and used <= simple_features


def table_policy(seats: Sequence[Seat]) -> TablePolicy:
    """Policy of seats that go by `pips` and `double` alone."""
    n_bits, ranks = np.zeros(len(seats), np.int64), np.zeros((len(seats), N_TILES.bit_length()), np.uint64)
    for number, seat in enumerate(seats):
        pips, double = seat.weights.get("pips", 0), seat.weights.get("double", 0)
        scores = [pips * (hi + lo) + double * (hi == lo) for hi, lo in HALVES]
        levels = sorted(set(scores))
        n_bits[number] = (len(levels) - 1).bit_length()
        for index, tile in enumerate(TILE_OF):
            if tile >= 0:
                rank = levels.index(scores[tile])
                for bit in range(int(n_bits[number])):
                    ranks[number, n_bits[number] - 1 - bit] |= np.uint64((rank >> bit & 1) << index)
    return TablePolicy(n_bits, ranks)
