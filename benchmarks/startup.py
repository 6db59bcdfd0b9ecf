"""Start: help, usage errors, a warm short run, compiling and loading the engines."""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.measure import Row, child_seconds, in_turn, median_ratio

_RUN = "from domeng_sim.cli import main; import sys; sys.exit(main({arguments!r}))"
_PLAY = """
import os, sys
from domeng_sim.cli import main
sys.exit(main(["play", "--seed", "1", "--out", os.path.join({folder!r}, str(os.getpid()))]))
"""
_ENGINE = """
import time
from domeng_sim.games import game
from domeng_sim.games.types import Seat, Task
start = time.perf_counter()
spec = game("domeng")
seats = (Seat({weights!r}),) * 5
task = Task(spec.resolve_rules({{}}), seats, 1, 10, 0, 0, 1, 1)
spec.kernel().start(task).advance(10)
open({path!r}, "w").write(str(time.perf_counter() - start))
"""

_HINT = """
import time
from domeng_sim.games import game
from domeng_sim.runs.config import RunConfig
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import person
from domeng_sim.positions.advise import Adviser
from domeng_sim.positions.odds import OddsSession
from domeng_sim.positions.interactive_match import Sitting
spec = game({game!r})
others = [resolve(name, spec) for name in spec.opponents[: spec.seats - 1]]
rules = spec.resolve_rules({rules!r})
sitting = Sitting(RunConfig(game=spec.name, rules=rules, seats=(person(spec), *others), seed=3, matches=1,
                            games_per_match=1, level="events"))
adviser = Adviser(sitting, spec.strongest, OddsSession(2))
adviser.prepare()
seconds = []
for _ in range(8):
    start = time.perf_counter()
    adviser.hint()
    seconds.append(time.perf_counter() - start)
    sitting.choose(0)
open({path!r}, "w").write(str(max(seconds)))
"""


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def _command(*arguments: str) -> list[str]:
    return _python(_RUN.format(arguments=list(arguments)))


def compare_start() -> list[Row]:
    """Help, a usage error and a warm run of two matches, against the imports they cannot do without."""
    with tempfile.TemporaryDirectory() as name:
        out = str(Path(name) / "run")
        warm = _command("run", "--matches", "2", "--seed", "1", "--quiet", "--out", out, "--overwrite")
        child_seconds(_command("run", "--matches", "2", "--seed", "1", "--quiet", "--out", out))
        others = {
            "domeng-sim odds, 20,000 samples, warm": _command(
                "odds", "--hand", "6|6 5|4 4|3 3|2 2|1", "--seat", "0", "--samples", "20000", "--seed", "1", "--quiet"
            ),
            "domeng-sim show --seed 1, warm": _command("show", "--seed", "1"),
            "domeng-sim play to its first prompt, warm": _python(_PLAY.format(folder=name)),
        }
        for words in others.values():
            child_seconds(words)
        values = in_turn(
            {
                'python -c "import click"': lambda: child_seconds(_python("import click")),
                "domeng-sim --help": lambda: child_seconds(_command("--help")),
                "domeng-sim run --help": lambda: child_seconds(_command("run", "--help")),
                "domeng-sim run --rounds x (usage error)": lambda: child_seconds(_command("run", "--rounds", "x")),
                "import numba, pyarrow": lambda: child_seconds(_python("import numba, pyarrow")),
                "domeng-sim run --matches 2, warm": lambda: child_seconds(warm),
                **{what: partial(child_seconds, words) for what, words in others.items()},
            },
            9,
        )
    click, libraries = values['python -c "import click"'], values["import numba, pyarrow"]
    rows = []
    for what, found in values.items():
        median = 1000 * statistics.median(found)
        if what.endswith("warm"):
            reach = 1.5 if "odds" in what else 1.2
            rows.append(Row(what, median, "ms", median_ratio(found, libraries), reach, 2.0))
        elif what.startswith("domeng-sim"):
            rows.append(Row(what, median, "ms", median_ratio(found, click), 2.5))
        else:
            rows.append(Row(what, median, "ms"))
    return rows


def compare_hints() -> list[Row]:
    """Seconds until `play` shows the odds of each move, once all is compiled: the longest of a person's first eight."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        path = str(Path(name) / "seconds")
        for game, rules in (("domeng", {}), ("draw", {}), ("draw", {"table": "12x8"})):
            child_seconds(_python(_HINT.format(game=game, rules=rules, path=path)))
            found = float(Path(path).read_text(encoding="utf-8"))
            table = f", table {rules['table']}" if rules else ""
            rows.append(Row(f"a hint in `play`, {game}{table}", found, "s", None, 1.0, 2.0))
    return rows


def compare_compiling() -> list[Row]:
    """Seconds until an engine has played ten rounds: from nothing, the import of numba included, and from the cache."""
    rows = []
    for engine, weights in (("table", {}), ("weighted", {"unseen": -1000})):
        cold, warm = [], []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as name:
                path = str(Path(name) / "seconds")
                code = _python(_ENGINE.format(weights=weights, path=path))
                for found in (cold, warm, warm, warm):
                    child_seconds(code, {"DOMENG_SIM_CACHE": str(Path(name) / "cache")})
                    found.append(float(Path(path).read_text(encoding="utf-8")))
                shutil.rmtree(Path(name) / "cache", ignore_errors=True)
        rows.append(Row(f"engine `{engine}`, compiled", statistics.median(cold), "s", None, 5.0, 15.0))
        rows.append(Row(f"engine `{engine}`, from the cache", statistics.median(warm), "s", None, 0.1, 0.4))
    return rows
