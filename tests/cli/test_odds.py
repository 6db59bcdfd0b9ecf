"""The command `odds`: what it prints, what it takes, what it refuses."""

from __future__ import annotations

import io
import json
import shlex
from fractions import Fraction

import pytest

from domeng_sim.cli import main
from tests.effort import effort

HAND = ["--hand", "6|5 4|1 3|1 2|1"]
LOG = ["--log", "0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r"]
STONES = ["--stones", "2,1,2,3,4"]
HERE = [*HAND, *LOG, *STONES]
OPEN = [
    "--hands",
    "6|5 4|1 3|1 2|1;5|4 2|2 4|3 1|1;5|5 5|3 5|2 5|1 5|0;6|1 4|2 0|0 1|0;6|0 4|0 3|3 3|2",
    *LOG,
    *STONES,
]
FEW = ["--samples", str(effort(2000, 10)), "--seed", "0"]


@pytest.fixture
def odds(capfd):
    """Run the command; status, standard output and standard error."""

    def call(*words):
        status = main(["odds", *map(str, words)])
        return status, *capfd.readouterr()

    return call


def test_odds__print_the_position_the_moves_and_the_advice(odds, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = odds(*HERE, *FEW)
    assert status == 0
    for text in (
        "[2|6] [6|6] [6|4] [4|4]",
        "20,290,520,250 deals agree",
        "4|1 right",
        "2|1 left",
        "vs best",
        "MATTIKKENG",
    ):
        assert text in out
    assert "all players play on as master." in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out
    again = shlex.split(out[out.index("domeng-sim odds") :].replace("\\\n", " "))[2:]
    assert odds(*again)[1] == out


def test_odds__as_json_are_one_document(odds):
    status, out, err = odds(*HERE, *FEW, "--json", "--quiet")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert document["schema_version"] == 1
    assert document["seed"] == "0"
    assert document["deals"] == "20290520250"
    assert [move["move"] for move in document["moves"]] in (["4|1 right", "2|1 left"], ["2|1 left", "4|1 right"])
    first, second = document["moves"]
    assert set(first["figures"]["win"]) == {
        "value", "low", "high", "level", "kind", "unit", "clusters", "events", "looks",
    }  # fmt: skip
    assert first["minus_best"] is None
    difference = second["figures"]["win"]["value"] - first["figures"]["win"]["value"]
    assert second["minus_best"]["win"]["value"] == pytest.approx(difference)


def test_odds__are_the_same_with_any_threads(odds):
    one, two = (json.loads(odds(*HERE, *FEW, "--json", "--threads", n)[1]) for n in (1, 2))
    for document in (one, two):
        del document["seconds"]
    assert one == two


@pytest.mark.compiled
def test_odds__that_conclude_from_choices_say_what_they_are_worth(odds, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")
    words = (*HERE, "--samples", 9000, "--seed", 5, "--infer", "master")
    one, two = (json.loads(odds(*words, "--json", "--threads", n)[1]) for n in (1, 2))
    assert one["moves"] == two["moves"] and one["infer"] == "master"
    assert 4500 < one["effective_samples"] == two["effective_samples"] <= 9000
    assert one["moves"][0]["figures"]["win"]["clusters"] == one["effective_samples"]
    text = (
        f"likely the others' choices are for master, so that the samples tell as much as {one['effective_samples']:,}"
    )
    assert text in odds(*words)[1]


@pytest.mark.compiled
def test_exact_odds__are_fractions(odds):
    status, out, _ = odds(*OPEN, "--exact", "--json")
    document = json.loads(out)
    assert status == 0
    assert {seat["text"] for seat in document["seats"]} == {"random"}
    assert document["seed"] is None and document["samples"] is None
    for move in document["moves"]:
        shares = {name: Fraction(text) for name, text in move["fractions"].items()}
        assert sum(p for name, p in shares.items() if name.startswith("outcome_")) == 1
        assert sum(p for name, p in shares.items() if name.startswith("own_")) == shares["win"]
        assert move["figures"]["win"]["low"] == move["figures"]["win"]["high"] == float(shares["win"])
    assert "Play " in odds(*OPEN, "--exact")[1]


def test_position__comes_from_a_file_or_the_standard_input(odds, tmp_path, monkeypatch):
    text = "# at the table\nhand = 65 41 31 21\nlog: 0:6|6 1:6|4r 2:pass\n  3:6|2l 4:4|4r\nstones: 2,1,2,3,4\n"
    path = tmp_path / "table.txt"
    path.write_text(text)
    expected = json.loads(odds(*HERE, *FEW, "--json")[1])
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    for place in (path, "-"):
        document = json.loads(odds("--position", place, *FEW, "--json")[1])
        assert document["position"] == expected["position"]
        assert document["moves"] == expected["moves"]
    # What is given on the command line wins.
    document = json.loads(odds("--position", path, "--stones", "0,0,2,0,0", *FEW, "--json")[1])
    assert document["position"]["stones"] == "0,0,2,0,0"


BAD = [
    ([], "which position?"),
    ([*HAND, *LOG, "--stones", "9,9,9,9,9"], "the players hold 45 stones together, but there are 25"),
    (["--hand", "6|5 5|5 3|1", *LOG], "seat 0 was dealt 5 and has played 1, so it holds 4 now, but its hand has 3"),
    ([*HERE, "--match", "1"], "--match goes with --from only"),
    ([*HERE, "--open-hands"], "--open-hands goes with --from only"),
    ([*HERE, "--from", "nowhere"], "--hand and --from do not go together; the run has it"),
    (["--from", "nowhere"], "--from needs --match, --round, --step too"),
    (["--from", "nowhere", "--match", "0", "--round", "0", "--step", "30"], "nowhere does not exist"),
    ([*HERE, "--exact"], "20,290,520,250 deals agree with this position, and --exact goes through"),
    ([*OPEN, "--exact", "--samples", "5"], "--samples and --exact do not go together"),
    ([*OPEN, "--exact", "--infer", "master"], "--infer and --exact do not go together"),
    ([*HERE, "--infer", "nobody"], "domeng has no strategy 'nobody'"),
    ([*HERE, "--infer", "search"], "judged by a strategy that plays by weights, not search"),
    (
        [
            "--game",
            "draw",
            "--hand",
            "6|2 5|5 4|1 3|3 3|2",
            "--log",
            "0:6|6 1:6|5r 0:6|4l 1:d*2 1:5|2r",
            "--infer",
            "random",
        ],
        "nothing can be concluded from what others chose in Draw yet",
    ),
    ([*HERE, "--samples", "5", "--until", "1pp"], "--samples and --until do not go together"),
    ([*HERE, "--until", "soon"], "--until takes a half-width in percentage points"),
    ([*HERE, "--until", "decided"], "--until takes a half-width in percentage points"),
    ([*HERE, "--opponents", "random,random"], "--opponents takes one strategy, or one for each of the 4 other seats"),
    ([*HERE, "--own-strategy", "nobody"], "domeng has no strategy 'nobody'"),
    ([*HERE, "--rule", "stones=10"], "the players hold 12 stones together, but there are 10"),
    ([*HERE, "--game", "chess"], "--game takes domeng, draw or block"),
    (["--position", "nowhere.txt"], "nowhere.txt: No such file or directory"),
]


@pytest.mark.parametrize(("words", "message"), BAD, ids=[message[:30] for _, message in BAD])
def test_bad_input__is_told_in_one_line_and_ends_with_2(odds, words, message):
    status, out, err = odds(*words)
    assert (status, out) == (2, "")
    lines = [line for line in err.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1
    assert message in lines[0]


@pytest.mark.parametrize("text", ["hand 65", "hand: 65\nhand: 64"])
def test_position_file__with_a_bad_line_is_refused(odds, tmp_path, text):
    path = tmp_path / "table.txt"
    path.write_text(text)
    status, _, err = odds("--position", path)
    assert status == 2
    assert f"{path}, line " in err


def test_stones__that_the_log_makes_impossible_are_refused(odds):
    status, _, err = odds(*HAND, *LOG, "--stones", "2,1,0,3,4", *FEW)
    assert status == 2 and "seat 2 was awarded 2 by its PASSes" in err
    status, _, err = odds(*HAND, *LOG, "--stones", "9,9,4,3,0", "--first-round", *FEW)
    assert status == 2 and "after these PASSes the seats hold 0,0,2,0,0, not 9,9,4,3,0" in err


DRAW = ["--game", "draw", "--hand", "6|2 5|5 4|1 3|3 3|2", "--log", "0:6|6 1:6|5r 0:6|4l 1:d*2 1:5|2r"]


@pytest.mark.parametrize("table", [[], ["--rule", "table=9x7"]], ids=["unbounded", "finite"])
def test_odds_of_draw__print_the_position_the_moves_and_the_advice(odds, monkeypatch, table):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = odds(*DRAW, *table, "--scores", "40,70", *FEW)
    assert status == 0
    for text in ("[4|6] [6|6] [6|5] [5|2]", "2,310 deals agree", "6|2 right", "vs best", "net", "BLOCKED", "points"):
        assert text in out
    assert max(map(len, out.splitlines())) <= 80
    again = shlex.split(out[out.index("domeng-sim odds") :].replace("\\\n", " "))[2:]
    assert odds(*again)[1] == out


def test_odds_of_draw__as_json_are_one_document(odds):
    status, out, err = odds(*DRAW, *FEW, "--json", "--quiet")
    document = json.loads(out)
    assert (status, err, document["game"], document["deals"]) == (0, "", "draw", "2310")
    assert document["position"] == {"seat": "0", "hand": "3|2 3|3 4|1 5|5 6|2", "log": DRAW[-1]}
    for move in document["moves"]:
        value = {name: figure["value"] for name, figure in move["figures"].items()}
        assert value["outcome_out"] + value["outcome_blocked"] + value["outcome_tied"] == pytest.approx(1)
        assert value["own_out"] + value["own_blocked"] == pytest.approx(value["win"])
        assert value["points"] - value["points_other"] == pytest.approx(value["points_net"])


BAD_DRAW = [
    ([*DRAW, "--stones", "1,2"], "a position of Draw has no --stones; it has hand, hands, log, seat, scores"),
    ([*DRAW, "--first-round"], "a position of Draw has no --first-round"),
    ([*HERE, "--scores", "1,2"], "a position of Domeng has no --scores; it has hand, hands, log, stones"),
    ([*DRAW, "--seat", "2"], "--seat takes a whole number from 0 to 1"),
    ([*DRAW, "--opponents", "random,random"], "--opponents takes one strategy, not 2"),
    ([*DRAW, "--rule", "draw=one"], "with draw=one at most one tile is drawn in a turn"),
    ([*DRAW, "--rule", "stones=3"], "draw has no rule 'stones'"),
    (["--game", "draw"], "which position?"),
]


@pytest.mark.parametrize(("words", "message"), BAD_DRAW, ids=[message[:30] for _, message in BAD_DRAW])
def test_bad_input_for_draw__is_told_in_one_line_and_ends_with_2(odds, words, message):
    test_bad_input__is_told_in_one_line_and_ends_with_2(odds, words, message)


def test_position_of_draw__comes_from_a_file_or_a_run(odds, tmp_path, capfd):
    path = tmp_path / "table.txt"
    path.write_text(f"hand: {DRAW[3]}\nlog: 0:6|6 1:6|5r # so far\n  0:6|4l 1:d*2 1:5|2r\nscores: 0,12\n")
    document = json.loads(odds("--game", "draw", "--position", path, *FEW, "--json")[1])
    assert document["position"]["log"] == DRAW[-1] and document["position"]["scores"] == "0,12"
    folder = tmp_path / "run"
    assert main(["run", "--game", "draw", "--matches", "2", "--seed", "3", "--out", str(folder), "--quiet"]) == 0
    capfd.readouterr()
    at = ["--from", folder, "--match", "1", "--round", "1", "--step"]
    status, out, _ = odds(*at, "16", *FEW, "--json")
    assert status == 0 and json.loads(out)["game"] == "draw"
    assert "hands" in json.loads(odds(*at, "16", "--open-hands", *FEW, "--json")[1])["position"]
    status, _, err = odds(*at, "900")
    assert status == 2 and "the match has no step 900 in round 1 of game 0" in err
