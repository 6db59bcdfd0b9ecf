"""Domeng as the rest of the program sees it."""

from __future__ import annotations

from domeng_sim.games.domeng.counts import counts, rounds_of, totals
from domeng_sim.games.domeng.figures import figures
from domeng_sim.games.domeng.names import FEATURES, SIMPLE_FEATURES
from domeng_sim.games.domeng.outline import outline
from domeng_sim.games.domeng.positions import ODDS
from domeng_sim.games.domeng.rules import RULES
from domeng_sim.games.domeng.scoring import SCORING
from domeng_sim.games.spec import GameKernel, GameSpec
from domeng_sim.tables import DOMENG_EVENTS, DOMENG_GAMES, DOMENG_ROUNDS


def _kernel() -> GameKernel:
    from domeng_sim.games.domeng.face import DomengKernel

    return DomengKernel()


DOMENG = GameSpec(
    name="domeng",
    title="Domeng",
    version=1,
    seats=5,
    rules=RULES,
    tables={"games": DOMENG_GAMES, "rounds": DOMENG_ROUNDS, "events": DOMENG_EVENTS},
    counts=counts,
    figures=figures,
    scoring=SCORING,
    rounds_of=rounds_of,
    totals=totals,
    kernel=_kernel,
    nominal_rounds=8,
    features=FEATURES,
    simple_features=SIMPLE_FEATURES,
    outline=outline,
    odds=ODDS,
)
