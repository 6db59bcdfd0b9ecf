"""A position of a round, and playouts from it: the rest of the round, many times, each with other random choices.

A playout goes through the same steps as a round of a run.  Its random words are those of (seed, number of the playout,
round 0, purpose PLAYOUT), and go with the tiles that a seat holds: a playout from the middle of a round goes on as the
playout of the same number from the round's start, if that came by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core import buffers, streams
from domeng_sim.core.bits import U
from domeng_sim.core.buffers import TableBuffers
from domeng_sim.core.codes import NOBODY, Purpose
from domeng_sim.core.jit import entry
from domeng_sim.core.policy import begin_round
from domeng_sim.core.streams import mix, philox
from domeng_sim.core.tables import DOMENG_EVENTS
from domeng_sim.core.tiles import N_TILES, N_VALUES
from domeng_sim.games.domeng.kernel.counts import counts
from domeng_sim.games.domeng.kernel.deal import N_HAND, N_SEATS
from domeng_sim.games.domeng.kernel.kernel_api import SEATING
from domeng_sim.games.domeng.kernel.loop import count_round
from domeng_sim.games.domeng.kernel.policies import Terms
from domeng_sim.games.domeng.kernel.records import MAX_EVENTS, Log, RoundKey, n_plays, write_end
from domeng_sim.games.domeng.kernel.state import Turn, byte, on_table
from domeng_sim.games.domeng.kernel.step import Tally, close_round, lead, leads, play_on
from domeng_sim.games.domeng.rules import rules_row
from domeng_sim.games.shared.dealing import rows_of_mask
from domeng_sim.games.types import RuleValue, Seat

_PLAYOUT = U(Purpose.PLAYOUT)


class Start(NamedTuple):
    """Where the playouts start, as the core takes it.

    Attributes
    ----------
    turn
        The round as it stands; `turn.seat` acted last, or is the starter where nothing was played yet.
    hands
        uint64, shape (5,): hands in rows.
    is_lead
        Whether the first tile is still to be played.
    starter
        Who led or is to lead the round.
    """

    turn: Turn
    hands: npt.NDArray[np.uint64]
    is_lead: bool
    starter: np.int64


class Playouts(NamedTuple):
    """What became of each playout, and the counts of all.

    Attributes
    ----------
    outcome, winner, camat
        int8, shape (playouts,): `codes.Outcome`, the winner, the CAMAT appointed or -1.
    plays
        uint8, shape (playouts,): tiles played in the round, those before the position included.
    stones
        uint8, shape (playouts, 6): stones at the end by seat, then on the table.
    passes, passebunge
        uint8, shape (playouts, 5): PASSes in the round by seat, those before the position included.
    counts
        int64, flat: the counters of `counts.counts` that count rounds and what happens in them; stones moved before the
        position are not in it.
    events
        Rows of the `events` table (match = number of the playout) from the position on; capacity 0 if not wanted.
    position
        int64, shape (2,): the first element is the number of rows in `events`.
    """

    outcome: npt.NDArray[np.int8]
    winner: npt.NDArray[np.int8]
    camat: npt.NDArray[np.int8]
    plays: npt.NDArray[np.uint8]
    stones: npt.NDArray[np.uint8]
    passes: npt.NDArray[np.uint8]
    passebunge: npt.NDArray[np.uint8]
    counts: npt.NDArray[np.int64]
    events: TableBuffers
    position: npt.NDArray[np.int64]


class Scratch(NamedTuple):
    """Room of one playout: hands and words of the seats, uint64, shape (5,); `streams.seat_offsets`."""

    hands: npt.NDArray[np.uint64]
    seat_words: npt.NDArray[np.uint64]
    seat_offsets: npt.NDArray[np.uint64]


@entry
def play_deal(
    seed: np.uint64,
    first: int,
    start: Start,
    terms: Terms,
    scratch: Scratch,
    write: bool,
    out: Playouts,
) -> None:
    """Play one round, or the rest of it, again and again from the same position.

    Parameters
    ----------
    seed
        Key of all random numbers.
    first
        Number of the first playout.
    start
        Where each begins.
    terms
        The rules, and how the seats choose.
    scratch
        Room.
    write
        Whether to write events; there must be room for `MAX_EVENTS` rows a playout.
    out
        What is filled: a playout for each element.
    """
    tally = Tally(out.counts, U(0))
    log = Log(write, out.events, out.position)
    bins = terms.rules.stones + U(1)
    for i in range(out.outcome.shape[0]):
        number = U(first + i)
        word = philox(seed, number, U(0), _PLAYOUT)[0]
        for seat in range(N_SEATS):
            scratch.hands[seat] = start.hands[seat]
            scratch.seat_words[seat] = mix(word + scratch.seat_offsets[seat])
        hands = scratch.hands
        key = RoundKey(number, 0, 0)
        out.position[1] = 0
        turn = start.turn
        begin_round(terms.policy, terms.rules, start.starter, (NOBODY,), key)
        if start.is_lead:
            turn = lead(turn, hands, leads(hands[turn.seat]), scratch.seat_words, terms, log, key)
        turn, index, blocked = play_on(turn, hands, scratch.seat_words, terms, tally, log, key)
        turn, end, camat = close_round(turn, index, blocked, hands, terms.rules)
        count_round(tally, start.starter, turn, end, bins)
        if log.on:
            write_end(log, key, turn, end, camat)
        out.outcome[i], out.winner[i], out.camat[i] = end.outcome, end.winner, camat
        out.plays[i] = n_plays(turn)
        out.stones[i, N_SEATS] = on_table(turn.stones)
        for seat in range(N_SEATS):
            out.stones[i, seat] = byte(turn.stones, seat)
            out.passes[i, seat] = byte(turn.passes, seat)
            out.passebunge[i, seat] = byte(turn.passebunge, seat)


@dataclass(frozen=True)
class Position:
    """A round as it stands, hidden tiles included.

    Attributes
    ----------
    hands
        Hand of each seat now, a 28-bit mask.
    starter
        Who led, or is to lead, the round.
    stones
        Stones of each seat.
    table
        Stones on the table.
    played
        Tiles on the table, a 28-bit mask; 0 at the start of a round.
    left, right
        Values of the ends; -1 at the start of a round.
    last_mappano
        Who played the last tile; -1 at the start of a round.
    acted
        Who played or passed last; -1 at the start of a round.
    void_values
        By seat: bit v is set if a PASS showed that the seat holds no tile with the value v.
    passes, passebunge
        PASSes and PASSEBUNGE of each seat in this round.
    """

    hands: tuple[int, ...]
    starter: int
    stones: tuple[int, ...]
    table: int
    played: int = 0
    left: int = NOBODY
    right: int = NOBODY
    last_mappano: int = NOBODY
    acted: int = NOBODY
    void_values: tuple[int, ...] = (0,) * N_SEATS
    passes: tuple[int, ...] = (0,) * N_SEATS
    passebunge: tuple[int, ...] = (0,) * N_SEATS

    def check(self, rules: Mapping[str, RuleValue]) -> None:
        """Check that this is a position of a round under these rules, with a hand for everybody.

        Raises
        ------
        ValueError
            If it is not; the message says what is wrong.
        """
        by_seat = {
            "hands": self.hands,
            "stones": self.stones,
            "void_values": self.void_values,
            "passes": self.passes,
            "passebunge": self.passebunge,
        }
        for name, values in by_seat.items():
            if len(values) != N_SEATS or min(values) < 0:
                raise ValueError(f"{name} must be {N_SEATS} numbers, none below 0")
        if max(self.passes) > 255:
            raise ValueError("no seat can have so many PASSes in a round")
        if any(few > many for few, many in zip(self.passebunge, self.passes, strict=True)):
            raise ValueError("a PASSEBUNGE is a PASS: a seat cannot have more of them")
        if not 0 <= self.starter < N_SEATS:
            raise ValueError(f"the starter must be a seat from 0 to {N_SEATS - 1}")
        if self.table < 0 or sum(self.stones) + self.table != rules["stones"]:
            raise ValueError(f"the stones must sum to {rules['stones']}")
        seen = 0
        for tiles in (*self.hands, self.played):
            if tiles >> N_TILES or seen & tiles:
                raise ValueError("each tile must be in one place")
            seen |= tiles
        if not all(1 <= hand.bit_count() <= N_HAND for hand in self.hands):
            raise ValueError(f"each hand must hold 1 to {N_HAND} tiles")
        if seen.bit_count() != N_HAND * N_SEATS:
            raise ValueError(f"tiles in hands and on the table must be {N_HAND * N_SEATS}")
        if any(void >> N_VALUES for void in self.void_values):
            raise ValueError("void_values are masks of the values 0 to 6")
        self._check_chain()

    def _check_chain(self) -> None:
        chain = (self.left, self.right, self.last_mappano, self.acted)
        if not self.played:
            if set(chain) != {NOBODY}:
                raise ValueError("before the first tile there are no ends and nobody has acted")
            return
        if not all(0 <= value < N_VALUES for value in chain[:2]) or not all(0 <= seat < N_SEATS for seat in chain[2:]):
            raise ValueError("the ends must be values from 0 to 6, last_mappano and acted seats from 0 to 4")

    def turn(self, rules: Mapping[str, RuleValue]) -> Turn:
        """The position as the core takes it, without the hands; `check` comes before."""
        fresh = 0
        for seat, hand in enumerate(self.hands):
            is_fresh = hand.bit_count() == N_HAND and (rules["passebunge"] == "every" or not self.passebunge[seat])
            fresh |= is_fresh << seat
        is_lead = not self.played
        left8, right8 = (0, 0) if is_lead else (8 * self.left, 8 * self.right)
        return Turn(
            np.int64(self.starter if is_lead else self.acted),
            np.int64(self.starter if is_lead else self.last_mappano),
            U(left8),
            U(right8),
            U(left8),
            _packed((*self.stones, self.table)),
            U(fresh),
            rows_of_mask(self.played),
            _packed(self.void_values),
            _packed([hand.bit_count() for hand in self.hands]),
            _packed(self.passes),
            _packed(self.passebunge),
        )


def _packed(values: Sequence[int]) -> np.uint64:
    """A byte for each value, the first one lowest."""
    return U(int.from_bytes(bytes(values), "little"))


def play_position(
    position: Position,
    seats: Sequence[Seat],
    rules: Mapping[str, RuleValue],
    seed: int,
    n: int,
    first: int = 0,
    write_events: bool = False,
) -> Playouts:
    """Play `n` playouts of a position.

    Parameters
    ----------
    position
        Where each begins.  Where the first tile is still to be played, the starter leads any tile of the hand.
    seats
        How each seat plays.
    rules
        A value for every rule, as `GameSpec.resolve_rules` gives them.
    seed
        0 to 2^64 - 1.
    n
        Number of playouts.
    first
        Number of the first one; playouts of different numbers are independent.
    write_events
        Whether to write the rows of the `events` table.

    Returns
    -------
    Playouts
        A row for each.

    Raises
    ------
    ValueError
        If this is no position of a round.
    StrategyError
        If a user's function failed or chose a move that does not exist.
    """
    position.check(rules)
    start = Start(
        position.turn(rules),
        np.array([rows_of_mask(hand) for hand in position.hands]),
        not position.played,
        np.int64(position.starter),
    )
    scratch = Scratch(
        np.zeros(N_SEATS, np.uint64), np.zeros(N_SEATS, np.uint64), streams.seat_offsets([seat.copy for seat in seats])
    )
    out = Playouts(
        np.zeros(n, np.int8),
        np.zeros(n, np.int8),
        np.zeros(n, np.int8),
        np.zeros(n, np.uint8),
        np.zeros((n, N_SEATS + 1), np.uint8),
        np.zeros((n, N_SEATS), np.uint8),
        np.zeros((n, N_SEATS), np.uint8),
        np.zeros(sum(count.size for count in counts(rules)), np.int64),
        buffers.allocate(DOMENG_EVENTS, MAX_EVENTS * n if write_events else 0),
        np.zeros(2, np.int64),
    )
    policy = SEATING.policy(seats)
    with np.errstate(over="ignore"):
        # only with the compiler off are there warnings: the arithmetic of random numbers is modulo 2^64
        play_deal(U(seed), first, start, Terms(rules_row(rules), policy), scratch, write_events, out)
    check = getattr(policy, "check", None)
    if check is not None:
        check()
    return out


def playout_events(playouts: Playouts) -> dict[str, npt.NDArray[Any]]:
    """Columns of the events that `play_position` wrote."""
    return buffers.columns(DOMENG_EVENTS, playouts.events, int(playouts.position[0]))
