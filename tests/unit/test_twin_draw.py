"""The twin of Draw against rounds and tables worked by hand.

A *story* tells a round line by line: `0 lead [5|3] 3-5` is a lead of seat 0 and the ends after it, left first;
`1 left [3|0] 0-5` a tile joined to the left end; `1 draws [6|2]`, `1 pass`, `0 scores 12`, `0 wins`. On a finite table
a direction follows the end: `1 left straight [3|0] 0-5`. The 14 deal rows are left out.

A *table* is drawn with y upwards: `.` is a free quarter-cell, letters and digits tell the tiles.
"""

from __future__ import annotations

import pytest

from tests.twin.draw import (
    ALL_TILES,
    DEFAULT_RULES,
    Move,
    choose_weighted,
    features,
    hands_from_ranks,
    opening,
    play_match,
    play_round,
    ranks_from_word,
    stock_from_word,
    tile_number,
)
from tests.twin.draw_table import Anywhere, Board, new_table

# --- Help -------------------------------------------------------------------------------------------------------------


def tiles(text):
    """`"20 21"` as the numbers of [2|0] and [2|1]."""
    return [tile_number((int(pair[0]), int(pair[1]))) for pair in text.split()]


def show(tile):
    return f"[{tile[0]}|{tile[1]}]"


def told(event):
    """An event row as a line of a story."""
    seat, what = event["seat"], event["event"]
    if what in ("lead", "play"):
        where = [event["side"] or "lead", *([event["direction"]] if event["direction"] else [])]
        return f"{seat} {' '.join(where)} {show(ALL_TILES[event['tile']])} {event['left_end']}-{event['right_end']}"
    if what == "draw":
        return f"{seat} draws {show(ALL_TILES[event['tile']])}"
    assert event["tile"] == -1 and event["side"] is None and event["direction"] is None
    return {"pass": f"{seat} pass", "award": f"{seat} scores {event['stones']}", "end": f"{seat} wins"}[what]


def tell(story, hands, stock, views=None, **rules):
    """Play the story, check each line of it, and return the row of the round."""
    lines = [line.strip() for line in story.splitlines() if line.strip()]
    plays = iter([line.split() for line in lines if " lead " in line or " left " in line or " right " in line])
    rest = [tile for tile in range(28) if tile not in tiles(" ".join([*hands, stock]))]

    def choose(seat, view, moves):
        if views is not None:
            views.append(view)
        line = next(plays)
        for position, move in enumerate(moves):
            for direction in move.directions:
                where = [move.end or "lead", *([direction] if direction else [])]
                if line[: len(where) + 2] == [str(seat), *where, show(move.tile)]:
                    return position, direction
        raise AssertionError(f"{line} is not among {moves}")

    row, events, points, closed = play_round(rules, [tiles(hand) for hand in hands], tiles(stock) + rest, choose)
    assert [told(event) for event in events[14:]] == lines
    assert [event["step"] for event in events] == list(range(len(events)))
    assert [event["event"] for event in events[:14]] == ["deal"] * 14
    return row, points, closed


# --- Deals ------------------------------------------------------------------------------------------------------------


def test_hands__are_a_four_and_then_a_three_of_what_remains():
    # Rank 0: the first positions. The last rank: the last ones.
    assert hands_from_ranks([0, 0, 0, 0]) == [[0, 1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12, 13]]
    assert hands_from_ranks([20474, 2023, 5984, 679]) == [list(range(21, 28)), list(range(14, 21))]
    # Rank 1 of the fours is {0, 1, 2, 4}, rank 1 of the threes of {3, 5, 6, ...} is {3, 5, 7}.
    assert hands_from_ranks([1, 1, 0, 0])[0] == [0, 1, 2, 3, 4, 5, 7]


def test_words__choose_digit_by_digit():
    assert ranks_from_word(2**63 + 1) == [20475 // 2, 2024 // 4 * 2, *ranks_from_word(2**63 + 1)[2:]]
    assert ranks_from_word(0) is None
    assert stock_from_word(0, list(range(14))) is None
    # A word just above 0 draws the stock in order, one just below 2^64 in reverse.
    assert stock_from_word(2**64 - 1, list(range(14))) == list(range(13, -1, -1))
    assert stock_from_word(2**63, [3, 5]) == [5, 3]


# --- Starting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hands", "expected"),
    [
        # The highest double, whatever else is held.
        (["00 65 64 63 62 61 60", "11 10 20 21 30 31 32"], (1, (1, 1))),
        (["66 10 20 21 30 31 32", "55 65 64 63 62 61 60"], (0, (6, 6))),
        # No double: most pips.
        (["10 20 21 30 31 32 65", "40 41 42 43 50 51 64"], (0, (6, 5))),
        # As many pips: the higher half.
        (["10 20 21 30 31 32 54", "40 41 42 43 50 51 63"], (1, (6, 3))),
        (["10 20 21 30 31 32 52", "40 41 42 43 50 51 61"], (1, (6, 1))),
    ],
)
def test_opening__is_by_the_highest_double_or_else_the_highest_tile(hands, expected):
    assert opening([[ALL_TILES[number] for number in tiles(hand)] for hand in hands]) == expected


# --- Rounds without bounds --------------------------------------------------------------------------------------------


def values(row, *names):
    return [row[name] for name in names]


def test_round__out_scores_the_pips_of_the_other_hand():
    # Seat 1 keeps [3|3] and [4|0].
    row, points, closed = tell(
        """
        0 lead [4|2] 2-4
        1 right [4|4] 2-4
        0 left [2|2] 2-4
        1 left [2|0] 0-4
        0 right [6|4] 0-6
        1 right [6|3] 0-3
        0 left [6|0] 6-3
        1 left [6|2] 2-3
        0 right [5|3] 2-5
        1 left [2|1] 1-5
        0 right [5|5] 1-5
        1 draws [3|1]
        1 left [3|1] 3-5
        0 right [5|4] 3-4
        0 scores 10
        0 wins
        """,
        ["22 42 53 54 55 60 64", "20 21 33 40 44 62 63"],
        "31",
    )
    assert points == 10 and closed == []
    assert values(row, "starter", "outcome", "winner", "plays", "stock") == [0, "out", 0, 13, 13]
    assert values(row, "draws_0", "draws_1", "passes_0", "passes_1", "pips_0", "pips_1") == [0, 1, 0, 0, 0, 10]


def test_round__is_blocked_when_nobody_can_play_or_draw():
    # At the end seat 0 keeps six tiles and seat 1 [3|1] [4|4] [4|2] [3|0]: no five and no six, and two tiles are left
    # in the stock. The last play of seat 0 ends the round at once: nobody passes again.
    views = []
    row, points, _ = tell(
        """
        1 lead [3|3] 3-3
        0 draws [4|1]
        0 draws [5|0]
        0 draws [6|4]
        0 draws [5|5]
        0 draws [6|0]
        0 draws [1|0]
        0 draws [4|3]
        0 left [4|3] 4-3
        1 right [6|3] 4-6
        0 right [6|4] 4-4
        1 left [4|0] 0-4
        0 left [2|0] 2-4
        1 left [5|2] 5-4
        0 right [5|4] 5-5
        1 left [5|1] 1-5
        0 right [5|0] 1-0
        1 left [6|1] 6-0
        0 right [6|0] 6-6
        1 draws [4|4]
        1 draws [4|2]
        1 draws [3|0]
        1 draws [5|3]
        1 draws [3|2]
        1 pass
        0 left [6|2] 2-6
        1 left [3|2] 3-6
        0 pass
        1 left [5|3] 5-6
        0 left [5|5] 5-6
        0 scores 6
        0 wins
        """,
        ["00 11 20 21 22 54 62", "31 33 40 51 52 61 63"],
        "41 50 64 55 60 10 43 44 42 30 53 32",
        views,
    )
    assert points == 6 == 21 - 15
    assert values(row, "starter", "outcome", "winner", "plays", "stock") == [1, "blocked", 0, 16, 2]
    assert values(row, "draws_0", "draws_1", "passes_0", "passes_1", "pips_0", "pips_1") == [7, 5, 1, 1, 15, 21]
    # What is known of the other. After seat 0 drew seven at 3-3 and played the last: no tile with a three.
    threes = {tile for tile in ALL_TILES if 3 in tile}
    assert views[2]["seat"] == 1 and views[2]["ruled_out"] == threes
    # Seat 1 drew and passed at 6-6; then seat 0 knows that it holds no six, and of the draws no more than that.
    sixes = {tile for tile in ALL_TILES if 6 in tile}
    assert views[12]["seat"] == 0 and views[12]["ruled_out"] == sixes
    # Seat 0 drew nothing when it passed at 3-6: that adds to the threes that it was known to lack.
    assert views[14]["seat"] == 1 and views[14]["ruled_out"] == threes | sixes


def test_round__with_equal_pips_is_tied():
    row, points, _ = tell(
        """
        0 lead [6|4] 4-6
        1 right [6|3] 4-3
        0 left [4|4] 4-3
        1 right [4|3] 4-4
        0 draws [3|3]
        0 draws [3|2]
        0 draws [1|0]
        0 draws [5|5]
        0 draws [0|0]
        0 draws [5|4]
        0 left [5|4] 5-4
        1 left [6|5] 6-4
        0 left [6|2] 2-4
        1 right [4|0] 2-0
        0 right [5|0] 2-5
        1 left [2|1] 1-5
        0 left [1|0] 0-5
        1 left [6|0] 6-5
        0 right [5|5] 6-5
        1 draws [3|1]
        1 draws [1|1]
        1 draws [5|2]
        1 right [5|2] 6-2
        0 right [3|2] 6-3
        1 right [3|1] 6-1
        0 right [6|1] 6-6
        1 draws [4|1]
        1 draws [3|0]
        1 draws [4|2]
        1 pass
        -1 wins
        """,
        ["22 44 50 53 61 62 64", "20 21 40 43 60 63 65"],
        "33 32 10 55 00 54 31 11 52 41 30 42",
    )
    assert points == 0
    assert values(row, "outcome", "winner", "pips_0", "pips_1", "stock") == ["tied", -1, 18, 18, 2]


def test_round__with_draw_one_draws_at_most_one_tile_a_turn():
    row, points, _ = tell(
        """
        1 lead [5|5] 5-5
        0 draws [6|3]
        0 pass
        1 left [5|0] 0-5
        0 left [6|0] 6-5
        1 right [6|5] 6-6
        0 left [6|3] 3-6
        1 left [5|3] 5-6
        0 draws [3|2]
        0 pass
        1 right [6|6] 5-6
        0 draws [6|1]
        0 right [6|1] 5-1
        1 right [4|1] 5-4
        0 right [4|3] 5-3
        1 right [3|1] 5-1
        1 scores 21
        1 wins
        """,
        ["00 11 22 40 42 43 60", "31 41 50 53 55 65 66"],
        "63 32 61",
        draw="one",
    )
    assert points == 21
    assert values(row, "draws_0", "passes_0", "stock") == [3, 2, 11]


def test_opening_lead_highest__leads_the_tile_that_gave_the_start():
    hands = [tiles("22 42 53 54 55 60 64"), tiles("20 21 33 40 44 62 63")]
    stock = [tile for tile in range(28) if tile not in hands[0] + hands[1]]
    seen = []

    def choose(seat, view, moves):
        seen.append([move.tile for move in moves])
        return 0, moves[0].directions[0]

    for rule, leads in (("any", [(2, 2), (4, 2), (5, 3), (5, 4), (5, 5), (6, 0), (6, 4)]), ("highest", [(5, 5)])):
        seen.clear()
        play_round({"opening_lead": rule}, hands, stock, choose)
        assert seen[0] == leads


def test_equal_ends__are_one_move_without_bounds_and_two_on_a_finite_table():
    hands = [tiles("66 00 10 20 30 40 50"), tiles("65 64 11 21 31 41 51")]
    stock = [tile for tile in range(28) if tile not in hands[0] + hands[1]]
    seen = []

    def choose(seat, view, moves):
        seen.append([(move.tile, move.end) for move in moves])
        return 0, moves[0].directions[0]

    for table, want in (
        ("unbounded", [((6, 4), "left"), ((6, 5), "left")]),
        ("9x9", [((6, 4), "left"), ((6, 4), "right"), ((6, 5), "left"), ((6, 5), "right")]),
    ):
        seen.clear()
        play_round({"table": table, "opening_lead": "highest"}, hands, stock, choose)
        assert seen[1] == want


# --- Matches ----------------------------------------------------------------------------------------------------------


def first_move(seat, view, moves):
    return 0, moves[0].directions[0]


def fixed_deal(round_in_match):
    hands = [tiles("22 42 53 54 55 60 64"), tiles("20 21 33 40 44 62 63")]
    return hands, [tile for tile in range(28) if tile not in hands[0] + hands[1]]


def test_match__games_run_to_the_target_and_scores_start_anew():
    _, _, points, _ = play_round({}, *fixed_deal(0), first_move)
    assert points > 0
    played = play_match({"target": 3 * points - 1}, fixed_deal, first_move, games=2)
    assert [row["rounds"] for row in played["games"]] == [3, 3]
    assert [max(row["score_0"], row["score_1"]) for row in played["rounds"]] == [points, 2 * points, 3 * points] * 2
    assert [row["ended"] for row in played["games"]] == ["finished"] * 2
    winner = played["rounds"][0]["winner"]
    assert [row["winner"] for row in played["games"]] == [winner] * 2


def test_match__games_without_a_winner_are_truncated_or_unfinished():
    played = play_match({"target": 1000, "max_rounds": 2}, fixed_deal, first_move, rounds=5)
    assert [(row["rounds"], row["ended"], row["winner"]) for row in played["games"]] == [
        (2, "truncated", -1),
        (2, "truncated", -1),
        (1, "unfinished", -1),
    ]
    assert [(row["game"], row["round"]) for row in played["rounds"]] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]


# --- Tables -----------------------------------------------------------------------------------------------------------


def picture(board, *layers):
    """The table from the top; tiles as the letters that they were laid with."""
    lines = []
    for y in range(2 * board.height - 1, -1, -1):
        marks = [next((mark for mark, cells in layers if (x, y) in cells), ".") for x in range(2 * board.width)]
        lines.append("".join(marks))
    return lines


def laid(size, lead, *steps):
    """Lay a lead and then tiles at ends; returns the board and its picture."""
    board = new_table(size).lay_first(lead)
    layers = [("a", board.covered)]
    for mark, (tile, end, direction) in zip("bcdefgh", steps, strict=False):
        before = board.covered
        board = board.lay(tile, end, direction)
        layers.append((mark, board.covered - before))
    return board, picture(board, *layers)


def drawn(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_table__the_first_tile_lies_in_the_middle():
    assert laid("4x3", (6, 5))[1] == drawn(
        """
        ........
        ........
        ..aaaa..
        ..aaaa..
        ........
        ........
        """
    )
    assert laid("4x3", (6, 6))[1] == drawn(
        """
        ........
        ...aa...
        ...aa...
        ...aa...
        ...aa...
        ........
        """
    )
    # The smallest table: nothing else fits.
    board, lines = laid("2x2", (6, 6))
    assert lines == [".aa."] * 4
    assert board.is_closed("left") and board.is_closed("right")
    assert laid("2x2", (6, 5))[1] == ["....", "aaaa", "aaaa", "...."]


def test_table__tiles_go_straight_on_and_turn_beside_the_end_half():
    # To the left end straight on; then left of leftwards, which is down. To the right end a turn to the left: up, and
    # from there to the right.
    board, lines = laid(
        "9x6",
        (6, 5),
        ((5, 4), "left", "straight"),
        ((4, 3), "left", "left"),
        ((6, 3), "right", "left"),
        ((3, 2), "right", "right"),
    )
    assert lines == drawn(
        """
        ..................
        .........ddeeee...
        .........ddeeee...
        .........dd.......
        .........dd.......
        ...bbbbaaaa.......
        ...bbbbaaaa.......
        ...cc.............
        ...cc.............
        ...cc.............
        ...cc.............
        ..................
        """
    )
    assert board.ends["left"].heading == (0, -1) and board.ends["right"].heading == (1, 0)


def test_table__doubles_lie_across_and_are_left_from_the_middle():
    # A double keeps the heading, and the next tile goes straight on: no turn beside a double.
    board, lines = laid("9x4", (6, 5), ((6, 6), "right", "straight"))
    assert lines == drawn(
        """
        ..................
        ..................
        ...........bb.....
        .......aaaabb.....
        .......aaaabb.....
        ...........bb.....
        ..................
        ..................
        """
    )
    assert board.directions((6, 4), "right") == ["straight"]
    assert board.directions((5, 4), "left") == ["straight"]
    _, lines = laid("9x4", (6, 5), ((6, 6), "right", "straight"), ((6, 4), "right", "straight"))
    assert lines[3:5] == [".......aaaabbcccc.", ".......aaaabbcccc."]
    # Turning up and then a double: it lies across the new heading, sideways.
    _, lines = laid("5x8", (6, 5), ((6, 3), "right", "left"), ((3, 3), "right", "straight"))
    assert lines[1:9] == drawn(
        """
        ....cccc..
        ....cccc..
        .....bb...
        .....bb...
        .....bb...
        .....bb...
        ...aaaa...
        ...aaaa...
        """
    )


def test_table__no_tile_overlaps_another_or_leaves_the_table():
    # On 5x4 a tile has no room straight on, nor beside; only a double has.
    board, _ = laid("5x4", (5, 1))
    for end in ("left", "right"):
        assert board.directions((5, 4), end) == []
        assert board.directions((5, 5), end) == ["straight"]
        assert not board.is_closed(end)
    after = board.lay((1, 1), "left", "straight")
    assert after.is_closed("left") and not after.is_closed("right")
    # Touching is no harm: after three turns to the left a tile lies beside the first one. A fourth would lie on it.
    turns = [((6, 3), "right", "left"), ((3, 2), "right", "left"), ((2, 1), "right", "left")]
    board, lines = laid("9x9", (6, 5), *turns)
    assert lines[4:10] == drawn(
        """
        .....ccccbb.......
        .....ccccbb.......
        .....dd..bb.......
        .....dd..bb.......
        .....ddaaaa.......
        .....ddaaaa.......
        """
    )
    assert board.directions((1, 0), "right") == ["straight", "right"]
    assert board.directions((1, 1), "right") == ["straight"]


def test_table__sizes_are_read_and_no_bounds_know_no_geometry():
    assert isinstance(new_table("unbounded"), Anywhere)
    board = new_table("3x12")
    assert isinstance(board, Board) and (board.width, board.height) == (3, 12)
    assert new_table("unbounded").lay_first((6, 5)).lay((6, 6), "right", None).directions((6, 4), "right") == [None]


def test_round__on_a_small_table_is_blocked_by_closed_ends():
    row, points, closed = tell(
        """
        0 lead [5|1] 1-5
        1 draws [4|3]
        1 draws [1|1]
        1 left straight [1|1] 1-5
        0 draws [2|1]
        0 draws [6|3]
        0 draws [3|2]
        0 draws [3|0]
        0 draws [0|0]
        0 draws [6|0]
        0 draws [5|2]
        0 draws [4|2]
        0 draws [5|4]
        0 draws [5|5]
        0 right straight [5|5] 1-5
        1 scores 39
        1 wins
        """,
        ["22 33 41 51 53 62 66", "10 31 40 44 61 64 65"],
        "43 11 21 63 32 30 00 60 52 42 54 55",
        table="5x4",
    )
    assert points == 39 and closed == ["left", "right"]
    assert values(row, "outcome", "winner", "plays", "stock") == ["blocked", 1, 3, 2]


# --- Strategies -------------------------------------------------------------------------------------------------------


def view_of(hand, played, left, right, other=3, n_stock=2, ruled_out=(), table=None):
    return {
        "seat": 0,
        "hand": [ALL_TILES[number] for number in tiles(hand)],
        "left": left,
        "right": right,
        "played": [ALL_TILES[number] for number in tiles(played)],
        "table": table or Anywhere(),
        "tiles_held": [len(hand.split()), other],
        "n_stock": n_stock,
        "ruled_out": set(ruled_out),
        "n_played": 3,
        "match": 0,
        "round_in_match": 0,
    }


def test_features__tell_what_is_left_after_the_move():
    # Ends 2 and 6; all tiles with a six but [6|5] are played. [6|2] at the left makes six and six.
    played = "66 64 63 61 60 22 20 21"
    move = Move((6, 2), "left", 2, 6, (None,))
    found = features(view_of("62 65 33", played, 2, 6), move, None)
    assert found["pips"] == 8 and found["double"] == 0 and found["equal_ends"] == 1
    assert found["follow_ups"] == 1 and found["values_kept"] == 3
    assert found["unseen"] == found["other_moves"] == 0
    assert found["other_void"] == found["other_passes"] == 1 and found["other_draws"] == 0
    assert found["own_ends"] == 1 and found["stock_low"] == 8
    assert found["blocks_low"] == found["blocks_high"] == found["closed_ends"] == 0
    # With more in the stock the other must draw instead.
    found = features(view_of("62 65 33", played, 2, 6, n_stock=3), move, None)
    assert (found["other_draws"], found["other_passes"], found["stock_low"]) == (1, 0, 0)


def test_features__blocks_compares_the_own_pips_with_what_the_other_may_hold():
    # [6|5] was played too: nobody can go on. The unseen tiles have 58 pips on 14: 4.1 each.
    played = "66 65 64 63 61 60 22 20 21 42 32"
    unseen = [tile for tile in ALL_TILES if tile_number(tile) not in tiles(played + " 62 10")]
    pips = sum(map(sum, unseen))
    move = Move((6, 2), "left", 2, 6, (None,))
    low = features(view_of("62 10", played, 2, 6), move, None)
    assert len(unseen) < 3 * pips and (low["blocks_low"], low["blocks_high"]) == (1, 0)
    high = features(view_of("62 55 44", played, 2, 6, other=1), move, None)
    assert (high["blocks_low"], high["blocks_high"]) == (0, 1)
    # The last tile of the hand blocks nothing: the round is over.
    last = features(view_of("62", played, 2, 6), move, None)
    assert last["blocks_low"] == last["blocks_high"] == 0


def test_features__walls_are_closed_ends_that_only_the_other_could_follow():
    board, _ = laid("5x4", (5, 1))
    # The double one closes the left end. The hand has no other one; unseen tiles have.
    move = Move((1, 1), "left", 1, 1, ("straight",))
    found = features(view_of("11 22", "51", 1, 5, table=board), move, "straight")
    assert (found["closed_ends"], found["walls"], found["shuts_own"], found["turns"]) == (1, 1, 0, 0)
    # With a one kept it is no wall.
    found = features(view_of("11 21", "51", 1, 5, table=board), move, "straight")
    assert (found["closed_ends"], found["walls"], found["shuts_own"]) == (1, 0, 0)
    # All other ones in the hand: only the player could have gone on.
    found = features(view_of("11 10 21 31 41 61", "51", 1, 5, table=board), move, "straight")
    assert (found["closed_ends"], found["walls"], found["shuts_own"]) == (1, 0, 1)


def test_weighted__takes_the_best_direction_and_of_equals_the_first():
    board, _ = laid("9x9", (6, 5))
    view = view_of("65 54 53", "", 5, 6, table=board)
    move = Move((5, 4), "left", 5, 4, ("straight", "left", "right"))
    assert choose_weighted({"turns": 1}, 0, 1)(0, view, [move]) == (0, "left")
    assert choose_weighted({"turns": -1}, 0, 1)(0, view, [move]) == (0, "straight")
    assert choose_weighted({"pips": 1}, 0, 1)(0, view, [move]) == (0, "straight")
    assert choose_weighted({"turns": 1}, 0.5, 1)(0, view, [move]) == (0, "left")


def test_defaults__are_those_of_the_rules():
    assert DEFAULT_RULES == {
        "opening_lead": "any",
        "draw": "until_fit",
        "target": 100,
        "table": "unbounded",
        "max_rounds": 10000,
    }
    assert len(set(ALL_TILES)) == 28 and sorted(ALL_TILES) == ALL_TILES
