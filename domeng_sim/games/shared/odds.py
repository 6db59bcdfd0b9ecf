"""What a game provides so that a position of it can be asked for odds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from domeng_sim.games.types import Model, RuleValue, Seat


@dataclass(frozen=True)
class Measure:
    """What is measured of a move.

    Attributes
    ----------
    name
        Its name in results.
    kind
        ``share`` for something that happens or not, ``mean`` for an amount.
    unit
        What it is measured in.
    sentence
        What it tells.
    high
        Largest value.
    low
        Smallest value.
    head
        Head of its column where odds are printed; empty for none.
    is_open
        Whether it depends on the hidden tiles even where a move ends the round.
    decides_ties
        Whether, of moves that win equally often, the one with more of it is better.
    """

    name: str
    kind: str
    unit: str
    sentence: str
    high: int = 1
    low: int = 0
    head: str = ""
    is_open: bool = False
    decides_ties: bool = False


def ending_measures(outcomes: Sequence[str], won: Sequence[str]) -> tuple[Measure, ...]:
    """What is measured in every game: whether the player wins, how the round ends, and whether the player wins so.

    Parameters
    ----------
    outcomes
        Labels of the ways a round can end.
    won
        Those in which somebody wins.
    """

    def share(name: str, sentence: str) -> Measure:
        return Measure(name, "share", "share of rounds", sentence)

    return (
        share("win", "the player wins the round"),
        *(share(f"outcome_{name}", f"the round ends as {name.upper()}") for name in outcomes),
        *(share(f"own_{name}", f"the round ends as {name.upper()} and the player wins it") for name in won),
    )


@dataclass(frozen=True)
class Field:
    """Something that a position is written with: an option of the command, a line of a file.

    Attributes
    ----------
    sentence
        What it is, for help.
    metavar
        How its value is told in help; empty for a field that is said or not said.
    """

    sentence: str
    metavar: str = ""

    @property
    def is_flag(self) -> bool:
        """Whether it is said or not said."""
        return not self.metavar


class Position(Protocol):
    """A position as one player sees it."""

    @property
    def seat(self) -> int:
        """Who asks."""
        ...

    @property
    def turn(self) -> int:
        """Whose turn it is."""
        ...

    @property
    def moves(self) -> Sequence[Any]:
        """What the player can do, each with its `text`; one entry where there is nothing to choose."""
        ...

    @property
    def n_deals(self) -> int:
        """Number of deals of the hidden tiles that agree with what was seen."""
        ...

    def ends_round(self, move: Any) -> bool:
        """Whether a move ends the round, in the same way whatever the hidden tiles are, open measures apart."""
        ...


@dataclass(frozen=True)
class SampleSums:
    """Sums over samples, in whole numbers; they add up.

    Attributes
    ----------
    n
        Samples.
    totals
        int64, shape (moves, measures).
    products
        int64, shape (measures, moves, moves): sums of the products of the values of two moves in the same sample.
    weight, squares
        The weights of the samples, by which totals and products are multiplied, and their squares, added up; 0 where
        all count 1.
    """

    n: int
    totals: npt.NDArray[np.int64]
    products: npt.NDArray[np.int64]
    weight: int = 0
    squares: int = 0

    def __add__(self, other: SampleSums) -> SampleSums:
        """Sums of two disjoint sets of samples."""
        return SampleSums(
            self.n + other.n,
            self.totals + other.totals,
            self.products + other.products,
            self.weight + other.weight,
            self.squares + other.squares,
        )

    def unweighted(self) -> SampleSums:
        """As many samples that count 1 as tell as much: the square of the sum of the weights by the sum of squares.

        That is the effective sample size of Kish (1965, Survey Sampling, section 11.7).
        """
        if not self.weight:
            return self
        import numpy as np  # not for help and usage errors

        n = max(1, self.weight**2 // self.squares)
        return SampleSums(n, *(np.rint(sums * (n / self.weight)).astype(np.int64) for sums in self._sums))

    @property
    def _sums(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        return self.totals, self.products

    def among(self, moves: Sequence[int], n_moves: int) -> SampleSums:
        """The same sums as those of some of more moves; zeros for all others."""
        if len(moves) == n_moves:
            return self
        import numpy as np  # not for help and usage errors

        totals = np.zeros((n_moves, self.totals.shape[1]), np.int64)
        products = np.zeros((len(self.products), n_moves, n_moves), np.int64)
        totals[list(moves)] = self.totals
        products[:, np.array(moves)[:, np.newaxis], moves] = self.products
        return SampleSums(self.n, totals, products, self.weight, self.squares)


@dataclass(frozen=True)
class Exact:
    """What the whole tree behind a move adds up to, over some deals; adds up too.

    Attributes
    ----------
    weight
        Weight of all deals looked at: totals are in this unit.
    totals
        By measure, the sum of weight times value.
    lows, highs
        By measure, the smallest and the largest value that occurred.
    details
        More totals by name, in the same unit.
    leaves
        Ends of rounds looked at.
    """

    weight: int
    totals: tuple[int, ...]
    lows: tuple[int, ...]
    highs: tuple[int, ...]
    details: Mapping[str, tuple[int, ...]]
    leaves: int

    def __add__(self, other: Exact) -> Exact:
        """Totals over two disjoint sets of deals."""
        return Exact(
            self.weight + other.weight,
            tuple(a + b for a, b in zip(self.totals, other.totals, strict=True)),
            tuple(map(min, self.lows, other.lows)),
            tuple(map(max, self.highs, other.highs)),
            {
                name: tuple(a + b for a, b in zip(values, other.details[name], strict=True))
                for name, values in self.details.items()
            },
            self.leaves + other.leaves,
        )


class OddsKernel(Protocol):
    """The compiled part."""

    def engine(self, position: Any, seats: Sequence[Seat], model: Model | None = None) -> str:
        """Name of the engine that samples with these seats."""
        ...

    def exact_engine(self, position: Any) -> str:
        """Name of the engine that goes through the whole tree."""
        ...

    def sample(
        self,
        position: Any,
        seats: Sequence[Seat],
        seed: int,
        first: int,
        n: int,
        moves: Sequence[int] | None = None,
        model: Model | None = None,
    ) -> SampleSums:
        """Play `n` samples: deals drawn uniformly among those that agree with the position, each move on the same ones.

        Parameters
        ----------
        position
            The position.
        seats
            How each seat plays on.
        seed
            Key of all random numbers.
        first
            Number of the first sample.
        n
            How many.
        moves
            Which of the position's moves to play, rising; None for all. What comes of a move does not depend on which
            others are played.
        model
            How the others are taken to have chosen: samples count by how likely their choices are. None counts all
            alike; a game of which `SearchSpec.infers` is false takes nothing else.

        Raises
        ------
        StrategyError
            If a user's function failed.
        """
        ...

    def expand(self, position: Any, move: int, first: int, n: int, limit: int) -> Exact | None:
        """Go through the whole tree behind a move on `n` deals from number `first` on, all players at random.

        Returns
        -------
        Exact or None
            None if there are more than `limit` ends of rounds.
        """
        ...


@dataclass(frozen=True)
class OddsSpec:
    """Positions of a game, and their odds.

    Attributes
    ----------
    measures
        What is measured, the probability of winning first.
    fields
        What a position is written with, by name; every game has ``seat``, who asks.
    read
        From texts by the names in `fields` (those that are not given may be missing) and a value for every rule to a
        position; a `PositionError` that says why where there is no such position of a round.
    write
        From a position to such texts.
    from_rows
        From rows of the `events` table to a position: columns with labels for codes, all rows of a match up to the
        step, which may itself be missing; rules, game, round, step; who asks, None for whose turn it is; whether all
        hands, and so all draws, are known.  A `PositionError` if there is no such step, or nothing is played there.
    draw
        Lines that show a position in so many columns.
    outcomes
        Labels of the ways a round can end; ``outcome_<label>`` is a measure, and so is ``own_<label>`` where a player
        can win like that.
    legend
        What the columns of the measures tell, in a sentence.
    kernel
        Loads the compiled part.
    """

    measures: tuple[Measure, ...]
    fields: Mapping[str, Field]
    read: Callable[[Mapping[str, str], Mapping[str, RuleValue]], Any]
    write: Callable[[Any], dict[str, str]]
    from_rows: Callable[..., Any]
    draw: Callable[[Any, int], list[str]]
    outcomes: tuple[str, ...]
    legend: str
    kernel: Callable[[], OddsKernel]
