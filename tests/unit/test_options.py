"""Options as people write them."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domeng_sim.cli import main
from domeng_sim.cli.options import available_cores, make_config, parse_rules, read_config, split_seats
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
    assert parse_rules(("stones=20", " passebunge = first ", "stones=20")) == {"stones": "20", "passebunge": "first"}
    with pytest.raises(BadInput, match="given twice"):
        parse_rules(("stones=20", "stones=21"))


def test_seats__are_split_at_commas() -> None:
    assert split_seats("a, b.py:c ,d@1") == ["a", "b.py:c", "d@1"]


def test_defaults__are_a_million_rounds_of_random() -> None:
    config = make_config({})
    assert (config.rounds, config.matches, config.games_per_match, config.level) == (10**6, 0, 10, "rounds")
    assert {seat.text for seat in config.seats} == {"random"}
    assert make_config({}).seed != config.seed


def test_config_file__takes_names_with_either_stroke_and_numbers_as_text(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text(
        'rounds = 1e6\nrounds_per_match = "1_000"\nseed = "18446744073709551615"\nthreads = 2\nhands = true\n'
        'out = "x"\n'
        'seats = ["a", "b,c", "d", "e", "f"]\n[rules]\nstones = "20"\n'
    )
    expected: dict[str, Any] = {
        "rounds": 10**6,
        "rounds_per_match": 1000,
        "seed": 2**64 - 1,
        "threads": 2,
        "hands": True,
        "out": "x",
        "seats": ["a", "b,c", "d", "e", "f"],
        "rules": {"stones": "20"},
    }
    assert read_config(path) == expected


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
    path.write_text(f"seed = 1\n{text}\n")
    assert make_config(read_config(path)).rules == make_config({"rules": {"stones": 20, "camat_check": "before"}}).rules


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rule = 'stones=20'\n[rules]\nstones = 20", "rule and rules are the same; give one of them"),
        ("rule = 'stones'", "--rule takes name=value"),
        ("rule = 3", "rules must be a table"),
        ("quiet = 'yes'", "quiet must be true or false"),
        ("color = 'red'", "color must be auto, always, never, not 'red'"),
        ("ruel = 3", "no option 'ruel'; there are color, game, .*, json, .*, quiet, .*, rule, rules"),
    ],
)
def test_config_file__says_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "run.toml"
    path.write_text(text)
    with pytest.raises(BadInput, match=said):
        read_config(path)


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
