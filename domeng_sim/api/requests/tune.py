"""The request to tune the weights of a strategy."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from domeng_sim.api.requests.base import LEVEL, find_strategies, one_for_each, optional, required
from domeng_sim.api.requests.kinds import (
    COLUMNS,
    DURATION,
    FILE,
    STRATEGIES,
    STRATEGY,
    SWITCH,
    TEXT,
    seconds_of,
    whole,
)
from domeng_sim.api.requests.studies import RecalledRequest, StudyRequest
from domeng_sim.comparisons.stopping import DEFAULT_LEVEL
from domeng_sim.errors import BadField, FieldRef
from domeng_sim.strategies.spec import StrategySpec
from domeng_sim.strategies.weighted import NAME, known_names

if TYPE_CHECKING:
    from domeng_sim.comparisons.tuning_goal import TuneGoal

DEFAULT_GENERATIONS = 30
TUNE_BLOCKS = 1_000
GATE_BLOCKS = 10_000
_TAKEN = ("random", "search", "person", "presets")
"""Names that mean something else."""


@dataclass(frozen=True)
class TuneRequest(RecalledRequest, StudyRequest):
    """Better weights for a strategy.

    Attributes
    ----------
    goal
        What is asked.
    """

    command: ClassVar[str] = "tune"

    tuned: str = dataclasses.field(metadata=required(TEXT, "Name of the new strategy in its file."))
    _: KW_ONLY
    start: str | None = optional(
        STRATEGY,
        "The weighted strategy where the weights begin, and which the result must beat.",
        usual_text="the strongest preset",
    )
    against: str | Sequence[str] | None = optional(
        STRATEGIES, "Who sits in the other seats: one strategy, or one for each of them.", usual_text="the start"
    )
    features: str | Sequence[str] | None = optional(
        COLUMNS, "Features whose weights are tuned; the others stay.", usual_text="those that the start weighs"
    )
    generations: int | None = optional(
        whole(1, 10**6),
        "Generations of candidates.",
        usual_text=str(DEFAULT_GENERATIONS),
        not_with=("time", "games"),
    )
    time: str | None = optional(
        DURATION, "End with the generation in which this time is up, as 10m; the gate comes after.", not_with=("games",)
    )
    games: int | None = optional(whole(1, 10**12), "Play as many generations as take so many games.")
    population: int | None = optional(
        whole(4, 1000), "Candidates of a generation.", usual_text="4 + 3 ln(number of features)"
    )
    blocks: int = optional(
        whole(2, 10**6), "Matches that every candidate plays in a generation, each in all seats.", usual=TUNE_BLOCKS
    )
    gate_blocks: int = optional(whole(2, 10**7), "Matches of the gate, on fresh deals.", usual=GATE_BLOCKS)
    level: float = optional(LEVEL, "Confidence level of the gate.", usual=DEFAULT_LEVEL)
    out: Path | str | None = optional(FILE, "The file of strategies (TOML) that is written; needed.", repeats=False)
    resume: bool = optional(
        SWITCH,
        "Go on with the generations kept beside the file, or begin if there are none.",
        needs="out",
        not_with=("overwrite",),
        repeats=False,
    )
    overwrite: bool = optional(SWITCH, "Replace the file, and generations kept beside it.", needs="out", repeats=False)
    goal: TuneGoal = dataclasses.field(init=False, repr=False, compare=False)

    def _recall(self) -> None:
        super()._recall()
        if not self.resume or self.out is None:
            return
        from domeng_sim.comparisons.tuning_state import read_state, state_path

        kept = read_state(state_path(Path(self.out)))
        if kept is not None:
            self._go_on_with(kept.request.get("options", {}))

    def _resolve(self) -> None:
        super()._resolve()
        self._check_names()
        from domeng_sim.comparisons.tuning_goal import TuneGoal

        spec, setting = self.spec, self.setting
        (start,) = find_strategies("start", [self.start or spec.strongest], spec)
        if start.kind not in ("weighted", "random"):
            told = f" must be a weighted strategy, as {spec.strongest}; {start.text} has no weights to tune"
            raise BadField("start", self.start, message=(FieldRef("start"), told))
        against = one_for_each("against", tuple(self.against or (start,)), spec.seats - 1)
        company = find_strategies("against", against, spec)
        features = self._features(start)
        population = self.population or 4 + int(3 * math.log(len(features)))
        goal = TuneGoal(
            *(setting, self.tuned, start, company, features, population, self.blocks, self.gate_blocks),
            generations=0 if self.time else self._n_generations(population),
            seconds=seconds_of(self.time) if self.time else 0.0,
            level=self.level,
            text=f"{self.out}:{self.tuned}",
        )
        self._set("goal", goal)

    def _check_names(self) -> None:
        if not NAME.fullmatch(self.tuned) or self.tuned in _TAKEN:
            allowed = f"a name of letters, digits, _ and -, beginning with a letter, but for {', '.join(_TAKEN)}"
            raise BadField("tuned", self.tuned, allowed)
        if self.out is None:
            raise BadField("out", None, message=(FieldRef("out"), " must name the file that is written, as my.toml"))
        if Path(self.out).suffix != ".toml":
            raise BadField("out", self.out, "the name of a file that ends in .toml")

    def _features(self, start: StrategySpec) -> tuple[str, ...]:
        known = self.spec.features
        names = tuple(self.features or start.weights)
        for name in names:
            if name not in known:
                told = f"{self.spec.name} has no feature {name!r}; {known_names(name, known)}"
                raise BadField("features", name, message=(told,))
        if len(names) < 2:
            told = f" must name at least two: only how weights relate decides a choice; there are {', '.join(known)}"
            raise BadField("features", names, message=(FieldRef("features"), told))
        return tuple(name for name in known if name in names)

    def _n_generations(self, population: int) -> int:
        if self.games is None:
            return self.generations or DEFAULT_GENERATIONS
        each = (population + 2) * self.blocks * self.spec.seats * self.games_per_match
        if self.games < each:
            raise BadField("games", self.games, f"at least {each}, the games of one generation")
        return self.games // each

    def reached(self, generations: int) -> TuneRequest:
        """What gives the same again: after the clock or a stop so many generations as were played."""
        return self.with_values(generations=generations or None, time=None, games=None)
