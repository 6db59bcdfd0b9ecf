"""The search player of two-player games: as the twin, on the deals of odds, and blind to what is hidden."""

from __future__ import annotations

import random

import numpy as np
import pytest

import domeng_sim.games.two_player.odds.sampled  # noqa: F401  (its answers tell the story)
from domeng_sim.core.bits import U
from domeng_sim.core.codes import Event
from domeng_sim.core.hands import LOWER
from domeng_sim.core.jit import entry
from domeng_sim.core.job import RoundKey
from domeng_sim.core.policy import Decision, choose
from domeng_sim.core.tiles import mask_tiles
from domeng_sim.games.shared.dealing import deal_of, rows_of_mask
from domeng_sim.games.shared.odds_start import index_of
from domeng_sim.games.shared.sampling import tell_story
from domeng_sim.games.two_player.kernel.geometry import clear, lay, reach
from domeng_sim.games.two_player.kernel.hidden_deals import MAX_PLACES, prepare, tables_of
from domeng_sim.games.two_player.kernel.kernel_api import SEATING, make_table
from domeng_sim.games.two_player.kernel.moves import Move, Reach
from domeng_sim.games.two_player.kernel.policies import TwoPlayerTerms
from domeng_sim.games.two_player.kernel.search import with_stock
from domeng_sim.games.two_player.kernel.step import HIGHEST, NOBODY_DRAWS
from domeng_sim.games.two_player.odds.start import start_of
from domeng_sim.games.two_player.rules import rules_row
from domeng_sim.games.types import Search, Seat
from tests.draw_runs import BLOCK, DRAW
from tests.effort import effort
from tests.twin import draw as twin

WEIGHTS = {"pips": 500, "double": 3000, "follow_ups": 2000, "other_moves": -1500, "own_ends": 3000, "turns": 700}
GAMES = {"draw": DRAW, "block": BLOCK}


def searching(n, value="points", weights=WEIGHTS, temperature=0.0, copy=0):
    return Seat(weights, temperature, copy, search=Search(n, value))


# --- Against the twin -------------------------------------------------------------------------------------------------

TABLES = [
    ("draw", {}, (searching(19), Seat(WEIGHTS))),
    ("draw", {"draw": "one", "opening_lead": "highest"}, (searching(3, "rounds", {}), searching(18, copy=1))),
    ("draw", {"table": "9x4"}, (searching(4, temperature=2.0), searching(3, "rounds"))),
    ("block", {}, (Seat({}), searching(20, "rounds"))),
    ("block", {"table": "8x8", "opening_lead": "highest"}, (searching(3), searching(2, weights={}))),
]


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "rules", "seats"), TABLES)
def test_search__plays_as_the_twin(name, rules, seats):
    runs = GAMES[name]
    job = runs.task(rules, seats, 31, rounds=effort(6, 1))
    runs.assert_same_tables(runs.core(job)[0], runs.twin_rows(job))


# --- The deals that agree with what a player knows --------------------------------------------------------------------

ANY_RULES = [
    ("draw", {"draw": "until_fit", "opening_lead": "any"}),
    ("draw", {"draw": "one", "opening_lead": "highest"}),
    ("draw", {"draw": "one", "table": "8x5"}),
    ("block", {"opening_lead": "any"}),
    ("block", {"opening_lead": "highest", "table": "6x6"}),
]


def positions(n_rounds):
    """Choices of real rounds, as odds read them, with the rules."""
    for number, (name, given) in enumerate(ANY_RULES):
        runs, found = GAMES[name], []
        rules = runs.spec.resolve_rules(given)
        full = {"draw": "none", **rules}
        for match in range(n_rounds):
            hands, stock = twin.deal(50 + number, match, 0)
            choice = runs.twin_choose((Seat({}), Seat({"pips": 200}, 1.0)), match)

            def watch(seat, view, moves, choice=choice, found=found):
                if sum(len(move.directions) for move in moves) > 1:
                    found.append(view)
                return choice(seat, view, moves)

            twin.play_round(full, hands, stock, watch)
        for view in found:
            yield rules, runs.position(view)


@entry
def told(start, terms, key):
    tell_story(terms, start, key)


@entry
def count_deals(here, deals, is_highest):
    return prepare(deals, here, is_highest)


@entry
def deal_number(deals, number):
    places = deals.places
    for place in range(places.shape[0]):
        places[place] = U(0)
    deal_of(number, tables_of(deals), deals.lacking, places)
    return deals.n[0]


KEY = RoundKey(U(1), np.int64(0), np.int64(0))


def decision_of(start, here, turn):
    hand = start.hands[here.seat]
    return Decision(turn, np.int64(here.seat), hand, Reach(hand, hand), start.is_lead)


def policy_at(start, here, seats):
    policy = SEATING.policy(seats)
    with np.errstate(over="ignore"):
        told(start, TwoPlayerTerms(rules_row(here.rules), policy, make_table(here.rules)), KEY)
    return policy


def test_deals__are_those_that_odds_find_each_once():
    draw, n_proofs, n_places = random.Random(2), 0, set()
    for rules, here in positions(effort(30, 1)):
        start = start_of(here)
        deals = policy_at(start, here, (searching(1), searching(1))).deals
        row = rules_row(rules)
        with np.errstate(over="ignore"):
            n = count_deals(decision_of(start, here, start.turn), deals, row.opening_lead == HIGHEST)
        assert n == here.n_deals
        n_proofs += here.hidden.n_proofs > 0
        n_places.add(len(here.hidden.sizes))
        for number in {0, int(n) - 1, *(draw.randrange(int(n)) for _ in range(5))}:
            with np.errstate(over="ignore"):
                n_found = deal_number(deals, U(number))
            want = [rows_of_mask(mask & ~here.played) for mask in here.hidden.deal(number)]
            assert deals.places[:n_found].tolist() == [int(mask) for mask in want]
    assert n_proofs > effort(50, 0) and max(n_places) > effort(4, 1) and max(n_places) <= MAX_PLACES


# --- No leak ----------------------------------------------------------------------------------------------------------


@entry
def chosen(start, terms, key, stock, order, word):
    tell_story(terms, start, key)
    clear(terms.table)
    for k in range(start.laid.shape[0]):
        lay(terms.table, Move(U(start.laid[k, 0]), start.laid[k, 1], start.laid[k, 2]))
    hand, turn = start.hands[start.seat], with_stock(start.turn, stock, order)
    reached = Reach(hand & LOWER, U(0)) if start.is_lead else reach(terms.table, turn)
    move = choose(terms.policy, terms, Decision(turn, start.seat, hand, reached, start.is_lead), word)
    return np.int64(move.index) + 64 * (move.end + 1) + 256 * (move.direction + 1)


def hidden_rows(start, here, draw):
    """What the kernel knows and the player does not: tiles drawn by the other, the stock and its order."""
    *_, stock = here.hidden.deal(draw.randrange(here.n_deals))
    story, unseen = start.story.copy(), [t for t in here.hidden.tiles if not here.played >> t & 1]
    for row in story:
        if row[0] == Event.DRAW and row[1] != here.seat:
            tile = draw.choice(unseen)
            row[2] = index_of(tile, 6) if tile == 27 else int(rows_of_mask(1 << tile) & LOWER).bit_length() - 1
    stock_rows = rows_of_mask(stock) & LOWER
    if rules_row(here.rules).draw == NOBODY_DRAWS:
        stock_rows = U(0)
    return start._replace(story=story), stock_rows, U(draw.getrandbits(64))


@pytest.mark.parametrize("value", ["points", "rounds"])
def test_search__plays_the_same_move_whatever_is_hidden(value):
    draw, n, tiles = random.Random(4), 0, set()
    for rules, here in positions(effort(30, 1)):
        start, word = start_of(here), U(draw.getrandbits(64))
        terms = TwoPlayerTerms(rules_row(rules), SEATING.policy((searching(6, value),) * 2), make_table(rules))
        found = []
        for _ in range(2):
            other, stock, order = hidden_rows(start, here, draw)
            with np.errstate(over="ignore"):
                found.append(int(chosen(other, terms, KEY, stock, order, word)))
        assert found[0] == found[1], here
        assert len(mask_tiles(here.own)) >= 1
        n, tiles = n + 1, tiles | {found[0] % 64}
    assert n > effort(800, 3) and len(tiles) > effort(40, 1)
