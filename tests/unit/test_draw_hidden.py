"""Hidden tiles of Draw: counted and numbered, against all deals that trying everything finds.

Seeds are fixed; with other seeds each statistical test would fail by chance with at most 1e-8.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import comb

import pytest
from scipy.stats import chi2

from domeng_sim.core.hands import TILE_OF
from domeng_sim.core.tiles import hand_mask, mask_tiles
from domeng_sim.games.draw.game import DRAW
from domeng_sim.games.two_player.odds.notation import from_rows, read
from domeng_sim.games.types import Seat
from tests.draw_deals import deal_samples
from tests.draw_positions import Impossible, columns, core_rows, every_deal, n_tries, replay, seen_by
from tests.draw_runs import BLOCK, task
from tests.twin import draw as twin

FALSE_ALARM = 1e-8
SEATS = (Seat({}), Seat({"pips": 1000}))
MOST_TRIES = 40_000


def position(rules, events, step, seat):
    return from_rows(columns(events), rules, events[0]["game"], events[0]["round"], step, seat)


def small_positions(rules, n, seed=1, only=lambda here: here.n_deals > 1):
    """Positions late in rounds behind which there are few enough deals to try them all: events, step, seat."""
    found = []
    rows = core_rows(task(rules, SEATS, seed=seed, rounds=3000))
    events: list = []
    for row in rows:
        events = [*events, row] if row["step"] else [row]
        if row["event"] != "end":
            continue
        for step in range(len(events) - 2, 14, -1):
            turn = events[step]["seat"]
            is_start = events[step - 1]["event"] != "draw"
            if events[step]["event"] not in ("play", "pass", "draw"):
                continue
            seat = (turn, 1 - turn)[len(found) % 2 if is_start else 0]
            if 200 < n_tries(events, step, seat) <= MOST_TRIES and only(position(rules, events, step, seat)):
                found.append((events, step, seat))
                break
        if len(found) == n:
            break
    assert len(found) == n
    return found


@pytest.mark.compiled
@pytest.mark.parametrize("table", ["unbounded", "8x6"])
@pytest.mark.parametrize("draw", ["until_fit", "one"])
@pytest.mark.parametrize("opening_lead", ["any", "highest"])
def test_number_of_deals__is_exactly_what_trying_everything_finds(draw, opening_lead, table):
    rules = DRAW.resolve_rules({"draw": draw, "opening_lead": opening_lead, "table": table})
    for found in small_positions(rules, 3):
        numbers_are_all_deals(rules, *found)


def numbers_are_all_deals(rules, events, step, seat):
    """Compare the numbering of deals with all that the naive replay accepts."""
    here = position(rules, events, step, seat)
    # What the other holds now, and what is left in the stock.
    behind = Counter()
    for state in every_deal(rules, events, step, seat):
        hand = hand_mask(map(twin.tile_number, state.hands[1 - seat]))
        behind[hand, hand_mask(map(twin.tile_number, state.stock))] += 1
    assert sum(behind.values()) == here.n_deals * here.origins.n_orders > 0
    # Every number is another deal; together they leave the other with each hand exactly as often.
    counted, different = Counter(), set()
    for deal in here.hidden.deals():
        different.add(deal)
        counted[sum(deal[:-1]) & ~here.played, deal[-1]] += here.origins.n_orders
    assert counted == behind
    assert len(different) == here.n_deals


@pytest.mark.compiled
@pytest.mark.parametrize("table", ["unbounded", "8x6"])
@pytest.mark.parametrize("opening_lead", ["any", "highest"])
def test_number_of_deals__where_nobody_draws_is_what_trying_every_hand_finds(opening_lead, table):
    rules = BLOCK.spec.resolve_rules({"opening_lead": opening_lead, "table": table})
    events, n_tried, told = [], 0, Counter()
    for row in core_rows(BLOCK.task(rules, SEATS, seed=5, rounds=200), BLOCK):
        events = [*events, row] if row["step"] else [row]
        if row["event"] != "end" or n_tried > 12:
            continue
        acts = [k for k, event in enumerate(events) if event["event"] in ("play", "pass")]
        if len(acts) < 8:
            continue
        step = acts[-1 - n_tried % 3]
        seat = events[step]["seat"]
        here = position(rules, events, step, seat)
        seen = {e["tile"] for e in events[14:step] if e["tile"] >= 0}
        own = {e["tile"] for e in events[:14] if e["seat"] == seat}
        played = {e["tile"] for e in events[14:step] if e["seat"] != seat and e["tile"] >= 0}
        hidden = [tile for tile in range(28) if tile not in seen | own]
        if comb(len(hidden), 7 - len(played)) > MOST_TRIES // 20:
            continue
        found = set()
        for rest in combinations(hidden, 7 - len(played)):
            hands = [sorted(own), sorted({*rest, *played})][:: 1 - 2 * seat]
            try:
                replay(rules, hands, [t for t in hidden if t not in rest], seen_by(events[14:step], seat), seat)
            except Impossible:
                continue
            found.add((hand_mask(rest), hand_mask(tile for tile in hidden if tile not in rest)))
        assert {(sum(deal[:-1]) & ~here.played, deal[-1]) for deal in here.hidden.deals()} == found
        assert here.n_deals == len(found) > 0
        n_tried += 1
        told["must_fit" if must_fit(here) else "void" if len(found) < comb(len(hidden), 7 - len(played)) else ""] += 1
    assert n_tried > 12 and told["void"]


def must_fit(here):
    """Whether it matters that the round goes on: some deals would have ended it."""
    origins = here.origins
    return origins.must_fit is not None and replace(origins, must_fit=None).hidden.n_deals > here.n_deals


@pytest.mark.compiled
@pytest.mark.parametrize("draw", ["until_fit", "one"])
def test_round_that_goes_on__tells_that_the_other_holds_a_fitting_tile(draw):
    # The stock is used up and nothing of mine fits: were nothing of the other's to fit either, the round would be over.
    rules = DRAW.resolve_rules({"draw": draw})
    for found in small_positions(rules, 2, seed=2, only=must_fit):
        numbers_are_all_deals(rules, *found)


def masks(row):
    return sum({1 << int(TILE_OF[index]) for index in range(64) if int(row) >> index & 1})


def late_position():
    rules = DRAW.resolve_rules({})
    for events, step, seat in small_positions(rules, 8, seed=5):
        here = position(rules, events, step, seat)
        if 10 < here.n_deals < 400:
            return here
    raise AssertionError


@pytest.mark.compiled
def test_draw__is_uniform_over_all_deals_and_orders_of_the_stock():
    # Pearson's chi-square over hands times the tile drawn next.
    here = late_position()
    n = 400 * here.n_deals * here.stock
    expected = Counter()
    for deal in here.hidden.deals():
        for tile in mask_tiles(deal[-1]):
            expected[sum(deal[:-1]) & ~here.played, tile] += 400
    found = Counter()
    rows = deal_samples(4, 0, here, n)
    first = rows[:, 3]
    for row, word in zip(rows, first, strict=True):
        stock = mask_tiles(masks(row[2]))
        found[masks(row[1 - here.seat]), stock[int(word) * len(stock) >> 64]] += 1
    assert set(found) == set(expected)
    statistic = sum((found[key] - many) ** 2 / many for key, many in expected.items())
    assert chi2.ppf(FALSE_ALARM / 2, len(expected) - 1) <= statistic <= chi2.isf(FALSE_ALARM / 2, len(expected) - 1)


def test_start__tells_what_the_other_was_dealt():
    rules = DRAW.resolve_rules({})
    # I started with 3|3 as my best: the other was dealt no 6|6, 5|5 or 4|4, which are all in the stock.
    here = read({"hand": "3|3 2|1 6|5 6|4 6|3 5|4 1|0", "seat": "0"}, rules)
    assert all(not here.origins.may_come_from(tile, -1) for tile in (27, 20, 14))
    assert here.n_deals == comb(18, 7)
    # The other started and led 2|1: it was dealt 6|6, 5|5 or 4|4.
    here = read({"hand": "3|3 2|0 6|5 6|4 6|3 5|4 1|0", "log": "1:2|1"}, rules)
    assert here.n_deals == comb(20, 6) - comb(17, 6)
    for number in range(0, here.n_deals, here.n_deals // 40):
        assert here.hidden.deal(number)[0] & (1 << 27 | 1 << 20 | 1 << 14)
    # With opening_lead=highest it led its highest tile.
    rules = DRAW.resolve_rules({"opening_lead": "highest"})
    here = read({"hand": "3|3 2|0 6|5 6|4 6|3 5|4 1|0", "log": "1:5|5"}, rules)
    assert here.n_deals == comb(19, 6)
