"""What a move is worth looking at: the features of weighted strategies.

``After`` means after that play: ``hand'`` is the player's hand without the tile, *unseen* tiles neither on the table
nor in ``hand'`` (so they are the other hand and the stock).  *Places* of some tiles are the moves that they would have.

What the other is known not to hold: a turn in which it drew or passed shows that it held none of the tiles that fitted
then, and none of those that it drew in that turn and kept fitted either.  But a tile that it drew and kept may be any
other tile, so what was known before such a turn is forgotten with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, popcount
from domeng_sim.core.hands import DOUBLES, KEEP, LOWER, ROW, ROWS, TILE_PIPS, pips, values_of
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.policy import Decision
from domeng_sim.games.two_player.kernel.feature_names import FEATURES
from domeng_sim.games.two_player.kernel.geometry import After
from domeng_sim.games.two_player.kernel.moves import Move, places
from domeng_sim.games.two_player.kernel.state import can_draw, held, lacks
from domeng_sim.games.two_player.rules import RulesRow

_ORDER = list(FEATURES)
_PIPS, _DOUBLE, _EQUAL_ENDS = (_ORDER.index(name) for name in ("pips", "double", "equal_ends"))
_FOLLOW_UPS, _VALUES_KEPT, _UNSEEN = (_ORDER.index(name) for name in ("follow_ups", "values_kept", "unseen"))
_OTHER_MOVES, _OTHER_VOID = _ORDER.index("other_moves"), _ORDER.index("other_void")
_OTHER_DRAWS, _OTHER_PASSES = _ORDER.index("other_draws"), _ORDER.index("other_passes")
_OWN_ENDS, _STOCK_LOW = _ORDER.index("own_ends"), _ORDER.index("stock_low")
_BLOCKS_LOW, _BLOCKS_HIGH = _ORDER.index("blocks_low"), _ORDER.index("blocks_high")
_CLOSED_ENDS, _WALLS, _SHUTS_OWN = (_ORDER.index(name) for name in ("closed_ends", "walls", "shuts_own"))
_TURNS = _ORDER.index("turns")


class TwoPlayerOutlook(NamedTuple):
    """What the moves of one decision have in common.

    Attributes
    ----------
    hand
        The hand before the move, in rows.
    unseen
        Tiles neither on the table nor in the hand, in rows.
    possible
        Those of them that the other may hold.
    other_held
        Tiles in the hand of the other.
    can_draw
        Whether the stock has tiles that may be drawn.
    is_lead
        Whether it is the first tile of the round.
    """

    hand: np.uint64
    unseen: np.uint64
    possible: np.uint64
    other_held: np.uint64
    can_draw: bool
    is_lead: bool


@kernel
def outlook(rules: RulesRow, here: Decision) -> TwoPlayerOutlook:
    """The outlook of a player who is to move."""
    turn, other = here.turn, 1 - here.seat
    unseen = ROWS & ~(turn.seen | here.hand)
    possible = unseen & ~lacks(turn, other)
    return TwoPlayerOutlook(here.hand, unseen, possible, held(turn, other), can_draw(turn), here.is_lead)


@kernel
def n_only(tiles: Word, others: Word, left: Word, right: Word) -> int:
    """Number of ends (given as rows of moves) that some of the tiles fit and none of the others."""
    at_left = np.int64((tiles & left) != U(0)) & np.int64((others & left) == U(0))
    at_right = np.int64((tiles & right) != U(0)) & np.int64((others & right) == U(0))
    return at_left + at_right


@shared
def has_low_pips(hand: Word, possible: Word, other_held: Word) -> bool:
    """Whether the hand has fewer pips than the other may be expected to hold."""
    return pips(hand) * popcount(possible & LOWER) < other_held * pips(possible)


@shared
def score(weights: npt.NDArray[np.int64], view: TwoPlayerOutlook, move: Move, after: After) -> int:
    """Sum of weight x feature of one move.

    Parameters
    ----------
    weights
        Shape (features,), thousandths, in the order of `names.FEATURES`.
    view
        The outlook of the player.
    move
        The move.
    after
        The ends after it.

    Returns
    -------
    int
        Thousandths.
    """
    hand = view.hand & KEEP[move.index]
    reach = after.reach
    follow_ups = places(hand, reach)
    other_moves = places(view.possible, reach)
    tile_pips = TILE_PIPS[move.index]

    total = weights[_PIPS] * tile_pips
    total += weights[_DOUBLE] * np.int64((DOUBLES >> move.index) & U(1))
    total += weights[_EQUAL_ENDS] * np.int64(after.left8 == after.right8 and not view.is_lead)
    total += weights[_FOLLOW_UPS] * np.int64(follow_ups)
    total += weights[_VALUES_KEPT] * np.int64(popcount(values_of(hand)))
    total += weights[_UNSEEN] * np.int64(places(view.unseen, reach))
    total += weights[_OTHER_MOVES] * np.int64(other_moves)
    if not other_moves:
        total += weights[_OTHER_VOID]
        total += weights[_OTHER_DRAWS] if view.can_draw else weights[_OTHER_PASSES]
        if hand and not follow_ups and not view.can_draw:
            low = has_low_pips(hand, view.possible, view.other_held)
            total += weights[_BLOCKS_LOW] if low else weights[_BLOCKS_HIGH]
    total += weights[_OWN_ENDS] * n_only(hand, view.unseen, reach.left, reach.right)
    if not view.can_draw:
        total += weights[_STOCK_LOW] * tile_pips
    if after.closed:
        closed_left, closed_right = np.int64(after.closed & 1), np.int64(after.closed >> 1)
        left, right = (ROW * U(closed_left)) << after.left8, (ROW * U(closed_right)) << after.right8
        total += weights[_CLOSED_ENDS] * (closed_left + closed_right)
        total += weights[_WALLS] * n_only(view.possible, hand, left, right)
        total += weights[_SHUTS_OWN] * n_only(hand, view.unseen, left, right)
    if move.direction > 0:
        total += weights[_TURNS]
    return total
