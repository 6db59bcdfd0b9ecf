"""How much does each reading of the rules matter?  The same deals under the default and under each other reading."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from domeng_sim.comparisons.blocks import Ints, Summer
from domeng_sim.comparisons.design import Setting, short_names
from domeng_sim.comparisons.rule_variants import Inquiry
from domeng_sim.comparisons.sequential import Session, drive
from domeng_sim.comparisons.stopping import REASONS, Stopping, chunks
from domeng_sim.comparisons.tournament import Tournament
from domeng_sim.comparisons.tournament_result import Entry
from domeng_sim.errors import Interrupted, UserError
from domeng_sim.games.shared.measures import Figure
from domeng_sim.games.types import StrategyError, Task
from domeng_sim.runs.engine import simulate
from domeng_sim.runs.executors.threads import Threads
from domeng_sim.runs.part_player import prepare
from domeng_sim.runs.plan import Range
from domeng_sim.stats import blocks, clusters, multiple
from domeng_sim.stats.estimate import Estimate
from domeng_sim.strategies.resolve import StrategySpec, seat

SCHEMA_VERSION = 1
"""Of `Sensitivity.to_json`; rises when a reader of the old form would be misled."""


@dataclass(frozen=True)
class Effect:
    """What a reading does to a figure.

    Attributes
    ----------
    key, label, kind
        Of the figure.
    before, after
        Under the default and under the reading.
    difference
        After less before, paired by blocks.
    p, adjusted
        p-value of no difference, and Holm's over all readings and figures; None where it cannot be told.
    differing
        Blocks in which the figure differs.
    """

    key: str
    label: str
    kind: str
    before: Estimate
    after: Estimate
    difference: Estimate
    p: float | None
    adjusted: float | None
    differing: int

    def matters(self, level: float) -> bool:
        """Whether a difference is established."""
        return self.adjusted is not None and self.adjusted < 1 - level


@dataclass(frozen=True)
class Moved:
    """What a reading does to a strategy's share."""

    name: str
    before: float
    after: float
    difference: Estimate
    adjusted: float


@dataclass(frozen=True)
class Order:
    """The ranking under a reading.

    Attributes
    ----------
    names
        Best first.
    changed
        Whether the order is another one than under the default.
    flips
        Pairs of which each is established as the better one under one of the two readings.
    moved
        Shares under the default and under this reading.
    """

    names: tuple[str, ...]
    changed: bool
    flips: tuple[tuple[str, str], ...]
    moved: tuple[Moved, ...]


@dataclass(frozen=True)
class Sensitivity:
    """The answer.

    Attributes
    ----------
    inquiry
        What was asked.
    blocks, rounds
        Blocks and rounds under each reading, the default first.
    effects
        For each reading, every figure.
    default_order
        Ranking under the default; empty if none was asked for.
    orders
        For each reading.
    reason, seconds
        Why it ended, and after how long.
    """

    inquiry: Inquiry
    blocks: int
    rounds: tuple[int, ...]
    effects: tuple[tuple[Effect, ...], ...]
    default_order: tuple[str, ...]
    orders: tuple[Order, ...]
    reason: str
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Everything as plain numbers, unrounded, with None (null) for what is not estimable."""
        level = self.inquiry.level
        found = []
        for number, reading in enumerate(self.inquiry.readings):
            effects = self.effects[number] if self.effects else ()
            entry: dict[str, Any] = {
                "option": reading.name,
                "value": reading.value,
                "figures_that_change": [effect.key for effect in effects if effect.matters(level)],
                "figures": [
                    {
                        "key": effect.key,
                        "label": effect.label,
                        "default": effect.before.to_json(),
                        "reading": effect.after.to_json(),
                        "difference": effect.difference.to_json(),
                        "p": effect.p,
                        "p_holm": effect.adjusted,
                        "blocks_that_differ": effect.differing,
                    }
                    for effect in effects
                ],
                "ranking": None,
            }
            if self.orders:
                order = self.orders[number]
                entry["ranking"] = {
                    "order": list(order.names),
                    "order_changed": order.changed,
                    "established_flips": [list(pair) for pair in order.flips],
                    "shares": [
                        {
                            "name": moved.name,
                            "default": moved.before,
                            "reading": moved.after,
                            "difference": moved.difference.to_json(),
                            "p_holm": moved.adjusted,
                        }
                        for moved in order.moved
                    ],
                }
            found.append(entry)
        return {
            "schema_version": SCHEMA_VERSION,
            "study": "sensitivity",
            **self.inquiry.setting.to_json(),
            "strategy": self.inquiry.strategy.to_json(),
            "ranked": [spec.to_json() for spec in self.inquiry.ranked] or None,
            "level": level,
            "interval": "fixed",
            "unit_of_analysis": "block",
            "blocks": self.blocks,
            "looks": 1,
            "ranking_blocks": self.inquiry.ranking_blocks if self.orders else None,
            "rounds": list(self.rounds),
            "default_order": list(self.default_order) or None,
            "readings": found,
            "reason": self.reason,
            "reason_in_words": REASONS[self.reason],
            "seconds": self.seconds,
        }


class FigurePlayer:
    """Plays matches of one strategy in all seats and gives numerators and denominators of the figures.

    Parameters
    ----------
    setting
        What all games have in common.
    strategy
        Plays in all seats.
    should_stop
        Asked every now and then.
    """

    def __init__(self, setting: Setting, strategy: StrategySpec, should_stop: Callable[[], bool]) -> None:
        spec = setting.spec
        self._setting, self._should_stop = setting, should_stop
        self.kernel = spec.kernel()
        self._seats = (seat(strategy),) * setting.seats
        by_key = {figure.key: figure for figure in spec.figures(setting.rules) if isinstance(figure, Figure)}
        self.figures = [by_key[key] for key in spec.scoring().sensitivity]
        wanted = [cells for figure in self.figures for cells in (figure.numerator, figure.denominator)]
        self._sums = Summer(spec, setting.rules, wanted)

    def task(self, matches: Range) -> Task:
        """The task that plays some matches."""
        setting = self._setting
        return Task(setting.rules, self._seats, setting.seed, setting.games_per_match, 0, matches.first, matches.end, 1)

    def play(self, matches: Range) -> tuple[Ints, int]:
        """Numerators and denominators, shape (matches, figures, 2), and the number of rounds."""
        found, rounds = [], 0
        for first in range(matches.first, matches.end, 256):
            bite = Range(first, min(first + 256, matches.end))
            try:
                counts = simulate(self.kernel, self.task(bite), None, self._should_stop)
            except StrategyError as error:
                raise UserError(str(error)) from error
            found.append(self._sums(counts).reshape(len(bite), -1, 2))
            rounds += int(self._setting.spec.rounds_of(counts).sum())
        return np.concatenate(found), rounds


def _play_figures(inquiry: Inquiry, session: Session) -> tuple[list[Ints], tuple[int, ...], list[Figure], str]:
    """Figures of every block under every reading; after an interruption of the blocks that all readings have."""
    failed = threading.Event()
    players = [
        FigurePlayer(setting, inquiry.strategy, lambda: failed.is_set() or session.stop.is_set())
        for setting in inquiry.settings()
    ]
    prepare(players[0].kernel, players[0].task(Range(0, 1)), session.progress)
    ranges = list(chunks(inquiry.blocks))
    items = [(part, number) for part in ranges for number in range(len(players))]
    done: dict[tuple[Range, int], tuple[Ints, int]] = {}
    played, reason = 0, "blocks"

    def play(item: tuple[Range, int]) -> tuple[tuple[Range, int], tuple[Ints, int]]:
        try:
            return item, players[item[1]].play(item[0])
        except BaseException:
            failed.set()
            raise

    session.progress.begin(inquiry.blocks * len(players), 0, "blocks")
    try:
        for item, result in Threads(session.threads).map(play, items, lambda: None):
            done[item] = result
            played += len(item[0])
            session.progress.update(played)
    except Interrupted:
        reason = "stopped"
        session.on_stopped()
    finally:
        session.progress.end()
    whole = []
    for part in ranges:
        if not all((part, number) in done for number in range(len(players))):
            break
        whole.append(part)
    width = len(players[0].figures)
    scores: list[Ints] = [
        np.concatenate([done[part, number][0] for part in whole]) if whole else np.zeros((0, width, 2), np.int64)
        for number in range(len(players))
    ]
    rounds = tuple(sum(done[part, number][1] for part in whole) for number in range(len(players)))
    return scores, rounds, players[0].figures, reason


def _effects(inquiry: Inquiry, scores: list[Ints], figures: Sequence[Figure]) -> tuple[tuple[Effect, ...], ...]:
    before = scores[0]
    rows: list[list[Effect]] = []
    for after in scores[1:]:
        rows.append([_effect(inquiry.level, before[:, k], after[:, k], figure) for k, figure in enumerate(figures)])
    flat = [effect for row in rows for effect in row]
    known = [k for k, effect in enumerate(flat) if effect.p is not None]
    adjusted = multiple.holm([flat[k].p or 0.0 for k in known])
    found: dict[int, float] = dict(zip(known, adjusted.tolist(), strict=True))
    width = len(figures)
    return tuple(
        tuple(replace(effect, adjusted=found.get(number * width + k)) for k, effect in enumerate(row))
        for number, row in enumerate(rows)
    )


def _effect(level: float, before: Ints, after: Ints, figure: Figure) -> Effect:
    """Effect on one figure; the arrays hold numerators and denominators, shape (blocks, 2)."""
    one, other = (
        clusters.mean_per(array[:, 0], array[:, 1], level=level, unit=figure.unit) for array in (before, after)
    )
    pairs = (after[:, 0], after[:, 1], before[:, 0], before[:, 1])
    difference = clusters.difference(*pairs, level=level, unit=figure.unit)
    differing = int((before != after).any(axis=1).sum())
    few = min(differing, int(after[:, 0].sum() + before[:, 0].sum())) < clusters.FEW_EVENTS
    if differing and few:
        difference = Estimate(difference.value, None, None, level, "not-estimable", figure.unit, difference.clusters)
    return Effect(
        figure.key,
        f"{figure.column}: {figure.label}" if figure.column else figure.label,
        figure.kind,
        one,
        other,
        difference,
        _p_value(difference, differing),
        None,
        differing,
    )


def _p_value(difference: Estimate, differing: int) -> float | None:
    from scipy.special import stdtr

    half = difference.half_width
    if difference.value is None or half is None:
        return None
    if not differing or half == 0:
        return 1.0
    df = difference.clusters - 1
    se = half / clusters.student(df, difference.level)
    return float(2 * stdtr(df, -abs(difference.value) / se))


def _play_rankings(inquiry: Inquiry, session: Session) -> tuple[list[Tournament], str]:
    """A tournament under every reading; only those that were completed."""
    stopping = Stopping(blocks=inquiry.ranking_blocks, level=inquiry.level)
    studies: list[Tournament] = []
    for setting in inquiry.settings():
        study = Tournament(Entry(setting, inquiry.ranked), stopping)
        reason, _ = drive(setting, study.lineups, stopping, session, study.add, study.look)
        if reason == "stopped":
            return studies, reason
        studies.append(study)
    return studies, "blocks"


def _orders(inquiry: Inquiry, studies: list[Tournament]) -> tuple[tuple[str, ...], tuple[Order, ...]]:
    """Rankings under the readings, compared block by block with that under the default."""
    results = [study.result("blocks", 0.0) for study in studies]
    names = short_names(inquiry.ranked)
    shares = [study.shares() for study in studies]
    better = [
        {
            (pair.first, pair.second) if (pair.difference.value or 0) > 0 else (pair.second, pair.first)
            for pair in result.pairs
            if pair.adjusted < 1 - inquiry.level
        }
        for result in results
    ]
    default = tuple(place.name for place in results[0].places)
    estimates, ps = [], []
    for other in shares[1:]:
        for k in range(len(names)):
            difference = blocks.mean(other[:, k] - shares[0][:, k], level=inquiry.level, unit="difference of shares")
            estimates.append(difference)
            ps.append(_p_value(difference, int((other[:, k] != shares[0][:, k]).sum())))
    adjusted = multiple.holm([1.0 if p is None else p for p in ps])
    orders = []
    for number, result in enumerate(results[1:]):
        order = tuple(place.name for place in result.places)
        at = number * len(names)
        moved = tuple(
            Moved(
                names[k],
                float(shares[0][:, k].mean()),
                float(shares[number + 1][:, k].mean()),
                estimates[at + k],
                float(adjusted[at + k]),
            )
            for k in range(len(names))
        )
        flips = tuple((names[i], names[j]) for i, j in sorted(better[0]) if (j, i) in better[number + 1])
        orders.append(Order(order, order != default, flips, moved))
    return default, tuple(orders)


def sensitivity(inquiry: Inquiry, session: Session | None = None) -> Sensitivity:
    """Compare the readings.

    Parameters
    ----------
    inquiry
        What is asked.
    session
        With how many threads; the answer does not depend on it.

    Raises
    ------
    UserError
        If a user's function failed.
    """
    session = session or Session()
    started = time.perf_counter()
    scores, rounds, figures, reason = _play_figures(inquiry, session)
    effects = _effects(inquiry, scores, figures) if len(scores[0]) else ()
    default: tuple[str, ...] = ()
    orders: tuple[Order, ...] = ()
    if inquiry.ranked and reason == "blocks":
        studies, reason = _play_rankings(inquiry, session)
        if reason == "blocks":
            default, orders = _orders(inquiry, studies)
    seconds = time.perf_counter() - started
    return Sensitivity(inquiry, len(scores[0]), rounds, effects, default, orders, reason, seconds)
