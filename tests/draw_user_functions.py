"""Functions that play a seat of Draw, as a user would write them."""

from __future__ import annotations

from numba import njit

from domeng_sim.core.codes import Direction, Event


def uniform(view, moves):
    """Any tile and end, all equally likely, in the first direction that is free: as `random` does."""
    n = 0
    for k in range(moves.n):
        if k == 0 or moves.tile[k] != moves.tile[k - 1] or moves.end[k] != moves.end[k - 1]:
            n += 1
    wanted = int(view.uniform * n)
    for k in range(moves.n):
        if k == 0 or moves.tile[k] != moves.tile[k - 1] or moves.end[k] != moves.end[k - 1]:
            if wanted == 0:
                return k
            wanted -= 1
    return -1


def turns(view, moves):
    """The last move that turns, if any does."""
    for k in range(moves.n - 1, -1, -1):
        if moves.direction[k] == Direction.LEFT or moves.direction[k] == Direction.RIGHT:
            return k
    return 0


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
        view.stock,
        view.closed,
        view.seen,
        view.other_lacks,
        int(view.uniform * 1_000_000),
        int(view.word & 0xFFFF),
        view.history.n,
        moves.n,
    ):
        digest = stirred(digest, number)
    for number in view.rules:
        digest = stirred(digest, number)
    for seat in range(2):
        digest = stirred(digest, view.held[seat])
        digest = stirred(digest, view.scores[seat])
    history = view.history
    for row in range(history.n):
        digest = stirred(digest, history.event[row])
        digest = stirred(digest, history.seat[row])
        digest = stirred(digest, history.tile[row])
        digest = stirred(digest, history.end[row])
        digest = stirred(digest, history.direction[row])
        digest = stirred(digest, history.left[row])
        digest = stirred(digest, history.right[row])
    for k in range(moves.n):
        digest = stirred(digest, moves.tile[k])
        digest = stirred(digest, moves.end[k])
        digest = stirred(digest, moves.direction[k])
        digest = stirred(digest, moves.joined[k])
        digest = stirred(digest, moves.opened[k])
    return digest % moves.n


@njit
def reads_beyond(view, moves):
    """Illegal if anything stands where nothing is shown: behind the moves, or behind the history."""
    for k in range(moves.n, 40):
        if moves.tile[k] != -1 or moves.end[k] != -1 or moves.direction[k] != -1:
            return -1
        if moves.joined[k] != -1 or moves.opened[k] != -1:
            return -1
    history = view.history
    for row in range(history.n, 96):
        if history.event[row] != -1 or history.seat[row] != -1 or history.tile[row] != -1:
            return -2
        if history.end[row] != -1 or history.direction[row] != -1:
            return -2
        if history.left[row] != -1 or history.right[row] != -1:
            return -2
    return int(view.uniform * moves.n)


def fails_late(view, moves):
    """Illegal in the third round of a game or later, after a tile was drawn."""
    drawn = False
    for row in range(view.history.n):
        drawn = drawn or view.history.event[row] == Event.DRAW
    return -7 if view.scores[0] + view.scores[1] > 50 and drawn else int(view.uniform * moves.n)


def wants_a_choice(view, moves):
    """Illegal where there is none."""
    return int(view.uniform * moves.n) if moves.n > 1 else -1
