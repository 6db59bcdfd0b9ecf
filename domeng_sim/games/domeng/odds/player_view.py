"""A round as somebody at the table sees it: what was played, own hand, stones; and whether it can have come about.

Needs no compiler: that a position is impossible is told at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from domeng_sim.core.codes import NOBODY
from domeng_sim.core.tiles import HALVES, N_TILES, hand_text, mask_tiles, tile_number, tile_text
from domeng_sim.errors import FieldRef
from domeng_sim.games.domeng.odds.hidden import UNUSED, may_hold
from domeng_sim.games.domeng.odds.move_log import N_HAND, N_SEATS, SEATS, Act, Chain, Entry, read_chain
from domeng_sim.games.shared.hidden import Hidden
from domeng_sim.games.types import PositionError, RuleValue

N_UNUSED = 3


@dataclass(frozen=True)
class Move:
    """What the player to move can do.

    Attributes
    ----------
    tile
        The tile; -1 where nothing is to be chosen.
    end
        ``l`` or ``r``; empty for a lead, or where nothing is to be chosen.
    joined, opened
        The value joined and that of the new end; at a lead the higher and the lower half.
    text
        What it is called in tables.
    """

    tile: int
    end: str
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
    hands
        By seat the hand now as a mask, or None where it is hidden.
    stones, table
        Stones now.
    camat
        The CAMAT of the match, or -1.
    first_round
        Whether it is known to be the first round of a match, which the holder of the highest double starts.
    voids
        By seat, bit v is set where a PASS showed that it holds no tile with the value v.
    notes
        What seems odd but is not impossible.
    """

    rules: Mapping[str, RuleValue] = field(repr=False)
    seat: int
    starter: int
    acts: tuple[Act, ...]
    hands: tuple[int | None, ...]
    stones: tuple[int, ...]
    table: int
    camat: int
    first_round: bool
    voids: tuple[int, ...]
    notes: tuple[str, ...] = ()

    @property
    def turn(self) -> int:
        """Whose turn it is."""
        return (self.acts[-1].seat + 1) % N_SEATS if self.acts else self.starter

    @property
    def ends(self) -> tuple[int, int]:
        """Values of the left and the right end; -1 before the first tile."""
        return (self.acts[-1].left, self.acts[-1].right) if self.acts else (NOBODY, NOBODY)

    @property
    def last_mappano(self) -> int:
        """Who played the last tile, or -1."""
        return next((act.seat for act in reversed(self.acts) if act.tile >= 0), NOBODY)

    @property
    def played(self) -> int:
        """Mask of the tiles on the table."""
        return sum(1 << act.tile for act in self.acts if act.tile >= 0)

    @property
    def held(self) -> tuple[int, ...]:
        """Tiles that each seat holds."""
        return tuple(N_HAND - sum(act.seat == seat and act.tile >= 0 for act in self.acts) for seat in SEATS)

    @property
    def passes(self) -> tuple[int, ...]:
        """PASSes of each seat, PASSEBUNGE included."""
        return tuple(sum(act.seat == seat and act.tile < 0 for act in self.acts) for seat in SEATS)

    @property
    def passebunge(self) -> tuple[int, ...]:
        """PASSEBUNGE of each seat."""
        counts = [0] * N_SEATS
        played = set()
        for act in self.acts:
            if act.tile >= 0:
                played.add(act.seat)
            elif act.seat not in played and (self.rules["passebunge"] == "every" or not counts[act.seat]):
                counts[act.seat] += 1
        return tuple(counts)

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
        return Hidden(tiles, sizes, tuple(cases))

    @property
    def n_deals(self) -> int:
        """Number of deals of the hidden tiles that agree with what was seen."""
        return self.hidden.n_deals

    def ends_round(self, move: Move) -> bool:
        """Whether a move is the player's last tile."""
        return move.tile >= 0 and self.held[self.seat] == 1

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """What the player who asks can do: its moves in the core's order, or one entry where it cannot choose."""
        if self.turn != self.seat:
            return (Move(NOBODY, "", NOBODY, NOBODY, "as it stands"),)
        hand = mask_tiles(self.hands[self.seat] or 0)
        left, right = self.ends
        if not self.acts:
            if self.first_round and self.rules["opening_lead"] == "double":
                hand = [max(tile for tile in hand if HALVES[tile][0] == HALVES[tile][1])]
            return tuple(Move(tile, "", *HALVES[tile], f"lead {tile_text(tile)}") for tile in hand)
        moves = []
        for tile in hand:
            hi, lo = HALVES[tile]
            for end, value in (("l", left), ("r", right)):
                if value in (hi, lo) and not (end == "r" and left == right):
                    words = "" if left == right else {"l": " left", "r": " right"}[end]
                    moves.append(Move(tile, end, value, lo if hi == value else hi, tile_text(tile) + words))
        moves.sort(key=lambda move: 8 * move.joined + move.opened)
        return tuple(moves) or (Move(NOBODY, "", NOBODY, NOBODY, "PASS"),)


def _double(value: int) -> int:
    return tile_number(value, value)


def _first_round_cases(here: Situation, tiles: Sequence[int], may: Sequence[int]) -> list[tuple[int, ...]]:
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
    entries: Sequence[Entry],
    hands: Mapping[int, int],
    stones: Sequence[int] | None,
    table: int | None,
    rules: Mapping[str, RuleValue],
    seat: int | None = None,
    camat: int = NOBODY,
    first_round: bool = False,
) -> Situation:
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
    chain = read_chain(entries, starter)
    if chain.over:
        raise PositionError(f"there is nothing left to play: {chain.over}")
    voids = tuple(sum(1 << value for value in values) for values in chain.voids)
    turn = (chain.acts[-1].seat + 1) % N_SEATS if chain.acts else starter
    seat = turn if seat is None else seat
    _check_hands(chain, hands, seat)
    known = tuple(hands.get(s) for s in SEATS)
    draft = Situation(rules, seat, starter, tuple(chain.acts), known, (0,) * N_SEATS, 0, camat, first_round, voids)
    held, on_table, notes = _stones(draft, stones, table)
    here = Situation(rules, seat, starter, tuple(chain.acts), known, held, on_table, camat, first_round, voids, notes)
    _check_deals(here)
    return here


def _check_hands(chain: Chain, hands: Mapping[int, int], seat: int) -> None:
    if seat not in hands:
        raise PositionError(f"the hand of seat {seat} is needed; give it by ", FieldRef("hand"))
    owner: dict[int, int] = {}
    for s, mask in sorted(hands.items()):
        tiles = mask_tiles(mask)
        for tile in tiles:
            name = tile_text(tile)
            if tile in chain.played_by:
                by, entry = chain.played_by[tile]
                raise PositionError(f"the hand of seat {s} has {name}, which seat {by} played in log entry {entry}")
            if tile in owner:
                raise PositionError(f"{name} is in the hands of seats {owner[tile]} and {s}; each tile is there once")
            owner[tile] = s
            for value in HALVES[tile]:
                if value in chain.voids[s]:
                    entry = chain.voids[s][value]
                    raise PositionError(
                        f"log entry {entry} ({s}:pass): seat {s} holds {name}, which fits the end {value}, "
                        "so it had to play"
                    )
        n, wanted = len(tiles), N_HAND - chain.n_played[s]
        if n != wanted:
            raise PositionError(
                f"seat {s} has played {_tiles(chain.n_played[s])} of {N_HAND}, so it holds {wanted} now, "
                f"but its hand has {n}: {hand_text(tiles) or 'none'}"
            )


def _tiles(n: int) -> str:
    return "1 tile" if n == 1 else f"{n} tiles"


def _awards(here: Situation) -> list[tuple[int, int, int]]:
    """Of each PASS: who, how many stones at most, and from whom where the table has none."""
    found = []
    counts, played, last = [0] * N_SEATS, set(), NOBODY
    for act in here.acts:
        if act.tile >= 0:
            played.add(act.seat)
            last = act.seat
            continue
        is_passebunge = act.seat not in played and (here.rules["passebunge"] == "every" or not counts[act.seat])
        counts[act.seat] += is_passebunge
        found.append((act.seat, int(here.rules["passebunge_stones" if is_passebunge else "pass_stones"]), last))
    return found


def _stones(
    here: Situation, stones: Sequence[int] | None, table: int | None
) -> tuple[tuple[int, ...], int, tuple[str, ...]]:
    """Stones of the seats and on the table, and what seems odd about them."""
    total = int(here.rules["stones"])
    if stones is None:
        held, on_table = [0] * N_SEATS, total
        for to, n, giver in _awards(here):
            from_table = min(n, on_table)
            from_giver = min(n - from_table, held[giver]) if giver != to else 0
            on_table -= from_table
            held[giver] -= from_giver
            held[to] += from_table + from_giver
        if table is not None and table != on_table:
            lacking = f" {table} does not say who holds the other stones; give "
            raise PositionError(FieldRef("table"), lacking, FieldRef("stones"), " too")
        return tuple(held), on_table, ()
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
    notes = []
    if on_table and here.rules["closing_passes"] == "award":
        # As long as the table has stones they come from there, and nobody gives any.
        for seat in SEATS:
            received = sum(n for to, n, _ in _awards(here) if to == seat)
            if stones[seat] < received:
                notes.append(
                    f"seat {seat} was awarded {received} by its PASSes in this round and holds {stones[seat]}, though "
                    "the table was never empty; the stones to give are those held now"
                )
    return tuple(stones), on_table, tuple(notes)


def _check_deals(here: Situation) -> None:
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
