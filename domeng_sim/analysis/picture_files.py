"""Figures of matplotlib as files: SVG for a page or of its own, PNG and PDF; the same figure gives the same bytes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from io import BytesIO, StringIO
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import matplotlib as mpl
import matplotlib.style
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG

from domeng_sim.analysis.look import DARK, FONT, LIGHT, SIZE, STYLE, palette_css

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TIP = "tip "
"""A mark whose group is named so says the rest of the name when one points at it."""

_DPI = 192
_NUMBER = re.compile(r"-?\d+\.\d+")
_ROLES = {color: role for role, color in LIGHT.items()}
_KEPT = ("d", "x", "y", "transform")
_PROPERTIES = (
    "fill", "fill-opacity", "opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "text-anchor",
    "font-weight", "font-size",
)  # fmt: skip


@contextmanager
def style() -> Iterator[None]:
    """Let what is drawn meanwhile look as ours, whatever a user has set; letters that a font lacks are no matter."""
    with mpl.style.context(["default", STYLE]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        yield


def png(figure: Figure, title: str, caption: str) -> bytes:
    """The figure as a PNG file.

    Parameters
    ----------
    figure
        The figure.
    title, caption
        For those who do not see it.
    """
    file = BytesIO()
    figure.set_dpi(_DPI)
    # without the version of matplotlib in the file, the same picture is the same bytes
    told = {"Software": None, "Title": title, "Description": caption}
    with style():
        FigureCanvasAgg(figure).print_png(file, metadata=told)  # type: ignore[no-untyped-call]
    return file.getvalue()


def pdf(figure: Figure, title: str, caption: str) -> bytes:
    """The figure as a PDF file.

    Parameters
    ----------
    figure
        The figure.
    title, caption
        For those who do not see it.
    """
    file = BytesIO()
    told = {"Creator": None, "Producer": None, "CreationDate": None, "Title": title, "Subject": caption}
    with style():
        FigureCanvasPdf(figure).print_pdf(file, metadata=told)  # type: ignore[no-untyped-call]
    return file.getvalue()


def svg(figure: Figure, name: str, title: str, caption: str, *, own_style: bool = False) -> str:
    """The figure as an element ``svg``: its colours are variables of the page, its letters are letters.

    Parameters
    ----------
    figure
        The figure.
    name
        Unique in the page.
    title, caption
        For those who do not see it.
    own_style
        Whether it brings its colours and the name space, to be a file of its own.
    """
    file = StringIO()
    figure.patch.set_visible(False)  # the page has its own ground
    with style():
        canvas = FigureCanvasSVG(figure)
        canvas.print_svg(  # type: ignore[no-untyped-call]
            file, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type"))
        )
    figure.patch.set_visible(True)
    drawn = ElementTree.fromstring(re.sub(r'\sxmlns="[^"]*"', "", file.getvalue(), count=1))
    wide, high = (f"{size * 72:g}" for size in figure.get_size_inches())
    parts = [
        f'<svg{" xmlns=" if own_style else ""}{_SPACE if own_style else ""} viewBox="0 0 {wide} {high}" '
        f'role="img" class="plot" aria-labelledby="{name}-t {name}-d">',
        f'<title id="{name}-t">{escape(title)}</title><desc id="{name}-d">{escape(caption)}</desc>',
    ]
    if own_style:
        parts[0] = parts[0].replace(" viewBox", f' width="{wide}" height="{high}" viewBox', 1)
        parts.append(f"<style>{_own_style()}</style>")
        parts.append(f'<rect width="{wide}" height="{high}" style="fill:var(--paper)"/>')
    return "".join([*parts, *_Cleaner(drawn).parts(), "</svg>"])


_SPACE = '"http://www.w3.org/2000/svg"'


def _own_style() -> str:
    return (
        f":root{{{palette_css(LIGHT)}}}@media(prefers-color-scheme:dark){{:root{{{palette_css(DARK)}}}}}"
        f"text{{font:{SIZE:g}px {FONT};fill:var(--ink)}}"
    )


class _Cleaner:
    """What matplotlib drew, without what a page does not need: identifiers, groups, defaults, its own fonts.

    Parameters
    ----------
    drawn
        The element ``svg``.
    """

    def __init__(self, drawn: ElementTree.Element) -> None:
        self._drawn = drawn
        self._known = {element.get("id"): element for element in drawn.iter("path") if element.get("id")}

    def parts(self) -> Iterator[str]:
        """Its marks as text."""
        for element in self._drawn:
            yield from self._marks(element)

    def _marks(self, element: ElementTree.Element) -> Iterator[str]:
        if element.tag in ("defs", "metadata"):
            return
        if element.tag == "g":
            inner = "".join(part for child in element for part in self._marks(child))
            told = (element.get("id") or "").partition(TIP)
            if told[1] and not told[0]:
                inner = f"<g><title>{escape(told[2])}</title>{inner}</g>"
            yield inner
        elif element.tag == "use":
            # the shape of a point is drawn where it stands, so that no name must be unique in the page
            shape = self._known[(element.get("{http://www.w3.org/1999/xlink}href") or "#")[1:]]
            place = f"translate({element.get('x', '0')} {element.get('y', '0')})"
            path = {"d": shape.get("d", ""), "transform": place, "style": element.get("style", "")}
            yield f"<path{_attributes(path)}/>"
        elif element.tag == "path":
            yield f"<path{_attributes(element.attrib)}/>"
        elif element.tag == "text":
            yield f"<text{_attributes(element.attrib)}>{escape(element.text or '')}</text>"


def _attributes(found: dict[str, str]) -> str:
    told = []
    for name in _KEPT:
        text = found.get(name, "")
        if text and not text.startswith("rotate(-0 "):
            text = _NUMBER.sub(lambda match: f"{float(match[0]):.1f}".removesuffix(".0"), " ".join(text.split()))
            told.append(f' {name}="{escape(text)}"')
    properties = dict(part.split(": ", 1) for part in found.get("style", "").split("; ") if ": " in part)
    kept = [f"{name}:{_value(properties[name])}" for name in _PROPERTIES if _says_something(name, properties)]
    return "".join(told) + (f' style="{";".join(kept)}"' if kept else "")


def _value(text: str) -> str:
    return f"var(--{_ROLES[text]})" if text in _ROLES else text


def _says_something(name: str, properties: dict[str, str]) -> bool:
    """Whether a property is there and differs from what the page says of all texts and shapes."""
    default = {"text-anchor": "start", "font-size": f"{SIZE:g}px", "stroke-width": "1"}.get(name)
    if name == "fill" and "font-size" in properties:
        default = LIGHT["ink"]
    return name in properties and properties[name] != default
