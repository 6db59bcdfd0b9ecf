"""Playouts of fixed deals against exact probabilities and expectations, found by going through the whole game tree.

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
from scipy.stats import t as student

from domeng_sim.core.codes import Outcome
from domeng_sim.core.tiles import hand_mask
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.domeng.kernel import kernel_api
from domeng_sim.games.domeng.kernel.policies import WeightedPolicy
from domeng_sim.games.domeng.kernel.position import Position, play_position
from tests.domeng_runs import RANDOM, count_blocks, task

FALSE_ALARM = 1e-7
PARTS, PART = 50, 20_000
N = PARTS * PART
CASES = json.loads((Path(__file__).parent.parent / "data" / "domeng_random_exact.json").read_text())["cases"]
RULES = DOMENG.resolve_rules({})

pytestmark = pytest.mark.compiled


def exact(value):
    """Fractions in place of their texts."""
    if isinstance(value, str):
        return Fraction(value)
    if isinstance(value, list):
        return [exact(item) for item in value]
    return {name: exact(item) for name, item in value.items()}


class Played:
    """The playouts of a case: per playout, and the stones moved in each of 50 parts."""

    def __init__(self, case, n_parts=PARTS):
        hands = tuple(hand_mask(hand) for hand in case["deal"])
        position = Position(hands, case["starter"], tuple(case["stones"]), case["table"])
        seed = 100 + case["case"]
        parts = [play_position(position, RANDOM, RULES, seed, PART, PART * part) for part in range(n_parts)]
        for name in ("outcome", "winner", "camat", "plays", "stones", "passes", "passebunge"):
            setattr(self, name, np.concatenate([getattr(part, name) for part in parts]))
        self.moved = count_blocks(task(), np.stack([part.counts for part in parts]))["stones_moved"]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case['case']}-{case['kind']}")
def played(request):
    """A case and its playouts."""
    return request.param, Played(request.param)


def assert_mean(values, expected, alarm, what):
    """The mean of values in 0 to 25 is their expectation, by an inequality that holds for any distribution.

    Maurer & Pontil 2009, "Empirical Bernstein bounds and sample variance penalization", COLT, theorem 4, on both sides.
    """
    values = np.asarray(values, np.float64)
    assert values.min() >= 0 and values.max() <= 25
    n, log = len(values), np.log(4 / alarm)
    bound = np.sqrt(2 * values.var(ddof=1) * log / n) + 25 * 7 * log / (3 * (n - 1))
    assert abs(values.mean() - float(expected)) <= bound, what
    if expected == 0:
        assert not values.any(), what


def test_outcome_and_winner__have_the_exact_probabilities(played):
    case, out = played
    want = exact(case["outcome_winner"])
    assert sum(want.values()) == 1
    cells = {(outcome, winner): Fraction(0) for outcome in Outcome for winner in range(5)}
    cells |= {(Outcome[name.split(":")[0].upper()], int(name[-1])): p for name, p in want.items()}
    found = {cell: int(np.sum((out.outcome == cell[0]) & (out.winner == cell[1]))) for cell in cells}
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


def test_camat__has_the_exact_probability(played):
    case, out = played
    for seat, p in enumerate(exact(case["camat"])):
        found = int(np.sum(out.camat == seat))
        if p == 0:
            assert found == 0
        else:
            low, high = binom.interval(1 - FALSE_ALARM / 5, N, float(p))
            assert low <= found <= high, seat


def test_expectations__of_plays_passes_and_stones_are_exact(played):
    case, out = played
    figures = {"plays": (out.plays, exact(case["plays"])), "table": (out.stones[:, 5], exact(case["table_after"]))}
    for seat in range(5):
        for name, column, key in (
            ("passes", out.passes, "passes"),
            ("passebunge", out.passebunge, "passebunge"),
            ("stones", out.stones, "stones_after"),
        ):
            figures[f"{name} {seat}"] = (column[:, seat], exact(case[key])[seat])
    for name, (values, expected) in figures.items():
        assert_mean(values, expected, FALSE_ALARM / len(figures), name)
    assert (out.stones.sum(axis=1) == 25).all()


def test_stones_moved__have_the_exact_expectations(played):
    # Sums of 20,000 playouts are as good as normal: Student's t over the 50 parts. Where less than 1000 stones are
    # expected in all, Bernstein's inequality for a million values in 0 to 25, whose variance is at most 25 x mean.
    case, out = played
    moved = out.moved
    sums = {"from_table": (moved[:, :, 5].sum(axis=(1, 2)), exact(case["from_table"]))}
    for seat in range(5):
        sums[f"by PASS {seat}"] = (moved[:, :2, :, seat].sum(axis=(1, 2)), exact(case["received_by_pass"])[seat])
        sums[f"at the end {seat}"] = (moved[:, 2:, :, seat].sum(axis=(1, 2)), exact(case["received_at_end"])[seat])
        sums[f"given {seat}"] = (moved[:, :, seat].sum(axis=(1, 2)), exact(case["given"])[seat])
    width = student.isf(FALSE_ALARM / 2 / len(sums), PARTS - 1) * np.sqrt(PARTS)
    log = np.log(2 * len(sums) / FALSE_ALARM)
    for name, (found, mean) in sums.items():
        expected = N * float(mean)
        rare = 25 / 3 * log + np.sqrt((25 / 3 * log) ** 2 + 2 * log * 25 * expected)
        bound = rare if expected < 1000 else width * found.std(ddof=1)
        assert abs(found.sum() - expected) <= bound, name
        assert expected or not found.any(), name
    # What a seat has more at the end than at the start is what it received and did not give, exactly.
    total = moved.sum(axis=0)
    net = total.sum(axis=(0, 1)) - total[:, :5].sum(axis=(0, 2))
    assert net.tolist() == (out.stones[:, :5].sum(axis=0, dtype=np.int64) - N * np.array(case["stones"])).tolist()


def test_weighted_engine__plays_the_same_playouts(monkeypatch, played):
    case, out = played
    monkeypatch.setattr(kernel_api, "engine_of", lambda seats: "weighted")
    assert isinstance(kernel_api.make_policy(RANDOM), WeightedPolicy)
    again = Played(case, n_parts=1)
    for name in ("outcome", "winner", "camat", "plays", "stones", "passes"):
        np.testing.assert_array_equal(getattr(again, name), getattr(out, name)[:PART])
    np.testing.assert_array_equal(again.moved, out.moved[:1])
