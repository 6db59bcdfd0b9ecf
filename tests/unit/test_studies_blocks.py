"""Blocks: seatings, scores from counts against the rows, chunks in order, and the numbers made of them."""

from __future__ import annotations

import threading
import time
from itertools import pairwise

import numpy as np
import pytest

from domeng_sim.comparisons.block_estimates import Amounts, Running, elo, log_strength, share_numerators, share_range
from domeng_sim.comparisons.blocks import BlockPlayer, Scores
from domeng_sim.comparisons.design import Setting, in_company, mix, same_play, short_names
from domeng_sim.comparisons.sequential import play_chunks
from domeng_sim.comparisons.stopping import SMALLEST_CHUNK, Stopping, chunks, parse_until
from domeng_sim.errors import BadInput, Interrupted
from domeng_sim.runs.executors.threads import Threads
from domeng_sim.runs.plan import Range
from domeng_sim.stats import betting
from tests.effort import effort
from tests.study_helpers import setting, strategy

HEAVIEST, RANDOM, FLEXIBLE = map(strategy, ("heaviest", "random", "flexible"))


def played(lineup, blocks, where):
    player = BlockPlayer(where)
    player.load(lineup.members)
    return player.play(lineup, blocks)


# --- lineups ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(6))
def test_mix__has_every_seating_of_so_many_a_once(n):
    lineup = mix(HEAVIEST, RANDOM, n, 5)
    assert len(set(lineup.seatings)) == len(lineup.seatings) == [1, 5, 10, 10, 5, 1][n]
    assert all(seating.count(0) == n for seating in lineup.seatings)
    assert lineup.places == (n * len(lineup.seatings), (5 - n) * len(lineup.seatings))


def test_in_company__keeps_the_order_of_the_others_clockwise_and_puts_the_subject_in_each_seat():
    specs = [HEAVIEST, RANDOM, FLEXIBLE, RANDOM, FLEXIBLE]
    lineup = in_company(0, specs, [1, 2, 1, 4], 5)
    assert sorted(seating.index(0) for seating in lineup.seatings) == [0, 1, 2, 3, 4]
    for seating in lineup.seatings:
        own = seating.index(0)
        texts = [lineup.members[seating[(own + k) % 5]].text for k in range(1, 5)]
        assert texts == ["random", "flexible", "random", "flexible"]


def test_in_company__of_its_own_kind_counts_the_subject_apart():
    lineup = in_company(0, [RANDOM, RANDOM], [1, 1, 1, 1], 5)
    assert lineup.places == (5, 20)


def test_key__goes_by_contents_and_seatings_not_by_names():
    assert mix(HEAVIEST, RANDOM, 1, 5).key != mix(HEAVIEST, RANDOM, 4, 5).key
    assert mix(HEAVIEST, RANDOM, 1, 5).key != mix(HEAVIEST, strategy("random@1"), 1, 5).key
    assert mix(HEAVIEST, RANDOM, 1, 5).key == mix(strategy("heaviest"), strategy("random"), 1, 5).key


def test_same_play__tells_copies_and_contents_apart(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('[[strategy]]\nname = "own"\nsummary = "s"\nsource = "s"\nweights = { pips = 1, double = 0 }\n')
    own = strategy(f"{path}:own")
    assert same_play(own, HEAVIEST)  # the same weights under another name
    assert not same_play(RANDOM, strategy("random@1"))
    assert not same_play(RANDOM, HEAVIEST)
    assert short_names((own, HEAVIEST, strategy("random@1"))) == ("own", "heaviest", "random@1")


def test_short_names__are_whole_texts_where_short_ones_would_be_mistaken(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text(
            '[[strategy]]\nname = "x"\nsummary = "s"\nsource = "s"\nweights = { pips = 1 }\n'
        )
    specs = [strategy(f"{tmp_path}/{name}.toml:x") for name in ("a", "b")]
    assert short_names(specs) == tuple(spec.text for spec in specs)


# --- scores ----------------------------------------------------------------------------------------------------------


def test_play__does_not_depend_on_how_blocks_are_cut():
    where, lineup = setting(), mix(HEAVIEST, RANDOM, 1, 5)
    whole = played(lineup, Range(0, 9), where)
    parts = [played(lineup, Range(0, 4), where), played(lineup, Range(4, 9), where)]
    for one, other in zip(whole, Scores.join(parts), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.compiled
def test_play__stops_soon_when_told():
    player = BlockPlayer(setting(games=10_000), should_stop=lambda: True)
    lineup = mix(HEAVIEST, RANDOM, 1, 5)
    player.load(lineup.members)
    with pytest.raises(Interrupted):
        player.play(lineup, Range(0, 1000))


# --- shares ----------------------------------------------------------------------------------------------------------


def scores_of(won, finished, others=None):
    won, finished = np.array(won), np.array(finished)
    rest = finished - won
    return Scores(np.stack([won, rest], 1), np.zeros((len(won), 2, 0), np.int64), np.stack([finished] * 3, 1))


def test_share__of_finished_games_is_the_share_of_games_won():
    where, lineup = setting(games=2), mix(HEAVIEST, RANDOM, 1, 5)
    numerators = share_numerators(scores_of([0, 2, 10], [10, 10, 10]), lineup, 0, where)
    scale, null, low, high = share_range(lineup, 0, where)
    assert (numerators / scale).tolist() == [0, 0.2, 1]
    assert (low, high, null / scale) == (0, scale, 0.2)


def test_share__counts_games_without_winner_as_fair_so_that_its_excess_is_the_contrast():
    where, lineup = setting(games=2), mix(HEAVIEST, RANDOM, 1, 5)
    won, finished = np.array([0, 1, 3, 0]), np.array([0, 4, 9, 7])
    numerators = share_numerators(scores_of(won, finished), lineup, 0, where)
    _, null, *_ = share_range(lineup, 0, where)
    assert numerators[0] == null
    # the contrast of A with the mean of the others, in units of a quarter: X - (W - X)/4
    np.testing.assert_array_equal(numerators - null, 5 * np.array(won) - finished)


def test_share__of_two_seats_is_per_seat():
    where, lineup = setting(games=1), mix(HEAVIEST, RANDOM, 2, 5)
    # 10 seatings, 10 games: 4 won by two seats is a fifth for each
    for member, won in ((0, 4), (1, 6)):
        scores = scores_of([4], [10])
        assert scores.won[0, member] == won
        numerators = share_numerators(scores, lineup, member, where)
        assert numerators[0] / share_range(lineup, member, where)[0] == 0.2


# --- estimates -------------------------------------------------------------------------------------------------------


def running(numerators, same=False):
    scores = Running(50, 10, 0, 50, same)
    scores.add(np.array(numerators))
    return scores


def test_estimate__of_a_fixed_number_is_a_student_interval():
    # W5 of the worked values: ten blocks with 1,1,2,0,1,3,1,2,1,1 games of five
    scores = running([10 * s for s in (1, 1, 2, 0, 1, 3, 1, 2, 1, 1)])
    estimate = scores.estimate(Stopping(blocks=10), 1, "share").shifted(-0.2, "excess")
    assert estimate.kind == "student"
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.06, -0.0577867483, 0.1777867483))
    assert scores.differing == 4
    assert scores.sign_flip().p == 0.5


def test_estimate__at_any_look_is_the_normal_mixture():
    counts = (210, 560, 160, 50, 15, 5)
    scores = running(np.repeat(10 * np.arange(6), counts))
    estimate = scores.estimate(Stopping(best_at=1000), 7, "share")
    assert (estimate.kind, estimate.looks) == ("anytime", 7)
    assert (estimate.low, estimate.high) == pytest.approx((0.2061274, 0.2398726), abs=1e-7)


def test_estimate__in_parts_is_that_of_the_whole():
    values = np.arange(400) % 23
    whole, parts = running(values), running(values[:100])
    parts.add(values[100:])
    for stopping in (Stopping(), Stopping(blocks=400)):
        assert whole.estimate(stopping, 1, "") == parts.estimate(stopping, 1, "")


@pytest.mark.parametrize("stopping", [Stopping(), Stopping(blocks=500)])
def test_estimate__of_few_differing_blocks_comes_from_bets(stopping):
    values = np.full(500, 10)
    values[17] = 20
    estimate = running(values).estimate(stopping, 1, "share")
    assert estimate.kind == "anytime-betting"
    assert estimate.low < 0.2 < estimate.high
    assert estimate.value == pytest.approx(0.2 + 0.2 / 500)
    bet = betting.interval(values / 50)
    assert (estimate.low, estimate.high) == pytest.approx((bet.low, bet.high))


def test_estimate__of_equal_players_has_no_width_and_of_unequal_ones_that_look_so_it_has():
    equal = np.full(200, 10)
    assert running(equal, same=True).estimate(Stopping(), 1, "").half_width == 0
    assert running(equal, same=True).estimate(Stopping(blocks=200), 1, "").half_width == 0
    assert running(equal).estimate(Stopping(), 1, "").half_width > 0.01
    for n in (1, 2, 19):
        few = running(equal[:n]).estimate(Stopping(blocks=n), 1, "")
        assert (few.kind, few.low, few.high) == ("not-estimable", None, None)
    assert running(equal[:20]).estimate(Stopping(blocks=20), 1, "").half_width > 0.1


@pytest.mark.parametrize("n", [20, 50, 99])
def test_estimate__of_few_differing_blocks_comes_from_bets_for_small_fixed_numbers_too(n):
    values = np.full(n, 10)
    values[[3, 7, 12]] = 15, 25, 20
    estimate = running(values).estimate(Stopping(blocks=n), 1, "share")
    bet = betting.interval(values / 50)
    assert (estimate.kind, estimate.low, estimate.high) == ("anytime-betting", bet.low, bet.high)
    assert running(np.arange(n) % 20 + 1).estimate(Stopping(blocks=n), 1, "").kind == "student"


@pytest.mark.parametrize("level", [0.95, 0.9999999999999999])
def test_estimate__stays_inside_the_range_of_a_share(level):
    # two blocks at 20 and 30 %: Student's interval alone would reach from -39 to 89 %
    estimate = running([10, 15]).estimate(Stopping(blocks=2, level=level), 1, "share")
    assert (estimate.value, estimate.low, estimate.high) == (
        0.25,
        0,
        pytest.approx(0.885, abs=1e-3) if level == 0.95 else 1,
    )


@pytest.mark.parametrize("n", [0, 1, 99])
def test_estimate__before_the_first_look_has_no_ends(n):
    estimate = running(np.arange(n) % 40).estimate(Stopping(), 1, "")
    assert (estimate.low, estimate.high) == (None, None)


def test_log_strength__turns_the_ends_too_and_has_none_beyond_the_possible():
    share = running(np.arange(100) % 40).estimate(Stopping(blocks=100), 1, "")
    strength = log_strength(share, 5)
    for p, theta in ((share.low, strength.low), (share.value, strength.value), (share.high, strength.high)):
        assert theta == pytest.approx(np.log(4 * p / (1 - p)))
    assert elo(strength).value == pytest.approx(400 / np.log(10) * strength.value)
    never = log_strength(running(np.zeros(100, int), same=True).estimate(Stopping(), 1, ""), 5)
    assert (never.value, never.low, never.high) == (None, None, None)


def test_amounts__are_ratios_of_sums_and_their_difference_too():
    where, lineup = setting(seed=3, games=3), mix(HEAVIEST, RANDOM, 1, 5)
    scores = played(lineup, Range(0, effort(150, 4)), where)
    amounts = Amounts(where.spec.scoring(where.rules), lineup, 0)
    half = len(scores) // 2
    for part in (slice(0, half), slice(half, None)):
        amounts.add(Scores(*(array[part] for array in scores)))
    totals = dict(zip(("finished", "ended", "rounds"), scores.totals.sum(axis=0), strict=True))
    for number, (measure, row) in enumerate(
        zip(where.spec.scoring(where.rules).measures, amounts.estimates(Stopping(), 1, same=False), strict=True)
    ):
        own, rest = scores.amounts[:, :, number].sum(axis=0)
        total = totals[measure.per]
        assert row.key == measure.key
        assert row.subject.value == pytest.approx(own / total)
        assert row.others.value == pytest.approx(rest / total / 4)
        assert row.difference.value == pytest.approx(own / total - rest / total / 4)


# --- chunks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 99, 100, 101, 2500, 123_456])
def test_chunks__follow_each_other_up_to_the_limit(limit):
    found = list(chunks(limit))
    assert found[0].first == 0
    assert found[-1].end == limit
    assert all(one.end == other.first for one, other in pairwise(found))
    assert all(chunk.first % SMALLEST_CHUNK == 0 for chunk in found if chunk.first >= SMALLEST_CHUNK)
    assert found[0].end <= 10  # a look comes early, also where a block is played at many tables


def test_chunks__do_not_depend_on_the_limit():
    assert set(list(chunks(1000))[:-1]) <= set(chunks(5000))


class SlowPlayer:
    """Plays the first chunks slowest, so that they end last."""

    def __init__(self, failed):
        self.failed = failed

    def play(self, lineup, blocks):
        time.sleep(0.05 if blocks.first == 0 else 0.0)
        if self.failed.is_set():
            raise Interrupted
        n = len(blocks)
        return Scores(np.full((n, 2), blocks.first), np.zeros((n, 2, 0), np.int64), np.zeros((n, 3), np.int64))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_play_chunks__gives_them_in_order_whichever_ends_first(threads):
    lineups = [mix(HEAVIEST, RANDOM, n, 5) for n in (1, 4)]
    failed = threading.Event()
    found = list(play_chunks(SlowPlayer(failed), lineups, 1000, Threads(threads), failed))
    assert [chunk.blocks for chunk in found] == list(chunks(1000))
    assert all(scores.won[0, 0] == chunk.blocks.first for chunk in found for scores in chunk.scores)


def test_play_chunks__ends_what_is_under_way_when_nobody_wants_more():
    failed = threading.Event()
    found = play_chunks(SlowPlayer(failed), [mix(HEAVIEST, RANDOM, 1, 5)], 10**6, Threads(3), failed)
    assert next(found).blocks == Range(0, 10)
    found.close()
    assert failed.is_set()


# --- how far to go ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("0.5pp", (0.005, False)), (" 1 pp", (0.01, False)), (".25%", (0.0025, False)), ("decided", (0, True))],
)
def test_parse_until(text, wanted):
    assert parse_until(text) == wanted


@pytest.mark.parametrize("text", ["0.5", "", "pp", "0pp", "-1pp", "100pp", "nanpp", "1e3pp", "soon", "Decided"])
def test_parse_until__refuses(text):
    with pytest.raises(BadInput, match="until= takes"):
        parse_until(text)


def test_stopping__refuses_to_look_at_a_fixed_number_of_blocks():
    for other in ({"radius": 0.01}, {"decided": True}, {"seconds": 3.0}):
        with pytest.raises(BadInput, match="blocks= fixes"):
            Stopping(blocks=100, **other)
    with pytest.raises(BadInput, match="level"):
        Stopping(level=95)


@pytest.mark.parametrize("change", [{"seed": -1}, {"seed": 2**64}, {"games_per_match": 0}, {"games_per_match": 65_536}])
def test_setting__refuses_what_is_out_of_range(change):
    values = {"game": "domeng", "rules": setting().rules, "seed": 1, "games_per_match": 1} | change
    with pytest.raises(BadInput):
        Setting(**values)
