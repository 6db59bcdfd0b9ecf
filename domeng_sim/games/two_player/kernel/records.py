"""Rows of the result tables as the core writes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, popcount
from domeng_sim.core.buffers import TableBuffers
from domeng_sim.core.codes import NOBODY, Event
from domeng_sim.core.hands import INDEX_OF, NO_TILE, TILE_OF
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import Log, RoundKey
from domeng_sim.core.rows import deal_writer, each_seat, hands_writer, if_logged, next_event, pips_at, row_writer
from domeng_sim.core.tables import DRAW_EVENTS, DRAW_GAMES, DRAW_ROUNDS
from domeng_sim.games.two_player.kernel.deal import N_SEATS
from domeng_sim.games.two_player.kernel.moves import NONE, Move
from domeng_sim.games.two_player.kernel.state import TwoPlayerRoundState, both, byte

MAX_EVENTS = 128
"""More events than a round can have: 14 deals, 26 plays, 12 draws, 12 PASSes after a draw and 27 others, award, end."""

_event, _round, _game = map(row_writer, (DRAW_EVENTS, DRAW_ROUNDS, DRAW_GAMES))
_bytes, _pips = each_seat(N_SEATS, byte), each_seat(N_SEATS, pips_at)

NOTHING = Move(NO_TILE, NONE, NONE)
"""Stands where no tile is played."""


class TwoPlayerRoundEnd(NamedTuple):
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
    _event(
        log.rows,
        log.position[0],
        match=key.match,
        game=key.game,
        round=key.round_,
        step=log.position[1],
        event=event,
        seat=seat,
        tile=TILE_OF[move.index],
        side=move.end,
        direction=move.direction,
        left_end=left,
        right_end=right,
        stones=points,
        from_table=0,
    )
    next_event(log)


@kernel
def _write_tile(log: Log, key: RoundKey, seat: int, tile: int) -> None:
    write_event(log, key, Event.DEAL, seat, Move(INDEX_OF[tile], NONE, NONE), -1, -1, 0)


write_hands, write_deal = hands_writer(DRAW_ROUNDS, N_SEATS), deal_writer(N_SEATS, _write_tile)


@if_logged
def write_move(log: Log, key: RoundKey, event: int, turn: TwoPlayerRoundState, seat: int, move: Move) -> None:
    """Write a row with a tile or without; `turn` is the round after it."""
    left, right = np.int64(turn.left8 >> U(3)), np.int64(turn.right8 >> U(3))
    write_event(log, key, event, seat, move, left, right, 0)


@if_logged
def write_end(log: Log, key: RoundKey, turn: TwoPlayerRoundState, end: TwoPlayerRoundEnd) -> None:
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
    turn: TwoPlayerRoundState,
    end: TwoPlayerRoundEnd,
    scores: npt.NDArray[np.int64],
    hands: npt.NDArray[np.uint64],
) -> None:
    """Write a row of the `rounds` table but for the hands as dealt; `hands` are those left at the end."""
    _round(
        rows,
        row,
        match=key.match,
        game=key.game,
        round=key.round_,
        starter=starter,
        outcome=end.outcome,
        winner=end.winner,
        plays=both(turn.plays),
        draws=_bytes(turn.draws),
        passes=_bytes(turn.passes),
        pips=_pips(hands),
        score=(scores[0], scores[1]),
        stock=popcount(turn.stock),
    )


@shared
def write_game(
    rows: TableBuffers, row: int, key: RoundKey, n_rounds: int, winner: int, scores: npt.NDArray[np.int64], ended: int
) -> None:
    """Write a row of the `games` table."""
    _game(
        rows,
        row,
        match=key.match,
        game=key.game,
        rounds=n_rounds,
        winner=winner,
        score=(scores[0], scores[1]),
        ended=ended,
    )
