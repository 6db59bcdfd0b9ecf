"""The log of a round: what was played by whom at which end, read as people write it and checked.

Needs no compiler: that a log is impossible is told at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from domeng_sim.core.codes import NOBODY
from domeng_sim.core.tiles import HALVES, tile_text
from domeng_sim.games.types import PositionError

N_SEATS = 5
N_HAND = 5
SEATS = range(N_SEATS)


@dataclass(frozen=True)
class Entry:
    """A line of the log as somebody wrote it.

    Attributes
    ----------
    seat
        Who acted; None if it was not said: then whose turn it was.
    tile
        The tile played; None for a PASS.
    end
        ``l`` or ``r``, or empty where it was not said.
    """

    seat: int | None
    tile: int | None
    end: str = ""

    def text(self, seat: int) -> str:
        """As it is written, with its seat."""
        return f"{seat}:{'pass' if self.tile is None else tile_text(self.tile) + self.end}"


@dataclass(frozen=True)
class Act:
    """What a player did.

    Attributes
    ----------
    seat
        Who.
    tile
        The tile played; -1 for a PASS.
    end
        ``l`` or ``r`` for the end joined; empty for a lead and a PASS.
    left, right
        The ends after it.
    """

    seat: int
    tile: int
    end: str
    left: int
    right: int


@dataclass
class Chain:
    """The chain, and what its making showed.

    Attributes
    ----------
    acts
        What was done.
    left, right
        The ends; -1 before the first tile.
    last
        LAST MAPPANO, or -1.
    played_by
        By tile: who played it, in which entry.
    voids
        By seat: the values that it does not hold, and the entry with the PASS that showed it.
    n_played
        Tiles played by each seat.
    over
        Why the round is over; empty if it is not.
    """

    acts: list[Act] = field(default_factory=list)
    left: int = NOBODY
    right: int = NOBODY
    last: int = NOBODY
    played_by: dict[int, tuple[int, int]] = field(default_factory=dict)
    voids: list[dict[int, int]] = field(default_factory=lambda: [{} for _ in SEATS])
    n_played: list[int] = field(default_factory=lambda: [0] * N_SEATS)
    over: str = ""


def _fits(tile: int, value: int) -> bool:
    return value in HALVES[tile]


def _ends(left: int, right: int) -> str:
    return f"both ends are {left}" if left == right else f"the ends are {left} (left) and {right} (right)"


def read_chain(entries: Sequence[Entry], starter: int) -> Chain:
    """Follow the log from the first tile on.

    Parameters
    ----------
    entries
        The log.
    starter
        Who leads.

    Raises
    ------
    PositionError
        If it is no log of a round.
    """
    chain = Chain()
    turn = starter
    for number, entry in enumerate(entries, 1):
        seat = turn if entry.seat is None else entry.seat
        where = f"log entry {number} ({entry.text(seat)})"
        if chain.over:
            raise PositionError(f"{where}: the round was over before: {chain.over}")
        if seat != turn:
            before = f"after seat {chain.acts[-1].seat} comes" if chain.acts else "the round is started by"
            raise PositionError(f"{where}: it was not the turn of seat {seat}; {before} seat {turn}")
        if entry.tile is None:
            _read_pass(chain, number, seat, where)
        else:
            _read_play(chain, number, seat, entry.tile, entry.end, where)
        turn = (turn + 1) % N_SEATS
    return chain


def _read_pass(chain: Chain, number: int, seat: int, where: str) -> None:
    if not chain.acts:
        raise PositionError(f"{where}: a round begins with a tile; its starter cannot PASS")
    for value in (chain.left, chain.right):
        chain.voids[seat].setdefault(value, number)
    chain.acts.append(Act(seat, NOBODY, "", chain.left, chain.right))
    if seat == chain.last:
        chain.over = f"with entry {number} all five had passed, it was blocked"


def _read_play(chain: Chain, number: int, seat: int, tile: int, end: str, where: str) -> None:
    name = tile_text(tile)
    if tile in chain.played_by:
        by, entry = chain.played_by[tile]
        raise PositionError(f"{where}: {name} was played before, by seat {by} in entry {entry}")
    hi, lo = HALVES[tile]
    if not chain.acts:
        if end:
            raise PositionError(f"{where}: the first tile joins no end; write it as {seat}:{name}")
        chain.left, chain.right = lo, hi
    else:
        end = _end_joined(chain, tile, end, where)
        value = chain.left if end == "l" else chain.right
        opened = lo if hi == value else hi
        if end == "l":
            chain.left = opened
        else:
            chain.right = opened
    for value in (hi, lo):
        if value in chain.voids[seat]:
            entry = chain.voids[seat][value]
            passed = chain.acts[entry - 1]
            raise PositionError(
                f"{where}: seat {seat} passed in entry {entry}, at the ends {passed.left} and {passed.right}, "
                f"so it holds no tile with a {value}"
            )
    chain.played_by[tile] = (seat, number)
    chain.n_played[seat] += 1
    chain.last = seat
    chain.acts.append(Act(seat, tile, end, chain.left, chain.right))
    if chain.n_played[seat] == N_HAND:
        chain.over = f"with entry {number} seat {seat} had played its last tile"


def _end_joined(chain: Chain, tile: int, end: str, where: str) -> str:
    """The end that a tile was joined to; with equal ends either may be written."""
    name, ends = tile_text(tile), _ends(chain.left, chain.right)
    fits = {"l": _fits(tile, chain.left), "r": _fits(tile, chain.right)}
    if not any(fits.values()):
        raise PositionError(f"{where}: {name} does not fit; {ends}")
    if end and not fits[end]:
        other = "r" if end == "l" else "l"
        words = {"l": "left", "r": "right"}
        raise PositionError(f"{where}: {name} does not fit the {words[end]} end; {ends}; write {name}{other}")
    if not end and all(fits.values()) and chain.left != chain.right:
        raise PositionError(f"{where}: {name} fits both ends; write {name}l or {name}r; {ends}")
    return end or ("l" if fits["l"] else "r")
