"""The log of a round: what was led, played, drawn and passed, as people write it, and checked as it is followed.

Needs no compiler: that a log is impossible is told at once.  What differs between games is in their subclasses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from domeng_sim.core.codes import NOBODY
from domeng_sim.core.tiles import HALVES, hand_text, mask_tiles, tile_number, tile_text
from domeng_sim.errors import FieldRef
from domeng_sim.games.shared.notation import TILE, with_digits, words_of
from domeng_sim.games.types import PositionError

PLAY, PASS, DRAW = "play", "pass", "draw"
END_WORDS = {"l": "left", "r": "right", "s": "straight"}


@dataclass(frozen=True)
class LogEntry:
    """An entry of the log as somebody wrote it.

    Attributes
    ----------
    seat
        Who acted; None if it was not said: then whose turn it was.
    kind
        `PLAY`, `PASS` or `DRAW`.
    tile
        The tile played or drawn; None for a PASS and where it was not seen.
    end, direction
        ``l`` or ``r``, and ``s``, ``l`` or ``r``; empty where they were not said.
    count
        Tiles drawn.
    is_free
        Whether it is a PASS that got nothing.
    """

    seat: int | None
    kind: str
    tile: int | None = None
    end: str = ""
    direction: str = ""
    count: int = 1
    is_free: bool = False

    def text(self, seat: int) -> str:
        """As it is written, with its seat."""
        name = "" if self.tile is None else tile_text(self.tile)
        if self.kind == PLAY:
            return f"{seat}:{name}{self.end}{self.direction}"
        if self.kind == PASS:
            return f"{seat}:pass{'0' * self.is_free}"
        return f"{seat}:d{name}" + (f"*{self.count}" if self.count > 1 else "")


@dataclass(frozen=True)
class Grammar:
    """How the entries of a game's log are written.

    Attributes
    ----------
    n_seats
        Seats of the game.
    how
        How an entry is written, for messages.
    passes
        What a PASS is called.
    draws, directions, free
        Whether there are draws, directions in which a tile lies, PASSes that get nothing.
    """

    n_seats: int
    how: str
    passes: tuple[str, ...] = ("p", "pass")
    draws: bool = False
    directions: bool = False
    free: bool = False

    @cached_property
    def _entry(self) -> re.Pattern[str]:
        kinds = [f"(?P<pass>{'|'.join(self.passes)})" + ("(?P<free>0)?" if self.free else "")]
        if self.draws:
            drawn = TILE.format(hi="hi", lo="lo")
            kinds.append(rf"(?P<draw>d|draw)=?(?:{drawn}|\*(?P<n>\d+))?")
        lies = "-?(?P<direction>s|l|r|straight|left|right)?" if self.directions else ""
        kinds.append(f"{TILE.format(hi='a', lo='b')}(?P<end>l|r|left|right)?{lies}")
        return re.compile(rf"(?:(?P<seat>\d+):)?(?:{'|'.join(kinds)})", re.IGNORECASE)

    def parse(self, text: str) -> list[LogEntry]:
        """Entries of a log.

        Parameters
        ----------
        text
            Words between blanks and commas.

        Raises
        ------
        PositionError
            If a word is no entry.

        Examples
        --------
        >>> grammar = Grammar(2, "as told", draws=True, directions=True)
        >>> [entry.text(7) for entry in grammar.parse("0:6|6 1:6|4r d*2 d5|3 pass 6|2ls")]
        ['7:6|6', '7:6|4r', '7:d*2', '7:d5|3', '7:pass', '7:6|2ls']
        """
        return [self._parse(number, word) for number, word in enumerate(words_of(with_digits(text)), 1)]

    def _parse(self, number: int, word: str) -> LogEntry:
        match = self._entry.fullmatch(word)
        if match is None:
            raise PositionError(f"log entry {number} ({word}) is none; write {self.how}")
        found = match.groupdict(default="")
        seat = int(found["seat"]) if found["seat"] else None
        if seat is not None and seat >= self.n_seats:
            raise PositionError(f"log entry {number} ({word}): the seats are 0 to {self.n_seats - 1}")
        if found["pass"]:
            return LogEntry(seat, PASS, is_free=bool(found.get("free")))
        if found.get("draw"):
            tile = tile_number(int(found["hi"]), int(found["lo"])) if found["hi"] else None
            return LogEntry(seat, DRAW, tile, count=int(found["n"] or 1))
        end, direction = (found.get(name, "")[:1].lower() for name in ("end", "direction"))
        return LogEntry(seat, PLAY, tile_number(int(found["a"]), int(found["b"])), end, direction)


def turn_after(entries: Iterable[LogEntry], n_seats: int) -> int | None:
    """Whose turn it is after a log, if it is one."""
    turn = None
    for entry in entries:
        turn = turn if entry.seat is None else entry.seat
        if turn is not None and entry.kind != DRAW:
            turn = (turn + 1) % n_seats
    return turn


@dataclass(frozen=True)
class Act:
    """Something that a player did: a tile led or played, a tile drawn, a PASS.

    Attributes
    ----------
    seat
        Who.
    kind
        `PLAY`, `PASS` or `DRAW`.
    tile
        The tile; -1 for a PASS and for one that was not seen.
    end, direction
        ``l`` or ``r``; ``s``, ``l`` or ``r`` on a finite table; empty where there is none.
    left, right
        The ends after it.
    is_free
        Whether it is a PASS that got nothing.
    """

    seat: int
    kind: str
    tile: int
    end: str
    direction: str
    left: int
    right: int
    is_free: bool = False


class MoveLog:
    """The chain as the log makes it, and what its making showed.

    Parameters
    ----------
    starter
        Who leads.

    Attributes
    ----------
    turn
        Whose turn it is.
    acts
        What was done.
    left, right
        The ends; -1 before the first tile.
    played_by
        By tile: who played it, in which entry.
    held
        Tiles that each seat holds.
    over
        Why the round is over; empty if it is not known to be.
    """

    n_seats: ClassVar[int]
    n_hand: ClassVar[int]
    starter_cannot = "cannot PASS"

    def __init__(self, starter: int) -> None:
        self.turn = starter
        self.acts: list[Act] = []
        self.left = self.right = NOBODY
        self.played_by: dict[int, tuple[int, int]] = {}
        self.held = [self.n_hand] * self.n_seats
        self.over = ""

    @property
    def ends(self) -> str:
        """The ends in words."""
        if self.left == self.right:
            return f"both ends are {self.left}"
        return f"the ends are {self.left} (left) and {self.right} (right)"

    def follow(self, entries: Sequence[LogEntry]) -> None:
        """Follow the log from the first tile on.

        Parameters
        ----------
        entries
            The log.

        Raises
        ------
        PositionError
            If it is no log of a round.
        """
        for number, entry in enumerate(entries, 1):
            seat = self.turn if entry.seat is None else entry.seat
            where = f"log entry {number} ({entry.text(seat)})"
            if self.over:
                raise PositionError(f"{where}: the round was over before: {self.over}")
            if seat != self.turn:
                raise PositionError(f"{where}: it was not the turn of seat {seat}; {self._why_turn()} seat {self.turn}")
            if not self.acts and entry.kind != PLAY:
                raise PositionError(f"{where}: a round begins with a tile; its starter {self.starter_cannot}")
            if entry.kind == DRAW:
                self._draw(number, entry, where)
                continue
            if entry.kind == PASS:
                self._pass(number, entry, where)
            else:
                self._play(number, entry, where)
            self.turn = (seat + 1) % self.n_seats
            self._end_turn()

    def check_hands(self, seat: int, hands: Mapping[int, int]) -> None:
        """See whether known hands go with the log.

        Parameters
        ----------
        seat
            Who asks.
        hands
            By seat.

        Raises
        ------
        PositionError
            If they do not.
        """
        if seat not in hands:
            raise PositionError(f"the hand of seat {seat} is needed; give it by ", FieldRef("hand"))
        owner: dict[int, int] = {}
        for holder, mask in sorted(hands.items()):
            for tile in mask_tiles(mask):
                self._check_held(tile, holder)
                if tile in owner:
                    seats = f"seats {owner[tile]} and {holder}"
                    raise PositionError(f"{tile_text(tile)} is in the hands of {seats}; each tile is there once")
                owner[tile] = holder
            self._check_number(holder, mask)

    # what games add

    def _pass(self, number: int, entry: LogEntry, where: str) -> None:
        raise NotImplementedError

    def _draw(self, number: int, entry: LogEntry, where: str) -> None:
        raise NotImplementedError

    def _check_play(self, number: int, tile: int, where: str) -> None:
        """See whether whoever's turn it is can have had a tile that fits."""

    def _check_held(self, tile: int, seat: int) -> None:
        """See whether a seat can hold a tile."""
        if tile in self.played_by:
            by, entry = self.played_by[tile]
            raise PositionError(
                f"the hand of seat {seat} has {tile_text(tile)}, which seat {by} played in log entry {entry}"
            )

    def _lay(self, tile: int, end: str, direction: str) -> None:
        """Put a tile onto the table."""

    def _end_turn(self) -> None:
        """Begin the next turn."""

    def _why_turn(self) -> str:
        return f"after seat {self.acts[-1].seat} comes" if self.acts else "the round is started by"

    def _free(self, tile: int, end: str) -> str:
        """Letters of the directions that are free for a tile at an end whose value it has."""
        return "-"

    @property
    def _room(self) -> str:
        """What a tile may lack beside a fitting half, for messages."""
        return ""

    @property
    def _are_ends_alike(self) -> bool:
        """Whether joining either end is one move."""
        return self.left == self.right

    def _direction(self, tile: int, end: str, direction: str, free: str, where: str) -> str:
        """How a tile lies."""
        return ""

    # what all have in common

    def _play(self, number: int, entry: LogEntry, where: str) -> None:
        assert entry.tile is not None
        seat, tile, end, direction = self.turn, entry.tile, entry.end, entry.direction
        name, (hi, lo) = tile_text(tile), HALVES[tile]
        if tile in self.played_by:
            by, before = self.played_by[tile]
            raise PositionError(f"{where}: {name} was played before, by seat {by} in entry {before}")
        if not self.acts:
            if end or direction:
                raise PositionError(f"{where}: the first tile joins no end; write it as {seat}:{name}")
            self.left, self.right = lo, hi
        else:
            end, direction = self._place(tile, end, direction, where)
            self._check_play(number, tile, where)
            if end == "l":
                self.left = lo if hi == self.left else hi
            else:
                self.right = lo if hi == self.right else hi
        self._lay(tile, end, direction)
        self.played_by[tile] = (seat, number)
        self.held[seat] -= 1
        self.acts.append(Act(seat, PLAY, tile, end, direction, self.left, self.right))
        if not self.held[seat]:
            self.over = f"with entry {number} seat {seat} had played its last tile"

    def _place(self, tile: int, end: str, direction: str, where: str) -> tuple[str, str]:
        """The end that a tile was joined to, and how it lies; where joining either end is one move, as written."""
        name = tile_text(tile)
        ends = (("l", self.left), ("r", self.right))
        free = {at: self._free(tile, at) if value in HALVES[tile] else "" for at, value in ends}
        if not any(free.values()):
            raise PositionError(f"{where}: {name} does not fit{self._room}; {self.ends}")
        if end and not free[end]:
            other = "r" if end == "l" else "l"
            raise PositionError(
                f"{where}: {name} does not fit the {END_WORDS[end]} end{self._room}; {self.ends}; write {name}{other}"
            )
        if not end and all(free.values()) and not self._are_ends_alike:
            raise PositionError(f"{where}: {name} fits both ends; write {name}l or {name}r; {self.ends}")
        end = end or ("l" if free["l"] else "r")
        return end, self._direction(tile, end, direction, free[end], where)

    def _check_number(self, seat: int, mask: int) -> None:
        """See whether a seat holds so many tiles."""
        n, wanted = mask.bit_count(), self.held[seat]
        if n != wanted:
            kinds = [act.kind for act in self.acts if act.seat == seat]
            drawn = f", drawn {kinds.count(DRAW)}" if DRAW in kinds else ""
            raise PositionError(
                f"seat {seat} was dealt {self.n_hand}{drawn} and has played {kinds.count(PLAY)}, so it holds {wanted} "
                f"now, but its hand has {n}: {hand_text(mask_tiles(mask)) or 'none'}"
            )
