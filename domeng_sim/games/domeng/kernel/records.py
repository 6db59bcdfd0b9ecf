"""Rows of the result tables as the core writes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.buffers import TableBuffers
from domeng_sim.core.codes import NOBODY, Event
from domeng_sim.core.hands import TILE_OF, mask_of, pips
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import Log as Log
from domeng_sim.core.job import RoundKey as RoundKey
from domeng_sim.core.tables import DOMENG_EVENTS, DOMENG_GAMES, DOMENG_ROUNDS
from domeng_sim.games.domeng.kernel.state import BYTE, TABLE_SHIFT, Turn, byte, right8

MAX_EVENTS = 192
"""More events than a round can have: 25 deals, 25 plays, 24 x 4 + 5 PASSes, award, end, camat."""

NO_END = -1

_G = {column.name: DOMENG_GAMES.slot(column.name) for column in DOMENG_GAMES}
_R = {column.name: DOMENG_ROUNDS.slot(column.name) for column in DOMENG_ROUNDS}
_E = {column.name: DOMENG_EVENTS.slot(column.name) for column in DOMENG_EVENTS}

G_MATCH, G_GAME, G_ROUNDS = _G["match"], _G["game"], _G["rounds"]
G_CEKI = _G["ceki"]
G_INCUMBENT, G_CAMAT, G_STONES, G_ENDED = _G["incumbent"], _G["camat"], _G["stones_0"], _G["ended"]
R_MATCH, R_GAME, R_ROUND = _R["match"], _R["game"], _R["round"]
R_STARTER, R_OUTCOME, R_WINNER, R_LAST = _R["starter"], _R["outcome"], _R["winner"], _R["last_mappano"]
R_CUCUQ, R_MATTIKKENG, R_PLAYS = _R["cucuq"], _R["mattikkeng_seats"], _R["plays"]
R_PASSES, R_PASSEBUNGE, R_PIPS, R_STONES = _R["passes_0"], _R["passebunge_0"], _R["pips_0"], _R["stones_0"]
R_TABLE, R_CAMAT, R_HAND = _R["table_stones"], _R["camat"], _R["hand_0"]
E_MATCH, E_GAME, E_ROUND, E_STEP = _E["match"], _E["game"], _E["round"], _E["step"]
E_EVENT, E_SEAT, E_TILE, E_SIDE, E_LEFT, E_RIGHT = (
    _E[name] for name in ("event", "seat", "tile", "side", "left_end", "right_end")
)
E_STONES, E_TABLE, E_GIVEN = _E["stones"], _E["from_table"], _E["given_0"]


class RoundEnd(NamedTuple):
    """How a round ended.

    Attributes
    ----------
    outcome
        `codes.Outcome`.
    winner
        Seat.
    receiver
        Seat of the closing award.
    cucuq
        CUCUQ, or -1 where no award to a CUCUQ is due.
    mattikkeng
        Mask of the MATTIKKENG.
    cause
        `codes.Cause` of the closing award.
    from_table, given
        What the closing award moved, as in `awards.Moved`.
    """

    outcome: np.int64
    winner: np.int64
    receiver: np.int64
    cucuq: np.int64
    mattikkeng: np.uint64
    cause: np.int64
    from_table: np.uint64
    given: np.uint64


@shared
def write_event(  # noqa: PLR0913 - a parameter for each column
    log: Log,
    key: RoundKey,
    event: int,
    seat: int,
    tile: int,
    end: int,
    left: int,
    right: int,
    from_table: Word,
    given: Word,
) -> None:
    """Write a row of the `events` table and move on to the next."""
    row, step = log.position[0], log.position[1]
    rows = log.rows
    rows.i64[E_MATCH, row] = key.match
    rows.i32[E_GAME, row] = key.game
    rows.i32[E_ROUND, row] = key.round_
    rows.i32[E_STEP, row] = step
    rows.i8[E_EVENT, row] = event
    rows.i8[E_SEAT, row] = seat
    rows.i8[E_TILE, row] = tile
    rows.i8[E_SIDE, row] = end
    rows.i8[E_LEFT, row] = left
    rows.i8[E_RIGHT, row] = right
    stones = from_table
    for giver in range(5):
        part = byte(given, giver)
        stones += part
        rows.i16[E_GIVEN + giver, row] = part
    rows.i16[E_STONES, row] = stones
    rows.i16[E_TABLE, row] = from_table
    log.position[0], log.position[1] = row + 1, step + 1


@shared
def write_deal(log: Log, key: RoundKey, hands: npt.NDArray[np.uint64]) -> None:
    """Write the 25 `deal` rows that begin a round."""
    log.position[1] = 0
    for seat in range(5):
        mask = mask_of(hands[seat])
        for tile in range(28):
            if (mask >> U(tile)) & U(1):
                write_event(log, key, Event.DEAL, seat, tile, NO_END, -1, -1, U(0), U(0))


@shared
def write_move(log: Log, key: RoundKey, event: int, turn: Turn, index: Word, end: int) -> None:
    """Write a `lead` or `play` row; `turn` is the round after it."""
    left, right = np.int64(turn.left8 >> U(3)), np.int64(right8(turn) >> U(3))
    write_event(log, key, event, turn.seat, TILE_OF[index], end, left, right, U(0), U(0))


@shared
def write_standing(log: Log, key: RoundKey, event: int, seat: int, turn: Turn, from_table: Word, given: Word) -> None:
    """Write a row that leaves the ends as they stand."""
    left, right = np.int64(turn.left8 >> U(3)), np.int64(right8(turn) >> U(3))
    write_event(log, key, event, seat, NOBODY, NO_END, left, right, from_table, given)


@shared
def write_end(log: Log, key: RoundKey, turn: Turn, end: RoundEnd, camat: int) -> None:
    """Write the rows that close a round; `turn` is the round after all awards, `camat` the CAMAT appointed or -1."""
    write_standing(log, key, Event.AWARD, end.receiver, turn, end.from_table, end.given)
    write_standing(log, key, Event.END, end.winner, turn, U(0), U(0))
    if camat >= 0:
        write_standing(log, key, Event.CAMAT, camat, turn, U(0), U(0))


@kernel
def write_round(
    rows: TableBuffers,
    row: int,
    key: RoundKey,
    starter: int,
    turn: Turn,
    end: RoundEnd,
    camat: int,
    hands: npt.NDArray[np.uint64],
) -> None:
    """Write a row of the `rounds` table but for the hands as dealt; `hands` are those left at the end."""
    rows.i64[R_MATCH, row] = key.match
    rows.i32[R_GAME, row] = key.game
    rows.i32[R_ROUND, row] = key.round_
    rows.i8[R_STARTER, row] = starter
    rows.i8[R_OUTCOME, row] = end.outcome
    rows.i8[R_WINNER, row] = end.winner
    rows.i8[R_LAST, row] = turn.last
    rows.i8[R_CUCUQ, row] = end.cucuq
    rows.i16[R_MATTIKKENG, row] = end.mattikkeng
    rows.i16[R_PLAYS, row] = n_plays(turn)
    rows.i16[R_TABLE, row] = turn.stones >> TABLE_SHIFT
    rows.i8[R_CAMAT, row] = camat
    for seat in range(5):
        rows.i16[R_PASSES + seat, row] = byte(turn.passes, seat)
        rows.i16[R_PASSEBUNGE + seat, row] = byte(turn.passebunge, seat)
        rows.i16[R_PIPS + seat, row] = pips(hands[seat])
        rows.i16[R_STONES + seat, row] = byte(turn.stones, seat)


@kernel
def n_plays(turn: Turn) -> Word:
    """Tiles played in the round."""
    return U(25) - ((turn.held * U(0x0101010101)) >> U(32) & BYTE)


@shared
def write_hands(rows: TableBuffers, row: int, hands: npt.NDArray[np.uint64]) -> None:
    """Write the hands as dealt into a row of the `rounds` table."""
    for seat in range(5):
        rows.i32[R_HAND + seat, row] = mask_of(hands[seat])


@shared
def write_game(  # noqa: PLR0913 - a parameter for each column
    rows: TableBuffers, row: int, key: RoundKey, n_rounds: int, incumbent: int, camat: int, stones: Word, ended: int,
    outcomes: npt.NDArray[np.int64],
) -> None:  # fmt: skip
    """Write a row of the `games` table; `outcomes` counts the rounds of the game by `codes.Outcome`."""
    rows.i64[G_MATCH, row] = key.match
    rows.i32[G_GAME, row] = key.game
    rows.i64[G_ROUNDS, row] = n_rounds
    rows.i8[G_INCUMBENT, row] = incumbent
    rows.i8[G_CAMAT, row] = camat
    rows.i8[G_ENDED, row] = ended
    for seat in range(5):
        rows.i16[G_STONES + seat, row] = byte(stones, seat)
    for kind in range(1, 5):
        rows.i64[G_CEKI + kind - 1, row] = outcomes[kind]
