"""Rows of the result tables as the core writes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, popcount
from domeng_sim.core.buffers import TableBuffers
from domeng_sim.core.codes import NOBODY, Event
from domeng_sim.core.hands import NO_TILE, TILE_OF, mask_of, pips
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import Log, RoundKey
from domeng_sim.core.tables import DRAW_EVENTS, DRAW_GAMES, DRAW_ROUNDS
from domeng_sim.core.tiles import N_TILES
from domeng_sim.games.two_player.kernel.deal import N_SEATS
from domeng_sim.games.two_player.kernel.moves import NONE, Move
from domeng_sim.games.two_player.kernel.state import Turn, both, byte

MAX_EVENTS = 128
"""More events than a round can have: 14 deals, 26 plays, 12 draws, 12 PASSes after a draw and 27 others, award, end."""

_G = {column.name: DRAW_GAMES.slot(column.name) for column in DRAW_GAMES}
_R = {column.name: DRAW_ROUNDS.slot(column.name) for column in DRAW_ROUNDS}
_E = {column.name: DRAW_EVENTS.slot(column.name) for column in DRAW_EVENTS}

G_MATCH, G_GAME, G_ROUNDS = _G["match"], _G["game"], _G["rounds"]
G_WINNER, G_SCORE, G_ENDED = _G["winner"], _G["score_0"], _G["ended"]
R_MATCH, R_GAME, R_ROUND = _R["match"], _R["game"], _R["round"]
R_STARTER, R_OUTCOME, R_WINNER, R_PLAYS = _R["starter"], _R["outcome"], _R["winner"], _R["plays"]
R_DRAWS, R_PASSES, R_PIPS, R_SCORE = _R["draws_0"], _R["passes_0"], _R["pips_0"], _R["score_0"]
R_STOCK, R_HAND = _R["stock"], _R["hand_0"]
E_MATCH, E_GAME, E_ROUND, E_STEP = _E["match"], _E["game"], _E["round"], _E["step"]
E_EVENT, E_SEAT, E_TILE, E_SIDE, E_DIRECTION = (_E[name] for name in ("event", "seat", "tile", "side", "direction"))
E_LEFT, E_RIGHT, E_STONES, E_TABLE = _E["left_end"], _E["right_end"], _E["stones"], _E["from_table"]

NOTHING = Move(NO_TILE, NONE, NONE)
"""Stands where no tile is played."""


class RoundEnd(NamedTuple):
    """How a round ended.

    Attributes
    ----------
    outcome
        `codes.DrawOutcome`.
    winner
        Seat, or -1.
    points
        What the winner scores.
    """

    outcome: np.int64
    winner: np.int64
    points: np.int64


@shared
def write_event(log: Log, key: RoundKey, event: int, seat: int, move: Move, left: int, right: int, points: int) -> None:
    """Write a row of the `events` table and move on to the next."""
    row, step = log.position[0], log.position[1]
    rows = log.rows
    rows.i64[E_MATCH, row] = key.match
    rows.i32[E_GAME, row] = key.game
    rows.i32[E_ROUND, row] = key.round_
    rows.i32[E_STEP, row] = step
    rows.i8[E_EVENT, row] = event
    rows.i8[E_SEAT, row] = seat
    rows.i8[E_TILE, row] = TILE_OF[move.index]
    rows.i8[E_SIDE, row] = move.end
    rows.i8[E_DIRECTION, row] = move.direction
    rows.i8[E_LEFT, row] = left
    rows.i8[E_RIGHT, row] = right
    rows.i16[E_STONES, row] = points
    rows.i16[E_TABLE, row] = 0
    log.position[0], log.position[1] = row + 1, step + 1


@shared
def write_deal(log: Log, key: RoundKey, hands: npt.NDArray[np.uint64]) -> None:
    """Write the 14 `deal` rows that begin a round."""
    log.position[1] = 0
    for seat in range(N_SEATS):
        for tile in range(N_TILES):
            for index in range(64):
                if TILE_OF[index] == tile and (hands[seat] >> U(index)) & U(1):
                    write_event(log, key, Event.DEAL, seat, Move(U(index), NONE, NONE), -1, -1, 0)
                    break


@shared
def write_move(log: Log, key: RoundKey, event: int, turn: Turn, seat: int, move: Move) -> None:
    """Write a row with a tile or without; `turn` is the round after it."""
    left, right = np.int64(turn.left8 >> U(3)), np.int64(turn.right8 >> U(3))
    write_event(log, key, event, seat, move, left, right, 0)


@shared
def write_end(log: Log, key: RoundKey, turn: Turn, end: RoundEnd) -> None:
    """Write the rows that close a round."""
    left, right = np.int64(turn.left8 >> U(3)), np.int64(turn.right8 >> U(3))
    if end.winner != NOBODY:
        write_event(log, key, Event.AWARD, end.winner, NOTHING, left, right, end.points)
    write_event(log, key, Event.END, end.winner, NOTHING, left, right, 0)


@kernel
def write_round(
    rows: TableBuffers,
    row: int,
    key: RoundKey,
    starter: int,
    turn: Turn,
    end: RoundEnd,
    scores: npt.NDArray[np.int64],
    hands: npt.NDArray[np.uint64],
) -> None:
    """Write a row of the `rounds` table but for the hands as dealt; `hands` are those left at the end."""
    rows.i64[R_MATCH, row] = key.match
    rows.i32[R_GAME, row] = key.game
    rows.i32[R_ROUND, row] = key.round_
    rows.i8[R_STARTER, row] = starter
    rows.i8[R_OUTCOME, row] = end.outcome
    rows.i8[R_WINNER, row] = end.winner
    rows.i16[R_PLAYS, row] = both(turn.plays)
    rows.i16[R_STOCK, row] = popcount(turn.stock)
    rows.i16[R_SCORE, row], rows.i16[R_SCORE + 1, row] = scores[0], scores[1]
    for seat in range(N_SEATS):
        rows.i16[R_DRAWS + seat, row] = byte(turn.draws, seat)
        rows.i16[R_PASSES + seat, row] = byte(turn.passes, seat)
        rows.i16[R_PIPS + seat, row] = pips(hands[seat])


@shared
def write_hands(rows: TableBuffers, row: int, hands: npt.NDArray[np.uint64]) -> None:
    """Write the hands as dealt into a row of the `rounds` table."""
    for seat in range(N_SEATS):
        rows.i32[R_HAND + seat, row] = mask_of(hands[seat])


@shared
def write_game(
    rows: TableBuffers, row: int, key: RoundKey, n_rounds: int, winner: int, scores: npt.NDArray[np.int64], ended: int
) -> None:
    """Write a row of the `games` table."""
    rows.i64[G_MATCH, row] = key.match
    rows.i32[G_GAME, row] = key.game
    rows.i64[G_ROUNDS, row] = n_rounds
    rows.i8[G_WINNER, row] = winner
    rows.i16[G_SCORE, row], rows.i16[G_SCORE + 1, row] = scores[0], scores[1]
    rows.i8[G_ENDED, row] = ended
