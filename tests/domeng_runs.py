"""Runs of Domeng by the core and by the twin, in the same form, and the counts once more from the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np

from domeng_sim.core.codes import Cause, Ended, Event, Outcome
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.shared.length_bins import length_bin_start
from domeng_sim.games.types import Seat, Task
from tests.game_runs import Columns, GameRuns, cluster_of, rows_of
from tests.twin import domeng as twin
from tests.twin.search import choose_search
from tests.twin.streams import CHOICE, deal
from tests.twin.weighted import choose_random, choose_weighted, seated, words

RANDOM = (Seat({}),) * 5
RUNS = GameRuns(DOMENG)
task, core, assert_same_tables = RUNS.task, RUNS.core, RUNS.assert_same_tables


def twin_choose(seats: Sequence[Seat], seed: int, purpose: int = CHOICE) -> twin.Choose:
    """The choices of these seats, for the twin."""
    strategies = []
    for seat in seats:
        word = words(seed, seat.copy, purpose)
        if seat.search:
            weights = {name: Decimal(weight) / 1000 for name, weight in seat.weights.items()}
            plan = seat.search
            model = plan.model and (
                {name: Decimal(weight) / 1000 for name, weight in plan.model.weights.items()},
                plan.model.temperature,
            )
            strategies.append(choose_search(plan.n, plan.value, weights, seat.temperature, word, model))
            continue
        if any(seat.weights.values()) or seat.temperature:
            weights = {name: Decimal(weight) / 1000 for name, weight in seat.weights.items()}
            strategies.append(choose_weighted(weights, seat.temperature, word))
        else:
            strategies.append(choose_random(word))
    return seated(strategies)


def twin_rows(job: Task, choose: twin.Choose | None = None) -> dict[str, list[twin.Row]]:
    """The rows of the twin; its seats are those of the task, or choose otherwise."""
    choose = choose or twin_choose(job.seats, job.seed)
    rows: dict[str, list[twin.Row]] = {"games": [], "rounds": [], "events": []}
    for match in range(job.first_match, job.end_match):
        played = twin.play_match(
            dict(job.rules),
            lambda r, match=match: deal(job.seed, match, r)[0],
            choose,
            games=job.games or None,
            rounds=job.rounds or None,
            match=match,
        )
        for name in rows:
            rows[name].extend(played[name])
    return rows


def assert_equal_columns(first: dict[str, Columns], second: dict[str, Columns]) -> None:
    """Both runs have the same rows in the tables and columns that both have."""
    for name in set(first) & set(second):
        for column in set(first[name]) & set(second[name]):
            np.testing.assert_array_equal(first[name][column], second[name][column], f"{name}.{column}")


def naive_counts(job: Task, tables: dict[str, Columns]) -> dict[str, np.ndarray]:
    """What the counters should be, from the rows of all tables, in the plainest way."""
    wanted = RUNS.zeros(job)

    round_cause = {}
    for row in rows_of(tables["rounds"]):
        c, outcome, winner = cluster_of(job, row), row["outcome"], row["winner"]
        wanted["round_ends"][c, outcome, winner, (winner - row["starter"]) % 5] += 1
        wanted["plays"][c, row["plays"]] += 1
        for seat in range(5):
            wanted["passes"][c, seat] += row[f"passes_{seat}"]
            wanted["passebunge"][c, seat] += row[f"passebunge_{seat}"]
            wanted["stones_held"][c, seat, row[f"stones_{seat}"]] += 1
        wanted["stones_held"][c, 5, row["table_stones"]] += 1
        cause = {
            Outcome.CAPPU: Cause.CAPPU,
            Outcome.CEKI: Cause.CEKI,
            Outcome.POLLO: Cause.POLLO,
            Outcome.MANGUNO: Cause.MANGUNO,
        }.get(outcome)
        if cause is None:
            manguno = row["last_mappano"]
            several = row["mattikkeng_seats"].bit_count() > 1
            equal = not several and row[f"pips_{winner}"] == row[f"pips_{manguno}"]
            wanted["mattikkeng_suffered"][c, 2 if several else int(equal), manguno] += 1
            cause = Cause.MATTIKKENG_SHARED if several or equal else Cause.MATTIKKENG
        round_cause[row["match"], row["game"], row["round"]] = cause

    for row in rows_of(tables["events"]):
        c, event = cluster_of(job, row), row["event"]
        if event in (Event.PASS, Event.PASSEBUNGE):
            cause = Cause.PASS if event == Event.PASS else Cause.PASSEBUNGE
        elif event == Event.AWARD:
            cause = round_cause[row["match"], row["game"], row["round"]]
        else:
            continue
        wanted["stones_moved"][c, cause, 5, row["seat"]] += row["from_table"]
        for giver in range(5):
            wanted["stones_moved"][c, cause, giver, row["seat"]] += row[f"given_{giver}"]

    starts = [length_bin_start(position) for position in range(wanted["game_length"].shape[1])]
    for row in rows_of(tables["games"]):
        c, ended = cluster_of(job, row), row["ended"]
        wanted["games"][c, ended] += 1
        if ended == Ended.UNFINISHED:
            continue
        if row["incumbent"] >= 0:
            wanted["incumbent_games"][c, row["incumbent"]] += 1
        for seat in range(5):
            wanted["game_stones"][c, seat] += row[f"stones_{seat}"]
        if ended == Ended.CAMAT:
            wanted["camat"][c, row["camat"]] += 1
            wanted["camat_again"][c, row["camat"]] += row["camat"] == row["incumbent"]
            wanted["finished_rounds"][c] += row["rounds"]
            wanted["game_length"][c, max(k for k, start in enumerate(starts) if start <= row["rounds"])] += 1
    return wanted


def assert_counts(job: Task, tables: dict[str, Columns], counts: np.ndarray) -> None:
    """Every block of counters is what the rows say."""
    RUNS.assert_same_counts(job, counts, naive_counts(job, tables))


def changed(job: Task, **other: Any) -> Task:
    """The task with other settings."""
    return replace(job, **other)
