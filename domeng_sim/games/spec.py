"""What a game must provide.  Everything outside `games/` asks a `GameSpec` and never which game it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from domeng_sim.core.codes import labels
from domeng_sim.core.tables import Table
from domeng_sim.games.types import Count, Rule, RuleValue, SearchSpec, Seat, Task, offsets

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from domeng_sim.games.shared.measures import Sheet
    from domeng_sim.games.shared.narrative import TellingSpec
    from domeng_sim.games.shared.odds import OddsSpec
    from domeng_sim.games.shared.outline import Outline
    from domeng_sim.games.shared.scoring import Scoring

T = TypeVar("T")


@cache
def _load(place: str) -> Any:
    """What stands at ``module:NAME``."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


class Loaded(Generic[T]):
    """An attribute that may be given as ``module:NAME``, which is then loaded when it is first asked for."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __set__(self, instance: Any, value: str | T) -> None:
        vars(instance)[self._name] = value

    def __get__(self, instance: Any, owner: type | None = None) -> T:
        # a dataclass asks the class for its default, which is None
        value = None if instance is None else vars(instance)[self._name]
        found: T = _load(value) if isinstance(value, str) else value
        return found


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

    def engine(self, task: Task) -> str:
        """Name of the engine that plays a task; each is compiled by itself."""
        ...

    def notes(self, seats: Sequence[Seat], rules: Mapping[str, RuleValue]) -> tuple[str, ...]:
        """What people should know before these seats play under these rules, a line each."""
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


@cache
def _place_of(spec: GameSpec, name: str) -> slice:
    """Where a block of counters stands whose place does not depend on the rules."""
    blocks = spec.counts(spec.resolve_rules({}))
    first = offsets(blocks)[name]
    return slice(first, first + next(block.size for block in blocks if block.name == name))


@dataclass(frozen=True, eq=False, repr=False)
class GameSpec:
    """A game as the rest of the program sees it.

    What is `Loaded` is given as ``module:NAME`` and imported when it is asked for.

    Attributes
    ----------
    name
        Name on the command line and in the manifest.
    title
        Its name in texts.
    version
        Rises when the rows of a seed change.
    seats
        Number of seats.
    rules
        Every option and amount, in the order of the rules.
    tables
        Result tables by level name; `ended` of the `games` table tells how a game ended.
    counts
        Blocks of counters for given rules. Every game has `round_ends`, whose sum is the number of rounds, `games` by
        `ended`, and `plays`; blocks that are as long as the rules say come last.
    nominal_rounds
        Round number of rounds in a game, from which sizes of parts are planned (never rows).
    features
        Features of weighted strategies by name, each with its sentence.
    feature_scales
        How large features are, of those that are not small numbers: a weight of theirs is by so much smaller.
    opponents
        Presets that people play against unless they say otherwise, for the seats after theirs.
    strongest
        The strongest preset: how everybody goes on in odds and in playouts of search players unless something else is
        said.
    core
        Class of the compiled core, a `games.shared.kernel.CoreKernel`; imports numba.
    figures
        All figures, for given rules.
    scoring
        How strategies are compared, under given rules.
    outline
        Report for given rules, the texts of the seats' strategies, and whether to have figures by strategy even if all
        seats have the same; None for one made of all `figures`.
    odds
        How positions are read and asked for odds; None where that is not there.
    telling
        How rounds are told to people; None where that is not there.
    search
        What search players can be asked for; None where there are none.
    """

    name: str
    title: str
    version: int
    seats: int
    rules: tuple[Rule, ...]
    tables: Mapping[str, Table]
    counts: Callable[[Mapping[str, RuleValue]], tuple[Count, ...]]
    nominal_rounds: int
    features: Mapping[str, str]
    opponents: tuple[str, ...]
    strongest: str = "random"
    core: Loaded[Callable[[GameSpec], GameKernel]] = Loaded()
    figures: Loaded[Callable[[Mapping[str, RuleValue]], Sheet]] = Loaded()
    scoring: Loaded[Callable[[Mapping[str, RuleValue]], Scoring]] = Loaded()
    outline: Loaded[Callable[[Mapping[str, RuleValue], Sequence[str], bool], Outline] | None] = Loaded()
    odds: Loaded[OddsSpec | None] = Loaded()
    telling: Loaded[TellingSpec | None] = Loaded()
    search: SearchSpec | None = None
    feature_scales: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"GameSpec({self.name!r})"

    def kernel(self) -> GameKernel:
        """The compiled core."""
        return self.core(self)

    def rounds_of(self, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Rounds in each row of counts, shape (clusters,).

        Parameters
        ----------
        counts
            Shape (clusters, counters).
        """
        rounds: npt.NDArray[np.int64] = self._block(counts, "round_ends").sum(axis=1)
        return rounds

    def totals(self, counts: npt.NDArray[np.int64]) -> dict[str, int]:
        """Rounds, and games by how they ended, over all rows of counts."""
        code = self.tables["games"]["ended"].code
        assert code is not None
        games = dict(zip(labels(code), self._block(counts, "games").sum(axis=0).tolist(), strict=True))
        return {"rounds": int(self.rounds_of(counts).sum()), "games": sum(games.values()), **games}

    def _block(self, counts: npt.NDArray[np.int64], name: str) -> npt.NDArray[np.int64]:
        """The counters of a block whose place does not depend on the rules."""
        return counts[:, _place_of(self, name)]

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
