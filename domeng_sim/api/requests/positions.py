"""Requests about one position or one match: odds, rounds that are told, and games with people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from domeng_sim.api.requests.base import (
    MATCH_LENGTH,
    TAKE_OVER_SENTENCE,
    Clustered,
    GameRequest,
    find_strategies,
    one_for_each,
    optional,
)
from domeng_sim.api.requests.kinds import (
    ALL,
    FILE,
    PLACE,
    PRECISION,
    ROUND,
    RUN,
    SEATS,
    STRATEGIES,
    STRATEGY,
    SWITCH,
    Kind,
    real,
    whole,
)
from domeng_sim.api.requests.position_file import read_position
from domeng_sim.api.requests.runs import TRUST_SENTENCE, PlayersRequest
from domeng_sim.comparisons.stopping import parse_until
from domeng_sim.errors import BadField, BadInput, FieldRef, Part, UserError, not_together, shown
from domeng_sim.games import GAMES
from domeng_sim.games.shared.odds import Field
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import Model, RuleValue, StrategyError, Undecided
from domeng_sim.runs.config import DEFAULT_STRATEGY, MAX_SEED, RunConfig
from domeng_sim.runs.provenance import other_rules
from domeng_sim.runs.store.location import Location, location
from domeng_sim.strategies.resolve import model_of
from domeng_sim.strategies.spec import StrategySpec, person
from domeng_sim.strategies.weighted import StrategySpecError

MOST_MATCHES = 10**15
MOST_SAMPLES = 10**9
DEFAULT_SAMPLES = 100_000
MAX_PACE = 60.0
IN_MATCH = whole(0, 65_535)
STRONGEST = "; ".join(f"{spec.title}: {spec.strongest}" for spec in GAMES.values())


def _texts(value: object) -> dict[str, str]:
    """Parts of a position as on the command line, by name."""
    if not isinstance(value, Mapping):
        raise TypeError
    return {name.replace("-", "_"): _part(one) for name, one in value.items() if one is not None}


def _part(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, Sequence):
        return ",".join(map(str, value))
    raise TypeError


PARTS = Kind("NAME: VALUE", "parts of a position, each a text or numbers", _texts)


def position_fields() -> dict[str, dict[str, Field]]:
    """What positions of the games are written with: by name, then by title of the games that have it."""
    found: dict[str, dict[str, Field]] = {}
    for spec in GAMES.values():
        for name, field_ in (spec.odds.fields if spec.odds else {}).items():
            found.setdefault(name.replace("-", "_"), {})[spec.title] = field_
    return found


class Located(NamedTuple):
    """A position that was found: its game, the rules, and itself."""

    spec: GameSpec
    rules: Mapping[str, RuleValue]
    position: Any


@dataclass(frozen=True, kw_only=True)
class OddsRequest(GameRequest, Clustered):
    """Odds of each move of a position.

    Attributes
    ----------
    located
        The position; None where it is still to be taken from a run.
    """

    command: ClassVar[str] = "odds"

    parts: Mapping[str, object] | None = optional(
        PARTS, "The position, written as on the command line; several numbers also as a tuple."
    )
    position: Path | str | None = optional(
        FILE, "Read the position from a file, or - for the standard input.", not_with=("from_run",), repeats=False
    )
    from_run: Location | str | None = optional(
        RUN, "Take the position from a run.", not_with=("rules", "game"), repeats=False
    )
    match: int | None = optional(whole(0, MOST_MATCHES), "Of a run: the match.", needs="from_run", repeats=False)
    game_number: int | None = optional(
        IN_MATCH, "Of a run: the game in its match.", usual_text="0", needs="from_run", repeats=False
    )
    round: int | None = optional(IN_MATCH, "Of a run: the round in its game.", needs="from_run", repeats=False)
    step: int | None = optional(IN_MATCH, "Of a run: the step about to be done.", needs="from_run", repeats=False)
    open_hands: bool = optional(SWITCH, "Of a run: all hands are known.", needs="from_run", repeats=False)
    trust: bool = optional(SWITCH, TRUST_SENTENCE, needs="from_run", repeats=False)
    own_strategy: str | None = optional(
        STRATEGY,
        "Strategy of the player who asks, for the rest of the round.",
        usual_text=STRONGEST,
        not_with=("exact",),
    )
    opponents: str | Sequence[str] | None = optional(
        STRATEGIES,
        "Strategies of the others: one for all, or one for each by seat.",
        usual_text=STRONGEST,
        not_with=("exact",),
    )
    infer: str | None = optional(
        STRATEGY,
        "Weight deals by how likely this strategy would have made the choices of the others.",
        usual_text="all deals count alike",
        not_with=("exact",),
    )
    samples: int | None = optional(
        whole(1, MOST_SAMPLES),
        "Number of deals to sample.",
        usual_text=str(DEFAULT_SAMPLES),
        not_with=("until", "exact"),
    )
    until: str | None = optional(
        PRECISION, "Sample until every win probability has this half-width, e.g. 0.5pp.", not_with=("exact",)
    )
    exact: bool = optional(
        SWITCH, "Enumerate every continuation of every consistent deal instead of sampling; players are random."
    )
    located: Located | None = field(init=False, repr=False, compare=False)

    def _refuse_contradictions(self, options: Mapping[str, Any]) -> None:
        super()._refuse_contradictions(options)
        for name, value in (self.parts or {}).items():
            # of a run only the player who asks may be told
            if self.from_run is not None and name != "seat":
                raise not_together(name, value, "from_run", "the run has it")
        missing = [name for name in ("match", "round", "step") if getattr(self, name) is None]
        if self.from_run is not None and missing:
            lacking: list[Part] = [part for name in missing for part in (FieldRef(name), ", ")]
            raise BadField("from_run", self.from_run, message=(FieldRef("from_run"), " needs ", *lacking[:-1], " too"))

    def _resolve(self) -> None:
        super()._resolve()
        self._set("located", None if self.from_run is not None else self._written())
        if self.located is not None:
            self.players(self.located)
            self.inference(self.located)

    def _written(self) -> Located:
        """The position that was written."""
        told = {**(read_position(Path(self.position)) if self.position is not None else {}), **(self.parts or {})}
        if not told:
            ways = (
                FieldRef("hand"),
                " and ",
                FieldRef("log"),
                ", or ",
                FieldRef("position"),
                ", or ",
                FieldRef("from_run"),
            )
            raise BadInput("which position? Give ", *ways)
        spec, rules = self.spec, self.all_rules
        if spec.odds is None:
            raise BadInput(f"there are no odds for positions of {spec.title} yet")
        fields = {name.replace("-", "_"): name for name in spec.odds.fields}
        for name, value in told.items():
            if name not in fields:
                # a file may name anything
                named = FieldRef(name) if name in position_fields() else shown(name)
                has = (f"a position of {spec.title} has no ", named, f"; it has {', '.join(fields)}")
                raise BadField(name, value, *fields, message=has)
        return Located(spec, rules, spec.odds.read({fields[name]: str(text) for name, text in told.items()}, rules))

    def with_position(self) -> OddsRequest:
        """The same, its position taken from the run if it is one of a run."""
        if self.from_run is None:
            return self
        from domeng_sim.positions.from_run import position_of_run
        from domeng_sim.positions.replay import open_run

        asking = (self.parts or {}).get("seat")
        seat = None if asking is None else IN_MATCH.check("seat", asking)
        match, round_, step = self.match or 0, self.round or 0, self.step or 0
        where = match, self.game_number or 0, round_, step
        try:
            source = open_run(location(self.from_run))
            texts = [text for text in (self.own_strategy, *(self.opponents or ())) if text is not None]
            named = None if self.trust else find_strategies("opponents", texts, source.spec)
            source = source.trusting(named)
            located = Located(*position_of_run(source, *where, seat, self.open_hands))
        except Undecided as error:
            raise BadInput(f"{self.from_run}: the match is not played so far: {error}") from error
        except StrategyError as error:
            raise UserError(str(error)) from error
        rules = other_rules(located.spec, located.rules)
        return self.with_values(located=located, game=located.spec.name, rules=rules)

    def players(self, located: Located) -> tuple[StrategySpec, ...]:
        """How each seat plays on; exact odds are those of players at random."""
        spec = located.spec
        usual = DEFAULT_STRATEGY if self.exact else spec.strongest
        others = one_for_each("opponents", tuple(self.opponents or (usual,)), spec.seats - 1)
        own = find_strategies("own_strategy", [self.own_strategy or usual], spec)
        found = find_strategies("opponents", others, spec)
        asking = located.position.seat
        return (*found[:asking], *own, *found[asking:])

    def inference(self, located: Located) -> tuple[str, Model] | None:
        """How the others are taken to have chosen, if that is to be looked at."""
        if self.infer is None:
            return None
        try:
            return self.infer, model_of(self.infer, located.spec)
        except StrategySpecError as error:
            raise BadField("infer", self.infer, message=error.parts) from error

    @property
    def radius(self) -> float:
        """Half-width at which sampling ends; 0 for a fixed number of samples."""
        return 0.0 if self.until is None else parse_until(self.until)[0]

    def asked(self) -> dict[str, object]:
        """The fields that repeat this request: the position as it was found, and how its odds were."""
        fields = super().asked()
        fields.pop("parts", None)
        if self.exact:
            fields.pop("seed")
        if self.located is None or self.located.spec.odds is None:
            return fields
        odds = self.located.spec.odds
        texts = odds.write(self.located.position).items()
        told = {name.replace("-", "_"): odds.fields[name].is_flag or text for name, text in texts}
        return {**told, **fields}


@dataclass(frozen=True)
class ShowRequest(PlayersRequest):
    """A round that is told: one of a run, or of a match that need never have been played."""

    command: ClassVar[str] = "show"

    run: Location | str | None = optional(
        RUN,
        "The directory of a run.",
        is_argument=True,
        not_with=("seed", "seats", "strategy", "rules", "games_per_match", "rounds_per_match"),
    )
    match: int | None = optional(whole(0, MOST_MATCHES), "The match.", usual_text="0")
    game_number: int | None = optional(IN_MATCH, "The game in its match.", usual_text="0")
    round: int | str | None = optional(ROUND, "The round in its game.", usual_text="0")
    trust: bool = optional(SWITCH, TRUST_SENTENCE, needs="run")
    find: str | None = optional(
        Kind("WHAT", "what can happen in a round", str),
        "List where it happened, by a word of the game: its outcomes, or camat.",
        needs="run",
        not_with=("match", "game_number", "round", "no_hands", "as_seat"),
    )
    limit: int | None = optional(whole(1, 10**6), "Maximum number to list.", usual_text="10", needs="find")
    no_hands: bool = optional(SWITCH, "Show what everybody sees: no hands, no drawn tiles.", not_with=("as_seat",))
    as_seat: int | None = optional(whole(0, 9), "Show what this seat sees.")
    seed: int | None = optional(whole(0, MAX_SEED), "Without a run: play the match with this seed, 0 to 2^64-1.")
    named_game: str | None = field(init=False, repr=False, compare=False)

    def _recall(self) -> None:
        super()._recall()
        self._set("named_game", self.game)
        if self.run is None and self.seed is None:
            seed = FieldRef("seed"), " (and ", FieldRef("seats"), ")"
            raise BadInput("what is to be shown? Name the directory of a run, or give ", *seed, " to play a match")

    def _resolve(self) -> None:
        if self.run is None:
            super()._resolve()

    def _matches_and_rounds(self) -> tuple[int, int]:
        return (self.match or 0) + 1, 0

    def _tables_and_hands(self) -> tuple[str, bool]:
        return "rounds", False

    def viewers(self, n_seats: int) -> frozenset[int] | None:
        """Seats whose hands are shown; None for all.

        Raises
        ------
        BadField
            If there is no such seat.
        """
        if self.as_seat is not None and self.as_seat >= n_seats:
            raise BadField("as_seat", self.as_seat, f"a seat from 0 to {n_seats - 1}")
        return frozenset() if self.no_hands else None if self.as_seat is None else frozenset({self.as_seat})

    def at(self, match: int, game: int, round_: int | str) -> ShowRequest:
        """The same of another round."""
        return self.with_values(match=match, game_number=game or None, round=round_)

    @property
    def wanted_round(self) -> int | None:
        """Number of the round; None for all."""
        return None if self.round == ALL else int(self.round or 0)

    def asked(self) -> dict[str, object]:
        """The fields that repeat this request; those of a run have no seed of their own."""
        fields = super().asked()
        if self.run is not None:
            fields.pop("seed", None)
        return fields


@dataclass(frozen=True, kw_only=True)
class PlayRequest(GameRequest):
    """A match that people play.

    Attributes
    ----------
    config
        The match before anybody has chosen anything; None where one is gone on with.
    """

    command: ClassVar[str] = "play"

    seat: int | str | Sequence[int] | None = optional(
        SEATS, "Your seat; several for people at one keyboard.", usual_text="0"
    )
    opponents: str | Sequence[str] | None = optional(
        STRATEGIES,
        "Strategies of the other seats: one for all, or one for each in order.",
        usual_text="; ".join(f"{spec.title}: {','.join(spec.opponents)}" for spec in GAMES.values()),
    )
    games_per_match: int | None = optional(MATCH_LENGTH, "How many games to play.", usual_text="1")
    hints: bool = optional(
        SWITCH, "Show the odds before each of your decisions; the key h shows them once.", repeats=False
    )
    review: bool = optional(SWITCH, "After each round, list your mistakes and what each of them cost.", repeats=False)
    own_strategy: str | None = optional(
        STRATEGY,
        "For the odds: how you play on after the move in question, and the others unless they are named.",
        usual_text=STRONGEST,
        repeats=False,
    )
    pace: float | None = optional(
        real(-1e-9, MAX_PACE + 1e-9, f"seconds from 0 to {MAX_PACE:g}", "SECONDS"),
        "Time between two things that others do.",
        usual_text="0.7 on a terminal, else 0",
        repeats=False,
    )
    out: Location | str | None = optional(
        PLACE, "Directory or address that keeps the game.", usual_text="a new one", repeats=False
    )
    take_over: bool = optional(SWITCH, TAKE_OVER_SENTENCE, needs="out", repeats=False)
    resume: bool = optional(
        SWITCH,
        "Go on with the game in the directory.",
        needs="out",
        not_with=("game", "seat", "opponents", "seed", "games_per_match", "rules"),
        repeats=False,
    )
    trust: bool = optional(SWITCH, TRUST_SENTENCE, needs="resume", repeats=False)
    config: RunConfig | None = field(init=False, repr=False, compare=False)

    def _resolve(self) -> None:
        self._set("config", None)
        if self.resume:
            return
        super()._resolve()
        spec = self.spec
        if spec.telling is None:
            raise BadInput(f"rounds of {spec.title} cannot be told yet, so nobody can play it")
        people = self._people(spec)
        others = iter(self._others(spec, spec.seats - len(people)))
        if self.own_strategy is not None:
            self.adviser(spec)
        config = RunConfig(
            game=spec.name,
            rules=self.all_rules,
            seats=tuple(person(spec) if number in people else next(others) for number in range(spec.seats)),
            seed=self.seed or 0,
            matches=1,
            games_per_match=self.games_per_match or 1,
            level="events",
            hands=True,
        )
        self._set("config", config)

    def _people(self, spec: GameSpec) -> tuple[int, ...]:
        seats = (0,) if self.seat is None else tuple(int(number) for number in self.seat)  # type: ignore[union-attr]
        for number in seats:
            if number >= spec.seats:
                raise BadField("seat", number, f"seats from 0 to {spec.seats - 1}, such as 0 or 0,1")
        return seats

    def _others(self, spec: GameSpec, n: int) -> tuple[StrategySpec, ...]:
        """Strategies of the seats at which nobody sits, in the order of the seats after the first person's."""
        if self.opponents is None:
            return find_strategies("opponents", spec.opponents[:n], spec)
        if not n:
            told = " has nobody to play: people sit at all seats"
            raise BadField("opponents", self.opponents, message=(FieldRef("opponents"), told))
        return find_strategies("opponents", one_for_each("opponents", tuple(self.opponents), n), spec)

    def adviser(self, spec: GameSpec) -> StrategySpec:
        """How the player plays on, for the odds, and the others unless they were named."""
        return find_strategies("own_strategy", [self.own_strategy or spec.strongest], spec)[0]
