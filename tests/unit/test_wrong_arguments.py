"""Whatever is wrong with what is asked for is one kind of error, from every front end, and names the field.

A table: the function, what it is given, and the field that the error is about.  What can be said on the command line is
tried there too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import domeng_sim
from domeng_sim.cli import main
from domeng_sim.cli.options import ARGUMENTS
from domeng_sim.errors import BadField, BadInput, FieldRef
from domeng_sim.runs.command import on_command_line, words
from tests.command_line import call as called
from tests.command_line import one_line

FIVE = ("random", "heaviest", "lightest", "flexible", "hunter")
HAND: dict[str, Any] = {"hand": "6|5 4|1 3|1 2|1", "log": "0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r"}
NOT_WHOLE = (0, -1, 1.5, "many", True, [5], 10**30, float("nan"))
NOT_A_SWITCH = ("no", 1, [], "True")
NOT_A_STRATEGY = ("nobody", "", 5, ["random"], "nowhere.py:choose")
NOT_A_LEVEL = (0, 1, 95, -0.1, "high", float("nan"), True, [0.9])

# function, arguments, what is wrong: several values for a field each
KINDS: list[tuple[str, tuple[Any, ...], dict[str, Any], str, tuple[Any, ...]]] = [
    ("simulate", (), {}, "matches", NOT_WHOLE),
    ("simulate", (), {"matches": 1}, "seed", (-1, 2**64, 0.5, "lucky", False)),
    ("simulate", (), {"matches": 1}, "games_per_match", (0, 65_536, 2.5)),
    ("simulate", (), {"matches": 1}, "rules", (5, {"stonse": 3}, {"stones": 256}, {"stones": 2.5}, {1: 2}, ["stones"])),
    ("simulate", (), {"matches": 1}, "tables", ("round", 5, None.__class__, ["games"])),
    ("simulate", (), {"matches": 1}, "store_hands", NOT_A_SWITCH),
    ("simulate", (), {"matches": 1}, "strategy", NOT_A_STRATEGY),
    ("simulate", (), {"matches": 1}, "seats", ("random", ["random"] * 4, 5, [], ["random"] * 4 + [5], "random,,,,")),
    ("simulate", (), {"matches": 1}, "game", ("chess", 1, "", "Domeng")),
    ("run", ("dir",), {}, "rounds", (0, "1e30", 0.5)),
    ("run", ("dir",), {}, "until", ("ceki", "ceki=0pp", "nobody=1pp", "game.rounds=1pp", 5, "", [], ["ceki=1%", 3])),
    ("run", ("dir",), {"until": "ceki=1pp"}, "max_rounds", (0, -1, 1.5, "all")),
    ("run", ("dir",), {"matches": 1}, "threads", (0, 1025, "all")),
    ("run", ("dir",), {"matches": 1}, "overwrite", ("yes", 1)),
    ("run", (), {"matches": 1}, "out", ("", "  ", "a\0b", 5, "a\udcff")),
    ("compare", ("hunter",), {}, "b", NOT_A_STRATEGY),
    ("compare", ("hunter", "random"), {}, "blocks", (0, -5, "all", 1.5)),
    ("compare", ("hunter", "random"), {}, "until", (0.5, "soon", "0pp", "5", ["0.5pp", 3], [])),
    ("compare", ("hunter", "random"), {}, "sprt", (5, (0.2,), (0.3, 0.2), "0.2", "a,b", (0.2, 0.3, 0.4), (True, 0.5))),
    ("compare", ("hunter", "random"), {"sprt": (0.2, 0.21)}, "alpha", (0, 1, "low")),
    ("compare", ("hunter", "random"), {}, "level", NOT_A_LEVEL),
    ("compare", ("hunter", "random"), {}, "time_limit", (0, -1.0, "soon", float("inf"), True)),
    ("compare", ("hunter", "random"), {}, "best_at", (0, 0.5)),
    ("compare", ("hunter", "random"), {}, "field", (0, 5, (1, 7), "x", 1.5, [])),
    ("compare", ("hunter", "random"), {}, "all_mixes", NOT_A_SWITCH),
    ("compare", ("hunter", "random"), {}, "opponents", ("nobody", ["random"] * 3, 5, [])),
    ("tournament", FIVE, {}, "max_blocks", (0, "x")),
    ("tournament", FIVE, {}, "games_per_match", (0, "x")),
    ("tournament", ("random", "nobody"), {}, "names", ()),
    ("sensitivity", (), {}, "strategy", NOT_A_STRATEGY),
    ("sensitivity", (), {}, "ranking", ("nobody,random", 5, "")),
    ("sensitivity", (), {}, "blocks", (0, 10**7)),
    ("sensitivity", (), {"ranking": FIVE}, "ranking_blocks", (0, 1.5)),
    ("sensitivity", (), {}, "level", NOT_A_LEVEL),
    ("power", ("hunter", "random"), {}, "difference", ("soon", "0pp", 0.5, "decided", [])),
    ("power", ("hunter", "random"), {}, "power", (0, 1, 80, "high")),
    ("power", ("hunter", "random"), {}, "pilot", (1, 1.5)),
    ("odds", (), HAND, "samples", (0, -1, 1.5, "all")),
    ("odds", (), HAND, "until", (0.5, "decided", "0pp", "x")),
    ("odds", (), HAND, "exact", ("no", 1)),
    ("odds", (), HAND, "own_strategy", NOT_A_STRATEGY),
    ("odds", (), HAND, "infer", NOT_A_STRATEGY),
    ("odds", (), HAND, "opponents", ("nobody", ["random"] * 3, 5)),
    ("export", ("dir",), {"out": "x.csv"}, "table", ("round", 5, "", None.__class__)),
    ("export", ("dir",), {"out": "x.csv"}, "columns", ("", "a,,b", 5, [], [5])),
    ("export", ("dir",), {"out": "x.csv"}, "match", ("5..3", -1, 1.5, "x", True, (1, 2, 3), "1..2..3", "..x", (5, 3))),
    ("export", ("dir",), {"out": "x.csv"}, "format", ("xlsx", 5, "")),
    ("export", ("dir",), {"out": "x.csv"}, "overwrite", ("yes", 1)),
    ("report", ("dir",), {}, "tables", ("all", 5)),
    ("report", ("dir",), {}, "level", (0.4, 1, float("nan"), "x")),
    ("report", ("dir",), {}, "threads", (0, "x")),
]

# what contradicts something else, or means nothing without it
TOGETHER: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("simulate", (), {"matches": 1, "rounds": 5}, "matches"),
    ("simulate", (), {"games_per_match": 1, "rounds_per_match": 5}, "games_per_match"),
    ("simulate", (), {"strategy": "random", "seats": list(FIVE)}, "strategy"),
    ("simulate", (), {"matches": 1, "tables": "games", "store_hands": True}, "store_hands"),
    ("run", ("dir",), {"resume": True, "overwrite": True}, "resume"),
    ("run", ("dir",), {"until": "ceki=1pp", "matches": 5}, "until"),
    ("run", ("dir",), {"until": "ceki=1pp", "rounds": 5}, "until"),
    ("run", ("dir",), {"until": ["ceki=1pp", "outcome.ceki=2%"]}, "until"),
    ("run", ("dir",), {"max_rounds": 5}, "max_rounds"),
    ("run", (), {"resume": True}, "resume"),
    ("run", (), {"overwrite": True}, "overwrite"),
    ("compare", ("hunter", "random"), {"field": 1, "all_mixes": True}, "field"),
    ("compare", ("hunter", "random"), {"field": 1, "opponents": "banker"}, "field"),
    ("compare", ("hunter", "random"), {"opponents": "banker", "sprt": (0.2, 0.21)}, "opponents"),
    ("compare", ("hunter", "random"), {"opponents": "banker", "all_mixes": True}, "all_mixes"),
    ("compare", ("hunter", "random"), {"blocks": 5, "max_blocks": 5}, "blocks"),
    ("compare", ("hunter", "random"), {"blocks": 5, "until": "1pp"}, "blocks"),
    ("compare", ("hunter", "random"), {"blocks": 5, "time_limit": 1.0}, "blocks"),
    ("compare", ("hunter", "random"), {"sprt": (0.2, 0.21), "blocks": 5}, "sprt"),
    ("compare", ("hunter", "random"), {"sprt": (0.2, 0.21), "field": 2}, "sprt"),
    ("compare", ("hunter", "random"), {"sprt": (0.2, 0.21), "alpha": 0.6, "beta": 0.5}, "alpha"),
    ("compare", ("hunter", "random"), {"beta": 0.1}, "beta"),
    ("compare", ("starver", "random"), {"game": "draw", "all_mixes": True}, "all_mixes"),
    ("compare", ("starver", "random"), {"game": "draw", "field": 2}, "field"),
    ("tournament", FIVE, {"resume": True}, "resume"),
    ("tournament", FIVE, {"blocks": 5, "until": "decided"}, "blocks"),
    ("sensitivity", (), {"ranking_blocks": 10}, "ranking_blocks"),
    ("odds", (), HAND | {"samples": 9, "until": "1pp"}, "samples"),
    ("odds", (), HAND | {"exact": True, "own_strategy": "banker"}, "own_strategy"),
    ("odds", (), HAND | {"exact": True, "infer": "banker"}, "infer"),
    ("odds", (), HAND | {"match": 3}, "match"),
    ("odds", (), HAND | {"from_run": "dir", "match": 0, "round": 0, "step": 30}, "hand"),
    ("odds", (), {"from_run": "dir", "match": 0}, "from_run"),
    ("odds", (), {"from_run": "dir", "rules": {"stones": 20}}, "from_run"),
]

# the rest: fields that are not there, arguments that are missing or too many
OTHERS: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("simulate", (), {"seat": "random"}, "seat"),
    ("simulate", (), {"hands": True}, "hands"),
    ("run", ("dir",), {"directory": "dir"}, "directory"),
    ("run", ("dir",), {"out": "other"}, "out"),
    ("compare", ("hunter",), {}, "b"),
    ("compare", ("hunter", "random"), {"against": "banker"}, "against"),
    ("compare", ("hunter", "random"), {"a": "banker"}, "a"),
    ("tournament", (), {}, "names"),
    ("power", ("hunter", "random"), {"chance": 0.5}, "chance"),
    ("odds", (), HAND | {"own": "banker"}, "own"),
    ("odds", (), HAND | {"self": "banker"}, "self"),
    ("odds", (), HAND | {"scores": "1,2"}, "scores"),
    ("export", (), {}, "run"),
    ("export", ("dir",), {"overwrite": True}, "overwrite"),
    ("export", ("dir", "x.csv"), {"column": "winner"}, "column"),
    ("report", (), {}, "runs"),
    ("report", ("",), {}, "runs"),
]  # fmt: skip

ONE_FIELD = [
    (function, arguments, {**options, field: value}, field)
    for function, arguments, options, field, values in KINDS
    for value in values
]
CASES = ONE_FIELD + TOGETHER + OTHERS


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_table__is_long_enough() -> None:
    assert len(CASES) >= 150


@pytest.mark.parametrize(("function", "arguments", "options", "field"), CASES)
def test_library__names_the_field(
    function: str, arguments: tuple[Any, ...], options: dict[str, Any], field: str, place: Path
) -> None:
    with pytest.raises(BadField) as caught:
        getattr(domeng_sim, function)(*arguments, **options)
    assert caught.value.field == field
    assert isinstance(caught.value, BadInput) and caught.value.status == 2
    told = str(caught.value)
    assert "--" not in told and "\n" not in told and len(told) < 500
    assert list(place.iterdir()) == []


SWITCHES = ("overwrite", "resume", "exact", "all_mixes", "store_hands")
TEXTS = ("strategy", "own_strategy", "infer", "opponents", "ranking", "seats", "b", "out", "columns", "match")


def _line(function: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> list[str] | None:
    """The same on the command line; None if it cannot be said there."""
    line = ["run" if function == "simulate" else function]
    line += ["--out", *arguments] if function == "run" and arguments else list(map(str, arguments))
    for name, value in options.items():
        is_switch, is_text = name in SWITCHES, isinstance(value, str)
        if value is False or 1 in (value if isinstance(value, dict) else ()):
            return None
        if (is_switch and value is not True) or (name in TEXTS and not is_text) or "\0" in str(value):
            return None
        if not (is_switch or is_text or isinstance(value, int | float | dict)) or (value is True and not is_switch):
            return None
        line += [value] if name == "b" else words(name, value)
    return line


@pytest.mark.parametrize(
    ("function", "arguments", "options", "field"),
    [case for case in ONE_FIELD + TOGETHER if _line(*case[:3]) is not None],
)
def test_command_line__says_the_same_in_its_own_words(
    function: str,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    field: str,
    place: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(BadField) as caught:
        getattr(domeng_sim, function)(*arguments, **options)
    line = _line(function, arguments, options)
    assert line is not None
    said = called(capsys, *line)
    told = one_line(said)
    assert said.status == 2
    name = ARGUMENTS.get(field, on_command_line(FieldRef(field))).removesuffix("...")
    assert name in told or not any(isinstance(part, FieldRef) for part in caught.value.parts)
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    "line",
    [
        "compare hunter random --field 1 --all-mixes",
        "sensitivity --ranking-blocks 10",
        "show --limit 5 --seed 1",
        "show nowhere --seed 1",
        "show --find ceki",
        "show",
        "show --seed 1 --no-hands --as-seat 2",
        "show --seed 1 --round many",
        "show --seed 1 --game-number -1",
        "show --seed 1 --as-seat 7",
        "show --seed 1 --json --step-through",
        "play --resume",
        "play --resume --out x --seed 1",
        "play --seat 7",
        "play --seat 0,0",
        "play --pace nan",
        "play --pace 61",
        "play --games-per-match 0",
        "play --own-strategy nobody",
        "play --opponents random,random",
        "report",
        "report nowhere --level 0.3",
        "strategies nobody",
        "rules --game chess",
        "export",
        "export nowhere",
        "export nowhere --match 5..3",
        "verify",
        "verify nowhere",
        "odds",
        "odds --from nowhere --match 1 --round 2",
        "odds --position nowhere.txt",
        "run --hands",
        "odds --self banker",
        "play --against banker",
        "compare hunter random --against banker",
        "show --seed 1 --game 1",
        "odds --open",
        "play --games 2",
        "play --like banker",
        "report x --figures y",
    ],
)
def test_command_line__refuses_the_rest_in_one_line(line: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = called(capsys, *line.split())
    one_line(said)
    assert said.status == 2
    assert list(place.iterdir()) == []


def test_errors__keep_what_they_carry_when_they_travel() -> None:
    import pickle

    with pytest.raises(BadField) as caught:
        domeng_sim.simulate(matches=0)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.field, again.value, str(again)) == ("matches", 0, str(caught.value))
    assert main(["run", "--matches", "0"]) == 2
