"""Better weights for a strategy: CMA-ES on common deals, and a gate on fresh ones.

In a generation all candidates, the start and the middle of the distribution meet the same deals, which no other
generation has.  What is answered is the middle, not the luckiest candidate: the best of many noisy shares is too high.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.comparisons.block_estimates import share_numerators, share_range
from domeng_sim.comparisons.comparison import compare
from domeng_sim.comparisons.design import same_play
from domeng_sim.comparisons.request import Question
from domeng_sim.comparisons.result import ComparisonResult
from domeng_sim.comparisons.sequential import Chunk, StudySession, drive
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.comparisons.tuning_goal import Row, TuneGoal
from domeng_sim.comparisons.tuning_result import Generation, TuneResult
from domeng_sim.comparisons.tuning_state import TuneState
from domeng_sim.errors import UserError
from domeng_sim.runs.config import MAX_SEED
from domeng_sim.strategies.spec import StrategySpec
from domeng_sim.strategies.weighted import MAX_WEIGHT

if TYPE_CHECKING:
    from cmaes import CMA

_STEP = 0.5
"""Width of the first generation, as a part of what a weight is at the start."""
_TOLD_SECONDS = 5.0
"""Least time between two lines about generations."""


class _Score(NamedTuple):
    """Mean and standard error of some blocks."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: npt.NDArray[np.int64], scale: int) -> _Score:
        spread = float(values.std(ddof=1)) if len(values) > 1 else math.inf
        return cls(float(values.mean()) / scale, spread / math.sqrt(len(values)) / scale)


class _Quiet:
    """Progress of a generation: its messages are handed on, each once."""

    def __init__(self, session: StudySession) -> None:
        self._progress, self._told = session.progress, set[str]()

    def message(self, text: str) -> None:
        """A line for the user."""
        if text not in self._told:
            self._told.add(text)
            self._progress.message(text)

    def begin(self, total: int, done: int, unit: str) -> None:
        """Nothing."""

    def update(self, done: int) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""


@dataclass
class Tuning:
    """A tuning under way: the distribution, and the generations so far.

    Attributes
    ----------
    goal
        What is asked.
    history
        Generations so far.
    """

    goal: TuneGoal
    history: list[Generation] = field(default_factory=list)

    def __post_init__(self) -> None:
        from cmaes import CMA

        goal, self._scales = self.goal, self.goal.scales()
        self._search: CMA = CMA(
            np.zeros(len(goal.features)), _STEP, seed=goal.setting.seed % 2**32, population_size=goal.population
        )

    def _row(self, point: npt.NDArray[np.float64]) -> Row:
        """A point of the search as weights that a file can hold."""
        weights = np.array(self.goal.first) + np.rint(point * self._scales)
        return tuple(int(w) for w in np.clip(weights, -1000 * MAX_WEIGHT, 1000 * MAX_WEIGHT))

    @property
    def middle(self) -> Row:
        """Weights in the middle of the distribution: the best so far."""
        return self._row(self._search.mean)

    def again(self, kept: Sequence[Generation]) -> None:
        """Go through generations that were played before.

        Raises
        ------
        UserError
            If the search does not ask for the same candidates as then.
        """
        for one in kept:
            points = self._ask()
            if (self.middle, tuple(map(self._row, points))) != (one.middle, one.candidates):
                raise UserError(
                    "the kept generations cannot be repeated with the libraries installed here; begin again"
                )
            self._tell(points, one)

    def _ask(self) -> list[npt.NDArray[np.float64]]:
        return [self._search.ask() for _ in range(self.goal.population)]

    def _tell(self, points: Sequence[npt.NDArray[np.float64]], generation: Generation) -> None:
        self._search.tell([(point, -float(won)) for point, won in zip(points, generation.won, strict=True)])
        self.history.append(generation)

    def step(self, session: StudySession) -> bool:
        """Play a generation; False if it was stopped."""
        goal, points = self.goal, self._ask()
        rows = [goal.first, self.middle, *map(self._row, points)]
        lineups = [goal.lineup(goal.strategy(row, f"candidate-{k}")) for k, row in enumerate(rows)]
        found: list[list[npt.NDArray[np.int64]]] = [[] for _ in lineups]

        def add(chunk: Chunk) -> None:
            for values, scores, lineup in zip(found, chunk.scores, lineups, strict=True):
                values.append(share_numerators(scores, lineup, 0, goal.setting))

        deals = dataclasses.replace(goal.setting, seed=(goal.setting.seed + 1 + len(self.history)) & MAX_SEED)
        reason, _ = drive(deals, lineups, Stopping(blocks=goal.blocks), session, add, lambda: "")
        if reason == "stopped":
            return False
        scale = share_range(lineups[0], 0, goal.setting)[0]
        values = [np.concatenate(one) for one in found]
        scores = [_Score.of(one, scale) for one in values]
        best = max(range(2, len(rows)), key=lambda k: scores[k].mean)
        generation = Generation(
            middle=rows[1],
            candidates=tuple(rows[2:]),
            won=tuple(int(one.sum()) for one in values[2:]),
            start_share=scores[0].mean,
            share=scores[1].mean,
            error=scores[1].error,
            gain=scores[1].mean - scores[0].mean,
            gain_error=_Score.of(values[1] - values[0], scale).error,
            best_share=scores[best].mean,
            best_error=scores[best].error,
        )
        self._tell(points, generation)
        return True


def _generations(goal: TuneGoal, tuning: Tuning, session: StudySession, state: TuneState) -> Iterator[bool]:
    """Play generations until there are enough; False is given where they were stopped."""
    started = told = time.monotonic()
    quiet = dataclasses.replace(session, progress=_Quiet(session), on_stopped=lambda: None)
    total = goal.generations or max(math.ceil(goal.seconds), 1)
    done, unit = (len(tuning.history), "generations") if goal.generations else (0, "seconds")
    session.progress.begin(total, done, unit)
    try:
        while not goal.generations or len(tuning.history) < goal.generations:
            if not tuning.step(quiet):
                yield False
                return
            state.keep(tuning.history)
            now = time.monotonic()
            session.progress.update(len(tuning.history) if goal.generations else min(int(now - started), total))
            if now - told >= _TOLD_SECONDS:
                told = now
                session.progress.message(f"generation {len(tuning.history)}: {tuning.history[-1].sentence}")
            yield True
            if goal.seconds and now - started >= goal.seconds:
                return
    finally:
        session.progress.end()


def _gates(goal: TuneGoal, tuned: StrategySpec, session: StudySession) -> tuple[ComparisonResult, ...]:
    """The new strategy and its start on fresh deals: both ways, and in the company where that is another."""
    if same_play(tuned, goal.start):
        return ()
    seats, stopping = goal.setting.seats, Stopping(blocks=goal.gate_blocks, level=goal.level)
    counts = (1,) if seats == 2 else (1, seats - 1)
    questions = [Question(goal.setting, tuned, goal.start, counts)]
    if not all(same_play(one, goal.start) for one in goal.company):
        questions.append(Question(goal.setting, tuned, goal.start, (1,), company=goal.company))
    found = []
    for question in questions:
        found.append(compare(question, stopping, session))
        if found[-1].reason == "stopped":
            break
    return tuple(found)


def tune(goal: TuneGoal, state: TuneState, session: StudySession | None = None) -> TuneResult:
    """Tune weights, and put the result to a gate.

    Parameters
    ----------
    goal
        What is asked.
    state
        Where generations are kept; those that are there already are not played again.
    session
        With how many threads; the answer does not depend on it.

    Raises
    ------
    UserError
        If a file could not be written, or kept generations cannot be repeated.
    """
    session = session or StudySession()
    began, tuning = time.perf_counter(), Tuning(goal)
    tuning.again(state.generations[: goal.generations or None])
    is_stopped = not all(_generations(goal, tuning, session, state))
    tuned = goal.strategy(tuning.middle, goal.name)
    gates = () if is_stopped else _gates(goal, tuned, session)
    is_stopped = is_stopped or any(gate.reason == "stopped" for gate in gates)
    if is_stopped:
        session.on_stopped()
    reason = "stopped" if is_stopped else "time-limit" if goal.seconds else "generations"
    return TuneResult(goal, tuned, tuple(tuning.history), gates, reason, time.perf_counter() - began)
