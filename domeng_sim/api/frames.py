"""Result tables as data frames."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from domeng_sim.analysis.metrics import figures
from domeng_sim.api.plotting import as_polars, small_table
from domeng_sim.api.results import Figures
from domeng_sim.core.tables import KEY_NAMES
from domeng_sim.errors import BadInput, Unknown
from domeng_sim.games.spec import GameSpec
from domeng_sim.runs.store.dataset import Dataset

if TYPE_CHECKING:
    import polars as pl


def _indexed(table: pa.Table) -> pd.DataFrame:
    """A data frame whose index is the key of the table: match, game, round, step, as far as it has them."""
    frame = table.to_pandas()
    frame = frame.set_index([name for name in KEY_NAMES if name in frame.columns])
    frame.attrs.update(json.loads(table.schema.metadata[b"PANDAS_ATTRS"]))
    return frame


@dataclass(frozen=True, repr=False)
class Tables:
    """Result tables as data frames, read when they are first looked at.

    Attributes
    ----------
    game
        The game.
    manifest
        How the tables were made.
    """

    game: GameSpec
    manifest: Mapping[str, Any]
    _source: Any

    def __repr__(self) -> str:
        totals, level = self.manifest.get("totals", {}), self.manifest["tables"]
        matches = totals.get("matches", self.manifest["matches"])
        plural = "" if matches == 1 else "es"
        seed = self.manifest["seed"]
        return f"<Tables of {self.game.title}: {matches} match{plural}, tables up to {level!r}, seed {seed}>"

    def table(self, name: str, columns: list[str] | None = None) -> pd.DataFrame:
        """A table, indexed by its key.

        Parameters
        ----------
        name
            ``games``, ``rounds`` or ``events``.
        columns
            Columns to read besides the key; None for all.

        Raises
        ------
        Unknown
            If there is no such table or column; a `KeyError` that names those that are like it.
        BadInput
            If the table was not stored.
        """
        if columns is None:
            return _indexed(self.to_arrow(name))
        keys = [key for key in KEY_NAMES if any(column.name == key for column in self.game.tables.get(name, ()))]
        return _indexed(self.to_arrow(name, keys + columns))

    def to_arrow(self, name: str = "rounds", columns: list[str] | None = None) -> pa.Table:
        """A table of Arrow, its keys as columns.

        Parameters
        ----------
        name
            ``games``, ``rounds`` or ``events``.
        columns
            Columns to read; None for all.

        Raises
        ------
        Unknown
            If there is no such table or column; a `KeyError` that names those that are like it.
        BadInput
            If the table was not stored.
        """
        if name not in self.game.tables:
            raise Unknown("table", name, self.game.tables)
        known = [column.name for column in self.game.tables[name]]
        for column in columns or ():
            if column not in known:
                raise Unknown("column", column, known)
        table: pa.Table = self._source.read(name, columns)
        return table

    def to_polars(self, name: str = "rounds", columns: list[str] | None = None) -> pl.DataFrame:
        """A data frame of Polars, its keys as columns.

        Parameters
        ----------
        name, columns
            As for `to_arrow`.

        Raises
        ------
        BadInput
            If Polars is not installed, or there is no such table.
        """
        return as_polars(self.to_arrow(name, columns))

    def _repr_html_(self) -> str:
        shown = self.figures.sections_shown()[:1]
        return f"<p><b>{html.escape(repr(self)[1:-1])}</b></p>{''.join(map(small_table, shown))}"

    @cached_property
    def games(self) -> pd.DataFrame:
        """The `games` table."""
        return self.table("games")

    @cached_property
    def rounds(self) -> pd.DataFrame:
        """The `rounds` table."""
        return self.table("rounds")

    @cached_property
    def events(self) -> pd.DataFrame:
        """The `events` table."""
        return self.table("events")

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """Counts of the batches, shape (batches, counters); see `GameSpec.counts`."""
        counts: npt.NDArray[np.int64] = self._source.counts()
        return counts

    @cached_property
    def figures(self) -> Figures:
        """Odds and means with their intervals."""
        return Figures.of(figures(self.game, self.manifest["rules"], self.counts))


class Memory:
    """Tables that were never on disk."""

    def __init__(self, tables: Mapping[str, pa.Table], counts: npt.NDArray[np.int64]) -> None:
        self._tables, self._counts = tables, counts

    def read(self, name: str, columns: list[str] | None = None) -> pa.Table:
        """A table; BadInput if it was not kept."""
        if name not in self._tables:
            raise BadInput(f"the table {name!r} was not kept; ask for it with tables={name!r}")
        table = self._tables[name]
        return table if columns is None else table.select(columns)

    def counts(self) -> npt.NDArray[np.int64]:
        """Counts of the batches."""
        return self._counts


def opened(dataset: Dataset) -> Tables:
    """The tables of a dataset."""
    if "study" in dataset.manifest:
        raise BadInput(f"{dataset.directory} holds a {dataset.noun}, which has no tables of rounds; name a run")
    return Tables(dataset.spec, {**dataset.manifest, "rules": dataset.rules}, dataset)
