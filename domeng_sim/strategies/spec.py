"""A strategy as it is played, stored and read again: `StrategySpec`, made by `strategies.resolve` or from a manifest.

Nothing here needs the compiler until `seat` loads a function.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from domeng_sim.errors import FieldRef, Refused
from domeng_sim.games import game as game_named
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import Model, Search, Seat
from domeng_sim.strategies import search
from domeng_sim.strategies.weighted import Entry

MAX_COPY = 999_999
PERSON = "person"
"""Kind, name and text of a seat at which a person sits."""


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
        if spec.content_hash != spec.digest():
            raise ValueError(f"the digest of the strategy {spec.text!r} differs")
        return spec

    def digest(self) -> str:
        """Digest of what is played; see `content_hash`."""
        if self.kind == "user":
            return hashlib.sha256(self.code.encode(errors="surrogatepass")).hexdigest()
        if self.kind == PERSON:
            return hashlib.sha256(",".join(map(str, self.choices)).encode()).hexdigest()
        weighed = Entry(self.name, "", "", dict(self.weights), self.temperature).content_hash
        if self.search is None:
            return weighed
        model = self.search.model
        judged = [] if model is None else [Entry("", "", "", dict(model.weights), model.temperature).content_hash]
        content = json.dumps([weighed, self.search.n, self.search.value, *judged])
        return hashlib.sha256(content.encode()).hexdigest()

    def with_choices(self, choices: Sequence[int]) -> StrategySpec:
        """The same person after other choices."""
        sits = replace(self, choices=tuple(choices))
        return replace(sits, content_hash=sits.digest())


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


def person(game: GameSpec) -> StrategySpec:
    """A seat at which a person sits, who has not chosen anything yet.

    Parameters
    ----------
    game
        The game.
    """
    sits = StrategySpec(PERSON, PERSON, game.name, PERSON, "plays by hand", "", {}, 0.0, 0, "", "play")
    return sits.with_choices(())


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
