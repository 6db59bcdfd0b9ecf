"""A terminal for programs that need one: a pseudo-terminal, and as much of a screen as they write to."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

KEYS = {
    "right": "\x1b[C", "left": "\x1b[D", "up": "\x1b[A", "down": "\x1b[B", "home": "\x1b[H", "end": "\x1b[F",
    "enter": "\r", "space": " ", "c-c": "\x03", "c-d": "\x04",
}  # fmt: skip
_CONTROL = re.compile(r"\x1b\[([?>]?)([0-9;]*)([A-Za-z])|\x1b[()].|\x1b[=>]|\x1b\][^\x07]*\x07|[\r\n\b\x07]")


class Screen:
    """The characters that a program has put on the screen."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        self.x = self.y = 0

    @property
    def text(self) -> str:
        """The lines as they stand."""
        return "\n".join("".join(line).rstrip() for line in self.cells)

    def feed(self, text: str) -> None:
        """Take what the program wrote."""
        at = 0
        for control in _CONTROL.finditer(text):
            self._put(text[at : control.start()])
            self._obey(control)
            at = control.end()
        self._put(text[at:])

    def _put(self, text: str) -> None:
        for character in text:
            if self.x >= self.columns:
                self._down()
                self.x = 0
            self.cells[self.y][self.x] = character
            self.x += 1

    def _down(self) -> None:
        if self.y == self.rows - 1:
            self.cells = [*self.cells[1:], [" "] * self.columns]
        else:
            self.y += 1

    def _obey(self, control: re.Match[str]) -> None:
        if control[0] == "\r":
            self.x = 0
        elif control[0] == "\n":
            self._down()
        elif control[0] == "\b":
            self.x = max(self.x - 1, 0)
        elif control[3] and not control[1]:
            numbers = [int(n) if n else 0 for n in control[2].split(";")]
            n = numbers[0] or 1
            if control[3] == "H":
                self.y, self.x = n - 1, (numbers[1] or 1) - 1 if len(numbers) > 1 else 0
            elif control[3] in "ABCD":
                dx, dy = {"A": (0, -n), "B": (0, n), "C": (n, 0), "D": (-n, 0)}[control[3]]
                self.x = min(max(self.x + dx, 0), self.columns - 1)
                self.y = min(max(self.y + dy, 0), self.rows - 1)
            elif control[3] == "K":
                self.cells[self.y][self.x :] = [" "] * (self.columns - self.x)
            elif control[3] == "J":
                self.cells[self.y][self.x :] = [" "] * (self.columns - self.x)
                first = 0 if numbers[0] == 2 else self.y + 1
                for y in range(first, self.rows):
                    self.cells[y] = [" "] * self.columns


class Terminal:
    """A program in a pseudo-terminal.

    Parameters
    ----------
    words
        The command.
    cwd
        Where it runs.
    env
        Its environment.
    columns, rows
        Size of the screen.
    """

    def __init__(
        self, words: Sequence[str], cwd: Path, env: Mapping[str, str], columns: int = 80, rows: int = 24
    ) -> None:
        self.screen = Screen(columns, rows)
        self.written = ""
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        more = {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
        environment = {key: value for key, value in env.items() if key not in ("COLUMNS", "LINES", "CI")} | more
        # keys such as Ctrl-C come as characters: programs that turn pages read them all
        self.process = subprocess.Popen(
            list(words), cwd=cwd, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        os.close(theirs)

    def press(self, *keys: str) -> None:
        """Send keys by name, or characters."""
        for key in keys:
            os.write(self._ours, KEYS.get(key, key).encode())

    def wait_for(self, text: str, seconds: float = 120) -> str:
        """Read on until a text stands on the screen; returns the screen."""
        end = time.monotonic() + seconds
        while text not in self.screen.text:
            assert time.monotonic() < end, f"{text!r} did not appear:\n{self.screen.text}"
            if not self._read(end - time.monotonic()):
                break
        assert text in self.screen.text, f"{text!r} did not appear:\n{self.screen.text}"
        return self.screen.text

    def read_until(self, condition: Callable[[], bool], seconds: float = 120) -> bool:
        """Read on until something is so; False if the program ended before."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, self.screen.text
            if not self._read(0.2):
                return condition()
        return True

    def resize(self, columns: int, rows: int) -> None:
        """Give the window another size, and tell the program."""
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen = Screen(columns, rows)
        self.process.send_signal(signal.SIGWINCH)

    def end(self, seconds: float = 120) -> int:
        """Read to the end; returns the exit status."""
        until = time.monotonic() + seconds
        while self._read(max(until - time.monotonic(), 0.1)):
            assert time.monotonic() < until, self.screen.text
        status = self.process.wait(timeout=seconds)
        os.close(self._ours)
        return status

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], max(seconds, 0))
        if not ready:
            return True
        data = b""
        with contextlib.suppress(OSError):
            data = os.read(self._ours, 65536)
        while data and data[-1] >= 0x80:
            # the rest of a character
            try:
                data.decode()
                break
            except UnicodeDecodeError:
                data += os.read(self._ours, 1)
        text = data.decode(errors="replace")
        self.written += text
        self.screen.feed(text)
        return bool(data)
