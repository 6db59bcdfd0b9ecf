"""Requests to compare strategies and rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from domeng_sim.api.requests.base import (
    LEVEL,
    MATCH_LENGTH,
    Clustered,
    GameRequest,
    Kept,
    Request,
    find_all_strategies,
    find_strategies,
    is_given,
    one_for_each,
    optional,
    options_of,
    required,
)
from domeng_sim.api.requests.kinds import (
    COUNTS,
    DIFFERENCES,
    GOALS,
    SHARES,
    STRATEGIES,
    STRATEGY,
    SWITCH,
    real,
    several,
    whole,
)
from domeng_sim.comparisons.design import Setting
from domeng_sim.comparisons.request import Gate, Question
from domeng_sim.comparisons.stopping import (
    BEST_AT,
    DEFAULT_LEVEL,
    DEFAULT_MAX_BLOCKS,
    DEFAULT_RADIUS,
    MAX_BLOCKS,
    Stopping,
    parse_until,
)
from domeng_sim.errors import BadField, FieldRef, UserError
from domeng_sim.runs.config import DEFAULT_GAME, DEFAULT_GAMES, DEFAULT_STRATEGY
from domeng_sim.runs.store.location import Location, location
from domeng_sim.strategies.spec import StrategySpec

if TYPE_CHECKING:
    from domeng_sim.comparisons.power import PowerPlan
    from domeng_sim.comparisons.rule_variants import Inquiry
    from domeng_sim.comparisons.tournament_result import Entrants

DEFAULT_ERROR = 0.05
TOURNAMENT_BLOCKS = 1_000
BLOCKS = whole(1, MAX_BLOCKS)
SOME_BLOCKS = whole(1, 10**6)
CHANCE = real(0, 1, "a number between 0 and 1")
STRATEGY_SENTENCE = (
    "A name, an entry of a TOML file (my.toml:bold), either with weights changed (master+unseen=-1.5), or a function "
    "(my.py:choose)."
)


@dataclass(frozen=True, kw_only=True)
class StudyRequest(GameRequest, Clustered):
    """What all studies ask.

    Attributes
    ----------
    setting
        What all games have in common.
    """

    games_per_match: int = optional(
        MATCH_LENGTH, "Games of a match; a block is one match, in all its seatings.", usual=DEFAULT_GAMES
    )
    setting: Setting = dataclasses.field(init=False, repr=False, compare=False)

    def _resolve(self) -> None:
        super()._resolve()
        self._set("setting", Setting(self.game, self.all_rules, self.seed or 0, self.games_per_match))


@dataclass(frozen=True, kw_only=True)
class RecalledRequest(GameRequest):
    """Of studies that may go on with what was asked before."""

    def _go_on_with(self, stored: Mapping[str, Any]) -> None:
        """Take what was not given from the study there, unless something was given that does not go with it."""
        options = {name: known for name, known in options_of(self) if known.repeats and not known.is_argument}
        given = {name for name in options if is_given(getattr(self, name))}
        rules = self.rules or {}
        for name, known in options.items():
            against = given.intersection(known.not_with) or any(name in options[one].not_with for one in given)
            lacks = known.needs and not is_given(getattr(self, known.needs))
            if name in stored and not (name in given or against or lacks):
                self._set(name, known.kind.check(name, stored[name]))
        # rules of another game would hide that it is another
        if (self.game or DEFAULT_GAME) == stored.get("game", DEFAULT_GAME):
            self._set("rules", {**stored.get("rules", {}), **rules} or None)
        else:
            self._set("rules", rules or None)


@dataclass(frozen=True, kw_only=True)
class KeptRequest(Kept, RecalledRequest):
    """Of studies whose blocks may be kept."""

    def _recall(self) -> None:
        super()._recall()
        if self.resume and self.out is not None:
            self._go_on_with(stored_options(location(self.out)))


def stored_options(directory: Location) -> Mapping[str, Any]:
    """Fields that were given for the study that a directory holds; empty if there is nothing to go on with."""
    from domeng_sim.runs.store.dataset import Dataset

    try:
        manifest = Dataset.open(directory).manifest
    except UserError:
        return {}  # what opens it says what is wrong
    options: dict[str, Any] = manifest["request"]["options"] if "study" in manifest else {}
    return options


@dataclass(frozen=True, kw_only=True)
class StoppedRequest(Request):
    """Of studies that go on until something is known.

    Attributes
    ----------
    stopping
        How far to go.
    """

    until: str | Sequence[str] | None = optional(
        GOALS,
        "Stop when the interval has this half-width, e.g. 0.5pp, or once a difference is significant; repeatable.",
    )
    blocks: int | None = optional(
        BLOCKS,
        "Play exactly this many blocks; the intervals are Student's, valid at this number only.",
        not_with=("max_blocks", "until", "time_limit"),
    )
    max_blocks: int | None = optional(BLOCKS, "Maximum number of blocks.", usual_text=str(DEFAULT_MAX_BLOCKS))
    time_limit: float | None = optional(
        real(0, 1e9, "seconds above 0", "SECONDS"), "Stop at the first look after this time."
    )
    level: float = optional(LEVEL, "Confidence level.", usual=DEFAULT_LEVEL)
    best_at: int = optional(BLOCKS, "Number of blocks at which the confidence sequence is tightest.", usual=BEST_AT)
    stopping: Stopping = dataclasses.field(init=False, repr=False, compare=False)

    @property
    def is_limited(self) -> bool:
        """Whether it is said how far to go."""
        return any(x is not None for x in (self.blocks, self.until, self.max_blocks, self.time_limit))

    def _resolve(self) -> None:
        super()._resolve()
        goals = [parse_until(text) for text in self.until or ()]
        stopping = Stopping(
            blocks=self.blocks or 0,
            radius=max((radius for radius, _ in goals), default=0.0),
            decided=any(decided for _, decided in goals),
            max_blocks=self.max_blocks or DEFAULT_MAX_BLOCKS,
            seconds=self.time_limit or 0.0,
            level=self.level,
            best_at=self.best_at,
        )
        self._set("stopping", stopping)

    def reached(self, blocks: int, reason: str) -> StoppedRequest:
        """What gives the same again: after a stop by the clock or from outside, the number of blocks that was reached.

        Looks come at the same blocks, so intervals that hold at every look are the same for a limit of so many blocks.

        Parameters
        ----------
        blocks
            That were reached; none says nothing.
        reason
            Why it ended, a key of `comparisons.stopping.REASONS`.
        """
        if reason not in ("time-limit", "stopped") or not blocks:
            return self
        if self.blocks is not None:
            return self.with_values(blocks=blocks)
        return self.with_values(max_blocks=blocks, time_limit=None)


@dataclass(frozen=True)
class CompareRequest(KeptRequest, StoppedRequest, StudyRequest):
    """Whether one strategy is better than another.

    Attributes
    ----------
    question
        What is compared.
    """

    command: ClassVar[str] = "compare"

    a: str = dataclasses.field(metadata=required(STRATEGY, STRATEGY_SENTENCE))
    b: str = dataclasses.field(metadata=required(STRATEGY, STRATEGY_SENTENCE))
    _: KW_ONLY
    field: int | str | Sequence[int] | None = optional(
        COUNTS,
        "How many A sit at the tables, the rest being B.",
        usual_text="1,4 at a table of five: one A among four B and one B among four A; 1 where two play",
        not_with=("opponents", "all_mixes"),
    )
    all_mixes: bool = optional(
        SWITCH,
        "All 32 seatings of A and B at a table of five, for the effect of switching one seat in any company.",
        not_with=("opponents",),
    )
    opponents: str | Sequence[str] | None = optional(
        STRATEGIES,
        "Put A and B, in turn, into tables of this strategy (where two play, against it); at a table of five also of "
        "four, separated by commas.",
        not_with=("sprt",),
    )
    sprt: str | Sequence[float] | None = optional(
        SHARES,
        "Sequential test of A's share among B, as 0.20,0.21, where two play 0.50,0.51.",
        not_with=("until", "blocks"),
    )
    alpha: float | None = optional(
        CHANCE,
        "Type I error: probability of accepting H1 when H0 is true.",
        usual_text=str(DEFAULT_ERROR),
        needs="sprt",
    )
    beta: float | None = optional(
        CHANCE,
        "Type II error: probability of accepting H0 when H1 is true.",
        usual_text=str(DEFAULT_ERROR),
        needs="sprt",
    )
    question: Question = dataclasses.field(init=False, repr=False, compare=False)

    def _recall(self) -> None:
        super()._recall()
        if not self.is_limited and self.sprt is None:
            self._set("until", (f"{100 * DEFAULT_RADIUS:g}pp",))

    def _resolve(self) -> None:
        super()._resolve()
        spec, gate = self.spec, self._gate()
        company: tuple[StrategySpec, ...] = ()
        (first,), (second,) = find_strategies("a", [self.a], spec), find_strategies("b", [self.b], spec)
        if self.opponents is not None:
            others = one_for_each("opponents", tuple(self.opponents), spec.seats - 1)
            company = find_strategies("opponents", others, spec)
        counts = self._counts(gate is not None, spec.seats)
        self._set("question", Question(self.setting, first, second, counts, self.all_mixes, company, gate))

    def _gate(self) -> Gate | None:
        if self.sprt is None:
            return None
        s0, s1 = (float(share) for share in self.sprt)
        alpha, beta = (DEFAULT_ERROR if error is None else error for error in (self.alpha, self.beta))
        return Gate(s0, s1, alpha, beta)

    def _counts(self, is_test: bool, seats: int) -> tuple[int, ...]:
        """How many A sit at the tables that are compared."""
        if self.field is None:
            return (1,) if is_test or seats == 2 else (1, seats - 1)
        counts = tuple(int(n) for n in self.field)  # type: ignore[union-attr]
        if is_test and counts != (1,):
            told = " tests the share of one A among B; it does not go with another "
            raise BadField("sprt", self.sprt, message=(FieldRef("sprt"), told, FieldRef("field")))
        return counts


@dataclass(frozen=True)
class TournamentRequest(KeptRequest, StoppedRequest, StudyRequest):
    """A ranking of strategies.

    Attributes
    ----------
    entry
        Who takes part.
    """

    command: ClassVar[str] = "tournament"

    names: tuple[str, ...] = dataclasses.field(
        metadata=required(
            STRATEGIES,
            "Strategies; `presets` stands for all that come with the game, a TOML file for all that it holds.",
        )
    )
    entry: Entrants = dataclasses.field(init=False, repr=False, compare=False)

    def _recall(self) -> None:
        super()._recall()
        if not self.is_limited:
            self._set("blocks", TOURNAMENT_BLOCKS)

    def _resolve(self) -> None:
        super()._resolve()
        specs = find_all_strategies("names", self.names, self.spec)
        from domeng_sim.comparisons.tournament_result import Entrants

        self._set("entry", Entrants(self.setting, specs))


@dataclass(frozen=True, kw_only=True)
class SensitivityRequest(StudyRequest):
    """How much each reading of the rules matters.

    Attributes
    ----------
    inquiry
        What is asked.
    """

    command: ClassVar[str] = "sensitivity"

    strategy: str = optional(STRATEGY, "Plays in all seats.", usual=DEFAULT_STRATEGY)
    option: Sequence[str] | None = optional(
        several("NAME[=VALUE]", "names of rules, or rules with a value, such as stones=20"),
        "A rule, for all its other readings, or a rule with a value; repeatable.",
        usual_text="every rule that has other readings",
    )
    ranking: str | Sequence[str] | None = optional(STRATEGIES, "Rank these strategies under each reading, too.")
    blocks: int = optional(SOME_BLOCKS, "Matches under each reading of the rules.", usual=10_000)
    ranking_blocks: int | None = optional(
        SOME_BLOCKS, "Blocks of each tournament.", usual_text=str(TOURNAMENT_BLOCKS), needs="ranking"
    )
    level: float = optional(LEVEL, "Confidence level.", usual=DEFAULT_LEVEL)
    inquiry: Inquiry = dataclasses.field(init=False, repr=False, compare=False)

    def _resolve(self) -> None:
        super()._resolve()
        (chosen,) = find_strategies("strategy", [self.strategy], self.spec)
        ranked = find_strategies("ranking", tuple(self.ranking or ()), self.spec)
        from domeng_sim.comparisons.rule_variants import Inquiry, readings_of

        readings = readings_of(self.spec, self.setting.rules, self.option or ())
        blocks = self.ranking_blocks or TOURNAMENT_BLOCKS
        self._set("inquiry", Inquiry(self.setting, chosen, readings, ranked, self.blocks, blocks, self.level))

    def reached(self, blocks: int, reason: str) -> SensitivityRequest:
        """What gives the same again: after a stop what was played, without a ranking that was interrupted."""
        if reason != "stopped" or not blocks:
            return self
        return self.with_values(blocks=blocks, ranking=None, ranking_blocks=None)


@dataclass(frozen=True)
class PowerRequest(StudyRequest):
    """How many blocks a comparison takes."""

    command: ClassVar[str] = "power"

    a: str = dataclasses.field(metadata=required(STRATEGY, STRATEGY_SENTENCE))
    b: str = dataclasses.field(metadata=required(STRATEGY, STRATEGY_SENTENCE))
    _: KW_ONLY
    difference: str | Sequence[str] | None = optional(
        DIFFERENCES,
        "Difference of A's share from the fair share, to be detected; repeatable.",
        usual_text="0.2pp, 0.5pp, 1pp and 2pp",
    )
    power: float = optional(CHANCE, "Power: probability of detecting such a difference.", usual=0.8)
    level: float = optional(LEVEL, "Confidence level.", usual=DEFAULT_LEVEL)
    pilot: int = optional(whole(2, 10**6), "Blocks of the pilot.", usual=500)
    players: tuple[StrategySpec, StrategySpec] = dataclasses.field(init=False, repr=False, compare=False)

    def _resolve(self) -> None:
        super()._resolve()
        (first,), (second,) = find_strategies("a", [self.a], self.spec), find_strategies("b", [self.b], self.spec)
        self._set("players", (first, second))

    def plan(self) -> PowerPlan:
        """What is planned."""
        from domeng_sim.comparisons.power import DIFFERENCES, PowerPlan

        sizes = tuple(sorted(parse_until(text)[0] for text in self.difference or ()))
        return PowerPlan(self.setting, *self.players, sizes or DIFFERENCES, self.pilot, self.power, self.level)

    def reached(self, blocks: int, reason: str) -> PowerRequest:
        """What gives the same again."""
        return self.with_values(pilot=blocks) if reason == "stopped" and blocks > 1 else self
