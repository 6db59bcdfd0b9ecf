"""The face of the core of Domeng."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from domeng_sim.core.codes import NOBODY
from domeng_sim.games.domeng.kernel import loop
from domeng_sim.games.domeng.kernel.camat_chance import are_usual
from domeng_sim.games.domeng.kernel.deal import DEALING
from domeng_sim.games.domeng.kernel.feature_names import FEATURES, SIMPLE_FEATURES
from domeng_sim.games.domeng.kernel.policies import DomengTerms, DomengWeightedPolicy
from domeng_sim.games.domeng.kernel.records import MAX_EVENTS
from domeng_sim.games.domeng.kernel.search import search_policy
from domeng_sim.games.domeng.kernel.view import WINDOW
from domeng_sim.games.domeng.rules import rules_row
from domeng_sim.games.shared.kernel import CoreKernel
from domeng_sim.games.shared.seats import Seating
from domeng_sim.games.types import RuleValue, Seat, Task

SEATING = Seating(tuple(FEATURES), SIMPLE_FEATURES, DomengWeightedPolicy, WINDOW, search_policy)


class DomengKernel(CoreKernel):
    """The compiled core of Domeng."""

    name, seating, max_events, play = "domeng", SEATING, MAX_EVENTS, loop.play_matches

    def notes(self, seats: Sequence[Seat], rules: Mapping[str, RuleValue]) -> tuple[str, ...]:
        """What people should know before these seats play under these rules, a line each."""
        by_chance = any(seat.search is not None and seat.search.value == "camat" for seat in seats)
        if not by_chance or are_usual(rules):
            return ()
        return ("The chance of becoming CAMAT is known under the usual rules only: the search strives for few stones",)

    def game(self, task: Task, policy: Any) -> loop.DomengGame:
        """What the loop takes."""
        first = np.array([int(task.rules["stones"]) << 40, NOBODY, NOBODY, 0, 0, 0, 0, 0], np.int64)
        deals = DEALING.room([seat.copy for seat in task.seats])
        return loop.DomengGame(DomengTerms(rules_row(task.rules), policy), deals, first.copy(), first)
