"""The strategies that come with Domeng do what their summaries claim, and the page about them is current."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from domeng_sim.games import GAMES, game
from domeng_sim.games.domeng.kernel.counts import CAMAT
from domeng_sim.games.types import Search, Seat, Task
from domeng_sim.strategies.resolve import PRESETS, presets, resolve
from domeng_sim.strategies.spec import seat
from tests.draw_runs import core, task
from tools import preset_shares
from tools.preset_shares import digest, stale, stored, with_share
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


@pytest.mark.parametrize("name", GAMES)
def test_shares__are_those_of_the_presets_as_they_are(name):
    # of other weights, rows or measurements the figures would be stale
    assert stale(GAMES[name]) == [], "run `make shares`"
    known = {preset: row for (of_game, preset), row in stored().items() if of_game == name}
    assert list(known) == [preset for preset in presets(GAMES[name]) if preset != "random"]
    for preset, row in known.items():
        said = re.findall(r"\((\d+\.\d) %\)", presets(GAMES[name])[preset].summary)
        # rounded twice, from what was measured
        assert all(abs(float(row.alone) - float(text)) < 0.051 for text in said), preset


def test_shares__in_the_readme_are_those_that_were_measured():
    rows = [row for (of_game, _), row in stored().items() if of_game == "domeng"]
    rows.sort(key=lambda row: -float(row.alone))
    told = (PAGE.parent.parent / "README.md").read_text(encoding="utf-8")
    table = [" | ".join(f"`{row.name}`" for row in rows), " | ".join(row.alone for row in rows)]
    assert all(f"\n| {line} |\n" in told for line in table), "write them anew"


def test_shares__are_stale_once_a_weight_has_changed(monkeypatch):
    master = presets(DOMENG)["master"]
    before = digest(DOMENG, master)
    assert before == digest(DOMENG, replace(master, summary="in other words"))
    assert before != digest(DOMENG, resolve("master+unseen=-1.5", DOMENG))
    monkeypatch.setattr(preset_shares, "SEED", 1)
    assert before != digest(DOMENG, master)


def test_shares__are_written_into_one_summary_only():
    text = PRESETS.joinpath("domeng.toml").read_text(encoding="utf-8")
    changed = with_share(text, "banker", 12.34)
    (line,) = [line for line, old in zip(changed.splitlines(), text.splitlines(), strict=True) if line != old]
    assert "(12.3 %)" in line and "minds the stones" in line
    # a summary without a share, and the last one of a file
    assert with_share('name = "a"\n[[strategy]]\nname = "b (1.0 %)"\n', "a", 2).count("(1.0 %)") == 1
