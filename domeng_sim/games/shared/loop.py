"""Whole matches, whatever the game: the hot loop.

A game is a NamedTuple with its `terms`, its `deals`, its `standing`, an array of what one round leaves to the next, and
`first_standing`, the same at the beginning of a match. What happens in a round, what is counted and written of it, and
when a game is over are questions that the type of that tuple answers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U
from domeng_sim.core.buffers import TableBuffers
from domeng_sim.core.dispatch import by_type
from domeng_sim.core.job import DONE, FULL, Job, Output, RoundKey, Tally, cluster_base, has_room
from domeng_sim.games.shared.round_deals import BLOCK

WON, TRUNCATED, UNFINISHED = 0, 1, 2
"""How a game ended, in the enumerations of all games: somebody won it, it had `max_rounds` rounds, the match ended."""

# The cursor: where the loop stands between two rounds, so that it can stop at any of them and go on later.
MATCH, GAME, ROUND, MATCH_ROUND, BUDGET, N_GAMES, N_ROUNDS, N_EVENTS, STEP, N_CURSOR = range(10)
"""`BUDGET`: rounds after which the loop returns, so that its caller can be interrupted; written by the caller alone.
`N_GAMES` and so on: rows filled of each table; the caller sets them back to 0 when it has taken the rows.
`N_EVENTS` and `STEP` are the position of the log, which moves them on."""


class PlayedRound(NamedTuple):
    """A round that was played.

    Attributes
    ----------
    starter
        Who led.
    turn
        The round at its end, all awards made; of the game's own type, as `end`.
    end
        How it ended.
    champion
        Who won the game by this round, or -1.
    hands
        The hands left, in rows.
    """

    starter: np.int64
    turn: Any
    end: Any
    champion: np.int64
    hands: npt.NDArray[np.uint64]


@by_type(1)
def deal_rounds(game: Any, seed: int, match: int, first: int, n: int) -> None:
    """Deal `n` rounds of a match from round `first` on, at most `BLOCK`."""


@by_type(1)
def write_hands(game: Any, hands: npt.NDArray[np.uint64], rows: TableBuffers, row: int) -> None:
    """Write the hands of the next round, as they were dealt, into its row of the `rounds` table."""


@by_type(2, optional=True)
def write_deal(log: Any, game: Any, hands: npt.NDArray[np.uint64], key: RoundKey) -> None:
    """Write the `deal` events of the next round."""


@by_type(1)
def play_round(game: Any, slot: int, tally: Tally, log: Any, key: RoundKey) -> PlayedRound:
    """Play the round dealt in a slot to its end, with all awards, count it and bring the standing up to date."""


@by_type(1)
def write_round(game: Any, played: PlayedRound, rows: TableBuffers, row: int, key: RoundKey) -> None:
    """Write a row of the `rounds` table."""


@by_type(1)
def close_game(game: Any, ended: int, n_rounds: int, champion: int, tally: Tally) -> None:
    """Count a game that is over."""


@by_type(1)
def write_game(
    game: Any, ended: int, n_rounds: int, champion: int, rows: TableBuffers, row: int, key: RoundKey
) -> None:
    """Write a row of the `games` table."""


@by_type(1)
def new_game(game: Any, champion: int) -> None:
    """Set the standing to that at the beginning of the next game of the match."""


def play(job: Job, game: Any, out: Output, cursor: npt.NDArray[np.int64]) -> int:
    """Play matches until all are played, or the room or the budget is used up; each game compiles it for itself.

    Parameters
    ----------
    job
        What to play and what to write.
    game
        The game.
    out
        What is filled; counts are added to.
    cursor
        int64, shape (N_CURSOR,): where to begin, and where the loop stands when it returns.

    Returns
    -------
    int
        `DONE` or `FULL`.
    """
    match, number, round_, match_round = cursor[MATCH], cursor[GAME], cursor[ROUND], cursor[MATCH_ROUND]
    n_games, n_rounds = cursor[N_GAMES], cursor[N_ROUNDS]
    log = out.log
    games_room, rounds_room = out.games.i8.shape[1], out.rounds.i8.shape[1]
    max_rounds = np.int64(game.terms.rules.max_rounds)
    n_seats = game.deals.seat_offsets.shape[0]
    budget = cursor[BUDGET]
    base = cluster_base(job, out, match)
    dealt = -1
    status = DONE

    while match < job.end_match:
        if (
            budget == 0
            or (job.write_games and n_games == games_room)
            or (job.write_rounds and n_rounds == rounds_room)
            or not has_room(log, job.max_events)
        ):
            status = FULL
            break
        budget -= 1

        slot = match_round & (BLOCK - 1)
        if slot == 0 or dealt < 0:
            deal_rounds(game, job.seed, U(match), U(match_round - slot), job.block)
            dealt = match_round
        key = RoundKey(U(match), number, round_)
        tally = Tally(out.counts, base)
        hands = game.deals.hands[n_seats * slot : n_seats * slot + n_seats]
        if job.write_hands:
            write_hands(game, hands, out.rounds, n_rounds)
        write_deal(log, game, hands, key)
        played = play_round(game, slot, tally, log, key)
        if job.write_rounds:
            write_round(game, played, out.rounds, n_rounds, key)
            n_rounds += 1

        round_ += 1
        match_round += 1
        is_last_round = match_round == job.rounds
        champion = played.champion
        if champion >= 0 or round_ == max_rounds or is_last_round:
            ended = WON if champion >= 0 else (TRUNCATED if round_ == max_rounds else UNFINISHED)
            close_game(game, ended, round_, champion, tally)
            if job.write_games:
                write_game(game, ended, round_, champion, out.games, n_games, key)
                n_games += 1
            number += 1
            round_ = 0
            if number == job.games or is_last_round:
                match += 1
                number, match_round, dealt = 0, 0, -1
                base = cluster_base(job, out, match)
                for place in range(game.standing.shape[0]):
                    game.standing[place] = game.first_standing[place]
            else:
                new_game(game, champion)

    cursor[MATCH], cursor[GAME], cursor[ROUND], cursor[MATCH_ROUND] = match, number, round_, match_round
    cursor[N_GAMES], cursor[N_ROUNDS] = n_games, n_rounds
    return status
