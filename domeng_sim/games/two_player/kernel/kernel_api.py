"""The face of the core of two-player games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from domeng_sim.core.tables import Table
from domeng_sim.games.shared.kernel import CoreKernel
from domeng_sim.games.shared.seats import Seating
from domeng_sim.games.two_player.kernel import counts, geometry, loop
from domeng_sim.games.two_player.kernel.deal import DEALING, N_SEATS
from domeng_sim.games.two_player.kernel.feature_names import FEATURES, SIMPLE_FEATURES
from domeng_sim.games.two_player.kernel.policies import TwoPlayerTerms, weighted_policy
from domeng_sim.games.two_player.kernel.records import MAX_EVENTS
from domeng_sim.games.two_player.kernel.search import search_policy
from domeng_sim.games.two_player.kernel.view import WINDOW
from domeng_sim.games.two_player.rules import rules_row, table_size
from domeng_sim.games.two_player.tables import WITH_DRAWS
from domeng_sim.games.types import Count, RuleValue, Task

SEATING = Seating(tuple(FEATURES), SIMPLE_FEATURES, weighted_policy, WINDOW, search_policy)


def make_table(rules: Mapping[str, RuleValue]) -> Any:
    """The table on which tiles lie."""
    size = table_size(rules)
    return geometry.Unbounded(np.int64(0)) if size is None else geometry.grid(*size)


class TwoPlayerKernel(CoreKernel):
    """The compiled core of a two-player game: whatever the game, it fills the tables and counters of one with draws."""

    name, seating, max_events, play = "two-player", SEATING, MAX_EVENTS, loop.play_matches

    @property
    def tables(self) -> Mapping[str, Table]:
        """The tables that the core fills."""
        return WITH_DRAWS

    def counts(self, rules: Mapping[str, RuleValue]) -> tuple[Count, ...]:
        """The counters that the core adds to."""
        return counts.COUNTS

    def engine(self, task: Task) -> str:
        """Name of the engine that plays a task on a table of that kind."""
        return super().engine(task) + ("" if table_size(task.rules) is None else "-grid")

    def game(self, task: Task, policy: Any) -> loop.TwoPlayerGame:
        """What the loop takes."""
        terms = TwoPlayerTerms(rules_row(task.rules), policy, make_table(task.rules))
        deals = DEALING.room([seat.copy for seat in task.seats])
        return loop.TwoPlayerGame(terms, deals, np.zeros(N_SEATS, np.int64), np.zeros(N_SEATS, np.int64))
