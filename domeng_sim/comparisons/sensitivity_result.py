"""What other readings of the rules change: as objects and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from domeng_sim.comparisons.rule_variants import Inquiry
from domeng_sim.comparisons.stopping import REASONS
from domeng_sim.stats.estimate import Estimate

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
class ShareChange:
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
    moved: tuple[ShareChange, ...]


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
