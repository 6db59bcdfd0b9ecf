"""How rounds of Domeng are told: what happened, in words, and the table drawn."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from domeng_sim.core.codes import NOBODY, Outcome
from domeng_sim.core.tiles import HALVES, tile_number
from domeng_sim.games.domeng.words.ending import Ending, Given, camat_reason, close, closing_award, moved_text
from domeng_sim.games.domeng.words.glossary import glossary
from domeng_sim.games.domeng.words.lesson import lesson
from domeng_sim.games.shared.narrative import Find, Look, Rows, Step, Story, TellingSpec
from domeng_sim.games.shared.pictures import Chain, chain_lines
from domeng_sim.games.shared.words import Names, bracketed, columns, ends_text, listed, sentence, tiles_text

SEATS = range(5)
_PASSES = ("pass", "passebunge")


@dataclass(frozen=True)
class Table:
    """The table after a step, as far as it is told.

    Attributes
    ----------
    chain
        The tiles.
    held, stones, passes, passebunge
        By seat: tiles held, stones, PASSes and of these PASSEBUNGE.
    table
        Stones on the table.
    seen
        Hands that are shown, by seat.
    last_mappano
        Who played the newest tile; -1 before the first one.
    camat
        The CAMAT of the match; -1 for nobody.
    names
        Who is who.
    """

    chain: Chain
    held: tuple[int, ...]
    stones: tuple[int, ...]
    passes: tuple[int, ...]
    passebunge: tuple[int, ...]
    table: int
    seen: Mapping[int, tuple[int, ...]]
    last_mappano: int
    camat: int
    names: Names


class _Before(NamedTuple):
    """What the match brings into a round."""

    stones: list[int]
    camat: int
    winner: int


def _before(rows: Rows, key: tuple[int, int]) -> _Before:
    """Stones, CAMAT and the winner of the round before, from the rows before a round."""
    stones, camat, winner = [0] * 5, NOBODY, NOBODY
    for k, event in enumerate(rows["event"]):
        at = (rows["game"][k], rows["round"][k])
        if at >= key:
            break
        if at[0] == key[0] and rows["stones"][k]:
            stones[rows["seat"][k]] += rows["stones"][k]
            for seat in SEATS:
                stones[seat] -= rows[f"given_{seat}"][k]
        if event == "camat":
            camat = rows["seat"][k]
        elif event == "end":
            winner = rows["seat"][k]
    return _Before(stones, camat, winner)


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
    before
        What the match brings into the round.
    hands
        As dealt, by seat.
    """

    def __init__(
        self,
        rules: Mapping[str, int | str],
        key: tuple[int, int],
        names: Names,
        viewers: frozenset[int] | None,
        before: _Before,
        hands: Sequence[set[int]],
    ) -> None:
        self.rules, self.key, self.names, self.before = rules, key, names, before
        self.viewers = frozenset(SEATS) if viewers is None else viewers
        self.everything = viewers is None
        self.hands = [set(hand) for hand in hands]
        self.dealt = [frozenset(hand) for hand in hands]
        self.stones = list(before.stones)
        self.chain = Chain()
        self.last = self.camat_now = NOBODY
        self.passes, self.passebunge, self.plays = [0] * 5, [0] * 5, [0] * 5
        self.last_play: tuple[int, tuple[int, int]] = (NOBODY, (-1, -1))
        self.ending: Ending | None = None
        self.table_before_award = 0
        self.n_closing = 0

    # what stands before the first step

    def starter(self) -> int:
        """Who starts, by the rules."""
        if self.key == (0, 0):
            return next(seat for double in (27, 20, 14, 9) for seat in SEATS if double in self.dealt[seat])
        return self.before.camat if self.before.camat != NOBODY else self.before.winner

    def opening(self, match: int) -> tuple[str, ...]:
        """Where this is, who starts and why, and the hands that are seen."""
        game, round_ = self.key
        lines = [f"Domeng: match {match}, game {game}, round {round_}"]
        lines.append(sentence(self._who_starts()))
        for seat in SEATS:
            if seat in self.viewers:
                lines.append(f"  {self.names[seat]}: {tiles_text(self.dealt[seat])}")
        if self.everything:
            unused_tiles = set(range(28)).difference(*self.dealt)
            lines.append(f"  unused: {tiles_text(unused_tiles)}")
        return tuple(lines)

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

    # steps

    def table(self) -> Table:
        """The table as it is now."""
        seen = {seat: tuple(sorted(self.hands[seat], reverse=True)) for seat in SEATS if seat in self.viewers}
        return Table(
            chain=self.chain,
            held=tuple(map(len, self.hands)),
            stones=tuple(self.stones),
            passes=tuple(self.passes),
            passebunge=tuple(self.passebunge),
            table=int(self.rules["stones"]) - sum(self.stones),
            seen=seen,
            last_mappano=self.last,
            camat=self.before.camat if self.camat_now == NOBODY else self.camat_now,
            names=self.names,
        )

    def step(self, row: Mapping[str, Any]) -> Step:
        """Take a row, and say what happened."""
        event, seat = str(row["event"]), int(row["seat"])
        if event == "lead":
            text = self._lead(seat, row["tile"])
        elif event == "play":
            text = self._play(seat, row["tile"], row["side"])
        elif event in _PASSES:
            text = self._pass(seat, event, row)
        elif event == "award":
            text = self._award(seat, row)
        elif event == "end":
            how = {"manguno": "as MANGUNO", "mattikkeng": "as MATTIKKENG"}
            outcome = self._ending().outcome
            text = f"The round is over: {self.names.does(seat, 'wins')} {how.get(outcome, f'by {outcome.upper()}')}."
        else:
            self.camat_now = seat
            text = f"{self.names.does(seat, 'is')} appointed CAMAT, and the game ends."
        return Step(row["step"], event, seat, sentence(text), self.table())

    def _lead(self, seat: int, tile: int) -> str:
        self.hands[seat].remove(tile)
        self.chain, self.last = self.chain.led(tile), seat
        self.plays[seat] += 1
        why = ""
        if self.key == (0, 0) and self.rules["opening_lead"] == "double":
            why = " The rules ask for this very double."
        return f"{self.names.does(seat, 'leads')} {bracketed(tile)}; {self._ends()}.{why}"

    def _play(self, seat: int, tile: int, end: str) -> str:
        ends = self.chain.ends
        others = self._other_moves(seat, tile, end)
        self.hands[seat].remove(tile)
        self.chain, self.last, self.last_play = self.chain.joined(tile, end), seat, (tile, ends)
        self.plays[seat] += 1
        left, right = self.chain.ends
        where = f"at the {end} end" if ends[0] != ends[1] else f"to one of the two {ends[0]}s"
        text = f"{self.names.does(seat, 'plays')} {bracketed(tile)} {where}; {self._ends('now ')}"
        text += ": MAPPAKULING." if left == right else "."
        if not self.hands[seat]:
            return f"{text} It is the last tile of the hand: CAPPU."
        return text + others

    def _ends(self, now: str = "") -> str:
        left, right = self.chain.ends
        return f"both ends are {now}{left}" if left == right else f"the ends are {now}{left} and {right}"

    def _moves(self, seat: int) -> list[tuple[int, str]]:
        left, right = self.chain.ends
        return [
            (tile, end)
            for tile in sorted(self.hands[seat], reverse=True)
            for end, value in (("left", left), ("right", right))
            if value in HALVES[tile] and not (end == "right" and left == right)
        ]

    def _other_moves(self, seat: int, tile: int, end: str) -> str:
        """What else there was to choose from, where the hand is seen."""
        if seat not in self.viewers:
            return ""
        left, right = self.chain.ends
        others = [
            bracketed(other) if left == right else f"{bracketed(other)} {where}"
            for other, where in self._moves(seat)
            if (other, where) != (tile, end)
        ]
        return f" Other moves: {listed(others)}." if others else " It was the only move."

    def _pass(self, seat: int, event: str, row: Mapping[str, Any]) -> str:
        is_closing = not any(self._moves(other) for other in SEATS)
        self.passes[seat] += 1
        self.passebunge[seat] += event == "passebunge"
        head = ""
        if is_closing:
            self.n_closing += 1
            if self.n_closing == 1:
                head = f"Nobody holds a tile for {self._fit()}: all five PASS in turn. "
            head += f"Closing PASS {self.n_closing} of 5: "
        text = f"{head}{self.names.does(seat, 'PASSes')}, with no tile for {self._fit()}"
        if event == "passebunge":
            text += " and none played yet: PASSEBUNGE"
        elif not self.plays[seat] and self.rules["passebunge"] == "first":
            text += " and none played yet, an ordinary PASS as it is not the first"
        if is_closing and self.rules["closing_passes"] == "free":
            return f"{text}. Closing PASSes are free."
        due = int(self.rules[f"{event}_stones"])
        return f"{text}, and {self._moved(row, due, [self.last])}"

    def _fit(self) -> str:
        return ends_text(*self.chain.ends, link="or")

    def _moved(self, row: Mapping[str, Any], due: int, givers: Sequence[int]) -> str:
        """Who gets what from whom, told and taken into account."""
        given = Given(int(row["seat"]), due, int(row["from_table"]), tuple(int(row[f"given_{k}"]) for k in SEATS))
        table = int(self.rules["stones"]) - sum(self.stones)
        text = moved_text(given, table, self.stones, givers, self.names)
        for seat in SEATS:
            self.stones[seat] -= given.given[seat]
        self.stones[given.to] += given.stones
        return text

    def _ending(self) -> Ending:
        if self.ending is None:
            empty = [seat for seat in SEATS if not self.hands[seat]]
            pips = [sum(sum(HALVES[tile]) for tile in hand) for hand in self.hands]
            self.ending = close(self.last, bool(empty), self.last_play, self.chain.ends, pips, self.rules)
        return self.ending

    def _award(self, seat: int, row: Mapping[str, Any]) -> str:
        ending = self._ending()
        self.table_before_award = int(self.rules["stones"]) - sum(self.stones)
        due, givers, why = closing_award(ending, self.rules, self.names)
        return f"{why} {self._moved(row, due, givers)}"

    def outcome(self) -> str:
        """Label of the outcome of the round, which is over."""
        return self._ending().outcome

    # what stands after the last step

    def closing(self, goes_on: bool) -> tuple[str, ...]:
        """How the round ended and why, the stones before and after, CAMAT, and what comes next if the match goes on."""
        ending, game_ends = self._ending(), self.camat_now != NOBODY
        lines = [sentence(line) for line in ending.reasons(self.names)]
        on_table = int(self.rules["stones"]) - sum(self.stones)
        left = [seat for seat in SEATS if seat in self.viewers and self.hands[seat]]
        if left:
            lines.append("Left in hand:")
            lines += [f"  {self.names[seat]}: {tiles_text(self.hands[seat])}" for seat in left]
        changes = [now - then for now, then in zip(self.stones, self.before.stones, strict=True)]
        table = int(self.rules["stones"]) - sum(self.before.stones)
        lines += ["Stones:"] + columns(
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
        if not goes_on:
            return tuple(lines)
        if camat != NOBODY:
            lines.append(sentence(f"as CAMAT, {self.names.does(camat, 'starts')} the next round."))
        else:
            lines.append(sentence(f"{self.names.does(ending.winner, 'starts')} the next round."))
        return tuple(lines)


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
    teller = _Teller(rules, (key[0], key[1]), Names(names), viewers, _before(rows, (key[0], key[1])), hands)
    opening = teller.opening(own[0]["match"])
    start = Step(deals[-1]["step"], "deal", NOBODY, "", teller.table())
    steps = tuple(teller.step(row) for row in own[len(deals) :])
    story = Story(own[0]["match"], key[0], key[1], opening, start, steps, ())
    ends = [step for step in steps if step.event == "end"]
    if not ends:
        return story
    return replace(
        story,
        closing=teller.closing(goes_on=at[-1] + 1 < len(rows["game"])),
        outcome=teller.outcome(),
        winner=ends[0].seat,
    )


def picture(step: Step, look: Look) -> list[str]:
    """The chain; see `TellingSpec.picture`."""
    table: Table = step.table
    return chain_lines(table.chain, look) or ["(nothing on the table yet)"]


def standing(step: Step, look: Look) -> list[str]:
    """What each seat holds; see `TellingSpec.standing`."""
    table: Table = step.table
    rows = {
        "tiles": [*map(str, table.held), ""],
        "stones": [*map(str, table.stones), str(table.table)],
    }
    if any(table.passes):
        rows["PASSes"] = [str(n) if n else "" for n in table.passes] + [""]
    if any(table.passebunge):
        rows["PASSEBUNGE"] = [str(n) if n else "" for n in table.passebunge] + [""]
    lines = columns([*map(str, SEATS), "table"], rows)
    for seat, tiles in table.seen.items():
        hand = tiles_text(tiles) or "-"
        lines += textwrap.wrap(f"{table.names[seat]}: {hand}", look.width, subsequent_indent="  ")
    return lines


FINDS = {
    "ceki": Find("the last tile a MAPPAKULING and no double", "outcome", (Outcome.CEKI.label,)),
    "pollo": Find("the last tile a MAPPAKULING and a double", "outcome", (Outcome.POLLO.label,)),
    "manguno": Find("nobody could play, and the MANGUNO won", "outcome", (Outcome.MANGUNO.label,)),
    "mattikkeng": Find("nobody could play, and a MATTIKKENG won", "outcome", (Outcome.MATTIKKENG.label,)),
    "camat": Find("a CAMAT was appointed", "camat", tuple(SEATS)),
}

TELLING = TellingSpec(tell=tell, picture=picture, standing=standing, finds=FINDS, lesson=lesson, glossary=glossary)
