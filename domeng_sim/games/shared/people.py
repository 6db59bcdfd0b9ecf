"""Seats at which people sit: their moves are looked up in a list of choices, and where it ends they are asked.

The core plays a match from its beginning with the choices made so far.  At the first decision that has none it notes
what may be played; the rest of that round means nothing (it is played with first legal moves) and nobody keeps it.  So
a game with people goes through the very code that plays millions of rounds, and the choices and the seed are all that
must be kept of it.

A choice is the position of a move among the legal ones, in the order in which `games.spec.Undecided` lists them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import Word
from domeng_sim.core.codes import Direction, End, labels
from domeng_sim.core.dispatch import answer
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import RoundKey
from domeng_sim.core.policy import Decision, begin_round, choose, witness
from domeng_sim.games.shared.view import (
    MOVE_DIRECTION,
    MOVE_END,
    MOVE_TILE,
    RULE,
    first_move,
    list_moves,
    shown_move,
)
from domeng_sim.games.types import LegalMove, Seat, StrategyError, Undecided

STATE, SEAT, N_MOVES = 0, 1, 2
"""Places in `People.waiting`."""
NOT_WAITING, UNDECIDED, IMPOSSIBLE = 0, 1, 2


class People(NamedTuple):
    """The people at a table.

    Attributes
    ----------
    sits
        bool, shape (seats,): whether a person sits there.
    choices
        int64, flat: the choices of all seats, one seat after the other.
    next, end
        int64, shape (seats,): where the next choice of a seat stands, and one after its last.
    waiting
        int64, shape (3,): whether somebody must be asked (or chose what there is not), which seat, how many moves.
    moves
        int64, flat: the legal moves of the person who moves, as a function would be shown them; see `view`.
    """

    sits: npt.NDArray[np.bool_]
    choices: npt.NDArray[np.int64]
    next: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    waiting: npt.NDArray[np.int64]
    moves: npt.NDArray[np.int64]


def people_of(seats: Sequence[Seat]) -> People:
    """The people among the seats of a task."""
    lists = [seat.choices or () for seat in seats]
    ends = np.cumsum([len(choices) for choices in lists], dtype=np.int64)
    flat = np.array([choice for choices in lists for choice in choices], np.int64)
    return People(
        np.array([seat.choices is not None for seat in seats]),
        flat,
        ends - np.array([len(choices) for choices in lists], np.int64),
        ends,
        np.zeros(3, np.int64),
        np.zeros(RULE, np.int64),
    )


class PeoplePolicy(NamedTuple):
    """The policy of a table at which people sit.

    Attributes
    ----------
    people
        They.
    others
        The policy of the other seats.
    begins
        int64, shape (seats,): where the choices of each seat began.
    """

    people: People
    others: Any
    begins: npt.NDArray[np.int64]

    def check(self) -> None:
        """Say what went wrong, or who must be asked; see `check`."""
        check_others = getattr(self.others, "check", None)
        if check_others is not None:
            check_others()
        check(self.people, self.begins)


def people_policy(seats: Sequence[Seat], others: Any) -> PeoplePolicy:
    """The policy of seats of which some have choices."""
    people = people_of(seats)
    return PeoplePolicy(people, others, people.next.copy())


@kernel
def is_asked(people: People) -> bool:
    """Whether somebody waits for a decision, and the rest of the round means nothing."""
    waits: bool = people.waiting[STATE] != NOT_WAITING
    return waits


@kernel
def chosen_by(people: People, seat: int, n_moves: int) -> int:
    """The choice of a person among so many moves; -1 where it was not made, or there is no such move."""
    at = people.next[seat]
    people.waiting[SEAT], people.waiting[N_MOVES] = seat, n_moves
    if at == people.end[seat]:
        people.waiting[STATE] = UNDECIDED
        return -1
    choice: int = people.choices[at]
    if choice < 0 or choice >= n_moves:
        people.waiting[STATE] = IMPOSSIBLE
        return -1
    people.next[seat] = at + 1
    return choice


def check(people: People, begins: npt.NDArray[np.int64]) -> None:
    """Say who must be asked.

    Parameters
    ----------
    people
        The people.
    begins
        Where the choices of each seat began.

    Raises
    ------
    Undecided
        If a decision has no choice yet.
    StrategyError
        If a choice is none of the legal moves.
    """
    state, seat, n_moves = (int(number) for number in people.waiting)
    if state == NOT_WAITING:
        return
    made = int(people.next[seat] - begins[seat])
    if state == IMPOSSIBLE:
        choice = int(people.choices[people.next[seat]])
        raise StrategyError(
            f"choice {made} of the person at seat {seat} is move {choice}, which is none of 0 to {n_moves - 1}"
        )
    ends, directions = labels(End), labels(Direction)
    columns = (people.moves[first : first + n_moves].tolist() for first in (MOVE_TILE, MOVE_END, MOVE_DIRECTION))
    moves = [
        LegalMove(tile, ends[end] if end >= 0 else "", directions[direction] if direction >= 0 else "")
        for tile, end, direction in zip(*columns, strict=True)
    ]
    raise Undecided(seat, made, tuple(moves))


# --- Their part in a round --------------------------------------------------------------------------------------------


@answer(begin_round, PeoplePolicy)
@shared
def _begin(policy: PeoplePolicy, rules: Any, starter: int, standing: tuple[int, ...], key: RoundKey) -> None:
    begin_round(policy.others, rules, starter, standing, key)


@answer(witness, PeoplePolicy)
@shared
def _witness(policy: PeoplePolicy, turn: Any, event: int, seat: int, index: Word, end: int, direction: int) -> None:
    witness(policy.others, turn, event, seat, index, end, direction)


@answer(choose, PeoplePolicy)
@shared
def _choose(policy: PeoplePolicy, terms: Any, here: Decision, word: Word) -> Any:
    people = policy.people
    if is_asked(people):
        # a function is not called any more: what it does here would be no fault of it
        return first_move(terms, here)
    if not people.sits[here.seat]:
        return choose(policy.others, terms, here, word)
    choice = chosen_by(people, here.seat, list_moves(terms, here, people.moves))
    return shown_move(terms, people.moves, max(choice, 0))
