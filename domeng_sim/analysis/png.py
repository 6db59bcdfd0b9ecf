"""A picture as a bitmap, drawn mark by mark with matplotlib."""

from __future__ import annotations

from io import BytesIO

from domeng_sim.analysis.scene import LIGHT, Mark, Scene

_DPI = 96
_ZOOM = 2
"""Pixels of the bitmap for one of the picture."""

_ANCHORS = {"start": "left", "middle": "center", "end": "right"}


def png(scene: Scene) -> bytes:
    """The picture as a PNG file, twice as large as its pixels say, in the light colours.

    Parameters
    ----------
    scene
        The picture.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(scene.width / _DPI, scene.height / _DPI), dpi=_DPI * _ZOOM, facecolor=LIGHT["paper"])
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, scene.width)
    axes.set_ylim(scene.height, 0)
    axes.axis("off")
    for mark in scene.marks:
        _draw(axes, mark)
    file = BytesIO()
    # without the version of matplotlib in the file, the same picture is the same bytes
    FigureCanvasAgg(figure).print_png(  # type: ignore[no-untyped-call]
        file, metadata={"Software": None, "Title": scene.title, "Description": scene.caption}
    )
    return file.getvalue()


def _draw(axes, mark: Mark) -> None:  # type: ignore[no-untyped-def]
    from matplotlib.patches import Circle, Polygon, Rectangle

    color = LIGHT[mark.role]
    (x, y) = mark.points[0]
    if mark.shape == "text":
        points = mark.width * 72 / _DPI
        weight = "bold" if mark.bold else "normal"
        axes.text(
            x,
            y,
            mark.text.replace("$", r"\$"),
            color=color,
            fontsize=points,
            ha=_ANCHORS[mark.anchor],
            va="baseline",
            fontweight=weight,
        )
    elif mark.shape == "line":
        style = (0, tuple(float(n) / mark.width for n in mark.dash.split())) if mark.dash else "solid"
        axes.plot(
            [p[0] for p in mark.points],
            [p[1] for p in mark.points],
            color=color,
            linewidth=mark.width * 72 / _DPI,
            linestyle=style,
        )
    elif mark.shape == "area":
        axes.add_patch(Polygon(mark.points, closed=True, facecolor=color, alpha=mark.opacity, linewidth=0))
    elif mark.shape == "dot":
        axes.add_patch(Circle((x, y), mark.width, facecolor=color, linewidth=0))
    else:
        (a, b) = mark.points[1]
        axes.add_patch(
            Rectangle((min(x, a), min(y, b)), abs(a - x), abs(b - y), facecolor=color, alpha=mark.opacity, linewidth=0)
        )
