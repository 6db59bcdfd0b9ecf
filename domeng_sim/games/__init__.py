"""The games: a folder and a `GameSpec` each."""

from __future__ import annotations

from domeng_sim.games.block.game import BLOCK
from domeng_sim.games.domeng.game import DOMENG
from domeng_sim.games.draw.game import DRAW
from domeng_sim.games.spec import GameSpec

GAMES: dict[str, GameSpec] = {spec.name: spec for spec in (DOMENG, DRAW, BLOCK)}
"""Every game by its name on the command line.  A new game is added here and nowhere else."""


def game(name: str) -> GameSpec:
    """The game of that name.

    Raises
    ------
    ValueError
        If there is none; the message lists the known ones.
    """
    try:
        return GAMES[name]
    except KeyError:
        raise ValueError(f"no game {name!r}; there are {', '.join(GAMES)}") from None
