"""Runs of a game by its core, in the form that its twin has, and what is asked of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from domeng_sim.core.codes import labels
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import Seat, Task

Columns = dict[str, np.ndarray]
Row = dict[str, Any]


@dataclass(frozen=True)
class GameRuns:
    """Runs of a game."""

    spec: GameSpec

    def task(
        self,
        rules: Mapping[str, Any] | None = None,
        seats: Sequence[Seat] | None = None,
        seed: int = 1,
        matches: int | tuple[int, int] = 1,
        games: int = 0,
        rounds: int = 0,
        cluster: int = 1,
        level: str = "events",
        hands: bool = True,
    ) -> Task:
        """A task; `matches` from 0 on or a range of them; a match of one game at random if nothing is said."""
        first, end = (0, matches) if isinstance(matches, int) else matches
        return Task(
            rules=self.spec.resolve_rules(rules or {}),
            seats=(Seat({}),) * self.spec.seats if seats is None else tuple(seats),
            seed=seed,
            games=games if games or rounds else 1,
            rounds=rounds,
            first_match=first,
            end_match=end,
            cluster=cluster,
            level=level,
            options=frozenset({"hands"}) if hands else frozenset(),
        )

    def core(self, job: Task, budget: int = 100_000) -> tuple[dict[str, Columns], np.ndarray]:
        """The tables and the counts of the core."""
        run = self.spec.kernel().start(job)
        pieces: list[dict[str, Columns]] = []
        more = True
        while more:
            more = run.advance(budget)
            pieces.append({name: {k: v.copy() for k, v in table.items()} for name, table in run.take(True).items()})
        tables = {
            name: {column: np.concatenate([piece[name][column] for piece in pieces]) for column in pieces[0][name]}
            for name in pieces[0]
        }
        return tables, run.counts

    def assert_same_tables(self, actual: dict[str, Columns], expected: dict[str, list[Row]]) -> None:
        """The core's columns are the twin's, in name, order and every row."""
        assert list(actual) == [name for name in expected if name in self.spec.tables]
        for name, table in actual.items():
            rows = expected[name]
            assert list(table) == list(rows[0]), name
            for column, have in table.items():
                values = [row[column] for row in rows]
                if code := self.spec.tables[name][column].code:
                    codes: dict[Any, int] = {label: number for number, label in enumerate(labels(code))} | {None: -1}
                    values = [codes[value] for value in values]
                assert len(have) == len(values), (name, column)
                unequal = np.flatnonzero(have != np.array(values, have.dtype))
                assert not len(unequal), (name, column, rows[unequal[0]], have[unequal[0]])

    def zeros(self, job: Task) -> dict[str, np.ndarray]:
        """Room for all counts, by name."""
        return {count.name: np.zeros((job.n_clusters, *count.shape), np.int64) for count in self.spec.counts(job.rules)}

    def assert_same_counts(self, job: Task, counts: np.ndarray, expected: Mapping[str, np.ndarray]) -> None:
        """Every block of counters is as it should be."""
        at = 0
        for count in self.spec.counts(job.rules):
            have = counts[:, at : at + count.size].reshape(len(counts), *count.shape)
            np.testing.assert_array_equal(have, expected[count.name], count.name)
            at += count.size
        assert at == counts.shape[1]


def rows_of(table: Columns) -> list[dict[str, int]]:
    """Rows of a table of the core."""
    lists = {column: values.tolist() for column, values in table.items()}
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]


def cluster_of(job: Task, row: Mapping[str, int]) -> int:
    """Cluster of a row."""
    return (row["match"] - job.first_match) // job.cluster
