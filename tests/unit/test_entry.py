"""What people type instead of a move, and what they are told."""

from __future__ import annotations

import random
from typing import Any

import pytest

from domeng_sim.cli.entry import MoveChoice
from domeng_sim.core.tiles import HALVES, tile_number
from domeng_sim.games.types import LegalMove
from domeng_sim.positions.interactive_match import Sitting, is_move
from tests.unit.test_sitting import GAMES, NAMES, position_of


def tile(text: str) -> int:
    return tile_number(int(text[0]), int(text[2]))


def decision(moves: str, hand: str, left: int = 4, right: int = 2) -> MoveChoice:
    """A decision among moves such as ``6|4 left straight``."""
    legal = []
    for move in moves.split(","):
        words = [*move.split(), "", ""]
        legal.append(LegalMove(tile(words[0]), words[1], words[2]))
    return MoveChoice(tuple(legal), frozenset(map(tile, hand.split())), left, right)


#            0         1         2          3         4
MOVES = "4|2 left,6|4 left,4|2 right,2|1 right,5|2 right"
USUAL = decision(MOVES, "4|2 6|4 2|1 5|2 3|3")
LEAD = decision("6|6,5|4", "6|6 5|4", -1, -1)
MUST_LEAD = decision("6|6", "6|6 5|4 3|2", -1, -1)
EQUAL = decision("6|4 left,4|4 left", "6|4 4|4 3|3", 4, 4)
MANY = decision(",".join(f"6|{n} left" for n in range(7)) + "," + MOVES, "6|4 4|2 1|0 2|1 1|1 5|2", 6, 2)
GRID = decision(
    "6|4 left straight,6|4 left right,4|4 left straight,4|2 left left,4|2 right straight,4|2 right left",
    "6|4 4|4 4|2 5|2 6|6",
)
GRID_EQUAL = decision("6|4 left straight,6|4 right straight", "6|4", 4, 4)


@pytest.mark.parametrize(
    ("asked", "typed", "position"),
    [
        (USUAL, "1", 0),
        (USUAL, " 5 ", 4),
        (USUAL, "005", 4),
        (USUAL, "6|4", 1),
        (USUAL, "6:4", 1),
        (USUAL, "\U0001f05fl", 1),  # the domino character 6|4, flat
        (USUAL, "\U0001f085l", 1),  # 4|6, upright
        (USUAL, "64", 1),
        (USUAL, "4/6", 1),
        (USUAL, "4-6", 1),
        (USUAL, "6 4", 1),
        (USUAL, "6:4l", 1),
        (USUAL, "[6|4]", 1),
        (USUAL, "[6|4] left", 1),
        (USUAL, "6|4 L", 1),
        (USUAL, "4|2r", 2),
        (USUAL, "24 RIGHT", 2),
        (USUAL, "4|2 l", 0),
        (USUAL, "\uff14|\uff12r", 2),
        (USUAL, "\u0661", 0),
        (LEAD, "6|6", 0),
        (LEAD, "5|4l", 1),
        (LEAD, "54 r s", 1),
        (EQUAL, "6|4", 0),
        (EQUAL, "6|4l", 0),
        (EQUAL, "6|4r", 0),
        (EQUAL, "44 right", 1),
        (MANY, "12", 11),
        (MANY, "10", 9),
        (MANY, "2|1", 10),
        (MANY, "52", 11),
        (GRID, "64ls", 0),
        (GRID, "64s", 0),
        (GRID, "6|4 left straight", 0),
        (GRID, "[6|4] left turning right", 1),
        (GRID, "64lr", 1),
        (GRID, "44", 2),
        (GRID, "42l", 3),
        (GRID, "42rs", 4),
        (GRID, "42 right turning left", 5),
        (GRID_EQUAL, "64r", 1),
        (GRID_EQUAL, "64l", 0),
    ],
)
def test_entry__that_names_a_move_plays_it(asked: MoveChoice, typed: str, position: int) -> None:
    assert asked.read(typed) == position


@pytest.mark.parametrize(
    ("asked", "typed", "said"),
    [
        (USUAL, "0", "There is no move 0; the moves are 1 to 5."),
        (USUAL, "6", "There is no move 6; the moves are 1 to 5."),
        (USUAL, "1" * 5000, "There is no move 111111111; the moves are 1 to 5."),
        (MUST_LEAD, "2", "There is no move 2; only move 1."),
        (USUAL, "5|5", "You do not hold [5|5]."),
        (USUAL, "55", "You do not hold [5|5]."),
        (USUAL, "7|1", "7|1 is no tile: the double-six set has halves from 0 to 6."),
        (
            USUAL,
            "3|3",
            "[3|3] does not fit: the ends are 4 and 2, and a tile joins an end whose value is one of its halves.",
        ),
        (EQUAL, "33", "[3|3] does not fit: both ends are 4, and a tile joins an end whose value is one of its halves."),
        (USUAL, "6|4r", "[6|4] does not go to the right end; it goes to the left one."),
        (USUAL, "5|2 left", "[5|2] does not go to the left end; it goes to the right one."),
        (USUAL, "4|2", "[4|2] can be played in more than one way; type one of the numbers 1, 3."),
        (
            MUST_LEAD,
            "5|4",
            "[5|4] may not lead: by the rule opening_lead the first tile of this round is [6|6].",
        ),
        (
            GRID,
            "5|2",
            "[5|2] fits an end, but there is no room for it on the table: that end is closed to it.",
        ),
        (
            GRID,
            "6|6",
            "[6|6] does not fit: the ends are 4 and 2, and a tile joins an end whose value is one of its halves.",
        ),
        (GRID, "64r", "[6|4] does not go to the right end; it goes to the left one."),
        (GRID, "64ll", "[6|4] cannot go left there, only straight or turning right."),
        (GRID, "44lr", "[4|4] cannot go right there, only straight."),
        (GRID, "64", "[6|4] can be played in more than one way; type one of the numbers 1, 2."),
        (GRID, "42", "[4|2] can be played in more than one way; type one of the numbers 4, 5, 6."),
        (GRID_EQUAL, "64", "[6|4] can be played in more than one way; type one of the numbers 1, 2."),
        (USUAL, "p", "No voluntary PASS: who holds a tile that fits must play one."),
        (USUAL, "PASS", "No voluntary PASS: who holds a tile that fits must play one."),
        (USUAL, "u", "There is no undo: a tile on the table stays there."),
        (USUAL, "undo", "There is no undo: a tile on the table stays there."),
        (USUAL, "draw", "You hold a tile that fits, so you must play one."),
    ],
)
def test_entry__that_cannot_be_played_is_explained_with_the_rule(asked: MoveChoice, typed: str, said: str) -> None:
    assert asked.read(typed) == said


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "x",
        "-1",
        "1.5",
        "6|",
        "|",
        "6|4x",
        "6|4 up",
        "6||4",
        "\x1b[31m",
        "a\tb\nc",
        "\u202e64",
        "\u00b2",
        "\x00",
        "1 2 3",
    ],
)
def test_nonsense__is_answered_in_one_printable_line(typed: str) -> None:
    said = USUAL.read(typed)
    assert isinstance(said, str)
    assert said.endswith(" is no move: type a number from 1 to 5, or a tile such as 6|4r.")
    assert said.isprintable()


@pytest.mark.parametrize("letter", ["a", "\x1b", "\U0001f600", "[", "6|"])
def test_nonsense__of_any_length_is_answered_shortly_and_soon(letter: str) -> None:
    said = USUAL.read(letter * 100_000)
    assert isinstance(said, str) and said.isprintable() and len(said) < 120


def test_entries__of_every_kind_are_a_move_or_a_sentence() -> None:
    draw, letters = random.Random(5), "0123456789|[]-: lrsleftright\x00\x1b\u0664\u00b2xq"
    for asked in (USUAL, LEAD, MUST_LEAD, EQUAL, MANY, GRID, GRID_EQUAL):
        for _ in range(3000):
            typed = "".join(draw.choices(letters, k=draw.randrange(8)))
            answer = asked.read(typed)
            if isinstance(answer, int):
                assert 0 <= answer < len(asked.moves)
            else:
                assert answer.isprintable() and answer.endswith(".")


def test_moves__are_told_with_the_ends_after_them_and_can_be_typed_as_they_are_told() -> None:
    assert USUAL.texts() == [
        "[4|2] left   ends 2 and 2",
        "[6|4] left   ends 6 and 2",
        "[4|2] right  ends 4 and 4",
        "[2|1] right  ends 4 and 1",
        "[5|2] right  ends 4 and 5",
    ]
    assert LEAD.texts() == ["[6|6]  ends 6 and 6", "[5|4]  ends 4 and 5"]
    assert GRID.texts()[:3] == [
        "[6|4] left straight       ends 6 and 2",
        "[6|4] left turning right  ends 6 and 2",
        "[4|4] left                ends 4 and 2",
    ]
    for asked in (USUAL, LEAD, EQUAL, GRID, GRID_EQUAL):
        for number, text in enumerate(asked.texts()):
            assert asked.read(text.split("  ")[0]) == number


@pytest.mark.compiled
@pytest.mark.parametrize("config", GAMES, ids=NAMES)
def test_decision__made_of_the_rows_has_the_true_hand_and_ends(config: Any) -> None:
    for salt in range(3):
        sitting = Sitting(config)
        while (asked := sitting.standing.undecided) is not None:
            rows = sitting.standing.rows
            found = MoveChoice.of(asked.moves, asked.seat, rows)
            assert found.hand == hand_of(rows, asked.seat)
            assert {move.tile for move in asked.moves} <= found.hand
            if not found.is_lead:
                # every tile of the hand that is no move has no half at an end, or no room there
                others = [t for t in found.hand if t not in {move.tile for move in asked.moves}]
                fitting = [t for t in others if {found.left, found.right} & set(HALVES[t])]
                assert not fitting or config.rules.get("table", "unbounded") != "unbounded"
            sitting.choose(position_of(sitting.standing, salt))


def hand_of(rows: Any, who: int) -> set[int]:
    """What somebody holds at the end of the rows, from the last deal on."""
    first = (
        max(n for n, event in enumerate(rows["event"]) if event == "deal" and n and rows["event"][n - 1] != "deal")
        if (len(set(zip(rows["game"], rows["round"], strict=True))) > 1)
        else 0
    )
    held = set()
    for n in range(first, len(rows["event"])):
        if rows["seat"][n] == who and rows["event"][n] in ("deal", "draw"):
            held.add(rows["tile"][n])
        elif rows["seat"][n] == who and is_move(rows["event"][n]):
            held.remove(rows["tile"][n])
    return held
