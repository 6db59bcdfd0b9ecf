"""Requests to play matches, and to look at what was played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import ClassVar

from domeng_sim.api.requests.base import (
    MATCH_LENGTH,
    TAKE_OVER_SENTENCE,
    Clustered,
    GameRequest,
    Kept,
    Request,
    Threaded,
    find_strategies,
    is_given,
    optional,
    required,
)
from domeng_sim.api.requests.kinds import (
    COLUMNS,
    FIGURES,
    FILE,
    MATCHES,
    PLACE,
    RUN,
    RUNS,
    SHARD,
    STRATEGIES,
    STRATEGY,
    SWITCH,
    choice,
    real,
    whole,
)
from domeng_sim.core.tables import LEVELS
from domeng_sim.errors import BadField, FieldRef, Part, Refused
from domeng_sim.runs.command import command_line
from domeng_sim.runs.config import (
    DEFAULT_GAMES,
    DEFAULT_MAX_ROUNDS,
    DEFAULT_STRATEGY,
    DEFAULT_TABLES,
    MAX_TOTAL,
    RunConfig,
)
from domeng_sim.runs.plan import Shard, make_plan
from domeng_sim.runs.store.location import Location, location
from domeng_sim.strategies.spec import StrategySpec

DEFAULT_ROUNDS = 1_000_000
ROUNDS_IN_MEMORY = 100_000
ROUNDS = whole(1, MAX_TOTAL)
ROUNDS_SENTENCE = "Whole matches until at least so many rounds."
REPORT_LEVEL = real(0.4999999, 0.99990001, "a number from 0.5 to 0.9999")
TABLES = choice(*LEVELS)
TRUST_SENTENCE = "Run the Python code of strategies that stands in the dataset."


@dataclass(frozen=True, kw_only=True)
class PlayersRequest(GameRequest):
    """Matches to be played: who sits where, and how long a match is.

    Attributes
    ----------
    config
        The configuration with all of its values.
    """

    games_per_match: int | None = optional(
        MATCH_LENGTH, "Length of a match in games.", not_with=("rounds_per_match",), usual_text=str(DEFAULT_GAMES)
    )
    rounds_per_match: int | None = optional(
        MATCH_LENGTH, "Length of a match in rounds in place of games; 1: independent first rounds."
    )
    strategy: str | None = optional(
        STRATEGY,
        "Strategy of all seats, see `domeng-sim strategies`.",
        not_with=("seats",),
        usual_text=DEFAULT_STRATEGY,
    )
    seats: str | Sequence[str] | None = optional(STRATEGIES, "A strategy for each seat.")
    config: RunConfig = field(init=False, repr=False, compare=False)

    def _matches_and_rounds(self) -> tuple[int, int]:
        """How many matches, or rounds, are asked for; one of them is 0."""
        raise NotImplementedError

    def _tables_and_hands(self) -> tuple[str, bool]:
        """Which tables are wanted, and whether with the hands as dealt."""
        raise NotImplementedError

    def _goals(self, players: Sequence[StrategySpec]) -> tuple[str, ...]:
        """What is to be known at the end; empty if it goes on for a number of matches or rounds."""
        return ()

    def _resolve(self) -> None:
        super()._resolve()
        spec = self.spec
        if self.seats is not None:
            players = find_strategies("seats", self.seats, spec)
            if len(players) != spec.seats:
                raise BadField("seats", len(players), f"{spec.seats} strategies separated by commas")
        else:
            players = find_strategies("strategy", [self.strategy or DEFAULT_STRATEGY], spec) * spec.seats
        matches, rounds = self._matches_and_rounds()
        tables, hands = self._tables_and_hands()
        if hands and tables not in ("rounds", "events"):
            told = f": the hands stand in the table rounds, which is not written up to {tables}"
            raise BadField("store_hands", True, message=(FieldRef("store_hands", True), told))
        config = RunConfig(
            game=self.game,
            rules=self.all_rules,
            seats=players,
            seed=self.seed or 0,
            matches=matches,
            rounds=rounds,
            games_per_match=self.games_per_match or (0 if self.rounds_per_match else DEFAULT_GAMES),
            rounds_per_match=self.rounds_per_match or 0,
            level=tables,
            hands=hands,
            until=self._goals(players),
        )
        self._set("config", config)


@dataclass(frozen=True, kw_only=True)
class SimulateRequest(PlayersRequest):
    """Matches to be played into memory."""

    command: ClassVar[str] = "run"
    default_rounds: ClassVar[int] = ROUNDS_IN_MEMORY

    matches: int | None = optional(whole(1, MAX_TOTAL), "Number of matches.", not_with=("rounds",))
    rounds: int | None = optional(ROUNDS, ROUNDS_SENTENCE, usual_text=str(ROUNDS_IN_MEMORY))
    tables: str = optional(TABLES, "Write the tables up to this level.", usual=DEFAULT_TABLES)
    store_hands: bool = optional(SWITCH, "Store the hands as dealt in the table `rounds`.")

    def _matches_and_rounds(self) -> tuple[int, int]:
        if self.matches is None and self.rounds is None:
            self._set("rounds", self.default_rounds)
        return self.matches or 0, self.rounds or 0

    def _tables_and_hands(self) -> tuple[str, bool]:
        return self.tables, self.store_hands


@dataclass(frozen=True)
class RunRequest(SimulateRequest, Kept, Clustered):
    """Matches to be played into a directory."""

    default_rounds: ClassVar[int] = DEFAULT_ROUNDS

    out: Location | str | None = optional(
        PLACE, "Directory or address of the dataset.", usual_text="a new one", repeats=False
    )
    _: KW_ONLY
    rounds: int | None = optional(ROUNDS, ROUNDS_SENTENCE, usual_text=str(DEFAULT_ROUNDS))
    until: str | Sequence[str] | None = optional(
        FIGURES,
        "Run until the 95 % confidence interval of this figure has this half-width, e.g. ceki=0.01pp, "
        "game.rounds=0.02 or ceki=1%; repeatable.",
        not_with=("matches", "rounds"),
    )
    max_rounds: int | None = optional(
        ROUNDS, "Maximum number of rounds.", usual_text=str(DEFAULT_MAX_ROUNDS), needs="until"
    )
    shard: Shard | str | Sequence[int] | None = optional(
        SHARD,
        "Play the I-th of N equal pieces of the run only; `domeng-sim merge` makes one dataset of all pieces.",
        usual_text="the whole run",
        not_with=("until",),
        repeats=False,
    )
    gather: bool = optional(
        SWITCH,
        "Let the parts come back to this machine, where workers of the cluster do not see the directory.",
        needs="cluster",
        repeats=False,
    )
    trust: bool = optional(SWITCH, TRUST_SENTENCE, needs="resume", repeats=False)

    def _recall(self) -> None:
        super()._recall()
        if self.resume and self.out is not None:
            from domeng_sim.runs.store.dataset import Dataset, holds_dataset

            directory = location(self.out)
            # one and the same request may begin a run and go on with it
            if not ((self.matches or self.rounds or self.until) and not holds_dataset(directory)):
                self._go_on_with(stored_config(directory, self.trust))
            if self.shard is None and holds_dataset(directory):
                # of whatever else is there, what plays it says that it is no such run
                self._set("shard", Dataset.open(directory).shard)

    def _resolve(self) -> None:
        is_drawn = self.seed is None
        super()._resolve()
        if isinstance(self.shard, Shard) and not self._goes_on():
            self._refuse_shard(self.shard, is_drawn)

    def _goes_on(self) -> bool:
        from domeng_sim.runs.store.dataset import holds_dataset

        return self.resume and self.out is not None and holds_dataset(location(self.out))

    def _refuse_shard(self, shard: Shard, is_drawn: bool) -> None:
        """Refuse pieces of a run that nobody can cut: which matches there are must be known beforehand."""
        told: tuple[Part, ...] = ()
        n_matches, parts = self.config.n_matches, 0
        if n_matches is None:
            told = (
                " cannot be: only the play tells how many matches make so many rounds, so nobody knows where a piece "
                "begins; give their number with ",
                *(FieldRef("matches"), ", or rounds of a fixed number a match with ", FieldRef("rounds_per_match")),
            )
        elif is_drawn:
            told = (" goes with ", FieldRef("seed"), " only: all pieces of a run have the same")
        elif (parts := make_plan(self.config).n_parts(n_matches)) < shard.of:
            told = (f" is too much: this run has {parts} part{'s' * (parts > 1)}, so at most so many pieces",)
        if told:
            raise BadField("shard", str(shard), message=(FieldRef("shard", str(shard)), *told))

    def _go_on_with(self, stored: RunConfig) -> None:
        """Take what was not given from the run there; strategies even where their files have changed or gone."""
        there = {
            "game": stored.game,
            "seed": stored.seed,
            "tables": stored.level,
            "store_hands": stored.hands,
            "matches": stored.matches or None,
            "rounds": None if stored.until else stored.rounds or None,
            "until": stored.until or None,
            "max_rounds": stored.rounds if stored.until else None,
            "games_per_match": stored.games_per_match or None,
            "rounds_per_match": stored.rounds_per_match or None,
        }
        # players and rules of another game would hide that it is another
        if self.game in (None, stored.game):
            there["seats"] = stored.seats
            self._set("rules", {**stored.rules, **(self.rules or {})})
        partners = ("matches", "rounds", "until"), ("games_per_match", "rounds_per_match"), ("seats", "strategy")
        given = {name for name in (*there, "strategy") if is_given(getattr(self, name))}
        taken = given.union(*(group for group in partners if given.intersection(group)))
        for name, value in there.items():
            if name not in taken and (name != "max_rounds" or "until" not in taken or "until" in given):
                self._set(name, value)

    def _matches_and_rounds(self) -> tuple[int, int]:
        if self.until:
            return 0, self.max_rounds or DEFAULT_MAX_ROUNDS
        return super()._matches_and_rounds()

    def _goals(self, players: Sequence[StrategySpec]) -> tuple[str, ...]:
        if not self.until:
            return ()
        from domeng_sim.analysis.goals import read_goals

        goals = read_goals(tuple(self.until), self.spec, self.all_rules, [one.text for one in players])
        self._set("until", tuple(goal.text for goal in goals))
        return tuple(goal.text for goal in goals)


def stored_config(directory: Location, trust: bool = False) -> RunConfig:
    """The configuration of the run that a directory holds.

    Parameters
    ----------
    directory
        Where it is.
    trust
        Whether Python code that came with it may be run.

    Raises
    ------
    BadInput
        If it holds nothing.
    Refused
        If it holds something else than a run.
    """
    from domeng_sim.runs.store.dataset import Dataset

    dataset = Dataset.open(directory)
    manifest = dataset.manifest
    if "study" in manifest:
        raise Refused(f"{directory} holds a study; go on with {dataset.resume_command}")
    if "play" in manifest and not manifest["parts"]:
        again = command_line("play", {"resume": True, "out": directory})
        raise Refused(f"{directory} holds a game that people play; go on with {again}")
    return dataset.config.trusting() if trust else dataset.config


@dataclass(frozen=True)
class MergeRequest(Threaded):
    """Pieces of a run, to be made one dataset."""

    command: ClassVar[str] = "merge"

    runs: tuple[Location, ...] = field(metadata=required(RUNS, "Datasets that hold pieces of one run."))
    _: KW_ONLY
    out: Location | str | None = optional(PLACE, "Directory of the whole dataset.", repeats=False)
    move: bool = optional(SWITCH, "Remove the pieces once the whole is there.", repeats=False)
    overwrite: bool = optional(
        SWITCH, "Replace the dataset in the directory; other files in it stay.", needs="out", repeats=False
    )
    take_over: bool = optional(SWITCH, TAKE_OVER_SENTENCE, needs="out", repeats=False)

    def _resolve(self) -> None:
        super()._resolve()
        if self.out is None:
            raise BadField("out", None, message=("say where the whole dataset is to be with ", FieldRef("out")))


@dataclass(frozen=True)
class ReportRequest(Threaded):
    """A report of a run, or of several side by side."""

    command: ClassVar[str] = "report"

    runs: tuple[Location, ...] = field(metadata=required(RUNS, "Datasets; the others are compared with the first."))
    _: KW_ONLY
    tables: str = optional(
        TABLES,
        "Read tables up to this level; `summary` takes a moment for any size.",
        usual="events",
        usual_text="all that are stored",
    )
    level: float = optional(REPORT_LEVEL, "Confidence level of the intervals.", usual=0.95)


@dataclass(frozen=True)
class ExportRequest(Request):
    """Rows of a table of a dataset, for other programs."""

    command: ClassVar[str] = "export"

    run: Location = field(metadata=required(RUN, "The directory or address of a dataset."))
    out: Path | str | None = optional(
        FILE, "Write to this file; `-` is the standard output.", usual_text="-", repeats=False
    )
    _: KW_ONLY
    table: str = optional(choice(*LEVELS, "blocks"), "The table; blocks are those of a study.", usual="rounds")
    columns: str | Sequence[str] | None = optional(COLUMNS, "Only these columns, in this order.", usual_text="all")
    match: str | int | Sequence[int] | None = optional(
        MATCHES, "Only these matches, of a study these blocks, both ends included.", usual_text="all"
    )
    format: str = optional(
        choice("csv", "jsonl", "arrow"),
        "CSV with a header, one JSON object per line, or an Arrow IPC stream.",
        usual="csv",
    )
    overwrite: bool = optional(SWITCH, "Replace a file that is there.", needs="out", repeats=False)
