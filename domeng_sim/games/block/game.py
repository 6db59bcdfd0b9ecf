"""Block as the rest of the program sees it."""

from __future__ import annotations

from domeng_sim.games.block.rules import RULES
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.two_player.kernel.counts import counts
from domeng_sim.games.two_player.kernel.feature_names import FEATURES_WITHOUT_DRAWS
from domeng_sim.games.two_player.rules import SEARCH
from domeng_sim.games.two_player.tables import WITHOUT_DRAWS

BLOCK = GameSpec(
    name="block",
    title="Block",
    version=2,
    seats=2,
    rules=RULES,
    tables=WITHOUT_DRAWS,
    counts=counts,
    nominal_rounds=10,
    features=FEATURES_WITHOUT_DRAWS,
    opponents=("blocker",),
    strongest="stopper",
    core="domeng_sim.games.two_player.kernel.kernel_api:TwoPlayerKernel",
    figures="domeng_sim.games.two_player.report.figures:figures",
    scoring="domeng_sim.games.two_player.report.scoring:scoring",
    outline="domeng_sim.games.two_player.report.chapters:outline",
    odds="domeng_sim.games.two_player.odds.questions:WITHOUT_DRAWS",
    telling="domeng_sim.games.block.words:TELLING",
    search=SEARCH,
)
