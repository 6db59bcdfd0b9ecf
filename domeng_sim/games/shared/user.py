"""Seats that are played by a user's function, whatever the game.

The core knows such a function by the address of its machine code and hands it one array, on which the game's view and
moves are windows.  So a game's core is compiled once for all users' functions, and found in the cache.

The function runs behind a guard that catches what it raises. After the first failure or impossible choice the core
goes on with the first legal move, without asking again, until the face looks: what was shown is then still there, and
`UserPolicy.check` asks the function once more to learn what it says.
"""

from __future__ import annotations

import itertools
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import numpy as np
import numpy.typing as npt

from domeng_sim.core import compiler
from domeng_sim.core.bits import Word
from domeng_sim.core.dispatch import answer
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import RoundKey
from domeng_sim.core.policy import Decision, begin_round, choose, witness
from domeng_sim.games.shared.user_calls import PLAYERS, RAISED, call
from domeng_sim.games.shared.view import (
    N_HISTORY,
    N_MOVES,
    NOTHING,
    SEAT,
    first_move,
    list_moves,
    moves_of,
    show_decision,
    show_event,
    show_own,
    show_round,
    shown_move,
)
from domeng_sim.games.types import Seat, StrategyError

FAILED, MATCH, GAME, ROUND, CHOICE = 0, 1, 2, 3, 4
"""Places in `UserPolicy.trouble`."""


class Window:
    """What the functions of a game see of the array that its core fills.

    Parameters
    ----------
    view_of
        Makes the view of the array, in Python and, with `core.jit.in_kernels`, in a kernel.
    size
        Length of the array.

    Attributes
    ----------
    view
        The class of the view.
    """

    def __init__(self, view_of: Callable[..., Any], size: int) -> None:
        self.view: type = get_type_hints(view_of)["return"]
        self.view_of, self._size = view_of, size

    def pair(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The array that the core fills, and the same as a function sees it: it cannot write there."""
        known = np.full(self._size, NOTHING, np.int64)
        known[N_HISTORY] = known[N_MOVES] = 0
        shown = known.view()
        shown.flags.writeable = False
        return known, shown

    def plainly(self, shown: npt.NDArray[np.int64]) -> tuple[Any, Any]:
        """The view and the moves, made by Python."""
        return self.view_of(shown), moves_of(shown)


class Player:
    """A user's function, ready to be called by the core.

    Parameters
    ----------
    function
        Takes the game's view and moves and returns the position of the move chosen.
    name
        How the user wrote it, for messages.
    window
        That of the game.

    Attributes
    ----------
    address
        Address of the machine code; with the compiler off, a number that stands for the function.

    Raises
    ------
    StrategyError
        If it does not compile, or does not return a whole number, or draws random numbers of its own.
    """

    _numbers = itertools.count(1)

    def __init__(self, function: Callable[..., Any], name: str, window: Window) -> None:
        self.name = name
        self._function, self._window = function, window
        if compiler.DISABLED:
            self.address = next(self._numbers)
        else:
            compiler.load()
            from domeng_sim.games.shared.user_compiler import Guarded

            self._guarded = Guarded(function, window.view_of)
            self._function, self.address = self._guarded.function, self._guarded.address
        PLAYERS[self.address] = self

    def __call__(self, shown: npt.NDArray[np.int64]) -> int:
        """The guard, with the compiler off."""
        try:
            return int(self.ask(shown))
        except Exception:
            return RAISED

    def ask(self, shown: npt.NDArray[np.int64]) -> Any:
        """Call the function from Python: what it returns, or raises."""
        return self._function(*self._window.plainly(shown))


class UserPolicy(NamedTuple):
    """Seats of which some are played by functions.

    Attributes
    ----------
    weighted
        The game's policy by which the other seats choose.
    players
        uint64, shape (seats,): addresses of the functions; 0 for the other seats.
    known
        int64: what is shown, filled by the core.
    shown
        The same memory, read-only.
    trouble
        int64, shape (5,): whether something failed; match, game and round; what was chosen. No function sees it.
    """

    weighted: Any
    players: npt.NDArray[np.uint64]
    known: npt.NDArray[np.int64]
    shown: npt.NDArray[np.int64]
    trouble: npt.NDArray[np.int64]

    def check(self) -> None:
        """Say what failed.

        Raises
        ------
        StrategyError
            If a function raised or chose a move that does not exist.
        """
        if not self.trouble[FAILED]:
            return
        seat, n = int(self.shown[SEAT]), int(self.shown[N_MOVES])
        player = PLAYERS[int(self.players[seat])]
        match, game, round_, chosen = (int(self.trouble[place]) for place in (MATCH, GAME, ROUND, CHOICE))
        did = f"chose move {chosen}, which is none of 0 to {n - 1}"
        if chosen == RAISED:
            did = _what_it_raised(player, self.shown)
        raise StrategyError(
            f"strategy {player.name} (seat {seat}) {did}; {n} legal moves, match {match}, game {game}, round {round_}"
        )


def _what_it_raised(player: Player, shown: npt.NDArray[np.int64]) -> str:
    try:
        returned = player.ask(shown)
    except Exception as error:
        place = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) != Path(__file__)]
        line = f" (line {place[-1].lineno})" if place else ""
        said = " ".join(str(error).split())
        return f"raised {type(error).__name__}{': ' if said else ''}{said}{line}"
    return f"returned {returned!r}, which is not the position of a move"


def user_policy(seats: Sequence[Seat], weighted: Any, window: Window) -> UserPolicy:
    """The policy of seats of which some have a `Player` as their function; the others go by `weighted`."""
    players = [seat.function.address if seat.function is not None else 0 for seat in seats]
    return UserPolicy(weighted, np.array(players, np.uint64), *window.pair(), np.zeros(5, np.int64))


@kernel
def ask(policy: UserPolicy, seat: int) -> int:
    """The position that the seat's function chooses among what is shown; -1, and trouble noted, if there is no such."""
    k = call(policy.players[seat], policy.shown)
    if k < 0 or k >= policy.known[N_MOVES]:
        policy.trouble[FAILED], policy.trouble[CHOICE] = 1, k
        return -1
    return k


# --- Its part in a round ----------------------------------------------------------------------------------------------


@answer(begin_round, UserPolicy)
@shared
def _begin(policy: UserPolicy, rules: Any, starter: int, standing: tuple[int, ...], key: RoundKey) -> None:
    if not policy.trouble[FAILED]:
        show_round(policy.known, rules, starter, standing)
        policy.trouble[MATCH], policy.trouble[GAME], policy.trouble[ROUND] = np.int64(key.match), key.game, key.round_
    begin_round(policy.weighted, rules, starter, standing, key)


@answer(witness, UserPolicy)
@shared
def _witness(policy: UserPolicy, turn: Any, event: int, seat: int, index: Word, end: int, direction: int) -> None:
    if not policy.trouble[FAILED]:
        show_event(policy.known, turn, event, seat, index, end, direction)
    witness(policy.weighted, turn, event, seat, index, end, direction)


@answer(choose, UserPolicy)
@shared
def _choose(policy: UserPolicy, terms: Any, here: Decision, word: Word) -> Any:
    if not policy.players[here.seat]:
        return choose(policy.weighted, terms, here, word)
    if policy.trouble[FAILED]:
        return first_move(terms, here)
    known = policy.known
    k, n = 0, list_moves(terms, here, known)
    if n > 1:
        show_decision(known, here, word)
        show_own(terms, here, known)
        k = max(ask(policy, here.seat), 0)
    return shown_move(terms, known, k)
