"""Two-player games in a few paragraphs, for somebody who sits down to play."""

from __future__ import annotations

from collections.abc import Mapping

from domeng_sim.games.two_player.rules import table_size

_DRAWN = {"until_fit": "until one fits", "one": "one, which you play if it fits"}


def lesson(rules: Mapping[str, int | str]) -> tuple[str, ...]:
    """How the game is played; see `TellingSpec.lesson`.

    Parameters
    ----------
    rules
        Those of the match; without a rule `draw` nobody draws.
    """
    others, without, can_do = "stay out of play", "you PASS. PASSing goes by itself.", "play"
    if "draw" in rules:
        others = "are the stock, of which the last two are never drawn"
        without = (
            f"you draw from the stock, {_DRAWN[str(rules['draw'])]}. If you can do neither you PASS. Drawing and "
            "PASSing go by themselves."
        )
        can_do = "play or draw"
    told = (
        f"Two players hold seven tiles each; the others {others}.",
        "In turn you join a tile to an end whose value one of its halves has. If a tile fits you must play; if none "
        f"does {without}",
        f"Who plays the last tile of the hand scores the pips left in the other one. If neither can {can_do}, the "
        "one with fewer pips in hand scores the difference.",
        f"Who first has {rules['target']} points wins the game.",
    )
    size = table_size(rules)
    if size is None:
        return told
    return (
        *told,
        f"The table is {size[0]} half-tiles wide and {size[1]} high. A tile goes straight on, or turns left or right "
        "as you look along the chain away from the tile before; doubles lie across and never turn. No tile may leave "
        "the table or lie on another: an end without room is closed.",
    )
