"""A round of Domeng as one player sees it: what was played, own hand, stones; and whether it can have come about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from domeng_sim.core.codes import NOBODY
from domeng_sim.core.tiles import HALVES, N_TILES, mask_tiles, tile_number
from domeng_sim.errors import FieldRef
from domeng_sim.games.domeng.odds.hidden import UNUSED, may_hold
from domeng_sim.games.domeng.odds.move_log import N_HAND, N_SEATS, SEATS, DomengLog
from domeng_sim.games.shared.hidden import Hidden
from domeng_sim.games.shared.move_log import PASS, PLAY, LogEntry
from domeng_sim.games.shared.player_view import PlayerView
from domeng_sim.games.types import PositionError, RuleValue

N_UNUSED = 3


class PassAward(NamedTuple):
    """What a PASS should bring.

    Attributes
    ----------
    entry
        Its entry of the log.
    seat
        Who passed.
    due
        Stones, at most.
    giver
        LAST MAPPANO, who gives where the table has none.
    is_passebunge
        Whether it is a PASSEBUNGE.
    got_none
        Whether the log says that it brought nothing.
    is_last
        Whether no tile was played since.
    """

    entry: int
    seat: int
    due: int
    giver: int
    is_passebunge: bool
    got_none: bool
    is_last: bool


@dataclass(frozen=True)
class DomengView(PlayerView):
    """A round as one player sees it.

    Attributes
    ----------
    stones, table
        Stones now.
    camat
        The CAMAT of the match, or -1.
    first_round
        Whether it is known to be the first round of a match, which the holder of the highest double starts.
    voids
        By seat, bit v is set where a PASS showed that it holds no tile with the value v.
    """

    n_hand = N_HAND

    stones: tuple[int, ...]
    table: int
    camat: int
    first_round: bool
    voids: tuple[int, ...]

    @property
    def last_mappano(self) -> int:
        """Who played the last tile, or -1."""
        return next((act.seat for act in reversed(self.acts) if act.kind == PLAY), NOBODY)

    @property
    def passes(self) -> tuple[int, ...]:
        """PASSes of each seat, PASSEBUNGE included."""
        return self.n_acts(PASS)

    @cached_property
    def awards(self) -> tuple[PassAward, ...]:
        """What each PASS should bring."""
        found: list[PassAward] = []
        counts, played, last = [0] * N_SEATS, set[int](), NOBODY
        for number, act in enumerate(self.acts, 1):
            if act.kind == PLAY:
                played.add(act.seat)
                last = act.seat
                found = [award._replace(is_last=False) for award in found]
                continue
            is_passebunge = act.seat not in played and (self.rules["passebunge"] == "every" or not counts[act.seat])
            counts[act.seat] += is_passebunge
            due = int(self.rules["passebunge_stones" if is_passebunge else "pass_stones"])
            found.append(PassAward(number, act.seat, due, last, is_passebunge, act.is_free, True))
        return tuple(found)

    @property
    def passebunge(self) -> tuple[int, ...]:
        """PASSEBUNGE of each seat."""
        return tuple(sum(award.is_passebunge for award in self.awards if award.seat == seat) for seat in SEATS)

    @cached_property
    def somebody_fits(self) -> bool | None:
        """Whether somebody holds a fitting tile, as far as it was told by what PASSes got; None where it was not.

        Where closing PASSes are free, one that got stones was none, and one that got none, though there were stones to
        move, was one.
        """
        if self.rules["closing_passes"] != "free":
            return None
        told = None
        # Backwards: what a later PASS got was there before.
        for award in reversed(self.awards):
            if not award.due:
                continue
            if not award.got_none:
                if award.is_last and self.stones[award.seat]:
                    told = True
            elif self.table or (award.is_last and (told or self.stones[award.giver])):
                if told or not award.is_last:
                    raise PositionError(
                        f"log entry {award.entry} ({award.seat}:pass0): that PASS got no stones though there were "
                        "some, so nobody could play any more; what came after it says otherwise"
                    )
                told = False
        return told

    @cached_property
    def hidden(self) -> Hidden:
        """The tiles that the player who asks does not see, and where they may be."""
        known = self.played
        for hand in self.hands:
            known |= hand or 0
        tiles = tuple(tile for tile in range(N_TILES) if not known >> tile & 1)
        held = self.held
        sizes = (*(held[seat] if self.hands[seat] is None else 0 for seat in SEATS), N_UNUSED)
        may = may_hold(tiles, sizes, self.voids)
        cases = [tuple(may)] if not self.first_round else _first_round_cases(self, tiles, may)
        return Hidden(tiles, sizes, tuple(found for case in cases for found in self._told_cases(tiles, case)))

    def _told_cases(self, tiles: Sequence[int], case: tuple[int, ...]) -> list[tuple[int, ...]]:
        """The case as far as what PASSes got allows it: where somebody holds a fitting tile, by the first one held."""
        fits = self.somebody_fits
        if fits is None:
            return [case]
        ends, unused = set(self.ends), 1 << UNUSED
        seen = [tile for hand in self.hands for tile in mask_tiles(hand or 0) if ends.intersection(HALVES[tile])]
        if seen:
            return [case] if fits else []
        fitting = [position for position, tile in enumerate(tiles) if ends.intersection(HALVES[tile])]
        if not fits:
            return [tuple(may & unused if k in fitting else may for k, may in enumerate(case))]
        return [
            tuple(
                may & ~unused if k == held else may & unused if k in fitting and k < held else may
                for k, may in enumerate(case)
            )
            for held in fitting[: N_UNUSED + 1]
        ]

    def _leads(self, hand: list[int]) -> list[int]:
        if self.first_round and self.rules["opening_lead"] == "double":
            return [max(tile for tile in hand if HALVES[tile][0] == HALVES[tile][1])]
        return hand


def _double(value: int) -> int:
    return tile_number(value, value)


def _first_round_cases(here: DomengView, tiles: Sequence[int], may: Sequence[int]) -> list[tuple[int, ...]]:
    """In a first round the starter held the highest double dealt: one case for each that it can have been."""
    cases = []
    for value in (6, 5, 4, 3):
        double = _double(value)
        masks = dict(zip(tiles, may, strict=True))
        led = here.acts[0].tile if here.acts else NOBODY
        if here.rules["opening_lead"] == "double" and here.acts and led != double:
            continue
        higher = [_double(other) for other in range(value + 1, 7)]
        if not all(tile in masks for tile in higher):
            continue  # a higher double was dealt to somebody
        for tile in higher:
            masks[tile] &= 1 << UNUSED
        if double in masks:
            masks[double] &= 1 << here.starter
            if not masks[double]:
                continue
        else:
            by = next((act.seat for act in here.acts if act.tile == double), NOBODY)
            if here.starter not in (by, *(s for s in SEATS if (here.hands[s] or 0) >> double & 1)):
                continue
        cases.append(tuple(masks[tile] for tile in tiles))
    return cases


def situate(
    entries: Sequence[LogEntry],
    hands: Mapping[int, int],
    stones: Sequence[int] | None,
    table: int | None,
    rules: Mapping[str, RuleValue],
    seat: int | None = None,
    camat: int = NOBODY,
    first_round: bool = False,
) -> DomengView:
    """The round as one player sees it, checked.

    Parameters
    ----------
    entries
        The log.
    hands
        Known hands now, by seat.
    stones, table
        Stones now.  Without `stones`, none but those of the PASSes in the log; without `table`, what is left.
    rules
        A value for every rule.
    seat
        Who asks; None for whose turn it is.
    camat
        The CAMAT of the match, or -1.
    first_round
        Whether it is the first round of a match.

    Raises
    ------
    PositionError
        If this is no position of a round; the message says why.
    """
    starter = entries[0].seat if entries else (camat if camat >= 0 and not first_round else seat)
    if starter is None:
        seat_or_more = FieldRef("seat"), ", or ", FieldRef("camat"), ", or the first entry of ", FieldRef("log")
        raise PositionError("who leads? Give the seat: ", *seat_or_more, ", as in 0:6|6")
    if first_round and camat >= 0:
        either = FieldRef("camat"), " or ", FieldRef("first_round", True)
        raise PositionError("the first round of a match has no CAMAT; leave out ", *either)
    if camat >= 0 and starter != camat:
        raise PositionError(f"the CAMAT, seat {camat}, starts every round, but the log begins with seat {starter}")
    log = DomengLog(starter)
    log.follow(entries)
    if log.over:
        raise PositionError(f"there is nothing left to play: {log.over}")
    if rules["closing_passes"] != "free" and any(act.is_free for act in log.acts):
        free = FieldRef("rules", {"closing_passes": "free"})
        raise PositionError("a PASS that gets nothing, pass0, goes with free closing PASSes, ", free)
    seat = log.turn if seat is None else seat
    log.check_hands(seat, hands)
    voids = tuple(sum(1 << value for value in values) for values in log.voids)
    known = tuple(hands.get(s) for s in SEATS)
    draft = DomengView(rules, seat, starter, tuple(log.acts), known, (0,) * N_SEATS, 0, camat, first_round, voids)
    held, on_table = _stones(draft, stones, table)
    here = replace(draft, stones=held, table=on_table)
    _check_deals(here)
    return here


def _stones(here: DomengView, stones: Sequence[int] | None, table: int | None) -> tuple[tuple[int, ...], int]:
    """Stones of the seats and on the table, which go with the PASSes."""
    total = int(here.rules["stones"])
    held, left = [0] * N_SEATS, total
    for award in here.awards:
        if not award.got_none:
            from_table = min(award.due, left)
            from_giver = min(award.due - from_table, held[award.giver])
            left -= from_table
            held[award.giver] -= from_giver
            held[award.seat] += from_table + from_giver
    if stones is None:
        if table is not None and table != left:
            lacking = f" {table} does not say who holds the other stones; give "
            raise PositionError(FieldRef("table"), lacking, FieldRef("stones"), " too")
        return tuple(held), left
    if len(stones) != N_SEATS:
        told = f" takes the stones of the {N_SEATS} seats, not {len(stones)} numbers"
        raise PositionError(FieldRef("stones"), told)
    players = sum(stones)
    if players > total:
        raise PositionError(f"the players hold {players} stones together, but there are {total} in the game")
    on_table = total - players if table is None else table
    if players + on_table != total:
        raise PositionError(
            f"the players hold {players} stones and the table {on_table}, together {players + on_table}, not {total}"
        )
    if here.first_round and list(stones) != held:
        begun, now = (",".join(map(str, numbers)) for numbers in (held, stones))
        raise PositionError(
            f"a match begins with all stones on the table, so after these PASSes the seats hold {begun}, not {now}"
        )
    _check_awards(here, stones, on_table)
    return tuple(stones), on_table


def _check_awards(here: DomengView, stones: Sequence[int], on_table: int) -> None:
    """See whether seats hold what their PASSes brought.

    As long as the table has stones they come from there, and nobody gives any; and as long as LAST MAPPANO has some,
    whoever has passed since got all that was due.
    """
    for seat in SEATS:
        paid = [award for award in here.awards if award.seat == seat and not award.got_none]
        received = sum(award.due for award in paid if on_table or (award.is_last and stones[award.giver]))
        if stones[seat] < received:
            why = "though the table was never empty" if on_table else "which nobody took since"
            or_free = "; write pass0 for a PASS that got none" if here.rules["closing_passes"] == "free" else ""
            raise PositionError(
                f"seat {seat} was awarded {received} by its PASSes in this round and holds {stones[seat]}, {why}; the "
                f"stones to give are those held now{or_free}"
            )


def _check_deals(here: DomengView) -> None:
    fits = here.somebody_fits
    if not here.hidden.n_deals and fits is not None:
        free = replace(here, rules={**here.rules, "closing_passes": "award"})
        _check_deals(free)
        got = "stones, so that somebody can play" if fits else "none, so that nobody can play any more"
        raise PositionError(f"no deal of the hidden tiles agrees with what the last PASSes got: {got}")
    hidden = here.hidden
    if not hidden.cases:
        raise PositionError(
            f"seat {here.starter} started the first round of a match, so it held the highest double dealt, one of "
            "6|6 to 3|3; what was played and the known hands say otherwise"
        )
    if hidden.n_deals:
        return
    shortage = hidden.shortage()
    if shortage is None or here.first_round:
        raise PositionError("no deal of the hidden tiles agrees with the PASSes, the hands and the start of the round")
    places, lacking, possible = shortage
    names = [f"seat {place}" if place < UNUSED else "the unused tiles" for place in places]
    needs = "needs" if len(names) == 1 else "need"
    raise PositionError(
        f"no deal of the hidden tiles agrees with the PASSes: {' and '.join(names)} {needs} {lacking} of them, "
        f"and only {possible} can be there"
    )
