"""Rounds as they are told, against the rows of the twins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pytest

from domeng_sim.core.tiles import HALVES
from domeng_sim.games import GAMES
from domeng_sim.games.shared.narrative import Look
from domeng_sim.games.two_player.words.narrative import TwoPlayerTable
from domeng_sim.games.two_player.words.table_picture import table_lines
from domeng_sim.games.types import Seat
from tests.effort import effort
from tests.every_game import runs_of
from tests.twin import draw_table

Tables = dict[str, list[dict[str, Any]]]
N_SEEDS = effort(3, 1)
N_ROUNDS = 6
WEIGHTED = (Seat({"pips": 1000}), Seat({}), Seat({"double": -1000}), Seat({}), Seat({"pips": -500}))


def twin_matches(name: str, rules: dict[str, Any], n_rounds: int = N_ROUNDS) -> Iterator[tuple[dict[str, Any], Tables]]:
    """The rules and the rows of the twin, for some seeds."""
    for seed in range(N_SEEDS):
        yield twin_match(name, tuple(rules.items()), n_rounds, seed)


@cache
def twin_match(name: str, rules: Any, n_rounds: int, seed: int) -> tuple[dict[str, Any], Tables]:
    """A match of the twin, played once for all that is looked at in it."""
    runs = runs_of(name)
    n_seats = GAMES[name].seats
    seats = (Seat({}),) * n_seats if seed % 2 else WEIGHTED[:n_seats]
    job = runs.task(dict(rules), seats, seed, rounds=n_rounds)
    return dict(job.rules), runs.twin_rows(job)


def as_rows(events: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in events] for name in events[0]}


def keys_of(events: Sequence[dict[str, Any]]) -> list[tuple[int, int]]:
    return list(dict.fromkeys((row["game"], row["round"]) for row in events))


def test_story__of_a_round_under_way_ends_where_the_rows_end():
    for name, rules in (("domeng", {}), ("draw", {"table": "6x6"})):
        for all_rules, tables in twin_matches(name, rules):
            rows = as_rows(tables["events"])
            n = rows["event"].index("end")
            for stop in range(rows["event"].index("lead"), n):
                cut = {column: values[:stop] for column, values in rows.items()}
                story = GAMES[name].telling.tell(cut, all_rules, (0, 0), {}, None)
                whole = GAMES[name].telling.tell(rows, all_rules, (0, 0), {}, None)
                assert story.opening == whole.opening
                assert [step.text for step in story.steps] == [step.text for step in whole.steps][: len(story.steps)]
                assert not story.is_over and len(story.steps) == stop - rows["event"].index("lead")
            break


def test_story__of_a_round_that_is_not_there_is_an_error():
    rules, tables = next(twin_matches("domeng", {}))
    with pytest.raises(ValueError, match="no round 99 in game 0"):
        GAMES["domeng"].telling.tell(as_rows(tables["events"]), rules, (0, 99), {}, None)


def read_columns(lines: Sequence[str]) -> list[int]:
    """Digits of a row of a chain, column by column, from top to bottom."""
    width = max(map(len, lines))
    padded = [line.ljust(width) for line in lines]
    return [int(line[x]) for x in range(width) for line in padded if line[x].isdigit()]


@pytest.mark.parametrize("look", [Look(), Look(width=40), Look(ascii=True), Look(ascii=True, width=40)])
@pytest.mark.parametrize("name", ["domeng", "draw"])
def test_picture__of_a_chain_reads_from_end_to_end(name, look):
    telling = GAMES[name].telling
    for all_rules, tables in twin_matches(name, {}):
        rows = as_rows(tables["events"])
        for key in keys_of(tables["events"]):
            for step in telling.tell(rows, all_rules, key, {}, None).steps:
                lines = telling.picture(step, look)
                assert max(map(len, lines)) <= look.width
                assert not look.ascii or "".join(lines).isascii()
                blocks, at = [], 0
                while at < len(lines):
                    size = 5 if look.width >= 60 and at + 5 <= len(lines) and is_high(lines[at : at + 5]) else 3
                    blocks.append(lines[at : at + size])
                    at += size
                digits = [digit for block in blocks for digit in read_columns(block)]
                assert digits == [half for halves in step.table.chain.halves for half in halves]
                # arrows lead from each row to the next
                arrow = ">" if look.ascii else "→"
                assert sum(line.count(arrow) for line in lines) == 2 * (len(blocks) - 1)


def is_high(lines: Sequence[str]) -> bool:
    """Whether a double lies across in these five lines: they have digits in the second and fourth as well."""
    return any(c.isdigit() for c in lines[3]) and not any(c.isdigit() for c in lines[4])


def test_picture__marks_the_newest_tile_without_colour():
    rules, tables = next(twin_matches("domeng", {}))
    telling = GAMES["domeng"].telling
    story = telling.tell(as_rows(tables["events"]), rules, (0, 0), {}, None)
    for step in story.steps:
        chain = step.table.chain
        heavy = "\n".join(telling.picture(step, Look(width=40)))
        marked = re.findall(r"┃(\d)│(\d)┃", heavy)
        assert [tuple(map(int, pair)) for pair in marked] == [chain.halves[chain.newest]]


def twin_pips(events: Sequence[dict[str, Any]], size: str) -> list[set[tuple[int, int, int]]]:
    """After each tile: value and lower left cell of each half on the twin's table."""
    board: Any = draw_table.new_table(size)
    shown: set[tuple[int, int, int]] = set()
    found, before = [], (-1, -1)
    for row in events:
        if row["event"] not in ("lead", "play"):
            continue
        tile = HALVES[row["tile"]]
        value = None if row["event"] == "lead" else before[row["side"] == "right"]
        after = board.lay_first(tile) if value is None else board.lay(tile, row["side"], row["direction"])
        cells = after.covered - board.covered
        if tile[0] == tile[1]:
            ordered = sorted(cells, key=lambda cell: (cell[1], cell[0]))
            if max(x for x, _ in cells) - min(x for x, _ in cells) == 3:
                ordered = sorted(cells)
            halves = [(tile[0], set(ordered[:4])), (tile[0], set(ordered[4:]))]
        elif value is None:
            halves = [(tile[1], set(after.ends["left"].half)), (tile[0], set(after.ends["right"].half))]
        else:
            made = set(after.ends[row["side"]].half)
            other = tile[1] if tile[0] == value else tile[0]
            halves = [(value, cells - made), (other, made)]
        shown |= {(n, min(x for x, _ in half), min(y for _, y in half)) for n, half in halves}
        found.append(set(shown))
        board, before = after, (row["left_end"], row["right_end"])
    return found


@pytest.mark.parametrize("size", ["2x2", "6x6", "10x6", "20x20", "3x9", "127x127"])
@pytest.mark.parametrize("is_wide", [True, False])
@pytest.mark.parametrize("is_ascii", [True, False])
def test_picture__of_a_finite_table_has_each_half_where_the_twin_has_it(size, is_wide, is_ascii):
    telling = GAMES["draw"].telling
    # in so few columns a larger table has the small scale, but is not cut
    width = int(size.split("x")[0])
    look = Look(is_ascii, 4 * width + 3 if is_wide else 2 * width + 3)
    for all_rules, tables in twin_matches("draw", {"table": size}):
        for key in keys_of(tables["events"]):
            own = [row for row in tables["events"] if (row["game"], row["round"]) == key]
            story = telling.tell(as_rows(tables["events"]), all_rules, key, {}, None)
            plays = [step for step in story.steps if step.event in ("lead", "play")]
            for step, wanted in zip(plays, twin_pips(own, size), strict=True):
                table: TwoPlayerTable = step.table
                assert table.placement is not None
                assert {(half.value, *half.at) for laid in table.placement.tiles for half in laid} == wanted
                lines = table_lines(table.placement, look)
                assert max(map(len, lines)) <= look.width
                digits = [(int(c), x, -y) for y, line in enumerate(lines) for x, c in enumerate(line) if c.isdigit()]
                scaled = {pitch: normal([(n, pitch * x, y) for n, x, y in wanted]) for pitch in (1, 2)}
                assert normal(digits) in ([scaled[2]] if is_wide else list(scaled.values()))


def normal(points: Any) -> list[tuple[int, int, int]]:
    """Points moved so that they begin at 0."""
    left, low = min(x for _, x, _ in points), min(y for _, _, y in points)
    return sorted((n, x - left, y - low) for n, x, y in points)


@pytest.mark.parametrize("size", ["6x6", "10x6", "3x9"])
def test_picture__says_which_ends_are_closed(size):
    telling = GAMES["draw"].telling
    closed = {True: 0, False: 0}
    for all_rules, tables in twin_matches("draw", {"table": size}):
        for key in keys_of(tables["events"]):
            own = [row for row in tables["events"] if (row["game"], row["round"]) == key]
            story = telling.tell(as_rows(tables["events"]), all_rules, key, {}, None)
            board = draw_table.new_table(size)
            left_over = set(HALVES)
            for row, step in zip([row for row in own if row["event"] != "deal"], story.steps, strict=True):
                if row["event"] not in ("lead", "play"):
                    continue
                tile = HALVES[row["tile"]]
                lead = row["event"] == "lead"
                board = board.lay_first(tile) if lead else board.lay(tile, row["side"], row["direction"])
                left_over.remove(tile)
                told = " ".join(telling.picture(step, Look(width=200))[-1:])
                for end, value in (("left", row["left_end"]), ("right", row["right_end"])):
                    words = next(part for part in told.split("; ") if part.startswith(f"{end} end {value}"))
                    # no tile that could still come there has room, whoever holds it
                    can_be_joined = any(board.directions(other, end) for other in left_over if value in other)
                    assert words.endswith(", closed") == (not can_be_joined), told
                    closed[board.is_closed(end)] += not can_be_joined
    if size == "10x6":
        # also where there is room for a double that lies on the table already
        assert min(closed.values()) > 0


@pytest.mark.parametrize("game", GAMES)
def test_closing__announces_no_round_after_the_last_of_a_match(game):
    telling = GAMES[game].telling
    announced = {True: 0, False: 0}
    for all_rules, tables in twin_matches(game, {}):
        keys = keys_of(tables["events"])
        for key in keys:
            told = " ".join(telling.tell(as_rows(tables["events"]), all_rules, key, {}, None).closing)
            says_next = "the next round" in told or "the game goes on" in told
            won = "the game." in told
            assert says_next == (key != keys[-1]) or (won and game != "domeng"), told
            announced[says_next] += 1
    assert min(announced.values()) > 0
