"""Block as the rules tell it, for checking: "as Draw, but nobody draws"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import draw
from .draw import Choose, Row

DEFAULT_RULES = {name: value for name, value in draw.DEFAULT_RULES.items() if name != "draw"}
OPTIONS = {"opening_lead": ["any", "highest"]}


def play_match(
    rules: dict[str, Any],
    deals: Callable[[int], tuple[list[list[int]], list[int]]],
    choose: Choose,
    games: int | None = None,
    rounds: int | None = None,
    match: int = 0,
) -> dict[str, list[Row]]:
    """Play a match; see `draw.play_match`."""
    # "but nobody draws: each player gets 7 tiles, the other 14 stay out of play, and a player without a fitting tile
    # passes."
    tables = draw.play_match({**rules, "draw": "none"}, deals, choose, games, rounds, match)
    for row in tables["rounds"]:
        # Nothing is told of what there is not.
        assert row.pop("draws_0") == row.pop("draws_1") == 0 and row.pop("stock") == 14
    return tables
