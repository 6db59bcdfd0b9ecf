"""A picture as a list of marks in pixels, and as SVG.

One list serves all: the page, where colours come from its style sheet and follow light and dark; a file of its own; and
a bitmap (`report_png`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final, Literal

SERIES: Final = 6
"""Colours that can be told apart; further series begin again with another dash."""

LIGHT: Final = {
    "ink": "#1c1d20", "mute": "#5d626b", "grid": "#dcdfe4", "paper": "#ffffff",
    "s0": "#1f6fb4", "s1": "#c2410c", "s2": "#0f766e", "s3": "#9333ab", "s4": "#a16207", "s5": "#52525b",
}  # fmt: skip
DARK: Final = {
    "ink": "#e8eaee", "mute": "#a3a9b4", "grid": "#3a3f48", "paper": "#16181c",
    "s0": "#6db3f2", "s1": "#fb923c", "s2": "#4fd1b5", "s3": "#d49bf0", "s4": "#e6c35c", "s5": "#b4b6bd",
}  # fmt: skip

DASHES: Final = ("", "6 2", "2 2", "8 2 2 2", "4 3", "1 2")
FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif"
SIZE: Final = 11.0
"""Size of letters, in pixels."""


def text_width(text: str, size: float = SIZE) -> float:
    """About how wide a text is."""
    narrow = sum(letter in " .,:;|il'()ftrj" for letter in text)
    capital = sum(letter.isupper() or letter in "%m±" for letter in text)
    return size * (0.63 * (len(text) - narrow - capital) + 0.38 * narrow + 0.8 * capital)


@dataclass(frozen=True)
class Mark:
    """Something drawn.

    Attributes
    ----------
    shape
        What it is.
    points
        Corners or ends; for a text its place; for a rectangle two opposite corners.
    role
        Colour by its name.
    text
        Of a text.
    anchor
        Where a text stands from its place.
    width
        Of a line; radius of a dot; size of a text.
    opacity
        Of what is filled.
    dash
        Of a line.
    tip
        What is said when one points at it.
    bold
        Of a text.
    """

    shape: Literal["line", "area", "rect", "dot", "text"]
    points: tuple[tuple[float, float], ...]
    role: str
    text: str = ""
    anchor: Literal["start", "middle", "end"] = "start"
    width: float = 1.0
    opacity: float = 1.0
    dash: str = ""
    tip: str = ""
    bold: bool = False


@dataclass
class Scene:
    """A picture.

    Attributes
    ----------
    width, height
        In pixels.
    title, caption
        For those who do not see it.
    marks
        In the order of drawing.
    """

    width: float
    height: float
    title: str
    caption: str = ""
    marks: list[Mark] = field(default_factory=list)

    def line(
        self, points: Sequence[tuple[float, float]], role: str, width: float = 1.0, dash: str = "", tip: str = ""
    ) -> None:
        """A line through points."""
        self.marks.append(Mark("line", tuple(points), role, width=width, dash=dash, tip=tip))

    def area(self, points: Sequence[tuple[float, float]], role: str, opacity: float) -> None:
        """A filled polygon."""
        self.marks.append(Mark("area", tuple(points), role, opacity=opacity))

    def rect(
        self, a: tuple[float, float], b: tuple[float, float], role: str, opacity: float = 1.0, tip: str = ""
    ) -> None:
        """A filled rectangle."""
        self.marks.append(Mark("rect", (a, b), role, opacity=opacity, tip=tip))

    def dot(self, at: tuple[float, float], role: str, radius: float = 3.0, tip: str = "") -> None:
        """A filled circle."""
        self.marks.append(Mark("dot", (at,), role, width=radius, tip=tip))

    def text(
        self,
        at: tuple[float, float],
        text: str,
        role: str = "mute",
        anchor: Literal["start", "middle", "end"] = "start",
        size: float = SIZE,
        bold: bool = False,
    ) -> None:
        """A text on one line."""
        self.marks.append(Mark("text", (at,), role, text, anchor, size, bold=bold))


def svg(scene: Scene, name: str, *, own_style: bool = False) -> str:
    """The picture as an element ``svg``.

    Parameters
    ----------
    scene
        The picture.
    name
        Unique in the page.
    own_style
        Whether it brings its colours and the name space, to be a file of its own.
    """
    space = ' xmlns="http://www.w3.org/2000/svg"' if own_style else ""
    size = f' width="{scene.width:g}" height="{scene.height:g}"' if own_style else ""
    parts = [
        f'<svg{space}{size} viewBox="0 0 {scene.width:g} {scene.height:g}" role="img" class="plot" '
        f'aria-labelledby="{name}-t {name}-d">',
        f'<title id="{name}-t">{escape(scene.title)}</title><desc id="{name}-d">{escape(scene.caption)}</desc>',
    ]
    if own_style:
        parts.append(f"<style>{_style()}</style>")
        parts.append(f'<rect width="{scene.width:g}" height="{scene.height:g}" class="f-paper"/>')
    parts += [_mark(mark) for mark in scene.marks]
    parts.append("</svg>")
    return "".join(parts)


def palette_css(colors: dict[str, str]) -> str:
    """Colours as variables of a style sheet."""
    return "".join(f"--{name}:{color};" for name, color in colors.items())


def classes_css() -> str:
    """Classes of marks: lines, and what is filled."""
    return "".join(f".l-{name}{{stroke:var(--{name});fill:none}}.f-{name}{{fill:var(--{name})}}" for name in LIGHT)


def _style() -> str:
    return (
        f":root{{{palette_css(LIGHT)}}}@media(prefers-color-scheme:dark){{:root{{{palette_css(DARK)}}}}}"
        f"text{{font:{SIZE:g}px {FONT}}}{classes_css()}"
    )


def _number(x: float) -> str:
    return f"{x:.1f}".removesuffix(".0")


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _mark(mark: Mark) -> str:
    tip = f"<title>{escape(mark.tip)}</title>" if mark.tip else ""
    solid = "" if mark.opacity == 1 else f' fill-opacity="{mark.opacity:.2f}"'
    (x, y) = mark.points[0]
    if mark.shape == "text":
        anchor = "" if mark.anchor == "start" else f' text-anchor="{mark.anchor}"'
        size = "" if mark.width == SIZE else f' style="font-size:{mark.width:g}px"'
        bold = ' font-weight="600"' if mark.bold else ""
        head = f'x="{_number(x)}" y="{_number(y)}" class="f-{mark.role}"{anchor}{size}{bold}'
        return f"<text {head}>{escape(mark.text)}</text>"
    if mark.shape == "line":
        dash = f' stroke-dasharray="{mark.dash}"' if mark.dash else ""
        head = f'class="l-{mark.role}" stroke-width="{mark.width:g}"{dash}'
        if len(mark.points) == 2:
            (a, b) = mark.points[1]
            return f'<path d="M{_number(x)} {_number(y)}L{_number(a)} {_number(b)}" {head}>{tip}</path>'
        return f'<polyline points="{_path(mark.points)}" {head}>{tip}</polyline>'
    if mark.shape == "area":
        return f'<polygon points="{_path(mark.points)}" class="f-{mark.role}"{solid}/>'
    if mark.shape == "dot":
        return f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{mark.width:g}" class="f-{mark.role}">{tip}</circle>'
    (a, b) = mark.points[1]
    left, top, wide, high = min(x, a), min(y, b), abs(a - x), abs(b - y)
    place = f'x="{_number(left)}" y="{_number(top)}" width="{_number(wide)}" height="{_number(high)}"'
    return f'<rect {place} class="f-{mark.role}"{solid}>{tip}</rect>'
