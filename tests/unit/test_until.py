"""Runs that go on until a figure is known: where they end, whatever plays them, and what cannot be asked for."""

from __future__ import annotations

import itertools
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import domeng_sim
from domeng_sim.analysis import goals
from domeng_sim.analysis.goals import RunGoals, read_goals
from domeng_sim.api.carry_out import runs
from domeng_sim.api.carry_out.watch import Watch
from domeng_sim.api.requests.runs import RunRequest
from domeng_sim.errors import BadField, Interrupted, Refused
from domeng_sim.games import game
from domeng_sim.runs.looks import looks_before, next_look
from domeng_sim.runs.progress import Silent
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.stats import confseq, critical
from tests.command_line import call, parts

DOMENG = game("domeng")
RULES = DOMENG.resolve_rules({})
ASKED: dict[str, Any] = {"until": ["ceki=0.15pp", "game.rounds=2%"], "seed": 5, "games_per_match": 4, "tables": "games"}


def read(*texts: str, name: str = "domeng") -> tuple[goals.Goal, ...]:
    spec = game(name)
    return read_goals(texts, spec, spec.resolve_rules({}), ["random"] * spec.seats)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("until") / "run"
    domeng_sim.run(directory, **ASKED)
    return directory


# --- What can be asked for --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("ceki=0.01pp", "outcome.ceki=0.01pp"),
        (" outcome.ceki = 0.010 pp ", "outcome.ceki=0.01pp"),
        ("ceki=1e-4", "outcome.ceki=0.0001"),
        ("ceki=1%", "outcome.ceki=1%"),
        ("game.rounds=.02", "game.rounds=0.02"),
        ("rounds.q50=0.5", "game.rounds.q50=0.5"),
        ("start.ceki.the starter=0.1pp", "start.ceki.the starter=0.1pp"),
    ],
)
def test_goals__have_one_text(text, canonical):
    (goal,) = read(text)
    assert goal.text == canonical and read(canonical) == (goal,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ceki", "a figure of the report and a half-width"),
        ("ceki=", "a figure of the report and a half-width"),
        ("=0.01pp", "a figure of the report and a half-width"),
        ("ceki=0", "a figure of the report and a half-width"),
        ("ceki=0pp", "a figure of the report and a half-width"),
        ("ceki=-1pp", "a figure of the report and a half-width"),
        ("ceki=1e999", "a figure of the report and a half-width"),
        ("ceki=nan", "a figure of the report and a half-width"),
        ("ceki=0.01ppm", "a figure of the report and a half-width"),
        ("ceki=0.01pp,pollo=0.01pp", "a figure of the report and a half-width"),
        ("cek=0.01pp", "no figure 'cek'; did you mean"),
        ("outcome=0.01pp", "no figure 'outcome'"),
        ("seat.0=0.1pp", "several figures are called seat.0: "),
        ("game.rounds=1pp", "game.rounds is no share"),
        ("rounds.q50=1pp", "is no share"),
        ("titles.1=1pp", "no figure"),
        ("turn.passebunge.1=1pp", "is counted from a table of rows"),
        ("camat=1pp", "no figure"),
    ],
)
def test_goals__that_cannot_be_are_one_line(text, said):
    with pytest.raises(BadField) as caught:
        read(text)
    assert said in str(caught.value) and caught.value.field == "until" and "\n" not in str(caught.value)


def test_goals__stand_once_each():
    with pytest.raises(BadField, match=r"outcome\.ceki is given twice"):
        read("ceki=1pp", "outcome.ceki=2pp")
    assert [goal.text for goal in read("tied=1pp", "points=1%", name="draw")] == ["outcome.tied=1pp", "round.points=1%"]


# --- Where it ends ----------------------------------------------------------------------------------------------------


def test_looks__are_at_every_part_and_then_rarer():
    at = [0]
    while at[-1] < 3000:
        at.append(next_look(at[-1]))
    assert at[:41] == list(range(41)) and at[41] == 42
    assert all(later <= max(1.05 * now, now + 1) for now, later in itertools.pairwise(at))
    assert [looks_before(at[k]) for k in (1, 5, 41, len(at) - 1)] == [1, 5, 41, len(at) - 1]


@pytest.mark.compiled
def test_run__ends_at_the_first_look_with_enough(run):
    dataset = Dataset.open(run)
    plan, aim = dataset.plan, RunGoals(dataset.config)
    counts, whole = dataset.counts(), plan.part // plan.batch
    assert dataset.manifest["until"] == ["outcome.ceki=0.15pp", "game.rounds=2%"]
    ends = len(counts) // whole
    assert len(counts) == ends * whole and looks_before(ends) > 2
    parts_at = next_look(0)
    while parts_at < ends:
        aim.begin(plan)
        aim.add(counts[: parts_at * whole])
        assert not aim.is_reached()
        parts_at = next_look(parts_at)
    assert parts_at == ends
    aim.begin(plan)
    aim.add(counts)
    assert aim.is_reached()
    share, rounds = aim.estimates()
    # once more by hand: the error of a ratio over clusters, and the boundary of the normal mixture
    table = domeng_sim.load(run).figures
    for one, key in ((share, "outcome.ceki"), (rounds, "game.rounds")):
        usual = table[key]
        z = np.sqrt(len(counts)) * confseq.unit_radius(len(counts), plan.expected / plan.batch)
        wanted = usual.half_width / critical.student(len(counts) - 1, 0.95) * z
        assert one.value == usual.value and one.half_width == pytest.approx(wanted, rel=1e-9)
        assert (one.kind, one.level) == ("anytime", 0.95)


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [2, 3])
def test_run__is_the_same_whatever_the_threads(run, tmp_path, threads):
    domeng_sim.run(tmp_path / "other", **ASKED, threads=threads)
    assert parts(tmp_path / "other") == parts(run)
    one, other = (Dataset.open(path).manifest for path in (run, tmp_path / "other"))
    assert {**one, "run": {}} == {**other, "run": {}}


class Stopper(Silent):
    """Stops after so many calls."""

    def __init__(self, calls: int) -> None:
        self.stop, self._left = threading.Event(), calls

    def update(self, done: int) -> None:
        self._left -= 1
        if self._left <= 0:
            self.stop.set()


@pytest.mark.compiled
def test_run__that_was_interrupted_ends_at_the_same_match(run, tmp_path):
    times = 0
    while times < 100:
        watcher = Stopper(3)
        try:
            runs.play_run(
                RunRequest(tmp_path / "other", resume=times > 0, **({} if times else ASKED), threads=2),
                Watch(watcher, watcher.stop),
            )
            break
        except Interrupted:
            times += 1
            assert Dataset.open(tmp_path / "other").manifest["status"] == "running"
    assert times >= 2
    assert parts(tmp_path / "other") == parts(run)
    # and once more, with parts missing in the middle
    for path in sorted((tmp_path / "other" / "games").iterdir())[1:3]:
        path.unlink()
    runs.play_run(RunRequest(tmp_path / "other", resume=True))
    assert parts(tmp_path / "other") == parts(run)
    with pytest.raises(Refused, match="cannot be resumed as this one"):
        runs.play_run(RunRequest(tmp_path / "other", resume=True, until="ceki=0.3pp"))


@pytest.mark.compiled
def test_run__stops_at_the_limit(tmp_path, capsys):
    words = ["--until", "ceki=0.001pp", "--seed", 1, "--threads", 1, "--tables", "summary"]
    said = call(capsys, "run", *words, "--max-rounds", 30_000, "--out", tmp_path / "run", "--json")
    assert said.status == 0 and "which is more than the 30,000 at which it stops" in said.err
    found = said.json
    assert found["until"]["reason"] == "max-rounds" and not found["until"]["goals"][0]["reached"]
    plain = call(capsys, "run", "--rounds", 30_000, *words[2:], "--out", tmp_path / "plain", "--json").json
    assert found["totals"] == plain["totals"]
    assert call(capsys, "verify", tmp_path / "run").status == 0
    again = "domeng-sim run --until outcome.ceki=0.001pp --max-rounds 30000 --tables summary --seed 1"
    assert found["command"] == again
    assert "0.001" in call(capsys, "run", "--resume", "--out", tmp_path / "run").out


@pytest.mark.compiled
def test_run__goes_on_under_the_same_name_whether_it_began_or_not(tmp_path):
    first = domeng_sim.run(tmp_path / "run", resume=True, **{**ASKED, "until": "ceki=1pp"})
    assert first.manifest["until"] == ["outcome.ceki=1pp"]
    again = domeng_sim.run(tmp_path / "run", resume=True, **{**ASKED, "until": "ceki=1pp"})
    assert again.manifest == first.manifest


@pytest.mark.compiled
def test_forecast__is_near_what_it_takes_and_the_same_every_time(run):
    config = Dataset.open(run).config
    first, again = (RunGoals(config).expect(lambda: False, Silent()) for _ in range(2))
    assert (first.matches, first.rounds, first.is_known) == (again.matches, again.rounds, True)
    assert 0.7 < Dataset.open(run).manifest["totals"]["rounds"] / first.rounds < 1.4
    assert first.told(2).startswith("until outcome.ceki=0.15pp and game.rounds=2%: about ")
    # what never happens cannot be foreseen
    never = replace(config, until=("game.unfinished=1pp",), rounds=10**6)
    forecast = RunGoals(never).expect(lambda: False, Silent())
    assert not forecast.is_known and "so rare" in forecast.told(1)
    with pytest.raises(Interrupted):
        RunGoals(config).expect(lambda: True, Silent())
