"""The page of a study: its charts and figures on one page that needs nothing else."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from domeng_sim.analysis.charts import chart_of
from domeng_sim.analysis.html.study_page import StudyPlate, study_page
from domeng_sim.api.results import Sweep


def sweep_page(found: Sweep, words: Sequence[str]) -> str:
    """A sweep as HTML.

    Parameters
    ----------
    found
        The sweep.
    words
        The command that gives it again.
    """
    grid, plates = found.grid, []
    level = f"{100 * grid.level:g} %"
    for section in found.sections_known():
        plates.append(StudyPlate(section, tuple(found.compared(chart, section.key) for chart in chart_of(section))))
    texts = [spec.text for spec in grid.company]
    facts = {
        "base": grid.base.text,
        "against": ", ".join(dict.fromkeys(texts)) or "itself, in all seats",
        "grid": "; ".join(axis.text for axis in grid.axes),
        "reference": grid.points[grid.reference].label,
        "rules": ", ".join(f"{name} = {value}" for name, value in grid.setting.rules.items()),
        "seed": str(grid.setting.seed),
        "played": f"{found.blocks:,} blocks of the same deals at each of {len(grid.points)} points, "
        f"{found.games:,} games, {sum(found.rounds):,} rounds",
    }
    reading = [
        f"At the points: {level} intervals, each by itself, for a number of blocks fixed beforehand.",
        f"Minus the reference: on the same deals, with {level} intervals that hold together over the whole grid "
        "(max-t, bootstrap of blocks).",
        "The dashed line is the value at the reference, or no difference.",
    ]
    title = f"{grid.setting.spec.title}: {' and '.join(axis.name for axis in grid.axes)}"
    return study_page(title, f"{found.sentence}.", plates, reading, {**facts, "command": shlex.join(words)})
