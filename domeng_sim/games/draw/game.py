"""Draw as the rest of the program sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from domeng_sim.core.tables import DRAW_EVENTS, DRAW_GAMES, DRAW_ROUNDS
from domeng_sim.games.draw.kernel.counts import counts, rounds_of, totals
from domeng_sim.games.draw.kernel.feature_names import FEATURES, SIMPLE_FEATURES
from domeng_sim.games.draw.rules import RULES
from domeng_sim.games.spec import GameKernel, GameSpec
from domeng_sim.games.types import RuleValue

if TYPE_CHECKING:
    from domeng_sim.games.shared.measures import Sheet
    from domeng_sim.games.shared.narrative import TellingSpec
    from domeng_sim.games.shared.odds import OddsSpec
    from domeng_sim.games.shared.outline import Outline
    from domeng_sim.games.shared.scoring import Scoring


def _kernel() -> GameKernel:
    from domeng_sim.games.draw.kernel.kernel_api import DrawKernel

    return DrawKernel()


def _figures(rules: Mapping[str, RuleValue]) -> Sheet:
    from domeng_sim.games.draw.report.figures import figures

    return figures(rules)


def _scoring() -> Scoring:
    from domeng_sim.games.draw.report.scoring import SCORING

    return SCORING


def _telling() -> TellingSpec:
    from domeng_sim.games.draw.words.narrative import TELLING

    return TELLING


def _odds() -> OddsSpec:
    from domeng_sim.games.draw.odds.questions import ODDS

    return ODDS


def _outline(rules: Mapping[str, RuleValue], strategies: Sequence[str], by_strategy: bool) -> Outline:
    from domeng_sim.games.draw.report.chapters import outline

    return outline(rules, strategies, by_strategy)


DRAW = GameSpec(
    name="draw",
    title="Draw",
    version=1,
    seats=2,
    rules=RULES,
    tables={"games": DRAW_GAMES, "rounds": DRAW_ROUNDS, "events": DRAW_EVENTS},
    counts=counts,
    figures=_figures,
    scoring=_scoring,
    rounds_of=rounds_of,
    totals=totals,
    kernel=_kernel,
    nominal_rounds=10,
    features=FEATURES,
    simple_features=SIMPLE_FEATURES,
    outline=_outline,
    odds=_odds,
    opponents=("blocker",),
    telling=_telling,
)
