"""Whole matches: the hot loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, popcount
from domeng_sim.core.codes import NOBODY, DrawEnded, DrawOutcome
from domeng_sim.core.hands import LOWER, pips
from domeng_sim.core.jit import entry, kernel
from domeng_sim.core.job import DONE, FULL, Job, Log, Output, RoundKey, Tally, cluster_base, length_bin
from domeng_sim.games.draw.kernel.counts import (
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
from domeng_sim.games.draw.kernel.deal import BLOCK, N_SEATS, DealScratch, Subsets, deal_block
from domeng_sim.games.draw.kernel.geometry import clear, closed_ends
from domeng_sim.games.draw.kernel.policies import begin_round
from domeng_sim.games.draw.kernel.records import (
    MAX_EVENTS,
    RoundEnd,
    Scores,
    write_deal,
    write_end,
    write_game,
    write_hands,
    write_round,
)
from domeng_sim.games.draw.kernel.state import Turn, both, byte, opening
from domeng_sim.games.draw.kernel.step import HIGHEST, close_round, lead, play_on, starter_of
from domeng_sim.games.draw.rules import RulesRow

# The cursor: where the kernel stands between two rounds, so that it can stop at any of them and go on later.
MATCH, GAME, ROUND, MATCH_ROUND, SCORE = 0, 1, 2, 3, 4
N_GAMES, N_ROUNDS, N_EVENTS = 6, 7, 8
"""Rows filled of each table; the caller sets them back to 0 when it has taken the rows."""
N_CURSOR = 9


@kernel
def count_round(
    tally: Tally, starter: int, turn: Turn, end: RoundEnd, hands: npt.NDArray[np.uint64], closed: int
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


@kernel
def count_game(tally: Tally, ended: int, n_rounds: int, winner: int, scores: Scores) -> None:
    """Count a game that is over."""
    counts, base = tally.counts, tally.base
    counts[base + U(GAMES + ended)] += 1
    if ended == DrawEnded.UNFINISHED:
        return
    counts[base + U(GAME_SCORES)] += scores.first
    counts[base + U(GAME_SCORES + 1)] += scores.second
    if ended == DrawEnded.FINISHED:
        counts[base + U(GAME_WINS + winner)] += 1
        counts[base + U(FINISHED_ROUNDS)] += n_rounds
        counts[base + U(GAME_LENGTH + length_bin(n_rounds))] += 1


@entry
def play_matches(
    job: Job,
    rules: RulesRow,
    policy: Any,
    table: Any,
    subsets: Subsets,
    scratch: DealScratch,
    out: Output,
    cursor: npt.NDArray[np.int64],
) -> int:
    """Play matches until all are played, or the room or the budget is used up.

    Parameters
    ----------
    job
        What to play and what to write.
    rules
        The rules.
    policy, table
        How the seats choose, and where tiles lie; their types select the engine.
    subsets
        `deal.hand_subsets`.
    scratch
        Room for deals.
    out
        What is filled; counts are added to.
    cursor
        int64, shape (N_CURSOR,): where to begin, and where the kernel stands when it returns.

    Returns
    -------
    int
        `DONE` or `FULL`.
    """
    match, game, round_, match_round = cursor[MATCH], cursor[GAME], cursor[ROUND], cursor[MATCH_ROUND]
    scores = Scores(cursor[SCORE], cursor[SCORE + 1])
    n_games, n_rounds = cursor[N_GAMES], cursor[N_ROUNDS]
    out.position[0] = cursor[N_EVENTS]
    log = Log(job.write_events, out.events, out.position)
    games_room, rounds_room = out.games.i8.shape[1], out.rounds.i8.shape[1]
    events_room = out.events.i8.shape[1] - MAX_EVENTS
    target, max_rounds = np.int64(rules.target), np.int64(rules.max_rounds)
    budget = job.budget
    base = cluster_base(job, out, match)
    dealt = -1
    status = DONE

    while match < job.end_match:
        if (
            budget == 0
            or (job.write_games and n_games == games_room)
            or (job.write_rounds and n_rounds == rounds_room)
            or (log.on and out.position[0] > events_room)
        ):
            status = FULL
            break
        budget -= 1

        slot = match_round & (BLOCK - 1)
        if slot == 0 or dealt < 0:
            deal_block(job.seed, U(match), U(match_round - slot), job.block, subsets, scratch)
            dealt = match_round
        hands = scratch.hands[N_SEATS * slot : N_SEATS * slot + N_SEATS]
        seat_words = scratch.seat_words[N_SEATS * slot : N_SEATS * slot + N_SEATS]
        key = RoundKey(U(match), game, round_)
        tally = Tally(out.counts, base)

        starter, highest = starter_of(hands)
        moves = U(1) << highest if rules.opening_lead == HIGHEST else hands[starter] & LOWER
        stock = LOWER & ~(hands[0] | hands[1])
        clear(table)
        begin_round(policy, rules, starter, scores, key)
        if job.write_hands:
            write_hands(out.rounds, n_rounds, hands)
        if log.on:
            write_deal(log, key, hands)

        turn = lead(opening(starter, stock, scratch.last[slot]), hands, moves, seat_words, policy, table, log, key)
        turn, is_blocked = play_on(turn, hands, seat_words, rules, policy, table, log, key)
        end = close_round(turn, is_blocked, hands)
        count_round(tally, starter, turn, end, hands, closed_ends(table))
        scores = Scores(
            scores.first + (end.points if end.winner == 0 else 0),
            scores.second + (end.points if end.winner == 1 else 0),
        )
        if job.write_rounds:
            write_round(out.rounds, n_rounds, key, starter, turn, end, scores, hands)
            n_rounds += 1
        if log.on:
            write_end(log, key, turn, end)

        round_ += 1
        match_round += 1
        is_last_round = match_round == job.rounds
        winner = 0 if scores.first >= target else (1 if scores.second >= target else NOBODY)
        if winner >= 0 or round_ == max_rounds or is_last_round:
            ended = DrawEnded.FINISHED if winner >= 0 else (
                DrawEnded.TRUNCATED if round_ == max_rounds else DrawEnded.UNFINISHED
            )  # fmt: skip
            count_game(tally, np.int64(ended), round_, winner, scores)
            if job.write_games:
                write_game(out.games, n_games, key, round_, winner, scores, np.int64(ended))
                n_games += 1
            game += 1
            round_ = 0
            scores = Scores(np.int64(0), np.int64(0))
            if game == job.games or is_last_round:
                match += 1
                game, match_round, dealt = 0, 0, -1
                base = cluster_base(job, out, match)

    cursor[MATCH], cursor[GAME], cursor[ROUND], cursor[MATCH_ROUND] = match, game, round_, match_round
    cursor[SCORE], cursor[SCORE + 1] = scores.first, scores.second
    cursor[N_GAMES], cursor[N_ROUNDS], cursor[N_EVENTS] = n_games, n_rounds, out.position[0]
    return status
