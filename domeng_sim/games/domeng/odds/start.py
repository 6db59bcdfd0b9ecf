"""A position of Domeng as the core takes it, made of what a player sees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U
from domeng_sim.core.codes import End
from domeng_sim.core.hands import NO_TILE
from domeng_sim.core.tiles import HALVES
from domeng_sim.games.domeng.kernel.state import Turn
from domeng_sim.games.domeng.odds.move_log import N_HAND
from domeng_sim.games.domeng.odds.player_view import DomengView
from domeng_sim.games.shared.dealing import HiddenTables, hidden_tables, packed, rows_of_mask
from domeng_sim.games.shared.move_log import PLAY


class Start(NamedTuple):
    """The position as the core takes it.

    Attributes
    ----------
    turn
        The round as it stands; `turn.seat` acted last, or is to lead.
    hands
        uint64, shape (5,): known hands in rows; 0 where they are hidden.
    is_lead
        Whether the first tile is still to be played.
    is_first
        Whether it is known to be the first round of a match.
    seat, starter, camat
        Who asks, who leads or led, the CAMAT of the match or -1.
    moves
        uint64, shape (moves,): indices of the moves compared; `NO_TILE` for none, the round goes on as it stands.
    story
        int64, shape (acts, 5): seat, index of the move, end joined, and the ends after it, for strategies that look at
        what was played.
    hidden
        The hidden tiles.
    """

    turn: Turn
    hands: npt.NDArray[np.uint64]
    is_lead: bool
    is_first: bool
    seat: np.int64
    starter: np.int64
    camat: np.int64
    moves: npt.NDArray[np.uint64]
    story: npt.NDArray[np.int64]
    hidden: HiddenTables


def _turn(here: DomengView) -> Turn:
    """The round as it stands, hands apart."""
    left, right = (max(end, 0) for end in here.ends)
    every = here.rules["passebunge"] == "every"
    fresh = sum(
        1 << seat
        for seat, (held, before) in enumerate(zip(here.held, here.passebunge, strict=True))
        if held == N_HAND and (every or not before)
    )
    return Turn(
        np.int64(here.acts[-1].seat if here.acts else here.starter),
        np.int64(here.last_mappano if here.acts else here.starter),
        U(8 * left),
        U(8 * right),
        U(8 * left),
        packed((*here.stones, here.table)),
        U(fresh),
        rows_of_mask(here.played),
        packed(here.voids),
        packed(here.held),
        packed(here.passes),
        packed(here.passebunge),
    )


def _story(here: DomengView) -> npt.NDArray[np.int64]:
    """What was done, as the core tells it to a policy."""
    rows = np.zeros((len(here.acts), 5), np.int64)
    passebunge = {award.entry - 1 for award in here.awards if award.is_passebunge}
    for k, act in enumerate(here.acts):
        index, end = int(NO_TILE), -3 if k in passebunge else -1
        if act.kind == PLAY:
            hi, lo = HALVES[act.tile]
            index, end = 8 * hi + lo, {"l": int(End.LEFT), "r": int(End.RIGHT), "": -2}[act.end]
        rows[k] = act.seat, index, end, act.left, act.right
    return rows


def start_of(here: DomengView) -> Start:
    """The position as the core takes it."""
    moves = [int(NO_TILE) if move.tile < 0 else 8 * move.joined + move.opened for move in here.moves]
    return Start(
        _turn(here),
        np.array([rows_of_mask(hand or 0) for hand in here.hands], np.uint64),
        not here.acts,
        here.first_round,
        np.int64(here.seat),
        np.int64(here.starter),
        np.int64(here.camat),
        np.array(moves, np.uint64),
        _story(here),
        hidden_tables(here.hidden, [rows_of_mask(1 << tile) for tile in here.hidden.tiles]),
    )
