"""Domeng as the rest of the program sees it."""

from __future__ import annotations

from domeng_sim.core.tables import DOMENG_EVENTS, DOMENG_GAMES, DOMENG_ROUNDS
from domeng_sim.games.domeng.kernel.counts import counts
from domeng_sim.games.domeng.kernel.feature_names import FEATURE_SCALES, FEATURES
from domeng_sim.games.domeng.rules import RULES, SEARCH
from domeng_sim.games.spec import GameSpec

DOMENG = GameSpec(
    name="domeng",
    title="Domeng",
    version=1,
    seats=5,
    rules=RULES,
    tables={"games": DOMENG_GAMES, "rounds": DOMENG_ROUNDS, "events": DOMENG_EVENTS},
    counts=counts,
    nominal_rounds=8,
    features=FEATURES,
    feature_scales=FEATURE_SCALES,
    opponents=("master", "banker", "hunter", "flexible"),
    strongest="master",
    core="domeng_sim.games.domeng.kernel.kernel_api:DomengKernel",
    figures="domeng_sim.games.domeng.report.figures:figures",
    scoring="domeng_sim.games.domeng.report.scoring:scoring",
    outline="domeng_sim.games.domeng.report.chapters:outline",
    odds="domeng_sim.games.domeng.odds.questions:ODDS",
    telling="domeng_sim.games.domeng.words.narrative:TELLING",
    search=SEARCH,
)
