"""The words of games for two on a chain."""

from __future__ import annotations

from collections.abc import Mapping

from domeng_sim.games.shared.glossary import COMMON, Glossary


def glossary(rules: Mapping[str, int | str]) -> Glossary:
    """What each word means; see `TellingSpec.glossary`.

    Parameters
    ----------
    rules
        Those of the match.
    """
    led = " It is the tile that says who starts." if rules["opening_lead"] == "highest" else ""
    most = " At most one in a turn." if rules.get("draw") == "one" else ""
    can = "play or draw" if "draw" in rules else "play"
    drawing = {
        "stock": "The tiles that nobody was dealt, face down. They are drawn from; the last two never are.",
        "draw": f"To take a tile from the stock, since none in hand fits.{most}",
    }
    return dict(COMMON) | (drawing if "draw" in rules else {}) | {
        "lead": COMMON["lead"] + led,
        "pass": f"Who cannot {can} PASSes; it costs nothing.",
        "out": "The round ends since a hand is empty: that player wins, and scores the pips left in the other hand.",
        "blocked": f"Neither player can {can}: the one with fewer pips in hand wins, and scores the difference.",
        "tied": "The round is blocked and both hold the same pips: nobody wins or scores.",
        "score": "The points of a player in this game.",
        "target": f"The points that win the game: {rules['target']}.",
        "game": "The rounds until a player's score reaches the target, or "
        f"{int(rules['max_rounds']):,} without that.",
        "closed end": "On a table with a size: an end that no tile can be joined to, since there is no room for one.",
        "turning": "On a table with a size, a tile that is no double may go straight on or turn left or right, as seen "
        "along the chain.",
    }  # fmt: skip
