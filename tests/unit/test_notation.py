"""Positions as people write them: what is read, what is refused and in which words; against the twin's real rounds."""

from __future__ import annotations

import sys
from subprocess import run

import pytest

from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.domeng.odds.notation import GRAMMAR, read, texts_of
from domeng_sim.games.domeng.odds.questions import draw
from domeng_sim.games.shared.move_log import Grammar
from domeng_sim.games.shared.notation import parse_hand
from domeng_sim.games.types import PositionError
from tests.domeng_positions import real_decisions
from tests.domeng_runs import RANDOM, twin_choose
from tests.effort import effort
from tests.twin.domeng import complete_rules, tile_number

RULES = DOMENG.resolve_rules({})
# [2|6][6|6][6|4][4|4]: seat 0 led 6|6, seat 2 passed at 6 and 4; seat 0 is to move.
LOG = "0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r"
TABLE = {"hand": "6|5 4|1 3|1 2|1", "log": LOG, "stones": "2,1,2,3,4"}
# The same with all hands; the unused tiles are 3|0, 2|0 and 6|3.
ALL = "6|5 4|1 3|1 2|1;5|4 2|2 4|3 1|1;5|5 5|3 5|2 5|1 5|0;6|1 4|2 0|0 1|0;6|0 4|0 3|3 3|2"


def position(**texts):
    return read(TABLE | {name.replace("_", "-"): text for name, text in texts.items() if text is not None}, RULES)


def without(*names, **texts):
    return read({name: text for name, text in (TABLE | texts).items() if name not in names}, RULES)


def test_position__tells_what_was_seen():
    here = position()
    assert (here.seat, here.turn, here.starter, here.last_mappano, here.ends) == (0, 0, 0, 4, (2, 4))
    assert (here.stones, here.table) == ((2, 1, 2, 3, 4), 13)
    assert here.held == (4, 4, 5, 4, 4)
    assert here.voids == (0, 0, 1 << 6 | 1 << 4, 0, 0)
    assert (here.passes, here.passebunge) == ((0, 0, 1, 0, 0), (0, 0, 1, 0, 0))
    assert [move.text for move in here.moves] == ["2|1 left", "4|1 right"]


@pytest.mark.parametrize(
    "log",
    [
        "0:6|6 6|4r pass 6|2l 4|4r",
        "0:6-6, 1:6-4r, 2:p, 3:6-2l, 4:4-4",
        "0:[6|6] 1:[4|6]RIGHT 2:PASS 3:[2|6]left 4:[4|4]r",
        "0:66 1:64r 2:passebunge 3:62l 4:44",
    ],
)
def test_log__may_be_written_in_several_ways(log):
    assert position(log=log) == position()


def test_hand__may_be_written_in_several_ways():
    assert parse_hand("6|5 4|1 3|1") == parse_hand("56,14,13") == parse_hand("[6|5], 4-1 1/3")
    assert position(hand="65,41,31,21") == position()


def test_equal_ends__take_either_end_as_written():
    # 6|6 led: both ends are 6, and the chain is drawn as it was written.
    left, right = (read({"hand": "0|0 1|0 2|0 3|0 4|0", "log": f"0:6|6 1:6|4{end}"}, RULES) for end in "lr")
    assert (left.ends, right.ends) == ((4, 6), (6, 4))
    assert read({"hand": "0|0 1|0 2|0 3|0 4|0", "log": "0:6|6 1:6|4"}, RULES) == left


def test_seat__is_whose_turn_it_is_unless_it_is_said():
    assert position().seat == 0
    other = position(seat="3", hand="5|5 5|3 3|3 1|0")
    assert (other.seat, other.turn, [move.text for move in other.moves]) == (3, 0, ["as it stands"])
    assert read({"hand": "0|0 1|0 2|0 3|0 4|0", "seat": "2"}, RULES).starter == 2
    assert read({"hand": "0|0 1|0 2|0 3|0 4|0", "camat": "4"}, RULES).starter == 4


def test_stones__without_a_word_are_those_of_the_passes():
    assert without("stones").stones == (0, 0, 2, 0, 0)
    # Nothing on the table any more: LAST MAPPANO, seat 1, gives; it holds 1 of the 2.
    rules = DOMENG.resolve_rules({"stones": 1})
    assert read({"hand": TABLE["hand"], "log": LOG}, rules).table == 0


def test_stones__that_the_passes_make_impossible_are_refused():
    with pytest.raises(PositionError, match="seat 2 was awarded 2 by its PASSes in this round and holds 0, though the"):
        position(stones="2,1,0,3,4")
    # With an empty table the stones may have gone on to others, but not before LAST MAPPANO has none to give.
    assert position(stones="20,1,0,3,1").table == 0
    last = {"hand": "6|5 4|1 3|1 2|1 0|0", "log": "1:6|6 2:6|4r 3:pass", "seat": "0"}
    with pytest.raises(PositionError, match="seat 3 was awarded 2 by its PASSes in this round and holds 0, which"):
        read(last | {"stones": "12,12,1,0,0"}, RULES)
    assert read(last | {"stones": "12,12,0,1,0"}, RULES).stones == (12, 12, 0, 1, 0)


def test_stones__of_a_first_round_are_those_of_its_passes():
    here = {"hand": "6|5 4|1 3|1 2|1", "log": LOG, "first-round": "yes"}
    assert read(here | {"stones": "0,0,2,0,0"}, RULES) == read(here, RULES)
    with pytest.raises(PositionError, match="after these PASSes the seats hold 0,0,2,0,0, not 9,9,4,3,0"):
        read(here | {"stones": "9,9,4,3,0"}, RULES)


def test_passes__under_free_closing_tell_whether_somebody_can_play():
    free = DOMENG.resolve_rules({"closing_passes": "free"})
    # The ends are 6 and 4; seat 1 has passed since, seat 2 is to move and holds neither.
    here = {"hand": "5|5 3|1 2|1 0|0 1|1", "log": "0:6|4 1:pass"}
    told = read(here, free)
    assert told.somebody_fits and read(here, RULES).somebody_fits is None
    with pytest.raises(PositionError, match="what the last PASSes got: none, so that nobody can play any more"):
        read(here | {"log": "0:6|4 1:pass0"}, free)  # 13 fitting tiles cannot all be unused
    with pytest.raises(PositionError, match=r"entry 2 \(1:pass0\): that PASS got no stones .* what came after it says"):
        read({"hand": "6|5 3|1 2|1 0|0 1|1", "log": "0:6|4 1:pass0 2:6|6 3:pass", "seat": "4"}, free)
    with pytest.raises(PositionError, match="pass0, goes with free closing PASSes"):
        read(here | {"log": "0:6|4 1:pass0"}, RULES)
    with pytest.raises(PositionError, match=r"holds 0, though the table was never empty; .* write pass0"):
        read(here | {"stones": "0,0,0,0,0"}, free)
    # Nothing to move: neither tells anything.
    nothing = DOMENG.resolve_rules({"closing_passes": "free", "passebunge_stones": 0})
    assert read(here, nothing).somebody_fits is None
    assert read(here | {"log": "0:6|4 1:pass0"}, nothing).somebody_fits is None
    poor = {"stones": "0,0,25,0,0", "log": "0:6|4 1:pass0"}
    assert read(here | poor, free).somebody_fits is None
    assert read(texts_of(read(here | poor, free)), free) == read(here | poor, free)


IMPOSSIBLE = [
    # tiles
    ({"hand": "6|5 4|1 3|1 7|1"}, "'7|1' is no tile of the double-six set"),
    ({"hand": "6|5 4|1 4|1 2|1"}, "the tile 4|1 stands twice"),
    ({"hand": "6|5 6|6 3|1 2|1"}, "the hand of seat 0 has 6|6, which seat 0 played in log entry 1"),
    ({"log": "0:6|6 1:6|4r 2:pass 3:6|2l 4:6|4r"}, "entry 5 (4:6|4r): 6|4 was played before, by seat 1 in entry 2"),
    ({"hands": ALL.replace("6|0", "6|5")}, "6|5 is in the hands of seats 0 and 4"),
    ({"hands": "?;?"}, "hands= takes 5 hands separated by ; with ? for a hidden one, not 2"),
    ({"hands": ALL, "hand": "6|5 4|1 3|1 2|0"}, "hand= and hands= give seat 0 different tiles"),
    # counts
    ({"hand": "6|5 4|1 3|1"}, "was dealt 5 and has played 1, so it holds 4 now, but its hand has 3: 3|1 4|1 6|5"),
    ({"hand": "6|5 4|1 3|1 2|1 0|0"}, "holds 4 now, but its hand has 5"),
    ({"hand": ""}, "holds 4 now, but its hand has 0: none"),
    ({"hands": ALL.replace(" 5|0", "")}, "seat 2 was dealt 5 and has played 0, so it holds 5 now, but its hand has 4"),
    # ends
    ({"log": "0:6|6 1:5|4r"}, "entry 2 (1:5|4r): 5|4 does not fit; both ends are 6"),
    ({"log": "0:6|6 1:6|4r 2:5|3"}, "5|3 does not fit; the ends are 6 (left) and 4 (right)"),
    ({"log": "0:6|6 1:6|4r 2:4|3l"}, "4|3 does not fit the left end; the ends are 6 (left) and 4 (right); write 4|3r"),
    ({"log": "0:6|5 1:6|4r 2:5|4"}, "5|4 fits both ends; write 5|4l or 5|4"),
    ({"log": "0:6|6r"}, "the first tile joins no end; write it as 0:6|6"),
    ({"log": "0:pass"}, "a round begins with a tile"),
    # turns
    ({"log": "0:6|6 2:6|4r"}, "entry 2 (2:6|4r): it was not the turn of seat 2; after seat 0 comes seat 1"),
    ({"log": "0:6|6 5:6|4"}, "the seats are 0 to 4"),
    ({"log": "0:6|6 1:x"}, "log entry 2 (1:x) is none"),
    ({"log": "6|6 1:6|4r"}, "the first log entry names its seat"),
    ({"camat": "3"}, "the CAMAT, seat 3, starts every round, but the log begins with seat 0"),
    ({"camat": "0", "first_round": "yes"}, "the first round of a match has no CAMAT"),
    ({"seat": "5"}, "seat= takes a whole number from 0 to 4"),
    # PASSes
    ({"hands": ALL.replace("5|5", "6|5").replace("6|5 4|1", "5|5 4|1", 1), "hand": "5|5 4|1 3|1 2|1"},
     "entry 3 (2:pass): seat 2 holds 6|5, which fits the end 6, so it had to play"),
    ({"log": LOG + " 0:2|1l 1:1|0l 2:4|3r"},
     "entry 8 (2:4|3r): seat 2 passed in entry 3, at the ends 6 and 4, so it holds no tile with a 4"),
    # stones
    ({"stones": "2,1,2,3"}, "stones= takes the stones of the 5 seats, not 4 numbers"),
    ({"stones": "2,1,2,3,x"}, "stones= takes a whole numbe"),
    ({"stones": "20,1,2,3,4"}, "the players hold 30 stones together, but there are 25 in the game"),
    ({"table": "14"}, "the players hold 12 stones and the table 14, together 26, not 25"),
    # the end
    ({"log": "0:6|6 1:pass 2:pass 3:pass 4:pass 0:pass"}, "nothing left to play: with entry 6 all five had passed"),
    ({"log": "0:6|6 1:pass 2:pass 3:pass 4:pass 0:pass 1:6|5"}, "entry 7 (1:6|5): the round was over before"),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "message"), IMPOSSIBLE, ids=[message[:40] for _, message in IMPOSSIBLE])
def test_position__that_is_impossible_is_explained(texts, message):
    with pytest.raises(PositionError) as refused:
        position(**texts)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_position__is_impossible_after_the_last_tile():
    log = "0:6|6 pass pass pass pass 6|5r pass pass pass pass 6|4l pass pass pass pass 6|3 pass pass pass pass 6|2"
    with pytest.raises(PositionError, match="does not fit"):
        read({"hand": "", "log": log}, RULES)
    log = "0:6|6 pass pass pass pass 6|5r pass pass pass pass 5|5r pass pass pass pass 5|4r pass pass pass pass 4|4"
    with pytest.raises(PositionError, match="with entry 21 seat 0 had played its last tile"):
        read({"hand": "", "log": log, "seat": "0"}, RULES)


def test_position__without_a_hand_or_a_starter_is_asked_for_it():
    with pytest.raises(PositionError, match="the hand of seat 0 is needed"):
        without("hand")
    with pytest.raises(PositionError, match="whose hand is it"):
        read({"hand": "6|5 4|1 3|1 2|1 0|0"}, RULES)
    with pytest.raises(PositionError, match="who leads"):
        read({"hands": "6|5 4|1 3|1 2|1 0|0;?;?;?;?"}, RULES)
    with pytest.raises(PositionError, match="a position has no 'bones'"):
        read({"bones": "1"}, RULES)


def test_position__for_which_no_deal_is_left_is_explained():
    # Seats 1 to 4 passed at 6 and 6, then at 6 and 5, 6 and 4, 6 and 3: they hold none of the sixes, fives, fours and
    # threes, and only 2|2 2|1 2|0 1|1 1|0 0|0 are left for their 20 tiles.
    log = " ".join(f"{tile} pass pass pass pass" for tile in ("0:6|6", "6|5r", "5|4r", "4|3r"))
    with pytest.raises(
        PositionError, match=r"no deal of the hidden tiles agrees with the PASSes: seat .* need 10 of them"
    ):
        read({"hand": "6|1", "log": log}, RULES)


def test_first_round__is_started_by_the_holder_of_the_highest_double():
    hand = {"hand": "5|5 4|1 3|1 2|1 0|0", "seat": "0", "first-round": "yes"}
    here = read(hand, RULES)
    assert [move.text for move in here.moves] == [f"lead {tile}" for tile in ("0|0", "2|1", "3|1", "4|1", "5|5")]
    # So 6|6 is unused.
    [case] = here.hidden.cases
    assert case[here.hidden.tiles.index(27)] == 1 << 5
    double = read(hand, DOMENG.resolve_rules({"opening_lead": "double"}))
    assert [move.text for move in double.moves] == ["lead 5|5"]
    with pytest.raises(PositionError, match="seat 0 started the first round of a match, so it held the highest double"):
        read(hand | {"hand": "5|3 4|1 3|1 2|1 0|0", "hands": "?;6|6 5|5 4|4 3|3 1|1;?;?;?"}, RULES)


def test_written_position__is_read_back():
    for here in (position(), position(hands=ALL), position(camat="0"), without("stones")):
        assert read(texts_of(here), RULES) == here


def test_drawing__shows_the_chain_and_fits_the_width():
    lines = draw(position(), 80)
    assert "  [2|6] [6|6] [6|4] [4|4]" in lines
    for width in (40, 80):
        assert max(map(len, draw(position(hands=ALL), width))) <= max(width, 60)


@pytest.mark.parametrize("rule", ["every", "first"])
def test_position__of_a_real_round_is_what_the_player_saw(rule):
    rules = complete_rules({"passebunge": rule})
    n_passed = 0
    for decision in real_decisions(effort(60, 4), rules, lambda number: twin_choose(RANDOM, 5), 8):
        view = decision.view
        n_passed += sum(tile is None for _, _, tile, *_ in view["log"])
        texts = decision.texts()
        texts.pop("camat", "")
        here = read(texts, DOMENG.resolve_rules({"passebunge": rule}))
        assert here.turn == decision.seat
        assert here.ends == ((-1, -1) if view["left"] is None else (view["left"], view["right"]))
        assert list(here.held) == view["tiles_held"]
        assert list(here.passes) == view["passes"]
        assert here.passebunge == decision.passebunge
        assert list(here.voids) == [sum(1 << value for value in values) for values in view["voids"]]
        assert here.last_mappano == view["last_mappano"]
        assert here.table == view["table"]
        moves = [(tile_number(move.tile), (move.end or "")[:1]) for move in decision.moves]
        assert [(move.tile, move.end) for move in here.moves] == moves
    assert n_passed > effort(300, 5)


def test_log_words__outside_the_notation_are_refused():
    for word in ("0:6|6x", "0:6|7", "0", ":6|6", "0:6|6lr"):
        with pytest.raises(PositionError, match="log entry 1"):
            GRAMMAR.parse(word)


def test_impossible_positions__are_told_without_the_compiler():
    code = (
        "import sys\nfrom domeng_sim.cli import main\n"
        "status = main(['odds', '--hand', '6|5 6|5', '--seat', '0'])\n"
        "print(status, [name for name in ('numba', 'pandas', 'pyarrow') if name in sys.modules])"
    )
    result = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "2 []\n"
    assert result.stderr == "domeng-sim: error: in the hand '6|5 6|5' the tile 6|5 stands twice\n"


def test_hand__is_read_in_all_ways_in_which_tiles_are_written():
    hand = parse_hand("6|5 5|5 3|1")
    assert parse_hand("6:5 5/5 1-3") == hand
    # flat and upright domino characters, with and without blanks between them
    flat = "".join(chr(0x1F031 + 7 * a + b) for a, b in ((6, 5), (5, 5), (3, 1)))
    upright = ",".join(chr(0x1F063 + 7 * a + b) for a, b in ((5, 6), (5, 5), (1, 3)))
    assert parse_hand(flat) == parse_hand(upright) == hand
    for back in (0x1F030, 0x1F062):
        with pytest.raises(PositionError, match="is no tile"):
            parse_hand(chr(back))


def test_log__is_read_with_colons_and_domino_characters():
    grammar = Grammar(5, "as told")
    wanted = grammar.parse("0:6|6 1:6|4r 6|2l")
    assert grammar.parse("0:6:6 1:6:4r 6:2l") == wanted
    assert grammar.parse("0:\U0001f061 1:\U0001f05fr \U0001f05dl") == wanted
