"""Whole matches of Domeng: what `games.shared.loop` asks of a game."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.buffers import TableBuffers
from domeng_sim.core.codes import Cause, Outcome
from domeng_sim.core.dispatch import answer
from domeng_sim.core.jit import entry, kernel
from domeng_sim.core.job import Log, RoundKey, Tally, length_bin
from domeng_sim.core.policy import begin_round
from domeng_sim.games.domeng.kernel import records
from domeng_sim.games.domeng.kernel.counts import (
    CAMAT,
    CAMAT_AGAIN,
    FINISHED_ROUNDS,
    GAME_LENGTH,
    GAME_STONES,
    GAMES,
    HELD,
    INCUMBENT_GAMES,
    MOVED,
    MOVED_CAUSE,
    MOVED_GIVER,
    PASSEBUNGE,
    PASSES,
    PLAYS,
    ROUND_ENDS,
    SUFFERED,
    TABLE,
)
from domeng_sim.games.domeng.kernel.deal import DEALING, N_SEATS
from domeng_sim.games.domeng.kernel.policies import DomengTerms
from domeng_sim.games.domeng.kernel.records import DomengRoundEnd, n_plays
from domeng_sim.games.domeng.kernel.state import DomengRoundState, byte, on_table, opening
from domeng_sim.games.domeng.kernel.step import DOUBLE, close_round, holder_of_highest_double, lead, leads, play_on
from domeng_sim.games.shared import loop
from domeng_sim.games.shared.loop import UNFINISHED, WON, PlayedRound
from domeng_sim.games.shared.round_deals import Deals

STONES, INCUMBENT, STARTER, OUTCOMES = 0, 1, 2, 3
"""Places in `DomengGame.standing`: stones as in `DomengRoundState`, the CAMAT of before, who starts next or -1, and
from the last place on the rounds of the game under way by `codes.Outcome`."""
_deal_block = DEALING.deal_block


class DomengGame(NamedTuple):
    """Domeng as the loop takes it; see `games.shared.loop`."""

    terms: DomengTerms
    deals: Deals
    standing: npt.NDArray[np.int64]
    first_standing: npt.NDArray[np.int64]


@kernel
def count_round(tally: Tally, starter: int, turn: DomengRoundState, end: DomengRoundEnd, bins: Word) -> None:
    """Count a round that is over, all awards made.  `bins` is the number of stones plus 1."""
    counts, base = tally.counts, tally.base
    distance = end.winner - starter
    if distance < 0:
        distance += 5
    counts[base + U(ROUND_ENDS) + U(25 * end.outcome + 5 * end.winner + distance)] += 1
    counts[base + U(PLAYS) + n_plays(turn)] += 1
    held = base + U(HELD)
    for seat in range(5):
        counts[base + U(PASSES + seat)] += np.int64(byte(turn.passes, seat))
        counts[held + byte(turn.stones, seat)] += 1
        held += bins
    counts[held + on_table(turn.stones)] += 1
    moved = base + U(MOVED + MOVED_CAUSE * end.cause + end.receiver)
    counts[moved + U(MOVED_GIVER * TABLE)] += np.int64(end.from_table)
    if end.given:
        for seat in range(5):
            counts[moved + U(MOVED_GIVER * seat)] += np.int64(byte(end.given, seat))
    if turn.passebunge:
        for seat in range(5):
            counts[base + U(PASSEBUNGE + seat)] += np.int64(byte(turn.passebunge, seat))
    if end.outcome == Outcome.MATTIKKENG:
        several = (end.mattikkeng & (end.mattikkeng - U(1))) != U(0)
        kind = 2 if several else end.cause - np.int64(Cause.MATTIKKENG)
        counts[base + U(SUFFERED + 5 * kind + turn.last)] += 1


@answer(loop.deal_rounds, DomengGame)
@kernel
def _deal(game: DomengGame, seed: Word, match: Word, first: Word, n: int) -> None:
    _deal_block(seed, match, first, n, game.deals)


answer(loop.write_hands, DomengGame)(records.write_hands)
answer(loop.write_deal, Log, DomengGame)(records.write_deal)


@answer(loop.play_round, DomengGame)
@kernel
def _play_round(game: DomengGame, slot: int, tally: Tally, log: Any, key: RoundKey) -> PlayedRound:
    terms, standing = game.terms, game.standing
    rules = terms.rules
    hands = game.deals.hands[N_SEATS * slot : N_SEATS * slot + N_SEATS]
    words = game.deals.seat_words[N_SEATS * slot : N_SEATS * slot + N_SEATS]
    incumbent, starter, moves = standing[INCUMBENT], standing[STARTER], U(0)
    if starter < 0:
        starter, double = holder_of_highest_double(hands)
        if rules.opening_lead == DOUBLE:
            moves = U(1) << double
    if not moves:
        moves = leads(hands[starter])
    begin_round(terms.policy, rules, starter, (incumbent,), key)
    turn = lead(opening(starter, U(standing[STONES])), hands, moves, words, terms, log, key)
    turn, index, blocked = play_on(turn, hands, words, terms, tally, log, key)
    turn, end, camat = close_round(turn, index, blocked, hands, rules)
    count_round(tally, starter, turn, end, rules.stones + U(1))
    records.write_end(log, key, turn, end, camat)
    standing[STONES] = np.int64(turn.stones)
    standing[STARTER] = end.winner if incumbent < 0 else incumbent
    standing[OUTCOMES + end.outcome] += 1
    return PlayedRound(starter, turn, end, camat, hands)


@answer(loop.write_round, DomengGame)
@kernel
def _write_round(game: DomengGame, played: PlayedRound, rows: TableBuffers, row: int, key: RoundKey) -> None:
    records.write_round(rows, row, key, played.starter, played.turn, played.end, played.champion, played.hands)


@answer(loop.close_game, DomengGame)
@kernel
def _close_game(game: DomengGame, ended: int, n_rounds: int, camat: int, tally: Tally) -> None:
    counts, base, incumbent = tally.counts, tally.base, game.standing[INCUMBENT]
    counts[base + U(GAMES + ended)] += 1
    if ended == UNFINISHED:
        return
    if incumbent >= 0:
        counts[base + U(INCUMBENT_GAMES + incumbent)] += 1
    for seat in range(N_SEATS):
        counts[base + U(GAME_STONES + seat)] += np.int64(byte(U(game.standing[STONES]), seat))
    if ended == WON:
        counts[base + U(CAMAT + camat)] += 1
        counts[base + U(FINISHED_ROUNDS)] += n_rounds
        counts[base + U(GAME_LENGTH + length_bin(n_rounds))] += 1
        if camat == incumbent:
            counts[base + U(CAMAT_AGAIN + camat)] += 1


@answer(loop.write_game, DomengGame)
@kernel
def _write_game(
    game: DomengGame, ended: int, n_rounds: int, camat: int, rows: TableBuffers, row: int, key: RoundKey
) -> None:
    stones, outcomes = U(game.standing[STONES]), game.standing[OUTCOMES:]
    records.write_game(rows, row, key, n_rounds, game.standing[INCUMBENT], camat, stones, ended, outcomes)


@answer(loop.new_game, DomengGame)
@kernel
def _new_game(game: DomengGame, camat: int) -> None:
    standing = game.standing
    standing[STONES] = game.first_standing[STONES]
    if camat >= 0:
        standing[INCUMBENT] = standing[STARTER] = camat
    standing[OUTCOMES:] = 0


play_matches = entry(loop.play)
