"""``python -m benchmarks``: prints medians and ratios; nothing here is a test."""

from __future__ import annotations

import argparse

from benchmarks.measure import machine, show


def main() -> None:
    """Run the benchmarks that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    parser.add_argument(
        "what",
        nargs="*",
        help="speed, games, commands, search, start, compile, memory, clusters; without one: all but the last two",
    )
    parser.add_argument("--long", type=int, default=10**7, help="rounds of the long runs of `memory` and `clusters`")
    options = parser.parse_args()
    what = options.what or ["speed", "games", "commands", "search", "start", "compile"]
    print(machine())
    if "speed" in what:
        from benchmarks.speed import compare_speed

        show("Speed on one core (CPU time, in turn, medians of ratios; the C program = 1.00)", compare_speed())
    if "games" in what:
        from benchmarks.games import compare_games

        show("A play in each game (CPU time, in turn, medians of ratios; Domeng = 1.00)", compare_games())
    if "commands" in what:
        from benchmarks.commands import compare_commands

        show("Commands (CPU time, in turn, medians of ratios; the core alone = 1.00)", compare_commands())
    if "search" in what:
        from benchmarks.search import compare_search

        show("Search players (CPU time on one core, least of three)", compare_search())
    if "start" in what:
        from benchmarks.startup import compare_hints, compare_start

        show("Start (elapsed time of whole processes)", compare_start())
        show("Hints (two threads)", compare_hints())
    if "compile" in what:
        from benchmarks.startup import compare_compiling

        show("Engines (elapsed time; compiling includes the import of numba)", compare_compiling())
    if "clusters" in what:
        from benchmarks.clusters import compare_clusters

        show("Clusters (elapsed time)", compare_clusters(options.long))
    if "memory" in what:
        from benchmarks.memory import compare_memory

        show("Peak memory", compare_memory(options.long))


if __name__ == "__main__":
    main()
