"""Measuring: variants in turn, CPU time of this process or of a child, medians and ratios."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """A line of the report.

    Attributes
    ----------
    what
        What was measured.
    median
        Median of the values.
    unit
        Their unit.
    ratio
        Median ratio to the reference, value by value in turn.
    reach, alarm
        Limits of the ratio, or of the median where there is no ratio; None if there are none.
    """

    what: str
    median: float
    unit: str
    ratio: float | None = None
    reach: float | None = None
    alarm: float | None = None


def in_turn(variants: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, list[float]]:
    """Run the variants one after the other, again and again.

    Parameters
    ----------
    variants
        Each returns its own value when called.
    repeats
        How often.

    Returns
    -------
    dict of str to list of float
        Values in the order of the repeats, so that they can be compared pair by pair.
    """
    values: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(repeats):
        for name, variant in variants.items():
            values[name].append(variant())
    return values


def median_ratio(values: list[float], reference: list[float]) -> float:
    """Median of the ratios pair by pair, which a machine that speeds up or slows down disturbs least."""
    return statistics.median(value / other for value, other in zip(values, reference, strict=True))


def cpu_seconds(function: Callable[[], object]) -> float:
    """CPU time of this process while the function runs, all threads together."""
    start = time.process_time()
    function()
    return time.process_time() - start


def wall_seconds(function: Callable[[], object]) -> float:
    """Elapsed time while the function runs."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def child_seconds(command: list[str], environment: Mapping[str, str] | None = None) -> float:
    """Elapsed time of a child process, which finds its modules compiled to bytecode as an installed program does."""
    full = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    full |= environment or {}
    return wall_seconds(
        lambda: subprocess.run(
            command,
            env=full,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    )


def child_peak_megabytes(code: str, environment: Mapping[str, str] | None = None) -> float:
    """Peak memory of a child that runs some Python, in units of 2^20 bytes."""
    if platform.system() == "Linux":
        # not getrusage, whose peak is that of the parent where that is higher
        report = "\nprint(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    else:
        report = "\nimport resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    full = {**os.environ, **(environment or {})}
    done = subprocess.run([sys.executable, "-c", code + report], env=full, check=True, capture_output=True, text=True)
    kilobytes = int(done.stdout.split()[-1])
    return kilobytes / 1024 if platform.system() == "Linux" else kilobytes / 2**20


def machine() -> str:
    """The machine in a line."""
    model = platform.processor() or platform.machine()
    processors = Path("/proc/cpuinfo")
    if processors.exists():
        lines = processors.read_text(encoding="utf-8").splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        model = names[0] if names else model
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = os.getloadavg()[0]
    import llvmlite
    import numba
    import numpy
    import pyarrow

    libraries = (numba, llvmlite, numpy, pyarrow)
    versions = ", ".join(f"{library.__name__} {library.__version__}" for library in libraries)
    return f"{model}, {cores} cores, load {load:.1f}; Python {platform.python_version()}, {versions}"


def show(title: str, rows: list[Row]) -> None:
    """Print a table."""
    print(f"\n{title}")
    print(f"  {'':58}{'median':>12} {'':8}{'ratio':>7}{'reach':>7}{'alarm':>7}")
    for row in rows:
        judged = row.ratio if row.ratio is not None else row.median
        mark = (
            ""
            if row.reach is None
            else ("" if judged <= row.reach else " !" if judged <= (row.alarm or 1e9) else " !!")
        )
        cells = ["" if value is None else f"{value:.2f}" for value in (row.ratio, row.reach, row.alarm)]
        print(f"  {row.what:58}{row.median:12.2f} {row.unit:8}{cells[0]:>7}{cells[1]:>7}{cells[2]:>7}{mark}")


def peak_of_this_process() -> float:
    """Peak memory of this process in units of 2^20 bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
