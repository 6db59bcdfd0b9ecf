"""Single rounds: the rows of a match from a dataset, or played once more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from domeng_sim.core.codes import labels
from domeng_sim.core.tables import Table
from domeng_sim.errors import BadInput, Damaged
from domeng_sim.games.shared.narrative import Story, TellingSpec
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import RuleValue, Task
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.engine import BUDGET
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.runs.store.location import Location
from domeng_sim.runs.store.parts import Part, parquet_file
from domeng_sim.strategies.spec import StrategySpec, seat, trusting

Rows = dict[str, Sequence[Any]]

_FEW = 1 << 8
"""Rounds played before looking whether the one that is asked for is among them."""


@dataclass(frozen=True)
class Source:
    """Where matches come from.

    Attributes
    ----------
    spec
        The game.
    rules
        A value for every rule.
    seats
        A strategy for each seat.
    seed
        0 to 2^64 - 1.
    games, rounds
        Length of a match; one of them is 0.
    matches
        How many there are; None where that is not known.
    dataset
        The run, or None for a configuration that never ran.
    """

    spec: GameSpec
    rules: Mapping[str, RuleValue]
    seats: tuple[StrategySpec, ...]
    seed: int
    games: int
    rounds: int
    matches: int | None
    dataset: Dataset | None = None

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return "the match" if self.dataset is None else str(self.dataset.directory)

    @property
    def telling(self) -> TellingSpec:
        """How rounds of the game are told.

        Raises
        ------
        BadInput
            If nobody has written that.
        """
        if self.spec.telling is None:
            raise BadInput(f"rounds of {self.spec.title} cannot be told yet")
        return self.spec.telling

    def trusting(self, named: Sequence[StrategySpec] | None = None) -> Source:
        """The same, with Python code that came with it: that which is the same as that of one of these, or all."""
        return replace(self, seats=trusting(self.seats, named))

    def check_match(self, match: int) -> None:
        """Check that there is such a match.

        Raises
        ------
        BadInput
            If there is none.
        """
        if self.dataset is not None and self.matches is not None and match >= self.matches:
            raise BadInput(f"{self.dataset.directory} has the matches 0 to {self.matches - 1}, not {match}")

    def rows(self, match: int, until: tuple[int, int] | None = None, replay: bool = False) -> Rows:
        """Rows of the `events` table of a match, from its beginning, labels as texts.

        Parameters
        ----------
        match
            Its number.
        until
            Game and round up to which they are needed; there may be more of them. None for all.
        replay
            Play the match once more even where the table was stored.

        Raises
        ------
        BadInput
            If there is no such match.
        Damaged
            If a file cannot be read.
        """
        self.check_match(match)
        rows = None if replay or self.dataset is None else stored_rows(self.dataset, match, until)
        return self._replayed(match, until) if rows is None else rows

    def task(self, first: int, end: int, level: str) -> Task:
        """The task that plays matches once more."""
        return Task(
            rules=self.rules,
            seats=tuple(seat(strategy) for strategy in self.seats),
            seed=self.seed,
            games=self.games,
            rounds=self.rounds,
            first_match=first,
            end_match=end,
            cluster=end - first,
            level=level,
        )

    def _replayed(self, match: int, until: tuple[int, int] | None) -> Rows:
        run = self.spec.kernel().start(self.task(match, match + 1, "events"))
        table = self.spec.tables["events"]
        rows: dict[str, list[Any]] = {column.name: [] for column in table if column.optional is None}
        more = True
        while more:
            more = run.advance(BUDGET if until is None else _FEW)
            for name, values in run.take(everything=True).get("events", {}).items():
                rows[name] += with_labels(table, name, values.tolist())
            if until is not None and rows["game"] and (rows["game"][-1], rows["round"][-1]) > until:
                break
        return dict(rows)


def with_labels(table: Table, name: str, values: list[int]) -> list[Any]:
    """Values of a column as they stand in a dataset: labels in place of codes, None in place of nothing."""
    code = table[name].code
    if code is None:
        return values
    names = labels(code)
    return [names[value] if value >= 0 else None for value in values]


def open_run(directory: Location) -> Source:
    """The matches of a run.

    Parameters
    ----------
    directory
        Where it is.

    Raises
    ------
    BadInput
        If there is no run.
    Damaged
        If its manifest cannot be read.
    """
    dataset = Dataset.open(directory)
    manifest = dataset.manifest
    if "study" in manifest:
        raise BadInput(f"{directory} holds a study of `{manifest['study']}`, not a run")
    return replace(of_config(dataset.config), matches=manifest["matches"], dataset=dataset)


def of_config(config: RunConfig) -> Source:
    """The matches of a configuration, which need never have been played."""
    return Source(
        config.spec,
        config.rules,
        config.seats,
        config.seed,
        config.games_per_match,
        config.rounds_per_match,
        config.n_matches,
    )


def stored_rows(dataset: Dataset, match: int, until: tuple[int, int] | None = None) -> Rows | None:
    """Rows of a match from the `events` table; None if it was not stored, or not yet.

    Parameters
    ----------
    dataset
        The run.
    match
        Number of the match.
    until
        Game and round up to which rows are needed; None for all.

    Raises
    ------
    Damaged
        If a file cannot be read.
    """
    for part in dataset.parts:
        if part.table == "events" and part.first_match <= match <= part.last_match:
            try:
                table = _rows_of_match(dataset, part, match, until)
            except FileNotFoundError:
                return None
            except (pa.lib.ArrowException, OSError) as error:
                raise unreadable(part, dataset) from error
            return {name: table[name].to_pylist() for name in table.column_names}
    return None


def _rows_of_match(dataset: Dataset, part: Part, match: int, until: tuple[int, int] | None) -> pa.Table:
    """Rows of a match in a file of events, from the row groups that may have some."""
    with parquet_file(dataset.directory, part) as file:
        at = file.schema_arrow.get_field_index("match")
        found = []
        for number in range(file.num_row_groups):
            known = file.metadata.row_group(number).column(at).statistics
            if known is not None and known.has_min_max and not known.min <= match <= known.max:
                continue
            rows = file.read_row_group(number)
            matches = rows["match"].to_numpy()
            first, end = np.searchsorted(matches, match), np.searchsorted(matches, match, "right")
            rows = rows.slice(first, end - first)
            if until is not None:
                # the first round of the next game tells whether there is one
                rows = rows.slice(0, np.searchsorted(rows["game"].to_numpy(), until[0] + 1, "right"))
            found.append(rows)
        return pa.concat_tables(found) if found else file.schema_arrow.empty_table()


def unreadable(part: Part, dataset: Dataset) -> Damaged:
    """The error of a file that cannot be read."""
    return Damaged(
        f"{dataset.directory / part.path} cannot be read; `domeng-sim verify {dataset.directory}` checks all parts"
    )


def keys_of(rows: Rows) -> list[tuple[int, int]]:
    """Game and round of all rounds in the rows, in order."""
    return list(dict.fromkeys(zip(rows["game"], rows["round"], strict=True)))


def stories(
    source: Source,
    rows: Rows,
    keys: Sequence[tuple[int, int]],
    names: Mapping[int, str],
    viewers: frozenset[int] | None,
) -> list[Story]:
    """The stories of some rounds of a match; see `TellingSpec.tell`."""
    return [source.telling.tell(rows, source.rules, key, names, viewers) for key in keys]
