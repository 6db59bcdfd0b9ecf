"""The search player: the twin's move for move, on deals that are all equally likely, and blind to what is hidden."""

from __future__ import annotations

import random
from decimal import Decimal
from functools import cache

import numpy as np
import pytest

from domeng_sim.core import buffers
from domeng_sim.core.bits import U
from domeng_sim.core.jit import entry
from domeng_sim.core.job import Log, RoundKey, Tally
from domeng_sim.core.policy import Decision
from domeng_sim.core.tables import DOMENG_EVENTS
from domeng_sim.core.tiles import hand_mask
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.domeng.kernel.hidden_deals import (
    BY_STARTER,
    IS_FIRST,
    LED,
    N_SEEN,
    STARTER,
    deal_of,
    make_deals,
    prepare,
)
from domeng_sim.games.domeng.kernel.kernel_api import SEATING
from domeng_sim.games.domeng.kernel.policies import DomengTerms
from domeng_sim.games.domeng.kernel.records import MAX_EVENTS
from domeng_sim.games.domeng.kernel.step import lead, leads, play_on
from domeng_sim.games.domeng.odds.notation import read
from domeng_sim.games.domeng.odds.sampled import DomengOdds
from domeng_sim.games.domeng.odds.start import start_of
from domeng_sim.games.domeng.rules import rules_row
from domeng_sim.games.shared.dealing import n_deals_of, rows_of_mask
from domeng_sim.games.shared.likely import LIKELY_TRIES, Likely, deal_likely
from domeng_sim.games.shared.sampling import tell_story
from domeng_sim.games.types import Model, Search, Seat
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import seat
from tests.domeng_positions import decisions_of_round, real_decisions
from tests.domeng_runs import (
    assert_counts,
    assert_same_tables,
    core,
    task,
    twin_choose,
    twin_rows,
)
from tests.effort import effort
from tests.twin.domeng import ALL_TILES, OPTIONS, complete_rules, opening
from tests.twin.search import likelihood, past_choices
from tests.twin.streams import deal

MASTER = {
    "pips": 100, "double": 9000, "mappakuling": 3000, "follow_ups": 2500, "values_kept": 1500, "unseen": -1000,
    "next_void": 2000, "others_void": -2000, "own_ends": 5000, "blocks_low": -2000, "drain": 2000,
}  # fmt: skip


def searching(n, value="camat", weights=MASTER, temperature=0.0, copy=0, model=None):
    return Seat(weights, temperature, copy, search=Search(n, value, model))


# --- Against the twin -------------------------------------------------------------------------------------------------

TABLES = {
    "one": (searching(20), *[Seat(MASTER)] * 4),
    "few": (searching(1), Seat({}), searching(17, "stones", {}), Seat(MASTER), Seat({"pips": 1000}, 0.5)),
    "soft": (Seat({}), searching(3, "camat", {"double": 1000, "next_pass": 2}, 1.0, 2), *[Seat({})] * 3),
    "inferring": (
        searching(6, model=Model(MASTER, 2.0)),
        Seat(MASTER),
        searching(3, "stones", {}, model=Model({}, 2.0)),
        Seat(MASTER),
        searching(5, model=Model({"next_pass": 20, "double": 2000}, 0.7)),
    ),
    "all": (searching(5), searching(4, "stones"), searching(2), searching(33), searching(6, copy=1)),
}


@pytest.mark.compiled
@pytest.mark.parametrize("name", TABLES)
def test_search__plays_as_the_twin(name):
    job = task({"max_rounds": 6 if name != "inferring" else 3}, TABLES[name], 31, 2, games=1)
    tables, counts = core(job)
    assert_same_tables(tables, twin_rows(job))
    assert_counts(job, tables, counts)


@pytest.mark.compiled
def test_search__plays_as_the_twin_under_any_rules():
    draw = random.Random(5)
    model = Model({"unseen": -500, "drain": 1000}, 1.0)
    seats = (searching(3), searching(2, "stones", model=model), Seat({}), searching(2, weights={}), Seat(MASTER))
    for number in range(12):
        rules = {name: draw.choice(readings) for name, readings in OPTIONS.items()}
        rules |= {"stones": draw.choice([0, 3, 25, 40]), "pass_stones": draw.randrange(3), "max_rounds": 3}
        job = task(rules, seats, number, 1, rounds=4)
        assert_same_tables(core(job)[0], twin_rows(job))


@pytest.mark.compiled
def test_search__plays_as_the_twin_beside_functions_and_people(tmp_path):
    # A function that plays its first move, and a person who does the same: what they are told goes on to the others.
    (tmp_path / "first.py").write_text("def choose(view, moves):\n    return 0\n")
    function, person = seat(resolve(f"{tmp_path}/first.py:choose", DOMENG)), Seat({}, choices=(0,) * 4000)
    own = searching(5)
    job = task({"max_rounds": 12}, (own, function, own, person, Seat(MASTER)), 3, games=1)
    chosen = twin_choose((own, Seat({}), own, Seat({}), Seat(MASTER)), 3)

    def choose(number, view, moves):
        return 0 if number in (1, 3) else chosen(number, view, moves)

    assert_same_tables(core(job)[0], twin_rows(job, choose))


# --- The deals that agree with what a player knows --------------------------------------------------------------------


@entry
def count_deals(here, rules, seen, deals):
    return prepare(deals, here, rules, seen)


@entry
def deal_numbers(deals, numbers, starter, out):
    for i in range(numbers.shape[0]):
        deal_of(deals, numbers[i], starter, out[i])


def first_rounds(n, rules):
    """Choices of first rounds of a match: the holder of the highest double starts, and all stones lie on the table."""
    choose = twin_choose([Seat({})] * 5, 3)
    for number in range(n):
        hands = [sorted(hand) for hand in deal(77, number, 0)[0]]
        starter, _ = opening(hands)
        yield from decisions_of_round(rules, hands, starter, [0] * 5, rules["stones"], choose, number)[0]


def seen_of(start, decision, is_first):
    """What everybody saw of the round, as the kernel keeps it."""
    seen = np.zeros(N_SEEN, np.uint64)
    log = [(seat, tile) for seat, what, tile, *_ in decision.view["log"] if what in ("lead", "play")]
    seen[IS_FIRST], seen[STARTER] = is_first, decision.view["starter"]
    seen[BY_STARTER] = rows(tile for seat, tile in log if seat == decision.view["starter"])
    if log:
        seen[LED] = 8 * log[0][1][0] + log[0][1][1]
    return seen


def rows(tiles):
    bits = 0
    for hi, lo in tiles:
        bits |= 1 << (8 * hi + lo) | 1 << (8 * lo + hi)
    return U(bits)


def kernel_decision(start, seat, is_lead):
    hand = start.hands[seat]
    return Decision(start.turn, np.int64(seat), hand, hand, is_lead)


@cache
def positions():
    """Positions of real rounds, as odds read them, each with what the kernel takes."""
    found = []
    for closing in ("award", "free"):
        rules = complete_rules({"closing_passes": closing, "stones": 12})
        known = DOMENG.resolve_rules(rules)
        for decision in real_decisions(effort(25, 2), rules, lambda _: twin_choose([Seat({})] * 5, 3), 5):
            if decision.view["log"]:
                found.append((known, decision, read(decision.texts(), known), False))
        for decision in first_rounds(effort(25, 2), rules):
            texts = decision.texts() | {"first-round": "yes"}
            texts.pop("camat", None)
            found.append((known, decision, read(texts, known), True))
    return found


ROWS_OF_TILE = [rows_of_mask(1 << tile) for tile in range(28)]


def test_deals__are_those_that_agree_with_what_the_player_knows_each_once():
    deals, n_enumerated, n_first, n_void = make_deals(), 0, 0, 0
    for rules, decision, here, is_first in positions():
        start = start_of(here)
        seen = seen_of(start, decision, is_first)
        with np.errstate(over="ignore"):
            n = count_deals(kernel_decision(start, decision.seat, start.is_lead), rules_row(rules), seen, deals)
        assert n == here.hidden.n_deals
        n_first += is_first and len(here.hidden.cases) > 1
        n_void += sum(map(bool, decision.view["voids"])) > 1
        if n > effort(10_000, 200):
            continue
        n_enumerated += 1
        out = np.zeros((n, 5), np.uint64)
        with np.errstate(over="ignore"):
            deal_numbers(deals, np.arange(n, dtype=np.uint64), decision.view["starter"], out)
        others = [seat for seat in range(5) if seat != decision.seat]
        found = np.unique(out[:, others], axis=0)
        hands = np.array([[deal[seat] for seat in others] for deal in here.hidden.deals()], np.uint64)
        want = np.zeros_like(hands)
        for tile, bits in enumerate(ROWS_OF_TILE):
            want |= np.where(hands >> U(tile) & U(1), bits, U(0))
        assert len(found) == n
        np.testing.assert_array_equal(found, np.unique(want, axis=0))
    assert n_enumerated > effort(75, 0) and n_first > effort(100, 0) and n_void > effort(100, 0)


# --- No leak ----------------------------------------------------------------------------------------------------------


@entry
def next_event(start, hands, words, terms, tally, log, key):
    """The round as it goes on from a position with these hands; the first event of it is the choice."""
    tell_story(terms, start, key)
    if start.is_lead:
        lead(start.turn, hands, leads(hands[start.turn.seat]), words, terms, log, key)
    else:
        play_on(start.turn, hands, words, terms, tally, log, key)


def move_played(start, hands, words, seats, policy, rules):
    buffer = buffers.allocate(DOMENG_EVENTS, MAX_EVENTS)
    log = Log(buffer, np.zeros(2, np.int64))
    tally = Tally(np.zeros(4000, np.int64), U(0))
    five = np.array([rows_of_mask(hand_mask(hand)) for hand in hands], np.uint64)
    key = RoundKey(U(1), np.int64(0), start.round_)
    with np.errstate(over="ignore"):
        next_event(start, five, words, DomengTerms(rules_row(rules), policy), tally, log, key)
    columns = buffers.columns(DOMENG_EVENTS, buffer, 1, frozenset())
    return int(columns["tile"][0]), int(columns["side"][0])


PLANS = {
    "camat": Search(20, "camat"),
    "stones": Search(8, "stones"),
    "inferring": Search(8, "camat", Model(MASTER, 2.0)),
}


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_search__plays_the_same_move_whatever_the_hidden_tiles_are(plan):
    seats = [Seat(MASTER, search=plan)] * 5
    policy, draw, n, n_moves = SEATING.policy(seats), random.Random(1), 0, set()
    for rules, decision, here, is_first in positions():
        other = None if is_first else decision.another_deal(draw)
        if is_first:
            masks = here.hidden.deal(draw.randrange(here.hidden.n_deals))
            other = [
                decision.hands[seat] if seat == decision.seat else [t for t in range(28) if masks[seat] >> t & 1]
                for seat in range(5)
            ]
        if other is None or other == decision.hands:
            continue
        start, words = start_of(here), np.array([draw.getrandbits(64) for _ in range(5)], np.uint64)
        one, two = (move_played(start, hands, words, seats, policy, rules) for hands in (decision.hands, other))
        assert one == two, decision
        n, n_moves = n + 1, n_moves | {one}
    assert n > effort(500, 2) and len(n_moves) > effort(40, 1)


# --- Odds that conclude from choices ----------------------------------------------------------------------------------


@entry
def draw_likely(seed, n, start, terms, room, likely, hands, weights):
    n_deals = n_deals_of(start.hidden)
    tell_story(likely.terms, start, RoundKey(U(0), 0, start.round_))
    for i in range(n):
        _, weights[i] = deal_likely(seed, U(i), n_deals, start, terms, room, likely)
        for s in range(5):
            hands[i, s] = room.deal[s]


@pytest.mark.compiled
def test_odds__draw_deals_by_how_likely_the_choices_of_the_others_are():
    # Exact chances of every hidden tile with every other seat, from all deals and the twin's likelihoods. 6 errors each
    # time: some 100 comparisons, so that one fails by chance in 10^6.
    odds, model, n, n_looked_at, n_compared = DomengOdds(), Model(MASTER, 2.0), 4000, 0, 0
    weights = {name: Decimal(weight) / 1000 for name, weight in MASTER.items()}
    for rules, decision, here, _ in positions():
        n_played = len(decision.played)
        if not (n_played > 12 and 20 < here.n_deals < 300) or decision.view["table"] == 0 or n_looked_at == 6:
            continue
        n_looked_at += 1
        start, hands, drawn = start_of(here), np.zeros((n, 5), np.uint64), np.zeros(n)
        seats = (Seat({}),) * 5
        likely = Likely(odds._terms(rules, odds._judge(model)), np.zeros(LIKELY_TRIES), np.zeros(2, np.int64))
        with np.errstate(over="ignore"):
            terms = odds._terms(rules, SEATING.policy(seats))
            draw_likely(U(7), n, start, terms, odds.room(here, seats), likely, hands, drawn)
        others = [seat for seat in range(5) if seat != here.seat]
        every = [
            {s: [ALL_TILES[t] for t in range(28) if deal[s] >> t & 1] for s in others} for deal in here.hidden.deals()
        ]
        choices = past_choices(decision.view, every[0])
        exact = np.array([
            np.prod([likelihood(decision.view, choices, s, deal[s], weights, 2.0) for s in others]) for deal in every
        ])  # fmt: skip
        for s in others:
            for tile in here.hidden.tiles:
                want = exact @ [ALL_TILES[tile] in deal[s] for deal in every] / exact.sum()
                has = (hands[:, s] & rows_of_mask(1 << tile)) != 0
                found = drawn @ has / drawn.sum()
                error = np.sqrt(drawn**2 @ (has - want) ** 2) / drawn.sum()
                # what is nearly impossible or certain is seen too seldom for an error to be known
                if 0.02 < want < 0.98:
                    n_compared += 1
                    assert abs(found - want) <= 6 * error, (here, s, tile)
                elif want in (0, 1):
                    assert found == want
    assert n_looked_at == 6 and n_compared > 50
