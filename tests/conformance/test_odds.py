"""Positions out of a dataset are those that were played, whether its events were stored or are played again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from domeng_sim.core.tiles import mask_tiles
from domeng_sim.errors import BadInput
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.domeng.odds.notation import GRAMMAR, from_rows, read, texts_of
from domeng_sim.games.shared.move_log import PLAY, LogEntry
from domeng_sim.games.types import PositionError, Seat, StrategyError
from domeng_sim.positions.from_run import position_of_run
from domeng_sim.positions.replay import open_run
from domeng_sim.runs.runner import run
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import seat
from tests.command_line import make_config
from tests.domeng_runs import task, twin_rows
from tests.effort import effort

WITNESS = '''
def witness(view, moves):
    """The first move, if the history begins with the log of the test's position and says what it says."""
    h = view.history
    if h.n < 5 or h.seat[0] != 0 or h.tile[0] != 27 or h.event[0] != 1 or h.left[1] != 6 or h.right[1] != 4:
        return -1
    if h.event[2] != 4 or h.seat[2] != 2 or h.tile[2] != -1 or h.end[3] != 0 or h.left[3] != 2 or view.camat != 0:
        return -2
    if h.tile[4] != 14 or h.end[4] != 1:
        return -3
    return 0

'''


@pytest.fixture(scope="module", params=["events", "rounds"])
def dataset(request, tmp_path_factory):
    """A run with its events, or without them."""
    path = tmp_path_factory.mktemp("odds") / request.param
    options = {
        "matches": effort(6, 2),
        "games_per_match": 2,
        "seed": 5,
        "tables": request.param,
        "strategy": "heaviest",
    }
    return run(make_config(options), path).dataset


def test_position__of_every_step_is_the_round_as_it_stood(dataset: object) -> None:
    directory: Path = dataset.directory  # type: ignore[attr-defined]
    job = task(games=2, seed=5, seats=(Seat({"pips": 1000}),) * 5, matches=(1, 2))
    events = twin_rows(job)["events"]
    draw = np.random.default_rng(1)
    rounds = sorted({(row["game"], row["round"]) for row in events})
    stones_before, camat = {}, -1
    stones, table, current = [0] * 5, 25, 0
    for row in events:
        if row["game"] != current:
            current, stones, table = row["game"], [0] * 5, 25
        stones_before[row["game"], row["round"], row["step"]] = (tuple(stones), table, camat)
        stones[row["seat"]] += row["stones"]
        table -= row["from_table"]
        for giver in range(5):
            stones[giver] -= row[f"given_{giver}"]
        camat = row["seat"] if row["event"] == "camat" else camat
    picked = [rounds[0], rounds[-1], *[rounds[k] for k in draw.choice(len(rounds), effort(4, 1), replace=False)]]
    for game, round_ in picked:
        rows = [row for row in events if (row["game"], row["round"]) == (game, round_)]
        acts = [row for row in rows[25:] if row["event"] in ("lead", "play", "pass", "passebunge")]
        for step in draw.choice(range(25, 25 + len(acts)), min(4, len(acts)), replace=False):
            for open_hands in (False, True):
                _, _, here = position_of_run(open_run(directory), 1, game, round_, int(step), None, open_hands)
                done = acts[: step - 25]
                assert here.turn == here.seat == acts[step - 25]["seat"]
                assert [(act.seat, act.tile, act.left, act.right) for act in here.acts] == [
                    (row["seat"], row["tile"], row["left_end"], row["right_end"]) for row in done
                ]
                assert (here.stones, here.table, here.camat) == stones_before[game, round_, step]
                assert here.first_round == ((game, round_) == (0, 0))
                for s in range(5):
                    dealt = {row["tile"] for row in rows[:25] if row["seat"] == s}
                    left = dealt - {row["tile"] for row in done if row["seat"] == s}
                    known = here.hands[s]
                    assert known is None if not open_hands and s != here.seat else set(mask_tiles(known)) == left
                assert read(texts_of(here), here.rules) == here
                # What really happened next is one of the moves.
                row = acts[step - 25]
                assert row["tile"] in {move.tile for move in here.moves}


def test_position__that_the_run_does_not_have_is_refused(dataset: object) -> None:
    directory: Path = dataset.directory  # type: ignore[attr-defined]
    for keys, message in (
        ((10**6, 0, 0, 25), "has the matches 0 to"),
        ((0, 9, 0, 25), "match 0: the match has no round 0 of game 9"),
        ((0, 0, 999, 25), "the match has no round 999 of game 0"),
        ((0, 0, 0, 900), "the match has no step 900 in round 0 of game 0"),
    ):
        with pytest.raises(BadInput, match=message):
            position_of_run(open_run(directory), *keys)
    with pytest.raises(BadInput, match="does not exist"):
        position_of_run(open_run(directory / "nothing"), 0, 0, 0, 25)


def test_position__after_the_last_tile_has_nothing_left_to_play() -> None:
    rows = twin_rows(task(games=1, seed=5))["events"]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    step = next(row["step"] for row in rows if row["event"] == "award")
    with pytest.raises(PositionError, match=f"step {step} is `award`: the round was over"):
        from_rows(columns, DOMENG.resolve_rules({}), 0, 0, step)


def test_position__needs_no_row_of_the_step_itself() -> None:
    # As at a table where somebody is about to choose: the rows stop right there, before a lead too.
    rules = DOMENG.resolve_rules({})
    rows = twin_rows(task(games=2, seed=5))["events"]
    keys = [(row["game"], row["round"], row["step"]) for row in rows]
    leads = [k for k, row in enumerate(rows) if row["event"] == "lead"]
    later = [k for k, row in enumerate(rows) if row["event"] in ("play", "pass", "passebunge")]
    assert any(row["event"] == "camat" for row in rows)
    draw = np.random.default_rng(2)
    for k in [*leads[:: effort(4, 12)], leads[-1], *draw.choice(later, effort(20, 3), replace=False)]:
        columns = {name: [row[name] for row in rows[: k + 1]] for name in rows[0]}
        before = {name: values[:-1] for name, values in columns.items()}
        here = from_rows(before, rules, *keys[k])
        assert here == from_rows(columns, rules, *keys[k])
        assert here.turn == here.seat == rows[k]["seat"]
    last = {name: [row[name] for row in rows] for name in rows[0]}
    game, round_, step = keys[-1]
    with pytest.raises(PositionError, match=f"the match has no step {step + 1} in round {round_}"):
        from_rows(last, rules, game, round_, step + 1)


@pytest.mark.compiled
def test_users_functions__are_told_what_was_played_before_the_position(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "mine.py"
    path.write_text(WITNESS)
    mine = seat(resolve(f"{path}:witness", DOMENG))
    rules = DOMENG.resolve_rules({})
    texts = {"hand": "6|5 4|1 3|1 2|1", "log": "0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r", "camat": "0"}
    here = read(texts, rules)
    assert GRAMMAR.parse(texts["log"])[0] == LogEntry(0, PLAY, 27)
    kernel = DOMENG.odds.kernel()
    sums = kernel.sample(here, (mine,) * 5, 1, 0, 500)
    assert sums.totals[:, 1:6].sum() == 500 * len(here.moves)
    # Without being told, the function finds another history and objects.
    start = kernel.start(here)
    monkeypatch.setattr(type(kernel), "start", lambda self, position: start._replace(story=start.story[:0]))
    with pytest.raises(StrategyError, match="chose move -1"):
        kernel.sample(here, (mine,) * 5, 1, 0, 500)
