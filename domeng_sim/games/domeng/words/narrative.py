"""How rounds of Domeng are told: what happened, in words, and the table drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from domeng_sim.core.codes import NOBODY, Outcome
from domeng_sim.core.tiles import HALVES, tile_number
from domeng_sim.games.domeng.words.ending import Ending, Given, camat_reason, close, closing_award, moved_text
from domeng_sim.games.domeng.words.glossary import glossary
from domeng_sim.games.domeng.words.lesson import lesson
from domeng_sim.games.shared.narrative import Find, Look, Rows, Step, TellingSpec
from domeng_sim.games.shared.teller import (
    Teller,
    ToldTable,
    chain_picture,
    hand_lines,
    rows_before,
    told_by,
)
from domeng_sim.games.shared.words import columns, ends_text, listed, sentence, tiles_text

SEATS = range(5)


@dataclass(frozen=True)
class DomengTable(ToldTable):
    """The table after a step, as far as it is told.

    Attributes
    ----------
    stones, passebunge
        By seat: stones, and how many of its PASSes were PASSEBUNGE.
    table
        Stones on the table.
    last_mappano
        Who played the newest tile; -1 before the first one.
    camat
        The CAMAT of the match; -1 for nobody.
    """

    stones: tuple[int, ...]
    passebunge: tuple[int, ...]
    table: int
    last_mappano: int
    camat: int


class _Before(NamedTuple):
    """What the match brings into a round."""

    stones: list[int]
    camat: int
    winner: int


def _before(rows: Rows, key: tuple[int, int]) -> _Before:
    """Stones, CAMAT and the winner of the round before, from the rows before a round."""
    stones, camat, winner = [0] * 5, NOBODY, NOBODY
    for k in rows_before(rows, key):
        event = rows["event"][k]
        if rows["game"][k] == key[0] and rows["stones"][k]:
            stones[rows["seat"][k]] += rows["stones"][k]
            for seat in SEATS:
                stones[seat] -= rows[f"given_{seat}"][k]
        if event == "camat":
            camat = rows["seat"][k]
        elif event == "end":
            winner = rows["seat"][k]
    return _Before(stones, camat, winner)


class DomengTeller(Teller):
    """Follows a round row by row."""

    title = "Domeng"
    last_tile = "It is the last tile of the hand: CAPPU."

    def _begin(self, rows: Rows) -> None:
        self.before = _before(rows, self.key)
        self.stones = list(self.before.stones)
        self.last = self.camat_now = NOBODY
        self.passebunge, self.plays = [0] * 5, [0] * 5
        self.last_play: tuple[int, tuple[int, int]] = (NOBODY, (-1, -1))
        self._ends_before = (-1, -1)
        self._ended: Ending | None = None
        self.table_before_award = 0
        self.n_closing = 0

    @property
    def on_table(self) -> int:
        """Stones on the table."""
        return int(self.rules["stones"]) - sum(self.stones)

    # what stands before the first step

    def starter(self) -> int:
        """Who starts, by the rules."""
        if self.key == (0, 0):
            return next(seat for double in (27, 20, 14, 9) for seat in SEATS if double in self.dealt[seat])
        return self.before.camat if self.before.camat != NOBODY else self.before.winner

    def _who_starts(self) -> str:
        starter = self.starter()
        starts = f"{self.names.does(starter, 'starts')}"
        if self.key == (0, 0):
            if not self.everything and starter not in self.viewers:
                return f"first round of the match: {starts}, who holds the highest double."
            value = next(value for value in (6, 5, 4, 3) if tile_number(value, value) in self.dealt[starter])
            unused = [f"[{higher}|{higher}]" for higher in range(6, value, -1)]
            rest = f" ({listed(unused)} {'is' if len(unused) == 1 else 'are'} unused)" if unused else ""
            return f"first round of the match: {starts}, holding [{value}|{value}]{rest}."
        if self.before.camat != NOBODY:
            return f"{starts} as the CAMAT."
        return f"{starts} as winner of the round before; there is no CAMAT."

    def _told_at_start(self) -> list[str]:
        return [f"  unused: {tiles_text(self.out_of_hands)}"] if self.everything else []

    # steps

    def table(self) -> DomengTable:
        """The table as it is now."""
        return DomengTable(
            chain=self.chain,
            held=tuple(map(len, self.hands)),
            stones=tuple(self.stones),
            passes=tuple(self.passes),
            passebunge=tuple(self.passebunge),
            table=self.on_table,
            seen=self.seen(),
            last_mappano=self.last,
            camat=self.before.camat if self.camat_now == NOBODY else self.camat_now,
            names=self.names,
        )

    def _happened(self, event: str, seat: int, row: Mapping[str, Any]) -> str:
        if event in ("pass", "passebunge"):
            return self._pass(seat, event, row)
        if event == "award":
            return self._award(row)
        if event == "end":
            how = {"manguno": "as MANGUNO", "mattikkeng": "as MATTIKKENG"}
            outcome = self.outcome(seat)
            return f"The round is over: {self.names.does(seat, 'wins')} {how.get(outcome, f'by {outcome.upper()}')}."
        self.camat_now = seat
        return f"{self.names.does(seat, 'is')} appointed CAMAT, and the game ends."

    def _why_lead(self) -> str:
        is_forced = self.key == (0, 0) and self.rules["opening_lead"] == "double"
        return " The rules ask for this very double." if is_forced else ""

    def _lay(self, seat: int, tile: int, end: str | None, direction: str | None) -> str:
        self.last, self.last_play = seat, (tile, self._ends_before)
        self._ends_before = self.chain.ends
        self.plays[seat] += 1
        return ""

    def _made(self) -> str:
        return ": MAPPAKULING." if self._are_ends_alike else "."

    def _pass(self, seat: int, event: str, row: Mapping[str, Any]) -> str:
        fit = ends_text(*self.chain.ends, link="or")
        is_closing = not any(self.moves(other) for other in SEATS)
        self.passes[seat] += 1
        self.passebunge[seat] += event == "passebunge"
        head = ""
        if is_closing:
            self.n_closing += 1
            if self.n_closing == 1:
                head = f"Nobody holds a tile for {fit}: all five PASS in turn. "
            head += f"Closing PASS {self.n_closing} of 5: "
        text = f"{head}{self.names.does(seat, 'PASSes')}, with no tile for {fit}"
        if event == "passebunge":
            text += " and none played yet: PASSEBUNGE"
        elif not self.plays[seat] and self.rules["passebunge"] == "first":
            text += " and none played yet, an ordinary PASS as it is not the first"
        if is_closing and self.rules["closing_passes"] == "free":
            return f"{text}. Closing PASSes are free."
        due = int(self.rules[f"{event}_stones"])
        return f"{text}, and {self._moved(row, due, [self.last])}"

    def _moved(self, row: Mapping[str, Any], due: int, givers: Sequence[int]) -> str:
        """Who gets what from whom, told and taken into account."""
        given = Given(int(row["seat"]), due, int(row["from_table"]), tuple(int(row[f"given_{k}"]) for k in SEATS))
        text = moved_text(given, self.on_table, self.stones, givers, self.names)
        for seat in SEATS:
            self.stones[seat] -= given.given[seat]
        self.stones[given.to] += given.stones
        return text

    def _ending(self) -> Ending:
        if self._ended is None:
            empty = [seat for seat in SEATS if not self.hands[seat]]
            pips = [sum(sum(HALVES[tile]) for tile in hand) for hand in self.hands]
            self._ended = close(self.last, bool(empty), self.last_play, self.chain.ends, pips, self.rules)
        return self._ended

    def _award(self, row: Mapping[str, Any]) -> str:
        ending = self._ending()
        self.table_before_award = self.on_table
        due, givers, why = closing_award(ending, self.rules, self.names)
        return f"{why} {self._moved(row, due, givers)}"

    # what stands after the last step

    def outcome(self, winner: int) -> str:
        """Label of the outcome."""
        return self._ending().outcome

    def _reasons(self, winner: int) -> list[str]:
        return list(self._ending().reasons(self.names))

    def _changes(self, winner: int) -> list[str]:
        ending, game_ends, on_table = self._ending(), self.camat_now != NOBODY, self.on_table
        changes = [now - then for now, then in zip(self.stones, self.before.stones, strict=True)]
        table = int(self.rules["stones"]) - sum(self.before.stones)
        lines = ["Stones:"] + columns(
            [*map(str, SEATS), "table"],
            {
                "before": [*map(str, self.before.stones), str(table)],
                "change": [f"{n:+d}" if n else "" for n in (*changes, on_table - table)],
                "after": [*map(str, self.stones), str(on_table)],
            },
        )  # fmt: skip
        if not ending.is_blocked:
            before = self.rules["camat_check"] == "before"
            looked_at = self.table_before_award if before else on_table
            reason = camat_reason(game_ends, ending.winner, self.stones[ending.winner], looked_at, before, self.names)
            lines.append(sentence(reason))
        truncated = not game_ends and self.key[1] + 1 >= int(self.rules["max_rounds"])
        if game_ends or truncated:
            lines.append("All stones return to the table.")
        if truncated:
            lines.append(f"The game ends without a CAMAT: {self.rules['max_rounds']} rounds are the most.")
        camat = self.camat_now if game_ends else self.before.camat
        if not self.goes_on:
            return lines
        if camat != NOBODY:
            lines.append(sentence(f"as CAMAT, {self.names.does(camat, 'starts')} the next round."))
        else:
            lines.append(sentence(f"{self.names.does(ending.winner, 'starts')} the next round."))
        return lines


def picture(step: Step, look: Look) -> list[str]:
    """The chain; see `TellingSpec.picture`."""
    return chain_picture(step.table, look)


def standing(step: Step, look: Look) -> list[str]:
    """What each seat holds; see `TellingSpec.standing`."""
    table: DomengTable = step.table
    rows = {
        "tiles": [*map(str, table.held), ""],
        "stones": [*map(str, table.stones), str(table.table)],
    }
    for name, counts in (("PASSes", table.passes), ("PASSEBUNGE", table.passebunge)):
        if any(counts):
            rows[name] = [*(str(n) if n else "" for n in counts), ""]
    return [*columns([*map(str, SEATS), "table"], rows), *hand_lines(table, look.width)]


FINDS = {
    "ceki": Find("the last tile a MAPPAKULING and no double", "outcome", (Outcome.CEKI.label,)),
    "pollo": Find("the last tile a MAPPAKULING and a double", "outcome", (Outcome.POLLO.label,)),
    "manguno": Find("nobody could play, and the MANGUNO won", "outcome", (Outcome.MANGUNO.label,)),
    "mattikkeng": Find("nobody could play, and a MATTIKKENG won", "outcome", (Outcome.MATTIKKENG.label,)),
    "camat": Find("a CAMAT was appointed", "camat", tuple(SEATS)),
}

TELLING = TellingSpec(
    tell=told_by(DomengTeller, len(SEATS)),
    picture=picture,
    standing=standing,
    finds=FINDS,
    lesson=lesson,
    glossary=glossary,
)
