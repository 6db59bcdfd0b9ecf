"""Runs of two-player games by the core and by the twin, in the same form, and the counts once more from the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from domeng_sim.core.codes import Direction, DrawEnded, DrawOutcome, End, Event, labels
from domeng_sim.core.tiles import hand_text, tile_text
from domeng_sim.games import game
from domeng_sim.games.shared.length_bins import length_bin_start
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import Seat, Task
from tests.twin import block, draw
from tests.twin import draw as twin
from tests.twin.draw_search import choose_search

Columns = dict[str, np.ndarray]
RANDOM = (Seat({}),) * 2
LABELS = {
    "event": labels(Event),
    "side": [*labels(End), None],
    "direction": [*labels(Direction), None],
    "outcome": labels(DrawOutcome),
    "ended": labels(DrawEnded),
}


@dataclass(frozen=True)
class Runs:
    """Runs of a game and of its twin."""

    spec: GameSpec
    twin: ModuleType

    def task(
        self,
        rules: Mapping[str, Any] | None = None,
        seats: Sequence[Seat] = RANDOM,
        seed: int = 1,
        matches: int | tuple[int, int] = 1,
        games: int = 0,
        rounds: int = 0,
        cluster: int = 1,
        level: str = "events",
        hands: bool = True,
    ) -> Task:
        """A task; `matches` from 0 on or a range of them; a match of one game if nothing is said."""
        first, end = (0, matches) if isinstance(matches, int) else matches
        return Task(
            rules=self.spec.resolve_rules(rules or {}),
            seats=tuple(seats),
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

    def twin_choose(self, seats: Sequence[Seat], seed: int) -> twin.Choose:
        """The choices of these seats, for the twin."""
        strategies = [
            choose_search(
                seat.search.n, seat.search.value, dict(seat.weights), seat.temperature, seed, seat.copy, self.deals
            )
            if seat.search
            else twin.choose_weighted(dict(seat.weights), seat.temperature, seed, seat.copy)
            if any(seat.weights.values()) or seat.temperature
            else twin.choose_random(seed, seat.copy)
            for seat in seats
        ]
        return lambda seat, view, moves: strategies[seat](seat, view, moves)

    def deals(self, view: dict[str, Any]) -> Any:
        """The deals that agree with a view, as odds find them."""
        here = self.position(view)
        numbers = dict(enumerate(twin.ALL_TILES))

        def deal(number: int) -> Any:
            *places, stock = here.hidden.deal(number)
            mask = sum(places) & ~here.played
            hand = [tile for n, tile in numbers.items() if mask >> n & 1]
            return hand, [tile for n, tile in numbers.items() if stock >> n & 1]

        return here.n_deals, deal

    def position(self, view: dict[str, Any]) -> Any:
        """A choice of the twin as odds read it: what the player saw, its own draws by name."""
        seat, log, own = view["seat"], [], iter(view["own_draws"])
        for row in view["log"]:
            tile = next(own) if row["event"] == "draw" and row["seat"] == seat else row["tile"]
            name = "" if tile < 0 else tile_text(tile)
            what = {"pass": "pass", "draw": f"d{name}"}.get(row["event"], name)
            log.append(f"{row['seat']}:{what}{(row['side'] or '')[:1]}{(row['direction'] or '')[:1]}")
        hand = hand_text(twin.tile_number(tile) for tile in view["hand"])
        rules = self.spec.resolve_rules({k: v for k, v in view["rules"].items() if k != "draw" or v != "none"})
        return self.spec.odds.read({"hand": hand, "log": " ".join(log), "seat": str(seat)}, rules)

    def twin_rows(self, job: Task) -> dict[str, list[twin.Row]]:
        """The rows of the twin, and the closed ends of each round."""
        choose = self.twin_choose(job.seats, job.seed)
        rows: dict[str, list[twin.Row]] = {"games": [], "rounds": [], "events": [], "closed": []}
        for match in range(job.first_match, job.end_match):
            played = self.twin.play_match(
                dict(job.rules),
                lambda r, match=match: twin.deal(job.seed, match, r),
                choose,
                games=job.games or None,
                rounds=job.rounds or None,
                match=match,
            )
            for name in rows:
                rows[name].extend(played[name])
        return rows

    @staticmethod
    def assert_same_tables(actual: dict[str, Columns], expected: dict[str, list[twin.Row]]) -> None:
        """The core's columns are the twin's, in name, order and every row."""
        assert list(actual) == [name for name in expected if name != "closed"]
        for name, table in actual.items():
            rows = expected[name]
            assert list(table) == list(rows[0]), name
            for column, have in table.items():
                values = [row[column] for row in rows]
                if column in LABELS:
                    codes = {label: code for code, label in enumerate(LABELS[column])}
                    values = [-1 if value is None else codes[value] for value in values]
                assert len(have) == len(values), (name, column)
                unequal = np.flatnonzero(have != np.array(values, have.dtype))
                assert not len(unequal), (name, column, rows[unequal[0]], have[unequal[0]])

    def count_blocks(self, job: Task, counts: np.ndarray) -> dict[str, np.ndarray]:
        """Rows of counters as named blocks, shape (clusters, ...)."""
        blocks, at = {}, 0
        for count in self.spec.counts(job.rules):
            blocks[count.name] = counts[:, at : at + count.size].reshape(len(counts), *count.shape)
            at += count.size
        assert at == counts.shape[1]
        return blocks

    def naive_counts(
        self, job: Task, tables: dict[str, Columns], closed: list[twin.Row] | None
    ) -> dict[str, np.ndarray]:
        """What the counters should be, from the rows of all tables, in the plainest way."""
        n = job.n_clusters
        wanted = {count.name: np.zeros((n, *count.shape), np.int64) for count in self.spec.counts(job.rules)}

        def rows(name: str) -> list[dict[str, int]]:
            lists = {column: values.tolist() for column, values in tables[name].items()}
            return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]

        def cluster(row: dict[str, int]) -> int:
            return (row["match"] - job.first_match) // job.cluster

        before = {0: 0, 1: 0}
        for row in rows("rounds"):
            c, outcome, winner, starter = cluster(row), row["outcome"], row["winner"], row["starter"]
            if row["round"] == 0:
                before = {0: 0, 1: 0}
            distance = 2 if winner < 0 else int(winner != starter)
            wanted["round_ends"][c, outcome, 2 if winner < 0 else winner, distance] += 1
            wanted["starts"][c, starter] += 1
            wanted["plays"][c, row["plays"]] += 1
            if "stock" in row:
                wanted["stock"][c, row["stock"]] += 1
            for seat in range(2):
                if "stock" in row:
                    wanted["draws"][c, seat] += row[f"draws_{seat}"]
                wanted["passes"][c, seat] += row[f"passes_{seat}"]
                wanted["pips"][c, seat] += row[f"pips_{seat}"]
                gained = row[f"score_{seat}"] - before[seat]
                before[seat] = row[f"score_{seat}"]
                if seat == winner:
                    wanted["scored"][c, outcome, seat] += gained
                    wanted["points"][c, gained] += 1
                else:
                    assert gained == 0
            if closed is None:
                wanted["closed_ends"][c, 0] += 1
        for row in closed or []:
            wanted["closed_ends"][cluster(row), row["closed"]] += 1

        starts = [length_bin_start(position) for position in range(wanted["game_length"].shape[1])]
        for row in rows("games"):
            c, ended = cluster(row), row["ended"]
            wanted["games"][c, ended] += 1
            if ended != DrawEnded.UNFINISHED:
                for seat in range(2):
                    wanted["game_scores"][c, seat] += row[f"score_{seat}"]
            if ended == DrawEnded.FINISHED:
                wanted["game_wins"][c, row["winner"]] += 1
                wanted["finished_rounds"][c] += row["rounds"]
                wanted["game_length"][c, max(k for k, start in enumerate(starts) if start <= row["rounds"])] += 1
        return wanted

    def assert_counts(
        self, job: Task, tables: dict[str, Columns], counts: np.ndarray, closed: list[twin.Row] | None
    ) -> None:
        """Every block of counters is what the rows say; `closed` is None on a table without bounds."""
        have = self.count_blocks(job, counts)
        for name, wanted in self.naive_counts(job, tables, closed).items():
            np.testing.assert_array_equal(have[name], wanted, name)

    def agree(
        self,
        rules: Mapping[str, Any],
        seats: Sequence[Seat],
        seed: int,
        matches: int | tuple[int, int] = 1,
        length: tuple[int, int] = (1, 0),
    ) -> dict[str, Columns]:
        """Play by core and twin, compare all that they give, and return the tables."""
        job = self.task(rules, seats, seed, matches, *length)
        tables, counts = self.core(job)
        expected = self.twin_rows(job)
        self.assert_same_tables(tables, expected)
        self.assert_counts(job, tables, counts, expected["closed"])
        return tables


DRAW, BLOCK = Runs(game("draw"), draw), Runs(game("block"), block)
task, core, agree, twin_rows, twin_choose = DRAW.task, DRAW.core, DRAW.agree, DRAW.twin_rows, DRAW.twin_choose
assert_same_tables, assert_counts = DRAW.assert_same_tables, DRAW.assert_counts
