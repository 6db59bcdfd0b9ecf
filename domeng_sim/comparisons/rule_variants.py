"""Other readings of the rules, and what is asked of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from domeng_sim.comparisons.design import Setting
from domeng_sim.comparisons.stopping import Stopping
from domeng_sim.comparisons.tournament_result import Entrants
from domeng_sim.errors import BadField, BadInput, FieldRef
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import RuleValue
from domeng_sim.strategies.spec import StrategySpec

DEFAULT_BLOCKS = 10_000
MAX_BLOCKS = 1_000_000
"""A million blocks of five readings take about two gigabytes."""

RANKING_BLOCKS = 1_000


@dataclass(frozen=True)
class Reading:
    """A rule read otherwise."""

    name: str
    value: RuleValue

    @property
    def label(self) -> str:
        """``camat_check=before``."""
        return f"{self.name}={self.value}"


def readings_of(spec: GameSpec, base: Mapping[str, RuleValue], options: Iterable[str]) -> tuple[Reading, ...]:
    """Other readings of the rules.

    Parameters
    ----------
    spec
        The game.
    base
        The rules that all are compared with.
    options
        Names of options, for all their other readings; or ``name=value``, also for an amount. Empty for every option
        that the rules leave open.

    Raises
    ------
    BadInput
        If there is no such rule or value, or it is no other reading.
    """
    known = {rule.name: rule for rule in spec.rules}
    found: list[Reading] = []
    for text in options or [rule.name for rule in spec.rules if len(rule.choices) > 1]:
        name, equals, value = (piece.strip() for piece in text.partition("="))
        if name not in known:
            raise BadInput(f"{spec.name} has no rule {name!r}; it has {', '.join(known)}")
        rule = known[name]
        if equals:
            try:
                values: list[RuleValue] = [rule.check(value)]
            except ValueError as error:
                raise BadInput(str(error)) from error
        elif rule.is_size and base[name] in rule.choices:
            raise BadInput(f"{name} is a size: give a value for it, as {name}=14x10")
        elif rule.choices:
            values = [choice for choice in rule.choices if choice != base[name]]
        else:
            raise BadInput(f"{name} is an amount: give a value for it, as {name}={base[name]}")
        if base[name] in values:
            raise BadInput(f"{name}={base[name]} is the reading that the others are compared with; give another value")
        found += [Reading(name, one) for one in values]
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Inquiry:
    """What is asked.

    Attributes
    ----------
    setting
        What all games have in common, but for the reading; its rules are those that all are compared with.
    strategy
        Plays in all seats.
    readings
        The other readings.
    ranked
        Strategies whose ranking is looked at under each reading; empty, or as many as a tournament takes.
    blocks, ranking_blocks
        Matches under each reading, and blocks of the tournaments.
    level
        Confidence level.
    """

    setting: Setting
    strategy: StrategySpec
    readings: tuple[Reading, ...]
    ranked: tuple[StrategySpec, ...] = ()
    blocks: int = DEFAULT_BLOCKS
    ranking_blocks: int = RANKING_BLOCKS
    level: float = 0.95

    def __post_init__(self) -> None:
        if not self.readings:
            raise BadInput(f"{self.setting.game} has no rule with other readings; name one with ", FieldRef("option"))
        if not 1 <= self.blocks <= MAX_BLOCKS:
            raise BadField("blocks", self.blocks, f"a whole number from 1 to {MAX_BLOCKS}")
        Stopping(blocks=1, level=self.level)
        if self.ranked:
            Entrants(self.setting, self.ranked)

    def settings(self) -> list[Setting]:
        """The setting under the default reading, then under each other one."""
        rules = dict(self.setting.rules)
        sets = [rules, *({**rules, reading.name: reading.value} for reading in self.readings)]
        return [Setting(self.setting.game, one, self.setting.seed, self.setting.games_per_match) for one in sets]
