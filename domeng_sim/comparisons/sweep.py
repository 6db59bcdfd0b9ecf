"""How do shares and figures go over a grid of weights, options and rules?  The same deals at every point."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from domeng_sim.comparisons.block_estimates import Running, share_numerators, share_range
from domeng_sim.comparisons.blocks import Scores
from domeng_sim.comparisons.design import Lineup, same_play
from domeng_sim.comparisons.points import PointSums, figure, play, together
from domeng_sim.comparisons.sequential import Chunk, StudySession
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.comparisons.sweep_grid import SweepGrid
from domeng_sim.comparisons.sweep_result import SHARE, SweepCell, SweepResult, SweptFigure
from domeng_sim.games.shared.measures import Figure
from domeng_sim.runs.counters import Ints
from domeng_sim.stats.estimate import Estimate

MOST_GROUPS = 2_048
"""Groups of blocks that are bootstrapped at most: more tell no more of an error."""


def _measures(grid: SweepGrid) -> tuple[SweptFigure, ...]:
    spec, rules = grid.setting.spec, grid.setting.rules
    known = {one.key: one for one in spec.figures(rules) if isinstance(one, Figure)}
    figures = [known[key] for key in grid.setting.figures]
    share = SweptFigure(SHARE, spec.scoring(rules).share, "share", "share of games")
    return (
        *([share] if grid.company else []),
        *(SweptFigure(x.key, f"{x.column}: {x.label}" if x.column else x.label, x.kind, x.unit) for x in figures),
    )


def _reader(grid: SweepGrid) -> Callable[[Scores, Lineup], Ints]:
    """Numerators and denominators of all measures of a block."""

    def read(scores: Scores, lineup: Lineup) -> Ints:
        if not grid.company:
            return scores.figures
        share = share_numerators(scores, lineup, 0, grid.setting)
        whole = np.full_like(share, share_range(lineup, 0, grid.setting)[0])
        return np.concatenate([np.stack([share, whole], axis=1)[:, np.newaxis], scores.figures], axis=1)

    return read


class _Shares:
    """Scores of the changed strategy at each table, block by block, as in a comparison."""

    def __init__(self, grid: SweepGrid, lineups: tuple[Lineup, ...]) -> None:
        self._grid, self._lineups = grid, lineups
        self._found = []
        for lineup in lineups if grid.company else ():
            same = all(same_play(lineup.members[0], one) for one in lineup.members)
            self._found.append(Running(*share_range(lineup, 0, grid.setting), same))

    def add(self, chunk: Chunk) -> None:
        """Take in a chunk."""
        for running, scores, lineup in zip(self._found, chunk.scores, self._lineups, strict=False):
            running.add(share_numerators(scores, lineup, 0, self._grid.setting))

    def estimate(self, table: int, unit: str) -> Estimate:
        """Share at a table by itself."""
        return self._found[table].estimate(Stopping(blocks=self._grid.blocks, level=self._grid.level), 1, unit)


def _cells(
    grid: SweepGrid, sums: PointSums, shares: _Shares, tables: tuple[int, ...], measures: tuple[SweptFigure, ...]
) -> list[list[SweepCell]]:
    """Measures of all points, and their differences to those of the reference."""
    at = tables[grid.reference]
    apart = [(table, k) for table in range(len(sums.lineups)) if table != at for k in range(len(measures))]
    pairs = [
        (
            sums.sums[:, at, k],
            sums.sums[:, table, k],
            int(sums.differing[table, k]),
            f"difference, {measures[k].unit}",
        )
        for table, k in apart
    ]
    differences = dict(zip(apart, together(pairs, grid.level), strict=True))
    found = []
    for table in tables:
        row = []
        for k, measure in enumerate(measures):
            estimate = (
                shares.estimate(table, measure.unit)
                if measure.key == SHARE
                else figure(sums.sums[:, table, k], measure.kind, measure.unit, grid.level)
            )
            unit = f"difference, {measure.unit}"
            same = None if estimate.value is None else 0.0
            kind = "not-estimable" if same is None else "exact"
            nothing = Estimate(same, same, same, grid.level, kind, unit, estimate.clusters)
            row.append(SweepCell(estimate, differences.get((table, k), nothing), int(sums.differing[table, k])))
        found.append(row)
    return found


def sweep(grid: SweepGrid, session: StudySession | None = None) -> SweepResult:
    """Play a grid.

    Parameters
    ----------
    grid
        What is asked.
    session
        With how many threads, and where blocks are kept; the answer does not depend on it.

    Raises
    ------
    UserError
        If a user's function failed, or a file could not be written.
    """
    session = session or StudySession()
    started = time.perf_counter()
    lineups, tables = grid.tables()
    measures = _measures(grid)
    sums = PointSums(lineups, _reader(grid), tables[grid.reference], MOST_GROUPS)
    shares = _Shares(grid, lineups)
    reason = play(grid.setting, sums, grid.blocks, session, shares.add)
    cells = _cells(grid, sums, shares, tables, measures) if sums.blocks else []
    games = sum(len(lineup.seatings) for lineup in lineups) * grid.setting.games_per_match * sums.blocks
    return SweepResult(
        grid,
        measures,
        tuple(map(tuple, cells)),
        sums.blocks,
        games,
        tuple(sums.rounds[table] for table in tables),
        reason,
        time.perf_counter() - started,
    )
