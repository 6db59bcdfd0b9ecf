"""Positions from real rounds of the twin: what a player sees at a choice, and the hidden tiles behind it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from domeng_sim.core.tiles import hand_text
from tests.twin.domeng import Choose, Move, play_round, tile_number
from tests.twin.streams import deal


@dataclass(frozen=True)
class Decision:
    """A choice of the twin: the view, the moves, the index chosen, and all hands at that moment (tile numbers)."""

    seat: int
    view: dict[str, Any]
    moves: list[Move]
    chosen: int
    hands: list[list[int]] = field(default_factory=list)

    @property
    def played(self) -> list[int]:
        """Numbers of the tiles on the table."""
        return [tile_number(tile) for _, what, tile, *_ in self.view["log"] if what in ("lead", "play")]

    @property
    def passebunge(self) -> tuple[int, ...]:
        """PASSEBUNGE of each seat."""
        return tuple(sum(what == "passebunge" and s == seat for s, what, *_ in self.view["log"]) for seat in range(5))

    def texts(self, seat: int | None = None, hands: list[list[int]] | None = None) -> dict[str, str]:
        """The position as people write it, asked by the player to move or by another seat; or with all hands known."""
        log = " ".join(
            f"{s}:" + ("pass" if tile is None else f"{tile[0]}|{tile[1]}{(end or '')[:1]}")
            for s, _, tile, end, *_ in self.view["log"]
        )
        seat = self.seat if seat is None else seat
        hand = {"hand": hand_text(self.hands[seat])} if hands is None else {"hands": ";".join(map(hand_text, hands))}
        stones = ",".join(map(str, self.view["stones"]))
        before_lead = {} if log else {"camat": str(self.seat)}
        return {**hand, "log": log, "stones": stones, "seat": str(seat), **before_lead}

    def another_deal(self, draw: random.Random) -> list[list[int]] | None:
        """Hands that this player could not tell from the real ones; None if none was found in a hundred draws."""
        own = self.hands[self.seat]
        hidden = [tile for tile in range(28) if tile not in own and tile not in self.played]
        others = [seat for seat in range(5) if seat != self.seat]
        values = {tile: set(value_pair(tile)) for tile in hidden}
        for _ in range(100):
            # Seats with the most known voids first, each from the tiles that it can hold.
            rest, hands = list(hidden), {self.seat: list(own)}
            for seat in sorted(others, key=lambda seat: -len(self.view["voids"][seat])):
                possible = [tile for tile in rest if not values[tile] & self.view["voids"][seat]]
                n = self.view["tiles_held"][seat]
                if len(possible) < n:
                    break
                hands[seat] = draw.sample(possible, n)
                rest = [tile for tile in rest if tile not in hands[seat]]
            if len(hands) == 5:
                return [sorted(hands[seat]) for seat in range(5)]
        return None


def value_pair(tile: int) -> tuple[int, int]:
    """The halves of a tile."""
    hi = max(hi for hi in range(7) if hi * (hi + 1) // 2 <= tile)
    return hi, tile - hi * (hi + 1) // 2


def decisions_of_round(
    rules: dict[str, Any],
    hands: list[list[int]],
    starter: int,
    stones: list[int],
    table: int,
    choose: Choose,
    match: int = 0,
) -> tuple[list[Decision], dict[str, Any], list[dict[str, Any]]]:
    """Every choice of a round of the twin, and the round's row and events."""
    found: list[Decision] = []

    def watch(seat: int, view: dict[str, Any], moves: list[Move]) -> int:
        index = choose(seat, view, moves)
        played = [tile_number(tile) for _, what, tile, *_ in view["log"] if what in ("lead", "play")]
        left = [sorted(tile for tile in hand if tile not in played) for hand in hands]
        found.append(Decision(seat, view, moves, index, left))
        return index

    row, events = play_round(rules, hands, starter, stones, table, watch, match=match)
    return found, row, events


def real_decisions(n_rounds: int, rules: dict[str, Any], choose: Callable[[int], Choose], seed: int) -> list[Decision]:
    """Choices from rounds with stones spread at random, many of them with an empty table."""
    draw = random.Random(seed)
    found = []
    for number in range(n_rounds):
        total = rules["stones"]
        table = draw.choice([0, 0, draw.randint(0, total)])
        cuts = sorted(draw.randint(0, total - table) for _ in range(4))
        stones = [b - a for a, b in zip([0, *cuts], [*cuts, total - table], strict=True)]
        hands = [sorted(hand) for hand in deal(seed, number, 0)[0]]
        found += decisions_of_round(rules, hands, draw.randrange(5), stones, table, choose(number), number)[0]
    return found
