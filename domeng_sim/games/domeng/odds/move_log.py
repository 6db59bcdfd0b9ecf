"""The log of a round of Domeng: plays and PASSes, and what the PASSes show."""

from __future__ import annotations

from domeng_sim.core.codes import NOBODY
from domeng_sim.core.tiles import HALVES, tile_text
from domeng_sim.games.shared.move_log import PASS, Act, LogEntry, MoveLog
from domeng_sim.games.types import PositionError

N_SEATS = 5
N_HAND = 5
SEATS = range(N_SEATS)


class DomengLog(MoveLog):
    """The chain as the log makes it, and what its making showed.

    Parameters
    ----------
    starter
        Who leads.

    Attributes
    ----------
    last
        LAST MAPPANO, or -1.
    voids
        By seat: the values that it does not hold, and the entry with the PASS that showed it.
    """

    n_seats, n_hand = N_SEATS, N_HAND

    def __init__(self, starter: int) -> None:
        super().__init__(starter)
        self.last = NOBODY
        self.voids: list[dict[int, int]] = [{} for _ in SEATS]

    def _pass(self, number: int, entry: LogEntry, where: str) -> None:
        for value in (self.left, self.right):
            self.voids[self.turn].setdefault(value, number)
        self.acts.append(Act(self.turn, PASS, NOBODY, "", "", self.left, self.right, entry.is_free))
        if self.turn == self.last:
            self.over = f"with entry {number} all five had passed, it was blocked"

    def _check_play(self, number: int, tile: int, where: str) -> None:
        for value in HALVES[tile]:
            if value in self.voids[self.turn]:
                entry = self.voids[self.turn][value]
                passed = self.acts[entry - 1]
                raise PositionError(
                    f"{where}: seat {self.turn} passed in entry {entry}, at the ends {passed.left} and {passed.right}, "
                    f"so it holds no tile with a {value}"
                )

    def _lay(self, tile: int, end: str, direction: str) -> None:
        self.last = self.turn

    def _check_held(self, tile: int, seat: int) -> None:
        super()._check_held(tile, seat)
        for value in HALVES[tile]:
            if value in self.voids[seat]:
                entry = self.voids[seat][value]
                raise PositionError(
                    f"log entry {entry} ({seat}:pass): seat {seat} holds {tile_text(tile)}, which fits the end "
                    f"{value}, so it had to play"
                )
