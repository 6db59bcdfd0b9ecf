"""How much does each reading of the rules matter?  The same deals under the default and under each other reading."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from domeng_sim.comparisons.block_estimates import Running
from domeng_sim.comparisons.design import alone, short_names
from domeng_sim.comparisons.points import PointSums, figure, paired, play
from domeng_sim.comparisons.rule_variants import Inquiry
from domeng_sim.comparisons.sensitivity_result import Effect, Order, Sensitivity, ShareChange
from domeng_sim.comparisons.sequential import StudySession, drive
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.comparisons.tournament import Tournament
from domeng_sim.comparisons.tournament_result import Entrants
from domeng_sim.games.shared.measures import Figure
from domeng_sim.stats import critical, multiple
from domeng_sim.stats.estimate import Estimate


def _play_figures(inquiry: Inquiry, session: StudySession) -> tuple[PointSums, list[Figure], str]:
    """Figures of every block under every reading; after an interruption of the blocks that all readings have."""
    spec, rules = inquiry.setting.spec, inquiry.setting.rules
    by_key = {figure.key: figure for figure in spec.figures(rules) if isinstance(figure, Figure)}
    figures = [by_key[key] for key in spec.scoring(rules).sensitivity]
    setting = replace(inquiry.setting, figures=tuple(figure.key for figure in figures))
    changes = [(), *(((reading.name, reading.value),) for reading in inquiry.readings)]
    lineups = [alone(inquiry.strategy, setting.seats, rules) for rules in changes]
    points = PointSums(lineups, lambda scores, lineup: scores.figures)
    return points, figures, play(setting, points, inquiry.blocks, session)


def _effects(inquiry: Inquiry, points: PointSums, figures: Sequence[Figure]) -> tuple[tuple[Effect, ...], ...]:
    rows = [
        [_effect(inquiry.level, points, number, k, figure) for k, figure in enumerate(figures)]
        for number in range(1, len(points.lineups))
    ]
    flat = [effect for row in rows for effect in row]
    known = [k for k, effect in enumerate(flat) if effect.p is not None]
    adjusted = multiple.holm([flat[k].p or 0.0 for k in known])
    found: dict[int, float] = dict(zip(known, adjusted.tolist(), strict=True))
    width = len(figures)
    return tuple(
        tuple(replace(effect, adjusted=found.get(number * width + k)) for k, effect in enumerate(row))
        for number, row in enumerate(rows)
    )


def _effect(level: float, points: PointSums, number: int, k: int, what: Figure) -> Effect:
    """Effect of a reading on one figure."""
    before, after, differing = points.sums[:, 0, k], points.sums[:, number, k], int(points.differing[number, k])
    one, other = (figure(sums, what.kind, what.unit, level) for sums in (before, after))
    difference = paired(before, after, differing, what.unit, level)
    p = _p_value(difference, differing)
    if what.kind == "share" and difference.low is not None and difference.high is not None:
        difference = replace(difference, low=max(difference.low, -1.0), high=min(difference.high, 1.0))
    label = f"{what.column}: {what.label}" if what.column else what.label
    return Effect(what.key, label, what.kind, one, other, difference, p, None, differing)


def _p_value(difference: Estimate, differing: int) -> float | None:
    from scipy.special import stdtr

    half = difference.half_width
    if difference.value is None or half is None:
        return None
    if not differing or half == 0:
        return 1.0
    df = difference.clusters - 1
    se = half / critical.student(df, difference.level)
    return float(2 * stdtr(df, -abs(difference.value) / se))


def _play_rankings(inquiry: Inquiry, session: StudySession) -> tuple[list[Tournament], str]:
    """A tournament under every reading; only those that were completed."""
    stopping = Stopping(blocks=inquiry.ranking_blocks, level=inquiry.level)
    studies: list[Tournament] = []
    for setting in inquiry.settings():
        study = Tournament(Entrants(setting, inquiry.ranked), stopping)
        reason, _ = drive(setting, study.lineups, stopping, session, study.add, study.look)
        if reason == "stopped":
            return studies, reason
        studies.append(study)
    return studies, "blocks"


def _difference(one: Running, other: Running) -> Running:
    """Scores of a strategy under a reading less those under the default, block by block."""
    change = Running(one.scale, 0, one.low - one.high, one.high - one.low, False)
    change.add(other.numerators().astype(np.int64) - one.numerators())
    return change


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
    stopping = Stopping(blocks=inquiry.ranking_blocks, level=inquiry.level)
    changes = [
        _difference(one, other)
        for study in studies[1:]
        for one, other in zip(studies[0].scores(), study.scores(), strict=True)
    ]
    estimates = [change.estimate(stopping, 1, "difference of shares") for change in changes]
    adjusted = multiple.holm([change.p_value(stopping) for change in changes])
    orders = []
    for number, result in enumerate(results[1:]):
        order = tuple(place.name for place in result.places)
        at = number * len(names)
        moved = tuple(
            ShareChange(
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


def sensitivity(inquiry: Inquiry, session: StudySession | None = None) -> Sensitivity:
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
    session = session or StudySession()
    started = time.perf_counter()
    points, figures, reason = _play_figures(inquiry, session)
    effects = _effects(inquiry, points, figures) if points.blocks else ()
    default: tuple[str, ...] = ()
    orders: tuple[Order, ...] = ()
    if inquiry.ranked and reason == "blocks":
        studies, reason = _play_rankings(inquiry, session)
        if reason == "blocks":
            default, orders = _orders(inquiry, studies)
    seconds = time.perf_counter() - started
    return Sensitivity(inquiry, points.blocks, tuple(points.rounds), effects, default, orders, reason, seconds)
