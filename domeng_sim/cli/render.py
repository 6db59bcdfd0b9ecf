"""Figures on a terminal: compact, aligned, and never wider than it.

Nothing here knows the game: it prints whatever sections `studies.figures` computed.  Import it only when there is
something to print, since it imports rich.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import IO, Any, Final

from rich.console import Console
from rich.text import Text

from domeng_sim.analysis.format import how_many, rare_line
from domeng_sim.analysis.metrics import Figures
from domeng_sim.cli.layout import NOTE, TITLE, section_block, side_by_side
from domeng_sim.cli.numbers import Glyphs, grouped, significant
from domeng_sim.cli.numbers import seats_line as seats_line
from domeng_sim.core.printable import printable
from domeng_sim.games import game

PLAIN_WIDTH: Final = 80
"""Columns where the output is no terminal and COLUMNS says nothing."""


def wants_color(color: str, is_terminal: bool, environ: Mapping[str, str]) -> bool:
    """Whether to colour.

    Parameters
    ----------
    color
        ``always`` and ``never`` have the last word; ``auto`` goes by the rest.
    is_terminal
        Whether the output is a terminal.
    environ
        ``NO_COLOR`` that is not empty and ``TERM=dumb`` say no (https://no-color.org).
    """
    if color != "auto":
        return color == "always"
    return is_terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def terminal(color: str = "auto", stream: IO[str] | None = None, width: int | None = None) -> Console:
    """A console that writes to a stream.

    Parameters
    ----------
    color
        ``auto``, ``always`` or ``never``.
    stream
        Standard output if None.
    width
        Columns; None asks the terminal.
    """
    stream = sys.stdout if stream is None else stream
    colored = wants_color(color, stream.isatty(), os.environ)
    if width is None:
        width = shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns if stream.isatty() else _plain_width()
    return Console(
        file=stream,
        width=max(width, 1),
        force_terminal=colored,
        no_color=not colored,
        color_system="standard" if colored else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def _plain_width() -> int:
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isascii() and columns.isdigit() and int(columns) > 0 else PLAIN_WIDTH


def glyphs_of(console: Console) -> Glyphs:
    """The characters that the console's encoding has."""
    try:
        "±▁█–…".encode(console.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return Glyphs(plain=True)
    return Glyphs()


def render_run(head: Mapping[str, Any], figures: Figures, color: str = "auto") -> None:
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
    console = terminal(color)
    spec = game(head["game"])
    print_header(
        console,
        totals_line(spec.title, {"matches": head["totals"]["matches"], **figures.totals}),
        {
            "seats": seats_line([seat["text"] for seat in head["seats"]]),
            "rules": rules_line(head["rules"], {rule.name: rule.default for rule in spec.rules}),
            "seed": head["seed"],
            "speed": speed_line(head["rounds_played"], head["seconds"]),
            "tables": f"{head['directory']} ({head['tables']})",
        },
    )
    print_figures(console, figures, brief=True)
    _print(console, Text(""))
    _print(console, Text("The same again:", NOTE))
    print_command(console, head["command"])


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


def print_figures(console: Console, figures: Figures, *, brief: bool = False) -> None:
    """Print the figures.

    Parameters
    ----------
    console
        From `terminal`.
    figures
        What to print.
    brief
        Only the sections that matter most, without their notes.
    """
    glyphs, width = glyphs_of(console), console.width
    blocks = [
        section_block(section, width, glyphs, notes=not brief)
        for section in figures.sections
        if section.brief or not brief
    ]
    lines = side_by_side(blocks, width)
    for line in lines:
        _print(console, line)
    _print(console, Text(""))
    rare = rare_line([section for section in figures.sections if section.brief or not brief])
    for text in [*legend(figures, "\n".join(line.plain for line in lines), glyphs), *([rare] if rare else [])]:
        for part in textwrap.wrap(text, width):
            _print(console, Text(part, NOTE))


def print_header(console: Console, title: str, facts: Mapping[str, str]) -> None:
    """Print what a run was: a title, then facts by name, folded at the width of the terminal.

    Parameters
    ----------
    console
        From `terminal`.
    title
        One line.
    facts
        Texts by name; empty ones are left out.
    """
    facts = {name: text for name, text in facts.items() if text}
    for part in textwrap.wrap(title, console.width):
        _print(console, Text(part, TITLE))
    indent = max(map(len, facts), default=0) + 2
    narrow = indent + 20 > console.width
    for name, text in facts.items():
        start = f"{name}  " if narrow else name.ljust(indent)
        rest = "  " if narrow else " " * indent
        for number, part in enumerate(textwrap.wrap(start + text, console.width, subsequent_indent=rest)):
            line = Text(part)
            if number == 0:
                line.stylize(NOTE, 0, len(name))
            _print(console, line)


def print_command(console: Console, command: str) -> None:
    """Print a command that can be copied, continued with a backslash where the terminal ends."""
    lines, line = [], ""
    for word in map(shlex.quote, shlex.split(command)):
        if line and len(line) + 1 + len(word) + 2 > console.width:
            lines.append(line + " \\")
            line = "    " + word
        else:
            line = f"{line} {word}" if line else word
    for text in [*lines, line]:
        # A single word may be longer than the terminal. It is not cut: the command would no longer be the command.
        console.print(Text(printable(text)), soft_wrap=True)


def _print(console: Console, line: Text) -> None:
    line.truncate(console.width)
    line.rstrip()
    console.print(line, no_wrap=True, overflow="crop", crop=True)


def legend(figures: Figures, shown: str, glyphs: Glyphs) -> list[str]:
    """What the signs mean, as far as they occur in what was shown."""
    level = f"{100 * figures.level:.6g} %"
    if figures.clusters < 2:
        return ["One batch of matches only: no error can be estimated from it. Play more matches."]
    lines = [
        f"{glyphs.plus_minus} and (from, to): {level} intervals, from the spread between {grouped(figures.clusters)} "
        "batches of whole matches."
    ]
    if f"{glyphs.plus_minus}?" in shown:
        lines.append(f"{glyphs.plus_minus}?: too few events to estimate the error, or all of them in one batch.")
    if "(< " in shown or "(> " in shown:
        lines.append(f"(< ) and (> ): only this end is known; {level} bound.")
    if f" {glyphs.dash}" in shown:
        lines.append(f"{glyphs.dash}: nothing of the kind was played.")
    return lines
