"""The whole tree of a round from a deal that is known, all players at random and every draw a chance, without error.

The probability of a course is a product of 1/n for each choice among n moves and for each draw from a stock of n tiles.
All of them are whole numbers over one `common_weight`, which may have hundreds of bits.  So the tree is added up modulo
some primes of 31 bits, where dividing by n is multiplying by its inverse, and the totals are found from what is left
over by the Chinese remainder theorem (Knuth, *The Art of Computer Programming* 2, 3rd ed. 1997, section 4.3.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, lowest_bit, popcount
from domeng_sim.core.codes import End
from domeng_sim.core.dispatch import answer
from domeng_sim.core.hands import KEEP, LOWER, ROWS
from domeng_sim.core.jit import kernel, shared
from domeng_sim.games.shared.odds import Exact
from domeng_sim.games.shared.odds_start import GO_ON, Start
from domeng_sim.games.shared.sampling import LEAVES, PAST_LIMIT, Room, exact_of, explore, new_seen, note_end
from domeng_sim.games.two_player.kernel.geometry import directions, first_direction, lay, reach
from domeng_sim.games.two_player.kernel.marks import N_MARK, mark_table, rewind
from domeng_sim.games.two_player.kernel.moves import NONE, Move, Reach
from domeng_sim.games.two_player.kernel.policies import TwoPlayerTerms
from domeng_sim.games.two_player.kernel.records import TwoPlayerRoundEnd
from domeng_sim.games.two_player.kernel.state import TwoPlayerRoundState, after_lead, after_pass, after_play, can_draw
from domeng_sim.games.two_player.kernel.step import HIGHEST, ONE, close_round, starter_of
from domeng_sim.games.two_player.odds.measures import MOST_POINTS
from domeng_sim.games.two_player.odds.start import after_move

MAX_DEPTH = 48
"""More choices and draws than there are in a round."""
MAX_WAYS = 64
"""More ways than there are to go on from one moment."""

# What is added up, in the order of the rows of `TwoPlayerTree.sums`.
ENDS, OWN, POINTS, OTHER_POINTS = 0, 3, 6, 7
N_SUMS = 8

_CHOICE, _DRAW, _LEAD = 0, 1, 2
_KIND, _SEAT, _LEFT8, _RIGHT8, _STOCK, _HAND, _AT_LEFT, _AT_RIGHT = range(8)
N_FRAME = 8


class TwoPlayerTree(NamedTuple):
    """Room to go through a tree, and what it adds up to.

    Attributes
    ----------
    primes
        uint64, shape (primes,).
    inverses
        uint64, shape (MAX_WAYS, primes): of each number.
    sums
        uint64, shape (N_SUMS, primes): totals, modulo each prime.
    path
        uint64, shape (primes,): weight of the moment under way.
    shares
        uint64, shape (MAX_DEPTH, primes): weight of each way to go on, by choice or draw under way.
    frames
        uint64, shape (MAX_DEPTH, N_FRAME): the choices and draws under way.
    marks
        int64, shape (MAX_DEPTH, N_MARK): the table at each of them.
    hands
        uint64, shape (2,): the hands under way.
    seen
        int64, shape (N_SEEN,): points of the player who asks and of the other; see `sampling.N_SEEN`.
    """

    primes: npt.NDArray[np.uint64]
    inverses: npt.NDArray[np.uint64]
    sums: npt.NDArray[np.uint64]
    path: npt.NDArray[np.uint64]
    shares: npt.NDArray[np.uint64]
    frames: npt.NDArray[np.uint64]
    marks: npt.NDArray[np.int64]
    hands: npt.NDArray[np.uint64]
    seen: npt.NDArray[np.int64]


def common_weight(held: Sequence[int], stock: int, left_over: int, finite: bool) -> int:
    """A number over which the probability of every course is a whole number.

    With n tiles a player has at most n + 1 moves, or 2 n on a finite table.  Its choice number k is made with at most
    so many tiles as it has and may draw, less k - 1.

    Parameters
    ----------
    held
        Tiles that each seat holds.
    stock, left_over
        Tiles in the stock, and how many of them are never drawn.
    finite
        Whether the table is.

    Examples
    --------
    >>> common_weight([1, 2], 3, 2, False)  # 1/3 for the draw; 2, 6 and 2, 6, 12 for the choices
    5184
    """
    draws = max(0, stock - left_over)
    shares = list(accumulate(range(1, 64), math.lcm))
    choices = (shares[(2 * n if finite else n + 1) - 1] for tiles in held for n in range(1, tiles + draws + 1))
    return math.prod(choices) * math.prod(range(left_over + 1, stock + 1))


@cache
def _prime(number: int) -> int:
    """The primes below 2^31, the largest first."""
    candidate = _prime(number - 1) - 2 if number else 2**31 - 1
    while not all(candidate % divisor for divisor in range(3, math.isqrt(candidate) + 1, 2)):
        candidate -= 2
    return candidate


def _primes(most: int) -> list[int]:
    """As many primes as have a product above `most`."""
    found: list[int] = []
    while math.prod(found) <= most:
        found.append(_prime(len(found)))
    return found


def new_tree(weight: int, n_deals: int) -> TwoPlayerTree:
    """An empty tree for so many deals of such a weight."""
    primes = _primes(weight * n_deals * MOST_POINTS)
    n = len(primes)
    inverses = np.array([[pow(k, -1, p) if k else 0 for p in primes] for k in range(MAX_WAYS)], np.uint64)
    return TwoPlayerTree(
        np.array(primes, np.uint64),
        inverses,
        np.zeros((N_SUMS, n), np.uint64),
        np.zeros(n, np.uint64),
        np.zeros((MAX_DEPTH, n), np.uint64),
        np.zeros((MAX_DEPTH, N_FRAME), np.uint64),
        np.zeros((MAX_DEPTH, N_MARK), np.int64),
        np.zeros(2, np.uint64),
        new_seen(MOST_POINTS),
    )


class TwoPlayerGround(NamedTuple):
    """What stays the same all over a tree.

    Attributes
    ----------
    me
        The player whose points are looked at.
    terms
        On what terms it is played on; its table is that under way.
    tree
        Room and totals.
    weight
        uint64, shape (primes,): the common weight, modulo each prime.
    limit
        Ends of rounds after which to give up.
    """

    me: np.int64
    terms: TwoPlayerTerms
    tree: TwoPlayerTree
    weight: npt.NDArray[np.uint64]
    limit: np.int64


@shared
def add(tree: TwoPlayerTree, row: int, times: Word) -> None:
    """Add the weight of the moment under way to a total, so many times."""
    for k in range(tree.primes.shape[0]):
        tree.sums[row, k] = (tree.sums[row, k] + tree.path[k] * times) % tree.primes[k]


@shared
def close(turn: TwoPlayerRoundState, is_blocked: bool, ground: TwoPlayerGround) -> None:
    """The end of a round."""
    tree, me = ground.tree, ground.me
    end: TwoPlayerRoundEnd = close_round(turn, is_blocked, tree.hands)
    points = U(end.points)
    own, others = np.int64(0), np.int64(0)
    add(tree, ENDS + end.outcome, U(1))
    if end.winner == me:
        own = end.points
        add(tree, OWN + end.outcome, U(1))
        add(tree, POINTS, points)
    elif end.winner == 1 - me:
        others = end.points
        add(tree, OTHER_POINTS, points)
    note_end(tree.seen, own, others)


@shared
def open_frame(
    ground: TwoPlayerGround, depth: int, kind: int, turn: TwoPlayerRoundState, seat: int, ways: Reach, n: Word
) -> None:
    """Note a choice or a draw with `n` ways to go on, of which none was looked at yet."""
    tree = ground.tree
    frame = tree.frames[depth]
    frame[_KIND], frame[_SEAT] = U(kind), U(seat)
    frame[_LEFT8], frame[_RIGHT8], frame[_STOCK] = turn.left8, turn.right8, turn.stock
    frame[_HAND], frame[_AT_LEFT], frame[_AT_RIGHT] = tree.hands[seat], ways.left, ways.right
    mark_table(ground.terms.table, tree.marks[depth])
    for k in range(tree.primes.shape[0]):
        tree.shares[depth, k] = tree.path[k] * tree.inverses[np.int64(n), k] % tree.primes[k]


@shared
def open_choice(
    ground: TwoPlayerGround, depth: int, turn: TwoPlayerRoundState, seat: int, tiles: Word, reached: Reach
) -> None:
    """Note a choice among the moves of some tiles."""
    ways = Reach(tiles & reached.left, tiles & reached.right)
    open_frame(ground, depth, _CHOICE, turn, seat, ways, popcount(ways.left) + popcount(ways.right))


@kernel
def _turn_of(frame: npt.NDArray[np.uint64], stock: Word, acted: int) -> TwoPlayerRoundState:
    zero = U(0)
    return TwoPlayerRoundState(
        np.int64(acted), frame[_LEFT8], frame[_RIGHT8], stock, zero, zero, zero, zero, zero, zero, zero
    )


@shared
def is_over(turn: TwoPlayerRoundState, hands: npt.NDArray[np.uint64], table: Any) -> bool:
    """Whether neither player can play or draw."""
    if can_draw(turn):
        return False
    reached = reach(table, turn)
    return not (hands[0] | hands[1]) & (reached.left | reached.right)


@shared
def go_on(turn: TwoPlayerRoundState, ground: TwoPlayerGround, depth: int) -> int:
    """Go on after a turn to the next choice or draw, or to the end; returns the depth of the last that is open."""
    tree, table = ground.tree, ground.terms.table
    while not is_over(turn, tree.hands, table):
        seat = 1 - turn.seat
        reached = reach(table, turn)
        if tree.hands[seat] & (reached.left | reached.right):
            open_choice(ground, depth + 1, turn, seat, tree.hands[seat], reached)
            return depth + 1
        if can_draw(turn):
            open_frame(ground, depth + 1, _DRAW, turn, seat, Reach(turn.stock, U(0)), popcount(turn.stock))
            return depth + 1
        turn = after_pass(turn, seat)
    close(turn, True, ground)
    return depth


@shared
def take_draw(ground: TwoPlayerGround, depth: int) -> int:
    """Draw the next of the tiles of a frame that may be drawn."""
    tree, table = ground.tree, ground.terms.table
    frame = tree.frames[depth]
    seat = np.int64(frame[_SEAT])
    index = lowest_bit(frame[_AT_LEFT])
    frame[_AT_LEFT] &= frame[_AT_LEFT] - U(1)
    tile = ~KEEP[index] & ROWS
    tree.hands[seat] = frame[_HAND] | tile
    turn = _turn_of(frame, frame[_STOCK] ^ (U(1) << index), 1 - seat)
    reached = reach(table, turn)
    if tile & (reached.left | reached.right):
        open_choice(ground, depth + 1, turn, seat, tile, reached)
        return depth + 1
    if can_draw(turn) and ground.terms.rules.draw != ONE:
        open_frame(ground, depth + 1, _DRAW, turn, seat, Reach(turn.stock, U(0)), popcount(turn.stock))
        return depth + 1
    return go_on(after_pass(turn, seat), ground, depth)


@shared
def take_choice(ground: TwoPlayerGround, depth: int) -> int:
    """Play the next of the moves of a frame."""
    tree, table = ground.tree, ground.terms.table
    frame = tree.frames[depth]
    seat, column, end = np.int64(frame[_SEAT]), _AT_LEFT, np.int64(End.LEFT)
    if not frame[_AT_LEFT]:
        column, end = _AT_RIGHT, np.int64(End.RIGHT)
    index = lowest_bit(frame[column])
    frame[column] &= frame[column] - U(1)
    tree.hands[seat] = frame[_HAND] & KEEP[index]
    if frame[_KIND] == _LEAD:
        end = np.int64(NONE)
        turn = after_lead(_turn_of(frame, frame[_STOCK], seat), index)
        move = Move(index, end, np.int64(NONE))
    else:
        move = Move(index, end, first_direction(directions(table, index, end)))
        turn = after_play(_turn_of(frame, frame[_STOCK], 1 - seat), seat, move)
    lay(table, move)
    if not tree.hands[seat]:
        close(turn, False, ground)
        return depth
    return go_on(turn, ground, depth)


@answer(explore, TwoPlayerGround)
@shared
def _explore(
    ground: TwoPlayerGround, start: Start, turn: TwoPlayerRoundState, move: npt.NDArray[np.int64], room: Room
) -> None:
    tree, table, depth = ground.tree, ground.terms.table, -1
    rewind(table, room.extra)
    for k in range(tree.primes.shape[0]):
        tree.path[k] = ground.weight[k]
    if move[0] != GO_ON:
        turn = after_move(turn, move, start, tree.hands, table)
    if move[0] == GO_ON and start.is_lead:
        depth, seat = 0, turn.seat
        hand = tree.hands[seat] & LOWER
        leads = U(1) << starter_of(tree.hands)[1] if ground.terms.rules.opening_lead == HIGHEST else hand
        open_frame(ground, depth, _LEAD, turn, seat, Reach(leads, U(0)), popcount(leads))
    elif move[0] != GO_ON and not tree.hands[turn.seat]:
        close(turn, False, ground)
    else:
        depth = go_on(turn, ground, depth)
    while depth >= 0:
        frame = tree.frames[depth]
        rest = frame[_AT_LEFT] | frame[_AT_RIGHT]
        if not rest or tree.seen[LEAVES] >= ground.limit:
            if rest:
                tree.seen[PAST_LIMIT] = 1
            tree.hands[np.int64(frame[_SEAT])] = frame[_HAND]
            depth -= 1
            continue
        rewind(table, tree.marks[depth])
        # hands of the other seat were put back when the frames above were left
        for k in range(tree.primes.shape[0]):
            tree.path[k] = tree.shares[depth, k]
        depth = take_draw(ground, depth) if frame[_KIND] == _DRAW else take_choice(ground, depth)


def collected(tree: TwoPlayerTree, weight: int, n_deals: int) -> Exact:
    """The totals of a tree as whole numbers."""
    primes = [int(prime) for prime in tree.primes]
    product = math.prod(primes)
    units = [product // prime * pow(product // prime, -1, prime) for prime in primes]
    sums = [sum(int(left) * unit for left, unit in zip(row, units, strict=True)) % product for row in tree.sums]
    ends, own = sums[ENDS:OWN], sums[OWN:POINTS]
    full = weight * n_deals
    assert sum(ends) == full or tree.seen[PAST_LIMIT]
    low, high, other_low, other_high, leaves, _ = tree.seen.tolist()
    points, others = sums[POINTS], sums[OTHER_POINTS]
    # at most one of the two scores
    net = (points - others, -other_high if other_high else low, high if high else -other_low)
    amounts = (points, low, high), (others, other_low, other_high), net
    return exact_of(full, (sum(own), *ends, *own[:2]), amounts, {}, leaves)
