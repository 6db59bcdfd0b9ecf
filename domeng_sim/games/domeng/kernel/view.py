"""What a user's function is shown in Domeng; see `games.shared.view`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word, lowest_bit
from domeng_sim.core.codes import NOBODY, End
from domeng_sim.core.dispatch import answer
from domeng_sim.core.hands import joined
from domeng_sim.core.jit import in_kernels, kernel
from domeng_sim.core.policy import Decision
from domeng_sim.games.domeng.kernel.deal import N_SEATS
from domeng_sim.games.domeng.kernel.policies import DomengTerms
from domeng_sim.games.domeng.kernel.records import NO_END
from domeng_sim.games.domeng.kernel.state import DomengRoundState, byte, on_table, right8
from domeng_sim.games.domeng.rules import RULES, RulesRow
from domeng_sim.games.shared.user import Window
from domeng_sim.games.shared.view import (
    HAND,
    IS_LEAD,
    LEFT,
    MOVE_JOINED,
    MOVE_OPENED,
    NOTHING,
    RIGHT,
    RULE,
    SEAT,
    SEEN,
    STARTER,
    History,
    end_moves,
    ends8,
    first_move,
    history_of,
    list_moves,
    rules_reader,
    show_move,
    show_own,
    shown_move,
    uniform_of,
    word_of,
)


class DomengObservation(NamedTuple):
    """What the player who is to move may know.

    Attributes
    ----------
    seat
        The player's own seat, 0 to 4; clockwise is +1 modulo 5.
    is_lead
        Whether the first tile of the round is to be played.
    hand
        The tiles in hand: bit t for the tile of number t.
    left, right
        The ends of the chain; -1 before the first tile.
    starter
        Who started the round.
    camat
        The CAMAT, or -1 if the match has none yet.
    last_mappano
        LAST MAPPANO, or -1 before the first tile.
    table
        Stones on the table.
    stones
        Shape (5,): stones of each seat.
    held
        Shape (5,): tiles in the hand of each seat.
    voids
        Shape (5,): bit v is set where a PASS in this round shows that the seat holds no tile with the value v.
    seen
        The tiles on the table: bit t for the tile of number t.
    history
        Every tile played and every PASS of this round.
    rules
        The rules as numbers, under their names; of an option, 0 for the default reading and 1 for the other one.
    uniform
        A random number from 0 to below 1, another one for each decision.
    word
        The 64 random bits behind it.
    """

    seat: np.int64
    is_lead: bool
    hand: np.int64
    left: np.int64
    right: np.int64
    starter: np.int64
    camat: np.int64
    last_mappano: np.int64
    table: np.int64
    stones: npt.NDArray[np.int64]
    held: npt.NDArray[np.int64]
    voids: npt.NDArray[np.int64]
    seen: np.int64
    history: History
    rules: RulesRow
    uniform: float
    word: np.uint64


CAMAT = RULE + len(RULES)
LAST_MAPPANO, ON_TABLE = CAMAT + 1, CAMAT + 2
STONES, HELD, VOIDS, N_SHOWN = (ON_TABLE + 1 + part * N_SEATS for part in range(4))
"""What is shown in this game only, and the length of the array."""
_rules_of = rules_reader(RulesRow)


@in_kernels
def view_of(shown: npt.NDArray[np.int64]) -> DomengObservation:
    """The view on the array."""
    return DomengObservation(
        shown[SEAT],
        shown[IS_LEAD] != 0,
        shown[HAND],
        shown[LEFT],
        shown[RIGHT],
        shown[STARTER],
        shown[CAMAT],
        shown[LAST_MAPPANO],
        shown[ON_TABLE],
        shown[STONES : STONES + N_SEATS],
        shown[HELD : HELD + N_SEATS],
        shown[VOIDS : VOIDS + N_SEATS],
        shown[SEEN],
        history_of(shown),
        _rules_of(shown),
        uniform_of(shown),
        word_of(shown),
    )


WINDOW = Window(view_of, N_SHOWN)


@answer(ends8, DomengRoundState)
@kernel
def _ends8(turn: DomengRoundState) -> tuple[Word, Word]:
    return turn.left8, right8(turn)


@answer(first_move, DomengTerms)
@kernel
def _first_move(terms: DomengTerms, here: Decision) -> Word:
    return lowest_bit(here.moves)


@answer(list_moves, DomengTerms)
@kernel
def _list_moves(terms: DomengTerms, here: Decision, known: npt.NDArray[np.int64]) -> int:
    rest, n = here.moves, 0
    while rest:
        index = lowest_bit(rest)
        rest &= rest - U(1)
        end = np.int64(End.LEFT) if joined(index) == here.turn.left8 else np.int64(End.RIGHT)
        show_move(known, n, index, NO_END if here.is_lead else end, NOTHING)
        n += 1
    end_moves(known, n)
    return n


@answer(shown_move, DomengTerms)
@kernel
def _shown_move(terms: DomengTerms, known: npt.NDArray[np.int64], k: int) -> Word:
    return U(8 * known[MOVE_JOINED + k] + known[MOVE_OPENED + k])


@answer(show_own, DomengTerms)
@kernel
def _show_own(terms: DomengTerms, here: Decision, known: npt.NDArray[np.int64]) -> None:
    turn = here.turn
    known[LAST_MAPPANO] = NOBODY if here.is_lead else turn.last
    known[ON_TABLE] = np.int64(on_table(turn.stones))
    for seat in range(N_SEATS):
        known[STONES + seat] = np.int64(byte(turn.stones, seat))
        known[HELD + seat] = np.int64(byte(turn.held, seat))
        known[VOIDS + seat] = np.int64(byte(turn.voids, seat))
