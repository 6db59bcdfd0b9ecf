"""Domeng as the rest of the program sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from domeng_sim.games.domeng.counts import counts, rounds_of, totals
from domeng_sim.games.domeng.names import FEATURES, SIMPLE_FEATURES
from domeng_sim.games.domeng.rules import RULES
from domeng_sim.games.spec import GameKernel, GameSpec, RuleValue
from domeng_sim.tables import DOMENG_EVENTS, DOMENG_GAMES, DOMENG_ROUNDS

if TYPE_CHECKING:
    from domeng_sim.games.figures import Sheet
    from domeng_sim.games.odds import OddsSpec
    from domeng_sim.games.outline import Outline
    from domeng_sim.games.scoring import Scoring
    from domeng_sim.games.telling import TellingSpec


def _kernel() -> GameKernel:
    from domeng_sim.games.domeng.face import DomengKernel

    return DomengKernel()


def _figures(rules: Mapping[str, RuleValue]) -> Sheet:
    from domeng_sim.games.domeng.figures import figures

    return figures(rules)


def _scoring() -> Scoring:
    from domeng_sim.games.domeng.scoring import SCORING

    return SCORING


def _outline(rules: Mapping[str, RuleValue], strategies: Sequence[str], by_strategy: bool) -> Outline:
    from domeng_sim.games.domeng.outline import outline

    return outline(rules, strategies, by_strategy)


def _odds() -> OddsSpec:
    from domeng_sim.games.domeng.positions import ODDS

    return ODDS


def _telling() -> TellingSpec:
    from domeng_sim.games.domeng.telling import TELLING

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
