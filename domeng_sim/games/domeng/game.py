"""Domeng as the rest of the program sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from domeng_sim.core.tables import DOMENG_EVENTS, DOMENG_GAMES, DOMENG_ROUNDS
from domeng_sim.games.domeng.kernel.counts import counts, rounds_of, totals
from domeng_sim.games.domeng.kernel.feature_names import FEATURES, SIMPLE_FEATURES
from domeng_sim.games.domeng.rules import RULES
from domeng_sim.games.spec import GameKernel, GameSpec
from domeng_sim.games.types import RuleValue

if TYPE_CHECKING:
    from domeng_sim.games.shared.measures import Sheet
    from domeng_sim.games.shared.narrative import TellingSpec
    from domeng_sim.games.shared.odds import OddsSpec
    from domeng_sim.games.shared.outline import Outline
    from domeng_sim.games.shared.scoring import Scoring


def _kernel() -> GameKernel:
    from domeng_sim.games.domeng.kernel.kernel_api import DomengKernel

    return DomengKernel()


def _figures(rules: Mapping[str, RuleValue]) -> Sheet:
    from domeng_sim.games.domeng.report.figures import figures

    return figures(rules)


def _scoring() -> Scoring:
    from domeng_sim.games.domeng.report.scoring import SCORING

    return SCORING


def _outline(rules: Mapping[str, RuleValue], strategies: Sequence[str], by_strategy: bool) -> Outline:
    from domeng_sim.games.domeng.report.chapters import outline

    return outline(rules, strategies, by_strategy)


def _odds() -> OddsSpec:
    from domeng_sim.games.domeng.odds.questions import ODDS

    return ODDS


def _telling() -> TellingSpec:
    from domeng_sim.games.domeng.words.narrative import TELLING

    return TELLING


DOMENG = GameSpec(
    name="domeng",
    title="Domeng",
    version=1,
    seats=5,
    rules=RULES,
    tables={"games": DOMENG_GAMES, "rounds": DOMENG_ROUNDS, "events": DOMENG_EVENTS},
    counts=counts,
    figures=_figures,
    scoring=_scoring,
    rounds_of=rounds_of,
    totals=totals,
    kernel=_kernel,
    nominal_rounds=8,
    features=FEATURES,
    simple_features=SIMPLE_FEATURES,
    opponents=("master", "banker", "hunter", "flexible"),
    outline=_outline,
    odds=_odds,
    telling=_telling,
)
