"""A position of Domeng as the core takes it, made of what a player sees."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U
from domeng_sim.core.codes import Event
from domeng_sim.core.hands import KEEP
from domeng_sim.core.jit import kernel
from domeng_sim.games.domeng.kernel.state import DomengRoundState, after_lead, after_play
from domeng_sim.games.domeng.odds.move_log import N_HAND
from domeng_sim.games.domeng.odds.player_view import DomengView
from domeng_sim.games.shared.dealing import packed, rows_of_mask
from domeng_sim.games.shared.odds_start import Start, make_start


def _turn(here: DomengView) -> DomengRoundState:
    """The round as it stands, hands apart."""
    left, right = (max(end, 0) for end in here.ends)
    every = here.rules["passebunge"] == "every"
    fresh = sum(
        1 << seat
        for seat, (held, before) in enumerate(zip(here.held, here.passebunge, strict=True))
        if held == N_HAND and (every or not before)
    )
    return DomengRoundState(
        np.int64(here.acts[-1].seat if here.acts else here.starter),
        np.int64(here.last_mappano if here.acts else here.starter),
        U(8 * left),
        U(8 * right),
        U(8 * left),
        packed((*here.stones, here.table)),
        U(fresh),
        rows_of_mask(here.played),
        packed(here.voids),
        packed(here.held),
        packed(here.passes),
        packed(here.passebunge),
    )


def start_of(here: DomengView) -> Start:
    """The position as the core takes it."""
    start = make_start(here, _turn(here), (here.camat,), round_=int(not here.first_round))
    for award in here.awards:
        if award.is_passebunge:
            start.story[award.entry - 1, 0] = Event.PASSEBUNGE
    return start


@kernel
def after_move(
    turn: DomengRoundState, move: npt.NDArray[np.int64], start: Start, hands: npt.NDArray[np.uint64]
) -> DomengRoundState:
    """The round after one of the moves compared; the hand is changed."""
    index = U(move[1])
    hands[start.seat] &= KEEP[index]
    return after_lead(turn, index) if start.is_lead else after_play(turn, start.seat, index)
