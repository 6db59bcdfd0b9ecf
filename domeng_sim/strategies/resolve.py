"""Strategies by the text that names them: `random`, a preset, an entry of a TOML file, or a user's function."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from domeng_sim.core.printable import printable
from domeng_sim.errors import FieldRef, Part
from domeng_sim.games import GAMES
from domeng_sim.games import game as game_named
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import Model, Search
from domeng_sim.strategies import search
from domeng_sim.strategies.inline import reweighed, split
from domeng_sim.strategies.spec import MAX_COPY, PERSON, StrategySpec
from domeng_sim.strategies.weighted import Entry, StrategySpecError, known_names, parse_entries, read_text

RANDOM = Entry("random", "plays any legal move, all equally likely", "the reference: no idea at all", {}, 0.0)
PRESETS = Path(__file__).parent / "presets"
"""A file for each game, by its name."""

_COPY = re.compile(r"(?P<text>.*)@(?P<copy>[^@/\\:.]*)", re.DOTALL)


def _from_entry(entry: Entry, text: str, game: GameSpec, copy: int, origin: str) -> StrategySpec:
    plain = StrategySpec(
        text=text,
        name=entry.name,
        game=game.name,
        kind="random" if entry.name == RANDOM.name and origin == "built in" else "weighted",
        summary=entry.summary,
        source=entry.source,
        weights=entry.weights,
        temperature=entry.temperature,
        copy=copy,
        content_hash=entry.content_hash,
        origin=origin,
    )
    if entry.search is None:
        return plain
    where = f"{origin}: {entry.name}"
    options = search.check(entry.search, where, game)
    if entry.weights and options.base:
        raise StrategySpecError(f"{where}: a search has a base or weights of its own, not both")
    return _searching(plain, options, game) if entry.weights else _on_base(plain, options, game)


def _searching(base: StrategySpec, options: search.SearchOptions, game: GameSpec) -> StrategySpec:
    """A player that searches on a base."""
    model = model_of(options.infer, game, base.text) if options.infer else None
    how = Search(options.n, options.value, model)
    searching = replace(base, kind=search.NAME, search=how, base=options.base, infer=options.infer)
    return replace(searching, content_hash=searching.digest())


def model_of(text: str, game: GameSpec, where: str = "") -> Model:
    """The strategy by which others are taken to have chosen, softened if it always takes the highest score.

    Parameters
    ----------
    text
        Its name.
    game
        The game.
    where
        What stands before a message.

    Raises
    ------
    StrategySpecError
        If there is none of that name, or it does not play by weights.
    """
    found = None if search.is_search(text) else resolve(text, game, as_base=True)
    if found is None or found.kind not in ("random", "weighted") or found.copy:
        said = f"{where!r}: " if where else ""
        raise StrategySpecError(f"{said}what others chose is judged by a strategy that plays by weights, not {text}")
    return Model(found.weights, found.temperature or search.SOFTNESS)


def _on_base(named: StrategySpec, options: search.SearchOptions, game: GameSpec) -> StrategySpec:
    """A player that searches on the base that is asked for, or on the usual one."""
    text = options.base or game.strongest
    base = None if search.is_search(text) else resolve(text, game, as_base=True)
    if base is None or base.kind not in ("random", "weighted") or base.copy:
        raise StrategySpecError(f"{named.text!r}: the base of a search is a strategy that plays by weights, not {text}")
    weighed = replace(named, weights=base.weights, temperature=base.temperature)
    return _searching(weighed, replace(options, base=text), game)


def search_player(game: GameSpec, text: str = search.NAME, copy: int = 0) -> StrategySpec:
    """The search player that a text asks for.

    Parameters
    ----------
    game
        The game.
    text
        ``search``, or ``search+n=300+base=banker`` and so on.
    copy
        Number of a differently keyed copy.

    Raises
    ------
    StrategySpecError
        If the game has none, or an option is not right.
    """
    options = search.parse(text, game)
    asked = text + (f"@{copy}" if copy else "")
    named = StrategySpec(
        asked, search.canonical(options, game), game.name, search.NAME, search.SUMMARY, search.SOURCE, {}, 0.0, copy,
        "", "built in",
    )  # fmt: skip
    return _on_base(named, options, game)


@cache
def _built_in(game: str) -> dict[str, Entry]:
    """The registry: `random`, then the entries of the game's file."""
    path = PRESETS / f"{game}.toml"
    entries = parse_entries(read_text(str(path)), path.name, game_named(game)) if path.exists() else {}
    if RANDOM.name in entries:
        raise StrategySpecError(f"{path.name}: the name {RANDOM.name!r} stands for the built-in strategy")
    return {RANDOM.name: RANDOM, **entries}


def presets(game: GameSpec) -> dict[str, StrategySpec]:
    """The strategies that come with a game, by name, `random` first.

    Parameters
    ----------
    game
        The game.
    """
    return {name: _from_entry(entry, name, game, 0, "built in") for name, entry in _built_in(game.name).items()}


def _split_copy(text: str) -> tuple[str, int]:
    """A text and the number of the copy asked for behind it."""
    match = _COPY.fullmatch(text)
    if match is None:
        return text, 0
    digits = match["copy"]
    if not (digits.isascii() and digits.isdigit() and int(digits) <= MAX_COPY):
        raise StrategySpecError(
            f"{text!r}: after @ stands the number of a copy, 0 to {MAX_COPY}, as in random@1, not {digits!r}"
        )
    return match["text"], int(digits)


def resolve(text: str, game: GameSpec, as_base: bool = False) -> StrategySpec:
    """The strategy that a text names.

    Parameters
    ----------
    text
        ``random``, the name of a preset, ``search`` with its options, ``path/file.toml`` (with one strategy) or
        ``path/file.toml:name``, those that have weights also with changes, as in ``master+unseen=-1.5``;
        ``path/file.py:function`` or ``package.module:function``; behind each of them ``@1`` and so on asks for a copy
        that draws other random numbers.
    game
        The game that it is to play.
    as_base
        Whether it is to be the base of a search player, which has none itself.

    Raises
    ------
    StrategySpecError
        If there is no such strategy, or something is wrong with it.

    Examples
    --------
    >>> from domeng_sim.games import game
    >>> spec = resolve("random@1", game("domeng"))
    >>> spec.name, spec.kind, spec.copy
    ('random', 'random', 1)
    >>> resolve("master+unseen=-1.50+double=9", game("domeng")).text
    'master+unseen=-1.5'
    """
    if printable(text) != text:
        raise StrategySpecError(f"{text!r}: the name of a strategy has no control characters, and is UTF-8")
    what, copy = _split_copy(text.strip())
    if search.is_search(what):
        return replace(search_player(game, what, copy), text=text)
    named, changes = split(what)
    place, colon, name = named.rpartition(":")
    if not colon or named.endswith((".toml", ".py")):
        place, name = named, ""
    if not place.endswith(".toml") and (colon or place.endswith(".py")):
        if changes:
            raise StrategySpecError(f"{text!r}: a function has no weights to be changed")
        return _of_function(place, name, text, game, copy)
    is_file = place.endswith(".toml")
    entry = _entry_of_file(place, name, game) if is_file else _entry_built_in(named, game)
    if entry.search is not None and (as_base or changes):
        why = (
            "searches, so it is no base of another search" if as_base else "searches as its file says, without changes"
        )
        raise StrategySpecError(f"{named} {why}")
    if changes:
        entry, suffix = reweighed(entry, changes, text, game)
        text = named + suffix + (f"@{copy}" if copy else "")
    return _from_entry(entry, text, game, copy, place if is_file else "built in")


def changed(text: str, changes: Mapping[str, str], game: GameSpec) -> StrategySpec:
    """A strategy with some of its weights, or of the options of a search, changed.

    Parameters
    ----------
    text
        As for `resolve`.
    changes
        New values by feature, for ``temperature``, or by option of a search; they take the place of those of the text.
    game
        The game that it is to play.

    Raises
    ------
    StrategySpecError
        As `resolve`.

    Examples
    --------
    >>> from domeng_sim.games import game
    >>> changed("master+unseen=-1@2", {"unseen": "-1.50"}, game("domeng")).text
    'master+unseen=-1.5@2'
    """
    what, copy = _split_copy(text.strip())
    if search.is_search(what):
        search.parse(what, game)
        named, parts = search.NAME, dict(piece.split("=", 1) for piece in what.split("+")[1:])
    else:
        named, parts = split(what)
    told = "".join(f"+{name.strip()}={value}" for name, value in {**parts, **changes}.items())
    return resolve(named + told + (f"@{copy}" if copy else ""), game)


def _of_function(place: str, name: str, text: str, game: GameSpec, copy: int) -> StrategySpec:
    from domeng_sim.strategies import user  # what it needs to read Python is not needed for names

    found = user.find(place, name)
    return StrategySpec(
        text=text,
        name=found.name,
        game=game.name,
        kind="user",
        summary=found.summary,
        source="",
        weights={},
        temperature=0.0,
        copy=copy,
        content_hash=found.content_hash,
        origin=place,
        code=found.code,
    )


def _entry_built_in(name: str, game: GameSpec) -> Entry:
    if name == PERSON:
        raise StrategySpecError("a person sits down with `domeng-sim play`, and is no strategy of other commands")
    entries = _built_in(game.name)
    if name not in entries:
        known = [*entries, *([search.NAME] if game.search else [])]
        elsewhere = [other for other in GAMES if other != game.name and name in _built_in(other)]
        hint: tuple[Part, ...] = (f"; {elsewhere[0]} has one: ", FieldRef("game", elsewhere[0])) if elsewhere else ()
        raise StrategySpecError(
            f"{game.name} has no strategy {name!r}",
            *hint,
            f"; {known_names(name, known)}; or name your own as file.toml:name, file.py:function or "
            "package.module:function",
        )
    return entries[name]


def _entry_of_file(path: str, name: str, game: GameSpec) -> Entry:
    entries = parse_entries(read_text(path), path, game)
    if name in entries:
        return entries[name]
    if name:
        raise StrategySpecError(f"{path} has no strategy {name!r}; {known_names(name, entries)}")
    if len(entries) > 1:
        raise StrategySpecError(
            f"{path} holds several strategies; name one of {', '.join(entries)}, as in {path}:{next(iter(entries))}"
        )
    return next(iter(entries.values()))


def texts_of(text: str, game: GameSpec) -> list[str]:
    """The texts that a text stands for where several strategies are taken.

    Parameters
    ----------
    text
        ``presets`` for all that come with the game, a TOML file for all that it holds, else a strategy.
    game
        The game that they are to play.

    Raises
    ------
    StrategySpecError
        If something is wrong with the file.

    Examples
    --------
    >>> from domeng_sim.games import game
    >>> texts_of("presets", game("domeng"))[:3], texts_of("my.py:choose", game("domeng"))
    (['random', 'heaviest', 'lightest'], ['my.py:choose'])
    """
    if text == "presets":
        return list(_built_in(game.name))
    if not text.endswith(".toml"):
        return [text]
    names = list(parse_entries(read_text(text), text, game))
    return [f"{text}:{name}" for name in names] if len(names) > 1 else [text]
