"""Draw as the rest of the program sees it."""

from __future__ import annotations

from domeng_sim.games.draw.counts import counts, rounds_of, totals
from domeng_sim.games.draw.figures import figures
from domeng_sim.games.draw.names import FEATURES, SIMPLE_FEATURES
from domeng_sim.games.draw.rules import RULES
from domeng_sim.games.draw.scoring import SCORING
from domeng_sim.games.spec import GameKernel, GameSpec
from domeng_sim.tables import DRAW_EVENTS, DRAW_GAMES, DRAW_ROUNDS


def _kernel() -> GameKernel:
    from domeng_sim.games.draw.face import DrawKernel

    return DrawKernel()


DRAW = GameSpec(
    name="draw",
    title="Draw",
    version=1,
    seats=2,
    rules=RULES,
    tables={"games": DRAW_GAMES, "rounds": DRAW_ROUNDS, "events": DRAW_EVENTS},
    counts=counts,
    figures=figures,
    scoring=SCORING,
    rounds_of=rounds_of,
    totals=totals,
    kernel=_kernel,
    nominal_rounds=10,
    features=FEATURES,
    simple_features=SIMPLE_FEATURES,
)
