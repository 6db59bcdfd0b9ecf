"""The program as a process: what it imports, what it says where, what it compiles, how much memory it takes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import ROOT, Said, command, contents, environment, one_line, process

# what help and usage errors may import besides Python's own modules
ALLOWED = {"click", "domeng_sim", "tests"}
MODULES = """
import sys
before = set(sys.modules)
from domeng_sim.cli import main
status = main({words!r})
loaded = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(status, *sorted(loaded - set(sys.stdlib_module_names)), file=sys.stderr)
"""
SMALL = ["run", "--matches", "2", "--seed", "1"]


@pytest.mark.parametrize(
    "words",
    [
        "--help", "--version", "run --help", "strategies --help", "rules --help", "verify --help", "rules",
        "strategies", "strategies banker", "run --rounds 0", "run --strategy nobody", "run --seats random",
        "run --rule stones=x", "run --config nowhere.toml", "nothing", "run --resume", "verify",
        "compare --help", "tournament --help", "sensitivity --help", "power --help", "odds --help", "show --help",
        "play --help", "report --help", "compare hunter nobody", "compare hunter", "odds --samples 0",
        "report --level x", "sensitivity --ranking-blocks 5", "run --rounds 1.000",
    ],
)  # fmt: skip
def test_command_line__is_instant_where_nothing_is_played(words: str, tmp_path: Path) -> None:
    said = process(cwd=tmp_path, python=["-c", MODULES.format(words=words.split())])
    status, *loaded = said.err.splitlines()[-1].split()
    assert set(loaded) <= ALLOWED
    assert status == ("0" if words.startswith(("--", "rules", "strategies")) or "--help" in words else "2")
    assert "Traceback" not in said.err


def test_help__names_every_command_and_option(tmp_path: Path) -> None:
    said = process("--help", cwd=tmp_path)
    assert (said.status, said.err) == (0, "")
    for name in ("run", "strategies", "rules", "verify"):
        assert re.search(rf"^  {name} +\w", said.out, re.MULTILINE), name
    said = process("run", "-h", cwd=tmp_path)
    described = set(re.findall(r"^  (?:-[a-z], )?(--[a-z-]+)", said.out, re.MULTILINE))
    assert described >= {
        "--matches", "--rounds", "--games-per-match", "--rounds-per-match", "--strategy", "--seats", "--rule", "--seed",
        "--threads", "--tables", "--store-hands", "--out", "--config", "--save-config", "--resume", "--overwrite",
        "--json", "--quiet", "--color", "--game",
    }  # fmt: skip
    assert process("--version", cwd=tmp_path).out.startswith("domeng-sim, version ")


@pytest.mark.compiled
def test_json__is_one_document_and_stderr_in_a_file_holds_plain_lines(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w") as file:
        done = subprocess.run(
            command("run", "--rounds", "300000", "--seed", "1", "--out", "run", "--json"),
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=file,
            check=True,
        )
    document = json.loads(done.stdout)
    assert document["schema_version"] == 1
    assert document["seed"] == "1"
    text = log.read_text()
    assert "\r" not in text
    assert "\x1b" not in text
    assert 1 <= len(text.splitlines()) < 15
    assert text.startswith("seed 1, into run, ")
    assert b"NaN" not in done.stdout


@pytest.mark.compiled
def test_quiet__says_nothing_but_the_result(tmp_path: Path) -> None:
    said = process(*SMALL, "--quiet", "--out", "run", cwd=tmp_path)
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("Domeng: 2 matches")
    assert "domeng-sim run --matches 2 --seed 1" in said.out
    assert "\x1b" not in said.out


@pytest.mark.compiled
def test_color__is_left_out_on_request(tmp_path: Path) -> None:
    said = process(*SMALL, "--quiet", "--out", "a", "--color", "always", cwd=tmp_path, env=environment(NO_COLOR="1"))
    assert "\x1b[" in said.out
    said = process(*SMALL, "--quiet", "--out", "b", cwd=tmp_path, env=environment(FORCE_COLOR="1", NO_COLOR="1"))
    assert "\x1b[" not in said.out


@pytest.mark.compiled
@pytest.mark.parametrize(
    "line",
    [
        "{run} --out {out} --quiet | head -1",
        "{run} --out {out} --quiet --json | head -1",
        "{run} --out {out} --json 2>&1 | true",
        "{run} --out {out} --json 2>&- | cat",
        "{run} --out {out} >&- 2>err",
        "{run} --out {out} 2>/dev/full | cat",
    ],
)
def test_run__ends_well_where_nobody_reads_what_it_says(line: str, tmp_path: Path) -> None:
    run = " ".join([sys.executable, "-m", "domeng_sim", *SMALL])
    shell = ["bash", "-o", "pipefail", "-c", line.format(run=run, out=tmp_path / "run")]
    done = subprocess.run(
        shell, env=environment(), cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0
    assert "Traceback" not in done.stdout + done.stderr
    assert "Exception" not in done.stdout + done.stderr
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["status"] == "complete"
    if line.endswith("2>&- | cat"):
        json.loads(done.stdout)


@pytest.mark.compiled
def test_run__says_it_where_its_result_cannot_be_written(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command(*SMALL, "--out", "run", "--quiet"), cwd=tmp_path, env=environment(), stdout=full,
            stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("domeng-sim: error: ")
    assert "No space left" in done.stderr
    assert len(done.stderr.splitlines()) == 1


COMPILED = """
import sys
from domeng_sim.cli import main
status = main({words!r})
print(status, int("numba" in sys.modules), file=sys.stderr)
"""


@pytest.mark.compiled
def test_run__compiles_once_in_an_empty_home_and_again_when_a_source_changes(tmp_path: Path) -> None:
    home, package = tmp_path / "home", tmp_path / "domeng_sim"
    home.mkdir()
    shutil.copytree(ROOT / "domeng_sim", package, ignore=shutil.ignore_patterns("__pycache__"))
    env = environment(HOME=str(home), PYTHONPATH=str(tmp_path))
    for name in ("DOMENG_SIM_CACHE", "XDG_CACHE_HOME"):
        env.pop(name, None)

    def run(out: str, *more: str) -> tuple[bool, bool]:
        words = [*SMALL, *more, "--out", out]
        said = process(cwd=tmp_path, env=env, python=["-c", COMPILED.format(words=words)])
        status, compiled = said.err.splitlines()[-1].split()
        assert status == "0"
        return compiled == "1", "Compiling the engine domeng-table for this machine" in said.err

    assert run("one") == (True, True)
    assert run("two") == (False, False)
    assert run("three", "--strategy", "heaviest", "--tables", "games", "--threads", "2") == (False, False)
    assert len(list((home / ".cache" / "domeng_sim").iterdir())) == 1
    codes = package / "core" / "codes.py"
    changed = codes.read_text().replace('DEAL = 0, "the deal of a round', 'DEAL = 9, "the deal of a round')
    assert changed != codes.read_text()
    codes.write_text(changed)
    assert run("changed") == (True, True)
    rounds = "rounds/000000000000000-000000000000001.parquet"
    assert contents(tmp_path / "one")[rounds] == contents(tmp_path / "two")[rounds]
    assert contents(tmp_path / "one")[rounds] != contents(tmp_path / "changed")[rounds]


@pytest.mark.compiled
def test_run__works_where_no_cache_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    env = environment(HOME=str(tmp_path / "file"))
    for name in ("DOMENG_SIM_CACHE", "XDG_CACHE_HOME"):
        env.pop(name, None)
    said = process(*SMALL, "--out", "run", "--json", cwd=tmp_path, env=env)
    assert said.status == 0
    assert said.json["totals"]["matches"] == 2
    assert "Compiling" in said.err
    assert "Warning" not in said.err


def test_cache__is_another_one_when_any_source_changes(tmp_path: Path) -> None:
    jit = pytest.importorskip("domeng_sim.core.jit")
    package = tmp_path / "domeng_sim"
    shutil.copytree(ROOT / "domeng_sim", package, ignore=shutil.ignore_patterns("__pycache__"))
    before = jit.source_digest(package)
    for name in ("version.py", "core/tiles.py", "core/bits.py", "games/domeng/kernel/counts.py", "strategies/user.py"):
        path = package / name
        text = path.read_text()
        path.write_text(text + "\nANOTHER = 1\n")
        assert jit.source_digest(package) != before, name
        path.write_text(text)
        assert jit.source_digest(package) == before
    (package / "cli" / "run.py").write_text("")
    assert jit.source_digest(package) == before


PEAK = """
import os, sys
from domeng_sim.runs import plan
from domeng_sim.cli import main
plan._PART_ROUNDS.update(dict.fromkeys(plan._PART_ROUNDS, (1 << 14, 1 << 14)))
status = main({words!r})
# not getrusage, whose peak is that of the parent where that is higher
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(status, int(peak) // 1024, file=sys.stderr)
"""


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel for the peak")
@pytest.mark.parametrize(("tables", "short", "long"), [("rounds", "20000", "600000"), ("events", "20000", "150000")])
def test_memory__does_not_grow_with_the_run(tables: str, short: str, long: str, tmp_path: Path) -> None:
    peaks = []
    for rounds in (short, long):
        words = ["run", "--rounds", rounds, "--tables", tables, "--threads", "1", "--out", rounds, "--quiet", "--json"]
        said = process(cwd=tmp_path, python=["-c", PEAK.format(words=words)])
        status, peak = said.err.splitlines()[-1].split()
        assert status == "0"
        peaks.append(int(peak))
    assert peaks[1] - peaks[0] < 40, peaks


@pytest.mark.compiled
def test_run__of_a_function_that_prints_keeps_its_results_apart(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        'print("loaded")\n\ndef choose(view, moves):\n    print("asked", moves.n)\n    return 0\n'
    )
    said = process(*SMALL, "--strategy", "own.py:choose", "--threads", "2", "--json", "--out", "run", cwd=tmp_path)
    assert said.status == 0
    assert said.json["totals"]["matches"] == 2
    assert "loaded" in said.err and "asked 2" in said.err
    (tmp_path / "mark.py").write_text("\ufeff" + (tmp_path / "own.py").read_text(), encoding="utf-8")
    said = process("strategies", "mark.py:choose", cwd=tmp_path)
    assert said.status == 0 and said.out.startswith("choose\n")


@pytest.mark.parametrize("number", ["0", "-3", "abc", ""])
def test_run__with_a_number_of_threads_that_the_compiler_refuses_is_one_line(number: str, tmp_path: Path) -> None:
    said = process(*SMALL, "--out", "run", cwd=tmp_path, env=environment(NUMBA_NUM_THREADS=number))
    assert said.status == 2
    assert one_line(said).endswith(f"NUMBA_NUM_THREADS must be a number from 1 on, not {number!r}; unset it")
    assert not (tmp_path / "run").exists()


@pytest.mark.compiled
def test_variable__that_the_compiler_cannot_read_is_a_line_of_warning(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def choose(view, moves):\n    return 0\n")
    words = *SMALL, "--strategy", "own.py:choose", "--out", "run", "--quiet"
    said = process(*words, cwd=tmp_path, env=environment(NUMBA_OPT="abc"))
    assert said.status == 0
    assert one_line(Said(0, "", said.err)).startswith("domeng-sim: warning: Environment variable 'NUMBA_OPT'")


def test_strategies__show_control_characters_as_escapes(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        '[[strategy]]\nname = "bold"\nsummary = "a\\u001b[2Jb \\u202ec"\nsource = "x\\u0007"\n'
        "[strategy.weights]\npips = 1\n"
    )
    for words in (["own.toml"], ["own.toml:bold"]):
        said = process("strategies", *words, cwd=tmp_path)
        assert said.status == 0 and "a\\x1b[2Jb \\u202ec" in said.out
        assert all(character.isprintable() for character in said.out.replace("\n", ""))
    said = process("strategies", "x\x1b[2J.toml", cwd=tmp_path)
    assert said.status == 2 and "\x1b" not in one_line(said)
