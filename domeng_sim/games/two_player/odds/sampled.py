"""Odds of a position of a two-player game: how a round is played on, and what is measured of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.codes import DrawOutcome, Event
from domeng_sim.core.dispatch import answer
from domeng_sim.core.hands import LOWER
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import RoundKey
from domeng_sim.core.policy import witness
from domeng_sim.games.shared.dealing import deal_of
from domeng_sim.games.shared.move_log import PLAY
from domeng_sim.games.shared.odds import Exact
from domeng_sim.games.shared.odds_core import OddsCore
from domeng_sim.games.shared.odds_start import GO_ON, PLAYS, Start
from domeng_sim.games.shared.sampling import Room, deal_hidden, play_out, retold, set_up
from domeng_sim.games.two_player.kernel.geometry import clear, lay
from domeng_sim.games.two_player.kernel.kernel_api import SEATING, make_table
from domeng_sim.games.two_player.kernel.marks import N_MARK, mark_table, rewind
from domeng_sim.games.two_player.kernel.moves import Move
from domeng_sim.games.two_player.kernel.policies import TwoPlayerTerms
from domeng_sim.games.two_player.kernel.records import TwoPlayerRoundEnd
from domeng_sim.games.two_player.kernel.state import (
    TwoPlayerRoundState,
    after_lead,
    after_pass,
    after_play,
    one_of,
    opening,
)
from domeng_sim.games.two_player.kernel.step import HIGHEST, NOBODY_DRAWS, close_round, lead, play_on, starter_of
from domeng_sim.games.two_player.odds import exact
from domeng_sim.games.two_player.odds.measures import MEASURES
from domeng_sim.games.two_player.odds.move_log import N_SEATS, SEATS, left_over
from domeng_sim.games.two_player.odds.player_view import TwoPlayerView
from domeng_sim.games.two_player.odds.start import after_move, start_of
from domeng_sim.games.two_player.rules import rules_row
from domeng_sim.games.types import RuleValue

WIN, ENDS, OWN, POINTS, OTHER_POINTS, NET = 0, 1, 4, 6, 7, 8


@answer(set_up, TwoPlayerTerms)
@shared
def _lay_all(terms: TwoPlayerTerms, start: Start, room: Room) -> None:
    """Lay the tiles of the position, and mark how the table is then."""
    clear(terms.table)
    for k in range(start.laid.shape[0]):
        lay(terms.table, Move(U(start.laid[k, 0]), start.laid[k, 1], start.laid[k, 2]))
    mark_table(terms.table, room.extra)


@answer(deal_hidden, TwoPlayerTerms)
@kernel
def _deal(
    terms: TwoPlayerTerms, start: Start, number: Word, order: Word, room: Room, hands: npt.NDArray[np.uint64]
) -> TwoPlayerRoundState:
    places = room.places
    for place in range(places.shape[0]):
        places[place] = U(0)
    deal_of(number, start.hidden, room.lacking, places)
    for seat in range(N_SEATS):
        hands[seat] = start.hands[seat]
    last = places.shape[0] - 1
    for place in range(last):
        hands[1 - start.seat] |= places[place]
    stock = U(0) if terms.rules.draw == NOBODY_DRAWS else places[last] & LOWER
    turn = start.turn
    return TwoPlayerRoundState(
        turn.seat, turn.left8, turn.right8, stock, order, turn.seen, turn.lacks0, turn.lacks1, turn.plays,
        turn.draws, turn.passes,
    )  # fmt: skip


@answer(retold, TwoPlayerRoundState)
@kernel
def _retold(now: TwoPlayerRoundState, turn: TwoPlayerRoundState, act: npt.NDArray[np.int64]) -> TwoPlayerRoundState:
    seat, move = act[1], Move(U(act[2]), act[3], act[4])
    if act[0] == Event.LEAD:
        turn = after_lead(opening(seat, now.stock, now.stock_word), move.index)
    elif act[0] == Event.PLAY:
        turn = after_play(turn, seat, move)
    elif act[0] == Event.PASS:
        turn = after_pass(turn, seat)
    draws = turn.draws + one_of(seat) if act[0] == Event.DRAW else turn.draws
    lacks0, lacks1 = turn.lacks0 if seat else U(act[7]), U(act[7]) if seat else turn.lacks1
    return TwoPlayerRoundState(
        turn.seat, turn.left8, turn.right8, turn.stock, turn.stock_word, turn.seen, lacks0, lacks1, turn.plays, draws,
        turn.passes,
    )  # fmt: skip


@kernel
def _end_of(
    terms: TwoPlayerTerms,
    start: Start,
    turn: TwoPlayerRoundState,
    move: npt.NDArray[np.int64],
    room: Room,
    key: RoundKey,
) -> TwoPlayerRoundEnd:
    hands = room.hands
    if move[0] != GO_ON:
        turn = after_move(turn, move, start, hands, terms.table)
        witness(terms.policy, turn, move[4], start.seat, U(move[1]), move[2], move[3])
        if move[0] == PLAYS and not hands[start.seat]:
            return close_round(turn, False, hands)
    elif start.is_lead:
        moves = U(1) << starter_of(hands)[1] if terms.rules.opening_lead == HIGHEST else hands[turn.seat] & LOWER
        turn = lead(turn, hands, moves, room.seat_words, terms, room.log, key)
    turn, is_blocked = play_on(turn, hands, room.seat_words, terms, room.log, key)
    return close_round(turn, is_blocked, hands)


@answer(play_out, TwoPlayerTerms)
@kernel
def _play_out(
    terms: TwoPlayerTerms, start: Start, turn: TwoPlayerRoundState, move: npt.NDArray[np.int64], room: Room,
    key: RoundKey, values: npt.NDArray[np.int64],
) -> None:  # fmt: skip
    rewind(terms.table, room.extra)
    end = _end_of(terms, start, turn, move, room, key)
    values[ENDS + end.outcome] = 1
    if end.winner == start.seat:
        values[WIN] = 1
        values[OWN + end.outcome] = 1
        values[POINTS] = values[NET] = end.points
    elif end.winner == 1 - start.seat:
        values[OTHER_POINTS] = end.points
        values[NET] = -end.points


class TwoPlayerOdds(OddsCore):
    """Odds of positions of a two-player game."""

    name, seating, measures = "two-player", SEATING, MEASURES

    def start(self, position: TwoPlayerView) -> Start:
        """The position as the core takes it."""
        return start_of(position)

    def _terms(self, rules: Mapping[str, RuleValue], policy: Any) -> TwoPlayerTerms:
        return TwoPlayerTerms(rules_row(rules), policy, make_table(rules))

    def _n_extra(self, rules: Mapping[str, RuleValue]) -> int:
        return N_MARK

    def _suffix(self, position: TwoPlayerView) -> str:
        return "" if position.table is None else "-grid"

    def _ground(
        self, position: TwoPlayerView, move: int, n: int, limit: int, room: Room
    ) -> tuple[exact.TwoPlayerGround, Callable[[], Exact]]:
        held = list(position.held)
        held[position.seat] -= position.moves[move].kind == PLAY
        weight = exact.common_weight(held, position.stock, left_over(position.draw), position.table is not None)
        tree = exact.new_tree(weight, n)
        residues = np.array([weight % int(prime) for prime in tree.primes], np.uint64)
        terms = self.at_random(position.rules)
        ground = exact.TwoPlayerGround(np.int64(position.seat), terms, tree, residues, np.int64(limit))
        return ground, lambda: exact.collected(tree, weight, n)


assert len(DrawOutcome) == 3
assert tuple(SEATS) == (0, 1)
