"""What is tried in a copy of the sources in which somebody did what docs/adding-a-game.md says.

``python -m tests.followed rule OLDER``, where OLDER is a run of the sources as they were, or ``python -m tests.followed
game`` runs there, in a folder of its own; it ends with status 0 if all is well.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pandas as pd

from domeng_sim.cli import main
from domeng_sim.games import GAMES
from tests import checks
from tests.conformance import test_every_rule
from tests.pairs import settings_of


def said(*words: object, typed: str = "") -> str:
    """What a command prints; it must go well."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch("sys.stdin", io.StringIO(typed)):
        status = main([str(word) for word in words])
    assert status == 0, (words, status, err.getvalue())
    return out.getvalue()


def words_and_settings(name: str, settings: list[dict[str, Any]]) -> None:
    """The tests of every rule, and everything under some settings."""
    test_every_rule.test_words__say_every_reading(name)
    test_every_rule.test_rules__are_those_of_the_twin_and_of_the_document(name)
    test_every_rule.test_core__has_every_rule_as_a_number(name)
    for number, given in enumerate(settings):
        checks.check(name, given, Path(f"{name}-{number}"))


def every_command(*options: object) -> str:
    """Play with these options, and look at what was played by every command; returns a story."""
    said("run", *options, "--matches", 6, "--games-per-match", 1, "--tables", "events", "--seed", 1, "--out", "run")
    said("verify", "run")
    assert "rounds" in said("report", "run")
    played = pd.read_parquet("run/events").query("match == 0 and game == 0 and round == 0")
    step = played.step[played.event == "play"].max()
    at = ("--from", "run", "--match", 0, "--round", 0, "--step", step, "--open-hands")
    assert "win" in said("odds", *at, "--exact") and "win" in said("odds", *at, "--samples", 1000, "--seed", 1)
    said("compare", "heaviest", "random", *options, "--blocks", 4, "--seed", 1)
    return said("show", "run", "--match", 0, "--round", "all")


def rule(older: Path) -> None:
    """CUCUQ after the winner; and a run that is older than the rule."""
    words_and_settings("domeng", [{"cucuq": "after"}, settings_of(GAMES["domeng"], cucuq="after")[0]])
    assert "cucuq" in said("rules")
    story = every_command("--rule", "cucuq=after")
    assert "is CUCUQ, the seat after" in story and "the seat before" not in story
    said("run", "--resume", "--out", older)
    said("verify", older)
    assert "rounds" in said("report", older)


def game() -> None:
    """Short."""
    words_and_settings("short", settings_of(GAMES["short"], table="unbounded")[:2])
    options = ("--game", "short")
    assert "Short: match 0, game 0, round 0" in every_command(*options)
    assert "heaviest" in said("tournament", "random", "heaviest", "random@1", *options, "--blocks", 4, "--seed", 1)
    assert "heaviest" in said("strategies", *options) and "target" in said("rules", *options)
    assert "Short" in said("play", *options, "--seed", 1, "--out", "match", typed="1\n" * 500)
    said("verify", "match")


if __name__ == "__main__":
    {"rule": rule, "game": game}[sys.argv[1]](*map(Path, sys.argv[2:]))
