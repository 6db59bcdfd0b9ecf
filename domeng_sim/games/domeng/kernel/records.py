"""Rows of the result tables as the core writes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.buffers import TableBuffers
from domeng_sim.core.codes import Event, Outcome
from domeng_sim.core.hands import TILE_OF
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import Log as Log
from domeng_sim.core.job import RoundKey as RoundKey
from domeng_sim.core.rows import deal_writer, each_seat, hands_writer, if_logged, next_event, pips_at, row_writer
from domeng_sim.core.tables import DOMENG_EVENTS, DOMENG_GAMES, DOMENG_ROUNDS
from domeng_sim.games.domeng.kernel.deal import N_SEATS
from domeng_sim.games.domeng.kernel.state import BYTE, TABLE_SHIFT, DomengRoundState, byte, right8

MAX_EVENTS = 192
"""More events than a round can have: 25 deals, 25 plays, 24 x 4 + 5 PASSes, award, end, camat."""

NO_END = np.int64(-1)
"""Typed, as `NOTHING`: a plain -1 is a type of its own, and each such call would be compiled again."""
NOTHING = np.int64(-1)

_event, _round, _game = map(row_writer, (DOMENG_EVENTS, DOMENG_ROUNDS, DOMENG_GAMES))
_bytes, _pips = each_seat(N_SEATS, byte), each_seat(N_SEATS, pips_at)


class DomengRoundEnd(NamedTuple):
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
    parts = _bytes(given)
    _event(
        log.rows,
        log.position[0],
        match=key.match,
        game=key.game,
        round=key.round_,
        step=log.position[1],
        event=event,
        seat=seat,
        tile=tile,
        side=end,
        left_end=left,
        right_end=right,
        stones=from_table + parts[0] + parts[1] + parts[2] + parts[3] + parts[4],
        from_table=from_table,
        given=parts,
    )
    next_event(log)


@kernel
def _write_tile(log: Log, key: RoundKey, seat: int, tile: int) -> None:
    write_event(log, key, Event.DEAL, seat, tile, NO_END, NOTHING, NOTHING, U(0), U(0))


write_hands, write_deal = hands_writer(DOMENG_ROUNDS, N_SEATS), deal_writer(N_SEATS, _write_tile)


@if_logged
def write_move(log: Log, key: RoundKey, event: int, turn: DomengRoundState, index: Word, end: int) -> None:
    """Write a `lead` or `play` row; `turn` is the round after it."""
    left, right = np.int64(turn.left8 >> U(3)), np.int64(right8(turn) >> U(3))
    write_event(log, key, event, turn.seat, TILE_OF[index], end, left, right, U(0), U(0))


@if_logged
def write_standing(
    log: Log, key: RoundKey, event: int, seat: int, turn: DomengRoundState, from_table: Word, given: Word
) -> None:
    """Write a row that leaves the ends as they stand."""
    left, right = np.int64(turn.left8 >> U(3)), np.int64(right8(turn) >> U(3))
    write_event(log, key, event, seat, NOTHING, NO_END, left, right, from_table, given)


@if_logged
def write_end(log: Log, key: RoundKey, turn: DomengRoundState, end: DomengRoundEnd, camat: int) -> None:
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
    turn: DomengRoundState,
    end: DomengRoundEnd,
    camat: int,
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
        last_mappano=turn.last,
        cucuq=end.cucuq,
        mattikkeng_seats=end.mattikkeng,
        plays=n_plays(turn),
        passes=_bytes(turn.passes),
        passebunge=_bytes(turn.passebunge),
        pips=_pips(hands),
        stones=_bytes(turn.stones),
        table_stones=turn.stones >> TABLE_SHIFT,
        camat=camat,
    )


@kernel
def n_plays(turn: DomengRoundState) -> Word:
    """Tiles played in the round."""
    return U(25) - ((turn.held * U(0x0101010101)) >> U(32) & BYTE)


@shared
def write_game(  # noqa: PLR0913 - a parameter for each column
    rows: TableBuffers, row: int, key: RoundKey, n_rounds: int, incumbent: int, camat: int, stones: Word, ended: int,
    outcomes: npt.NDArray[np.int64],
) -> None:  # fmt: skip
    """Write a row of the `games` table; `outcomes` counts the rounds of the game by `codes.Outcome`."""
    _game(
        rows,
        row,
        match=key.match,
        game=key.game,
        rounds=n_rounds,
        incumbent=incumbent,
        camat=camat,
        stones=_bytes(stones),
        ceki=outcomes[Outcome.CEKI],
        pollo=outcomes[Outcome.POLLO],
        manguno=outcomes[Outcome.MANGUNO],
        mattikkeng=outcomes[Outcome.MATTIKKENG],
        ended=ended,
    )
