"""The command: text, JSON, page and pictures; one line and the right status for what cannot be."""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest

from domeng_sim.analysis import charts
from domeng_sim.cli import main
from tests.effort import effort
from tests.report_runs import MIXED, make_run


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    make_run(root / "one", matches=effort(30, 5), seats=MIXED)
    make_run(root / "two", matches=effort(30, 5), seats=MIXED, rules={"camat_check": "before"}, tables="rounds")
    return root


def called(capsys, *words):
    """Status, standard output and standard error of a call."""
    status = main(["report", *map(str, words)])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize("names", [["one"], ["one", "two"]])
def test_report__prints_text_of_80_columns(runs, capsys, names):
    status, out, err = called(capsys, *(runs / name for name in names), "--quiet")
    assert (status, err) == (0, "")
    commands = out.index("The same again:")
    assert max(map(len, out[:commands].splitlines())) <= 80
    assert "\x1b" not in out
    for title in (
        "How rounds end",
        "Stones",
        "CAMAT",
        "CEKI and POLLO",
        "Blocked rounds",
        "PASSes",
        "The effect of starting",
    ):
        assert f" {title}" in out
    end = "." if len(names) > 1 else ", out of"  # side by side, each run has its own
    assert f"From summary{end}" in out and f"From events{end}" in out


def test_report__of_two_runs_names_differences_and_what_is_missing(runs, capsys):
    _, out, _ = called(capsys, runs / "one", runs / "two", "--quiet")
    assert "B − A" in out
    flat = " ".join(out.split())
    assert "A is one; B is two." in flat
    assert "two minus one: paired by batch" in flat
    assert "two did not store the table events; a run with the tables up to events stores it" in flat


def test_report__of_two_runs_leaves_out_rows_whose_difference_has_no_interval(runs, capsys):
    _, out, _ = called(capsys, runs / "one", runs / "two", "--quiet")
    assert re.search(r"Without \d+ rows? too rare", " ".join(out.split()))
    assert not [line for line in out.splitlines() if line.count("±?") > 2]


def test_report__explains_the_dash_where_it_stands(runs, capsys, tmp_path):
    from domeng_sim.api import functions as api

    api.run(tmp_path / "first", matches=20, rounds_per_match=1, tables="games")
    _, out, _ = called(capsys, tmp_path / "first", "--quiet")
    assert re.search(r" –$", out, re.MULTILINE) and "–: nothing of the kind was played." in out
    _, out, _ = called(capsys, runs / "one", "--quiet")
    assert ("–: nothing" in out) == bool(re.search(r" –( |$)", out, re.MULTILINE))


def test_report__writes_every_table_as_csv_that_says_what_json_says(runs, capsys, tmp_path):
    both, tables = (runs / "one", runs / "two"), tmp_path / "tables"
    status, out, err = called(capsys, *both, "--csv", tables, "--quiet")
    made = json.loads(called(capsys, *both, "--json", "--quiet")[1])
    panels = {panel["key"]: panel for chapter in made["chapters"] for panel in chapter["panels"]}
    files = sorted(path.stem for path in tables.iterdir())
    assert (status, out, err) == (0, f"{tables}: {len(files)} tables\n", "")
    assert files == sorted(key for key, panel in panels.items() if any(panel["runs"]))
    for key in files:
        rows = pd.read_csv(tables / f"{key}.csv").set_index(["run", "key"])
        assert rows.index.is_unique
        for name, figures in zip(("one", "two"), panels[key]["runs"], strict=True):
            for figure in figures or ():
                row, one = rows.loc[name, figure["key"]], figure["estimate"]
                assert row.interval == one["kind"] and row.clusters == one["clusters"]
                for column in ("value", "low", "high"):
                    assert (one[column] is None and np.isnan(row[column])) or row[column] == one[column]
        assert set(rows.index.get_level_values("run")) <= {"one", "two", "two - one"}
    status, out, err = called(capsys, *both, "--csv", tables)
    assert status == 3 and "exists already" in err and err.count("\n") == 1
    assert called(capsys, *both, "--csv", tables, "--overwrite", "--quiet")[0] == 0
    (tmp_path / "file").write_text("")
    assert called(capsys, *both, "--csv", tmp_path / "file")[0] == 3


def test_report__json_holds_estimates_as_objects(runs, capsys):
    status, out, _ = called(capsys, runs / "one", runs / "two", "--json", "--quiet")
    assert status == 0
    made = json.loads(out)
    assert made["schema_version"] == 1
    assert [run["name"] for run in made["runs"]] == ["one", "two"]
    assert made["runs"][0]["seed"] == "3"
    panels = {panel["key"]: panel for chapter in made["chapters"] for panel in chapter["panels"]}
    figure = panels["outcome"]["runs"][0][0]
    fields = {"value", "low", "high", "level", "kind", "unit", "clusters", "events", "looks"}
    assert set(figure["estimate"]) == fields
    assert figure["estimate"]["value"] == pytest.approx(figure["numerator"] / figure["denominator"])
    assert set(panels["outcome"]["differences"][0]["outcome.cappu"]) == fields
    assert made["comparisons"][0]["paired"] is True
    assert panels["turns"]["runs"][1] is None


def test_report__writes_a_page_and_pictures_and_overwrites_neither(runs, tmp_path, capsys, monkeypatch):
    # a PDF takes a third of a second: two of the charts are enough to see what becomes of files
    some = charts.charts_by_name
    monkeypatch.setattr(charts, "charts_by_name", lambda made: dict(list(some(made).items())[:2]))
    page, pictures = tmp_path / "page.html", tmp_path / "deep" / "pictures"
    status, out, _ = called(
        capsys, runs / "one", "--html", page, "--charts", pictures, "--tables", "summary", "--quiet"
    )
    assert status == 0
    assert re.search(r"page.html: 0\.\d\d MB", out)
    names = sorted(path.suffix for path in pictures.iterdir())
    assert names == sorted([".svg", ".png", ".pdf"] * 2)
    before = page.read_bytes()
    status, _, err = called(capsys, runs / "one", "--html", page)
    assert status == 3 and "--overwrite" in err and err.count("\n") == 1
    status, _, err = called(capsys, runs / "one", "--charts", pictures, "--tables", "summary", "--quiet")
    assert status == 3 and "--overwrite" in err and err.count("\n") == 1
    assert page.read_bytes() == before
    status, _, _ = called(
        capsys, runs / "one", "--html", page, "--charts", pictures, "--tables", "summary", "--overwrite", "--quiet"
    )
    assert status == 0
    assert page.read_bytes() == before
    assert not list(tmp_path.rglob(".writing-*"))


def test_report__replaces_nothing_but_pages_of_its_own(runs, tmp_path, capsys):
    other = tmp_path / "notes.html"
    other.write_text("<p>mine</p>")
    status, _, err = called(capsys, runs / "one", "--html", other, "--overwrite")
    assert status == 3 and "no page of domeng-sim" in err
    assert other.read_text() == "<p>mine</p>"


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ([], 2, "Missing argument"),
        (["nothing"], 2, "does not exist"),
        (["."], 2, "not a dataset of domeng-sim"),
        (["RUN", "--tables", "all"], 2, "--tables takes summary, games, rounds or events"),
        (["RUN", "--level", "95"], 2, "95"),
        (["RUN", "--html", "missing/page.html"], 2, "no directory"),
        (["RUN", "--html", "."], 3, "is a directory"),
        (["RUN", "--charts", "file"], 3, "is a file"),
        (["BROKEN"], 4, "manifest"),
        (["TORN"], 4, "cannot be read"),
        (["GONE"], 4, "missing"),
    ],
)
def test_report__bad_input_is_one_line(runs, tmp_path, monkeypatch, capsys, words, status, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    for name in ("BROKEN", "TORN", "GONE"):
        if name in words:
            shutil.copytree(runs / "one", tmp_path / name)
    if "BROKEN" in words:
        (tmp_path / "BROKEN" / "manifest.json").write_text("{")
    if "TORN" in words:
        part = next((tmp_path / "TORN" / "rounds").glob("*.parquet"))
        part.write_bytes(part.read_bytes()[:-50])
    if "GONE" in words:
        next((tmp_path / "GONE" / "games").glob("*.parquet")).unlink()
    found, out, err = called(capsys, *(runs / "one" if word == "RUN" else word for word in words))
    assert (found, out) == (status, "")
    assert message in err
    assert err.strip().count("\n") == 0
