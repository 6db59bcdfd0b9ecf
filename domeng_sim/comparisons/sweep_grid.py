"""A grid of settings: weights of a strategy, options of its search, and rules of the game, each over some values."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from domeng_sim.comparisons.design import Lineup, Setting, alone, in_company
from domeng_sim.errors import BadField
from domeng_sim.games.spec import GameSpec
from domeng_sim.games.types import RuleValue
from domeng_sim.strategies import search
from domeng_sim.strategies.inline import TEMPERATURE
from domeng_sim.strategies.resolve import changed
from domeng_sim.strategies.spec import StrategySpec
from domeng_sim.strategies.weighted import StrategySpecError, known_names

MOST_BLOCKS = 50_000_000
"""At all points together: their scores take 200 MB."""
MOST_POINTS = 256
"""Each is played on all blocks, and intervals that hold over all of them grow with their number."""
WEIGHTS, RULE = "weights.", "rule."

_NUMBER = r"[-+]?(?:\d+(?:\.\d+)?|\.\d+)"
_RANGE = re.compile(
    rf"\s*(?P<first>{_NUMBER})\s*\.\.\s*(?P<last>{_NUMBER})\s*(?:/\s*(?P<step>{_NUMBER})\s*)?", re.ASCII
)


@dataclass(frozen=True)
class Axis:
    """What is changed, and the values that it takes.

    Attributes
    ----------
    name
        As it was asked for: ``weights.unseen``, ``rule.stones``, or an option of a search or of a strategy: ``n``.
    values
        In the order in which they were asked for, in their shortest form.
    """

    name: str
    values: tuple[str, ...]

    @property
    def is_rule(self) -> bool:
        """Whether a rule is changed, not the strategy."""
        return self.name.startswith(RULE)

    @property
    def short(self) -> str:
        """Name without its kind, for tables and for strategies."""
        return self.name.rpartition(".")[2]

    @property
    def text(self) -> str:
        """As it may be asked for."""
        return f"{self.name}={','.join(self.values)}"


@dataclass(frozen=True)
class Point:
    """A point of a grid: a value on each axis, and what that is."""

    label: str
    values: tuple[str, ...]
    strategy: StrategySpec
    rules: tuple[tuple[str, RuleValue], ...]


def axes_of(texts: Sequence[str], base: StrategySpec, game: GameSpec) -> tuple[Axis, ...]:
    """Axes from texts such as ``weights.unseen=-2..0/0.25``, ``rule.stones=10..40/5`` and ``n=10,30,100``.

    Parameters
    ----------
    texts
        Each a name and its values: several between commas, or the first and the last of a range, with the step behind.
    base
        The strategy that is changed.
    game
        What is played.

    Raises
    ------
    BadField
        If there is no such name, the values are no such values, or a name is given twice.
    """
    axes: list[Axis] = []
    for text in texts:
        name, equals, told = (piece.strip() for piece in text.partition("="))
        if not equals:
            raise _wrong(text, f"{text!r} needs values, as in {name or 'rule.stones'}=10,20 or =10..40/5")
        _check_name(text, name, base, game)
        values = _values(text, name, told)
        if name.startswith(RULE):
            rule = next(rule for rule in game.rules if rule.name == name.removeprefix(RULE))
            try:
                values = [str(rule.check(value)) for value in values]
            except ValueError as error:
                raise _wrong(text, str(error)) from error
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice is not None:
            raise _wrong(text, f"{name} has the value {twice} twice; give it once")
        if any(axis.name == name for axis in axes):
            raise _wrong(text, f"{name} is given twice; give all its values at once, separated by commas")
        axes.append(Axis(name, tuple(values)))
    n = math.prod(len(axis.values) for axis in axes)
    if n > MOST_POINTS:
        raise _wrong(tuple(texts), _too_many(n))
    return tuple(axes)


def _wrong(text: str | tuple[str, ...], told: str) -> BadField:
    return BadField("over", text, message=(told,))


def _too_many(n: int) -> str:
    return (
        f"a grid has at most {MOST_POINTS} points, not {n}: each is played on all blocks, and intervals that hold over "
        "all of them grow with their number; take wider steps"
    )


def _check_name(text: str, name: str, base: StrategySpec, game: GameSpec) -> None:
    if name.startswith(RULE):
        known, wrong, what = [rule.name for rule in game.rules], name.removeprefix(RULE), "rule"
    elif name.startswith(WEIGHTS):
        if base.kind not in ("random", "weighted"):
            raise _wrong(
                text, f"{base.text} has no weights to be changed; options of a search are named alone, as n=10,30"
            )
        known, wrong, what = list(game.features), name.removeprefix(WEIGHTS), "feature"
    else:
        options = {"search": list(search.OPTIONS), "weighted": [TEMPERATURE], "random": [TEMPERATURE]}
        known, wrong, what = options.get(base.kind, []), name, "option"
        if wrong not in known:
            there = [
                *known,
                *(f"{WEIGHTS}{one}" for one in game.features),
                *(f"{RULE}{one.name}" for one in game.rules),
            ]
            raise _wrong(text, f"{base.text} has no option {wrong!r}; {known_names(wrong, there)}")
    if wrong not in known:
        raise _wrong(text, f"{game.name} has no {what} {wrong!r}; {known_names(wrong, known)}")


def _values(text: str, name: str, told: str) -> list[str]:
    """Values of a list or a range, numbers in their shortest form."""
    if ".." not in told:
        values = [piece.strip() for piece in told.split(",")]
        if not all(values):
            raise _wrong(text, f"{name} needs values, separated by commas, not {told!r}")
        if name.startswith(WEIGHTS) and not all(re.fullmatch(_NUMBER, value, re.ASCII) for value in values):
            raise _wrong(text, f"{name} takes numbers such as -1.5, or a range such as -2..0/0.25, not {told!r}")
        return [_plain(Decimal(value)) if re.fullmatch(_NUMBER, value, re.ASCII) else value for value in values]
    match = _RANGE.fullmatch(told)
    if match is None:
        raise _wrong(
            text, f"{name} takes a range from the least to the greatest with a step, as -2..0/0.25, not {told!r}"
        )
    first, last = Decimal(match["first"]), Decimal(match["last"])
    if match["step"] is None and (first % 1 or last % 1 or name.startswith(WEIGHTS)):
        raise _wrong(text, f"the range {told} needs a step, as in {told}/0.25")
    step = Decimal(match["step"] or 1)
    if step <= 0:
        raise _wrong(text, f"the step of the range {told} must be above 0")
    if first > last:
        raise _wrong(text, f"the range {told} is empty; the least comes first, as in {match['last']}..{match['first']}")
    n = int((last - first) / step) + 1
    if n > MOST_POINTS:
        raise _wrong(text, _too_many(n))
    return [_plain(first + step * number) for number in range(n)]


def _plain(number: Decimal) -> str:
    return f"{number.normalize() + 0:f}"


def points_of(axes: Sequence[Axis], base: StrategySpec, setting: Setting) -> tuple[Point, ...]:
    """All points of a grid, those of the last axis next to each other.

    Raises
    ------
    BadField
        If the strategy does not take a value.
    """
    found = []
    for values in itertools.product(*(axis.values for axis in axes)):
        pairs = list(zip(axes, values, strict=True))
        changes = {axis.short: value for axis, value in pairs if not axis.is_rule}
        try:
            strategy = changed(base.text, changes, setting.spec) if changes else base
        except StrategySpecError as error:
            raise BadField("over", tuple(axis.text for axis in axes), message=error.parts) from error
        known = {rule.name: rule for rule in setting.spec.rules}
        rules = tuple((axis.short, known[axis.short].check(value)) for axis, value in pairs if axis.is_rule)
        label = ", ".join(f"{axis.short}={value}" for axis, value in pairs)
        found.append(Point(label, values, strategy, rules))
    return tuple(found)


def _unchanged(axis: Axis, base: StrategySpec, rules: Mapping[str, RuleValue]) -> str:
    """Value of an axis where nothing is changed."""
    if axis.is_rule:
        return str(rules[axis.short])
    if axis.name.startswith(WEIGHTS):
        return _plain(Decimal(base.weights.get(axis.short, 0)) / 1000)
    if axis.name == TEMPERATURE:
        return _plain(Decimal(repr(base.temperature)))
    return {
        "base": base.base,
        **({} if base.search is None else {"n": str(base.search.n), "value": base.search.value}),
    }[axis.name]


def reference_of(asked: Sequence[str], axes: Sequence[Axis], base: StrategySpec, rules: Mapping[str, RuleValue]) -> int:
    """Position of the point that the others are compared with.

    Parameters
    ----------
    asked
        Values by the names of their axes, as ``unseen=-1.5``.
    axes
        Of the grid.
    base, rules
        What is changed: of an axis that is not named its unchanged value is taken if it is there, else the first.

    Raises
    ------
    BadField
        If there is no such point.
    """
    usual = [_unchanged(axis, base, rules) for axis in axes]
    at = [axis.values.index(value) if value in axis.values else 0 for axis, value in zip(axes, usual, strict=True)]
    seen: set[int] = set()
    for text in asked:
        name, _, value = (piece.strip() for piece in text.partition("="))
        number = next((k for k, axis in enumerate(axes) if name in (axis.name, axis.short)), None)
        if number is None or number in seen:
            known = ", ".join(axis.name for axis in axes)
            why = f"{name} is given twice" if number is not None else f"the grid is not over {name!r}, but over {known}"
            raise BadField("reference", text, message=(why,))
        seen.add(number)
        value = _plain(Decimal(value)) if re.fullmatch(_NUMBER, value, re.ASCII) else value
        if value not in axes[number].values:
            told = f"{value!r} is no value of {axes[number].name}; it takes {', '.join(axes[number].values)}"
            raise BadField("reference", text, message=(told,))
        at[number] = axes[number].values.index(value)
    place = 0
    for axis, number in zip(axes, at, strict=True):
        place = place * len(axis.values) + number
    return place


@dataclass(frozen=True)
class SweepGrid:
    """What is asked.

    Attributes
    ----------
    setting
        What all games have in common, but for the rules of a point.
    axes, points
        The grid.
    base
        The strategy that is changed.
    company
        Who sits with it, for each other seat; empty where it sits in all seats.
    reference
        Position of the point that the others are compared with.
    blocks
        Played at every point.
    level
        Confidence level.
    """

    setting: Setting
    axes: tuple[Axis, ...]
    points: tuple[Point, ...]
    base: StrategySpec
    company: tuple[StrategySpec, ...]
    reference: int
    blocks: int
    level: float

    def __post_init__(self) -> None:
        most = MOST_BLOCKS // len(self.points)
        if self.blocks > most:
            told = f"at most {most}, so that all {len(self.points)} points fit into memory"
            raise BadField("blocks", self.blocks, told)

    def lineups(self) -> tuple[Lineup, ...]:
        """Who sits at the table of each point."""
        seats, found = self.setting.seats, []
        for point in self.points:
            if self.company:
                lineup = in_company(0, (point.strategy, *self.company), range(1, seats), seats)
                found.append(replace(lineup, label=point.label, rules=point.rules))
            else:
                found.append(alone(point.strategy, seats, point.rules, point.label))
        return tuple(found)

    def tables(self) -> tuple[tuple[Lineup, ...], tuple[int, ...]]:
        """Different tables, and which of them each point has: what plays the same is played once."""
        by_key: dict[str, Lineup] = {}
        lineups = self.lineups()
        for lineup in lineups:
            by_key.setdefault(lineup.key, lineup)
        order = list(by_key)
        return tuple(by_key.values()), tuple(order.index(lineup.key) for lineup in lineups)

    def to_json(self) -> dict[str, object]:
        """As it stands in manifests: all that decides the blocks."""
        known = {spec.text: spec for lineup in self.tables()[0] for spec in lineup.members}
        return {
            **self.setting.to_json(),
            "strategies": [spec.to_json() for spec in known.values()],
            "lineups": [lineup.to_json() for lineup in self.tables()[0]],
        }
