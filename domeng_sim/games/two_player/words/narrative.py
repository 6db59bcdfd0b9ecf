"""How rounds of two-player games are told: what happened, in words, and the table drawn."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from domeng_sim.core.codes import NOBODY, DrawOutcome
from domeng_sim.core.tiles import is_double, tile_pips
from domeng_sim.games.shared.narrative import Find, Look, Rows, Step, TellingSpec
from domeng_sim.games.shared.teller import (
    Teller,
    ToldTable,
    chain_picture,
    hand_lines,
    rows_before,
    told_by,
)
from domeng_sim.games.shared.words import bracketed, columns, ends_text, number_of, sentence
from domeng_sim.games.two_player.odds.move_log import rank
from domeng_sim.games.two_player.placement import Placement
from domeng_sim.games.two_player.rules import table_size
from domeng_sim.games.two_player.words.glossary import glossary
from domeng_sim.games.two_player.words.lesson import lesson
from domeng_sim.games.two_player.words.table_picture import ends_line, table_lines

SEATS = range(2)
LEFT_IN_STOCK = 2
"""Tiles that are never drawn."""
_TURNS = {"straight": ", straight on", "left": ", turning left", "right": ", turning right"}


@dataclass(frozen=True)
class TwoPlayerTable(ToldTable):
    """The table after a step, as far as it is told.

    Attributes
    ----------
    placement
        How the tiles lie; None on a table without bounds.
    draws, scores
        By seat: tiles drawn and the score.
    stock
        Tiles in the stock.
    out_of_play
        Whether nobody draws from it.
    """

    placement: Placement | None
    draws: tuple[int, ...]
    scores: tuple[int, ...]
    stock: int
    out_of_play: bool


def _scores_before(rows: Rows, key: tuple[int, int]) -> list[int]:
    """Scores at the beginning of a round, from the rounds of the game before it."""
    scores = [0, 0]
    for k in rows_before(rows, key):
        if rows["game"][k] == key[0] and rows["event"][k] == "award":
            scores[rows["seat"][k]] += rows["stones"][k]
    return scores


class TwoPlayerTeller(Teller):
    """Follows a round row by row."""

    def _begin(self, rows: Rows) -> None:
        self.scores_before = tuple(_scores_before(rows, self.key))
        self.scores = list(self.scores_before)
        size = table_size(self.rules)
        self.placement = None if size is None else Placement(*size)
        if self.placement is not None:
            self.only_move = "It was the only tile that fitted."
        self.nobody_draws = "draw" not in self.rules
        self.draws, self.drawn_in_turn = [0, 0], 0
        self.stock = len(self.out_of_hands)
        self.points = 0

    def starter(self) -> int:
        """Who starts: the holder of the highest double, or else of the highest tile."""
        return max(SEATS, key=lambda seat: max(map(rank, self.dealt[seat])))

    def _who_starts(self) -> str:
        starter = self.starter()
        highest = max(self.dealt[starter], key=rank)
        if starter in self.viewers:
            kind = "double" if is_double(highest) else "tile, as nobody holds a double"
            what = f"the highest {kind}: {bracketed(highest)}"
        else:
            # which of the two it was says something of the hand
            what = "the highest double or, if nobody holds one, the highest tile"
        return f"{self.names.does(starter, 'starts')}, holding {what}."

    def _told_at_start(self) -> list[str]:
        score = ", ".join(f"{self.names[seat]} {self.scores_before[seat]}" for seat in SEATS)
        return [f"Score: {score}; the game is played to {self.rules['target']}."]

    def table(self) -> TwoPlayerTable:
        """The table as it is now."""
        return TwoPlayerTable(
            chain=self.chain,
            placement=self.placement,
            held=tuple(map(len, self.hands)),
            draws=tuple(self.draws),
            passes=tuple(self.passes),
            scores=tuple(self.scores),
            stock=self.stock,
            out_of_play=self.nobody_draws,
            seen=self.seen(),
            names=self.names,
        )

    def _happened(self, event: str, seat: int, row: Mapping[str, Any]) -> str:
        if event == "draw":
            return self._draw(seat, row["tile"])
        if event == "pass":
            return self._pass(seat)
        if event == "award":
            self.points = int(row["stones"])
            self.scores[seat] += self.points
            return f"{self.names.does(seat, 'scores')} {number_of(self.points, 'point')}."
        if seat == NOBODY:
            return "The round is over: a tie, which nobody wins."
        return f"The round is over: {self.names.does(seat, 'wins')}."

    def _why_lead(self) -> str:
        return " The rules ask for this very tile." if self.rules["opening_lead"] == "highest" else ""

    def _lay(self, seat: int, tile: int, end: str | None, direction: str | None) -> str:
        self.drawn_in_turn = 0
        if self.placement is None:
            return ""
        if end is None:
            self.placement = self.placement.led(tile)
        elif direction is not None:
            self.placement = self.placement.joined(tile, end, direction)
            return _TURNS[direction] if not is_double(tile) else ", across"
        return ""

    def _ends_words(self, now: str = "") -> str:
        closed, text = self._closed(), super()._ends_words(now)
        if closed:
            text += ", both closed" if len(closed) == 2 else f", the {closed[0]} one closed"
        return text

    @property
    def _are_ends_alike(self) -> bool:
        return self.placement is None and super()._are_ends_alike

    def _has_room(self, tile: int, end: str) -> bool:
        return self.placement is None or bool(self.placement.free(tile, end))

    def _closed(self) -> list[str]:
        """Ends where no tile can be laid."""
        return [] if self.placement is None else [end for end in self.placement.ends if self.placement.is_closed(end)]

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
        why = ", and no more than one tile is drawn in a turn"
        if self.nobody_draws:
            why = ""
        elif self.stock <= LEFT_IN_STOCK:
            why = f", and the last {LEFT_IN_STOCK} tiles of the stock are not drawn"
        self.drawn_in_turn = 0
        return f"{self.names.does(seat, 'PASSes')}: {self._no_tile()}{why}."

    def outcome(self, winner: int) -> str:
        """Label of the outcome."""
        if not all(self.hands):
            return DrawOutcome.OUT.label
        return (DrawOutcome.TIED if winner < 0 else DrawOutcome.BLOCKED).label

    def _pips(self) -> list[int]:
        return [sum(map(tile_pips, hand)) for hand in self.hands]

    def _reasons(self, winner: int) -> list[str]:
        pips = self._pips()
        if not all(self.hands):
            other = 1 - winner
            scores = f"{self.names.verb(winner, 'scores')} the pips left in the other hand"
            return [f"{self.names.does(winner, 'is')} out and {scores}: {number_of(pips[other], 'pip')}."]
        can_do = "play" if self.nobody_draws else "play or draw"
        lines = [f"Neither can {can_do}: the round is blocked at {ends_text(*self.chain.ends)}."]
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

    def _changes(self, winner: int) -> list[str]:
        changes = [now - then for now, then in zip(self.scores, self.scores_before, strict=True)]
        lines = columns(
            [*map(str, SEATS)],
            {
                "pips": [*map(str, self._pips())],
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
            lines.append(f"Nobody has {self.rules['target']}{': the game goes on' if self.goes_on else ' so far'}.")
        return lines


def picture(step: Step, look: Look) -> list[str]:
    """The chain, or the table as it lies; see `TellingSpec.picture`."""
    table: TwoPlayerTable = step.table
    if table.placement is None or not table.chain.halves:
        return chain_picture(table, look)
    words = textwrap.wrap(ends_line(table.placement), look.width)
    room = Look(look.ascii, look.width, look.height - len(words) if look.height else 0)
    return [*table_lines(table.placement, room), *words]


def standing(step: Step, look: Look) -> list[str]:
    """What each seat holds; see `TellingSpec.standing`."""
    table: TwoPlayerTable = step.table
    rows = {
        "tiles": [*map(str, table.held)],
        "drawn": [str(n) if n else "" for n in table.draws],
        "PASSes": [str(n) if n else "" for n in table.passes],
        "score": [*map(str, table.scores)],
    }
    return [
        *columns([*map(str, SEATS)], {name: row for name, row in rows.items() if any(row)}),
        f"{table.stock} out of play" if table.out_of_play else f"{table.stock} in the stock",
        *hand_lines(table, look.width),
    ]


def telling(game: str, draws: bool) -> TellingSpec:
    """How rounds of a two-player game are told.

    Parameters
    ----------
    game
        What it is called.
    draws
        Whether tiles are drawn.
    """

    class GameTeller(TwoPlayerTeller):
        title = game

    cannot = f"neither could {'play or draw' if draws else 'play'}"
    finds = {
        "out": Find("a player played the last tile of the hand", "outcome", (DrawOutcome.OUT.label,)),
        "blocked": Find(f"{cannot}, and one had fewer pips", "outcome", (DrawOutcome.BLOCKED.label,)),
        "tied": Find(f"{cannot}, and both had the same pips", "outcome", (DrawOutcome.TIED.label,)),
    }
    return TellingSpec(told_by(GameTeller, len(SEATS)), picture, standing, finds, lesson, glossary)
