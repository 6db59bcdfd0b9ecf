"""A round of a two-player game as one player sees it: own hand, what was played and drawn; and whether it can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from domeng_sim.core.tiles import N_TILES, mask_tiles
from domeng_sim.errors import FieldRef
from domeng_sim.games.shared.hidden import Hidden
from domeng_sim.games.shared.move_log import DRAW, END_WORDS, PASS, PLAY, LogEntry
from domeng_sim.games.shared.player_view import PlayerView, PositionMove, no_move
from domeng_sim.games.two_player.odds.move_log import N_HAND, N_SEATS, SEATS, TurnShown, TwoPlayerLog, left_over, rank
from domeng_sim.games.two_player.odds.origins import Origins
from domeng_sim.games.two_player.placement import Placement, fitting
from domeng_sim.games.two_player.rules import table_size
from domeng_sim.games.types import PositionError, RuleValue


@dataclass(frozen=True)
class TwoPlayerView(PlayerView):
    """A round as one player sees it.

    Attributes
    ----------
    shown
        What turns without a fitting tile showed.
    under_way
        Tiles drawn in a turn that is not over.
    scores
        Points of the seats in the game.
    table
        The finite table; None for one without bounds.
    """

    n_hand = N_HAND

    shown: tuple[TurnShown, ...]
    under_way: int
    scores: tuple[int, ...]
    table: Placement | None = field(repr=False)

    @property
    def turn(self) -> int:
        """Whose turn it is."""
        return self.acts[-1].seat if self.under_way else super().turn

    @property
    def draw(self) -> str:
        """How many tiles are drawn in a turn; ``none`` where the game has no rule for it."""
        return str(self.rules.get("draw", "none"))

    @property
    def fits(self) -> int:
        """Mask of the tiles that fit now."""
        return fitting(self.table, *self.ends) if self.acts else 0

    @property
    def stock(self) -> int:
        """Tiles in the stock."""
        return N_TILES - sum(self.held) - sum(self.n_acts(PLAY))

    @property
    def to_draw(self) -> int:
        """Tiles that can still be drawn."""
        return max(0, self.stock - left_over(self.draw))

    @cached_property
    def origins(self) -> Origins:
        """Where the tiles of the other can have come from."""
        drawn = [act.tile for act in self.acts if act.kind == DRAW and act.seat == self.seat]
        own_played = sum(1 << act.tile for act in self.acts if act.kind == PLAY and act.seat == self.seat)
        dealt = mask_tiles((self.own | own_played) & ~sum(1 << tile for tile in drawn))
        return Origins(
            1 - self.seat,
            self.acts,
            self.shown,
            self.stock,
            self.own | own_played,
            self.hands[1 - self.seat],
            max(map(rank, dealt)),
            self.starter == self.seat,
            str(self.rules["opening_lead"]) == "highest",
            self.fits if self._must_fit else None,
        )

    @property
    def _must_fit(self) -> bool:
        """Whether the other must hold a tile that fits, since else the round would be over."""
        blocked = not self.to_draw and not self.own & self.fits
        return bool(self.acts) and not self.under_way and blocked

    @cached_property
    def hidden(self) -> Hidden:
        """The hidden tiles that matter from now on: those of the other's hand at place 0 or more, the stock last."""
        known = self.hands[1 - self.seat]
        if known is None:
            return self.origins.hidden
        seen = self.played | known | self.own
        tiles = tuple(tile for tile in range(N_TILES) if not seen >> tile & 1)
        return Hidden(tiles, (0, len(tiles)), ((2,) * len(tiles),))

    @property
    def _are_ends_apart(self) -> bool:
        return self.table is not None

    def _directions(self, tile: int, end: str) -> list[str]:
        return (
            super()._directions(tile, end)
            if self.table is None
            else [way[0] for way in self.table.free(tile, END_WORDS[end])]
        )

    def _leads(self, hand: list[int]) -> list[int]:
        return [max(hand, key=rank)] if self.rules["opening_lead"] == "highest" else hand

    def _no_play(self) -> PositionMove:
        if self.draw == "one" and self.under_way:
            return no_move("PASS", PASS)
        return no_move("draw" if self.to_draw else "PASS")


def situate(
    entries: Sequence[LogEntry],
    hands: Mapping[int, int],
    scores: Sequence[int],
    rules: Mapping[str, RuleValue],
    seat: int | None = None,
) -> TwoPlayerView:
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
    size = table_size(rules)
    log = TwoPlayerLog(starter, str(rules.get("draw", "none")), Placement(*size) if size else None)
    log.follow(entries)
    if log.over:
        raise PositionError(f"there is nothing left to play: {log.over}")
    seat = log.turn if seat is None else seat
    if log.under_way and seat != log.turn:
        raise PositionError(
            f"the turn of seat {log.turn} is not over: write what it did after its draws, a tile or a PASS"
        )
    _check_scores(scores, rules)
    log.finish()
    log.check_hands(seat, hands)
    log.check_own_turns(seat, hands[seat])
    here = TwoPlayerView(
        rules,
        seat,
        starter,
        tuple(log.acts),
        tuple(hands.get(s) for s in SEATS),
        tuple(log.shown),
        len(log.under_way),
        tuple(scores),
        log.table,
    )
    here.origins.check()
    return here


def _check_scores(scores: Sequence[int], rules: Mapping[str, RuleValue]) -> None:
    if len(scores) != N_SEATS:
        told = f" takes the points of the {N_SEATS} seats, not {len(scores)} numbers"
        raise PositionError(FieldRef("scores"), told)
    target = int(rules["target"])
    for seat, points in enumerate(scores):
        if points >= target:
            raise PositionError(f"seat {seat} has {points} points and the target is {target}, so the game was over")
