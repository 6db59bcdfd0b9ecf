"""What is checked of Domeng under any rules: stories, blocks, reports and exact odds against the rows of the twin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from domeng_sim.games.shared.narrative import Story
from domeng_sim.games.types import Task
from tests import domeng_runs
from tests.exact_of_five import odds_are_exact as odds_are_exact
from tests.report_runs import Pairs, naive_events, naive_games, naive_rounds, naive_summary

Rows = list[dict[str, Any]]
Tables = dict[str, Rows]
SEATS = range(5)
FINISHED = {"cappu": "A plain CAPPU", "ceki": "CEKI:", "pollo": "POLLO:"}
SIDES = {"before": -1, "after": 1}
"""What words say of who sits where, in seats clockwise."""


def agree(runs: Any, job: Task, expected: Tables) -> None:
    """The core's rows are the twin's, and its counts are those of the rows."""
    tables, counts = domeng_runs.core(job)
    domeng_runs.assert_same_tables(tables, expected)
    domeng_runs.assert_counts(job, tables, counts)


# --- Stories ----------------------------------------------------------------------------------------------------------


def moved(text: str) -> tuple[int, dict[str, int]]:
    """Stones that a text says were moved, and from where."""
    if any(words in text for words in ("gets none of", "gets no stones", "PASSes are free")):
        return 0, {}
    found = re.search(r"gets (\d+)(?: of \d+)? stones?(:| )(.*)", text)
    assert found, text
    total = int(found[1])
    if found[2] == ":":
        return total, {who: int(n) for n, who in re.findall(r"(\d+) from (the table|seat \d)", found[3])}
    source = re.match(r"from (the table|seat \d)", found[3])
    assert source, text
    return total, {source[1]: total}


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
    for step in story.steps:
        if step.event not in ("pass", "passebunge", "award"):
            continue
        row = events[step.at]
        wanted = {"the table": row["from_table"]} | {f"seat {k}": row[f"given_{k}"] for k in SEATS}
        assert moved(step.text) == (row["stones"], {who: n for who, n in wanted.items() if n}), step.text
        # a PASSEBUNGE is called so, an ordinary PASS never
        assert ("PASSEBUNGE" in step.text) == (step.event == "passebunge")
        told = re.search(r"[Ss]eat (\d) is CUCUQ, the seat (before|after) ", step.text)
        assert bool(told) == (step.event == "award" and end["cucuq"] >= 0), step.text
        if told:
            assert int(told[1]) == end["cucuq"] == (end["winner"] + SIDES[told[2]]) % 5
    plays_and_passes_are_true(story, events, end, rules)
    text = "\n".join(story.closing)
    after = next(line for line in story.closing if line.startswith("after")).split()[1:]
    assert list(map(int, after)) == [*(end[f"stones_{k}"] for k in SEATS), end["table_stones"]]
    said_camat = any("CAMAT: the table" in line and not line.startswith("No") for line in story.closing)
    assert said_camat == (end["camat"] >= 0)
    is_truncated = game["ended"] == "truncated" and end["round"] == game["rounds"] - 1
    assert ("The game ends without a CAMAT" in text) == is_truncated
    if end["outcome"] in FINISHED:
        assert FINISHED[end["outcome"]] in text and (end["outcome"] != "cappu") == ("MAPPAKULING" in text)
        return
    pips = re.search(r"Unplayed pips: (.*)\.", text)
    assert pips
    held = [end[f"pips_{k}"] for k in SEATS]
    assert [int(n) for n in re.findall(r"seat \d (\d+)", pips[1])] == held
    named = re.search(r"MATTIKKENG, with \d+ or fewer: (.*)\.", text)
    seats = [int(k) for k in re.findall(r"seat (\d)", named[1])] if named else []
    assert sum(1 << seat for seat in seats) == end["mattikkeng_seats"]
    if "whatever the pips" in text:
        assert end["winner"] == min(seats, key=lambda seat: (seat - end["last_mappano"]) % 5)
    elif seats:
        assert held[end["winner"]] == min(held[seat] for seat in seats)


def plays_and_passes_are_true(
    story: Story, events: Mapping[int, dict[str, Any]], end: dict[str, Any], rules: Mapping[str, Any]
) -> None:
    """What is said of leads, of a MAPPAKULING, and of PASSes that are ordinary, closing or free."""
    forced = rules["opening_lead"] == "double" and (end["game"], end["round"]) == (0, 0)
    played: set[int] = set()
    last = max(step.at for step in story.steps if step.event in ("lead", "play"))
    for step in story.steps:
        row, is_pass = events[step.at], step.event in ("pass", "passebunge")
        assert ("this very double" in step.text) == (step.event == "lead" and forced)
        if step.event in ("lead", "play"):
            played.add(row["seat"])
            assert ("MAPPAKULING" in step.text) == (step.event == "play" and row["left_end"] == row["right_end"])
        ordinary = step.event == "pass" and row["seat"] not in played
        assert ("an ordinary PASS as it is not the first" in step.text) == ordinary
        assert not ordinary or rules["passebunge"] == "first"
        is_closing = end["outcome"] not in FINISHED and step.at > last and is_pass
        assert ("Closing PASS" in step.text) == is_closing
        assert ("Closing PASSes are free" in step.text) == (is_closing and rules["closing_passes"] == "free")


def words_are_true(lesson: Sequence[str], glossary: Mapping[str, str], tables: Tables) -> None:
    """The lesson and the glossary say where CUCUQ sits in these rows."""
    sides = {(row["cucuq"] - row["winner"] + 2) % 5 - 2 for row in tables["rounds"] if row["cucuq"] >= 0}
    said = re.findall(r"the player (before|after)", " ".join([*lesson, *glossary.values()]).lower())
    assert len(said) > 4
    assert not sides or {SIDES[side] for side in said} == sides


# --- Blocks -----------------------------------------------------------------------------------------------------------


def totals_of(tables: Tables) -> Iterator[tuple[int, str]]:
    """What is counted of a table as a whole: matches, and names of totals."""
    for row in tables["games"]:
        yield from ((row["match"], "finished"),) * (row["ended"] == "camat")
        yield from ((row["match"], "ended"),) * (row["ended"] != "unfinished")
    yield from ((row["match"], "rounds") for row in tables["rounds"])


def amounts_of(tables: Tables) -> Iterator[tuple[int, int, str, int]]:
    """What is counted of a seat: matches, seats, names of measures, and how much."""
    for row in tables["games"]:
        if row["ended"] == "camat":
            yield row["match"], row["camat"], "won", 1
        for seat in SEATS if row["ended"] != "unfinished" else ():
            yield row["match"], seat, "game_stones", row[f"stones_{seat}"]
    outcomes = {}
    for row in tables["rounds"]:
        match, outcome = row["match"], row["outcome"]
        outcomes[match, row["game"], row["round"]] = outcome
        yield match, row["winner"], "rounds_won", 1
        if outcome in ("ceki", "pollo"):
            yield match, row["winner"], f"{outcome}_made", 1
            yield match, row["cucuq"], f"{outcome}_suffered", 1
        elif outcome == "manguno":
            yield match, row["winner"], "manguno_made", 1
        elif outcome == "mattikkeng":
            yield match, row["last_mappano"], "mattikkeng_suffered", 1
        for seat in SEATS:
            yield match, seat, "passes", row[f"passes_{seat}"]
    for row in tables["events"]:
        if row["event"] in ("pass", "passebunge", "award"):
            key = row["match"], row["game"], row["round"]
            cause = outcomes[key] if row["event"] == "award" else row["event"]
            yield row["match"], row["seat"], f"stones_received_{cause}", row["stones"]
            for seat in SEATS:
                yield row["match"], seat, f"stones_given_{cause}", row[f"given_{seat}"]


# --- Reports ----------------------------------------------------------------------------------------------------------


def figures_of(frames: Mapping[str, pd.DataFrame], texts: Sequence[str], rules: Mapping[str, Any]) -> Pairs:
    """Numerators and denominators of a report."""
    rounds = frames["rounds"]
    found = naive_games(frames["games"], texts, rules["stones"]) | naive_rounds(rounds)
    return found | naive_events(frames["events"]) | naive_summary(rounds, texts)
