"""Single steps of a round: lead, draws, turn, end.  The loop goes through these."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, highest_bit, lowest_bit
from domeng_sim.core.codes import NOBODY, DrawOutcome, Event
from domeng_sim.core.hands import DOUBLES, KEEP, LOWER, NO_TILE, ROWS, TILE_OF, TILE_PIPS, pips
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import RoundKey
from domeng_sim.core.policy import Decision, choose, witness
from domeng_sim.core.streams import decision_factors
from domeng_sim.core.tiles import HALVES
from domeng_sim.games.two_player.kernel.geometry import lay, reach
from domeng_sim.games.two_player.kernel.moves import NONE, Move, Reach
from domeng_sim.games.two_player.kernel.policies import TwoPlayerTerms
from domeng_sim.games.two_player.kernel.records import NOTHING, TwoPlayerRoundEnd, write_move
from domeng_sim.games.two_player.kernel.state import (
    TwoPlayerRoundState,
    after_draw,
    after_lead,
    after_pass,
    after_play,
    byte,
    can_draw,
    with_lacks,
)
from domeng_sim.games.two_player.rules import RulesRow

HIGHEST, ONE, NOBODY_DRAWS = U(1), U(1), U(2)
"""Readings other than the default of opening_lead and draw."""

_FACTORS = decision_factors(28)
"""By tiles that the seat has played in the round."""
_RANK = np.array([16 * TILE_PIPS[i] + HALVES[TILE_OF[i]][0] if TILE_OF[i] >= 0 else 0 for i in range(64)], np.int64)
"""By index: the order of tiles where nobody holds a double: most pips, then the higher half."""


@kernel
def decision_word(seat_words: npt.NDArray[np.uint64], turn: TwoPlayerRoundState, seat: int) -> Word:
    """The random word of a seat's decision; decisions are counted by the tiles it has played in the round."""
    return seat_words[seat] * _FACTORS[byte(turn.plays, seat)]


@shared
def highest_tile(tiles: Word) -> Word:
    """Index, in the row of its higher half, of the highest tile."""
    rest, best, highest = tiles & LOWER, U(0), np.int64(-1)
    while rest:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        if _RANK[index] > highest:
            highest, best = _RANK[index], index
    return best


@kernel
def starter_of(hands: npt.NDArray[np.uint64]) -> tuple[int, Word]:
    """Who starts: the holder of the highest double, else of the highest tile; and the index of that tile."""
    doubles = (hands[0] | hands[1]) & DOUBLES
    index = highest_bit(doubles) if doubles else highest_tile(hands[0] | hands[1])
    return np.int64((hands[1] >> index) & U(1)), index


@kernel
def stock_of(hands: npt.NDArray[np.uint64], rules: RulesRow) -> Word:
    """The stock before the first tile, each tile in the row of its higher half; none where nobody draws."""
    return U(0) if rules.draw == NOBODY_DRAWS else LOWER & ~(hands[0] | hands[1])


@kernel
def lead(
    turn: TwoPlayerRoundState,
    hands: npt.NDArray[np.uint64],
    moves: Word,
    seat_words: npt.NDArray[np.uint64],
    terms: TwoPlayerTerms,
    log: Any,
    key: RoundKey,
) -> TwoPlayerRoundState:
    """The starter leads one of the `moves`, each tile in the row of its higher half."""
    seat = turn.seat
    word = decision_word(seat_words, turn, seat)
    move = choose(terms.policy, terms, Decision(turn, seat, hands[seat], Reach(moves, U(0)), True), word)
    hands[seat] &= KEEP[move.index]
    turn = after_lead(turn, move.index)
    lay(terms.table, move)
    witness(terms.policy, turn, Event.LEAD, seat, move.index, move.end, move.direction)
    write_move(log, key, Event.LEAD, turn, seat, move)
    return turn


@kernel
def draw_tiles(
    turn: TwoPlayerRoundState, hands: npt.NDArray[np.uint64], fits: Word, terms: TwoPlayerTerms, log: Any, key: RoundKey
) -> TwoPlayerRoundState:
    """The next player, who holds no fitting tile, draws until one fits or no more may be drawn.

    Parameters
    ----------
    turn
        The round as it stands.
    hands
        Shape (2,), changed in place.
    fits
        All tiles that fit, in rows.
    terms
        The rules, and who wants to know.
    log, key
        Where events go.
    """
    seat = 1 - turn.seat
    hand, n_kept = hands[seat], U(0)
    while can_draw(turn):
        turn, index = after_draw(turn, seat)
        tile = ~KEEP[index] & ROWS
        hand |= tile
        drawn = Move(index, NONE, NONE)
        witness(terms.policy, turn, Event.DRAW, seat, index, NONE, NONE)
        write_move(log, key, Event.DRAW, turn, seat, drawn)
        if tile & fits:
            break
        n_kept += U(1)
        if terms.rules.draw == ONE:
            break
    hands[seat] = hand
    return with_lacks(turn, seat, fits, n_kept)


@kernel
def play_on(
    turn: TwoPlayerRoundState,
    hands: npt.NDArray[np.uint64],
    seat_words: npt.NDArray[np.uint64],
    terms: TwoPlayerTerms,
    log: Any,
    key: RoundKey,
) -> tuple[TwoPlayerRoundState, bool]:
    """Turn after turn until a hand is empty or neither player can play or draw.

    Parameters
    ----------
    turn
        The round as it stands.
    hands
        Shape (2,), changed in place.
    seat_words
        Shape (2,): the word of each seat's choices in this round.
    terms
        The rules, how moves are chosen, and where tiles lie.
    log, key
        Where events go.

    Returns
    -------
    turn
        The round at its end.
    is_blocked
        Whether neither could play or draw.
    """
    policy, table = terms.policy, terms.table
    while True:
        seat = 1 - turn.seat
        reached = reach(table, turn)
        fits = reached.left | reached.right
        if not (can_draw(turn) or (hands[0] | hands[1]) & fits):
            return turn, True
        if not hands[seat] & fits:
            turn = draw_tiles(turn, hands, fits, terms, log, key)
        hand = hands[seat]
        if hand & fits:
            word = decision_word(seat_words, turn, seat)
            move = choose(policy, terms, Decision(turn, seat, hand, reached, False), word)
            hand &= KEEP[move.index]
            hands[seat] = hand
            turn = after_play(turn, seat, move)
            lay(table, move)
            witness(policy, turn, Event.PLAY, seat, move.index, move.end, move.direction)
            write_move(log, key, Event.PLAY, turn, seat, move)
            if not hand:
                return turn, False
        else:
            turn = after_pass(turn, seat)
            witness(policy, turn, Event.PASS, seat, NO_TILE, NONE, NONE)
            write_move(log, key, Event.PASS, turn, seat, NOTHING)


@kernel
def close_round(turn: TwoPlayerRoundState, is_blocked: bool, hands: npt.NDArray[np.uint64]) -> TwoPlayerRoundEnd:
    """Who wins and scores.

    Parameters
    ----------
    turn, is_blocked
        As `play_on` returned them.
    hands
        The hands at the end, in rows.
    """
    if not is_blocked:
        return TwoPlayerRoundEnd(np.int64(DrawOutcome.OUT), turn.seat, np.int64(pips(hands[1 - turn.seat])))
    more = np.int64(pips(hands[0])) - np.int64(pips(hands[1]))
    if more == 0:
        return TwoPlayerRoundEnd(np.int64(DrawOutcome.TIED), np.int64(NOBODY), np.int64(0))
    return TwoPlayerRoundEnd(np.int64(DrawOutcome.BLOCKED), np.int64(more > 0), abs(more))
