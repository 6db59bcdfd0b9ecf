"""What a tuning asks: whose weights, against whom, how far.  Pure."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from domeng_sim.comparisons.design import Lineup, Setting, in_company
from domeng_sim.strategies.spec import StrategySpec
from domeng_sim.version import __version__

Row = tuple[int, ...]
"""Weights of the tuned features, in thousandths."""


@dataclass(frozen=True)
class TuneGoal:
    """What is tuned, against whom, and how far.

    Attributes
    ----------
    setting
        What all games have in common; the gate is played on the deals of its seed, each generation on those of another.
    name
        Of the new strategy.
    start
        Where the weights begin, and what they must beat.
    company
        Who sits in the other seats.
    features
        Whose weights are tuned.
    population
        Candidates of a generation.
    blocks
        Blocks of each candidate.
    gate_blocks
        Blocks of the gate.
    generations, seconds
        How far to go; 0 for what does not limit.
    level
        Confidence level of the gate.
    text
        What names the new strategy once its file is written.
    """

    setting: Setting
    name: str
    start: StrategySpec
    company: tuple[StrategySpec, ...]
    features: tuple[str, ...]
    population: int
    blocks: int
    gate_blocks: int
    generations: int = 0
    seconds: float = 0.0
    level: float = 0.95
    text: str = ""

    def identity(self) -> str:
        """Digest of all that decides a generation."""
        content = [
            __version__,
            self.setting.to_json(),
            self.start.content_hash,
            [[one.content_hash, one.copy] for one in self.company],
            self.features,
            self.population,
            self.blocks,
        ]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    @property
    def first(self) -> Row:
        """Weights at the start."""
        return tuple(self.start.weights.get(feature, 0) for feature in self.features)

    def scales(self) -> npt.NDArray[np.float64]:
        """What a step of CMA-ES is for each weight, in thousandths."""
        units = [self.setting.spec.feature_scales.get(feature, 1) for feature in self.features]
        known = self.setting.spec.feature_scales
        used = sorted(abs(w) * known.get(feature, 1) for feature, w in self.start.weights.items())
        usual = used[len(used) // 2] if used else 1000
        # below two thousandths a step would be lost in rounding
        sizes = [max(abs(w) or usual / unit, 2) for w, unit in zip(self.first, units, strict=True)]
        return np.array(sizes, np.float64)

    def strategy(self, row: Row, name: str) -> StrategySpec:
        """The strategy with these weights."""
        weights = {**self.start.weights, **dict(zip(self.features, row, strict=True))}
        ordered = {one: weights[one] for one in self.setting.spec.features if weights.get(one)}
        made = dataclasses.replace(
            self.start, text=name, name=name, kind="weighted", weights=ordered, copy=0, origin="tune", summary=""
        )
        return dataclasses.replace(made, content_hash=made.digest())

    def lineup(self, strategy: StrategySpec) -> Lineup:
        """One of a strategy among the company, in every seat in turn."""
        specs = [strategy, *self.company]
        company = [1 + self.company.index(one) for one in self.company]
        return in_company(0, specs, company, self.setting.seats)
