"""Write rounds as they are told, to be read when they change: `python -m tests.golden.make_told` makes told.txt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from domeng_sim.cli.show_page import told
from domeng_sim.core.codes import labels
from domeng_sim.games import GAMES
from domeng_sim.games.shared.narrative import Look
from tests.domeng_runs import RANDOM
from tests.every_game import runs_of
from tests.golden.make import ROUNDS, SEED

FILE = Path(__file__).parent / "told.txt"

# Title, game, match, game in the match, round, rules, names, viewers and look.
DOMENG: list[tuple[Any, ...]] = [
    ("domeng", title, match, game, round_, rules, {}, None, Look())
    for title, match, game, round_, seats, rules in ROUNDS
    if (match in (0, 3, 10) and seats == RANDOM and (game, round_) != (1, 0)) or match == 10
]
PLAYER = ({0: "you"}, frozenset({0}), Look(width=40))
CHOSEN = [
    *DOMENG,
    (
        "domeng",
        "A plain CAPPU as one player sees it, in few columns",
        0,
        1,
        0,
        {},
        {0: "you"},
        frozenset({0}),
        Look(width=40),
    ),
    ("draw", "A player is out, and wins the game", 0, 0, 5, {}, {}, None, Look()),
    ("draw", "Blocked on a finite table", 0, 0, 0, {"table": "10x6"}, {}, None, Look()),
    ("draw", "Tied, in ASCII", 3, 1, 3, {"table": "5x5", "draw": "one"}, {}, None, Look(ascii=True)),
    ("draw", "As one player sees it, in few columns", 0, 0, 1, {}, *PLAYER),
    ("block", "Nobody draws", 0, 0, 0, {}, {}, None, Look()),
    ("block", "Nobody draws, as one player sees it on a finite table", 0, 0, 1, {"table": "8x6"}, *PLAYER),
]


def rows_of(kind: str, match: int, game: int, rules: dict[str, Any]) -> dict[str, list[Any]]:
    """Rows of a match from the core, as they are read from a dataset."""
    runs: Any = runs_of(kind)
    seats = RANDOM[: GAMES[kind].seats]
    tables, _ = runs.core(runs.task(rules, seats, SEED, (match, match + 1), games=game + 2))
    table = GAMES[kind].tables["events"]
    rows: dict[str, list[Any]] = {}
    for name, column in tables["events"].items():
        code = table[name].code
        values = column.tolist()
        rows[name] = values if code is None else [labels(code)[k] if k >= 0 else None for k in values]
    return rows


def round_text(
    kind: str,
    title: str,
    match: int,
    game: int,
    round_: int,
    rules: dict[str, Any],
    names: dict[int, str],
    viewers: frozenset[int] | None,
    look: Look,
) -> str:
    """A round as it is told."""
    telling, all_rules = GAMES[kind].telling, GAMES[kind].resolve_rules(rules)
    story = telling.tell(rows_of(kind, match, game, rules), all_rules, (game, round_), names, viewers)
    head = f"# {title}" + "".join(f", {name} = {value}" for name, value in rules.items())
    return "\n".join([head, "", *(line.text for line in told(story, telling, look))]) + "\n"


def text() -> str:
    """All rounds."""
    return "\n".join(round_text(*chosen) for chosen in CHOSEN)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
