"""Tournaments: seatings, sums recomputed from single games, the same answer whatever the threads, blocks used again."""

from __future__ import annotations

import json
import threading
from itertools import combinations, permutations

import numpy as np
import pytest

from domeng_sim.comparisons.block_store import open_store
from domeng_sim.comparisons.blocks import Scores
from domeng_sim.comparisons.design import Setting
from domeng_sim.comparisons.sequential import Chunk, StudySession
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.comparisons.tournament import Tournament, tournament
from domeng_sim.comparisons.tournament_result import Entrants
from domeng_sim.errors import BadInput, Refused
from domeng_sim.games import game
from domeng_sim.games.domeng.kernel.counts import CAMAT
from domeng_sim.games.two_player.kernel.counts import GAME_WINS
from domeng_sim.games.types import Task
from domeng_sim.runs.plan import Range
from domeng_sim.stats import confseq, designs, multiple
from domeng_sim.stats.blocks import Moments
from domeng_sim.strategies.resolve import resolve
from domeng_sim.strategies.spec import seat
from tests.study_helpers import setting, strategy

FIVE = ("random", "heaviest", "lightest", "doubles_first", "doubles_last")
SIX = (*FIVE, "flexible")


def entry(names=FIVE, where=None):
    return Entrants(where or setting(games=1), tuple(map(strategy, names)))


def without_time(result):
    document = result.to_json()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    return {key: value for key, value in document.items() if key != "seconds"}


# --- who sits where --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "tables"), [(5, 1), (6, 6), (7, 21), (8, 56), (9, 18), (11, 11)])
def test_entry__has_the_tables_of_the_design(k, tables):
    names = [*FIVE, *(f"random@{copy}" for copy in range(1, 7))][:k]
    lineups = entry(names).lineups()
    assert len(lineups) == tables
    assert {len(lineup.seatings) for lineup in lineups} == {20}
    assert all(lineup.places == (20,) * 5 for lineup in lineups)
    met = {pair for lineup in lineups for pair in combinations(sorted(spec.text for spec in lineup.members), 2)}
    assert len(met) == k * (k - 1) // 2


def test_entry__has_the_same_blocks_for_five_strategies_in_whatever_company_and_order():
    five = {lineup.key for lineup in entry(FIVE).lineups()}
    assert {lineup.key for lineup in entry(tuple(reversed(FIVE))).lineups()} == five
    assert five < {lineup.key for lineup in entry(SIX).lineups()}


@pytest.mark.parametrize("names", [(), FIVE[:4], (*FIVE, "random"), ("random", "heaviest") * 3])
def test_entry__refuses(names):
    with pytest.raises(BadInput):
        entry(names)


# --- sums ------------------------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_tournament__is_what_single_games_say():
    asked, n = entry(SIX), 12
    result = tournament(asked, Stopping(blocks=n))
    kernel = asked.setting.spec.kernel()
    seats = [seat(spec) for spec in asked.strategies]
    table_shares = []
    for table in asked.tables():
        won = np.zeros((n, 6))
        for row in designs.neighbour_balanced():
            at = [table[k] for k in row]
            run = kernel.start(Task(asked.setting.rules, tuple(seats[s] for s in at), 1, 1, 0, 0, n, 1))
            while run.advance(1 << 16):
                pass
            for place, s in enumerate(at):
                won[:, s] += run.counts[:, CAMAT + place] / 20
        table_shares.append((set(table), won))
    shares = np.stack(
        [np.mean([won[:, s] for table, won in table_shares if s in table], axis=0) for s in range(6)], axis=1
    )
    expected = multiple.max_t(shares, bounds=(0, 1))
    for place in result.places:
        want = expected[place.position]
        assert (place.share.value, place.share.low, place.share.high) == pytest.approx(
            (want.value, want.low, want.high)
        )
    values = [place.share.value for place in result.places]
    assert values == sorted(values, reverse=True)
    for pair in result.pairs:
        both = [won for table, won in table_shares if {pair.first, pair.second} <= table]
        difference = np.mean([won[:, pair.first] - won[:, pair.second] for won in both], axis=0)
        assert pair.difference.value == pytest.approx(difference.mean())
    adjusted = multiple.holm([pair.p for pair in result.pairs])
    assert [pair.adjusted for pair in result.pairs] == pytest.approx(adjusted.tolist())


DRAW = game("draw")


def draw_entry(*names, **rules):
    where = Setting("draw", DRAW.resolve_rules(rules), 1, 2)
    return Entrants(where, tuple(resolve(name, DRAW) for name in names))


@pytest.mark.parametrize("names", [(), ("random", "wall"), ("random", "wall", "wall")])
def test_entry__of_a_game_for_two_refuses(names):
    with pytest.raises(BadInput):
        draw_entry(*names)


@pytest.mark.compiled
@pytest.mark.parametrize("rules", [{}, {"max_rounds": 5}])
def test_tournament__of_a_game_for_two_is_every_pair_in_both_seatings(rules):
    asked, n = draw_entry("random", "starver", "heaviest", "wall", **rules), 15
    result = tournament(asked, Stopping(blocks=n))
    kernel, seats = DRAW.kernel(), [seat(spec) for spec in asked.strategies]
    shares, games = np.zeros((4, 4)), 0
    for one, other in permutations(range(4), 2):
        run = kernel.start(Task(asked.setting.rules, (seats[one], seats[other]), 1, 2, 0, 0, n, n))
        while run.advance(1 << 16):
            pass
        won = run.counts[0, GAME_WINS : GAME_WINS + 2]
        games += 2 * n
        # a game that nobody won is half a game won by either
        shares[one, other] += won[0] + (2 * n - won.sum()) / 2
        shares[other, one] += won[1] + (2 * n - won.sum()) / 2
    assert (result.games, {len(lineup.seatings) for lineup in asked.lineups()}) == (games, {2})
    assert result.finished == games if not rules else result.finished < games
    for place in result.places:
        assert place.share.unit == "share of games, fair 0.5"
        assert place.share.value == pytest.approx(shares[place.position].sum() / (3 * 4 * n))
    for pair in result.pairs:
        difference = (shares[pair.first, pair.second] - shares[pair.second, pair.first]) / (4 * n)
        assert pair.difference.value == pytest.approx(difference)
    assert result.to_json()["design"] == {
        "kind": "all",
        "tables": 6,
        "seatings_per_table": 2,
        "tables_each": 3,
        "tables_shared_by_pairs": [1, 1],
    }


@pytest.mark.compiled
@pytest.mark.parametrize("stopping", [Stopping(blocks=100), Stopping(radius=0.05, max_blocks=300)])
def test_tournament__does_not_depend_on_threads_nor_on_being_kept(stopping, tmp_path):
    asked = entry()
    alone = without_time(tournament(asked, stopping, StudySession(1)))
    assert without_time(tournament(asked, stopping, StudySession(3))) == alone
    for _ in range(2):
        with open_store(tmp_path, "tournament", asked.setting, asked.to_json(), resume=True, extend=True) as store:
            assert without_time(tournament(asked, stopping, StudySession(2, store=store))) == alone


@pytest.mark.compiled
def test_tournament__with_a_strategy_more_uses_the_blocks_that_are_there(tmp_path):
    def call(names, blocks=20):
        asked = entry(names)
        with open_store(tmp_path, "tournament", asked.setting, asked.to_json(), resume=True, extend=True) as store:
            result = tournament(asked, Stopping(blocks=blocks), StudySession(2, store=store))
            store.finish(result.to_json(), True)
        return result, {path.name: path.stat().st_mtime_ns for path in (tmp_path / "blocks").iterdir()}

    _, before = call(FIVE)
    result, after = call((*FIVE[::-1], "flexible"))
    assert {name: after[name] for name in before} == before
    assert (len(before), len(after)) == (2, 12)
    alone = tournament(entry((*FIVE[::-1], "flexible")), Stopping(blocks=20))
    assert without_time(result) == without_time(alone)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert len(manifest["lineups"]) == 6
    # and without it again
    again, last = call(FIVE)
    assert last == after
    assert without_time(again) == without_time(tournament(entry(), Stopping(blocks=20)))


def test_tournament__refuses_another_setting_or_a_strategy_that_has_changed(tmp_path):
    path = tmp_path / "mine.toml"
    text = '[[strategy]]\nname = "own"\nsummary = "s"\nsource = "s"\nweights = { pips = 1 }\n'
    path.write_text(text)
    names = (*FIVE[:4], f"{path}:own")
    asked, out = entry(names), tmp_path / "out"
    with open_store(out, "tournament", asked.setting, asked.to_json()):
        pass
    other = entry(names, setting(seed=2, games=1))
    with (
        pytest.raises(Refused, match="seed was 1, now 2"),
        open_store(out, "tournament", other.setting, other.to_json(), resume=True, extend=True),
    ):
        pass
    path.write_text(text.replace("1 }", "-1 }"))
    changed = entry((*names, "flexible"))
    with (
        pytest.raises(Refused, match="own has changed"),
        open_store(out, "tournament", changed.setting, changed.to_json(), resume=True, extend=True),
    ):
        pass


# --- what is said ----------------------------------------------------------------------------------------------------


def fed(won, stopping=None, names=FIVE):
    """A tournament of five with these games won in each block, shape (blocks, 5), in the order of the names."""
    asked = entry(names)
    study = Tournament(asked, stopping or Stopping(blocks=len(won)))
    order = list(asked.tables()[0])
    won = np.asarray(won)[:, order]
    n = len(won)
    study.add(Chunk(Range(0, n), (Scores(won, np.zeros((n, 5, 23), np.int64), np.repeat(won.sum(1)[:, None], 3, 1)),)))
    study.look()
    return study.result("blocks", 0.0)


def test_result__ranks_separates_and_names_ties():
    rng = np.random.default_rng(1)
    won = rng.multinomial(20, [0.4, 0.25, 0.249, 0.08, 0.021], size=400)
    result = fed(won)
    assert result.places[0].name == FIVE[0]
    letters = {place.name: place.ties for place in result.places}
    assert letters[FIVE[0]] == "a"
    assert letters[FIVE[1]] == letters[FIVE[2]] == "b"
    assert letters[FIVE[4]] == "d"
    assert result.sentence == f"{FIVE[0]} leads alone"
    # one table: strengths are logarithms of the wins
    total = won.sum(axis=0)
    strength = {place.name: place.strength.value for place in result.places}
    assert strength[FIVE[0]] - strength[FIVE[4]] == pytest.approx(np.log(total[0] / total[4]))
    assert result.transitive
    without_time(result)


def test_result__of_equal_strategies_tells_nobody_apart():
    rng = np.random.default_rng(2)
    result = fed(rng.multinomial(20, [0.2] * 5, size=300))
    assert {place.ties for place in result.places} == {"a"}
    assert result.sentence == "no strategy can be told from the leader"


def test_result__of_one_that_never_wins_has_a_bound_in_place_of_a_strength():
    rng = np.random.default_rng(3)
    won = rng.multinomial(20, [0.3, 0.3, 0.2, 0.2, 0], size=150)
    place = fed(won).places[-1]
    assert (place.name, place.share.value) == (FIVE[4], 0)
    assert (place.strength.value, place.strength.kind) == (None, "upper-bound")
    without_time(fed(won))


@pytest.mark.parametrize("n", range(6))
@pytest.mark.parametrize("level", [0.95, 0.9999999999999999])
def test_result__of_hardly_any_blocks_claims_nothing(n, level):
    won = np.random.default_rng(4).multinomial(20, [0.2] * 5, size=n)
    result = fed(won, Stopping(blocks=max(n, 1), level=level))
    assert {place.ties for place in result.places} <= ({""} if n == 0 else {"a"})
    for place in result.places:
        assert (place.share.low, place.share.high, place.share.kind) == (None, None, "not-estimable")
        assert (place.strength.low, place.strength.high) == (None, None)
    for pair in result.pairs:
        assert pair.difference.low is None or -1 <= pair.difference.low <= pair.difference.high <= 1
    without_time(result)


@pytest.mark.parametrize("n", [6, 7, 30])
def test_result__of_a_few_blocks_more_has_intervals_within_what_there_can_be(n):
    result = fed(np.random.default_rng(4).multinomial(20, [0.4, 0.3, 0.15, 0.1, 0.05], size=n))
    shares = [place.share for place in result.places]
    assert any(share.kind == "simultaneous" for share in shares)
    assert all(0 <= share.low <= share.value <= share.high <= 1 for share in shares if share.low is not None)
    assert {(share.kind, round(share.level, 9)) for share in shares if share.low is not None} <= {
        ("simultaneous", 0.95),
        ("anytime-betting", 0.99),
    }
    without_time(result)


def test_result__of_one_that_hardly_ever_wins_bets_on_its_share():
    won = np.random.default_rng(8).multinomial(20, [0.4, 0.3, 0.2, 0.1, 0], size=60)
    won[17] = [7, 6, 4, 2, 1]
    last = fed(won).places[-1]
    assert (last.name, last.share.kind, last.share.level) == (FIVE[4], "anytime-betting", pytest.approx(0.99))
    assert 0 <= last.share.low <= 1 / 1200 < last.share.high < 0.2


def test_result__of_games_without_winner_says_so():
    result = fed(np.zeros((5, 5), int))
    assert result.sentence == "no game was finished, so nothing can be said"
    assert {place.share.value for place in result.places} == {0.2}
    without_time(result)


def test_result__at_any_look_shares_the_error_among_all():
    rng = np.random.default_rng(5)
    won = rng.multinomial(20, [0.24, 0.22, 0.2, 0.18, 0.16], size=500)
    stopping = Stopping(max_blocks=500)
    result = fed(won, stopping)
    for place in result.places:
        assert place.share.kind == "anytime"
        assert place.share.level == pytest.approx(0.99)
        want = confseq.normal_mixture(Moments.of(won[:, place.position], 20), n_best=stopping.best_at, level=0.99)
        assert (place.share.low, place.share.high) == pytest.approx((want.low, want.high))
    for pair in result.pairs:
        # an interval at 1 - alpha/10 that excludes 0 is a p-value below alpha/10, but for the tuning of the mixture
        if pair.p < 0.003:
            assert pair.difference.excludes(0)


def test_standing__tells_the_ranking_with_intervals():
    told = []
    study = Tournament(entry(), Stopping(blocks=200), told.append)
    study._next = 0.0
    won = np.random.default_rng(6).multinomial(20, [0.1, 0.3, 0.2, 0.2, 0.2], size=200)
    scores = Scores(won, np.zeros((200, 5, 23), np.int64), np.full((200, 3), 20))
    study.add(Chunk(Range(0, 200), (scores,)))
    study.look()
    assert len(told) == 1
    assert told[0].startswith("after 200 blocks")
    assert told[0].count("±") == 5


def test_tournament__stopped_before_the_first_chunk_knows_nothing():
    stop = threading.Event()
    stop.set()
    result = tournament(entry(), Stopping(blocks=100), StudySession(2, stop=stop))
    assert (result.reason, result.blocks) == ("stopped", 0)
    assert "nothing can be said" in result.sentence
    without_time(result)


def test_p_at_any_look__is_small_exactly_where_the_interval_excludes():
    rng = np.random.default_rng(7)
    for mean in np.linspace(-0.3, 0.3, 25):
        m = Moments.of(rng.normal(mean, 1, 300))
        interval = confseq.normal_mixture(m, n_best=500, level=0.95, bounds=None)
        p = confseq.normal_mixture_p(m, null=0.0, n_best=500, level=0.95)
        assert interval.excludes(0.0) == (p < 0.05)
    assert confseq.normal_mixture_p(Moments.of(np.ones(99)), null=0.0, n_best=500) == 1
    assert confseq.normal_mixture_p(Moments.of(np.ones(200)), null=1.0, n_best=500) == 1
    assert 0 < confseq.normal_mixture_p(Moments.of(np.ones(200)), null=0.0, n_best=500) < 1e-300
