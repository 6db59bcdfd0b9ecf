"""Rounds a second, against the C program of this folder (= 1.00) and the naive twin."""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.measure import Row, cpu_seconds, in_turn, median_ratio, wall_seconds
from domeng_sim.games import game
from domeng_sim.games.types import Seat, Task
from domeng_sim.runs import runner
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.engine import simulate
from domeng_sim.runs.executors.threads import Threads
from domeng_sim.strategies.resolve import resolve

MATCHES = 4_000
WRITTEN_MATCHES = 40_000
"""For runs that write files: three million rounds, so that the cost of opening and synchronising files is not all."""
REPEATS = 9
DOMENG = game("domeng")
RULES = DOMENG.resolve_rules({})
KERNEL = DOMENG.kernel()
RANDOM = (Seat({}),) * 5


def simple_seats() -> tuple[Seat, ...]:
    """Five different simple strategies."""
    names = ("random", "heaviest", "lightest", "doubles_first", "doubles_last")
    return tuple(Seat(dict(resolve(name, DOMENG).weights)) for name in names)


def weighted_seats() -> tuple[Seat, ...]:
    """Five strategies with twelve features each, at weights that mean nothing."""
    source = random.Random(1)
    names = list(DOMENG.features)[:12]
    return tuple(Seat({name: source.randint(-2000, 2000) for name in names}) for _ in range(5))


def task(seats: tuple[Seat, ...], level: str = "summary", first: int = 0, matches: int = MATCHES) -> Task:
    """Matches of ten games at default rules."""
    return Task(RULES, seats, 1, 10, 0, first, first + matches, matches, level)


def nanoseconds(seats: tuple[Seat, ...], level: str = "summary") -> float:
    """CPU time a round; rows are kept in the kernel's buffers and dropped."""
    rounds = 0
    start = time.process_time()
    counts = simulate(KERNEL, task(seats, level), lambda table, columns: None)
    seconds = time.process_time() - start
    rounds = int(DOMENG.rounds_of(counts).sum())
    return seconds * 1e9 / rounds


def parquet_nanoseconds(directory: Path) -> float:
    """CPU time a round of a whole run with the table `rounds` as Parquet, in one thread."""
    seats = (resolve("random", DOMENG),) * 5
    config = RunConfig("domeng", RULES, seats, seed=1, matches=WRITTEN_MATCHES)
    target = directory / "run"
    shutil.rmtree(target, ignore_errors=True)
    result = None

    def play() -> None:
        nonlocal result
        result = runner.run(config, target, threads=1)

    seconds = cpu_seconds(play)
    assert result is not None
    return seconds * 1e9 / result.rounds


def compile_yardstick(directory: Path) -> Path | None:
    """The C program, compiled; None where there is no gcc."""
    if shutil.which("gcc") is None:
        return None
    program = directory / "yardstick"
    source = Path(__file__).with_name("domeng.c")
    subprocess.run(["gcc", "-O3", "-march=native", "-o", str(program), str(source)], check=True)
    return program


def yardstick_nanoseconds(program: Path) -> float:
    """CPU time a round of the C program, as it prints it."""
    done = subprocess.run([str(program), "bench", "1", str(MATCHES)], check=True, capture_output=True, text=True)
    return float(done.stdout.split("ns/round ")[1].split()[0])


def twin_nanoseconds() -> float:
    """CPU time a round of the naive twin."""
    from tests.twin import domeng, streams, weighted

    rounds = 0

    def play() -> None:
        nonlocal rounds
        for match in range(3):
            choose = weighted.choose_random(weighted.words(1))
            rows = domeng.play_match({}, lambda r, m=match: streams.deal(1, m, r)[0], choose, games=10, match=match)
            rounds += len(rows["rounds"])

    seconds = cpu_seconds(play)
    return seconds * 1e9 / rounds


def threads_ratio() -> tuple[float, float]:
    """Elapsed time of one thread, and of two, for the same chunks of work."""
    chunks = [task(RANDOM, first=number * 1000, matches=1000) for number in range(16)]

    def play(n_threads: int) -> Callable[[], object]:
        return lambda: list(Threads(n_threads).map(lambda chunk: simulate(KERNEL, chunk), chunks, lambda: None))

    return wall_seconds(play(1)), wall_seconds(play(2))


def compare_speed() -> list[Row]:
    """Every row of the table of targets."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        program = compile_yardstick(directory)
        simple, weighted = simple_seats(), weighted_seats()
        variants: dict[str, Callable[[], float]] = {}
        if program is not None:
            variants["C yardstick"] = lambda: yardstick_nanoseconds(program)
        variants |= {
            "five random seats, summary": lambda: nanoseconds(RANDOM),
            "five different simple strategies": lambda: nanoseconds(simple),
            "five weighted strategies of 12 features": lambda: nanoseconds(weighted),
            "rows of `rounds` kept, not written": lambda: nanoseconds(RANDOM, "rounds"),
            "`rounds` as Parquet, all in": lambda: parquet_nanoseconds(directory),
        }
        for variant in variants.values():
            variant()
        values = in_turn(variants, REPEATS)
    limits = {
        "five random seats, summary": (1.15, 1.5),
        "five different simple strategies": (1.5, 2.0),
        "five weighted strategies of 12 features": (4.0, 6.0),
        "`rounds` as Parquet, all in": (2.0, 2.4),
    }
    reference = values.get("C yardstick", values["five random seats, summary"])
    ratios = {what: median_ratio(found, reference) for what, found in values.items()}
    kept = "rows of `rounds` kept, not written"
    limits[kept] = tuple(ratios["five random seats, summary"] + more for more in (0.2, 0.5))  # type: ignore[assignment]
    rows = [
        Row(what, float(np.median(found)), "ns/round", ratios[what], *limits.get(what, (None, None)))
        for what, found in values.items()
    ]
    twin = twin_nanoseconds()
    rows.append(Row("the naive twin in plain Python", twin, "ns/round", twin / float(np.median(reference))))
    pairs = [threads_ratio() for _ in range(7)]
    ratio = float(np.median([two / one for one, two in pairs]))
    rows.append(Row("two threads, to one", float(np.median([two for _, two in pairs])), "s", ratio, 0.52, 0.6))
    return rows
