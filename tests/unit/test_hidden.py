"""Hidden tiles: counted, numbered and drawn, against lists of all deals found by trying everything.

Seeds are fixed; with other seeds each statistical test would fail by chance with at most 1e-7.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from domeng_sim.core.hands import TILE_OF
from domeng_sim.core.jit import entry
from domeng_sim.core.tiles import HALVES, hand_text, mask_tiles, tile_text
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.domeng.odds.hidden import N_PLACES, UNUSED, may_hold
from domeng_sim.games.domeng.odds.notation import read
from domeng_sim.games.domeng.odds.sampled import DomengOdds
from domeng_sim.games.domeng.odds.start import start_of
from domeng_sim.games.shared.dealing import n_deals_of, numbers_below
from domeng_sim.games.shared.hidden import Hidden
from domeng_sim.games.shared.sampling import deal_hidden
from tests.domeng_runs import RANDOM
from tests.effort import effort
from tests.twin.domeng import play_round, tile_number
from tests.twin.streams import deal

FALSE_ALARM = 1e-7
RULES = DOMENG.resolve_rules({})


def every_deal(tiles, sizes, case):
    """All ways to give the tiles away, found by trying everything."""
    may = dict(zip(tiles, case, strict=True))

    def give(place, rest):
        if place == N_PLACES:
            return [()] if not rest else []
        found = []
        for hand in combinations(rest, sizes[place]):
            if all(may[tile] >> place & 1 for tile in hand):
                mask = sum(1 << tile for tile in hand)
                left = [tile for tile in rest if tile not in hand]
                found += [(mask, *others) for others in give(place + 1, left)]
        return found

    return give(0, list(tiles))


@st.composite
def small_hidden(draw):
    tiles = tuple(sorted(draw(st.sets(st.integers(0, 27), min_size=1, max_size=7))))
    cuts = sorted(draw(st.lists(st.integers(0, len(tiles)), min_size=5, max_size=5)))
    sizes = tuple(b - a for a, b in zip([0, *cuts], [*cuts, len(tiles)], strict=True))
    cases = draw(
        st.lists(
            st.lists(st.integers(0, 63), min_size=len(tiles), max_size=len(tiles)).map(tuple), min_size=1, max_size=3
        )
    )
    wide = draw(st.booleans())
    return Hidden(tiles, sizes, tuple(tuple(may | (60 if wide else 0) for may in case) for case in cases))


@given(small_hidden())
def test_number_of_deals__is_exactly_what_trying_everything_finds(hidden):
    expected = [every_deal(hidden.tiles, hidden.sizes, case) for case in hidden.cases]
    assert list(hidden.by_case) == list(map(len, expected))
    deals = list(hidden.deals())
    assert len(deals) == hidden.n_deals
    at = 0
    for n, found in zip(hidden.by_case, expected, strict=True):
        # every deal of the case has exactly one number
        assert sorted(deals[at : at + n]) == sorted(found)
        at += n
    with pytest.raises(ValueError, match="so none has the number"):
        hidden.deal(hidden.n_deals)


@given(small_hidden())
def test_shortage__is_found_exactly_where_no_deal_fits(hidden):
    first = Hidden(hidden.tiles, hidden.sizes, hidden.cases[:1])
    shortage = first.shortage()
    assert (shortage is None) == (first.n_deals > 0)
    if shortage is not None:
        places, lacking, possible = shortage
        assert lacking == sum(hidden.sizes[place] for place in places) > possible


def test_number_of_deals__without_voids_is_the_multinomial_number():
    here = read({"hand": "6|5 4|1 3|1 2|1 0|0", "seat": "0"}, RULES)
    assert here.n_deals == factorial(23) // (factorial(5) ** 4 * factorial(3))


def test_voids__keep_tiles_from_a_seat_alone():
    tiles = range(28)
    masks = may_hold(tiles, (0, 5, 5, 5, 5, 3), [0, 1 << 6 | 1 << 4, 0, 0, 0])
    for tile, mask in zip(tiles, masks, strict=True):
        assert bool(mask >> 1 & 1) == (not {4, 6} & set(HALVES[tile]))
        assert mask & ~0b10 == 0b111100


@entry
def deal_samples(seed, first, start, terms, room, out):
    """Hands of the samples from `first` on, as they are dealt before they are played."""
    n_deals = n_deals_of(start.hidden)
    for i in range(out.shape[0]):
        which, order = numbers_below(seed, np.uint64(first + i), n_deals, start.n_orders)
        deal_hidden(terms, start, which, order, room, out[i])


def kernel_hands(here, n, seed, first=0):
    out, odds = np.zeros((n, 5), np.uint64), DomengOdds()
    with np.errstate(over="ignore"):
        terms, room = odds.at_random(here.rules), odds.room(here, RANDOM)
        deal_samples(np.uint64(seed), first, start_of(here), terms, room, out)
    return out


# Late in a round: 1, 1, 1 and 2 tiles hidden with the others, three unused, and eight PASSes that exclude much.
LATE = {
    "hand": "1|0 2|0 3|3",
    "log": "0:6|6 1:6|5l 2:6|4r 3:4|0r 4:5|1l 0:0|0r 1:3|0r 2:1|1l 3:3|1l 4:pass 0:4|3l 1:5|3r 2:5|4r 3:pass 4:4|2l "
    "0:5|2l 1:5|5l 2:4|4r 3:pass 4:5|0l 0:pass 1:pass 2:pass",
}


def late_position():
    return read(LATE, RULES)


def test_draw__is_the_deal_of_a_number():
    here = late_position()
    n = here.n_deals
    listed = {deal[:5] for deal in here.hidden.deals()}
    hands = kernel_hands(here, effort(2000, 20), 3)
    own = start_of(here).hands
    for row in hands:
        masks = []
        for seat in range(5):
            bits = int(row[seat]) & ~int(own[seat])
            masks.append(sum({1 << int(TILE_OF[index]) for index in range(64) if bits >> index & 1}))
        assert tuple(masks) in listed
    assert n == 744


@pytest.mark.compiled
def test_draw__is_uniform_over_all_deals():
    # Pearson's chi-square over every single deal; each is expected at least 200 times.
    here = late_position()
    n_deals, n = here.n_deals, 200 * here.n_deals
    found = Counter(map(tuple, kernel_hands(here, n, 4).tolist()))
    assert len(found) == n_deals == here.hidden.n_deals
    statistic = sum((count - 200) ** 2 / 200 for count in found.values())
    assert statistic <= chi2.isf(FALSE_ALARM / 2, n_deals - 1)
    # and not suspiciously even either
    assert statistic >= chi2.ppf(FALSE_ALARM / 2, n_deals - 1)


@pytest.mark.compiled
def test_draw__from_trillions_of_deals_puts_tiles_where_they_belong_equally_often():
    # Seat 2 passed at 6 and 4: the tiles that it cannot have go to the others, exactly as often as counted.
    here = read({"hand": "6|5 4|1 3|1 2|1", "log": "0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r"}, RULES)
    n = 400_000
    hands = kernel_hands(here, n, 5)
    alarm = FALSE_ALARM / len(here.hidden.tiles) / 2
    for position, tile in enumerate(here.hidden.tiles):
        hi, lo = HALVES[tile]
        for place in (1, 2):
            found = int(np.count_nonzero(hands[:, place] & np.uint64(1 << (8 * hi + lo))))
            only = tuple(
                may if other != position else may & 1 << place for other, may in enumerate(here.hidden.cases[0])
            )
            p = Hidden(here.hidden.tiles, here.hidden.sizes, (only,)).n_deals / here.n_deals
            assert (found == 0) == (p == 0)
            if p:
                statistic = (found - n * p) ** 2 / (n * p * (1 - p))
                assert statistic <= chi2.isf(alarm, 1), (tile, place)


def test_first_round__counts_the_ways_in_which_the_starter_can_have_started():
    # I hold no double and sit behind the starter, who led 1|0: it holds the highest double dealt.
    here = read({"hand": "2|1 3|1 4|1 5|1 6|1", "log": "0:1|0", "first-round": "yes"}, RULES)
    n_hidden, held = 22, 4
    assert len(here.hidden.tiles) == n_hidden
    # The starter has 6|6; or 5|5 while 6|6 is unused; or 4|4 while both are; or 3|3 while all three are.
    expected = []
    for unused in range(4):
        rest = n_hidden - 1 - unused
        ways = comb(rest, held - 1) * comb(rest - held + 1, 3 - unused)
        expected.append(ways * factorial(15) // factorial(5) ** 3)
    assert list(here.hidden.by_case) == expected
    for number in range(0, here.n_deals, here.n_deals // 50):
        deal = here.hidden.deal(number)
        doubles = [tile for tile in (27, 20, 14, 9) if not deal[UNUSED] >> tile & 1]
        assert deal[0] >> doubles[0] & 1
        assert [len(mask_tiles(mask)) for mask in deal] == [4, 0, 5, 5, 5, 3]


# --- What a PASS got, where closing PASSes are free -------------------------------------------------------------------

# 173 deals agree with the voids; on two of them nobody could play any more, so that seat 3 would have got nothing.
FREE = {
    "seat": "4",
    "hand": "5|2",
    "log": "1:4|1 2:5|1l 3:4|3r 4:5|4l 0:4|4l 1:3|1r 2:pass 3:6|1r 4:4|0l 0:6|4r 1:1|0l 2:pass 3:pass 4:1|1l 0:4|2r "
    "1:pass 2:pass 3:3|2r 4:pass 0:3|0r 1:pass 2:0|0r 3:pass 4:5|0r 0:pass 1:5|5r 2:5|3r 3:pass",
    "stones": "3,2,3,4,2",
    "camat": "1",
}
FREE_RULES = DOMENG.resolve_rules({"closing_passes": "free"})


def test_deals__on_which_an_awarded_pass_would_have_been_a_closing_one_are_not_counted():
    here = read(FREE, FREE_RULES)
    assert read(FREE, RULES).n_deals == 173
    assert here.n_deals == len(set(here.hidden.deals())) == 171
    masks = [sum(1 << tile for tile, halves in enumerate(HALVES) if value in halves) for value in here.ends]
    assert all(any(hand & (masks[0] | masks[1]) for hand in deal[:5]) for deal in here.hidden.deals())
    # The two others, where the log says that the PASS got none.
    closing = read(FREE | {"log": FREE["log"] + "0", "stones": "3,2,3,3,2"}, FREE_RULES)
    assert closing.n_deals == 2
    assert not set(closing.hidden.deals()) & set(here.hidden.deals())
    assert {deal[:5] for deal in kernel_masks(here, effort(3000, 20))} <= {d[:5] for d in here.hidden.deals()}


def kernel_masks(here, n):
    own = start_of(here).hands
    return {
        tuple(
            sum({1 << int(TILE_OF[k]) for k in range(64) if (int(row[seat]) & ~int(own[seat])) >> k & 1})
            for seat in range(5)
        )
        for row in kernel_hands(here, n, 6)
    }


def same_way(here, rules, dealt, starter, stones, events):
    """Whether a round of the twin from these hands goes as it was seen to go."""
    script = [e for e in events if e["event"] in ("lead", "play", "pass", "passebunge")]

    def choose(seat, view, moves):
        at = len(view["log"])
        wanted = (script[at]["tile"], script[at]["side"]) if at < len(script) else None
        told = [(tile_number(move.tile), move.end) for move in moves]
        return told.index(wanted) if wanted in told else 0

    _, own = play_round(rules, dealt, starter, stones[:5], stones[5], choose)
    seen = ("event", "seat", "tile", "side", "from_table", *(f"given_{seat}" for seat in range(5)))
    own = own[25 : 25 + len(script)]
    return [[row[name] for name in seen] for row in own] == [[row[name] for name in seen] for row in script]


@pytest.mark.parametrize("closing", ["free", "award"])
def test_deals__that_are_counted_are_those_on_which_all_would_have_gone_as_it_was_seen(closing):
    # Positions from real rounds, most of them between closing PASSes: the twin plays every deal that the voids allow.
    draw, n_positions, told = random.Random(4), 0, Counter()
    for number in range(effort(200, 12)):
        amounts = {"pass_stones": draw.choice([0, 1, 3]), "passebunge_stones": draw.choice([0, 2])}
        rules = DOMENG.resolve_rules({"closing_passes": closing, **amounts})
        dealt = [sorted(hand) for hand in deal(31, number, 0)[0]]
        table = draw.choice([0, 0, 1, 3, 9, 25])
        rich = draw.choice([[0.2] * 5, [0.9, 0.1, 0, 0, 0]])
        stones = [*np.random.default_rng(number).multinomial(25 - table, rich).tolist(), table]
        row, events = play_round(
            rules, dealt, draw.randrange(5), stones[:5], table, lambda seat, view, moves: draw.randrange(len(moves))
        )
        last = next(k for k, event in enumerate(events) if event["event"] == "award")
        passed = [k for k in range(last - 4, last) if events[k]["event"] in ("pass", "passebunge")]
        for step in {k + 1 for k in passed if k + 1 < last}:
            before = events[25:step]
            now = list(stones)
            for event in before:
                now[5] -= event["from_table"]
                for seat in range(5):
                    now[seat] += event["stones"] * (seat == event["seat"]) - event[f"given_{seat}"]
            log = " ".join(word_of(event, closing) for event in before)
            asking = draw.randrange(5)
            played = {event["tile"] for event in before if event["tile"] >= 0}
            hands = [[tile for tile in hand if tile not in played] for hand in dealt]
            texts = {"hand": hand_text(hands[asking]), "log": log, "stones": ",".join(map(str, now[:5]))}
            here = read(texts | {"seat": str(asking)}, rules)
            all_deals = replace(here, rules=here.rules | {"closing_passes": "award"}).hidden
            if all_deals.n_deals > 120:
                continue
            want = set()
            for found in all_deals.deals():
                full = [
                    sorted({e["tile"] for e in before if e["seat"] == s and e["tile"] >= 0} | set(mask_tiles(found[s])))
                    for s in range(5)
                ]
                full[asking] = dealt[asking]
                if same_way(here, rules, full, row["starter"], stones, before):
                    want.add(found)
            assert set(here.hidden.deals()) == want and here.n_deals == len(want), (texts, rules)
            n_positions += 1
            told[here.somebody_fits, len(want) < all_deals.n_deals] += 1
    assert n_positions > effort(30, 0)
    if closing == "award":
        assert set(told) == {(None, False)}
    elif effort(1, 0):
        assert min(told[True, True], told[False, True], told[None, False]) > 2, told


def word_of(event, closing):
    """An event as people write it."""
    if event["tile"] < 0:
        return f"{event['seat']}:pass" + "0" * (closing == "free" and not event["stones"])
    return f"{event['seat']}:{tile_text(event['tile'])}{(event['side'] or '')[:1]}"
