"""What a person typed instead of a move, and why it cannot be played."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domeng_sim.core.tiles import HALVES, is_double, tile_number, tile_text
from domeng_sim.games.shared.notation import with_digits
from domeng_sim.games.types import LegalMove

_TILE = re.compile(
    r"\[?(?P<high>\d)\s*[|/:-]?\s*(?P<low>\d)\]?\s*(?P<end>l|r|left|right)?"
    r"\s*(turning\s+)?(?P<way>s|l|r|straight|left|right)?",
    re.IGNORECASE,
)
_PASS = {"p", "pass", "passebunge"}
_UNDO = {"u", "undo"}


@dataclass(frozen=True)
class MoveChoice:
    """What somebody may choose from, and what is needed to explain why not something else.

    Attributes
    ----------
    moves
        The legal moves.
    hand
        Tiles of the player.
    left, right
        Values of the ends; -1 at a lead.
    """

    moves: tuple[LegalMove, ...]
    hand: frozenset[int]
    left: int
    right: int

    @classmethod
    def of(cls, moves: Sequence[LegalMove], seat: int, rows: Mapping[str, Sequence[Any]]) -> MoveChoice:
        """The decision at the end of the rows of a match.

        Parameters
        ----------
        moves
            The legal moves.
        seat
            Who chooses.
        rows
            Columns of the `events` table, up to the decision.
        """
        hand: set[int] = set()
        here = (rows["game"][-1], rows["round"][-1])
        for game, round_, event, who, tile in zip(
            *(rows[name] for name in ("game", "round", "event", "seat", "tile")), strict=True
        ):
            if (game, round_) == here and who == seat and event in ("deal", "draw"):
                hand.add(tile)
            elif (game, round_) == here and who == seat and tile >= 0:
                hand.discard(tile)
        return cls(tuple(moves), frozenset(hand), rows["left_end"][-1], rows["right_end"][-1])

    @property
    def is_lead(self) -> bool:
        """Whether the first tile of the round is to be played."""
        return self.left < 0

    def texts(self, ends: str = "ends ") -> list[str]:
        """The moves in words, each with the ends after it, and that they are these."""
        words = [_named(move) for move in self.moves]
        size = max(map(len, words))
        after = ["{} and {}".format(*self._ends_after(move)) for move in self.moves]
        return [f"{name:{size}}  {ends}{values}" for name, values in zip(words, after, strict=True)]

    def _ends_after(self, move: LegalMove) -> tuple[int, int]:
        high, low = HALVES[move.tile]
        if not move.end:
            return low, high
        joined = self.left if move.end == "left" else self.right
        opened = low if joined == high else high
        return (opened, self.right) if move.end == "left" else (self.left, opened)

    def read(self, typed: str) -> int | str:
        """The position of the move that was typed, or why it cannot be played.

        Parameters
        ----------
        typed
            A number from 1 on, or a tile with its end and direction.
        """
        word = _in_ascii_digits(with_digits(typed).strip().lower())
        if word.isascii() and word.isdigit():
            # 65 is a tile, unless there are as many moves; no tile has a 7
            number = int(word[:9])
            if len(word) != 2 or 1 <= number <= len(self.moves) or max(word) > "6":
                return self._by_number(number)
        if word in _PASS:
            return "No voluntary PASS: who holds a tile that fits must play one."
        if word in _UNDO:
            return "There is no undo: a tile on the table stays there."
        if word in ("d", "draw"):
            return "You hold a tile that fits, so you must play one."
        match = _TILE.fullmatch(word)
        if match is None:
            numbers = "1" if len(self.moves) == 1 else f"a number from 1 to {len(self.moves)}"
            return f"{_short(typed)} is no move: type {numbers}, or a tile such as 6|4r."
        return self._by_tile(int(match["high"]), int(match["low"]), match["end"] or "", match["way"] or "")

    def _by_number(self, number: int) -> int | str:
        n = len(self.moves)
        if 1 <= number <= n:
            return number - 1
        return f"There is no move {number}; {'only move 1' if n == 1 else f'the moves are 1 to {n}'}."

    def _by_tile(self, one: int, other: int, end: str, way: str) -> int | str:
        if max(one, other) > 6:
            return f"{one}|{other} is no tile: the double-six set has halves from 0 to 6."
        tile = tile_number(max(one, other), min(one, other))
        name = f"[{tile_text(tile)}]"
        if tile not in self.hand:
            return f"You do not hold {name}."
        of_tile = [number for number, move in enumerate(self.moves) if move.tile == tile]
        if not of_tile:
            return self._why_not(tile)
        fits = [n for n in of_tile if not end or self._goes_to(n, end)]
        if not fits:
            there = self.moves[of_tile[0]].end
            return f"{name} does not go to the {_words(end)} end; it goes to the {there} one."
        exact = [n for n in fits if not way or self.moves[n].direction[:1] in ("", way[0])]
        if len(exact) == 1:
            return exact[0]
        if not exact:
            ways = " or ".join(dict.fromkeys(_way(self.moves[n].direction) for n in fits))
            return f"{name} cannot go {_words(way)} there, only {ways}."
        numbers = ", ".join(str(number + 1) for number in exact)
        return f"{name} can be played in more than one way; type one of the numbers {numbers}."

    def _goes_to(self, number: int, end: str) -> bool:
        """Whether a move is at that end; two equal ends of a table without bounds are one and the same."""
        move = self.moves[number]
        either = self.left == self.right and not move.direction
        return not move.end or either or move.end[0] == end[0]

    def _why_not(self, tile: int) -> str:
        name = f"[{tile_text(tile)}]"
        if self.is_lead:
            must = f"[{tile_text(self.moves[0].tile)}]"
            return f"{name} may not lead: by the rule opening_lead the first tile of this round is {must}."
        halves = HALVES[tile]
        if self.left in halves or self.right in halves:
            return f"{name} fits an end, but there is no room for it on the table: that end is closed to it."
        ends = f"both ends are {self.left}" if self.left == self.right else f"the ends are {self.left} and {self.right}"
        return f"{name} does not fit: {ends}, and a tile joins an end whose value is one of its halves."


def _named(move: LegalMove) -> str:
    words = [f"[{tile_text(move.tile)}]", move.end]
    if move.direction and not is_double(move.tile):
        words.append(_way(move.direction))
    return " ".join(filter(None, words))


def _way(direction: str) -> str:
    return direction if direction == "straight" else f"turning {direction}"


def _in_ascii_digits(text: str) -> str:
    """The same text with digits of all scripts as those of ASCII."""
    return "".join(letter if letter.isascii() else str(unicodedata.decimal(letter, letter)) for letter in text)


def _words(letter: str) -> str:
    return {"l": "left", "r": "right", "s": "straight"}[letter[0]]


def _short(typed: str) -> str:
    text = "".join(letter if letter.isprintable() else "?" for letter in typed)
    return repr(text if len(text) <= 20 else f"{text[:20]}...")
