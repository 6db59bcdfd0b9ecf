"""What is checked of a game under some rules: rows, words, blocks, report and exact odds, each against the twin."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from domeng_sim.analysis.report import report
from domeng_sim.comparisons.blocks import BlockPlayer
from domeng_sim.comparisons.design import Lineup, Setting, mix
from domeng_sim.core.tiles import tile_number
from domeng_sim.games import GAMES
from domeng_sim.games.shared.narrative import Look
from domeng_sim.games.spec import GameSpec
from domeng_sim.runs import runner
from domeng_sim.runs.plan import Range
from domeng_sim.strategies.resolve import resolve
from tests.command_line import make_config
from tests.every_game import checks_of, runs_of

Rows = list[dict[str, Any]]
SEED, GAMES_PER_MATCH = 7, 2
BLOCKS = Range(0, 2)


@dataclass(frozen=True)
class Played:
    """Blocks of `heaviest` among `random`, as the twin plays them: its tables by seating."""

    spec: GameSpec
    given: dict[str, Any]
    rules: Mapping[str, Any]
    player: BlockPlayer
    lineup: Lineup
    tables: tuple[dict[str, Rows], ...]


def play(name: str, given: dict[str, Any]) -> Played:
    """Let the twin play, and compare every row and every count of the core.

    Parameters
    ----------
    name
        The game.
    given
        Rules, as far as they are not the usual ones.
    """
    spec, runs = GAMES[name], runs_of(name)
    rules = spec.resolve_rules(given)
    lineup = mix(resolve("heaviest", spec), resolve("random", spec), 1, spec.seats)
    player = BlockPlayer(Setting(name, rules, SEED, GAMES_PER_MATCH))
    player.load(lineup.members)
    tables = []
    for seating in lineup.seatings:
        seats = player.task(lineup, seating, BLOCKS).seats
        job = runs.task(given, seats, SEED, (BLOCKS.first, BLOCKS.end), games=GAMES_PER_MATCH)
        tables.append(runs.twin_rows(job))
        checks_of(name).agree(runs, job, tables[-1])
    return Played(spec, given, rules, player, lineup, tuple(tables))


def mentioned(line: str) -> set[int]:
    """Tiles in a line."""
    return {tile_number(int(high), int(low)) for high, low in re.findall(r"\[(\d)\|(\d)\]", line)}


def check_words(played: Played) -> None:
    """Every round is told as it went, and to each player only what that player saw."""
    telling, spec, rules, tables = played.spec.telling, played.spec, played.rules, played.tables[0]
    assert telling is not None
    checks = checks_of(spec.name)
    games = {(row["match"], row["game"]): row for row in tables["games"]}
    for match in range(BLOCKS.first, BLOCKS.end):
        events = [row for row in tables["events"] if row["match"] == match]
        rows = {name: [row[name] for row in events] for name in events[0]}
        for end in (row for row in tables["rounds"] if row["match"] == match):
            key = end["game"], end["round"]
            own = [row for row in events if (row["game"], row["round"]) == key]
            story = telling.tell(rows, rules, key, {}, None)
            done = [(row["step"], row["event"], row["seat"]) for row in own if row["event"] != "deal"]
            assert [(step.at, step.event, step.seat) for step in story.steps] == done
            assert all(step.text and step.text[-1] == "." for step in story.steps)
            assert (story.outcome, story.winner) == (end["outcome"], end["winner"])
            assert f"seat {end['starter']} starts" in story.opening[1].lower()
            checks.story_is_true(story, own, end, games[match, end["game"]], rules)
            for viewers in (frozenset[int](), frozenset({1})):
                seen = {row["tile"] for row in own if row["event"] == "deal" and row["seat"] in viewers}
                story = telling.tell(rows, rules, key, {1: "you"}, viewers)
                by_step = {row["step"]: row for row in own}
                for step in (story.start, *story.steps):
                    row = by_step[step.at]
                    if row["event"] in ("lead", "play") or (row["event"] == "draw" and row["seat"] in viewers):
                        seen.add(row["tile"])
                    said = " ".join([step.text, *telling.standing(step, Look(width=200))])
                    said += " ".join(story.opening) if step is story.start else ""
                    assert mentioned(said) <= seen, said
                assert mentioned(" ".join(story.closing)) <= seen
    checks.words_are_true(telling.lesson(rules), telling.glossary(rules), tables)


def check_blocks(played: Played) -> None:
    """All that strategies are compared by is what the rows say."""
    scoring, checks = played.spec.scoring(played.rules), checks_of(played.spec.name)
    measures = [measure.key for measure in scoring.measures]
    amounts: Counter[tuple[int, int, str]] = Counter()
    totals: Counter[tuple[int, str]] = Counter()
    for seating, tables in zip(played.lineup.seatings, played.tables, strict=True):
        totals.update(checks.totals_of(tables))
        for match, seat, key, n in checks.amounts_of(tables):
            amounts[match, seating[seat], key] += n
    assert {key for *_, key in amounts} <= {"won", *measures}
    scores = played.player.play(played.lineup, BLOCKS)
    for at, block in enumerate(range(BLOCKS.first, BLOCKS.end)):
        assert scores.totals[at].tolist() == [totals[block, name] for name, _ in scoring.totals]
        for member in range(2):
            have = {"won": int(scores.won[at, member])}
            have |= dict(zip(measures, scores.amounts[at, member].tolist(), strict=True))
            assert have == {key: amounts[block, member, key] for key in ("won", *measures)}


def check_report(played: Played, directory: Path) -> None:
    """The figures of a report on a stored run are those of the rows."""
    seats = [played.lineup.members[member].text for member in played.lineup.seatings[0]]
    asked = {"game": played.spec.name, "seats": ",".join(seats), "rules": played.given, "seed": SEED}
    length = {"matches": BLOCKS.end, "games_per_match": GAMES_PER_MATCH, "tables": "events"}
    runner.run(make_config({**asked, **length}), directory)
    made = report([directory])
    found = {key: pair for plate in made.plates() for key, pair in plate.counts[0].items()}
    frames = {name: pd.DataFrame(rows) for name, rows in played.tables[0].items() if rows}
    known = checks_of(played.spec.name).figures_of(frames, seats, played.rules)
    for key, pair in known.items():
        assert found[key] == pair, key
    for plate in made.plates():
        assert not plate.missing
        if set(plate.sources) - {"summary"}:
            assert set(plate.counts[0]) <= set(known), plate.key


def check(name: str, given: dict[str, Any], directory: Path) -> None:
    """Everything, under some rules.

    Parameters
    ----------
    name
        The game.
    given
        Rules, as far as they are not the usual ones.
    directory
        Where a run may be written.
    """
    played = play(name, given)
    check_words(played)
    check_blocks(played)
    check_report(played, directory)
    checks_of(name).odds_are_exact(name, given)
