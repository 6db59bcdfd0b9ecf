"""Play matches into memory or into a directory, and open what was played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
import pyarrow as pa

from domeng_sim import engine, runner, schema
from domeng_sim.api.tables import Memory, Tables, opened
from domeng_sim.core import jit
from domeng_sim.dataset import Dataset
from domeng_sim.games import game as game_of
from domeng_sim.plan import Range, RunConfig, make_plan
from domeng_sim.provenance import provenance, provenance_text
from domeng_sim.strategies.spec import resolve, seat
from domeng_sim.tables import LEVELS

if TYPE_CHECKING:
    from os import PathLike

Strategies = str | Sequence[str]
"""One strategy for all seats, or one for each."""


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
    return Tables(spec, {**provenance(config), "matches": first}, Memory(tables, np.concatenate(counts)))


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
    return opened(runner.run(make_config(**options), Path(directory), threads=threads, resume=resume).dataset)


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
    return opened(Dataset.open(Path(directory)))
