"""``python -m benchmarks.faults [N]``: N faults at random moments over runs on a cluster of real processes.

Workers, the scheduler and the client are killed, workers come late or have a full disk. Every run must end with the
bytes of an undisturbed one, by itself or resumed.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from domeng_sim.api.requests.runs import RunRequest
from domeng_sim.runs import runner
from domeng_sim.runs.plan import Plan
from tests.cluster import FAULTS, Storm, cluster

MATCHES, BATCH, PART = 60_000, 1_000, 5_000


def main() -> None:
    """Let the faults happen, and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=main.__doc__)
    parser.add_argument("n", nargs="?", type=int, default=60, help="number of faults")
    parser.add_argument("--seed", type=int, default=1, help="of their kinds and moments")
    options = parser.parse_args()
    drawn = random.Random(options.seed)
    faults = [drawn.choice(FAULTS) for _ in range(options.n)]
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        storm = Storm(folder, RunRequest(matches=MATCHES, seed=1).config, Plan(BATCH, PART), options.seed)
        runner.run(storm.config, storm.whole, threads=2, resume=True)
        with cluster(folder / "cluster", 2) as here:
            for first in range(0, len(faults), 5):
                storm.blow(here, faults[first : first + 5])
                last = [f"{fault} ({where})" for fault, where in storm.done[first:]]
                print(f"{len(storm.done)} faults, {time.monotonic() - started:.0f} s: {'; '.join(last)}", flush=True)
    kinds = ", ".join(f"{fault} {n}" for fault, n in Counter(faults).items())
    print(f"{len(faults)} faults ({kinds}) in {storm.n_runs} runs, {storm.n_resumed} times resumed: all bytes equal")


if __name__ == "__main__":
    main()
