"""Compiles users' functions, and the core's calls of them: imported when something is compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import cfunc, errors, njit, types
from numba.extending import intrinsic, overload

from domeng_sim.games.shared.user_calls import RAISED, call
from domeng_sim.games.shared.view import moves_of
from domeng_sim.games.types import StrategyError

_SHOWN_TYPE = types.Array(types.int64, 1, "C", readonly=True)
_SIGNATURE = types.int64(_SHOWN_TYPE)


@cache
def _types_of(view_of: Callable[..., Any]) -> tuple[Any, ...]:
    """What the functions of a game take, as numba's types; compiled once to learn them."""

    @njit
    def windows(shown):  # type: ignore[no-untyped-def]
        return view_of(shown), moves_of(shown)

    windows.compile((_SHOWN_TYPE,))
    return tuple(windows.nopython_signatures[0].return_type)


class Guarded:
    """A user's function behind a guard, as the core calls it.

    Parameters
    ----------
    function
        Takes the game's view and moves.
    view_of
        Makes the view of the array.

    Attributes
    ----------
    function
        Compiled.
    address
        Of the guard: a function of the array that asks the user's function, and returns `RAISED` where that raises.

    Raises
    ------
    StrategyError
        If it does not compile, or does not return a whole number, or draws random numbers of its own.
    """

    def __init__(self, function: Callable[..., Any], view_of: Callable[..., Any]) -> None:
        asked = self.function = _compiled(function, _types_of(view_of))

        def guard(shown):  # type: ignore[no-untyped-def]
            try:
                return np.int64(asked(view_of(shown), moves_of(shown)))
            except Exception:
                return np.int64(RAISED)

        self._guard = cfunc(_SIGNATURE)(guard)
        if "random_state" in self._guard.inspect_llvm():
            raise StrategyError(
                "draws random numbers of its own, which differ from thread to thread and from run to run; "
                "take them from view.uniform"
            )
        self.address = self._guard.address


def _compiled(function: Any, arguments: tuple[Any, ...]) -> Any:
    """The function as numba's dispatcher, compiled for a view and moves."""
    if not hasattr(function, "py_func"):
        # the array is small and the function not ours: a read beyond its end is to be an error, not a wrong number
        function = njit(function, boundscheck=True, nogil=True)
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


@intrinsic  # type: ignore[untyped-decorator]
def _call(typingctx: Any, address: Any, shown: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [context.get_value_type(_SHOWN_TYPE)])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[1]])

    return types.int64(types.uint64, _SHOWN_TYPE), build


overload(call)(lambda address, shown: lambda address, shown: _call(address, shown))
