"""Measure the shares of presets: ``python -m tools.preset_shares [--game GAME] [NAME ...]``, some seconds each.

Without names those are measured whose figures are not current. The shares go into `FILE`, and the one against `random`
into the preset's summary, where one stands in brackets: ``(45.8 %)``; ``make docs`` brings both into the document of
strategies. Beside the figures stands a digest of what they depend on, so that a test notices stale ones.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from pathlib import Path
from typing import NamedTuple

import domeng_sim
from domeng_sim.games import GAMES
from domeng_sim.games.spec import GameSpec
from domeng_sim.runs.config import digest_of
from domeng_sim.strategies.resolve import PRESETS, presets
from domeng_sim.strategies.spec import StrategySpec

FILE = Path(__file__).parent / "preset_shares.csv"
REFERENCE = "random"
BLOCKS, SEED = 20_000, 2026
_SHARE = re.compile(r"\(\d+\.\d %\)")


class Shares(NamedTuple):
    """Shares of games won by one preset among `random`, and by one `random` among the preset; empty where two play.

    In percent with standard errors, as texts; `digest` is of what they depend on.
    """

    game: str
    name: str
    alone: str
    alone_error: str
    crowd: str
    crowd_error: str
    digest: str


def command(game: str, name: str, other: str = REFERENCE) -> str:
    """The command that measures a share."""
    return f"domeng-sim compare {name} {other} --game {game} --field 1 --blocks {BLOCKS} --seed {SEED}"


def digest(spec: GameSpec, preset: StrategySpec) -> str:
    """Digest of all that a preset's shares depend on."""
    reference = presets(spec)[REFERENCE]
    return digest_of([spec.version, preset.content_hash, reference.content_hash, command(spec.name, preset.name)])[:16]


def measured(game: str, name: str, other: str) -> tuple[float, float]:
    """Share and standard error of one strategy among another, in percent."""
    found = domeng_sim.compare(name, other, game=game, field=1, blocks=BLOCKS, seed=SEED)
    share = found.ends[0].share
    assert share.value is not None
    assert share.half_width is not None
    return 100 * share.value, 100 * share.half_width / 1.96


def stored() -> dict[tuple[str, str], Shares]:
    """The shares that were measured, by game and name."""
    if not FILE.exists():
        return {}
    with FILE.open(encoding="utf-8", newline="") as file:
        return {(row["game"], row["name"]): Shares(**row) for row in csv.DictReader(file)}


def stale(spec: GameSpec) -> list[str]:
    """Names of the presets of a game whose shares are not current."""
    found = stored()
    kept = {name: found[spec.name, name].digest for game, name in found if game == spec.name}
    return [name for name, one in presets(spec).items() if name != REFERENCE and kept.get(name) != digest(spec, one)]


def with_share(content: str, name: str, share: float) -> str:
    r"""A file of presets with the share in one summary, where one stands there.

    Examples
    --------
    >>> with_share('name = "master"\nsummary = "the best (45.0 %)"\n', "master", 45.81)
    'name = "master"\nsummary = "the best (45.8 %)"\n'
    """
    head, found, rest = content.partition(f'name = "{name}"\n')
    entry, mark, others = rest.partition("[[strategy]]")
    return head + found + _SHARE.sub(f"({share:.1f} %)", entry, count=1) + mark + others


def save(shares: dict[tuple[str, str], Shares]) -> None:
    """Write the file in the order of the presets; those that are gone go."""
    order = [(game, name) for game, spec in GAMES.items() for name in presets(spec)]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Shares._fields)
        writer.writerows(shares[key] for key in order if key in shares)


def main() -> int:
    """Measure presets, and write their shares where they are told."""
    parser = argparse.ArgumentParser(prog="python -m tools.preset_shares", description=main.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="presets; those that are not current if none is named")
    parser.add_argument("--game", choices=list(GAMES), help="the game; all of them if no preset is named")
    asked = parser.parse_args()
    if asked.names and not asked.game:
        parser.error("name the game of these presets by --game")
    for spec in [GAMES[asked.game]] if asked.game else GAMES.values():
        for name in asked.names or stale(spec):
            preset = presets(spec).get(name)
            if preset is None or name == REFERENCE:
                parser.error(f"{spec.name} has no preset {name!r} to be measured")
            alone = measured(spec.name, name, REFERENCE)
            crowd = measured(spec.name, REFERENCE, name) if spec.seats > 2 else ()
            texts = [*(f"{number:.2f}" for number in (*alone, *crowd)), *([""] * (2 - len(crowd)))]
            save(stored() | {(spec.name, name): Shares(spec.name, name, *texts, digest(spec, preset))})
            path = PRESETS / f"{spec.name}.toml"
            path.write_text(with_share(path.read_text(encoding="utf-8"), name, alone[0]), encoding="utf-8")
            print(f"{spec.name} {name}: {texts[0]} %, standard error {texts[1]} ({command(spec.name, name)})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
