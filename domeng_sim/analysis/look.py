"""How pictures look: colours by role, letters, line styles. Knows no matplotlib, so that pages may ask it too."""

from __future__ import annotations

from typing import Any, Final

LIGHT: Final = {
    "ink": "#1c1d20", "mute": "#5d626b", "grid": "#dcdfe4", "paper": "#ffffff",
    "s0": "#1f6fb4", "s1": "#c2410c", "s2": "#0f766e", "s3": "#9333ab",
    "s4": "#a16207", "s5": "#be185d", "s6": "#52525b",
}  # fmt: skip
"""Colours by role. No two are equal: by its colour the SVG of a page knows the role, and follows light and dark."""

DARK: Final = {
    "ink": "#e8eaee", "mute": "#a3a9b4", "grid": "#3a3f48", "paper": "#16181c",
    "s0": "#6db3f2", "s1": "#fb923c", "s2": "#4fd1b5", "s3": "#d49bf0",
    "s4": "#e6c35c", "s5": "#f58fb6", "s6": "#b4b6bd",
}  # fmt: skip

SERIES: Final = tuple(role for role in LIGHT if role.startswith("s"))
DASHES: Final = ("solid", (0, (6, 2)), (0, (2, 1.5)), (0, (8, 2, 2, 2)), (0, (4, 3)), (0, (1, 1.5)))
"""As many as have no factor in common with the number of colours: 42 series differ in colour or dash."""

FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif"
SIZE: Final = 11.0
"""Size of letters, in pixels of a picture of the usual width."""

WIDTH: Final = 350.0
"""Width of a picture: that of a phone, so that its letters are never shrunk. A wide page puts several side by side."""

STYLE: Final[dict[str, Any]] = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same picture everywhere
    "font.size": SIZE,
    "text.parse_math": False,  # names may contain a dollar sign
    "text.color": LIGHT["ink"],
    "axes.labelcolor": LIGHT["mute"],
    "axes.labelsize": SIZE,
    "axes.titlesize": SIZE,
    "axes.titlecolor": LIGHT["mute"],
    "axes.titlelocation": "left",
    "axes.edgecolor": LIGHT["mute"],
    "axes.facecolor": "none",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "grid.color": LIGHT["grid"],
    "grid.linewidth": 1.0,
    "xtick.labelsize": SIZE,
    "ytick.labelsize": SIZE,
    "xtick.color": LIGHT["grid"],
    "ytick.color": LIGHT["grid"],
    "xtick.labelcolor": LIGHT["mute"],
    "ytick.labelcolor": LIGHT["mute"],
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.minor.visible": False,
    "ytick.minor.size": 0,
    "legend.frameon": False,
    "legend.fontsize": SIZE,
    "legend.borderpad": 0.0,
    "legend.handlelength": 2.2,
    "figure.facecolor": LIGHT["paper"],
    "figure.titlesize": SIZE + 2,
    "figure.titleweight": "bold",
    "lines.linewidth": 1.7,
    "lines.markersize": 5.0,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",  # letters stay letters: they can be searched, read aloud and copied
    "svg.hashsalt": "domeng-sim",
}
"""What differs from matplotlib's own style, whatever a user's `matplotlibrc` says."""


def series_role(number: int) -> str:
    """Name of the colour of a series."""
    return SERIES[number % len(SERIES)]


def series_style(number: int) -> dict[str, Any]:
    """Colour and dash of a series; no two of the first 42 are alike in both."""
    return {"color": LIGHT[series_role(number)], "linestyle": DASHES[number % len(DASHES)]}


def palette_css(colors: dict[str, str]) -> str:
    """Colours as variables of a style sheet."""
    return "".join(f"--{name}:{color};" for name, color in colors.items())


def printable(text: str) -> str:
    r"""Escape what a reader would not see, or what would turn the text around: control and bidi characters.

    Examples
    --------
    >>> printable("a\u202eb\nc")
    'a\\u202eb\\nc'
    """
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
