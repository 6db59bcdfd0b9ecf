"""What a game must provide.  Everything outside `games/` asks a `GameSpec` and never which game it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from domeng_sim.errors import BadInput
from domeng_sim.tables import Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from domeng_sim.games.figures import Sheet
    from domeng_sim.games.odds import OddsSpec
    from domeng_sim.games.outline import Outline
    from domeng_sim.games.scoring import Scoring
    from domeng_sim.games.telling import TellingSpec

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
    """

    weights: Mapping[str, int]
    temperature: float = 0.0
    copy: int = 0
    function: Any = None
    choices: tuple[int, ...] | None = None


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


class GameRun(Protocol):
    """A task under way in a game's core."""

    counts: npt.NDArray[np.int64]
    """Shape (clusters, counters), added to as the run advances."""

    def advance(self, budget: int) -> bool:
        """Play on for at most `budget` rounds or until a table's buffer is full; False when all matches are played.

        Raises
        ------
        Undecided
            If a person must choose first.
        StrategyError
            If a user's function failed or chose a move that does not exist.
        """
        ...

    def n_rounds(self) -> int:
        """Rounds counted so far."""
        ...

    def rounds_by_cluster(self) -> npt.NDArray[np.int64]:
        """Rounds counted so far in each cluster, shape (clusters,)."""
        ...

    def take(self, everything: bool) -> dict[str, dict[str, npt.NDArray[Any]]]:
        """Columns of the tables whose buffers are full, or of all tables, by name.

        Where a buffer counts as full depends on the rows alone, so that the row groups of a file do not depend on when
        this is called. The arrays are views that the next `advance` overwrites.
        """
        ...


class GameKernel(Protocol):
    """The compiled core of a game."""

    def engine(self, seats: Sequence[Seat], rules: Mapping[str, RuleValue]) -> str:
        """Name of the engine that serves these seats under these rules; each is compiled by itself."""
        ...

    def start(self, task: Task) -> GameRun:
        """Allocate what a task needs."""
        ...

    def player(self, function: Callable[..., Any], name: str) -> Any:
        """Compile a user's function into what `Seat.function` takes; `name` stands in messages.

        Raises
        ------
        StrategyError
            If it does not compile or does not return a position; the message goes on after the name.
        """
        ...


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


@dataclass(frozen=True)
class GameSpec:
    """A game as the rest of the program sees it.

    What is a function here loads its module when it is called: of a game that is only named, little is imported.

    Attributes
    ----------
    name
        Name on the command line and in the manifest.
    version
        Rises when the rows of a seed change.
    seats
        Number of seats.
    rules
        Every option and amount, in the order of the rules.
    tables
        Result tables by level name.
    counts
        Blocks of counters for given rules (some are as long as there are stones).
    scoring
        How strategies are compared; like `kernel`, `odds` and `telling` a function that loads it.
    rounds_of
        Rounds in each row of counts.
    totals
        Rounds and games over all rows of counts, for the manifest.
    kernel
        Loads the compiled core; called when a simulation starts, since it imports numba.
    nominal_rounds
        Round number of rounds in a game, from which sizes of parts are planned (never rows).
    features
        Features of weighted strategies by name, each with its sentence, in the order of the core's rows of weights.
    simple_features
        Features of the tile alone; strategies with no others run in the fastest engine.
    opponents
        Presets that people play against unless they say otherwise, for the seats after theirs.
    outline
        Report for given rules, the texts of the seats' strategies, and whether to have figures by strategy even if all
        seats have the same; None for one made of all `figures`.
    odds
        How positions are read and asked for odds; None where that is not there.
    telling
        How rounds are told to people; None where that is not there.
    """

    name: str
    title: str
    version: int
    seats: int
    rules: tuple[Rule, ...]
    tables: Mapping[str, Table]
    counts: Callable[[Mapping[str, RuleValue]], tuple[Count, ...]]
    figures: Callable[[Mapping[str, RuleValue]], Sheet]
    scoring: Callable[[], Scoring]
    rounds_of: Callable[[npt.NDArray[np.int64]], npt.NDArray[np.int64]]
    totals: Callable[[npt.NDArray[np.int64]], dict[str, int]]
    kernel: Callable[[], GameKernel]
    nominal_rounds: int
    features: Mapping[str, str]
    simple_features: frozenset[str]
    opponents: tuple[str, ...]
    outline: Callable[[Mapping[str, RuleValue], Sequence[str], bool], Outline] | None = None
    odds: Callable[[], OddsSpec] | None = None
    telling: Callable[[], TellingSpec] | None = None

    def resolve_rules(self, given: Mapping[str, object]) -> dict[str, RuleValue]:
        """All rules: those given, checked, and the defaults of the others.

        Parameters
        ----------
        given
            Values by rule name.

        Raises
        ------
        ValueError
            For an unknown name (the message lists the known ones) or a value that is not allowed.
        """
        known = {rule.name: rule for rule in self.rules}
        for name in given:
            if name not in known:
                raise ValueError(f"{self.name} has no rule {name!r}; it has {', '.join(known)}")
        return {name: rule.check(given.get(name, rule.default)) for name, rule in known.items()}
