"""Figures on a terminal: compact, aligned, and never wider than it.

Nothing here knows the game: it prints whatever sections `analysis.metrics` computed.  Import it only when there is
something to print, since it imports rich.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from domeng_sim.analysis.captions import rare_line
from domeng_sim.analysis.format import error_text, grouped, how_many, seats_line, significant, value_text
from domeng_sim.analysis.metrics import RunFigures
from domeng_sim.cli.grid import NOTE, TITLE
from domeng_sim.cli.layout import section_block, side_by_side
from domeng_sim.cli.numbers import Glyphs, folded
from domeng_sim.cli.terminal import Printer, terminal
from domeng_sim.games import game
from domeng_sim.stats.estimate import Estimate, level_text


def render_run(head: Mapping[str, Any], figures: RunFigures, color: str = "auto") -> None:
    """Print the end of a run: what it was, its main figures, and the command that repeats it.

    Parameters
    ----------
    head
        The run as in its JSON output.
    figures
        Of this run.
    color
        ``auto``, ``always`` or ``never``.
    """
    printer = Printer(terminal(color))
    spec = game(head["game"])
    print_header(
        printer,
        totals_line(spec.title, {"matches": head["totals"]["matches"], **figures.totals}),
        {
            "seats": seats_line([seat["text"] for seat in head["seats"]]),
            "rules": rules_line(head["rules"], {rule.name: rule.default for rule in spec.rules}),
            "seed": head["seed"],
            "speed": speed_line(head["rounds_played"], head["seconds"]),
            "tables": f"{head['directory']} ({head['tables']})",
            "shard": f"{head['shard']}; domeng-sim merge joins all of them" if "shard" in head else "",
            "until": "; ".join(map(_goal_line, head.get("until", {}).get("goals", ()))),
        },
    )
    print_figures(printer, figures, brief=True)
    printer.again(head["command"])


def _goal_line(goal: Mapping[str, Any]) -> str:
    """A figure that was to be known: ``outcome.ceki 1.93 % ±0.02, 0.02 asked for, holds at all 21 looks``."""
    estimate, kind = Estimate(**goal["estimate"]), goal["kind"]
    scale = 100 if kind == "share" else 1
    asked = f"{significant(scale * goal['half_width_asked'], 3)} asked for"
    reached = "" if goal["reached"] else ", not reached"
    found = f"{goal['figure']} {value_text(estimate, kind)} {error_text(estimate, kind)}"
    return f"{found}, {asked}{reached}; holds at all {estimate.looks} looks"


def totals_line(title: str, totals: Mapping[str, int]) -> str:
    """How much was played: ``Domeng: 12,000 matches, 948,975 rounds, 120,000 games``."""
    return f"{title}: " + ", ".join(how_many(number, name) for name, number in totals.items())


def rules_line(rules: Mapping[str, object], defaults: Mapping[str, object]) -> str:
    """What of the rules is not as usual."""
    other = [f"{name} = {value}" for name, value in rules.items() if value != defaults.get(name)]
    return "default" + (f", but {', '.join(other)}" if other else "")


def speed_line(rounds: int, seconds: float) -> str:
    """How fast it went; empty where nothing was played."""
    if not rounds or seconds <= 0:
        return ""
    return f"{grouped(rounds)} rounds in {significant(seconds, 2)} s, {significant(rounds / seconds, 2)} a second"


def print_figures(printer: Printer, figures: RunFigures, *, brief: bool = False) -> None:
    """Print the figures.

    Parameters
    ----------
    printer
        Where to.
    figures
        What to print.
    brief
        Only the sections that matter most, without their notes.
    """
    glyphs, width = printer.glyphs, printer.width
    sections = [section for section in figures.sections if section.brief or not brief]
    lines = side_by_side([section_block(section, width, glyphs, notes=not brief) for section in sections], width)
    printer.lines(lines)
    printer.line()
    for text in [*legend(figures, "\n".join(line.plain for line in lines), glyphs), rare_line(sections)]:
        printer.wrapped(text, NOTE)


def print_header(printer: Printer, title: str, facts: Mapping[str, str]) -> None:
    """Print what a run was: a title, then facts by name, folded at the width of the terminal.

    Parameters
    ----------
    printer
        Where to.
    title
        One line.
    facts
        Texts by name; empty ones are left out.
    """
    facts = {name: text for name, text in facts.items() if text}
    printer.wrapped(title, TITLE)
    indent = max(map(len, facts), default=0) + 2
    narrow = indent + 20 > printer.width
    for name, text in facts.items():
        start = f"{name}  " if narrow else name.ljust(indent)
        rest = "  " if narrow else " " * indent
        for number, part in enumerate(folded(start + text, printer.width, indent=rest)):
            line = Text(part)
            if number == 0:
                line.stylize(NOTE, 0, len(name))
            printer.line(line)


def legend(figures: RunFigures, shown: str, glyphs: Glyphs) -> list[str]:
    """What the signs mean, as far as they occur in what was shown."""
    if figures.clusters < 2:
        return ["One batch of matches only: no error can be estimated from it. Play more matches."]
    return signs(figures.level, f"{grouped(figures.clusters)} batches of whole matches", shown, glyphs)


def signs(level: float, batches: str, shown: str, glyphs: Glyphs) -> list[str]:
    """What the signs mean, as far as they occur in what was shown.

    Parameters
    ----------
    level
        Confidence level.
    batches
        What the intervals rest on, in words.
    shown
        What was shown.
    glyphs
        What it is made of.
    """
    percent = level_text(level)
    lines = [f"± and (from, to): {percent} intervals, from the spread between {batches}."]
    if glyphs.text("±?") in shown:
        lines.append("±?: too few events to estimate the error, or all of them in one batch.")
    if "(< " in shown or "(> " in shown:
        lines.append(f"(< ) and (> ): only this end is known, or the other is 0; {percent} bound.")
    if any(glyphs.text("–") in line.split() for line in shown.splitlines()):
        lines.append("–: nothing of the kind was played.")
    return [glyphs.text(line) for line in lines]
