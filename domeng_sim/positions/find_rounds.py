"""Rounds of a run in which something happened, from its tables or played once more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from domeng_sim.core.codes import labels
from domeng_sim.errors import Interrupted
from domeng_sim.games.shared.narrative import Find
from domeng_sim.positions.replay import Source, unreadable, with_labels
from domeng_sim.runs.engine import BUDGET
from domeng_sim.runs.progress import Progress, Silent
from domeng_sim.runs.store.parts import Part, parquet_file

_MATCHES = 1 << 9
"""Matches that are searched at a time where they must be played again."""
_BATCH = 1 << 16


@dataclass(frozen=True)
class Hit:
    """A round in which something happened.

    Attributes
    ----------
    match, game, round
        Its keys.
    outcome
        Label of its outcome.
    winner
        Who won; -1 for nobody.
    starter
        Who led.
    plays
        Tiles played.
    """

    match: int
    game: int
    round: int
    outcome: str
    winner: int
    starter: int
    plays: int


_SHOWN = tuple(Hit.__dataclass_fields__)


def find_rounds(
    source: Source,
    find: Find,
    limit: int,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> list[Hit]:
    """The first rounds of a run in which something happened, in the order of the matches.

    Parameters
    ----------
    source
        A run, or a configuration with a number of matches.
    find
        What to look for.
    limit
        How many at most.
    progress
        Told of the matches looked through.
    should_stop
        Asked now and then.

    Raises
    ------
    Interrupted
        If `should_stop` said so.
    Damaged
        If a file cannot be read.
    """
    progress = progress or Silent()
    parts = _round_parts(source)
    total = max((end for _, end, _ in parts), default=0)
    progress.begin(total, 0, "matches")
    hits: list[Hit] = []
    try:
        for first, end, part in parts:
            found = _found_replaying(source, find, first, end) if part is None else _found_stored(source, find, part)
            for done, batch in found:
                hits += batch
                if len(hits) >= limit:
                    return hits[:limit]
                if should_stop():
                    raise Interrupted
                progress.update(done)
    finally:
        progress.end()
    return hits


def matches_to_find(source: Source) -> int:
    """How many matches `find_rounds` looks through."""
    return max((end for _, end, _ in _round_parts(source)), default=0)


def _round_parts(source: Source) -> list[tuple[int, int, Part | None]]:
    """Ranges of matches, each with the file of their rounds, or None where they must be played again."""
    dataset = source.dataset
    if dataset is None:
        return [(0, source.matches or 0, None)]
    wanted = "rounds" if "rounds" in dataset.tables else "summary"
    parts: list[Part] = sorted(
        (part for part in dataset.parts if part.table == wanted), key=lambda part: part.first_match
    )
    sizes = dataset.sizes()
    return [
        (part.first_match, part.last_match + 1, part if wanted == "rounds" and part.path in sizes else None)
        for part in parts
    ]


def _found_stored(source: Source, find: Find, part: Part) -> Iterator[tuple[int, list[Hit]]]:
    """Hits in a file of rounds, batch by batch, each with the match that was reached."""
    assert source.dataset is not None
    try:
        with parquet_file(source.dataset.directory, part) as file:
            for batch in file.iter_batches(_BATCH, columns=list(dict.fromkeys([*_SHOWN, find.column]))):
                mask = _matches_mask(batch.column(find.column), find)
                done = batch.column("match")[-1].as_py() if batch.num_rows else 0
                rows = batch.filter(mask).select(list(_SHOWN)).to_pylist()
                yield done, [Hit(**row) for row in rows]
    except (pa.lib.ArrowException, OSError, KeyError) as error:
        raise unreadable(part, source.dataset) from error


def _matches_mask(column: Any, find: Find) -> Any:
    """Which values are among those looked for; labels are compared by their position in the dictionary."""
    if pa.types.is_dictionary(column.type):
        known = column.dictionary.to_pylist()
        wanted = [k for k, label in enumerate(known) if label in find.values]
        return np.isin(column.indices, wanted)
    return np.isin(column, find.values)


def _found_replaying(source: Source, find: Find, first: int, end: int) -> Iterator[tuple[int, list[Hit]]]:
    """Hits in matches that are played again, some hundred at a time."""
    table = source.spec.tables["rounds"]
    code = table[find.column].code
    wanted = [labels(code).index(str(value)) for value in find.values] if code else [int(v) for v in find.values]
    kernel = source.spec.kernel()
    for begin in range(first, end, _MATCHES):
        run = kernel.start(source.task(begin, min(begin + _MATCHES, end), "rounds"))
        more = True
        while more:
            more = run.advance(BUDGET)
            columns = run.take(everything=True).get("rounds", {})
            if not columns or not len(columns["match"]):
                continue
            at = np.flatnonzero(np.isin(columns[find.column], wanted))
            picked = {name: with_labels(table, name, columns[name][at].tolist()) for name in _SHOWN}
            done = int(columns["match"][-1])
            yield done, [Hit(**dict(zip(picked, row, strict=True))) for row in zip(*picked.values(), strict=True)]
