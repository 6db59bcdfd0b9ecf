"""The deals of samples of positions of two-player games, as the core deals them before it plays them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.core.jit import entry
from domeng_sim.games.shared.dealing import n_deals_of, numbers_below
from domeng_sim.games.shared.sampling import deal_hidden
from domeng_sim.games.two_player.odds.sampled import TwoPlayerOdds
from domeng_sim.games.types import Seat


@entry
def _deal_samples(seed, first, start, terms, room, out):  # type: ignore[no-untyped-def]
    n_deals = n_deals_of(start.hidden)
    for i in range(out.shape[0]):
        which, order = numbers_below(seed, np.uint64(first + i), n_deals, start.n_orders)
        turn = deal_hidden(terms, start, which, order, room, room.deal)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = room.deal[0], room.deal[1], turn.stock, turn.stock_word


def deal_samples(seed: int, first: int, here: Any, n: int) -> npt.NDArray[np.uint64]:
    """Hands, stock and word of its order of the samples from `first` on, shape (samples, 4)."""
    out, odds = np.zeros((n, 4), np.uint64), TwoPlayerOdds()
    with np.errstate(over="ignore"):
        terms, room = odds.at_random(here.rules), odds.room(here, (Seat({}),) * 2)
        _deal_samples(np.uint64(seed), first, odds.start(here), terms, room, out)
    return out
