"""What workers of a cluster play is what threads play, in every byte; what goes wrong there is told as it is here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed")

import domeng_sim
from domeng_sim.errors import BadInput
from domeng_sim.runs import plan, runner
from domeng_sim.runs.executors import dask
from domeng_sim.runs.plan import Plan
from tests.cluster import Cluster, Storm, cluster
from tests.command_line import call, command, contents, environment, make_config, one_line

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler and two workers."""
    with cluster(tmp_path_factory.mktemp("cluster"), 2) as made:
        yield made


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of some hundred rounds."""
    for level in plan._PART_ROUNDS:
        monkeypatch.setitem(plan._PART_ROUNDS, level, (300, 300))


OWN = "def choose(view, moves):\n    return 0\n"
RUNS = {
    "own strategy": ("--matches", 20, "--tables", "events", "--seats", "random,banker,own.py:choose,random,random"),
    "until so many rounds": ("--rounds", 900, "--game", "draw", "--seats", "random,starver"),
    "until something is known": ("--until", "ceki=2pp", "--max-rounds", 30000, "--tables", "summary"),
    "a shard": ("--matches", 40, "--shard", "2/3"),
    "through the client": ("--matches", 20, "--gather"),
}


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("asked", RUNS)
def test_run__on_a_cluster_gives_the_same_bytes(
    asked: str, here: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN)
    words = ["run", "--seed", 3, *RUNS[asked]]
    said = call(capsys, *words, "--cluster", here.address, "--out", "there")
    assert said.status == 0, said.err
    assert f"into there, 2 threads of 2 workers at {here.address}" in said.err
    assert call(capsys, *(word for word in words if word != "--gather"), "--quiet", "--out", "here").status == 0
    assert contents(Path("there")) == contents(Path("here"))


STUDIES: dict[str, tuple[object, ...]] = {
    "compare": ("banker", "own.py:choose", "--blocks", 300, "--out", "{}"),
    "tournament": (
        "random",
        "starver",
        "blocker",
        "--game",
        "draw",
        "--until",
        "5pp",
        "--max-blocks",
        400,
        "--out",
        "{}",
    ),
    "sensitivity": ("--option", "stones=20", "--blocks", 300),
    "odds": (
        "--hand",
        "6|5 4|1 3|1 2|1",
        "--log",
        "0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r",
        "--samples",
        100_000,
        "--infer",
        "master",
    ),
}


@pytest.mark.parametrize("name", STUDIES)
def test_study__on_a_cluster_finds_the_same(
    name: str, here: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN)
    found = {}
    for where, more in (("here", ("--threads", 2)), ("there", ("--cluster", here.address))):
        words = [str(word).format(where) for word in STUDIES[name]]
        said = call(capsys, name, *words, "--seed", 3, "--json", "--quiet", *more)
        assert said.status == 0, said.err
        found[where] = {key: value for key, value in said.json.items() if not key.startswith("seconds")}
    assert found["there"] == found["here"]
    if Path("here").exists():
        # either may have begun with more blocks than it took
        blocks = contents(Path("here/blocks")), contents(Path("there/blocks"))
        common = set(blocks[0]) & set(blocks[1])
        assert common
        assert {name: blocks[0][name] for name in common} == {name: blocks[1][name] for name in common}
        again = call(capsys, name, *words, "--seed", 3, "--json", "--quiet", *more, "--resume")
        assert {key: value for key, value in again.json.items() if key != "seconds"} == found["here"]


def test_client__of_a_program_plays_and_stays_open(here: Cluster, tmp_path: Path) -> None:
    from distributed import Client

    with Client(here.address, set_as_default=False) as client:
        there = domeng_sim.run(tmp_path / "there", matches=20, seed=1, cluster=client)
        assert client.status == "running"
    assert there.rounds.equals(domeng_sim.run(tmp_path / "here", matches=20, seed=1).rounds)


def test_cluster__errors_are_told_as_on_one_machine(
    here: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # not in the first round, which is played before anything is sent
    (tmp_path / "own.py").write_text("def choose(view, moves):\n    return 0 if len(moves) < 4 else 99\n")
    told = {}
    for where, more in (("here", ("--threads", 1)), ("there", ("--cluster", here.address))):
        words = ("--strategy", f"{tmp_path}/own.py:choose", "--matches", 50, "--seed", 1)
        said = call(capsys, "run", *words, "--out", tmp_path / where, "--quiet", *more)
        told[where] = (said.status, one_line(said))
        assert not (tmp_path / where).exists()
    assert told["there"] == told["here"]
    assert told["here"][0] == 1


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "domeng_sim",
            "the cluster differs from this machine: domeng_sim is 0.1.0 on the scheduler and 2 more, 9.9.9 here",
        ),
        ("numba", "the cluster differs from this machine: numba is "),
        ("sources", "a worker differs from this machine: sources is "),  # one that came late
    ],
)
def test_cluster__of_another_version_is_refused_with_what_differs(
    name: str,
    told: str,
    here: Cluster,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from distributed import versions

    found = versions._version_cached
    if name == "sources":
        monkeypatch.setattr(dask, "_versions", lambda: {"sources": "0" * 16})
    else:
        monkeypatch.setattr(versions, "_version_cached", lambda one: "9.9.9" if one == name else found(one))
    said = call(capsys, "run", "--matches", 5, "--cluster", here.address, "--out", tmp_path / "run", "--quiet")
    line = one_line(said)
    assert told in line
    assert line.endswith("install the same versions everywhere")
    assert said.status == 3
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounts a directory for one process")
def test_cluster__whose_workers_do_not_see_the_directory_is_found_out_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with cluster(tmp_path / "cluster", 0) as apart:
        disk = tmp_path / "disk"
        disk.mkdir()
        apart.hide = disk
        apart.start_worker()
        time.sleep(0.5)
        if apart.workers[0].poll() is not None:
            pytest.skip("may not mount here")
        words = ("run", "--matches", 20, "--seed", 1, "--cluster", apart.address, "--quiet", "--out")
        said = call(capsys, *words, disk / "run")
        line = one_line(said)
        assert f"1 of 1 workers cannot write into {disk}/run (tcp://" in line
        assert "name a directory that all of them share with --out, or let the parts come back to this machine" in line
        assert said.status == 2
        assert not (disk / "run").exists()
        assert call(capsys, *words, disk / "run", "--gather").status == 0
        assert call(capsys, "verify", disk / "run").status == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        *(
            (
                ("run", "--cluster", text),
                "--cluster takes tcp://HOST:PORT of a Dask scheduler, scheduler-file:PATH, or lo",
            )
            for text in (
                "x",
                "tcp://",
                "tcp:1",
                "http://a",
                "local:",
                "local:0",
                "local:x",
                "local:-1",
                "scheduler-file:",
            )
        ),
        (("run", "--cluster", "scheduler-file:none.json"), "cannot be reached ([Errno 2] No such file or directory"),
        (("run", "--cluster", "scheduler-file:wrong.json"), "cannot be reached (Expecting value"),
        (("compare", "random", "banker", "--cluster", "local:99999"), "--cluster takes tcp://HOST:PORT"),
        (("odds", "--hand", "6|5 4|1", "--cluster", "y"), "--cluster takes tcp://HOST:PORT"),
        (("run", "--gather"), "--gather goes with --cluster only"),
        (("report", "run", "--cluster", "local:2"), "No such option"),
    ],
)
def test_cluster__that_cannot_be_is_one_line(
    words: tuple[str, ...],
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wrong.json").write_text("no JSON")
    said = call(capsys, *words)
    assert told in one_line(said)
    assert said.status == 2
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.json"]


def test_cluster__without_the_extra_says_how_to_install_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = call(capsys, "run", "--cluster", "tcp://127.0.0.1:1")
    assert "install it with pip install 'domeng-sim[cluster]'" in one_line(said)
    assert said.status == 2
    with pytest.raises(BadInput, match="cluster= takes tcp://HOST:PORT"):
        domeng_sim.run(tmp_path / "run", matches=1, cluster=object())


def test_run__on_a_local_cluster_is_stopped_by_one_signal_to_all_of_its_processes(tmp_path: Path) -> None:
    words = command("run", "--matches", 10**6, "--seed", 1, "--out", "run", "--cluster", "local:2", "--quiet")
    running = subprocess.Popen(
        words,
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not any((tmp_path / "run").glob(".writing/*")):
        assert running.poll() is None, running.communicate()
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    out, error = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, "")
    assert error.splitlines()[-1].endswith("Go on with: domeng-sim run --resume --out run")
    assert len(error.splitlines()) == 1


def test_cluster__loses_nothing_in_a_storm_of_faults(here: Cluster, tmp_path: Path) -> None:
    storm = Storm(tmp_path, make_config({"matches": 12_000, "seed": 1}), Plan(500, 1_000), seed=1)
    runner.run(storm.config, storm.whole, resume=True)
    storm.blow(here, ["worker", "client", "full disk", "scheduler"])
    assert len(storm.done) == 4
    assert storm.n_resumed >= 1


def test_help__loads_no_dask() -> None:
    script = (
        "import sys, click.testing, domeng_sim.cli as cli\n"
        "assert click.testing.CliRunner().invoke(cli.cli, ['run', '--help']).exit_code == 0\n"
        "assert not {'dask', 'distributed', 'numba', 'pyarrow'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], env=environment(), check=True)
