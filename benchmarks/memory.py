"""Peak memory of short and long runs at every table level."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.measure import Row, child_peak_megabytes
from domeng_sim.core.tables import LEVELS

_RUN = """
from pathlib import Path
from domeng_sim.api.requests.runs import RunRequest
from domeng_sim.runs import runner
config = RunRequest(rounds={rounds}, seed=1, tables={level!r}).config
runner.run(config, Path({out!r}), threads=2)
"""


def compare_memory(long: int = 10**7) -> list[Row]:
    """Peak memory of a million rounds and of `long` rounds.

    Parameters
    ----------
    long
        Rounds of the long run at all levels but `events`, which takes a tenth.
    """
    rows = []
    for level in LEVELS:
        peaks = []
        for rounds in (10**6, long // 10 if level == "events" else long):
            with tempfile.TemporaryDirectory() as name:
                peaks.append(child_peak_megabytes(_RUN.format(rounds=rounds, level=level, out=str(Path(name) / "run"))))
                rows.append(Row(f"--tables {level}, {rounds:,} rounds", peaks[-1], "MiB"))
        rows.append(Row(f"--tables {level}, the difference", peaks[1] - peaks[0], "MiB", None, 50.0))
    return rows
