"""Whole matches of two players: what `games.shared.loop` asks of a game."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, popcount
from domeng_sim.core.buffers import TableBuffers
from domeng_sim.core.codes import NOBODY, DrawOutcome
from domeng_sim.core.dispatch import answer
from domeng_sim.core.hands import LOWER, pips
from domeng_sim.core.jit import entry, kernel
from domeng_sim.core.job import Log, RoundKey, Tally, length_bin
from domeng_sim.core.policy import begin_round
from domeng_sim.games.shared import loop
from domeng_sim.games.shared.loop import UNFINISHED, WON, PlayedRound
from domeng_sim.games.shared.round_deals import Deals
from domeng_sim.games.two_player.kernel import records
from domeng_sim.games.two_player.kernel.counts import (
    CLOSED_ENDS,
    DRAWS,
    FINISHED_ROUNDS,
    GAME_LENGTH,
    GAME_SCORES,
    GAME_WINS,
    GAMES,
    NO_SEAT,
    PASSES,
    PIPS,
    PLAYS,
    POINTS,
    ROUND_ENDS,
    SCORED,
    STARTS,
    STOCK,
)
from domeng_sim.games.two_player.kernel.deal import DEALING, N_SEATS
from domeng_sim.games.two_player.kernel.geometry import clear, closed_ends
from domeng_sim.games.two_player.kernel.policies import TwoPlayerTerms
from domeng_sim.games.two_player.kernel.records import TwoPlayerRoundEnd
from domeng_sim.games.two_player.kernel.state import TwoPlayerRoundState, both, byte, opening
from domeng_sim.games.two_player.kernel.step import HIGHEST, close_round, lead, play_on, starter_of, stock_of

_deal_block = DEALING.deal_block


class TwoPlayerGame(NamedTuple):
    """A two-player game as the loop takes it, with the scores of the game under way as its standing."""

    terms: TwoPlayerTerms
    deals: Deals
    standing: npt.NDArray[np.int64]
    first_standing: npt.NDArray[np.int64]


@kernel
def count_round(
    tally: Tally,
    starter: int,
    turn: TwoPlayerRoundState,
    end: TwoPlayerRoundEnd,
    hands: npt.NDArray[np.uint64],
    closed: int,
) -> None:
    """Count a round that is over.

    Parameters
    ----------
    tally
        Where counts go.
    starter
        Who led.
    turn
        The round at its end.
    end
        How it ended.
    hands
        The hands at the end, in rows.
    closed
        Bit e: end e of the chain is closed.
    """
    counts, base = tally.counts, tally.base
    winner = end.winner if end.winner >= 0 else NO_SEAT
    distance = (winner ^ starter) if end.winner >= 0 else NO_SEAT
    counts[base + U(ROUND_ENDS + 9 * end.outcome + 3 * winner + distance)] += 1
    counts[base + U(STARTS + starter)] += 1
    counts[base + U(PLAYS) + both(turn.plays)] += 1
    counts[base + U(STOCK) + popcount(turn.stock)] += 1
    counts[base + U(CLOSED_ENDS + (closed & 1) + (closed >> 1))] += 1
    for seat in range(N_SEATS):
        counts[base + U(DRAWS + seat)] += np.int64(byte(turn.draws, seat))
        counts[base + U(PASSES + seat)] += np.int64(byte(turn.passes, seat))
        counts[base + U(PIPS + seat)] += np.int64(pips(hands[seat]))
    if end.outcome != DrawOutcome.TIED:
        counts[base + U(SCORED + 2 * end.outcome + winner)] += end.points
        counts[base + U(POINTS + end.points)] += 1


@answer(loop.deal_rounds, TwoPlayerGame)
@kernel
def _deal(game: TwoPlayerGame, seed: Word, match: Word, first: Word, n: int) -> None:
    _deal_block(seed, match, first, n, game.deals)


answer(loop.write_hands, TwoPlayerGame)(records.write_hands)
answer(loop.write_deal, Log, TwoPlayerGame)(records.write_deal)


@answer(loop.play_round, TwoPlayerGame)
@kernel
def _play_round(game: TwoPlayerGame, slot: int, tally: Tally, log: Any, key: RoundKey) -> PlayedRound:
    terms, scores = game.terms, game.standing
    rules = terms.rules
    hands = game.deals.hands[N_SEATS * slot : N_SEATS * slot + N_SEATS]
    words = game.deals.seat_words[N_SEATS * slot : N_SEATS * slot + N_SEATS]
    starter, highest = starter_of(hands)
    moves = U(1) << highest if rules.opening_lead == HIGHEST else hands[starter] & LOWER
    clear(terms.table)
    begin_round(terms.policy, rules, starter, (scores[0], scores[1]), key)
    turn = opening(starter, stock_of(hands, rules), game.deals.last[slot])
    turn = lead(turn, hands, moves, words, terms, log, key)
    turn, is_blocked = play_on(turn, hands, words, terms, log, key)
    end = close_round(turn, is_blocked, hands)
    count_round(tally, starter, turn, end, hands, closed_ends(terms.table))
    records.write_end(log, key, turn, end)
    champion = np.int64(NOBODY)
    if end.winner >= 0:
        scores[end.winner] += end.points
        if scores[end.winner] >= np.int64(rules.target):
            champion = end.winner
    return PlayedRound(starter, turn, end, champion, hands)


@answer(loop.write_round, TwoPlayerGame)
@kernel
def _write_round(game: TwoPlayerGame, played: PlayedRound, rows: TableBuffers, row: int, key: RoundKey) -> None:
    records.write_round(rows, row, key, played.starter, played.turn, played.end, game.standing, played.hands)


@answer(loop.close_game, TwoPlayerGame)
@kernel
def _close_game(game: TwoPlayerGame, ended: int, n_rounds: int, winner: int, tally: Tally) -> None:
    counts, base = tally.counts, tally.base
    counts[base + U(GAMES + ended)] += 1
    if ended == UNFINISHED:
        return
    for seat in range(N_SEATS):
        counts[base + U(GAME_SCORES + seat)] += game.standing[seat]
    if ended == WON:
        counts[base + U(GAME_WINS + winner)] += 1
        counts[base + U(FINISHED_ROUNDS)] += n_rounds
        counts[base + U(GAME_LENGTH + length_bin(n_rounds))] += 1


@answer(loop.write_game, TwoPlayerGame)
@kernel
def _write_game(
    game: TwoPlayerGame, ended: int, n_rounds: int, winner: int, rows: TableBuffers, row: int, key: RoundKey
) -> None:
    records.write_game(rows, row, key, n_rounds, winner, game.standing, ended)


@answer(loop.new_game, TwoPlayerGame)
@kernel
def _new_game(game: TwoPlayerGame, winner: int) -> None:
    game.standing[:] = 0


play_matches = entry(loop.play)
