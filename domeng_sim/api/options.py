"""Options of the library: checked as the command line checks them, and told by the names that they have here."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import ParamSpec, TypeVar

from domeng_sim.comparisons.stopping import MAX_BLOCKS
from domeng_sim.core.parse_int import whole_number
from domeng_sim.errors import BadInput, UserError
from domeng_sim.games import game as game_of
from domeng_sim.games.spec import GameSpec
from domeng_sim.runs.config import MAX_PER_MATCH, MAX_SEED, MAX_TOTAL
from domeng_sim.strategies.resolve import StrategySpec, resolve

P = ParamSpec("P")
T = TypeVar("T")

Strategies = str | Sequence[str]
"""Names of strategies: a list, or one text in which commas separate them."""

RANGES = {
    "matches": (1, MAX_TOTAL),
    "rounds": (1, MAX_TOTAL),
    "games_per_match": (1, MAX_PER_MATCH),
    "rounds_per_match": (1, MAX_PER_MATCH),
    "blocks": (1, MAX_BLOCKS),
    "max_blocks": (1, MAX_BLOCKS),
    "best_at": (1, MAX_BLOCKS),
    "samples": (1, 10**9),
    "seed": (0, MAX_SEED),
    "threads": (1, 1024),
}
"""Smallest and largest number that an option takes, as on the command line."""


def options_of(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function of the library say which options there are, and speak of them by the names that they have here.

    Parameters
    ----------
    function
        Whose errors may have been written for the command line.
    """
    parameters = inspect.signature(function).parameters
    names = [name for name, one in parameters.items() if one.kind is one.KEYWORD_ONLY]
    named = [name for name, one in parameters.items() if one.kind is not one.VAR_POSITIONAL]
    is_open = any(one.kind is one.VAR_KEYWORD for one in parameters.values())

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs:
            if name not in named and not is_open:
                raise BadInput(f"{function.__name__} has no option {name!r}; there are {', '.join(names)}")
        return function(*args, **kwargs)

    return call


def check_numbers(**numbers: object) -> dict[str, int | None]:
    """Numbers that were given, each in its range; None is one that was not.

    Raises
    ------
    BadInput
        If one is no whole number, or out of range: 0 is a number like any other.
    """
    found: dict[str, int | None] = {}
    for name, value in numbers.items():
        try:
            found[name] = None if value is None else whole_number(value, *RANGES[name])
        except ValueError as error:
            raise BadInput(f"{name}: {error}") from error
    return found


def check_alone(**options: object) -> None:
    """Refuse two options that do not go together.

    Raises
    ------
    BadInput
        If both were given.
    """
    if sum(value is not None for value in options.values()) > 1:
        raise BadInput(f"{' and '.join(options)} do not go together; give one of them")


@contextlib.contextmanager
def as_bad_input() -> Iterator[None]:
    """Turn an error about a value into one about the input."""
    try:
        yield
    except ValueError as error:
        if isinstance(error, UserError):
            raise
        raise BadInput(str(error)) from error


def find_game(name: str) -> GameSpec:
    """A game by its name; BadInput if there is none."""
    with as_bad_input():
        return game_of(name)


def find_strategies(option: str, texts: Strategies, spec: GameSpec, wanted: int) -> tuple[StrategySpec, ...]:
    """So many strategies.

    Parameters
    ----------
    option
        Its name, for errors.
    texts
        A list, or one text in which commas separate them.
    spec
        The game.
    wanted
        How many there must be.

    Raises
    ------
    BadInput
        If there are more or fewer, or one is not known.
    """
    found = [piece.strip() for piece in texts.split(",")] if isinstance(texts, str) else list(texts)
    if len(found) != wanted or "" in found:
        given = f"{len(found)}" if "" not in found else "one without a name"
        raise BadInput(f"{option} takes {wanted} strateg{'y' if wanted == 1 else 'ies'}, not {given}")
    with as_bad_input():
        known = {text: resolve(text, spec) for text in dict.fromkeys(found)}
    return tuple(known[text] for text in found)


def find_others(option: str, texts: Strategies, spec: GameSpec) -> list[StrategySpec]:
    """Strategies of the other seats: one for all of them, or one for each."""
    found = [piece.strip() for piece in texts.split(",")] if isinstance(texts, str) else list(texts)
    return list(find_strategies(option, found * (spec.seats - 1) if len(found) == 1 else found, spec, spec.seats - 1))
