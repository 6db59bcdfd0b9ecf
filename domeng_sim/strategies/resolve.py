"""Strategies by the text that names them: `random`, a preset, an entry of a TOML file, or a user's function.

Nothing here needs the compiler until `seat` loads a function.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from domeng_sim.core.printable import printable
from domeng_sim.errors import FieldRef, Part, Refused
from domeng_sim.games import GAMES
from domeng_sim.games import game as game_named
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import Model, Search, Seat
from domeng_sim.strategies import search
from domeng_sim.strategies.inline import reweighed, split
from domeng_sim.strategies.weighted import Entry, StrategySpecError, known_names, parse_entries, read_text

__all__ = ["StrategySpec", "StrategySpecError", "person", "presets", "resolve", "seat", "texts_of"]

MAX_COPY = 999_999
RANDOM = Entry("random", "plays any legal move, all equally likely", "the reference: no idea at all", {}, 0.0)
PRESETS = Path(__file__).parent / "presets"
"""A file for each game, by its name."""
PERSON = "person"
"""Kind, name and text of a seat at which a person sits."""

_COPY = re.compile(r"(?P<text>.*)@(?P<copy>[^@/\\:.]*)", re.DOTALL)


@dataclass(frozen=True)
class StrategySpec:
    """A strategy: all that is needed to play it, here or elsewhere.

    Attributes
    ----------
    text
        As it was asked for.
    name
        Name of the entry or function, without file and copy.
    game
        Name of the game.
    kind
        ``random``, ``weighted``, ``search``, ``user`` or ``person``.
    summary
        What it does, in a few words; empty if nobody said.
    source
        Where the idea comes from.
    weights
        Thousandths by feature; empty for `random` and for functions. Of a search player, those of its base.
    temperature
        0 for the highest score, above 0 for a softmax choice.
    copy
        Number of a differently keyed copy; 0 unless asked for.
    content_hash
        Digest (SHA-256) of weights and temperature without their common factor, and of how it searches, of the source
        text of a function's file, or of a person's choices.
    origin
        ``built in``, the file as it was given, the module, or ``play``.
    code
        Source text of a function's file; empty for the other kinds.
    choices
        What a person chose, as positions among the legal moves; empty for the other kinds.
    search
        How a search player searches; None for the other kinds.
    base
        Text of its base; empty where its weights stand in its own file.
    infer
        Text of the strategy by which it takes the others to have chosen; empty for none.
    stored_in
        The file of a dataset from which `code` was read, which is not run then unless somebody trusts it; empty for
        what the user named, or trusts.
    """

    text: str
    name: str
    game: str
    kind: str
    summary: str
    source: str
    weights: Mapping[str, int] = field(hash=False)
    temperature: float
    copy: int
    content_hash: str
    origin: str
    code: str = field(default="", repr=False)
    choices: tuple[int, ...] = field(default=(), repr=False)
    search: Search | None = None
    base: str = ""
    infer: str = ""
    stored_in: str = field(default="", repr=False, compare=False)

    def to_json(self) -> dict[str, Any]:
        """The strategy as it stands in a manifest: enough to play it again without its file."""
        record: dict[str, Any] = {
            "text": self.text,
            "name": self.name,
            "game": self.game,
            "kind": self.kind,
            "summary": self.summary,
            "source": self.source,
            "copy": self.copy,
            "content_hash": self.content_hash,
            "origin": self.origin,
        }
        if self.kind == "user":
            record["code"] = self.code
        elif self.kind == PERSON:
            record["choices"] = list(self.choices)
        else:
            record["weights_thousandths"] = dict(self.weights)
            record["temperature"] = self.temperature
        if self.search is not None:
            record["search"] = {"n": self.search.n, "value": self.search.value, "base": self.base}
            model = self.search.model
            if model is not None:
                told = {"weights_thousandths": dict(model.weights), "temperature": model.temperature}
                record["search"] |= {"infer": self.infer, "model": told}
        return record

    @classmethod
    def from_json(cls, record: Mapping[str, Any], stored_in: str = "") -> StrategySpec:
        """The strategy of a manifest.

        Parameters
        ----------
        record
            As `to_json` gave it.
        stored_in
            The file that it was read from.

        Raises
        ------
        ValueError
            If it plays otherwise than its digest says, or by features that the game does not have.
        """
        same = ("text", "name", "game", "kind", "summary", "source", "copy", "content_hash", "origin")
        options, model = None, None
        if record["kind"] == search.NAME:
            # no base: weights of its own
            told = {name: value for name, value in record["search"].items() if value != "" and name != "model"}
            options = search.check(told, repr(record["text"]), game_named(record["game"]))
            if stored := record["search"].get("model"):
                model = Model(dict(stored["weights_thousandths"]), float(stored["temperature"]))
        spec = cls(
            **{key: record[key] for key in same},
            weights=dict(record.get("weights_thousandths", {})),
            temperature=float(record.get("temperature", 0)),
            code=record.get("code", ""),
            choices=tuple(record.get("choices", ())),
            search=Search(options.n, options.value, model) if options else None,
            base=options.base if options else "",
            infer=options.infer if options else "",
            stored_in=stored_in if record["kind"] == "user" else "",
        )
        weighed = [*spec.weights, *(model.weights if model else ())]
        unknown = [feature for feature in weighed if feature not in game_named(spec.game).features]
        if unknown:
            raise ValueError(f"the strategy {spec.text!r} weighs {unknown[0]!r}, which is not known here")
        if spec.content_hash != spec._digest():
            raise ValueError(f"the digest of the strategy {spec.text!r} differs")
        return spec

    def _digest(self) -> str:
        """Digest of what is played; see `content_hash`."""
        if self.kind == "user":
            return hashlib.sha256(self.code.encode(errors="surrogatepass")).hexdigest()
        if self.kind == PERSON:
            return hashlib.sha256(",".join(map(str, self.choices)).encode()).hexdigest()
        weighed = Entry(self.name, "", "", dict(self.weights), self.temperature).content_hash
        if self.search is None:
            return weighed
        content = json.dumps([weighed, self.search.n, self.search.value, *self._model_digest()])
        return hashlib.sha256(content.encode()).hexdigest()

    def _model_digest(self) -> list[str]:
        """Digest of the model of a search, if it has one."""
        model = self.search.model if self.search else None
        return [] if model is None else [Entry("", "", "", dict(model.weights), model.temperature).content_hash]

    def with_choices(self, choices: Sequence[int]) -> StrategySpec:
        """The same person after other choices."""
        sits = replace(self, choices=tuple(choices))
        return replace(sits, content_hash=sits._digest())


def trusting(seats: Sequence[StrategySpec], named: Sequence[StrategySpec] | None = None) -> tuple[StrategySpec, ...]:
    """The same strategies, whose code may be run.

    Parameters
    ----------
    seats
        Strategies, maybe of a dataset.
    named
        Those that the user names now: only code that is the same as that of one of them is trusted. None trusts all.
    """
    known = None if named is None else {spec.content_hash for spec in named}
    return tuple(replace(spec, stored_in="") if known is None or spec.content_hash in known else spec for spec in seats)


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
    return replace(searching, content_hash=searching._digest())


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


def person(game: GameSpec) -> StrategySpec:
    """A seat at which a person sits, who has not chosen anything yet.

    Parameters
    ----------
    game
        The game.
    """
    sits = StrategySpec(PERSON, PERSON, game.name, PERSON, "plays by hand", "", {}, 0.0, 0, "", "play")
    return sits.with_choices(())


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


def seat(spec: StrategySpec) -> Seat:
    """The strategy in the form that the game's core takes; a function is loaded and compiled.

    Parameters
    ----------
    spec
        From `resolve`, or from a manifest.

    Raises
    ------
    StrategySpecError
        If a function cannot be loaded or compiled.
    Refused
        If its code came with a dataset, and nobody trusts it.
    """
    player = None
    if spec.kind == "user":
        if spec.stored_in:
            raise Refused(
                f"the strategy {spec.text} would run {len(spec.code.splitlines())} lines of Python code that came with "
                f"{spec.stored_in} (from {spec.origin} there, SHA-256 {spec.content_hash[:16]}); look at them, and "
                "allow it by ",
                FieldRef("trust", True),
                ", or name the file itself if it is yours",
            )
        from domeng_sim.strategies import user

        player = user.player(spec.game, spec.code, spec.name, spec.origin, spec.text)
    choices = spec.choices if spec.kind == PERSON else None
    return Seat(dict(spec.weights), spec.temperature, spec.copy, player, choices, spec.search)
