"""Coverage of the intervals of comparisons at full size: ``python -m benchmarks.coverage``.

The null pair is a strategy and a differently keyed copy of it (`random` and `random@1`): equal players whose blocks
differ.  Every run has a seed of its own.  Prints the share of runs that erred, with an exact 95 % interval.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from domeng_sim.comparisons.comparison import compare
from domeng_sim.comparisons.design import Setting
from domeng_sim.comparisons.request import Gate, Question
from domeng_sim.comparisons.sequential import StudySession
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.comparisons.tournament import tournament
from domeng_sim.comparisons.tournament_result import Entrants
from domeng_sim.games import game
from domeng_sim.stats.intervals import clopper_pearson
from domeng_sim.strategies.resolve import resolve

DOMENG = game("domeng")


def null(seed: int, name: str = "random", games: int = 2, gate: Gate | None = None) -> Question:
    """A comparison of a strategy with a copy of itself."""
    setting = Setting("domeng", DOMENG.resolve_rules({}), seed, games)
    return Question(setting, resolve(name, DOMENG), resolve(f"{name}@1", DOMENG), (1,), sprt=gate)


def fixed_errs(blocks: int, name: str, seed: int) -> bool:
    """Whether the Student interval of so many blocks misses the fair share."""
    return compare(null(seed, name), Stopping(blocks=blocks), StudySession()).ends[0].share.excludes(0.2)


def sequence_errs(most: int, name: str, seed: int) -> bool:
    """Whether a run that is looked at after every chunk ever says that equal players differ."""
    return (
        compare(null(seed, name), Stopping(decided=True, max_blocks=most), StudySession()).ends[0].share.excludes(0.2)
    )


def answer_errs(stopping: Stopping, all_mixes: bool, seed: int) -> bool:
    """Whether an answer made of several intervals calls any difference between equal players."""
    one = null(seed)
    question = Question(one.setting, one.a, one.b, (1, 4), all_mixes)
    return any(decision.sign for decision in compare(question, stopping, StudySession()).decisions)


def test_errs(most: int, seed: int) -> bool:
    """Whether a sequential test accepts a share of 21 % where it is 20 %."""
    result = compare(null(seed, gate=Gate(0.2, 0.21)), Stopping(max_blocks=most), StudySession())
    return result.test is not None and result.test.verdict == "H1"


def tournament_errs(blocks: int, seed: int) -> tuple[bool, int]:
    """Whether the shares of five equal players miss a fifth together, and how many of their strengths miss zero."""
    names = ["random", *(f"random@{copy}" for copy in range(1, 5))]
    entrants = Entrants(null(seed).setting, tuple(resolve(name, DOMENG) for name in names))
    places = tournament(entrants, Stopping(blocks=blocks)).places
    return any(place.share.excludes(0.2) for place in places), sum(place.strength.excludes(0.0) for place in places)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=main.__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="runs of each kind")
    parser.add_argument("--first-seed", type=int, default=10**6)
    options = parser.parse_args()
    kinds = [
        ("fixed, 100 blocks, random", "5 %", partial(fixed_errs, 100, "random")),
        ("fixed, 1000 blocks, random", "5 %", partial(fixed_errs, 1000, "random")),
        ("fixed, 300 blocks, heaviest", "5 %", partial(fixed_errs, 300, "heaviest")),
        ("every look up to 5000 blocks, random", "at most 5 %", partial(sequence_errs, 5000, "random")),
        ("every look up to 2000 blocks, heaviest", "at most 5 %", partial(sequence_errs, 2000, "heaviest")),
        ("answer of two ends, 300 fixed blocks", "at most 5 %", partial(answer_errs, Stopping(blocks=300), False)),
        ("answer of all mixes, 300 fixed blocks", "at most 5 %", partial(answer_errs, Stopping(blocks=300), True)),
        (
            "answer of two ends, every look up to 2000",
            "at most 5 %",
            partial(answer_errs, Stopping(decided=True, max_blocks=2000), False),
        ),
        ("sequential test of 20 against 21 %", "about 5 %", partial(test_errs, 20_000)),
    ]
    seeds = range(options.first_seed, options.first_seed + options.runs)
    print(f"{options.runs} runs of each kind, seeds from {options.first_seed} on, matches of 2 games")
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for label, wanted, function in kinds:
            errors = sum(pool.map(function, seeds, chunksize=10))
            low, high = clopper_pearson(errors, options.runs)
            print(f"{label:42} errs in {errors / options.runs:6.2%} ({low:.2%} to {high:.2%}), wanted {wanted}")
        for blocks in (6, 20):
            shares, strengths = zip(*pool.map(partial(tournament_errs, blocks), seeds, chunksize=10), strict=True)
            together, each = sum(shares) / options.runs, sum(strengths) / 5 / options.runs
            print(f"tournament of {blocks} blocks: shares together err in {together:.2%}, each strength in {each:.2%}")


if __name__ == "__main__":
    main()
