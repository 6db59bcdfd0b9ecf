"""A position as the core takes it, made of what a player sees: the same for every game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U
from domeng_sim.core.codes import Direction, End, Event
from domeng_sim.core.hands import NO_TILE
from domeng_sim.core.tiles import HALVES
from domeng_sim.games.shared.dealing import HiddenTables, hidden_tables, rows_of_mask
from domeng_sim.games.shared.move_log import DRAW, PASS, PLAY, Act
from domeng_sim.games.shared.player_view import PlayerView, PositionMove

GO_ON, PASSES, PLAYS = 0, 1, 2
"""What is done by a move."""
NONE = -1
"""No end or no direction."""
ENDS = {"l": int(End.LEFT), "r": int(End.RIGHT), "": NONE}
DIRECTIONS = {"s": int(Direction.STRAIGHT), "l": int(Direction.LEFT), "r": int(Direction.RIGHT), "": NONE}


class Start(NamedTuple):
    """A position as the core takes it.

    Attributes
    ----------
    turn
        The round as it stands; `turn.seat` acted last, or is to lead.
    hands
        uint64, shape (seats,): known hands in rows; 0 where they are hidden.
    is_lead
        Whether the first tile is still to be played.
    seat, starter
        Who asks, who leads or led.
    standing
        What is known of the match so far, as policies are told it.
    moves
        int64, shape (moves, 5): what is done (`GO_ON`, `PASSES` or `PLAYS`), index, end and direction, and the event.
    laid
        int64, shape (tiles, 3): index, end and direction of the tiles on the table, in their order.
    story
        int64, shape (acts, 8): event, seat, index, end and direction of what was done, eight times the ends after it,
        and the tiles (in rows) that the seat is then known to lack, for strategies that look at what was played.
    hidden
        The hidden tiles.
    n_orders
        Orders in which hidden tiles can be drawn.
    round_
        0 if the round is taken to be the first of a match, else 1.
    """

    turn: Any
    hands: npt.NDArray[np.uint64]
    is_lead: bool
    seat: np.int64
    starter: np.int64
    standing: tuple[np.int64, ...]
    moves: npt.NDArray[np.int64]
    laid: npt.NDArray[np.int64]
    story: npt.NDArray[np.int64]
    hidden: HiddenTables
    n_orders: np.uint64
    round_: np.int64


def index_of(tile: int, joined: int) -> int:
    """Index of a tile with the half that is joined first; see `core.hands`."""
    hi, lo = HALVES[tile]
    return 8 * joined + (lo if hi == joined else hi)


def event_of(act: Act | PositionMove) -> int:
    """What the `events` table calls it."""
    if act.kind == PLAY:
        return int(Event.PLAY if act.end else Event.LEAD)
    return int(Event.DRAW if act.kind == DRAW else Event.PASS)


def make_start(
    here: PlayerView,
    turn: Any,
    standing: Sequence[int],
    n_orders: int = 1,
    round_: int = 0,
    lacks: Sequence[int] = (),
) -> Start:
    """A position as the core takes it.

    Parameters
    ----------
    here
        What a player sees.
    turn
        The round as it stands.
    standing, n_orders, round_
        As in `Start`.
    lacks
        By act, mask of the tiles that the seat is then known to lack; none where that is no question.
    """
    moves = [
        (PLAYS, index_of(move.tile, move.joined), ENDS[move.end], DIRECTIONS[move.direction], event_of(move))
        if move.kind == PLAY
        else (PASSES if move.kind == PASS else GO_ON, int(NO_TILE), NONE, NONE, event_of(move))
        for move in here.moves
    ]
    laid: list[tuple[int, int, int]] = []
    story: list[tuple[int, ...]] = []
    left = right = NONE
    for act in here.acts:
        place = (int(NO_TILE), NONE, NONE)
        if act.kind == PLAY:
            joined = {"l": left, "r": right, "": HALVES[act.tile][0]}[act.end]
            place = (index_of(act.tile, joined), ENDS[act.end], DIRECTIONS[act.direction])
            laid.append(place)
            left, right = act.left, act.right
        elif act.kind == DRAW and act.tile >= 0:
            place = (index_of(act.tile, HALVES[act.tile][0]), NONE, NONE)
        lacking = rows_of_mask(lacks[len(story)]) if lacks else U(0)
        story.append((event_of(act), act.seat, *place, 8 * act.left, 8 * act.right, int(lacking)))
    # a tile that was played since is nowhere any more, wherever it came from
    bits = [U(0) if here.played >> tile & 1 else rows_of_mask(1 << tile) for tile in here.hidden.tiles]
    return Start(
        turn,
        np.array([rows_of_mask(hand or 0) for hand in here.hands], np.uint64),
        not here.acts,
        np.int64(here.seat),
        np.int64(here.starter),
        tuple(map(np.int64, standing)),
        np.array(moves, np.int64),
        np.array(laid, np.int64).reshape(len(laid), 3),
        np.array(story, np.int64).reshape(len(story), 8),
        hidden_tables(here.hidden, bits),
        U(n_orders),
        np.int64(round_),
    )
