"""Rounds as they are told, against the rows of the twins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from domeng_sim.core.tiles import HALVES, tile_number
from domeng_sim.games import GAMES
from domeng_sim.games.shared.narrative import Look, Step, Story
from domeng_sim.games.two_player.words.narrative import TwoPlayerTable
from domeng_sim.games.two_player.words.table_picture import table_lines
from domeng_sim.games.types import Seat
from tests import domeng_runs, draw_runs
from tests.effort import effort
from tests.twin import draw_table

OTHER = {"passebunge": "first", "closing_passes": "free", "mattikkeng_winner": "next", "camat_check": "before"}
CASES = [
    ("domeng", {}),
    ("domeng", {**OTHER, "opening_lead": "double"}),
    ("domeng", {"stones": 4}),
    ("domeng", {"stones": 0, "pass_stones": 0}),
    ("draw", {}),
    ("draw", {"draw": "one", "opening_lead": "highest", "target": 20}),
    ("draw", {"table": "6x6"}),
    ("draw", {"table": "10x6"}),
    ("draw", {"table": "20x20", "draw": "one"}),
    ("draw", {"table": "3x9"}),
    ("block", {}),
    ("block", {"table": "10x6", "opening_lead": "highest"}),
]
N_SEEDS = effort(3, 1)
N_ROUNDS = 6
WEIGHTED = (Seat({"pips": 1000}), Seat({}), Seat({"double": -1000}), Seat({}), Seat({"pips": -500}))


def twin_matches(
    name: str, rules: dict[str, Any], n_rounds: int = N_ROUNDS
) -> Iterator[tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]]:
    """The rules and the rows of the twin, for some seeds."""
    runs = {"domeng": domeng_runs, "draw": draw_runs.DRAW, "block": draw_runs.BLOCK}[name]
    n_seats = GAMES[name].seats
    for seed in range(N_SEEDS):
        seats = (Seat({}),) * n_seats if seed % 2 else WEIGHTED[:n_seats]
        job = runs.task(rules, seats, seed, rounds=n_rounds)
        yield dict(job.rules), runs.twin_rows(job)


def as_rows(events: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in events] for name in events[0]}


def keys_of(events: Sequence[dict[str, Any]]) -> list[tuple[int, int]]:
    return list(dict.fromkeys((row["game"], row["round"]) for row in events))


def lines_of(name: str, story: Story, step: Step) -> list[str]:
    telling = GAMES[name].telling
    return [step.text, *telling.standing(step, Look(width=200))]


@pytest.mark.parametrize(("name", "rules"), CASES)
def test_story__tells_every_row_once_in_order_and_how_the_round_ended(name, rules):
    telling = GAMES[name].telling
    for all_rules, tables in twin_matches(name, rules):
        rows = as_rows(tables["events"])
        ends = {(row["game"], row["round"]): row for row in tables["rounds"]}
        for key in keys_of(tables["events"]):
            own = [row for row in tables["events"] if (row["game"], row["round"]) == key and row["event"] != "deal"]
            story = telling.tell(rows, all_rules, key, {}, None)
            assert [(step.at, step.event, step.seat) for step in story.steps] == [
                (row["step"], row["event"], row["seat"]) for row in own
            ]
            assert all(step.text and step.text[-1] == "." for step in story.steps)
            assert (story.outcome, story.winner) == (ends[key]["outcome"], ends[key]["winner"])
            starts = f"seat {ends[key]['starter']} starts"
            assert starts in story.opening[1].lower()


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


@pytest.mark.parametrize("rules", [rules for name, rules in CASES if name == "domeng"])
def test_stones__are_told_as_they_moved(rules):
    telling = GAMES["domeng"].telling
    for all_rules, tables in twin_matches("domeng", rules):
        rows = as_rows(tables["events"])
        ends = {(row["game"], row["round"]): row for row in tables["rounds"]}
        for key in keys_of(tables["events"]):
            own = {row["step"]: row for row in tables["events"] if (row["game"], row["round"]) == key}
            story = telling.tell(rows, all_rules, key, {}, None)
            for step in story.steps:
                if step.event not in ("pass", "passebunge", "award"):
                    continue
                row = own[step.at]
                wanted = {"the table": row["from_table"]} | {f"seat {k}": row[f"given_{k}"] for k in range(5)}
                assert moved(step.text) == (row["stones"], {who: n for who, n in wanted.items() if n}), step.text
                # a PASSEBUNGE is called so, an ordinary PASS never
                assert ("PASSEBUNGE" in step.text) == (step.event == "passebunge")
            after = next(line for line in story.closing if line.startswith("after")).split()[1:]
            assert list(map(int, after)) == [*(ends[key][f"stones_{k}"] for k in range(5)), ends[key]["table_stones"]]
            said_camat = any("CAMAT: the table" in line and not line.startswith("No") for line in story.closing)
            assert said_camat == (ends[key]["camat"] >= 0)


@pytest.mark.parametrize("rules", [rules for name, rules in CASES if name == "domeng"])
def test_reasons__name_the_mattikkeng_and_compare_the_pips(rules):
    telling = GAMES["domeng"].telling
    for all_rules, tables in twin_matches("domeng", rules):
        rows = as_rows(tables["events"])
        for end in tables["rounds"]:
            story = telling.tell(rows, all_rules, (end["game"], end["round"]), {}, None)
            text = "\n".join(story.closing)
            words = {"cappu": "A plain CAPPU", "ceki": "CEKI:", "pollo": "POLLO:"}
            if end["outcome"] in words:
                assert words[end["outcome"]] in text
                assert (end["outcome"] != "cappu") == ("MAPPAKULING" in text)
                continue
            pips = re.search(r"Unplayed pips: (.*)\.", text)
            assert pips
            assert [int(n) for n in re.findall(r"seat \d (\d+)", pips[1])] == [end[f"pips_{k}"] for k in range(5)]
            named = re.search(r"MATTIKKENG, with \d+ or fewer: (.*)\.", text)
            mask = sum(1 << int(k) for k in re.findall(r"seat (\d)", named[1])) if named else 0
            assert mask == end["mattikkeng_seats"]


def mentioned(line: str) -> set[int]:
    """Tiles in a line."""
    return {tile_number(int(high), int(low)) for high, low in re.findall(r"\[(\d)\|(\d)\]", line)}


@pytest.mark.parametrize(("name", "rules"), CASES)
def test_story__never_names_a_tile_that_the_viewers_do_not_see(name, rules):
    telling = GAMES[name].telling
    for all_rules, tables in twin_matches(name, rules):
        rows = as_rows(tables["events"])
        for key in keys_of(tables["events"]):
            own = [row for row in tables["events"] if (row["game"], row["round"]) == key]
            for viewers in (frozenset(), frozenset({0}), frozenset({1}), frozenset({0, 1})):
                story = telling.tell(rows, all_rules, key, {1: "you"}, viewers)
                seen = {row["tile"] for row in own if row["event"] == "deal" and row["seat"] in viewers}
                for line in (*story.opening, *lines_of(name, story, story.start)):
                    assert mentioned(line) <= seen, line
                later = {row["step"]: row for row in own}
                for step in story.steps:
                    row = later[step.at]
                    if row["event"] in ("lead", "play") or (row["event"] == "draw" and row["seat"] in viewers):
                        seen.add(row["tile"])
                    for line in lines_of(name, story, step):
                        assert mentioned(line) <= seen, line
                assert all(mentioned(line) <= seen for line in story.closing)


def test_story__of_a_round_under_way_ends_where_the_rows_end():
    for name, rules in CASES[:1] + CASES[6:7]:
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
@pytest.mark.parametrize(("name", "rules"), [CASES[0], CASES[4]])
def test_picture__of_a_chain_reads_from_end_to_end(name, rules, look):
    telling = GAMES[name].telling
    for all_rules, tables in twin_matches(name, rules):
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


def test_readings__of_the_rules_are_told_where_they_apply():
    telling = GAMES["domeng"].telling
    told = {"double": 0, "ordinary": 0, "free": 0}
    for all_rules, tables in twin_matches("domeng", {**OTHER, "opening_lead": "double"}, n_rounds=40):
        rows = as_rows(tables["events"])
        for key in keys_of(tables["events"]):
            own = {row["step"]: row for row in tables["events"] if (row["game"], row["round"]) == key}
            story = telling.tell(rows, all_rules, key, {}, None)
            played: set[int] = set()
            blocked = story.outcome in ("manguno", "mattikkeng")
            last = max(step.at for step in story.steps if step.event in ("lead", "play"))
            for step in story.steps:
                row = own[step.at]
                assert ("this very double" in step.text) == (step.event == "lead" and key == (0, 0))
                told["double"] += "this very double" in step.text
                if step.event in ("lead", "play"):
                    played.add(row["seat"])
                    left, right = row["left_end"], row["right_end"]
                    assert ("MAPPAKULING" in step.text) == (step.event == "play" and left == right)
                ordinary = step.event == "pass" and row["seat"] not in played
                assert ("an ordinary PASS as it is not the first" in step.text) == ordinary
                told["ordinary"] += ordinary
                is_closing = blocked and step.at > last and step.event in ("pass", "passebunge")
                assert ("Closing PASS" in step.text) == is_closing
                assert ("Closing PASSes are free" in step.text) == is_closing
                told["free"] += is_closing
    assert told["double"] and told["free"]


@pytest.mark.parametrize("game", ["domeng", "draw", "block"])
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
