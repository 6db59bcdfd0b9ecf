"""The log of a round of Draw: what was led, played, drawn and passed, read as people write it and checked.

Needs no compiler: that a log is impossible is told at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from domeng_sim.core.codes import NOBODY
from domeng_sim.core.tiles import HALVES, tile_text
from domeng_sim.errors import FieldRef
from domeng_sim.games.draw.odds.board import DIRECTIONS, Board, fitting
from domeng_sim.games.types import PositionError

N_SEATS, N_HAND, N_STOCK, LAST_STOCK = 2, 7, 14, 2
SEATS = range(N_SEATS)

PLAY, PASS, DRAW = "play", "pass", "draw"
WORDS = {"l": "left", "r": "right", "s": "straight"}


def rank(tile: int) -> tuple[bool, int, int]:
    """Order of tiles when it is found who starts: the highest double, else most pips, then the higher half.

    Examples
    --------
    >>> rank(0) > rank(26), rank(26) > rank(25)  # 0|0, 6|5, 6|4
    (True, True)
    """
    hi, lo = HALVES[tile]
    return hi == lo, hi + lo, hi


@dataclass(frozen=True)
class Entry:
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
    """

    seat: int | None
    kind: str
    tile: int | None = None
    end: str = ""
    direction: str = ""
    count: int = 1

    def text(self, seat: int) -> str:
        """As it is written, with its seat."""
        name = "" if self.tile is None else tile_text(self.tile)
        if self.kind == PLAY:
            return f"{seat}:{name}{self.end}{self.direction}"
        if self.kind == PASS:
            return f"{seat}:pass"
        return f"{seat}:d{name}" + (f"*{self.count}" if self.count > 1 else "")


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
    """

    seat: int
    kind: str
    tile: int
    end: str
    direction: str
    left: int
    right: int


@dataclass(frozen=True)
class Shown:
    """What a turn without a fitting tile showed: with draws, or with a PASS alone.

    Attributes
    ----------
    seat
        Whose turn.
    entry
        The entry of the log with which it began.
    at
        Position of its first act.
    fits
        Mask of the tiles that fitted.
    kept
        Tiles drawn that did not fit, -1 for one that was not seen.
    left, right
        The ends then.
    """

    seat: int
    entry: int = field(compare=False)
    at: int
    fits: int
    kept: tuple[int, ...]
    left: int
    right: int


@dataclass
class Chain:
    """The chain, and what its making showed.

    Attributes
    ----------
    draws_one
        Whether at most one tile is drawn in a turn.
    board
        The finite table; None for one without bounds.
    turn
        Whose turn it is.
    acts
        What was done.
    left, right
        The ends; -1 before the first tile.
    stock
        Tiles in the stock.
    played_by, drawn_by
        By tile: who played or drew it, in which entry.
    held
        Tiles that each seat holds.
    shown
        What turns showed, in their order.
    under_way
        Positions of the draws of a turn that is not over, and the entry with which it began.
    over
        Why the round is over; empty if it is not known to be.
    """

    draws_one: bool
    board: Board | None
    turn: int
    acts: list[Act] = field(default_factory=list)
    left: int = NOBODY
    right: int = NOBODY
    stock: int = N_STOCK
    played_by: dict[int, tuple[int, int]] = field(default_factory=dict)
    drawn_by: dict[int, tuple[int, int]] = field(default_factory=dict)
    held: list[int] = field(default_factory=lambda: [N_HAND] * N_SEATS)
    shown: list[Shown] = field(default_factory=list)
    under_way: list[int] = field(default_factory=list)
    began: int = 0
    over: str = ""

    @property
    def fits(self) -> int:
        """Mask of the tiles that fit now."""
        return fitting(self.board, self.left, self.right)

    @property
    def ends(self) -> str:
        """The ends in words."""
        if self.left == self.right:
            return f"both ends are {self.left}"
        return f"the ends are {self.left} (left) and {self.right} (right)"

    def drawn_fits(self) -> int:
        """The tile drawn last in this turn, if it is known to fit; else -1."""
        tile = self.acts[self.under_way[-1]].tile if self.under_way else NOBODY
        return tile if tile >= 0 and self.fits >> tile & 1 else NOBODY

    def show(self, kept: Sequence[int], entry: int, seat: int) -> None:
        """Note what the turn of a seat showed."""
        at = self.under_way[0] if self.under_way else len(self.acts)
        tiles = tuple(self.acts[act].tile for act in kept)
        first = self.began if self.under_way else entry
        self.shown.append(Shown(seat, first, at, self.fits, tiles, self.left, self.right))


def read_chain(entries: Sequence[Entry], starter: int, draws_one: bool, board: Board | None) -> Chain:
    """Follow the log from the first tile on.

    Parameters
    ----------
    entries
        The log.
    starter
        Who leads.
    draws_one
        Whether at most one tile is drawn in a turn.
    board
        An empty table; None for one without bounds.

    Raises
    ------
    PositionError
        If it is no log of a round.
    """
    chain = Chain(draws_one, board, starter)
    for number, entry in enumerate(entries, 1):
        seat = chain.turn if entry.seat is None else entry.seat
        where = f"log entry {number} ({entry.text(seat)})"
        if chain.over:
            raise PositionError(f"{where}: the round was over before: {chain.over}")
        if seat != chain.turn:
            raise PositionError(f"{where}: it was not the turn of seat {seat}; {_why_turn(chain)} seat {chain.turn}")
        if not chain.acts and entry.kind != PLAY:
            raise PositionError(f"{where}: a round begins with a tile; its starter neither draws nor passes")
        if entry.kind == DRAW:
            for _ in range(entry.count):
                _read_draw(chain, number, seat, NOBODY if entry.tile is None else entry.tile, where)
            continue
        if entry.kind == PASS:
            _read_pass(chain, number, seat, where)
        else:
            assert entry.tile is not None
            _read_play(chain, number, seat, entry.tile, (entry.end, entry.direction), where)
        chain.turn, chain.under_way = 1 - seat, []
    return chain


def _why_turn(chain: Chain) -> str:
    if not chain.acts:
        return "the round is started by"
    if chain.under_way:
        return "after a draw it is still that of"
    return f"after seat {chain.acts[-1].seat} comes"


def _had_to_play(chain: Chain, where: str) -> None:
    tile = chain.drawn_fits()
    if tile >= 0:
        raise PositionError(f"{where}: {tile_text(tile)}, drawn just before, fits, so it had to be played")


def _read_draw(chain: Chain, number: int, seat: int, tile: int, where: str) -> None:
    if chain.stock <= LAST_STOCK:
        raise PositionError(f"{where}: only {LAST_STOCK} tiles were left in the stock, and these stay there")
    if chain.draws_one and chain.under_way:
        raise PositionError(f"{where}: with draw=one at most one tile is drawn in a turn")
    _had_to_play(chain, where)
    if tile >= 0:
        _check_new(chain, tile, where)
        chain.drawn_by[tile] = (seat, number)
    if not chain.under_way:
        chain.began = number
    chain.under_way.append(len(chain.acts))
    chain.acts.append(Act(seat, DRAW, tile, "", "", chain.left, chain.right))
    chain.stock -= 1
    chain.held[seat] += 1


def _check_new(chain: Chain, tile: int, where: str) -> None:
    """A tile that is drawn was nowhere before."""
    for by, done in ((chain.played_by, "played"), (chain.drawn_by, "drawn")):
        if tile in by:
            seat, entry = by[tile]
            raise PositionError(f"{where}: {tile_text(tile)} was {done} before, by seat {seat} in entry {entry}")


def _read_pass(chain: Chain, number: int, seat: int, where: str) -> None:
    _had_to_play(chain, where)
    if chain.stock > LAST_STOCK and not (chain.draws_one and chain.under_way):
        until = "a tile" if chain.draws_one else f"until a tile fits or {LAST_STOCK} are left"
        raise PositionError(
            f"{where}: {chain.stock} tiles were left in the stock, so seat {seat} had to draw {until}; "
            f"write its draws, as in {seat}:d*2"
        )
    chain.show(chain.under_way, number, seat)
    both_passed = chain.acts[-len(chain.under_way) - 1].kind == PASS
    chain.acts.append(Act(seat, PASS, NOBODY, "", "", chain.left, chain.right))
    if both_passed and chain.stock <= LAST_STOCK:
        chain.over = f"with entry {number} neither could play or draw, it was blocked"


def _read_play(chain: Chain, number: int, seat: int, tile: int, place: tuple[str, str], where: str) -> None:
    name, (end, direction) = tile_text(tile), place
    if tile in chain.played_by:
        by, entry = chain.played_by[tile]
        raise PositionError(f"{where}: {name} was played before, by seat {by} in entry {entry}")
    if chain.drawn_by.get(tile, (seat,))[0] != seat:
        by, entry = chain.drawn_by[tile]
        raise PositionError(f"{where}: {name} was drawn by seat {by}, in entry {entry}")
    if not chain.acts:
        if end or direction:
            raise PositionError(f"{where}: the first tile joins no end; write it as {seat}:{name}")
        chain.right, chain.left = HALVES[tile]
    else:
        end, direction = _place(chain, tile, end, direction, where)
        _note_draws(chain, number, seat, tile, where)
        hi, lo = HALVES[tile]
        if end == "l":
            chain.left = lo if hi == chain.left else hi
        else:
            chain.right = lo if hi == chain.right else hi
    if chain.board is not None:
        chain.board = chain.board.lay(tile, end, direction)
    chain.played_by[tile] = (seat, number)
    chain.held[seat] -= 1
    chain.acts.append(Act(seat, PLAY, tile, end, direction, chain.left, chain.right))
    if not chain.held[seat]:
        chain.over = f"with entry {number} seat {seat} had played its last tile"


def _note_draws(chain: Chain, number: int, seat: int, tile: int, where: str) -> None:
    """A turn with draws ends with the tile drawn last, or with a PASS."""
    if not chain.under_way:
        return
    last = chain.under_way[-1]
    drawn = chain.acts[last].tile
    if drawn < 0:
        _check_new(chain, tile, where)
        chain.drawn_by[tile] = (seat, number)
        chain.acts[last] = replace(chain.acts[last], tile=tile)
    elif drawn != tile:
        raise PositionError(
            f"{where}: seat {seat} drew because it held no fitting tile, so it could play none but the one drawn last, "
            f"{tile_text(drawn)}"
        )
    chain.show(chain.under_way[:-1], number, seat)


def _place(chain: Chain, tile: int, end: str, direction: str, where: str) -> tuple[str, str]:
    """The end that a tile was joined to, and how it lies."""
    name, finite = tile_text(tile), chain.board is not None
    free = {"l": "", "r": ""}
    for at, value in (("l", chain.left), ("r", chain.right)):
        if value in HALVES[tile]:
            free[at] = chain.board.directions(tile, at) if chain.board is not None else "-"
    room = " or has no room there" if finite else ""
    if not any(free.values()):
        raise PositionError(f"{where}: {name} does not fit{room}; {chain.ends}")
    if end and not free[end]:
        other = "r" if end == "l" else "l"
        raise PositionError(
            f"{where}: {name} does not fit the {WORDS[end]} end{room}; {chain.ends}; write {name}{other}"
        )
    # On a table without bounds joining equal ends is one move; on a finite one it never is.
    if not end and all(free.values()) and (finite or chain.left != chain.right):
        raise PositionError(f"{where}: {name} fits both ends; write {name}l or {name}r; {chain.ends}")
    end = end or ("l" if free["l"] else "r")
    if not finite:
        if direction:
            finite_table = FieldRef("rules", {"table": "WxH"})
            raise PositionError(f"{where}: a direction goes with a finite table, ", finite_table)
        return end, ""
    if direction and direction not in free[end]:
        words = " or ".join(f"{'straight on' if letter == 's' else f'turning {WORDS[letter]}'}" for letter in free[end])
        how = "straight on" if direction == "s" else f"turning {WORDS[direction]}"
        why = ": a double, and what joins one, goes straight on" if free[end] == "s" else ""
        raise PositionError(f"{where}: {name} cannot be laid {how} at the {WORDS[end]} end, only {words}{why}")
    return end, direction or min(free[end], key=DIRECTIONS.index)
