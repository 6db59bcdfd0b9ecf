"""Options as people write them."""

from __future__ import annotations

import contextlib
import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domeng_sim.api.requests.base import available_cores
from domeng_sim.api.requests.kinds import RULES
from domeng_sim.api.requests.runs import RunRequest
from domeng_sim.cli import main
from domeng_sim.core.parse_int import whole_number
from domeng_sim.errors import BadInput


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0), ("7", 7), ("1000000", 10**6), ("1_000_000", 10**6), ("1,000,000", 10**6), ("1e6", 10**6),
        ("5E3", 5000), ("1e+3", 1000), (" 12 ", 12), ("007", 7), (12, 12), (1e6, 10**6), ("1_000e3", 10**6), ("0e9", 0),
        ("1.5e6", 1_500_000), ("2.50e1", 25),
    ],
)  # fmt: skip
def test_whole_number__is_read_as_people_write_it(text: object, number: int) -> None:
    assert whole_number(text, 0, 10**9) == number


@pytest.mark.parametrize(
    "text",
    ["", " ", "-1", "+1", "1e-3", "1e", "e6", "1__000", "1,00", "1 000", "0x10", "nan", "inf", "one", "1e99999",
     "٣", "1\n2", None, True, 1.5, float("nan"), float("inf"), 1e300, [], {}, b"1"],
)  # fmt: skip
def test_whole_number__refuses_the_rest(text: object) -> None:
    with pytest.raises(ValueError, match="is not a whole number from 0 to 1000000000") as caught:
        whole_number(text, 0, 10**9)
    assert len(str(caught.value)) < 150


@given(st.integers(0, 2**64 - 1))
def test_whole_number__reads_every_seed(seed: int) -> None:
    assert whole_number(str(seed), 0, 2**64 - 1) == whole_number(f"{seed:_}", 0, 2**64 - 1) == seed


@given(st.text(max_size=30))
def test_whole_number__never_fails_otherwise(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert whole_number(text, 0, 10**9) in range(10**9 + 1)


def test_rules__are_pairs_and_the_same_twice_is_once() -> None:
    texts = ("stones=20", " passebunge = first ", "stones=20")
    assert RULES.check("rules", texts) == {"stones": "20", "passebunge": "first"}
    with pytest.raises(BadInput, match="given twice"):
        RULES.check("rules", ("stones=20", "stones=21"))


def test_defaults__are_a_million_rounds_of_random() -> None:
    config = RunRequest().config
    assert (config.rounds, config.matches, config.games_per_match, config.level) == (10**6, 0, 10, "rounds")
    assert {seat.text for seat in config.seats} == {"random"}
    assert RunRequest().config.seed != config.seed


def _of_file(path: Path, *words: str) -> dict[str, object]:
    """What the command would do, by way of the file that it saves."""
    saved = path.with_name("saved.toml")
    saved.unlink(missing_ok=True)
    assert main(["run", "--config", str(path), *words, "--save-config", str(saved), "--quiet"]) == 0
    return tomllib.loads(saved.read_text())


def test_config_file__takes_names_with_either_stroke_and_numbers_as_text(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text(
        'rounds = 1e6\nrounds_per_match = "1_000"\nseed = "18446744073709551615"\nthreads = 2\nstore-hands = true\n'
        'out = "x"\n'
        'seats = ["random", "banker@1", "random", "random", "random"]\n[rules]\nstones = "20"\n'
    )
    assert _of_file(path) == {
        "game": "domeng",
        "tables": "rounds",
        "rounds": 10**6,
        "rounds-per-match": 1000,
        "seed": str(2**64 - 1),
        "threads": 2,
        "store-hands": True,
        "out": "x",
        "seats": ["random", "banker@1", "random", "random", "random"],
        "rules": {"stones": 20},
    }


@pytest.mark.parametrize(
    "text",
    [
        "[rules]\nstones = 20\ncamat_check = 'before'",
        "[rule]\nstones = 20\ncamat_check = 'before'",
        "rule = ['stones=20', 'camat_check = before']",
        "rule = {stones = 20, camat_check = 'before'}",
    ],
)
def test_config_file__takes_rules_also_under_the_name_of_the_option(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run.toml"
    # as editors of Windows begin a file
    path.write_bytes(b"\xef\xbb\xbf" + f"seed = 1\n{text}\n".encode())
    assert _of_file(path)["rules"] == {"stones": 20, "camat_check": "before"}
    assert _of_file(path, "--rule", "stones=30")["rules"] == {"stones": 30, "camat_check": "before"}


def test_config_file__gives_way_to_the_command_line_also_where_two_options_exclude_each_other(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text("matches = 5\nstrategy = 'banker'\nseed = 1\n")
    assert "matches" not in _of_file(path, "--rounds", "700") and _of_file(path, "--rounds", "700")["rounds"] == 700
    assert "strategy" not in _of_file(path, "--seats", "random,random,random,random,banker")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rule = 'stones=20'\n[rules]\nstones = 20", "rules stands there twice"),
        ("rule = 'stones'", "run.toml: rules takes name=value"),
        ("rule = 3", "run.toml: rules takes names of rules, each with a value, such as stones=20, not 3"),
        ("quiet = 'yes'", "run.toml: quiet takes true or false, not 'yes'"),
        ("color = 'red'", "run.toml: color takes auto, always or never, not 'red'"),
        ("ruel = 3", "no option 'ruel'; there are cluster, color, game, "),
        ("resume = true", "no option 'resume'"),
    ],
)
def test_config_file__says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.toml").write_text(text)
    assert main(["run", "--config", "run.toml"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["compare", "hunter", "random", "--until", "0.5pp", "--until", "decided", "--sprt", "0.2,0.21"],
        ["compare", "hunter", "random", "--opponents", "banker", "--blocks", "50", "--level", "0.9"],
        ["tournament", "random", "hunter", "banker", "heaviest", "lightest", "--time-limit", "2.5", "--best-at", "300"],
        ["sensitivity", "--option", "stones=20", "--option", "camat_check", "--blocks", "70"],
        ["sweep", "--over", "weights.unseen=-2..0/1", "--over", "rule.stones=20,25", "--base", "master"],
        ["tune", "bold", "--features", "unseen,double", "--population", "4", "--time", "10m", "--out", "a.toml"],
        ["power", "hunter", "random", "--difference", "1pp", "--difference", "0.5pp", "--pilot", "40"],
        ["odds", "--hand", "6|5 4|1", "--seat", "1", "--log", "0:6|6", "--samples", "200"],
        ["play", "--seat", "0,2", "--opponents", "random", "--games-per-match", "2", "--pace", "0.5"],
        ["show", "--seats", "banker,random,random,random,random", "--match", "3", "--round", "all"],
    ],
    ids=lambda words: words[0],
)
def test_config_file__repeats_any_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    common = ["--rule", "stones=30"] if words[0] != "odds" else []
    status = main([*words, *common, "--seed", "5", "--save-config", str(first)])
    if "--sprt" in words:
        assert status == 2 and "--sprt and --until do not go together" in capsys.readouterr().err
        return
    if words[0] == "odds":
        assert status == 2  # the hand is too small: a position is checked before it is saved
        return
    assert status == 0
    assert main([words[0], "--config", str(first), "--save-config", str(second)]) == 0
    assert tomllib.loads(second.read_text()) == tomllib.loads(first.read_text())
    assert tomllib.loads(first.read_text())["rules"] == {"stones": 30} if common else True


def test_config_file__says_how_the_result_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.toml").write_text("matches = 2\nseed = 1\njson = true\nquiet = true\ncolor = 'always'\n")
    assert main(["run", "--config", "run.toml", "--out", "first"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["totals"]["matches"] == 2 and err == ""
    Path("run.toml").write_text("matches = 2\nseed = 1\nquiet = true\ncolor = 'always'\n")
    assert main(["run", "--config", "run.toml", "--out", "second"]) == 0
    assert "\x1b[" in capsys.readouterr().out
    assert main(["run", "--config", "run.toml", "--out", "third", "--color", "auto"]) == 0
    assert "\x1b[" not in capsys.readouterr().out


def test_cores__are_at_least_one() -> None:
    assert available_cores() >= 1
