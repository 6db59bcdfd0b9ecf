"""Odds of positions, compiled: sampling and going through whole trees, the same for every game.

A sample of number i draws its deal by a word of (seed, i, purpose HIDDEN), every move is played out on that deal, and
all choices are made by the words of (seed, i, purpose PLAYOUT), so that luck is the same after each of the moves
compared.  What games add answers the questions below, by the type of their terms or of what they explore.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core import buffers, streams
from domeng_sim.core.bits import U, Word
from domeng_sim.core.codes import Purpose
from domeng_sim.core.dispatch import by_type
from domeng_sim.core.jit import entry, kernel
from domeng_sim.core.job import Log, RoundKey
from domeng_sim.core.policy import begin_round, witness
from domeng_sim.core.streams import mix, philox
from domeng_sim.core.tables import Table
from domeng_sim.games.shared.core_call import core_call
from domeng_sim.games.shared.dealing import n_deals_of, numbers_below
from domeng_sim.games.shared.odds import Exact, Measure, SampleSums
from domeng_sim.games.shared.odds_start import Start
from domeng_sim.games.shared.player_view import PlayerView
from domeng_sim.games.shared.search import pick
from domeng_sim.games.shared.seats import Seating
from domeng_sim.games.types import Model, Seat

_PLAYOUT = U(Purpose.PLAYOUT)

LIKELY_TRIES = 16
"""Deals of which one is picked where samples are weighted by what the others chose."""
N_PILOT, MEAN_WEIGHT, MOST_WEIGHT = 128, 256, 1 << 20
"""Samples whose mean likelihood gives the unit of weights, their mean, and their most."""
LOW, HIGH, OTHER_LOW, OTHER_HIGH, LEAVES, PAST_LIMIT = 0, 1, 2, 3, 4, 5
"""What is noted of a tree: least and most of two amounts, ends of rounds looked at, and whether they were too many."""
N_SEEN = 6


class Room(NamedTuple):
    """Room of a sample.

    Attributes
    ----------
    deal, hands, seat_words
        uint64, shape (seats,): the deal, and the hands of a playout.
    places
        uint64, shape (places,): hidden tiles by place.
    lacking
        int64, shape (places,).
    values
        int64, shape (moves, measures).
    seat_offsets
        `streams.seat_offsets`.
    log
        Where no events are written.
    extra
        int64: what a game needs more.
    """

    deal: npt.NDArray[np.uint64]
    hands: npt.NDArray[np.uint64]
    seat_words: npt.NDArray[np.uint64]
    places: npt.NDArray[np.uint64]
    lacking: npt.NDArray[np.int64]
    values: npt.NDArray[np.int64]
    seat_offsets: npt.NDArray[np.uint64]
    log: Log
    extra: npt.NDArray[np.int64]


# --- What games answer ------------------------------------------------------------------------------------------------


@by_type(1, optional=True)
def set_up(terms: Any, start: Start, room: Room) -> None:
    """Make ready for the deals of a position."""


@by_type(1)
def deal_hidden(terms: Any, start: Start, number: Word, order: Word, room: Room, hands: npt.NDArray[np.uint64]) -> Any:
    """Deal the hidden tiles of a number.

    Parameters
    ----------
    terms
        Of the game.
    start
        The position.
    number
        Below the number of deals.
    order
        A word whose digits order what can be drawn.
    room
        Its `places` and `lacking` are written.
    hands
        uint64, shape (seats,), written.

    Returns
    -------
    turn
        The round as it stands on that deal.
    """


@by_type(1)
def play_out(
    terms: Any, start: Start, turn: Any, move: npt.NDArray[np.int64], room: Room, key: RoundKey,
    values: npt.NDArray[np.int64],
) -> None:  # fmt: skip
    """Play the round on after a move.

    Parameters
    ----------
    terms
        On what terms it is played on; the types in it select the engine.
    start
        The position.
    turn
        The round as it stands.
    move
        One of `start.moves`.
    room
        Its `hands` are changed; its `seat_words` are those of the sample.
    key
        Number of the sample.
    values
        int64, shape (measures,): zeros, in which it is noted what came of it.
    """


@by_type(1)
def retold(now: Any, turn: Any, act: npt.NDArray[np.int64]) -> Any:
    """The round after an act, as everybody saw it.

    Parameters
    ----------
    now
        The round as it stands at the position, for what is not told of the past.
    turn
        The round before the act; not looked at before the lead.
    act
        A row of `Start.story`.
    """


@by_type(1)
def likelihood_of(witness: Any, terms: Any, start: Start, hands: npt.NDArray[np.uint64]) -> float:
    """How likely the choices of the others are that a witness was told, with these hands."""


@by_type(1)
def explore(ground: Any, start: Start, turn: Any, move: npt.NDArray[np.int64], room: Room) -> None:
    """Go through the whole tree behind a move; what comes of it is added up in `ground.tree`, whose hands are dealt."""


# --- The harness ------------------------------------------------------------------------------------------------------


@kernel
def tell_story(terms: Any, start: Start, key: RoundKey) -> None:
    """Tell a policy that keeps the history of a round what was played before the position."""
    begin_round(terms.policy, terms.rules, start.starter, start.standing, key)
    turn = start.turn
    for act in range(start.story.shape[0]):
        row = start.story[act]
        turn = retold(start.turn, turn, row)
        witness(terms.policy, turn, row[0], row[1], U(row[2]), row[3], row[4])


@kernel
def play_moves(start: Start, terms: Any, turn: Any, room: Room, key: RoundKey, n_moves: int) -> None:
    """Play each of the moves out on the deal and with the luck of a sample; `room.values` is written."""
    for move in range(n_moves):
        for seat in range(room.hands.shape[0]):
            room.hands[seat] = room.deal[seat]
        room.values[move, :] = 0
        tell_story(terms, start, key)
        play_out(terms, start, turn, start.moves[move], room, key, room.values[move])


@kernel
def add_values(
    values: npt.NDArray[np.int64], weight: int, totals: npt.NDArray[np.int64], products: npt.NDArray[np.int64]
) -> None:
    """Add what came of a sample to the sums; see `sample_moves`."""
    n_moves, n_measures = totals.shape
    for move in range(n_moves):
        for measure in range(n_measures):
            value = weight * values[move, measure]
            if value:
                totals[move, measure] += value
                for other in range(move, n_moves):
                    products[measure, move, other] += value * values[other, measure]


@entry
def sample_moves(
    seed: np.uint64,
    numbers: tuple[int, int],
    start: Start,
    terms: Any,
    room: Room,
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
    terms
        On what terms it is played on.
    room
        Room.
    totals
        Shape (moves, measures), added to.
    products
        Shape (measures, moves, moves), added to where the second move is not before the first.
    """
    n_seats, n_deals, n_moves = room.hands.shape[0], n_deals_of(start.hidden), totals.shape[0]
    set_up(terms, start, room)
    for number in range(numbers[0], numbers[1]):
        sample = U(number)
        which, order = numbers_below(seed, sample, n_deals, start.n_orders)
        turn = deal_hidden(terms, start, which, order, room, room.deal)
        word = philox(seed, sample, U(0), _PLAYOUT)[0]
        for seat in range(n_seats):
            room.seat_words[seat] = mix(word + room.seat_offsets[seat])
        play_moves(start, terms, turn, room, RoundKey(sample, 0, start.round_), n_moves)
        add_values(room.values, 1, totals, products)


class Likely(NamedTuple):
    """How samples are weighted by what the others chose.

    Attributes
    ----------
    terms
        Terms whose policy is told what was played, and which answers `likelihood_of`.
    chances
        float64, shape (LIKELY_TRIES,): room.
    weights
        int64, shape (2,): the weights of the samples and their squares, added up.
    """

    terms: Any
    chances: npt.NDArray[np.float64]
    weights: npt.NDArray[np.int64]


@kernel
def deal_likely(
    seed: np.uint64, sample: Word, n_deals: Word, start: Start, terms: Any, room: Room, likely: Likely
) -> tuple[Any, float]:
    """Of some deals one picked by how likely the others' choices are, and the mean of these likelihoods.

    The first of the deals is that of the same sample without weights.
    """
    total, chances = 0.0, likely.chances
    turn = start.turn
    for number in range(LIKELY_TRIES):
        which, order = numbers_below(seed, sample, n_deals, start.n_orders, U(number))
        turn = deal_hidden(terms, start, which, order, room, room.deal)
        chances[number] = likelihood_of(likely.terms.policy, likely.terms, start, room.deal)
        total += chances[number]
    picked = pick(chances, LIKELY_TRIES, philox(seed, sample, U(LIKELY_TRIES), _PLAYOUT)[0])
    which, order = numbers_below(seed, sample, n_deals, start.n_orders, U(picked))
    turn = deal_hidden(terms, start, which, order, room, room.deal)
    return turn, total / LIKELY_TRIES


@entry
def sample_likely(
    seed: np.uint64,
    numbers: tuple[int, int],
    start: Start,
    terms: Any,
    room: Room,
    likely: Likely,
    totals: npt.NDArray[np.int64],
    products: npt.NDArray[np.int64],
) -> None:
    """Play samples that count by how likely the others' choices are; see `sample_moves`.

    A weight is a whole number, so that sums do not depend on their order: `MEAN_WEIGHT` for the mean likelihood of some
    samples that are always the same ones.
    """
    n_seats, n_deals, n_moves = room.hands.shape[0], n_deals_of(start.hidden), totals.shape[0]
    set_up(terms, start, room)
    tell_story(likely.terms, start, RoundKey(U(0), 0, start.round_))
    mean = 0.0
    for number in range(N_PILOT):
        mean += deal_likely(seed, U(number), n_deals, start, terms, room, likely)[1] / N_PILOT
    for number in range(numbers[0], numbers[1]):
        sample = U(number)
        turn, chance = deal_likely(seed, sample, n_deals, start, terms, room, likely)
        weight = MEAN_WEIGHT
        if mean > 0.0:
            weight = np.int64(min(MEAN_WEIGHT * chance / mean, np.float64(MOST_WEIGHT)))
        likely.weights[0] += weight
        likely.weights[1] += weight * weight
        word = philox(seed, sample, U(0), _PLAYOUT)[0]
        for seat in range(n_seats):
            room.seat_words[seat] = mix(word + room.seat_offsets[seat])
        play_moves(start, terms, turn, room, RoundKey(sample, 0, start.round_), n_moves)
        add_values(room.values, weight, totals, products)


@entry
def explore_deals(numbers: tuple[np.uint64, np.uint64], move: int, start: Start, ground: Any, room: Room) -> None:
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
        What stays the same all over a tree; the totals of its tree are added to.
    room
        Room.
    """
    tree, number = ground.tree, numbers[0]
    set_up(ground.terms, start, room)
    while number < numbers[1] and not tree.seen[PAST_LIMIT]:
        turn = deal_hidden(ground.terms, start, number, U(0), room, tree.hands)
        explore(ground, start, turn, start.moves[move], room)
        number += U(1)


@kernel
def note_end(seen: npt.NDArray[np.int64], amount: int, other: int) -> None:
    """Note an end of a round, and two amounts that came of it."""
    seen[LOW], seen[HIGH] = min(seen[LOW], amount), max(seen[HIGH], amount)
    seen[OTHER_LOW], seen[OTHER_HIGH] = min(seen[OTHER_LOW], other), max(seen[OTHER_HIGH], other)
    seen[LEAVES] += 1


def new_seen(most: int) -> npt.NDArray[np.int64]:
    """What is noted of a tree before its first end; no amount is above `most`."""
    return np.array([most, 0, most, 0, 0, 0], np.int64)


class OddsCore(ABC):
    """Odds of positions of a game; see `games.shared.odds.OddsKernel`."""

    name: ClassVar[str]
    seating: ClassVar[Seating]
    events: ClassVar[Table]
    measures: ClassVar[tuple[Measure, ...]]

    @abstractmethod
    def start(self, position: Any) -> Start:
        """The position as the core takes it."""

    @abstractmethod
    def _terms(self, rules: Any, policy: Any) -> Any:
        """On what terms it is played on."""

    @abstractmethod
    def _n_extra(self, rules: Any) -> int:
        """Length of `Room.extra`."""

    @abstractmethod
    def _ground(self, position: Any, move: int, n: int, limit: int, room: Room) -> tuple[Any, Callable[[], Exact]]:
        """What stays the same all over the trees of a move on `n` deals, and what collects their totals."""

    def _suffix(self, position: Any) -> str:
        """What tells engines apart beside the seats."""
        return ""

    def room(self, position: PlayerView, seats: Sequence[Seat]) -> Room:
        """Room for samples of a position."""
        n, n_places = len(position.hands), len(position.hidden.sizes)
        return Room(
            np.zeros(n, np.uint64),
            np.zeros(n, np.uint64),
            np.zeros(n, np.uint64),
            np.zeros(n_places, np.uint64),
            np.zeros(n_places, np.int64),
            np.zeros((len(position.moves), len(self.measures)), np.int64),
            streams.seat_offsets([seat.copy for seat in seats]),
            Log(False, buffers.allocate(self.events, 0), np.zeros(2, np.int64)),
            np.zeros(self._n_extra(position.rules), np.int64),
        )

    def engine(self, position: Any, seats: Sequence[Seat], model: Model | None = None) -> str:
        """Name of the engine that samples with these seats."""
        likely = "" if model is None else "-likely"
        return f"{self.name}-odds-{self.seating.engine(seats)}{self._suffix(position)}{likely}"

    def exact_engine(self, position: Any) -> str:
        """Name of the engine that goes through the whole tree."""
        return f"{self.name}-odds-exact{self._suffix(position)}"

    def sample(
        self,
        position: PlayerView,
        seats: Sequence[Seat],
        seed: int,
        first: int,
        n: int,
        moves: Sequence[int] | None = None,
        model: Model | None = None,
    ) -> SampleSums:
        """Play samples; see `OddsKernel.sample`."""
        start, room = self.start(position), self.room(position, seats)
        if moves is not None:
            start = start._replace(moves=start.moves[list(moves)])
        n_moves, n_measures = len(start.moves), len(self.measures)
        totals = np.zeros((n_moves, n_measures), np.int64)
        products = np.zeros((n_measures, n_moves, n_moves), np.int64)
        policy = self.seating.policy(seats)
        terms = self._terms(position.rules, policy)
        numbers, weights = (first, first + n), np.zeros(2, np.int64)
        with core_call(policy):
            if model is None:
                sample_moves(U(seed), numbers, start, terms, room, totals, products)
            else:
                likely = Likely(self._terms(position.rules, self._judge(model)), np.zeros(LIKELY_TRIES), weights)
                sample_likely(U(seed), numbers, start, terms, room, likely, totals, products)
        lower = np.triu(products, 1).transpose(0, 2, 1)
        return SampleSums(n, totals, products + lower, *weights.tolist())

    def _judge(self, model: Model) -> Any:
        """What is told what was played, and says how likely the others' choices are by a model."""
        raise NotImplementedError

    def expand(self, position: PlayerView, move: int, first: int, n: int, limit: int) -> Exact | None:
        """Go through whole trees; see `OddsKernel.expand`."""
        room = self.room(position, (Seat({}),) * len(position.hands))
        ground, collect = self._ground(position, move, n, limit, room)
        with np.errstate(over="ignore"):
            explore_deals((U(first), U(first + n)), np.int64(move), self.start(position), ground, room)
        return None if ground.tree.seen[PAST_LIMIT] else collect()

    def at_random(self, rules: Any) -> Any:
        """The terms of players at random."""
        return self._terms(rules, self.seating.policy([Seat({})] * 2))


def exact_of(
    weight: int,
    shares: Sequence[int],
    amounts: Sequence[tuple[int, int, int]],
    details: dict[str, tuple[int, ...]],
    leaves: int,
) -> Exact:
    """What whole trees add up to.

    Parameters
    ----------
    weight
        Weight of all deals.
    shares
        Totals of what happens or not.
    amounts
        Of each amount the total, the least and the most.
    details, leaves
        As in `Exact`.
    """
    return Exact(
        weight,
        (*shares, *(total for total, _, _ in amounts)),
        (*(int(total == weight) for total in shares), *(low for _, low, _ in amounts)),
        (*(int(total > 0) for total in shares), *(high for _, _, high in amounts)),
        details,
        leaves,
    )
