"""Questions that kernels ask, answered by the types of their first arguments when the asking kernel is compiled.

So the engines for different players, tables and games come from the same loops, and a fast one carries no code of a
slow one. The types are NamedTuples; with the compiler off, the answer is found by the same types at each call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from domeng_sim.core.compiler import before_compiling
from domeng_sim.core.jit import kernel

Function = TypeVar("Function", bound=Callable[..., Any])

_ANSWERS: dict[Any, dict[tuple[Any, ...], Any]] = {}
_INLINED = {"forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


@kernel
def _nothing(*args: Any) -> None:
    return


def by_type(n: int, optional: bool = False) -> Callable[[Function], Function]:
    """Declare a question by its signature; the function itself is never called.

    Parameters
    ----------
    n
        The types of the first `n` arguments tell the answer.
    optional
        Whether nothing is done where there is no answer; otherwise that is an error.
    """

    def declare(function: Function) -> Function:
        def ask(*args: Any) -> Any:
            return _answer_of(ask, tuple(map(type, args[:n])), optional)(*args)

        _ANSWERS[ask] = {}
        ask.__name__, ask.__doc__ = function.__name__, function.__doc__

        def body_of(*args):  # type: ignore[no-untyped-def]
            kinds = tuple(getattr(argument, "instance_class", None) for argument in args[:n])
            body = _answer_of(ask, kinds, optional)
            # what is merged into its caller anyway need not be compiled by itself before
            return body.py_func if body.inlined else lambda *args: body(*args)

        def register() -> None:
            from numba.extending import overload

            overload(ask, jit_options=_INLINED, strict=False)(body_of)

        before_compiling(register)
        question: Any = ask
        return question

    return declare


def answer(question: Any, *kinds: type) -> Callable[[Function], Function]:
    """Make a kernel the answer to a question.

    Parameters
    ----------
    question
        Declared by `by_type`.
    *kinds
        Types of its first arguments; those left out at the end may be any.
    """

    def register(function: Function) -> Function:
        _ANSWERS[question][kinds] = function
        return function

    return register


def _answer_of(question: Any, kinds: tuple[Any, ...], optional: bool) -> Any:
    """The answer for these types, or for the first of them."""
    answers = _ANSWERS[question]
    lengths = range(len(kinds), 0, -1)
    found = next((answers[kinds[:length]] for length in lengths if kinds[:length] in answers), None)
    if found is None and not optional:
        names = ", ".join(getattr(kind, "__name__", str(kind)) for kind in kinds)
        raise TypeError(f"{question.__name__} has no answer for {names}")
    return found or _nothing
