"""Figures with intervals as they stand in documents."""

from __future__ import annotations

import msgspec

Rules = dict[str, int | str]


class EstimateJson(msgspec.Struct):
    """A figure with its interval, unrounded.

    Attributes
    ----------
    value
        The figure; null where it cannot be told.
    low, high
        The interval; null where there is none, or none on that side.
    level
        How often such intervals hold the true value.
    kind
        How the interval was made; docs/statistics.md explains each kind.
    unit
        What the figure is measured in.
    clusters
        Independent observations behind it: batches, blocks or samples.
    events
        How often the event was counted; null for what is no share.
    looks
        At how many looks the interval holds together.
    """

    value: float | None
    low: float | None
    high: float | None
    level: float
    kind: str
    unit: str
    clusters: int
    events: int | None
    looks: int
