"""What games, strategies and runs speak of: rules, counters, seats, tasks, moves, and errors of play."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from domeng_sim.errors import BadInput

if TYPE_CHECKING:
    import numpy as np

RuleValue = int | str

_SIZE = re.compile(r"([0-9]{1,5})x([0-9]{1,5})")


@dataclass(frozen=True)
class Rule:
    """An option or amount of a game's rules.

    Attributes
    ----------
    name
        As in the rules.
    default
        Value if nothing is said.
    sentence
        What it decides, for help and documentation.
    choices
        The readings, for an option; empty for a number.
    low, high
        Range of a number, both ends included.
    is_size
        Whether the value may also be a size ``WxH``, both numbers in the range; such a rule has `choices` as well.
    """

    name: str
    default: RuleValue
    sentence: str
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    is_size: bool = False

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.is_size:
            return " or ".join((*self.choices, f"WxH with W and H from {self.low} to {self.high}"))
        return " or ".join(self.choices) if self.choices else f"a whole number from {self.low} to {self.high}"

    @property
    def brief(self) -> str:
        """The allowed values in a few characters."""
        if self.is_size:
            return "|".join((*self.choices, "WxH"))
        return "|".join(self.choices) if self.choices else f"{self.low}..{self.high}"

    def check(self, value: object) -> RuleValue:
        """The value in its own type.

        Parameters
        ----------
        value
            A number, or its text, or one of `choices`, or the text of a size.

        Raises
        ------
        ValueError
            If the value is not allowed; the message says which are.
        """
        if self.choices:
            if isinstance(value, str) and value in self.choices:
                return value
            if isinstance(value, str) and self.is_size and (size := self._size(value)):
                return f"{size[0]}x{size[1]}"
        elif not isinstance(value, bool) and isinstance(value, int | str):
            text = str(value).strip()
            if text.isascii() and text.isdigit() and self.low <= int(text) <= self.high:
                return int(text)
        raise ValueError(f"rule {self.name} must be {self.allowed}, not {value!r}")

    def code(self, value: RuleValue) -> int:
        """The number that the core works with: the value itself, or the position of the reading in `choices`.

        A size is 65,536 times its width plus its height.
        """
        if self.is_size and (size := self._size(str(value))):
            return size[0] << 16 | size[1]
        return self.choices.index(str(value)) if self.choices else int(value)

    def _size(self, text: str) -> tuple[int, int] | None:
        """Width and height, if the text is a size in the range."""
        match = _SIZE.fullmatch(text.strip())
        if match is None:
            return None
        width, height = int(match[1]), int(match[2])
        return (width, height) if self.low <= min(width, height) and max(width, height) <= self.high else None


class RulesRow(Protocol):
    """The rules of a game as the core takes them: numbers under the rules' names; of an option, that of the reading."""

    def __getattr__(self, name: str) -> np.uint64:
        """The number of a rule."""
        ...


def row_class(rules: Sequence[Rule], module: str) -> Any:
    """The class of a game's `RulesRow`: a NamedTuple with a field for each rule, in their order.

    Parameters
    ----------
    rules
        The rules.
    module
        Where the class stands under the name ``RulesRow``: the compiler's cache looks it up there.
    """
    # not typing.NamedTuple, whose fields would need a type each
    return namedtuple("RulesRow", [rule.name for rule in rules], module=module)


def row_of(row: Any, rules: Sequence[Rule], values: Mapping[str, RuleValue]) -> Any:
    """A value for every rule, as `GameSpec.resolve_rules` gives them, in the form that the core takes.

    Parameters
    ----------
    row
        The class of the row.
    rules
        The rules from which it was made.
    values
        By rule name.
    """
    import numpy as np  # not for help and usage errors

    return row(*(np.uint64(rule.code(values[rule.name])) for rule in rules))


@dataclass(frozen=True)
class Count:
    """A block of counters behind the figures of a game: its name, its axes and what it counts.

    Attributes
    ----------
    name
        Name of the measure in the summary table.
    axes
        Pairs of axis name and length; the axes' names are columns of the summary table (``seat``, ``other``, ``bin``).
    meaning
        A sentence for the documentation.
    """

    name: str
    axes: tuple[tuple[str, int], ...]
    meaning: str

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return tuple(length for _, length in self.axes)

    @property
    def size(self) -> int:
        """Number of counters."""
        size = 1
        for length in self.shape:
            size *= length
        return size


def offsets(counts: Sequence[Count]) -> dict[str, int]:
    """Where each block stands in a row of counters, by name.

    Examples
    --------
    >>> offsets((Count("passes", (("seat", 5),), "PASSes"), Count("plays", (("bin", 26),), "tiles played")))
    {'passes': 0, 'plays': 5}
    """
    found, position = {}, 0
    for count in counts:
        found[count.name] = position
        position += count.size
    return found


@dataclass(frozen=True)
class Model:
    """How others are taken to choose.

    Attributes
    ----------
    weights
        Thousandths by feature.
    temperature
        Above 0.
    """

    weights: Mapping[str, int] = field(hash=False)
    temperature: float


@dataclass(frozen=True)
class Search:
    """How a seat searches.

    Attributes
    ----------
    n
        Most deals drawn for a decision.
    value
        What it strives for, one of the game's `SearchSpec.values`.
    model
        By which it concludes from the others' choices; None for a seat that does not.
    """

    n: int
    value: str
    model: Model | None = None


@dataclass(frozen=True)
class SearchSpec:
    """What search players of a game can be asked for.

    Attributes
    ----------
    values
        What they can strive for, each with a sentence; the first one unless something else is said.
    infers
        Whether they can conclude from the choices of others.
    """

    values: Mapping[str, str]
    infers: bool = False


@dataclass(frozen=True)
class Seat:
    """How one seat plays, in the form that a game's core takes.

    Attributes
    ----------
    weights
        Thousandths by feature; a feature that is missing weighs 0. All 0 plays at random.
    temperature
        0 for the highest score, above 0 for a softmax choice.
    copy
        Copy number of its random choices; 0 unless a differently keyed copy is wanted.
    function
        A user's compiled function in place of weights, or None.
    choices
        Where a person sits: the moves chosen so far, as positions among the legal moves; None for no person.
    search
        How the seat searches, with the weights as its base; None for one that does not.
    """

    weights: Mapping[str, int]
    temperature: float = 0.0
    copy: int = 0
    function: Any = None
    choices: tuple[int, ...] | None = None
    search: Search | None = None


@dataclass(frozen=True)
class Task:
    """A range of matches to play, and what to keep of it.

    Attributes
    ----------
    rules
        A value for every rule of the game.
    seats
        One for each seat of the table.
    seed
        0 to 2^64 - 1.
    games, rounds
        Length of a match in games or in rounds; the other one is 0.
    first_match, end_match
        Half-open range of matches.
    cluster
        Matches whose counts are added up in one row of counts.
    level
        One of `tables.LEVELS`.
    options
        Optional columns asked for (``hands``).
    """

    rules: Mapping[str, RuleValue]
    seats: tuple[Seat, ...]
    seed: int
    games: int
    rounds: int
    first_match: int
    end_match: int
    cluster: int
    level: str = "summary"
    options: frozenset[str] = frozenset()

    @property
    def n_clusters(self) -> int:
        """Rows of counts."""
        return -(-(self.end_match - self.first_match) // self.cluster)


class StrategyError(Exception):
    """A user's strategy function failed or made an illegal choice."""


@dataclass(frozen=True)
class LegalMove:
    """A move that a person may make.

    Attributes
    ----------
    tile
        Its number.
    end
        ``left`` or ``right``; empty at a lead.
    direction
        ``straight``, ``left`` or ``right`` on a finite table; else empty.
    """

    tile: int
    end: str
    direction: str


class Undecided(StrategyError):
    """A person must choose before the match can go on.

    Rows up to that decision can be taken from the run; what comes behind it in the `events` table means nothing.

    Parameters
    ----------
    seat
        Who.
    n_chosen
        Moves that this person has made before in the match.
    moves
        What may be played; a choice is a position in it.
    """

    def __init__(self, seat: int, n_chosen: int, moves: tuple[LegalMove, ...]) -> None:
        super().__init__(f"the person at seat {seat} is still to choose a move: this round is not over")
        self.seat, self.n_chosen, self.moves = seat, n_chosen, moves


class PositionError(BadInput, ValueError):
    """A position that cannot have come about; the message says why."""
