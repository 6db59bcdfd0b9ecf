"""Single steps of a round: lead, turn, closing awards.  The loop and playouts of positions go through these."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.codes import NOBODY, Cause, End, Event, Outcome
from domeng_sim.core.hands import KEEP, LOWER, NO_TILE, joined, opened, pips
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import Tally as Tally
from domeng_sim.core.policy import Decision, choose, witness
from domeng_sim.core.streams import decision_factors
from domeng_sim.games.domeng.kernel.awards import award, award_from_all
from domeng_sim.games.domeng.kernel.counts import MOVED, MOVED_CAUSE, MOVED_GIVER, TABLE
from domeng_sim.games.domeng.kernel.policies import DomengTerms
from domeng_sim.games.domeng.kernel.records import NO_END, DomengRoundEnd, RoundKey, write_move, write_standing
from domeng_sim.games.domeng.kernel.state import (
    DomengRoundState,
    after_lead,
    after_pass,
    after_play,
    byte,
    ends_fit,
    next_seat,
    on_table,
    seat_before,
)
from domeng_sim.games.domeng.rules import RulesRow

DOUBLE, FIRST, FREE, NEXT, BEFORE = U(1), U(1), U(1), U(1), U(1)
"""Readings other than the default of opening_lead, passebunge, closing_passes, mattikkeng_winner and camat_check."""

_FACTOR_BY_HELD = np.append(U(0), decision_factors(5)[::-1])
"""By tiles held; who holds none decides nothing."""
_MANY = U(1 << 20)
NO_DIRECTION = -1


@kernel
def count_moved(tally: Tally, cause: Word, to: int, giver: int, from_table: Word, given: Word) -> None:
    """Count the stones of an award with one giver."""
    at = tally.base + U(MOVED + to) + U(MOVED_CAUSE) * cause
    tally.counts[at + U(MOVED_GIVER * TABLE)] += np.int64(from_table)
    tally.counts[at + U(MOVED_GIVER) * U(giver)] += np.int64(byte(given, giver))


@kernel
def decision_word(seat_words: npt.NDArray[np.uint64], turn: DomengRoundState, seat: int) -> Word:
    """The random word of a seat's decision; decisions are counted by the tiles it has played in the round."""
    return seat_words[seat] * _FACTOR_BY_HELD[byte(turn.held, seat)]


@kernel
def holder_of_highest_double(hands: npt.NDArray[np.uint64]) -> tuple[int, Word]:
    """Who starts the first round of a match: the holder of [6|6], else of [5|5], ...; and the index of that double."""
    index = U(54)
    while True:
        for seat in range(5):
            if (hands[seat] >> index) & U(1):
                return seat, index
        index -= U(9)


@kernel
def lead(
    turn: DomengRoundState,
    hands: npt.NDArray[np.uint64],
    moves: Word,
    seat_words: npt.NDArray[np.uint64],
    terms: DomengTerms,
    log: Any,
    key: RoundKey,
) -> DomengRoundState:
    """The starter leads one of the `moves`, each tile in the row of its higher half."""
    seat = turn.seat
    here = Decision(turn, seat, hands[seat], moves, True)
    index = choose(terms.policy, terms, here, decision_word(seat_words, turn, seat))
    hands[seat] &= KEEP[index]
    turn = after_lead(turn, index)
    witness(terms.policy, turn, Event.LEAD, seat, index, NO_END, NO_DIRECTION)
    write_move(log, key, Event.LEAD, turn, index, NO_END)
    return turn


@kernel
def nobody_can_play(turn: DomengRoundState, hands: npt.NDArray[np.uint64]) -> bool:
    """Whether no hand holds a tile that fits."""
    return not (hands[0] | hands[1] | hands[2] | hands[3] | hands[4]) & ends_fit(turn)


@kernel
def take_pass(
    turn: DomengRoundState,
    seat: int,
    hands: npt.NDArray[np.uint64],
    rules: RulesRow,
    tally: Tally,
    log: Any,
    key: RoundKey,
) -> DomengRoundState:
    """`seat` passes and is awarded its stones."""
    is_passebunge = (turn.fresh >> U(seat)) & U(1)
    fresh = turn.fresh & ~((U(1) << U(seat)) & (U(0) - rules.passebunge))
    n = rules.pass_stones + (rules.passebunge_stones - rules.pass_stones) * is_passebunge
    if rules.closing_passes == FREE and nobody_can_play(turn, hands):
        n = U(0)
    moved = award(turn.stones, seat, n, turn.last)
    count_moved(tally, U(Cause.PASS) + is_passebunge, seat, turn.last, moved.from_table, moved.given)
    turn = after_pass(turn, seat, moved.stones, is_passebunge, fresh)
    event = Event.PASSEBUNGE if is_passebunge else Event.PASS
    write_standing(log, key, event, seat, turn, moved.from_table, moved.given)
    return turn


@kernel
def play_on(
    turn: DomengRoundState,
    hands: npt.NDArray[np.uint64],
    seat_words: npt.NDArray[np.uint64],
    terms: DomengTerms,
    tally: Tally,
    log: Any,
    key: RoundKey,
) -> tuple[DomengRoundState, Word, bool]:
    """Turn after turn until a hand is empty or the chain is blocked.

    That the chain is blocked needs no test of its own: the PASSes reach LAST MAPPANO again, and those five are the
    closing PASSes.

    Parameters
    ----------
    turn
        The round as it stands.
    hands
        Shape (5,), changed in place.
    seat_words
        Shape (5,): the word of each seat's choices in this round.
    terms
        The rules, and how moves are chosen.
    tally, log, key
        Where counts and events go.

    Returns
    -------
    turn
        The round at its end, before the closing award.
    index
        The last move (0 if none was made here).
    blocked
        Whether the chain is blocked.
    """
    index = U(0)
    while True:
        seat = next_seat(turn.seat)
        hand = hands[seat]
        moves = hand & ends_fit(turn)
        if moves:
            here = Decision(turn, seat, hand, moves, False)
            index = choose(terms.policy, terms, here, decision_word(seat_words, turn, seat))
            end = np.int64(End.LEFT) if joined(index) == turn.left8 else np.int64(End.RIGHT)
            hand &= KEEP[index]
            hands[seat] = hand
            turn = after_play(turn, seat, index)
            witness(terms.policy, turn, Event.PLAY, seat, index, end, NO_DIRECTION)
            write_move(log, key, Event.PLAY, turn, index, end)
            if not hand:
                return turn, index, False
        else:
            passebunge_before = turn.passebunge
            turn = take_pass(turn, seat, hands, terms.rules, tally, log, key)
            event = Event.PASS if turn.passebunge == passebunge_before else Event.PASSEBUNGE
            witness(terms.policy, turn, event, seat, NO_TILE, NO_END, NO_DIRECTION)
            if seat == turn.last:
                return turn, index, True


@kernel
def with_stones(turn: DomengRoundState, stones: Word) -> DomengRoundState:
    """The same round with other stones."""
    return DomengRoundState(
        turn.seat, turn.last, turn.made8, turn.other8, turn.left8, stones, turn.fresh, turn.seen, turn.voids, turn.held,
        turn.passes, turn.passebunge,
    )  # fmt: skip


@kernel
def cucuq_of(winner: int, rules: RulesRow) -> int:
    """CUCUQ, who gets the stones when this seat wins by CAPPU or as the MANGUNO."""
    return seat_before(winner)


@kernel
def close_cappu(
    stones: Word, first: int, index: Word, is_mappakuling: bool, rules: RulesRow
) -> tuple[Word, DomengRoundEnd]:
    """FIRST CAPPU wins; CUCUQ is awarded.

    Parameters
    ----------
    stones
        Packed stones before the award.
    first
        FIRST CAPPU.
    index
        The last move.
    is_mappakuling
        Whether both ends then had the same value.
    rules
        The rules.

    Returns
    -------
    stones
        After the award.
    end
        How the round ended.
    """
    outcome, n, cause = np.int64(Outcome.CAPPU), rules.cappu_stones, np.int64(Cause.CAPPU)
    if is_mappakuling:
        if joined(index) == opened(index):
            outcome, n, cause = np.int64(Outcome.POLLO), rules.pollo_stones, np.int64(Cause.POLLO)
        else:
            outcome, n, cause = np.int64(Outcome.CEKI), rules.ceki_stones, np.int64(Cause.CEKI)
    cucuq = cucuq_of(first, rules)
    moved = award(stones, cucuq, n, first)
    return moved.stones, DomengRoundEnd(outcome, first, cucuq, cucuq, U(0), cause, moved.from_table, moved.given)


@shared
def close_blocked(
    stones: Word, manguno: int, hands: npt.NDArray[np.uint64], rules: RulesRow
) -> tuple[Word, DomengRoundEnd]:
    """LAST MAPPANO is the MANGUNO, who wins unless there is a MATTIKKENG.  Parameters and return as `close_cappu`."""
    own_pips = pips(hands[manguno])
    mattikkeng, n_mattikkeng, winner, lowest = U(0), 0, manguno, _MANY
    seat = manguno
    for _ in range(4):
        seat = next_seat(seat)
        other_pips = pips(hands[seat])
        if other_pips <= own_pips:
            mattikkeng |= U(1) << U(seat)
            n_mattikkeng += 1
            if other_pips < lowest and not (n_mattikkeng > 1 and rules.mattikkeng_winner == NEXT):
                lowest, winner = other_pips, seat
    if n_mattikkeng == 0:
        cause, cucuq = np.int64(Cause.MANGUNO), cucuq_of(manguno, rules)
        moved = award(stones, cucuq, rules.manguno_stones, manguno)
        outcome = np.int64(Outcome.MANGUNO)
        return moved.stones, DomengRoundEnd(outcome, manguno, cucuq, cucuq, U(0), cause, moved.from_table, moved.given)
    cause, n = np.int64(Cause.MATTIKKENG_SHARED), rules.mattikkeng_shared_stones
    if n_mattikkeng == 1 and lowest < own_pips:
        cause, n = np.int64(Cause.MATTIKKENG), rules.mattikkeng_stones
    moved = award_from_all(stones, manguno, n, winner, mattikkeng)
    outcome = np.int64(Outcome.MATTIKKENG)
    return moved.stones, DomengRoundEnd(
        outcome, winner, manguno, NOBODY, mattikkeng, cause, moved.from_table, moved.given
    )


@kernel
def close_round(
    turn: DomengRoundState, index: Word, blocked: bool, hands: npt.NDArray[np.uint64], rules: RulesRow
) -> tuple[DomengRoundState, DomengRoundEnd, int]:
    """The closing award, and who is appointed CAMAT.

    Parameters
    ----------
    turn, index, blocked
        As `play_on` returned them.
    hands
        The hands at the end, in rows.
    rules
        The rules.

    Returns
    -------
    turn
        After the award.
    end
        How the round ended.
    camat
        The CAMAT appointed, or -1.
    """
    table_before = on_table(turn.stones)
    if blocked:
        stones, end = close_blocked(turn.stones, turn.last, hands, rules)
    else:
        stones, end = close_cappu(turn.stones, turn.last, index, turn.made8 == turn.other8, rules)
    camat = NOBODY
    if not blocked and not byte(stones, end.winner):
        if not (table_before if rules.camat_check == BEFORE else on_table(stones)):
            camat = end.winner
    return with_stones(turn, stones), end, camat


@kernel
def leads(hand: Word) -> Word:
    """What a starter may lead: each tile once."""
    return hand & LOWER
