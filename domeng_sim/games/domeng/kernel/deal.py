"""The deal of Domeng: five hands of five tiles, by two words; three tiles stay unused.

There are C(28,5) C(23,5) C(18,5) C(13,5) C(8,5) = 2^60.8 deals. A word is rejected once in some 2^32 rounds.
"""

from __future__ import annotations

from domeng_sim.core.codes import Purpose
from domeng_sim.games.shared.round_deals import dealing

N_HAND = 5
N_SEATS = 5
DEALING = dealing(Purpose.DEAL, [(0, N_HAND), (1, N_HAND)], [(2, N_HAND), (3, N_HAND), (4, N_HAND)])
