"""Search players: what a text such as ``search+n=300+base=banker`` or the table of a TOML file asks for, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import SearchSpec
from domeng_sim.strategies.weighted import StrategySpecError, known_names, shown

NAME = "search"
DEALS = 100
"""Deals drawn for a decision unless another number is asked for."""
MAX_DEALS = 10_000
OPTIONS = {
    "n": f"most deals of the hidden tiles that are drawn for a decision, 1 to {MAX_DEALS}; {DEALS} if nothing is said",
    "base": "the strategy by which everybody goes on in playouts, and whose move is left only for a better one",
    "value": "what the end of a playout is worth",
    "infer": (
        "the strategy by which the others are taken to have chosen so far, roughly: deals with which it would have "
        "chosen so count more; nothing is concluded from choices if it is not named"
    ),
}
SOFTNESS = 2.0
"""Temperature of a model that has none: one that is a little wrong then rules out nothing."""
SUMMARY = (
    "draws hidden tiles that agree with what it knows, plays each of its moves out on them, and plays the best; "
    "clearly better than all that come with the game, and a thousand times slower"
)
SOURCE = (
    "perfect-information Monte Carlo sampling (Ginsberg 2001, GIB; Long et al. 2010 on why it works), with playouts by "
    "a realistic strategy"
)


@dataclass(frozen=True)
class SearchOptions:
    """What was asked for.

    Attributes
    ----------
    n
        Most deals drawn for a decision.
    value
        One of the game's `SearchSpec.values`.
    base
        Text of the base strategy; empty for the usual one, or for the weights beside it in a file.
    infer
        Text of the strategy by which the others are taken to have chosen; empty for none.
    """

    n: int
    value: str
    base: str
    infer: str = ""


def is_search(text: str) -> bool:
    """Whether a text asks for a search player."""
    return text == NAME or text.startswith(f"{NAME}+")


def spec_of(game: GameSpec, where: str) -> SearchSpec:
    """What search players of a game can be asked for.

    Raises
    ------
    StrategySpecError
        If the game has none.
    """
    if game.search is None:
        raise StrategySpecError(f"{where}: {game.name} has no search player")
    return game.search


def options_of(game: GameSpec) -> dict[str, str]:
    """The options that search players of a game have, each with a sentence."""
    infers = game.search is not None and game.search.infers
    return {name: sentence for name, sentence in OPTIONS.items() if infers or name != "infer"}


def parse(text: str, game: GameSpec) -> SearchOptions:
    """What a text asks for.

    Raises
    ------
    StrategySpecError
        If an option is unknown, given twice, or not in its range.

    Examples
    --------
    >>> from domeng_sim.games import game
    >>> parse("search+n=30+base=banker", game("domeng"))
    SearchOptions(n=30, value='camat', base='banker', infer='')
    """
    given: dict[str, Any] = {}
    for piece in text.split("+")[1:]:
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals or not value:
            raise StrategySpecError(f"{shown(text)}: {shown(piece)} must be name=value, as in search+n=300")
        if name in given:
            raise StrategySpecError(f"{shown(text)}: {shown(name)} is given twice")
        given[name] = value
    n = given.get("n", "")
    if n.isascii() and n.isdigit() and len(n) < 10:
        given["n"] = int(n)
    return check(given, shown(text), game)


def check(given: Mapping[str, Any], where: str, game: GameSpec) -> SearchOptions:
    """The options of a search player.

    Parameters
    ----------
    given
        Values by option.
    where
        What stands before a message.
    game
        The game.

    Raises
    ------
    StrategySpecError
        If one is unknown or not in its range.
    """
    spec = spec_of(game, where)
    known = options_of(game)
    for name in given:
        if name not in known:
            raise StrategySpecError(f"{where}: a search has no {shown(name)}; {known_names(name, known)}")
    n, value, base = given.get("n", DEALS), given.get("value", next(iter(spec.values))), given.get("base", "")
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MAX_DEALS:
        raise StrategySpecError(f"{where}: n must be a whole number from 1 to {MAX_DEALS}, not {shown(n)}")
    if not isinstance(value, str) or value not in spec.values:
        raise StrategySpecError(f"{where}: value must be {' or '.join(spec.values)}, not {shown(value)}")
    for name in ("base", "infer"):
        text = given.get(name, "usual")
        if not isinstance(text, str) or not text.strip():
            raise StrategySpecError(f"{where}: {name} must be the name of a strategy, not {shown(text)}")
    return SearchOptions(n, value, base.strip(), given.get("infer", "").strip())


def canonical(options: SearchOptions, game: GameSpec) -> str:
    """The shortest text that asks for these options."""
    spec = spec_of(game, NAME)
    usual = SearchOptions(DEALS, next(iter(spec.values)), "")
    parts = [f"{name}={getattr(options, name)}" for name in OPTIONS if getattr(options, name) != getattr(usual, name)]
    return "+".join([NAME, *parts])
