"""Samples of fixed deals against exact probabilities and expectations, found by going through the whole game tree.

Seeds are fixed; with another seed each test of a case would fail by chance with at most 1e-7, shared out over the
figures that it looks at.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, chi2

from domeng_sim.core.codes import Outcome
from domeng_sim.core.tiles import hand_mask
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.domeng.kernel.kernel_api import SEATING
from domeng_sim.games.domeng.kernel.policies import DomengWeightedPolicy
from domeng_sim.games.domeng.odds.measures import MEASURES
from domeng_sim.games.domeng.odds.player_view import situate
from domeng_sim.games.shared.seats import Seating
from tests.domeng_runs import RANDOM

FALSE_ALARM = 1e-7
N = 250_000
CASES = json.loads((Path(__file__).parent.parent / "data" / "domeng_random_exact.json").read_text())["cases"]
RULES = DOMENG.resolve_rules({})
NAMES = [measure.name for measure in MEASURES]

pytestmark = pytest.mark.compiled


def exact(value):
    """Fractions in place of their texts."""
    if isinstance(value, str):
        return Fraction(value)
    if isinstance(value, list):
        return [exact(item) for item in value]
    return {name: exact(item) for name, item in value.items()}


def sample(case, n=N):
    """Sums over samples of a case as each seat asks, all hands known: the starter of its five leads, the others of one
    lead at random."""
    hands = {seat: hand_mask(tiles) for seat, tiles in enumerate(case["deal"])}
    found = []
    for seat in range(5):
        here = situate([], hands, case["stones"], case["table"], RULES, seat, camat=case["starter"])
        assert here.n_deals == 1 and len(here.moves) == (5 if seat == case["starter"] else 1)
        found.append(DOMENG.odds.kernel().sample(here, RANDOM, 100 + case["case"], 0, n))
    return found


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case['case']}-{case['kind']}")
def sampled(request):
    """A case and its samples."""
    return request.param, sample(request.param)


def assert_mean(sums, name, expected, alarm, what):
    """The mean over moves and samples of values in 0 to 25 is their expectation, by an inequality that holds always.

    Maurer & Pontil 2009, "Empirical Bernstein bounds and sample variance penalization", COLT, theorem 4, on both sides.
    """
    k, n_moves, n = NAMES.index(name), len(sums.totals), sums.n
    mean = sums.totals[:, k].sum() / n_moves / n
    variance = (sums.products[k].sum() / n_moves**2 - n * mean**2) / (n - 1)
    log = np.log(4 / alarm)
    bound = np.sqrt(2 * variance * log / n) + 25 * 7 * log / (3 * (n - 1))
    assert abs(mean - float(expected)) <= bound, what
    if expected == 0:
        assert mean == 0, what


def test_outcome_and_winner__have_the_exact_probabilities(sampled):
    case, sums = sampled
    want = exact(case["outcome_winner"])
    assert sum(want.values()) == 1
    cells = {(outcome, winner): Fraction(0) for outcome in Outcome for winner in range(5)}
    cells |= {(Outcome[name.split(":")[0].upper()], int(name[-1])): p for name, p in want.items()}
    others = [seat for seat in range(5) if seat != case["starter"]]
    found = {}
    for outcome in Outcome:
        ends = {int(sums[seat].totals[0, NAMES.index(f"outcome_{outcome.label}")]) for seat in others}
        assert len(ends) == 1  # whoever asks, the samples are the same
        for seat in others:
            found[outcome, seat] = int(sums[seat].totals[0, NAMES.index(f"own_{outcome.label}")])
        found[outcome, case["starter"]] = ends.pop() - sum(found[outcome, seat] for seat in others)
    assert all(found[cell] == 0 for cell, p in cells.items() if p == 0)
    # G-test with the rare cells together, half of the false alarm; each cell by itself, exactly, the other half.
    common = [cell for cell, p in cells.items() if N * p >= 50]
    pairs = [(found[cell], N * float(cells[cell])) for cell in common]
    rest = (N - sum(n for n, _ in pairs), N - sum(e for _, e in pairs))
    pairs += [rest] if rest[1] >= 50 else []
    g = 2 * sum(n * np.log(n / e) for n, e in pairs)
    assert g <= chi2.isf(FALSE_ALARM / 2, len(pairs) - 1)
    for cell, p in cells.items():
        if p:
            low, high = binom.interval(1 - FALSE_ALARM / 2 / len(cells), N, float(p))
            assert low <= found[cell] <= high, cell


def test_expectations__of_wins_camat_and_stones_are_exact(sampled):
    case, sums = sampled
    ends = exact(case["outcome_winner"])
    figures = []
    for seat in range(5):
        received = exact(case["received_by_pass"])[seat] + exact(case["received_at_end"])[seat]
        figures += [
            (seat, "win", sum(p for name, p in ends.items() if name.endswith(f":{seat}"))),
            (seat, "camat", exact(case["camat"])[seat]),
            (seat, "received", received),
            (seat, "given", exact(case["given"])[seat]),
        ]
        figures += [(seat, f"own_{name.split(':')[0]}", p) for name, p in ends.items() if name.endswith(f":{seat}")]
    for seat, name, expected in figures:
        assert_mean(sums[seat], name, expected, FALSE_ALARM / len(figures), (seat, name))


def test_weighted_engine__plays_the_same_samples(monkeypatch, sampled):
    case, _ = sampled
    n = 20_000
    before = sample(case, n)
    monkeypatch.setattr(Seating, "engine", lambda seating, seats: "weighted")
    assert isinstance(SEATING.policy(RANDOM), DomengWeightedPolicy)
    for sums, again in zip(before, sample(case, n), strict=True):
        np.testing.assert_array_equal(again.totals, sums.totals)
        np.testing.assert_array_equal(again.products, sums.products)
