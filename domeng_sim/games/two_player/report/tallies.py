"""Counters of two-player games that need the rows of a table: one pass, a few counts a row, nothing kept.

Each takes the target and how many points make a group, then columns of rows in key order, and adds to arrays whose
first axis is the batch of matches (one by one, not in tuples: the wrapper that unpacks a tuple takes longer to compile
than the counter).  Rows come in pieces of any size; what is under way stands in `state`.  A row with a number out of
range ends the pass: it would write outside the arrays.
"""

from __future__ import annotations

import numpy as np

from domeng_sim.core.codes import DrawEnded, DrawOutcome
from domeng_sim.core.jit import entry

FINISHED, TIED = DrawEnded.FINISHED, DrawOutcome.TIED
N_OUTCOMES = len(DrawOutcome)

# state of the rounds: who led the first round of the game, and the scores before the round
LEADER, SCORE = 0, 1


@entry
def tally_games(  # type: ignore[no-untyped-def]  # noqa: PLR0913
    target, group, batch, first, state, match, winner, s0, s1, ended, loser_score, beyond
):
    """Count games that were won: the other's score and by how much the winner passed the target."""
    parts, n_groups = loser_score.shape[1], beyond.shape[1]
    for i in range(len(match)):
        at = match[i] // batch - first
        if at < 0 or at >= len(beyond) or winner[i] < -1 or winner[i] > 1:
            return i
        if ended[i] != FINISHED:
            continue
        won, lost = (s1[i], s0[i]) if winner[i] == 1 else (s0[i], s1[i])
        above = (won - target) // group
        if winner[i] < 0 or lost < 0 or lost >= target or won < target or above >= n_groups:
            return i
        loser_score[at, lost * parts // target] += 1
        beyond[at, above] += 1
    return len(match)


@entry
def tally_rounds(  # type: ignore[no-untyped-def]  # noqa: PLR0913
    target,
    group,
    batch,
    first,
    state,
    match,
    number,
    starter,
    outcome,
    winner,
    plays,
    stock,
    d0,
    d1,
    p0,
    p1,
    pips0,
    pips1,
    s0,
    s1,
    end_plays,
    end_stock,
    end_points,
    passed,
    place_points,
    place_draws,
    place_passes,
    place_pips,
    first_games,
):
    """Count rounds: how they end by tiles played and left, points, draws and PASSes, and what befalls the starter.

    The last counter of `passed` holds all rounds with more PASSes.
    """
    n_groups, most_passes = end_points.shape[2], passed.shape[1] - 1
    for i in range(len(match)):
        at = match[i] // batch - first
        led, kind = starter[i], outcome[i]
        if at < 0 or at >= len(passed) or led < 0 or led > 1 or winner[i] < -1 or winner[i] > 1:
            return i
        if kind < 0 or kind >= N_OUTCOMES or plays[i] < 0 or plays[i] >= end_plays.shape[2]:
            return i
        if stock[i] < 0 or stock[i] >= end_stock.shape[2]:
            return i
        if number[i] == 0:
            state[LEADER], state[SCORE], state[SCORE + 1] = led, 0, 0
        points0, points1 = s0[i] - state[SCORE], s1[i] - state[SCORE + 1]
        points = points0 + points1
        passes = p0[i] + p1[i]
        if state[LEADER] < 0 or points0 < 0 or points1 < 0 or points >= group * n_groups or passes < 0:
            return i
        end_plays[at, kind, plays[i]] += 1
        end_stock[at, kind, stock[i]] += 1
        if kind != TIED:
            end_points[at, kind, points // group] += 1
        passed[at, min(passes, most_passes)] += 1
        other = 1 - led
        place_points[at, led] += points0
        place_points[at, other] += points1
        place_draws[at, led] += d0[i]
        place_draws[at, other] += d1[i]
        place_passes[at, led] += p0[i]
        place_passes[at, other] += p1[i]
        place_pips[at, led] += pips0[i]
        place_pips[at, other] += pips1[i]
        if s0[i] >= target or s1[i] >= target:
            first_games[at, np.int64((s1[i] >= target) != (state[LEADER] == 1))] += 1
        state[SCORE], state[SCORE + 1] = s0[i], s1[i]
    return len(match)
