"""A request: fields with what they take and what they mean, checked once."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import inspect
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from domeng_sim.api.requests.kinds import CLUSTER, PLACE, RULES, SWITCH, Kind, choice, real, whole, written
from domeng_sim.errors import BadField, FieldRef, not_together
from domeng_sim.games import GAMES, game
from domeng_sim.games.spec import GameSpec
from domeng_sim.runs.command import command_words
from domeng_sim.runs.config import DEFAULT_GAME, MAX_PER_MATCH, MAX_SEED
from domeng_sim.runs.provenance import other_rules
from domeng_sim.runs.store.location import Location
from domeng_sim.strategies.resolve import resolve, texts_of
from domeng_sim.strategies.spec import StrategySpec
from domeng_sim.strategies.weighted import StrategySpecError

KEY = "option"
"""Where a field of a request keeps its `Option`."""


@dataclass(frozen=True)
class Option:
    """What is known of a field, for help, checks and messages in every front end.

    Attributes
    ----------
    kind
        What it takes.
    sentence
        What it means.
    usual
        Its value if nothing is said; None for none, or where that depends on other fields.
    usual_text
        What is told of that in help.
    needs
        A field without which it means nothing.
    not_with
        Fields with which it does not go together.
    is_argument
        Whether it is given by its place, and required.
    repeats
        Whether it belongs into the command that repeats a result.
    """

    kind: Kind
    sentence: str
    usual: Any = None
    usual_text: str = ""
    needs: str = ""
    not_with: tuple[str, ...] = ()
    is_argument: bool = False
    repeats: bool = True

    @property
    def default(self) -> str:
        """What is told of its value if nothing is said."""
        usual = "" if self.usual in (None, False, ()) else str(written(self.usual))
        return self.usual_text or usual


def required(kind: Kind, sentence: str, **more: Any) -> dict[str, Any]:
    """Metadata of a field that must be given."""
    return {KEY: Option(kind, sentence, is_argument=True, **more)}


def optional(kind: Kind, sentence: str, **more: Any) -> Any:
    """A field that may be left out: None, or False of a switch, stands for what was not given.

    Parameters
    ----------
    kind, sentence
        As in `Option`.
    **more
        Its other attributes.
    """
    default = None if kind.metavar else False
    return dataclasses.field(default=default, metadata={KEY: Option(kind, sentence, **more)})


def options_of(request: type[Request] | Request) -> Iterator[tuple[str, Option]]:
    """Fields of a request with what is known of them, its own before those that it shares with others."""
    kinds = (request if isinstance(request, type) else type(request)).__mro__
    # a field belongs to the class that has brought it in, whoever says more of it later
    place = {name: number for number, kind in enumerate(kinds) for name in inspect.get_annotations(kind)}
    fields = [field for field in dataclasses.fields(request) if KEY in field.metadata]
    for field in sorted(fields, key=lambda field: (not field.metadata[KEY].is_argument, place[field.name])):
        yield field.name, field.metadata[KEY]


def is_given(value: object) -> bool:
    """Whether a field was given; 0 is a value like any other."""
    return value is not None and value is not False and value != () and value != {}


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked of a command.

    Fields are read by their kinds, what does not go together is refused, and what was not given is taken from what is
    to be gone on with, or gets its usual value.

    Attributes
    ----------
    usual
        Values by field that stand for what was neither given nor taken, where a front end has others than these.
    """

    command: ClassVar[str] = ""
    usual: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        options = dict(options_of(self))
        for name, known in options.items():
            value = getattr(self, name)
            if value is not None:
                self._set(name, known.kind.check(name, value))
        self._refuse_contradictions(options)
        self._recall()
        for name, known in options.items():
            usual = self.usual.get(name, known.usual)
            if usual is not None and not is_given(getattr(self, name)):
                self._set(name, usual)
        self._resolve()

    def _refuse_contradictions(self, options: Mapping[str, Option]) -> None:
        given = {name: value for name in options if is_given(value := getattr(self, name))}
        for name, value in given.items():
            for other in options[name].not_with:
                if other in given:
                    raise not_together(name, value, other)
            needed = options[name].needs
            if needed and needed not in given:
                raise BadField(name, value, message=(FieldRef(name), " goes with ", FieldRef(needed), " only"))

    def _recall(self) -> None:
        """Fill fields that were not given from what is there to go on with."""

    def _resolve(self) -> None:
        """Find what the fields name."""

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def with_values(self, **values: object) -> Self:
        """The same with other values, which are known to be right: nothing is looked up again.

        Parameters
        ----------
        **values
            By field.
        """
        other = copy.copy(self)
        for name, value in values.items():
            other._set(name, value)
        return other

    def asked(self) -> dict[str, object]:
        """The fields that repeat this request, in the form of `runs.command.words`; usual values are left out."""
        found: dict[str, object] = {}
        for name, known in options_of(self):
            value = getattr(self, name)
            if known.repeats and not known.is_argument and is_given(value) and value != known.usual:
                found[name] = value if known.kind.is_several else written(value)
        return found

    def arguments(self) -> tuple[object, ...]:
        """What stands before the options."""
        values = [getattr(self, name) for name, known in options_of(self) if known.is_argument]
        several = [value if isinstance(value, tuple) else (value,) for value in values if value is not None]
        return tuple(one for value in several for one in value)

    def words(self, **more: object) -> list[str]:
        """The command that repeats this request, in words.

        Parameters
        ----------
        **more
            Further fields.
        """
        return command_words(self.command, {**self.asked(), **more}, self.arguments())

    def record(self) -> dict[str, Any]:
        """The same as it stands in the manifest of what is made: arguments, and options by field."""
        options = {name: list(value) if isinstance(value, tuple) else value for name, value in self.asked().items()}
        return {"arguments": [str(getattr(one, "text", one)) for one in self.arguments()], "options": options}

    def saved(self) -> dict[str, object]:
        """All fields that have a value, as they may stand in a configuration file."""
        found: dict[str, object] = {}
        for name, known in options_of(self):
            value = getattr(self, name)
            if is_given(value) and (known.repeats or name in ("out", "threads")):
                found[name] = _plain(value)
        return found


def _plain(value: object) -> object:
    """A value as TOML has it; its numbers have 64 bits with a sign."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return [_plain(getattr(one, "text", one)) for one in value]
    if isinstance(value, os.PathLike) or (isinstance(value, int) and value >= 1 << 63):
        return str(value)
    return value


LEVEL = real(0, 1, "a number between 0 and 1, such as 0.95")
MATCH_LENGTH = whole(1, MAX_PER_MATCH)


@dataclass(frozen=True, kw_only=True)
class GameRequest(Request):
    """Of all that is played: the game, its rules and the seed."""

    game: str = optional(choice(*GAMES), "The game.", usual=DEFAULT_GAME)
    rules: Mapping[str, int | str] | None = optional(RULES, "A rule, see `domeng-sim rules`; repeatable.")
    seed: int | None = optional(
        whole(0, MAX_SEED),
        "0 to 2^64-1; the same seed gives the same result.",
        usual_text="drawn, printed and stored",
    )

    @property
    def spec(self) -> GameSpec:
        """The game."""
        return game(self.game)

    def _resolve(self) -> None:
        self._set("rules", other_rules(self.spec, checked_rules(self.spec, self.rules or {})))
        if self.seed is None:
            self._set("seed", secrets.randbits(64))

    @property
    def all_rules(self) -> dict[str, int | str]:
        """A value for every rule."""
        return self.spec.resolve_rules(self.rules or {})


@dataclass(frozen=True, kw_only=True)
class Threaded(Request):
    """Of all that is played on several threads."""

    threads: int | None = optional(
        whole(1, 1024), "Threads; the result does not depend on it.", usual_text="all cores", repeats=False
    )

    @property
    def n_threads(self) -> int:
        """How many threads play."""
        return self.threads or available_cores()


TAKE_OVER_SENTENCE = "Take a dataset in a store from a writer that was killed: only there is that not known by itself."


@dataclass(frozen=True, kw_only=True)
class Clustered(Threaded):
    """Of all that may be played by the workers of a cluster."""

    cluster: Any = optional(
        CLUSTER,
        "Play on a Dask cluster: tcp://HOST:PORT, scheduler-file:PATH, or local:N for N processes here.",
        usual_text="threads of this process",
        repeats=False,
    )


@dataclass(frozen=True, kw_only=True)
class Kept(Request):
    """Of all that may be kept in a directory."""

    out: Location | str | None = optional(
        PLACE, "Keep what is played in this directory or store.", usual_text="nowhere", repeats=False
    )
    resume: bool = optional(
        SWITCH,
        "Resume the run or study in the directory, or start it if none exists.",
        needs="out",
        not_with=("overwrite",),
        repeats=False,
    )
    overwrite: bool = optional(
        SWITCH, "Replace the dataset in the directory; other files in it stay.", needs="out", repeats=False
    )
    take_over: bool = optional(SWITCH, TAKE_OVER_SENTENCE, needs="out", repeats=False)


def available_cores() -> int:
    """Processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def checked_rules(spec: GameSpec, rules: Mapping[str, object]) -> dict[str, int | str]:
    """A value for every rule.

    Raises
    ------
    BadField
        If there is no such rule, or it does not take the value.
    """
    try:
        return spec.resolve_rules(rules)
    except ValueError as error:
        raise BadField("rules", dict(rules), message=(str(error),)) from error


def find_strategies(field: str, texts: Sequence[Any], spec: GameSpec) -> tuple[StrategySpec, ...]:
    """The strategies that texts name; those of a dataset are there already.

    Raises
    ------
    BadField
        If there is no such strategy, or something is wrong with it.
    """
    found: dict[Any, StrategySpec] = {}
    for text in texts:
        if text not in found:
            with _told_of(field, text):
                found[text] = text if isinstance(text, StrategySpec) else resolve(text, spec)
    return tuple(found[text] for text in texts)


def find_all_strategies(field: str, texts: Sequence[Any], spec: GameSpec) -> tuple[StrategySpec, ...]:
    """The same where `presets` stands for all that come with the game, and a file for all that it holds."""
    every: list[Any] = []
    for text in texts:
        with _told_of(field, text):
            every += [text] if isinstance(text, StrategySpec) else texts_of(text, spec)
    return find_strategies(field, every, spec)


@contextlib.contextmanager
def _told_of(field: str, text: object) -> Iterator[None]:
    """Make what is wrong with a strategy an error about the field that names it."""
    try:
        yield
    except StrategySpecError as error:
        raise BadField(field, text, message=error.parts) from error


def one_for_each(field: str, texts: Sequence[Any], n: int) -> tuple[Any, ...]:
    """A strategy for each of so many seats, from one for all of them or one for each.

    Raises
    ------
    BadField
        If there are more or fewer.
    """
    if len(texts) not in (1, n):
        each = f", or one for each of the {n} other seats" if n > 1 else ""
        raise BadField(field, len(texts), f"one strategy{each}")
    return tuple(texts) * (n if len(texts) == 1 else 1)
