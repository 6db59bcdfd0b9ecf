"""Generated parts of docs/strategies.md: features, strategies, and what a user's function is shown.

``python -m tools.strategies_page`` writes them anew; a test says whether the page is current.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from domeng_sim.games import game
from domeng_sim.games.shared import view as shared
from domeng_sim.strategies.resolve import presets
from tools.preset_shares import stored

PAGE = Path(__file__).resolve().parent.parent / "docs" / "strategies.md"
_PART = re.compile(
    r"(<!-- begin (?P<name>\w+)(?: (?P<game>\w+))? -->\n).*?(<!-- end (?P=name)(?: (?P=game))? -->\n)", re.DOTALL
)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def features(game_name: str) -> str:
    """Features of weighted strategies, with their sentences."""
    return _table(("feature", "what it is"), [(f"`{name}`", said) for name, said in game(game_name).features.items()])


def strategies(game_name: str) -> str:
    """The strategies that come with a game, with their weights."""
    rows = []
    for spec in presets(game(game_name)).values():
        weights = ", ".join(f"{name} {weight / 1000:g}" for name, weight in spec.weights.items()) or "none"
        if spec.temperature:
            weights += f"; temperature {spec.temperature:g}"
        rows.append((f"`{spec.name}`", spec.summary, weights, spec.source))
    return _table(("name", "what it does", "weights", "source"), rows)


def shares(game_name: str) -> str:
    """How well they do against `random`, as `tools.preset_shares` measured it."""
    others = game(game_name).seats - 1
    found = [row for (name, _), row in stored().items() if name == game_name]
    alone = [(f"`{row.name}`", f"{row.alone} ({row.alone_error})") for row in found]
    if others == 1:
        return _table(("name", "against `random`"), alone)
    crowd = [(f"{row.crowd} ({row.crowd_error})",) for row in found]
    number = {4: "four"}.get(others, str(others))
    head = ("name", f"alone among {number} of `random`", f"`random` alone among {number} of it")
    return _table(head, [one + other for one, other in zip(alone, crowd, strict=True)])


def _attributes(kind: type) -> dict[str, str]:
    """Attributes of a class from its docstring."""
    text = inspect.cleandoc(kind.__doc__ or "").partition("Attributes\n----------\n")[2]
    found: dict[str, str] = {}
    names: list[str] = []
    for line in text.splitlines():
        if line.startswith(" "):
            for name in names:
                found[name] = f"{found[name]} {line.strip()}".strip()
        elif line:
            names = line.split(", ")
            found.update(dict.fromkeys(names, ""))
    return found


def _shown(prefix: str, kind: type) -> str:
    rows = [(f"`{prefix}.{name}`", said.replace("`codes.", "`")) for name, said in _attributes(kind).items()]
    return _table(("", "what it is"), rows)


def view(game_name: str) -> str:
    """What stands in the view."""
    return _shown("view", game(game_name).core.seating.window.view)


def history(game_name: str) -> str:
    """What stands in the history of the view."""
    return _shown("view.history", shared.History)


def moves(game_name: str) -> str:
    """What stands in the moves."""
    return _shown("moves", shared.Moves)


PARTS: Mapping[str, Callable[[str], str]] = {
    part.__name__: part for part in (features, strategies, shares, view, history, moves)
}
"""By name; a part of a game other than Domeng is marked with its name behind it, as in ``view draw``."""


def current(text: str) -> str:
    """The page with its generated parts made anew."""
    return _PART.sub(lambda match: f"{match[1]}{PARTS[match['name']](match['game'] or 'domeng')}{match[4]}", text)


if __name__ == "__main__":
    PAGE.write_text(current(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
