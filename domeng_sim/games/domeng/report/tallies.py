"""Counters of Domeng that need the rows of a table: one pass, a few counts a row, nothing kept.

Each takes columns of rows in key order and adds to arrays whose first axis is the batch of matches (one by one, not in
tuples: the wrapper that unpacks a tuple takes longer to compile than the counter).  Rows come in pieces
of any size; what is under way stands in `state`.  A row with a number out of range ends the pass: it would write
outside the arrays.
"""

from __future__ import annotations

from domeng_sim.core.codes import Ended, Event, Outcome
from domeng_sim.core.jit import entry

N_SEATS = 5
N_TILES = 28
N_OUTCOMES = len(Outcome)
N_EVENTS = len(Event)
CAMAT, UNFINISHED = Ended.CAMAT, Ended.UNFINISHED
LEAD, PLAY, PASS, PASSEBUNGE, AWARD = Event.LEAD, Event.PLAY, Event.PASS, Event.PASSEBUNGE, Event.AWARD

# state of the games: match, CAMAT, titles in a row
MATCH, HOLDER, TITLES = 0, 1, 2

# state of the events: turn, last tile, whether it made both ends equal, passes since then, and what each was
TURN, TILE, EQUAL, PENDING, FIRST_PENDING = 0, 1, 2, 3, 4


@entry
def tally_games(  # type: ignore[no-untyped-def]  # noqa: PLR0913
    batch,
    first,
    state,
    match,
    incumbent,
    camat,
    ended,
    rounds,
    s0,
    s1,
    s2,
    s3,
    s4,
    end_stones,
    trials,
    wins,
    games,
    lengths,
    titles,
    title_trials,
):
    """Count games: stones at their end, who is appointed as what, and titles in a row.

    The last counter of `titles` and `title_trials` holds all longer rows of titles.
    """
    most = titles.shape[2] - 1
    for i in range(len(match)):
        at = match[i] // batch - first
        held = (s0[i], s1[i], s2[i], s3[i], s4[i])
        before, now = incumbent[i], camat[i]
        if at < 0 or at >= len(games) or before < -1 or before >= N_SEATS or now < -1 or now >= N_SEATS:
            return i
        if match[i] != state[MATCH]:
            state[MATCH], state[HOLDER], state[TITLES] = match[i], -1, 0
        if ended[i] == UNFINISHED:
            continue
        for seat in range(N_SEATS):
            if held[seat] < 0 or held[seat] >= end_stones.shape[2]:
                return i
            end_stones[at, seat, held[seat]] += 1
        if ended[i] != CAMAT:
            continue
        if now < 0 or before != state[HOLDER]:
            return i
        for seat in range(N_SEATS):
            kind = 0 if before < 0 else (1 if before == seat else 2)
            trials[at, kind, seat] += 1
            wins[at, kind, seat] += now == seat
        kind = 0 if before < 0 else (1 if before == now else 2)
        games[at, kind] += 1
        lengths[at, kind] += rounds[i]
        if before >= 0:
            title_trials[at, before, min(state[TITLES], most)] += 1
        state[TITLES] = state[TITLES] + 1 if before == now else 1
        state[HOLDER] = now
        titles[at, now, min(state[TITLES], most)] += 1
    return len(match)


@entry
def tally_rounds(  # type: ignore[no-untyped-def]  # noqa: PLR0913
    batch,
    first,
    state,
    match,
    game,
    number,
    starter,
    outcome,
    winner,
    plays,
    camat,
    p0,
    p1,
    p2,
    p3,
    p4,
    s0,
    s1,
    s2,
    s3,
    s4,
    end_plays,
    rounds,
    place_wins,
    place_camat,
    place_passes,
    place_stones,
):
    """Count rounds: outcomes by tiles played, and what befalls each place counted from the starter."""
    for i in range(len(match)):
        at = match[i] // batch - first
        led, won, kind, out, title = starter[i], winner[i], outcome[i], plays[i], camat[i]
        if at < 0 or at >= len(rounds) or kind < 0 or kind >= N_OUTCOMES:
            return i
        if out < 0 or out >= end_plays.shape[2] or led < 0 or led >= N_SEATS:
            return i
        if won < 0 or won >= N_SEATS or title < -1 or title >= N_SEATS:
            return i
        later = 0 if game[i] == 0 and number[i] == 0 else 1
        end_plays[at, kind, out] += 1
        rounds[at, later] += 1
        place_wins[at, later, (won - led) % N_SEATS] += 1
        if title >= 0:
            place_camat[at, later, (title - led) % N_SEATS] += 1
        passes = (p0[i], p1[i], p2[i], p3[i], p4[i])
        stones = (s0[i], s1[i], s2[i], s3[i], s4[i])
        for seat in range(N_SEATS):
            place = (seat - led) % N_SEATS
            place_passes[at, later, place] += passes[seat]
            place_stones[at, later, place] += stones[seat]
    return len(match)


@entry
def tally_events(  # type: ignore[no-untyped-def]  # noqa: PLR0913
    batch, first, state, match, event, tile, left, right, turns, finishes
):
    """Count events: plays and passes by turn, and the tiles that finish a hand.

    A pass after the last tile closes a blocked round and is no turn of play; so passes wait for the next tile.
    The last counter of `turns` holds all later ones.
    """
    most = turns.shape[2] - 1
    for i in range(len(match)):
        what = event[i]
        if what == LEAD or what == PLAY:
            at = match[i] // batch - first
            if at < 0 or at >= len(turns) or tile[i] < 0 or tile[i] >= N_TILES:
                return i
            if what == LEAD:
                state[TURN], state[PENDING] = 0, 0
            for k in range(state[PENDING]):
                state[TURN] += 1
                turns[at, state[FIRST_PENDING + k], min(state[TURN], most)] += 1
            state[TURN] += 1
            turns[at, 0, min(state[TURN], most)] += 1
            state[TILE], state[PENDING] = tile[i], 0
            state[EQUAL] = left[i] == right[i]
        elif what == PASS or what == PASSEBUNGE:
            if state[PENDING] >= N_SEATS or state[PENDING] < 0:
                return i
            state[FIRST_PENDING + state[PENDING]] = 1 if what == PASS else 2
            state[PENDING] += 1
        elif what == AWARD:
            at = match[i] // batch - first
            if at < 0 or at >= len(turns) or state[TILE] < 0:
                return i
            if state[PENDING] == 0:
                finishes[at, state[EQUAL], state[TILE]] += 1
        elif what < 0 or what >= N_EVENTS:
            return i
    return len(match)
