"""Whole matches: the hot loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.codes import NOBODY, Cause, Ended, Outcome
from domeng_sim.core.jit import entry, kernel
from domeng_sim.core.job import DONE, FULL, Job, Log, Output, RoundKey, Tally, cluster_base, length_bin
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
from domeng_sim.games.domeng.kernel.deal import BLOCK, N_SEATS, DealScratch, deal_block
from domeng_sim.games.domeng.kernel.policies import begin_round
from domeng_sim.games.domeng.kernel.records import (
    MAX_EVENTS,
    RoundEnd,
    n_plays,
    write_deal,
    write_end,
    write_game,
    write_hands,
    write_round,
)
from domeng_sim.games.domeng.kernel.state import TABLE_SHIFT, Turn, byte, on_table, opening
from domeng_sim.games.domeng.kernel.step import DOUBLE, close_round, holder_of_highest_double, lead, leads, play_on
from domeng_sim.games.domeng.rules import RulesRow

# The cursor: where the kernel stands between two rounds, so that it can stop at any of them and go on later.
MATCH, GAME, ROUND, MATCH_ROUND, STONES, INCUMBENT, STARTER = 0, 1, 2, 3, 4, 5, 6
GAME_OUTCOMES = 7
N_GAMES, N_ROUNDS, N_EVENTS = 12, 13, 14
"""Rows filled of each table; the caller sets them back to 0 when it has taken the rows."""
N_CURSOR = 15


@kernel
def count_round(tally: Tally, starter: int, turn: Turn, end: RoundEnd, bins: Word) -> None:
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


@kernel
def count_game(tally: Tally, ended: int, n_rounds: int, incumbent: int, camat: int, stones: Word) -> None:
    """Count a game that is over."""
    counts, base = tally.counts, tally.base
    counts[base + U(GAMES + ended)] += 1
    if ended == Ended.UNFINISHED:
        return
    if incumbent >= 0:
        counts[base + U(INCUMBENT_GAMES + incumbent)] += 1
    for seat in range(5):
        counts[base + U(GAME_STONES + seat)] += np.int64(byte(stones, seat))
    if ended == Ended.CAMAT:
        counts[base + U(CAMAT + camat)] += 1
        counts[base + U(FINISHED_ROUNDS)] += n_rounds
        counts[base + U(GAME_LENGTH + length_bin(n_rounds))] += 1
        if camat == incumbent:
            counts[base + U(CAMAT_AGAIN + camat)] += 1


@entry
def play_matches(
    job: Job, rules: RulesRow, policy: Any, subsets: npt.NDArray[np.uint32], scratch: DealScratch, out: Output,
    cursor: npt.NDArray[np.int64],
) -> int:  # fmt: skip
    """Play matches until all are played, or the room or the budget is used up.

    Parameters
    ----------
    job
        What to play and what to write.
    rules
        The rules.
    policy
        How the seats choose; its type selects the engine.
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
    stones, incumbent, next_starter = U(cursor[STONES]), cursor[INCUMBENT], cursor[STARTER]
    n_games, n_rounds = cursor[N_GAMES], cursor[N_ROUNDS]
    outcomes = cursor[GAME_OUTCOMES : GAME_OUTCOMES + 5]
    out.position[0] = cursor[N_EVENTS]
    log = Log(job.write_events, out.events, out.position)
    bins = rules.stones + U(1)
    all_stones = rules.stones << TABLE_SHIFT
    games_room, rounds_room = out.games.i8.shape[1], out.rounds.i8.shape[1]
    events_room = out.events.i8.shape[1] - MAX_EVENTS
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

        starter = next_starter
        moves = U(0)
        if starter < 0:
            starter, double = holder_of_highest_double(hands)
            if rules.opening_lead == DOUBLE:
                moves = U(1) << double
        if not moves:
            moves = leads(hands[starter])

        if job.write_hands:
            write_hands(out.rounds, n_rounds, hands)
        if log.on:
            write_deal(log, key, hands)

        begin_round(policy, rules, starter, incumbent, key)
        turn = lead(opening(starter, stones), hands, moves, seat_words, policy, log, key)
        turn, index, blocked = play_on(turn, hands, seat_words, rules, policy, tally, log, key)
        turn, end, camat = close_round(turn, index, blocked, hands, rules)
        stones = turn.stones
        count_round(tally, starter, turn, end, bins)
        outcomes[end.outcome] += 1
        if job.write_rounds:
            write_round(out.rounds, n_rounds, key, starter, turn, end, camat, hands)
            n_rounds += 1
        if log.on:
            write_end(log, key, turn, end, camat)

        round_ += 1
        match_round += 1
        is_last_round = match_round == job.rounds
        next_starter = end.winner if incumbent < 0 else incumbent
        if camat >= 0 or round_ == np.int64(rules.max_rounds) or is_last_round:
            ended = Ended.CAMAT if camat >= 0 else (
                Ended.TRUNCATED if round_ == np.int64(rules.max_rounds) else Ended.UNFINISHED
            )  # fmt: skip
            count_game(tally, np.int64(ended), round_, incumbent, camat, stones)
            if job.write_games:
                write_game(out.games, n_games, key, round_, incumbent, camat, stones, np.int64(ended), outcomes)
                n_games += 1
            if camat >= 0:
                incumbent = next_starter = camat
            game += 1
            round_ = 0
            stones = all_stones
            outcomes[:] = 0
            if game == job.games or is_last_round:
                match += 1
                game, match_round, incumbent, next_starter, dealt = 0, 0, NOBODY, NOBODY, -1
                base = cluster_base(job, out, match)

    cursor[MATCH], cursor[GAME], cursor[ROUND], cursor[MATCH_ROUND] = match, game, round_, match_round
    cursor[STONES], cursor[INCUMBENT], cursor[STARTER] = np.int64(stones), incumbent, next_starter
    cursor[N_GAMES], cursor[N_ROUNDS], cursor[N_EVENTS] = n_games, n_rounds, out.position[0]
    return status
