"""Odds of a position: hidden tiles drawn uniformly, every move played out on the same deal and with the same luck.

A sample of number i draws its deal by a word of (seed, i, purpose HIDDEN), and its playouts choose by the words of
(seed, i, purpose PLAYOUT), as in `position`: seat by seat and tile by tile the same after each of the moves compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core import buffers, streams
from domeng_sim.core.bits import U, Word
from domeng_sim.core.codes import Cause, End, Event, Outcome, Purpose
from domeng_sim.core.dispatch import has_answer
from domeng_sim.core.hands import KEEP, NO_TILE
from domeng_sim.core.jit import entry, shared
from domeng_sim.core.job import Log, RoundKey, Tally
from domeng_sim.core.policy import begin_round, witness
from domeng_sim.core.streams import mix, philox
from domeng_sim.core.tables import DOMENG_EVENTS
from domeng_sim.games.domeng.kernel.counts import MOVED, MOVED_CAUSE, MOVED_GIVER, TABLE, counts
from domeng_sim.games.domeng.kernel.kernel_api import SEATING
from domeng_sim.games.domeng.kernel.policies import Terms
from domeng_sim.games.domeng.kernel.state import Turn, after_lead, after_play, byte, opening
from domeng_sim.games.domeng.kernel.step import close_round, lead, leads, play_on
from domeng_sim.games.domeng.odds import exact
from domeng_sim.games.domeng.odds.exact import Ground, Tree, expand, full_weight, new_tree
from domeng_sim.games.domeng.odds.hidden import N_PLACES
from domeng_sim.games.domeng.odds.measures import MEASURES
from domeng_sim.games.domeng.odds.move_log import N_SEATS
from domeng_sim.games.domeng.odds.player_view import DomengView
from domeng_sim.games.domeng.odds.start import Start, start_of
from domeng_sim.games.domeng.rules import RulesRow, rules_row
from domeng_sim.games.shared.dealing import deal_of, n_deals_of, numbers_below
from domeng_sim.games.shared.odds import Exact, SampleSums
from domeng_sim.games.types import Seat

_PLAYOUT = U(Purpose.PLAYOUT)
WIN, ENDS, OWN, CAMAT, RECEIVED, GIVEN = 0, 1, 6, 11, 12, 13
N_MEASURES = len(MEASURES)
_N_PASS_FLOWS = 2 * MOVED_CAUSE


class Players(NamedTuple):
    """How the round is played on.

    Attributes
    ----------
    terms
        The rules, and how the seats choose.
    told
        Whether the policy wants to know what was played before.
    """

    terms: Terms
    told: bool


class Scratch(NamedTuple):
    """Room of a sample.

    Attributes
    ----------
    deal, hands, seat_words
        uint64, shape (5,).
    lacking
        int64, shape (6,).
    flows
        int64: counters of stones moved.
    values
        int64, shape (moves, measures).
    seat_offsets
        `streams.seat_offsets`.
    log
        Where no events are written.
    """

    deal: npt.NDArray[np.uint64]
    hands: npt.NDArray[np.uint64]
    seat_words: npt.NDArray[np.uint64]
    lacking: npt.NDArray[np.int64]
    flows: npt.NDArray[np.int64]
    values: npt.NDArray[np.int64]
    seat_offsets: npt.NDArray[np.uint64]
    log: Log


@entry
def draw_hands(
    seed: np.uint64, first: int, n_deals: np.uint64, start: Start, scratch: Scratch, out: npt.NDArray[np.uint64]
) -> None:
    """Hands of the samples from `first` on, in rows, shape (samples, 5); for checking the draw by itself."""
    for i in range(out.shape[0]):
        for seat in range(N_SEATS):
            out[i, seat] = start.hands[seat]
        number, _ = numbers_below(seed, U(first + i), n_deals, U(1))
        deal_of(number, start.hidden, scratch.lacking, out[i])


@shared
def tell_story(policy: Any, rules: RulesRow, start: Start, key: RoundKey) -> None:
    """Tell a policy that keeps the history of a round what was played before the position."""
    begin_round(policy, rules, start.starter, (start.camat,), key)
    turn = opening(start.starter, U(0))
    for act in range(start.story.shape[0]):
        seat, index, end = start.story[act, 0], U(start.story[act, 1]), start.story[act, 2]
        left8, right8 = U(start.story[act, 3]) << U(3), U(start.story[act, 4]) << U(3)
        turn = Turn(
            seat, turn.last, right8, left8, left8, turn.stones, turn.fresh, turn.seen, turn.voids, turn.held,
            turn.passes, turn.passebunge,
        )  # fmt: skip
        event = Event.PLAY if index != NO_TILE else Event.PASS
        if start.story[act, 2] == -2:
            event, end = Event.LEAD, -1
        elif start.story[act, 2] == -3:
            event, end = Event.PASSEBUNGE, -1
        witness(policy, turn, event, seat, index, end, -1)


@shared
def play_move(
    index: Word, start: Start, players: Players, key: RoundKey, scratch: Scratch, values: npt.NDArray[np.int64]
) -> None:
    """Play the round on after a move, and note what came of it.

    Parameters
    ----------
    index
        The move; `NO_TILE` for none.
    start
        The position.
    players
        How it is played on.
    key
        Number of the sample.
    scratch
        Its `deal` and `seat_words` hold the sample.
    values
        Shape (measures,), written.
    """
    rules, policy = players.terms.rules, players.terms.policy
    hands, log = scratch.hands, scratch.log
    for seat in range(N_SEATS):
        hands[seat] = scratch.deal[seat]
    for flow in range(MOVED, MOVED + _N_PASS_FLOWS):
        scratch.flows[flow] = 0
    tally = Tally(scratch.flows, U(0))
    if players.told:
        tell_story(policy, rules, start, key)
    me, turn, is_over = start.seat, start.turn, False
    if index != NO_TILE:
        hands[me] &= KEEP[index]
        if start.is_lead:
            turn = after_lead(turn, index)
            witness(policy, turn, Event.LEAD, me, index, -1, -1)
        else:
            end = np.int64(End.LEFT) if (index & U(56)) == turn.left8 else np.int64(End.RIGHT)
            turn = after_play(turn, me, index)
            witness(policy, turn, Event.PLAY, me, index, end, -1)
        is_over = not hands[me]
    elif start.is_lead:
        turn = lead(turn, hands, leads(hands[turn.seat]), scratch.seat_words, players.terms, log, key)
    last, blocked = index, False
    if not is_over:
        turn, last, blocked = play_on(turn, hands, scratch.seat_words, players.terms, tally, log, key)
    _, closing, camat = close_round(turn, last, blocked, hands, rules)

    values[:] = 0
    values[ENDS + closing.outcome] = 1
    if closing.winner == me:
        values[WIN] = 1
        values[OWN + closing.outcome] = 1
    values[CAMAT] = np.int64(camat == me)
    received, given = np.int64(0), np.int64(byte(closing.given, me))
    if closing.receiver == me:
        received += np.int64(closing.from_table)
        for seat in range(N_SEATS):
            received += np.int64(byte(closing.given, seat))
    for cause in range(2):
        base = MOVED + MOVED_CAUSE * cause
        for giver in range(TABLE + 1):
            received += scratch.flows[base + MOVED_GIVER * giver + me]
        for seat in range(N_SEATS):
            given += scratch.flows[base + MOVED_GIVER * me + seat]
    values[RECEIVED], values[GIVEN] = received, given


@entry
def sample_moves(
    seed: np.uint64,
    numbers: tuple[int, int],
    start: Start,
    players: Players,
    scratch: Scratch,
    totals: npt.NDArray[np.int64],
    products: npt.NDArray[np.int64],
) -> None:
    """Play samples.

    Parameters
    ----------
    seed
        Key of all random numbers.
    numbers
        The first sample, and one after the last.
    start
        The position.
    players
        How it is played on.
    scratch
        Room.
    totals
        Shape (moves, measures), added to.
    products
        Shape (measures, moves, moves), added to where the second move is not before the first.
    """
    hidden = start.hidden
    n_moves, n_deals = start.moves.shape[0], n_deals_of(hidden)
    values = scratch.values
    for number in range(numbers[0], numbers[1]):
        sample = U(number)
        for seat in range(N_SEATS):
            scratch.deal[seat] = start.hands[seat]
        which, _ = numbers_below(seed, sample, n_deals, U(1))
        deal_of(which, hidden, scratch.lacking, scratch.deal)
        word = philox(seed, sample, U(0), _PLAYOUT)[0]
        for seat in range(N_SEATS):
            scratch.seat_words[seat] = mix(word + scratch.seat_offsets[seat])
        for move in range(n_moves):
            # who searches wants to know whether the round is the first of its match
            key = RoundKey(sample, 0, 0 if start.is_first else 1)
            play_move(start.moves[move], start, players, key, scratch, values[move])
        for move in range(n_moves):
            for measure in range(N_MEASURES):
                value = values[move, measure]
                if value:
                    totals[move, measure] += value
                    for other in range(move, n_moves):
                        products[measure, move, other] += value * values[other, measure]


@entry
def expand_deals(
    numbers: tuple[np.uint64, np.uint64],
    move: np.uint64,
    weight: tuple[np.uint64, np.uint64],
    start: Start,
    ground: Ground,
    scratch: Scratch,
) -> None:
    """Go through the whole tree behind a move on a range of deals.

    Parameters
    ----------
    numbers
        The first deal, and one after the last.
    move
        Index of the move, or `NO_TILE`.
    weight
        Upper and lower word of `exact.full_weight` after the move.
    start
        The position.
    ground
        The totals of its tree are added to.
    scratch
        Room.
    """
    tree, number = ground.tree, numbers[0]
    while number < numbers[1] and not tree.seen[exact.PAST_LIMIT]:
        for seat in range(N_SEATS):
            tree.hands[seat] = start.hands[seat]
        deal_of(number, start.hidden, scratch.lacking, tree.hands)
        turn, is_lead = start.turn, start.is_lead
        if move != NO_TILE:
            tree.hands[start.seat] &= KEEP[move]
            turn = after_lead(turn, move) if is_lead else after_play(turn, start.seat, move)
            is_lead = False
        expand(turn, move, is_lead, ground, weight[0], weight[1])
        number += U(1)


def make_scratch(here: DomengView, copies: list[int]) -> Scratch:
    """Room for samples of a position."""
    five = np.zeros(N_SEATS, np.uint64)
    return Scratch(
        five,
        five.copy(),
        five.copy(),
        np.zeros(N_PLACES, np.int64),
        np.zeros(sum(count.size for count in counts(here.rules)), np.int64),
        np.zeros((len(here.moves), N_MEASURES), np.int64),
        streams.seat_offsets(copies),
        Log(False, buffers.allocate(DOMENG_EVENTS, 0), np.zeros(2, np.int64)),
    )


class DomengOdds:
    """Odds of positions of Domeng; see `games.odds.OddsKernel`."""

    def engine(self, position: DomengView, seats: Sequence[Seat]) -> str:
        """Name of the engine that samples with these seats."""
        return f"domeng-odds-{SEATING.engine(seats)}"

    def exact_engine(self, position: DomengView) -> str:
        """Name of the engine that goes through the whole tree."""
        return "domeng-odds-exact"

    def sample(
        self,
        position: DomengView,
        seats: Sequence[Seat],
        seed: int,
        first: int,
        n: int,
        moves: Sequence[int] | None = None,
    ) -> SampleSums:
        """Play samples; see `games.odds.OddsKernel.sample`."""
        policy = SEATING.policy(seats)
        start = start_of(position)
        if moves is not None:
            start = start._replace(moves=start.moves[list(moves)])
        n_moves = len(start.moves)
        totals = np.zeros((n_moves, N_MEASURES), np.int64)
        products = np.zeros((N_MEASURES, n_moves, n_moves), np.int64)
        players = Players(Terms(rules_row(position.rules), policy), has_answer(begin_round, type(policy)))
        scratch = make_scratch(position, [seat.copy for seat in seats])
        with np.errstate(over="ignore"):
            # only with the compiler off are there warnings: the arithmetic of random numbers is modulo 2^64
            sample_moves(U(seed), (first, first + n), start, players, scratch, totals, products)
        check = getattr(policy, "check", None)
        if check is not None:
            check()
        lower = np.triu(products, 1).transpose(0, 2, 1)
        return SampleSums(n, totals, products + lower)

    def expand(self, position: DomengView, move: int, first: int, n: int, limit: int) -> Exact | None:
        """Go through whole trees; see `games.odds.OddsKernel.expand`."""
        start, tree = start_of(position), new_tree()
        index = start.moves[move]
        held = list(position.held)
        if index != NO_TILE:
            held[position.seat] -= 1
        full = full_weight(held)
        scratch = make_scratch(position, [0] * N_SEATS)
        ground = Ground(
            start.seat, rules_row(position.rules), tree, Tally(scratch.flows, U(0)), scratch.log, np.int64(limit)
        )
        with np.errstate(over="ignore"):
            weight = (U(full >> 64), U(full & (2**64 - 1)))
            expand_deals((U(first), U(first + n)), index, weight, start, ground, scratch)
        if tree.seen[exact.PAST_LIMIT]:
            return None
        return _collected(tree, position.seat, full * n)


def _collected(tree: Tree, me: int, weight: int) -> Exact:
    """The totals of a tree as whole numbers."""
    sums = [(int(high) << 64) + int(low) for high, low in tree.sums]
    details = {name: tuple(sums[at : at + n]) for name, (at, n) in exact.DETAILS.items()}
    ends = details["outcome_winner"]
    outcomes = [sum(ends[5 * kind : 5 * kind + 5]) for kind in range(5)]
    own = [ends[5 * kind + me] for kind in range(5)]
    received = details["received_by_pass"][me] + details["received_at_end"][me]
    totals = (sum(own), *outcomes, *own, details["camat"][me], received, details["given"][me])
    seen = [int(x) for x in tree.seen]
    shares = totals[:RECEIVED]
    lows = (*(int(total == weight) for total in shares), seen[exact.RECEIVED_LOW], seen[exact.GIVEN_LOW])
    highs = (*(int(total > 0) for total in shares), seen[exact.RECEIVED_HIGH], seen[exact.GIVEN_HIGH])
    return Exact(weight, totals, lows, highs, details, seen[exact.LEAVES])


assert len(Outcome) == 5
assert (Cause.PASS, Cause.PASSEBUNGE) == (0, 1)
