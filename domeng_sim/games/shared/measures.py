"""What a game says about its figures: which counters they are made of, and how they are shown.

Data only.  `analysis.metrics` computes any such sheet with its intervals, `cli.render` prints it; neither knows which
game it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from domeng_sim.games.types import Count

Layout = Literal["table", "bars", "histogram", "spread"]
"""How a panel is shown: a table of rows and columns; rows with a bar each; the same for a distribution, without what
lies beyond all that was seen; a small picture of a distribution for each column."""


@dataclass(frozen=True)
class Cells:
    """A sum of counters of one block (see `spec.Count`).

    Attributes
    ----------
    count
        Name of the block.
    at
        Pairs of axis name and the positions that are added up; axes that are not named are added up whole.
    weighted
        Whether each counter is multiplied with its position on the axis ``bin`` (tiles, stones), so that the sum is an
        amount and not a number of rounds.
    """

    count: str
    at: tuple[tuple[str, tuple[int, ...]], ...] = ()
    weighted: bool = False

    def where(self, axis: str, position: int) -> Cells:
        """Those at one position of a further axis."""
        return replace(self, at=(*self.at, (axis, (position,))))


def cells(count: str, *, weighted: bool = False, **at: int | range | tuple[int, ...]) -> Cells:
    """`Cells` by keyword.

    Parameters
    ----------
    count
        Name of the block.
    weighted
        Whether positions on the axis ``bin`` are weights.
    **at
        A position or several, by axis name.

    Examples
    --------
    >>> cells("round_ends", kind=2, seat=(0, 1)).at
    (('kind', (2,)), ('seat', (0, 1)))
    """
    return Cells(
        count,
        tuple((axis, (int(where),) if isinstance(where, int) else tuple(where)) for axis, where in at.items()),
        weighted,
    )


@dataclass(frozen=True)
class Figure:
    """A ratio of two sums of counters.

    Attributes
    ----------
    key
        Name in JSON, unique in the game: ``outcome.ceki``.
    label
        Row of the panel.
    numerator, denominator
        Events or amounts, and trials.
    unit
        What one unit of the figure is: ``share of rounds``, ``stones per round``.
    kind
        ``share`` where a trial is an event or not, ``mean`` for amounts.
    column
        Column of the panel; empty where it has only one.
    """

    key: str
    label: str
    numerator: Cells
    denominator: Cells
    unit: str
    kind: Literal["share", "mean"] = "share"
    column: str = ""

    @property
    def counted(self) -> set[str]:
        """Names of the blocks of counters that it is made of."""
        return {self.numerator.count, self.denominator.count}


@dataclass(frozen=True)
class Quantile:
    """A quantile of a distribution that is counted in bins.

    Attributes
    ----------
    key, label, unit, column
        As in `Figure`.
    histogram
        Counters; their positions on the axis ``bin`` are the bins.
    order
        In (0, 1); 0.5 is the median.
    starts
        Smallest value of each bin, strictly rising, and at last the smallest value beyond all bins.
    """

    key: str
    label: str
    histogram: Cells
    order: float
    starts: tuple[int, ...]
    unit: str
    column: str = ""

    @property
    def counted(self) -> set[str]:
        """Names of the blocks of counters that it is made of."""
        return {self.histogram.count}


@dataclass(frozen=True)
class LeftOut:
    """Trials that the figures of a panel leave out, so that those that are left are a selection.

    Attributes
    ----------
    trials
        Those that are left out.
    of
        All trials.
    text
        What they are, to stand behind ``30 of 1,650``.
    """

    trials: Cells
    of: Cells
    text: str


@dataclass(frozen=True)
class Panel:
    """Figures that are read together.

    Attributes
    ----------
    key
        Name in JSON, unique in the game.
    title
        A few words.
    figures
        In the order of rows, and in a row of columns.
    note
        What one should know to read it; may be empty.
    layout
        How it is shown.
    columns
        Columns in order; needed only where the first row does not have them all.
    brief
        Whether it is among the few that `run` prints at its end.
    left_out
        Trials that are missing from these figures in some runs; None if none ever are.
    """

    key: str
    title: str
    figures: tuple[Figure | Quantile, ...]
    note: str = ""
    layout: Layout = "table"
    columns: tuple[str, ...] = ()
    brief: bool = False
    left_out: LeftOut | None = None

    def of(self, names: Collection[str]) -> Panel:
        """The panel of a game that has only blocks of counters of these names."""
        return replace(self, figures=tuple(figure for figure in self.figures if figure.counted <= set(names)))


@dataclass(frozen=True)
class Sheet:
    """All figures of a game.

    Attributes
    ----------
    totals
        Plain numbers without an interval, by name: how many rounds and games the figures rest on.
    panels
        In reading order.
    """

    totals: tuple[tuple[str, Cells], ...]
    panels: tuple[Panel, ...]

    def __iter__(self) -> Iterator[Figure | Quantile]:
        """All figures in order."""
        return (figure for panel in self.panels for figure in panel.figures)

    def of(self, counts: Collection[Count]) -> Sheet:
        """The figures of a game that has only these counters; panels of which none is left go too."""
        names = {count.name for count in counts}
        panels = (panel.of(names) for panel in self.panels)
        return replace(self, panels=tuple(panel for panel in panels if panel.figures))
