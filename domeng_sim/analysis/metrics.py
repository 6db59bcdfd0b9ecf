"""From counters to figures with intervals, for any game's sheet of figures.

A row of counts is a cluster: a batch of whole matches.  Rounds of one match share stones, CAMAT and starter, so they
are never split between clusters, and the spread *between* clusters is the error; docs/statistics.md has the formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.analysis.format import how_many
from domeng_sim.errors import Unknown
from domeng_sim.games.shared.measures import Figure, Layout, Panel, Quantile
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import RuleValue
from domeng_sim.runs.counters import CountTable
from domeng_sim.stats import clusters, intervals, quantiles
from domeng_sim.stats.estimate import Estimate, check_level
from domeng_sim.stats.sums import Sums

SCHEMA_VERSION = 1
"""Of `Figures.to_json`; rises when a reader of the old form would be misled."""

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Row:
    """A figure in its place.

    Attributes
    ----------
    key
        Unique among the figures of the game.
    label, column
        Row and column of the section; `column` is empty where there is only one.
    kind
        ``share``, ``mean`` or ``quantile``.
    estimate
        The figure.
    seen_in
        Where a share has no interval since its events are few: the share of the batches with at least one of them,
        which is exact. None for all others.
    """

    key: str
    label: str
    column: str
    kind: str
    estimate: Estimate
    seen_in: Estimate | None = None


@dataclass(frozen=True)
class Section:
    """Figures that are read together; the attributes are those of `games.shared.measures.Panel`, computed.

    What is left out, of which the note tells too, is empty where nothing is.
    """

    key: str
    title: str
    note: str
    layout: Layout
    columns: tuple[str, ...]
    brief: bool
    rows: tuple[Row, ...]
    left_out: str = ""

    @property
    def labels(self) -> list[str]:
        """Labels of the rows in order, each once."""
        return list(dict.fromkeys(row.label for row in self.rows))

    @cached_property
    def cells(self) -> dict[tuple[str, str], Row]:
        """Rows by label and column; a place without a figure is missing."""
        return {(row.label, row.column): row for row in self.rows}


@dataclass(frozen=True, repr=False)
class RunFigures:
    """All figures of a run.

    Attributes
    ----------
    game
        Name of the game.
    level
        Confidence level of every interval.
    clusters
        Number of clusters in which something was played: with 1 no error can be estimated.
    totals
        Exact numbers: ``matches``, ``rounds``, ``games``.
    sections
        In reading order.
    """

    game: str
    level: float
    clusters: int
    totals: dict[str, int]
    sections: tuple[Section, ...]

    @cached_property
    def _rows(self) -> dict[str, Row]:
        return {row.key: row for section in self.sections for row in section.rows}

    def __getitem__(self, key: str) -> Estimate:
        """The figure of that key: ``figures["outcome.ceki"]``; Unknown, a `KeyError`, if there is none."""
        if key not in self._rows:
            raise Unknown("figure", key, self._rows)
        return self._rows[key].estimate

    @property
    def totals_line(self) -> str:
        """On how much they rest."""
        return f"{self.game}: " + ", ".join(how_many(number, name) for name, number in self.totals.items())

    def __repr__(self) -> str:
        return f"<Figures of {self.totals_line}; sections {', '.join(section.key for section in self.sections)}>"

    def __iter__(self) -> Iterator[Row]:
        """All rows of all sections."""
        return iter(self._rows.values())

    def to_json(self) -> dict[str, Any]:
        """Everything as plain numbers, unrounded, with None (null) for what is not estimable."""
        return {
            "schema_version": SCHEMA_VERSION,
            "game": self.game,
            "level": self.level,
            "clusters": self.clusters,
            "totals": dict(self.totals),
            "sections": [
                {
                    "key": section.key,
                    "title": section.title,
                    "note": section.note,
                    "rows": [
                        {
                            "key": row.key,
                            "label": row.label,
                            "column": row.column or None,
                            "estimate": row.estimate.to_json(),
                            "batches_with_event": None if row.seen_in is None else row.seen_in.to_json(),
                        }
                        for row in section.rows
                    ],
                }
                for section in self.sections
            ],
        }


def figures(
    game: GameSpec, rules: Mapping[str, RuleValue], counts: Counts, *, matches: int | None = None, level: float = 0.95
) -> RunFigures:
    """Compute all figures that a game declares.

    Parameters
    ----------
    game
        Whose counters these are.
    rules
        A value for every rule.
    counts
        int64, shape (clusters, counters): a row for each batch of whole matches, all of one size but for the last.
    matches
        Number of matches, to be told with the totals; None if unknown.
    level
        Two-sided confidence level in (0, 1).

    Returns
    -------
    Figures
        An estimate for every figure. With fewer than two clusters no error is estimable: the values are there, their
        ends are None and their kind is ``not-estimable``.

    Raises
    ------
    ValueError
        If the counts do not fit the game and the rules, or the level is outside (0, 1).
    """
    check_level(level)
    table = CountTable(game.counts(rules), np.asarray(counts, np.int64))
    sheet = game.figures(rules)
    totals = {} if matches is None else {"matches": matches}
    totals |= {name: int(table.total(cells).sum()) for name, cells in sheet.totals}
    sections = tuple(section_of(table, panel, level) for panel in sheet.panels)
    played = int(np.any(counts, axis=1).sum())
    return RunFigures(game.name, level, played, totals, sections)


def section_of(table: CountTable, panel: Panel, level: float) -> Section:
    """Compute the figures of a panel."""
    rows = tuple(
        Row(
            figure.key,
            figure.label,
            figure.column,
            figure.kind if isinstance(figure, Figure) else "quantile",
            *_estimates(table, figure, level),
        )
        for figure in panel.figures
    )
    columns = panel.columns or tuple(dict.fromkeys(row.column for row in rows))
    left_out = _left_out(table, panel)
    note = f"{panel.note} {left_out}".strip()
    return Section(panel.key, panel.title, note, panel.layout, columns, panel.brief, rows, left_out)


def _left_out(table: CountTable, panel: Panel) -> str:
    """What the figures leave out; empty if it is nothing."""
    if panel.left_out is None:
        return ""
    trials, of = (int(table.total(cells).sum()) for cells in (panel.left_out.trials, panel.left_out.of))
    return f"{trials:,} of {of:,} {panel.left_out.text}" if trials else ""


def _estimates(table: CountTable, figure: Figure | Quantile, level: float) -> tuple[Estimate, Estimate | None]:
    """A figure, and in how many batches its events were where that is all that can be said of its error."""
    if not isinstance(figure, Figure):
        return quantile(table, figure, level), None
    estimate = ratio(table, figure, level)
    return estimate, seen_in(table, figure, level) if estimate.kind == "not-estimable" else None


def seen_in(table: CountTable, figure: Figure, level: float) -> Estimate | None:
    """Estimate the share of the batches with at least one event; None where events are no rarer than what is none.

    Batches are independent, so that the interval of Clopper and Pearson is exact for it. It is no interval of the
    figure itself: how many events there are in a batch with some, a few of them do not tell.
    """
    sums = Sums.of(table.total(figure.numerator), table.total(figure.denominator))
    if figure.kind != "share" or sums.clusters < 2 or not 0 < 2 * sums.y[0] <= sums.n:
        return None
    return clusters.with_event(sums, level=level, unit="share of batches")


def ratio(table: CountTable, figure: Figure, level: float) -> Estimate:
    """Estimate a share or a mean.

    Where there are two clusters or more, or a single trial, but no event, a share has a one-sided exact upper bound
    (and, where there was nothing but events, a lower one); a mean whose amounts add up to almost nothing has no
    interval, for its spread cannot be seen.
    """
    sums = Sums.of(table.total(figure.numerator), table.total(figure.denominator))
    if figure.kind == "mean":
        estimate = clusters.mean_per(sums, level=level, unit=figure.unit)
        if estimate.low is not None and (sums.some[0] < 2 or sums.y[0] < clusters.FEW_EVENTS):
            return Estimate(estimate.value, None, None, level, "not-estimable", figure.unit, sums.clusters)
        return estimate
    events, trials = int(sums.y[0]), int(sums.n)
    is_known = sums.clusters > 1 or trials == 1
    if is_known and events == 0:
        high = float(intervals.upper_bound(0, trials, level=level))
        return Estimate(0.0, None, high, level, "upper-bound", figure.unit, sums.clusters, events)
    if is_known and events == trials:
        low = float(intervals.lower_bound(trials, trials, level=level))
        return Estimate(1.0, low, None, level, "lower-bound", figure.unit, sums.clusters, events)
    return clusters.rate(sums, level=level, unit=figure.unit)


def quantile(table: CountTable, figure: Quantile, level: float) -> Estimate:
    """Estimate a quantile of a binned distribution.

    The interval is made on the numbers of the bins and carried to their values: from the smallest value of the bin of
    its lower end to the largest value of the bin of its upper end. A bin of several values is told by its middle.
    """
    histogram = table.histogram(figure.histogram)
    bins = np.arange(histogram.shape[1])
    found = quantiles.quantile(histogram, bins, figure.order, level=level, unit=figure.unit)
    starts = np.asarray(figure.starts)
    first, last = starts[:-1], starts[1:] - 1

    def at(place: float | None, values: npt.NDArray[np.int64]) -> float | None:
        return None if place is None else float(values[int(place)])

    return Estimate(
        at(found.value, (first + last) // 2),
        at(found.low, first),
        at(found.high, last),
        level,
        found.kind,
        figure.unit,
        found.clusters,
    )
