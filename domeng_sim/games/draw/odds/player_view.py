"""A round of Draw as one player sees it: own hand, what was played and drawn; and whether it can have come about.

Needs no compiler: that a position is impossible is told at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from domeng_sim.core.codes import NOBODY
from domeng_sim.core.tiles import HALVES, N_TILES, hand_text, mask_tiles, tile_text
from domeng_sim.errors import FieldRef
from domeng_sim.games.draw.odds.board import Board, empty_board, fitting
from domeng_sim.games.draw.odds.move_log import (
    DRAW,
    LAST_STOCK,
    N_HAND,
    N_SEATS,
    PASS,
    PLAY,
    SEATS,
    WORDS,
    Act,
    Chain,
    Entry,
    Shown,
    rank,
    read_chain,
)
from domeng_sim.games.draw.odds.origins import Origins
from domeng_sim.games.draw.rules import table_size
from domeng_sim.games.shared.hidden import Hidden
from domeng_sim.games.types import PositionError, RuleValue

GO_ON = "go on"
"""Kind of the only move where there is nothing to choose."""


@dataclass(frozen=True)
class Move:
    """What the player to move can do.

    Attributes
    ----------
    kind
        `PLAY`, `PASS` or `GO_ON`.
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


@dataclass(frozen=True)
class Situation:
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
    shown
        What turns without a fitting tile showed.
    under_way
        Tiles drawn in a turn that is not over.
    hands
        By seat the hand now as a mask, or None where it is hidden.
    scores
        Points of the seats in the game.
    board
        The finite table; None for one without bounds.
    notes
        What seems odd but is not impossible.
    """

    rules: Mapping[str, RuleValue] = field(repr=False)
    seat: int
    starter: int
    acts: tuple[Act, ...]
    shown: tuple[Shown, ...]
    under_way: int
    hands: tuple[int | None, ...]
    scores: tuple[int, ...]
    board: Board | None = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def turn(self) -> int:
        """Whose turn it is."""
        if not self.acts:
            return self.starter
        return self.acts[-1].seat if self.under_way else 1 - self.acts[-1].seat

    @property
    def ends(self) -> tuple[int, int]:
        """Values of the left and the right end; -1 before the first tile."""
        return (self.acts[-1].left, self.acts[-1].right) if self.acts else (NOBODY, NOBODY)

    @property
    def fits(self) -> int:
        """Mask of the tiles that fit now."""
        return fitting(self.board, *self.ends) if self.acts else 0

    @property
    def played(self) -> int:
        """Mask of the tiles on the table."""
        return sum(1 << act.tile for act in self.acts if act.kind == PLAY)

    def n_acts(self, kind: str) -> tuple[int, ...]:
        """Acts of a kind by each seat."""
        return tuple(sum(act.seat == seat and act.kind == kind for act in self.acts) for seat in SEATS)

    @property
    def held(self) -> tuple[int, ...]:
        """Tiles that each seat holds."""
        plays, draws = self.n_acts(PLAY), self.n_acts(DRAW)
        return tuple(N_HAND + drawn - played for played, drawn in zip(plays, draws, strict=True))

    @property
    def stock(self) -> int:
        """Tiles in the stock."""
        return N_TILES - sum(self.held) - sum(self.n_acts(PLAY))

    @cached_property
    def origins(self) -> Origins:
        """Where the tiles of the other can have come from."""
        own = self.hands[self.seat] or 0
        drawn = [act.tile for act in self.acts if act.kind == DRAW and act.seat == self.seat]
        own_played = sum(1 << act.tile for act in self.acts if act.kind == PLAY and act.seat == self.seat)
        dealt = mask_tiles((own | own_played) & ~sum(1 << tile for tile in drawn))
        return Origins(
            1 - self.seat,
            self.acts,
            self.shown,
            self.stock,
            own | own_played,
            self.hands[1 - self.seat],
            max(map(rank, dealt)),
            self.starter == self.seat,
            str(self.rules["opening_lead"]) == "highest",
            self.fits if self._must_fit else None,
        )

    @property
    def _must_fit(self) -> bool:
        """Whether the other must hold a tile that fits, since else the round would be over."""
        blocked = self.stock <= LAST_STOCK and not (self.hands[self.seat] or 0) & self.fits
        return bool(self.acts) and not self.under_way and blocked

    @cached_property
    def hidden(self) -> Hidden:
        """The hidden tiles that matter from now on: those of the other's hand at place 0 or more, the stock last."""
        known = self.hands[1 - self.seat]
        if known is None:
            return self.origins.hidden
        seen = self.played | known | (self.hands[self.seat] or 0)
        tiles = tuple(tile for tile in range(N_TILES) if not seen >> tile & 1)
        return Hidden(tiles, (0, len(tiles)), ((2,) * len(tiles),))

    @property
    def n_deals(self) -> int:
        """Number of deals of the hidden tiles that agree with what was seen, whatever the order of the stock."""
        return self.hidden.n_deals

    def ends_round(self, move: Move) -> bool:
        """Whether a move is the player's last tile."""
        return move.kind == PLAY and self.held[self.seat] == 1

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """What the player who asks can do: its moves in the core's order, or one entry where it cannot choose."""
        if self.turn != self.seat:
            return (_nothing(GO_ON, "as it stands"),)
        hand = mask_tiles(self.hands[self.seat] or 0)
        if not self.acts:
            if self.rules["opening_lead"] == "highest":
                hand = [max(hand, key=rank)]
            return tuple(Move(PLAY, tile, "", "", *HALVES[tile], f"lead {tile_text(tile)}") for tile in hand)
        moves = [move for tile in hand for move in self._moves_of(tile)]
        if moves:
            return tuple(sorted(moves, key=lambda move: (8 * move.joined + move.opened, move.end)))
        if self.rules["draw"] == "one" and self.under_way:
            return (_nothing(PASS, "PASS"),)
        return (_nothing(GO_ON, "PASS" if self.stock <= LAST_STOCK else "draw"),)

    def _moves_of(self, tile: int) -> list[Move]:
        """The moves of a tile: at each end that it fits, each way in which it can lie there."""
        left, right = self.ends
        hi, lo = HALVES[tile]
        moves = []
        for end, value in (("l", left), ("r", right)):
            if value not in (hi, lo) or (end == "r" and left == right and self.board is None):
                continue
            words = "" if left == right and self.board is None else f" {WORDS[end]}"
            opened = lo if hi == value else hi
            directions = [""] if self.board is None else list(self.board.directions(tile, end))
            for direction in directions:
                lying = f" {WORDS[direction]}" if len(directions) > 1 else ""
                lying = lying and f",{lying}" if direction == "s" else lying and f", turning{lying}"
                moves.append(Move(PLAY, tile, end, direction, value, opened, tile_text(tile) + words + lying))
        return moves


def _nothing(kind: str, text: str) -> Move:
    return Move(kind, NOBODY, "", "", NOBODY, NOBODY, text)


def situate(
    entries: Sequence[Entry],
    hands: Mapping[int, int],
    scores: Sequence[int],
    rules: Mapping[str, RuleValue],
    seat: int | None = None,
) -> Situation:
    """The round as one player sees it, checked.

    Parameters
    ----------
    entries
        The log.
    hands
        Known hands now, by seat.
    scores
        Points of the seats in the game.
    rules
        A value for every rule.
    seat
        Who asks; None for whose turn it is.

    Raises
    ------
    PositionError
        If this is no position of a round; the message says why.
    """
    starter = entries[0].seat if entries else seat
    if starter is None:
        either = FieldRef("seat"), ", or the first entry of ", FieldRef("log")
        raise PositionError("who leads? Give the seat: ", *either, ", as in 0:6|6")
    chain = read_chain(entries, starter, rules["draw"] == "one", empty_board(table_size(rules)))
    if chain.over:
        raise PositionError(f"there is nothing left to play: {chain.over}")
    seat = chain.turn if seat is None else seat
    if chain.under_way and seat != chain.turn:
        raise PositionError(
            f"the turn of seat {chain.turn} is not over: write what it did after its draws, a tile or a PASS"
        )
    _check_scores(scores, rules)
    known = _Known(chain, seat, hands)
    known.check()
    here = Situation(
        rules,
        seat,
        starter,
        tuple(chain.acts),
        _all_shown(chain),
        len(chain.under_way),
        tuple(hands.get(s) for s in SEATS),
        tuple(scores),
        chain.board,
    )
    here.origins.check()
    return here


def _all_shown(chain: Chain) -> tuple[Shown, ...]:
    """What turns showed, that under way included: nothing fitted when it began."""
    if chain.under_way:
        kept = [act for act in chain.under_way if not chain.fits >> chain.acts[act].tile & 1]
        chain.show(kept, chain.began, chain.turn)
    return tuple(chain.shown)


def _check_scores(scores: Sequence[int], rules: Mapping[str, RuleValue]) -> None:
    if len(scores) != N_SEATS:
        told = f" takes the points of the {N_SEATS} seats, not {len(scores)} numbers"
        raise PositionError(FieldRef("scores"), told)
    target = int(rules["target"])
    for seat, points in enumerate(scores):
        if points >= target:
            raise PositionError(f"seat {seat} has {points} points and the target is {target}, so the game was over")


@dataclass(frozen=True)
class _Known:
    """Hands that are known, against the log."""

    chain: Chain
    seat: int
    hands: Mapping[int, int]

    def check(self) -> None:
        if self.seat not in self.hands:
            raise PositionError(f"the hand of seat {self.seat} is needed; give it by ", FieldRef("hand"))
        owner: dict[int, int] = {}
        for seat, mask in sorted(self.hands.items()):
            self._check_tiles(seat, mask)
            self._check_number(seat, mask)
            for tile in mask_tiles(mask):
                if tile in owner:
                    raise PositionError(
                        f"{tile_text(tile)} is in the hands of seats {owner[tile]} and {seat}; each tile is there once"
                    )
                owner[tile] = seat
        self._check_own_turns()

    def _check_tiles(self, seat: int, mask: int) -> None:
        """No tile of a hand was played, or drawn by the other; each tile drawn is in the hand or was played."""
        chain = self.chain
        for tile in mask_tiles(mask):
            for by, done in ((chain.played_by, "played"), (chain.drawn_by, "drew")):
                who, entry = by.get(tile, (seat, 0))
                if tile in by and (done == "played" or who != seat):
                    raise PositionError(
                        f"the hand of seat {seat} has {tile_text(tile)}, which seat {who} {done} in log entry {entry}"
                    )
        for tile, (who, entry) in chain.drawn_by.items():
            if who == seat and tile not in chain.played_by and not mask >> tile & 1:
                raise PositionError(
                    f"seat {seat} drew {tile_text(tile)} in log entry {entry} and did not play it, so its hand must "
                    f"have it; it has {hand_text(mask_tiles(mask)) or 'none'}"
                )

    def _check_number(self, seat: int, mask: int) -> None:
        n, wanted = mask.bit_count(), self.chain.held[seat]
        if n != wanted:
            acts = [act.kind for act in self.chain.acts if act.seat == seat]
            drawn = f", drawn {acts.count(DRAW)}" if DRAW in acts else ""
            raise PositionError(
                f"seat {seat} was dealt {N_HAND}{drawn} and has played {acts.count(PLAY)}, so it holds {wanted} now, "
                f"but its hand has {n}: {hand_text(mask_tiles(mask)) or 'none'}"
            )

    def _check_own_turns(self) -> None:
        """The player who asks names its draws, and held no fitting tile when it drew or passed."""
        chain, seat = self.chain, self.seat
        for act in chain.acts:
            if act.seat == seat and act.kind == DRAW and act.tile < 0:
                raise PositionError(f"which tile did seat {seat} draw? Name each draw of its own, as in {seat}:d5|3")
        for turn in _all_shown_now(chain):
            if turn.seat != seat:
                continue
            hand = self.hands[seat]
            for at, act in enumerate(chain.acts):
                if act.seat == seat and at >= turn.at and act.kind == PLAY:
                    hand |= 1 << act.tile
            for at, act in enumerate(chain.acts):
                if act.seat == seat and at >= turn.at and act.kind == DRAW:
                    hand &= ~(1 << act.tile)
            held = mask_tiles(hand & turn.fits)
            if held:
                drew = chain.acts[turn.at].kind == DRAW
                raise PositionError(
                    f"log entry {turn.entry}: seat {seat} held {tile_text(held[0])}, which fitted the ends {turn.left} "
                    f"and {turn.right}, so it had to play and could not {'draw' if drew else 'pass'}"
                )


def _all_shown_now(chain: Chain) -> list[Shown]:
    """What turns showed, with that under way."""
    if not chain.under_way:
        return chain.shown
    return [*chain.shown, Shown(chain.turn, chain.began, chain.under_way[0], chain.fits, (), chain.left, chain.right)]
