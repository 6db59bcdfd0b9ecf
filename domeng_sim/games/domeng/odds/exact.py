"""The whole tree of a round from a deal that is known, all players at random, in whole numbers.

A player with n tiles has at most n + 1 moves, since one tile at most fits two different ends.  So a tile played from a
hand of 1, 2, 3, 4, 5 was one of a number that divides 2, 6, 12, 60, 60, and the probability of any course of the round
is a whole number over the product of these for all tiles in all hands: below 2^95 for five full hands.  Weights are
therefore words of 128 bits, a weight is divided by the number of moves at each choice without rest, and what is
added up is exact.  The tree is small, some hundred thousand courses from a fresh deal, and is gone through without
remembering anything: bringing equal positions together would less than halve it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, high_product, lowest_bit, popcount
from domeng_sim.core.codes import Outcome
from domeng_sim.core.dispatch import answer
from domeng_sim.core.hands import KEEP
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import NoLog, RoundKey, Tally
from domeng_sim.games.domeng.kernel.policies import DomengTerms
from domeng_sim.games.domeng.kernel.records import n_plays
from domeng_sim.games.domeng.kernel.state import (
    DomengRoundState,
    after_lead,
    after_play,
    byte,
    ends_fit,
    next_seat,
    on_table,
)
from domeng_sim.games.domeng.kernel.step import close_round, leads, take_pass
from domeng_sim.games.domeng.odds.start import after_move
from domeng_sim.games.shared.odds import Exact
from domeng_sim.games.shared.odds_start import GO_ON, Start
from domeng_sim.games.shared.sampling import (
    HIGH,
    LEAVES,
    LOW,
    OTHER_HIGH,
    OTHER_LOW,
    PAST_LIMIT,
    Room,
    exact_of,
    explore,
    new_seen,
    note_end,
)

SHARES = (1, 2, 6, 12, 60, 60)
"""By tiles in a hand, a number that every possible number of moves divides."""
MAX_DEPTH = 26

# What is added up, in the order of the rows of `DomengTree.sums`.
ENDS = 0
"""Outcome and winner: 5 x outcome + winner."""
CAMAT, PLAYS, PASSES, PASSEBUNGE = 25, 30, 31, 36
BY_PASS, AT_END, GIVEN, FROM_TABLE = 41, 46, 51, 56
N_SUMS = 57
DETAILS = {
    "outcome_winner": (ENDS, 25),
    "camat": (CAMAT, 5),
    "plays": (PLAYS, 1),
    "passes": (PASSES, 5),
    "passebunge": (PASSEBUNGE, 5),
    "received_by_pass": (BY_PASS, 5),
    "received_at_end": (AT_END, 5),
    "given": (GIVEN, 5),
    "from_table": (FROM_TABLE, 1),
}
"""Totals by name: where they begin and how many they are."""

_INVERSES = [pow(odd, -1, 2**128) for odd in (1, 1, 1, 3, 1, 5, 3)]
INVERSE_HIGH = np.array([inverse >> 64 for inverse in _INVERSES], np.uint64)
INVERSE_LOW = np.array([inverse & (2**64 - 1) for inverse in _INVERSES], np.uint64)
POWER_OF_TWO = np.array([0, 0, 1, 0, 2, 0, 1], np.uint64)
"""By number of moves: how to divide by it."""

_MADE8, _OTHER8, _LEFT8, _STONES, _FRESH, _HELD, _SEAT, _LAST, _MOVER, _REST, _HAND = range(11)
_SHARE_HIGH, _SHARE_LOW, _RECEIVED, _GIVEN, _LEAD = range(11, 16)
N_FRAME = 16


class DomengTree(NamedTuple):
    """Room to go through a tree, and what it adds up to.

    Attributes
    ----------
    sums
        uint64, shape (N_SUMS, 2): totals, the upper word first.
    seen
        int64, shape (N_SEEN,): stones received and given by the player who asks; see `sampling.N_SEEN`.
    frames
        uint64, shape (MAX_DEPTH, N_FRAME): the choices under way.
    hands
        uint64, shape (5,): the hands under way.
    """

    sums: npt.NDArray[np.uint64]
    seen: npt.NDArray[np.int64]
    frames: npt.NDArray[np.uint64]
    hands: npt.NDArray[np.uint64]


def new_tree() -> DomengTree:
    """An empty tree."""
    return DomengTree(
        np.zeros((N_SUMS, 2), np.uint64),
        new_seen(255),
        np.zeros((MAX_DEPTH, N_FRAME), np.uint64),
        np.zeros(5, np.uint64),
    )


def full_weight(held: Sequence[int]) -> int:
    """Weight of all courses of a round in which the seats hold so many tiles.

    Examples
    --------
    >>> full_weight([1, 1, 0, 2, 1]), full_weight([5] * 5) < 2**95
    (96, True)
    """
    return math.prod(SHARES[n] for tiles in held for n in range(tiles + 1))


class DomengGround(NamedTuple):
    """What stays the same all over a tree.

    Attributes
    ----------
    me
        The player whose stones are looked at.
    terms
        On what terms it is played on.
    tree
        Room and totals.
    high, low
        Weight of the position.
    tally, log
        Room for what the steps of a round write.
    limit
        Ends of rounds after which to give up.
    """

    me: np.int64
    terms: DomengTerms
    tree: DomengTree
    high: np.uint64
    low: np.uint64
    tally: Tally
    log: NoLog
    limit: np.int64


class Path(NamedTuple):
    """How a moment of the round was reached.

    Attributes
    ----------
    high, low
        Its weight.
    received, given
        Stones of the player who asks since the position.
    """

    high: np.uint64
    low: np.uint64
    received: np.uint64
    given: np.uint64


@kernel
def add(sums: npt.NDArray[np.uint64], row: int, path: Path) -> None:
    """Add a weight to a total."""
    before = sums[row, 1]
    after = before + path.low
    sums[row, 1] = after
    sums[row, 0] += path.high + U(after < before)


@kernel
def add_times(sums: npt.NDArray[np.uint64], row: int, path: Path, n: Word) -> None:
    """Add a weight `n` times to a total."""
    if n:
        add(sums, row, Path(path.high * n + high_product(path.low, n), path.low * n, U(0), U(0)))


@kernel
def divided(high: Word, low: Word, n: Word) -> tuple[Word, Word]:
    """A weight divided by 1 to 6, where nothing is left over.

    Division without rest is multiplication by the inverse of the odd part modulo 2^128 (Warren, *Hacker's Delight*,
    2nd ed. 2012, section 10-16).
    """
    two = POWER_OF_TWO[n]
    if two:
        low = (low >> two) | (high << (U(64) - two))
        high >>= two
    inverse_high, inverse_low = INVERSE_HIGH[n], INVERSE_LOW[n]
    return high_product(low, inverse_low) + high * inverse_low + low * inverse_high, low * inverse_low


@kernel
def _pass(turn: DomengRoundState, seat: int, ground: DomengGround, path: Path) -> tuple[DomengRoundState, Path]:
    """A PASS; returns the round after it, and the path with the stones that it moved."""
    tree = ground.tree
    after = take_pass(turn, seat, tree.hands, ground.terms.rules, ground.tally, ground.log, RoundKey(U(0), 0, 0))
    from_table = on_table(turn.stones) - on_table(after.stones)
    given = U(0)
    if seat != turn.last:
        given = byte(turn.stones, turn.last) - byte(after.stones, turn.last)
    add(tree.sums, PASSES + seat, path)
    if after.passebunge != turn.passebunge:
        add(tree.sums, PASSEBUNGE + seat, path)
    add_times(tree.sums, BY_PASS + seat, path, from_table + given)
    add_times(tree.sums, GIVEN + turn.last, path, given)
    add_times(tree.sums, FROM_TABLE, path, from_table)
    received = path.received + (from_table + given if seat == ground.me else U(0))
    given = path.given + (given if turn.last == ground.me else U(0))
    return after, Path(path.high, path.low, received, given)


@kernel
def _close(turn: DomengRoundState, index: Word, blocked: bool, ground: DomengGround, path: Path) -> None:
    """The end of a round."""
    sums, me = ground.tree.sums, ground.me
    turn, end, camat = close_round(turn, index, blocked, ground.tree.hands, ground.terms.rules)
    add(sums, ENDS + 5 * end.outcome + end.winner, path)
    if camat >= 0:
        add(sums, CAMAT + camat, path)
    add_times(sums, PLAYS, path, n_plays(turn))
    total = end.from_table
    for seat in range(5):
        part = byte(end.given, seat)
        total += part
        add_times(sums, GIVEN + seat, path, part)
    add_times(sums, AT_END + end.receiver, path, total)
    add_times(sums, FROM_TABLE, path, end.from_table)
    received = np.int64(path.received) + (np.int64(total) if end.receiver == me else 0)
    given = np.int64(path.given + byte(end.given, me))
    note_end(ground.tree.seen, received, given)


@kernel
def _turn_of(frame: npt.NDArray[np.uint64]) -> DomengRoundState:
    zero = U(0)
    return DomengRoundState(
        np.int64(frame[_SEAT]), np.int64(frame[_LAST]), frame[_MADE8], frame[_OTHER8], frame[_LEFT8], frame[_STONES],
        frame[_FRESH], zero, zero, frame[_HELD], zero, zero,
    )  # fmt: skip


@kernel
def _open(
    frame: npt.NDArray[np.uint64], turn: DomengRoundState, seat: int, hand: Word, moves: Word, is_lead: bool, path: Path
) -> None:
    """Note a choice, of which no move was looked at yet."""
    frame[_MADE8], frame[_OTHER8], frame[_LEFT8] = turn.made8, turn.other8, turn.left8
    frame[_STONES], frame[_FRESH], frame[_HELD] = turn.stones, turn.fresh, turn.held
    frame[_SEAT], frame[_LAST], frame[_MOVER] = U(turn.seat), U(turn.last), U(seat)
    frame[_REST], frame[_HAND], frame[_LEAD] = moves, hand, U(is_lead)
    frame[_SHARE_HIGH], frame[_SHARE_LOW] = divided(path.high, path.low, popcount(moves))
    frame[_RECEIVED], frame[_GIVEN] = path.received, path.given


@kernel
def _go_on(turn: DomengRoundState, index: Word, ground: DomengGround, path: Path, depth: int) -> int:
    """Go on to the next choice, or to the end of the round; returns the depth of the last choice that is open."""
    tree = ground.tree
    while True:
        seat = next_seat(turn.seat)
        moves = tree.hands[seat] & ends_fit(turn)
        if moves:
            depth += 1
            _open(tree.frames[depth], turn, seat, tree.hands[seat], moves, False, path)
            return depth
        turn, path = _pass(turn, seat, ground, path)
        if seat == turn.last:
            _close(turn, index, True, ground, path)
            return depth


@answer(explore, DomengGround)
@shared
def _explore(
    ground: DomengGround, start: Start, turn: DomengRoundState, move: npt.NDArray[np.int64], room: Room
) -> None:
    tree, path = ground.tree, Path(ground.high, ground.low, U(0), U(0))
    hands, frames, seen = tree.hands, tree.frames, tree.seen
    index, depth = U(move[1]), -1
    if move[0] != GO_ON:
        turn = after_move(turn, move, start, hands)
    if move[0] == GO_ON and start.is_lead:
        depth = 0
        _open(frames[0], turn, turn.seat, hands[turn.seat], leads(hands[turn.seat]), True, path)
    elif not hands[turn.last] and turn.seat == turn.last:
        _close(turn, index, False, ground, path)
    else:
        depth = _go_on(turn, index, ground, path, depth)
    while depth >= 0:
        frame = frames[depth]
        seat, rest = np.int64(frame[_MOVER]), frame[_REST]
        if not rest or seen[LEAVES] >= ground.limit:
            if rest:
                seen[PAST_LIMIT] = 1
            hands[seat] = frame[_HAND]
            depth -= 1
            continue
        index = lowest_bit(rest)
        frame[_REST] = rest & (rest - U(1))
        hand = frame[_HAND] & KEEP[index]
        hands[seat] = hand
        path = Path(frame[_SHARE_HIGH], frame[_SHARE_LOW], frame[_RECEIVED], frame[_GIVEN])
        turn = after_lead(_turn_of(frame), index) if frame[_LEAD] else after_play(_turn_of(frame), seat, index)
        if not hand:
            _close(turn, index, False, ground, path)
        else:
            depth = _go_on(turn, index, ground, path, depth)


def collected(tree: DomengTree, me: int, weight: int) -> Exact:
    """The totals of a tree as whole numbers."""
    sums = [(int(high) << 64) + int(low) for high, low in tree.sums]
    details = {name: tuple(sums[at : at + n]) for name, (at, n) in DETAILS.items()}
    ends = details["outcome_winner"]
    outcomes = [sum(ends[5 * kind : 5 * kind + 5]) for kind in range(5)]
    own = [ends[5 * kind + me] for kind in range(5)]
    received = details["received_by_pass"][me] + details["received_at_end"][me]
    seen = tree.seen.tolist()
    amounts = (received, seen[LOW], seen[HIGH]), (details["given"][me], seen[OTHER_LOW], seen[OTHER_HIGH])
    return exact_of(weight, (sum(own), *outcomes, *own, details["camat"][me]), amounts, details, seen[LEAVES])


assert len(Outcome) == 5
