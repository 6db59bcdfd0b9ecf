"""The twin of Domeng against rounds worked by hand.

A *story* tells a round line by line: it says what the players choose, and what must come of it. `0 lead [5|3] 3-5` is
a lead of seat 0 and the ends after it, left first; `1 left [3|0] 0-5` a tile joined to the left end; `4 pass +1` a PASS
and the stones that it brings, from the table unless it says `(1 from 0)`. The 25 deal rows are left out.
"""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from tests.twin.domeng import (
    ALL_TILES,
    DEFAULT_RULES,
    SEATS,
    Move,
    complete_rules,
    lead_moves,
    moves_at,
    opening,
    play_match,
    play_round,
    tile_number,
)
from tests.twin.streams import (
    block,
    choice_word,
    deal,
    deal_from_ranks,
    mix,
    mul,
    philox4x32,
    ranks_from_words,
    subset_of_rank,
)
from tests.twin.weighted import FEATURES, choose_random, choose_weighted, features, seated, words

# --- Help -------------------------------------------------------------------------------------------------------------


def tiles(text):
    """`"20 21"` as the numbers of [2|0] and [2|1]."""
    return [tile_number((int(pair[0]), int(pair[1]))) for pair in text.split()]


def show(tile):
    return f"[{tile[0]}|{tile[1]}]"


def told(event):
    """An event row as a line of a story."""
    what, seat = event["event"], event["seat"]
    if what in ("lead", "play"):
        assert event["stones"] == 0
        ends = f"{event['left_end']}-{event['right_end']}"
        return f"{seat} {event['side'] or 'lead'} {show(ALL_TILES[event['tile']])} {ends}"
    assert event["tile"] == -1 and event["side"] is None
    if what in ("end", "camat"):
        assert event["stones"] == 0
        return f"{seat} {what}"
    given = [event[f"given_{s}"] for s in SEATS]
    assert event["stones"] == event["from_table"] + sum(given)
    gifts = ", ".join(f"{given[s]} from {s}" for s in SEATS if given[s])
    return f"{seat} {what} +{event['stones']}" + (f" ({gifts})" if gifts else "")


def tell(story, hands, stones=(0, 0, 0, 0, 0), table=25, views=None, **rules):
    """Play the story (seat 0 starts), check each line of it, and return the row of the round.

    The views of those who had a choice are appended to `views`.
    """
    lines = [line.strip() for line in story.splitlines() if line.strip()]
    played = [line.split() for line in lines if "[" in line]

    def choose(seat, view, moves):
        if views is not None:
            views.append(view)
        next_line = played[sum(what in ("lead", "play") for _, what, *_ in view["log"])]
        for index, move in enumerate(moves):
            if next_line[:3] == [str(seat), move.end or "lead", show(move.tile)]:
                return index
        raise AssertionError(f"{next_line} is not among {moves}")

    row, events = play_round(rules, [tiles(hand) for hand in hands], 0, list(stones), table, choose)
    assert [told(event) for event in events[25:]] == lines
    assert [event["step"] for event in events] == list(range(len(events)))
    return row


def by_seat(row, name):
    return [row[f"{name}_{seat}"] for seat in SEATS]


# --- Random numbers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counter", "key", "words_out"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox__gives_the_published_words(counter, key, words_out):
    assert philox4x32(counter, key) == words_out


def test_mix__gives_the_published_sequence_of_splitmix64():
    gamma = 0x9E3779B97F4A7C15
    assert [mix((1234567 + n * gamma) % 2**64) for n in (1, 2, 3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_choice_word__numbers_the_elements_by_copy_and_seat_and_multiplies_for_each_decision():
    # Key (5, 1), counter (7, 2, 9, 1): the block of the seed 2^32 + 5, match 2 * 2^32 + 7, round 9, purpose CHOICE.
    w0, w1, _, _ = philox4x32((7, 2, 9, 1), (5, 1))
    start = w0 + w1 * 2**32
    own = mix((start + (8 + 3 + 1) * 0x9E3779B97F4A7C15) % 2**64)
    key = (2**32 + 5, 2 * 2**32 + 7, 9)
    assert choice_word(*key, seat=3, decision=0, copy=1) == own
    assert choice_word(*key, seat=3, decision=2, copy=1) == own * 0xF1357AEA2E62A9C5**2 % 2**64
    # The word of a playout comes from a block of its own.
    w0, w1, _, _ = philox4x32((7, 2, 9, 3), (5, 1))
    assert choice_word(*key, seat=0, decision=0, purpose=3) == mix((w0 + w1 * 2**32 + 0x9E3779B97F4A7C15) % 2**64)
    seen = [choice_word(1, 0, 0, seat, decision, copy) for copy in (0, 1, 2) for seat in SEATS for decision in range(5)]
    assert len(set(seen)) == 75


def test_block__has_its_own_counter_for_each_purpose_and_attempt():
    w0, w1, w2, w3 = philox4x32((7, 2, 9, 3 + 256 * 4), (5, 1))
    words_out = (w0 + w1 * 2**32, w2 + w3 * 2**32)
    assert block(2**32 + 5, 2 * 2**32 + 7, 9, purpose=3, attempt=4) == words_out


def test_subset_of_rank__counts_through_all_subsets_in_colexicographic_order():
    colex = sorted(itertools.combinations(range(8), 5), key=lambda subset: subset[::-1])
    assert [tuple(subset_of_rank(rank, 5)) for rank in range(56)] == colex


def test_deal_from_ranks__takes_the_tiles_in_order_of_their_numbers():
    assert deal_from_ranks([0, 0, 0, 0, 0]) == (
        [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14], [15, 16, 17, 18, 19], [20, 21, 22, 23, 24]],
        [25, 26, 27],
    )
    # The last rank of each seat takes the highest tiles that remain.
    hands, unused = deal_from_ranks([98279, 33648, 8567, 1286, 55])
    assert hands[0] == [23, 24, 25, 26, 27] and hands[4] == [3, 4, 5, 6, 7] and unused == [0, 1, 2]


def test_ranks_from_words__rejects_exactly_the_lowest_fractions():
    n = 98280 * 33649
    # x * n = whole * 2^64 + fraction. The least x of whole number 1 has a fraction below n; it is rejected if that lies
    # below 2^64 mod n, and so is 0.
    ordinary = 2**63 + 12345
    assert ranks_from_words(ordinary, ordinary) is not None
    assert ranks_from_words(0, ordinary) is None
    assert ranks_from_words(ordinary, 0) is None
    accepted = rejected = 0
    for whole in range(200):
        x = -(-whole * 2**64 // n)
        fraction = x * n - whole * 2**64
        ranks = ranks_from_words(x, ordinary)
        if fraction < 2**64 % n:
            assert ranks is None
            rejected += 1
        else:
            assert ranks[:2] == [whole // 33649, whole % 33649]
            accepted += 1
        assert ranks_from_words(x + 1, ordinary)[:2] == [whole // 33649, whole % 33649]
    assert accepted > 20 and rejected > 20
    assert mul(2**63, 7) == (3, 2**63)


def test_deal__puts_each_tile_in_one_place_and_depends_on_each_argument():
    hands, unused = deal(1, 2, 3)
    assert sorted([tile for hand in [*hands, unused] for tile in hand]) == list(range(28))
    assert all(hand == sorted(hand) and len(hand) == 5 for hand in hands)
    assert deal(1, 2, 3) == (hands, unused)
    others = [deal(0, 2, 3), deal(1, 0, 3), deal(1, 2, 0), deal(1 + 2**32, 2, 3), deal(1, 2 + 2**32, 3)]
    assert all(other != (hands, unused) for other in others)


# --- Moves ------------------------------------------------------------------------------------------------------------


def test_moves__are_ordered_by_value_joined_and_new_end():
    # Ends 5 and 3. [5|3] joins at both ends; [3|3] and [5|5] once; [6|4] nowhere.
    hand = [(5, 5), (6, 4), (5, 3), (3, 0), (3, 3)]
    assert moves_at(hand, left=5, right=3) == [
        Move((3, 0), "right", 3, 0),
        Move((3, 3), "right", 3, 3),
        Move((5, 3), "right", 3, 5),
        Move((5, 3), "left", 5, 3),
        Move((5, 5), "left", 5, 5),
    ]


def test_moves__at_two_equal_ends_are_written_once_as_left():
    hand = [(4, 4), (4, 1), (6, 4), (5, 3)]
    assert moves_at(hand, left=4, right=4) == [
        Move((4, 1), "left", 4, 1),
        Move((4, 4), "left", 4, 4),
        Move((6, 4), "left", 4, 6),
    ]


def test_lead_moves__are_ordered_by_tile_number():
    assert [move.tile for move in lead_moves([(6, 0), (2, 2), (3, 0)])] == [(2, 2), (3, 0), (6, 0)]
    assert {(move.end, move.joined, move.new) for move in lead_moves([(6, 0), (2, 2)])} == {(None, None, None)}


# --- Rounds that end by CAPPU -----------------------------------------------------------------------------------------

# Seat 0 plays its last tile [5|2] at the equal ends 2 and 2: no MAPPAKULING. Ten PASSes; none is a PASSEBUNGE, as
# everybody played in the first turn.
CAPPU_HANDS = ["20 21 22 52 60", "00 10 11 55 62", "31 42 44 51 63", "33 41 50 61 64", "30 40 43 54 66"]
CAPPU_STORY = """
    0 lead [2|0] 0-2
    1 right [6|2] 0-6
    2 right [6|3] 0-3
    3 right [3|3] 0-3
    4 right [4|3] 0-4
    0 left [6|0] 6-4
    1 pass +1
    2 right [4|2] 6-2
    3 left [6|1] 1-2
    4 pass +1
    0 left [2|1] 2-2
    1 pass +1
    2 pass +1
    3 pass +1
    4 pass +1
    0 left [2|2] 2-2
    1 pass +1
    2 pass +1
    3 pass +1
    4 pass +1
    0 left [5|2] 5-2
    """


def test_cappu__is_plain_where_the_ends_differ_after_the_last_tile():
    row = tell(CAPPU_STORY + "4 award +1\n 0 end", CAPPU_HANDS)
    assert (row["outcome"], row["winner"], row["last_mappano"], row["cucuq"], row["camat"]) == ("cappu", 0, 0, 4, -1)
    assert (row["starter"], row["mattikkeng_seats"], row["plays"]) == (0, 0, 11)
    assert by_seat(row, "passes") == [0, 3, 2, 2, 3]
    assert by_seat(row, "passebunge") == [0, 0, 0, 0, 0]
    # Seat 1 is left with [0|0] [1|0] [1|1] [5|5], seat 2 with [3|1] [4|4] [5|1], and so on.
    assert by_seat(row, "pips") == [0, 13, 18, 20, 28]
    assert by_seat(row, "stones") == [0, 3, 2, 2, 4] and row["table_stones"] == 14
    # Tiles 3, 4, 5, 17, 21.
    assert row["hand_0"] == 2**3 + 2**4 + 2**5 + 2**17 + 2**21


def test_amounts__are_those_of_the_rules():
    story = CAPPU_STORY.replace("+1", "+2") + "4 award +4\n 0 end"
    row = tell(story, CAPPU_HANDS, table=40, pass_stones=2, cappu_stones=4)
    assert by_seat(row, "stones") == [0, 6, 4, 4, 10] and row["table_stones"] == 16


def test_camat__after_counts_the_stones_after_the_award():
    # The ten PASSes leave one stone; CUCUQ gets it.
    row = tell(CAPPU_STORY + "4 award +1\n 0 end\n 0 camat", CAPPU_HANDS, stones=[0, 4, 4, 3, 3], table=11)
    assert row["camat"] == 0 and row["table_stones"] == 0 and by_seat(row, "stones") == [0, 7, 6, 5, 7]


def test_camat__before_wants_the_table_empty_before_the_award():
    stones = [0, 4, 4, 3, 3]
    row = tell(CAPPU_STORY + "4 award +1\n 0 end", CAPPU_HANDS, stones=stones, table=11, camat_check="before")
    assert row["camat"] == -1 and row["table_stones"] == 0


@pytest.mark.parametrize("camat_check", ["after", "before"])
def test_camat__may_give_the_last_stone_as_the_award(camat_check):
    story = CAPPU_STORY + "4 award +1 (1 from 0)\n 0 end\n 0 camat"
    row = tell(story, CAPPU_HANDS, stones=[1, 4, 4, 3, 3], table=10, camat_check=camat_check)
    assert row["camat"] == 0


@pytest.mark.parametrize("camat_check", ["after", "before"])
@pytest.mark.parametrize(("stones", "table", "award"), [([2, 4, 3, 3, 3], 10, "+1 (1 from 0)"), ([0] * 5, 12, "+1")])
def test_camat__needs_an_empty_table_and_no_stones(camat_check, stones, table, award):
    row = tell(CAPPU_STORY + f"4 award {award}\n 0 end", CAPPU_HANDS, stones, table, camat_check=camat_check)
    assert row["camat"] == -1


# MAPPAKULINGs on the way are [5|0], [0|0] and [5|2]; the last tile of seat 0, [3|2], fits the different ends 3 and 2.
CEKI_HANDS = ["20 21 32 42 53", "30 43 44 62 66", "31 40 41 50 61", "00 10 22 33 52", "11 51 54 55 65"]
CEKI_STORY = """
    0 lead [5|3] 3-5
    1 left [3|0] 0-5
    2 right [5|0] 0-0
    3 left [0|0] 0-0
    4 passebunge +2
    0 left [2|0] 2-0
    1 left [6|2] 6-0
    2 right [4|0] 6-4
    3 pass +1
    4 left [6|5] 5-4
    0 right [4|2] 5-2
    1 pass +1
    2 pass +1
    3 left [5|2] 2-2
    4 pass +1
    0 left [2|1] 1-2
    1 pass +1
    2 left [3|1] 3-2
    3 left [3|3] 3-2
    4 pass +1
    """


@pytest.mark.parametrize("last", ["0 right [3|2] 3-3", "0 left [3|2] 2-2"])
def test_ceki__is_a_last_tile_that_fits_both_of_two_different_ends(last):
    row = tell(CEKI_STORY + last + "\n 4 award +3\n 0 end", CEKI_HANDS)
    assert (row["outcome"], row["winner"], row["cucuq"], row["plays"]) == ("ceki", 0, 4, 14)
    assert by_seat(row, "passes") == [0, 2, 1, 1, 3]
    assert by_seat(row, "passebunge") == [0, 0, 0, 0, 1]
    assert by_seat(row, "stones") == [0, 2, 1, 1, 7] and row["table_stones"] == 14


def test_ceki__awards_at_most_what_first_cappu_holds():
    # The table is emptied by the PASSes; of the three stones FIRST CAPPU has two.
    story = CEKI_STORY + "0 right [3|2] 3-3\n 4 award +2 (2 from 0)\n 0 end\n 0 camat"
    row = tell(story, CEKI_HANDS, stones=[2, 5, 5, 5, 0], table=8)
    assert row["camat"] == 0 and by_seat(row, "stones") == [0, 7, 6, 6, 6]


POLLO_HANDS = ["32 52 60 64 66", "41 44 51 55 65", "50 53 54 61 62", "11 30 33 40 63", "00 20 31 42 43"]
POLLO_STORY = """
    0 lead [3|2] 2-3
    1 passebunge +2
    2 left [6|2] 6-3
    3 left [6|3] 3-3
    4 left [4|3] 4-3
    0 left [6|4] 6-3
    1 left [6|5] 5-3
    2 right [5|3] 5-5
    3 pass +1
    4 pass +1
    0 left [5|2] 2-5
    1 right [5|1] 2-1
    2 right [6|1] 2-6
    3 pass +1
    4 left [2|0] 0-6
    0 left [6|0] 6-6
    1 pass +1
    2 pass +1
    3 pass +1
    4 pass +1
    0 left [6|6] 6-6
    4 award +5
    0 end
    """


def test_pollo__is_a_last_double_at_two_ends_of_its_value():
    row = tell(POLLO_STORY, POLLO_HANDS)
    assert (row["outcome"], row["winner"], row["cucuq"], row["plays"]) == ("pollo", 0, 4, 13)
    assert by_seat(row, "passes") == [0, 2, 1, 3, 2]
    assert by_seat(row, "passebunge") == [0, 1, 0, 0, 0]
    assert by_seat(row, "pips") == [0, 23, 14, 15, 10]
    assert by_seat(row, "stones") == [0, 3, 1, 3, 7] and row["table_stones"] == 11


def test_view__shows_what_the_player_may_know_and_nothing_else():
    views = []
    tell(POLLO_STORY, POLLO_HANDS, views=views)
    # Seat 2 before its second tile, [5|3].
    (view,) = [view for view in views if view["seat"] == 2 and view["tiles_held"][2] == 4]
    assert view == {
        "seat": 2,
        "hand": [(5, 0), (5, 3), (5, 4), (6, 1)],
        "left": 5,
        "right": 3,
        "log": [
            (0, "lead", (3, 2), None, 2, 3),
            (1, "passebunge", None, None, 2, 3),
            (2, "play", (6, 2), "left", 6, 3),
            (3, "play", (6, 3), "left", 3, 3),
            (4, "play", (4, 3), "left", 4, 3),
            (0, "play", (6, 4), "left", 6, 3),
            (1, "play", (6, 5), "left", 5, 3),
        ],
        "tiles_held": [3, 4, 4, 4, 4],
        "stones": [0, 2, 0, 0, 0],
        "table": 23,
        "began_with": ([0, 0, 0, 0, 0], 25),
        "passes": [0, 1, 0, 0, 0],
        "voids": [set(), {2, 3}, set(), set(), set()],
        "last_mappano": 1,
        "starter": 0,
        "camat": -1,
        "rules": DEFAULT_RULES,
        "match": 0,
        "round_in_match": 0,
    }


# --- Rounds that end blocked ------------------------------------------------------------------------------------------

# [0|0] [1|0] [2|0] are unused, the chain is [0|3][3|4][4|0][0|5][5|6][6|0]: no 0 is left for the two ends. Seat 0 is
# the MANGUNO with three tiles, the others have four each. Everybody has played: the closing PASSes are no PASSEBUNGE.
BLOCK = """
    0 lead [6|5] 5-6
    1 right [6|0] 5-0
    2 left [5|0] 0-0
    3 left [4|0] 4-0
    4 left [4|3] 3-0
    0 left [3|0] 0-0
    """
CLOSING_FROM_TABLE = """
    1 pass +1
    2 pass +1
    3 pass +1
    4 pass +1
    0 pass +1
    """
CLOSING_FROM_NOBODY = CLOSING_FROM_TABLE.replace("+1", "+0")

# Pips left: 9, 22, 26, 32, 40.
MANGUNO_HANDS = ["65 30 11 21 31", "60 22 41 51 61", "50 32 42 52 62", "40 33 53 54 63", "43 44 55 64 66"]


def test_manguno__wins_where_all_others_have_more_pips():
    row = tell(BLOCK + CLOSING_FROM_TABLE + "4 award +1\n 0 end", MANGUNO_HANDS)
    assert (row["outcome"], row["winner"], row["last_mappano"], row["cucuq"]) == ("manguno", 0, 0, 4)
    assert (row["mattikkeng_seats"], row["plays"]) == (0, 6)
    assert by_seat(row, "pips") == [9, 22, 26, 32, 40]
    assert by_seat(row, "passes") == [1, 1, 1, 1, 1]
    assert by_seat(row, "passebunge") == [0, 0, 0, 0, 0]
    assert by_seat(row, "stones") == [1, 1, 1, 1, 2] and row["table_stones"] == 19


def test_manguno__gives_the_stones_where_the_table_is_empty_but_none_to_itself():
    closing = """
        1 pass +1 (1 from 0)
        2 pass +1 (1 from 0)
        3 pass +1 (1 from 0)
        4 pass +1 (1 from 0)
        0 pass +0
        4 award +1 (1 from 0)
        0 end
        """
    row = tell(BLOCK + closing, MANGUNO_HANDS, stones=[5, 5, 5, 5, 5], table=0)
    # Without a stone, on an empty table, and the winner: but a MANGUNO is no FIRST CAPPU.
    assert by_seat(row, "stones") == [0, 6, 6, 6, 7] and row["camat"] == -1


def test_closing_passes_free__are_counted_but_award_nothing():
    story = BLOCK + CLOSING_FROM_NOBODY + "4 award +1\n 0 end"
    row = tell(story, MANGUNO_HANDS, closing_passes="free")
    assert by_seat(row, "passes") == [1, 1, 1, 1, 1]
    assert by_seat(row, "stones") == [0, 0, 0, 0, 1] and row["table_stones"] == 24


# Pips left: 24, 32, 13, 30, 30.
SINGLE_HANDS = ["65 30 33 44 55", "60 41 53 61 66", "50 11 21 22 31", "40 32 51 63 64", "43 42 52 54 62"]


def test_mattikkeng__single_with_fewer_pips_awards_five_to_the_manguno():
    row = tell(BLOCK + CLOSING_FROM_TABLE + "0 award +5\n 2 end", SINGLE_HANDS)
    assert (row["outcome"], row["winner"], row["last_mappano"], row["cucuq"]) == ("mattikkeng", 2, 0, -1)
    assert row["mattikkeng_seats"] == 0b00100
    assert by_seat(row, "stones") == [6, 1, 1, 1, 1] and row["table_stones"] == 15


def test_mattikkeng__single_gives_what_the_table_lacks_and_at_most_its_own():
    # After the closing PASSes two stones are on the table, and two with the MATTIKKENG.
    story = BLOCK + CLOSING_FROM_TABLE + "0 award +4 (2 from 2)\n 2 end"
    row = tell(story, SINGLE_HANDS, stones=[5, 5, 1, 5, 2], table=7)
    assert by_seat(row, "stones") == [10, 6, 0, 6, 3] and row["table_stones"] == 0


def test_mattikkeng__single_with_equal_pips_awards_one():
    # Pips left: 15, 26, 15, 34, 39.
    hands = ["65 30 31 22 52", "60 33 42 44 51", "50 11 21 32 41", "40 53 54 55 61", "43 62 63 64 66"]
    row = tell(BLOCK + CLOSING_FROM_TABLE + "0 award +1\n 2 end", hands)
    assert (row["outcome"], row["winner"], row["mattikkeng_seats"]) == ("mattikkeng", 2, 0b00100)
    assert by_seat(row, "pips") == [15, 26, 15, 34, 39]
    assert by_seat(row, "stones") == [2, 1, 1, 1, 1] and row["table_stones"] == 19


# Pips left: 32, 23, 34, 20, 20: the MATTIKKENGs are the seats 1, 3 and 4.
SEVERAL_HANDS = ["65 30 66 64 55", "60 22 32 44 51", "50 63 62 54 53", "40 11 33 41 61", "43 21 31 42 52"]


@pytest.mark.parametrize(
    ("option", "amount", "winner", "award"),
    [
        # Seats 3 and 4 tie for the fewest pips; 3 comes first. Order of the givers: 3, 1, 4.
        ("lowest", 1, 3, "+1 (1 from 3)"),
        ("lowest", 4, 3, "+4 (1 from 1, 3 from 3)"),
        ("lowest", 7, 3, "+7 (3 from 1, 3 from 3, 1 from 4)"),
        ("lowest", 12, 3, "+9 (3 from 1, 3 from 3, 3 from 4)"),
        # Order of the givers: 1, 3, 4.
        ("next", 1, 1, "+1 (1 from 1)"),
        ("next", 4, 1, "+4 (3 from 1, 1 from 3)"),
    ],
)
def test_mattikkeng__several_give_in_order_the_winner_first(option, amount, winner, award):
    row = tell(
        BLOCK + CLOSING_FROM_NOBODY + f"0 award {award}\n {winner} end",
        SEVERAL_HANDS,
        stones=[0, 3, 16, 3, 3],
        table=0,
        mattikkeng_winner=option,
        mattikkeng_shared_stones=amount,
    )
    assert (row["outcome"], row["winner"], row["mattikkeng_seats"]) == ("mattikkeng", winner, 0b11010)
    assert row["cucuq"] == -1


# The same chain, but seat 1 holds only 1, 2 and 4 and never plays: three PASSEBUNGE, one of them closing. Seat 2 is the
# MANGUNO and, with pips left 21, 20, 15, 34, 39, wins. LAST MAPPANO pays, as the table is empty; at the end seat 2 has
# one stone for the PASSEBUNGE of seat 1, and none for CUCUQ.
PASSEBUNGE_HANDS = ["65 43 33 44 52", "11 21 22 41 42", "60 30 31 32 51", "50 53 54 55 61", "40 62 63 64 66"]
PASSEBUNGE_STORY = """
    0 lead [6|5] 5-6
    1 passebunge +2 (2 from 0)
    2 right [6|0] 5-0
    3 left [5|0] 0-0
    4 left [4|0] 4-0
    0 left [4|3] 3-0
    1 passebunge +2 (2 from 0)
    2 left [3|0] 0-0
    3 pass +1 (1 from 2)
    4 pass +1 (1 from 2)
    0 pass +1 (1 from 2)
    1 passebunge +1 (1 from 2)
    2 pass +0
    1 award +0
    2 end
    """


def test_passebunge__every_is_paid_by_last_mappano_where_the_table_is_empty():
    row = tell(PASSEBUNGE_STORY, PASSEBUNGE_HANDS, stones=[6, 5, 4, 5, 5], table=0)
    assert (row["outcome"], row["winner"], row["cucuq"]) == ("manguno", 2, 1)
    assert by_seat(row, "passes") == [1, 3, 1, 1, 1]
    assert by_seat(row, "passebunge") == [0, 3, 0, 0, 0]
    assert by_seat(row, "pips") == [21, 20, 15, 34, 39]
    assert by_seat(row, "stones") == [3, 10, 0, 6, 6]


def test_passebunge_first__makes_later_ones_ordinary_passes():
    story = PASSEBUNGE_STORY.replace(
        "4-0\n    0 left [4|3] 3-0\n    1 passebunge +2 (2 from 0)",
        "4-0\n    0 left [4|3] 3-0\n    1 pass +1 (1 from 0)",
    )
    story = story.replace("1 passebunge +1 (1 from 2)", "1 pass +1 (1 from 2)")
    row = tell(story, PASSEBUNGE_HANDS, stones=[6, 5, 4, 5, 5], table=0, passebunge="first")
    assert by_seat(row, "passes") == [1, 3, 1, 1, 1]
    assert by_seat(row, "passebunge") == [0, 1, 0, 0, 0]
    assert by_seat(row, "stones") == [4, 9, 0, 6, 6]


def test_passebunge__closing_and_free_keeps_its_label():
    story = PASSEBUNGE_STORY.replace("+1 (1 from 2)", "+0").replace("1 award +0", "1 award +1 (1 from 2)")
    row = tell(story, PASSEBUNGE_HANDS, stones=[6, 5, 4, 5, 5], table=0, closing_passes="free")
    assert by_seat(row, "passebunge") == [0, 3, 0, 0, 0]
    assert by_seat(row, "stones") == [2, 10, 3, 5, 5]


# --- Events and rows --------------------------------------------------------------------------------------------------


def test_events__begin_with_the_25_tiles_dealt():
    hands = [tiles(hand) for hand in CAPPU_HANDS]
    _, events = play_round({}, hands, 0, [0] * 5, 25, lambda seat, view, moves: 0, match=7, game=1, round_in_game=2)
    assert [(event["seat"], event["tile"]) for event in events[:25]] == [
        (seat, tile) for seat in SEATS for tile in sorted(hands[seat])
    ]
    for event in events[:25]:
        assert (event["event"], event["side"], event["left_end"], event["right_end"], event["stones"]) == (
            "deal",
            None,
            -1,
            -1,
            0,
        )
    assert {(event["match"], event["game"], event["round"]) for event in events} == {(7, 1, 2)}


def test_rows__have_the_columns_of_the_tables_in_order():
    tables = play_match({}, lambda r: deal(1, 0, r)[0], choose_random(words(1)), games=1)
    seats = ["_0", "_1", "_2", "_3", "_4"]
    assert list(tables["games"][0]) == [
        *["match", "game", "rounds", "incumbent", "camat"],
        *["stones" + s for s in seats],
        *["ceki", "pollo", "manguno", "mattikkeng", "ended"],
    ]
    assert list(tables["rounds"][0]) == [
        *[
            "match",
            "game",
            "round",
            "starter",
            "outcome",
            "winner",
            "last_mappano",
            "cucuq",
            "mattikkeng_seats",
            "plays",
        ],
        *["passes" + s for s in seats],
        *["passebunge" + s for s in seats],
        *["pips" + s for s in seats],
        *["stones" + s for s in seats],
        *["table_stones", "camat"],
        *["hand" + s for s in seats],
    ]
    assert list(tables["events"][0]) == [
        *[
            "match",
            "game",
            "round",
            "step",
            "event",
            "seat",
            "tile",
            "side",
            "left_end",
            "right_end",
            "stones",
            "from_table",
        ],
        *["given" + s for s in seats],
    ]


def test_rules__refuses_unknown_names_and_values_out_of_range():
    assert complete_rules({"stones": 7}) == {**DEFAULT_RULES, "stones": 7}
    for wrong in ({"stone": 1}, {"stones": 256}, {"pass_stones": -1}, {"max_rounds": 0}, {"passebunge": "never"}):
        with pytest.raises(AssertionError):
            complete_rules(wrong)


# --- Matches ----------------------------------------------------------------------------------------------------------


def test_opening__is_the_highest_double_that_was_dealt():
    # [6|6] and [5|5] unused, [4|4] with seat 2.
    hands = ["00 10 11 20 21", "22 30 31 32 33", "40 41 42 43 44", "50 51 52 53 54", "60 61 62 63 64"]
    assert opening([tiles(hand) for hand in hands]) == (2, tile_number((4, 4)))
    # [6|6] unused, all the others dealt.
    hands = ["44 33 11 20 21", "22 30 31 32 55", "40 41 42 43 10", "50 51 52 53 54", "60 61 62 63 64"]
    assert opening([tiles(hand) for hand in hands]) == (1, tile_number((5, 5)))
    # All three highest unused: [3|3] with seat 1.
    hands = ["00 10 11 20 21", "22 30 31 32 33", "40 41 42 43 65", "50 51 52 53 54", "60 61 62 63 64"]
    assert opening([tiles(hand) for hand in hands]) == (1, tile_number((3, 3)))


@pytest.mark.parametrize(("option", "leads"), [("any", [0, 1, 2]), ("double", [1, 2])])
def test_opening_lead_double__forces_the_first_lead_of_the_match_only(option, leads):
    # Everybody plays the first of the moves, so at a free lead the lowest tile. [6|6] is with seat 1.
    asked = []

    def choose(seat, view, moves):
        if view["left"] is None:
            asked.append(view["round_in_match"])
            assert len(moves) == 5
        return 0

    hands = [tiles(hand) for hand in CEKI_HANDS]
    tables = play_match({"opening_lead": option}, lambda r: hands, choose, rounds=3)
    assert asked == leads
    led = [event for event in tables["events"] if event["event"] == "lead"]
    assert led[0]["seat"] == tables["rounds"][0]["starter"] == 1
    assert ALL_TILES[led[0]["tile"]] == ((6, 6) if option == "double" else (3, 0))
    assert all(event["tile"] == min(hands[event["seat"]]) for event in led[1:])


def test_match__is_started_by_the_camat_else_by_the_winner_of_the_round_before():
    # Without any stones each CAPPU appoints a CAMAT; the other rounds appoint nobody.
    tables = play_match({"stones": 0}, lambda r: deal(3, 0, r)[0], choose_random(words(3)), games=60)
    rounds, games = tables["rounds"], tables["games"]
    assert [game["ended"] for game in games] == ["camat"] * 60
    assert [game["incumbent"] for game in games] == [-1] + [game["camat"] for game in games[:-1]]
    camat = -1
    started_by_loser = 0
    for before, row in itertools.pairwise(rounds):
        camat = before["winner"] if before["outcome"] in ("cappu", "ceki", "pollo") else camat
        assert before["camat"] == (before["winner"] if before["outcome"] in ("cappu", "ceki", "pollo") else -1)
        assert row["starter"] == (before["winner"] if camat == -1 else camat)
        started_by_loser += row["starter"] != before["winner"]
        assert (row["game"], row["round"]) == (
            (before["game"], before["round"] + 1) if before["camat"] == -1 else (before["game"] + 1, 0)
        )
    assert started_by_loser > 0
    for game in games:
        own = [row["outcome"] for row in rounds if row["game"] == game["game"]]
        counts = Counter(own)
        assert game["rounds"] == len(own)
        assert all(game[name] == counts[name] for name in ("ceki", "pollo", "manguno", "mattikkeng"))


def test_max_rounds__truncates_the_game_and_the_match_goes_on():
    tables = play_match({"max_rounds": 2}, lambda r: deal(4, 0, r)[0], choose_random(words(4)), games=3)
    assert [(game["rounds"], game["camat"], game["ended"]) for game in tables["games"]] == [(2, -1, "truncated")] * 3
    rounds = tables["rounds"]
    assert [(row["game"], row["round"]) for row in rounds] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    # No CAMAT yet: the winner of the last round starts.
    assert all(row["starter"] == before["winner"] for before, row in itertools.pairwise(rounds))
    # The stones return: what the first round of a game awards comes from 25 on the table.
    for row in rounds:
        assert row["table_stones"] + sum(by_seat(row, "stones")) == 25
        awarded = sum(
            event["from_table"] for event in tables["events"] if (event["game"], event["round"]) == (row["game"], 0)
        )
        if row["round"] == 0:
            assert row["table_stones"] == 25 - awarded


def test_max_rounds__leaves_the_camat_of_before_in_place():
    # One round a game: a CAPPU appoints a CAMAT (no stones), any other round truncates the game.
    tables = play_match({"stones": 0, "max_rounds": 1}, lambda r: deal(5, 0, r)[0], choose_random(words(5)), games=60)
    assert {game["ended"] for game in tables["games"]} == {"camat", "truncated"}
    camat = -1
    for game, row in zip(tables["games"], tables["rounds"], strict=True):
        assert game["incumbent"] == camat
        if camat != -1:
            assert row["starter"] == camat
        assert game["camat"] == row["camat"]
        camat = camat if game["ended"] == "truncated" else game["camat"]


def test_rounds_limit__leaves_the_game_under_way_unfinished():
    def play(**limit):
        return play_match({}, lambda r: deal(6, 0, r)[0], choose_random(words(6)), **limit)

    whole = play(games=3)
    n = len(whole["rounds"])
    # A limit where a game ends leaves no game under way.
    assert play(rounds=n) == whole
    cut = play(rounds=n - 1)
    assert cut["rounds"] == whole["rounds"][:-1]
    assert cut["games"][:2] == whole["games"][:2]
    last = cut["games"][2]
    assert (last["ended"], last["camat"], last["rounds"]) == ("unfinished", -1, whole["games"][2]["rounds"] - 1)
    assert by_seat(last, "stones") == by_seat(cut["rounds"][-1], "stones")


# --- Strategies -------------------------------------------------------------------------------------------------------


def position(seat, hand, chain, left, right, **other):
    """A view with these things in it; the chain is a list of tiles, in the order played."""
    log = [(0, "play" if n else "lead", ALL_TILES[tile], None, 0, 0) for n, tile in enumerate(tiles(chain))]
    view = {
        "seat": seat,
        "hand": [ALL_TILES[tile] for tile in tiles(hand)],
        "left": left,
        "right": right,
        "log": log,
        "tiles_held": [4, 4, 4, 4, 4],
        "voids": [set(), set(), set(), set(), set()],
        "stones": [0, 0, 0, 0, 0],
        "table": 25,
        "match": 0,
        "round_in_match": 0,
    }
    return {**view, **other}


def shown(view, move):
    """The features that are not 0."""
    found = features(view, move)
    assert list(found) == FEATURES
    return {name: value for name, value in found.items() if value}


def middle(**other):
    # [3|5][5|6]; seat 1 holds [6|3] [3|3] [6|2] [1|0]; the seats 0 and 2 have neither 3 nor 6, seat 3 no 3,
    # seat 4 no 6.
    return position(
        1,
        "63 33 62 10",
        "65 53",
        3,
        6,
        **{
            "voids": [{1, 3, 6}, set(), {3, 6}, {3}, {6}],
            "tiles_held": [4, 4, 3, 5, 4],
            "stones": [9, 2, 5, 5, 4],
            "table": 0,
            **other,
        },
    )


def test_features__of_a_mappakuling():
    # Ends 6 and 6. Mine: [6|2]. Not seen: [6|0] [6|1] [6|4] [6|6].
    assert shown(middle(), Move((6, 3), "left", 3, 6)) == {
        "pips": 9,
        "mappakuling": 1,
        "follow_ups": 1,
        "values_kept": 5,
        "unseen": 4,
        "next_void": 1,
        "others_void": 3,
        "drain": 3,
        "cucuq_guard": 2,
        # Sure for the three; seat 3 may hold 18 tiles, 14 without a 6: 2002 of 8568 hands.
        "next_pass": 1000,
        "drain_pass": 3233,
    }


def test_features__of_a_new_end_that_nobody_is_void_of():
    # Ends 3 and 2. Mine: [6|3] and [3|3]. Not seen: [3|0] [3|1] [4|3], [3|2] twice, [2|0] [2|1] [2|2] [4|2] [5|2].
    assert shown(middle(), Move((6, 2), "right", 6, 2)) == {
        "pips": 8,
        "follow_ups": 2,
        "values_kept": 4,
        "unseen": 10,
        # Seat 2: 84 of 364 hands; then seat 3 1287 of 8568, seat 4 126 of 3060, seat 0 15 of 210.
        "next_pass": 230,
        "drain_pass": 230 + 150 + 41 + 71,
    }


def test_features__of_a_double_count_a_tile_at_two_ends_twice():
    # Ends 3 and 6. Mine: [6|3] twice and [6|2]. Not seen: [3|0] [3|1] [3|2] [4|3], [6|0] [6|1] [6|4] [6|6].
    found = shown(middle(), Move((3, 3), "left", 3, 3))
    assert found == {
        "pips": 6,
        "double": 1,
        "follow_ups": 3,
        "values_kept": 5,
        "unseen": 8,
        "next_void": 1,
        "others_void": 2,
        "drain": 2,
        "cucuq_guard": 2,
        # Sure for the two; seat 3 2002 of 8568 hands, seat 4 1001 of 3060.
        "next_pass": 1000,
        "drain_pass": 2000 + 233 + 327,
    }


@pytest.mark.parametrize("other", [{"table": 1}, {"stones": [9, 0, 5, 5, 6]}])
def test_features__drain_needs_an_empty_table_and_own_stones(other):
    found = shown(middle(**other), Move((6, 3), "left", 3, 6))
    assert "drain" not in found and "drain_pass" not in found


def test_features__of_a_lead_know_no_mappakuling():
    view = position(0, "66 65 50 40 30", "", None, None, tiles_held=[5, 5, 5, 5, 5])
    assert shown(view, Move((6, 6), None, None, None)) == {
        "pips": 12,
        "double": 1,
        "follow_ups": 1,
        "values_kept": 5,
        "unseen": 5,
        # 8568 of 33,649 hands.
        "next_pass": 254,
        "lead_double": 1,
    }
    # Ends 5 and 6. Mine: [6|6] and [5|0]. Not seen: five of the 6, five of the 5; 1287 of 33,649 hands have none.
    found = shown(view, Move((6, 5), None, None, None))
    assert found == {"pips": 11, "follow_ups": 2, "values_kept": 5, "unseen": 10, "next_pass": 38}


def test_features__own_ends_are_those_that_only_i_can_follow():
    # [0|6][6|5][5|0][0|0][0|4][4|3][3|0]; seat 0 holds the last two of the 0.
    view = position(0, "20 10 61", "60 65 50 00 40 43 30", 0, 0)
    assert shown(view, Move((2, 0), "left", 0, 2)) == {
        "pips": 2,
        "follow_ups": 1,
        "values_kept": 3,
        "unseen": 6,
        "own_ends": 1,
        # 495 of 3060 hands.
        "next_pass": 161,
    }
    # Two ends of one value are one.
    view = position(0, "00 20 10", "60 65 50 40 43 30", 0, 0)
    assert shown(view, Move((0, 0), "left", 0, 0)) == {
        "double": 1,
        "mappakuling": 1,
        "follow_ups": 2,
        "values_kept": 3,
        "own_ends": 1,
        "next_pass": 1000,
    }


@pytest.mark.parametrize(
    ("kept", "fewest", "feature"),
    [
        # The tiles not seen are 16, with 126 pips less those kept. 6 * 16 < 3 * 120
        ("11 31", 3, "blocks_low"),
        # 22 * 16 = 352 >= 3 * 104 = 312
        ("66 64", 3, "blocks_high"),
        # 352 < 4 * 104 = 416
        ("66 64", 4, "blocks_low"),
        # 14 * 16 = 224 = 2 * 112
        ("66 11", 2, "blocks_high"),
    ],
)
def test_features__blocks_compare_own_pips_with_what_the_shortest_hand_may_hold(kept, fewest, feature):
    # [0|6][6|5][5|0][0|0][0|4][4|3][3|0][0|2][2|1]; [1|0] closes both ends for good.
    chain = "60 65 50 00 40 43 30 20 21"
    view = position(0, "10 " + kept, chain, 0, 1, tiles_held=[1, 5, fewest, 5, 5])
    found = shown(view, Move((1, 0), "right", 1, 0))
    assert {name for name in found if name.startswith("blocks")} == {feature} and found[feature] == 1
    # The same with a hand that goes out is no block.
    view = position(0, "10", chain, 0, 1)
    assert shown(view, Move((1, 0), "right", 1, 0)) == {"pips": 1, "mappakuling": 1, "next_pass": 1000}


def test_features__blocks_need_that_nobody_else_can_follow():
    view = position(0, "65 11 31", "", None, None)
    # 715 of 12,650 hands must PASS.
    found = shown(view, Move((6, 5), None, None, None))
    assert found == {"pips": 11, "values_kept": 2, "unseen": 12, "next_pass": 56}


@pytest.mark.parametrize(
    ("hand", "move", "finish"),
    [
        # Ends 3 and 6, [6|3] is left.
        ("33 63", Move((3, 3), "left", 3, 3), 1),
        # Ends 3 and 3, [3|3] is left; ends 6 and 6.
        ("33 63", Move((6, 3), "right", 6, 3), 1),
        ("33 63", Move((6, 3), "left", 3, 6), 0),
        # Ends 2 and 6, [6|3] is left; ends 3 and 6, [3|3] is left; ends 3 and 3, [6|3] is left but it fits one value.
        ("32 63", Move((3, 2), "left", 3, 2), 0),
        ("33 66", Move((6, 6), "right", 6, 6), 0),
        ("63 30", Move((6, 3), "right", 6, 3), 0),
        # Two tiles left.
        ("33 63 10", Move((3, 3), "left", 3, 3), 0),
    ],
)
def test_features__finish_pair_sees_ceki_and_pollo(hand, move, finish):
    assert features(position(0, hand, "65 53", 3, 6), move)["finish_pair"] == finish


def fixed(word):
    return lambda seat, view: word


def test_random__takes_the_whole_part_of_word_times_moves():
    moves = lead_moves([(0, 0), (1, 0), (1, 1)])
    third = 2**64 // 3
    for word, k in [(0, 0), (third, 0), (third + 1, 1), (2 * third, 1), (2 * third + 2, 2), (2**64 - 1, 2)]:
        assert choose_random(fixed(word))(0, {}, moves) == k


def test_words__count_the_tiles_that_the_seat_has_played():
    view = {"match": 8, "round_in_match": 9, "tiles_held": [5, 5, 5, 2, 5]}
    assert words(7, copy=2)(3, view) == choice_word(7, 8, 9, seat=3, decision=3, copy=2)


def test_weighted__takes_the_highest_score_and_draws_among_ties():
    # Pips 6, 9, 9, 8: [3|3] at 3, [6|3] at 3 and at 6, [6|2] at 6.
    view = middle()
    moves = moves_at(view["hand"], 3, 6)
    assert [move.tile for move in moves] == [(3, 3), (6, 3), (6, 2), (6, 3)]
    for word, k in [(0, 1), (2**63 - 1, 1), (2**63, 3), (2**64 - 1, 3)]:
        assert choose_weighted({"pips": 1}, 0, fixed(word))(1, view, moves) == k
        assert choose_weighted({"pips": "0.001"}, 0, fixed(word))(1, view, moves) == k
    # A tie that binary fractions would miss: -0.1 * 9 + 0.3 = -0.1 * 6.
    weights = {"pips": "-0.1", "mappakuling": "0.3"}
    # Scores -0.6, -0.6, -0.8, -0.6.
    for word, k in [(0, 0), (2**64 // 2, 1), (2**64 - 1, 3)]:
        assert choose_weighted(weights, 0, fixed(word))(1, view, moves) == k


def test_weighted__with_temperature_takes_the_first_move_whose_cumulated_weight_exceeds_the_draw():
    # With T = 1 the weights of the four moves are exp(-3), 1, exp(-1), 1: cumulated shares 0.0206, 0.4342, 0.5864, 1.
    view = middle()
    moves = moves_at(view["hand"], 3, 6)
    for share, k in [
        (0, 0),
        (0.0205, 0),
        (0.0207, 1),
        (0.4341, 1),
        (0.4343, 2),
        (0.5863, 2),
        (0.5865, 3),
        (0.99999, 3),
    ]:
        assert choose_weighted({"pips": 1}, 1, fixed(int(share * 2**64)))(1, view, moves) == k
    # Four equal weights: a draw of exactly a quarter is not exceeded by the first.
    assert choose_weighted({}, 1, fixed(2**62))(1, view, moves) == 1
    # Twice the weights at twice the temperature are the same; a low temperature leaves the best alone.
    assert choose_weighted({"pips": 2}, 2, fixed(int(0.0205 * 2**64)))(1, view, moves) == 0
    assert choose_weighted({"pips": 1}, 0.05, fixed(2**32))(1, view, moves) == 1
    assert choose_weighted({"pips": 1}, 1, fixed(2**64 - 1))(1, view, moves) == 3


def test_weighted__with_all_weights_zero_is_random():
    def play(strategy):
        return play_match({}, lambda r: deal(9, 0, r)[0], strategy, rounds=5)

    nothing = choose_weighted(dict.fromkeys(FEATURES, 0), 0, words(9))
    assert play(nothing) == play(choose_random(words(9)))
    # Seats choose for themselves: one seat with another copy of the words changes the play.
    other = seated([choose_random(words(9)), choose_random(words(9, copy=1)), *[choose_random(words(9))] * 3])
    assert play(other) != play(nothing)
