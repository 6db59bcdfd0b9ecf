"""Comparisons: equal players give exactly equal shares, threads change nothing, and verdicts are what intervals say."""

from __future__ import annotations

import json
import threading

import numpy as np
import pyarrow.parquet as pq
import pytest

from domeng_sim.comparisons.block_estimates import share_numerators, share_range
from domeng_sim.comparisons.block_store import open_store
from domeng_sim.comparisons.blocks import BlockPlayer, Scores
from domeng_sim.comparisons.comparison import Study, compare
from domeng_sim.comparisons.request import Gate, Question
from domeng_sim.comparisons.sequential import Chunk, StudySession
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.errors import BadInput, Damaged, Refused
from domeng_sim.games import game
from domeng_sim.runs.plan import Range
from domeng_sim.strategies.resolve import presets
from tests.effort import effort
from tests.study_helpers import setting, strategy

NAMES = list(presets(game("domeng")))


def question(a="doubles_first", b="random", where=None, **other):
    return Question(where or setting(), strategy(a), strategy(b), **other)


def without_time(result):
    document = result.to_json()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    return {key: value for key, value in document.items() if key != "seconds"}


def kept(directory, asked, resume=True):
    """The blocks of a comparison in a directory."""
    return open_store(directory, "compare", asked.setting, asked.to_json(), resume=resume)


# --- A against A -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("threads", [1, 3])
def test_compare__a_with_itself_is_exactly_fair_in_every_block(name, threads):
    blocks = effort(150, 2)
    result = compare(question(name, name), Stopping(blocks=blocks), StudySession(threads))
    for end in result.ends:
        assert (end.share.value, end.share.low, end.share.high) == (0.2, 0.2, 0.2)
        assert (end.excess.low, end.excess.high, end.strength.value) == (0, 0, 0)
        assert (end.differing, end.verdict) == (0, "equal")
        assert all(row.difference.value == 0 for row in end.secondary if row.difference.value is not None)
    assert "play the same" in result.sentence


@pytest.mark.compiled
def test_compare__a_with_itself_stops_at_the_first_look():
    result = compare(question("random", "random"), Stopping(decided=True))
    assert (result.blocks, result.reason, result.ends[0].share.half_width) == (100, "until", 0)


@pytest.mark.compiled
def test_compare__a_copy_that_draws_other_numbers_differs():
    result = compare(question("random", "random@1"), Stopping(blocks=200))
    assert result.ends[0].differing > 50
    assert not result.question.same


# --- threads, chunks, stores -----------------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("other", "stopping"),
    [
        ({}, Stopping(radius=0.02)),
        ({"all_mixes": True}, Stopping(blocks=150)),
        ({"company": (strategy("heaviest"),) * 4}, Stopping(decided=True, max_blocks=400)),
        ({"counts_of_a": (1,), "sprt": Gate(0.2, 0.22)}, Stopping(max_blocks=1000)),
    ],
    ids=["ends", "mixes", "against", "sprt"],
)
def test_compare__does_not_depend_on_threads_nor_on_being_kept(other, stopping, tmp_path):
    asked = question(**other)
    alone = without_time(compare(asked, stopping, StudySession(1)))
    assert without_time(compare(asked, stopping, StudySession(4))) == alone
    for _ in range(2):  # played into the store, then read from it
        with kept(tmp_path, asked) as store:
            assert without_time(compare(asked, stopping, StudySession(2, store=store))) == alone


@pytest.mark.compiled
def test_compare__goes_on_from_what_was_kept_and_plays_only_the_rest(tmp_path):
    asked = question()
    stopping = Stopping(blocks=500)

    def call(blocks):
        with kept(tmp_path, asked) as store:
            result = compare(asked, Stopping(blocks=blocks), StudySession(2, store=store))
            store.finish(result.to_json(), True)
        return result, {path.name: path.stat().st_mtime_ns for path in (tmp_path / "blocks").iterdir()}

    _, before = call(300)
    result, after = call(500)
    assert {name: after[name] for name in before} == before
    assert len(after) > len(before)
    assert without_time(result) == without_time(compare(asked, stopping))
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["status"] == "complete"
    assert manifest["result"]["ends"][0]["share"]["kind"] == "student"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"b": "heaviest"}, "strategies were doubles_first, random, now doubles_first, heaviest"),
        ({"counts_of_a": (1,)}, "tables were"),
        ({"where": setting(seed=2)}, "seed was 1, now 2"),
        ({"where": setting(stones=20)}, "rules stones was 25, now 20"),
        ({"where": setting(games=3)}, "games_per_match was 2, now 3"),
    ],
)
def test_open_store__refuses_another_study(change, says, tmp_path):
    asked = question()
    with kept(tmp_path, asked):
        pass
    other = question(**change)
    with pytest.raises(Refused, match=says), kept(tmp_path, other):
        pass
    with (
        pytest.raises(Refused, match="holds a study of `compare`"),
        open_store(tmp_path, "tournament", asked.setting, asked.to_json(), resume=True),
    ):
        pass
    with pytest.raises(Refused, match="already holds"), kept(tmp_path, asked, resume=False):
        pass


def test_open_store__is_for_one_at_a_time(tmp_path):
    asked = question()
    with kept(tmp_path, asked), pytest.raises(Refused, match="in use"), kept(tmp_path, asked):
        pass


def test_open_store__refuses_a_strategy_whose_file_has_changed(tmp_path):
    path = tmp_path / "mine.toml"
    text = '[[strategy]]\nname = "own"\nsummary = "s"\nsource = "s"\nweights = { pips = 1 }\n'
    path.write_text(text)
    asked = question(f"{path}:own")
    with kept(tmp_path / "out", asked):
        pass
    path.write_text(text.replace("pips = 1", "pips = -1"))
    changed = question(f"{path}:own")
    with pytest.raises(Refused, match=r"the strategy .*mine\.toml:own has changed"), kept(tmp_path / "out", changed):
        pass


def test_compare__plays_again_what_a_short_file_lost_and_tells_of_a_damaged_one(tmp_path):
    asked = question(counts_of_a=(1,))
    with kept(tmp_path, asked) as store:
        whole = without_time(compare(asked, Stopping(blocks=3), StudySession(store=store)))
    [path] = (tmp_path / "blocks").iterdir()
    content = path.read_bytes()
    path.write_bytes(content[:-9])
    with kept(tmp_path, asked) as store:
        assert without_time(compare(asked, Stopping(blocks=3), StudySession(store=store))) == whole
    assert path.read_bytes() == content
    path.write_bytes(b"x" * len(content))
    with pytest.raises(Damaged, match="checksum differs"), kept(tmp_path, asked) as store:
        compare(asked, Stopping(blocks=3), StudySession(store=store))


def test_store__keeps_the_scores_as_they_are(tmp_path):
    asked = question("random", "random")  # two members of one name
    player = BlockPlayer(asked.setting)
    lineup = asked.lineups()[0]
    player.load(lineup.members)
    scores = player.play(lineup, Range(100, 103))
    with kept(tmp_path, asked) as store:
        store.save(lineup, Range(100, 103), scores)
    with kept(tmp_path, asked) as again:
        assert again.load(lineup, Range(0, 100)) is None
        for have, want in zip(again.load(lineup, Range(100, 103)), scores, strict=True):
            np.testing.assert_array_equal(have, want)


def test_store__has_a_row_for_each_block_and_strategy_with_sums_over_the_seatings(tmp_path):
    asked = question(counts_of_a=(1,))
    with kept(tmp_path, asked) as store:
        compare(asked, Stopping(blocks=3), StudySession(store=store))
    with kept(tmp_path, asked) as store:
        scores = store.load(asked.lineups()[0], Range(0, 3))
    rows = pq.read_table(tmp_path / "blocks").to_pylist()
    assert [(row["block"], row["strategy"]) for row in rows] == [
        (block, name) for block in range(3) for name in ("doubles_first", "random")
    ]
    assert {row["lineup"] for row in rows} == {"doubles_first among four random"}
    assert [row["places"] for row in rows] == [5, 20] * 3
    assert [row["won"] for row in rows] == scores.won.ravel().tolist()
    assert [row["finished"] for row in rows] == np.repeat(scores.totals[:, 0], 2).tolist()
    measures = [measure.key for measure in asked.setting.spec.scoring(asked.setting.rules).measures]
    assert [[row[key] for key in measures] for row in rows] == scores.amounts.reshape(6, -1).tolist()


# --- what is said ----------------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_compare__finds_the_better_one_from_both_ends():
    for a, b, sentence in (
        ("doubles_first", "doubles_last", "doubles_first is better than doubles_last"),
        ("doubles_last", "doubles_first", "doubles_first is better than doubles_last"),
    ):
        result = compare(question(a, b), Stopping(decided=True))
        assert result.sentence.startswith(sentence)
        assert [end.verdict for end in result.ends] == (
            ["better", "worse"] if a == "doubles_first" else ["worse", "better"]
        )
        assert result.reason == "until"
        assert not result.depends_on_company


@pytest.mark.compiled
def test_compare__stops_at_the_half_width_asked_for():
    result = compare(question(), Stopping(radius=0.02))
    assert all(end.share.half_width <= 0.02 for end in result.ends)
    assert result.looks > 1
    assert result.ends[0].share.looks == result.looks


@pytest.mark.compiled
def test_compare__against_others_compares_on_the_same_deals():
    company = (strategy("heaviest"),) * 4
    result = compare(question("doubles_first", "random", company=company), Stopping(blocks=300))
    first, second = result.ends
    assert result.difference.value == pytest.approx(first.share.value - second.share.value)
    assert result.sentence == "doubles_first does better than random in the company of heaviest"
    assert 0.5 < result.difference_saving < 2
    # a strategy among its own kind, put there for comparison, is exactly fair
    own = compare(question("doubles_first", "heaviest", company=company), Stopping(blocks=120))
    assert own.ends[1].share.value == 0.2
    assert compare(question("random", "random", company=company), Stopping(blocks=120)).difference.half_width == 0


@pytest.mark.compiled
def test_switch_effects__are_those_of_all_32_seatings():
    asked = question(all_mixes=True)
    blocks = 40
    result = compare(asked, Stopping(blocks=blocks))
    from domeng_sim.games.domeng.kernel.counts import CAMAT
    from domeng_sim.games.types import Task
    from domeng_sim.strategies.spec import seat

    wins = np.zeros((blocks, 32, 5))
    kernel = asked.setting.spec.kernel()
    seatings = np.arange(32)[:, np.newaxis] >> np.arange(5) & 1
    for number, with_a in enumerate(seatings):
        seats = tuple(seat(asked.a if a else asked.b) for a in with_a)
        run = kernel.start(Task(asked.setting.rules, seats, 1, 2, 0, 0, blocks, 1))
        while run.advance(1 << 16):
            pass
        wins[:, number] = run.counts[:, CAMAT : CAMAT + 5] / 2
    n_a = seatings.sum(axis=1)
    for others, switch in enumerate(result.switches):
        # each seat of A beside so many others, and each seat of B where it could have been A
        as_a = wins[:, (n_a == others + 1)[:, np.newaxis] & (seatings == 1)].mean()
        as_b = wins[:, (n_a == others)[:, np.newaxis] & (seatings == 0)].mean()
        assert switch.as_a.value == pytest.approx(as_a)
        assert switch.as_b.value == pytest.approx(as_b)
        assert switch.effect.value == pytest.approx(as_a - as_b)
    # a table of one kind is fair on average over its seats, whatever the deal
    assert result.switches[0].as_b.half_width == result.switches[4].as_a.half_width == 0
    assert result.switches[0].as_b.value == 0.2
    # and the ends are those of the comparison without mixes
    plain = compare(question(), Stopping(blocks=blocks))
    assert [end.to_json() for end in plain.ends] == [end.to_json() for end in result.ends]


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("a", "gate", "verdict"),
    [
        ("doubles_first", Gate(0.2, 0.22), "H1"),
        ("doubles_last", Gate(0.2, 0.22), "H0"),
        ("random", Gate(0.2, 0.22), "H0"),
        ("doubles_first", Gate(0.3, 0.31), "undecided"),
    ],
)
def test_sprt__decides_and_tells_no_mean(a, gate, verdict):
    result = compare(question(a, counts_of_a=(1,), sprt=gate), Stopping(max_blocks=200))
    assert result.test.verdict == verdict
    assert result.reason == ("max-blocks" if verdict == "undecided" else "sprt")
    document = result.to_json()
    assert document["ends"][0]["share"]["value"] is None
    assert document["ends"][0]["share"]["kind"] == "anytime"
    assert document["sprt"]["verdict"] == verdict


def test_question__refuses_what_makes_no_sense():
    for other, says in (
        ({"sprt": Gate(0.21, 0.2)}, "sprt= takes"),
        ({"sprt": Gate(0.2, 1.2)}, "sprt= takes"),
        ({"sprt": Gate(0.2, 0.21, 0.5, 0.6)}, "alpha= and beta="),
        ({"sprt": Gate(0.2, 0.21, 0)}, "alpha= and beta="),
        ({"counts_of_a": (0,)}, "at the table, 1 to 4"),
        ({"counts_of_a": ()}, "at the table, 1 to 4"),
        ({"company": (strategy("random"),) * 3}, "opponents= takes"),
        ({"company": (strategy("random"),) * 4, "all_mixes": True}, "opponents="),
    ):
        with pytest.raises(BadInput, match=says):
            question(**other)


# --- degenerate cases ------------------------------------------------------------------------------------------------


def test_compare__one_block_has_values_without_ends():
    result = compare(question(), Stopping(blocks=1))
    end = result.ends[0]
    assert end.share.value is not None
    assert (end.share.low, end.share.high, end.verdict) == (None, None, "undecided")
    without_time(result)


@pytest.mark.parametrize("stopping", [Stopping(blocks=3), Stopping(max_blocks=3)])
def test_compare__where_no_game_is_finished_says_so(stopping):
    result = compare(question(where=setting(max_rounds=1, stones=255)), stopping)
    for end in result.ends:
        assert end.finished == 0
        assert end.games == 3 * 5 * 2
        assert end.share.value == 0.2
        assert end.verdict == "no game finished"
    assert "no game was finished" in result.sentence
    without_time(result)


@pytest.mark.compiled
def test_compare__some_games_without_winner_leave_equal_players_fair():
    where = setting(max_rounds=6)
    result = compare(question("random", "random", where), Stopping(blocks=120))
    assert 0 < result.ends[0].finished < result.ends[0].games
    assert result.ends[0].share.half_width == 0


@pytest.mark.parametrize("stopping", [Stopping(), Stopping(blocks=200), Stopping(blocks=50), Stopping(blocks=10)])
@pytest.mark.parametrize("won", [0, 10])
def test_compare__one_that_always_loses_or_wins_is_not_known_without_error(won, stopping):
    study = Study(question(counts_of_a=(1,)), stopping)
    n = stopping.blocks or 200
    scores = Scores(np.full((n, 2), [won, 10 - won]), np.zeros((n, 2, 23), np.int64), np.full((n, 3), 10))
    study.add(Chunk(Range(0, n), (scores,)))
    study.look()
    end = study.result("blocks", 0.0).ends[0]
    assert end.share.value == won / 10
    assert (end.strength.value, end.elo.value) == (None, None)
    if n < 20:
        assert (end.share.low, end.share.high) == (None, None)
    else:
        assert end.share.kind == "anytime-betting"
        assert 0.001 < end.share.high - end.share.low < 0.2
        assert end.verdict == ("worse" if won == 0 else "better")
    without_time(study.result("blocks", 0.0))


def test_compare__stopped_before_the_first_chunk_knows_nothing():
    stop = threading.Event()
    stop.set()
    result = compare(question(), Stopping(), StudySession(2, stop=stop))
    assert (result.reason, result.blocks) == ("stopped", 0)
    assert result.ends[0].share.value is None
    assert "nothing can be said" in result.sentence
    without_time(result)


@pytest.mark.compiled
def test_compare__ends_when_the_time_is_up_within_a_chunk():
    result = compare(question(where=setting(games=2000)), Stopping(seconds=0.3))
    assert result.reason == "time-limit"
    assert result.seconds < 3


def test_share__ranges_fit_the_scores():
    asked = question(all_mixes=True)
    player = BlockPlayer(asked.setting)
    for n, lineup in enumerate(asked.lineups()):
        player.load(lineup.members)
        scores = player.play(lineup, Range(0, effort(30, 1)))
        for member in (0, 1):
            if (n, member) in ((0, 0), (5, 1)):
                continue
            numerators = share_numerators(scores, lineup, member, asked.setting)
            _, _, low, high = share_range(lineup, member, asked.setting)
            assert numerators.min() >= low
            assert numerators.max() <= high
