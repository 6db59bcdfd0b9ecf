"""Domeng in a few paragraphs, for somebody who sits down to play."""

from __future__ import annotations

from collections.abc import Mapping

from domeng_sim.games.domeng.words.ending import cucuq_side
from domeng_sim.games.shared.words import number_of


def lesson(rules: Mapping[str, int | str]) -> tuple[str, ...]:
    """How Domeng is played; see `TellingSpec.lesson`.

    Parameters
    ----------
    rules
        Those of the match.
    """

    def stones(name: str) -> str:
        return number_of(int(rules[f"{name}_stones"]), "stone")

    first = ", but only the first time" if rules["passebunge"] == "first" else ""
    free = ", free of stones," if rules["closing_passes"] == "free" else ""
    empty = "had none before the stones of that end" if rules["camat_check"] == "before" else "has none"
    by_pips = rules["mattikkeng_winner"] == "lowest"
    best = "of several, the one with the fewest pips" if by_pips else "of several, the first clockwise"
    return (
        "Five players hold five tiles each; three lie face down. Stones are penalties: nobody wants them.",
        "In turn you join a tile to an end whose value one of its halves has. If one fits you must play; if none does "
        f"you PASS and get {stones('pass')}, or {stones('passebunge')} if you have played none yet in this round "
        f"(PASSEBUNGE{first}).",
        f"CAPPU: who plays the last tile of the hand wins the round, and the player {cucuq_side(rules)} gets "
        f"{stones('cappu')}; {stones('ceki')} if it fitted two different ends (CEKI), {stones('pollo')} if it is a "
        "double between two ends of its value (POLLO).",
        f"MANGUNO: if no tile fits any more, all PASS{free} and the pips left in the hands are counted. Who played "
        "last is the MANGUNO, and wins if all the others have more pips. Who has as few, or fewer, is a MATTIKKENG and "
        f"wins instead; {best}. Then the MANGUNO gets {stones('mattikkeng')}, or {stones('mattikkeng_shared')} if "
        "several are MATTIKKENG or the pips are equal.",
        "Once the table has no stones, you get them from the winner, or at a PASS from whoever played last.",
        f"Win by CAPPU without a stone while the table {empty}: you are CAMAT, and the game is yours.",
    )
