"""Generated parts of docs/strategies.md: features, strategies, and what a user's function is shown.

``python -m tools.strategies_page`` writes them anew; a test says whether the page is current.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from domeng_sim.games import game
from domeng_sim.strategies.spec import presets

PAGE = Path(__file__).resolve().parent.parent / "docs" / "strategies.md"
_PART = re.compile(r"(<!-- begin (?P<name>\w+) -->\n).*?(<!-- end (?P=name) -->\n)", re.DOTALL)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def features() -> str:
    """Features of weighted strategies, with their sentences."""
    return _table(("feature", "what it is"), [(f"`{name}`", said) for name, said in game("domeng").features.items()])


def strategies() -> str:
    """The strategies that come with the game, with their weights."""
    rows = []
    for spec in presets(game("domeng")).values():
        weights = ", ".join(f"{name} {weight / 1000:g}" for name, weight in spec.weights.items()) or "none"
        if spec.temperature:
            weights += f"; temperature {spec.temperature:g}"
        rows.append((f"`{spec.name}`", spec.summary, weights, spec.source))
    return _table(("name", "what it does", "weights", "source"), rows)


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


def view() -> str:
    """What stands in the view."""
    from domeng_sim.games.domeng.view import View

    return _shown("view", View)


def history() -> str:
    """What stands in the history of the view."""
    from domeng_sim.games.domeng.view import History

    return _shown("view.history", History)


def moves() -> str:
    """What stands in the moves."""
    from domeng_sim.games.domeng.view import Moves

    return _shown("moves", Moves)


PARTS: Mapping[str, Callable[[], str]] = {part.__name__: part for part in (features, strategies, view, history, moves)}


def current(text: str) -> str:
    """The page with its generated parts made anew."""
    return _PART.sub(lambda match: f"{match[1]}{PARTS[match['name']]()}{match[3]}", text)


if __name__ == "__main__":
    PAGE.write_text(current(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
