"""Functions that play a seat of Domeng, as a user would write them."""

from __future__ import annotations

from numba import njit

from domeng_sim.core.tiles import HALVES


def heaviest(view, moves):
    """The tile with the most pips; among equals, one at random."""
    best, n_best = -1, 0
    for k in range(moves.n):
        pips = moves.joined[k] + moves.opened[k]
        if pips > best:
            best, n_best = pips, 0
        if pips == best:
            n_best += 1
    wanted = int(view.uniform * n_best)
    for k in range(moves.n):
        if moves.joined[k] + moves.opened[k] == best:
            if wanted == 0:
                return k
            wanted -= 1
    return -1


def uniform(view, moves):
    """Any move, all equally likely."""
    return int(view.uniform * moves.n)


@njit
def last_move(view, moves):
    """The last of the moves; already compiled by its writer."""
    return moves.n - 1


@njit
def stirred(digest, number):
    """A digest and one more number."""
    return (digest * 31 + number + 1) % 1_000_003


def by_digest(view, moves):
    """A move that depends on everything that is shown: another number anywhere, and it is likely another move."""
    digest = 17
    for number in (
        view.seat,
        int(view.is_lead),
        view.hand,
        view.left,
        view.right,
        view.starter,
        view.camat,
        view.last_mappano,
        view.table,
        view.seen,
        int(view.uniform * 1_000_000),
        int(view.word & 0xFFFF),
        view.history.n,
        moves.n,
    ):
        digest = stirred(digest, number)
    for number in view.rules:
        digest = stirred(digest, number)
    for seat in range(5):
        digest = stirred(digest, view.stones[seat])
        digest = stirred(digest, view.held[seat])
        digest = stirred(digest, view.voids[seat])
    history = view.history
    for row in range(history.n):
        digest = stirred(digest, history.event[row])
        digest = stirred(digest, history.seat[row])
        digest = stirred(digest, history.tile[row])
        digest = stirred(digest, history.end[row])
        digest = stirred(digest, history.left[row])
        digest = stirred(digest, history.right[row])
    for k in range(moves.n):
        digest = stirred(digest, moves.tile[k])
        digest = stirred(digest, moves.end[k])
        digest = stirred(digest, moves.joined[k])
        digest = stirred(digest, moves.opened[k])
    return digest % moves.n


def pips_of_hand(view, moves):
    """The first move if the pips in hand are even, else the last."""
    pips = 0
    for tile in range(28):
        if (view.hand >> tile) & 1:
            pips += HALVES[tile][0] + HALVES[tile][1]
    return 0 if pips % 2 == 0 else moves.n - 1


@njit
def reads_beyond(view, moves):
    """Illegal if anything stands where nothing is shown: behind the moves, or behind the history."""
    for k in range(moves.n, 10):
        if moves.tile[k] != -1 or moves.end[k] != -1 or moves.joined[k] != -1 or moves.opened[k] != -1:
            return -1
    history = view.history
    for row in range(history.n, 128):
        if history.event[row] != -1 or history.seat[row] != -1 or history.tile[row] != -1:
            return -2
        if history.end[row] != -1 or history.left[row] != -1 or history.right[row] != -1:
            return -2
    return int(view.uniform * moves.n)


def fails_late(view, moves):
    """Illegal once the table holds twelve stones or fewer and three rows of history: some rounds into a match."""
    late = view.table <= 12 and view.history.n >= 3
    return -7 if late else int(view.uniform * moves.n)


def wants_a_choice(view, moves):
    """Illegal where there is none."""
    return int(view.uniform * moves.n) if moves.n > 1 else -1
