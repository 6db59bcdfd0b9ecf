"""``domeng-sim strategies``."""

from __future__ import annotations

import json
import shutil
import textwrap
from decimal import Decimal
from typing import Any

import click

from domeng_sim.games import GAMES
from domeng_sim.games.spec import GameSpec
from domeng_sim.strategies.resolve import StrategySpec, presets, resolve
from domeng_sim.strategies.weighted import parse_entries, read_text

SCHEMA_VERSION = 1


def _found(text: str | None, game: GameSpec) -> list[StrategySpec]:
    """All strategies of the game, all of a file, or the one that is named."""
    if text is None:
        return list(presets(game).values())
    if text.endswith(".toml"):
        return [resolve(f"{text}:{name}", game) for name in parse_entries(read_text(text), text, game)]
    return [resolve(text, game)]


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
    if spec.weights:
        print()
        shown = {name: f"{Decimal(weight) / 1000:g}" for name, weight in spec.weights.items()}
        width, left = max(map(len, shown)), max(map(len, shown.values()))
        for name, weight in shown.items():
            print(f"  {weight:>{left}}  {name:{width}}  {_wrapped(game.features[name], left + width + 6)}")
    print(f"\nDigest of what is played: {spec.content_hash}")


def _explain_features(game: GameSpec) -> None:
    print(f"\nFeatures of a move in {game.title}, for weights of your own (docs/strategies.md):\n")
    width = max(map(len, game.features))
    for name, sentence in game.features.items():
        print(f"  {name:{width}}  {_wrapped(sentence, width + 4)}")


@click.command()
@click.argument("name", required=False)
@click.option(
    "--game", "game_name", type=click.Choice(list(GAMES)), default="domeng", show_default=True, help="The game."
)
@click.option("--features", is_flag=True, help="List the features that weights may be given to.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(name: str | None, game_name: str, features: bool, as_json: bool) -> int:
    """List the strategies, or explain the one called NAME.

    NAME may also be a file of weights or an entry of it (my.toml, my.toml:bold), or a function (my.py:choose): this is
    a way to check them without playing.

    \b
    Examples:
      domeng-sim strategies
      domeng-sim strategies banker
      domeng-sim strategies my.toml:bold --json
    """
    game = GAMES[game_name]
    found = _found(name, game)
    if as_json:
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
    if features and not as_json:
        _explain_features(game)
    return 0
