"""The story of a round: rows are followed one by one, and each becomes a sentence and the table after it.

What differs between games is in their subclasses of `Teller`.
"""

from __future__ import annotations

import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from domeng_sim.core.codes import NOBODY
from domeng_sim.core.tiles import HALVES, N_TILES
from domeng_sim.games.shared.narrative import Look, Rows, Step, Story
from domeng_sim.games.shared.pictures import Chain, chain_lines
from domeng_sim.games.shared.words import Names, bracketed, listed, sentence, tiles_text

Rules = Mapping[str, int | str]
Viewers = frozenset[int] | None


@dataclass(frozen=True)
class ToldTable:
    """The table after a step, as far as it is told.

    Attributes
    ----------
    chain
        The tiles.
    held, passes
        By seat: tiles held and PASSes.
    seen
        Hands that are shown, by seat.
    names
        Who is who.
    """

    chain: Chain
    held: tuple[int, ...]
    passes: tuple[int, ...]
    seen: Mapping[int, tuple[int, ...]]
    names: Names


def rows_before(rows: Rows, key: tuple[int, int]) -> Iterator[int]:
    """Positions of the rows of the rounds before a round."""
    for k, at in enumerate(zip(rows["game"], rows["round"], strict=True)):
        if at >= key:
            break
        yield k


class Teller(ABC):
    """Follows a round row by row.

    Parameters
    ----------
    rows
        Of the match, from its beginning to at least the beginning of the next round, if there is one.
    rules
        Those of the match.
    key
        Game and round.
    names
        Who is who.
    viewers
        Whose hands are shown; None for all.
    hands
        As dealt, by seat.
    """

    title: ClassVar[str]
    goes_on = True
    """Whether another round follows in the match; known once the round is over."""
    last_tile = "It is the last tile of the hand."
    only_move = "It was the only move."

    def __init__(
        self, rows: Rows, rules: Rules, key: tuple[int, int], names: Names, viewers: Viewers, hands: Sequence[set[int]]
    ) -> None:
        self.rules, self.key, self.names = rules, key, names
        self.seats = range(len(hands))
        self.viewers = frozenset(self.seats) if viewers is None else viewers
        self.everything = viewers is None
        self.hands = [set(hand) for hand in hands]
        self.dealt = [frozenset(hand) for hand in hands]
        self.out_of_hands = set(range(N_TILES)).difference(*hands)
        self.chain = Chain()
        self.passes = [0] * len(hands)
        self._begin(rows)

    # what games add

    @abstractmethod
    def _begin(self, rows: Rows) -> None:
        """Note what the match brings into the round; `rows_before` has the rounds before it."""

    @abstractmethod
    def _who_starts(self) -> str:
        """Who starts, and why."""

    @abstractmethod
    def table(self) -> ToldTable:
        """The table as it is now."""

    @abstractmethod
    def _happened(self, event: str, seat: int, row: Mapping[str, Any]) -> str:
        """What happened, where it was neither a lead nor a play."""

    @abstractmethod
    def outcome(self, winner: int) -> str:
        """Label of the outcome of the round, which is over."""

    @abstractmethod
    def _reasons(self, winner: int) -> list[str]:
        """How the round ended and why."""

    @abstractmethod
    def _changes(self, winner: int) -> list[str]:
        """What the round changed, and what comes next."""

    def _told_at_start(self) -> list[str]:
        """Lines behind the hands."""
        return []

    def _why_lead(self) -> str:
        """Why this very tile is led, if the rules say so."""
        return ""

    def _lay(self, seat: int, tile: int, end: str | None, direction: str | None) -> str:
        """Take a tile into account, after the chain has it; returns how it lies, for the sentence."""
        return ""

    def _ends_words(self, now: str = "") -> str:
        """The ends as they are."""
        left, right = self.chain.ends
        return f"both ends are {now}{left}" if left == right else f"the ends are {now}{left} and {right}"

    def _made(self) -> str:
        """What a play made, after its sentence."""
        return "."

    def _has_room(self, tile: int, end: str) -> bool:
        """Whether a tile can lie at an end whose value it has."""
        return True

    @property
    def _are_ends_alike(self) -> bool:
        """Whether joining either end is one move."""
        left, right = self.chain.ends
        return left == right

    # what all have in common

    def opening(self, match: int) -> tuple[str, ...]:
        """Where this is, who starts and why, and the hands that are seen."""
        game, round_ = self.key
        head = f"{self.title}: match {match}, game {game}, round {round_}"
        hands = [f"  {self.names[seat]}: {tiles_text(self.dealt[seat])}" for seat in self.seats if seat in self.viewers]
        return (head, sentence(self._who_starts()), *hands, *self._told_at_start())

    def seen(self) -> dict[int, tuple[int, ...]]:
        """Hands that are shown."""
        return {seat: tuple(sorted(self.hands[seat], reverse=True)) for seat in self.seats if seat in self.viewers}

    def step(self, row: Mapping[str, Any]) -> Step:
        """Take a row, and say what happened."""
        event, seat = str(row["event"]), int(row["seat"])
        if event == "lead":
            text = self._lead(seat, row["tile"])
        elif event == "play":
            text = self._play(seat, row["tile"], row["side"], row.get("direction"))
        else:
            text = self._happened(event, seat, row)
        return Step(row["step"], event, seat, sentence(text), self.table())

    def _lead(self, seat: int, tile: int) -> str:
        self.hands[seat].remove(tile)
        self.chain = self.chain.led(tile)
        self._lay(seat, tile, None, None)
        return f"{self.names.does(seat, 'leads')} {bracketed(tile)}; {self._ends_words()}.{self._why_lead()}"

    def _play(self, seat: int, tile: int, end: str, direction: str | None) -> str:
        where = f"to one of the two {self.chain.ends[0]}s" if self._are_ends_alike else f"at the {end} end"
        others = self._other_moves(seat, tile, end)
        self.hands[seat].remove(tile)
        self.chain = self.chain.joined(tile, end)
        turn = self._lay(seat, tile, end, direction)
        ends = self._ends_words("now ") + self._made()
        text = f"{self.names.does(seat, 'plays')} {bracketed(tile)} {where}{turn}; {ends}"
        return text + others if self.hands[seat] else f"{text} {self.last_tile}"

    def moves(self, seat: int) -> list[tuple[int, str]]:
        """Tiles that a seat may play, each with the end."""
        left, right = self.chain.ends
        return [
            (tile, end)
            for tile in sorted(self.hands[seat], reverse=True)
            for end, value in (("left", left), ("right", right))
            if value in HALVES[tile] and not (end == "right" and self._are_ends_alike) and self._has_room(tile, end)
        ]

    def _other_moves(self, seat: int, tile: int, end: str) -> str:
        """What else there was to choose from, where the hand is seen."""
        if seat not in self.viewers:
            return ""
        others = [
            bracketed(other) if self._are_ends_alike else f"{bracketed(other)} {where}"
            for other, where in self.moves(seat)
            if (other, where) != (tile, end)
        ]
        return f" Other moves: {listed(others)}." if others else f" {self.only_move}"

    def closing(self, winner: int) -> tuple[str, ...]:
        """How the round ended and why, what it changed, and what comes next."""
        left = [seat for seat in self.seats if seat in self.viewers and self.hands[seat]]
        return (
            *map(sentence, self._reasons(winner)),
            *(["Left in hand:"] if left else []),
            *(f"  {self.names[seat]}: {tiles_text(self.hands[seat])}" for seat in left),
            *self._changes(winner),
        )


def told_by(
    teller_of: type[Teller], n_seats: int
) -> Callable[[Rows, Rules, tuple[int, int], Mapping[int, str], Viewers], Story]:
    """What tells rounds, as `TellingSpec.tell` says it; it raises a ValueError where rows have no such round.

    Parameters
    ----------
    teller_of
        What follows a round.
    n_seats
        Seats of the game.
    """

    def tell(rows: Rows, rules: Rules, key: tuple[int, int], names: Mapping[int, str], viewers: Viewers) -> Story:
        key = (key[0], key[1])
        at = [k for k, pair in enumerate(zip(rows["game"], rows["round"], strict=True)) if pair == key]
        own = [{name: column[k] for name, column in rows.items()} for k in at]
        hands: list[set[int]] = [set() for _ in range(n_seats)]
        deals = [row for row in own if row["event"] == "deal"]
        if not deals:
            raise ValueError(f"there is no round {key[1]} in game {key[0]}")
        for row in deals:
            hands[row["seat"]].add(row["tile"])
        teller = teller_of(rows, rules, key, Names(names), viewers, hands)
        opening = teller.opening(own[0]["match"])
        start = Step(deals[-1]["step"], "deal", NOBODY, "", teller.table())
        steps = tuple(teller.step(row) for row in own[len(deals) :])
        story = Story(own[0]["match"], *key, opening, start, steps, ())
        ends = [step for step in steps if step.event == "end"]
        if not ends:
            return story
        winner = ends[0].seat
        teller.goes_on = at[-1] + 1 < len(rows["game"])
        return replace(story, closing=teller.closing(winner), outcome=teller.outcome(winner), winner=winner)

    return tell


def chain_picture(table: ToldTable, look: Look) -> list[str]:
    """The chain; see `TellingSpec.picture`."""
    return chain_lines(table.chain, look) or ["(nothing on the table yet)"]


def hand_lines(table: ToldTable, width: int) -> list[str]:
    """The hands that are shown."""
    return [
        line
        for seat, tiles in table.seen.items()
        for line in textwrap.wrap(f"{table.names[seat]}: {tiles_text(tiles) or '-'}", width, subsequent_indent="  ")
    ]
