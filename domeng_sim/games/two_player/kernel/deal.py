"""The deal of two-player games: two hands by the first word, and by the second the order of the fourteen other tiles.

Each hand is chosen as four tiles and then three more, by smaller tables: there are C(28,4) C(24,3) C(21,4) C(17,3) =
2^47.3 ways, and every pair of hands comes from exactly 35 x 35 of them. A word is rejected once in some 200,000 rounds.
All games of the family have the same deals.
"""

from __future__ import annotations

from domeng_sim.core.bits import Word, high_product
from domeng_sim.core.codes import Purpose
from domeng_sim.core.hands import kth_move
from domeng_sim.core.jit import kernel
from domeng_sim.games.shared.round_deals import dealing

N_HAND = 7
N_SEATS = 2
N_STOCK = 14
LAST_STOCK = 2
"""Tiles of the stock that are never drawn."""
DEALING = dealing(Purpose.DRAW_DEAL, [(0, 4), (0, 3), (1, 4), (1, 3)], [], N_STOCK)


@kernel
def next_of_stock(stock: Word, word: Word, n: Word) -> Word:
    """Index of the tile drawn next from a stock of `n` tiles (each in the row of its higher half only)."""
    return kth_move(stock, high_product(word, n))
