"""Exact odds of Domeng under any rules, against the twin going through every course."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from domeng_sim.core.codes import Outcome, labels
from domeng_sim.games import GAMES
from tests.domeng_positions import decisions_of_round
from tests.domeng_runs import RANDOM, twin_choose
from tests.effort import effort
from tests.twin.domeng import complete_rules, play_round, tile_number
from tests.twin.streams import deal

Rows = list[dict[str, Any]]
Course = tuple[Fraction, dict[str, Any], Rows]


def every_course(
    rules: dict[str, Any], hands: list[list[int]], starter: int, stones: list[int], choices: Sequence[int]
) -> list[Course]:
    """Rows and events of all ways in which a round can go on after some choices, each with its probability."""
    found = []

    def play(script: list[int]) -> tuple[list[int], dict[str, Any], Rows]:
        sizes: list[int] = []

        def choose(seat: int, view: dict[str, Any], moves: list[Any]) -> int:
            sizes.append(len(moves))
            return script[len(sizes) - 1] if len(sizes) <= len(script) else 0

        row, events = play_round(rules, hands, starter, stones[:5], stones[5], choose)
        return sizes, row, events

    stack = [list(choices)]
    while stack:
        script = stack.pop()
        sizes, row, events = play(script)
        for depth in range(len(script), len(sizes)):
            stack += [[*script, *[0] * (depth - len(script)), other] for other in range(1, sizes[depth])]
        p = Fraction(1)
        for size in sizes[len(choices) :]:
            p /= size
        found.append((p, row, events))
    assert sum(p for p, *_ in found) == 1
    return found


def late_decisions(n: int, rules: dict[str, Any], most_tiles: int) -> list[Any]:
    """Decisions late in real rounds, with the choices that led there."""
    found, number = [], 0
    while len(found) < n:
        number += 1
        draw = np.random.default_rng(number)
        hands = [sorted(hand) for hand in deal(21, number, 0)[0]]
        total = complete_rules(rules)["stones"]
        table = min(total, int(draw.choice([0, 2, 25])))
        stones = [int(x) for x in draw.multinomial(total - table, [0.2] * 5)] + [table]
        starter = int(draw.integers(5))
        choose = twin_choose(RANDOM, 22)
        decisions, _, _ = decisions_of_round(
            complete_rules(rules), hands, starter, stones[:5], stones[5], choose, number
        )
        for k, decision in enumerate(decisions):
            if sum(map(len, decision.hands)) <= most_tiles:
                found.append((hands, starter, stones, [d.chosen for d in decisions[:k]], decision))
                break
    return found


def check_tree(tree: Any, courses: list[Course], me: int, before: int) -> None:
    """All that a tree adds up to, against every course; `before` is the number of events before the position."""

    def mean(value: Callable[[dict[str, Any], Rows], int]) -> Fraction:
        return sum((p * value(row, events) for p, row, events in courses), Fraction(0))

    def share(name: str, at: int = 0) -> Fraction:
        return Fraction(tree.details[name][at], tree.weight)

    for outcome, name in enumerate(labels(Outcome)):
        for seat in range(5):
            expected = mean(lambda row, events, n=name, s=seat: row["outcome"] == n and row["winner"] == s)
            assert share("outcome_winner", 5 * outcome + seat) == expected

    def moved(events: Rows, what: str) -> int:
        total = 0
        for event in events[before:]:
            if what == "received" and event["seat"] == me:
                total += event["stones"]
            if what == "given":
                total += event[f"given_{me}"]
        return total

    for seat in range(5):
        assert share("camat", seat) == mean(lambda row, events, s=seat: row["camat"] == s)
        for name in ("passes", "passebunge"):
            kinds = ("pass", "passebunge") if name == "passes" else ("passebunge",)
            assert share(name, seat) == mean(
                lambda row, events, k=kinds, s=seat: sum(e["event"] in k and e["seat"] == s for e in events[before:])
            )
    assert share("plays") == mean(lambda row, events: row["plays"])
    for place, what in ((12, "received"), (13, "given")):
        assert Fraction(tree.totals[place], tree.weight) == mean(lambda row, events, w=what: moved(events, w))
        values = [moved(events, what) for _, _, events in courses]
        assert (tree.lows[place], tree.highs[place]) == (min(values), max(values))


def odds_are_exact(name: str, given: dict[str, Any]) -> None:
    """The trees of some late decisions of real rounds are those that the twin goes through.

    Parameters
    ----------
    name
        The game.
    given
        Rules, as far as they are not the usual ones.
    """
    odds = GAMES[name].odds
    assert odds is not None
    rules, kernel = GAMES[name].resolve_rules(given), odds.kernel()
    for hands, starter, stones, choices, decision in late_decisions(effort(2, 1), given, effort(14, 9)):
        here = odds.read(decision.texts(hands=decision.hands), rules)
        assert here.n_deals == 1
        before = len(decision.view["log"]) + 25
        for number, move in enumerate(decision.moves):
            assert tile_number(move.tile) == here.moves[number].tile
            tree = kernel.expand(here, number, 0, 1, 2**62)
            courses = every_course(given, hands, starter, stones, [*choices, number])
            assert tree.leaves == len(courses)
            check_tree(tree, courses, decision.seat, before)
            if len(courses) > 1:
                assert kernel.expand(here, number, 0, 1, len(courses) - 1) is None
