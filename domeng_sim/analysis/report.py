"""The report of a run, or of several side by side: every figure with its interval and counts, by chapter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from domeng_sim.analysis import captions
from domeng_sim.analysis.counts import count, open_run
from domeng_sim.analysis.metrics import Row, Section, section_of
from domeng_sim.analysis.report_runs import Pair, Run, cells_of, pairing
from domeng_sim.core.printable import printable
from domeng_sim.core.tables import LEVELS
from domeng_sim.errors import BadInput, Unknown
from domeng_sim.games.shared.measures import Figure, Panel
from domeng_sim.games.shared.outline import Chapter, Outline, Picture, Plate
from domeng_sim.runs.counters import CountTable
from domeng_sim.runs.progress import Progress, Silent
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.runs.store.location import Location, short_name
from domeng_sim.stats.estimate import Estimate, check_level

SCHEMA_VERSION = 1
"""Of `Report.to_json`; rises when a reader of the old form would be misled."""

_PICTURES: dict[str, Picture] = {"bars": "dots", "histogram": "columns", "spread": "lines", "table": "none"}


@dataclass(frozen=True)
class PlateReport:
    """A panel of the report.

    Attributes
    ----------
    plate
        What it is.
    sources
        Tables that its figures come from.
    sections
        Its figures, for each run; None where a table is missing.
    counts
        Numerator and denominator by figure, for each run.
    differences
        Figures of a later run minus those of the first, by key; for each run but the first.
    missing
        Why a run has none of it, a sentence each.
    """

    plate: Plate
    sources: tuple[str, ...]
    sections: tuple[Section | None, ...]
    counts: tuple[dict[str, tuple[int, int]], ...]
    differences: tuple[dict[str, Estimate], ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Name in JSON and in links."""
        return self.plate.panel.key

    @property
    def shown(self) -> tuple[Section, ...]:
        """Sections of the runs that have it."""
        return tuple(section for section in self.sections if section is not None)

    @property
    def distribution(self) -> bool:
        """Whether all rows of a column share their trials."""
        for section, counts in zip(self.sections, self.counts, strict=True):
            if section is not None:
                trials: dict[str, set[int]] = {}
                for row in section.rows:
                    if row.key in counts:
                        trials.setdefault(row.column, set()).add(counts[row.key][1])
                return all(len(found) == 1 for found in trials.values())
        return False

    def compared(self, places: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], str]:
        """What a table of several runs shows of rows and columns of a distribution, and what it says of the others.

        Those without any difference that has an interval are left out: a long tail of them tells nothing.

        Parameters
        ----------
        places
            Pairs of row and column.

        Returns
        -------
        told : list
            Those that are shown.
        note : str
            How many are not; empty if all are.
        """
        told = [place for place in places if not self._open(place)]
        left = len(places) - len(told)
        if self.shown[0].layout not in ("histogram", "spread") or not told or not left:
            return list(places), ""
        return told, f"Without {left} row{'s' * (left > 1)} too rare for a difference with an interval."

    def _open(self, place: tuple[str, str]) -> bool:
        """Whether runs were compared in a row, and no difference has an interval."""
        keys = {section.cells[place].key for section in self.shown if place in section.cells}
        found = [differences[key] for differences in self.differences for key in keys if key in differences]
        return bool(found) and all(one.low is None and one.high is None for one in found)

    @property
    def note(self) -> str:
        """What one should know to read it, what the runs leave out included."""
        left_out = dict.fromkeys(section.left_out for section in self.shown)
        return " ".join(text for text in (self.plate.panel.note, *left_out) if text)

    @cached_property
    def captions(self) -> tuple[str, ...]:
        """What one sees, for each run that has it."""
        return tuple(captions.caption(self.plate, section, self.distribution) for section in self.shown)


@dataclass(frozen=True)
class ChapterReport:
    """A chapter of the report."""

    key: str
    title: str
    text: str
    plates: tuple[PlateReport, ...]


@dataclass(frozen=True, repr=False)
class RunReport:
    """Everything that `domeng-sim report` says.

    Attributes
    ----------
    runs
        The first is the one that the others are compared with.
    level
        Confidence level of every interval.
    pairing
        For each run but the first: whether differences to the first are paired by batch.
    because
        For each run but the first: why, or why not.
    chapters
        In reading order.
    """

    runs: tuple[Run, ...]
    level: float
    pairing: tuple[bool, ...]
    because: tuple[str, ...]
    chapters: tuple[ChapterReport, ...] = field(repr=False)

    def __repr__(self) -> str:
        names = ", ".join(run.name for run in self.runs)
        return f"<Report of {names}: {len(list(self.plates()))} panels in {len(self.chapters)} chapters>"

    def plates(self) -> Iterator[PlateReport]:
        """All panels in order."""
        return (plate for chapter in self.chapters for plate in chapter.plates)

    @cached_property
    def _rows(self) -> tuple[dict[str, Row], ...]:
        """Rows of each run by key."""
        found: list[dict[str, Row]] = [{} for _ in self.runs]
        for plate in self.plates():
            for section, rows in zip(plate.sections, found, strict=True):
                rows.update({row.key: row for row in section.rows} if section is not None else {})
        return tuple(found)

    def row(self, key: str, run: int = 0) -> Row | None:
        """The figure of a run by its key with its label and kind; None where the run has none."""
        return self._rows[run].get(key)

    def estimate(self, key: str, run: int = 0) -> Estimate:
        """The figure of a run by its key, such as ``outcome.ceki``.

        Raises
        ------
        Unknown
            If there is none; a `KeyError` that names those that are like it.
        """
        row = self.row(key, run)
        if row is None:
            raise Unknown("figure", key, self._rows[run])
        return row.estimate

    def to_json(self) -> dict[str, Any]:
        """Everything as plain numbers, unrounded, with None (null) for what is not estimable."""
        return {
            "schema_version": SCHEMA_VERSION,
            "game": self.runs[0].dataset.spec.name,
            "level": self.level,
            "runs": [
                {
                    "name": run.name,
                    "directory": str(run.dataset.directory),
                    "complete": run.dataset.complete,
                    "totals": run.totals,
                    "clusters": len(run.counted.first),
                    "matches_per_cluster": run.counted.batch,
                    "tables_read": ["summary", *run.counted.read],
                    **{
                        key: run.manifest.get(key)
                        for key in (
                            "command",
                            "identity",
                            "seed",
                            "rules",
                            "seats",
                            "tables",
                            "hands",
                            "software",
                            "run",
                        )
                    },
                }
                for run in self.runs
            ],
            "comparisons": [
                {"run": run.name, "minus": self.runs[0].name, "paired": paired, "because": why}
                for run, paired, why in zip(self.runs[1:], self.pairing, self.because, strict=True)
            ],
            "chapters": [
                {
                    "key": chapter.key,
                    "title": chapter.title,
                    "panels": [self._panel(plate) for plate in chapter.plates],
                }
                for chapter in self.chapters
            ],
        }

    def _panel(self, plate: PlateReport) -> dict[str, Any]:
        return {
            "key": plate.key,
            "title": plate.plate.panel.title,
            "note": plate.note,
            "sources": list(plate.sources),
            "missing": list(plate.missing),
            "captions": list(plate.captions),
            "runs": [
                None if section is None else [_figure_json(row, counts) for row in section.rows]
                for section, counts in zip(plate.sections, plate.counts, strict=True)
            ],
            "differences": [{key: item.to_json() for key, item in found.items()} for found in plate.differences],
        }


def _figure_json(row: Row, counts: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    numerator, denominator = counts.get(row.key, (None, None))
    return {
        "key": row.key,
        "label": row.label,
        "column": row.column or None,
        "numerator": numerator,
        "denominator": denominator,
        "estimate": row.estimate.to_json(),
        "batches_with_event": None if row.seen_in is None else row.seen_in.to_json(),
    }


def report(
    directories: Sequence[Location],
    *,
    tables: str = "events",
    level: float = 0.95,
    threads: int = 1,
    progress: Progress | None = None,
) -> RunReport:
    """Make the report of one run or of several side by side.

    Parameters
    ----------
    directories
        Their datasets; the others are compared with the first.
    tables
        Tables beyond this level are not read, which saves time.
    level
        Two-sided confidence level in (0, 1).
    threads
        How many threads read.
    progress
        Told how many rows are read.

    Raises
    ------
    BadInput
        If a directory holds no run, or the runs are of different games.
    Damaged
        If a part is missing or cannot be read, or tables contradict each other.
    """
    check_level(level)
    if not directories:
        raise BadInput("report needs the directory of a run")
    datasets = [open_run(directory) for directory in directories]
    games = list(dict.fromkeys(dataset.spec.name for dataset in datasets))
    if len(games) > 1:
        raise BadInput(f"runs of different games cannot be compared: {' and '.join(games)}")
    # beside a run of several strategies, one of a single strategy has its figures by strategy too
    mixed = any(len(set(_strategies(dataset))) > 1 for dataset in datasets)
    runs = []
    for name, dataset in zip(_names(directories), datasets, strict=True):
        made = outline_of(dataset, by_strategy=mixed)
        counted = count(dataset, made, deepest=tables, threads=threads, progress=progress or Silent())
        runs.append(Run(name, dataset, made, counted))
    pairs = [pairing(runs[0], run) for run in runs[1:]]
    chapters = tuple(_chapters(runs, [paired for paired, _ in pairs], level))
    return RunReport(tuple(runs), level, tuple(p for p, _ in pairs), tuple(why for _, why in pairs), chapters)


def _names(directories: Sequence[Location]) -> list[str]:
    """Last parts of the paths, made different where they are not."""
    names = [short_name(directory) for directory in directories]
    if len(set(names)) < len(names):
        names = [str(directory) for directory in directories]
    names = [printable(name) for name in names]
    return [name if names.index(name) == k else f"{name} #{names[: k + 1].count(name)}" for k, name in enumerate(names)]


def _strategies(dataset: Dataset) -> list[str]:
    """Text of each seat's strategy."""
    return [seat["text"] for seat in dataset.manifest["seats"]]


def outline_of(dataset: Dataset, *, by_strategy: bool = False) -> Outline:
    """The outline of a run's game, or one of all figures of the summary where it has none."""
    spec, rules = dataset.spec, dataset.rules
    if spec.outline is not None:
        return spec.outline(rules, _strategies(dataset), by_strategy)
    plates = []
    for panel in spec.figures(rules).panels:
        picture = _PICTURES[panel.layout]
        if picture == "lines" and len({figure.column for figure in panel.figures}) == 1:
            picture = "columns"
        plates.append(Plate(panel, picture))
    return Outline((), (Chapter("figures", "Figures", tuple(plates)),))


def _chapters(runs: Sequence[Run], paired: Sequence[bool], level: float) -> Iterator[ChapterReport]:
    """All chapters; a panel that only some runs have stands where the first of them has it."""
    pairs = [Pair(runs[0], run, same) for run, same in zip(runs[1:], paired, strict=True)]
    seen: dict[str, Chapter] = {}
    plates: dict[str, dict[str, list[Plate | None]]] = {}
    for number, run in enumerate(runs):
        for chapter in run.outline.chapters:
            seen.setdefault(chapter.key, chapter)
            known = plates.setdefault(chapter.key, {})
            for plate in chapter.plates:
                known.setdefault(plate.panel.key, [None] * len(runs))[number] = plate
    for key, chapter in seen.items():
        made = tuple(_plate(runs, pairs, found, level) for found in plates[key].values())
        yield ChapterReport(key, chapter.title, chapter.text, made)


def _plate(runs: Sequence[Run], pairs: Sequence[Pair], found: Sequence[Plate | None], level: float) -> PlateReport:
    """One panel of all runs."""
    first = next(plate for plate in found if plate is not None)
    sections: list[Section | None] = []
    counts: list[dict[str, tuple[int, int]]] = []
    missing: list[str] = []
    sources: dict[str, None] = {}
    for run, plate in zip(runs, found, strict=True):
        blocks = [cells.count for figure in (plate or first).panel.figures for cells in cells_of(figure)]
        table = run.lacks(dict.fromkeys(blocks))
        if plate is None or table:
            sections.append(None)
            counts.append({})
            if plate is not None:
                missing.append(run.why(table))
                sources[table] = None
            continue
        sources |= dict.fromkeys(run.counted.tables[block] for block in blocks)
        sections.append(section_of(run.table, plate.panel, level))
        counts.append(_numbers(run.table, plate.panel))
    differences = tuple(
        {} if found[0] is None or plate is None else pair.differences(found[0].panel, plate.panel, level)
        for pair, plate in zip(pairs, found[1:], strict=True)
    )
    order = tuple(sorted(sources, key=LEVELS.index))
    return PlateReport(first, order, tuple(sections), tuple(counts), differences, tuple(dict.fromkeys(missing)))


def _numbers(table: CountTable, panel: Panel) -> dict[str, tuple[int, int]]:
    return {
        figure.key: (int(table.total(figure.numerator).sum()), int(table.total(figure.denominator).sum()))
        for figure in panel.figures
        if isinstance(figure, Figure)
    }
