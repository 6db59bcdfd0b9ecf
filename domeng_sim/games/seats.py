"""From the seats of a task to what the core takes: the same for every game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from domeng_sim.core.hands import TILE_OF
from domeng_sim.core.policy import TablePolicy
from domeng_sim.games.spec import Seat
from domeng_sim.tiles import HALVES


def weight_row(seat: Seat, features: Iterable[str]) -> npt.NDArray[np.int64]:
    """Thousandths of a seat's weights in the order of the features."""
    return np.array([seat.weights.get(name, 0) for name in features], np.int64)


def is_simple(seat: Seat, simple_features: frozenset[str]) -> bool:
    """Whether a seat goes by features of the tile alone."""
    used = {name for name, weight in seat.weights.items() if weight}
    return seat.function is None and seat.temperature == 0 and used <= simple_features


def table_policy(seats: Sequence[Seat]) -> TablePolicy:
    """Policy of seats that go by `pips` and `double` alone."""
    n = len(seats)
    preferred, ranked = np.zeros(n, np.uint64), np.zeros(n, np.bool_)
    by_tile = np.zeros((n, 64), np.int64)
    for number, seat in enumerate(seats):
        pips, double = seat.weights.get("pips", 0), seat.weights.get("double", 0)
        for index, tile in enumerate(TILE_OF):
            if tile >= 0:
                hi, lo = HALVES[tile]
                by_tile[number, index] = pips * (hi + lo) + double * (hi == lo)
        scores = by_tile[number]
        levels = np.unique(scores[TILE_OF >= 0])
        if len(levels) == 2:
            # two classes of tiles, doubles and others: a mask does without looking at each move
            bits = [1 << index for index in range(64) if TILE_OF[index] >= 0 and scores[index] == levels[1]]
            preferred[number] = sum(bits)
        else:
            ranked[number] = len(levels) > 2
    return TablePolicy((preferred != 0) | ranked, preferred, ranked, by_tile)
