"""Pages in the terminal, turned by keys.  Import it only for that, since it imports prompt_toolkit."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import Style

from domeng_sim.cli.show_page import PageLine

FOOTERS = (
    "right or Enter: on   left: back   Home, End   q: leave",
    "Enter: on  left: back  q: leave",
)
"""The longest that fits is shown."""

_ON = ("right", "down", "enter", "space", "pagedown")
_BACK = ("left", "up", "backspace", "pageup")


def turn_pages(
    n_pages: int,
    page: Callable[[int, int, int], Sequence[PageLine]],
    color: bool = True,
    source: Input | None = None,
    sink: Output | None = None,
) -> int:
    """Show pages until the user leaves.

    Parameters
    ----------
    n_pages
        How many there are.
    page
        Lines of a page for so many columns and lines.
    color
        Whether bold and dim text may be used.
    source, sink
        The terminal, where it is another than the standard one.

    Returns
    -------
    int
        Exit status: 130 after Ctrl-C, else 0.
    """
    keys, at = KeyBindings(), [0]

    def turn(to: Callable[[], int]) -> Callable[[KeyPressEvent], None]:
        def turned(event: KeyPressEvent) -> None:
            at[0] = min(max(to(), 0), n_pages - 1)

        return turned

    for key in _ON:
        keys.add(key)(turn(lambda: at[0] + 1))
    for key in _BACK:
        keys.add(key)(turn(lambda: at[0] - 1))
    keys.add("home")(turn(lambda: 0))
    keys.add("end")(turn(lambda: n_pages - 1))

    def leave(status: int) -> Callable[[KeyPressEvent], None]:
        return lambda event: event.app.exit(result=status)

    for key in ("q", "Q", "c-d"):
        keys.add(key)(leave(0))
    keys.add("c-c")(leave(130))

    def shown() -> StyleAndTextTuples:
        size = application.output.get_size()
        pieces: StyleAndTextTuples = []
        for line in page(at[0], size.columns, size.rows - 1):
            pieces += [(f"class:{line.style}" if line.style else "", line.text), ("", "\n")]
        return pieces[:-1]

    def footer() -> StyleAndTextTuples:
        columns = application.output.get_size().columns
        where = f"{at[0] + 1}/{n_pages}  "
        text = next((text for text in FOOTERS if len(where + text) <= columns), "q: leave")
        return [("class:note", (where + text)[:columns])]

    style = {"title": "bold", "note": "dim"} if color else {}
    application: Application[int] = Application(
        Layout(
            HSplit(
                [
                    Window(FormattedTextControl(shown, focusable=True, show_cursor=False), always_hide_cursor=True),
                    Window(FormattedTextControl(footer), height=1),
                ]
            )
        ),
        key_bindings=keys,
        full_screen=True,
        style=Style.from_dict(style),
        color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") or not color else None,
        input=source,
        output=sink,
    )
    # an Escape alone is no key here: do not wait long for what may follow it
    application.ttimeoutlen = 0.05
    return application.run()
