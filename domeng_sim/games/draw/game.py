"""Draw as the rest of the program sees it."""

from __future__ import annotations

from domeng_sim.games.draw.rules import RULES
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.two_player.kernel.counts import counts
from domeng_sim.games.two_player.kernel.feature_names import FEATURES
from domeng_sim.games.two_player.rules import SEARCH
from domeng_sim.games.two_player.tables import WITH_DRAWS

DRAW = GameSpec(
    name="draw",
    title="Draw",
    version=1,
    seats=2,
    rules=RULES,
    tables=WITH_DRAWS,
    counts=counts,
    nominal_rounds=10,
    features=FEATURES,
    opponents=("blocker",),
    strongest="starver",
    core="domeng_sim.games.two_player.kernel.kernel_api:TwoPlayerKernel",
    figures="domeng_sim.games.two_player.report.figures:figures",
    scoring="domeng_sim.games.two_player.report.scoring:scoring",
    outline="domeng_sim.games.two_player.report.chapters:outline",
    odds="domeng_sim.games.two_player.odds.questions:WITH_DRAWS",
    telling="domeng_sim.games.draw.words:TELLING",
    search=SEARCH,
)
