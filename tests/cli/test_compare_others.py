"""The commands `tournament`, `sensitivity` and `power`: what they print, how they end, what they refuse."""

from __future__ import annotations

import json
import shlex
import threading

import pytest

from domeng_sim.cli import main

FIVE = ["random", "heaviest", "lightest", "doubles_first", "doubles_last"]
FAST = ["--games-per-match", "1", "--seed", "1", "--threads", "2"]


def run(capfd, *words):
    """Status, standard output and standard error of a command in this process."""
    status = main(list(map(str, words)))
    out, err = capfd.readouterr()
    return status, out, err


def again(out):
    """The words of the command that an output ends with."""
    return shlex.split(out[out.index("domeng-sim ") :].replace("\\\n", " "))[1:]


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["tournament", *FIVE, "--blocks", "60"],
            ["CAMAT share", "Row less column", "ties", "doubles_first leads alone"],
        ),
        (["tournament", *FIVE, "--until", "5pp"], ["hold together and at every look"]),
        (["sensitivity", "--blocks", "150"], ["closing_passes=free", "Which readings matter", "rounds per game"]),
        (["sensitivity", "--option", "stones=9", "--blocks", "150", "--full"], ["stones=9 against stones=25"]),
        (
            [
                "sensitivity",
                "--option",
                "camat_check",
                "--blocks",
                "20",
                "--ranking",
                ",".join(FIVE),
                "--ranking-blocks",
                "20",
            ],
            ["Ranking of 5 strategies", "default: doubles_first >"],
        ),
        (
            ["power", "doubles_first", "random", "--pilot", "60"],
            ["standard deviation", "independent deals would take", "2 pp"],
        ),
        (["power", "doubles_first", "random", "--pilot", "60", "--difference", "0.3pp"], ["0.3 pp"]),
    ],
)
def test_command__prints_80_columns_and_the_command_that_gives_it_again(words, says, capfd, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = run(capfd, *words, *FAST)
    assert status == 0
    for text in says:
        assert text in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80
    assert "seed 1" in err
    assert run(capfd, *again(out), "--threads", "1")[1] == out
    _, as_json, quiet = run(capfd, *words, *FAST, "--json", "--quiet")
    document = json.loads(as_json)
    assert (document["schema_version"], document["study"], document["seed"], quiet) == (1, words[0], "1", "")
    assert shlex.split(document["command"])[1:] == again(out)


@pytest.mark.compiled
def test_tournament__presets_stands_for_all_of_them(capfd):
    _, out, _ = run(capfd, "tournament", "presets", "random@1", *FAST, "--blocks", "2", "--json")
    names = [place["name"] for place in json.loads(out)["ranking"]]
    assert {*FIVE, "random@1", "hunter", "banker"} <= set(names)


@pytest.mark.compiled
def test_tournament__a_file_stands_for_all_that_it_holds(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry = '[[strategy]]\nname = "{}"\nweights = {{ pips = {} }}\n'
    (tmp_path / "mine.toml").write_text("".join(entry.format(f"p{n + 2}", n) for n in range(-2, 2)))
    (tmp_path / "one.toml").write_text(entry.format("alone", 3))
    status, out, _ = run(
        capfd, "tournament", "mine.toml", "one.toml", "random+double=1", *FAST, "--blocks", "6", "--json"
    )
    assert status == 0
    document = json.loads(out)
    assert {place["name"] for place in document["ranking"]} == {"p0", "p1", "p2", "p3", "alone", "random+double=1"}
    assert shlex.split(document["command"])[2:5] == ["mine.toml", "one.toml", "random+double=1"]
    (tmp_path / "mine.toml").write_text(entry.format("bad name", 1))
    status, out, err = run(capfd, "tournament", "mine.toml", "random", *FAST)
    assert status == 2 and err.count("\n") == 1 and "name must be a text" in err


@pytest.mark.compiled
def test_tournament__keeps_blocks_and_takes_in_another_strategy(capfd, tmp_path):
    out = tmp_path / "kept"
    words = ["--games-per-match", "1", "--blocks", "10", "--out", out, "--json"]
    assert run(capfd, "tournament", *FIVE, *words, "--seed", "1")[0] == 0
    assert run(capfd, "tournament", *FIVE, "random@1", *words)[0] == 3
    status, more, _ = run(capfd, "tournament", *FIVE, "random@1", *words, "--resume")
    assert status == 0
    _, alone, _ = run(capfd, "tournament", *FIVE, "random@1", *FAST, "--blocks", "10", "--json")
    assert {**json.loads(more), "seconds": 0} == {**json.loads(alone), "seconds": 0}
    assert run(capfd, "verify", out)[0] == 0
    assert run(capfd, "compare", "random", "random", "--out", out, "--resume")[0] == 3


BAD = [
    (["tournament"], "Missing argument"),
    (["tournament", *FIVE[:4]], "5 to 60 strategies, not 4"),
    (["tournament", "random", "heaviest"], "5 to 60 strategies, not 2"),
    (["tournament", *FIVE, "random"], "random is named twice"),
    (["tournament", *FIVE, "nobody"], "no strategy 'nobody'"),
    (["tournament", *FIVE, "--blocks", "0"], "--blocks"),
    (["tournament", *FIVE, "--until", "soon"], "--until takes"),
    (["tournament", *FIVE, "--resume"], "--resume goes with --out only"),
    (["tournament", "random", "heaviest", "--game", "draw"], "of Draw takes 3 to 40 strategies, not 2"),
    (
        ["sensitivity", "--game", "draw", "--option", "table"],
        "table is a size: give a value for it, as table=14x10",
    ),
    (["compare", "random", "heaviest", "--game", "draw", "--all-mixes"], "the plain comparison says it all"),
    (["compare", "random", "heaviest", "--game", "draw", "--field", "1,4"], "1 where two play"),
    (
        ["compare", "random", "wall", "--game", "draw", "--opponents", "random,random"],
        "--opponents takes one strategy, not 2",
    ),
    (["sensitivity", "extra"], "unexpected extra argument"),
    (["sensitivity", "--strategy", "nobody"], "no strategy 'nobody'"),
    (["sensitivity", "--option", "nothing"], "no rule 'nothing'"),
    (["sensitivity", "--option", "stones"], "give a value"),
    (["sensitivity", "--option", "stones=25"], "is the reading that"),
    (["sensitivity", "--option", "stones=20", "--rule", "stones=20"], "is the reading that"),
    (["sensitivity", "--option", "stones=300"], "must be"),
    (["sensitivity", "--ranking", "random,heaviest"], "5 to 60 strategies"),
    (["sensitivity", "--ranking", ""], "--ranking takes names of strategies"),
    (["sensitivity", "--blocks", "2000000"], "--blocks"),
    (["sensitivity", "--level", "0"], "level"),
    (["power", "random"], "Missing argument"),
    (["power", "random", "nobody"], "no strategy 'nobody'"),
    (["power", "random", "random", "--pilot", "1"], "--pilot"),
    (["power", "random", "random", "--difference", "decided"], "--difference takes"),
    (["power", "random", "random", "--difference", "1"], "--difference takes"),
    (["power", "random", "random", "--difference", "90pp"], "--difference takes percentage points that leave"),
    (["power", "random", "random", "--power", "80"], "--power takes"),
    (["power", "random", "random", "--level", "nan"], "--level takes"),
]


@pytest.mark.parametrize(("words", "says"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_command__bad_input_is_one_line_and_status_2(words, says, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capfd, *words)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert says in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "words",
    [
        ["tournament", *FIVE, "--blocks", "1"],
        ["tournament", *FIVE, "--blocks", "2", "--rule", "max_rounds=1"],
        ["sensitivity", "--blocks", "1"],
        ["sensitivity", "--blocks", "2", "--rule", "max_rounds=1"],
        ["power", "heaviest", "random", "--pilot", "2"],
        ["power", "heaviest", "random", "--pilot", "2", "--rule", "max_rounds=1", "--rule", "stones=200"],
    ],
    ids=" ".join,
)
def test_command__ends_well_where_hardly_anything_is_known(words, capfd):
    for more in ([], ["--json"]):
        status, out, _ = run(capfd, *words, *FAST, *more)
        assert status == 0
        assert "nan" not in out.lower().split()


@pytest.mark.parametrize(
    "words", [["tournament", *FIVE], ["sensitivity"], ["power", "random", "heaviest"]], ids=" ".join
)
def test_command__stopped_prints_what_is_known_and_status_130(words, capfd, monkeypatch):
    from domeng_sim.cli import signals

    class Stopped(signals.Stop):
        def __init__(self, hint):
            super().__init__(hint)
            self.event = threading.Event()
            self.event.set()

    monkeypatch.setattr(signals, "Stop", Stopped)
    status, out, err = run(capfd, *words, *FAST)
    assert status == 130
    assert "nothing was kept" in err
    assert "Traceback" not in err + out


@pytest.mark.compiled
def test_compare__serves_a_game_of_two_seats_too(capfd):
    status, out, _ = run(capfd, "compare", "heaviest", "random", "--game", "draw", *FAST, "--blocks", "150")
    assert status == 0
    assert "heaviest against random" in out
    assert "fair 50 %" in out
    _, same, _ = run(capfd, "compare", "heaviest", "heaviest", "--game", "draw", *FAST, "--blocks", "150", "--json")
    [end] = json.loads(same)["ends"]
    assert end["share"]["value"] == end["share"]["low"] == end["share"]["high"] == 0.5
