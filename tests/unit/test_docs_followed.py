"""What docs/adding-a-game.md says is done in a copy of the sources, and what comes of it is tried there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from domeng_sim.runs import runner
from tests.command_line import environment, make_config
from tests.following import changed, follow
from tools.samples import ROOT

PAGE = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
COPIED = ("domeng_sim", "tests", "tools", "docs", "pyproject.toml", "README.md")


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A copy of the sources in which both were done, and what was written for each."""
    root = tmp_path_factory.mktemp("followed") / "sources"
    root.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, root)
    return root, {name: follow(PAGE, name, root) for name in ("game", "rule")}


def tried(sources, folder, *words):
    """Run the trial in the copy; it has the compiler's cache of every other process."""
    line = [sys.executable, "-m", "tests.followed", *map(str, words)]
    env = environment(PYTHONPATH=str(sources[0]))
    done = subprocess.run(line, cwd=folder, env=env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.slow
@pytest.mark.compiled
def test_rule__of_the_document_is_played_told_and_compared_and_leaves_older_runs_valid(sources, tmp_path):
    older = tmp_path / "older"
    runner.run(make_config({"matches": 40, "seed": 1, "tables": "events"}), older)
    max((older / "rounds").iterdir()).unlink()
    tried(sources, tmp_path, "rule", older)


@pytest.mark.slow
@pytest.mark.compiled
def test_game__of_the_document_has_all_that_every_game_has(sources, tmp_path):
    tried(sources, tmp_path, "game")


def test_imports__between_the_game_and_another_are_refused(sources):
    program = [str(Path(sys.executable).parent / "lint-imports"), "--no-logo", "--no-cache"]

    def linted():
        env = environment(PYTHONPATH=str(sources[0]))
        return subprocess.run(program, cwd=sources[0], env=env, capture_output=True, text=True, check=False)

    assert linted().returncode == 0
    words = sources[0] / "domeng_sim" / "games" / "short" / "words.py"
    kept = words.read_text(encoding="utf-8")
    try:
        words.write_text(f"{kept}\nfrom domeng_sim.games.block import rules\n", encoding="utf-8")
        assert "domeng_sim.games.short is not allowed to import domeng_sim.games.block" in linted().stdout
    finally:
        words.write_text(kept, encoding="utf-8")


@pytest.mark.parametrize(("name", "title"), [("game", "A game of a family"), ("rule", "A rule")])
def test_files__that_are_touched_stand_in_the_list(sources, name, title):
    (section,) = re.findall(rf"^## {title}\n(.*?)<!-- follow {name} -->", PAGE, re.MULTILINE | re.DOTALL)
    listed = re.findall(r"`([\w/.-]+)`", "".join(re.findall(r"^\| (.*?) \|", section, re.MULTILINE)))
    for path in sources[1][name]:
        assert any(path.endswith(entry) or path.startswith(entry) for entry in listed), path


def test_change__that_does_not_fit_is_an_error():
    assert changed("a\nb\nc\n", " a\n-b\n+d\n@@\n c\n+e\n", "file") == "a\nd\nc\ne\n"
    with pytest.raises(AssertionError, match="file has 0 times"):
        changed("a\n", "-b\n+c\n", "file")
