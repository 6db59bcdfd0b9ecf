"""Domeng in a few paragraphs, for somebody who sits down to play."""

from __future__ import annotations

from collections.abc import Mapping

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

    by_pips = rules["mattikkeng_winner"] == "lowest"
    best = "of several, the one with the fewest pips" if by_pips else "of several, the first clockwise"
    return (
        "Five players hold five tiles each; three lie face down. Stones are penalties: nobody wants them.",
        "In turn you join a tile to an end whose value one of its halves has. If one fits you must play; if none does "
        f"you PASS and get {stones('pass')}, or {stones('passebunge')} if you have played none yet in this round "
        "(PASSEBUNGE).",
        "CAPPU: who plays the last tile of the hand wins the round, and the player before gets "
        f"{stones('cappu')}; {stones('ceki')} if it fitted two different ends (CEKI), {stones('pollo')} if it is a "
        "double between two ends of its value (POLLO).",
        "MANGUNO: if no tile fits any more, all PASS and the pips left in the hands are counted. Who played last is "
        "the MANGUNO, and wins if all the others have more pips. Who has as few, or fewer, is a MATTIKKENG and wins "
        f"instead; {best}. Then the MANGUNO gets {stones('mattikkeng')}, or {stones('mattikkeng_shared')} if "
        "several are MATTIKKENG or the pips are equal.",
        "Once the table has no stones, you get them from the winner, or at a PASS from whoever played last.",
        "Win by CAPPU without a stone while the table has none: you are CAMAT, and the game is yours.",
    )
