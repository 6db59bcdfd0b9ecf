"""What a game must provide.  Everything outside `games/` asks a `GameSpec` and never which game it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from domeng_sim.core.tables import Table
from domeng_sim.games.types import Count, Rule, RuleValue, Seat, Task

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from domeng_sim.games.shared.measures import Sheet
    from domeng_sim.games.shared.narrative import TellingSpec
    from domeng_sim.games.shared.odds import OddsSpec
    from domeng_sim.games.shared.outline import Outline
    from domeng_sim.games.shared.scoring import Scoring


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
