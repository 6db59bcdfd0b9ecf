"""Seats that are played by a user's function.

The core knows such a function by the address of its machine code and hands it one array (`view`). So the core is
compiled once for all users' functions, and found in the cache. Only this engine keeps the history of a round that the
view shows.

The function runs behind a guard that catches what it raises. After the first failure or impossible choice the core
goes on with the first legal move, without asking again, until the face looks: what was shown is then still there, and
`check` asks the function once more to learn what it says.
"""

from __future__ import annotations

import itertools
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import cfunc, config, errors, njit, types
from numba.extending import intrinsic, overload

from domeng_sim.codes import NOBODY, End
from domeng_sim.core.bits import U, Word, lowest_bit, popcount
from domeng_sim.core.jit import shared
from domeng_sim.games.domeng import view
from domeng_sim.games.domeng.moves import TILE_OF, joined, kth_move, mask_of, opened
from domeng_sim.games.domeng.policies import BEGINNERS, CHOOSERS, WITNESSES, WeightedPolicy, choose
from domeng_sim.games.domeng.records import RoundKey
from domeng_sim.games.domeng.rules import RulesRow
from domeng_sim.games.domeng.state import Turn, byte, on_table, right8
from domeng_sim.games.spec import Seat, StrategyError

RAISED = -(2**63)
"""What the guard returns where the function raised."""

FAILED, MATCH, GAME, ROUND, CHOICE = 0, 1, 2, 3, 4
"""Places in `UserPolicy.trouble`."""

_SHOWN_TYPE = types.Array(types.int64, 1, "C", readonly=True)
_SIGNATURE = types.int64(_SHOWN_TYPE)


class Player:
    """A user's function, ready to be called by the core.

    Parameters
    ----------
    function
        Takes a `view.View` and a `view.Moves` and returns the position of the move chosen.
    name
        How the user wrote it, for messages.

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

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.name = name
        self._function = function
        if config.DISABLE_JIT:
            self.address = next(self._numbers)
        else:
            self._function = _compiled(function)
            self._guard = cfunc(_SIGNATURE)(_guarded(self._function))
            if "random_state" in self._guard.inspect_llvm():
                raise StrategyError(
                    "draws random numbers of its own, which differ from thread to thread and from run to run; "
                    "take them from view.uniform"
                )
            self.address = self._guard.address
        _PLAYERS[self.address] = self

    def __call__(self, shown: npt.NDArray[np.int64]) -> int:
        """The guard, with the compiler off."""
        try:
            return int(self.ask(shown))
        except Exception:
            return RAISED

    def ask(self, shown: npt.NDArray[np.int64]) -> Any:
        """Call the function from Python: what it returns, or raises."""
        return self._function(_plainly(view.view_of)(shown), _plainly(view.moves_of)(shown))


_PLAYERS: dict[int, Player] = {}
"""By address.  Kept for as long as the process lives: the core may hold an address."""


def _plainly(function: Any) -> Any:
    """The Python function behind a kernel."""
    return getattr(function, "py_func", function)


def _shown_pair() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The array that the core fills, and the same as a function sees it: it cannot write there."""
    known = np.full(view.N_SHOWN, view.NOTHING, np.int64)
    known[view.N_HISTORY] = known[view.N_MOVES] = 0
    shown = known.view()
    shown.flags.writeable = False
    return known, shown


@njit
def _windows(shown):  # type: ignore[no-untyped-def]
    """What the guard hands on; compiled once to learn the types."""
    return view.view_of(shown), view.moves_of(shown)


def _guarded(function: Any) -> Any:
    def guard(shown):  # type: ignore[no-untyped-def]
        try:
            return np.int64(function(view.view_of(shown), view.moves_of(shown)))
        except Exception:
            return np.int64(RAISED)

    return guard


def _compiled(function: Any) -> Any:
    """The function as numba's dispatcher, compiled for a view and moves."""
    if not hasattr(function, "py_func"):
        # the array is small and the function not ours: a read beyond its end is to be an error, not a wrong number
        function = njit(function, boundscheck=True, nogil=True)
    if not _windows.nopython_signatures:
        _windows.compile((_SHOWN_TYPE,))
    arguments = tuple(_windows.nopython_signatures[0].return_type)
    try:
        function.compile(arguments)
        returned = function.overloads[arguments].signature.return_type
    except errors.NumbaError as error:
        raise StrategyError(f"does not compile: {_gist(str(error))}") from error
    except Exception as error:  # of numba's own parts, for what they do not expect
        raise StrategyError(f"does not compile: {type(error).__name__}: {' '.join(str(error).split())}") from error
    if isinstance(returned, types.Optional):
        raise StrategyError("must always return the position of a move, and may return None")
    if not isinstance(returned, types.Integer):
        raise StrategyError(f"must return the position of a move, a whole number, and returns {returned}")
    return function


def _gist(message: str) -> str:
    """One line of numba's message: what it found, and in which line."""
    lines = [line.strip() for line in message.splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "During:", ">>>", "File "))]
    particular = [line for line in lines if line.startswith(("NumbaTypeError:", "TypingError:", "Unknown attribute"))]
    where = [line.rpartition("line ")[2].rstrip(":") for line in lines if line.startswith("File ") and "line " in line]
    text = (particular or said or ["no reason given"])[0].rstrip(":")
    if text.startswith("Untyped global name") and "<class 'function'>" in text:
        text = f"it calls {text.split(chr(39))[1]}, which needs @njit"
    return f"{text} (line {where[0]})" if where else text


# --- Calls from the core ----------------------------------------------------------------------------------------------


def call(address: Word, shown: npt.NDArray[np.int64]) -> int:
    """Ask the function at an address: the position it chose, or `RAISED`."""
    return _PLAYERS[int(address)](shown)


@intrinsic  # type: ignore[untyped-decorator]
def _call(typingctx: Any, address: Any, shown: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [context.get_value_type(_SHOWN_TYPE)])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[1]])

    return types.int64(types.uint64, _SHOWN_TYPE), build


overload(call)(lambda address, shown: lambda address, shown: _call(address, shown))


class UserPolicy(NamedTuple):
    """Seats of which some are played by functions.

    Attributes
    ----------
    weighted
        How the other seats choose.
    players
        uint64, shape (5,): addresses of the functions; 0 for the other seats.
    known
        int64, shape (view.N_SHOWN,): what is shown, filled by the core.
    shown
        The same memory, read-only.
    trouble
        int64, shape (5,): whether something failed; match, game and round; what was chosen. No function sees it.
    """

    weighted: WeightedPolicy
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
        seat, n = int(self.shown[view.SEAT]), int(self.shown[view.N_MOVES])
        player = _PLAYERS[int(self.players[seat])]
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


def user_policy(seats: Sequence[Seat], weighted: WeightedPolicy) -> UserPolicy:
    """The policy of seats of which some have a `Player` as their function."""
    players = [seat.function.address if seat.function is not None else 0 for seat in seats]
    return UserPolicy(weighted, np.array(players, np.uint64), *_shown_pair(), np.zeros(5, np.int64))


# --- What the core does for this engine alone -------------------------------------------------------------------------


@shared
def _begin(policy: UserPolicy, rules: RulesRow, starter: int, camat: int, key: RoundKey) -> None:
    known = policy.known
    if policy.trouble[FAILED]:
        return
    for row in range(known[view.N_HISTORY]):
        for part in range(6):
            known[view.EVENT + part * view.MAX_HISTORY + row] = view.NOTHING
    known[view.N_HISTORY] = 0
    known[view.STARTER], known[view.CAMAT] = starter, camat
    policy.trouble[MATCH], policy.trouble[GAME], policy.trouble[ROUND] = np.int64(key.match), key.game, key.round_
    for position, number in enumerate(rules):
        known[view.RULE + position] = np.int64(number)


@shared
def _witness(policy: UserPolicy, event: int, turn: Turn, index: Word, end: int) -> None:
    known = policy.known
    row = known[view.N_HISTORY]
    if policy.trouble[FAILED] or row == view.MAX_HISTORY:
        return
    known[view.EVENT + row] = event
    known[view.EVENT_SEAT + row] = turn.seat
    known[view.EVENT_TILE + row] = TILE_OF[index]
    known[view.EVENT_END + row] = end
    known[view.EVENT_LEFT + row] = np.int64(turn.left8 >> U(3))
    known[view.EVENT_RIGHT + row] = np.int64(right8(turn) >> U(3))
    known[view.N_HISTORY] = row + 1


@shared
def _show(
    known: npt.NDArray[np.int64], turn: Turn, seat: int, hand: Word, moves: Word, word: Word, is_lead: bool
) -> None:
    known[view.SEAT], known[view.HAND] = seat, np.int64(mask_of(hand))
    known[view.IS_LEAD] = np.int64(is_lead)
    known[view.LEFT] = NOBODY if is_lead else np.int64(turn.left8 >> U(3))
    known[view.RIGHT] = NOBODY if is_lead else np.int64(right8(turn) >> U(3))
    known[view.LAST_MAPPANO] = NOBODY if is_lead else turn.last
    known[view.ON_TABLE] = np.int64(on_table(turn.stones))
    known[view.SEEN] = np.int64(mask_of(turn.seen))
    known[view.WORD_HIGH], known[view.WORD_LOW] = np.int64(word >> U(32)), np.int64(word & U(0xFFFFFFFF))
    for other in range(5):
        known[view.STONES + other] = np.int64(byte(turn.stones, other))
        known[view.HELD + other] = np.int64(byte(turn.held, other))
        known[view.VOIDS + other] = np.int64(byte(turn.voids, other))
    rest = moves
    for k in range(view.MAX_MOVES):
        tile = end = joined_value = opened_value = view.NOTHING
        if rest:
            index = lowest_bit(rest)
            rest &= rest - U(1)
            tile = TILE_OF[index]
            joined_value, opened_value = np.int64(joined(index) >> U(3)), np.int64(opened(index) >> U(3))
            if not is_lead:
                end = np.int64(End.LEFT) if joined(index) == turn.left8 else np.int64(End.RIGHT)
        known[view.MOVE_TILE + k], known[view.MOVE_END + k] = tile, end
        known[view.MOVE_JOINED + k], known[view.MOVE_OPENED + k] = joined_value, opened_value
    known[view.N_MOVES] = np.int64(popcount(moves))


@shared
def _choose_user(policy: UserPolicy, turn: Turn, seat: int, hand: Word, moves: Word, word: Word, is_lead: bool) -> Word:
    if not moves & (moves - U(1)):
        return lowest_bit(moves)
    address = policy.players[seat]
    if not address:
        return choose(policy.weighted, turn, seat, hand, moves, word, is_lead)
    if policy.trouble[FAILED]:
        return lowest_bit(moves)
    _show(policy.known, turn, seat, hand, moves, word, is_lead)
    k = call(address, policy.shown)
    if k < 0 or k >= np.int64(popcount(moves)):
        policy.trouble[FAILED], policy.trouble[CHOICE] = 1, k
        return lowest_bit(moves)
    return kth_move(moves, U(k))


CHOOSERS[UserPolicy] = _choose_user
BEGINNERS[UserPolicy] = _begin
WITNESSES[UserPolicy] = _witness
