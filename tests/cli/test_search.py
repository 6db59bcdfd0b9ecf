"""A search player in every command that plays: the same rows with any threads, interrupted or not."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.command_line import call, manifest, one_line, parts, put_manifest

pytestmark = pytest.mark.compiled
SEATS = "search+n=9,master,search+n=5+base=banker+value=stones@1,random,search+n=4+infer=careless"


def test_run__has_the_same_rows_with_any_threads(capsys, tmp_path):
    found = []
    for threads in (1, 2):
        words = ("run", "--rounds", 600, "--seats", SEATS, "--tables", "events", "--seed", 4, "--quiet")
        assert call(capsys, *words, "--threads", threads, "--out", tmp_path / str(threads)).status == 0
        found.append(parts(tmp_path / str(threads)))
    assert found[0] == found[1] and len(found[0]) > 3
    [first, *_] = manifest(tmp_path / "1")["seats"]
    assert first["search"] == {"n": 9, "value": "camat", "base": "master"}
    assert manifest(tmp_path / "1")["seats"][4]["search"]["infer"] == "careless"


def test_run__that_lost_parts_is_gone_on_with_to_the_same_rows(capsys, tmp_path):
    whole, half = tmp_path / "whole", tmp_path / "half"
    words = ("run", "--rounds", 600, "--seats", SEATS, "--tables", "rounds", "--seed", 4, "--quiet")
    assert call(capsys, *words, "--out", whole).status == 0
    shutil.copytree(whole, half)
    record = json.loads((half / "manifest.json").read_text())
    lost = record["parts"][-1]["first_match"]
    record["parts"] = [part for part in record["parts"] if part["first_match"] != lost]
    record |= {"status": "running", "totals": {}, "matches": None}
    put_manifest(half, record)
    for path in parts(half):
        if path not in {part["path"] for part in record["parts"]}:
            (half / path).unlink()
    assert len(parts(half)) < len(parts(whole))
    assert call(capsys, "run", "--out", half, "--resume", "--quiet").status == 0
    assert parts(half) == parts(whole)


@pytest.mark.parametrize(
    ("rule", "value", "says"),
    [
        ("max_rounds=50", "camat", 0),
        ("stones=24", "camat", 1),
        ("closing_passes=free", "camat", 1),
        ("stones=24", "stones", 0),
    ],
)
def test_search__under_other_rules_than_the_usual_ones_says_that_it_goes_by_stones(capsys, tmp_path, rule, value, says):
    words = ("run", "--rounds", 20, "--strategy", f"search+n=2+value={value}", "--seed", 1, "--rule", rule)
    assert call(capsys, *words, "--out", tmp_path / "run").err.count("the search strives for few stones") == says


def test_compare__takes_search_players(capsys):
    words = ("compare", "search+n=4", "search+n=8", "--opponents", "master", "--blocks", 6, "--seed", 1)
    said = call(capsys, *words, "--threads", 1)
    assert said.status == 0
    assert "search+n=4" in said.out and "search+n=8" in said.out
    assert call(capsys, *words, "--threads", 2).out == said.out


def test_tournament__takes_search_players(capsys):
    said = call(capsys, "tournament", "search+n=4", "master", "random", "banker", "hunter", "--blocks", 8, "--seed", 1)
    assert said.status == 0 and "search+n=4" in said.out


def test_odds__let_search_players_play_on_from_what_they_know(capsys):
    words = (
        "odds", "--hand", "6|6 5|4 4|3 2|1", "--log", "0:6|5 1:5|5 2:5|3 3:3|3l 4:pass 0:6|1r", "--seat", 1,
        "--own-strategy", "search+n=3", "--opponents", "search+n=4+value=stones", "--samples", 40, "--seed", 1,
    )  # fmt: skip
    said = call(capsys, *words)
    assert said.status == 0, said.err
    assert call(capsys, *words, "--threads", 1).out == said.out


def test_config__holds_a_search_player(capsys, tmp_path):
    (tmp_path / "deep.toml").write_text('[[strategy]]\nname = "deep"\nsearch = { n = 3 }\n')
    file = tmp_path / "run.toml"
    words = ("run", "--strategy", f"{tmp_path}/deep.toml:deep", "--rounds", 50, "--seed", 1)
    assert call(capsys, *words, "--save-config", file).status == 0
    said = call(capsys, "run", "--config", file, "--out", tmp_path / "run", "--quiet")
    assert said.status == 0, said.err
    assert manifest(tmp_path / "run")["seats"][4]["search"]["n"] == 3


def test_strategies__explain_the_search_player(capsys):
    said = call(capsys, "strategies", "search+n=300+value=stones")
    assert said.status == 0
    for text in ("up to 300 deals", "strives for stones", "n  ", "base  ", "value  ", "next_void"):
        assert text in said.out
    assert "search" in call(capsys, "strategies").out
    assert "search" in call(capsys, "strategies", "--game", "draw").out
    assert "for master" in " ".join(call(capsys, "strategies", "search+infer=master").out.split())
    [document] = call(capsys, "strategies", "search", "--json").json["strategies"]
    assert document["search"] == {"n": 100, "value": "camat", "base": "master"}


@pytest.mark.parametrize("words", [("run", "--strategy", "search+n=0"), ("compare", "search+m=1", "master")])
def test_wrong_search__is_one_line_and_status_2(capsys, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    said = call(capsys, *words)
    assert said.status == 2
    one_line(said)
