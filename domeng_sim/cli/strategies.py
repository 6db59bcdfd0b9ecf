"""``domeng-sim strategies``."""

from __future__ import annotations

import json
import shutil
import textwrap
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal
from typing import Any, ClassVar

from domeng_sim.api.requests.base import Request, optional
from domeng_sim.api.requests.kinds import STRATEGY, SWITCH, choice
from domeng_sim.cli.options import request_command
from domeng_sim.cli.rules import ListView
from domeng_sim.games import GAMES
from domeng_sim.games import game as game_named
from domeng_sim.games.spec import GameSpec
from domeng_sim.runs.config import DEFAULT_GAME
from domeng_sim.strategies import search
from domeng_sim.strategies.resolve import resolve, texts_of
from domeng_sim.strategies.spec import StrategySpec

SCHEMA_VERSION = 1


def _found(text: str | None, game: GameSpec) -> list[StrategySpec]:
    """All strategies of the game, all of a file, or the one that is named."""
    texts = texts_of("presets" if text is None else text, game)
    if text is None and game.search is not None:
        texts.append(search.NAME)
    return [resolve(one, game) for one in texts]


def _document(spec: StrategySpec, game: GameSpec) -> dict[str, Any]:
    features = {
        name: {"weight": float(Decimal(weight) / 1000), "sentence": game.features[name]}
        for name, weight in spec.weights.items()
    }
    about = {key: value for key, value in spec.to_json().items() if key not in ("code", "weights_thousandths", "game")}
    return {**about, "features": features}


def _wrapped(text: str, indent: int) -> str:
    width = max(shutil.get_terminal_size((100, 24)).columns, indent + 30)
    lines = textwrap.wrap(text, width - indent, break_long_words=False, break_on_hyphens=False) or [""]
    return f"\n{' ' * indent}".join(lines)


def _list(found: list[StrategySpec], names: list[str]) -> None:
    width = max(map(len, names))
    for name, spec in zip(names, found, strict=True):
        print(f"{name:{width}}  {_wrapped(spec.summary, width + 2)}")


def _how(spec: StrategySpec) -> str:
    if spec.search is not None:
        base = spec.base or "the weights below"
        by = f"by how likely the choices of the others are for {spec.infer}" if spec.infer else "equally likely"
        return (
            f"For each decision up to {spec.search.n} deals of the hidden tiles are drawn, all that agree with what "
            f"the player knows {by}. Each move is played out on each of them, with the same luck, by "
            f"{base} in all seats. The best one is played, if it is better than the move of the base by one standard "
            "error; moves that are 2.5 of them behind are dropped on the way. Where there is one legal move nothing "
            "is drawn."
        )
    if spec.kind == "user":
        return f"A function of {spec.origin}; it receives the player's view and the legal moves, and chooses."
    if not spec.weights:
        return "No weights: all legal moves are equally likely."
    if spec.temperature:
        return (
            f"A move is chosen with probability in proportion to exp(score / {spec.temperature:g}); "
            "the score is the sum of weight x feature:"
        )
    return "The move with the highest score plays, ties are broken at random; the score is the sum of weight x feature:"


def _explain(spec: StrategySpec, game: GameSpec) -> None:
    print(_wrapped(f"{spec.name}: {spec.summary}" if spec.summary else spec.name, 0))
    if spec.source:
        print(_wrapped(f"Idea: {spec.source}", 0))
    if spec.copy:
        print(f"Copy {spec.copy}: the same choices, drawn from other random numbers.")
    print(f"\n{_wrapped(_how(spec), 0)}")
    if spec.search is not None:
        _explain_search(spec, game)
    if spec.weights:
        print()
        shown = {name: f"{Decimal(weight) / 1000:g}" for name, weight in spec.weights.items()}
        width, left = max(map(len, shown)), max(map(len, shown.values()))
        for name, weight in shown.items():
            print(f"  {weight:>{left}}  {name:{width}}  {_wrapped(game.features[name], left + width + 6)}")
    print(f"\nDigest of what is played: {spec.content_hash}")


def _explain_search(spec: StrategySpec, game: GameSpec) -> None:
    if game.search is None or spec.search is None:
        return
    value = game.search.values[spec.search.value]
    print(f"\n{_wrapped(f'It strives for {spec.search.value}: {value}.', 0)}")
    print(f"\nOptions, as in search+n=300+base={game.strongest}, or in a table [strategy.search] of a TOML file:\n")
    values = "; or ".join(f"{name}: {sentence}" for name, sentence in game.search.values.items())
    options = search.options_of(game)
    says = {**options, "value": f"{options['value']}: {values}"}
    width = max(map(len, says))
    for name, sentence in says.items():
        print(f"  {name:{width}}  {_wrapped(sentence, width + 4)}")
    if spec.weights:
        print("\nWeights of its base:")


def _explain_features(game: GameSpec) -> None:
    print(f"\nFeatures of a move in {game.title}, for weights of your own (docs/strategies.md):\n")
    width = max(map(len, game.features))
    for name, sentence in game.features.items():
        print(f"  {name:{width}}  {_wrapped(sentence, width + 4)}")


@dataclass(frozen=True)
class StrategiesRequest(Request):
    """A list of the strategies, or what one of them does."""

    command: ClassVar[str] = "strategies"

    name: str | None = optional(STRATEGY, "The one to explain.", is_argument=True)
    _: KW_ONLY
    game: str = optional(choice(*GAMES), "The game.", usual=DEFAULT_GAME)
    features: bool = optional(SWITCH, "List the features that weights may be given to.")


@request_command(StrategiesRequest, ListView)
def command(request: StrategiesRequest, view: ListView) -> int:
    """List the strategies, or explain the one called NAME.

    NAME may also be a file of weights or an entry of it (my.toml, my.toml:bold), either of them with weights changed
    (master+unseen=-1.5), or a function (my.py:choose): this is a way to check them without playing.

    \b
    Examples:
      domeng-sim strategies
      domeng-sim strategies banker
      domeng-sim strategies my.toml:bold --json
    """
    game, name = game_named(request.game), request.name
    found = _found(name, game)
    if view.json:
        document = {
            "schema_version": SCHEMA_VERSION,
            "game": game.name,
            "strategies": [_document(spec, game) for spec in found],
            "features": dict(game.features),
        }
        print(json.dumps(document, allow_nan=False, indent=1))
    elif len(found) == 1 and name is not None:
        _explain(found[0], game)
    else:
        _list(found, [spec.name if name is None else spec.text for spec in found])
        if name is None:
            print("\n`domeng-sim strategies NAME` explains one; they are taken by --strategy, --seats and `compare`.")
    if request.features and not view.json:
        _explain_features(game)
    return 0
