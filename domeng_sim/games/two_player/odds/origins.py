"""Where the tiles of the other player can have come from: its deal, its draws turn by turn; and what is in the stock.

A turn in which the other drew or passed shows that no tile it held then fitted.  A tile that it drew and kept did not
fit either, but was not there before, so earlier turns say nothing about it.  So the tiles that were not seen go to
places: the tiles dealt to the other, those it kept in each turn with draws, and the stock.  A tile that it has played
since came from one of them too, unless it was played in the very turn in which it was drawn: such a turn ends with the
tile drawn last.

Who started held the highest double of both hands, or else the highest tile.  If that was the player who asks, the other
was dealt nothing higher; if it was the other, it was dealt something higher.

Each deal that is counted here stands for equally many orders in which the tiles were drawn and lie in the stock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import comb, factorial

from domeng_sim.core.tiles import N_TILES, mask_tiles, tile_text
from domeng_sim.games.shared.hidden import Hidden
from domeng_sim.games.shared.move_log import DRAW, PLAY, Act
from domeng_sim.games.two_player.odds.move_log import N_HAND, TurnShown, rank
from domeng_sim.games.types import PositionError

Rank = tuple[bool, int, int]


@dataclass(frozen=True)
class Origins:
    """What a player knows of the tiles of the other.

    Attributes
    ----------
    other
        The seat of the other.
    acts
        What was done, from the lead on.
    shown
        What turns without a fitting tile showed.
    stock
        Tiles in the stock.
    own
        Mask of the tiles that the player who asks has or had.
    known
        The hand of the other, if it is known.
    own_best
        Rank of the highest tile dealt to the player who asks.
    asker_started
        Whether the player who asks started.
    highest
        Whether the starter must lead the tile that gave the start.
    must_fit
        Mask of the tiles that fit now, if the other is known to hold one of them.
    """

    other: int
    acts: tuple[Act, ...]
    shown: tuple[TurnShown, ...]
    stock: int
    own: int
    known: int | None
    own_best: Rank
    asker_started: bool
    highest: bool
    must_fit: int | None

    @cached_property
    def turns(self) -> tuple[TurnShown, ...]:
        """Turns of the other in which nothing fitted."""
        return tuple(turn for turn in self.shown if turn.seat == self.other)

    @cached_property
    def played_at(self) -> dict[int, int]:
        """Tiles that the other played though it had not drawn them in the same turn: when, as position in the acts."""
        return {
            act.tile: at
            for at, act in enumerate(self.acts)
            if act.seat == self.other and act.kind == PLAY and not (at and self.acts[at - 1].kind == DRAW)
        }

    @cached_property
    def named(self) -> dict[int, int]:
        """Tiles that the other is known to have drawn and kept: in which of its turns."""
        return {tile: number for number, turn in enumerate(self.turns) for tile in turn.kept if tile >= 0}

    @property
    def lead(self) -> int:
        """The tile led, or -1."""
        return self.acts[0].tile if self.acts else -1

    @property
    def limit(self) -> Rank | None:
        """The highest rank that the other can have been dealt, if there is such a limit."""
        if self.asker_started:
            return self.own_best
        return rank(self.lead) if self.highest and self.acts else None

    def may_come_from(self, tile: int, number: int) -> bool:
        """Whether a tile of the other can have been kept in one of its turns; -1 for a tile dealt."""
        played_at = self.played_at.get(tile, len(self.acts) + 1)
        if tile in self.named and self.named[tile] != number:
            return False
        if number < 0:
            if self.limit is not None and rank(tile) > self.limit:
                return False
        elif self.turns[number].at > played_at:
            return False
        later = self.turns[max(number, 0) :]
        return not any(turn.at < played_at and turn.fits >> tile & 1 for turn in later)

    def may_be_in_stock(self, tile: int) -> bool:
        """Whether a tile that was not seen can be in the stock."""
        return tile not in self.played_at and tile not in self.named and not (self.known or 0) >> tile & 1

    def may_be_held(self, tile: int) -> bool:
        """Whether a tile can be, or have been, with the other at all."""
        return self.known is None or tile in self.played_at or bool(self.known >> tile & 1)

    @cached_property
    def tiles(self) -> tuple[int, ...]:
        """Tiles whose place is not known; those that would show why the other started come first."""
        at_once = sum(
            1 << act.tile
            for act in self.acts
            if act.seat == self.other and act.kind == PLAY and act.tile not in self.played_at
        )
        unknown = [tile for tile in range(N_TILES) if not (self.own | at_once) >> tile & 1]
        return tuple(sorted(unknown, key=lambda tile: (tile not in self.proofs, tile)))

    @cached_property
    def proofs(self) -> frozenset[int]:
        """Tiles of which the other was dealt at least one, since it started; none where that is no question."""
        if self.asker_started or (self.highest and self.acts):
            return frozenset()
        return frozenset(
            tile
            for tile in range(N_TILES)
            if not self.own >> tile & 1 and rank(tile) > self.own_best and self.may_come_from(tile, -1)
        )

    @cached_property
    def _places(self) -> tuple[list[tuple[int, tuple[bool, ...]]], int]:
        """Sizes of the places of the other's tiles, and which tiles each may have; and orders behind each deal.

        Turns between which nothing tells are one place.
        """
        sizes = [N_HAND, *(len(turn.kept) for turn in self.turns)]
        found: dict[tuple[bool, ...], int] = {}
        dealt: tuple[bool, ...] = ()
        orders = factorial(self.stock)
        for number, size in enumerate(sizes, -1):
            column = tuple(self.may_be_held(tile) and self.may_come_from(tile, number) for tile in self.tiles)
            if number < 0:
                dealt = column
            if number >= 0 and not size:
                continue
            if number >= 0:
                orders *= factorial(size)
            if number >= 0 and column == dealt and self.proofs:
                column = (*column, True)  # what was dealt is looked at by itself
            before = found.get(column, 0)
            orders *= comb(before + size, size)
            found[column] = before + size
        return [(size, column[: len(self.tiles)]) for column, size in found.items()], orders

    @property
    def n_orders(self) -> int:
        """How many ways to deal two hands and the order of the stock each deal stands for."""
        return self._places[1]

    @cached_property
    def hidden(self) -> Hidden:
        """The places: the tiles dealt to the other (and others like them) first, the stock last."""
        places, _ = self._places
        stock = 1 << len(places)
        masks = []
        for position, tile in enumerate(self.tiles):
            mask = sum(1 << place for place, (_, column) in enumerate(places) if column[position])
            masks.append(mask | (stock if self.may_be_in_stock(tile) else 0))
        sizes = (*(size for size, _ in places), self.stock)
        proofs = [tile for tile in self.tiles if tile in self.proofs]
        return Hidden(self.tiles, sizes, tuple(self._cases(masks, stock)), len(proofs))

    def _cases(self, masks: list[int], stock: int) -> list[tuple[int, ...]]:
        """The one case, or, where a fitting tile must be held, one for each that is the first not in the stock."""
        if self.must_fit is None:
            return [tuple(masks)]
        fitting = [
            position
            for position, tile in enumerate(self.tiles)
            if self.must_fit >> tile & 1 and tile not in self.played_at
        ]
        if len(fitting) > self.stock:
            return [tuple(masks)]  # they cannot all be in the stock
        cases = []
        for k, held in enumerate(fitting):
            case = list(masks)
            for position in fitting[:k]:
                case[position] &= stock
            case[held] &= ~stock
            cases.append(tuple(case))
        return cases

    # --- Impossible ---------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """See whether the position can have come about.

        Raises
        ------
        PositionError
            If not; the message says why.
        """
        self._check_start()
        for tile in (*self.played_at, *self.named, *mask_tiles(self.known or 0)):
            if not any(self.may_come_from(tile, number) for number in range(-1, len(self.turns))):
                raise PositionError(self._why_not(tile))
        if self.hidden.n_deals:
            return
        if self.must_fit is not None and replace(self, must_fit=None).hidden.n_deals:
            raise PositionError("there is nothing left to play: neither player can play or draw, the round is over")
        raise PositionError(
            f"no deal of the hidden tiles agrees with the draws, PASSes and plays of seat {self.other} and with who "
            f"started{self._shortage()}"
        )

    def _shortage(self) -> str:
        """What there is too little of, if that alone is why."""
        hidden = self.hidden
        shortage = hidden.shortage() if hidden.cases else None
        if shortage is None:
            return ""
        places, lacking, possible = shortage
        if len(hidden.sizes) - 1 in places:
            return ""
        return (
            f": it had {lacking} tiles that did not fit when it drew or passed, and of those it can have had only "
            f"{possible} do not"
        )

    def _check_start(self) -> None:
        best = next(tile_text(tile) for tile in mask_tiles(self.own) if rank(tile) == self.own_best)
        asker = 1 - self.other
        if self.asker_started:
            if self.highest and self.acts and rank(self.lead) != self.own_best:
                raise PositionError(
                    f"with opening_lead=highest seat {asker} had to lead {best}, which gave it the start, not "
                    f"{tile_text(self.lead)}"
                )
            return
        if self.highest and self.acts:
            if rank(self.lead) < self.own_best:
                raise PositionError(
                    f"with opening_lead=highest seat {self.other} started by {tile_text(self.lead)}, but seat {asker} "
                    f"was dealt {best}, which is higher"
                )
        elif not self.proofs:
            raise PositionError(
                f"seat {self.other} started, so it was dealt a tile above {best}, the highest dealt to seat {asker} "
                "(doubles first, then most pips); none can have been"
            )

    def _why_not(self, tile: int) -> str:
        """Why the other cannot have had a tile."""
        at = self.played_at.get(tile, len(self.acts))
        name, seat = tile_text(tile), self.other
        verb = "played" if tile in self.played_at else "holds"
        for turn in self.turns:
            if turn.at < at and turn.fits >> tile & 1:
                did = "drew" if self.acts[turn.at].kind == DRAW else "passed"
                return (
                    f"seat {seat} {did} in log entry {turn.entry}, at the ends {turn.left} and {turn.right}, so it did "
                    f"not hold {name} then; it {verb} it, and kept no tile in between that can be it"
                )
        return (
            f"seat {1 - seat if self.asker_started else seat} started, so seat {seat} was not dealt {name}, which is "
            f"higher; it {verb} it, and kept no tile before that can be it"
        )
