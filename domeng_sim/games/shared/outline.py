"""What a game says about its report: chapters of figures, their pictures, and what is counted from the tables for them.

Data only.  `analysis.report` counts and computes any such outline; it does not know which game it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Literal

from domeng_sim.games.shared.measures import Cells, Panel
from domeng_sim.games.types import Count

Picture = Literal["none", "dots", "columns", "lines", "tail", "matrix"]
"""How a panel is drawn: a point with its interval for each row; columns of a distribution; a line for each column of
the panel; the same with a logarithmic axis; a grid of shaded cells."""


@dataclass(frozen=True)
class TableTally:
    """What is counted from the rows of a table.

    Attributes
    ----------
    table
        Name of the table.
    columns
        Columns that are read, in the order in which the counter takes them; the first is ``match``.
    counts
        Blocks of counters; their names differ from those of all other blocks of the game.
    state
        How many whole numbers the counter remembers from one batch of rows to the next. They begin as -1.
    same
        Two sums that must agree in every batch of matches: one of these counters, one of the summary.
    load
        Loads the counter, a function of (matches per batch, first batch, state, the columns, the arrays of counters,
        each with the batches first). It returns the number of rows that it took: fewer than it got if a row is
        impossible.
    """

    table: str
    columns: tuple[str, ...]
    counts: tuple[Count, ...]
    state: int
    same: tuple[Cells, Cells]
    load: Callable[[], Callable[..., int]]


@dataclass(frozen=True)
class Plate:
    """A panel as it stands in the report.

    Attributes
    ----------
    panel
        The figures.
    picture
        How they are drawn.
    axis
        What the rows are, for the axis of a picture: ``tiles played``. For a matrix, what the columns are.
    fair
        Value to compare with, drawn as a line; None for none.
    """

    panel: Panel
    picture: Picture = "none"
    axis: str = ""
    fair: float | None = None


@dataclass(frozen=True)
class Chapter:
    """Plates that are read together.

    Attributes
    ----------
    key
        Name in JSON and in links.
    title
        A few words.
    plates
        In reading order.
    text
        What one should know before reading; may be empty.
    """

    key: str
    title: str
    plates: tuple[Plate, ...]
    text: str = ""


@dataclass(frozen=True)
class Answer:
    """What many open a report for, told in a few figures at its head.

    Attributes
    ----------
    title
        The question in a few words.
    figures
        Pairs of the key of a figure and what it is called here; with an empty name it is called as in its panel.
    plate
        Key of the panel where there is more.
    text
        What the figures are shares or means of; may be empty.
    """

    title: str
    figures: tuple[tuple[str, str], ...]
    plate: str
    text: str = ""


@dataclass(frozen=True)
class Outline:
    """The report of a game.

    Attributes
    ----------
    tallies
        At most one for each table.
    chapters
        In reading order.
    answers
        What stands at the head.
    """

    tallies: tuple[TableTally, ...]
    chapters: tuple[Chapter, ...]
    answers: tuple[Answer, ...] = ()

    def of(self, counts: Collection[Count]) -> Outline:
        """The report of a game that has only these counters, beside those of the tallies.

        Parameters
        ----------
        counts
            Counters of the game; plates and chapters of which nothing is left go, and so do their figures from answers.
        """
        names = {count.name for count in (*counts, *(count for tally in self.tallies for count in tally.counts))}
        chapters = []
        for chapter in self.chapters:
            left = ((plate, plate.panel.of(names)) for plate in chapter.plates)
            plates = tuple(replace(plate, panel=panel) for plate, panel in left if panel.figures)
            if plates:
                chapters.append(replace(chapter, plates=plates))
        keys = {figure.key for chapter in chapters for plate in chapter.plates for figure in plate.panel.figures}
        answers = (
            replace(answer, figures=tuple(pair for pair in answer.figures if pair[0] in keys))
            for answer in self.answers
        )
        return Outline(self.tallies, tuple(chapters), tuple(answer for answer in answers if answer.figures))
