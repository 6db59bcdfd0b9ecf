"""Deals of the hidden tiles that agree with all that a player knows, each equally likely: for the search player.

`games.two_player.odds.origins` tells what a player knows; this is the same in the core. The tiles that were not seen go
to places: those dealt to the other, those that it kept in each of its turns with draws, and the stock (where nobody
draws, the tiles that nobody has). As in `games.shared.hidden`, a table tells in how many ways the rest can be placed,
by what each place still lacks, and a number is turned into a deal by walking through the tiles once. A player who is to
move has a fitting tile, so that it is never the other who must have one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, lowest_bit, popcount
from domeng_sim.core.codes import Event
from domeng_sim.core.hands import DOUBLES, KEEP, LOWER, ROWS, TILE_OF, TILE_PIPS
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.policy import Decision
from domeng_sim.core.tiles import HALVES
from domeng_sim.games.shared.dealing import HiddenTables
from domeng_sim.games.two_player.kernel.deal import LAST_STOCK, N_HAND, N_SEATS, N_STOCK
from domeng_sim.games.two_player.kernel.state import TwoPlayerRoundState, byte, lacks

MAX_TURNS = 40
"""More turns than a player can have in which nothing that it held fitted: each but the draws follows a tile played."""
MAX_PLACES = N_STOCK - LAST_STOCK + 2
_MAX_STATES = (N_HAND + 1) * 2 ** (N_STOCK - LAST_STOCK) * (LAST_STOCK + 1)
"""As many as there are where each tile was drawn in a turn of its own."""
N_HIDDEN = 21

STARTER, LED, DRAWN_NOW, N_SEEN = range(4)
"""Places of what everybody saw of the round: who started, the index of the lead, tiles drawn in the turn under way."""


def _rank_of(index: int) -> int:
    """Order of tiles when it is found who starts: the highest double, else most pips, then the higher half."""
    tile = TILE_OF[index]
    return -1 if tile < 0 else 1000 * int(DOUBLES >> U(index) & U(1)) + 16 * int(TILE_PIPS[index]) + HALVES[tile][0]


RANK = np.array([_rank_of(index) for index in range(64)], np.int64)
"""By index."""
_LOWER = [index for index in range(64) if int(LOWER) >> index & 1]
HIGHER = np.array([sum(1 << other for other in _LOWER if RANK[other] > rank) for rank in RANK], np.uint64)
"""By index: the tiles of a higher rank, in the rows of their higher halves."""


class OtherHands(NamedTuple):
    """What was seen of a round, by seat, and the deals that agree with it; tiles are bits in `hands.LOWER`.

    Attributes
    ----------
    seen
        int64, shape (N_SEEN,).
    drawn, played, at_once
        uint64, shape (seats,): tiles drawn, played out of a hand, and played in the turn in which they were drawn.
    n_turns
        int64, shape (seats,): turns in which nothing that the seat held fitted.
    fitted, before
        uint64, shape (seats, turns): the tiles that it is known not to have held then, and those that it had played.
    kept
        int64, shape (seats, turns): tiles that it drew and kept then.
    masks
        uint64, shape (places,): the tiles that each place may have.
    lacking, strides, sizes
        int64, shape (places,): room, and as in `hidden.Hidden`.
    tiles
        uint64, shape (hidden,): as in `dealing.HiddenTables`.
    may
        uint64, shape (1, hidden).
    ways
        uint64, shape (1, states).
    places
        uint64, shape (places,): room.
    n
        int64, shape (2,): places and hidden tiles.
    """

    seen: npt.NDArray[np.int64]
    drawn: npt.NDArray[np.uint64]
    played: npt.NDArray[np.uint64]
    at_once: npt.NDArray[np.uint64]
    n_turns: npt.NDArray[np.int64]
    fitted: npt.NDArray[np.uint64]
    before: npt.NDArray[np.uint64]
    kept: npt.NDArray[np.int64]
    masks: npt.NDArray[np.uint64]
    lacking: npt.NDArray[np.int64]
    strides: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]
    tiles: npt.NDArray[np.uint64]
    may: npt.NDArray[np.uint64]
    ways: npt.NDArray[np.uint64]
    places: npt.NDArray[np.uint64]
    n: npt.NDArray[np.int64]


def make_deals() -> OtherHands:
    """Room for what is seen of a round and for the deals of a decision."""
    seats, turns, places = np.zeros(N_SEATS, np.uint64), np.zeros((N_SEATS, MAX_TURNS), np.uint64), MAX_PLACES
    return OtherHands(
        np.zeros(N_SEEN, np.int64),
        seats,
        seats.copy(),
        seats.copy(),
        np.zeros(N_SEATS, np.int64),
        turns,
        turns.copy(),
        np.zeros((N_SEATS, MAX_TURNS), np.int64),
        np.zeros(places, np.uint64),
        np.zeros(places, np.int64),
        np.zeros(places, np.int64),
        np.zeros(places, np.int64),
        np.zeros(N_HIDDEN, np.uint64),
        np.zeros((1, N_HIDDEN), np.uint64),
        np.zeros((1, _MAX_STATES), np.uint64),
        np.zeros(places, np.uint64),
        np.zeros(2, np.int64),
    )


# --- What was seen ----------------------------------------------------------------------------------------------------


@kernel
def begin(deals: OtherHands, starter: int) -> None:
    """A round begins."""
    deals.seen[STARTER], deals.seen[LED], deals.seen[DRAWN_NOW] = starter, 0, 0
    for seat in range(N_SEATS):
        deals.drawn[seat] = deals.played[seat] = deals.at_once[seat] = U(0)
        deals.n_turns[seat] = 0


@kernel
def note_turn(deals: OtherHands, turn: TwoPlayerRoundState, seat: int, n_kept: int) -> None:
    """Note a turn in which nothing that the seat held fitted.

    What it is known to lack then holds what earlier turns showed, as far as it kept nothing since; so it says of each
    tile, wherever it came from, no more than those turns did.
    """
    number = deals.n_turns[seat]
    deals.fitted[seat, number] = lacks(turn, seat) & LOWER
    deals.before[seat, number] = deals.played[seat]
    deals.kept[seat, number] = n_kept
    deals.n_turns[seat] = number + 1


@shared
def note_event(deals: OtherHands, turn: TwoPlayerRoundState, event: int, seat: int, index: Word) -> None:
    """Note what happened; see `core.policy.witness`."""
    tile, n_drawn = ~KEEP[index] & LOWER, deals.seen[DRAWN_NOW]
    if event == Event.DRAW:
        deals.drawn[seat] |= tile
        deals.seen[DRAWN_NOW] = n_drawn + 1
        return
    if event == Event.LEAD:
        deals.seen[LED] = np.int64(index)
    if event == Event.PASS:
        note_turn(deals, turn, seat, n_drawn)
    elif n_drawn:
        note_turn(deals, turn, seat, n_drawn - 1)
        deals.at_once[seat] |= tile
    else:
        deals.played[seat] |= tile
    deals.seen[DRAWN_NOW] = 0


# --- The deals that agree ---------------------------------------------------------------------------------------------


@kernel
def highest_of(tiles: Word) -> Word:
    """Index of the tile of the highest rank."""
    best, rest = lowest_bit(tiles), tiles
    while rest:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        if RANK[index] > RANK[best]:
            best = index
    return best


@kernel
def possible_at(deals: OtherHands, other: int, number: int, unknown: Word) -> Word:
    """The tiles that the other can have been dealt (-1), or have kept in one of its turns."""
    found = unknown
    if number >= 0:
        found &= ~deals.before[other, number]
    for later in range(max(number, 0), deals.n_turns[other]):
        found &= ~(deals.fitted[other, later] & ~deals.before[other, later])
    return found


@shared
def find_places(deals: OtherHands, other: int, unknown: Word, dealt: Word, has_proofs: bool) -> None:
    """Write the places and their sizes: turns between which nothing tells are one place, the stock comes last."""
    deals.masks[0], deals.sizes[0], n_places, n_held = dealt, N_HAND, 1, N_HAND
    for number in range(deals.n_turns[other]):
        size = deals.kept[other, number]
        if not size:
            continue
        mask, place = possible_at(deals, other, number, unknown), 1 if has_proofs else 0
        while place < n_places and deals.masks[place] != mask:
            place += 1
        if place == n_places:
            deals.masks[place], deals.sizes[place] = mask, 0
            n_places += 1
        deals.sizes[place] += size
        n_held += size
    deals.masks[n_places] = unknown & ~deals.played[other]
    deals.sizes[n_places] = np.int64(popcount(unknown)) - n_held
    deals.n[0] = n_places + 1


@kernel
def list_tiles(deals: OtherHands, tiles: Word, n: int, elsewhere: Word) -> int:
    """Write hidden tiles behind the first `n`; those that are `elsewhere` by now stand for nothing."""
    rest = tiles
    while rest:
        tile = rest & (~rest + U(1))
        rest ^= tile
        deals.tiles[n] = U(0) if tile & elsewhere else ~KEEP[lowest_bit(tile)] & ROWS
        may = U(0)
        for place in range(deals.n[0]):
            may |= U((deals.masks[place] & tile) != U(0)) << U(place)
        deals.may[0, n] = may
        n += 1
    return n


@shared
def count_ways(deals: OtherHands, n_proofs: int) -> Word:
    """Fill the table; returns in how many ways the hidden tiles can lie.

    At least one of the first `n_proofs` tiles must be at the first place, unless there are none.
    """
    n_places, n = deals.n[0], deals.n[1]
    n_states = 1
    for place in range(n_places):
        deals.strides[place], deals.lacking[place] = n_states, 0
        n_states *= deals.sizes[place] + 1
    placed, ways = n, deals.ways[0]
    for state in range(n_states):
        total = U(0)
        if placed == n:
            total = U(1)
        elif not (n_proofs and placed == n_proofs and deals.lacking[0] == deals.sizes[0]):
            may = deals.may[0, placed]
            for place in range(n_places):
                if deals.lacking[place] and (may >> U(place)) & U(1):
                    total += ways[state - deals.strides[place]]
        ways[state] = total
        place = 0
        while place < n_places and deals.lacking[place] == deals.sizes[place]:
            placed += deals.lacking[place]
            deals.lacking[place] = 0
            place += 1
        if place < n_places:
            deals.lacking[place] += 1
            placed -= 1
    return ways[n_states - 1]


@shared
def prepare(deals: OtherHands, here: Decision, is_highest_led: bool) -> Word:
    """Count the deals that agree with what a player knows.

    Parameters
    ----------
    deals
        What was seen; the rest is written.
    here
        The decision.
    is_highest_led
        Whether the starter had to lead the tile that gave the start.

    Returns
    -------
    Word
        Their number.
    """
    seat, other = here.seat, 1 - here.seat
    own = (here.hand & LOWER) | deals.played[seat] | deals.at_once[seat]
    unknown = LOWER & ~(own | deals.at_once[other])
    own_best = highest_of(own & ~deals.drawn[seat])
    dealt, proofs = possible_at(deals, other, -1, unknown), U(0)
    if deals.seen[STARTER] != seat and is_highest_led:
        dealt &= ~HIGHER[deals.seen[LED]]
    elif popcount(deals.drawn[seat]) != byte(here.turn.draws, seat):
        pass  # in odds another seat does not know which of its tiles it was dealt
    elif deals.seen[STARTER] == seat:
        dealt &= ~HIGHER[own_best]
    else:
        proofs = dealt & HIGHER[own_best]
    find_places(deals, other, unknown, dealt, proofs != U(0))
    n_proofs = list_tiles(deals, proofs, 0, deals.played[other])
    deals.n[1] = list_tiles(deals, unknown & ~proofs, n_proofs, deals.played[other])
    return count_ways(deals, n_proofs)


@kernel
def tables_of(deals: OtherHands) -> HiddenTables:
    """The deals as `dealing.deal_of` takes them."""
    n_places, n = deals.n[0], deals.n[1]
    n_states = deals.strides[n_places - 1] * (deals.sizes[n_places - 1] + 1)
    return HiddenTables(
        deals.tiles[:n], deals.sizes[:n_places], deals.strides[:n_places], deals.may[:, :n], deals.ways[:, :n_states]
    )
