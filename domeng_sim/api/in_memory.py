"""Play matches into memory."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa

from domeng_sim.api.frames import Memory, Tables
from domeng_sim.core.tables import LEVELS
from domeng_sim.runs import engine
from domeng_sim.runs.config import RunConfig
from domeng_sim.runs.plan import make_plan
from domeng_sim.runs.provenance import provenance, provenance_text
from domeng_sim.runs.store import schema
from domeng_sim.runs.until import matches_until, rounds_by_match
from domeng_sim.strategies.spec import seat


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

    end = config.n_matches
    if end is None:
        ahead = (rounds_by_match(config, kernel, seats, plan.range(number, None)) for number in itertools.count())
        end = matches_until(config.rounds, 0, ahead)
        assert end is not None
    pieces = list(plan.ranges(plan.span(end)))
    counts = [
        engine.simulate(kernel, engine.task_of(config, seats, piece, plan.batch, config.level), keep)
        for piece in pieces
    ]
    tables = {name: pa.Table.from_batches(found, schemas[name]) for name, found in batches.items()}
    return Tables(spec, {**provenance(config), "matches": end}, Memory(tables, np.concatenate(counts)))
