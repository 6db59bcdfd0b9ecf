"""Positions out of a dataset: from its `events` table, or, where that is not stored, by playing the match again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from domeng_sim.codes import labels
from domeng_sim.dataset import Dataset
from domeng_sim.engine import BUDGET
from domeng_sim.errors import BadInput, Damaged
from domeng_sim.games.spec import GameSpec, PositionError, RuleValue, Task
from domeng_sim.strategies.spec import StrategySpec, seat
from domeng_sim.studies.odds import odds_of
from domeng_sim.tables import Table

Rows = dict[str, Sequence[Any]]


def position_of_run(
    directory: Path,
    match: int,
    game: int,
    round_: int,
    step: int,
    seat_asking: int | None = None,
    open_hands: bool = False,
    replay: bool = False,
) -> tuple[GameSpec, dict[str, RuleValue], Any]:
    """The position before a step of a round that a run played.

    Parameters
    ----------
    directory
        Of the run.
    match, game, round_, step
        The keys of a row of the `events` table.
    seat_asking
        Who asks; None for whose turn it is.
    open_hands
        Whether all hands are known.
    replay
        Play the match once more even where the table was stored.

    Returns
    -------
    spec
        The game.
    rules
        Those of the run.
    position
        As `spec.odds.read` gives it.

    Raises
    ------
    BadInput
        If the run has no such step, or nothing is played there.
    Damaged
        If a file cannot be read.
    """
    dataset = Dataset.open(directory)
    manifest = dataset.manifest
    if "study" in manifest:
        raise BadInput(f"{directory} holds a study of `{manifest['study']}`, not a run")
    matches = manifest["matches"]
    if matches is not None and match >= matches:
        raise BadInput(f"{directory} has the matches 0 to {matches - 1}, not {match}")
    spec = dataset.spec
    rules = spec.resolve_rules(manifest["rules"])
    rows = None if replay else _stored(dataset, match)
    if rows is None:
        rows = _replayed(spec, rules, manifest, match)
    try:
        return spec, rules, odds_of(spec).from_rows(rows, rules, game, round_, step, seat_asking, open_hands)
    except PositionError as error:
        raise BadInput(f"{directory}, match {match}: {error}") from error


def _stored(dataset: Dataset, match: int) -> Rows | None:
    """Rows of a match from the `events` table; None if it was not stored, or not yet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for part in dataset.parts:
        if part.table == "events" and part.first_match <= match <= part.last_match:
            path = dataset.directory / part.path
            if not path.is_file():
                return None
            try:
                table = pq.read_table(path, filters=[("match", "=", match)], partitioning=None)
            except (pa.lib.ArrowException, OSError) as error:
                raise Damaged(
                    f"{path} cannot be read; `domeng-sim verify {dataset.directory}` checks all parts"
                ) from error
            return {name: table[name].to_pylist() for name in table.column_names}
    return None


def _replayed(spec: GameSpec, rules: dict[str, RuleValue], manifest: dict[str, Any], match: int) -> Rows:
    """Rows of a match, played once more by the strategies in the manifest."""
    seats = tuple(seat(StrategySpec.from_json(record)) for record in manifest["seats"])
    task = Task(
        rules=rules,
        seats=seats,
        seed=int(manifest["seed"]),
        games=manifest.get("games_per_match", 0),
        rounds=manifest.get("rounds_per_match", 0),
        first_match=match,
        end_match=match + 1,
        cluster=1,
        level="events",
    )
    run = spec.kernel().start(task)
    table = spec.tables["events"]
    rows: dict[str, list[Any]] = {column.name: [] for column in table if column.optional is None}
    more = True
    while more:
        more = run.advance(BUDGET)
        taken = run.take(everything=not more).get("events", {})
        for name, values in taken.items():
            rows[name] += _with_labels(table, name, values.tolist())
    return dict(rows)


def _with_labels(table: Table, name: str, values: list[int]) -> list[Any]:
    code = table[name].code
    if code is None:
        return values
    names = labels(code)
    return [names[value] if value >= 0 else None for value in values]
