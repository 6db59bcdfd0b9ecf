"""Play matches into memory or into a directory, and open what was played."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from domeng_sim.api.frames import Memory, Tables, opened
from domeng_sim.api.options import (
    Strategies,
    as_bad_input,
    check_alone,
    check_numbers,
    find_game,
    find_strategies,
    options_of,
)
from domeng_sim.core import jit
from domeng_sim.core.tables import LEVELS
from domeng_sim.errors import BadInput
from domeng_sim.runs import engine, runner
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.plan import Range, make_plan
from domeng_sim.runs.provenance import provenance, provenance_text
from domeng_sim.runs.store import schema
from domeng_sim.runs.store.dataset import Dataset
from domeng_sim.runs.store.files import directory_path
from domeng_sim.strategies.resolve import seat

if TYPE_CHECKING:
    from os import PathLike

DEFAULT_ROUNDS = 100_000
"""A tenth of what the command plays: they are kept in memory."""

DEFAULT_GAMES = 10


@options_of
def make_config(
    *,
    matches: int | None = None,
    rounds: int | None = None,
    games_per_match: int | None = None,
    rounds_per_match: int | None = None,
    strategy: str | None = None,
    seats: Strategies | None = None,
    rules: Mapping[str, int | str] | None = None,
    seed: int = 0,
    tables: str = "rounds",
    hands: bool = False,
    game: str = "domeng",
) -> RunConfig:
    """The configuration of a run.

    Parameters
    ----------
    matches
        How many matches.
    rounds
        Whole matches until at least so many rounds.  100,000 if neither this nor `matches` is given.
    games_per_match
        Games of a match; 10 if nothing is said.
    rounds_per_match
        Rounds of a match, in place of games; with 1, all rounds are first rounds.
    strategy
        One for all seats, ``random`` if nothing is said: a name, a TOML file or a function, as on the command line.
    seats
        In its place a list with one for each seat, five in Domeng, two in Draw.
    rules
        Options and amounts that differ from the defaults, as in ``{"stones": 30}``.
    seed
        0 to 2^64 - 1; 0 if nothing is said, so that the same call gives the same rows.
    tables
        Up to which level tables are kept: ``summary``, ``games``, ``rounds`` (the default) or ``events``.
    hands
        Whether the hands as dealt stand in the `rounds` table; not, if nothing is said.
    game
        ``domeng`` (the default) or ``draw``.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.
    """
    check_alone(matches=matches, rounds=rounds)
    check_alone(games_per_match=games_per_match, rounds_per_match=rounds_per_match)
    check_alone(strategy=strategy, seats=seats)
    size = check_numbers(matches=matches, rounds=rounds)
    length = check_numbers(games_per_match=games_per_match, rounds_per_match=rounds_per_match)
    spec = find_game(game)
    if seats is None:
        players = find_strategies("strategy", ["random" if strategy is None else strategy], spec, 1) * spec.seats
    else:
        players = find_strategies("seats", seats, spec, spec.seats)
    with as_bad_input():
        return RunConfig(
            game=game,
            rules=spec.resolve_rules(rules or {}),
            seats=players,
            seed=check_numbers(seed=seed)["seed"] or 0,
            matches=size["matches"] or 0,
            rounds=size["rounds"] or (0 if size["matches"] else DEFAULT_ROUNDS),
            games_per_match=length["games_per_match"] or (0 if length["rounds_per_match"] else DEFAULT_GAMES),
            rounds_per_match=length["rounds_per_match"] or 0,
            level=tables,
            hands=hands,
        )


@options_of
def simulate(
    *,
    matches: int | None = None,
    rounds: int | None = None,
    games_per_match: int | None = None,
    rounds_per_match: int | None = None,
    strategy: str | None = None,
    seats: Strategies | None = None,
    rules: Mapping[str, int | str] | None = None,
    seed: int = 0,
    tables: str = "rounds",
    hands: bool = False,
    game: str = "domeng",
) -> Tables:
    """Play and return the tables, without touching the disk, on one thread.

    Parameters
    ----------
    matches
        How many matches.
    rounds
        Whole matches until at least so many rounds.  100,000 if neither this nor `matches` is given.
    games_per_match
        Games of a match; 10 if nothing is said.
    rounds_per_match
        Rounds of a match, in place of games; with 1, all rounds are first rounds.
    strategy
        One for all seats, ``random`` if nothing is said: a name, a TOML file or a function, as on the command line.
    seats
        In its place a list with one for each seat, five in Domeng, two in Draw.
    rules
        Options and amounts that differ from the defaults, as in ``{"stones": 30}``.
    seed
        0 to 2^64 - 1; 0 if nothing is said, so that the same call gives the same rows.
    tables
        Up to which level tables are kept: ``summary``, ``games``, ``rounds`` (the default) or ``events``.
    hands
        Whether the hands as dealt stand in the `rounds` table; not, if nothing is said.
    game
        ``domeng`` (the default) or ``draw``.

    Returns
    -------
    Tables
        All in memory; for more than some ten million rounds use `run`.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.

    Examples
    --------
    >>> import domeng_sim
    >>> played = domeng_sim.simulate(matches=20, seed=1)
    >>> played.rounds.winner.loc[(0, 0)].tolist()[:5]
    [3, 4, 1, 2, 4]
    >>> played.games.shape[0]
    200
    """
    return _in_memory(
        make_config(
            matches=matches,
            rounds=rounds,
            games_per_match=games_per_match,
            rounds_per_match=rounds_per_match,
            strategy=strategy,
            seats=seats,
            rules=rules,
            seed=seed,
            tables=tables,
            hands=hands,
            game=game,
        )
    )


def _in_memory(config: RunConfig) -> Tables:
    """Play without touching the disk."""
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


@options_of
def run(
    directory: str | PathLike[str],
    *,
    threads: int = 1,
    resume: bool = False,
    overwrite: bool = False,
    matches: int | None = None,
    rounds: int | None = None,
    games_per_match: int | None = None,
    rounds_per_match: int | None = None,
    strategy: str | None = None,
    seats: Strategies | None = None,
    rules: Mapping[str, int | str] | None = None,
    seed: int = 0,
    tables: str = "rounds",
    hands: bool = False,
    game: str = "domeng",
) -> Tables:
    """Play a run into a directory, as ``domeng-sim run`` does.

    Parameters
    ----------
    directory
        Where the dataset goes; it must not exist, unless `resume` or `overwrite`.
    threads
        How many threads play, 1 if nothing is said; the rows do not depend on it.
    resume
        Go on with the run that is there, whose other options must be said again; begin it where nothing is yet.
    overwrite
        Replace a dataset that is there; other files in it stay.
    matches
        How many matches.
    rounds
        Whole matches until at least so many rounds.  100,000 if neither this nor `matches` is given.
    games_per_match
        Games of a match; 10 if nothing is said.
    rounds_per_match
        Rounds of a match, in place of games; with 1, all rounds are first rounds.
    strategy
        One for all seats, ``random`` if nothing is said: a name, a TOML file or a function, as on the command line.
    seats
        In its place a list with one for each seat, five in Domeng, two in Draw.
    rules
        Options and amounts that differ from the defaults, as in ``{"stones": 30}``.
    seed
        0 to 2^64 - 1; 0 if nothing is said, so that the same call gives the same rows.
    tables
        Up to which level tables are kept: ``summary``, ``games``, ``rounds`` (the default) or ``events``.
    hands
        Whether the hands as dealt stand in the `rounds` table; not, if nothing is said.
    game
        ``domeng`` (the default) or ``draw``.

    Returns
    -------
    Tables
        Read from the disk when they are looked at.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.
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
    if resume and overwrite:
        raise BadInput("resume and overwrite do not go together; give one of them")
    config = make_config(
        matches=matches,
        rounds=rounds,
        games_per_match=games_per_match,
        rounds_per_match=rounds_per_match,
        strategy=strategy,
        seats=seats,
        rules=rules,
        seed=seed,
        tables=tables,
        hands=hands,
        game=game,
    )
    n_threads = check_numbers(threads=threads)["threads"] or 1
    result = runner.run(config, directory_path(directory), threads=n_threads, resume=resume, overwrite=overwrite)
    return opened(result.dataset)


@options_of
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
