"""How a person at the keyboard is asked: by keys on a terminal, by lines where there is none."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.output.color_depth import ColorDepth
    from prompt_toolkit.styles import Style

MARGIN = 6
"""Columns before a move, for its number."""
INSTANT = "htq"
"""Letters that answer at once where nothing has been typed yet."""
_FEW = 9
"""Moves that a usual screen shows all at once."""
_FOOTER = "arrows or number, Enter plays · h hint · t table · ? help · q leave"
_NARROW_FOOTER = "h hint · t table · ? help · q leave"


class Asker(Protocol):
    """Asks a person."""

    def choose(self, moves: Sequence[str], said: str) -> str:
        """Let somebody choose one of the moves.

        Parameters
        ----------
        moves
            What can be played, in words.
        said
            What is wrong with the answer before; empty if nothing is.

        Returns
        -------
        str
            What was typed, or the number of the move picked, from 1 on.

        Raises
        ------
        EOFError, KeyboardInterrupt
            If the person leaves by Ctrl-D or Ctrl-C.
        """
        ...

    def wait(self, words: str) -> str:
        """Wait for Enter; returns what was typed, which may be ``q``.  Raises as `choose` does."""
        ...

    def clear(self) -> None:
        """Take away what is on the screen, and what can be scrolled back to, before somebody else looks."""
        ...

    def menu(self, n: int) -> int:
        """Lines of the screen that `choose` takes for so many moves."""
        ...


def at_terminal() -> bool:
    """Whether somebody sits there: keys come from a terminal, and it shows what is printed."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def asker(ascii_only: bool) -> Asker:
    """Who asks: keys if people sit at a terminal that can move its cursor, else lines."""
    capable = os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")
    if at_terminal() and capable:
        return Keys(ascii_only)
    return TypedLines()


class TypedLines:
    """Prints the moves and reads lines: from a pipe or a file, or from a terminal that can do no more."""

    def choose(self, moves: Sequence[str], said: str) -> str:
        """See `Asker.choose`."""
        if said:
            print(said)
        else:
            for number, move in enumerate(moves, 1):
                print(f"  {number:2}  {move}")
        return self.wait("move: ")

    def wait(self, words: str) -> str:
        """See `Asker.wait`."""
        print(words, end="", flush=True)
        with _echo(True):
            line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            print()
            raise EOFError
        if not sys.stdin.isatty():
            # what is read is not on the screen, so it is put there
            print(line.strip())
        return line.strip()

    def clear(self) -> None:
        """See `Asker.clear`; all that such a terminal can do is to scroll."""
        if sys.stdout.isatty():
            print("\n" * max(shutil.get_terminal_size().lines, 60), flush=True)

    def menu(self, n: int) -> int:
        """See `Asker.menu`."""
        return n + 1


class Keys:
    """A list to move in with the arrows, and a line to type in; it goes away when the answer is there.

    Parameters
    ----------
    ascii_only
        Whether to do without characters beyond ASCII.
    """

    def __init__(self, ascii_only: bool) -> None:
        # terminals that do not tell where their cursor is would be waited for, and warned about
        os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
        self._marker, self._dot = (">", "-") if ascii_only else ("›", "·")

    def choose(self, moves: Sequence[str], said: str) -> str:
        """See `Asker.choose`."""
        _forget_typed()
        from prompt_toolkit.application import Application, get_app
        from prompt_toolkit.buffer import Buffer
        from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
        from prompt_toolkit.layout.containers import HSplit, VSplit, Window
        from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
        from prompt_toolkit.layout.dimension import Dimension
        from prompt_toolkit.layout.layout import Layout
        from prompt_toolkit.layout.margins import ScrollbarMargin

        picked = [0]

        def follow(typed: Buffer) -> None:
            if typed.text.isascii() and typed.text.isdigit() and 1 <= int(typed.text) <= len(moves):
                picked[0] = int(typed.text) - 1

        line = Buffer(on_text_changed=follow, multiline=False)
        keys = KeyBindings()

        def move_by(n: int) -> None:
            picked[0] = (picked[0] + n) % len(moves)
            line.reset()

        @keys.add("up")
        def _up(event: KeyPressEvent) -> None:
            move_by(-1)

        @keys.add("down")
        def _down(event: KeyPressEvent) -> None:
            move_by(1)

        @keys.add("home")
        def _home(event: KeyPressEvent) -> None:
            move_by(-picked[0])

        @keys.add("end")
        def _end(event: KeyPressEvent) -> None:
            move_by(len(moves) - 1 - picked[0])

        @keys.add("enter")
        def _enter(event: KeyPressEvent) -> None:
            event.app.exit(result=line.text.strip() or str(picked[0] + 1))

        @keys.add("escape", eager=True)
        def _escape(event: KeyPressEvent) -> None:
            line.reset()

        @keys.add("c-c")
        def _interrupt(event: KeyPressEvent) -> None:
            event.app.exit(exception=KeyboardInterrupt())

        @keys.add("c-d")
        def _leave(event: KeyPressEvent) -> None:
            event.app.exit(exception=EOFError())

        def instant(letter: str) -> None:
            @keys.add(letter)
            def _instant(event: KeyPressEvent) -> None:
                if line.text:
                    line.insert_text(letter)
                else:
                    event.app.exit(result=letter)

        for letter in INSTANT:
            instant(letter)

        def shown() -> StyleAndTextTuples:
            pieces: StyleAndTextTuples = []
            for number, move in enumerate(moves):
                here = number == picked[0]
                mark = self._marker if here else " "
                pieces.append(("[SetCursorPosition]", "") if here else ("", ""))
                pieces.append(("class:picked" if here else "", f"{mark} {number + 1:2}  {move}"))
                pieces.append(("", "\n" if number < len(moves) - 1 else ""))
            return pieces

        note = _footer().replace("·", self._dot)
        lines: StyleAndTextTuples = [("class:said", f"{said}\n" if said else ""), ("class:note", note)]

        def height() -> Dimension:
            # a long list scrolls, so that the table stays in sight
            n = _shown_moves(len(moves), get_app().output.get_size().rows)
            return Dimension(min=1, preferred=n, max=n)

        menu = Window(
            FormattedTextControl(shown, focusable=False, show_cursor=False),
            height=height,
            always_hide_cursor=True,
            right_margins=[ScrollbarMargin(display_arrows=True)] if len(moves) > _FEW else [],
        )
        below = [
            VSplit([Window(FormattedTextControl("move: "), width=6, height=1), Window(BufferControl(line), height=1)]),
            Window(
                FormattedTextControl(lines),
                wrap_lines=True,
                dont_extend_height=True,
            ),
        ]
        application: Application[str] = Application(
            Layout(HSplit([menu, *below]), focused_element=below[0]),
            key_bindings=keys,
            style=_style(),
            color_depth=_color_depth(),
            erase_when_done=True,
        )
        return application.run()

    def wait(self, words: str) -> str:
        """See `Asker.wait`."""
        from prompt_toolkit import prompt

        _forget_typed()
        return prompt(words, color_depth=_color_depth()).strip()

    def clear(self) -> None:
        """See `Asker.clear`."""
        # home, the screen, and the lines that have scrolled out of it
        print("\x1b[H\x1b[2J\x1b[3J", end="", flush=True)

    def menu(self, n: int) -> int:
        """See `Asker.menu`."""
        size = shutil.get_terminal_size()
        return _shown_moves(n, size.lines) + 1 + -(-len(_footer()) // max(size.columns, 1))


def _shown_moves(n: int, rows: int) -> int:
    """How many of `n` moves a screen of so many rows shows at a time."""
    return min(n, max(rows * 3 // 8, 3))


def _footer() -> str:
    """What the keys do, in one line."""
    return _FOOTER if shutil.get_terminal_size().columns >= len(_FOOTER) else _NARROW_FOOTER


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """Do not show what is typed while nothing is asked."""
    with _echo(False):
        yield


@contextlib.contextmanager
def _echo(on: bool) -> Iterator[None]:
    """Let the terminal show what is typed, or not, while the block runs."""
    if sys.platform == "win32" or sys.stdin is None or not sys.stdin.isatty():
        yield
        return
    import termios

    stream = sys.stdin.fileno()
    before = termios.tcgetattr(stream)
    flags = before[3] | termios.ECHO if on else before[3] & ~termios.ECHO
    termios.tcsetattr(stream, termios.TCSADRAIN, [*before[:3], flags, *before[4:]])
    try:
        yield
    finally:
        termios.tcsetattr(stream, termios.TCSADRAIN, before)


def _forget_typed() -> None:
    """Forget keys that were pressed while others played: they were no answer to what is asked only now."""
    if sys.platform != "win32":
        import termios

        with contextlib.suppress(termios.error, OSError):
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


def _style() -> Style:
    from prompt_toolkit.styles import Style

    return Style.from_dict({"picked": "reverse", "said": "bold", "note": "dim"})


def _color_depth() -> ColorDepth:
    from prompt_toolkit.output.color_depth import ColorDepth

    # bold and reverse video are no colours
    return ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else ColorDepth.DEPTH_4_BIT
