"""Results of the library: those of the other rooms, with tables, data frames and charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from domeng_sim.analysis import metrics
from domeng_sim.analysis import report as reports
from domeng_sim.analysis.charts import joined
from domeng_sim.analysis.metrics import Row, Section
from domeng_sim.analysis.report import PlateReport
from domeng_sim.analysis.report_runs import Run
from domeng_sim.api.plotting import Viewable, chosen_section, drawn, frame_of
from domeng_sim.comparisons import result, sweep_result, tournament_result
from domeng_sim.comparisons.result import TableResult
from domeng_sim.comparisons.sweep_result import SweepCell
from domeng_sim.errors import BadInput, Unknown
from domeng_sim.games.shared.outline import Answer
from domeng_sim.positions import odds_result
from domeng_sim.stats.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from domeng_sim.analysis.charts import Chart


DIFFERENCE = "difference."
"""Before the key of a measure: its differences to the reference point of a sweep."""


def _section(key: str, title: str, rows: Iterable[Row], columns: Sequence[str] = ("",)) -> Section:
    return Section(key, title, "", "table", tuple(columns), True, tuple(rows))


class _Wrapped:
    """A result of another room with what this room adds."""

    @classmethod
    def of(cls, found: Any) -> Self:
        """The same result, to be looked at."""
        return cls(**{one.name: getattr(found, one.name) for one in fields(found)})


class Figures(Viewable, _Wrapped, metrics.RunFigures):
    """All figures of a run, with their intervals; see `domeng_sim.analysis.metrics.RunFigures`."""

    @property
    def heading(self) -> str:
        """What they are."""
        return self.totals_line

    def sections_shown(self) -> Sequence[Section]:
        """The few that a run prints at its end."""
        return [section for section in self.sections if section.brief] or self.sections[:3]

    def sections_known(self) -> Sequence[Section]:
        """All of them."""
        return self.sections


class Comparison(Viewable, _Wrapped, result.ComparisonResult):
    """What a comparison of two strategies found; see `domeng_sim.comparisons.result.ComparisonResult`."""

    @property
    def fair(self) -> float | None:  # type: ignore[override]
        """Share of equal players."""
        return self.question.setting.fair

    @property
    def heading(self) -> str:
        """The answer in words."""
        return f"{self.sentence} ({self.blocks:,} blocks)"

    def sections_shown(self) -> Sequence[Section]:
        """Shares, and the difference or the effects of changing a seat."""
        ends = [Row(f"share.{n}", end.label, "", "share", self._share(end)) for n, end in enumerate(self.ends)]
        found = [_section("share", "Share of the games won", ends)]
        if self.difference is not None:
            a, b = self.question.names
            row = Row("difference.0", f"{a} minus {b}", "", "share", self.difference)
            found.append(_section("difference", "Difference in the same company", [row]))
        if self.switches:
            a, b = self.question.names
            effects = [
                Row(f"switch.{one.others}", f"beside {one.others} other {a}", "", "share", one.effect)
                for one in self.switches
            ]
            found.append(_section("switch", f"A seat changed from {b} to {a}", effects))
        return found

    def sections_known(self) -> Sequence[Section]:
        """With what is exploratory, a section for each measure."""
        rows: dict[str, list[Row]] = {}
        titles: dict[str, str] = {}
        for n, end in enumerate(self.ends):
            for one in end.secondary:
                kind = "share" if "share" in one.difference.unit else "mean"
                row = Row(f"explored.{one.key}.{n}", end.label, "", kind, one.difference)
                rows.setdefault(one.key, []).append(row)
                titles[one.key] = one.label
        more = [_section(f"explored.{key}", titles[key], found) for key, found in rows.items()]
        return [*self.sections_shown(), *more]

    def _share(self, end: TableResult) -> Estimate:
        """After a sequential test the plain mean is biased: then the interval stands alone."""
        share = replace(end.share, unit="share of games")
        return share if self.test is None else replace(share, value=None)


class Odds(Viewable, _Wrapped, odds_result.OddsResult):
    """Odds of the moves of a position; see `domeng_sim.positions.odds_result.OddsResult`."""

    @property
    def heading(self) -> str:
        """What to play."""
        return self.advice

    def sections_shown(self) -> Sequence[Section]:
        """How often each move wins."""
        return self.sections_known()[:1]

    def sections_known(self) -> Sequence[Section]:
        """A section for each measure, a row for each move."""
        measures = {one.name: one for one in self.spec.odds.measures} if self.spec.odds else {}
        found = []
        for name in self.moves[0].figures if self.moves else ():
            kind = measures[name].kind if name in measures else "share"
            title = measures[name].sentence if name in measures else name
            rows = [Row(f"{name}.{move.text}", move.text, "", kind, move.figures[name]) for move in self.moves]
            found.append(_section(name, title, rows))
        return found


class Ranking(Viewable, _Wrapped, tournament_result.TournamentResult):
    """What a tournament found; see `domeng_sim.comparisons.tournament_result.TournamentResult`."""

    @property
    def fair(self) -> float | None:  # type: ignore[override]
        """Share of equal players."""
        return self.entry.setting.fair

    @property
    def heading(self) -> str:
        """The answer in words."""
        return f"{self.sentence} ({self.blocks:,} blocks)"

    def sections_shown(self) -> Sequence[Section]:
        """Shares, the best first, with the letters of those that cannot be told apart."""
        rows = [
            Row(f"share.{place.name}", f"{place.name} {place.ties}".strip(), "", "share", place.share)
            for place in self.places
        ]
        return [_section("share", "Share of the games won", rows)]

    def sections_known(self) -> Sequence[Section]:
        """With the differences of all pairs."""
        names = self.entry.names
        pairs = [(f"{names[pair.first]} minus {names[pair.second]}", pair.difference) for pair in self.pairs]
        rows = [Row(f"pairs.{n}", label, "", "share", one) for n, (label, one) in enumerate(pairs)]
        return [*self.sections_shown(), _section("pairs", "Differences of pairs", rows)]


class Sweep(Viewable, _Wrapped, sweep_result.SweepResult):
    """What a sweep found; see `domeng_sim.comparisons.sweep_result.SweepResult`."""

    @property
    def heading(self) -> str:
        """The answer in words."""
        return f"{self.sentence} ({self.blocks:,} blocks)"

    def sections_shown(self) -> Sequence[Section]:
        """What changes somewhere: at every point, and the differences to the reference."""
        known, n = self.sections_known(), len(self.measures)
        chosen = sorted({0, *self.changing()} if self.grid.company else self.changing() or [0])
        return [section for k in chosen for section in (known[k], known[n + k])] if self.cells else []

    def sections_known(self) -> Sequence[Section]:
        """A section for each measure at every point, then one for each of the differences to the reference."""
        at_points, differences = [], []
        for k, measure in enumerate(self.measures):
            pairs = [(point.label, row[k]) for point, row in zip(self.grid.points, self.cells, strict=False)]
            key = DIFFERENCE + measure.key
            told = [Row(f"{measure.key}.{label}", label, "", measure.kind, cell.estimate) for label, cell in pairs]
            less = [Row(f"{key}.{label}", label, "", measure.kind, cell.difference) for label, cell in pairs]
            at_points.append(_section(measure.key, measure.label, told))
            differences.append(_section(key, f"{measure.label}, minus the reference", less))
        return [*at_points, *differences]

    def compared(self, chart: Chart, key: str) -> Chart:
        """A chart with the value at the reference."""
        if key.startswith(DIFFERENCE):
            return replace(chart, fair=0.0, fair_name="no difference")
        found = {one.key: cell.estimate.value for one, cell in zip(self.measures, self.at_reference, strict=False)}
        return replace(chart, fair=found.get(key), fair_name="reference")

    @property
    def at_reference(self) -> Sequence[SweepCell]:
        """All measures at the reference; empty if nothing is known."""
        return self.cells[self.grid.reference] if self.cells else ()


class Report(Viewable, _Wrapped, reports.RunReport):
    """The report of a run or of several; see `domeng_sim.analysis.report.RunReport`."""

    @property
    def heading(self) -> str:
        """Which runs."""
        return f"{self.runs[0].dataset.spec.title}: {', '.join(run.name for run in self.runs)}"

    def sections_shown(self) -> Sequence[Section]:
        """What most people ask, of all runs side by side."""
        answers = {answer.title: answer for run in self.runs for answer in run.outline.answers}
        found = [self._answer(number, answer) for number, answer in enumerate(answers.values())]
        return [section for section in found if section.rows]

    def _answer(self, number: int, answer: Answer) -> Section:
        several = len(self.runs) > 1
        rows = []
        for key, label in answer.figures:
            for k, run in enumerate(self.runs):
                if row := self.row(key, k):
                    name = label or row.column or row.label
                    rows.append(replace(row, label=name, column=run.name if several else ""))
        columns = tuple(run.name for run in self.runs) if several else ("",)
        return _section(f"answer{number}", answer.title, rows, columns)

    def frame(self, section: str | None = None) -> pd.DataFrame:
        """Figures of all runs as a data frame, and their differences to the first run.

        Parameters
        ----------
        section
            Key of a panel; None for all of them.

        Returns
        -------
        DataFrame
            As that of `Figures`, with the columns ``run`` and ``minus`` before, and ``count`` and ``of`` behind: where
            `minus` is not empty, the row is a difference to that run.

        Raises
        ------
        Unknown
            If there is no such panel; a `KeyError`.
        """
        import pandas as pd

        plates = {plate.key: plate for plate in self.plates()}
        if section is not None and section not in plates:
            raise Unknown("section", section, plates)
        frames = [
            frame_of([part]).assign(run=run.name, minus=minus, **_counts(part, counts))
            for plate in (plates.values() if section is None else [plates[section]])
            for run, minus, part, counts in self._parts(plate)
            if part.rows
        ]
        found = pd.concat(frames, ignore_index=True)
        return found[["run", "minus", *(name for name in found if name not in ("run", "minus"))]]

    def _parts(self, plate: PlateReport) -> Iterator[tuple[Run, str, Section, Mapping[str, tuple[int, int]]]]:
        """Figures of each run in a panel with their counts, then the differences to the first."""
        for k, (run, part) in enumerate(zip(self.runs, plate.sections, strict=True)):
            if part is None:
                continue
            yield run, "", part, plate.counts[k]
            less = plate.differences[k - 1] if k else {}
            rows = tuple(replace(row, estimate=less[row.key]) for row in part.rows if row.key in less)
            yield run, self.runs[0].name, replace(part, rows=rows), {}

    def _differences(self, key: str) -> Section:
        """Differences of the later runs to the first, in the rows of a key, a column for each run."""
        sections = [part for plate in self.plates() for part in plate.shown[:1]]
        chosen = chosen_section(sections, key, None)
        less = [
            (run.name, plate.differences[k])
            for k, run in enumerate(self.runs[1:])
            for plate in self.plates()
            if any(row.key in plate.differences[k] for row in chosen.rows)
        ]
        rows = [
            replace(row, label=joined(chosen, row), column=name, estimate=found[row.key])
            for row in chosen.rows
            for name, found in less
            if row.key in found
        ]
        columns = tuple(dict.fromkeys(name for name, _ in less))
        return _section(key, f"{chosen.title}, minus {self.runs[0].name}", rows, columns)

    def plot(
        self,
        key: str | None = None,
        *,
        column: str | None = None,
        differences: bool = False,
        ax: Axes | None = None,
    ) -> Any:
        """Draw a panel as it stands in the page, all runs side by side, or their differences to the first.

        Parameters
        ----------
        key
            Key of a panel such as ``outcome``; None for the first. Of differences also a row or a figure, such as
            ``game.rounds``.
        column
            The only column to draw, such as ``seat 0``; None for all.
        differences
            Whether to draw the figures of the later runs minus those of the first.
        ax
            Axes of matplotlib to draw on; None for a new figure.

        Returns
        -------
        Axes
            Those drawn on; an array of them where there are several.

        Raises
        ------
        Unknown
            If there is no such panel or column; a `KeyError`.
        BadInput
            If it cannot be drawn on one pair of axes.
        """
        from domeng_sim.analysis.charts import chart_of, charts_of

        plates = {plate.key: plate for plate in self.plates() if plate.shown}
        name = next(iter(plates)) if key is None else key
        if differences:
            if len(self.runs) < 2:
                raise BadInput("differences are those of several runs; this report has one")
            charts = chart_of(self._differences(name))
        elif name in plates:
            shown = plates[name].shown[0]
            charts = charts_of(plates[name], [run.name for run in self.runs]) or chart_of(shown)
        else:
            raise Unknown("panel", name, plates)
        if column is not None:
            kept = [replace(one, facets=tuple(f for f in one.facets if f.title == column)) for one in charts]
            known = [facet.title for one in charts for facet in one.facets if facet.title]
            charts = [one for one in kept if one.facets]
            if not charts:
                raise Unknown("column", column, known)
        if len(charts) == 1:
            return drawn(charts[0], ax)
        if ax is not None:
            raise BadInput(f"{name} has figures of several units, each of which needs axes of its own")
        return np.array([drawn(chart) for chart in charts], dtype=object)


def _counts(part: Section, counts: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    """Columns of a data frame: events or amounts, and trials."""
    import pandas as pd

    found = [counts.get(row.key, (None, None)) for row in part.rows]
    return {name: pd.array([pair[k] for pair in found], dtype="Int64") for k, name in enumerate(("count", "of"))}
