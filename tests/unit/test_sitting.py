"""A match with people: how it stands at every decision, and the dataset in which it is kept."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from domeng_sim.errors import BadInput, Damaged, Refused
from domeng_sim.games import game
from domeng_sim.positions import interactive_match as sittings
from domeng_sim.positions.interactive_match import Sitting, Standing, is_move, keep, resumed
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.runs.store.manifest import play_identity, run_identity
from domeng_sim.runs.store.verify import verify
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import person
from tests.command_line import call, environment, manifest, one_line, signed

pytestmark = pytest.mark.compiled


def configuration(name: str = "domeng", people: tuple[int, ...] = (0,), **other: Any) -> RunConfig:
    spec = game(name)
    seats = tuple(person(spec) if n in people else resolve("random", spec) for n in range(spec.seats))
    given = {"rules": {"max_rounds": 2}, "games_per_match": 1, "seed": 7, **other}
    return RunConfig(
        game=name,
        rules=spec.resolve_rules(given.pop("rules")),
        seats=given.pop("seats", seats),
        matches=1,
        level="events",
        hands=True,
        **given,
    )


def position_of(standing: Standing, salt: int = 1) -> int:
    """A fixed choice at a decision."""
    assert standing.undecided is not None
    where = f"{salt} {standing.game} {standing.round} {standing.step}"
    return random.Random(where).randrange(len(standing.undecided.moves))


def play_on(sitting: Sitting, salt: int = 1) -> None:
    while sitting.standing.undecided is not None:
        sitting.choose(position_of(sitting.standing, salt))


def as_rows(standing: Standing) -> list[tuple[Any, ...]]:
    return list(zip(*standing.rows.values(), strict=True))


def digests(directory: Path) -> dict[str, str]:
    return {
        path.relative_to(directory).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*.parquet"))
    }


GAMES = [
    configuration(),
    configuration(people=(1, 3), games_per_match=2),
    configuration("draw"),
    configuration("draw", (0, 1), rules={"max_rounds": 2, "table": "9x7"}),
]
NAMES = ["domeng", "two people, two games", "draw", "two people, finite table"]


@pytest.mark.parametrize("config", GAMES, ids=NAMES)
def test_standing__holds_the_story_so_far_and_nothing_of_what_comes(config: RunConfig) -> None:
    sitting = Sitting(config)
    stood = []
    while (asked := sitting.standing.undecided) is not None:
        stood.append((as_rows(sitting.standing), asked))
        sitting.choose(position_of(sitting.standing))
    rows = sitting.standing.rows
    whole, moves = as_rows(sitting.standing), [n for n, event in enumerate(rows["event"]) if is_move(event)]
    own = [n for n in moves if rows["seat"][n] in sitting.people]
    assert len(own) == len(stood)
    for at, (told, asked) in zip(own, stood, strict=True):
        # all rows before the move, in which nothing depends on what is chosen
        assert told == whole[:at]
        assert rows["seat"][at] == asked.seat
        way = rows["direction"][at] if "direction" in rows else None
        played = (rows["tile"][at], rows["side"][at] or "", way or "")
        assert played in [(move.tile, move.end, move.direction) for move in asked.moves]


@pytest.mark.parametrize("config", GAMES[:3], ids=NAMES[:3])
def test_game__kept_after_every_choice_is_gone_on_with_where_it_stood(config: RunConfig, tmp_path: Path) -> None:
    sitting = Sitting(config)
    while sitting.standing.undecided is not None:
        with keep(sitting, tmp_path / "game") as keeper:
            sitting.choose(position_of(sitting.standing))
            keeper.keep()
        assert verify(Dataset.open(tmp_path / "game")) == []
        again = Sitting(resumed(tmp_path / "game"))
        assert again.choices == sitting.choices
        assert as_rows(again.standing) == as_rows(sitting.standing)
        asked, before = again.standing.undecided, sitting.standing.undecided
        assert (asked and (asked.seat, asked.moves)) == (before and (before.seat, before.moves))
        sitting = again
    straight = Sitting(config)
    play_on(straight)
    assert as_rows(sitting.standing) == as_rows(straight.standing)


def test_game__whose_keeper_died_between_manifest_and_parts_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting, here = Sitting(configuration()), tmp_path / "game"

    def die(*_: object, **__: object) -> None:
        raise MemoryError

    def play_a_round() -> None:
        with keep(sitting, here) as keeper:
            while not sitting.standing.n_rounds:
                sitting.choose(position_of(sitting.standing))
                if sitting.standing.n_rounds:
                    monkeypatch.setattr(sittings.Runner, "run", die)
                keeper.keep()

    with pytest.raises(MemoryError):
        play_a_round()
    monkeypatch.undo()
    assert manifest(here)["parts"] == []
    again = Sitting(resumed(here))
    assert again.choices == sitting.choices
    with keep(again, here):
        assert verify(Dataset.open(here)) == [] and Dataset.open(here).complete
    assert as_rows(Sitting(resumed(here)).standing) == as_rows(sitting.standing)


def test_directory__of_a_game_that_another_process_plays_is_refused(tmp_path: Path) -> None:
    sitting = Sitting(configuration())
    with keep(sitting, tmp_path / "game"):
        code = (
            "import sys; from pathlib import Path\n"
            "from domeng_sim.runs.store.files import locked\n"
            "with locked(Path(sys.argv[1])): pass"
        )
        line = [sys.executable, "-c", code, str(tmp_path / "game")]
        said = subprocess.run(line, env=environment(), capture_output=True, text=True, timeout=60, check=False)
        assert said.returncode != 0 and f"in use by process {os.getpid()}" in said.stderr
        before = (tmp_path / "game" / "manifest.json").read_bytes()
        with pytest.raises(Refused), keep(Sitting(configuration(seed=8)), tmp_path / "game"):
            pass
        assert (tmp_path / "game" / "manifest.json").read_bytes() == before


@pytest.mark.parametrize("config", [GAMES[1], GAMES[3]], ids=[NAMES[1], NAMES[3]])
def test_dataset__after_every_round_is_one_that_all_commands_take(
    config: RunConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sitting, here = Sitting(config), tmp_path / "game"
    with keep(sitting, here) as keeper:
        rounds = 0
        while sitting.standing.undecided is not None:
            sitting.choose(position_of(sitting.standing))
            keeper.keep()
            if sitting.standing.n_rounds > rounds:
                rounds = sitting.standing.n_rounds
                accepted(here, rounds, capsys)
                if rounds == 1:
                    # the rounds that are over, of a match that is not
                    restored(Path(shutil.copytree(here, tmp_path / "copy")), capsys)
    assert rounds > 1
    # one that is over is a run of so many games
    assert manifest(here)["games_per_match"] == config.games_per_match
    restored(here, capsys)


def accepted(here: Path, rounds: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "verify", here).status == 0
    assert manifest(here)["totals"]["rounds"] == rounds
    assert manifest(here)["status"] == "complete"
    report = call(capsys, "report", here, "--json")
    assert report.status == 0, report.err
    told = call(capsys, "show", here, "--match", 0, "--round", 0)
    assert told.status == 0 and told.err == "", told.err


def restored(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = digests(here)
    assert before
    for path in here.glob("*/*.parquet"):
        path.unlink()
    said = call(capsys, "run", "--resume", "--out", here, "--quiet")
    assert said.status == 0, said.err
    assert digests(here) == before


def test_odds__are_found_at_a_decision_of_a_kept_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sitting, here = Sitting(configuration()), tmp_path / "game"
    with keep(sitting, here) as keeper:
        play_on(sitting)
        keeper.keep()
    rows = sitting.standing.rows
    steps = [rows["step"][n] for n, event in enumerate(rows["event"]) if event == "play" and rows["round"][n] == 1]
    where = ["--match", 0, "--round", 1, "--step", steps[0]]
    said = call(capsys, "odds", "--from", here, *where, "--samples", 500, "--quiet")
    assert said.status == 0, said.err


def test_run__of_a_game_of_which_no_round_is_over_says_who_must_choose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with keep(Sitting(configuration()), tmp_path / "game"):
        pass
    assert verify(Dataset.open(tmp_path / "game")) == []
    said = call(capsys, "run", "--resume", "--out", tmp_path / "game", "--quiet")
    assert said.status == 3 and "domeng-sim play --resume" in one_line(said)


def test_function__whose_file_changed_meanwhile_is_played_on_as_it_was(tmp_path: Path) -> None:
    file, spec = tmp_path / "own.py", game("domeng")
    file.write_text("def first(view, moves):\n    return 0\n")
    seats = (person(spec), *[resolve(f"{file}:first", spec)] * 4)
    config = replace(configuration(), seats=seats)
    straight, sitting = Sitting(config), Sitting(config)
    play_on(straight)
    with keep(sitting, tmp_path / "game") as keeper:
        sitting.choose(position_of(sitting.standing))
        keeper.keep()
    file.write_text("def first(view, moves):\n    return moves.n - 1\n")
    with pytest.raises(Refused, match=r"would run 2 lines of Python code that came with .*/game/manifest.json"):
        Sitting(resumed(tmp_path / "game"))
    again = Sitting(resumed(tmp_path / "game", trust=True))
    play_on(again)
    assert as_rows(again.standing) == as_rows(straight.standing)


def test_choice__of_a_move_that_there_is_not_changes_nothing() -> None:
    sitting = Sitting(configuration())
    assert sitting.standing.undecided is not None
    before = as_rows(sitting.standing)
    for position in (-1, len(sitting.standing.undecided.moves)):
        with pytest.raises(ValueError, match=f"there is no move {position}"):
            sitting.choose(position)
    assert as_rows(sitting.standing) == before and sitting.choices == {0: []}


def test_resumed__takes_games_only_and_says_what_else_it_found(tmp_path: Path) -> None:
    with keep(Sitting(configuration()), tmp_path / "game"):
        pass
    path = tmp_path / "game" / "manifest.json"
    kept = json.loads(path.read_text())
    run = {key: value for key, value in kept.items() if key != sittings.PLAY}
    path.write_bytes(signed(run))
    with pytest.raises(BadInput, match="a run that nobody plays"):
        resumed(tmp_path / "game")
    other = {**kept, "game_version": kept["game_version"] + 1}
    other["identity"] = run_identity(other)
    other[sittings.PLAY] = {**other[sittings.PLAY], "identity": play_identity(other["identity"], 1, {"0": []})}
    path.write_bytes(signed(other))
    with pytest.raises(Refused, match=r"begun by another version.*the version of the game was"):
        resumed(tmp_path / "game")
    for broken in ({}, {"games": "x", "choices": {}}, {"games": 1, "choices": {"0": ["a"]}}, [], 3):
        path.write_bytes(signed({**kept, sittings.PLAY: broken}))
        with pytest.raises(Damaged, match="is damaged, or no manifest"):
            resumed(tmp_path / "game")


def test_match_under_way__is_not_called_complete(tmp_path: Path) -> None:
    sitting = Sitting(configuration("draw"))
    with keep(sitting, tmp_path / "game") as keeper:
        while sitting.standing.n_rounds < 1:
            sitting.choose(position_of(sitting.standing))
            keeper.keep()
        dataset = Dataset.open(tmp_path / "game")
        assert dataset.noun == "match" and verify(dataset) == []
        assert dataset.going_on.startswith("domeng-sim play --resume --out ")
        while sitting.standing.undecided is not None:
            sitting.choose(position_of(sitting.standing))
            keeper.keep()
    assert Dataset.open(tmp_path / "game").going_on == ""
