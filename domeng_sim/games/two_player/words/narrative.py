"""How rounds of Draw are told: what happened, in words, and the table drawn."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from domeng_sim.core.codes import NOBODY, DrawOutcome
from domeng_sim.core.tiles import HALVES, tile_pips
from domeng_sim.games.shared.narrative import Find, Look, Rows, Step, Story, TellingSpec
from domeng_sim.games.shared.pictures import Chain, chain_lines
from domeng_sim.games.shared.words import Names, bracketed, columns, ends_text, listed, number_of, sentence, tiles_text
from domeng_sim.games.two_player.rules import table_size
from domeng_sim.games.two_player.words.glossary import glossary
from domeng_sim.games.two_player.words.lesson import lesson
from domeng_sim.games.two_player.words.placement import Placement, ends_line, table_lines

SEATS = range(2)
LEFT_IN_STOCK = 2
"""Tiles that are never drawn."""
_TURNS = {"straight": ", straight on", "left": ", turning left", "right": ", turning right"}


@dataclass(frozen=True)
class Table:
    """The table after a step, as far as it is told.

    Attributes
    ----------
    chain
        The tiles.
    placement
        How they lie; None on a table without bounds.
    held, draws, passes, scores
        By seat: tiles held, tiles drawn, PASSes and the score.
    stock
        Tiles in the stock.
    seen
        Hands that are shown, by seat.
    names
        Who is who.
    """

    chain: Chain
    placement: Placement | None
    held: tuple[int, ...]
    draws: tuple[int, ...]
    passes: tuple[int, ...]
    scores: tuple[int, ...]
    stock: int
    seen: Mapping[int, tuple[int, ...]]
    names: Names


def _scores_before(rows: Rows, key: tuple[int, int]) -> list[int]:
    """Scores at the beginning of a round, from the rounds of the game before it."""
    scores = [0, 0]
    for k, event in enumerate(rows["event"]):
        at = (rows["game"][k], rows["round"][k])
        if at >= key:
            break
        if at[0] == key[0] and event == "award":
            scores[rows["seat"][k]] += rows["stones"][k]
    return scores


class _Teller:
    """Follows a round row by row.

    Parameters
    ----------
    rules
        Those of the match.
    key
        Game and round.
    names
        Who is who.
    viewers
        Whose hands are shown; None for all.
    scores
        At the beginning of the round.
    hands
        As dealt, by seat.
    """

    def __init__(
        self,
        rules: Mapping[str, int | str],
        key: tuple[int, int],
        names: Names,
        viewers: frozenset[int] | None,
        scores: Sequence[int],
        hands: Sequence[set[int]],
    ) -> None:
        self.rules, self.key, self.names = rules, key, names
        self.viewers = frozenset(SEATS) if viewers is None else viewers
        self.everything = viewers is None
        self.hands = [set(hand) for hand in hands]
        self.dealt = [frozenset(hand) for hand in hands]
        self.scores_before, self.scores = tuple(scores), list(scores)
        self.chain = Chain()
        size = table_size(rules)
        self.placement = None if size is None else Placement(*size)
        self.draws, self.passes, self.drawn_in_turn = [0, 0], [0, 0], 0
        self.stock = 28 - sum(map(len, hands))
        self.points = 0

    def starter(self) -> int:
        """Who starts: the holder of the highest double, or else of the highest tile."""

        def rank(tile: int) -> tuple[bool, int, int]:
            hi, lo = HALVES[tile]
            return hi == lo, hi + lo, hi

        return max(SEATS, key=lambda seat: max(map(rank, self.dealt[seat])))

    def opening(self, match: int) -> tuple[str, ...]:
        """Where this is, who starts and why, and the hands that are seen."""
        game, round_ = self.key
        starter = self.starter()
        hand = self.dealt[starter]
        doubles = [tile for tile in hand if HALVES[tile][0] == HALVES[tile][1]]
        highest = max(doubles or hand, key=lambda tile: (tile_pips(tile), HALVES[tile][0]))
        if starter in self.viewers:
            what = f"the highest {'double' if doubles else 'tile, as nobody holds a double'}: {bracketed(highest)}"
        else:
            # which of the two it was says something of the hand
            what = "the highest double or, if nobody holds one, the highest tile"
        lines = [
            f"Draw: match {match}, game {game}, round {round_}",
            sentence(f"{self.names.does(starter, 'starts')}, holding {what}."),
        ]
        for seat in SEATS:
            if seat in self.viewers:
                lines.append(f"  {self.names[seat]}: {tiles_text(self.dealt[seat])}")
        score = ", ".join(f"{self.names[seat]} {self.scores_before[seat]}" for seat in SEATS)
        lines.append(f"Score: {score}; the game is played to {self.rules['target']}.")
        return tuple(lines)

    def table(self) -> Table:
        """The table as it is now."""
        return Table(
            chain=self.chain,
            placement=self.placement,
            held=tuple(map(len, self.hands)),
            draws=tuple(self.draws),
            passes=tuple(self.passes),
            scores=tuple(self.scores),
            stock=self.stock,
            seen={seat: tuple(sorted(self.hands[seat], reverse=True)) for seat in SEATS if seat in self.viewers},
            names=self.names,
        )

    def step(self, row: Mapping[str, Any]) -> Step:
        """Take a row, and say what happened."""
        event, seat = str(row["event"]), int(row["seat"])
        if event == "lead":
            text = self._lead(seat, row["tile"])
        elif event == "play":
            text = self._play(seat, row["tile"], row["side"], row.get("direction"))
        elif event == "draw":
            text = self._draw(seat, row["tile"])
        elif event == "pass":
            text = self._pass(seat)
        elif event == "award":
            self.points = int(row["stones"])
            self.scores[seat] += self.points
            text = f"{self.names.does(seat, 'scores')} {number_of(self.points, 'point')}."
        elif seat == NOBODY:
            text = "The round is over: a tie, which nobody wins."
        else:
            text = f"The round is over: {self.names.does(seat, 'wins')}."
        return Step(row["step"], event, seat, sentence(text), self.table())

    def _lead(self, seat: int, tile: int) -> str:
        self.hands[seat].remove(tile)
        self.chain = self.chain.led(tile)
        if self.placement is not None:
            self.placement = self.placement.led(tile)
        why = " The rules ask for this very tile." if self.rules["opening_lead"] == "highest" else ""
        return f"{self.names.does(seat, 'leads')} {bracketed(tile)}; {self._ends()}.{why}"

    def _play(self, seat: int, tile: int, end: str, direction: str | None) -> str:
        ends = self.chain.ends
        others = self._other_moves(seat, tile, end)
        self.hands[seat].remove(tile)
        self.chain = self.chain.joined(tile, end)
        turn = ""
        if self.placement is not None and direction is not None:
            turn = _TURNS[direction] if HALVES[tile][0] != HALVES[tile][1] else ", across"
            self.placement = self.placement.joined(tile, end, direction)
        alike = ends[0] == ends[1] and self.placement is None
        where = f"to one of the two {ends[0]}s" if alike else f"at the {end} end"
        self.drawn_in_turn = 0
        text = f"{self.names.does(seat, 'plays')} {bracketed(tile)} {where}{turn}; {self._ends('now ')}."
        if not self.hands[seat]:
            return f"{text} It is the last tile of the hand."
        return text + others

    def _ends(self, now: str = "") -> str:
        left, right = self.chain.ends
        text = f"both ends are {now}{left}" if left == right else f"the ends are {now}{left} and {right}"
        closed = self._closed()
        if closed:
            text += ", both closed" if len(closed) == 2 else f", the {closed[0]} one closed"
        return text

    def _closed(self) -> list[str]:
        """Ends where no tile can be laid."""
        return [] if self.placement is None else [end for end in self.placement.ends if self.placement.is_closed(end)]

    def _moves(self, seat: int) -> list[tuple[int, str]]:
        left, right = self.chain.ends
        return [
            (tile, end)
            for tile in sorted(self.hands[seat], reverse=True)
            for end, value in (("left", left), ("right", right))
            if value in HALVES[tile]
            and not (self.placement is None and end == "right" and left == right)
            and (self.placement is None or self.placement.free(tile, end))
        ]

    def _other_moves(self, seat: int, tile: int, end: str) -> str:
        """What else there was to choose from, where the hand is seen."""
        if seat not in self.viewers:
            return ""
        left, right = self.chain.ends
        alike = left == right and self.placement is None
        others = [
            bracketed(other) if alike else f"{bracketed(other)} {where}"
            for other, where in self._moves(seat)
            if (other, where) != (tile, end)
        ]
        if others:
            return f" Other moves: {listed(others)}."
        return " It was the only tile that fitted." if self.placement is not None else " It was the only move."

    def _draw(self, seat: int, tile: int) -> str:
        why = "" if self.drawn_in_turn else f"{self._no_tile()}: "
        self.hands[seat].add(tile)
        self.draws[seat] += 1
        self.drawn_in_turn += 1
        self.stock -= 1
        what = bracketed(tile) if seat in self.viewers else "a tile"
        return f"{why}{self.names.does(seat, 'draws')} {what} from the stock, which has {self.stock} left."

    def _no_tile(self) -> str:
        """Why nothing can be played."""
        closed = self._closed()
        if len(closed) == 2:
            return "both ends are closed"
        if closed:
            value = self.chain.ends[closed[0] == "left"]
            return f"no tile for {value}, as the {closed[0]} end is closed"
        where = "" if self.placement is None else " that has room"
        return f"no tile for {ends_text(*self.chain.ends, link='or')}{where}"

    def _pass(self, seat: int) -> str:
        self.passes[seat] += 1
        if self.stock <= LEFT_IN_STOCK:
            why = f"the last {LEFT_IN_STOCK} tiles of the stock are not drawn"
        else:
            why = "no more than one tile is drawn in a turn"
        self.drawn_in_turn = 0
        return f"{self.names.does(seat, 'PASSes')}: {self._no_tile()}, and {why}."

    def closing(self, winner: int, goes_on: bool) -> tuple[str, ...]:
        """How the round ended and why, the scores before and after, and what comes next."""
        pips = [sum(map(tile_pips, hand)) for hand in self.hands]
        lines = [sentence(line) for line in self._reasons(winner, pips)]
        left = [seat for seat in SEATS if seat in self.viewers and self.hands[seat]]
        if left:
            lines.append("Left in hand:")
            lines += [f"  {self.names[seat]}: {tiles_text(self.hands[seat])}" for seat in left]
        changes = [now - then for now, then in zip(self.scores, self.scores_before, strict=True)]
        lines += columns(
            [*map(str, SEATS)],
            {
                "pips": [*map(str, pips)],
                "score before": [*map(str, self.scores_before)],
                "change": [f"+{n}" if n else "" for n in changes],
                "score after": [*map(str, self.scores)],
            },
        )
        reached = [seat for seat in SEATS if self.scores[seat] >= int(self.rules["target"])]
        if reached:
            verbs = f"{self.names.verb(reached[0], 'gets')} to", self.names.verb(reached[0], "wins")
            lines.append(
                sentence(f"{self.names[reached[0]]} {verbs[0]} {self.rules['target']} and {verbs[1]} the game.")
            )
        elif self.key[1] + 1 >= int(self.rules["max_rounds"]):
            lines.append(f"The game ends without a winner: {self.rules['max_rounds']} rounds are the most.")
        else:
            lines.append(f"Nobody has {self.rules['target']}{': the game goes on' if goes_on else ' so far'}.")
        return tuple(lines)

    def _reasons(self, winner: int, pips: Sequence[int]) -> list[str]:
        if 0 in map(len, self.hands):
            other = 1 - winner
            scores = f"{self.names.verb(winner, 'scores')} the pips left in the other hand"
            return [f"{self.names.does(winner, 'is')} out and {scores}: {number_of(pips[other], 'pip')}."]
        lines = [f"Neither can play or draw: the round is blocked at {ends_text(*self.chain.ends)}."]
        closed = self._closed()
        if closed:
            lines[0] = lines[0][:-1] + (", both ends closed." if len(closed) == 2 else f", the {closed[0]} end closed.")
        compared = f"unplayed pips: {self.names[0]} {pips[0]}, {self.names[1]} {pips[1]}."
        if winner == NOBODY:
            return [*lines, f"{compared} They are equal: a tied round, nobody wins or scores."]
        return [
            *lines,
            f"{compared} {sentence(self.names.does(winner, 'has'))} fewer and {self.names.verb(winner, 'scores')} "
            f"the difference, {self.points}.",
        ]


def tell(
    rows: Rows,
    rules: Mapping[str, int | str],
    key: tuple[int, int],
    names: Mapping[int, str],
    viewers: frozenset[int] | None,
) -> Story:
    """The story of a round, as `TellingSpec.tell` says it.

    Parameters
    ----------
    rows
        Of the match, from its beginning to at least the beginning of the next round, if there is one.
    rules
        Those of the match.
    key
        Game and round.
    names
        By seat.
    viewers
        Seats whose hands are shown; None for all.

    Raises
    ------
    ValueError
        If the rows have no such round.
    """
    at = [k for k, pair in enumerate(zip(rows["game"], rows["round"], strict=True)) if pair == tuple(key)]
    own = [{name: column[k] for name, column in rows.items()} for k in at]
    hands: list[set[int]] = [set() for _ in SEATS]
    deals = [row for row in own if row["event"] == "deal"]
    if not deals:
        raise ValueError(f"there is no round {key[1]} in game {key[0]}")
    for row in deals:
        hands[row["seat"]].add(row["tile"])
    teller = _Teller(rules, (key[0], key[1]), Names(names), viewers, _scores_before(rows, (key[0], key[1])), hands)
    opening = teller.opening(own[0]["match"])
    start = Step(deals[-1]["step"], "deal", NOBODY, "", teller.table())
    steps = tuple(teller.step(row) for row in own[len(deals) :])
    story = Story(own[0]["match"], key[0], key[1], opening, start, steps, ())
    ends = [step for step in steps if step.event == "end"]
    if not ends:
        return story
    winner = ends[0].seat
    outcome = DrawOutcome.OUT if 0 in teller.table().held else DrawOutcome.TIED if winner < 0 else DrawOutcome.BLOCKED
    return replace(
        story,
        closing=teller.closing(winner, goes_on=at[-1] + 1 < len(rows["game"])),
        outcome=outcome.label,
        winner=winner,
    )


def picture(step: Step, look: Look) -> list[str]:
    """The chain, or the table as it lies; see `TellingSpec.picture`."""
    table: Table = step.table
    if not table.chain.halves:
        return ["(nothing on the table yet)"]
    if table.placement is None:
        return chain_lines(table.chain, look)
    words = textwrap.wrap(ends_line(table.placement), look.width)
    room = Look(look.ascii, look.width, look.height - len(words) if look.height else 0)
    return [*table_lines(table.placement, room), *words]


def standing(step: Step, look: Look) -> list[str]:
    """What each seat holds; see `TellingSpec.standing`."""
    table: Table = step.table
    rows = {
        "tiles": [*map(str, table.held)],
        "drawn": [str(n) if n else "" for n in table.draws],
        "PASSes": [str(n) if n else "" for n in table.passes],
        "score": [*map(str, table.scores)],
    }
    lines = columns([*map(str, SEATS)], {name: row for name, row in rows.items() if any(row)})
    lines.append(f"{table.stock} in the stock")
    for seat, tiles in table.seen.items():
        hand = tiles_text(tiles) or "-"
        lines += textwrap.wrap(f"{table.names[seat]}: {hand}", look.width, subsequent_indent="  ")
    return lines


FINDS = {
    "out": Find("a player played the last tile of the hand", "outcome", (DrawOutcome.OUT.label,)),
    "blocked": Find("neither could play or draw, and one had fewer pips", "outcome", (DrawOutcome.BLOCKED.label,)),
    "tied": Find("neither could play or draw, and both had the same pips", "outcome", (DrawOutcome.TIED.label,)),
}

TELLING = TellingSpec(tell=tell, picture=picture, standing=standing, finds=FINDS, lesson=lesson, glossary=glossary)
