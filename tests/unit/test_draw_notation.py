"""Positions of Draw as people write them: what is read, what is refused and in which words."""

from __future__ import annotations

import sys
from math import comb
from subprocess import run

import pytest

from domeng_sim.core.tiles import tile_number
from domeng_sim.games.block.game import BLOCK
from domeng_sim.games.draw.game import DRAW
from domeng_sim.games.shared.notation import parse_hand
from domeng_sim.games.two_player.odds.notation import GRAMMAR, from_rows, read, texts_of
from domeng_sim.games.two_player.odds.questions import draw
from domeng_sim.games.types import PositionError
from tests.draw_positions import columns, core_rows
from tests.draw_runs import task

RULES = DRAW.resolve_rules({})
ONE = DRAW.resolve_rules({"draw": "one"})
SMALL = DRAW.resolve_rules({"table": "8x6"})
# [4|6][6|6][6|5][5|2]: seat 0 led 6|6, seat 1 drew two tiles and played the second; seat 0 is to move.
LOG = "0:6|6 1:6|5r 0:6|4l 1:d*2 1:5|2r"
HAND = "6|2 5|5 4|1 3|3 3|2"
HERE = {"hand": HAND, "log": LOG}


def position(rules=RULES, **texts):
    return read(HERE | texts, rules)


def test_position__tells_what_was_seen():
    here = position()
    assert (here.seat, here.turn, here.starter, here.ends, here.stock) == (0, 0, 0, (4, 2), 12)
    assert (here.held, here.scores) == ((5, 7), (0, 0))
    assert [(act.seat, act.kind, act.tile) for act in here.acts[3:]] == [
        (1, "draw", -1), (1, "draw", tile_number(5, 2)), (1, "play", tile_number(5, 2)),
    ]  # fmt: skip
    # None of the tiles dealt to seat 1 had a 4 or a 5 when it drew, and the tile that it kept has none either.
    [turn] = here.shown
    assert (turn.seat, turn.kept, turn.left, turn.right) == (1, (-1,), 4, 5)
    assert not here.origins.may_come_from(tile_number(5, 1), -1) and not here.origins.may_come_from(
        tile_number(5, 1), 0
    )
    assert here.origins.may_be_in_stock(tile_number(5, 1))
    assert [move.text for move in here.moves] == ["3|2 right", "6|2 right", "4|1 left"]


@pytest.mark.parametrize(
    "log",
    [
        "0:6|6 6|5r 6|4l d d 5|2r",
        "0:66, 1:65r, 0:64left, 1:draw*2, 1:52",
        "0:[6|6] 1:[5|6]RIGHT 0:[4|6]l 1:d 1:d=5|2 1:[2|5]r",
    ],
)
def test_log__may_be_written_in_several_ways(log):
    assert position(log=log) == position()


def test_hand__may_be_written_in_several_ways():
    assert parse_hand("6|5 4|1") == parse_hand("56,14") == parse_hand("[6|5], 4-1")
    assert position(hand="62,55,41,33,32") == position()


def test_own_draws__are_named_and_their_choice_follows():
    # Seat 0 holds nothing that fits 6 and draws until 6|1 fits: that tile is all it can play.
    hand = "4|4 3|2 3|3 2|2 1|1 0|0 1|0"
    here = read({"hand": f"{hand} 4|3 2|0 6|1", "log": "1:6|6 0:d4|3 0:d2|0 0:d6|1"}, RULES)
    assert (here.turn, here.under_way, here.stock) == (0, 3, 11)
    assert [move.text for move in here.moves] == ["6|1"]
    # One earlier, it has to draw on.
    here = read({"hand": f"{hand} 4|3", "log": "1:6|6 0:d4|3"}, RULES)
    assert [move.text for move in here.moves] == ["draw"]
    # With draw=one it has to pass instead.
    here = read({"hand": f"{hand} 4|3", "log": "1:6|6 0:d4|3"}, ONE)
    assert [(move.kind, move.text) for move in here.moves] == [("pass", "PASS")]


def test_finite_table__tells_how_tiles_lie():
    here = read({"hand": "6|2 5|5 4|1 3|3 3|2", "log": "0:6|6 1:6|5rs 0:6|4ls 1:d*2 1:5|2rl"}, SMALL)
    assert [(act.end, act.direction) for act in here.acts if act.kind == "play"] == [
        ("", ""), ("r", "s"), ("l", "s"), ("r", "l"),
    ]  # fmt: skip
    # What is not said is what a strategy would get that does not choose: straight on if free.
    assert read({"hand": HAND, "log": "0:6|6 1:6|5r 0:6|4l 1:d*2 1:5|2rl"}, SMALL) == here
    assert {move.text for move in here.moves if move.tile == tile_number(6, 2)} <= {
        "6|2 right", "6|2 right, straight", "6|2 right, turning left", "6|2 right, turning right",
    }  # fmt: skip


IMPOSSIBLE = [
    # tiles
    ({"hand": "6|2 5|5 4|1 3|3 7|2"}, "'7|2' is no tile of the double-six set"),
    ({"hand": "6|2 5|5 4|1 3|3 3|3"}, "the tile 3|3 stands twice"),
    ({"hand": "6|6 5|5 4|1 3|3 3|2"}, "the hand of seat 0 has 6|6, which seat 0 played in log entry 1"),
    ({"hand": "6|2 5|5 4|1 3|3"}, "seat 0 was dealt 7 and has played 2, so it holds 5 now, but its hand has 4"),
    ({"hands": "6|2 5|5 4|1 3|3 3|2;6|2 0|0 1|0 1|1 2|1 3|1 2|0"}, "6|2 is in the hands of seats 0 and 1"),
    ({"hands": "?;?;?"}, "hands= takes 2 hands separated by ; with ? for a hidden one, not 3"),
    ({"log": LOG + " 0:5|2r"}, "log entry 6 (0:5|2r): 5|2 was played before, by seat 1 in entry 5"),
    ({"log": "0:6|6 1:6|5r 0:6|4l 1:d6|2 1:d 1:5|2r"}, "the hand of seat 0 has 6|2, which seat 1 drew in log entry 4"),
    # ends
    ({"log": "0:6|6 1:5|3"}, "log entry 2 (1:5|3): 5|3 does not fit; both ends are 6"),
    ({"log": "0:6|6 1:6|5r 0:6|4r"}, "6|4 does not fit the right end; the ends are 6 (left) and 5 (right); write 6|4l"),
    ({"log": "0:6|5 1:6|4r 0:5|4"}, "5|4 fits both ends; write 5|4l or 5|4r"),
    ({"log": "0:6|6r"}, "the first tile joins no end; write it as 0:6|6"),
    ({"log": "0:6|6 1:6|5rs"}, "a direction goes with a finite table"),
    # turns
    ({"log": "0:pass"}, "a round begins with a tile"),
    ({"log": "0:d"}, "a round begins with a tile"),
    ({"log": "0:6|6 0:6|5"}, "log entry 2 (0:6|5): it was not the turn of seat 0; after seat 0 comes seat 1"),
    ({"log": "0:6|6 1:d 0:6|5"}, "it was not the turn of seat 0; after a draw it is still that of seat 1"),
    ({"log": "0:6|6 2:6|5"}, "the seats are 0 to 1"),
    ({"log": "0:6|6 1:x"}, "log entry 2 (1:x) is none"),
    ({"log": "6|6 1:6|5"}, "the first log entry names its seat"),
    ({"log": LOG + " 0:6|2 1:d", "seat": "0", "hand": "5|5 4|1 3|3 3|2"}, "the turn of seat 1 is not over"),
    # draws and PASSes
    ({"log": "0:6|6 1:pass"}, "14 tiles were left in the stock, so seat 1 had to draw until a tile fits or 2 are left"),
    ({"log": "0:6|6 1:d*13 1:6|5"}, "only 2 tiles were left in the stock"),
    ({"log": LOG + " 0:d6|1", "hand": HAND + " 6|1"},
     "log entry 6: seat 0 held 3|2, which fitted the ends 4 and 2, so it had to play and could not draw"),
    ({"log": LOG + " 0:d6|1"}, "seat 0 drew 6|1 in log entry 6 and did not play it, so its hand must have it"),
    ({"log": "0:6|6 1:6|5r 0:d4|1 0:6|4l 1:d*2 1:5|2r"}, "so it could play none but the one drawn last, 4|1"),
    ({"log": "0:6|6 1:6|5r 0:d5|5 0:d4|1 0:6|4l"}, "5|5, drawn just before, fits, so it had to be played"),
    ({"log": "0:6|6 1:6|5r 0:d 0:6|4l 1:d*2 1:5|2r", "hand": HAND + " 0|0"},
     "log entry 3: seat 0 held 5|5, which fitted the ends 6 and 5"),
    ({"log": "0:6|6 1:6|5r 0:d 0:6|4l 1:d*2 1:5|2r"}, "seat 0 was dealt 7, drawn 1 and has played 2, so it holds 6"),
    ({"log": LOG + " 0:4|1 1:d*2 1:1|0", "hand": "6|2 5|5 3|3 3|2"}, "only 5 do not"),
    ({"log": LOG + " 0:3|2 1:5|3r", "hand": "6|2 5|5 4|1 3|3"},
     "seat 1 drew in log entry 4, at the ends 4 and 5, so it did not hold 5|3 then; it played it"),
    ({"hands": HAND + ";4|0 0|0 1|0 1|1 2|1 3|1 2|0"},
     "seat 1 drew in log entry 4, at the ends 4 and 5, so it did not hold 4|0 then; it holds it"),
    # the start
    ({"hand": "6|6 5|4 4|1 3|3 3|2 1|0", "log": "1:5|5", "seat": "0"}, "holds 7 now, but its hand has 6"),
    ({"hand": "6|6 5|4 4|1 3|3 3|2 1|0 0|0", "log": "1:5|5"},
     "seat 1 started, so it was dealt a tile above 6|6, the highest dealt to seat 0"),
    ({"hand": "5|3 5|4 4|1 4|3 3|2 1|0", "log": "0:2|1 1:1|1"}, "started, so seat 1 was not dealt 1|1"),
    # the rest
    ({"scores": "100,0"}, "seat 0 has 100 points and the target is 100, so the game was over"),
    ({"scores": "1,2,3"}, "scores= takes the points of the 2 seats, not 3 numbers"),
    ({"scores": "1,x"}, "scores= takes a whole number"),
    ({"seat": "2"}, "seat= takes a whole number from 0 to 1"),
    ({"bones": "1"}, "a position has no 'bones'"),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "message"), IMPOSSIBLE, ids=[str(k) for k in range(len(IMPOSSIBLE))])
def test_position__that_is_impossible_is_explained(texts, message):
    with pytest.raises(PositionError) as refused:
        position(**texts)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_position__with_other_rules_is_refused_where_they_are_broken():
    one = {"hand": HAND, "log": "0:6|6 1:6|5r 0:6|4l 1:d*2 1:5|2r"}
    with pytest.raises(PositionError, match="with draw=one at most one tile is drawn in a turn"):
        read(one, ONE)
    with pytest.raises(PositionError, match="had to draw a tile; write its draws"):
        read({"hand": HAND, "log": "0:6|6 1:6|5r 0:6|4l 1:pass"}, ONE)
    highest = DRAW.resolve_rules({"opening_lead": "highest"})
    with pytest.raises(PositionError, match=r"seat 0 had to lead 5\|5, which gave it the start, not 6\|4"):
        read({"hand": "6|2 5|5 4|1 3|3 3|2 1|0", "log": "0:6|4 1:6|3"}, highest)
    with pytest.raises(PositionError, match=r"seat 1 started by 4\|4, but seat 0 was dealt 5\|5, which is higher"):
        read({"hand": "6|2 5|5 4|1 3|3 3|2 1|0 0|0", "log": "1:4|4"}, highest)


def test_closed_end__takes_no_tile():
    # Four half-tiles wide: a tile lies in the middle, and one half-tile is left on either side, so there is no room
    # straight on. Beside a double no tile turns, so that nothing can be joined to it.
    tiny = DRAW.resolve_rules({"table": "4x8"})
    with pytest.raises(PositionError, match="straight on at the right end, only turning left or turning right"):
        read({"hand": "5|4 4|1 3|3 3|2 1|0 0|0", "log": "1:6|5 0:6|4rs"}, tiny)
    with pytest.raises(PositionError, match="does not fit or has no room there"):
        read({"hand": "6|2 5|4 4|1 3|3 3|2 1|0", "log": "1:6|6 0:6|5r"}, tiny)


def test_round__that_is_over_is_told():
    log = "0:6|6 1:d*12 1:pass 0:pass"
    hand = "0|0 1|0 2|0 3|0 4|0 5|0"
    with pytest.raises(PositionError, match="nothing left to play: with entry 4 neither could play or draw"):
        read({"hand": hand, "log": log}, RULES)
    # The six other tiles with a 6 cannot all be in the stock of two.
    with pytest.raises(PositionError, match="no deal of the hidden tiles agrees"):
        read({"hand": hand, "log": "0:6|6 1:d*12 1:pass"}, RULES)


@pytest.mark.compiled
def test_round__that_a_pass_ended_is_over_to_the_one_who_cannot_play():
    # Rounds that ended with a PASS of one player after a play of the other: that player knows that it is over.
    n = 0
    events: list = []
    for row in core_rows(task(RULES, seed=4, rounds=300)):
        events = [*events, row] if row["step"] else [row]
        if row["event"] != "award" or events[-2]["event"] != "pass" or events[-3]["event"] == "pass":
            continue
        n += 1
        asking = 1 - events[-2]["seat"]
        with pytest.raises(PositionError, match="nothing left to play"):
            from_rows(columns(events[:-1]), RULES, row["game"], row["round"], row["step"], asking)
    assert n > 3


def test_position__without_a_hand_or_a_starter_is_asked_for_it():
    with pytest.raises(PositionError, match="the hand of seat 0 is needed"):
        read({"log": LOG}, RULES)
    with pytest.raises(PositionError, match="whose hand is it"):
        read({"hand": HAND}, RULES)
    with pytest.raises(PositionError, match="who leads"):
        read({"hands": f"{HAND};?"}, RULES)
    with pytest.raises(PositionError, match="which tile did seat 0 draw"):
        read({"hand": "4|4 3|2 3|3 2|2 1|1 0|0 1|0 4|3", "log": "1:6|6 0:d"}, RULES)


def test_written_position__is_read_back():
    for here in (
        position(),
        position(scores="40,99"),
        position(seat="1", hand="0|0 1|0 1|1 2|1 3|1 2|0 3|0", log="0:6|6 1:6|5r 0:6|4l 1:d2|0 1:d5|2 1:5|2r"),
        position(hands=f"{HAND};0|0 1|0 1|1 2|1 3|1 2|0 3|0"),
        read({"hand": HAND + " 0|0 1|0", "seat": "1"}, RULES),
    ):
        assert read(texts_of(here), RULES) == here
    assert texts_of(position())["log"] == LOG


def test_drawing__shows_the_chain_and_fits_the_width():
    lines = draw(position(scores="40,99"), 80)
    assert "  [4|6] [6|6] [6|5] [5|2]" in lines
    assert any(line.split() == ["points", "40", "99"] for line in lines)
    for width in (40, 80):
        assert max(map(len, draw(position(), width))) <= max(width, 50)


def test_log_words__outside_the_notation_are_refused():
    for word in ("0:d7|1", "0:d*", "0:6|5x", "0:pass*2", "0:6|5rx"):
        with pytest.raises(PositionError):
            GRAMMAR.parse(word)


def test_impossible_positions__are_told_without_the_compiler():
    code = (
        "from domeng_sim.games.draw.game import DRAW\n"
        "spec = DRAW.odds\n"
        "try:\n    spec.read({'hand': '6|6', 'log': '0:6|6 1:6|5rs'}, DRAW.resolve_rules({'table': '8x6'}))\n"
        "except ValueError: pass\n"
        "import sys; print('numba' in sys.modules)"
    )
    shown = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "False\n"


def test_log__of_a_game_in_which_nobody_draws_has_no_draws():
    rules = BLOCK.resolve_rules({})
    here = read({"hand": "6|2 5|5 4|1 3|3 3|2", "log": "0:6|6 1:6|5r 0:6|4l 1:pass"}, rules)
    assert (here.held, here.stock, here.to_draw) == ((5, 6), 14, 0)
    assert [move.text for move in here.moves] == ["4|1 left", "5|5 right"]
    assert "  seat 0 to move" in draw(here, 80) and not any("drawn" in line for line in draw(here, 80))
    assert read(texts_of(here), rules) == here
    # The PASS shows that seat 1 holds neither a 4 nor a 5: its 6 tiles are 6 of 11.
    assert here.n_deals == comb(11, 6)
    for log, message in (
        ("0:6|6 1:d", r"entry 2 \(1:d\) is none; write seat:tile and the end, as in 1:6|4r, or seat:pass$"),
        ("0:pass", "a round begins with a tile; its starter cannot PASS"),
        ("0:6|6 1:pass 0:pass", "with entry 3 neither could play, it was blocked"),
    ):
        with pytest.raises(PositionError, match=message):
            read({"hand": "6|2 5|5 4|1 3|3 3|2 1|1", "log": log}, rules)
