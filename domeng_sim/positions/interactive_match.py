"""A match at which people sit: what has happened so far, who must choose, and the dataset in which it is kept.

Knows nothing of terminals.  Every look at the match plays it from its beginning (see `games.people`), which takes less
than a millisecond; so there is no state but the choices, and what is shown is always what the core did.

On disk it is a run of one match, of which the rounds that are over are complete: every table and every command takes
it.  The choices stand in the manifest, those of the round under way too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

from domeng_sim.errors import BadInput, Damaged, Refused
from domeng_sim.games.types import StrategyError, Undecided
from domeng_sim.positions.replay import Rows, with_labels
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.engine import task_of
from domeng_sim.runs.executors.threads import Threads
from domeng_sim.runs.part_player import players
from domeng_sim.runs.plan import Range, make_plan
from domeng_sim.runs.progress import Progress, Silent
from domeng_sim.runs.provenance import provenance
from domeng_sim.runs.runner import Runner, differences
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.runs.store.location import Location
from domeng_sim.runs.store.manifest import play_identity
from domeng_sim.runs.store.open_storage import storage_of
from domeng_sim.strategies.spec import PERSON, StrategySpec

PLAY = "play"
"""Key of a manifest under which the game stands: how long it is to be, and all choices by seat."""


@dataclass(frozen=True)
class Standing:
    """A match as it stands.

    Attributes
    ----------
    rows
        Columns of the `events` table up to where it stands, with labels.
    game, round
        Keys of the round under way, or of the last one.
    undecided
        Who must choose among which moves; None when the match is over.
    n_rounds
        Rounds that are over.
    """

    rows: Rows
    game: int
    round: int
    undecided: Undecided | None
    n_rounds: int

    @property
    def step(self) -> int:
        """Key `step` of the row that comes next in the round."""
        return int(self.rows["step"][-1]) + 1


class Sitting:
    """A match with people.

    Parameters
    ----------
    config
        The match: one, with people at some seats, and of so many games.
    progress
        Told when something is compiled.

    Attributes
    ----------
    choices
        By seat, the choices of the people.
    seats
        The seats as the core takes them, without the choices.
    standing
        The match as it stands.

    Raises
    ------
    StrategyError
        If a user's function failed, or a choice is none of the legal moves.
    """

    def __init__(self, config: RunConfig, progress: Progress | None = None) -> None:
        self.config = config
        self.choices = {number: list(spec.choices) for number, spec in enumerate(config.seats) if spec.kind == PERSON}
        ready = players(config, progress or Silent())
        self._kernel, self.seats = ready.kernel, ready.seats
        try:
            self.standing = self._look()
        except StrategyError as error:
            if any(self.choices.values()):
                raise Damaged(f"the choices that were kept are none of this match: {error}") from error
            raise
        self._refuse_surplus()

    def _refuse_surplus(self) -> None:
        """Refuse choices that were kept but are never asked for."""
        rows = self.standing.rows
        made = [seat for event, seat in zip(rows["event"], rows["seat"], strict=True) if is_move(event)]
        for seat, choices in self.choices.items():
            if made.count(seat) != len(choices):
                raise Damaged(f"the choices that were kept for seat {seat} are more than it made")

    @property
    def people(self) -> tuple[int, ...]:
        """Seats at which people sit."""
        return tuple(self.choices)

    def choose(self, position: int) -> None:
        """Play a move of `standing.undecided.moves`.

        Raises
        ------
        ValueError
            If there is no such move.
        StrategyError
            If a user's function failed.
        """
        asked = self.standing.undecided
        if asked is None or not 0 <= position < len(asked.moves):
            raise ValueError(f"there is no move {position}")
        self.choices[asked.seat].append(position)
        self.standing = self._look()

    def _look(self) -> Standing:
        seats = tuple(
            replace(seat, choices=tuple(self.choices[number])) if number in self.choices else seat
            for number, seat in enumerate(self.seats)
        )
        run = self._kernel.start(task_of(self.config, seats, Range(0, 1), 1, "events"))
        table, taken = self.config.spec.tables["events"], dict[str, list[Any]]()
        undecided, more = None, True
        while more and undecided is None:
            try:
                more = run.advance(1)
            except Undecided as question:
                undecided = question
            columns = run.take(everything=undecided is not None or not more).get("events", {})
            for name, values in columns.items():
                taken.setdefault(name, []).extend(with_labels(table, name, values.tolist()))
        if undecided is not None:
            taken = _before(taken, undecided)
        return Standing(
            dict(taken), taken["game"][-1], taken["round"][-1], undecided, run.n_rounds() - (undecided is not None)
        )

    def finished(self) -> RunConfig | None:
        """The run of the rounds that are over; None before the first one is."""
        if not self.standing.n_rounds:
            return None
        made = {number: len(choices) for number, choices in self.choices.items()}
        if self.standing.undecided is not None:
            made = _made_before(self.standing, self.people)
        seats = tuple(
            spec.with_choices(self.choices[number][: made[number]]) if number in made else spec
            for number, spec in enumerate(self.config.seats)
        )
        if self.standing.undecided is None:
            return replace(self.config, seats=seats)
        return replace(self.config, seats=seats, games_per_match=0, rounds_per_match=self.standing.n_rounds)


def is_move(event: str) -> bool:
    """Whether an event is a decision."""
    return event in ("lead", "play")


def _before(rows: dict[str, list[Any]], undecided: Undecided) -> dict[str, list[Any]]:
    """Rows up to the decision."""
    made = 0
    for number, (event, seat) in enumerate(zip(rows["event"], rows["seat"], strict=True)):
        if seat == undecided.seat and is_move(event):
            if made == undecided.n_chosen:
                return {name: values[:number] for name, values in rows.items()}
            made += 1
    raise AssertionError("the core asks at a move")


def _made_before(standing: Standing, people: Sequence[int]) -> dict[int, int]:
    """By seat, the choices that were made before the round under way."""
    made = dict.fromkeys(people, 0)
    here = (standing.game, standing.round)
    rows = standing.rows
    for event, seat, game, round_ in zip(rows["event"], rows["seat"], rows["game"], rows["round"], strict=True):
        if seat in made and is_move(event) and (game, round_) < here:
            made[seat] += 1
    return made


@dataclass
class Keeper:
    """Keeps a match on disk; see `keep`.

    Attributes
    ----------
    directory
        Where.
    sitting
        The match.
    """

    directory: Location
    sitting: Sitting
    _dataset: Dataset | None = field(default=None, repr=False)
    _kept_rounds: int = field(default=0, repr=False)

    def _manifest(self, config: RunConfig) -> dict[str, Any]:
        plan, about = make_plan(config), provenance(config)
        return {
            **about,
            "status": "running",
            "matches": 1,
            "plan": {"matches_per_batch": plan.batch, "matches_per_part": plan.part},
            "parts": [],
            "totals": {},
            "run": {},
            PLAY: self._play(about["identity"]),
        }

    def _play(self, identity: str) -> dict[str, Any]:
        games = self.sitting.config.games_per_match
        choices = {str(seat): list(made) for seat, made in self.sitting.choices.items()}
        return {"games": games, "choices": choices, "identity": play_identity(identity, games, choices)}

    def begin(self) -> None:
        """Write what there is: the manifest, and the rounds that are over."""
        nothing_yet = replace(self.sitting.config, games_per_match=0, rounds_per_match=1)
        config = self.sitting.finished() or nothing_yet
        self._dataset = Dataset.begin(self.directory, self._manifest(config), overwrite=True)
        if config is nothing_yet:
            self._dataset.take_place()
        else:
            Runner(config, self._dataset, players(config, Silent()), Threads(1), Silent(), Event()).run()
        self._kept_rounds = self.sitting.standing.n_rounds

    def keep(self) -> None:
        """Keep the last choice, and the rounds that are over if one has just ended."""
        if self._dataset is not None:
            # in any case, since rounds that are over take their place when they have been played once more
            self._dataset.manifest[PLAY] = self._play(self._dataset.manifest["identity"])
            self._dataset.save()
        if self._dataset is None or self._kept_rounds != self.sitting.standing.n_rounds:
            self.begin()


@contextmanager
def keep(sitting: Sitting, directory: Location, take_over: bool = False) -> Iterator[Keeper]:
    """Hold a directory for a match, so that no other process plays it on at the same time.

    Parameters
    ----------
    sitting
        The match.
    directory
        Where it is kept.
    take_over
        Take it from a process that was killed, where the place cannot know that it was.

    Raises
    ------
    Refused
        If it is in use.
    """
    with storage_of(directory).hold(take_over):
        keeper = Keeper(directory, sitting)
        keeper.begin()
        yield keeper


def resumed(directory: Location, trust: bool = False) -> RunConfig:
    """The match that a directory holds, with all choices.

    Parameters
    ----------
    directory
        Where it is.
    trust
        Whether Python code that came with it may be run.

    Raises
    ------
    BadInput
        If it holds something else.
    Refused
        If another version began it.
    Damaged
        If its manifest cannot be read.
    """
    dataset = Dataset.open(directory)
    manifest = dataset.manifest
    if PLAY not in manifest:
        what = f"a study of `{manifest['study']}`" if "study" in manifest else "a run that nobody plays"
        raise BadInput(f"{directory} holds {what}; a game is begun by `domeng-sim play` and a new directory")
    config = dataset.config.trusting() if trust else dataset.config
    lines = differences(dataset, config)
    if lines:
        # the same choices might be other moves of other hands
        raise Refused(f"{directory} was begun by another version and is gone on with by that: {'; '.join(lines)}")
    choices = {int(seat): made for seat, made in manifest[PLAY]["choices"].items()}
    seats = tuple(_with_choices(spec, choices.get(number, ())) for number, spec in enumerate(config.seats))
    return replace(config, seats=seats, rounds_per_match=0, games_per_match=manifest[PLAY]["games"])


def _with_choices(spec: StrategySpec, choices: Sequence[int]) -> StrategySpec:
    return spec.with_choices(choices) if spec.kind == PERSON else spec
