"""A position of a two-player game as the core takes it, made of what a player sees."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U
from domeng_sim.core.hands import KEEP
from domeng_sim.core.jit import kernel
from domeng_sim.games.shared.dealing import packed, rows_of_mask
from domeng_sim.games.shared.move_log import DRAW, PASS, PLAY
from domeng_sim.games.shared.odds_start import PASSES, Start, make_start
from domeng_sim.games.two_player.kernel.geometry import lay
from domeng_sim.games.two_player.kernel.moves import Move
from domeng_sim.games.two_player.kernel.state import TwoPlayerRoundState, after_lead, after_pass, after_play
from domeng_sim.games.two_player.odds.move_log import N_SEATS
from domeng_sim.games.two_player.odds.player_view import TwoPlayerView


def _lacks(here: TwoPlayerView, n_acts: int) -> list[int]:
    """By seat, mask of the tiles that everybody knows it does not hold after some acts; see `state.with_lacks`."""
    lacks = [0] * N_SEATS
    for turn in here.shown:
        if turn.at < n_acts:
            lacks[turn.seat] = turn.fits | (0 if turn.kept else lacks[turn.seat])
    return lacks


def _turn(here: TwoPlayerView) -> TwoPlayerRoundState:
    """The round as it stands, the stock apart."""
    left, right = (max(end, 0) for end in here.ends)
    lacks0, lacks1 = (rows_of_mask(mask) for mask in _lacks(here, len(here.acts) + 1))
    return TwoPlayerRoundState(
        np.int64(1 - here.turn if here.acts else here.starter),
        U(8 * left),
        U(8 * right),
        U(0),
        U(0),
        rows_of_mask(here.played),
        lacks0,
        lacks1,
        packed(here.n_acts(PLAY)),
        packed(here.n_acts(DRAW)),
        packed(here.n_acts(PASS)),
    )


def start_of(here: TwoPlayerView) -> Start:
    """The position as the core takes it."""
    lacks = [_lacks(here, at + 1)[act.seat] for at, act in enumerate(here.acts)]
    return make_start(here, _turn(here), here.scores, factorial(here.stock) if here.to_draw else 1, lacks=lacks)


@kernel
def after_move(
    turn: TwoPlayerRoundState, move: npt.NDArray[np.int64], start: Start, hands: npt.NDArray[np.uint64], table: Any
) -> TwoPlayerRoundState:
    """The round after one of the moves compared; the hand and the table are changed."""
    if move[0] == PASSES:
        return after_pass(turn, start.seat)
    played = Move(U(move[1]), move[2], move[3])
    hands[start.seat] &= KEEP[played.index]
    turn = after_lead(turn, played.index) if start.is_lead else after_play(turn, start.seat, played)
    lay(table, played)
    return turn
