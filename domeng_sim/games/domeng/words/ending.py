"""Why a round of Domeng ended as it did, and how the stones moved, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from domeng_sim.core.tiles import is_double
from domeng_sim.games.domeng.rules import cucuq_of
from domeng_sim.games.shared.words import Names, bracketed, ends_text, listed, number_of

SEATS = range(5)


class Given(NamedTuple):
    """An award as a row tells it.

    Attributes
    ----------
    to
        Who receives.
    due
        Stones that the rules award.
    from_table
        Of these, taken from the table.
    given
        Of these, given by each seat.
    """

    to: int
    due: int
    from_table: int
    given: tuple[int, ...]

    @property
    def stones(self) -> int:
        """Stones that really moved."""
        return self.from_table + sum(self.given)


def moved_text(given: Given, table: int, stones: Sequence[int], givers: Sequence[int], names: Names) -> str:
    """What comes after the name of who receives: gets how many stones, from where, and why not more.

    Parameters
    ----------
    given
        What moved.
    table, stones
        Stones on the table and of each seat before.
    givers
        Who must give what the table lacks, in order.
    names
        Who is who.
    """
    gets = names.verb(given.to, "gets")
    if given.due == 0:
        return f"{gets} no stones: the rules award none."
    parts = [(given.from_table, "the table")] if given.from_table else []
    # in the order in which they had to give
    order = [*givers, *(seat for seat in SEATS if seat not in givers)]
    parts += [(given.given[seat], names[seat]) for seat in order if given.given[seat]]
    short = given.due - given.stones
    if not parts:
        return f"{gets} none of {number_of(given.due, 'stone')}: {_why_no_more(given.to, givers, names)}."
    n = f"{given.stones} of {given.due} stones" if short else number_of(given.stones, "stone")
    if len(parts) == 1:
        source = f"from {parts[0][1]}"
    else:
        source = ": " + listed([f"{number} from {name}" for number, name in parts])
    text = f"{gets} {n}{'' if source.startswith(':') else ' '}{source}"
    return f"{text}; {_why_no_more(given.to, givers, names)}." if short else f"{text}."


def _why_no_more(to: int, givers: Sequence[int], names: Names) -> str:
    others = [names[seat] for seat in givers if seat != to]
    table = "the table is empty"
    if not others:
        return f"{table}, and {names.does(to, 'is')} LAST MAPPANO, who would have to give"
    verb = "have" if len(others) > 1 or others[0] == "you" else "has"
    return f"{table}, and {listed(others)} {verb} no more"


def cucuq_side(rules: Mapping[str, int | str]) -> str:
    """On which side of the winner CUCUQ sits, in a word."""
    return "before"


class Ending(NamedTuple):
    """How a round ended.

    Attributes
    ----------
    outcome
        Label of `codes.Outcome`.
    winner
        Who won.
    last
        LAST MAPPANO.
    tile
        The last tile.
    ends_before, ends
        The ends before and after it.
    pips
        Unplayed pips by seat.
    mattikkeng
        The MATTIKKENG, clockwise after the MANGUNO.
    by_next
        Whether `mattikkeng_winner=next` decides.
    """

    outcome: str
    winner: int
    last: int
    tile: int
    ends_before: tuple[int, int]
    ends: tuple[int, int]
    pips: tuple[int, ...]
    mattikkeng: tuple[int, ...]
    by_next: bool

    @property
    def is_blocked(self) -> bool:
        """Whether nobody could play."""
        return self.outcome in ("manguno", "mattikkeng")

    def reasons(self, names: Names) -> list[str]:
        """Why it ended so, a sentence or two a line."""
        return self._blocked_reasons(names) if self.is_blocked else [self._cappu_reason(names)]

    def _cappu_reason(self, names: Names) -> str:
        first = f"{names.does(self.winner, 'is')} FIRST CAPPU and {names.verb(self.winner, 'wins')}."
        tile = bracketed(self.tile)
        if self.outcome == "ceki":
            left, right = self.ends_before
            how = f"the last tile {tile} fitted both ends, {left} and {right} (MAPPAKULING), and is no double"
            return f"{first} CEKI: {how}."
        if self.outcome == "pollo":
            both = self.ends_before[0]
            how = f"the last tile {tile} was joined where both ends were {both} (MAPPAKULING), and is a double"
            return f"{first} POLLO: {how}."
        left, right = self.ends
        return f"{first} A plain CAPPU: after the last tile {tile} the ends differ, {left} and {right}."

    def _blocked_reasons(self, names: Names) -> list[str]:
        own = self.pips[self.last]
        lines = [
            f"Nobody can play at {ends_text(*self.ends)}: {names[self.last]}, LAST MAPPANO, "
            f"{names.verb(self.last, 'is')} the MANGUNO.",
            "Unplayed pips: "
            + ", ".join(f"{names[seat]} {self.pips[seat]}{' (MANGUNO)' if seat == self.last else ''}" for seat in SEATS)
            + ".",
        ]
        if not self.mattikkeng:
            lines.append(f"Nobody else has {own} or fewer: no MATTIKKENG, so the MANGUNO wins.")
            return lines
        several = len(self.mattikkeng) > 1
        who = listed([f"{names[seat]} with {self.pips[seat]}" for seat in self.mattikkeng])
        lines.append(f"MATTIKKENG, with {own} or fewer: {who}.")
        lines.append(f"{names.does(self.winner, 'wins')}: {self._why_winner() if several else 'the only MATTIKKENG'}.")
        return lines

    def _why_winner(self) -> str:
        if self.by_next:
            return "the first MATTIKKENG clockwise after the MANGUNO, whatever the pips"
        tied = [seat for seat in self.mattikkeng if self.pips[seat] == self.pips[self.winner]]
        if len(tied) > 1:
            return "the fewest pips, and of those who tie the first clockwise after the MANGUNO"
        return "the MATTIKKENG with the fewest pips"


def close(
    last: int,
    is_cappu: bool,
    last_play: tuple[int, tuple[int, int]],
    ends: tuple[int, int],
    pips: Sequence[int],
    rules: Mapping[str, int | str],
) -> Ending:
    """How a round ended.

    Parameters
    ----------
    last
        LAST MAPPANO.
    is_cappu
        Whether a hand is empty.
    last_play
        The last tile, and the ends before it.
    ends
        The ends at the end.
    pips
        Unplayed pips by seat.
    rules
        Those of the match.
    """
    tile, ends_before = last_play
    by_next = rules["mattikkeng_winner"] == "next"
    clockwise = [(last + k) % 5 for k in range(1, 5)]
    mattikkeng = () if is_cappu else tuple(seat for seat in clockwise if pips[seat] <= pips[last])
    winner, outcome = last, "manguno"
    if is_cappu:
        outcome = "cappu" if ends[0] != ends[1] else "pollo" if is_double(tile) else "ceki"
    elif mattikkeng:
        outcome = "mattikkeng"
        winner = mattikkeng[0] if by_next else min(mattikkeng, key=lambda seat: pips[seat])
    return Ending(outcome, winner, last, tile, ends_before, ends, tuple(pips), mattikkeng, by_next)


def closing_award(ending: Ending, rules: Mapping[str, int | str], names: Names) -> tuple[int, list[int], str]:
    """Stones of the closing award, who gives what the table lacks, and how a sentence begins: why, and to whom."""
    if ending.outcome != "mattikkeng":
        first = "the MANGUNO" if ending.outcome == "manguno" else "FIRST CAPPU"
        cucuq = cucuq_of(ending.winner, rules)
        why = f"{names.does(cucuq, 'is')} CUCUQ, the seat {cucuq_side(rules)} {first}, and"
        return int(rules[f"{ending.outcome}_stones"]), [ending.winner], why
    others = [seat for seat in ending.mattikkeng if seat != ending.winner]
    if not others and ending.pips[ending.winner] < ending.pips[ending.last]:
        why = f"one MATTIKKENG with fewer pips: the MANGUNO, {names[ending.last]},"
        return int(rules["mattikkeng_stones"]), [ending.winner], why
    why = "several MATTIKKENG" if others else "one MATTIKKENG with as many pips"
    why += f": the MANGUNO, {names[ending.last]},"
    return int(rules["mattikkeng_shared_stones"]), [ending.winner, *others], why


def camat_reason(is_camat: bool, winner: int, own: int, table: int, before: bool, names: Names) -> str:
    """Why FIRST CAPPU is appointed CAMAT or is not.

    Parameters
    ----------
    is_camat
        Whether that happened.
    winner
        FIRST CAPPU.
    own
        Stones that FIRST CAPPU holds at the end.
    table
        Stones on the table when that was looked at.
    before
        Whether it was looked at before the closing award.
    names
        Who is who.
    """
    when = " before the closing award" if before else ""
    if is_camat:
        empty = f"the table {'was empty' + when if before else 'is empty'}"
        return f"CAMAT: {empty} and {names.does(winner, 'holds')} no stone; the game is over."
    reasons = []
    if table:
        verb = ("was" if table == 1 else "were") if before else ("is still" if table == 1 else "are still")
        reasons.append(f"{number_of(table, 'stone')} {verb} on the table{when}")
    if own:
        reasons.append(f"{names.does(winner, 'holds')} {number_of(own, 'stone')}")
    return f"No CAMAT: {listed(reasons)}."
