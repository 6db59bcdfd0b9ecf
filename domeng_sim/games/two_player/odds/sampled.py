"""Odds of a position of Draw: hidden tiles drawn uniformly, every move played out on the same deal, with the same luck.

A sample of number i draws hand and stock of the other by a word of (seed, i, purpose HIDDEN) and the order of the stock
by a second one.  Its playouts choose by the words of (seed, i, purpose PLAYOUT), decision by decision the same after
each of the moves compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core import buffers, streams
from domeng_sim.core.bits import U
from domeng_sim.core.codes import DrawOutcome, Purpose
from domeng_sim.core.dispatch import has_answer
from domeng_sim.core.hands import KEEP, LOWER
from domeng_sim.core.jit import entry, kernel, shared
from domeng_sim.core.job import Log, RoundKey
from domeng_sim.core.policy import begin_round, witness
from domeng_sim.core.streams import mix, philox
from domeng_sim.core.tables import DRAW_EVENTS
from domeng_sim.games.shared.core_call import core_call
from domeng_sim.games.shared.dealing import deal_of, n_deals_of, numbers_below
from domeng_sim.games.shared.move_log import PLAY
from domeng_sim.games.shared.odds import Exact, SampleSums
from domeng_sim.games.two_player.kernel.geometry import clear, lay
from domeng_sim.games.two_player.kernel.kernel_api import SEATING, make_table
from domeng_sim.games.two_player.kernel.marks import N_MARK, mark_table, rewind
from domeng_sim.games.two_player.kernel.moves import Move
from domeng_sim.games.two_player.kernel.policies import Terms
from domeng_sim.games.two_player.kernel.records import RoundEnd
from domeng_sim.games.two_player.kernel.state import Turn, after_lead, after_pass, after_play
from domeng_sim.games.two_player.kernel.step import HIGHEST, close_round, lead, play_on, starter_of
from domeng_sim.games.two_player.odds.exact import Ground, collected, common_weight, expand, is_over, new_tree
from domeng_sim.games.two_player.odds.measures import MEASURES
from domeng_sim.games.two_player.odds.move_log import N_SEATS, SEATS, left_over
from domeng_sim.games.two_player.odds.player_view import TwoPlayerView
from domeng_sim.games.two_player.odds.start import GO_ON, PASSES, PLAYS, Start, start_of
from domeng_sim.games.two_player.rules import RulesRow, rules_row
from domeng_sim.games.types import Seat

_PLAYOUT = U(Purpose.PLAYOUT)
WIN, ENDS, OWN, POINTS, OTHER_POINTS, NET = 0, 1, 4, 6, 7, 8
N_MEASURES = len(MEASURES)


class Players(NamedTuple):
    """How the round is played on.

    Attributes
    ----------
    terms
        The rules, how the seats choose, and where tiles lie.
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
        uint64, shape (2,).
    places
        uint64, shape (places,): hidden tiles by place.
    lacking
        int64, shape (places,).
    mark
        int64, shape (N_MARK,): the table as it stands.
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
    places: npt.NDArray[np.uint64]
    lacking: npt.NDArray[np.int64]
    mark: npt.NDArray[np.int64]
    values: npt.NDArray[np.int64]
    seat_offsets: npt.NDArray[np.uint64]
    log: Log


@kernel
def with_stock(turn: Turn, stock: np.uint64, stock_word: np.uint64) -> Turn:
    """The round with another stock."""
    return Turn(
        turn.seat, turn.left8, turn.right8, stock, stock_word, turn.seen, turn.lacks0, turn.lacks1, turn.plays,
        turn.draws, turn.passes,
    )  # fmt: skip


@shared
def deal_hidden(number: np.uint64, start: Start, scratch: Scratch, hands: npt.NDArray[np.uint64]) -> np.uint64:
    """Deal the hidden tiles of a number: the hands are written; returns the stock, each tile in its higher row."""
    places = scratch.places
    for place in range(places.shape[0]):
        places[place] = U(0)
    deal_of(number, start.hidden, scratch.lacking, places)
    for seat in range(N_SEATS):
        hands[seat] = start.hands[seat]
    last = places.shape[0] - 1
    for place in range(last):
        hands[1 - start.seat] |= places[place]
    return places[last] & LOWER


@shared
def lay_all(table: Any, start: Start, mark: npt.NDArray[np.int64]) -> None:
    """Lay the tiles of the position, and mark how the table is then."""
    clear(table)
    for k in range(start.laid.shape[0]):
        lay(table, Move(U(start.laid[k, 0]), start.laid[k, 1], start.laid[k, 2]))
    mark_table(table, mark)


@shared
def after_move(
    turn: Turn, move: npt.NDArray[np.int64], start: Start, hands: npt.NDArray[np.uint64], table: Any
) -> Turn:
    """The round after one of the moves compared; the hand and the table are changed."""
    if move[0] == PASSES:
        return after_pass(turn, start.seat)
    played = Move(U(move[1]), move[2], move[3])
    hands[start.seat] &= KEEP[played.index]
    turn = after_lead(turn, played.index) if start.is_lead else after_play(turn, start.seat, played)
    lay(table, played)
    return turn


@shared
def tell_story(policy: Any, rules: RulesRow, start: Start, key: RoundKey) -> None:
    """Tell a policy that keeps the history of a round what was played before the position."""
    begin_round(policy, rules, start.starter, start.scores, key)
    turn = start.turn
    for act in range(start.story.shape[0]):
        row = start.story[act]
        turn = Turn(
            row[1], U(row[5]), U(row[6]), turn.stock, turn.stock_word, turn.seen, turn.lacks0, turn.lacks1, turn.plays,
            turn.draws, turn.passes,
        )  # fmt: skip
        witness(policy, turn, row[0], row[1], U(row[2]), row[3], row[4])


@shared
def play_out(
    turn: Turn, move: npt.NDArray[np.int64], start: Start, players: Players, key: RoundKey, scratch: Scratch
) -> RoundEnd:
    """Play the round on after a move, on the hands in `scratch.deal`."""
    hands, terms = scratch.hands, players.terms
    rules, policy, table = terms.rules, terms.policy, terms.table
    for seat in range(N_SEATS):
        hands[seat] = scratch.deal[seat]
    rewind(table, scratch.mark)
    if players.told:
        tell_story(policy, rules, start, key)
    if move[0] != GO_ON:
        turn = after_move(turn, move, start, hands, table)
        witness(policy, turn, move[4], start.seat, U(move[1]), move[2], move[3])
        if move[0] == PLAYS and not hands[start.seat]:
            return close_round(turn, False, hands)
        if is_over(turn, hands, table):
            return close_round(turn, True, hands)
    elif start.is_lead:
        moves = U(1) << starter_of(hands)[1] if rules.opening_lead == HIGHEST else hands[turn.seat] & LOWER
        turn = lead(turn, hands, moves, scratch.seat_words, terms, scratch.log, key)
    turn, is_blocked = play_on(turn, hands, scratch.seat_words, terms, scratch.log, key)
    return close_round(turn, is_blocked, hands)


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
    n_moves, n_deals, me = start.moves.shape[0], n_deals_of(start.hidden), start.seat
    values = scratch.values
    lay_all(players.terms.table, start, scratch.mark)
    for number in range(numbers[0], numbers[1]):
        sample = U(number)
        which, stock_word = numbers_below(seed, sample, n_deals, start.n_orders)
        stock = deal_hidden(which, start, scratch, scratch.deal)
        turn = with_stock(start.turn, stock, stock_word)
        word = philox(seed, sample, U(0), _PLAYOUT)[0]
        for seat in range(N_SEATS):
            scratch.seat_words[seat] = mix(word + scratch.seat_offsets[seat])
        for move in range(n_moves):
            end = play_out(turn, start.moves[move], start, players, RoundKey(sample, 0, 0), scratch)
            row = values[move]
            row[:] = 0
            row[ENDS + end.outcome] = 1
            if end.winner == me:
                row[WIN] = 1
                row[OWN + end.outcome] = 1
                row[POINTS] = row[NET] = end.points
            elif end.winner == 1 - me:
                row[OTHER_POINTS] = end.points
                row[NET] = -end.points
        for move in range(n_moves):
            for measure in range(N_MEASURES):
                value = values[move, measure]
                if value:
                    totals[move, measure] += value
                    for other in range(move, n_moves):
                        products[measure, move, other] += value * values[other, measure]


@entry
def deal_samples(seed: np.uint64, first: int, start: Start, scratch: Scratch, out: npt.NDArray[np.uint64]) -> None:
    """Hands, stock and word of its order of the samples from `first` on, shape (samples, 4); for checking the draw."""
    n_deals = n_deals_of(start.hidden)
    for i in range(out.shape[0]):
        which, word = numbers_below(seed, U(first + i), n_deals, start.n_orders)
        out[i, 2] = deal_hidden(which, start, scratch, scratch.deal)
        out[i, 0], out[i, 1], out[i, 3] = scratch.deal[0], scratch.deal[1], word


@entry
def expand_deals(
    numbers: tuple[np.uint64, np.uint64], move: int, start: Start, ground: Ground, scratch: Scratch, table: Any
) -> None:
    """Go through the whole tree behind a move on a range of deals.

    Parameters
    ----------
    numbers
        The first deal, and one after the last.
    move
        Which of the moves.
    start
        The position.
    ground
        The totals of its tree are added to.
    scratch
        Room.
    table
        Where tiles lie.
    """
    tree, number = ground.tree, numbers[0]
    hands = tree.hands
    lay_all(table, start, scratch.mark)
    while number < numbers[1] and not tree.past_limit[0]:
        stock = deal_hidden(number, start, scratch, hands)
        turn = with_stock(start.turn, stock, U(0))
        rewind(table, scratch.mark)
        is_lead, what = start.is_lead, start.moves[move]
        has_moved = what[0] != GO_ON
        if has_moved:
            turn = after_move(turn, what, start, hands, table)
            is_lead = False
        expand(turn, has_moved, is_lead, ground, table)
        number += U(1)


def make_scratch(here: TwoPlayerView, copies: list[int]) -> Scratch:
    """Room for samples of a position."""
    two, n_places = np.zeros(N_SEATS, np.uint64), len(here.hidden.sizes)
    return Scratch(
        two,
        two.copy(),
        two.copy(),
        np.zeros(n_places, np.uint64),
        np.zeros(n_places, np.int64),
        np.zeros(N_MARK, np.int64),
        np.zeros((len(here.moves), N_MEASURES), np.int64),
        streams.seat_offsets(copies),
        Log(False, buffers.allocate(DRAW_EVENTS, 0), np.zeros(2, np.int64)),
    )


class DrawOdds:
    """Odds of positions of Draw; see `games.odds.OddsKernel`."""

    def engine(self, position: TwoPlayerView, seats: Sequence[Seat]) -> str:
        """Name of the engine that samples with these seats on a table of that kind."""
        return f"draw-odds-{SEATING.engine(seats)}{_suffix(position)}"

    def exact_engine(self, position: TwoPlayerView) -> str:
        """Name of the engine that goes through the whole tree."""
        return f"draw-odds-exact{_suffix(position)}"

    def sample(
        self,
        position: TwoPlayerView,
        seats: Sequence[Seat],
        seed: int,
        first: int,
        n: int,
        moves: Sequence[int] | None = None,
    ) -> SampleSums:
        """Play samples; see `games.odds.OddsKernel.sample`."""
        start = start_of(position)
        if moves is not None:
            start = start._replace(moves=start.moves[list(moves)])
        n_moves = len(start.moves)
        totals = np.zeros((n_moves, N_MEASURES), np.int64)
        products = np.zeros((N_MEASURES, n_moves, n_moves), np.int64)
        policy = SEATING.policy(seats)
        terms = Terms(rules_row(position.rules), policy, make_table(position.rules))
        players = Players(terms, has_answer(begin_round, type(policy)))
        scratch = make_scratch(position, [seat.copy for seat in seats])
        with core_call(policy):
            sample_moves(U(seed), (first, first + n), start, players, scratch, totals, products)
        lower = np.triu(products, 1).transpose(0, 2, 1)
        return SampleSums(n, totals, products + lower)

    def expand(self, position: TwoPlayerView, move: int, first: int, n: int, limit: int) -> Exact | None:
        """Go through whole trees; see `games.odds.OddsKernel.expand`."""
        held = list(position.held)
        held[position.seat] -= position.moves[move].kind == PLAY
        weight = common_weight(held, position.stock, left_over(position.draw), position.board is not None)
        tree = new_tree(weight, n)
        residues = np.array([weight % int(prime) for prime in tree.primes], np.uint64)
        ground = Ground(np.int64(position.seat), rules_row(position.rules), tree, residues, np.int64(limit))
        scratch, table = make_scratch(position, [0] * N_SEATS), make_table(position.rules)
        with np.errstate(over="ignore"):
            expand_deals((U(first), U(first + n)), np.int64(move), start_of(position), ground, scratch, table)
        return None if tree.past_limit[0] else collected(tree, weight, n)


def _suffix(position: TwoPlayerView) -> str:
    """What tells engines for finite tables apart, as in runs."""
    return "" if position.board is None else "-grid"


assert len(DrawOutcome) == 3
assert tuple(SEATS) == (0, 1)
