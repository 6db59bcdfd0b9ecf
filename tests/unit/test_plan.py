"""How a run is cut, and what decides its identity."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domeng_sim.core.tables import LEVELS
from domeng_sim.runs.config import MAX_PER_MATCH, MAX_TOTAL, RunConfig
from domeng_sim.runs.plan import Plan, Range, Shard, make_plan
from tests.command_line import make_config


def config(**options: Any) -> RunConfig:
    return make_config({"seed": 1, **options})


@given(st.integers(1, 10**9), st.integers(1, 10**6))
def test_plan__parts_cover_every_match_once(matches: int, part: int) -> None:
    plan = Plan(1, part)
    n = -(-matches // part)
    for number in {0, n // 2, n - 1}:
        here = plan.range(number, matches)
        assert here.first == number * part
        assert 0 < len(here) <= part
        assert plan.has(here, matches)
        assert not plan.has(Range(here.first, here.end + 1), matches)
        assert not plan.has(Range(here.first, here.first), matches)
    first = list(itertools.islice(plan.ranges(plan.span(matches)), 100))
    assert first == [plan.range(number, matches) for number in range(min(n, 100))]
    assert plan.range(n - 1, matches).end == matches
    assert plan.range(3, None) == Range(3 * part, 4 * part)


@given(
    st.sampled_from(LEVELS),
    st.one_of(
        st.fixed_dictionaries({"matches": st.integers(1, MAX_TOTAL)}),
        st.fixed_dictionaries({"rounds": st.integers(1, MAX_TOTAL)}),
    ),
    st.one_of(
        st.fixed_dictionaries({"games_per_match": st.integers(1, MAX_PER_MATCH)}),
        st.fixed_dictionaries({"rounds_per_match": st.integers(1, MAX_PER_MATCH)}),
    ),
)
def test_plan__has_enough_batches_and_whole_batches_in_a_part(
    level: str, size: dict[str, int], length: dict[str, int]
) -> None:
    run = config(tables=level, **size, **length)
    plan = make_plan(run)
    assert plan.part % plan.batch == 0
    matches = run.n_matches or max(1, run.rounds // run.nominal_rounds_per_match)
    # batches are the units of the intervals: many, yet few enough to be kept in memory
    n_batches, nominal = -(-matches // plan.batch), run.nominal_rounds_per_match
    assert min(matches, 256) <= n_batches <= (512 if matches * nominal < 1 << 32 else 2048)
    longest = max(1 << 21, plan.batch * nominal, nominal)
    assert plan.part * nominal <= 2 * longest
    # of a run of any size the manifest stays below 5 MB, a file being 300 bytes of it, and a part can be shared out
    files = plan.n_parts(matches) * (1 + LEVELS.index(level))
    assert files <= 10_000
    assert plan.part * nominal <= max(1 << 25, 2 * matches * nominal / 1024, nominal)


@given(st.integers(1, 10**9), st.integers(1, 10**6), st.integers(1, 50))
def test_plan__shards_are_whole_parts_and_cover_every_match_once(matches: int, part: int, of: int) -> None:
    plan = Plan(1, part)
    spans = [plan.span(matches, Shard(number, of)) for number in range(1, of + 1)]
    assert (spans[0].first, spans[-1].end) == (0, matches)
    assert all(one.end == other.first for one, other in itertools.pairwise(spans) if len(other))
    sizes = [plan.n_parts(len(span)) for span in spans]
    assert max(sizes) - min(sizes) <= 1
    assert sum(sizes) == plan.n_parts(matches)


def test_plan__does_not_depend_on_seed_seats_or_rules() -> None:
    plan = make_plan(config(rounds=10**7))
    for other in ({"seed": 2}, {"strategy": "banker"}, {"rules": {"stones": 30}}):
        assert make_plan(config(rounds=10**7, **other)) == plan


def test_config__goes_through_json_and_back() -> None:
    for options in (
        {"matches": 5},
        {"rounds": 10**15, "rounds_per_match": 3, "tables": "events", "store_hands": True},
        {"strategy": "careless@7", "games_per_match": 65535},
        {"seats": "random,banker,heaviest@1,master,random", "rules": {"stones": 255, "passebunge": "first"}},
        {"seed": 2**64 - 1},
        {"seed": 0},
    ):
        run = config(**options)
        again = RunConfig.from_json(json.loads(json.dumps(run.to_json())))
        assert again == run
        assert again.identity() == run.identity()


def test_config__identity_changes_with_all_that_decides_rows() -> None:
    run = config(matches=5)
    others = [
        config(matches=6),
        config(rounds=5),
        config(matches=5, seed=2),
        config(matches=5, games_per_match=9),
        config(matches=5, rounds_per_match=10),
        config(matches=5, tables="games"),
        config(matches=5, store_hands=True),
        config(matches=5, rules={"stones": 24}),
        config(matches=5, strategy="random@1"),
        config(matches=5, seats="random,random,random,random,heaviest"),
        replace(run, seats=(replace(run.seats[0], content_hash="other"), *run.seats[1:])),
    ]
    identities = [run.identity(), *(other.identity() for other in others)]
    assert len(set(identities)) == len(identities)
    assert config(matches=5).identity() == run.identity()


def test_config__of_a_manifest_takes_defaults_for_rules_that_came_later() -> None:
    record = config(matches=5).to_json()
    del record["rules"]["max_rounds"]
    assert RunConfig.from_json(record) == config(matches=5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": -1}, "seed"),
        ({"seed": 2**64}, "seed"),
        ({"matches": 0}, "not both"),
        ({"rounds": 5}, "not both"),
        ({"games_per_match": 0}, "not both"),
        ({"rounds_per_match": 5}, "not both"),
        ({"matches": MAX_TOTAL + 1}, "at most"),
        ({"games_per_match": MAX_PER_MATCH + 1}, "at most"),
        ({"level": "all"}, "table level"),
        ({"hands": True, "level": "games"}, "hands"),
        ({"seats": ()}, "5 seats, not 0"),
        ({"game": "chess"}, "no game 'chess'"),
    ],
)
def test_config__refuses_what_does_not_go_together(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(config(matches=5), **changes)
