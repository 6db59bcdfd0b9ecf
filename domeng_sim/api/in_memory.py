"""Play matches into memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from domeng_sim.api.frames import Memory, Tables
from domeng_sim.core import jit
from domeng_sim.core.tables import LEVELS
from domeng_sim.runs import engine
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.plan import Range, make_plan
from domeng_sim.runs.provenance import provenance, provenance_text
from domeng_sim.runs.store import schema
from domeng_sim.strategies.resolve import seat


def play_in_memory(config: RunConfig) -> Tables:
    """Play a run without touching the disk, on one thread.

    Parameters
    ----------
    config
        The run.
    """
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
