"""The log of a round of a two-player game: plays, draws and PASSes, and what turns without a fitting tile show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from domeng_sim.core.codes import NOBODY
from domeng_sim.core.tiles import HALVES, N_TILES, hand_text, mask_tiles, tile_text
from domeng_sim.errors import FieldRef
from domeng_sim.games.shared.move_log import DRAW, END_WORDS, PASS, PLAY, Act, LogEntry, MoveLog
from domeng_sim.games.two_player.placement import Placement, fitting
from domeng_sim.games.types import PositionError

N_SEATS, N_HAND = 2, 7
SEATS = range(N_SEATS)
N_STOCK = N_TILES - N_SEATS * N_HAND


def rank(tile: int) -> tuple[bool, int, int]:
    """Order of tiles when it is found who starts: the highest double, else most pips, then the higher half.

    Examples
    --------
    >>> rank(0) > rank(26), rank(26) > rank(25)  # 0|0, 6|5, 6|4
    (True, True)
    """
    hi, lo = HALVES[tile]
    return hi == lo, hi + lo, hi


def left_over(draw: str) -> int:
    """Tiles of the stock that are never drawn.

    Parameters
    ----------
    draw
        How many tiles are drawn in a turn: ``until_fit``, ``one`` or ``none``.
    """
    return N_STOCK if draw == "none" else 2


@dataclass(frozen=True)
class TurnShown:
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


class TwoPlayerLog(MoveLog):
    """The chain as the log makes it, and what its making showed.

    Parameters
    ----------
    starter
        Who leads.
    draw
        How many tiles are drawn in a turn: ``until_fit``, ``one`` or ``none``.
    table
        An empty table; None for one without bounds.

    Attributes
    ----------
    table
        The table with the tiles on it.
    stock
        Tiles in the stock.
    drawn_by
        By tile: who drew it, in which entry.
    shown
        What turns showed, in their order.
    under_way
        Positions of the draws of a turn that is not over.
    """

    n_seats, n_hand = N_SEATS, N_HAND

    def __init__(self, starter: int, draw: str, table: Placement | None) -> None:
        super().__init__(starter)
        self.draws_one, self.left_over = draw == "one", left_over(draw)
        self._can_do = "play"
        if draw != "none":
            self._can_do, self.starter_cannot = "play or draw", "neither draws nor passes"
        self.table = table
        self.stock = N_STOCK
        self.drawn_by: dict[int, tuple[int, int]] = {}
        self.shown: list[TurnShown] = []
        self.under_way: list[int] = []
        self._began = 0

    @property
    def _room(self) -> str:
        return " or has no room there" if self.table is not None else ""

    @property
    def fits(self) -> int:
        """Mask of the tiles that fit now."""
        return fitting(self.table, self.left, self.right)

    @property
    def _are_ends_alike(self) -> bool:
        # On a table without bounds joining equal ends is one move; on a finite one it never is.
        return self.table is None and super()._are_ends_alike

    def finish(self) -> None:
        """Note what the turn under way shows: nothing fitted when it began."""
        if self.under_way:
            drawn = [(act, self.acts[act].tile) for act in self.under_way]
            self._show([act for act, tile in drawn if tile < 0 or not self.fits >> tile & 1], self._began)

    def _show(self, kept: Sequence[int], entry: int) -> None:
        """Note what a turn showed."""
        at = self.under_way[0] if self.under_way else len(self.acts)
        tiles = tuple(self.acts[act].tile for act in kept)
        first = self._began if self.under_way else entry
        self.shown.append(TurnShown(self.turn, first, at, self.fits, tiles, self.left, self.right))

    def _why_turn(self) -> str:
        return "after a draw it is still that of" if self.under_way else super()._why_turn()

    def _end_turn(self) -> None:
        self.under_way = []

    def _check_not_drawn_to_play(self, where: str) -> None:
        tile = self.acts[self.under_way[-1]].tile if self.under_way else NOBODY
        if tile >= 0 and self.fits >> tile & 1:
            raise PositionError(f"{where}: {tile_text(tile)}, drawn just before, fits, so it had to be played")

    def _draw(self, number: int, entry: LogEntry, where: str) -> None:
        seat, tile = self.turn, NOBODY if entry.tile is None else entry.tile
        for _ in range(entry.count):
            if self.stock <= self.left_over:
                raise PositionError(
                    f"{where}: only {self.left_over} tiles were left in the stock, and these stay there"
                )
            if self.draws_one and self.under_way:
                raise PositionError(f"{where}: with draw=one at most one tile is drawn in a turn")
            self._check_not_drawn_to_play(where)
            if tile >= 0:
                self._check_new(tile, where)
                self.drawn_by[tile] = (seat, number)
            if not self.under_way:
                self._began = number
            self.under_way.append(len(self.acts))
            self.acts.append(Act(seat, DRAW, tile, "", "", self.left, self.right))
            self.stock -= 1
            self.held[seat] += 1

    def _check_new(self, tile: int, where: str) -> None:
        """A tile that is drawn was nowhere before."""
        for by, done in ((self.played_by, "played"), (self.drawn_by, "drawn")):
            if tile in by:
                seat, entry = by[tile]
                raise PositionError(f"{where}: {tile_text(tile)} was {done} before, by seat {seat} in entry {entry}")

    def _pass(self, number: int, entry: LogEntry, where: str) -> None:
        self._check_not_drawn_to_play(where)
        seat = self.turn
        if self.stock > self.left_over and not (self.draws_one and self.under_way):
            until = "a tile" if self.draws_one else f"until a tile fits or {self.left_over} are left"
            raise PositionError(
                f"{where}: {self.stock} tiles were left in the stock, so seat {seat} had to draw {until}; "
                f"write its draws, as in {seat}:d*2"
            )
        self._show(self.under_way, number)
        both_passed = self.acts[-len(self.under_way) - 1].kind == PASS
        self.acts.append(Act(seat, PASS, NOBODY, "", "", self.left, self.right))
        if both_passed and self.stock <= self.left_over:
            self.over = f"with entry {number} neither could {self._can_do}, it was blocked"

    def _check_play(self, number: int, tile: int, where: str) -> None:
        seat, name = self.turn, tile_text(tile)
        if self.drawn_by.get(tile, (seat,))[0] != seat:
            by, entry = self.drawn_by[tile]
            raise PositionError(f"{where}: {name} was drawn by seat {by}, in entry {entry}")
        if not self.under_way:
            return
        # A turn with draws ends with the tile drawn last, or with a PASS.
        last = self.under_way[-1]
        drawn = self.acts[last].tile
        if drawn < 0:
            self._check_new(tile, where)
            self.drawn_by[tile] = (seat, number)
            self.acts[last] = replace(self.acts[last], tile=tile)
        elif drawn != tile:
            raise PositionError(
                f"{where}: seat {seat} drew because it held no fitting tile, so it could play none but the one drawn "
                f"last, {tile_text(drawn)}"
            )
        self._show(self.under_way[:-1], number)

    def _lay(self, tile: int, end: str, direction: str) -> None:
        if self.table is not None:
            self.table = self.table.joined(tile, END_WORDS[end], END_WORDS[direction]) if end else self.table.led(tile)

    def _free(self, tile: int, end: str) -> str:
        if self.table is None:
            return super()._free(tile, end)
        return "".join(way[0] for way in self.table.free(tile, END_WORDS[end]))

    def _direction(self, tile: int, end: str, direction: str, free: str, where: str) -> str:
        if self.table is None:
            if direction:
                finite_table = FieldRef("rules", {"table": "WxH"})
                raise PositionError(f"{where}: a direction goes with a finite table, ", finite_table)
            return ""
        if direction and direction not in free:
            ways = {letter: f"turning {END_WORDS[letter]}" for letter in "lr"} | {"s": "straight on"}
            words = " or ".join(ways[letter] for letter in free)
            why = ": a double, and what joins one, goes straight on" if free == "s" else ""
            raise PositionError(
                f"{where}: {tile_text(tile)} cannot be laid {ways[direction]} at the {END_WORDS[end]} end, only {words}"
                f"{why}"
            )
        return direction or free[0]

    def _check_held(self, tile: int, seat: int) -> None:
        super()._check_held(tile, seat)
        by, entry = self.drawn_by.get(tile, (seat, 0))
        if by != seat:
            raise PositionError(
                f"the hand of seat {seat} has {tile_text(tile)}, which seat {by} drew in log entry {entry}"
            )

    def _check_number(self, seat: int, mask: int) -> None:
        """Each tile drawn is in the hand or was played; and there are as many as there must be."""
        for tile, (by, entry) in self.drawn_by.items():
            if by == seat and tile not in self.played_by and not mask >> tile & 1:
                raise PositionError(
                    f"seat {seat} drew {tile_text(tile)} in log entry {entry} and did not play it, so its hand must "
                    f"have it; it has {hand_text(mask_tiles(mask)) or 'none'}"
                )
        super()._check_number(seat, mask)

    def check_own_turns(self, seat: int, hand: int) -> None:
        """See whether the player who asks names its draws, and held no fitting tile when it drew or passed.

        Parameters
        ----------
        seat
            Who asks.
        hand
            Its hand now.

        Raises
        ------
        PositionError
            If not.
        """
        own = [act for act in self.acts if act.seat == seat]
        if any(act.kind == DRAW and act.tile < 0 for act in own):
            raise PositionError(f"which tile did seat {seat} draw? Name each draw of its own, as in {seat}:d5|3")
        for turn in self.shown:
            if turn.seat != seat:
                continue
            since = [act for act in self.acts[turn.at :] if act.seat == seat]
            then = hand | sum(1 << act.tile for act in since if act.kind == PLAY)
            then &= ~sum(1 << act.tile for act in since if act.kind == DRAW)
            held = mask_tiles(then & turn.fits)
            if held:
                did = "draw" if self.acts[turn.at].kind == DRAW else "pass"
                raise PositionError(
                    f"log entry {turn.entry}: seat {seat} held {tile_text(held[0])}, which fitted the ends {turn.left} "
                    f"and {turn.right}, so it had to play and could not {did}"
                )
