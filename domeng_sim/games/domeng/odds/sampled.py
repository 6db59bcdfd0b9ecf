"""Odds of a position of Domeng: how a round is played on, and what is measured of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.codes import Cause, Event, Outcome
from domeng_sim.core.dispatch import answer
from domeng_sim.core.jit import kernel, shared
from domeng_sim.core.job import RoundKey, Tally
from domeng_sim.core.policy import begin_round, witness
from domeng_sim.games.domeng.kernel.counts import MOVED, MOVED_CAUSE, MOVED_GIVER, TABLE, counts
from domeng_sim.games.domeng.kernel.feature_names import FEATURES
from domeng_sim.games.domeng.kernel.inference import RoundChoices, forget, likelihood, make_past, note_act
from domeng_sim.games.domeng.kernel.kernel_api import SEATING
from domeng_sim.games.domeng.kernel.policies import DomengTerms
from domeng_sim.games.domeng.kernel.state import DomengRoundState, after_lead, after_pass, after_play, byte, opening
from domeng_sim.games.domeng.kernel.step import close_round, lead, leads, play_on
from domeng_sim.games.domeng.odds import exact
from domeng_sim.games.domeng.odds.measures import MEASURES
from domeng_sim.games.domeng.odds.move_log import N_SEATS
from domeng_sim.games.domeng.odds.player_view import DomengView
from domeng_sim.games.domeng.odds.start import after_move, start_of
from domeng_sim.games.domeng.rules import RulesRow, rules_row
from domeng_sim.games.shared.dealing import deal_of
from domeng_sim.games.shared.likely import likelihood_of
from domeng_sim.games.shared.odds import Exact
from domeng_sim.games.shared.odds_core import OddsCore
from domeng_sim.games.shared.odds_start import PLAYS, Start
from domeng_sim.games.shared.sampling import Room, deal_hidden, play_out, retold
from domeng_sim.games.types import Model, RuleValue

WIN, ENDS, OWN, CAMAT, RECEIVED, GIVEN = 0, 1, 6, 11, 12, 13
_N_PASS_FLOWS = 2 * MOVED_CAUSE


@answer(deal_hidden, DomengTerms)
@kernel
def _deal(
    terms: DomengTerms, start: Start, number: Word, order: Word, room: Room, hands: npt.NDArray[np.uint64]
) -> DomengRoundState:
    for seat in range(N_SEATS):
        hands[seat] = start.hands[seat]
    deal_of(number, start.hidden, room.lacking, hands)
    turn: DomengRoundState = start.turn
    return turn


@kernel
def with_left(turn: DomengRoundState, left8: Word) -> DomengRoundState:
    """The same round with another of its ends as the left one."""
    return DomengRoundState(
        turn.seat, turn.last, turn.made8, turn.other8, left8, turn.stones, turn.fresh, turn.seen, turn.voids, turn.held,
        turn.passes, turn.passebunge,
    )  # fmt: skip


@answer(retold, DomengRoundState)
@kernel
def _retold(now: DomengRoundState, turn: DomengRoundState, act: npt.NDArray[np.int64]) -> DomengRoundState:
    # how the stones lay before PASSes moved them cannot always be told: they are taken to have lain as they do now
    if act[0] == Event.LEAD:
        return after_lead(opening(act[1], now.stones), U(act[2]))
    if act[0] == Event.PLAY:
        # where both ends have the same value, people may call either of them the left one
        return with_left(after_play(turn, act[1], U(act[2])), U(act[5]))
    return after_pass(turn, act[1], now.stones, U(act[0] == Event.PASSEBUNGE), turn.fresh)


class Inference(NamedTuple):
    """What concludes from the choices of a round.

    Attributes
    ----------
    past
        The choices that it was told.
    weights, temperature
        The model.
    """

    past: RoundChoices
    weights: npt.NDArray[np.int64]
    temperature: float


@answer(begin_round, Inference)
@kernel
def _begin(policy: Inference, rules: RulesRow, starter: int, standing: tuple[int, ...], key: RoundKey) -> None:
    forget(policy.past, key.game == 0 and key.round_ == 0)


@answer(witness, Inference)
@kernel
def _witness(
    policy: Inference, turn: DomengRoundState, event: int, seat: int, index: Word, end: int, direction: int
) -> None:
    note_act(policy.past, turn, event, seat, index)


@answer(likelihood_of, Inference)
@shared
def _likelihood(policy: Inference, terms: DomengTerms, start: Start, hands: npt.NDArray[np.uint64]) -> float:
    likely = 1.0
    for seat in range(N_SEATS):
        if seat != start.seat:
            likely *= likelihood(policy.past, terms.rules, policy.weights, policy.temperature, seat, hands[seat])
    return likely


@answer(play_out, DomengTerms)
@kernel
def _play_out(
    terms: DomengTerms, start: Start, turn: DomengRoundState, move: npt.NDArray[np.int64], room: Room, key: RoundKey,
    values: npt.NDArray[np.int64],
) -> None:  # fmt: skip
    me, hands, flows = start.seat, room.hands, room.extra
    for flow in range(MOVED, MOVED + _N_PASS_FLOWS):
        flows[flow] = 0
    tally = Tally(flows, U(0))
    is_over = False
    if move[0] == PLAYS:
        turn = after_move(turn, move, start, hands)
        witness(terms.policy, turn, move[4], me, U(move[1]), move[2], move[3])
        is_over = not hands[me]
    elif start.is_lead:
        turn = lead(turn, hands, leads(hands[turn.seat]), room.seat_words, terms, room.log, key)
    last, blocked = U(move[1]), False
    if not is_over:
        turn, last, blocked = play_on(turn, hands, room.seat_words, terms, tally, room.log, key)
    _, closing, camat = close_round(turn, last, blocked, hands, terms.rules)

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
            received += flows[base + MOVED_GIVER * giver + me]
        for seat in range(N_SEATS):
            given += flows[base + MOVED_GIVER * me + seat]
    values[RECEIVED], values[GIVEN] = received, given


class DomengOdds(OddsCore):
    """Odds of positions of Domeng."""

    name, seating, measures = "domeng", SEATING, MEASURES

    def start(self, position: DomengView) -> Start:
        """See `OddsCore.start`."""
        return start_of(position)

    def _terms(self, rules: Mapping[str, RuleValue], policy: Any) -> DomengTerms:
        return DomengTerms(rules_row(rules), policy)

    def _judge(self, model: Model) -> Inference:
        weights = np.array([model.weights.get(name, 0) for name in FEATURES], np.int64)
        return Inference(make_past(), weights, model.temperature)

    def _n_extra(self, rules: Mapping[str, RuleValue]) -> int:
        return sum(count.size for count in counts(rules))

    def _ground(
        self, position: DomengView, move: int, n: int, limit: int, room: Room
    ) -> tuple[exact.DomengGround, Callable[[], Exact]]:
        held = list(position.held)
        if position.moves[move].tile >= 0:
            held[position.seat] -= 1
        full, tree = exact.full_weight(held), exact.new_tree()
        weight = (U(full >> 64), U(full & (2**64 - 1)))
        terms, tally = self.at_random(position.rules), Tally(room.extra, U(0))
        ground = exact.DomengGround(np.int64(position.seat), terms, tree, *weight, tally, room.log, np.int64(limit))
        return ground, lambda: exact.collected(tree, position.seat, full * n)


assert len(Outcome) == 5
assert (Cause.PASS, Cause.PASSEBUNGE) == (0, 1)
