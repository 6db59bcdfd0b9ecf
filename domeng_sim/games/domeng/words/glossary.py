"""The words of Domeng."""

from __future__ import annotations

from collections.abc import Mapping

from domeng_sim.games.domeng.words.ending import cucuq_side
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

    side = cucuq_side(rules)
    later = " Later ones of the same player are ordinary PASSes." if rules["passebunge"] == "first" else ""
    closing = " The PASSes that close a round are free." if rules["closing_passes"] == "free" else ""
    led = " The first one of a match is the double that says who starts." if rules["opening_lead"] == "double" else ""
    before = " before the stones of that end move" if rules["camat_check"] == "before" else ""
    next_wins = rules["mattikkeng_winner"] == "next"
    several = "the first clockwise after the MANGUNO" if next_wins else "the one with the fewest pips"
    return dict(COMMON) | {
        "stone": f"A penalty: nobody wants them. There are {rules['stones']}, on the table at first; with none "
        "of them, and none left on the table, a CAPPU wins the game.",
        "game": f"The rounds until a CAMAT is appointed, or {int(rules['max_rounds']):,} without one. Then all stones "
        "return to the table.",
        "lead": COMMON["lead"] + led,
        "pass": f"Who holds no tile that fits says PASS and gets {stones('pass')}. Nobody may PASS who could play."
        f"{closing}",
        "passebunge": f"A PASS by a player who has played no tile yet in this round; it costs {stones('passebunge')}."
        f"{later}",
        "cappu": "The round ends since a player has played the last tile of the hand; that player wins it. A plain "
        f"CAPPU gives {stones('cappu')} to the player {side}.",
        "first cappu": "Who played the last tile of the hand, and so won the round by CAPPU.",
        "ceki": "A CAPPU whose last tile fitted both ends, which had two different values: "
        f"{stones('ceki')} for the player {side}.",
        "pollo": "A CAPPU whose last tile was a double, between two ends of its value: "
        f"{stones('pollo')} for the player {side}.",
        "mappakuling": "A tile that leaves both ends with the same value.",
        "last mappano": "Who played last. A PASS takes stones from this player once the table has none.",
        "manguno": "The round is blocked: nobody holds a tile that fits. Who played last is the MANGUNO, and wins if "
        f"everybody else holds more pips; then the player {side} gets {stones('manguno')}.",
        "mattikkeng": "When a round is blocked: a player with as few pips in hand as the MANGUNO, or fewer. A "
        f"MATTIKKENG wins the round (of several, {several}), and the MANGUNO gets {stones('mattikkeng')}, but "
        f"{stones('mattikkeng_shared')} if there are several MATTIKKENG or the pips are equal.",
        "cucuq": f"The player {side} the one who wins by CAPPU or as the MANGUNO: gets the stones of that end.",
        "camat": f"Who wins by CAPPU without a stone while the table has none{before}: the game is won, and this "
        "player starts every round of the next one.",
        "incumbent": "The CAMAT of the game before, who starts every round until another game ends.",
        "lempa": "A double.",
        "unused tiles": "The three tiles that nobody gets in a round; they lie face down.",
    }  # fmt: skip
