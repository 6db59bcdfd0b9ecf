"""The library: a few functions that do what the commands do, for notebooks and programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from domeng_sim import engine, runner, schema
from domeng_sim.core import jit
from domeng_sim.dataset import Dataset
from domeng_sim.errors import BadInput
from domeng_sim.games import game as game_of
from domeng_sim.games.spec import GameSpec
from domeng_sim.plan import Range, RunConfig, make_plan
from domeng_sim.provenance import provenance, provenance_text
from domeng_sim.strategies.spec import resolve, seat
from domeng_sim.studies.answers import Odds
from domeng_sim.studies.compare import compare as compare_blocks
from domeng_sim.studies.comparison import Comparison
from domeng_sim.studies.figures import Figures, figures
from domeng_sim.studies.lineups import Setting
from domeng_sim.studies.looks import Session
from domeng_sim.studies.odds import DEFAULT_SAMPLES, exact_odds, odds_of, sampled_odds
from domeng_sim.studies.odds import Session as OddsSession
from domeng_sim.studies.questions import Gate, Question
from domeng_sim.studies.report import Report
from domeng_sim.studies.report import report as make_report
from domeng_sim.studies.stopping import DEFAULT_MAX_BLOCKS, Stopping, parse_until
from domeng_sim.tables import KEY_NAMES, LEVELS

if TYPE_CHECKING:
    from os import PathLike

Strategies = str | Sequence[str]
"""One strategy for all seats, or one for each."""


def _indexed(table: pa.Table) -> pd.DataFrame:
    """A data frame whose index is the key of the table: match, game, round, step, as far as it has them."""
    frame = table.to_pandas()
    frame = frame.set_index([name for name in KEY_NAMES if name in frame.columns])
    frame.attrs.update(json.loads(table.schema.metadata[b"PANDAS_ATTRS"]))
    return frame


class PlayOptions(TypedDict, total=False):
    """What `make_config` takes, and so `simulate` and `run`."""

    matches: int | None
    rounds: int | None
    games_per_match: int
    rounds_per_match: int | None
    strategies: Strategies
    rules: Mapping[str, int | str] | None
    seed: int
    tables: str
    hands: bool
    game: str


@dataclass(frozen=True, repr=False)
class Tables:
    """Result tables as data frames, read when they are first looked at.

    Attributes
    ----------
    game
        The game.
    manifest
        How the tables were made.
    """

    game: GameSpec
    manifest: Mapping[str, Any]
    _source: Any

    def __repr__(self) -> str:
        matches, level = self.manifest["matches"], self.manifest["tables"]
        return f"<Tables of {self.game.title}: {matches} matches, tables up to {level!r}, seed {self.manifest['seed']}>"

    def table(self, name: str, columns: list[str] | None = None) -> pd.DataFrame:
        """A table, indexed by its key.

        Parameters
        ----------
        name
            ``games``, ``rounds`` or ``events``.
        columns
            Columns to read besides the key; None for all.

        Raises
        ------
        BadInput
            If it was not stored.
        """
        keys = [key for key in KEY_NAMES if any(column.name == key for column in self.game.tables[name])]
        return _indexed(self._source.read(name, None if columns is None else keys + columns))

    @cached_property
    def games(self) -> pd.DataFrame:
        """The `games` table."""
        return self.table("games")

    @cached_property
    def rounds(self) -> pd.DataFrame:
        """The `rounds` table."""
        return self.table("rounds")

    @cached_property
    def events(self) -> pd.DataFrame:
        """The `events` table."""
        return self.table("events")

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """Counts of the batches, shape (batches, counters); see `GameSpec.counts`."""
        counts: npt.NDArray[np.int64] = self._source.counts()
        return counts

    @cached_property
    def figures(self) -> Figures:
        """Odds and means with their intervals."""
        return figures(self.game, self.manifest["rules"], self.counts)


class _Memory:
    """Tables that were never on disk."""

    def __init__(self, tables: Mapping[str, pa.Table], counts: npt.NDArray[np.int64]) -> None:
        self._tables, self._counts = tables, counts

    def read(self, name: str, columns: list[str] | None = None) -> pa.Table:
        if name not in self._tables:
            raise ValueError(f"the table {name!r} was not kept; ask for it with tables={name!r}")
        table = self._tables[name]
        return table if columns is None else table.select(columns)

    def counts(self) -> npt.NDArray[np.int64]:
        return self._counts


def make_config(
    *,
    matches: int | None = None,
    rounds: int | None = None,
    games_per_match: int = 10,
    rounds_per_match: int | None = None,
    strategies: Strategies = "random",
    rules: Mapping[str, int | str] | None = None,
    seed: int = 0,
    tables: str = "rounds",
    hands: bool = False,
    game: str = "domeng",
) -> RunConfig:
    """The configuration of a run.

    Parameters
    ----------
    matches, rounds
        How much to play: matches, or whole matches until at least so many rounds. 100,000 rounds if neither is given.
    games_per_match, rounds_per_match
        Length of a match; `rounds_per_match` takes the place of the games.
    strategies
        One strategy for all seats, or one for each: names, TOML files or functions, as on the command line.
    rules
        Options and amounts that differ from the defaults.
    seed
        0 to 2^64 - 1.
    tables
        ``summary``, ``games``, ``rounds`` or ``events``: tables up to this level are kept.
    hands
        Whether the hands as dealt stand in the `rounds` table.
    game
        Name of the game.

    Raises
    ------
    ValueError
        If something cannot be taken; the message says what would be right.
    """
    spec = game_of(game)
    texts = [strategies] * spec.seats if isinstance(strategies, str) else list(strategies)
    return RunConfig(
        game=game,
        rules=spec.resolve_rules(rules or {}),
        seats=tuple(resolve(text, spec) for text in texts),
        seed=seed,
        matches=matches or 0,
        rounds=rounds or (0 if matches else 100_000),
        games_per_match=0 if rounds_per_match else games_per_match,
        rounds_per_match=rounds_per_match or 0,
        level=tables,
        hands=hands,
    )


def simulate(**options: Unpack[PlayOptions]) -> Tables:
    """Play and return the tables, without touching the disk.

    Parameters
    ----------
    **options
        As `make_config` takes them.  With `rounds`, matches are played until there are enough.

    Returns
    -------
    Tables
        All in memory; for more than some ten million rounds use `run`.

    Examples
    --------
    >>> import domeng_sim
    >>> played = domeng_sim.simulate(matches=20, seed=1)
    >>> played.rounds.winner.loc[(0, 0)].tolist()[:5]
    [3, 4, 1, 2, 4]
    >>> played.games.shape[0]
    200
    """
    config = make_config(**options)
    spec, plan = config.spec, make_plan(config)
    kernel, seats = spec.kernel(), tuple(seat(strategy) for strategy in config.seats)
    schemas = {
        name: schema.table_schema(spec.tables[name], {"hands"} if config.hands else (), provenance_text(config))
        for name in LEVELS[1 : LEVELS.index(config.level) + 1]
    }
    batches: dict[str, list[pa.RecordBatch]] = {name: [] for name in schemas}

    def keep(name: str, columns: engine.Columns) -> None:
        copies = {column: values.copy() for column, values in columns.items()}
        batches[name].append(schema.to_batch(spec.tables[name], schemas[name], copies))

    counts, first, reached = [], 0, 0
    end = config.n_matches
    while end is None or first < end:
        if end is None:
            # the smallest number of matches with enough rounds: look at each before the rows are kept
            ahead = Range(first, first + plan.part)
            by_match = spec.rounds_of(engine.simulate(kernel, engine.task_of(config, seats, ahead, 1, "summary")))
            enough = np.flatnonzero(reached + np.cumsum(by_match) >= config.rounds)
            reached += int(by_match.sum())
            end = first + int(enough[0]) + 1 if len(enough) else None
        piece = Range(first, min(first + plan.part, end or first + plan.part))
        counts.append(engine.simulate(kernel, engine.task_of(config, seats, piece, plan.batch, config.level), keep))
        first = piece.end
    jit.mark_compiled(kernel.engine(seats, config.rules))
    tables = {name: pa.Table.from_batches(found, schemas[name]) for name, found in batches.items()}
    return Tables(spec, {**provenance(config), "matches": first}, _Memory(tables, np.concatenate(counts)))


def run(
    directory: str | PathLike[str], *, threads: int = 1, resume: bool = False, **options: Unpack[PlayOptions]
) -> Tables:
    """Play a run into a directory, as ``domeng-sim run`` does.

    Parameters
    ----------
    directory
        Where the dataset goes; it must not exist, unless `resume`.
    threads
        How many threads play; the rows do not depend on it.
    resume
        Go on with the run that is there.
    **options
        As `make_config` takes them.

    Returns
    -------
    Tables
        Read from the disk when they are looked at.

    Raises
    ------
    UserError
        If the directory holds something else, or the disk is full.

    Examples
    --------
    >>> import domeng_sim, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     played = domeng_sim.run(f"{folder}/first", matches=20, seed=1)
    ...     played.games.shape[0]
    200
    """
    return _opened(runner.run(make_config(**options), Path(directory), threads=threads, resume=resume).dataset)


def load(directory: str | PathLike[str]) -> Tables:
    """The tables of a dataset.

    Parameters
    ----------
    directory
        A run's directory.

    Raises
    ------
    BadInput
        If it is no dataset.
    Damaged
        If its manifest cannot be read.

    Examples
    --------
    >>> import domeng_sim, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = domeng_sim.run(f"{folder}/first", matches=20, seed=1)
    ...     domeng_sim.load(f"{folder}/first")
    <Tables of Domeng: 20 matches, tables up to 'rounds', seed 1>
    """
    return _opened(Dataset.open(Path(directory)))


DEFAULT_BLOCKS = 2_000
"""Blocks that `compare` plays if nothing is said."""


def compare(
    a: str,
    b: str,
    *,
    blocks: int | None = None,
    until: str | None = None,
    sprt: tuple[float, float] | None = None,
    max_blocks: int = DEFAULT_MAX_BLOCKS,
    against: Strategies | None = None,
    all_mixes: bool = False,
    games_per_match: int = 10,
    rules: Mapping[str, int | str] | None = None,
    seed: int = 0,
    threads: int = 1,
    game: str = "domeng",
) -> Comparison:
    """Compare two strategies on the same deals, as ``domeng-sim compare`` does.

    Parameters
    ----------
    a, b
        Names, TOML files or functions, as on the command line.
    blocks
        How many blocks, fixed beforehand: the intervals are Student's. If nothing else is said, 2000.
    until
        Go on until the share is known so well, as in ``0.2pp``, or until it is ``decided``; intervals then hold at
        every look.
    sprt
        Two shares that a sequential test tells apart, as in ``(0.20, 0.21)``; see `Comparison.test`.
    max_blocks
        Where `until` and `sprt` give up.
    against
        A strategy, or one for each other seat, into whose table both go in turn; None to let them meet each other, in
        Domeng one among four both ways.
    all_mixes
        Whether all 32 seatings of both are played; in Domeng only.
    games_per_match
        Games of a match; a block is one match.
    rules
        Options and amounts that differ from the defaults.
    seed
        0 to 2^64 - 1.
    threads
        How many threads play; the answer does not depend on it.
    game
        The game.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.

    Examples
    --------
    >>> import domeng_sim
    >>> answer = domeng_sim.compare("random", "random", blocks=100)
    >>> answer.ends[0].share.value, answer.ends[0].share.half_width
    (0.2, 0.0)
    >>> domeng_sim.compare("starver", "random", game="draw", until="decided").sentence
    'starver is better than random'
    >>> domeng_sim.compare("heaviest", "random", game="draw", sprt=(0.5, 0.55)).test.verdict
    'H1'
    """
    spec = game_of(game)
    setting = Setting(game, spec.resolve_rules(rules or {}), seed, games_per_match)
    if sprt is not None and (blocks or until):
        raise BadInput("sprt decides when to stop; it goes with max_blocks only")
    radius, decided = (0.0, False) if until is None else parse_until(until)
    if blocks is None:
        blocks = 0 if until or sprt else DEFAULT_BLOCKS
    company: list[str] = []
    if against is not None:
        company = [against] * (spec.seats - 1) if isinstance(against, str) else list(against)
    question = Question(
        setting,
        resolve(a, spec),
        resolve(b, spec),
        (1,) if sprt or spec.seats == 2 else (1, spec.seats - 1),
        all_mixes,
        tuple(resolve(text, spec) for text in company),
        None if sprt is None else Gate(*sprt),
    )
    stopping = Stopping(blocks=blocks, radius=radius, decided=decided, max_blocks=max_blocks)
    return compare_blocks(question, stopping, Session(threads=threads))


def odds(
    *,
    samples: int | None = None,
    until: str | None = None,
    exact: bool = False,
    own: str = "random",
    opponents: Strategies = "random",
    rules: Mapping[str, int | str] | None = None,
    seed: int = 0,
    threads: int = 1,
    game: str = "domeng",
    **position: str | int | Sequence[int],
) -> Odds:
    """Odds of each move of a position, as ``domeng-sim odds`` gives them.

    Parameters
    ----------
    samples
        Deals drawn among those that agree with what was seen; 100,000 if nothing is said.
    until
        Draw until winning is known so well, as in ``0.5pp``, in place of a number of samples.
    exact
        Go through all courses of the round on all of these deals instead, all players playing at random.
    own
        How the player who asks plays on.
    opponents
        How the others do: one strategy, or one for each, by seat.
    rules
        Options and amounts that differ from the defaults.
    seed
        0 to 2^64 - 1.
    threads
        How many threads play; the odds do not depend on it.
    game
        The game.
    **position
        Written as on the command line, several numbers also as a tuple: in Domeng ``hand``, ``hands``, ``log``,
        ``stones``, ``table``, ``seat``, ``camat``, ``first_round``, in Draw ``hand``, ``hands``, ``log``, ``seat``,
        ``scores``.

    Raises
    ------
    PositionError
        If there can be no such position; the message says why.

    Examples
    --------
    >>> import domeng_sim
    >>> asked = {"hand": "6|5 4|1 3|1 2|1", "log": "0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r", "stones": "2,1,2,3,4"}
    >>> answer = domeng_sim.odds(samples=2000, **asked)
    >>> sorted(move.text for move in answer.moves)
    ['2|1 left', '4|1 right']
    >>> domeng_sim.odds(until="2pp", **asked | {"stones": (2, 1, 2, 3, 4)}).reason
    'until'
    >>> answer = domeng_sim.odds(game="draw", samples=2000, hand="6|2 5|4 4|1 3|3 3|2 1|1", log="0:6|6 1:6|4r")
    >>> sorted(move.text for move in answer.moves)
    ['4|1 right', '5|4 right', '6|2 left']
    """
    spec = game_of(game)
    asked = odds_of(spec)
    texts = {name.replace("_", "-"): _written(value) for name, value in position.items()}
    radius, decided = (0.0, False) if until is None else parse_until(until)
    if decided:
        raise BadInput("until takes a half-width in percentage points, such as 0.5pp")
    if until and (samples or exact):
        raise BadInput("until stands in place of samples, and does not go with exact")
    found = asked.read(texts, spec.resolve_rules(rules or {}))
    session = OddsSession(threads=threads)
    if exact:
        return exact_odds(spec, found, session=session)
    others = [opponents] * (spec.seats - 1) if isinstance(opponents, str) else list(opponents)
    others.insert(found.seat, own)
    seats = [seat(resolve(text, spec)) for text in others]
    return sampled_odds(spec, found, seats, seed, samples or DEFAULT_SAMPLES, until=radius, session=session)


def _written(value: str | int | Sequence[int]) -> str:
    """A part of a position as on the command line."""
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ",".join(map(str, value))


def report(*directories: str | PathLike[str], tables: str = "events", threads: int = 1) -> Report:
    """What came out of a run, or of several side by side, as ``domeng-sim report`` shows it.

    Parameters
    ----------
    *directories
        Datasets; the others are compared with the first.
    tables
        Tables beyond this level are not read.
    threads
        How many threads read.

    Raises
    ------
    BadInput
        If a directory holds no run, or the runs are of different games.

    Examples
    --------
    >>> import domeng_sim, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = domeng_sim.run(f"{folder}/first", matches=20, seed=1, tables="games")
    ...     made = domeng_sim.report(f"{folder}/first")
    >>> made.chapters[0].title
    'How rounds end'
    """
    return make_report([Path(directory) for directory in directories], tables=tables, threads=threads)


def _opened(dataset: Dataset) -> Tables:
    return Tables(dataset.spec, dataset.manifest, dataset)


__all__ = [
    "Comparison",
    "Figures",
    "Odds",
    "Report",
    "Tables",
    "compare",
    "load",
    "make_config",
    "odds",
    "report",
    "run",
    "simulate",
]
