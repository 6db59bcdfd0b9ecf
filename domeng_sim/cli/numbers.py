"""Figures on a terminal: the characters that they are drawn with, and sentences that do not break inside them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SHADES: Final = " .:-=+*#@"
"""Heights of a distribution where there are no block characters."""

BLOCKS: Final = " ▁▂▃▄▅▆▇█"
LEFT_BLOCKS: Final = " ▏▎▍▌▋▊▉█"

_PLAIN: Final = str.maketrans({"±": "+-", "–": "-", "−": "-", "…": "."})


_INSIDE: Final = re.compile(r" (?=%|±|\+-|pp\b)")
"""Blanks inside a figure."""


def folded(text: str, width: int, *, first: str = "", indent: str = "") -> list[str]:
    """A text in lines that break neither inside a figure nor at a hyphen.

    Parameters
    ----------
    text
        What is said.
    width
        Columns.
    first
        What stands before the first line.
    indent
        What stands before the others.
    """
    lines = textwrap.wrap(
        _INSIDE.sub("\u00a0", text), width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False
    )
    return [line.replace("\u00a0", " ") for line in lines]


@dataclass(frozen=True)
class Glyphs:
    """The characters to draw with.

    Attributes
    ----------
    plain
        ASCII only.
    """

    plain: bool = False

    def text(self, text: object) -> str:
        """A text in these characters."""
        return str(text).translate(_PLAIN) if self.plain else str(text)

    def short(self, text: str, width: int) -> str:
        """A text of at most so many columns."""
        return text if len(text) <= width else (text[: max(width - 1, 0)] + self.text("…"))[:width]

    def bar(self, part: float, width: int) -> str:
        """A bar of `part` (0 to 1) of `width` columns; anything above 0 can be seen."""
        eighths = round(8 * part * width)
        if self.plain:
            return "#" * max(round(part * width), part > 0)
        full, rest = divmod(max(eighths, int(part > 0)), 8)
        return LEFT_BLOCKS[8] * full + (LEFT_BLOCKS[rest] if rest else "")

    def chart(self, values: Sequence[float], wide: int, height: int) -> list[str]:
        """Columns side by side, as lines from the top; the highest fills them, anything above 0 can be seen."""
        top = max(values) or 1.0
        if self.plain and height == 1:
            steps = len(SHADES) - 1
            return ["".join(SHADES[max(round(v / top * steps), int(v > 0))] * wide for v in values)]
        lines = []
        for level in reversed(range(height)):
            line = ""
            for v in values:
                eighths = max(round(8 * height * v / top), int(v > 0)) - 8 * level
                if self.plain:
                    line += ("#" if eighths >= 4 or (level == 0 and v > 0) else " ") * wide
                else:
                    line += BLOCKS[min(max(eighths, 0), 8)] * wide
            lines.append(line)
        return lines
