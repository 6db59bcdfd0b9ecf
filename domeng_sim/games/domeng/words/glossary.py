"""The words of Domeng."""

from __future__ import annotations

from collections.abc import Mapping

from domeng_sim.games.shared.glossary import COMMON, Glossary
from domeng_sim.games.shared.words import number_of


def glossary(rules: Mapping[str, int | str]) -> Glossary:
    """What each word means; see `TellingSpec.glossary`.

    Parameters
    ----------
    rules
        Those of the match.
    """

    def stones(name: str) -> str:
        return number_of(int(rules[f"{name}_stones"]), "stone")

    return dict(COMMON) | {
        "stone": f"A penalty: nobody wants them. There are {rules['stones']}, on the table at first; with none "
        "of them, and none left on the table, a CAPPU wins the game.",
        "game": "The rounds until a CAMAT is appointed. Then all stones return to the table.",
        "pass": f"Who holds no tile that fits says PASS and gets {stones('pass')}. Nobody may PASS who could play.",
        "passebunge": f"A PASS by a player who has played no tile yet in this round; it costs {stones('passebunge')}.",
        "cappu": "The round ends since a player has played the last tile of the hand; that player wins it. A plain "
        f"CAPPU gives {stones('cappu')} to the player before.",
        "first cappu": "Who played the last tile of the hand, and so won the round by CAPPU.",
        "ceki": "A CAPPU whose last tile fitted both ends, which had two different values: "
        f"{stones('ceki')} for the player before.",
        "pollo": "A CAPPU whose last tile was a double, between two ends of its value: "
        f"{stones('pollo')} for the player before.",
        "mappakuling": "A tile that leaves both ends with the same value.",
        "last mappano": "Who played last. A PASS takes stones from this player once the table has none.",
        "manguno": "The round is blocked: nobody holds a tile that fits. Who played last is the MANGUNO, and wins if "
        f"everybody else holds more pips; then the player before gets {stones('manguno')}.",
        "mattikkeng": "When a round is blocked: a player with as few pips in hand as the MANGUNO, or fewer. A "
        f"MATTIKKENG wins the round, and the MANGUNO gets {stones('mattikkeng')}, but {stones('mattikkeng_shared')} if "
        "there are several MATTIKKENG or the pips are equal.",
        "cucuq": "The player before the one who wins by CAPPU or as the MANGUNO: gets the stones of that end.",
        "camat": "Who wins by CAPPU without a stone while the table has none: the game is won, and this player starts "
        "every round of the next one.",
        "incumbent": "The CAMAT of the game before, who starts every round until another game ends.",
        "lempa": "A double.",
        "unused tiles": "The three tiles that nobody gets in a round; they lie face down.",
    }  # fmt: skip
