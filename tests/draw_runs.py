"""Runs of two-player games by the core and by the twin, in the same form, and the counts once more from the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from domeng_sim.core.codes import DrawEnded
from domeng_sim.core.tiles import hand_text, tile_text
from domeng_sim.games import game
from domeng_sim.games.shared.length_bins import length_bin_start
from domeng_sim.games.types import Seat, Task
from tests.game_runs import Columns, GameRuns, cluster_of, rows_of
from tests.twin import block, draw
from tests.twin import draw as twin
from tests.twin.draw_search import choose_search

RANDOM = (Seat({}),) * 2


@dataclass(frozen=True)
class Runs(GameRuns):
    """Runs of a game and of its twin."""

    twin: ModuleType

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

    def naive_counts(
        self, job: Task, tables: dict[str, Columns], closed: list[twin.Row] | None
    ) -> dict[str, np.ndarray]:
        """What the counters should be, from the rows of all tables, in the plainest way."""
        wanted = self.zeros(job)
        before = {0: 0, 1: 0}
        for row in rows_of(tables["rounds"]):
            c, outcome, winner, starter = cluster_of(job, row), row["outcome"], row["winner"], row["starter"]
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
            wanted["closed_ends"][cluster_of(job, row), row["closed"]] += 1

        starts = [length_bin_start(position) for position in range(wanted["game_length"].shape[1])]
        for row in rows_of(tables["games"]):
            c, ended = cluster_of(job, row), row["ended"]
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
        self.assert_same_counts(job, counts, self.naive_counts(job, tables, closed))

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
