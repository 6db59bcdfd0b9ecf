"""Figures that a run goes on for until they are known well enough, with intervals that hold although one looks."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from domeng_sim.analysis.metrics import Counts, quantile, ratio
from domeng_sim.analysis.report_runs import cells_of
from domeng_sim.errors import BadField, Unknown
from domeng_sim.games.shared.measures import Figure, Quantile
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import RuleValue
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.counters import CountTable
from domeng_sim.runs.engine import simulate, task_of
from domeng_sim.runs.part_player import players
from domeng_sim.runs.plan import Plan, Range
from domeng_sim.runs.progress import Progress
from domeng_sim.stats import confseq
from domeng_sim.stats.estimate import Estimate

LEVEL = 0.95
ALLOWED = "a figure of the report and a half-width, such as ceki=0.01pp, game.rounds=0.02 or ceki=1%"
_TEXT = re.compile(r"(?P<name>[^=]+)=\s*(?P<size>\d+(\.\d*)?(e-?\d+)?|\.\d+(e-?\d+)?)\s*(?P<unit>pp|%)?\s*", re.ASCII)
_PILOT_ROUNDS = 1 << 15, 1 << 20
"""Fewest and most rounds of a pilot: a blink, and a second or two."""
_PILOT_MATCHES = 2 * confseq.FIRST_LOOK
_OTHER_SEED = 0x9E3779B97F4A7C15
"""The pilot plays with another seed: what is planned from it does not know the rows of the run."""


@dataclass(frozen=True)
class Goal:
    """How well a figure is to be known.

    Attributes
    ----------
    figure
        The figure.
    size
        Half-width of its interval: in its unit, or a part of its value.
    relative
        Whether `size` is a part of its value.
    unit
        As the size was given: ``pp``, ``%`` or nothing.
    """

    figure: Figure | Quantile
    size: float
    relative: bool
    unit: str

    @property
    def text(self) -> str:
        """As it stands in manifests and commands: the figure by its whole name."""
        size = self.size * (100 if self.unit else 1)
        return f"{self.figure.key}={size:.10g}{self.unit}"

    def wanted(self, estimate: Estimate) -> float:
        """Half-width that is wanted of an estimate, in its unit."""
        return self.size * abs(estimate.value or 0.0) if self.relative else self.size

    def is_reached(self, estimate: Estimate) -> bool:
        """Whether the interval is narrow enough."""
        half = estimate.half_width
        return half is not None and half <= self.wanted(estimate)


def known_figures(spec: GameSpec, rules: Mapping[str, RuleValue], seats: Sequence[str]) -> dict[str, Figure | Quantile]:
    """All figures of the report of a run by their names.

    Parameters
    ----------
    spec, rules
        The game, and a value for every rule.
    seats
        Texts of the strategies.
    """
    sheets = [spec.figures(rules).panels]
    if spec.outline is not None:
        sheets += [tuple(plate.panel for plate in c.plates) for c in spec.outline(rules, seats, False).chapters]
    return {figure.key: figure for panels in sheets for panel in panels for figure in panel.figures}


def read_goals(
    texts: Sequence[str], spec: GameSpec, rules: Mapping[str, RuleValue], seats: Sequence[str]
) -> tuple[Goal, ...]:
    """Goals from texts such as ``ceki=0.01pp``.

    Parameters
    ----------
    texts
        Each a figure, by its name or by that without its section, and a half-width.
    spec, rules, seats
        As for `known_figures`.

    Raises
    ------
    BadField
        If there is no such figure, or it cannot be a goal.
    """
    known, counted = known_figures(spec, rules, seats), {block.name for block in spec.counts(rules)}
    goals: dict[str, Goal] = {}
    for text in texts:
        goal = _read(text, known, lambda figure: all(cells.count in counted for cells in cells_of(figure)))
        if goal.figure.key in goals:
            raise BadField("until", text, message=(f"{goal.figure.key} is given twice; give it once",))
        goals[goal.figure.key] = goal
    return tuple(goals.values())


def _read(text: str, known: Mapping[str, Figure | Quantile], is_counted: Callable[[Figure | Quantile], bool]) -> Goal:
    match = _TEXT.fullmatch(text.strip())
    size = float(match["size"]) if match else 0.0
    if match is None or not 0 < size < math.inf:
        raise BadField("until", text, ALLOWED)
    name, unit = match["name"].strip(), match["unit"] or ""
    found = [name] if name in known else [key for key in known if key.partition(".")[2] == name]
    if not found:
        raise BadField("until", text, message=Unknown("figure", name, known).parts)
    found = [key for key in found if is_counted(known[key])] or found
    if not is_counted(known[found[0]]):
        why = f"{found[0]} is counted from a table of rows; only figures of the summary can be a goal"
        raise BadField("until", text, message=(why,))
    if len(found) > 1:
        raise BadField("until", text, message=(f"several figures are called {name}: {', '.join(found)}",))
    figure = known[found[0]]
    if unit == "pp" and not (isinstance(figure, Figure) and figure.kind == "share"):
        why = f"{figure.key} is no share ({figure.unit}); give its half-width as a number, or in % of its value"
        raise BadField("until", text, message=(why,))
    return Goal(figure, size / 100 if unit else size, unit == "%", unit)


def estimate(table: CountTable, figure: Figure | Quantile, clusters: int, best_at: float, level: float) -> Estimate:
    """A figure with an interval that holds at every look, at the present number of clusters.

    Every interval of a figure is made for some number of clusters fixed beforehand at some level; at a level so high
    that it is as wide as the confidence sequence, it holds at every look.

    Parameters
    ----------
    table
        Counters by cluster.
    figure
        The figure.
    clusters
        How many there are.
    best_at
        Number of clusters at which the intervals are tightest.
    level
        Level at which those of all looks hold together.
    """
    at_once = confseq.level_at_once(clusters, best_at, level=level)
    wide = at_once or level
    found = ratio(table, figure, wide) if isinstance(figure, Figure) else quantile(table, figure, wide)
    if at_once is None or found.low is None or found.high is None:
        return replace(found, low=None, high=None, level=level, kind="not-estimable")
    return replace(found, level=level, kind="anytime")


class RunGoals:
    """The goals of a run under way: takes in counts, and tells whether there is enough.

    Parameters
    ----------
    config
        The run.
    """

    def __init__(self, config: RunConfig) -> None:
        seats = [seat.text for seat in config.seats]
        self.config, self.expected = config, 0
        self.goals = read_goals(config.until, config.spec, config.rules, seats)
        self._blocks = config.spec.counts(config.rules)
        self._pieces: list[Counts] = []
        self._best_at = 1.0

    def begin(self, plan: Plan) -> None:
        """Begin, with the plan of the run."""
        self._pieces, self._best_at = [], max(plan.expected / plan.batch, confseq.FIRST_LOOK)

    def add(self, counts: Counts) -> None:
        """Take in counts of further batches, in order."""
        self._pieces.append(counts)

    def estimates(self) -> tuple[Estimate, ...]:
        """Each figure with an interval that holds at every look."""
        counts = np.concatenate(self._pieces)
        self._pieces = [counts]
        table = CountTable(self._blocks, counts)
        return tuple(estimate(table, goal.figure, len(counts), self._best_at, LEVEL) for goal in self.goals)

    def is_reached(self) -> bool:
        """Whether all goals are reached."""
        return all(goal.is_reached(one) for goal, one in zip(self.goals, self.estimates(), strict=True))

    def expect(self, should_stop: Callable[[], bool], progress: Progress) -> Forecast:
        """About how much it takes, from a pilot with a seed of its own; the same for the same configuration.

        Parameters
        ----------
        should_stop
            Asked some twenty times a second.
        progress
            Told if something is compiled first.

        Raises
        ------
        Interrupted
            If `should_stop` said so.
        StrategyError
            If a user's function failed.
        """
        config = replace(self.config, seed=self.config.seed ^ _OTHER_SEED)
        ready, nominal = players(config, progress), config.nominal_rounds_per_match
        fewest, most = (max(rounds // nominal, _PILOT_MATCHES) for rounds in _PILOT_ROUNDS)
        most = max(min(most, config.rounds // nominal), _PILOT_MATCHES)
        counts, end = np.zeros((0, sum(block.size for block in self._blocks)), np.int64), min(fewest, most)
        while True:
            # clusters of a few matches, so that a long pilot needs no more memory than a short one
            cluster = max(1, end // (8 * _PILOT_MATCHES))
            task = task_of(config, ready.seats, Range(0, end), cluster, "summary")
            started = time.perf_counter()
            counts = simulate(ready.kernel, task, should_stop=should_stop)
            needed = self._needed(counts)
            if needed is not None or end >= most:
                break
            end = min(2 * end, most)
        seconds = time.perf_counter() - started
        rounds = int(config.spec.rounds_of(counts).sum())
        limit = -(-config.rounds * end // rounds)
        if needed is None:
            return Forecast(config, limit, config.rounds, rounds / seconds, is_known=False)
        matches = max(math.ceil(needed * end / len(counts)), 1)
        return Forecast(config, min(matches, limit), round(matches * rounds / end), rounds / seconds, is_known=True)

    def _needed(self, counts: Counts) -> float | None:
        """Clusters like these after which all goals would be reached; None if that cannot be told."""
        n, table = len(counts), CountTable(self._blocks, counts)
        needed = float(confseq.FIRST_LOOK)
        for goal in self.goals:
            found = estimate(table, goal.figure, n, n, LEVEL)
            half, wanted = found.half_width, goal.wanted(found)
            if half is None or wanted == 0:
                return None
            needed = max(needed, n * (half / wanted) ** 2)
        return needed


@dataclass(frozen=True)
class Forecast:
    """About how much a run takes.

    Attributes
    ----------
    config
        The run.
    matches
        Matches that are planned for, not beyond the limit.
    rounds
        Rounds until the goals are reached, perhaps beyond the limit.
    speed
        Rounds that a thread plays in a second.
    is_known
        Whether the pilot could tell; if not, the limit stands for it.
    """

    config: RunConfig
    matches: int
    rounds: int
    speed: float
    is_known: bool

    def told(self, threads: int) -> str:
        """A line for people.

        Parameters
        ----------
        threads
            How many play.
        """
        goals, limit = " and ".join(self.config.until), self.config.rounds
        if not self.is_known:
            return f"until {goals}: so rare that a pilot cannot tell how much that takes; at most {limit:,} rounds"
        seconds = duration(min(self.rounds, limit) / (self.speed * threads))
        about = f"until {goals}: about {two_digits(self.rounds):,} rounds"
        if self.rounds <= limit:
            return f"{about}, some {seconds} (at most {limit:,})"
        return f"{about}, which is more than the {limit:,} at which it stops, after some {seconds}"


def two_digits(number: int) -> int:
    """A number of which no more is known.

    Examples
    --------
    >>> two_digits(123_456), two_digits(7)
    (120000, 7)
    """
    return round(number, 2 - len(str(number)))


def duration(seconds: float) -> str:
    """A time of which little is known.

    Examples
    --------
    >>> duration(0.3), duration(59), duration(3000), duration(1e6)
    ('1 second', '59 seconds', '50 minutes', '12 days')
    """
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}s"
    number = max(round(seconds), 1)
    return f"{number} second{'s' * (number > 1)}"
