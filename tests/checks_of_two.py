"""What is checked of games for two under any rules: stories, blocks, reports and exact odds against the twin's rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import pandas as pd

from domeng_sim.games.shared.narrative import Story
from domeng_sim.games.types import Task
from domeng_sim.positions.odds import exact_odds
from tests.draw_positions import naive_odds, small_positions
from tests.draw_runs import Runs
from tests.effort import effort
from tests.report_runs import Pairs, naive_two

Rows = list[dict[str, Any]]
Tables = dict[str, Rows]
SEATS = range(2)


def agree(runs: Runs, job: Task, expected: Tables) -> None:
    """The core's rows are the twin's, and its counts are those of the rows."""
    tables, counts = runs.core(job)
    runs.assert_same_tables(tables, expected)
    runs.assert_counts(job, tables, counts, expected["closed"])


# --- Stories ----------------------------------------------------------------------------------------------------------


def story_is_true(story: Story, own: Rows, end: dict[str, Any], game: dict[str, Any], rules: Mapping[str, Any]) -> None:
    """What a story says is what the twin's rows of that round say.

    Parameters
    ----------
    story
        The round as it is told to somebody who sees everything.
    own
        Its events.
    end, game
        Its row, and that of its game.
    rules
        All rules.
    """
    events = {row["step"]: row for row in own}
    stock, drawn = 14, 0
    for step in story.steps:
        if step.event == "award":
            told = re.search(r"scores (\d+|no) points?\.", step.text)
            assert told and int(told[1].replace("no", "0")) == events[step.at]["stones"], step.text
        elif step.event == "draw":
            stock, drawn = stock - 1, drawn + 1
            assert f"from the stock, which has {stock} left" in step.text
        elif step.event == "pass":
            assert ("no more than one tile is drawn" in step.text) == (rules.get("draw") == "one" and stock > 2)
            assert ("the last 2 tiles of the stock" in step.text) == ("draw" in rules and stock <= 2)
        drawn = drawn if step.event == "draw" else 0
        assert drawn <= (1 if rules.get("draw") == "one" else 12)
        assert ("The rules ask for this very tile" in step.text) == (
            step.event == "lead" and rules["opening_lead"] == "highest"
        )
    assert stock == end.get("stock", 14)
    rows = {line[:12].strip(): line[12:].split() for line in story.closing if line[:5] in ("pips ", "score")}
    assert [int(n) for n in rows["pips"]] == [end[f"pips_{seat}"] for seat in SEATS]
    assert [int(n) for n in rows["score after"]] == [end[f"score_{seat}"] for seat in SEATS]
    text, is_last = "\n".join(story.closing), end["round"] == game["rounds"] - 1
    won = re.search(r"[Ss]eat (\d) gets to (\d+) and wins the game", text)
    assert bool(won) == (is_last and game["ended"] == "finished")
    assert not won or (int(won[1]), int(won[2])) == (game["winner"], rules["target"])
    assert ("The game ends without a winner" in text) == (is_last and game["ended"] == "truncated")


def words_are_true(lesson: Sequence[str], glossary: Mapping[str, str], tables: Tables) -> None:
    """The lesson and the glossary speak of drawing where tiles are drawn."""
    text = " ".join([*lesson, *glossary.values()])
    assert ("you draw from the stock" in text) == ("stock" in tables["rounds"][0]) == ("stock" in glossary)


# --- Blocks -----------------------------------------------------------------------------------------------------------


def totals_of(tables: Tables) -> Iterator[tuple[int, str]]:
    """What is counted of a table as a whole: matches, and names of totals."""
    for row in tables["games"]:
        yield from ((row["match"], "finished"),) * (row["ended"] == "finished")
        yield from ((row["match"], "ended"),) * (row["ended"] != "unfinished")
    yield from ((row["match"], "rounds") for row in tables["rounds"])


def amounts_of(tables: Tables) -> Iterator[tuple[int, int, str, int]]:
    """What is counted of a seat: matches, seats, names of measures, and how much."""
    for row in tables["games"]:
        if row["ended"] == "finished":
            yield row["match"], row["winner"], "won", 1
        for seat in SEATS if row["ended"] != "unfinished" else ():
            yield row["match"], seat, "game_score", row[f"score_{seat}"]
    for row in tables["rounds"]:
        if row["winner"] >= 0:
            yield row["match"], row["winner"], "rounds_won", 1
            yield row["match"], row["winner"], f"rounds_{row['outcome']}", 1
        for seat in SEATS:
            for name in ("draws", "passes", "pips"):
                if f"{name}_{seat}" in row:
                    yield row["match"], seat, name, row[f"{name}_{seat}"]
    for row in tables["events"]:
        if row["event"] == "award":
            yield row["match"], row["seat"], "points", row["stones"]


# --- Reports and exact odds -------------------------------------------------------------------------------------------


def figures_of(frames: Mapping[str, pd.DataFrame], texts: Sequence[str], rules: Mapping[str, Any]) -> Pairs:
    """Numerators and denominators of a report."""
    return naive_two(frames["rounds"], frames["games"], texts, rules["target"])


def odds_are_exact(name: str, given: dict[str, Any]) -> None:
    """The exact odds of a late position are those of going through everything naively.

    Parameters
    ----------
    name
        The game.
    given
        Rules, as far as they are not the usual ones.
    """
    from tests.every_game import runs_of

    runs = runs_of(name)
    for here in islice(small_positions(runs, given, effort(400, 40), effort(60, 20)), 1):
        for move in exact_odds(runs.spec, here).moves:
            assert move.fractions == naive_odds(here, here.moves[move.number]), (here, move.text)
            assert sum(move.fractions[f"outcome_{kind}"] for kind in ("out", "blocked", "tied")) == 1
