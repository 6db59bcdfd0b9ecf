"""A round as one player at the table sees it: what was played, the own hand; and whether it can have come about.

Needs no compiler: that a position is impossible is told at once.  What differs between games is in their subclasses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from domeng_sim.core.codes import NOBODY
from domeng_sim.core.tiles import HALVES, mask_tiles, tile_text
from domeng_sim.games.shared.hidden import Hidden
from domeng_sim.games.shared.move_log import DRAW, END_WORDS, PLAY, Act
from domeng_sim.games.types import RuleValue

GO_ON = "go on"
"""Kind of the only move where there is nothing to choose."""


@dataclass(frozen=True)
class PositionMove:
    """What the player who asks can do.

    Attributes
    ----------
    kind
        `move_log.PLAY`, `move_log.PASS` or `GO_ON`.
    tile
        The tile; -1 where none is played.
    end, direction
        ``l`` or ``r``; ``s``, ``l`` or ``r`` on a finite table; empty where there is none.
    joined, opened
        The value joined and that of the new end; at a lead the higher and the lower half.
    text
        What it is called in tables.
    """

    kind: str
    tile: int
    end: str
    direction: str
    joined: int
    opened: int
    text: str


def no_move(text: str, kind: str = GO_ON) -> PositionMove:
    """What is done without a tile."""
    return PositionMove(kind, NOBODY, "", "", NOBODY, NOBODY, text)


@dataclass(frozen=True)
class PlayerView:
    """A round as one player sees it.

    Attributes
    ----------
    rules
        A value for every rule.
    seat
        Who asks.
    starter
        Who leads, or led.
    acts
        What was done, from the lead on.
    hands
        By seat the hand now as a mask, or None where it is hidden.
    """

    n_hand: ClassVar[int]

    rules: Mapping[str, RuleValue] = field(repr=False)
    seat: int
    starter: int
    acts: tuple[Act, ...]
    hands: tuple[int | None, ...]

    @property
    def turn(self) -> int:
        """Whose turn it is."""
        return (self.acts[-1].seat + 1) % len(self.hands) if self.acts else self.starter

    @property
    def own(self) -> int:
        """Hand of the player who asks."""
        return self.hands[self.seat] or 0

    @property
    def ends(self) -> tuple[int, int]:
        """Values of the left and the right end; -1 before the first tile."""
        return (self.acts[-1].left, self.acts[-1].right) if self.acts else (NOBODY, NOBODY)

    @property
    def played(self) -> int:
        """Mask of the tiles on the table."""
        return sum(1 << act.tile for act in self.acts if act.kind == PLAY)

    def n_acts(self, kind: str) -> tuple[int, ...]:
        """Acts of a kind by each seat."""
        return tuple(sum(act.seat == seat and act.kind == kind for act in self.acts) for seat in range(len(self.hands)))

    @property
    def held(self) -> tuple[int, ...]:
        """Tiles that each seat holds."""
        plays, draws = self.n_acts(PLAY), self.n_acts(DRAW)
        return tuple(self.n_hand + drawn - played for played, drawn in zip(plays, draws, strict=True))

    @property
    def hidden(self) -> Hidden:
        """The tiles that the player who asks does not see, and where they may be."""
        raise NotImplementedError

    @property
    def n_deals(self) -> int:
        """Number of deals of the hidden tiles that agree with what was seen."""
        return self.hidden.n_deals

    def ends_round(self, move: PositionMove) -> bool:
        """Whether a move is the player's last tile."""
        return move.kind == PLAY and self.held[self.seat] == 1

    @cached_property
    def moves(self) -> tuple[PositionMove, ...]:
        """What the player who asks can do: its moves in the core's order, or one entry where it cannot choose."""
        if self.turn != self.seat:
            return (no_move("as it stands"),)
        hand = mask_tiles(self.own)
        if not self.acts:
            leads = self._leads(hand)
            return tuple(PositionMove(PLAY, t, "", "", *HALVES[t], f"lead {tile_text(t)}") for t in leads)
        moves = [move for tile in hand for move in self._moves_of(tile)]
        moves.sort(key=lambda move: (8 * move.joined + move.opened, move.end))
        return tuple(moves) or (self._no_play(),)

    def _moves_of(self, tile: int) -> list[PositionMove]:
        """The moves of a tile: at each end that it fits, each way in which it can lie there."""
        left, right = self.ends
        alike = left == right and not self._are_ends_apart
        hi, lo = HALVES[tile]
        moves = []
        for end, value in (("l", left), ("r", right)):
            if value not in (hi, lo) or (end == "r" and alike):
                continue
            words = "" if alike else f" {END_WORDS[end]}"
            opened = lo if hi == value else hi
            directions = self._directions(tile, end)
            for direction in directions:
                lying = f" {END_WORDS[direction]}" if len(directions) > 1 else ""
                lying = lying and f",{lying}" if direction == "s" else lying and f", turning{lying}"
                moves.append(PositionMove(PLAY, tile, end, direction, value, opened, tile_text(tile) + words + lying))
        return moves

    # what games add

    def _leads(self, hand: list[int]) -> list[int]:
        """Which tiles of the hand may be led."""
        return hand

    def _no_play(self) -> PositionMove:
        """What the player who asks does without a fitting tile."""
        return no_move("PASS")

    @property
    def _are_ends_apart(self) -> bool:
        """Whether joining either of two equal ends is another move."""
        return False

    def _directions(self, tile: int, end: str) -> list[str]:
        """In which directions a tile can lie at an end; one empty text where there are none."""
        return [""]
