"""Odds of Draw: whole trees against a naive one, and samples against whole trees.

Seeds are fixed; with other seeds each statistical test would fail by chance with at most 1e-8.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm

from domeng_sim.core.hands import TILE_OF
from domeng_sim.core.tiles import mask_tiles
from domeng_sim.errors import BadInput
from domeng_sim.games.draw.game import DRAW
from domeng_sim.games.two_player.odds.exact import common_weight
from domeng_sim.games.two_player.odds.measures import MEASURES
from domeng_sim.games.two_player.odds.notation import from_rows, read
from domeng_sim.games.two_player.odds.start import start_of
from domeng_sim.games.types import Seat
from domeng_sim.positions import odds as study
from domeng_sim.positions.odds import OddsSession, exact_odds, sampled_odds
from tests.draw_deals import deal_samples
from tests.draw_positions import (
    DIRECTIONS,
    ENDS,
    Impossible,
    columns,
    core_rows,
    measures_of,
    naive_odds,
    play_on,
    replay,
    runs_of,
    seen_by,
    small_positions,
)
from tests.draw_runs import task
from tests.effort import effort
from tests.twin import draw as twin
from tests.twin.streams import PLAYOUT, choice_word

FALSE_ALARM = 1e-8
RANDOM = (Seat({}), Seat({}))
NAMES = [measure.name for measure in MEASURES]
KINDS = [
    ("until_fit", "unbounded"), ("one", "unbounded"), ("until_fit", "9x7"), ("one", "10x8"),
    ("none", "unbounded"), ("none", "8x6"),
]  # fmt: skip


@cache
def late_positions(draw, table, n):
    """Positions with few deals and small trees, some from either side."""
    runs, rule = runs_of(draw)
    found = list(islice(small_positions(runs, {**rule, "table": table}, effort(3000, 40)), n))
    assert len(found) == n
    return found


@pytest.mark.parametrize(("draw", "table"), KINDS)
def test_exact_odds__are_those_of_going_through_everything_naively(draw, table):
    for here in late_positions(draw, table, effort(6, 1)):
        found = exact_odds(runs_of(draw)[0].spec, here)
        for move in found.moves:
            assert move.fractions == naive_odds(here, here.moves[move.number]), (here, move.text)
            assert sum(move.fractions[f"outcome_{name}"] for name in ("out", "blocked", "tied")) == 1


@pytest.mark.compiled
@pytest.mark.parametrize(("draw", "table"), KINDS)
def test_samples__agree_with_the_exact_odds(draw, table):
    n, kernel = 40_000, DRAW.odds.kernel()
    positions = late_positions(draw, table, 6)
    alarm = FALSE_ALARM / sum(len(here.moves) for here in positions) / len(NAMES)
    for here in positions:
        sums = kernel.sample(here, RANDOM, 12, 0, n)
        for move in exact_odds(runs_of(draw)[0].spec, here).moves:
            for k, name in enumerate(NAMES):
                p, total = float(move.fractions[name]), int(sums.totals[move.number, k])
                if MEASURES[k].kind == "share":
                    assert (total == 0 or p > 0) and (total == n or p < 1)
                    low, high = binom.interval(1 - alarm, n, p)
                    assert low <= total <= high, (move.text, name)
                else:
                    variance = sums.products[k, move.number, move.number] / n - (total / n) ** 2
                    bound = norm.isf(alarm / 2) * np.sqrt(variance / n) * 1.05
                    assert abs(total / n - p) <= bound, (move.text, name)


@given(st.integers(0, 7), st.integers(0, 7), st.integers(2, 8), st.booleans())
def test_common_weight__is_divided_by_each_choice_on_the_way(mine, others, stock, finite):
    # Draw everything first, then play: the way with the most choices at every size of the hand.
    weight = common_weight([mine, others], stock, 2, finite)
    for tiles in range(1, mine + max(0, stock - 2) + 1):
        assert weight % (2 * tiles if finite else tiles + 1) == 0
    for left in range(3, stock + 1):
        assert weight % left == 0


def test_last_tile__wins_for_certain_but_the_points_are_open():
    # Seat 0 holds 5|0, which fits the ends 5 and 0; the hidden hand decides how much it scores.
    here = last_tile()
    found = sampled_odds(DRAW, here, RANDOM, 1, effort(2000, 20))
    for move in found.moves:
        win, points = move.figures["win"], move.figures["points"]
        assert (win.value, win.low, win.high, win.kind) == (1, 1, 1, "exact")
        assert move.figures["points_other"].high == 168 or move.figures["points_other"].kind != "exact"
        assert points.kind != "exact" and points.low < points.value < points.high


def last_tile():
    """A position in which the player who asks holds one tile that fits."""
    rules = DRAW.resolve_rules({})
    rows = core_rows(task(rules, RANDOM, seed=3, rounds=40))
    events = []
    for row in rows:
        events = events + [row] if row["step"] else [row]
        if row["event"] != "end" or events[-2]["event"] != "award" or events[-3]["event"] != "play":
            continue
        here = from_rows(columns(events), rules, row["game"], row["round"], len(events) - 3)
        if here.held[here.seat] == 1 and here.n_deals > 1:
            return here
    raise AssertionError


def test_samples__do_not_depend_on_threads_or_their_parts():
    rules = DRAW.resolve_rules({"table": "9x7"})
    here = read({"hand": "6|2 5|5 4|1 3|3 3|2", "log": "0:6|6 1:6|5rs 0:6|4ls 1:d*2 1:5|2r"}, rules)
    seats = (Seat({"pips": 1000, "other_void": 300}), Seat({"turns": 500, "double": 200}))
    kernel, n = DRAW.odds.kernel(), effort(6000, 12)
    whole = kernel.sample(here, seats, 3, 5, n)
    parts = kernel.sample(here, seats, 3, 5, n // 3) + kernel.sample(here, seats, 3, 5 + n // 3, n - n // 3)
    np.testing.assert_array_equal(whole.totals, parts.totals)
    np.testing.assert_array_equal(whole.products, parts.products)
    assert whole.totals[:, 1:4].sum() == n * len(here.moves)
    one, two = (sampled_odds(DRAW, here, seats, 3, n, session=OddsSession(threads)) for threads in (1, 2))
    assert one.to_json() | {"seconds": 0} == two.to_json() | {"seconds": 0}


def test_exact_odds__of_too_large_a_tree_are_refused(monkeypatch):
    monkeypatch.setattr(study, "MOST_LEAVES", 2000)
    here = read({"hand": "6|2 5|5 4|1 3|3 3|2 1|1 1|0", "seat": "0"}, DRAW.resolve_rules({}))
    with pytest.raises(BadInput, match="more than 2,000 courses"):
        exact_odds(DRAW, here)


WEIGHTED = (
    Seat({"other_void": 900, "pips": 10, "own_ends": 300, "closed_ends": 50, "turns": -20}),
    Seat({"blocks_low": 1000, "other_moves": -200, "unseen": 30, "shuts_own": -70}, 0.4, 2),
)


@pytest.mark.parametrize("seats", [(Seat({"pips": 1000}), Seat({}, copy=3)), WEIGHTED], ids=["table", "weighted"])
@pytest.mark.parametrize(("draw", "table"), KINDS)
def test_samples__are_the_playouts_of_the_twin(draw, table, seats, monkeypatch):
    # The same numbers draw the same words: every playout, after every move, is that of the twin from the same deal.
    def word_of(seed, view, copy):
        return choice_word(seed, view["match"], view["round_in_match"], view["seat"], view["n_played"], copy, PLAYOUT)

    monkeypatch.setattr(twin, "word_of", word_of)
    runs, rule = runs_of(draw)
    rules = runs.spec.resolve_rules({**rule, "table": table})
    rows = core_rows(runs.task(rules, RANDOM, seed=13, rounds=20), runs)
    kernel, choose = runs.spec.odds.kernel(), runs.twin_choose(seats, 9)
    n_moves = 0
    for round_ in range(effort(8, 2)):
        events = [row for row in rows if (row["game"], row["round"]) == keys_of(rows)[round_]]
        plays = [k for k, row in enumerate(events) if row["event"] == "play" and events[k - 1]["event"] != "draw"]
        step = plays[(3 * round_) % len(plays)]
        here = from_rows(columns(events), rules, events[0]["game"], events[0]["round"], step)
        for sample in range(effort(3, 1)):
            sums = kernel.sample(here, seats, 9, sample, 1)
            for number, move in enumerate(here.moves):
                state = dealt(here, events, step, sample)
                [way] = [w for w in state.moves([twin.ALL_TILES[move.tile]]) if w.end == ENDS[move.end]]
                values = play_on(state, here.seat, choose, (way, DIRECTIONS[move.direction]))
                expected = measures_of({values: Fraction(1)}, here.seat)
                assert sums.totals[number].tolist() == [int(expected[name]) for name in NAMES], (here, move.text)
                n_moves += 1
    assert n_moves > effort(30, 1)


def keys_of(rows):
    return sorted({(row["game"], row["round"]) for row in rows})


def dealt(here, events, step, sample):
    """The twin's round before a step, with the hidden tiles as the core deals them for a sample."""
    out = deal_samples(9, sample, here, 1)
    masks = [sum({1 << int(TILE_OF[k]) for k in range(64) if int(word) >> k & 1}) for word in out[0, :3]]
    state = replay(here.rules, *true_deal(events), seen_by(events[:step], here.seat), here.seat)
    state.hands = [[twin.ALL_TILES[tile] for tile in mask_tiles(mask)] for mask in masks[:2]]
    stock = masks[2]
    if "draw" not in here.rules:
        assert stock == 0  # nothing can be drawn; what is out of play lies somewhere all the same
        stock = 2**28 - 1 & ~(masks[0] | masks[1] | here.played)
    order = twin.stock_from_word(int(out[0, 3]), mask_tiles(stock))
    state.stock = [twin.ALL_TILES[tile] for tile in order]
    state.keys = {"match": sample, "game": 0, "round": 0}
    return state


@pytest.mark.compiled
@pytest.mark.parametrize(("draw", "table"), KINDS)
def test_position__has_what_everybody_knows_that_a_player_lacks(draw, table):
    runs, rule = runs_of(draw)
    rules = runs.spec.resolve_rules({**rule, "table": table})
    rows = core_rows(runs.task(rules, RANDOM, seed=17, rounds=25), runs)
    n_forgotten = 0
    for key in keys_of(rows):
        events = [row for row in rows if (row["game"], row["round"]) == key]
        for step in range(15, len(events) - 2):
            # With the tile drawn in hand, the turn has shown what it shows when that tile is played.
            is_drawn = events[step - 1]["event"] == "draw"
            if events[step]["event"] not in ("play", "pass") or (is_drawn and events[step]["event"] == "pass"):
                continue
            here = from_rows(columns(events), rules, *key, step)
            try:
                state = replay(rules, *true_deal(events), seen_by(events[: step + is_drawn], 0), 0)
            except Impossible:
                continue  # the round is over with that tile
            turn = start_of(here).turn
            for seat, word in enumerate((turn.lacks0, turn.lacks1)):
                lacks = {twin.ALL_TILES[int(TILE_OF[k])] for k in range(64) if int(word) >> k & 1}
                on_table = set(state.played)
                assert lacks - on_table == state.ruled_out[seat] - on_table, (here, seat)
            n_forgotten += sum(bool(turn.kept) for turn in here.shown) > 1
    assert n_forgotten > 20 or draw == "none"


def true_deal(events):
    """The hands and the stock of a round, as far as it was drawn."""
    drawn = [row["tile"] for row in events if row["event"] == "draw"]
    hands = [[row["tile"] for row in events[:14] if row["seat"] == seat] for seat in (0, 1)]
    return hands, drawn + [tile for tile in range(28) if tile not in hands[0] + hands[1] + drawn]
