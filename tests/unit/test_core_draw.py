"""Parts of the core of Draw one by one: rules, the starter, tables, what is known of the other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domeng_sim.core import bits
from domeng_sim.core.bits import U
from domeng_sim.core.codes import End
from domeng_sim.core.jit import entry
from domeng_sim.core.policy import Decision, best_of, softmax_of
from domeng_sim.core.tiles import HALVES
from domeng_sim.games import GAMES, game
from domeng_sim.games.draw.game import DRAW
from domeng_sim.games.two_player.kernel import features, geometry, policies, state, step
from domeng_sim.games.two_player.kernel.feature_names import FEATURES
from domeng_sim.games.two_player.kernel.moves import NONE, Move
from domeng_sim.games.two_player.rules import IN_CORE, rules_row, table_size
from domeng_sim.games.types import Rule
from tests.effort import effort
from tests.twin.draw import ALL_TILES, opening, softmax_position
from tests.twin.draw_table import Board

TABLE = next(rule for rule in IN_CORE if rule.name == "table")

# --- Rules ------------------------------------------------------------------------------------------------------------


def test_game__is_found_by_its_name():
    assert game("draw") is DRAW and all(game(name).name == name for name in GAMES)


@pytest.mark.parametrize(
    ("value", "kept"),
    [("unbounded", "unbounded"), ("2x2", "2x2"), (" 8x6 ", "8x6"), ("008x06", "8x6"), ("127x127", "127x127")],
)
def test_table__is_a_size_or_has_no_bounds(value, kept):
    assert TABLE.check(value) == kept


@pytest.mark.parametrize(
    "value",
    ["1x2", "2x1", "128x2", "2x128", "8", 8, "8X8", "8x8x8", "x8", "8x", "-8x8", "8.5x8", "", "eightxeight", True],
)
def test_table__refuses_other_values_and_says_which_are_allowed(value):
    with pytest.raises(ValueError, match="rule table must be unbounded or WxH with W and H from 2 to 127, not"):
        TABLE.check(value)


def test_table__is_one_number_in_the_core():
    assert TABLE.code("unbounded") == 0 and TABLE.code("8x6") == 8 << 16 | 6
    rules = DRAW.resolve_rules({"table": "9x4", "target": "250", "draw": "one"})
    assert rules_row(rules) == (0, 1, 250, 9 << 16 | 4, 10_000)
    assert table_size(rules) == (9, 4) and table_size(DRAW.resolve_rules({})) is None


def test_rule__says_briefly_what_it_takes():
    assert TABLE.brief == "unbounded|WxH"
    assert Rule("n", 1, "", low=1, high=9).brief == "1..9"
    assert Rule("o", "a", "", ("a", "b")).brief == "a|b"


# --- Bits and choices -------------------------------------------------------------------------------------------------


@entry
def highest_bits(words, found):
    for i in range(words.shape[0]):
        found[i] = bits.highest_bit(words[i])


def test_highest_bit__is_the_position_of_the_highest_bit():
    words = [1, 2, 3, 2**63, 2**64 - 1, *(1 << k | 1 for k in range(64))]
    found = np.zeros(len(words), np.uint64)
    highest_bits(np.array(words, np.uint64), found)
    assert found.tolist() == [word.bit_length() - 1 for word in words]
    assert [int(bits.highest_bit(U(word))) for word in words] == found.tolist()


@entry
def chosen(scores, temperature, word):
    if temperature == 0.0:
        return best_of(scores, scores.shape[0], word)
    return softmax_of(scores, scores.shape[0], temperature, word)


@given(
    st.lists(st.integers(-3000, 3000), min_size=1, max_size=12),
    st.sampled_from([0.01, 0.5, 2.0]),
    st.integers(0, 2**64 - 1),
)
def test_choices__among_scores_are_those_of_the_twin(scores, temperature, word):
    best, soft = (chosen(np.array(scores), heat, U(word)) for heat in (0.0, temperature))
    tied = [position for position, score in enumerate(scores) if score == max(scores)]
    assert best == tied[word * len(tied) >> 64]
    assert soft == softmax_position(scores, temperature, word)


@entry
def both_ends(left, right, found):
    n = found.shape[0]
    for k in range(n):
        index, end = policies.kth_on_both(left, right, U(k))
        found[k, 0], found[k, 1] = np.int64(index), end


@given(st.integers(0, 2**56 - 1), st.integers(0, 2**56 - 1))
def test_kth_on_both__counts_by_index_and_then_left_before_right(left, right):
    want = [
        (index, end) for index in range(56) for end, word in ((End.LEFT, left), (End.RIGHT, right)) if word >> index & 1
    ]
    found = np.zeros((len(want), 2), np.int64)
    both_ends(U(left), U(right), found)
    assert [tuple(row) for row in found.tolist()] == want


# --- The starter ------------------------------------------------------------------------------------------------------


@entry
def starters(hands, found):
    for i in range(found.shape[0]):
        seat, index = step.starter_of(hands[2 * i : 2 * i + 2])
        found[i, 0], found[i, 1] = seat, np.int64(index)


def rows(tiles):
    return sum(1 << (8 * hi + lo) | (1 << (8 * lo + hi) if hi != lo else 0) for hi, lo in tiles)


def test_starter__is_that_of_the_twin_with_doubles_and_without():
    draw = np.random.default_rng(1)
    singles = [tile for tile in ALL_TILES if tile[0] != tile[1]]
    deals = []
    for number in range(effort(4000, 200)):
        pool = singles if number % 2 else ALL_TILES
        order = draw.permutation(len(pool))[:14]
        deals.append([[pool[k] for k in order[:7]], [pool[k] for k in order[7:]]])
    found = np.zeros((len(deals), 2), np.int64)
    starters(np.array([rows(hand) for hands in deals for hand in hands], np.uint64), found)
    for hands, (seat, index) in zip(deals, found.tolist(), strict=True):
        want_seat, (hi, lo) = opening(hands)
        assert (seat, index) == (want_seat, 8 * hi + lo)


# --- Tables -----------------------------------------------------------------------------------------------------------


@entry
def lay_one(table, move):
    geometry.lay(table, move)


@entry
def free_directions(table, index, end):
    return geometry.directions(table, index, end)


@entry
def take_all_up(table):
    geometry.clear(table)


def covered(table, width, height):
    """Cells of the core's table as those of the twin; the margin is untouched."""
    stride = 2 * width + 2 * geometry.MARGIN
    cells = table.cells.reshape(-1, stride)
    m = geometry.MARGIN
    inner = cells[m:-m, m:-m]
    assert cells.sum() - inner.sum() == cells.size - inner.size
    return {(int(x), int(y)) for y, x in np.argwhere(inner)}


sizes = st.tuples(st.integers(2, 16), st.integers(2, 16))


@given(
    sizes,
    st.permutations(ALL_TILES),
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=12, max_size=40),
)
def test_table__covers_and_frees_the_cells_of_the_twin(size, tiles, ways):
    # Tiles are laid without regard to their values: whether a double and how it lies is all that matters here.
    table = geometry.grid(*size)
    board = Board(*size)
    (hi, lo), rest = tiles[0], iter(tiles[1:])
    lay_one(table, Move(U(8 * hi + lo), NONE, NONE))
    board = board.lay_first((hi, lo))
    for end, way in ways:
        name = End(end).label
        for double, tile in ((False, (1, 0)), (True, (0, 0))):
            if double and board.ends[name].is_double:
                continue
            found = free_directions(table, U(8 * tile[0] + tile[1]), end)
            want = board.directions(tile, name)
            assert found == sum(1 << ("straight", "left", "right").index(direction) for direction in want)
        assert covered(table, *size) == board.covered
        tile = next(rest, None)
        if tile is None:
            break
        if tile[0] == tile[1] and board.ends[name].is_double:
            continue
        directions = board.directions(tile, name)
        if directions:
            direction = directions[way % len(directions)]
            number = ("straight", "left", "right").index(direction)
            lay_one(table, Move(U(8 * tile[0] + tile[1]), end, number))
            board = board.lay(tile, name, direction)
    take_all_up(table)
    assert covered(table, *size) == set()


@pytest.mark.parametrize("heading", range(4))
def test_table__covers_four_by_two_cells_in_every_heading(heading):
    table = geometry.grid(6, 6)
    stride = 2 * 6 + 2 * geometry.MARGIN
    x, y = [(1, 0), (0, 1), (-1, 0), (0, -1)][heading]
    assert table.steps[heading] == y * stride + x
    for lies, (depth, half_width) in enumerate(((4, 1), (2, 2))):
        # Corners of cells relative to the point, from the rectangle between two opposite corners of the tile.
        corners = [(-y * side, x * side) for side in (-half_width, half_width)]
        ends = [(cx + depth * far * x, cy + depth * far * y) for (cx, cy), far in itertools.product(corners, (0, 1))]
        xs, ys = [cx for cx, _ in ends], [cy for _, cy in ends]
        want = {cy * stride + cx for cx in range(min(xs), max(xs)) for cy in range(min(ys), max(ys))}
        assert len(want) == 8 and set(table.covers[heading, lies].tolist()) == want


def test_halves__and_the_twins_tiles_have_the_same_numbers():
    assert list(HALVES) == ALL_TILES


# --- Walls ------------------------------------------------------------------------------------------------------------


@entry
def scored(weights, rules, table, here, move):
    """The score of a move."""
    return features.score(weights, features.outlook(rules, here), move, geometry.look_ahead(table, here.turn, move))


def index_of(joined, made):
    return U(8 * joined + made)


def rows_of(tiles):
    return U(sum({1 << (8 * v + w) for hi, lo in tiles for v, w in ((hi, lo), (lo, hi))}))


def wall_score(feature, hand, width=6, left=None, lacked=()):
    """Score of seat 0 for [5|2] at the right end of [4|5], by 700 thousandths of one feature.

    The table is two half-tiles high, so that nothing turns, and six wide: on either side of the first tile there is
    room for one tile that is no double.
    """
    table = geometry.grid(width, 2)
    lay_one(table, Move(index_of(5, 4), NONE, NONE))
    seen, left8 = [(5, 4)], U(8 * 4)
    if left is not None:
        lay_one(table, Move(index_of(4, left), int(End.LEFT), 0))
        seen, left8 = [*seen, (4, left)], U(8 * left)
    turn = state.TwoPlayerRoundState(
        np.int64(1), left8, U(8 * 5), U((1 << 14) - 1), U(0), rows_of(seen), U(0),
        rows_of([(value, other) for value in lacked for other in range(7)]), U(0), U(0), U(0),
    )  # fmt: skip
    weights = np.zeros(len(FEATURES), np.int64)
    weights[list(FEATURES).index(feature)] = 700
    move = Move(index_of(5, 2), int(End.RIGHT), 0)
    with np.errstate(over="ignore"):
        here = Decision(turn, 0, rows_of([(5, 2), *hand]), NONE, False)
        return int(scored(weights, rules_row(DRAW.resolve_rules({})), table, here, move))


def test_walls__counts_an_end_closed_that_only_the_other_could_follow():
    #  . . . .|4 4 5 5|5 5 2 2|   the right end shows 2, and the table ends there
    assert wall_score("walls", [(6, 1), (3, 3)]) == 700
    assert wall_score("closed_ends", [(6, 1), (3, 3)]) == 700
    assert wall_score("shuts_own", [(6, 1), (3, 3)]) == 0


def test_walls__counts_no_end_that_the_player_could_follow_too():
    assert wall_score("walls", [(2, 0), (3, 3)]) == 0
    assert wall_score("closed_ends", [(2, 0), (3, 3)]) == 700
    # nor is that a shut-out of the player alone: unseen tiles have a 2
    assert wall_score("shuts_own", [(2, 0), (3, 3)]) == 0


def test_walls__counts_no_end_that_the_other_is_known_not_to_follow():
    assert wall_score("walls", [(6, 1), (3, 3)], lacked=(2,)) == 0
    assert wall_score("walls", [(6, 1), (3, 3)], lacked=(1,)) == 700


def test_walls__counts_no_end_that_stays_open():
    # two quarter-cells beyond the tile are room for a double, one is not
    assert wall_score("walls", [(6, 1), (3, 3)], width=8) == 0
    assert wall_score("closed_ends", [(6, 1), (3, 3)], width=8) == 0
    assert wall_score("walls", [(6, 1), (3, 3)], width=7) == 700


def test_walls__counts_both_ends_each_by_its_own_value():
    assert wall_score("walls", [(6, 0), (3, 3)], left=1) == 1400
    assert wall_score("walls", [(6, 1), (3, 3)], left=1) == 700
    assert wall_score("walls", [(2, 1), (3, 3)], left=1) == 0


def test_shuts_own__counts_a_closed_end_that_only_the_player_could_follow():
    rest = [(2, other) for other in range(7) if other != 5]
    assert wall_score("shuts_own", rest) == 700
    assert wall_score("shuts_own", rest[1:]) == 0
    assert wall_score("walls", rest) == 0
