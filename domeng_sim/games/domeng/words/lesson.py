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

    return (
        "Five players hold five tiles each; three lie face down. Stones are penalties: nobody wants them.",
        "In turn you join a tile to an end whose value one of its halves has. If one fits you must play; if none does "
        f"you PASS and get {stones('pass')}, or {stones('passebunge')} if you have played none yet in this round "
        "(PASSEBUNGE).",
        "CAPPU: who plays the last tile of the hand wins the round, and the player before gets "
        f"{stones('cappu')}; {stones('ceki')} if it fitted two different ends (CEKI), {stones('pollo')} if it is a "
        "double between two ends of its value (POLLO).",
        "MANGUNO: if no tile fits any more, all PASS, and who played last is the MANGUNO. Another with as few pips or "
        f"fewer (MATTIKKENG) wins, and the MANGUNO gets {stones('mattikkeng')}, or "
        f"{stones('mattikkeng_shared')} if several are or pips are equal. Otherwise the MANGUNO wins.",
        "Once the table has no stones, you get them from the winner, or at a PASS from whoever played last.",
        "Win by CAPPU without a stone while the table has none: you are CAMAT, and the game is yours.",
    )
