"""A position of Draw as the core takes it, made of what a player sees."""

from __future__ import annotations

from math import factorial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U
from domeng_sim.core.codes import Direction, End, Event
from domeng_sim.core.hands import NO_TILE
from domeng_sim.core.tiles import HALVES
from domeng_sim.games.shared.dealing import HiddenTables, hidden_tables, packed, rows_of_mask
from domeng_sim.games.shared.move_log import DRAW, PASS, PLAY, Act
from domeng_sim.games.shared.player_view import PositionMove
from domeng_sim.games.two_player.kernel.moves import NONE
from domeng_sim.games.two_player.kernel.state import Turn
from domeng_sim.games.two_player.odds.move_log import N_SEATS
from domeng_sim.games.two_player.odds.player_view import TwoPlayerView

GO_ON, PASSES, PLAYS = 0, 1, 2
"""What is done by a move."""
_ENDS = {"l": int(End.LEFT), "r": int(End.RIGHT), "": NONE}
_DIRECTIONS = {"s": int(Direction.STRAIGHT), "l": int(Direction.LEFT), "r": int(Direction.RIGHT), "": NONE}


class Start(NamedTuple):
    """The position as the core takes it.

    Attributes
    ----------
    turn
        The round as it stands; `turn.seat` acted last, or is to lead.
    hands
        uint64, shape (2,): known hands in rows; 0 where they are hidden.
    is_lead
        Whether the first tile is still to be played.
    seat, starter
        Who asks, who leads or led.
    scores
        Points of the seats in the game.
    moves
        int64, shape (moves, 5): what is done (`GO_ON`, `PASSES` or `PLAYS`), index, end and direction, and the event.
    laid
        int64, shape (tiles, 3): index, end and direction of the tiles on the table, in their order.
    story
        int64, shape (acts, 7): event, seat, index, end and direction of what was done, and eight times the ends after
        it, for strategies that look at what was played.
    hidden
        The hidden tiles.
    n_orders
        Orders of the stock.
    """

    turn: Turn
    hands: npt.NDArray[np.uint64]
    is_lead: bool
    seat: np.int64
    starter: np.int64
    scores: tuple[np.int64, np.int64]
    moves: npt.NDArray[np.int64]
    laid: npt.NDArray[np.int64]
    story: npt.NDArray[np.int64]
    hidden: HiddenTables
    n_orders: np.uint64


def _index(tile: int, joined: int) -> int:
    """Index of a tile with the half that is joined first; see `core.hands`."""
    hi, lo = HALVES[tile]
    return 8 * joined + (lo if hi == joined else hi)


def _lacks(here: TwoPlayerView) -> list[int]:
    """By seat, mask of the tiles that everybody knows it does not hold; see `state.with_lacks`."""
    lacks = [0] * N_SEATS
    for turn in here.shown:
        lacks[turn.seat] = turn.fits | (0 if turn.kept else lacks[turn.seat])
    return lacks


def _turn(here: TwoPlayerView) -> Turn:
    """The round as it stands, the stock apart."""
    left, right = (max(end, 0) for end in here.ends)
    lacks0, lacks1 = (rows_of_mask(mask) for mask in _lacks(here))
    return Turn(
        np.int64(1 - here.turn if here.acts else here.starter),
        U(8 * left),
        U(8 * right),
        U(0),
        U(0),
        rows_of_mask(here.played),
        lacks0,
        lacks1,
        packed(here.n_acts(PLAY)),
        packed(here.n_acts(DRAW)),
        packed(here.n_acts(PASS)),
    )


def _laid(here: TwoPlayerView) -> npt.NDArray[np.int64]:
    """The tiles on the table as moves."""
    rows = []
    left = right = -1
    for act in here.acts:
        if act.kind == PLAY:
            joined = {"l": left, "r": right, "": HALVES[act.tile][0]}[act.end]
            rows.append((_index(act.tile, joined), _ENDS[act.end], _DIRECTIONS[act.direction]))
            left, right = act.left, act.right
    return np.array(rows, np.int64).reshape(len(rows), 3)


def _event(act: Act | PositionMove) -> int:
    """What the `events` table calls it."""
    if act.kind == PLAY:
        return int(Event.PLAY if act.end else Event.LEAD)
    return int(Event.DRAW if act.kind == DRAW else Event.PASS)


def _story(here: TwoPlayerView) -> npt.NDArray[np.int64]:
    """What was done, as the core tells it to a policy."""
    rows = np.zeros((len(here.acts), 7), np.int64)
    laid = iter(_laid(here))
    for row, act in zip(rows, here.acts, strict=True):
        place = next(laid) if act.kind == PLAY else (int(NO_TILE), NONE, NONE)
        row[:] = _event(act), act.seat, *place, 8 * act.left, 8 * act.right
    return rows


def start_of(here: TwoPlayerView) -> Start:
    """The position as the core takes it."""
    moves = [
        (PLAYS, _index(move.tile, move.joined), _ENDS[move.end], _DIRECTIONS[move.direction], _event(move))
        if move.kind == PLAY
        else (PASSES if move.kind == PASS else GO_ON, int(NO_TILE), NONE, NONE, int(Event.PASS))
        for move in here.moves
    ]
    hidden = here.hidden
    # a tile that was played since is nowhere any more, wherever it came from
    bits = [U(0) if here.played >> tile & 1 else rows_of_mask(1 << tile) for tile in hidden.tiles]
    return Start(
        _turn(here),
        np.array([rows_of_mask(hand or 0) for hand in here.hands], np.uint64),
        not here.acts,
        np.int64(here.seat),
        np.int64(here.starter),
        (np.int64(here.scores[0]), np.int64(here.scores[1])),
        np.array(moves, np.int64),
        _laid(here),
        _story(here),
        hidden_tables(hidden, bits),
        U(factorial(here.stock)),
    )
