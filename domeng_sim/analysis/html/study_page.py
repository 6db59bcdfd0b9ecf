"""Figures of a study as one page that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domeng_sim.analysis.charts import Chart
from domeng_sim.analysis.format import error_text, percent_text
from domeng_sim.analysis.html.page import environment, style_sheet
from domeng_sim.analysis.look import printable
from domeng_sim.analysis.metrics import Section
from domeng_sim.version import __version__


@dataclass(frozen=True)
class StudyPlate:
    """A section with its charts."""

    section: Section
    charts: tuple[Chart, ...]


def study_page(
    title: str, lead: str, plates: Sequence[StudyPlate], reading: Sequence[str], facts: Mapping[str, str]
) -> str:
    """The page.

    Parameters
    ----------
    title, lead
        What was asked, and the answer.
    plates
        What was found.
    reading
        How to read it, a sentence each.
    facts
        What was played, by name.
    """
    from markupsafe import Markup

    from domeng_sim.analysis.draw import figure_of
    from domeng_sim.analysis.picture_files import svg

    shown = []
    for number, plate in enumerate(plates):
        section = plate.section
        cells = [[section.cells.get((label, column)) for column in section.columns] for label in section.labels]
        shown.append(
            {
                "key": f"p{number}",
                "title": section.title,
                "head": ["", *section.columns],
                "pictures": [
                    Markup(svg(figure_of(chart), f"p{number}-{k}", printable(chart.title), ""))
                    for k, chart in enumerate(plate.charts)
                ],
                "rows": [
                    (
                        label,
                        [
                            ("", "")
                            if one is None
                            else (percent_text(one.estimate, one.kind), error_text(one.estimate, one.kind))
                            for one in row
                        ],
                    )
                    for label, row in zip(section.labels, cells, strict=True)
                ],
            }
        )
    return (
        environment()
        .get_template("study.html.j2")
        .render(
            title=title,
            lead=lead,
            css=style_sheet(),
            plates=shown,
            reading=reading,
            facts=list(facts.items()),
            version=__version__,
        )
    )
