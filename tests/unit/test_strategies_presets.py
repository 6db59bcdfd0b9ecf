"""The strategies that come with Domeng do what their summaries claim, and the page about them is current."""

from __future__ import annotations

import re

import numpy as np
import pytest

from domeng_sim.games import GAMES, game
from domeng_sim.games.domeng.kernel.counts import CAMAT
from domeng_sim.games.types import Search, Seat, Task
from domeng_sim.strategies.resolve import presets, resolve
from domeng_sim.strategies.spec import seat
from tests.draw_runs import core, task
from tools.strategies_page import PAGE, PARTS, current

DOMENG, DRAW = game("domeng"), game("draw")
ENOUGH = 5  # standard errors: by luck less than once in a million


def share(hero, others, n_matches, seed):
    """Share of the CAMAT won from each seat in turn, with its standard error over matches."""
    won, all_won = np.zeros(n_matches), np.zeros(n_matches)
    for place in range(5):
        seats = (*[others] * place, hero, *[others] * (4 - place))
        task = Task(DOMENG.resolve_rules({}), seats, seed, 10, 0, 0, n_matches, cluster=1)
        run = DOMENG.kernel().start(task)
        while run.advance(1 << 20):
            pass
        camat = run.counts[:, CAMAT : CAMAT + 5]
        won += camat[:, place]
        all_won += camat.sum(axis=1)
    mean = won.sum() / all_won.sum()
    return mean, np.std(won - mean * all_won) / np.sqrt(n_matches) / all_won.mean()


@pytest.mark.compiled
@pytest.mark.parametrize("name", [name for name in presets(DOMENG) if name != "random"])
def test_summary__claims_what_is_so(name):
    spec = presets(DOMENG)[name]
    claimed = float(re.search(r"\((\d+\.\d) %\)", spec.summary)[1]) / 100
    mean, error = share(seat(spec), Seat({}), 1500, seed=31)
    assert abs(mean - claimed) < ENOUGH * error
    if "no better than random" in spec.summary:
        assert abs(mean - 0.2) < ENOUGH * error
    elif "better than random" in spec.summary:
        assert mean - 0.2 > ENOUGH * error
    else:
        assert "worse than random" in spec.summary
        assert 0.2 - mean > ENOUGH * error


@pytest.mark.compiled
def test_master__is_the_strongest():
    master = seat(resolve("master", DOMENG))
    for name in presets(DOMENG):
        if name != "master":
            mean, error = share(seat(resolve(name, DOMENG)), master, 700, seed=32)
            assert 0.2 - mean > ENOUGH * error, name


def test_page__is_current():
    text = PAGE.read_text(encoding="utf-8")
    # history and moves are the same in every game, the view in every game of a family
    once, of_family = {"history", "moves"}, {"view"}
    for number, other in enumerate(GAMES):
        for name in set(PARTS) - (once | of_family if other == "block" else once if number else set()):
            assert f"<!-- begin {name}{f' {other}' * (number > 0)} -->\n" in text
    assert current(text) == text, "run `python -m tools.strategies_page`"


def examples(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_page__its_weights_are_a_file(tmp_path):
    search, content = examples("toml")
    file = tmp_path / "mine.toml"
    file.write_text(search)
    assert resolve(f"{file}:deep", DOMENG).search == Search(300, "camat")
    file.write_text(content)
    assert resolve(f"{file}:cautious", DOMENG).weights["unseen"] == -1000
    assert resolve(f"{file}:dreamy", DOMENG).temperature == 2.5


@pytest.mark.compiled
def test_page__its_function_plays_and_wins(tmp_path):
    code, _ = examples("python")
    file = tmp_path / "mine.py"
    file.write_text(code)
    mine = seat(resolve(f"{file}:choose", DOMENG))
    mean, error = share(mine, Seat({}), 300, seed=33)
    assert mean - 0.2 > ENOUGH * error


@pytest.mark.compiled
@pytest.mark.parametrize("table", ["unbounded", "12x8"])
def test_page__its_function_for_draw_plays_and_wins(tmp_path, table):
    _, code = examples("python")
    file = tmp_path / "mine.py"
    file.write_text(code)
    mine = seat(resolve(f"{file}:choose", DRAW))
    tables, _ = core(task({"table": table}, (mine, Seat({})), 34, 1000, level="games", hands=False))
    won = int((tables["games"]["winner"] == 0).sum())
    # of 1000 games between equals: six standard errors
    assert won > 500 + 6 * 16


def test_page__names_every_strategy_that_it_measured():
    measured = re.findall(r"^\| `(\w+)` \| (\d\d\.\d\d) \(", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _ in measured] == [name for name in presets(DOMENG) if name != "random"]
    for name, value in measured:
        (said,) = re.findall(r"\((\d\d\.\d) %\)", presets(DOMENG)[name].summary)
        assert abs(float(value) - float(said)) < 0.051
