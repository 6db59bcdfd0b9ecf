"""The command `show`: what it tells, what it finds, what it refuses, and how its pages are turned."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from domeng_sim.positions.replay import open_run
from tests.command_line import call, command, environment, one_line, process, put_manifest
from tests.effort import effort
from tests.terminal import Terminal

MATCHES = effort(60, 6)
FINDS = {
    "domeng": ("ceki", "pollo", "manguno", "mattikkeng", "camat"),
    "draw": ("out", "blocked", "tied"),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs of both games at several levels, all with the same seed."""
    from domeng_sim.cli import main

    directory = tmp_path_factory.mktemp("show")
    for kind, more in (("domeng", ["--seats", "banker,random,random,heaviest,random"]), ("draw", ["--rule=table=8x6"])):
        for level in ("summary", "rounds", "events"):
            words = ["run", "--game", kind, "--matches", MATCHES, "--seed", "11", "--games-per-match", "2", *more]
            out = directory / f"{kind}-{level}"
            assert main([*map(str, words), "--tables", level, "--out", str(out), "-q", "--json"]) == 0
    return directory


@pytest.fixture(autouse=True)
def in_eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("kind", ["domeng", "draw"])
def test_show__tells_the_same_whatever_was_stored_and_if_it_never_ran(runs, capsys, monkeypatch, kind):
    monkeypatch.chdir(runs)
    told = []
    for level in ("summary", "rounds", "events"):
        said = call(capsys, "show", f"{kind}-{level}", "--match", 3, "--game-number", 1, "--round", 1)
        assert said.status == 0, said.err
        told.append(said.out.replace(f"{kind}-{level}", "RUN"))
    assert told[0] == told[1] == told[2]
    more = ["--seats", "banker,random,random,heaviest,random"] if kind == "domeng" else ["--rule=table=8x6"]
    words = ["--seed", 11, "--game", kind, "--game-number", 1, "--games-per-match", 2, *more]
    never = call(capsys, "show", *words, "--match", 3, "--round", 1).out
    assert never.split("next:")[0] == told[0].split("next:")[0]
    assert max(map(len, never.splitlines())) <= 80


@pytest.mark.parametrize("kind", ["domeng", "draw"])
def test_rows__played_again_are_the_rows_that_were_stored(runs, kind):
    source = open_run(runs / f"{kind}-events")
    for match in (0, 5):
        stored = source.rows(match)
        assert stored == source.rows(match, replay=True)
        part = source.rows(match, (0, 1), replay=True)
        n = len(part["match"])
        assert n < len(stored["match"]) or source.rows(match, (1, 0)) == stored
        assert {name: values[:n] for name, values in stored.items()} == part


def test_show__says_what_comes_next_to_the_end_of_the_run(runs, capsys, monkeypatch):
    monkeypatch.chdir(runs)
    words = ["show", "domeng-rounds", "--match", MATCHES - 1, "--game-number", 1]
    seen = 0
    while True:
        said = call(capsys, *words)
        assert said.status == 0, said.err
        seen += 1
        found = re.search(r"next:\n(domeng-sim (?:.*\\\n)*.*)", said.out)
        if not found:
            break
        words = shlex.split(found[1].replace("\\\n", " "))[1:]
    rounds = pd.read_parquet(runs / "domeng-rounds" / "rounds")
    assert seen == len(rounds[(rounds.match == MATCHES - 1) & (rounds.game == 1)])
    first = call(capsys, "show", "domeng-rounds", "--match", 0, "--game-number", 1, "--round", "all").out
    assert "the match is over; next:\ndomeng-sim show domeng-rounds --match 1 --round all" in first


def test_show__points_to_odds_and_its_step_numbers_are_those_of_odds(runs, capsys, monkeypatch):
    monkeypatch.chdir(runs)
    said = call(capsys, "show", "domeng-events", "--match", 2)
    words = shlex.split(said.out[said.out.index("domeng-sim odds") :].replace("\\\n", " "))[1:]
    odds = call(capsys, *words, "--samples", effort(500, 10), "--seed", 1, "--json", "-q")
    assert odds.status == 0, odds.err
    step = words[words.index("--step") + 1]
    line = next(line for line in said.out.splitlines() if line.startswith(f" {step}  "))
    moves = [move["tile"] for move in odds.json["moves"]] if "tile" in odds.json["moves"][0] else []
    assert not moves or any(f"[{tile}]" in line for tile in moves)


@pytest.mark.parametrize(("kind", "word"), [(kind, word) for kind, words in FINDS.items() for word in words])
def test_find__lists_what_a_scan_of_the_rounds_lists(runs, capsys, kind, word):
    rounds = pd.read_parquet(runs / f"{kind}-rounds" / "rounds")
    wanted = rounds[rounds.camat >= 0] if word == "camat" else rounds[rounds.outcome == word]
    keys = [tuple(map(int, key)) for key in wanted[["match", "game", "round", "winner", "plays"]].to_numpy()]
    for level in ("summary", "rounds"):
        said = call(capsys, "show", runs / f"{kind}-{level}", "--find", word, "--limit", 10**6, "--json", "-q")
        assert said.status == 0, said.err
        assert said.json["complete"] is True
        hits = [tuple(hit[name] for name in ("match", "game", "round", "winner", "plays")) for hit in said.json["hits"]]
        assert hits == keys
        first = call(capsys, "show", runs / f"{kind}-{level}", "--find", word, "--limit", 2, "--json", "-q").json
        assert [hit["match"] for hit in first["hits"]] == [key[0] for key in keys[:2]]


def test_find__gives_the_command_that_shows_each(runs, capsys, monkeypatch):
    monkeypatch.chdir(runs)
    said = call(capsys, "show", "domeng-summary", "--find", "mattikkeng", "--limit", 2, "-q")
    lines = [line for line in said.out.splitlines() if line.startswith("domeng-sim")]
    assert len(lines) == 2
    for line in lines:
        assert "wins as MATTIKKENG" in call(capsys, *shlex.split(line)[1:]).out


def test_find__in_a_run_that_is_not_complete_says_how_far_it_looked(runs, tmp_path, capsys):
    copy = tmp_path / "run"
    shutil.copytree(runs / "domeng-rounds", copy)
    content = json.loads((copy / "manifest.json").read_text())
    put_manifest(copy, content | {"status": "running", "totals": {}})
    said = call(capsys, "show", copy, "--find", "camat", "--limit", 1)
    assert said.status == 0
    assert f"is not complete; looked through the {MATCHES} matches that are there" in said.err


def test_find__of_what_never_happened_says_so(tmp_path, capsys):
    call(capsys, "run", "--matches", 1, "--rounds-per-match", 1, "--seed", 1, "--out", tmp_path / "run", "-q")
    said = call(capsys, "show", tmp_path / "run", "--find", "camat", "-q")
    assert said.status == 0
    assert said.out == "camat (a CAMAT was appointed): no round in 1 match\n"


def test_find__where_a_file_is_missing_plays_and_where_it_is_damaged_refuses(runs, tmp_path, capsys):
    whole = call(capsys, "show", runs / "domeng-rounds", "--find", "ceki", "--limit", 999, "--json", "-q").json["hits"]
    copy = tmp_path / "run"
    shutil.copytree(runs / "domeng-rounds", copy)
    part = next((copy / "rounds").glob("*.parquet"))
    part.write_bytes(part.read_bytes()[:1000])
    said = call(capsys, "show", copy, "--find", "ceki", "-q")
    assert said.status == 4 and "domeng-sim verify" in one_line(said)
    part.unlink()
    again = call(capsys, "show", copy, "--find", "ceki", "--limit", 999, "--json", "-q").json["hits"]
    assert [{**hit, "command": ""} for hit in again] == [{**hit, "command": ""} for hit in whole]


@pytest.mark.parametrize("kind", ["domeng", "draw"])
def test_json__has_the_rows_of_the_events_table(runs, capsys, kind):
    said = call(capsys, "show", runs / f"{kind}-rounds", "--match", 1, "--round", "all", "--json")
    document = said.json
    assert list(document) == ["schema_version", "command", "game", "seed", "rules", "seats", "rounds"]
    assert (document["game"], document["seed"]) == (kind, "11")
    events = pd.read_parquet(runs / f"{kind}-events" / "events")
    wanted = events[(events.match == 1) & (events.game == 0)]
    rows = json.loads(wanted.to_json(orient="records"))
    assert [event for round_ in document["rounds"] for event in round_["events"]] == rows
    rounds = pd.read_parquet(runs / f"{kind}-rounds" / "rounds")
    ends = rounds[(rounds.match == 1) & (rounds.game == 0)]
    assert [round_["outcome"] for round_ in document["rounds"]] == list(ends.outcome)
    assert [round_["winner"] for round_ in document["rounds"]] == list(ends.winner)


@pytest.mark.parametrize("kind", ["domeng", "draw"])
def test_as_seat__tells_and_gives_no_tile_that_the_seat_does_not_see(runs, capsys, kind):
    run = runs / f"{kind}-events"
    document = call(capsys, "show", run, "--match", 1, "--json", "--as-seat", 1).json
    for event in document["rounds"][0]["events"]:
        hidden = event["event"] in ("deal", "draw") and event["seat"] != 1
        assert (event["tile"] is None) == hidden
    told = call(capsys, "show", run, "--match", 1, "--as-seat", 1).out
    everything = call(capsys, "show", run, "--match", 1).out
    assert "unused" not in told and len(told) < len(everything)
    none = call(capsys, "show", run, "--match", 1, "--no-hands").out
    assert "Other moves" not in none and "only move" not in none


def test_ascii__has_no_other_character(runs, capsys):
    for kind in ("domeng", "draw"):
        assert call(capsys, "show", runs / f"{kind}-events", "--ascii").out.isascii()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_encoding__without_boxes_falls_back_to_ascii(runs, encoding):
    said = process("show", "draw-rounds", cwd=runs, env=environment(PYTHONIOENCODING=encoding))
    assert said.status == 0, said.err
    assert said.out.isascii() and "\\u" not in said.out and "#===" in said.out


def test_forty_columns__are_enough(runs, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    for kind in ("domeng", "draw"):
        told = call(capsys, "show", runs / f"{kind}-events", "--round", "all").out
        lines = told[: told.rindex("next:")].splitlines()
        assert max(map(len, lines)) <= 40


@pytest.mark.parametrize("columns", [1, 10, 25])
def test_few_columns__are_no_error(runs, capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    for kind in ("domeng", "draw"):
        assert call(capsys, "show", runs / f"{kind}-events").status == 0


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ([], "--seed"),
        (["domeng-rounds", "--seed", "1"], "RUN and --seed do not go together"),
        (["domeng-rounds", "--rule", "stones=3"], "RUN and --rule do not go together"),
        (["domeng-rounds", "--match", "60000"], f"has the matches 0 to {MATCHES - 1}, not 60000"),
        (["domeng-rounds", "--game-number", "7"], "match 0 has no game 7; its games: 0 to 1"),
        (["domeng-rounds", "--round", "70"], "game 0 of match 0 has no round 70; its rounds: 0 to"),
        (["domeng-rounds", "--round", "last"], "--round takes the number of a round in its game, or all"),
        (["domeng-rounds", "--game", "chess"], "--game takes domeng, draw or block, not 'chess'"),
        (["domeng-rounds", "--game", "draw"], "is a run of domeng, not of draw"),
        (["domeng-rounds", "--find", "luck"], "--find takes ceki, pollo, manguno, mattikkeng, camat in Domeng"),
        (["draw-rounds", "--find", "ceki"], "--find takes out, blocked, tied in Draw"),
        (["domeng-rounds", "--find", "ceki", "--match", "1"], "--find and --match do not go together"),
        (["domeng-rounds", "--find", "ceki", "--step-through"], "--find and --step-through do not go together"),
        (["--seed", "1", "--find", "ceki"], "--find goes with RUN only"),
        (["domeng-rounds", "--limit", "3"], "--limit goes with --find"),
        (["domeng-rounds", "--as-seat", "5"], "--as-seat takes a seat from 0 to 4, not 5"),
        (["domeng-rounds", "--as-seat", "1", "--no-hands"], "do not go together"),
        (["domeng-rounds", "--json", "--step-through"], "do not go together"),
        (["--seed", "1", "--seats", "random"], "--seats takes 5 strategies"),
        (["--seed", "1", "--seats", "a,b,c,d,e", "--strategy", "random"], "do not go together"),
        (["nowhere"], "nowhere does not exist"),
        (["."], "is not a dataset"),
    ],
)  # fmt: skip
def test_bad_input__is_one_line_and_status_2(runs, capsys, monkeypatch, words, part):
    monkeypatch.chdir(runs)
    said = call(capsys, "show", *words)
    assert said.status == 2
    assert part in one_line(said)


def test_study__is_refused(tmp_path, capsys):
    call(capsys, "compare", "banker", "random", "--blocks", 2, "--seed", 1, "--out", tmp_path / "study", "-q")
    said = call(capsys, "show", tmp_path / "study")
    assert said.status == 2
    assert "holds a study of `compare`, not a run" in one_line(said)


def test_round_that_is_being_played__is_not_shown(tmp_path):
    line = "import sys, domeng_sim.cli as cli; sys.exit(cli.main(sys.argv[1:]))"
    played = subprocess.run(
        [sys.executable, "-c", line, "play", "--seed", "1", "--out", "mine"],
        input="1\nq\n", cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (tmp_path / "mine" / "manifest.json").exists(), played.stderr
    said = process("show", "mine", cwd=tmp_path)
    assert said.status == 2
    assert "a round is shown when it is over" in one_line(said)


def test_step__without_a_terminal_prints_all(runs, capsys, monkeypatch):
    monkeypatch.chdir(runs)
    assert call(capsys, "show", "domeng-rounds", "--step-through").out == call(capsys, "show", "domeng-rounds").out


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_pipe__that_closes_early_is_no_error(runs):
    line = f"{shlex.join(command('show', 'domeng-rounds', '--round', 'all'))} | head -3; echo status ${{PIPESTATUS[0]}}"
    said = process(
        python=["-c", f"import subprocess; raise SystemExit(subprocess.call(['bash', '-c', {line!r}]))"],
        cwd=runs, env=environment(),
    )  # fmt: skip
    assert said.err == ""
    assert said.out.splitlines()[-1] == "status 0"


def shown(runs, *words, columns=80, rows=24, **env) -> Terminal:
    """The command in a terminal."""
    return Terminal(command("show", *words), runs, environment(**env), columns, rows)


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 24), (30, 10)])
@pytest.mark.parametrize("kind", ["domeng", "draw"])
def test_step__turns_pages_by_keys(runs, kind, columns, rows):
    terminal = shown(runs, f"{kind}-events", "--match", "1", "--step-through", columns=columns, rows=rows)
    first = terminal.wait_for("1/")
    n_pages = int(re.search(r"1/(\d+)", first)[1])
    assert "the deal" in first.replace("\n", " ")
    at = 1
    for key in ("right", "enter", "down", "space", "left", "up"):
        terminal.press(key)
        at += -1 if key in ("left", "up") else 1
        page = terminal.wait_for(f"{at}/{n_pages}")
        assert f"step {25 if kind == 'domeng' else 14}" in page.replace("\n", " ") or at != 2
    terminal.press("end")
    assert "the end" in terminal.wait_for(f"{n_pages}/{n_pages}").replace("\n", " ")
    terminal.press("right", "home")
    assert "the deal" in terminal.wait_for(f"1/{n_pages}").replace("\n", " ")
    terminal.press("left", "x", "7", "q")
    assert terminal.end() == 0
    # the screen of before is back, and what comes next stands on it
    assert "\x1b[?1049l" in terminal.written
    assert "next:" in terminal.screen.text


@pytest.mark.parametrize(("key", "status"), [("q", 0), ("c-d", 0), ("c-c", 130)])
def test_step__is_left_by_keys(runs, key, status):
    terminal = shown(runs, "domeng-events", "--step-through")
    terminal.wait_for("1/")
    terminal.press(key)
    assert terminal.end() == status
    assert "Traceback" not in terminal.written


def test_step__has_no_colour_where_none_is_wanted(runs):
    terminal = shown(runs, "domeng-events", "--step-through", NO_COLOR="1")
    terminal.wait_for("1/")
    terminal.press("end")
    terminal.wait_for("the end")
    terminal.press("q")
    assert terminal.end() == 0
    assert not re.search(r"\x1b\[[0-9;]*(3[0-7]|38|9[0-7])[;m]", terminal.written)


def test_step__on_a_dumb_terminal_prints_all(runs):
    words = [*command("show", "domeng-events", "--step-through")]
    terminal = Terminal(["env", "TERM=dumb", *words], runs, environment())
    assert terminal.end() == 0
    assert "\x1b" not in terminal.written
    assert "The round is over" in terminal.written


@pytest.mark.parametrize("words", [["--help"], [], ["nowhere", "--round", "x"], ["--find", "ceki"]])
def test_help_and_wrong_use__import_nothing_large(runs, words):
    code = (
        "import sys; from domeng_sim.cli import main; main(['show', *sys.argv[1:]]); "
        "large = ('numba', 'numpy', 'pandas', 'pyarrow', 'rich', 'scipy', 'prompt_toolkit'); "
        "print([name for name in large if name in sys.modules])"
    )
    said = process(python=["-c", code, *words], cwd=runs)
    assert said.out.splitlines()[-1] == "[]"
