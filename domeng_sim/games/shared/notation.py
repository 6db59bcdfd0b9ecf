"""Tiles, hands and numbers as people write them in positions of any game."""

from __future__ import annotations

import re

from domeng_sim.core.tiles import hand_mask, tile_number
from domeng_sim.errors import FieldRef
from domeng_sim.games.types import PositionError

TILE = r"\[?(?P<{hi}>[0-6])[|/:-]?(?P<{lo}>[0-6])\]?"
"""A tile; the groups of its halves are to be named."""
_TILE = re.compile(TILE.format(hi="hi", lo="lo"))
_FLAT, _UPRIGHT = 0x1F031, 0x1F063
"""The domino characters of Unicode: 49 lie flat and 49 stand, by their first half and then by their second."""
_CHARACTERS = {first + 7 * a + b: f"{a}|{b}" for first in (_FLAT, _UPRIGHT) for a in range(7) for b in range(7)}


def with_digits(text: str, apart: str = "") -> str:
    """A text with domino characters as digits.

    Parameters
    ----------
    text
        What somebody wrote.
    apart
        What to put around each of them.

    Examples
    --------
    >>> with_digits("0:\U0001f061r")
    '0:6|6r'
    """
    return text.translate({code: f"{apart}{tile}{apart}" for code, tile in _CHARACTERS.items()})


def words_of(text: str) -> list[str]:
    """Words between blanks and commas."""
    return [word for word in re.split(r"[\s,]+", text) if word]


def parse_hand(text: str) -> int:
    """Mask of the tiles in a text such as ``6|5 5|5 3|1``; ``6:5``, ``6-5``, ``65`` and 🁠 are the same tile.

    Raises
    ------
    PositionError
        If a word is no tile, or a tile stands twice.

    Examples
    --------
    >>> parse_hand("6|5 5|5 3|1") == parse_hand("56,55,13")
    True
    """
    tiles = []
    for word in words_of(with_digits(text, " ")):
        match = _TILE.fullmatch(word)
        if match is None:
            raise PositionError(f"{word!r} is no tile of the double-six set; write it as 6|5")
        tiles.append(tile_number(int(match["hi"]), int(match["lo"])))
    try:
        return hand_mask(tiles)
    except ValueError as error:
        raise PositionError(f"in the hand {text.strip()!r} {error}") from error


def parse_hands(text: str, n_seats: int) -> dict[int, int]:
    """Known hands by seat.

    Raises
    ------
    PositionError
        If it is not a hand, or a ``?``, for each seat.
    """
    pieces = [piece.strip() for piece in text.split(";")]
    if len(pieces) != n_seats:
        told = f" takes {n_seats} hands separated by ; with ? for a hidden one, not {len(pieces)}"
        raise PositionError(FieldRef("hands"), told)
    return {seat: parse_hand(piece) for seat, piece in enumerate(pieces) if piece not in ("?", "")}


def parse_number(name: str, text: str, high: int) -> int:
    """A whole number from 0 to `high`; `name` stands in the message.

    Raises
    ------
    PositionError
        If it is none.
    """
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) <= high):
        raise PositionError(FieldRef(name), f" takes a whole number from 0 to {high}, not {text!r}")
    return int(text)
